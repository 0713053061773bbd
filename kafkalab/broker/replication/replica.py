"""Replica: one copy of a partition; the leader's also knows how far each follower is.

Kafka's classes are Partition and Replica. The rules that decide are functions at the end: they take
numbers and return numbers, so that a chapter, a test or a vector can ask them without a cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from kafkalab.broker.cluster.cluster_state import Partition
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.errors import Errors

UNKNOWN_OFFSET = -1
LONG_AGO_MS = 1 << 40
"""So long before the lab began that no lag time reaches back to it."""


class Follower:
    """What a leader knows of one follower (RemoteReplica).

    log_end_offset   the offset of its last fetch: it has everything before; -1 until it has fetched
                     from this leader
    caught_up_ms     when it last had everything the leader had at that moment
    """

    __slots__ = ("caught_up_ms", "fetched_ms", "leader_end_then", "log_end_offset")

    def __init__(self, caught_up_ms: int) -> None:
        self.log_end_offset = UNKNOWN_OFFSET
        self.caught_up_ms = caught_up_ms
        self.fetched_ms, self.leader_end_then = 0, UNKNOWN_OFFSET

    def fetched(self, offset: int, leader_end: int, now_ms: int) -> None:
        """A fetch from `offset` came. Who has reached the end of a moment ago
        was caught up then (KAFKA-3093's rule)."""
        if offset >= leader_end:
            self.caught_up_ms = max(self.caught_up_ms, now_ms)
        elif offset >= self.leader_end_then >= 0:
            self.caught_up_ms = max(self.caught_up_ms, self.fetched_ms)
        self.log_end_offset = offset
        self.fetched_ms, self.leader_end_then = now_ms, leader_end


class Replica:
    """A partition on this broker: its place in the cluster and its log; as leader also its
    followers.

    led_epoch         the leader epoch in which this broker leads, -1 while it does not
    epoch_start       the log end when that epoch began
    isr_wanted        the ISR asked for and not yet confirmed; None when nothing is asked
    told              the ends of the log last journalled
    """

    __slots__ = ("epoch_start", "followers", "isr_wanted", "led_epoch", "log", "partition", "told")

    def __init__(self, partition: Partition, log: PartitionLog) -> None:
        self.partition, self.log = partition, log
        self.told: tuple[int, ...] = ()
        self.led_epoch, self.epoch_start = -1, 0
        self.followers: dict[int, Follower] = {}
        self.isr_wanted: tuple[int, ...] | None = None

    @property
    def is_alone(self) -> bool:
        """Nobody is to copy this partition."""
        return len(self.partition.replicas) == 1

    @property
    def knows_watermark(self) -> bool:
        """Has the high watermark reached where the leader began? A new leader may have heard of
        a lower one than its predecessor's."""
        return self.led_epoch < 0 or self.log.high_watermark >= self.epoch_start

    def lead(self, now_ms: int) -> None:
        """Lead in the partition's present epoch (Partition.makeLeader).

        To a new leader the followers' positions are unknown until they fetch. One that led before
        goes on knowing them. Who is not in the ISR counts as long behind.
        """
        partition, before = self.partition, self.followers if self.led_epoch >= 0 else {}
        self.log.note_epoch(partition.leader_epoch)
        self.led_epoch, self.epoch_start = partition.leader_epoch, self.log.log_end_offset
        self.isr_wanted = None
        self.followers = {}
        for id in partition.replicas:
            if id != partition.leader:
                follower = self.followers[id] = before.get(id) or Follower(0)
                if self.log.log_end_offset == 0:
                    follower.log_end_offset = 0  # nobody can lack anything
                follower.caught_up_ms = now_ms if id in partition.isr else -LONG_AGO_MS

    def follow(self) -> None:
        """Lead no longer."""
        self.led_epoch, self.isr_wanted = -1, None
        self.followers = {}

    def advance(self, now_ms: int, lag_ms: int, waits_for_min_isr: int = 0) -> bool:
        """Move the high watermark as far as the followers allow; says whether it moved
        (maybeIncrementLeaderHW).

        waits_for_min_isr: it stands still while the ISR is smaller than this (3.7, for KIP-966); 0
        for no such rule.
        """
        log, isr = self.log, self.partition.isr
        if self.followers and len(isr) < waits_for_min_isr:
            return False
        safe = log.log_end_offset
        for id, follower in self.followers.items():
            counts = (
                id in isr
                or (self.isr_wanted and id in self.isr_wanted)
                or now_ms - follower.caught_up_ms <= lag_ms
            )
            if counts and follower.log_end_offset < safe:
                safe = follower.log_end_offset
        if safe <= log.high_watermark:
            return False
        log.high_watermark = safe
        return True

    def may_join(self, follower: int) -> bool:
        """Is that follower outside the ISR and far enough to join it?"""
        if (
            follower in self.partition.isr
            or follower not in self.followers
            or self.isr_wanted is not None
        ):
            return False
        return expands(
            self.followers[follower].log_end_offset, self.log.high_watermark, self.epoch_start
        )

    def laggards(self, now_ms: int, lag_ms: int) -> list[int]:
        """Members of the ISR that have been behind for too long."""
        return [
            id
            for id, follower in self.followers.items()
            if id in self.partition.isr
            and shrinks(
                follower.log_end_offset == self.log.log_end_offset,
                now_ms - follower.caught_up_ms,
                lag_ms,
            )
        ]


# -- the rules


def high_watermark_of(log_ends: Mapping[object, int], isr: Iterable[object]) -> int:
    """The smallest log end among the replicas in sync."""
    return min(log_ends[member] for member in isr)


def shrinks(at_leader_end: bool, behind_for_ms: int, lag_ms: int) -> bool:
    """Does a follower leave the ISR? Time alone decides, how many records it lacks does not
    (KIP-16).

    Who has everything never leaves; who has not been caught up for more than
    replica.lag.time.max.ms does.
    """
    return not at_leader_end and behind_for_ms > lag_ms


def expands(log_end: int, high_watermark: int, epoch_start: int) -> bool:
    """Does a follower join the ISR? It has all that is committed, and what the leader began its
    epoch with (Partition.isFollowerInSync)."""
    return log_end >= high_watermark and log_end >= epoch_start


def enough_in_sync(isr: Collection[object], min_isr: int) -> bool:
    """May a record with acks=all be appended at all?"""
    return len(isr) >= min_isr


def verdict_of_ack(
    high_watermark: int, required: int, isr_size: int, min_isr: int
) -> Errors | None:
    """The answer to a waiting acks=all produce; None while it has to wait
    (Partition.checkEnoughReplicasReachOffset)."""
    if high_watermark < required:
        return None
    return Errors.NONE if isr_size >= min_isr else Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND
