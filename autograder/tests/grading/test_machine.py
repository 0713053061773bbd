"""What a machine does to a teacher: a folder that is none, a gradebook gone or spoilt, a
terminal that has left. One sentence, and nothing is lost."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from autograder import __main__ as commands
from autograder.__main__ import main
from autograder.cell.commands import COMMANDS
from autograder.cell.course_folder import HOME
from autograder.grade import grade
from autograder.proving import commands as of_authors
from autograder.sandbox.outside import bubble, temp_folder
from autograder.sandbox.outside.temp_folder import Lodging
from autograder.sandbox.outside.wall_probe import Probe

MARKS = """select student_id, base_cell.name, auto_score, needs_manual_grade from grade
    join base_cell on base_cell.id = grade.cell_id join submitted_notebook on submitted_notebook.id = grade.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id order by student_id, base_cell.name"""  # noqa: E501


@pytest.fixture
def box(hand_in, tmp_path):
    """Somebody right, somebody wrong, and a file that is no notebook."""
    hand_in("ada", student="ada", folder=tmp_path / "box")
    hand_in("bo", {"90.1": "opened = kept = n.partitions"}, student="bo", folder=tmp_path / "box")
    (tmp_path / "box" / "cy.ipynb").write_text("{")
    return tmp_path / "box"


@pytest.fixture
def out(box, made_once, tmp_path):
    """What grading the box made."""
    made_once(graded, tmp_path)
    return tmp_path / "out"


def graded(home):
    assert main(["grade", str(home / "box"), "--out", str(home / "out")]) == 3


def marks(out):
    with sqlite3.connect(out / "gradebook.db") as book:
        return book.execute(MARKS).fetchall()


@pytest.mark.slow
def test_a_gradebook_that_was_taken_away_is_filled_again(box, out):
    before = marks(out)
    (out / "gradebook.db").unlink()
    assert main(["grade", str(box), "--out", str(out)]) == 3
    assert marks(out) == before != []


@pytest.mark.slow
def test_a_gradebook_of_yesterday_is_told_what_it_does_not_know(box, out):
    """An older copy was put back, or a power cut took the last it was told:
    everybody has a row, some with other points."""
    before = marks(out)
    with sqlite3.connect(out / "gradebook.db") as book:
        book.execute("update grade set auto_score = 0")
    assert marks(out) != before
    assert main(["grade", str(box), "--out", str(out)]) == 3
    assert marks(out) == before


@pytest.mark.corpus
def test_formgrader_on_a_copy_opens_the_copys_gradebook(out, tmp_path, monkeypatch):
    from traitlets.config import PyFileConfigLoader

    copy = shutil.copytree(out, tmp_path / "copy")
    monkeypatch.chdir(copy)
    read = PyFileConfigLoader("nbgrader_config.py", path=".").load_config()
    assert (
        read.CourseDirectory.root == str(copy)
        and read.CourseDirectory.db_url == f"sqlite:///{copy}/gradebook.db"
    )


def test_a_gradebook_that_is_none_is_one_sentence_and_stays(box, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "gradebook.db").write_text("not a gradebook")
    for words, told in (
        (
            ["grade", str(box), "--out", str(out)],
            f"Grading into {out} stopped: file is not a database. What was done is kept",
        ),
        (
            ["due", str(out)],
            f"The gradebook in {out} could not be read or written: file is not a database.",
        ),
    ):
        assert main(words) == 1
        said = capsys.readouterr().err
        assert said.splitlines()[-1].startswith(told) and "Traceback" not in said
    assert (out / "gradebook.db").read_text() == "not a gradebook"


@pytest.mark.slow
def test_what_the_writer_cannot_write_ends_the_run_in_one_sentence_and_the_next_goes_on(
    box, tmp_path, capsys
):
    """A folder stands where the notebooks for formgrader go, as a full disk would."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "autograded").write_text("")
    assert main(["grade", str(box), "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert (
        f"Grading into {out} stopped: " in said
        and "the same command goes on from here." in said
        and "Traceback" not in said
    )
    (out / "autograded").unlink()
    assert (
        main(["grade", str(box), "--out", str(out)]) == 3
        and len({student for student, *_ in marks(out)}) == 2
    )


@pytest.mark.parametrize("command", ["grade", "receive"])
def test_results_go_into_a_folder(box, capsys, command):
    before = (box / "ada.ipynb").read_bytes()
    assert main([command, str(box), "--out", str(box / "ada.ipynb")]) == 2
    assert (
        capsys.readouterr().err
        == f"{box / 'ada.ipynb'} is no folder; name one with --out, or one that is not there yet.\n"
    )
    assert (box / "ada.ipynb").read_bytes() == before


@pytest.mark.parametrize("command", ["grade", "receive"])
def test_results_do_not_go_among_the_submissions(box, capsys, monkeypatch, command):
    monkeypatch.chdir(box)
    assert (
        main([command, ".", "--out", str(box)]) == 2
        and "holds the submissions" in capsys.readouterr().err
    )
    assert sorted(path.name for path in box.iterdir()) == ["ada.ipynb", "bo.ipynb", "cy.ipynb"]


@pytest.mark.slow
def test_a_pipe_and_a_link_are_written_to_and_stay_what_they_are(box, tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.json").symlink_to("real.json")
    ear = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(["grade", str(box / "cy.ipynb"), "--json", str(tmp_path / "pipe")]) == 3
        assert b'"status": "unreadable"' in os.read(ear, 1 << 16) and (tmp_path / "pipe").is_fifo()
    finally:
        os.close(ear)
    assert main(["grade", str(box / "cy.ipynb"), "--json", str(tmp_path / "link.json")]) == 3
    assert (tmp_path / "link.json").is_symlink() and '"unreadable"' in (
        tmp_path / "real.json"
    ).read_text()


@pytest.mark.slow
def test_nothing_half_written_stays_where_it_could_not_go(box, tmp_path, capsys):
    (tmp_path / "results").mkdir()
    assert main(["grade", str(box / "cy.ipynb"), "--json", str(tmp_path / "results")]) == 2
    assert capsys.readouterr().err == f"{tmp_path / 'results'}: Is a directory.\n" and not list(
        tmp_path.glob(".draft*")
    )


@pytest.mark.slow
def test_progress_that_nobody_reads_any_more_ends_no_work(box, tmp_path):
    """`grade ... 2>&1 | head -1`: the class is graded, and the exit code is the class's."""
    ear, mouth = os.pipe()
    os.close(ear)
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "autograder",
            "grade",
            str(box),
            "--out",
            str(tmp_path / "out"),
            "--json",
            "-",
        ],
        stdout=mouth,
        stderr=mouth,
        cwd=HOME,
    )
    os.close(mouth)
    assert ran.returncode == 3 and len({student for student, *_ in marks(tmp_path / "out")}) == 2


@pytest.mark.slow
def test_a_stream_that_a_shell_has_closed_leads_nowhere(box, tmp_path):
    """What is for the terminal does not go into the results instead."""
    for name in ("ada", "bo"):
        (box / f"{name}.ipynb").unlink()
    ran = subprocess.run(
        [
            "sh",
            "-c",
            '"$0" -m autograder grade "$1" --out "$2" --json - 2>&-',
            sys.executable,
            str(box),
            str(tmp_path / "out"),
        ],
        stdout=subprocess.PIPE,
        cwd=HOME,
    )
    assert ran.returncode == 3 and list(json.loads(ran.stdout)) == ["cy.ipynb"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "end",
    [
        signal.SIGTERM,
        *(pytest.param(end, marks=pytest.mark.slow) for end in (signal.SIGINT, signal.SIGHUP)),
    ],
)
def test_who_ends_it_politely_finds_nothing_left_behind(box, tmp_path, end):
    (tmp_path / "tmp").mkdir()
    run = subprocess.Popen(
        [sys.executable, "-m", "autograder", "grade", str(box), "--out", str(tmp_path / "out")],
        cwd=HOME,
        text=True,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
    )
    while not list((tmp_path / "tmp").glob("autograder-*/scratch*")) and run.poll() is None:
        time.sleep(0.01)
    run.send_signal(end)
    assert "the same command goes on from here." in run.communicate()[1] and run.returncode == 1
    assert list((tmp_path / "tmp").iterdir()) == []
    assert main(["grade", str(box), "--out", str(tmp_path / "out")]) == 3


def test_what_a_killed_run_left_goes_with_the_next_one(tmp_path, monkeypatch):
    """Nobody holds it any more; what somebody holds, and what only has the name, stays."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed = subprocess.run(
        [
            sys.executable,
            "-c",
            (
                "import os; from autograder.sandbox.outside.temp_folder import Lodging; "
                "print(Lodging().folder); os.kill(0, 9)"
            ),
        ],
        cwd=HOME,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        start_new_session=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert killed.returncode == -signal.SIGKILL and list(tmp_path.glob("autograder-*/.held"))
    (tmp_path / "autograder-mine").mkdir()
    one, other = Lodging(), Lodging()
    assert set(tmp_path.iterdir()) == {one.folder, other.folder, tmp_path / "autograder-mine"}
    other.leave()
    one.leave()
    assert list(tmp_path.iterdir()) == [tmp_path / "autograder-mine"]


def test_the_view_lies_in_memory_where_that_has_room_and_nobody_chose_a_folder(
    tmp_path, monkeypatch
):
    memory = tmp_path / "shm"
    memory.mkdir()
    monkeypatch.setattr(temp_folder, "MEMORY", memory)
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    monkeypatch.setattr(temp_folder, "ROOM_BYTES", 0)
    left = memory / "autograder-left"
    left.mkdir()
    (left / ".held").touch()  # of a killed run
    lodging = Lodging(in_memory=True)
    assert list(memory.iterdir()) == [lodging.folder]
    lodging.leave()
    monkeypatch.setattr(temp_folder, "ROOM_BYTES", 1 << 62)
    full = Lodging(in_memory=True)
    assert full.folder.parent == Path("/tmp")
    full.leave()
    monkeypatch.setattr(temp_folder, "ROOM_BYTES", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    chosen = Lodging(in_memory=True)
    assert chosen.folder.parent == tmp_path and not list(memory.iterdir())
    chosen.leave()


def test_ctrl_c_while_the_probe_is_laid_out_leaves_nothing_behind(tmp_path, monkeypatch):
    def pressed(*words):
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(socket, "create_server", pressed)
    with pytest.raises(KeyboardInterrupt), Probe():
        pass
    assert not list(tmp_path.glob("autograder-canary-*"))


@pytest.mark.corpus
def test_what_was_not_run_says_the_level_of_the_machine(box, monkeypatch):
    """So a run that is cut off before its last, unreadable one ends with the same bytes."""
    monkeypatch.setattr(bubble, "found", lambda: None)
    assert grade("", box / "cy.ipynb")["level"] in ("L2", "L1")


def test_a_command_that_begins_again_does_not_promise_to_go_on(monkeypatch, capsys):
    def stopped(wanted):
        raise KeyboardInterrupt

    stopped.__module__ = of_authors.__name__
    monkeypatch.setitem(COMMANDS, "redteam", (*COMMANDS["redteam"][:-1], stopped))
    assert main(["redteam"]) == commands.FAILED
    assert capsys.readouterr().err.strip() == "Stopped."
