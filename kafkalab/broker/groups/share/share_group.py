"""ShareGroup: one share group and its members (modern.share.ShareGroup), and how its partitions
are assigned (SimpleAssignor).

Unlike the other groups, several members may have one partition. So a member that leaves or comes
takes nothing from another member's hands, and nobody waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kafkalab.hashing import hash_map_order, java_string_hash

FIRST_EPOCH = 1
"""The epoch of a new group; its first member raises it."""

Place = tuple[str, int]
"""Topic and number of a partition."""


@dataclass(slots=True)
class ShareGroupMember:
    """A member (modern.share.ShareGroupMember). sent: the partitions of its last answer."""

    id: str
    client_id: str
    topics: tuple[str, ...] = ()
    epoch: int = 0
    sent: tuple[Place, ...] | None = None


@dataclass(slots=True)
class ShareGroup:
    """A share group.

    epoch, target_epoch  grows with each change; the epoch that the target was computed for
    ready                partitions whose state the share coordinator has initialised; only these
                         are assigned
    initializing         partition -> when that will be done
    computed_ms          when the target was last computed; None when never
    """

    id: str
    epoch: int = FIRST_EPOCH
    target_epoch: int = FIRST_EPOCH
    members: dict[str, ShareGroupMember] = field(default_factory=dict)
    target: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    ready: set[Place] = field(default_factory=set)
    initializing: dict[Place, int] = field(default_factory=dict)
    computed_ms: int | None = None


def simple(
    wanted: Mapping[str, Sequence[Place]], before: Mapping[str, Sequence[Place]]
) -> dict[str, tuple[Place, ...]]:
    """Assign each partition to a member, and each member a partition; with more members than
    partitions, members share. As even and as sticky as Java's SimpleAssignor, which may choose
    other members.

    wanted: member -> the partitions of its topics. before: the last target.
    """
    order = hash_map_order(wanted, java_string_hash)
    partitions = sorted({place for places in wanted.values() for place in places})
    if not order or not partitions:
        return dict.fromkeys(order, ())
    sharing = max(1, -(-len(order) // len(partitions)))
    quota, extras = divmod(sharing * len(partitions), len(order))
    used = dict.fromkeys(partitions, 0)
    target: dict[str, list[Place]] = {}
    for index, member in enumerate(order):
        most = max(1, quota + (index < extras))
        kept = [p for p in before.get(member, ()) if p in wanted[member] and used[p] < sharing]
        target[member] = kept[:most]
        for place in target[member]:
            used[place] += 1
    for index, member in enumerate(order):
        most = max(1, quota + (index < extras))
        free = sorted(
            (p for p in wanted[member] if p not in target[member]), key=lambda p: (used[p], p)
        )
        for place in free[: max(0, most - len(target[member]))]:
            if used[place] < sharing or not target[member]:
                target[member].append(place)
                used[place] += 1
    return {member: tuple(sorted(places)) for member, places in target.items()}
