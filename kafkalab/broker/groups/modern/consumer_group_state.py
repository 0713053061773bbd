"""The life of a group of the new protocol (KIP-848), and of one member of it as the coordinator
sees it.

Kafka's enums are ConsumerGroup.ConsumerGroupState and modern.MemberState. A group's state is not
decided but follows from its epochs and its members; the tables say which moves that can lead to.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType


class ConsumerGroupState(enum.Enum):
    EMPTY = "Empty"
    """Nobody is a member, but committed offsets may remain.

    transition: a first member joins => ASSIGNING, or RECONCILING or STABLE at once, as its
    heartbeat computes the target
    """

    ASSIGNING = "Assigning"
    """The group epoch is ahead of the target assignment's: somebody came, went or changed, and no
    heartbeat has computed it anew.

    transition: a heartbeat computes the target => RECONCILING or STABLE; the last member leaves =>
    EMPTY
    """

    RECONCILING = "Reconciling"
    """There is a target, and members are on their way to it, each at its own pace.

    transition: the last member has reached it => STABLE; the group epoch grows => ASSIGNING; the
    last member leaves => EMPTY
    """

    STABLE = "Stable"
    """Every member owns what the target gives it.

    transition: the group epoch grows => ASSIGNING, or RECONCILING when the same heartbeat computes
        the target; the last member leaves => EMPTY
    """

    DEAD = "Dead"
    """Nothing of the group is kept any more.

    transition: none
    """

    def __str__(self) -> str:
        return self.value


_ALL = frozenset(
    {
        ConsumerGroupState.EMPTY,
        ConsumerGroupState.ASSIGNING,
        ConsumerGroupState.RECONCILING,
        ConsumerGroupState.STABLE,
    }
)

MOVES: Mapping[ConsumerGroupState, frozenset[ConsumerGroupState]] = MappingProxyType(
    {
        ConsumerGroupState.EMPTY: frozenset({*_ALL, ConsumerGroupState.DEAD})
        - {ConsumerGroupState.EMPTY},
        ConsumerGroupState.ASSIGNING: _ALL - {ConsumerGroupState.ASSIGNING},
        ConsumerGroupState.RECONCILING: _ALL - {ConsumerGroupState.RECONCILING},
        ConsumerGroupState.STABLE: _ALL - {ConsumerGroupState.STABLE},
        ConsumerGroupState.DEAD: frozenset(),
    }
)
"""From each state, where a group may go."""


class ConsumerGroupMemberState(enum.Enum):
    STABLE = "STABLE"
    """It owns what the target of its epoch gives it.
    Next: any other when there is a newer target."""
    UNREVOKED_PARTITIONS = "UNREVOKED_PARTITIONS"
    """It was told to give up partitions and has not said that it did; its epoch waits for that.
    Next: STABLE, UNRELEASED_PARTITIONS."""
    UNRELEASED_PARTITIONS = "UNRELEASED_PARTITIONS"
    """It is in the target's epoch, but others still hold some of its partitions. Next: STABLE when
    they are free, UNREVOKED_PARTITIONS under a newer target."""


MEMBER_MOVES: Mapping[ConsumerGroupMemberState, frozenset[ConsumerGroupMemberState]] = (
    MappingProxyType(
        {state: frozenset(ConsumerGroupMemberState) for state in ConsumerGroupMemberState}
    )
)
"""CurrentAssignmentBuilder goes from each to each: what counts is the target, not the way there."""
