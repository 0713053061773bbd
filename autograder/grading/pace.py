"""How far a class is, how fast it goes and how long it still takes.

Each lane says how long a submission kept it. The first one of a lane is not counted:
it also waits for a worker, a judge and a Java to start. The class is graded in a shuffled order, so
that what is done is a fair sample of what is not.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator

EVERY_SECONDS = 2.0
LEAST = 3  # of a kind before its own mean is believed


class Pace:
    """Told of each submission that is done, it says a line now and then, and one at the end.

    `kinds` counts the submissions of each kind: a chapter, or nothing to run. Kinds take their own
    time.
    """

    def __init__(
        self,
        kinds: Counter,
        lanes: int,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ):
        self.total, self.lanes, self.say, self.clock = kinds.total(), lanes, say, clock
        self.finished, self._waiting = 0, Counter(kinds)
        self._kept_s: dict[object, list[float]] = {}
        self._first_s: list[float] = []
        self._started = self._said_at = clock()

    def done(self, kind, kept_s: float, first: bool = False) -> None:
        """One more of a kind, which kept its lane so long; `first` of that lane."""
        self.finished += 1
        self._waiting[kind] -= 1
        (self._first_s if first else self._kept_s.setdefault(kind, [])).append(kept_s)
        now = self.clock()
        if self.finished == self.total or now - self._said_at >= max(
            EVERY_SECONDS, (now - self._started) / 50
        ):
            self._said_at = now
            left = self.left()
            rate = (
                (self.total - self.finished) / left
                if left
                else self.finished / max(now - self._started, 1e-6)
            )
            self.say(
                f"{self.finished} of {self.total} graded, {rate:.1f} a second, {_words(left)} to go"
            )

    def spent(self) -> float:
        """Seconds since the start."""
        return self.clock() - self._started

    def left(self) -> float:
        """Seconds still to go: what waits, at its kind's mean where that is known."""
        everything = list(itertools.chain.from_iterable(self._kept_s.values())) or self._first_s
        overall = statistics.fmean(everything)
        return (
            sum(
                count
                * (
                    statistics.fmean(self._kept_s[kind])
                    if len(self._kept_s.get(kind, ())) >= LEAST
                    else overall
                )
                for kind, count in self._waiting.items()
            )
            / self.lanes
        )


def counted(
    things: Collection,
    words: str,
    say: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator:
    """The things one by one. What takes longer than two seconds says how far it is (`words` with
    how many of how many) and what is still to come, often at first and seldom later."""
    started = said_at = clock()
    for done, thing in enumerate(things):
        now = clock()
        if done and now - said_at >= max(EVERY_SECONDS, (now - started) / 4):
            said_at = now
            say(
                f"{words.format(done, len(things))}, "
                f"{_words((now - started) / done * (len(things) - done))} to go"
            )
        yield thing


def _words(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
