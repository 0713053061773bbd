"""What docs/ says is done as it stands there: Gradescope's zip file is unpacked and run."""

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.cell.course_folder import HOME

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def gradescope(hand_in, tmp_path):
    """gradescope(users) runs the zip's script on what lies in submission/ as Gradescope would;
    returns results.json."""
    script = (HOME / "autograder" / "teacher" / "gradescope_run.py").read_text(encoding="utf-8")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "secret.txt").write_text("a demo secret, known to everybody\n")
    for part in ("autograder", "kafkalab"):
        (tmp_path / "source" / part).symlink_to(HOME / part)
    (tmp_path / "source" / "chapters.txt").write_text("90\n")

    def run(*users, title="Week 1"):
        told = {
            "users": [{"email": email, "id": 7, "name": "A Name"} for email in users],
            "assignment": {"title": title},
        }
        (tmp_path / "submission_metadata.json").write_text(json.dumps(told))
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "AUTOGRADER_HOME": str(tmp_path)},
            check=True,
        )
        return json.loads((tmp_path / "results" / "results.json").read_text())

    return run


def test_gradescopes_script_writes_what_gradescope_reads(gradescope, hand_in, tmp_path):
    hand_in("90_demo", {"90.3": "total = len(seen)"}, student="ada", folder=tmp_path / "submission")
    tests = gradescope("Ada@school.org")["tests"]
    assert [(test["name"], test["score"], test["max_score"]) for test in tests] == [
        ("90.1", 2, 2),
        ("90.2", 3, 3),
        ("90.3", 0, 1),
    ]
    assert tests[2]["output"] == "That is how many there are."


@pytest.mark.slow
def test_gradescope_shows_a_hint_where_a_hidden_case_failed(gradescope, hand_in, tmp_path):
    """The output is for the student: neither the hidden case nor what the code said to it."""
    spy = (
        "def node_id(broker):\n    if broker > 2:\n"
        "        raise ValueError(f'saw {broker}')\n"
        "    return 2147483647 - broker"
    )
    hand_in("90_demo", {"90.2": spy}, student="ada", folder=tmp_path / "submission")
    test = gradescope("ada@school.org")["tests"][1]
    assert test["status"] == "failed" and test["output"].startswith("It fails on a hidden case.")


@pytest.mark.slow
def test_gradescopes_script_takes_nobodys_work_but_the_uploaders(gradescope, hand_in, tmp_path):
    """A friend's notebook, one that names nobody, and one of another chapter have no points and a
    sentence."""
    hand_in("90_demo", student="s101", folder=tmp_path / "submission")
    refused = gradescope("bo@school.org")
    assert (refused["score"], refused["tests"]) == (0, [])
    assert refused["output"].startswith(
        'its first cell names s101, and bo handed it in. Write your own id there, me("bo")'
    )
    (tmp_path / "source" / "roster.csv").write_text(
        "First Name,Last Name,SID,Email\nAda,Abel,s101,ada@school.org\n"
    )
    assert len(gradescope("bo@school.org", "ada@school.org")["tests"]) == 3, (
        "a group of two, and one of them is named by SID"
    )
    hand_in("90_demo", folder=tmp_path / "submission")
    assert gradescope("ada@school.org")["output"].startswith("its first cell names nobody.")
    (tmp_path / "source" / "chapters.txt").write_text("89")
    assert (
        gradescope("ada@school.org")["output"] == "it answers chapter 90; chapter 89 was asked for."
    )


@pytest.mark.slow
def test_one_zip_for_several_chapters_takes_the_one_that_came(gradescope, hand_in, tmp_path):
    """The title of an assignment may name its chapter; then no other is taken."""
    (tmp_path / "source" / "chapters.txt").write_text("89 90\n")
    hand_in("90_demo", student="ada", folder=tmp_path / "submission")
    assert len(gradescope("ada@school.org")["tests"]) == 3
    assert len(gradescope("ada@school.org", title="Week 89: chapter 90")["tests"]) == 3
    refused = gradescope("ada@school.org", title="Homework: Chapter 89")
    assert refused["output"] == "it answers chapter 90; chapter 89 was asked for."
    assert (refused["score"], refused["tests"]) == (0, [])


def test_every_command_the_docs_name_exists():
    from autograder.__main__ import _parser

    known = _parser().format_help()
    named = set(
        re.findall(
            r"python -m autograder (\w+)", "".join(path.read_text() for path in DOCS.glob("*.md"))
        )
    )
    assert named and all(re.search(rf"^    {name}\s", known, re.M) for name in named)


@pytest.mark.slow
def test_gradescopes_zip_grades_its_chapters_where_nothing_else_is(tmp_path, monkeypatch, capsys):
    """Unpacked into an empty folder it grades the chapter that was handed in."""
    monkeypatch.delenv("AUTOGRADER_SECRET", raising=False)
    path = tmp_path / "chapters.zip"
    assert main(["gradescope", "02", "03", "--out", str(path)]) == 2
    assert "AUTOGRADER_SECRET is not set" in capsys.readouterr().err and not path.exists()
    assert main(["gradescope", "2", "3", "--out", str(path), "--demo"]) == 0
    source = tmp_path / "source"
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        archive.extractall(source)
        assert archive.getinfo("run_autograder").external_attr >> 16 & 0o111
    assert not [name for name in names if "/tests/" in name or "__pycache__" in name]
    assert (source / "chapters.txt").read_text() == "02 03\n"
    assert len([name for name in names if name.startswith("notebooks/release/")]) == 2
    assert path.stat().st_size < 20_000_000
    blank = HOME / "notebooks" / "release" / "03_consumer_connections"
    notebook = json.loads((blank / "03_consumer_connections.ipynb").read_text(encoding="utf-8"))
    notebook["metadata"]["autograder"]["student"] = "ada"
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "03.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    users = {"users": [{"email": "ada@school.org", "id": 7, "name": "A"}]}
    (tmp_path / "submission_metadata.json").write_text(json.dumps(users))
    environment = {**os.environ, "AUTOGRADER_HOME": str(tmp_path), "PYTHONPATH": str(source)}
    environment.pop("AUTOGRADER_COURSE", None)
    subprocess.run(
        [sys.executable, str(source / "run_autograder")], env=environment, check=True, cwd=source
    )
    report = json.loads((tmp_path / "results" / "results.json").read_text())
    assert [test["name"] for test in report["tests"]] == [f"03.{number}" for number in range(1, 8)]
    assert all(test["score"] == 0 for test in report["tests"])


def test_a_teachers_week_stands_on_one_screen():
    """The first forty lines of TEACHING.md name the three commands, and what is typed there is
    understood."""
    from autograder.__main__ import _parser

    page = (HOME / "notebooks" / "TEACHING.md").read_text(encoding="utf-8")
    screen = page.split("\n---\n")[0].splitlines()
    assert len(screen) <= 40 and all(len(line) <= 140 for line in screen)
    typed = [line for line in screen if line.startswith("python -m autograder")]
    asked = [_parser().parse_args(shlex.split(line, comments=True)[3:]).command for line in typed]
    assert asked[:3] == ["receive", "grade", "review"] and len(asked) >= 8
    for line in re.findall(r"`python -m autograder ([^`]+)`", page):
        assert _parser().parse_args(shlex.split(line)).command
