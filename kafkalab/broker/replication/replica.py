"""Replica: one copy of a partition; at the leader it holds the followers' positions and moves the
high watermark.

Kafka's classes are Partition and Replica. The rules are functions at the end of the file. They take
and return numbers, so that a chapter, a test or a vector can call them without a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

from kafkalab.broker.cluster.cluster_state import Partition
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.broker.replication.learners_watermark import Rule, learners_watermark
from kafkalab.errors import Errors

Member = TypeVar("Member")
UNKNOWN_OFFSET = -1
LONG_AGO_MS = 1 << 40
"""A time that is longer before the lab's begin than any lag time."""


class Follower:
    """A leader's state of one follower (Kafka's class is Replica).

    log_end_offset   the offset of its last fetch: it has all records before; -1 until it has
                     fetched from this leader
    caught_up_ms     the last time at which it had all records of the leader
    """

    __slots__ = ("caught_up_ms", "fetched_ms", "leader_end_then", "log_end_offset")

    def __init__(self, caught_up_ms: int) -> None:
        self.log_end_offset = UNKNOWN_OFFSET
        self.caught_up_ms = caught_up_ms
        self.fetched_ms, self.leader_end_then = 0, UNKNOWN_OFFSET

    def fetched(self, offset: int, leader_end: int, now_ms: int) -> None:
        """Record a fetch from `offset`. A follower that reaches the log end of its previous fetch
        was caught up at that fetch (KAFKA-3093)."""
        if offset >= leader_end:
            self.caught_up_ms = max(self.caught_up_ms, now_ms)
        elif offset >= self.leader_end_then >= 0:
            self.caught_up_ms = max(self.caught_up_ms, self.fetched_ms)
        self.log_end_offset = offset
        self.fetched_ms, self.leader_end_then = now_ms, leader_end


class Replica:
    """A partition on this broker: its cluster state, its log and, at the leader, its followers
    (Partition).

    led_epoch         the leader epoch in which this broker leads, -1 while it does not
    epoch_start       the log end when that epoch began
    isr_wanted        the requested ISR that is not yet confirmed; None without a request
    journalled_ends   the ends of the log that the journal has last
    """

    __slots__ = (
        "epoch_start",
        "followers",
        "isr_wanted",
        "journalled_ends",
        "led_epoch",
        "log",
        "partition",
    )

    def __init__(self, partition: Partition, log: PartitionLog) -> None:
        self.partition, self.log = partition, log
        self.journalled_ends: tuple[int, ...] = ()
        self.led_epoch, self.epoch_start = -1, 0
        self.followers: dict[int, Follower] = {}
        self.isr_wanted: tuple[int, ...] | None = None

    @property
    def is_alone(self) -> bool:
        """Whether the partition has no followers."""
        return len(self.partition.replicas) == 1

    @property
    def knows_watermark(self) -> bool:
        """Whether the high watermark has reached the start of the leader's epoch. A new leader may
        know a lower one than its predecessor."""
        return self.led_epoch < 0 or self.log.high_watermark >= self.epoch_start

    def lead(self, now_ms: int) -> None:
        """Lead in the partition's present epoch (Partition.makeLeader).

        A new leader does not know its followers' positions until they fetch; one that led before
        keeps them. A follower outside the ISR counts as behind for long.
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
                    follower.log_end_offset = 0  # without records no follower lacks any
                follower.caught_up_ms = now_ms if id in partition.isr else -LONG_AGO_MS

    def follow(self) -> None:
        """Stop leading the partition (Partition.makeFollower)."""
        self.led_epoch, self.isr_wanted = -1, None
        self.followers = {}

    def advance(
        self,
        now_ms: int,
        lag_ms: int,
        may_join_isr: Callable[[int], bool],
        waits_for_min_isr: int = 0,
        rule: Rule | None = None,
    ) -> bool:
        """Move the high watermark as far as the followers allow; says whether it moved
        (maybeIncrementLeaderHW).

        may_join_isr: whether a broker outside the ISR is one to wait for.
        waits_for_min_isr: it does not move while the ISR is smaller than this (3.7, for KIP-966); 0
        for no such rule. rule: a learner's rule instead of the smallest log end in sync.
        """
        log, isr = self.log, self.partition.isr
        if self.followers and len(isr) < waits_for_min_isr:
            return False
        in_sync = [
            id
            for id, follower in self.followers.items()
            if id in isr
            or (self.isr_wanted and id in self.isr_wanted)
            or (now_ms - follower.caught_up_ms <= lag_ms and may_join_isr(id))
        ]
        leader = self.partition.leader
        ends = {id: max(known.log_end_offset, 0) for id, known in self.followers.items()}
        ends[leader] = log.log_end_offset
        if rule is None:
            safe = high_watermark_of(ends, (leader, *in_sync))
        else:
            safe = learners_watermark(rule, ends, (leader, *in_sync), log.log_end_offset)
        if safe <= log.high_watermark:
            return False
        log.high_watermark = safe
        return True

    def may_join(self, follower: int) -> bool:
        """Whether a follower is outside the ISR and has enough records to join it."""
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


def high_watermark_of(log_ends: Mapping[Member, int], isr: Iterable[Member]) -> int:
    """The smallest log end among the replicas in sync."""
    return min(log_ends[member] for member in isr)


def shrinks(at_leader_end: bool, behind_for_ms: int, lag_ms: int) -> bool:
    """Whether a follower leaves the ISR. Only time decides, not the number of missing records
    (KIP-16).

    A follower with all records never leaves. One that has not been caught up for more than
    replica.lag.time.max.ms leaves.
    """
    return not at_leader_end and behind_for_ms > lag_ms


def expands(log_end: int, high_watermark: int, epoch_start: int) -> bool:
    """Whether a follower joins the ISR: it has all committed records, and those from before the
    leader's epoch (Partition.isFollowerInSync)."""
    return log_end >= high_watermark and log_end >= epoch_start


def enough_in_sync(isr: Collection[object], min_isr: int) -> bool:
    """Whether a record with acks=all may be appended (min.insync.replicas)."""
    return len(isr) >= min_isr


def verdict_of_ack(
    high_watermark: int, required: int, isr_size: int, min_isr: int
) -> Errors | None:
    """The answer to a waiting acks=all produce; None while it has to wait
    (Partition.checkEnoughReplicasReachOffset)."""
    if high_watermark < required:
        return None
    return Errors.NONE if isr_size >= min_isr else Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND
