"""One round trip with Moodle: its zip file and its list come in; pages and a worksheet go back."""

import csv
import io
import json
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from autograder.__main__ import main
from autograder.gradebook import late
from autograder.gradebook.late import Policy
from autograder.gradebook.students import class_of
from autograder.teacher.worksheet import fill_worksheet
from autograder.tests.conftest import writer_of

pytestmark = pytest.mark.usefixtures("kept_staff")

HEAD = (
    'Identifier,"Full name","ID number","Email address",Status,Grade,"Maximum grade",'
    '"Grade can be changed","Last modified (submission)","Last modified (grade)",'
    '"Feedback comments"'
)
COSTS = Policy(0.10, 0.50, 15)


def ago(**time) -> str:
    """A moment as Moodle writes it."""
    moment = datetime.now(UTC) - timedelta(**time)
    return f"{moment:%A}, {moment.day} {moment:%B %Y}, {moment:%I:%M %p}".replace(", 0", ", ")


def row(number, name, student, when, most="100.00", end="\r\n"):
    address = f"{student}@school.org"
    return (
        f'"Participant {number}","{name}",{student},{address},'
        f'"Submitted for grading ",,{most},Yes,"{when}",-,{end}'
    )


def make(folder):
    """Three notebooks in Moodle's zip file, four people in its list; bo comes two hours late, and
    dora hands in nothing."""
    hand_in = writer_of(folder)
    people = {"ada": ("Ada Abel", 10421), "bo": ('Bo "Bobby" Öhm', 10422), "cy": ("王小明", 10423)}
    with zipfile.ZipFile(folder / "moodle.zip", "w") as archive:
        for student, (name, number) in people.items():
            answers = {"90.3": "total = len(seen)"} if student == "bo" else {}
            path = hand_in("90_demo", answers, student=student, folder=folder / "made")
            inside = f"{name.replace(chr(34), '')}_{number}_assignsubmission_file/90_demo.ipynb"
            archive.write(path, inside)
    times = {"ada": ago(hours=5), "bo": ago(hours=1), "cy": ago(hours=4)}
    lines = [
        row(number, name.replace('"', '""'), student, times[student])
        for student, (name, number) in people.items()
    ]
    lines.insert(1, row(10400, "Dora Dean", "dora", "-"))
    sheet = "\ufeff" + HEAD + "\r\n" + "".join(lines)
    (folder / "sheet.csv").write_bytes(sheet.encode())
    out = str(folder / "out")
    listed = ["--roster", str(folder / "sheet.csv")]
    due = (datetime.now(UTC) - timedelta(hours=3)).isoformat(timespec="seconds")
    assert main(["due", out, "90", due]) == 0
    assert main(["receive", str(folder / "moodle.zip"), "--out", out, *listed]) == 0
    assert main(["grade", str(folder / "moodle.zip"), "--out", out, "--allow-unsafe"]) == 0


@pytest.fixture
def week(demo, tmp_path, made_once, monkeypatch):
    monkeypatch.setattr(late, "policy", lambda: COSTS)
    made_once(make, tmp_path)
    return tmp_path


def as_moodle_reads(raw: bytes) -> dict[str, dict[str, str]]:
    """{number of the participant: its row}, as Moodle's importer finds them."""
    rows = csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
    return {each["Identifier"][len("Participant ") :]: each for each in rows}


def test_a_round_trip(week, capsys):
    """Submissions with their times, grades, a zip file of pages, and the worksheet."""
    out, filled = str(week / "out"), week / "filled.csv"
    assert main(["feedback", out, "--moodle", str(week / "feedback.zip")]) == 0
    with zipfile.ZipFile(week / "feedback.zip") as archive:
        assert archive.namelist() == [
            "Ada Abel_10421_assignsubmission_file/90_demo.html",
            "Bo Bobby Öhm_10422_assignsubmission_file/90_demo.html",
            "王小明_10423_assignsubmission_file/90_demo.html",
        ]
    words = ["export", out, "--as", "worksheet", "--sheet", str(week / "sheet.csv")]
    capsys.readouterr()
    assert main([*words, "--file", str(filled)]) == 0
    told = capsys.readouterr().err
    assert "3 of 4 in the sheet have a mark." in told
    assert "for they have no mark: Dora Dean dora." in told and "not in the sheet" not in told

    raw, before = filled.read_bytes(), (week / "sheet.csv").read_bytes()
    rows, old = as_moodle_reads(raw), as_moodle_reads(before)
    assert {number: each["Grade"] for number, each in rows.items()} == {
        "10421": "60.00",
        "10400": "",
        "10422": "45.00",
        "10423": "60.00",
    }
    comment = rows["10422"]["Feedback comments"].split("<br>")
    assert comment[0].startswith("4.5 of 10 points. It was due ")
    assert "0.5 of the 5 points earned are taken off" in comment[0]
    assert "90.3: 0 of 1. That is how many there are." in comment
    assert comment[-1] == "90.open: a person will read it."
    for number, each in rows.items():
        kept = {**each, "Grade": "", "Feedback comments": ""}
        assert kept == old[number]
    assert raw.startswith(b"\xef\xbb\xbfIdentifier,") and raw.count(b"\r\n") == 5
    assert raw.splitlines()[0] == before.splitlines()[0]
    assert raw.splitlines()[2] == before.splitlines()[2], "nobody's mark, nobody's line"


def test_a_sheet_of_another_language_of_numbers_and_a_blind_one(week):
    """Commas in numbers, semicolons between, UTF-16, and no names: numbers of participants only."""
    head = HEAD.replace('"Full name","ID number","Email address",', "").replace(",", ";")
    line = '"Participant 10422";;;"20,00";Ja;-;-;\n'
    path = week / "blind.csv"
    path.write_bytes(b"\xff\xfe" + f"{head}\n{line}".encode("utf-16-le"))
    raw = fill_worksheet(week / "out", path, "90")
    assert raw.startswith(b"\xff\xfe")
    assert '"Participant 10422";;9,00;"20,00";Ja' in raw.decode("utf-16")


def test_what_is_no_worksheet_is_one_sentence(week, capsys):
    words = ["export", str(week / "out"), "--as", "worksheet"]
    path = week / "wrong.csv"
    wrong = {
        "student,grade\nada,1\n": 'has no column "Identifier"',
        f'{HEAD}\n"Participant 10421,Ada': "do not pair up",
        f"{HEAD}\n{row(10421, 'Ada', 'ada', '-', 'Good')}": 'line 2: "Maximum grade" is',
        f"{HEAD}\n{row(1, 'Zoe', 'zoe', '-')}": "Nobody in wrong.csv has a mark",
        "": 'has no column "Identifier"',
    }
    for text, told in wrong.items():
        path.write_text(text, encoding="utf-8")
        capsys.readouterr()
        assert main([*words, "--sheet", str(path)]) == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert told in said, said
    assert main(words) == 2 and main([*words[:2], "--sheet", str(path)]) == 2
    assert "go together" in capsys.readouterr().err
    assert main([*words, "--sheet", str(week / "sheet.csv"), "--chapter", "2"]) == 2
    assert "has no marks of chapter 02; it has 90" in capsys.readouterr().err
    assert main([*words, "--sheet", str(week / "sheet.csv"), "--scale", "10"]) == 2


PEOPLE = {"s1": ("Ada Abel", 10431), "s2": ("Ada Abel", 10432), "s3": ("Bo O'Hara", 10433)}
FORMS = {
    "folders": "{name}_{number}_assignsubmission_file/",
    "flat": "{name}_{number}_assignsubmission_file_",
    "groups": "Group 1-{name}_{number}_assignsubmission_file/",
    "anonymous": "Participant_{number}_assignsubmission_file/",
}


def download(folder, form: str, others: dict[str, str]) -> str:
    """A zip file as Moodle makes it of three notebooks that name nobody."""
    path = folder / f"KAFKA-Week 3 {form}-4711.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, number in PEOPLE.values():
            # Moodle takes the apostrophe out of a file's name
            place = FORMS[form].format(name=name.replace("'", ""), number=number)
            made = writer_of(folder)("90_demo", {}, student="", folder=folder / f"m{number}")
            archive.write(made, f"{place}90_demo.ipynb")
        for inside, text in others.items():
            archive.writestr(inside, text)
    return str(path)


def received(out) -> dict[str, dict]:
    lines = (out / "receipts.jsonl").read_text(encoding="utf-8").splitlines()
    return {each["submission"]: each for each in map(json.loads, lines)}


@pytest.mark.parametrize("form", ["folders", "flat", "groups"])
def test_moodles_number_tells_two_students_of_one_name_apart(demo, tmp_path, form, capsys):
    """Its download and its worksheet have the number; a group or a missing apostrophe is no matter,
    and a later run without the list still knows it."""
    lines = [row(n, name, student, ago(hours=n - 10430)) for student, (name, n) in PEOPLE.items()]
    sheet = tmp_path / "Grades.csv"
    sheet.write_text("\ufeff" + HEAD + "\r\n" + "".join(lines), encoding="utf-8", newline="")
    source, out = download(tmp_path, form, {}), tmp_path / "out"
    assert main(["receive", source, "--out", str(out), "--roster", str(sheet)]) == 0
    assert "it says when each one came" in capsys.readouterr().out
    found = received(out)
    assert {each["student"] for each in found.values()} == set(PEOPLE)
    hours = [
        (datetime.now(UTC) - datetime.fromisoformat(each["at"])).total_seconds() / 3600
        for each in sorted(found.values(), key=lambda each: each["student"])
    ]
    assert [round(each) for each in hours] == [1, 2, 3]
    known = class_of(out)
    assert known.student_behind("Ada Abel_10432_assignsubmission_file") == "s2"
    assert known.student_behind("Ada Abel") is None, "two have that name"


def test_anonymous_submissions_take_their_times_from_a_worksheet_without_names(demo, tmp_path):
    lines = [
        f'"Participant {number}","Submitted for grading ",,100.00,Yes,"{ago(hours=5)}",-,\r\n'
        for _, number in PEOPLE.values()
    ]
    head = HEAD.replace('"Full name","ID number","Email address",', "")
    sheet = tmp_path / "Grades.csv"
    sheet.write_text("\ufeff" + head + "\r\n" + "".join(lines), encoding="utf-8", newline="")
    source, out = download(tmp_path, "anonymous", {}), tmp_path / "out"
    assert main(["receive", source, "--out", str(out), "--roster", str(sheet)]) == 0
    found = received(out)
    assert set(found) == {f"Participant_{n}_assignsubmission_file" for _, n in PEOPLE.values()}
    for each in found.values():
        since = datetime.now(UTC) - datetime.fromisoformat(each["at"])
        assert timedelta(hours=4.9) < since < timedelta(hours=5.1)


def test_a_text_typed_into_moodle_is_no_submission_of_its_own(demo, tmp_path, capsys):
    """Unless its student handed in nothing else."""
    typed = {
        "Ada Abel_10431_assignsubmission_onlinetext/onlinetext.html": "<p>Done.</p>",
        "Cy Cole_10434_assignsubmission_onlinetext/onlinetext.html": "<p>See my mail.</p>",
        "Di Dorn_10435_assignsubmission_file/notes.pdf": "%PDF-1.4",
    }
    source, out = download(tmp_path, "folders", typed), tmp_path / "out"
    assert main(["receive", source, "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "Ada Abel_10431_assignsubmission_onlinetext" not in told
    assert "Cy Cole_10434_assignsubmission_onlinetext: unreadable" in told
    assert "there is no notebook in the folder, only notes.pdf" in told
