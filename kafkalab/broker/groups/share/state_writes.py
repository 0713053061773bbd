"""StateWrites: has the states of share partitions written by the share coordinator
(DefaultStatePersister, PersisterStateManager, KIP-932).

The leader of a partition sends WRITE_SHARE_GROUP_STATE to the share coordinator, which appends to
the topic `__share_group_state`. One such request is under way at a time. What comes in the meantime
goes together with the next one. It is a pure machine of one broker.

Simplified: the request has no message, takes the same time always, and is not sent again. All share
coordinators count as one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kafkalab.broker.effects import Effect, SetTimer
from kafkalab.broker.groups.share.share_partition import (
    AcknowledgeOutcome,
    Moved,
    SharePartition,
)
from kafkalab.broker.steps import Step

SHARE_WRITE = "share write"
"""The kind of timer that ends a request."""

WRITING_MS = 3
"""How long a request takes. Recorded: a SHARE_ACKNOWLEDGE with records needs 2 to 8 ms more than
one without, and up to 85 ms when it is the broker's first."""

Key = tuple[str, str, int]
"""Group, topic and number of a share partition."""


@dataclass(slots=True, eq=False)
class StateWrite:
    """New states of records of one share partition.

    in_transition  whether nobody can acquire the records before they are written
    told           takes the outcome, and returns what follows; None where nobody waits for it
    """

    key: Key
    partition: SharePartition
    moved: list[Moved]
    in_transition: bool = True
    told: Callable[[AcknowledgeOutcome], list[Effect]] | None = None


class StateWrites:
    """The writes of one broker, in their order."""

    def __init__(self) -> None:
        self._under_way: list[StateWrite] = []
        self._next: list[StateWrite] = []

    def add(self, write: StateWrite, now_ms: int) -> list[Effect]:
        """Send a write, or let it wait for the end of the request that is under way."""
        if self._under_way:
            self._next.append(write)
            return []
        self._under_way = [write]
        return [_timer(now_ms)]

    def take_written(self, now_ms: int) -> Step[list[StateWrite]]:
        """The request is answered: what it has written. The next one leaves."""
        done, self._under_way, self._next = self._under_way, self._next, []
        if self._under_way:
            yield _timer(now_ms)
        return done

    def forget(self) -> None:
        """Drop everything in memory: the process has died."""
        self._under_way, self._next = [], []


def _timer(now_ms: int) -> SetTimer:
    return SetTimer((SHARE_WRITE,), now_ms + WRITING_MS)
