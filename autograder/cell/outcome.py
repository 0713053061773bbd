"""Outcome: the code that says what became of one question of one submission.

A program decides by the code and never by the sentence beside it, so that sentences can be
translated or said better.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """What became of a question; docs/results.md tells a reader of results the same."""

    RIGHT = "right"  # right in every case: all points
    PART = "part"  # a shown case is not right, and the judge gives a share of the points
    WRONG = "wrong"  # a shown case is not right, or the answer's own code failed on it: no points
    BLANK = "blank"  # the answer cell is as it was handed out
    GONE = "gone"  # the answer cell is no longer in the notebook
    UNHEARD = "unheard"  # the run was cut off before the answer to every case was heard
    HIDDEN = "hidden"  # right in all shown cases, not in a hidden one: a student hears a hint only
    # a person is to read it: an open answer, or one that needs a given cell which failed, or what
    # only its author's machine has
    WAITING = "waiting"
    SETTLED = "settled"  # an open answer that has its mark
