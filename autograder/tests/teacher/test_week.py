"""A week as a teacher has it: what needs them has a name and is shown once; pages go to Moodle."""

import json
import shutil
import zipfile

import pytest

from autograder.__main__ import main
from autograder.tests.conftest import writer_of

pytestmark = pytest.mark.usefixtures("kept_staff")

FOLDERS = {"ada": "Ada Abel_101_assignsubmission_file", "bo": "Bo Berg_102_assignsubmission_file"}


def make(folder):
    """A download of Moodle's: ada's notebook, bo's with more points, and a file that is nothing."""
    hand_in, download = writer_of(folder), folder / "download"
    for student, name in FOLDERS.items():
        path = hand_in("90_demo", student=student, folder=download / name)
        if student == "bo":
            notebook = json.loads(path.read_text())
            for cell in notebook["cells"]:
                if cell["metadata"].get("nbgrader", {}).get("grade_id") == "q-90-2-test":
                    cell["metadata"]["nbgrader"]["points"] = 500
            path.write_text(json.dumps(notebook))
    (download / "Cy Cole_103_assignsubmission_file").mkdir()
    (download / "Cy Cole_103_assignsubmission_file" / "work.ipynb").write_text("{")
    listed = "student,name\nada,Ada Abel\nbo,Bo Berg\ncy,Cy Cole\n"
    (folder / "class.csv").write_text(listed, encoding="utf-8")
    graded = ["--roster", str(folder / "class.csv"), "--allow-unsafe"]
    assert main(["grade", str(download), "--out", str(folder / "out"), *graded]) == 3


@pytest.fixture
def week(demo, tmp_path, made_once):
    made_once(make, tmp_path / "week")
    return tmp_path / "week"


def test_what_needs_a_person_stands_there_with_a_name_until_it_was_seen(week, capsys):
    out = str(week / "out")
    again = ["grade", str(week / "download"), "--out", out, "--allow-unsafe"]
    assert main(again) == 3
    told = capsys.readouterr().err
    assert "2 of them need you" in told and "(bo)" in told and "(cy)" in told
    assert "autograder seen" in told
    assert main(["seen", out, "bo"]) == 0 and main(again) == 3
    told = capsys.readouterr().err
    assert "1 of them needs you" in told and "(bo)" not in told
    assert "1 more was marked as seen before" in told
    assert main(["seen", out, "--all"]) == 0 and main(again) == 0
    assert "2 more were marked as seen" in capsys.readouterr().err
    assert main(["report", out]) == 0
    assert capsys.readouterr().out.count("(seen)") == 2
    assert "bo" not in (week / "out" / "seen.json").read_text()


@pytest.mark.corpus
def test_what_is_handed_in_again_is_new(week, capsys):
    out = str(week / "out")
    assert main(["seen", out, "--all"]) == 0
    path = week / "download" / FOLDERS["bo"] / "90_demo.ipynb"
    path.write_text(path.read_text().replace("500", "501"))
    assert main(["grade", str(week / "download"), "--out", out, "--allow-unsafe"]) == 3
    assert "1 of them needs you" in capsys.readouterr().err


def test_seen_wants_a_name_that_needs_somebody(week, capsys):
    out = str(week / "out")
    assert main(["seen", out, "ada"]) == 2 and main(["seen", out]) == 2
    assert main(["seen", out, "bo", "--all"]) == 2
    assert "Nothing of 'ada' needs you" in capsys.readouterr().err


def test_feedback_goes_back_to_moodle_in_its_own_folders(week, capsys):
    path = week / "feedback.zip"
    assert main(["feedback", str(week / "out"), "--moodle", str(path)]) == 0
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == [
            f"{FOLDERS['ada']}/90_demo.html",
            f"{FOLDERS['bo']}/90_demo.html",
            "Cy Cole_103_assignsubmission_file/not_graded.html",
        ]
    first = path.read_bytes()
    assert main(["feedback", str(week / "out"), "--moodle", str(path)]) == 0
    assert path.read_bytes() == first


@pytest.mark.slow
def test_files_that_came_otherwise_are_told(week, hand_in, capsys):
    shutil.rmtree(week / "out")
    hand_in("ada", student="ada", folder=week / "mail")
    out = str(week / "out")
    assert main(["grade", str(week / "mail"), "--out", out, "--allow-unsafe"]) == 0
    assert main(["feedback", out, "--moodle", str(week / "x.zip")]) == 2
    assert "came in a folder of Moodle's" in capsys.readouterr().err
