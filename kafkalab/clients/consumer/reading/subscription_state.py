"""SubscriptionState: the subscription, the assignment and the positions of one consumer
(org.apache.kafka.clients.consumer.internals.SubscriptionState).

    position   the offset of the next record to hand to the application; a committed offset is a
               position too: the next record to read, not the last one read
    reset      no position yet and none committed: LIST_OFFSETS must find one, as auto.offset.reset
               says
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from kafkalab.clients.network.hash_order import partitions_in_hash_order
from kafkalab.clients.network.metadata import ClusterView
from kafkalab.clients.network.node import Node
from kafkalab.errors import IllegalStateException
from kafkalab.lines.cluster_text import leader_text
from kafkalab.moves import moves_of
from kafkalab.protocol.frozen import record
from kafkalab.protocol.messages import FetchPartition
from kafkalab.records import OffsetAndMetadata, TopicPartition

EXCLUSIVE = "Subscription to topics, partitions and pattern are mutually exclusive"


class FetchState(enum.Enum):
    """The states of a partition (SubscriptionState.FetchStates)."""

    INITIALIZING = "INITIALIZING"
    """Just assigned, without a position. Next: FETCHING with a committed offset, AWAIT_VALIDATION
    when that knows its epoch, AWAIT_RESET without one."""
    AWAIT_RESET = "AWAIT_RESET"
    """The reset policy decides. Next: FETCHING when LIST_OFFSETS has answered."""
    AWAIT_VALIDATION = "AWAIT_VALIDATION"
    """The position is known, but the log may have been cut off before it (KIP-320). Next: FETCHING
    when the leader has confirmed it, AWAIT_RESET when the application asks for one."""
    FETCHING = "FETCHING"
    """The position is known. Next: AWAIT_RESET when it turns out to be outside the log,
    AWAIT_VALIDATION under a new leader."""


MOVES = moves_of(
    FetchState,
    "INITIALIZING -> AWAIT_RESET AWAIT_VALIDATION FETCHING",
    "AWAIT_RESET -> AWAIT_RESET AWAIT_VALIDATION FETCHING",
    "AWAIT_VALIDATION -> AWAIT_RESET AWAIT_VALIDATION FETCHING",
    "FETCHING -> AWAIT_RESET AWAIT_VALIDATION FETCHING",
)


@record
class FetchPosition:
    """A position: the next offset to fetch, the epoch of that offset if known, the leader."""

    offset: int
    offset_epoch: int | None
    leader: Node | None
    leader_epoch: int | None

    def led_by(self, leader: Node, leader_epoch: int | None) -> FetchPosition:
        """The same position at another leader."""
        if leader is self.leader and leader_epoch == self.leader_epoch:
            return self
        return replace(self, leader=leader, leader_epoch=leader_epoch)

    def text(self, style: str) -> str:
        """As Java prints it: `plain` up to 2.3, `optional` (leader=Optional[..]) later."""
        epoch = "Optional.empty" if self.offset_epoch is None else f"Optional[{self.offset_epoch}]"
        if style == "plain":
            named = (
                f"LeaderAndEpoch{{leader={self.leader}, "
                f"epoch={-1 if self.leader_epoch is None else self.leader_epoch}}}"
            )
        else:
            named = leader_text(self.leader, self.leader_epoch)
        return f"FetchPosition{{offset={self.offset}, offsetEpoch={epoch}, currentLeader={named}}}"


@dataclass(slots=True)
class PartitionState:
    """The state of one partition.

    next_retry_ms    a reset or a validation is not asked for again before this time
    high_watermark   from the last answer, with the two other ends of the log
    read_replica     the follower that the leader named for reading, until its time has passed
                     (preferredReadReplica, KIP-392)
    pending_revocation  about to be revoked: it is not fetched, and its records are not returned
    leader           the broker to fetch from, as found in the metadata `leader_as_of`; it is looked
                     up again when the metadata is another
    asked            the partition's entry in a fetch, valid as long as the position is `asked_at`
    """

    state: FetchState = FetchState.INITIALIZING
    position: FetchPosition | None = None
    paused: bool = False
    read_replica: int | None = None
    read_replica_until_ms: int = 0
    told: tuple[int | None, int | None] | None = None
    pending_revocation: bool = False
    reset_strategy: str | None = None
    next_retry_ms: int | None = None
    high_watermark: int | None = None
    log_start_offset: int | None = None
    last_stable_offset: int | None = None
    leader: Node | None = None
    leader_as_of: ClusterView | None = None
    asked: FetchPartition | None = None
    asked_at: FetchPosition | None = None

    @property
    def valid_position(self) -> FetchPosition:
        """The position of a partition that has one: in FETCHING and AWAIT_VALIDATION
        (SubscriptionState.validPosition)."""
        assert self.position is not None, f"{self.state} has no position yet"
        return self.position

    @property
    def has_valid_position(self) -> bool:
        """Whether records may be fetched from the position (FetchState.hasValidPosition)."""
        return self.state is FetchState.FETCHING

    def transition_to(self, after: FetchState) -> None:
        self.state = MOVES.step(self.state, after)


def _tell_nobody(kind: str, **fields: object) -> None:
    """Writes nothing: there is no journal."""


class SubscriptionState:
    """The topics the application asked for, and the partitions it received.

    tell          tell(kind, **fields) is called with the partitions that are read and their
                  positions, for the journal: "assigned", "position"
    group_topics  the topics that all members of the group want, known to the leader alone: it
                  watches them for the others
    pattern       the pattern that the names of topics must match in full, None without; `topics`
                  then holds those that do
    """

    def __init__(
        self,
        reset_strategy: str,
        tell: Callable[..., object] = _tell_nobody,
        with_internal_topics: bool = False,
    ) -> None:
        self.default_reset = reset_strategy
        self._tell = tell
        self._with_internal_topics = with_internal_topics
        self.pattern: re.Pattern[str] | None = None
        self.topics: tuple[str, ...] = ()
        self.group_topics: tuple[str, ...] = ()
        self.auto_assigned = False
        self.partitions: dict[TopicPartition, PartitionState] = {}
        self._has_all: bool | None = None
        self.listener = None

    def metadata_topics(self) -> tuple[str, ...]:
        """The topics whose metadata this consumer needs (metadataTopics)."""
        return (*self.topics, *(topic for topic in self.group_topics if topic not in self.topics))

    def check_kind(self, by_group: bool) -> None:
        """Checks that the consumer does not change between assignment by its group and by its user:
        to change, it must unsubscribe. IllegalStateException."""
        if self.topics and self.auto_assigned is not by_group:
            raise IllegalStateException(EXCLUSIVE)

    @property
    def is_subscribed(self) -> bool:
        """Whether the application has subscribed or assigned. A pattern may match nothing yet."""
        return bool(self.topics) or self.pattern is not None

    def subscribe(self, topics: tuple[str, ...], listener: Any) -> None:
        """Raises IllegalStateException after a subscription by pattern."""
        if self.pattern is not None:
            raise IllegalStateException(EXCLUSIVE)
        self.topics = tuple(dict.fromkeys(topics))
        self.auto_assigned = True
        self.listener = listener

    def subscribe_to_pattern(self, pattern: re.Pattern[str], listener: Any) -> None:
        """Raises IllegalStateException after a subscription to topics by name."""
        if self.topics and self.pattern is None:
            raise IllegalStateException(EXCLUSIVE)
        self.pattern, self.auto_assigned, self.listener = pattern, True, listener

    def retains(self, topic: str, is_internal: bool) -> bool:
        """Whether a subscription by pattern keeps this topic (ConsumerMetadata.retainTopic)."""
        wanted = (
            self.pattern is not None
            and self.pattern.fullmatch(topic)
            and (not is_internal or self._with_internal_topics)
        )
        return bool(wanted) or topic in self.group_topics

    def match(self, topics: Iterable[str]) -> bool:
        """Subscribes to those of `topics` that match the pattern; returns whether these are others
        than before."""
        pattern = self.pattern
        assert pattern is not None, "only a subscription by pattern is matched"
        found = tuple(sorted(topic for topic in topics if pattern.fullmatch(topic)))
        if found == self.topics:
            return False
        self.topics = found
        return True

    def assign_from_user(self, partitions: Collection[TopicPartition]) -> None:
        self.auto_assigned = False
        self.topics = tuple(dict.fromkeys(tp.topic for tp in partitions))
        self._replace(partitions)

    def assign_from_subscribed(self, partitions: Collection[TopicPartition]) -> None:
        self._replace(partitions)

    def unsubscribe(self) -> None:
        self.topics, self.group_topics, self.auto_assigned, self.pattern = (), (), False, None
        self._replace(())

    def _replace(self, partitions: Collection[TopicPartition]) -> None:
        before, self._has_all = self.partitions, None
        self.partitions = {tp: before.get(tp, PartitionState()) for tp in partitions}
        if before.keys() != self.partitions.keys():
            self._tell("assigned", partitions=list(map(str, self.partitions)))

    def assigned(self) -> list[TopicPartition]:
        return list(self.partitions)

    def assigned_in_hash_order(self) -> list[TopicPartition]:
        """The assignment as a Java HashMap iterates over it: the order of lines and requests."""
        return partitions_in_hash_order(self.partitions)

    def wants(self, topic: str) -> bool:
        """Whether the topic is part of the subscription."""
        return topic in self.topics or (
            self.pattern is not None and self.pattern.fullmatch(topic) is not None
        )

    def mark_pending_revocation(self) -> None:
        for state in self.partitions.values():
            state.pending_revocation = True

    def is_fetchable(self, tp: TopicPartition) -> bool:
        state = self.partitions[tp]
        return (
            not state.paused and not state.pending_revocation and state.state is FetchState.FETCHING
        )

    def fetchable(self) -> list[tuple[TopicPartition, PartitionState]]:
        """Partitions with a position that are not paused, in the order of fetching."""
        return [
            (tp, state)
            for tp, state in self.partitions.items()
            if state.state is FetchState.FETCHING
            and not state.paused
            and not state.pending_revocation
        ]

    def initializing(self) -> list[TopicPartition]:
        return [tp for tp, s in self.partitions.items() if s.state is FetchState.INITIALIZING]

    def needing_reset(self, now_ms: int) -> list[TopicPartition]:
        return [
            tp
            for tp, s in self.partitions.items()
            if s.state is FetchState.AWAIT_RESET
            and (s.next_retry_ms is None or now_ms >= s.next_retry_ms)
        ]

    def has_all_positions(self) -> bool:
        if self._has_all is None:  # the answer has changed since the last call
            self._has_all = all(
                state.state is FetchState.FETCHING for state in self.partitions.values()
            )
        return self._has_all

    def seek(self, tp: TopicPartition, position: FetchPosition) -> None:
        state = self.partitions[tp]
        self._change(state, FetchState.FETCHING)
        state.position, state.reset_strategy, state.next_retry_ms = position, None, None
        state.leader_as_of = None
        self._tell("position", partition=str(tp), offset=position.offset)

    def move_on(self, tp: TopicPartition, position: FetchPosition) -> None:
        """Records up to `position` were returned to the application."""
        self.partitions[tp].position = position
        self._tell("position", partition=str(tp), offset=position.offset)

    def seek_unvalidated(self, tp: TopicPartition, position: FetchPosition) -> None:
        """As above for a position that a leader must confirm first, if there is an epoch to ask
        about (KIP-320)."""
        if position.offset_epoch is None or position.leader_epoch is None:
            self.seek(tp, position)
            return
        state = self.partitions[tp]
        self._change(state, FetchState.AWAIT_VALIDATION)
        state.position, state.reset_strategy, state.next_retry_ms = position, None, None
        self._tell("position", partition=str(tp), offset=position.offset)
        state.leader_as_of = None

    def follow_leader(
        self, tp: TopicPartition, leader: Node | None, leader_epoch: int | None
    ) -> None:
        """A position with another leader, or another epoch of it, must be checked there
        (maybeValidatePositionForCurrentLeader)."""
        state = self.partitions.get(tp)
        if leader is not None and state is not None and state.state is FetchState.FETCHING:
            moved = state.valid_position.led_by(leader, leader_epoch)
            if moved is not state.position:
                self.seek_unvalidated(tp, moved)
                state.read_replica = None

    def prefer_replica(self, tp: TopicPartition, replica: int, until_ms: int) -> bool:
        """The leader has named a follower to read from; returns whether it is another one than
        before (updatePreferredReadReplica)."""
        state = self.partitions[tp]
        if state.read_replica == replica:
            return False
        state.read_replica, state.read_replica_until_ms = replica, until_ms
        return True

    def preferred_replica(self, tp: TopicPartition, now_ms: int) -> int | None:
        """The follower to read from; None for the leader (preferredReadReplica)."""
        state = self.partitions[tp]
        if state.read_replica is not None and now_ms > state.read_replica_until_ms:
            state.read_replica = None
        return state.read_replica

    def clear_preferred_replica(self, tp: TopicPartition) -> int | None:
        """Read from the leader again; returns the follower that was read from, if any
        (clearPreferredReadReplica)."""
        state = self.partitions.get(tp)
        if state is None:
            return None
        before, state.read_replica = state.read_replica, None
        return before

    def complete_validation(self, tp: TopicPartition) -> None:
        self._change(self.partitions[tp], FetchState.FETCHING)

    def _change(self, state: PartitionState, after: FetchState) -> None:
        state.transition_to(after)
        self._has_all = None

    def needing_validation(self, now_ms: int) -> list[TopicPartition]:
        if self._has_all:
            return []
        return [
            tp
            for tp, s in self.partitions.items()
            if s.state is FetchState.AWAIT_VALIDATION
            and (s.next_retry_ms is None or now_ms >= s.next_retry_ms)
        ]

    def request_reset(self, tp: TopicPartition, strategy: str | None = None) -> None:
        state = self.partitions[tp]
        self._change(state, FetchState.AWAIT_RESET)
        state.reset_strategy, state.next_retry_ms = strategy or self.default_reset, None
        self._tell("position", partition=str(tp), offset=None)

    def lag(self, tp: TopicPartition, isolation_level: str) -> int | None:
        """How many offsets lie between the position and the end this reader may see, by its last
        fetch (partitionLag)."""
        state = self.partitions[tp]
        end = (
            state.last_stable_offset
            if isolation_level == "read_committed"
            else state.high_watermark
        )
        return None if end is None or state.position is None else end - state.position.offset

    def lead(self, tp: TopicPartition) -> int | None:
        """How many offsets lie between the beginning of the log and the position (partitionLead);
        at 0 retention has reached the position."""
        state = self.partitions[tp]
        return (
            None
            if state.log_start_offset is None or state.position is None
            else state.position.offset - state.log_start_offset
        )

    def all_consumed(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The positions as a commit would carry them: a Java HashMap, so in the order of hashes and
        not of fetching."""
        states = [(tp, self.partitions[tp]) for tp in self.assigned_in_hash_order()]
        return {
            tp: OffsetAndMetadata(s.valid_position.offset, s.valid_position.offset_epoch)
            for tp, s in states
            if s.state is FetchState.FETCHING
        }
