"""check() in a cell and official grading say the same about the public cases, whatever the answer:
right, named wrong, any wrong, blank.

The answers of one kind are put to both ways at once: through the notebook's own check(), and
through the sandbox and the judges; and what grading looks up in the sealed verdicts is what the
judge says when he plays his labs.
"""

import sys
from random import Random

import pytest

from autograder.cell import course_at_hand
from autograder.cell.course_folder import released
from autograder.cell.numbers import numbers_for, pretending
from autograder.cell.question import asked_chapters, of_chapter
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.course.references import references
from autograder.course.rehearsal import Nowhere, decided
from autograder.grading.lanes.submission_run import python_of
from autograder.grading.verdict import _trusted, _verdict
from autograder.handed_in.assignment import steps
from autograder.handed_in.needs import as_python
from autograder.sandbox.outside.parent import Sandbox
from autograder.tests.learners_machine import LearnersMachine

words = sys.modules.get("autograder.cell.check") or __import__(
    "autograder.cell.check", fromlist=["check"]
)
CHAPTERS = [chapter for chapter in released() if chapter in asked_chapters()]
QUESTIONS = [
    question
    for chapter in CHAPTERS
    for question in of_chapter(chapter)
    if question.kind not in ("open", "spark")
]
ODD = (
    "None",
    "...",
    "-1",
    "10**400",
    "float('nan')",
    "'4'",
    "[1, 2, 3]",
    "{'A': 1}",
    "{1.5: None}",
    "{-1, 0, '2'}",
    "b'4'",
    "object()",
    "True",
    "range(3)",
    "{name: {'connect': 7} for name in 'AB'}",
    "[[...]]",
    "{'A': ..., 'B': 2, 'C': 3}",
    "['data'] * 8",
    "{-1, 0, 1}",
)
BODIES = (
    "return None",
    "return args",
    "return args[0]",
    "raise KeyError('x')",
    "raise NotImplementedError",
    "import sys; sys.exit(0)",
    "return -1",
    "return 7",
    "return 'READY'",
    "return [1, 2]",
    "return object()",
    "pass",
)


def corpus(question) -> list[str]:
    """Answer cells of every sort for a question."""
    judge, luck = judge_of(question.id), Random(question.id)
    own = [
        references(question.chapter)[question.id],
        *(wrong.source for wrong in judge.wrong_answers),
        master(question.chapter).answer_cell(question.id).source,
    ]
    odd = [
        "\n".join(f"{name} = {luck.choice(ODD)}" for name in question.answers) for _ in range(10)
    ]
    functions = [
        "\n".join(f"def {name}(*args):\n    {body}" for name in question.answers)
        for body in luck.sample(BODIES, 5)
    ]
    return [*own, *odd, *functions, "1 / 0", "this is no python", ""]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


def spoken_here(question, cells, student, monkeypatch) -> list[words.Spoken]:
    """What check() says in a notebook in which these cells have run, as far as they run."""
    namespace = {
        "__name__": "__main__",
        "get_ipython": Nowhere,
        "display": lambda *things, **options: None,
    }
    numbers = {question.id: dict(numbers_for(question, student))}
    # a learner's machine has no judges; its numbers are of the same course key
    monkeypatch.setattr(course_at_hand, "_course", LearnersMachine(student))
    with words.quiet(), pretending(numbers):
        for step in cells:
            try:
                exec(compile(as_python(step.source), "<answer>", "exec"), namespace)
            except BaseException:
                continue
        said = words.judge_openly(question, namespace)
    monkeypatch.undo()
    return said


def spoken_officially(question, cells, student, sandbox) -> list[tuple[bool, str]]:
    numbers = numbers_for(question, student)
    cases = question.cases(numbers)
    heard = sandbox.run(
        [
            {
                "source": python_of(step.source),
                "question": step.question,
                "cases": cases if step.question else [],
            }
            for step in cells
        ],
        {question.id: dict(numbers)},
    )
    judge = judge_of(question.id)
    replies = heard["replies"].get(question.id) or [{"raised": "NoAnswer", "says": ""}] * len(cases)
    trusted = [_trusted(question, reply) for reply in replies]
    verdicts = [
        _verdict(question, judge, case, False, reply) for case, reply in zip(cases, trusted)
    ]
    asked = [
        decided(question, judge, case, reply["data"]) if "data" in reply else verdict
        for case, reply, verdict in zip(cases, trusted, verdicts)
    ]
    assert verdicts == asked, (
        "what was sealed is not what the judge says when asked: run `make course` and commit"
    )
    return [(verdict.ok, verdict.sentence) for verdict in verdicts]


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
@pytest.mark.parametrize("student", ["s017", ""])
def test_a_cell_says_what_official_grading_says(question, student, sandbox, monkeypatch):
    right = 0
    for answer in corpus(question):
        cells = steps(master(question.chapter), {question.id: answer}, only={question.id})
        here = spoken_here(question, cells, student, monkeypatch)
        there = spoken_officially(question, cells, student, sandbox)
        assert all(each.ok for each in here) == all(ok for ok, _ in there), (answer, here, there)
        if len(here) == len(there):
            assert [each.ok for each in here] == [ok for ok, _ in there], (answer, here, there)
            assert all(
                sentence in each.sentence
                for each, (ok, sentence) in zip(here, there)
                if "stopped with" not in sentence
            ), (answer, here, there)
        right += all(ok for ok, _ in there)
    assert right >= 1
