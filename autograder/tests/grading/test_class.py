"""A class from a folder to nbgrader's gradebook: kept, resumed,
and never stopped by one of its submissions."""

import csv
import itertools
import json
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from datetime import datetime
from random import Random
from types import SimpleNamespace

import pytest

from autograder.__main__ import main
from autograder.cell.course_folder import HOME
from autograder.course.masters import master
from autograder.grade import grade, grade_class, needs_attention
from autograder.gradebook.write import INDEXES, Gradebook
from autograder.grading import out_folder, results
from autograder.grading.open_marks import marks_of
from autograder.grading.pace import Pace


@pytest.fixture
def box(hand_in, tmp_path):
    """A folder of submissions: two good, one wrong, one broken."""
    folder = tmp_path / "box"
    hand_in("ada", student="s1", folder=folder)
    hand_in("bo", {"90.1": "opened = kept = n.partitions"}, student="s2", folder=folder)
    hand_in(
        "cy",
        {"90.open": "<script>alert(1)</script> heartbeats must not wait"},
        student="s3",
        folder=folder,
    )
    (folder / "dee.ipynb").write_text("{")
    return folder


@pytest.fixture
def out(box, made_once, tmp_path):
    """What grading the box made."""
    made_once(graded, tmp_path)
    return tmp_path / "out"


def graded(home):
    grade_class(home / "box", home / "out", say=silent)


def silent(text):
    """Progress that nobody reads."""


def rows(out, query, *values):
    with sqlite3.connect(out / "gradebook.db") as database:
        return database.execute(query, values).fetchall()


GRADES = """select student_id, base_cell.name, auto_score, manual_score, needs_manual_grade from grade
    join base_cell on base_cell.id = grade.cell_id join submitted_notebook on submitted_notebook.id = grade.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id order by student_id, base_cell.name"""  # noqa: E501


def test_a_class_lands_in_the_gradebook(box, tmp_path):
    out = tmp_path / "out"
    results = grade_class(box, out, say=silent)
    assert {
        name: (result["student"], result["score"], result["status"])
        for name, result in results.items()
    } == {
        "ada.ipynb": ("s1", 6, "graded"),
        "bo.ipynb": ("s2", 4, "graded"),
        "cy.ipynb": ("s3", 6, "graded"),
        "dee.ipynb": ("dee", 0, "unreadable"),
    }
    assert rows(out, GRADES)[:4] == [
        ("s1", "q-90-1-test", 2, None, 0),
        ("s1", "q-90-2-test", 3, None, 0),
        ("s1", "q-90-3-test", 1, None, 0),
        ("s1", "q-90-open", None, None, 1),
    ]
    comments = dict(
        rows(
            out,
            """select base_cell.name, auto_comment from comment join base_cell on base_cell.id = comment.cell_id
        join submitted_notebook s on s.id = comment.notebook_id join submitted_assignment a on a.id = s.assignment_id where student_id = 's2'""",  # noqa: E501
        )
    )
    assert comments["q-90-1"].startswith("You counted one for each of the")


@pytest.mark.corpus
def test_formgraders_own_api_reads_it(out):
    from nbgrader.apps.api import NbGraderAPI
    from traitlets.config import Config

    course = {"root": str(out), "course_id": "kafka", "db_url": f"sqlite:///{out / 'gradebook.db'}"}
    api = NbGraderAPI(config=Config(CourseDirectory=course))
    submissions = {each["student"]: each for each in api.get_submissions("90_demo")}
    assert {
        student: (each["score"], each["max_score"], each["needs_manual_grade"])
        for student, each in submissions.items()
    } == {"s1": (6, 10, True), "s2": (4, 10, True), "s3": (6, 10, True)}
    assert all(each["autograded"] for each in submissions.values())
    assert [
        each["student"]
        for each in api.get_notebook_submissions("90_demo", "90_demo")
        if each["failed_tests"]
    ] == ["s2"]


@pytest.mark.corpus
def test_the_ten_thousandth_submission_costs_no_more_than_the_first(out):
    """nbgrader's own tables had what writes a submission, and formgrader's lists,
    read all rows of a class for each student."""
    known, asked = out_folder.read(out)["bo.ipynb"], []
    with Gradebook(out) as book:
        book.connection.set_trace_callback(asked.append)
        book.write(
            master("90"),
            out_folder.whole(out, known.submission),
            marks_of(results.read(out / "results", known.key)),
            datetime.now(),
        )
        book.connection.set_trace_callback(None)
    steps = [
        (step[-1], statement)
        for statement in asked
        if statement.startswith("SELECT")
        for step in rows(out, f"EXPLAIN QUERY PLAN {statement}")
    ]
    assert len(steps) == 3 and all(
        step.startswith("SEARCH ") and "INDEX" in step for step, _ in steps
    ), steps
    assert all(
        "USING INDEX"
        in rows(out, f"EXPLAIN QUERY PLAN SELECT * FROM {table} WHERE {column} = 'it'")[0][-1]
        for table, column in INDEXES
    )


def test_a_students_text_is_not_active_in_the_teachers_browser(out):
    shown = json.loads((out / "autograded" / "s3" / "90_demo" / "90_demo.ipynb").read_text())
    answer = next(
        cell
        for cell in shown["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "q-90-open"
    )
    assert "<script" not in "".join(answer["source"]) and "&lt;script" in "".join(answer["source"])


@pytest.mark.slow
def test_a_second_run_does_nothing_twice_and_force_does(box, tmp_path, hand_in):
    out, said = tmp_path / "out", []
    first = grade_class(box, out, say=silent)
    again = grade_class(box, out, say=said.append)
    assert again == first and said == ["4 of 4 were graded before; 0 to go."]
    hand_in("ed", folder=box)
    said.clear()
    grade_class(box, out, say=said.append)
    assert said[0] == "4 of 5 were graded before; 1 to go."
    said.clear()
    grade_class(box, out, force=True, say=said.append)
    assert said[-2].startswith("5 of 5 graded") and said[-1].startswith("Graded in ")


@pytest.mark.slow
def test_what_a_person_entered_survives_every_run(box, out):
    with sqlite3.connect(out / "gradebook.db") as database:
        database.execute(
            "update grade set manual_score = 3, needs_manual_grade = 0 where cell_id = "
            "(select id from base_cell where name = 'q-90-open' and type = 'GradeCell')"
        )
        database.execute("update comment set manual_comment = 'Well said.'")
    grade_class(box, out, force=True, say=silent)
    assert [row[3:] for row in rows(out, GRADES) if row[1] == "q-90-open"] == [(3, 0)] * 3
    assert {text for (text,) in rows(out, "select manual_comment from comment")} == {"Well said."}


@pytest.mark.slow
def test_nobody_hands_in_for_somebody_else_who_has(hand_in, tmp_path):
    """Without a class list a notebook's word is believed,
    but not against a file that bears the name."""
    folder, out = tmp_path / "box", tmp_path / "out"
    hand_in("bob", student="bob", folder=folder)
    grade_class(folder, out, say=silent)
    hand_in("mallory", {"90.1": "opened = kept = 0"}, student="bob", folder=folder)
    results = grade_class(folder, out, say=silent)
    assert (
        results["mallory.ipynb"]["reason"]
        == "it says that it is bob's, but bob.ipynb bears that name, and counts."
        and results["mallory.ipynb"]["flags"]
    )
    assert needs_attention(results) == ["mallory.ipynb"] and results["bob.ipynb"]["score"] == 6
    assert {row[2] for row in rows(out, GRADES) if row[1] == "q-90-1-test"} == {2}


@pytest.mark.slow
def test_one_notebook_once_as_a_file_and_once_in_a_folder(hand_in, tmp_path):
    """The same bytes are kept once, whatever they lie in;
    and a folder that goes down without end is refused."""
    folder, out = tmp_path / "box", tmp_path / "out"
    path = hand_in("bo", student="s2", folder=folder)
    grade_class(folder, out, say=silent)
    notebook = path.read_text()
    path.unlink()
    path.mkdir()
    (path / "inside.ipynb").write_text(notebook)
    deep = folder / "cy" / "/".join(["d" * 200] * 6)
    deep.mkdir(parents=True)
    (deep / "90.ipynb").write_text(notebook)
    results = grade_class(folder, out, say=silent)
    assert results["bo.ipynb"]["score"] == 6 and results["cy"]["status"] == "refused"


@pytest.mark.slow
def test_the_later_of_two_submissions_counts_and_both_are_kept(hand_in, tmp_path):
    box, out = tmp_path / "box", tmp_path / "out"
    hand_in("first", {"90.3": "total = 0"}, student="s1", folder=box)
    grade_class(box, out, say=silent)
    hand_in("again", student="s1", folder=box)  # by the alphabet it would come first
    results = grade_class(box, out, say=silent)
    assert results["first.ipynb"]["score"] == 5 and results["again.ipynb"]["score"] == 6
    assert (
        results["first.ipynb"]["reason"] == "s1 handed in again.ipynb later, and that one counts."
    )
    assert [row[2] for row in rows(out, GRADES)] == [2, 3, 1, None]
    receipts = [json.loads(line) for line in (out / "receipts.jsonl").read_text().splitlines()]
    assert [receipt["submission"] for receipt in receipts] == ["first.ipynb", "again.ipynb"]
    assert all(len(receipt["sha256"]) == 64 for receipt in receipts)


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_where_it_was(box, tmp_path):
    """The result equals that of a run nobody disturbed, and what was done is not done again."""
    undisturbed = grade_class(box, tmp_path / "whole", say=silent)

    class PowerCut(BaseException):
        pass

    def cut(text):
        raise PowerCut

    with pytest.raises(PowerCut):
        grade_class(box, tmp_path / "cut", workers=1, say=cut)
    said = []
    resumed = grade_class(box, tmp_path / "cut", workers=1, say=said.append)
    assert re.match(r"[1-4] of 4 were graded before; [0-3] to go\.", said[0])
    times = ("seconds",)
    assert {
        name: {key: value for key, value in result.items() if key not in times}
        for name, result in resumed.items()
    } == {
        name: {key: value for key, value in result.items() if key not in times}
        for name, result in undisturbed.items()
    }
    assert rows(tmp_path / "cut", GRADES) == rows(tmp_path / "whole", GRADES)


@pytest.mark.parametrize("seed", range(5))
def test_after_a_tenth_the_remaining_time_is_known_to_a_fifth(seed):
    """Two lanes, two chapters and some files with nothing to run, a slow start;
    the clock is a made-up one."""
    luck, now, ends, told = Random(seed), 0.0, [0.0, 0.0], {}
    means = {"02": 1.2, "03": 0.4, "nothing to run": 0.02}
    kinds = luck.sample(["02"] * 140 + ["03"] * 140 + ["nothing to run"] * 20, 300)
    pace = Pace(Counter(kinds), 2, lambda text: None, lambda: now)
    for number, kind in enumerate(kinds):
        lane = ends.index(min(ends))
        seconds = means[kind] * luck.choice((0.7, 1.0, 1.3)) + (15 if number < 2 else 0)
        ends[lane] += seconds
        now = min(ends)
        pace.done(kind, seconds, number < 2)
        told[number + 1] = (now, pace.left())
    for finished in range(30, 280, 10):
        at, left = told[finished]
        assert abs(left - (max(ends) - at)) <= 0.2 * (max(ends) - at), finished


@pytest.fixture
def paced():
    """A pace of twenty submissions in two lanes, its made-up clock, and what it said."""
    clock, said = SimpleNamespace(now=0.0), []
    return Pace(Counter({"03": 20}), 2, said.append, lambda: clock.now), clock, said


def test_whose_notebook_takes_long_is_said(paced):
    pace, clock, said = paced
    pace.begins(0, "ada.ipynb", "03")
    for clock.now in range(0, 61, 5):
        pace.look()
    pace.begins(0, "bo.ipynb", "03")
    pace.look()
    assert said == ["ada.ipynb has been running for 20 s.", "ada.ipynb has been running for 40 s."]


def test_the_time_to_go_does_not_jump_and_counts_what_is_in_hand(paced):
    """Twelve are done in 9 s, and then two run for a minute."""
    pace, clock, said = paced
    for number in range(12):
        pace.begins(number % 2, f"{number}.ipynb", "03")
        clock.now += 0.5 if number else 3
        pace.done("03", 1.0, number < 2, number % 2)
    assert "to go" not in said[0], "nothing is known yet"
    pace.begins(0, "slow.ipynb", "03")
    pace.begins(1, "slower.ipynb", "03")
    clock.now += 60
    assert pace.left() >= 60, "who has run for a minute is not done in a second"
    pace.done("03", 60.0, lane=0)
    told = [int(found[1]) for line in said if (found := re.search(r"(\d+) s to go", line))]
    assert len(told) >= 2
    assert all(after <= 1.5 * before + 20 for before, after in itertools.pairwise(told)), said


@pytest.mark.corpus
def test_one_file_is_graded_in_two_lines(hand_in):
    result = grade("90", hand_in("ada"))
    assert (result["score"], result["max"], result["assignment"]) == (6, 6, "90_demo")
    assert set(result) == {
        "student",
        "assignment",
        "score",
        "max",
        "open_pending",
        "open_max",
        "status",
        "reason",
        "reason_for_student",
        "seconds",
        "level",
        "cells",
    }
    assert result["cells"]["90.3"] == {
        "score": 1,
        "max": 1,
        "kind": "value",
        "outcome": "right",
        "misconception": None,
        "sentence": "right.",
    }


@pytest.mark.slow
def test_the_command_line_and_its_exit_codes(box, tmp_path, capsys, hand_in):
    out = tmp_path / "out"
    with open(tmp_path / "class.csv", "w", newline="") as file:
        csv.writer(file).writerows([["student", "name"], ["s1", "Ada Abel"]])
    assert (
        main(
            [
                "grade",
                str(box),
                "--out",
                str(out),
                "--json",
                str(tmp_path / "r.json"),
                "--roster",
                str(tmp_path / "class.csv"),
            ]
        )
        == 3
    )
    assert set(json.loads((tmp_path / "r.json").read_text())) == {
        "ada.ipynb",
        "bo.ipynb",
        "cy.ipynb",
        "dee.ipynb",
    }
    (box / "dee.ipynb").unlink()
    assert main(["grade", str(box), "--out", str(out)]) == 0
    capsys.readouterr()
    assert main(["grade", str(hand_in("solo")), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["solo.ipynb"]["score"] == 6
    assert main(["report", str(out)]) == 0
    told = capsys.readouterr().out
    assert "one per partition" in told and "waiting for you" in told


@pytest.mark.slow
def test_notebooks_without_a_name_are_told_of_for_they_share_their_numbers(
    hand_in, tmp_path, capsys
):
    box = tmp_path / "box"
    hand_in("ada", student="s1", folder=box)
    hand_in("bo", folder=box)
    assert main(["grade", str(box), "--out", str(tmp_path / "out")]) == 0
    assert "have no name" not in capsys.readouterr().err, "one alone shares them with no one"
    hand_in("cy", folder=box)
    assert main(["grade", str(box), "--out", str(tmp_path / "out")]) == 0
    assert (
        '2 notebooks have no name, me("") in the first cell. They all had the same numbers'
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["grade", "nowhere", "--out", "x"], "There is no nowhere."),
        (
            ["grade", ".", "--json", "-", "--assignment", "three"],
            "A chapter is a number such as 03, not 'three'.",
        ),
        (
            ["grade", "."],
            (
                "Say where the results go: --out OUT for a class with its gradebook, or --json - "
                "for one submission."
            ),
        ),
        (
            ["report", "nowhere"],
            (
                "There are no results in nowhere; `python -m autograder grade DIR --out nowhere` "
                "makes them."
            ),
        ),
        (["solution", "77", "--out", "x.ipynb"], "Chapter 77 has no notebook in "),
        (["reset", "x"], "A chapter is a number such as 03, not 'x'."),
        (
            ["classroom", "--students", "0", "--chapters", "90", "--out", "x"],
            "--students is a number from 1 on, not 0.",
        ),
    ],
)
def test_unusable_words_end_with_one_sentence_and_two(demo, capsys, words, sentence):
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith(sentence) and said.count("\n") == 1


def test_a_classroom_takes_no_real_courses_place(demo, tmp_path, capsys):
    """nbgrader's own courses have a folder submitted/, too."""
    (tmp_path / "course" / "submitted" / "ada").mkdir(parents=True)
    (tmp_path / "course" / "gradebook.db").write_text("marks")
    assert (
        main(
            ["classroom", "--students", "2", "--chapters", "90", "--out", str(tmp_path / "course")]
        )
        == 2
    )
    assert (
        "is not a classroom of ours" in capsys.readouterr().err
        and (tmp_path / "course" / "gradebook.db").read_text() == "marks"
    )


@pytest.mark.slow
def test_the_classroom_is_as_it_was_made(demo, tmp_path):
    made = subprocess.run(
        [
            sys.executable,
            "-m",
            "autograder",
            "classroom",
            "--students",
            "25",
            "--chapters",
            "90",
            "--out",
            str(tmp_path / "class"),
        ],
        capture_output=True,
        text=True,
        cwd=HOME,
    )
    assert made.returncode == 0, made.stderr + made.stdout
    assert "every named wrong answer was told by name" in made.stdout
    assert re.search(r"2\d submissions in \d+ s", made.stdout) and "to go" in made.stderr


def test_one_file_is_graded_for_a_person_to_read(hand_in, capsys):
    path = hand_in("ada", {"90.3": "total = 0"}, student="ada")
    assert main(["grade", str(path)]) == 0
    said = capsys.readouterr().out
    assert "ada.ipynb: 90_demo of ada" in said and "90.open  waits of 4" in said
    assert "total        5 of 6" in said and "4 more points wait for a person" in said
    assert main(["grade", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ada.ipynb"]["score"] == 5


def test_a_solution_has_the_numbers_of_one_student(demo, tmp_path, capsys):
    words = ["solution", "90", "--out", str(tmp_path / "x.ipynb"), "--student"]
    assert main([*words, "s 1"]) == 2 and "is no student's id" in capsys.readouterr().err
    assert main([*words, "s101"]) == 0 and "the numbers of s101" in capsys.readouterr().out
    cells = json.loads((tmp_path / "x.ipynb").read_text())["cells"]
    assert any('me("s101")' in "".join(cell["source"]) for cell in cells)


def test_check_refuses_a_path_before_it_runs_anything(capsys):
    assert main(["check", "mine/03.ipynb"]) == 2
    assert capsys.readouterr().err.startswith("A chapter is a number such as 03")
