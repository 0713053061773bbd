"""The messages between followers and leaders: short forms of FETCH and OFFSET_FOR_LEADER_EPOCH.

They are frozen values with the content of Kafka's messages. A follower's FETCH names only the
partitions whose position has changed since the last one (KIP-227); the leader keeps the others in
the follower's session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.protocol.messages import RecordBatch


class Position(NamedTuple):
    """A follower's position in one partition (FetchRequest.PartitionData).

    offset         its log end, from which it fetches next
    last_epoch     the leader epoch of its last record (KIP-595); -1 where the release does not send
                   it
    current_epoch  the leader epoch that it knows (KIP-320)
    """

    offset: int
    last_epoch: int
    current_epoch: int


class FollowerFetch(NamedTuple):
    """A follower's FETCH. `full` begins a new session; otherwise `moved` and `dropped` are the
    changes."""

    number: int
    full: bool
    moved: Mapping[PartitionKey, Position]
    dropped: tuple[PartitionKey, ...] = ()


class FetchedPart(NamedTuple):
    """One partition of the leader's answer (FetchResponse.PartitionData).

    error      a code of Errors; 0 for none
    batches    (leader epoch, batch), in offset order
    diverging  (epoch, end offset): the leader does not have the follower's last records; the two
               logs are equal at most up to there (KIP-595)
    """

    error: int
    leader_epoch: int = -1
    batches: tuple[tuple[int, RecordBatch], ...] = ()
    high_watermark: int = -1
    log_start_offset: int = -1
    log_end_offset: int = -1
    diverging: tuple[int, int] | None = None


class FollowerFetchResponse(NamedTuple):
    number: int
    parts: Mapping[PartitionKey, FetchedPart]


class EpochRequest(NamedTuple):
    """A follower's OFFSET_FOR_LEADER_EPOCH, which requests the end of epochs (KIP-101).

    asked: key -> (the leader epoch that the follower knows, the epoch whose end it requests)"""

    number: int
    asked: Mapping[PartitionKey, tuple[int, int]]


class EpochResponse(NamedTuple):
    """The leader's answer to OFFSET_FOR_LEADER_EPOCH.

    ends: key -> (error, epoch, end offset); epoch and offset are -1 where the leader has no epoch
    that old"""

    number: int
    ends: Mapping[PartitionKey, tuple[int, int, int]]


PeerMessage = FollowerFetch | FollowerFetchResponse | EpochRequest | EpochResponse
