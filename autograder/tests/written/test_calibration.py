"""A teacher tries the scorer on marks of their own; only where it proves
itself does its word stand without a person."""

import json

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.gradebook.byhand import ByHand, Entry
from autograder.tests.teaching import GOOD, POOR, book, teach, use_rubric
from autograder.tests.written.scorer.measure import corpus
from autograder.written import calibration as calibrating
from autograder.written.agreement import kappa_at_least, quadratic_weighted_kappa, share_at_most
from autograder.written.rubrics import suggest

pytestmark = pytest.mark.usefixtures("kept_staff")


@pytest.fixture
def small_gate(monkeypatch):
    """Let six answers be enough, so that a test need not write forty."""
    monkeypatch.setattr(calibrating, "LEAST_ANSWERS", 6)
    monkeypatch.setattr(calibrating, "LEAST_EACH", 2)


def mark_all(out, points):
    with ByHand(out) as hand:
        for student, mark in points.items():
            hand.enter(student, "90_demo", "90.open", Entry(mark, False))


def test_the_arithmetic():
    assert quadratic_weighted_kappa([(0, 0), (4, 4), (2, 2)]) == 1
    assert quadratic_weighted_kappa([(0, 4), (4, 0)]) == -1
    assert quadratic_weighted_kappa([(3, 3), (3, 3)]) is None, "one mark throughout says nothing"
    assert share_at_most(0, 100) == pytest.approx(0.0295, abs=0.0002), "the rule of three"
    assert share_at_most(5, 5) == 1 and share_at_most(2, 40) == pytest.approx(0.1486, abs=0.001)
    pairs = [(mark, mark) for mark in range(5)] * 8 + [(1, 3)] * 4
    assert kappa_at_least(pairs) < quadratic_weighted_kappa(pairs) and kappa_at_least(
        pairs, "x"
    ) == kappa_at_least(pairs, "x")


def test_marks_in_a_file_meet_the_gate_or_do_not(tmp_path, capsys):
    rows = [
        {"id": f"a{number}", "answer": one.answer, "mark": one.mark}
        for number, one in enumerate(corpus("02.open")[:61])
    ]
    (tmp_path / "marks.json").write_text(json.dumps(rows), encoding="utf-8")
    assert main(["calibrate", "02.open", str(tmp_path / "marks.json")]) == 0
    told = capsys.readouterr().out
    assert (
        "The gate is met." in told
        and "Nothing was kept" in told
        and "NOT MET" not in told
        and "up to" in told
    )
    accepted = next(
        row for row in rows if calibrating.decide(suggest("02.open", row["answer"])) == "accept"
    )
    (tmp_path / "marks.json").write_text(
        json.dumps([{**row, "mark": 0 if row is accepted else row["mark"]} for row in rows]),
        encoding="utf-8",
    )
    assert main(["calibrate", "02.open", str(tmp_path / "marks.json")]) == 3
    told = capsys.readouterr().out
    assert (
        "nonsense passed" in told
        and "NOT MET" in told
        and f"{accepted['id']}: you 0, the scorer" in told
        and "a person decides every answer" in told
    )


def test_too_few_marks_or_one_kind_only_prove_nothing(tmp_path, capsys):
    rows = "id,answer,mark\n" + "".join(
        f'{number},"{text}",4\n' for number, text in enumerate(GOOD * 20)
    )
    (tmp_path / "marks.csv").write_text(rows, encoding="utf-8")
    assert main(["calibrate", "03.open", str(tmp_path / "marks.csv")]) == 3
    told = capsys.readouterr().out
    assert "60: 60 passed, 0 failed" in told and "NOT MET" in told


@pytest.mark.slow
def test_settled_only_after_calibration_and_only_for_that_rubric(
    hand_in, tmp_path, monkeypatch, small_gate, capsys
):
    use_rubric(monkeypatch)
    out = teach(hand_in, tmp_path, GOOD + POOR + GOOD)
    before = book(out)
    assert before["s01"] == (None, None, 1, None), "a suggestion is no score: it waits"
    assert all(row[2] for row in before.values())
    assert json.loads((out / "results.json").read_text())["s01.ipynb"]["open_pending"] == 4
    mark_all(out, {"s01": 4, "s02": 4, "s03": 3, "s04": 0, "s05": 1, "s06": 1})
    assert main(["calibrate", "90.open", str(out)]) == 0
    assert "settles clear passes" in capsys.readouterr().out
    results = grade_class(tmp_path / "class", out, say=lambda text: None)
    after = book(out)
    assert after["s07"] == (4.0, None, 0, None), "settled, without a person's mark being made up"
    assert (
        results["s07.ipynb"]["open_pending"] == 0
        and results["s07.ipynb"]["cells"]["90.open"]["score"] == 4
    )
    assert results["s07.ipynb"]["cells"]["90.open"]["sentence"].startswith("settled by the scorer")
    assert [after[f"s{number:02}"][1] for number in range(1, 7)] == [4, 4, 3, 0, 1, 1], (
        "what the teacher gave stays"
    )
    use_rubric(monkeypatch, hash="second")  # the rubric changes
    grade_class(tmp_path / "class", out, force=True, say=lambda text: None)
    fallen = book(out)
    assert fallen["s07"][2] == 1 and fallen["s07"][0] is None, "a suggestion again"
    assert [fallen[f"s{number:02}"][1:3] for number in range(1, 7)] == [
        (4, 0),
        (4, 0),
        (3, 0),
        (0, 0),
        (1, 0),
        (1, 0),
    ]


def test_a_scorer_that_fails_good_answers_may_only_pass(monkeypatch, small_gate):
    use_rubric(monkeypatch)
    marked = [
        calibrating.Marked(str(number), text, mark)
        for number, (text, mark) in enumerate(
            [(text, 4) for text in GOOD] * 6 + [(text, 0) for text in POOR[:2]] * 6 + [(POOR[2], 3)]
        )
    ]
    found = calibrating.trial("90.open", marked)
    assert found.met and found.wrong_rejects > 0.02 and found.calibration().decisions == ("accept",)
    assert "clear fails stay with you" in calibrating.as_text(found, None)


@pytest.mark.parametrize(
    "text, told",
    [
        ("id,answer\n1,x\n", "marks.csv has no column called mark, only id, answer"),
        ("id,answer,mark\n1,x,7\n", "has the mark 7; marks are 0 to 4"),
        ("id,mark\n1,3\n", "has no answer"),
        ("[{]", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('id,answer,mark\n1,"x,3\n2,y,4\n', "its quotation marks do not pair up"),
        ('{"id": 1}', "holds no list"),
        ("", "Nobody has marked"),
    ],
)
def test_unusable_marks_are_told_in_one_sentence(tmp_path, monkeypatch, capsys, text, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "marks.csv").write_text(text, encoding="utf-8")
    assert main(["calibrate", "03.open", "marks.csv"]) == 2
    err = capsys.readouterr().err
    assert told in err and len(err.splitlines()) == 1


def test_a_broken_calibration_is_told_and_settles_nothing(tmp_path, capsys):
    from autograder.grading.calibration import FILE, read

    assert read(tmp_path) == {}
    (tmp_path / FILE).write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match="calibrate again"):
        read(tmp_path)


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_table_as_any_spreadsheet_saves_it(tmp_path, capsys, between):
    """Semicolons and decimal commas come from Europe, tabs from the clipboard;
    a row not marked yet is no error."""
    rows = [
        "id{0}answer{0}mark",
        'a{0}"Four opened{0} three kept; 4 and 3"{0}2',
        'b{0}"Four."{0}"0,6"',
        'c{0}"not read yet"{0}',
    ]
    path = tmp_path / "marks.csv"
    path.write_text("\ufeff" + "\n".join(rows).format(between), encoding="utf-8")
    assert main(["calibrate", "03.open", str(path)]) == 3
    said = capsys.readouterr()
    assert "1 of 3 entries" in said.out + said.err and "2: 0 passed, 2 failed" in said.out
    path.write_text("Student,Text\na,Four", encoding="utf-8")
    assert main(["calibrate", "03.open", str(path)]) == 2
    assert "no column called mark, only student, text" in capsys.readouterr().err
