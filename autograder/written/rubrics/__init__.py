"""Holds the rubrics of the open questions and looks them up for the scorer.

A file a chapter (chNN.py, a tuple RUBRICS). No learner is given one. A course of one's own, named
by AUTOGRADER_COURSE, adds its rubrics/.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from functools import cache

from autograder.written.scorer import Rubric, Suggestion, score

if os.environ.get("AUTOGRADER_COURSE"):
    __path__.insert(0, os.path.join(os.environ["AUTOGRADER_COURSE"], "rubrics"))


class RubricMissing(LookupError):
    """A question has no rubric: its answers wait for a person without a suggestion."""


@cache
def by_question() -> dict[str, Rubric]:
    """The rubrics by their questions' ids, from the files chNN.py."""
    chapters = sorted(
        module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith("ch")
    )
    rubrics = (
        rubric
        for chapter in chapters
        for rubric in importlib.import_module(f"{__name__}.{chapter}").RUBRICS
    )
    return {
        rubric.question_id: rubric for rubric in sorted(rubrics, key=lambda one: one.question_id)
    }


def find(question_id: str) -> Rubric:
    """The rubric of a question. RubricMissing, with a sentence, if it has none."""
    if question_id not in by_question():
        raise RubricMissing(
            f"There is no rubric for {question_id} here: the answer waits for a person, without a "
            "suggestion."
        )
    return by_question()[question_id]


def by_lexicon(rubric: Rubric, answer: str | None) -> Suggestion:
    """What the rubric's own words suggest, without any network or model."""
    return score(rubric, answer, by_question().values())


def suggest(question_id: str, answer: str | None) -> Suggestion:
    """What the question's rubric suggests. RubricMissing if it has none."""
    return by_lexicon(find(question_id), answer)
