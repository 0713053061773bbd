"""The states of a KIP-848 group and of its members at the coordinator, and the moves.

Kafka's enums are ConsumerGroup.ConsumerGroupState and modern.MemberState. A group's state follows
from its epochs and its members; the tables hold the moves that can result.
"""

from __future__ import annotations

import enum

from kafkalab.moves import moves_of


class ConsumerGroupState(enum.Enum):
    EMPTY = "Empty"
    """The group has no members; it may have committed offsets.

    transition: a first member joins => ASSIGNING, or RECONCILING or STABLE at once, as its
    heartbeat computes the target
    """

    ASSIGNING = "Assigning"
    """The group epoch is ahead of the target's: a member changed, and no heartbeat has computed the
    target again.

    transition: a heartbeat computes the target => RECONCILING or STABLE; the last member leaves =>
    EMPTY
    """

    RECONCILING = "Reconciling"
    """The target is computed, and some members have not reached it yet.

    transition: the last member has reached it => STABLE; the group epoch grows => ASSIGNING; the
    last member leaves => EMPTY
    """

    STABLE = "Stable"
    """Every member owns what the target gives it.

    transition: the group epoch grows => ASSIGNING, or RECONCILING when the same heartbeat computes
        the target; the last member leaves => EMPTY
    """

    DEAD = "Dead"
    """The group is deleted.

    transition: none
    """

    def __str__(self) -> str:
        return self.value


MOVES = moves_of(
    ConsumerGroupState,
    "EMPTY -> ASSIGNING RECONCILING STABLE DEAD",
    "ASSIGNING -> EMPTY RECONCILING STABLE",
    "RECONCILING -> EMPTY ASSIGNING STABLE",
    "STABLE -> EMPTY ASSIGNING RECONCILING",
    "DEAD ->",
)
"""State -> the states that may follow."""


class ConsumerGroupMemberState(enum.Enum):
    """The states of a member. CurrentAssignmentBuilder moves from each to each: only the target
    counts."""

    STABLE = "STABLE"
    """The member owns what the target of its epoch assigns to it. Next: any other, under a newer
    target."""
    UNREVOKED_PARTITIONS = "UNREVOKED_PARTITIONS"
    """The member has to give up partitions and has not reported that it did; its epoch waits for
    that.
    Next: STABLE, UNRELEASED_PARTITIONS."""
    UNRELEASED_PARTITIONS = "UNRELEASED_PARTITIONS"
    """The member is in the target's epoch, but others still own some of its partitions. Next:
    STABLE when they are free, UNREVOKED_PARTITIONS under a newer target."""
