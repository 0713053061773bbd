"""Checks what the scorer suggests for the course's own model answers, and for the same answers with
one claim turned round."""

import pytest

from autograder.cell.question import asked_chapters, of_chapter
from autograder.course.references import references
from autograder.grading.scoring import decide
from autograder.written.rubrics import suggest
from autograder.written.scorer import PASS_MARK

OPEN = [
    question.id
    for chapter in asked_chapters()
    for question in of_chapter(chapter)
    if question.kind == "open"
]


@pytest.mark.parametrize("id", OPEN)
def test_a_model_answer_has_full_marks(id):
    suggestion = suggest(id, references(id[:2])[id])
    assert suggestion.mark == 4 and decide(suggestion) != "reject", suggestion.sentence


@pytest.mark.parametrize(
    "id, right, wrong",
    [
        ("01.open", "reading removes nothing", "reading removes the record"),
        ("01.open", "reading removes nothing", "reading removes nothing but what was read"),
        (
            "02.open2",
            "to build the object completely first. The thread is started afterwards",
            "to start the thread first and to build the object afterwards",
        ),
        (
            "02.open2",
            "to build the object completely first. The thread is started afterwards",
            "first to start the thread, and after that to build the object completely",
        ),
        (
            "04.open",
            "that are kept by partition no longer match either",
            "are kept and stay valid",
        ),
        ("04.open", "that are kept by partition no longer match either", "are unaffected"),
        (
            "07.open",
            "In KIP-848 the coordinator computes the target assignment",
            "In KIP-848 the coordinator only passes the plan on without reading it",
        ),
        (
            "07.open",
            "In KIP-848 the coordinator computes the target assignment",
            "In KIP-848 the group leader computes the target assignment",
        ),
    ],
)
def test_a_model_answer_with_one_claim_turned_round_is_not_accepted(id, right, wrong):
    answer = " ".join(references(id[:2])[id].split())
    assert right in answer
    suggestion = suggest(id, answer.replace(right, wrong))
    assert suggestion.mark < 4 and (
        suggestion.mark < PASS_MARK or decide(suggestion) != "accept"
    ), suggestion.sentence
