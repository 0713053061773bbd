"""Runs a lab's callbacks in order of virtual time: one clock, and one queue of callbacks per time.

Everything in kafkalab that takes time is a callback in one of these queues. Their order is (time,
order of scheduling). So a run depends on its seed and on nothing else. The model is SimPy's
`core.py`, without processes and without floating point time. Time is counted in whole milliseconds.
So many callbacks share one time, and the heap of times is read once for all of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, Protocol

from kafkalab.sim.garbage import COLLECTOR
from kafkalab.sim.timer import Timer


class ThreadTimes(Protocol):
    """What a clock knows of threads whose work takes time; `kafkalab.sim.work_time` has it."""

    @property
    def now_ms(self) -> int: ...
    def write(self, entry: tuple[Any, ...]) -> None: ...
    def moment_of(self, entry_id: int) -> float: ...
    def work_until(self, at_ms: int) -> None: ...
    def end_by(self, at_ms: int) -> None: ...
    def is_fast(self, who: str, longest_ms: int) -> None: ...
    def fork(self, new: object, who: str, told: bool) -> int: ...


class Scheduler:
    """The clock and the heap.

    now_ms     the virtual time, whole milliseconds since the lab began
    cause      the id of the journal event that caused the code that runs now; `at` stores it and
               the callback restores it, so that every journal entry has its cause
    scheduled  the number of callbacks scheduled so far, to count the cost of a wait
    halted     whether the clock stops after this callback; see `run`
    thread     whose code runs now: an app, a loop, the clock itself, or None for the front
    work       how long the threads work; None where a step takes no time
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
        "thread",
        "work",
    )

    def __init__(self) -> None:
        self.now_ms = 0
        self.cause: int | None = None
        self.scheduled = 0
        self.halted = False
        self.thread: object = None
        self.work: ThreadTimes | None = None
        self._times: list[int] = []
        self._queues: dict[int, list[list[Any]]] = {}
        self._at_ms = -1  # the time whose queue is run now, and the next index in it
        self._position = 0

    def at(self, at_ms: int, callback: Callable[..., object], *args: Any) -> Timer:
        """Run callback(*args) at `at_ms`.

        A past time means now, after the callbacks that are due now.
        """
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
        """As `at`, for a callback that is never cancelled. Most callbacks are of this sort."""
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
        """The time of the next callback; None when there is none."""
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
        """Run the next callback and move the clock to it. False when there is none."""
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

    @property
    def thread_ms(self) -> int:
        """Where the running thread is: ahead of the clock while it works."""
        return self.now_ms if self.work is None else self.work.now_ms

    def halt(self) -> None:
        """Stop the clock after this callback."""
        self.halted = True

    def run(self, deadline_ms: int) -> bool:
        """Step until `halt` is called or the clock reaches `deadline_ms`. Returns whether it was
        halted.

        A condition that is checked after every callback costs more than many callbacks. So a
        waiting caller has the awaited callback call `halt`.
        """
        self.halted = False
        return self.run_until(None, deadline_ms)

    def run_until(self, done: Callable[[], bool] | None, deadline_ms: int) -> bool:
        """Step until `done()` or until the clock reaches `deadline_ms`. Returns whether `done()` is
        true.

        Callbacks later than the deadline do not run. The clock never stops before the deadline
        unless `done()` is true. The caller's `cause` is restored afterwards, because it did not
        cause the callbacks of others.
        """
        cause, thread, rests = self.cause, self.thread, COLLECTOR.rest()
        self.thread = self
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
            self.cause, self.thread = cause, thread
            if rests:
                COLLECTOR.resume()

    def _run_queue(self, at_ms: int, done: Callable[[], bool] | None) -> None:
        """Run the callbacks of `at_ms` until their queue is empty or `done()`.

        This is `step` without a look at the heap after each callback: no callback can be scheduled
        for an earlier time. A callback may itself step the clock beyond `at_ms`.
        """
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
