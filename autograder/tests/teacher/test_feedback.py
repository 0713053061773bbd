"""The page a student gets back: their words escaped, nothing that runs,
a person's mark and comment, no hidden input."""

import html
import json
import re
from types import SimpleNamespace

import pytest

from autograder.__main__ import main
from autograder.cell.numbers import numbers_for
from autograder.course.masters import master
from autograder.course.references import references
from autograder.grade import grade_class
from autograder.gradebook.write import shown
from autograder.grading.results import for_student
from autograder.grading.verdict import all_cases
from autograder.handed_in.submission import Submission
from autograder.tests.conftest import writer_of

pytestmark = pytest.mark.usefixtures("kept_staff")

HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202egnp"


@pytest.fixture
def page(demo, made_once, tmp_path):
    """The page of a student who wrote markup into code and prose."""
    made_once(one_of_markup, tmp_path)
    return (tmp_path / "out" / "feedback" / "ada" / "90_demo.html").read_text(encoding="utf-8")


def one_of_markup(home):
    writer_of(home / "class")(
        "ada", {"90.3": f'total = """{HOSTILE}"""', "90.open": HOSTILE}, student="ada"
    )
    grade_class(home / "class", home / "out", say=lambda text: None)
    assert main(["feedback", str(home / "out")]) == 0


def test_nothing_a_student_wrote_is_active(page):
    tags = set(re.findall(r"<([a-z0-9]+)", page))
    assert tags <= {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "p",
        "span",
        "pre",
        "footer",
    }
    assert "default-src 'none'" in page and "\u202e" not in page and "&lt;script&gt;" in page
    assert not re.search(r"<[^>]*\b(on\w+|src|href)\s*=", page)


def test_marks_stand_beside_what_was_written(page):
    assert "90_demo: 5 of 6 points" in page and ">2 of 2<" in page and ">0 of 1<" in page


@pytest.mark.slow
def test_whose_file_could_not_be_read_hears_why_until_another_comes(hand_in, tmp_path):
    folder, out = tmp_path / "class", tmp_path / "out"
    hand_in("ada", student="ada", folder=folder)
    (folder / "bo.ipynb").write_text("<b>{")
    grade_class(folder, out, say=lambda text: None)
    assert main(["feedback", str(out)]) == 0
    page = (out / "feedback" / "bo" / "not_graded.html").read_text(encoding="utf-8")
    reason = next(
        result["reason"]
        for name, result in json.loads((out / "results.json").read_text()).items()
        if name == "bo.ipynb"
    )
    assert (
        reason[1:] in html.unescape(page)
        and "default-src 'none'" in page
        and not (out / "feedback" / "ada" / "not_graded.html").exists()
    )
    hand_in("bo", student="bo", folder=folder)
    grade_class(folder, out, say=lambda text: None)
    assert main(["feedback", str(out)]) == 0
    assert [path.name for path in (out / "feedback" / "bo").iterdir()] == ["90_demo.html"]


def test_what_was_asked_stands_above(page):
    assert master("90").questions[0].title in page and "in your own words" in page


@pytest.mark.slow
def test_marks_without_their_sentences_are_not_sent_out(hand_in, tmp_path, capsys):
    """A run that was interrupted has a gradebook and no results yet."""
    hand_in("ada", {"90.1": "opened = 1"}, student="ada", folder=tmp_path / "class")
    grade_class(tmp_path / "class", tmp_path / "out", say=lambda text: None)
    (tmp_path / "out" / "results.json").write_text("{")
    assert main(["feedback", str(tmp_path / "out")]) == 2
    assert "has not come to its end" in capsys.readouterr().err
    (tmp_path / "out" / "results.json").unlink()
    assert main(["feedback", str(tmp_path / "out")]) == 2
    assert (
        "has not come to its end" in capsys.readouterr().err
        and not (tmp_path / "out" / "feedback").exists()
    )


@pytest.mark.slow
def test_an_assignment_of_the_teachers_own_in_the_same_gradebook_keeps_nobody_waiting(
    hand_in, tmp_path
):
    from nbgrader.api import Gradebook

    hand_in("ada", student="ada", folder=tmp_path / "class")
    grade_class(tmp_path / "class", tmp_path / "out", say=lambda text: None)
    with Gradebook(f"sqlite:///{tmp_path / 'out' / 'gradebook.db'}") as book:
        book.add_assignment("essay")
        book.add_notebook("essay", "essay")
        book.add_grade_cell("prose", "essay", "essay", max_score=5, cell_type="markdown")
        book.add_submission("essay", "ada")
    assert main(["feedback", str(tmp_path / "out")]) == 0
    assert [path.name for path in (tmp_path / "out" / "feedback" / "ada").iterdir()] == [
        "90_demo.html"
    ]


def test_no_hidden_case_is_on_a_page(page):
    for question in master("90").questions:
        if question.kind == "open":
            continue
        for case, hidden in all_cases(question, dict(numbers_for(question, ""))):
            if hidden:
                assert repr(case) not in page and not any(
                    len(str(value)) >= 20 and str(value) in page for value in case.values()
                )


def test_an_open_answer_waits_without_the_suggestion(page):
    if master("90").name and any(question.kind == "open" for question in master("90").questions):
        assert "A person will read this answer." in page and "Suggested" not in page


@pytest.mark.corpus
def test_a_teachers_comment_and_mark_are_shown(hand_in, tmp_path):
    from nbgrader.api import Gradebook

    folder, out = tmp_path / "class", tmp_path / "out"
    hand_in("bo", {"90.3": "total = len(seen)"}, student="bo", folder=folder)
    grade_class(folder, out, say=lambda text: None)
    with Gradebook(f"sqlite:///{out / 'gradebook.db'}") as book:
        sheet = book.find_submission("90_demo", "bo").notebooks[0]
        next(grade for grade in sheet.grades if grade.cell.name == "q-90-3-test").manual_score = 0.5
        next(
            comment for comment in sheet.comments if comment.cell.name == "q-90-3"
        ).manual_comment = "Nearly <b>there</b>."
        book.db.commit()
    main(["feedback", str(out)])
    page = (out / "feedback" / "bo" / "90_demo.html").read_text(encoding="utf-8")
    assert (
        "0.5 of 1" in page
        and "Your teacher gave this mark." in page
        and "Nearly &lt;b&gt;there&lt;/b&gt;." in page
    )


def test_an_ungraded_folder_is_told(tmp_path, capsys):
    assert (
        main(["feedback", str(tmp_path)]) == 2
        and "There is no gradebook" in capsys.readouterr().err
    )


@pytest.mark.corpus
def test_a_hidden_case_is_a_hint_and_an_error_cannot_carry_it_home(hand_in, tmp_path):
    """The learner's code names its exception after the input it was given."""
    spy = (
        "def node_id(broker):\n    if broker > 2:\n"
        "        raise type(f'saw_{broker}', (Exception,), {})(broker)\n"
        "    return 2147483647 - broker"
    )
    copied = (
        "def node_id(broker):\n    return {2: 2147483645, 0: 2147483647}[broker] if broker < 3 "
        "else 2147483645"
    )
    folder, out = tmp_path / "class", tmp_path / "out"
    hand_in("spy", {"90.2": spy}, student="spy", folder=folder)
    hand_in("off", {"90.2": copied}, student="off", folder=folder)
    grade_class(folder, out, say=lambda text: None)
    main(["feedback", str(out)])
    page = (out / "feedback" / "spy" / "90_demo.html").read_text(encoding="utf-8")
    assert (
        "It fails on a hidden case." in page
        and "Hint: One leader may" not in page
        and "Hint: Java&#39;s largest int." in page
    )
    assert not re.search(r"saw_\d", page)
    assert "You return what the examples show; find the rule." in (
        out / "feedback" / "off" / "90_demo.html"
    ).read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_page_stays_small_whatever_was_written(hand_in, tmp_path):
    folder, out = tmp_path / "class", tmp_path / "out"
    hand_in(
        "big",
        {"90.1": "opened = kept = 'x" + '"&<' * 100_000 + "'", "90.open": "\u6d88" * 100_000},
        student="big",
        folder=folder,
    )
    grade_class(folder, out, say=lambda text: None)
    main(["feedback", str(out)])
    assert 10_000 < (out / "feedback" / "big" / "90_demo.html").stat().st_size <= 300_000


def test_a_page_that_would_leak_is_not_written(hand_in, tmp_path, capsys):
    folder, out = tmp_path / "class", tmp_path / "out"
    hand_in("bo", student="bo", folder=folder)
    grade_class(folder, out, say=lambda text: None)
    results = (out / "results.json").read_text(encoding="utf-8")
    (out / "results.json").write_text(
        results.replace('"sentence": "right."', '"sentence": "write: opened = 1 + n.brokers + 1"'),
        encoding="utf-8",
    )
    assert (
        main(["feedback", str(out)]) == 2
        and "was not written, for it would hold" in capsys.readouterr().err
    )
    assert not (out / "feedback" / "bo" / "90_demo.html").exists()


@pytest.mark.slow
def test_one_who_writes_a_solution_into_an_error_does_not_keep_a_class_waiting(
    hand_in, tmp_path, capsys
):
    folder, out = tmp_path / "class", tmp_path / "out"
    hand_in(
        "eve",
        {"90.1": "raise ValueError('opened = 1 + n.brokers + 1')"},
        student="eve",
        folder=folder,
    )
    hand_in("zoe", student="zoe", folder=folder)
    grade_class(folder, out, say=lambda text: None)
    assert main(["feedback", str(out)]) == 2
    told = capsys.readouterr().err
    assert "of eve on 90_demo was not written" in told and "other 1 pages are good" in told
    assert (out / "feedback" / "zoe" / "90_demo.html").exists() and not (
        out / "feedback" / "eve"
    ).exists()


@pytest.mark.slow
def test_a_browser_runs_nothing_and_asks_nobody(page, tmp_path):
    """The page in a real Chromium: no dialog, no request,
    and the policy stops even what would have slipped through."""
    from playwright.sync_api import sync_playwright

    from autograder.proving.browser import CHROMIUM_FLAGS, find_chromium

    if find_chromium() is None:
        pytest.skip("there is no Chromium here")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        sheet = browser.new_page()
        asked, dialogs = [], []
        sheet.on("request", lambda request: asked.append(request.url))
        sheet.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        sheet.goto((tmp_path / "page.html").as_uri())
        assert len(asked) == 1 and not dialogs
        assert (
            sheet.evaluate(
                "document.querySelectorAll('script, img, iframe, object, embed, svg, a, form, "
                "link').length"
            )
            == 0
        )
        sheet.evaluate("""document.body.insertAdjacentHTML('beforeend',
            '<img src="http://127.0.0.1:9/x" onerror="window.ran = 1"><a id=x href="javascript:window.ran=2">x</a>')""")  # noqa: E501
        sheet.evaluate("document.getElementById('x').click()")
        sheet.wait_for_timeout(300)
        assert sheet.evaluate("window.ran === undefined") and not dialogs
        browser.close()


def test_formgrader_has_room_for_each_sentence(demo, tmp_path):
    """formgrader breaks no line of an output: what is longer than its page is out of sight."""
    said = "You counted each of the brokers twice. " * 5
    mark = SimpleNamespace(score=0.0, max=2.0, sentence=said.strip(), waits=False)
    nobody = Submission("ada.ipynb", tmp_path, "0" * 64, "ada", chapter="90")
    notebook = shown(master("90"), nobody, {"90.1": mark})
    (text,) = (cell["outputs"][0]["text"] for cell in notebook["cells"] if cell.get("outputs"))
    assert max(map(len, text.splitlines())) <= 96
    assert " ".join(text.split()) == f"0 of 2: {said.strip()}"


@pytest.mark.corpus
def test_what_was_noticed_in_the_code_is_for_the_teacher_only(hand_in, tmp_path, capsys):
    """Who is told which signs were seen, leaves them out the next time."""
    odd = "import socket\nopen('/etc/hostname').close()\nsocket.gethostname()\n"
    hand_in(
        "eve",
        {"90.1": odd + references("90")["90.1"]},
        student="eve",
        folder=tmp_path / "class",
    )
    out = tmp_path / "out"
    grade_class(tmp_path / "class", out, say=lambda text: None)
    page = out / "feedback" / "eve" / "90_demo.html"

    def told() -> str:
        main(["feedback", str(out)])
        main(["letters", str(out)])
        return page.read_text(encoding="utf-8") + capsys.readouterr().out

    kept = json.loads((out / "results.json").read_text())["eve.ipynb"]
    assert "imports socket" in kept["reason"] and "odd code" in kept["concerns"]
    for said in (told(), kept["reason_for_student"]):
        assert not re.search("worth a look|imports socket|names /etc", said)
    nothing_odd = {"flags": [], "reason_for_student": "the answer to 02.1 is gone."}
    assert for_student(nothing_odd) == "the answer to 02.1 is gone."
    kept["reason_for_student"] = f"It was mended. {kept['reason']}"
    (out / "results.json").write_text(json.dumps({"eve.ipynb": kept}))
    page.unlink()
    said = told()
    assert "It was mended." in said and "worth a look" not in said, "of an older version"
