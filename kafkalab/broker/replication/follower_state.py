"""FollowState: the three states of a follower that copies a partition, and the moves.

Kafka's enum is ReplicaState, of AbstractFetcherThread.
"""

from __future__ import annotations

import enum

from kafkalab.moves import moves_of


class FollowState(enum.Enum):
    """The state of a followed partition. Each member names the follower's actions in it and the
    moves out of it."""

    TRUNCATING = "Truncating"
    """The follower does not know yet which part of its log the leader has, too.

    action: ask the leader for the end of the follower's last leader epoch, and truncate the log
        there (KIP-101)
    transition: the remaining log is the leader's, too => FETCHING; the leader refuses => DELAYED
    """

    FETCHING = "Fetching"
    """The follower copies the leader's log.

    action: fetch from the follower's log end on; since 2.7 drop the records that the answer calls
        diverging (KIP-595)
    transition: the leader refuses => DELAYED
    """

    DELAYED = "Delayed"
    """The leader answered with an error.

    action: leave the partition out of fetches for replica.fetch.backoff.ms
    transition: the backoff has passed => TRUNCATING where the log has to be compared first, else
        FETCHING
    """


MOVES = moves_of(
    FollowState,
    "TRUNCATING -> FETCHING DELAYED",
    "FETCHING -> DELAYED",
    "DELAYED -> TRUNCATING FETCHING",
)
