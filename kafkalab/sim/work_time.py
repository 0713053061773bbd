"""Lets the threads of a lab's clients take time for their work.

In a usual lab a step of a client takes no time. All its lines have one time, and what arrives later
is handled by itself. With a `WorkTime` each thread has a time of its own. It is ahead of the lab's
clock while the thread works. Every line takes the time that `cost_ms` says. A thread looks at its
network again when the clock has reached its time, and handles all that has arrived by then. The
lines of two threads stand in the order of their times.

What the clients note besides lines (sockets, requests, states) keeps the time of the clock.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from kafkalab.sim.apps import FOREVER_MS
from kafkalab.sim.scheduler import Scheduler

THREAD_STARTS_MS = 3
"""A new thread writes its first line so much later than its starter could, at most."""

Entry = tuple[Any, ...]
"""A line as the journal keeps it: (at_ms, statement, who, cause, values)."""

CostOfLine = Callable[[str, Any, Any, int], int]
"""(client, the statement before, the statement, ms at most) -> ms of work between the two lines."""


class WorkingThread:
    """A thread that takes time.

    at_ms   where it is; the fraction orders the lines of two threads within a millisecond
    before  the statement of its last line, or of its starter's
    ends_ms when it has done what it does now, at the latest
    """

    __slots__ = ("at_ms", "before", "ends_ms")

    def __init__(self, at_ms: float, before: Any = None) -> None:
        self.at_ms, self.before = at_ms, before
        self.ends_ms = FOREVER_MS


class WorkTime:
    """The threads of all clients of a lab.

    kept     the entries of the journal; lines are added to them
    cost_ms  how long a thread works between two lines
    stream   name -> the stream of chance of that name; each client has its own
    """

    def __init__(
        self,
        clock: Scheduler,
        kept: list[Entry],
        cost_ms: CostOfLine,
        stream: Callable[[str], random.Random],
    ) -> None:
        self._clock, self._kept, self._cost_ms, self._stream = clock, kept, cost_ms, stream
        self._threads: dict[object, WorkingThread] = {}
        self._last: dict[str, WorkingThread] = {}
        self._moments: dict[int, float] = {}
        self._longest_ms: dict[str, int] = {}

    @property
    def now_ms(self) -> int:
        """The time at which the running thread is. It is never before the lab's clock."""
        thread = self._threads.get(self._clock.thread)
        return self._clock.now_ms if thread is None else max(int(thread.at_ms), self._clock.now_ms)

    def write(self, entry: Entry) -> None:
        """Keeps a line at the time of the thread that writes it.

        A thread that has waited for the network or for a time writes at once. To wake up after
        another thread's line takes the time of the two lines.
        """
        now_ms, statement, who, cause, values = entry
        thread, last = self._thread(), self._last.get(who)
        if thread.at_ms < now_ms:
            thread.at_ms, thread.before = now_ms, None
            if last is not None and now_ms <= last.at_ms < now_ms + 1:
                thread.at_ms, thread.before = last.at_ms, last.before
        before = thread.before
        left_ms = max(0, thread.ends_ms - int(thread.at_ms))
        left_ms = min(left_ms, self._longest_ms.get(who, FOREVER_MS))
        cost_ms = 0 if before is None else self._cost_ms(who, before, statement, left_ms)
        thread.at_ms = self._later(thread.at_ms, cost_ms, who)
        thread.before = statement
        self._last[who] = thread
        self._moments[len(self._kept)] = thread.at_ms
        self._kept.append((int(thread.at_ms), statement, who, cause, values))

    def moment_of(self, entry_id: int) -> float:
        """The time of the line of that id, with its fraction of a millisecond."""
        return self._moments[entry_id]

    def work_until(self, at_ms: int) -> None:
        """The running thread works until then, and writes nothing."""
        thread = self._thread()
        thread.at_ms = max(thread.at_ms, at_ms)

    def end_by(self, at_ms: int) -> None:
        """The lines that the running thread writes from now on are written by then; FOREVER_MS
        takes that back. Work that would take longer was done on a faster machine."""
        self._thread().ends_ms = at_ms

    def is_fast(self, who: str, longest_ms: int) -> None:
        """No work of that client between two lines takes longer, on the machine where it runs."""
        self._longest_ms[who] = longest_ms

    def fork(self, new: object, who: str, told: bool) -> int:
        """The running thread starts another one of `who`. Returns the time at which that begins.

        told: the line that was written last is the first one of the new thread. Its starter goes on
        at the same time.
        """
        starter = self._thread()
        begins_ms = max(starter.at_ms, self._clock.now_ms)
        if told:
            begins_ms += THREAD_STARTS_MS * self._luck(who)
            line = len(self._kept) - 1
            self._moments[line] = begins_ms
            self._kept[line] = (int(begins_ms), *self._kept[line][1:])
        self._threads[new] = WorkingThread(begins_ms, starter.before)
        return int(begins_ms)

    def _thread(self) -> WorkingThread:
        key = self._clock.thread
        thread = self._threads.get(key)
        if thread is None:
            thread = self._threads[key] = WorkingThread(self._clock.now_ms)
        return thread

    def _later(self, at_ms: float, cost_ms: int, who: str) -> float:
        """Where the next line is: `cost_ms` milliseconds later, or later in the same one."""
        if cost_ms:
            return int(at_ms) + cost_ms + self._luck(who)
        return at_ms + (1 - at_ms % 1) * self._luck(who)

    def _luck(self, who: str) -> float:
        return self._stream(f"{who}/work").random()
