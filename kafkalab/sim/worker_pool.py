"""Who does the work when one thread polls? A pool of workers beside it: the second way to use many
threads with a consumer.

    pool = WorkerPool(lab, workers=4, work=store, name="ada")
    pool.submit(record)            # and back at once; a free worker takes it, or it waits in the
                                   queue
    pool.finished()                # what was finished since the last time you asked, in the order
                                   in which it was finished

Java's would be a ThreadPoolExecutor. A worker is a thread of the process `name`: `lab.kill(name)`
ends it in the middle of its work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from kafkalab.sim.apps import Signal

LONGEST_WORK_MS = 24 * 3_600_000
"""A day: how long a worker may take over one record before whoever waits for it gives up."""


class WorkerPool:
    """`workers` threads that call `work(record)`, a plain blocking function,
    with what is submitted, the oldest first."""

    def __init__(self, lab: Any, workers: int, work: Callable[[Any], object], name: str) -> None:
        if workers < 1:
            raise ValueError(f"A pool needs at least one worker, not {workers}.")
        self._lab, self._work, self.name = lab, work, name
        self._free = list(range(1, workers + 1))
        self._queue: deque[Any] = deque()
        self._finished: list[Any] = []
        self._news = Signal()

    def submit(self, record: Any) -> None:
        """Hand a record over and go on."""
        self._queue.append(record)
        if self._free:
            self._lab.spawn(self._worker, self._free.pop(0), name=self.name)

    def finished(self) -> list[Any]:
        """The records finished since the last call, in the order in which they were finished."""
        found, self._finished = self._finished, []
        return found

    def wait(self) -> None:
        """Stand still until everything submitted is finished. Whoever waits here does not poll."""
        while self.unfinished:
            self._news.clear()
            self._lab.stage.wait_for(
                self._news,
                f"the end of what the pool {self.name!r} works on",
                besides_ms=LONGEST_WORK_MS,
            )

    @property
    def unfinished(self) -> int:
        """How many records have been submitted and not finished:
        those that wait, and those in somebody's hands."""
        return len(self._queue) + self._busy

    _busy = 0

    def _worker(self, lab: Any, number: int) -> None:
        while self._queue:
            record = self._queue.popleft()
            self._busy += 1
            self._note("begins", number, record)
            self._work(record)
            self._note("ends", number, record)
            self._busy -= 1
            self._finished.append(record)
            self._news.set()
        self._free.append(number)
        self._free.sort()

    def _note(self, what: str, number: int, record: Any) -> None:
        self._lab.journal.append(
            "work",
            self.name,
            what=what,
            worker=number,
            partition=f"{record.topic}-{record.partition}",
            offset=record.offset,
            key=record.key,
        )
