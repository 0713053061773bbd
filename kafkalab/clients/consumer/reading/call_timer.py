"""How long may this call still take? (org.apache.kafka.common.utils.Timer)"""

from __future__ import annotations

from kafkalab.sim.scheduler import Scheduler


class CallTimer:
    """A deadline on the virtual clock."""

    __slots__ = ("_clock", "deadline_ms")

    def __init__(self, clock: Scheduler, timeout_ms: int) -> None:
        self._clock, self.deadline_ms = clock, clock.now_ms + timeout_ms

    @property
    def remaining_ms(self) -> int:
        left_ms = self.deadline_ms - self._clock.now_ms
        return left_ms if left_ms > 0 else 0

    @property
    def expired(self) -> bool:
        return self._clock.now_ms >= self.deadline_ms
