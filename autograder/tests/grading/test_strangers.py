"""Right answers that strangers wrote get all points and wrong ones do not, in check and grading.

The answers stand in `autograder/tests/strangers`, by chapter. Their authors knew the text and the
hints, not the reference answer.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from autograder.cell.outcome import Outcome
from autograder.sandbox.outside.parent import Sandbox
from autograder.tests.agreement import at_home, when_graded
from autograder.tests.honest.styles import Written
from kafkalab.tests.shares import share

FOLDER = Path(__file__).parents[1] / "strangers"
HEAD = re.compile(r"^## (\d\d\.\d+) (right|wrong): (.+)$", re.MULTILINE)
CELL = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def answers() -> dict[str, list[tuple[bool, str, Written]]]:
    """{exercise: (is it right, how it is written, its cells) of each stranger's answer}."""
    found: dict[str, list] = {}
    for path in sorted(FOLDER.glob("[0-9]*.md")):
        _, *pieces = HEAD.split(path.read_text(encoding="utf-8"))
        for exercise, kind, way, body in zip(*(pieces[at::4] for at in range(4)), strict=True):
            *above, source = CELL.findall(body)
            written = Written(source, tuple(above))
            found.setdefault(exercise, []).append((kind == "right", way, written))
    return found


ANSWERS = answers()


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as opened:
        yield opened


@pytest.fixture(scope="module")
def home(request):
    """What check says at home of a student's answers to an exercise: (is it right, the sentence) of
    each, None where one needs Spark. A chapter's cells run once for all that this session asks."""
    asked = {item.callspec.params["exercise"] for item in request.session.items
             if item.fspath == request.path}  # fmt: skip

    @cache
    def of_chapter(chapter: str, student: str) -> dict[str, list]:
        tried = {
            exercise: [written for _, _, written in answers]
            for exercise, answers in ANSWERS.items()
            if exercise in asked and exercise.startswith(chapter)
        }
        return at_home(chapter, tried, student)

    return lambda exercise, student: of_chapter(exercise[:2], student)[exercise]


@pytest.mark.corpus
@pytest.mark.parametrize("student", ["s017", pytest.param("ada", marks=pytest.mark.slow)])
@pytest.mark.parametrize("exercise", share(ANSWERS, 40, first=3))
def test_a_strangers_answer_gets_what_it_is_worth(exercise, student, home, sandbox, tmp_path):
    tried = {exercise: [written for _, _, written in ANSWERS[exercise]]}
    marks = when_graded(exercise[:2], tried, sandbox, tmp_path, student)[exercise]
    said = home(exercise, student)
    wrong = []
    for (is_right, way, _), mark, heard in zip(ANSWERS[exercise], marks, said, strict=True):
        if (mark.score == 1.0) is not is_right:
            wrong.append(f"{way}: grading says {mark.outcome}, {mark.score:g}: {mark.sentence}")
        shown = mark.outcome in (Outcome.RIGHT, Outcome.HIDDEN)
        if heard and heard[0] is not shown:
            wrong.append(f"{way}: check says {heard[1]}, grading {mark.outcome}: {mark.sentence}")
    assert wrong == []
