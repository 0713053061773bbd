"""The page a student gets back: their words escaped, nothing that runs, a person's mark and comment, no hidden input."""
import re

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.marking import all_cases
from autograder.masters import master
from autograder.variants import numbers_for

HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202egnp"


@pytest.fixture
def page(hand_in, tmp_path):
    """The page of a student who wrote markup into code and prose."""
    folder, out = tmp_path / "class", tmp_path / "out"
    hand_in("ada", {"90.3": f'total = """{HOSTILE}"""', "90.open": HOSTILE}, student="ada", folder=folder)
    grade_class(folder, out, say=lambda text: None)
    assert main(["feedback", str(out)]) == 0
    return (out / "feedback" / "ada" / "90_demo.html").read_text(encoding="utf-8")


def test_nothing_a_student_wrote_is_active(page):
    tags = set(re.findall(r"<([a-z0-9]+)", page))
    assert tags <= {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "span", "pre", "footer"}
    assert "default-src 'none'" in page and "\u202e" not in page and "&lt;script&gt;" in page
    assert not re.search(r"<[^>]*\b(on\w+|src|href)\s*=", page)


def test_marks_stand_beside_what_was_written(page):
    assert "90_demo: 5 of 6 points" in page and ">2 of 2<" in page and ">0 of 1<" in page


def test_no_hidden_case_is_on_a_page(page):
    for question in master("90").questions:
        if question.kind == "open":
            continue
        for case, hidden in all_cases(question, dict(numbers_for(question, ""))):
            if hidden:
                assert repr(case) not in page and not any(len(str(value)) >= 20 and str(value) in page for value in case.values())


def test_an_open_answer_waits_without_the_suggestion(page):
    if master("90").name and any(question.kind == "open" for question in master("90").questions):
        assert "A person will read this answer." in page and "Suggested" not in page


def test_a_teachers_comment_and_mark_are_shown(hand_in, tmp_path):
    from nbgrader.api import Gradebook
    folder, out = tmp_path / "class", tmp_path / "out"
    hand_in("bo", {"90.3": "total = len(seen)"}, student="bo", folder=folder)
    grade_class(folder, out, say=lambda text: None)
    with Gradebook(f"sqlite:///{out / 'gradebook.db'}") as book:
        sheet = book.find_submission("90_demo", "bo").notebooks[0]
        next(grade for grade in sheet.grades if grade.cell.name == "q-90-3-test").manual_score = 0.5
        next(comment for comment in sheet.comments if comment.cell.name == "q-90-3").manual_comment = "Nearly <b>there</b>."
        book.db.commit()
    main(["feedback", str(out)])
    page = (out / "feedback" / "bo" / "90_demo.html").read_text(encoding="utf-8")
    assert "0.5 of 1" in page and "Your teacher gave this mark." in page and "Nearly &lt;b&gt;there&lt;/b&gt;." in page


def test_an_ungraded_folder_is_told(tmp_path, capsys):
    assert main(["feedback", str(tmp_path)]) == 2 and "There is no gradebook" in capsys.readouterr().err
