"""AnyGroup: what groups of both protocols have, an id and committed offsets.

Kafka's interface is coordinator.group.Group, which ClassicGroup and ConsumerGroup implement.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

Place = tuple[str, int]
"""Topic and number of a partition."""

LOCALHOST = "/127.0.0.1"
"""A client's address as Java prints it; all clients of a lab run on one machine."""


class CommittedOffset(NamedTuple):
    """A committed offset, which is the offset of the next record to read (OffsetAndMetadata).

    leader_epoch: -1 where the client sent none.
    """

    offset: int
    leader_epoch: int
    metadata: str
    committed_at_ms: int


class AnyGroup:
    """A group of either protocol.

    pending_offsets: producer id -> the offsets in its open transaction.
    """

    members: dict[str, Any]

    def __init__(self, id: str) -> None:
        self.id = id
        self.offsets: dict[Place, CommittedOffset] = {}
        self.pending_offsets: dict[int, dict[Place, CommittedOffset]] = {}

    @property
    def is_vacant(self) -> bool:
        """Whether it has no members and no joining ones, so that the other protocol may take the id
        over."""
        return not self.members


class GroupsById(Protocol):
    """The groups of one protocol, as the machine of the other protocol uses them.

    __setitem__ gives back a group that was taken with pop: it takes groups of that protocol only.
    """

    def get(self, id: str, /) -> AnyGroup | None: ...

    def pop(self, id: str, /) -> AnyGroup: ...

    def __setitem__(self, id: str, group: Any, /) -> None: ...
