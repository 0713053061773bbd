"""Refuses a second thread inside a consumer (KafkaConsumer.acquire and release): a consumer is not
safe for several threads.

An app is a thread here, and so is the cell of a notebook. The same thread may come in again: a
rebalance listener commits inside poll(). Only wakeup() may be called by another thread.
"""

from __future__ import annotations

from typing import Any

from kafkalab.errors import ConcurrentModificationException
from kafkalab.sim.apps import App, Stage, current_app

TEXT = "KafkaConsumer is not safe for multi-threaded access"
FRONT = ("main", 1)
"""Name and number of the thread that is no app."""


class OneThread:
    """A lock without waiting: a second thread is refused."""

    def __init__(self, stage: Stage, names_both: bool) -> None:
        self._stage, self._names_both = stage, names_both
        self._owner: App | None = None
        self._depth = 0

    def acquire(self) -> None:
        """Raises ConcurrentModificationException while another thread is inside."""
        here = current_app()
        if self._depth and here is not self._owner:
            name, number = self._thread(here)
            both = (
                f". currentThread(name: {name}, id: {number}) otherThread(id: "
                f"{self._thread(self._owner)[1]})"
            )
            raise ConcurrentModificationException(TEXT + (both if self._names_both else ""))
        self._owner = here
        self._depth += 1

    def release(self) -> None:
        self._depth -= 1

    def _thread(self, app: App | None) -> tuple[str, int]:
        return FRONT if app is None else (app.name, FRONT[1] + 1 + self._stage.apps.index(app))

    def during(self, what: Any) -> GuardedCall:
        """`what`, a context manager, with the lock held."""
        return GuardedCall(self, what)


class GuardedCall:
    """One call of the application, with the lock held until it returns."""

    __slots__ = ("_lock", "_what")

    def __init__(self, lock: OneThread, what: Any) -> None:
        self._lock, self._what = lock, what

    def __enter__(self) -> None:
        self._what.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._lock.release()
        self._what.__exit__(*raised)
