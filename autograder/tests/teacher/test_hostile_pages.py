"""Checks that what a student writes, a name, an answer, a file's name, never becomes markup of a
page: the page has the same tags as with harmless words, and the words stand in it as they are."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.course.masters import master
from autograder.gradebook.read import GradeCell, Sheet
from autograder.teacher import feedback, reportpage
from autograder.teacher.items import Item, Misconception
from autograder.teacher.report import Chapter, Class
from autograder.written import screens
from autograder.written.html_pages import pages_in

HARMLESS = "x"
HOSTILE = (
    "<script>alert(1)</script>",
    "</pre></title></style></head><script src=//evil></script>",
    "' onmouseover='alert(1)",
    '" onerror="alert(1)" x="',
    "<img src=x onerror=alert(1)>",
    "-->]]><svg/onload=alert(1)>",
    "&lt;script&gt; &#60;b&#62; &amp;",
    "{{ 7 * 7 }}{% raw %}{# #}{{ self.__init__.__globals__ }}",
    "</p ><h1>10 of 10 points</h1>",
)


class Shape(HTMLParser):
    """The tags of a page with their attributes, in order, and its texts."""

    def __init__(self, page: str):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *(name for name, _ in attrs)))

    def handle_endtag(self, tag):
        self.tags.append(f"/{tag}")

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        self.tags.append("comment")

    @property
    def text(self) -> str:
        return "".join(self.texts)


def feedback_of(words: str) -> str:
    """A student's page with these words in every place that somebody else than us can fill."""
    own = master("90")
    cells = (
        GradeCell("90.1", 1.0, 2.0, False, False, words),
        GradeCell("90.2", 1.0, 2.0, True, False, words),
        GradeCell("90.open", 0.0, 4.0, False, True),
    )
    sheet = Sheet(words, words, words, "", words, "", 0.0, cells)
    answers = dict.fromkeys(("90.1", "90.2", "90.open"), words)
    return feedback.feedback_page(sheet, own, answers, answers, words)


def not_graded_of(words: str) -> str:
    return feedback.PAGES.get_template(feedback.NOT_GRADED).render(
        student=words, files=[(words, words)], chapter=""
    )


def report_of(words: str, folder: Path) -> str:
    """The report with these words in every name and sentence, its pictures left out."""
    cell = GradeCell("90.1", 1.0, 2.0, False, False)
    sheet = Sheet(words, words, words, "", "90_demo", "", 0.0, (cell,))
    item = Item("90.1", words, "value", 2.0, 1, 0, 0.5, 0.5, None)
    wrong = Misconception("90.1", words, words, 1, 0.5, words)
    chapter = Chapter("90_demo", (sheet,), (item,), (wrong,), {"90.1": 1}, (words,))
    found = Class(folder, {"graded": 1}, (chapter,), ((words, "refused", words),), 1, (words,))
    return reportpage.write_page(found).read_text(encoding="utf-8")


def answer_of(words: str) -> str:
    """The page of the queue with these words as the answer, a comment and the rubric's evidence."""
    idea = {"status": "present", "sentence": words, "evidence": [{"start": 0, "end": 3}]}
    suggestion = {"sentence": words, "decision": "review", "concepts": [idea]}
    answer = SimpleNamespace(
        text=words + "....",
        suggestion=suggestion,
        comment=words,
        manual=1.0,
        max=4.0,
        is_model_answer=True,
    )
    item = SimpleNamespace(kind="first", answer=answer, group=1, of=1, alike=1)
    left = {"done": 0, "all": 1, "second": 0, "decide": 0, "check": 0}
    queue = SimpleNamespace(
        current=item, shown=True, question=words, left=left, same_words=0, HIGHEST=4
    )
    return screens.answer_page(queue, words)


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("page_of", [feedback_of, not_graded_of, answer_of])
def test_no_words_become_markup(demo, page_of, words):
    page = Shape(page_of(words))
    assert page.tags == Shape(page_of(HARMLESS)).tags
    assert words in page.text


@pytest.mark.parametrize("words", HOSTILE)
def test_no_words_become_markup_of_the_report(demo, tmp_path, monkeypatch, words):
    for name in ("scores_picture", "questions_picture", "misconceptions_picture"):
        monkeypatch.setattr(reportpage, name, lambda chapter: b"png")
    page = Shape(report_of(words, tmp_path))
    assert page.tags == Shape(report_of(HARMLESS, tmp_path)).tags
    assert page.text.count(words) >= 5


def test_a_chapters_name_stays_in_its_attribute(demo, tmp_path, monkeypatch):
    for name in ("scores_picture", "questions_picture", "misconceptions_picture"):
        monkeypatch.setattr(reportpage, name, lambda chapter: b"png")
    chapter = Chapter('90" onload="alert(1)', (), (), (), {})
    found = Class(tmp_path, {"graded": 1}, (chapter,), (), 0)
    page = Shape(reportpage.write_page(found).read_text(encoding="utf-8"))
    renamed = Class(tmp_path, {"graded": 1}, (replace(chapter, name="90"),), (), 0)
    assert page.tags == Shape(reportpage.write_page(renamed).read_text(encoding="utf-8")).tags
    assert ("img", "alt", "src") in page.tags


def test_what_turns_the_direction_of_a_text_is_replaced(demo):
    page = feedback_of("gpj\u202egnp\x07")
    assert "\u202e" not in page and "\x07" not in page and "gpj\ufffdgnp\ufffd" in page


@pytest.mark.parametrize("room", [feedback, screens])
def test_every_template_escapes_every_value(room):
    """No template takes a value for markup, and a value that is missing is an error."""
    folder = Path(room.__file__).parent / "pages"
    found = list(folder.glob("*.html"))
    assert found
    for path in found:
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe|autoescape|Markup", source), path
        assert pages_in(folder).autoescape(path.name)
