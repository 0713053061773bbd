"""A fixed class gets the results that it got when the net was drawn, to the last letter."""

from __future__ import annotations

import json

import pytest

from autograder.tests.house.same_results import (
    CHAPTERS,
    CLASS,
    DIGESTS,
    QUESTIONS,
    different,
    digest,
    graded,
    text_of,
)


@pytest.mark.corpus
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_class_gets_the_same_results_as_before(chapter, tmp_path_factory):
    found = graded(chapter)
    kept = json.loads(DIGESTS.read_text(encoding="utf-8"))
    its_own = {row: told for row, told in kept.items() if chapter_of(row) == chapter}
    changed = list(different(found, its_own))
    whole = tmp_path_factory.mktemp("same_results") / "rows.json"
    if changed:
        whole.write_text(text_of(found), encoding="utf-8")
    assert not changed, (
        "\n".join(changed)
        + f"\nThe results are in {whole}; a run without your change shows what they were. If the "
        "change is meant, `python -m autograder.tests.house.same_results` renews the digests: in a "
        "commit of its own that says why."
    )


def chapter_of(row: str) -> str:
    """The chapter of a row: «03.1» is a question, «ada, 03, blank» a submission."""
    return row.split(", ")[1] if ", " in row else row.split(".")[0]


def test_every_question_and_every_submission_has_a_row():
    submissions = {f"{student}, {chapter}, {role}" for chapter, student, role in CLASS}
    assert set(json.loads(DIGESTS.read_text(encoding="utf-8"))) == submissions | set(QUESTIONS)


def test_a_row_that_changed_came_or_went_is_named():
    kept = {"02.1": digest({"score": 1}), "02.2": digest(2), "02.3": digest(3)}
    assert list(different({"02.1": {"score": 0}, "02.2": 2, "02.4": 4}, kept)) == [
        "«02.1» differs",
        "«02.3» is gone",
        "«02.4» is new",
    ]
