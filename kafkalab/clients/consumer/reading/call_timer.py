"""CallTimer: the time that a call may still take (org.apache.kafka.common.utils.Timer)."""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.sim.apps import LONGEST_GIVEN_MS, PATIENCE_MS
from kafkalab.sim.scheduler import Scheduler


class CallTimer:
    """A deadline on the virtual clock.

    A timeout of more than a year means: as long as it takes. Then `expired` raises `given_up(...)`
    after an hour.
    """

    __slots__ = ("_clock", "_given_up", "deadline_ms")

    def __init__(
        self, clock: Scheduler, timeout_ms: int, given_up: Callable[[str], Exception]
    ) -> None:
        is_given = timeout_ms <= LONGEST_GIVEN_MS
        self._clock = clock
        self.deadline_ms = clock.thread_ms + (timeout_ms if is_given else PATIENCE_MS)
        self._given_up = None if is_given else given_up

    @property
    def remaining_ms(self) -> int:
        left_ms = self.deadline_ms - self._clock.thread_ms
        return left_ms if left_ms > 0 else 0

    @property
    def expired(self) -> bool:
        if self._clock.thread_ms < self.deadline_ms:
            return False
        if self._given_up is not None:
            raise self._given_up("what this consumer's call waits for")
        return True
