"""What brokers say to one another while they replicate. Frozen values, smaller than Kafka's FETCH,
with the same content.

A follower's FETCH names only the partitions whose position has changed since the last one
(KIP-227); the leader remembers the others in the follower's session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.protocol.messages import RecordBatch


class Position(NamedTuple):
    """Where a follower stands in one partition.

    offset         its log end: what it wants next
    last_epoch     the leader epoch of its last record (KIP-595); -1 where the release does not send
                   it
    current_epoch  the leader epoch it believes in (KIP-320)
    """

    offset: int
    last_epoch: int
    current_epoch: int


class FollowerFetch(NamedTuple):
    """FETCH of a follower. `full` begins a new session;
    otherwise `moved` and `dropped` are what changed."""

    number: int
    full: bool
    moved: Mapping[PartitionKey, Position]
    dropped: tuple[PartitionKey, ...] = ()


class FetchedPart(NamedTuple):
    """One partition of the leader's answer.

    error      a code of Errors; 0 for none
    batches    (leader epoch, batch), in offset order
    diverging  (epoch, end offset): the follower's last records are not the leader's, which last
               agreed up to there (KIP-595)
    """

    error: int
    leader_epoch: int = -1
    batches: tuple[tuple[int, RecordBatch], ...] = ()
    high_watermark: int = -1
    log_start_offset: int = -1
    log_end_offset: int = -1
    diverging: tuple[int, int] | None = None


class FollowerFetched(NamedTuple):
    number: int
    parts: Mapping[PartitionKey, FetchedPart]


class EpochAsk(NamedTuple):
    """OFFSET_FOR_LEADER_EPOCH of a follower (KIP-101): where did these epochs end? key -> (epoch
    believed in, epoch asked)."""

    number: int
    asked: Mapping[PartitionKey, tuple[int, int]]


class EpochTold(NamedTuple):
    """key -> (error, epoch, end offset); epoch and offset are -1
    where the leader knows none that old."""

    number: int
    ends: Mapping[PartitionKey, tuple[int, int, int]]


PeerMessage = FollowerFetch | FollowerFetched | EpochAsk | EpochTold
