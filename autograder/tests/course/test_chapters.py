"""Every chapter that is handed out: its reference passes, a blank one has nothing,
each named wrong answer is told by name."""

import json
import re
import shutil

import pytest

from autograder.cell import sealed
from autograder.cell.course_folder import released
from autograder.cell.question import asked_chapters, of_chapter
from autograder.cell.reply import insert_values
from autograder.course import release, seals
from autograder.course.exercises import LEAST_HINTS, LEAST_WRONG
from autograder.course.judge import judge_of, said_of_right
from autograder.course.leaks import Secrets, given, learners_half, readable
from autograder.course.masters import master
from autograder.course.references import references, solved
from autograder.grading.lanes.submission_run import run
from autograder.handed_in.submission import Submission
from autograder.sandbox.outside.parent import Sandbox
from kafkalab.tests.shares import few, share

CHAPTERS = [chapter for chapter in released() if chapter in asked_chapters()]
STUDENTS = ("", "s001", "s002")
WRONG = {
    chapter: {question.id: judge_of(question.id).wrong_answers for question in of_chapter(chapter)}
    for chapter in CHAPTERS
}
ROUNDS = share(
    [
        (chapter, step)
        for chapter in CHAPTERS
        for step in range(max(map(len, WRONG[chapter].values())))
    ],
    168,
    59,
    id=lambda each: f"{each[0]}-{each[1]}",
)
WHOLE = share(
    [(student, chapter) for student in STUDENTS for chapter in CHAPTERS],
    51,
    21,
    id=lambda each: f"{each[0]}-{each[1]}",
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


def handed_in(chapter: str, answers: dict, student: str = "") -> Submission:
    """A submission as if it had been read from a file."""
    return Submission(
        "made.ipynb", master(chapter).path, "0" * 64, student or "nobody", student, chapter, answers
    )


@pytest.mark.parametrize("student, chapter", WHOLE)
def test_the_reference_has_full_marks(sandbox, chapter, student):
    result = run(handed_in(chapter, references(chapter), student), sandbox)
    short = {
        question: cell
        for question, cell in result["cells"].items()
        if cell["kind"] != "open" and cell["score"] != cell["max"]
    }
    assert short == {} and result["score"] == result["max"] > 0 and result["reason"] == ""


def test_a_text_names_the_numbers_that_its_learner_has():
    """`n.A.rack` in a text is a number of this exercise, whatever `n` was before."""
    wrong = []
    for chapter in CHAPTERS:
        cells = master(chapter).notebook()["cells"]
        texts = {
            index: found[1]
            for index, cell in enumerate(cells)
            if (found := re.search(r"### Exercise ([\d.]+\d)", "".join(cell["source"])))
        }
        for index, exercise in texts.items():
            bound = {}
            # numbers are bound above the text, or in the cell between text and answer
            for cell in cells[: index + 3]:
                source = "".join(cell["source"])
                bound |= dict(re.findall(r'^(\w+) = numbers\("([\d.]+)"\)', source, re.M))
            named = set(re.findall(r"`(\w+)\.A\b", "".join(cells[index]["source"])))
            wrong += [f"{exercise}: {name}" for name in named if bound.get(name) != exercise]
    assert wrong == []


@pytest.mark.parametrize("chapter", share(CHAPTERS, 6, 1))
def test_a_blank_notebook_has_no_points(sandbox, chapter):
    result = run(
        handed_in(
            chapter, {cell.question: cell.source for cell in master(chapter).cells if cell.question}
        ),
        sandbox,
    )
    assert (result["score"], result["open_pending"], result["status"]) == (0, 0, "graded")
    assert all(
        cell["outcome"] == "blank" for cell in result["cells"].values() if cell["kind"] != "open"
    )


@pytest.mark.corpus
@pytest.mark.parametrize("chapter, step", ROUNDS)
def test_named_wrong_answers_fail_for_their_own_reasons(sandbox, chapter, step):
    """The wrong answer at one place of every question in one notebook: a judge hears its own
    question only, and a class is played this way."""
    wrong = {
        question: named[step] for question, named in WRONG[chapter].items() if step < len(named)
    }
    result = run(
        handed_in(chapter, {question: each.source for question, each in wrong.items()}, "s001"),
        sandbox,
    )
    assert {
        question: cell["misconception"]
        for question, cell in result["cells"].items()
        if cell["misconception"]
    } == {question: each.name for question, each in wrong.items()}, result["cells"]
    for question, each in wrong.items():
        cell = result["cells"][question]
        assert cell["score"] < cell["max"] and each.sentence.split("{")[0] in cell["sentence"], (
            question
        )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_question_has_its_papers(chapter):
    """Points the same in question and notebook, hints and named wrong answers as
    `python -m autograder exercise` asks for them, a model answer for what a person reads."""
    own = master(chapter)
    for question in of_chapter(chapter):
        assert own.points(question) == question.points and own.answer_cell(question.id)
        if question.kind == "open":
            continue
        assert len(question.hints) == LEAST_HINTS, (
            f"{question.id} needs two hints: where to look, then nearly how"
        )
        assert len(judge_of(question.id).wrong_answers) >= LEAST_WRONG, (
            f"{question.id} needs {LEAST_WRONG} wrong answers that people give"
        )


def _sentences(otherwise) -> list[str]:
    return [otherwise] if isinstance(otherwise, str) else list(otherwise.values())


@pytest.mark.parametrize("chapter", few(share(CHAPTERS, 3), 1, 1))
def test_every_sentence_finds_its_numbers(chapter):
    """What stands in braces is a name of the case, written as `fill` knows it:
    {brokers}, never {brokers!r}."""
    for question in of_chapter(chapter):
        judge = judge_of(question.id)
        for case in (
            ()
            if question.kind == "open"
            else question.cases(question.same_for_all(question.all_numbers()[0]))
        ):
            said = [
                insert_values(words, case, question.id, 0)
                for words in (
                    said_of_right(judge, case),
                    *_sentences(judge.otherwise),
                    judge.unseen,
                    *(wrong.sentence for wrong in judge.wrong_answers),
                )
            ]
            assert [
                words for words in said if re.search(r"\{[a-z_]+(![rsa]|:[^{}]*)?\}", words)
            ] == [], question.id


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_sealing_a_chapter_gives_the_digest_that_was_noted(chapter, tmp_path, monkeypatch):
    """What the simulator, the judges and the wrong answers say today is what was tried."""
    there = sealed.folder()
    # a verdict carries a digest of the questions, found from where it lies
    (tmp_path / "questions").mkdir()
    shutil.copy(there.parent / f"ch{chapter}.py", tmp_path / "questions")
    monkeypatch.setattr(sealed, "folder", lambda: tmp_path / "questions" / "sealed")
    seals.seal(chapter, print)
    kept = Secrets([chapter], given([chapter], learners_half([chapter])))
    assert kept.found_in(readable(sealed.folder() / f"ch{chapter}.json")) is None
    assert seals.digest_of(chapter) == seals.noted()[chapter], (
        f"run `python -m autograder course {chapter}`, look at what changed, and commit SEALS"
    )


def test_each_chapter_that_asks_has_a_noted_digest():
    assert sorted(seals.noted()) == sorted(CHAPTERS)


def test_seals_of_an_older_course_are_read_and_asked_for_anew(tmp_path, monkeypatch):
    (tmp_path / "SEALS").write_text("03 abc\n")
    monkeypatch.setattr(seals, "seals_file", lambda: tmp_path / "SEALS")
    assert seals.noted() == {"03": "abc"} and seals.edited_since() == ["03"]


def test_no_exercise_was_edited_after_its_verdicts_were_noted():
    """A teacher whose `release` seals it would be told that the verdicts are others."""
    edited = seals.edited_since()
    assert not edited, f"run `python -m autograder course {' '.join(edited)}`, and commit SEALS"


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_release_gives_nothing_away(chapter, tmp_path):
    package = release.release([chapter], tmp_path / "package")
    assert release.leaks(package, [chapter]) == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_solved_notebook_is_a_notebook(chapter):
    import nbformat

    nbformat.validate(nbformat.from_dict(json.loads(json.dumps(solved(chapter)))))
