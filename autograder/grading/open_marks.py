"""What becomes of an open answer: it waits for a person, with a suggestion, or its mark is settled.

The rubric only suggests. A suggestion is settled, so that nobody has to read the answer, when the
teacher's own marks have shown (written/calibration.py) that the scorer may be believed for this
question, for this very rubric, and the scorer itself calls the answer clear. Change the rubric and
its marks are suggestions again. A person's mark is never touched by any of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autograder.cell.outcome import Outcome
from autograder.grading.calibration import Calibration
from autograder.grading.verdict import Mark

SETTLED = "settled by the scorer, whom your teacher has tried on marks of their own"


def settle(result: dict, calibrations: Mapping[str, Calibration]) -> dict:
    """The result with each open answer waiting or settled, as the calibrations of this moment say.
    Nothing else changes."""
    if not result["suggestions"]:
        return result
    cells, waiting, settled = dict(result["cells"]), 0.0, 0.0
    for question, suggestion in result["suggestions"].items():
        cell = cells[question]
        known = calibrations.get(question)
        if known is not None and known.settles(suggestion):
            cells[question] = {
                **cell,
                "outcome": str(Outcome.SETTLED),
                "score": suggestion["points"],
                "sentence": f"{SETTLED}. {suggestion['sentence']}",
            }
            settled += suggestion["points"]
        else:
            cells[question] = {
                **cell,
                "outcome": str(Outcome.WAITING),
                "score": 0.0,
                "sentence": suggestion.get("waits", cell["sentence"]),
            }
            waiting += cell["max"]
    return {**result, "cells": cells, "open_pending": waiting, "open_score": settled}


def marks_of(result: dict) -> dict[str, Mark]:
    """The marks of a result; an answer that waits carries its suggestion, which counts for
    nothing."""
    marks = {}
    for question, cell in result["cells"].items():
        mark, suggestion = Mark(**cell), result["suggestions"].get(question) or {}
        marks[question] = replace(mark, suggested=suggestion.get("points")) if mark.waits else mark
    return marks
