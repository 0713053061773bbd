"""ClassicGroupState: the five states of a group of the classic protocol, and the moves.

Kafka's enum is ClassicGroupState (ClassicGroupState in the Scala coordinator; the table is the same
in both). JoinPhase.transition_to is the only place that changes a group's state; it checks the move
here.
"""

from __future__ import annotations

import enum

from kafkalab.moves import moves_of


class ClassicGroupState(enum.Enum):
    """The state of a classic group. Each member names the coordinator's actions in it and the moves
    out of it."""

    EMPTY = "Empty"
    """The group has no members; it may have committed offsets.

    action: answer JOIN_GROUP of new members; accept commits with generation -1 (a consumer that
        assigns itself)
    transition: a first member joins => PREPARING_REBALANCE; the last offset expires, or the group
        is deleted => DEAD
    """

    PREPARING_REBALANCE = "PreparingRebalance"
    """The group waits until all members have joined again.

    action: answer HEARTBEAT and SYNC_GROUP with REBALANCE_IN_PROGRESS; remove members that leave;
        park JOIN_GROUP until all known members have joined, or the longest rebalance timeout has
        passed; accept commits of the old generation
    transition: members have joined => COMPLETING_REBALANCE; all have left => EMPTY; the group moves
        away => DEAD
    """

    COMPLETING_REBALANCE = "CompletingRebalance"
    """The members are known, and the leader computes the assignment.

    action: park SYNC_GROUP of followers until the leader's arrives; refuse commits with
        REBALANCE_IN_PROGRESS
    transition: the leader's SYNC_GROUP => STABLE; a member joins, leaves, changes or fails =>
        PREPARING_REBALANCE; the group moves away => DEAD
    """

    STABLE = "Stable"
    """Every member has its assignment and works.

    action: answer HEARTBEAT with NONE, SYNC_GROUP with the present assignment, an unchanged
        follower's JOIN_GROUP with the present generation; accept commits of this generation
    transition: a member joins, leaves or fails, the leader joins again, a member changes what it
        supports => PREPARING_REBALANCE; the group moves away => DEAD
    """

    DEAD = "Dead"
    """The group is deleted, or another broker coordinates it now.

    action: answer everything with COORDINATOR_NOT_AVAILABLE
    transition: none
    """

    def __str__(self) -> str:
        return self.value


MOVES = moves_of(
    ClassicGroupState,
    "EMPTY -> PREPARING_REBALANCE DEAD",
    "PREPARING_REBALANCE -> EMPTY COMPLETING_REBALANCE DEAD",
    "COMPLETING_REBALANCE -> PREPARING_REBALANCE STABLE DEAD",
    "STABLE -> PREPARING_REBALANCE DEAD",
    "DEAD -> DEAD",
)
"""State -> the states that may follow. DEAD may follow itself, as in Kafka."""
