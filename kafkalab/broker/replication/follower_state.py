"""FollowState: the three states of a follower that copies a partition, and the moves.

Kafka's enum is ReplicaState, of AbstractFetcherThread.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping


class FollowState(enum.Enum):
    """Each member says what the follower does, and what ends it."""

    TRUNCATING = "Truncating"
    """It does not know yet how much of its log the leader shares.

    action: ask the leader where the own last leader epoch ended, and drop what lies beyond
        (KIP-101)
    transition: what is left is the leader's too => FETCHING; the leader refuses => DELAYED
    """

    FETCHING = "Fetching"
    """It copies.

    action: fetch from the own log end on; since 2.7 drop what the answer calls diverging (KIP-595)
    transition: the leader refuses => DELAYED
    """

    DELAYED = "Delayed"
    """The leader answered with an error.

    action: leave the partition out of fetches for replica.fetch.backoff.ms
    transition: the time is over => TRUNCATING where the log has to be compared first, else FETCHING
    """


MOVES: Mapping[FollowState, tuple[FollowState, ...]] = {
    FollowState.TRUNCATING: (FollowState.FETCHING, FollowState.DELAYED),
    FollowState.FETCHING: (FollowState.DELAYED,),
    FollowState.DELAYED: (FollowState.TRUNCATING, FollowState.FETCHING),
}
