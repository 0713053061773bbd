"""What happens next? One clock in whole milliseconds and one heap of callbacks.

Everything in kafkalab that takes time is a callback in this heap, ordered by (time, order of scheduling), so a run is a
function of its seed and nothing else. The model is SimPy's `core.py`, without processes and without floating point time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable


class Timer:
    """A callback that waits in the heap. `cancel()` makes it never happen; cancelling twice is harmless."""

    __slots__ = ("at_ms", "callback", "cause")

    def __init__(self, at_ms: int, callback: Callable[[], None], cause: int | None):
        self.at_ms, self.callback, self.cause = at_ms, callback, cause

    def cancel(self) -> None:
        self.callback = None

    @property
    def pending(self) -> bool:
        return self.callback is not None


class Scheduler:
    """The clock and the heap.

    now_ms  the virtual time, whole milliseconds since the lab began
    cause   the id of the journal event in whose name code is running now; captured by `at`, restored when the callback
            fires, so that every journal entry knows what led to it
    """

    def __init__(self) -> None:
        self.now_ms = 0
        self.cause: int | None = None
        self._heap: list[tuple[int, int, Timer]] = []
        self._order = 0

    def at(self, at_ms: int, callback: Callable[[], None]) -> Timer:
        """Run `callback` at `at_ms` (a past time means: now, after what is already due now)."""
        timer = Timer(max(at_ms, self.now_ms), callback, self.cause)
        self._order += 1
        heapq.heappush(self._heap, (timer.at_ms, self._order, timer))
        return timer

    def after(self, delay_ms: int, callback: Callable[[], None]) -> Timer:
        return self.at(self.now_ms + delay_ms, callback)

    def next_at_ms(self) -> int | None:
        """When the next callback is due; None when nothing is left to happen."""
        heap = self._heap
        while heap and heap[0][2].callback is None:
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def step(self) -> bool:
        """Fire the next callback and move the clock to it. False when nothing is left."""
        heap = self._heap
        while heap:
            at_ms, _, timer = heapq.heappop(heap)
            callback = timer.callback
            if callback is None:
                continue
            timer.callback = None
            self.now_ms = at_ms
            self.cause = timer.cause
            callback()
            return True
        return False

    def run_until(self, done: Callable[[], bool], deadline_ms: int) -> bool:
        """Step until `done()` or until the clock stands at `deadline_ms`; says whether `done()` came true.

        Nothing due later than the deadline happens; the clock never stops before it unless `done()` is true. The caller's
        `cause` is put back afterwards: what others did meanwhile was not done in its name.
        """
        cause = self.cause
        try:
            while not done():
                due = self.next_at_ms()
                if due is None or due > deadline_ms:
                    self.now_ms = max(self.now_ms, deadline_ms)
                    return done()
                self.step()
            return True
        finally:
            self.cause = cause
