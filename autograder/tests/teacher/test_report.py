"""The teacher's table, the map of misconceptions and the page:
what a class's figures say, in text and in pictures."""

import re
import shlex
import struct
from dataclasses import replace

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.gradebook.read import GradeCell, Sheet
from autograder.teacher import pictures as classpictures
from autograder.teacher.items import Item, Misconception, items, misconceptions
from autograder.teacher.report import Chapter, Class, as_text, class_table, misconception_map
from autograder.teacher.reportpage import write_page

pytestmark = pytest.mark.usefixtures("kept_staff")


def sheet(student, scores, waits=False, **more):
    cells = tuple(
        GradeCell(f"90.{number}", score, 1.0, False, False)
        for number, score in enumerate(scores, 1)
    )
    return Sheet(
        student,
        "",
        "",
        "",
        "90_demo",
        "",
        more.pop("late_penalty", 0.0),
        (*cells, GradeCell("90.open", 0.0, 4.0, False, waits)),
        **more,
    )


def test_a_question_that_the_good_get_right_tells_them_apart_and_a_broken_one_shows():
    class_ = [
        sheet(f"s{number}", (number % 2, number % 2, number % 3 == 0), waits=True)
        for number in range(12)
    ]
    first, _, chance, open_ = items(class_)
    assert first.full == first.mean == 0.5 and first.tells_apart > 0.6 and first.advice == ""
    assert abs(chance.tells_apart) < 0.3 and "read the question and its test again" in chance.advice
    assert open_.full is None and open_.waiting == 12 and open_.tells_apart is None, (
        "nobody has marked it yet"
    )
    assert items(class_[:5])[0].tells_apart is None, "five students say nothing"
    empty = [sheet(f"s{number}", (1, 1, 1)) for number in range(12, 23)]
    assert items(class_ + empty)[3].full is None and items(class_ + empty)[3].advice == "", (
        "only the empty ones are marked, and they say nothing about it"
    )


def test_the_map_says_which_wrong_number_means_what(demo):
    def result(student, wrong):
        cells = {
            "90.1": {
                "outcome": "wrong" if wrong else "right",
                "score": 0.0 if wrong else 2.0,
                "max": 2.0,
                "kind": "value",
                "sentence": f"words for {student}",
                "misconception": wrong,
            }
        }
        return {"cells": cells}

    class_ = {
        f"s{number}": result(f"s{number}", wrong)
        for number, wrong in enumerate(["one per partition"] * 3 + ["bootstrap stays", None])
    }
    first, second = misconceptions(class_)
    assert (first.name, first.students, first.share) == ("one per partition", 3, 0.75)
    assert (
        first.example
        == "brokers 2, partitions 5: it says opened 5, kept 5; right is opened 4, kept 3"
        and "opened 4, kept 4" in second.example
    )
    text = misconception_map(Chapter("90_demo", (), (), (first, second), {"90.3": 2}))
    assert (
        "3 x 90.1 one per partition (75% of those who missed it)" in text
        and "no name yet: 2 x 90.3" in text
    )


@pytest.mark.slow
def test_ten_thousand_students_end_the_terminals_table_not_the_page(tmp_path):
    sheets = tuple(
        sheet(
            f"s{number:05}",
            (1, 0, number % 2),
            seconds_late=90_000.0 if number == 3 else 0.0,
            late_penalty=0.2 if number == 3 else 0.0,
        )
        for number in range(10_000)
    )
    chapter = Chapter("90_demo", sheets, tuple(items(sheets)), (), {})
    table = class_table(chapter)
    assert "... and 9600 more" in table and re.search(r"s00003 +1.8/7 +-0.2", table)
    page = write_page(Class(tmp_path, {"graded": 10_000}, (chapter,), (), 0)).read_text(
        encoding="utf-8"
    )
    assert page.count("<tr><td>s0") == 10_000 and "1 day and 1 hour, -0.2" in page


@pytest.fixture
def chapter():
    shown = tuple(
        Item(
            f"90.{number}",
            "what is asked, at some length, and a little more",
            "value",
            2,
            40,
            0,
            number / 9,
            number / 8,
            number / 10 - 0.1,
        )
        for number in range(1, 9)
    )
    wrong = tuple(
        Misconception(
            f"90.{number // 3}",
            f"wrong {number} for $5",
            30 - number,
            0.1,
            "You counted " + "very " * 60,
            "n 3: it says 4; right is 5",
        )
        for number in range(30)
    )
    return Chapter(
        "90_demo", tuple(sheet(f"s{n}", (n % 2, 1, 0)) for n in range(40)), shown, wrong, {}
    )


@pytest.mark.corpus
def test_the_pictures_are_pictures_and_the_same_each_time(chapter):
    for draw in (
        classpictures.questions_picture,
        classpictures.misconceptions_picture,
        classpictures.scores_picture,
    ):
        png = draw(chapter)
        width, height = struct.unpack(">II", png[16:24])
        assert (
            png[:8] == b"\x89PNG\r\n\x1a\n"
            and width == 1375
            and 300 < height < 2600
            and draw(chapter) == png
        )
    assert classpictures.misconceptions_picture(Chapter("90_demo", (), (), (), {})) is None


@pytest.mark.corpus
def test_the_page_runs_nothing_and_needs_nothing(chapter, tmp_path):
    found = Class(
        tmp_path, {"graded": 1}, (chapter,), (("<script>.ipynb", "refused", "<img src=x>"),), 1
    )
    page = write_page(found).read_text(encoding="utf-8")
    assert "<script" not in page and "<img src=x" not in page and "default-src 'none'" in page
    assert set(re.findall(r'src="([^,]*),', page)) == {"data:image/png;base64"}
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == [
        "90_demo-misconceptions.png",
        "90_demo-questions.png",
        "90_demo-scores.png",
        "index.html",
    ]
    assert "waiting for you" in as_text(found) and "autograder review" in as_text(found)


def test_the_command(hand_in, tmp_path, capsys):
    hand_in("ada", student="ada", folder=tmp_path / "class")
    hand_in("bo", {"90.1": "opened = kept = n.partitions"}, student="bo", folder=tmp_path / "class")
    grade_class(tmp_path / "class", tmp_path / "out", say=lambda text: None)
    assert (
        main(["report", str(tmp_path / "out")]) == 0
        and main(["report", str(tmp_path / "out"), "--page"]) == 0
    )
    told_ = capsys.readouterr().out
    assert (
        "1 x 90.1 one per partition" in told_
        and "How the questions did" in told_
        and "index.html" in told_
    )
    assert (
        main(["report", str(tmp_path)]) == 2 and "There are no results" in capsys.readouterr().err
    )


@pytest.mark.corpus
def test_a_command_that_is_told_can_be_typed(hand_in, tmp_path, capsys):
    """A folder may have blanks and quotes in its name."""
    out = tmp_path / "Ada's marks"
    hand_in("ada", student="ada", folder=tmp_path / "box")
    for words in (
        ["grade", str(tmp_path / "box"), "--out", str(out)],
        ["report", str(out)],
        ["review", str(out)],
        ["export", str(out)],
        ["regrade", "90.2", str(out)],
        ["forget", str(out), "ada"],
        ["report", str(out), "--page"],
    ):
        assert main(words) == 0
    told = re.findall(r"python -m autograder ([^`\n]+)", "".join(capsys.readouterr()))
    assert len(told) >= 6 and all(str(out) in shlex.split(words) for words in told)
    assert "Nobody gave a wrong answer that has a name." in (
        out / "report" / "index.html"
    ).read_text(encoding="utf-8")


@pytest.mark.corpus
def test_the_page_names_nobody_before_the_line_that_says_so(tmp_path, demo):
    """A teacher opens it with the class, also when OUT holds a second chapter."""

    def week(name, absent):
        shown = tuple(
            replace(sheet(student, (1, 0, 1)), first_name=first, last_name=last, assignment=name)
            for student, first, last in (("s701", "Ada", "Abel"), ("s702", "Bo", "Berg"))
        )
        return Chapter(name, shown, tuple(items(shown)), (), {}, absent)

    found = Class(
        tmp_path,
        {"graded": 4},
        (week("02_first", ("s703 Fay Fox",)), week("03_second", ("s704 Eli Eng",))),
        (("s705.ipynb", "refused", "why"),),
        0,
        ("s706",),
    )
    page = write_page(found).read_text(encoding="utf-8")
    # the letters of a picture may spell anything
    page = re.sub(r"base64,[\w+/=]+", "base64,", page)
    for_the_class, for_the_teacher = page.split("Names of students: for the teacher only")
    assert (
        not re.search(r"s70\d|Abel|Berg|Fox|Eng\b", for_the_class)
        and for_the_class.count("<img") == 4
    )
    assert set(re.findall(r"s70\d", for_the_teacher)) == {f"s70{number}" for number in range(1, 7)}
    assert "02_first" in for_the_teacher and "03_second" in for_the_teacher
