"""An answer with a mark is written anew: the mark counts until somebody reads the new text, and all
pages say so. Who handed in nothing has a row in the course's totals."""

import csv
import io

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.gradebook.byhand import ByHand, Entry
from autograder.gradebook.students import class_of
from autograder.handed_in.classlist import Roster
from autograder.teacher.export import export
from autograder.tests.teaching import GOOD, POOR, teach, use_rubric

pytestmark = pytest.mark.usefixtures("kept_staff")
SHEET = """Identifier,Full name,ID number,Status,Grade,Maximum grade,Feedback comments
Participant 1,A,s01,Submitted,,10.00,
"""


@pytest.fixture
def out(hand_in, tmp_path, monkeypatch):
    """s01 has 2 of 4 points for a text that is another one now; s02 waits, s03 has nothing."""
    use_rubric(monkeypatch)
    made = teach(hand_in, tmp_path, GOOD[:2])
    with ByHand(made) as hand:
        hand.enter("s01", "90_demo", "90.open", Entry(2.0, False))
    hand_in("s01", {"90.open": POOR[0]}, student="s01", folder=tmp_path / "class")
    grade_class(tmp_path / "class", made, say=lambda text: None)
    class_of(made, Roster({"s01": {}, "s02": {}, "s03": {"name": "Cem Can"}}))
    return made


@pytest.mark.corpus
def test_every_page_says_what_counts_until_the_new_text_is_read(out, tmp_path, capsys):
    assert main(["feedback", str(out)]) == 0
    pages = [(out / "feedback" / who / "90_demo.html").read_text() for who in ("s01", "s02")]
    assert "90_demo: 8 of 10 points</h1>" in pages[0] and ">2 of 4<" in pages[0]
    assert "Until then the mark of your earlier answer counts." in pages[0]
    assert "90_demo: 6 of 6 points; 4 more points wait" in pages[1] and ">waits, of 4<" in pages[1]
    assert main(["report", str(out)]) == 0
    head, s01, s02 = [
        line for line in capsys.readouterr().out.splitlines() if line.lstrip()[:2] in ("st", "s0")
    ]
    assert s01.endswith("2 waits") and s02.endswith("  waits") and "8/10" in s01 and "6/10" in s02
    assert len(head) == len(s01) == len(s02)
    (tmp_path / "sheet.csv").write_text(SHEET)
    assert (
        main(["export", str(out), "--as", "worksheet", "--sheet", str(tmp_path / "sheet.csv")]) == 0
    )
    told = capsys.readouterr().out
    assert "8.00" in told and "a person will read it. Until then 2 of 4 count." in told


@pytest.mark.corpus
def test_the_totals_have_everybody_and_other_tables_name_who_is_not_in_them(out):
    said = []
    table = list(csv.reader(io.StringIO(export(out, "totals", said.append))))
    assert table[1:] == [
        ["s01", "", "", "", "8", "8", "10", "80"],
        ["s02", "", "", "", "6", "6", "10", "60"],
        ["s03", "Can", "Cem", "", "", "0", "10", "0"],
    ]
    assert "or what its earlier text got" in said[0] and len(said) == 1
    for layout in ("csv", "json", "canvas", "moodle", "gradescope"):
        said.clear()
        assert "s03" not in export(out, layout, said.append)
        assert said[1] == "Not in this table, for nothing of theirs is graded: s03."
    weighted = export(out, "totals", weights={"90": 20.0}).splitlines()[-1]
    assert weighted == "s03,Can,Cem,,,0,10,0,0,20,0"
