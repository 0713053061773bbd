"""Runs a pool of worker threads that process records for one polling consumer thread.

It is the second way to use many threads with a KafkaConsumer.

    pool = WorkerPool(lab, workers=4, work=store, name="ada")
    pool.submit(record)            # returns at once; the record waits for a free worker
    pool.finished()                # the records finished since the last call, in order of finishing

Java's class is ThreadPoolExecutor. A worker is a thread of the process `name`: `lab.kill(name)`
ends it in the middle of its work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from kafkalab.sim.apps import App, Signal, Stage
from kafkalab.sim.journal import Journal

LONGEST_WORK_MS = 24 * 3_600_000
"""A day: the longest time of a worker for one record before a waiting caller gives up."""


class PoolLab(Protocol):
    """What a pool uses of a lab, which lies above this room: threads, the journal and waiting."""

    journal: Journal
    stage: Stage

    def spawn(
        self, function: Callable[..., object], *args: object, name: str | None = None
    ) -> App: ...


class WorkerPool:
    """`workers` threads that call the blocking function `work(record)` for each record, oldest
    first.
    """

    def __init__(
        self, lab: PoolLab, workers: int, work: Callable[[Any], object], name: str
    ) -> None:
        if workers < 1:
            raise ValueError(f"A pool needs at least one worker, not {workers}.")
        self._lab, self._work, self.name = lab, work, name
        self._free = list(range(1, workers + 1))
        self._queue: deque[Any] = deque()
        self._finished: list[Any] = []
        self._news = Signal()

    def submit(self, record: Any) -> None:
        """Give a record to the workers and return at once."""
        self._queue.append(record)
        if self._free:
            self._lab.spawn(self._worker, self._free.pop(0), name=self.name)

    def finished(self) -> list[Any]:
        """The records finished since the last call, in the order in which they were finished."""
        found, self._finished = self._finished, []
        return found

    def wait(self) -> None:
        """Wait until all submitted records are finished.

        The caller does not poll during this time.
        """
        while self.unfinished:
            self._news.clear()
            self._lab.stage.wait_for(
                self._news,
                f"the end of what the pool {self.name!r} works on",
                besides_ms=LONGEST_WORK_MS,
            )

    @property
    def unfinished(self) -> int:
        """The number of submitted records that are not finished: in the queue or with a worker."""
        return len(self._queue) + self._busy

    _busy = 0

    def _worker(self, lab: PoolLab, number: int) -> None:
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
            key=None if record.key is None else str(record.key),
        )
