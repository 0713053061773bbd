"""Asks for a pause between wrong answers, so that trying values through check() does not pay.

Somebody who thinks gives a few wrong answers in ten minutes and never meets it. After FREE of them
each new answer waits, twice as long each time. What was answered before may be asked again at once,
and code that stops with an error is no answer. It is kept in progress.json, and ends with the right
answer.
"""

import hashlib
import math
import os
import time

from autograder.cell import progress
from autograder.cell.data import canonical

FREE = 6  # wrong answers within the window
WINDOW_SECONDS = 600
FIRST_SECONDS, LONGEST_SECONDS = 10, 300


def seconds_to_wait(question_id: str, replies: list[dict], passed: bool) -> int:
    """How long this answer has to wait before anything is said of it; 0 where it need not, and
    then a wrong one is noted."""
    if os.environ.get("NBGRADER_EXECUTION") or not any("data" in reply for reply in replies):
        return 0
    entry = progress.question(progress.read(), question_id)
    answer, now = hashlib.sha256(_text(replies).encode()).hexdigest()[:16], time.time()
    wrong = _within(entry, now)
    if entry.get("passed_at") or answer in [each for _, each in wrong]:
        return 0
    if wrong and (left := wrong[-1][0] + _pause(len(wrong)) - now) > 0:
        return math.ceil(left)
    noted = [] if passed else [*wrong, [now, answer]]
    progress.change(
        lambda entries: progress.question(entries, question_id).update(lately_wrong=noted)
    )
    return 0


def _pause(wrong: int) -> float:
    """The seconds between the last of so many wrong answers and the next one."""
    return min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (wrong - FREE)) if wrong >= FREE else 0


def _within(entry: dict, now: float) -> list[list]:
    """The wrong answers of the last minutes; a file that somebody edited has none."""
    kept = entry.get("lately_wrong")
    return [
        each
        for each in (kept if isinstance(kept, list) else ())
        if isinstance(each, list)
        and len(each) == 2
        and type(each[0]) in (int, float)
        and 0 <= now - each[0] < WINDOW_SECONDS
    ]


def _text(replies: list[dict]) -> str:
    return canonical([reply.get("data", reply.get("raised")) for reply in replies])
