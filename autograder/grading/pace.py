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
TENTH = 0.1  # of all, before a time is said
MOST_CHANGE = 1.5  # times, from one said time to the next
LONG_SECONDS = 20.0  # after so many it is said whose notebook runs


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
        # what each lane has in hand: (its name, its kind, since when)
        self._in_hand: dict[int, tuple[str, object, float]] = {}
        self._named: dict[int, float] = {}
        self._told: tuple[float, float] | None = None  # when, and the seconds to go that were said
        self._started = self._said_at = clock()

    def begins(self, lane: int, name: str, kind) -> None:
        """A lane takes the next submission in hand."""
        self._in_hand[lane] = (name, kind, self.clock())
        self._named[lane] = LONG_SECONDS

    def done(self, kind, kept_s: float, first: bool = False, lane: int | None = None) -> None:
        """One more of a kind, which kept its lane so long; `first` of that lane."""
        self.finished += 1
        self._waiting[kind] -= 1
        self._in_hand.pop(lane, None)
        (self._first_s if first else self._kept_s.setdefault(kind, [])).append(kept_s)
        now = self.clock()
        if self.finished == self.total or now - self._said_at >= max(
            EVERY_SECONDS, (now - self._started) / 50
        ):
            self._said_at = now
            self.say(f"{self.finished} of {self.total} graded{self._to_go(now)}")

    def look(self) -> None:
        """Name what has been in hand for long, and again when that time has doubled."""
        now = self.clock()
        for lane, (name, _, since) in sorted(self._in_hand.items()):
            if now - since >= self._named[lane]:
                self._named[lane] = 2 * (now - since)
                self.say(f"{name} has been running for {_words(now - since)}.")

    def spent(self) -> float:
        """Seconds since the start."""
        return self.clock() - self._started

    def left(self) -> float:
        """Seconds still to go: what waits, at its kind's mean where that is known. What is in hand
        for longer than that takes as long again."""
        everything = list(itertools.chain.from_iterable(self._kept_s.values())) or self._first_s
        overall = statistics.fmean(everything)

        def mean(kind) -> float:
            own = self._kept_s.get(kind, ())
            return statistics.fmean(own) if len(own) >= LEAST else overall

        whole, longest, now = 0.0, 0.0, self.clock()
        for _, kind, since in list(self._in_hand.values()):
            more = max(mean(kind) - (now - since), 0.0) or now - since
            whole, longest = whole + more - mean(kind), max(longest, more)
        whole += sum(count * mean(kind) for kind, count in self._waiting.items())
        return max(whole / self.lanes, longest)

    def _to_go(self, now: float) -> str:
        """The end of a line: how fast it goes and how long it still takes, once that is known. A
        time that was said changes by steps."""
        left = self.left()
        if self.finished < self.total and (
            not self._kept_s or self.finished < max(TENTH * self.total, 2 * self.lanes)
        ):
            return ""
        if self._told is not None:
            before = max(0.0, self._told[1] - (now - self._told[0]))
            least, most = before / MOST_CHANGE, before * MOST_CHANGE + LONG_SECONDS
            left = min(max(left, least), most) if self.finished < self.total else left
        self._told = now, left
        rate = (
            (self.total - self.finished) / left
            if left
            else self.finished / max(now - self._started, 1e-6)
        )
        return f", {60 * rate:.0f} a minute, {_words(left)} to go"


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
