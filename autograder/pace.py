"""How far a class is, how fast it goes and how long it still takes.

The rest is reckoned from the later half of what is done: the first submissions also pay for what is learned once (a truth
worked out, a module imported). The class is graded in a shuffled order, so that what is done is a fair sample of what is not.
"""
from __future__ import annotations

import time
from collections.abc import Callable

EVERY_SECONDS = 2.0


class Pace:
    """Told of each submission that is done, it says a line now and then, and one at the end."""

    def __init__(self, total: int, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic):
        self.total, self.say, self.clock = total, say, clock
        self._times = [clock()]
        self._said_at = self._times[0]

    def done(self) -> None:
        """One more."""
        now = self.clock()
        self._times.append(now)
        finished = len(self._times) - 1
        quiet = max(EVERY_SECONDS, (now - self._times[0]) / 50)
        if finished == self.total or now - self._said_at >= quiet:
            self._said_at = now
            self.say(f"{finished} of {self.total} graded, {self.rate():.1f} a second, {_words(self.left())} to go")

    def spent(self) -> float:
        """Seconds since the start."""
        return self.clock() - self._times[0]

    def rate(self) -> float:
        """Submissions a second, lately."""
        first = (len(self._times) - 1) // 2
        return (len(self._times) - 1 - first) / max(self._times[-1] - self._times[first], 1e-6)

    def left(self) -> float:
        """Seconds still to go at this rate."""
        return (self.total - len(self._times) + 1) / self.rate()


def _words(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
