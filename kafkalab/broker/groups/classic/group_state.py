"""The life of a consumer group (classic protocol): five states and the moves between them.

Kafka's enum is ClassicGroupState (ClassicGroupState in the Scala coordinator; the table is the same
in both). The coordinator changes a group's state in one place only, which looks the move up here.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType


class ClassicGroupState(enum.Enum):
    """Each member says what the coordinator does in that state, and what ends it."""

    EMPTY = "Empty"
    """Nobody is a member, but committed offsets may remain.

    action: answer JOIN_GROUP of new members; accept commits with generation -1 (a consumer that
        assigns itself)
    transition: a first member joins => PREPARING_REBALANCE; the last offset expires, or the group
        is deleted => DEAD
    """

    PREPARING_REBALANCE = "PreparingRebalance"
    """The group gathers: everyone has to join again.

    action: answer HEARTBEAT and SYNC_GROUP with REBALANCE_IN_PROGRESS; remove who leaves; park
        JOIN_GROUP until all known members have joined, or the longest rebalance timeout is over;
        accept commits of the old generation
    transition: members have joined => COMPLETING_REBALANCE; all have left => EMPTY; the group moves
        away => DEAD
    """

    COMPLETING_REBALANCE = "CompletingRebalance"
    """The members are known, the leader computes who gets what.

    action: park SYNC_GROUP of followers until the leader's arrives; refuse commits with
        REBALANCE_IN_PROGRESS
    transition: the leader's SYNC_GROUP => STABLE; a member joins, leaves, changes or fails =>
        PREPARING_REBALANCE; the group moves away => DEAD
    """

    STABLE = "Stable"
    """Everyone works.

    action: answer HEARTBEAT with NONE, SYNC_GROUP with the present assignment, an unchanged
        follower's JOIN_GROUP with the present generation; accept commits of this generation
    transition: a member joins, leaves or fails, the leader joins again, a member changes what it
        supports => PREPARING_REBALANCE; the group moves away => DEAD
    """

    DEAD = "Dead"
    """Nobody is a member and nothing is kept; or another broker coordinates the group now.

    action: answer everything with COORDINATOR_NOT_AVAILABLE
    transition: none
    """

    def __str__(self) -> str:
        return self.value


MOVES: Mapping[ClassicGroupState, frozenset[ClassicGroupState]] = MappingProxyType(
    {
        ClassicGroupState.EMPTY: frozenset(
            {ClassicGroupState.PREPARING_REBALANCE, ClassicGroupState.DEAD}
        ),
        ClassicGroupState.PREPARING_REBALANCE: frozenset(
            {
                ClassicGroupState.COMPLETING_REBALANCE,
                ClassicGroupState.EMPTY,
                ClassicGroupState.DEAD,
            }
        ),
        ClassicGroupState.COMPLETING_REBALANCE: frozenset(
            {
                ClassicGroupState.STABLE,
                ClassicGroupState.PREPARING_REBALANCE,
                ClassicGroupState.DEAD,
            }
        ),
        ClassicGroupState.STABLE: frozenset(
            {ClassicGroupState.PREPARING_REBALANCE, ClassicGroupState.DEAD}
        ),
        ClassicGroupState.DEAD: frozenset({ClassicGroupState.DEAD}),
    }
)
"""From each state, where a group may go. Dead is dead, but saying so twice does no harm."""


def may_move(before: ClassicGroupState, after: ClassicGroupState) -> bool:
    """Is this a legal transition?"""
    return after in MOVES[before]
