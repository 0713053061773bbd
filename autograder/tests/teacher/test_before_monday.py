"""What `doctor OUT` finds before a week begins: each thing that is taken away is told, with the
command that mends it."""

import shutil
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.handed_in.classlist import read_roster
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
