"""Two hundred honest notebooks: each has the points it was written for,
and nobody is suspected of anything."""

import json

import pytest

from autograder.cell.course_folder import released
from autograder.cell.question import asked_chapters
from autograder.grading.lanes.submission_run import run
from autograder.handed_in.submission import read
from autograder.sandbox.outside.parent import Sandbox
from autograder.tests.honest import STYLES, notebooks

CHAPTERS = [chapter for chapter in released() if chapter in asked_chapters()]
OF_THE_DEMO, OF_A_CHAPTER = 120, 45


def unlike(found, folder, sandbox):
    """What did not come out as written, a line each."""
    wrong = []
    for each in found:
        path = folder / f"{each.student}.ipynb"
        path.write_text(json.dumps(each.notebook), encoding="utf-8")
        (submission,) = read(path)
        result = run(submission, sandbox)
        points = {question: result["cells"][question]["score"] for question in each.points}
        if (points, result["status"], result["reason"], result["flags"], result["student"]) != (
            each.points,
            "graded",
            "",
            [],
            each.student,
        ):
            wrong.append(
                f"{each.student} ({each.style}): {points} for {each.points}, {result['status']}: "
                f"{result['reason']}"
            )
    return wrong


@pytest.mark.corpus
def test_a_share_of_the_honest(demo, sandbox, tmp_path):
    assert len(STYLES) >= 30 and len(CHAPTERS) >= 2 and OF_THE_DEMO + 2 * OF_A_CHAPTER >= 200
    assert unlike(notebooks("90", OF_THE_DEMO)[::8], tmp_path, sandbox) == []


@pytest.mark.slow
def test_all_the_honest_of_the_demo(demo, sandbox, tmp_path):
    assert unlike(notebooks("90", OF_THE_DEMO), tmp_path, sandbox) == []


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_honest_of_a_chapter(chapter, tmp_path):
    with Sandbox() as sandbox:
        assert unlike(notebooks(chapter, OF_A_CHAPTER, spark=False), tmp_path, sandbox) == []
