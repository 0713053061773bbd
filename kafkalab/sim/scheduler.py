"""What happens next? One clock in whole milliseconds and one heap of times, each with its queue of
callbacks.

Everything in kafkalab that takes time is a callback in one of these queues, ordered by (time, order
of scheduling), so a run is a function of its seed and nothing else. The model is SimPy's `core.py`,
without processes and without floating point time: as time is counted in whole milliseconds, many
callbacks share one, and the heap is asked once for all of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from kafkalab.sim.garbage import COLLECTOR
from kafkalab.sim.timer import Timer


class Scheduler:
    """The clock and the heap.

    now_ms     the virtual time, whole milliseconds since the lab began
    cause      the id of the journal event in whose name code is running now; captured by `at`,
               restored when the callback fires, so that every journal entry knows what led to it
    scheduled  how many callbacks were ever put in, for those who count what a wait costs
    halted     somebody wants the clock to stand after this callback; see `run`
    """

    __slots__ = (
        "_at_ms",
        "_position",
        "_queues",
        "_times",
        "cause",
        "halted",
        "now_ms",
        "scheduled",
    )

    def __init__(self) -> None:
        self.now_ms = 0
        self.cause: int | None = None
        self.scheduled = 0
        self.halted = False
        self._times: list[int] = []
        self._queues: dict[int, list[list[Any]]] = {}
        self._at_ms = -1  # whose queue is worked off, and how far
        self._position = 0

    def at(self, at_ms: int, callback: Callable[..., object], *args: Any) -> Timer:
        """Run callback(*args) at `at_ms` (a past time means: now,
        after what is already due now)."""
        timer = Timer((callback, args, self.cause))
        if at_ms < self.now_ms:
            at_ms = self.now_ms
        self.scheduled += 1
        queue = self._queues.get(at_ms)
        if queue is None:
            self._queues[at_ms] = [timer]
            heapq.heappush(self._times, at_ms)
        else:
            queue.append(timer)
        return timer

    def after(self, delay_ms: int, callback: Callable[..., object], *args: Any) -> Timer:
        return self.at(self.now_ms + delay_ms, callback, *args)

    def post(self, at_ms: int, callback: Callable[..., object], *args: Any) -> None:
        """As `at`, for what nobody will cancel: most of what happens."""
        now_ms = self.now_ms
        if at_ms < now_ms:
            at_ms = now_ms
        self.scheduled += 1
        queue = self._queues.get(at_ms)
        if queue is None:
            self._queues[at_ms] = [[callback, args, self.cause]]
            heapq.heappush(self._times, at_ms)
        else:
            queue.append([callback, args, self.cause])

    def next_at_ms(self) -> int | None:
        """When the next callback is due; None when nothing is left to happen."""
        times, queues = self._times, self._queues
        while times:
            at_ms = times[0]
            if at_ms != self._at_ms:
                self._at_ms, self._position = at_ms, 0
            queue, position = queues[at_ms], self._position
            while position < len(queue) and queue[position][0] is None:
                position += 1
            self._position = position
            if position < len(queue):
                return at_ms
            heapq.heappop(times)
            del queues[at_ms]
            self._at_ms = -1
        return None

    def step(self) -> bool:
        """Fire the next callback and move the clock to it. False when nothing is left."""
        at_ms = self.next_at_ms()
        if at_ms is None:
            return False
        timer = self._queues[at_ms][self._position]
        self._position += 1
        callback, args, self.cause = timer
        timer[0] = None
        self.now_ms = at_ms
        callback(*args)
        return True

    def halt(self) -> None:
        """Let the clock stand after this callback."""
        self.halted = True

    def run(self, deadline_ms: int) -> bool:
        """Step until somebody halts the clock or it stands at `deadline_ms`; says whether it was
        halted. What is asked after every callback costs more than many a callback: who waits for
        something lets it call `halt`."""
        self.halted = False
        return self.run_until(None, deadline_ms)

    def run_until(self, done: Callable[[], bool] | None, deadline_ms: int) -> bool:
        """Step until `done()` or until the clock stands at `deadline_ms`; says whether `done()`
        came true.

        Nothing due later than the deadline happens; the clock never stops before it unless `done()`
        is true. The caller's `cause` is put back afterwards: what others did meanwhile was not done
        in its name.
        """
        cause, rests = self.cause, COLLECTOR.rest()
        try:
            while not (self.halted if done is None else done()):
                due = self.next_at_ms()
                if due is None or due > deadline_ms:
                    if self.now_ms < deadline_ms:
                        self.now_ms = deadline_ms
                    return done is not None and done()
                self._run_queue(due, done)
            return True
        finally:
            self.cause = cause
            if rests:
                COLLECTOR.resume()

    def _run_queue(self, at_ms: int, done: Callable[[], bool] | None) -> None:
        """Fire what is due at `at_ms`, the next to come there, until its queue is empty or
        `done()`: `step`, without looking at the heap in between, because nothing can be scheduled
        for an earlier time. (A callback may step the clock itself, past this.)"""
        self.now_ms = at_ms
        queue = self._queues[at_ms]
        while self._at_ms == at_ms and self._position < len(queue):
            timer = queue[self._position]
            self._position += 1
            callback, args, cause = timer
            if callback is not None:
                timer[0] = None
                self.cause = cause
                callback(*args)
                if self.halted if done is None else done():
                    return
