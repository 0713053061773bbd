"""What `doctor OUT` finds before a week begins: each thing that is taken away is told, with the
command that mends it."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.cell.numbers import course_key
from autograder.grade import grade_class
from autograder.handed_in.classlist import read_roster
from autograder.sandbox.outside.parent import SandboxFailed
from autograder.teacher import before_monday, doctor
from autograder.teacher.doctor import Found

pytestmark = pytest.mark.usefixtures("kept_staff")


@pytest.fixture
def nobody(monkeypatch):
    """A machine of one's own."""
    monkeypatch.setattr(before_monday, "_accounts", dict)


@pytest.fixture
def out(hand_in, tmp_path, made_once, monkeypatch, nobody):
    """The OUT of a class of one, with a class list and a secret."""
    monkeypatch.setenv("AUTOGRADER_SECRET", "s" * 20)
    made_once(graded, tmp_path)
    return tmp_path / "out"


def graded(folder):
    from autograder.tests.conftest import writer_of

    writer_of(folder)("ada", student="s1", folder=folder / "class")
    (folder / "class.csv").write_text("student,name\ns1,Ada A\ns2,\n", encoding="utf-8")
    roster = read_roster(folder / "class.csv")
    grade_class(folder / "class", folder / "out", roster=roster, say=lambda text: None)


def found(out):
    faults, notes = before_monday.before_monday(out)
    return faults, "\n".join(notes)


@pytest.mark.corpus
def test_a_class_that_is_ready_has_nothing_to_do(out, capsys):
    faults, notes = found(out)
    assert faults == []
    assert "The secret is set, and the class was graded with it." in notes
    assert "has 2 students, 1 of them without a name" in notes and "Due: nothing yet." in notes
    assert main(["due", str(out), "90", "2027-03-15T23:59+01:00"]) == 0
    assert "90_demo 2027-03-15 22:59 UTC" in found(out)[1]


def damaged(path):
    path.write_bytes(path.read_bytes()[:4096] + b"x" * 8192)


@pytest.mark.parametrize(
    ("harm", "told", "command"),
    [
        (lambda out: (out / "class.json").unlink(), "There is no class list", "receive DIR"),
        (lambda out: (out / "class.json").write_text("{"), "class.json cannot be read", "doctor"),
        (lambda out: damaged(out / "gradebook.db"), "The gradebook is broken", "cp COPY/gradebook"),
        (lambda out: (out / "gradebook.db").write_text("no"), "The gradebook is broken", "cp COPY"),
        (lambda out: (out / ".unfinished").touch(), "has not come to its end", "grade DIR"),
        (lambda out: (out / ".secret").write_text("other\n"), "another course secret", "export"),
        (lambda out: (out / "results.json").write_text("{"), "has not come to its end", "doctor"),
        (shutil.rmtree, "is not there yet", "receive DIR"),
    ],
)
def test_what_is_taken_away_is_told_with_a_command(out, harm, told, command):
    harm(out)
    faults, _ = found(out)
    assert [what for what, mend in faults if told in what and command in mend], faults
    assert len(faults) == 1 and "Traceback" not in str(faults)


def test_an_out_that_this_account_cannot_enter_is_one_sentence(out, monkeypatch):
    monkeypatch.setattr(before_monday.os, "access", lambda *words: False)  # root may do all
    [(told, mend)] = found(out)[0]
    assert "This account cannot read and write in" in told and "chown" in mend


def test_the_demo_secret_and_a_full_disk(out, monkeypatch):
    monkeypatch.delenv("AUTOGRADER_SECRET")
    (out / ".secret").unlink()
    monkeypatch.setattr(before_monday, "FREE_BYTES", 10**18)
    told = [what for what, _ in found(out)[0]]
    assert len(told) == 2 and "demo secret" in told[0] and "GB free, and OUT has 0.0 GB" in told[1]


def test_on_a_machine_of_several_open_homes_are_named(tmp_path, monkeypatch):
    homes = {name: tmp_path / name for name in ("ada", "bo", "cem")}
    for name, mode in (("ada", 0o755), ("bo", 0o700), ("cem", 0o711)):
        homes[name].mkdir()
        homes[name].chmod(mode)
    faults = [each for each in before_monday._people(homes) if "homes" in each[0]]
    assert faults == [
        (
            "Every account can read 2 of the 3 homes.",
            f"sudo chmod o-rwx {homes['ada']} {homes['cem']}",
        )
    ]
    for home in homes.values():
        home.chmod(0o750)
    assert "The homes of 3 accounts are closed to the others." in before_monday._people(homes)
    assert not list(before_monday._people({"ada": homes["ada"]})), "a machine of one's own"


def test_an_account_without_a_home_is_named(tmp_path):
    for name in ("ada", "bo"):
        (tmp_path / name).mkdir(mode=0o700)
    homes = {name: tmp_path / name for name in ("ada", "bo", "cem", "di")}
    assert (
        "The hub starts nothing for an account without a home: cem, di.",
        "sudo mkhomedir_helper cem   # and so on",
    ) in before_monday._people(homes)
    assert "The homes of 2 accounts are closed to the others." in before_monday._people(homes)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "does not find the command autograder"),
        ("usage: autograder", "is not that of a package for students"),
        (before_monday.FOR_LEARNERS, "which has no judges"),
    ],
)
def test_the_command_of_a_login_shell_is_the_students(tmp_path, monkeypatch, answer, told):
    """A stand-in for bash that sets PATH as /etc/profile does."""
    if answer:
        (tmp_path / "autograder").write_text(f"#!/bin/sh\necho '{answer}' >&2\nexit 2\n")
        (tmp_path / "autograder").chmod(0o755)
    shell = tmp_path / "bash"
    shell.write_text(f'#!/bin/sh\nexport PATH={tmp_path}\nshift\nexec /bin/sh -c "$1"\n')
    shell.chmod(0o755)
    monkeypatch.setattr(before_monday.shutil, "which", lambda name: str(shell))
    [said] = before_monday._terminal()
    assert told in (said if isinstance(said, str) else said[0])


def named(out, **paths):
    return before_monday.before_monday(out, before_monday.Named(**paths))


def test_a_list_is_looked_at_before_it_is_taken_in(out, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("student,email\ns1,a@x.org\ns2,b@x.org\n")
    assert named(out, roster=path)[0] == []
    path.write_text("student,email\ns1,a@x.org\nS1,b@x.org\ns2,A@x.org\ns1,\n,c@x.org\n")
    told = [what for what, _ in named(out, roster=path)[0]]
    assert told == [
        "new.csv: line 3 names S1 a second time, as s1, and is left out.",
        "new.csv: line 5 names s1 a second time, and is left out.",
        "new.csv: line 6 has no id, and is left out.",
        "s1 and s2 have one address, a@x.org: is it one?",
    ]
    assert "No such file" in named(out, roster=tmp_path / "none.csv")[0][0][0]


def newer(path, seconds):
    """Let a file be as if it were written later."""
    moment = path.stat().st_mtime + seconds
    os.utime(path, (moment, moment))


def test_a_copy_is_whole_new_closed_and_on_another_disk(out, tmp_path, monkeypatch):
    copy = tmp_path / "copy"
    assert named(out, copy=copy)[0][0][0] == f"There is no copy {copy}."
    subprocess.run(["cp", "-a", f"{out}/.", copy], check=True)
    copy.chmod(0o700)
    [(same_disk, _)] = named(out, copy=copy)[0]
    assert "on the disk of OUT" in same_disk
    monkeypatch.setattr(before_monday, "_disk", lambda path: path.name)
    faults, notes = named(out, copy=copy)
    assert faults == [] and f"The copy {copy} is whole, and as new as OUT." in notes
    main(["due", str(out), "90", "2027-03-15T23:59+01:00"])
    newer(out / "gradebook.db", 60)
    [(old, mend)] = named(out, copy=copy)[0]
    assert "1 files, gradebook.db among them" in old
    subprocess.run(["sh", "-c", mend], check=True)
    assert named(out, copy=copy)[0] == []
    book = copy / "gradebook.db"
    book.write_bytes(book.read_bytes()[:4096] + b"x" * (book.stat().st_size - 4096))
    newer(book, 90)
    [(broken, _)] = named(out, copy=copy)[0]
    assert f"The gradebook in {copy} is broken" in broken
    (copy / "gradebook.db").unlink()
    copy.chmod(0o755)
    told = str(named(out, copy=copy)[0])
    assert "gradebook.db among them" in told and "Other accounts can read" in told


def test_an_exchange_is_there_and_open(out, tmp_path, monkeypatch):
    root = tmp_path / "exchange"
    # the tests' own folders are closed to other accounts
    told = [what for what, _ in named(out, exchange=root)[0]]
    assert told == [f"There is no exchange {root}."]
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        root = Path(folder, "exchange")
        root.mkdir(mode=0o755)
        [(closed, mend)] = named(out, exchange=root)[0]
        assert "cannot write into" in closed and mend == f"sudo chmod 0777 {root}"
        root.chmod(0o777)
        faults, notes = named(out, exchange=root)
        assert faults == [] and f"The exchange {root} is open to all accounts." in notes
        (root / "kafka/inbound").mkdir(parents=True, mode=0o733)
        (root / "kafka/inbound").chmod(0o755)
        [(shut, mend)] = named(out, exchange=root)[0]
        assert "cannot hand in" in shut and mend == f"sudo chmod 0733 {root}/kafka/inbound"
        (root / "kafka/inbound").chmod(0o733)
        own = os.geteuid()
        monkeypatch.setattr(before_monday.os, "geteuid", lambda: own + 1)
        [(other, mend)] = named(out, exchange=root)[0]
        assert "belongs to another account" in other and "$USER" in mend
        monkeypatch.setattr(before_monday.os, "geteuid", lambda: own)
        os.chmod(folder, 0o700)
        assert f"cannot enter {folder}" in named(out, exchange=root)[0][0][0]


@pytest.mark.corpus
def test_a_package_has_this_key_and_no_judges(out, tmp_path):
    package = tmp_path / "week"
    assert "is no package" in named(out, package=package)[0][0][0]
    key = package / "autograder/cell/course_key.txt"
    key.parent.mkdir(parents=True)
    key.write_text(course_key() + "\n")
    (package / "notebooks/release/90_demo").mkdir(parents=True)
    faults, notes = named(out, package=package)
    assert faults == [] and "has chapters 90 and no judges" in notes[-1]
    (package / "autograder/course/judges").mkdir(parents=True)
    key.write_text("another\n")
    told = " ".join(what for what, _ in named(out, package=package)[0])
    assert "another course key" in told and "autograder/course/judges is the teacher's" in told


def test_the_judges_of_a_checkout_that_all_can_read_are_named(tmp_path, monkeypatch):
    homes = dict.fromkeys(("ada", "bo"), tmp_path)
    monkeypatch.setattr(before_monday, "HOME", tmp_path / "course")
    (tmp_path / "course").mkdir(mode=0o700)
    judges = "Every account of this machine can read the judges"

    def told():
        return [each[0] for each in before_monday._people(homes) if judges in each[0]]

    assert not told()
    monkeypatch.setattr(before_monday, "HOME", Path("/usr"))  # which every account can read
    assert told()


def test_the_doctor_prints_it_and_asks_for_attention(out, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "diagnose", lambda *all_: Found("L3", notes=all_[-1]))
    assert main(["doctor", str(out)]) == 0
    assert "The gradebook is whole." in capsys.readouterr().out
    (out / "class.json").unlink()
    assert main(["doctor", str(out)]) == 3
    assert "To do: There is no class list" in capsys.readouterr().out
    (out / "file").touch()
    assert main(["doctor", str(out / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["doctor", "--copy", str(out)]) == 2
    assert "--copy goes with an OUT" in capsys.readouterr().err


def test_a_machine_on_which_no_worker_starts_gets_a_sentence(monkeypatch, capsys):
    def broken(self):
        raise SandboxFailed("no psutil")

    monkeypatch.setattr(doctor.Sandbox, "reached", broken)
    assert main(["doctor"]) == 2
    assert capsys.readouterr().err == (
        "No worker starts here, so nothing can be graded: no psutil.\n"
    )
