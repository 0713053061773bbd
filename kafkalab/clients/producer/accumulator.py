"""RecordAccumulator: keeps records in batches, one queue a partition (internals.RecordAccumulator).

A batch may be sent when it is full, when another one waits behind it, when it has waited linger.ms
(or its backoff after a failure), when memory is exhausted, or when the producer flushes or closes.
`drain` decides what a request takes of the waiting batches, and in which order.
"""

from __future__ import annotations

import enum
import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kafkalab.clients.network.hash_order import partitions_in_hash_order
from kafkalab.clients.network.log_context import Later, LogContext
from kafkalab.clients.network.metadata import ClusterView
from kafkalab.clients.network.node import Node
from kafkalab.clients.producer.buffer_pool import BufferPool
from kafkalab.clients.producer.builtin_partitioner import StickyChoice
from kafkalab.clients.producer.learners_drain import (
    DrainLimits,
    NextRequest,
    QueueView,
    chosen_numbers,
)
from kafkalab.clients.producer.node_latency import NodeLatency
from kafkalab.clients.producer.partition_choice import PartitionChooser
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.clients.producer.producer_batch import FinalState, ProducerBatch
from kafkalab.clients.producer.record_send import Send
from kafkalab.clients.producer.retry_backoff import RetryBackoff
from kafkalab.clients.producer.transactions.transaction_manager import TransactionManager
from kafkalab.errors import KafkaException, java_text
from kafkalab.protocol.compression import Compression, CompressionRatioEstimator
from kafkalab.protocol.messages import WireRecord, batch_size_upper_bound
from kafkalab.records import TopicPartition
from kafkalab.sim.apps import FOREVER_MS

if TYPE_CHECKING:
    from kafkalab.releases import Profile


@dataclass(slots=True)
class Ready:
    """The result of one check of the queues.

    nodes           leaders that have data ready
    delay_ms        how long until others may have
    leaderless      topics with data for a partition without a known leader
    """

    nodes: dict[int, Node] = field(default_factory=dict)
    delay_ms: int = FOREVER_MS
    leaderless: dict[str, None] = field(default_factory=dict)


class Append(enum.Enum):
    """The result of one attempt to append a record."""

    MOVED = "moved"
    """The choice is another partition by now; nothing was appended."""
    NO_ROOM = "no room"
    """A new batch is needed, and memory for it."""
    JOINED = "joined"
    """It is in a batch that may still wait for more."""
    FILLED = "filled"
    """It is in a batch, and a batch of the partition is full."""
    OPENED = "opened"
    """It is in a new batch, which has taken the memory."""


class RecordAccumulator:
    """The queues of one producer. rng: for backoffs. chooser: is told how long the queues are.

    batches     by partition, the oldest batch first
    incomplete  batches whose outcome is not known yet, sent or not
    pool        the memory they take
    muted       partitions that have to wait for the answer to their last batch
                (max.in.flight.requests.per.connection=1)
    flushing    how many flushes wait: then no batch lingers
    completing  whether a transaction is to end: no batch lingers then, either (2.4)
    closed      the producer is closing: nothing lingers, nothing more is taken
    next_request  a learner's rule in place of `ready` and `drain`, where there is one
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        profile: Profile,
        log: LogContext,
        plain_log: LogContext,
        rng: random.Random,
        chooser: PartitionChooser,
    ) -> None:
        self._batch_size: int = max(1, config["batch.size"])
        self.batches: dict[TopicPartition, deque[ProducerBatch]] = {}
        self.incomplete: dict[int, ProducerBatch] = {}
        self.pool = BufferPool(config["buffer.memory"], self._batch_size)
        self.estimator = CompressionRatioEstimator()
        self.latency = NodeLatency(config.get("partitioner.availability.timeout.ms", 0))
        self.muted: set[TopicPartition] = set()
        self.flushing = 0
        self.completing = False
        self.closed = False
        self.next_request: NextRequest | None = None
        self._in_flight_limit: int = config["max.in.flight.requests.per.connection"]
        self._profile, self._log, self._plain = profile, log, plain_log
        self._linger_ms = config["linger.ms"]
        self._compression = Compression(
            config["compression.type"],
            config.get(f"compression.{config['compression.type']}.level"),
        )
        self._is_adaptive = (
            config.get("partitioner.adaptive.partitioning.enable", False)
            and config["partitioner.class"] is None
        )
        self._backoff = RetryBackoff(config, profile, rng)
        self._chooser = chooser
        self._drain_index: dict[int, int] = {}
        self._ordered: dict[str, tuple[int, list[TopicPartition]]] = {}

    # appending

    def append(
        self, send: Send, choice: StickyChoice | None, now_ms: int, buffer_bytes: int = 0
    ) -> Append:
        """Puts a record into the partition's last batch; where that has no room, into a new one if
        there is memory for it. KafkaException after close().

        choice: of the partition, where it may move. buffer_bytes: memory that was allocated for a
        new batch; 0 without
        """
        tp, record = send.where, send.wire
        queue = self.batches.get(tp)
        last = queue[-1] if queue else None
        if choice is not None and choice.has_moved(last is None or last.is_full):
            return Append.MOVED
        if self.closed:
            raise KafkaException("Producer closed while send in progress")
        if queue and last is not None:
            if last.has_room_for(record):
                before_bytes = last.size_bytes
                last.append(record, send.outcome(tp))
                if choice is not None:
                    choice.took(last.size_bytes - before_bytes, last.is_full)
                return Append.FILLED if last.is_full or len(queue) > 1 else Append.JOINED
            last.close_for_appends()
        if not buffer_bytes:
            return Append.NO_ROOM
        ratio = self.estimator.estimation(tp.topic, self._compression.type)
        batch = ProducerBatch(tp, now_ms, buffer_bytes, buffer_bytes, self._compression, ratio)
        batch.append(record, send.outcome(tp))
        self.batches.setdefault(tp, deque()).append(batch)
        self.incomplete[id(batch)] = batch
        if choice is not None:
            choice.took(batch.size_bytes, batch.is_full)
        return Append.OPENED

    def buffer_bytes_for(self, record: WireRecord) -> int:
        """How much memory a new batch for this record takes:
        batch.size, or more if the record needs it."""
        return max(self._batch_size, batch_size_upper_bound(record))

    # checking

    def ready(self, view: ClusterView, now_ms: int) -> Ready:
        """The leaders that have data ready."""
        found = Ready()
        for topic in dict.fromkeys([tp.topic for tp in self.batches]):
            self._topic_ready(topic, view, now_ms, found)
        return found

    def _topic_ready(self, topic: str, view: ClusterView, now_ms: int, found: Ready) -> None:
        tps = self._partitions_of(topic)
        all_seen = self._is_adaptive and len(tps) >= len(view.topics.get(topic, ()))
        sizes, ids = [], []
        for tp in tps:
            queue, leader = self.batches[tp], view.leader(tp)
            is_slow = leader is not None and bool(queue) and self.latency.is_slow(leader.id)
            if leader is not None and not is_slow:
                sizes.append(len(queue))
                ids.append(tp.partition)
            if not queue:
                continue
            backing_off = self._backs_off(queue[0], view, now_ms)
            if leader is None:
                found.leaderless[topic] = None
            elif leader.id not in found.nodes and tp not in self.muted:
                self._batch_ready(queue, leader, backing_off, now_ms, found)
        self._chooser.on_load(topic, sizes if all_seen else None, ids, len(tps))

    def _batch_ready(
        self,
        queue: deque[ProducerBatch],
        leader: Node,
        backing_off: bool,
        now_ms: int,
        found: Ready,
    ) -> None:
        batch = queue[0]
        wait_ms = self._backoff.wait_ms(batch) if backing_off else self._linger_ms
        waited_ms = batch.waited_ms(now_ms)
        sendable = (
            len(queue) > 1
            or batch.is_full
            or waited_ms >= wait_ms
            or bool(self.pool.waiters)
            or self.closed
            or self.flushing > 0
            or self.completing
        )
        if sendable and not backing_off:
            found.nodes[leader.id] = leader
        else:
            found.delay_ms = min(found.delay_ms, max(0, wait_ms - waited_ms))

    def _partitions_of(self, topic: str) -> list[TopicPartition]:
        known = self._ordered.get(topic)
        if known is None or known[0] != len(self.batches):  # a queue that was opened is kept
            tps = [tp for tp in self.batches if tp.topic == topic]
            known = self._ordered[topic] = (
                len(self.batches),
                partitions_in_hash_order(tps)
                if self._profile.producing.ready_in_hash_order
                else sorted(tps),
            )
        return known[1]

    def _backs_off(self, batch: ProducerBatch, view: ClusterView, now_ms: int) -> bool:
        """Whether a batch that failed must still wait. From 3.6 on it need not if its partition has
        another leader now (KAFKA-15415)."""
        waits = self._waits(batch, now_ms)
        if not self._profile.producing.batches_follow_leader:
            return waits
        self._note_leader(batch, view)
        backs_off = waits and not batch.leader_changed
        if backs_off:
            self._log("BATCH_BACKED_OFF", batch=batch.shown)
        else:
            self._log(
                "BATCH_NOT_BACKED_OFF",
                batch=batch.shown,
                should_wait="true" if waits else "false",
                leader_changed="true" if batch.leader_changed else "false",
            )
        return backs_off

    def _waits(self, batch: ProducerBatch, now_ms: int) -> bool:
        return batch.attempts > 0 and batch.waited_ms(now_ms) < self._backoff.wait_ms(batch)

    def _note_leader(self, batch: ProducerBatch, view: ClusterView) -> None:
        known = view.partitions.get(batch.partition)
        epoch = None if known is None or known.leader is None else known.epoch
        newer = epoch is not None and (batch.leader_epoch is None or batch.leader_epoch < epoch)
        self._plain(
            "BATCH_LEADER_UPDATED" if newer else "BATCH_LEADER_KEPT",
            batch=batch.shown,
            epoch=Later(_optional, batch.leader_epoch),
            attempts_then=batch.attempts_at_leader_change,
            new_epoch=Later(_optional, epoch),
            attempts=batch.attempts,
        )
        if newer:
            batch.leader_epoch, batch.attempts_at_leader_change = epoch, batch.attempts

    # sending

    def drain(
        self,
        view: ClusterView,
        cluster: Cluster,
        nodes: list[Node],
        now_ms: int,
        max_bytes: int,
        transactions: TransactionManager | None,
    ) -> dict[Node, list[ProducerBatch]]:
        """Takes at most one batch a partition for each ready node, up to max_bytes a request; a
        batch that is taken gets its sequence from `transactions`. The walk begins at another
        partition each time, so that every partition has its turn."""
        drained = {}
        for node in nodes:
            batches = self._drain_node(node, view, cluster, now_ms, max_bytes, transactions)
            if batches:
                drained[node] = batches
        return drained

    def _drain_node(
        self,
        node: Node,
        view: ClusterView,
        cluster: Cluster,
        now_ms: int,
        max_bytes: int,
        transactions: TransactionManager | None,
    ) -> list[ProducerBatch]:
        partitions = cluster.partitions_for_node(node.id)
        if not partitions:
            return []
        counts_nodes_apart = self._profile.producing.drain_index_by_node
        key = node.id if counts_nodes_apart else -1
        start = self._drain_index.get(key, 0) % len(partitions)
        size = 0
        taken: list[ProducerBatch] = []
        for step in range(len(partitions)):
            at = (start + step) % len(partitions)
            # Where a full request ended, newer clients go on with the partition that did not fit,
            # older ones with the one behind it.
            self._drain_index[key] = at if counts_nodes_apart else (at + 1) % len(partitions)
            tp = TopicPartition(partitions[at].topic, partitions[at].partition)
            queue = self.batches.get(tp)
            if not queue or tp in self.muted:
                continue
            batch = queue[0]
            if self._backs_off(batch, view, now_ms):
                continue
            if size + batch.size_bytes > max_bytes and taken:
                break
            if transactions is not None and not transactions.may_drain(batch):
                break
            taken.append(self._take(queue, now_ms, transactions))
            size += batch.size_bytes
        return taken

    def leaders(self, view: ClusterView) -> dict[int, Node]:
        """The leaders of all partitions with waiting batches, by id."""
        found = {}
        for tp, queue in self.batches.items():
            leader = view.leader(tp) if queue else None
            if leader is not None:
                found[leader.id] = leader
        return dict(sorted(found.items()))

    def drain_by_rule(
        self,
        node: Node,
        cluster: Cluster,
        now_ms: int,
        max_bytes: int,
        transactions: TransactionManager | None,
        in_flight: int,
    ) -> list[ProducerBatch]:
        """What the learner's rule puts into the next request to a node. The walk of the next
        request begins where Kafka's would: at the first batch that could have gone and was left."""
        assert self.next_request is not None, "there is a rule"
        partitions = cluster.partitions_for_node(node.id)
        start = self._drain_index.get(node.id, 0) % len(partitions)
        order = [(start + step) % len(partitions) for step in range(len(partitions))]
        walk = [
            (at, queue)
            for at in order
            if (
                queue := self.batches.get(
                    TopicPartition(partitions[at].topic, partitions[at].partition)
                )
            )
        ]
        views = [self._queue_view(queue, now_ms) for _, queue in walk]
        if not views:
            return []
        limits = DrainLimits(max_bytes, self._linger_ms, self._in_flight_limit)
        places = chosen_numbers(self.next_request(views, in_flight, limits), views)
        if not places or in_flight >= self._in_flight_limit:
            return []  # a full connection takes nothing, whatever the rule says
        left = [
            at
            for place, (at, _) in enumerate(walk)
            if place not in places and not views[place].muted and not views[place].backs_off
        ]
        self._drain_index[node.id] = left[0] if left else order[-1]
        taken = []
        for place in places:
            queue = walk[place][1]
            if transactions is not None and not transactions.may_drain(queue[0]):
                break
            taken.append(self._take(queue, now_ms, transactions))
        return taken

    def _queue_view(self, queue: deque[ProducerBatch], now_ms: int) -> QueueView:
        batch = queue[0]
        return QueueView(
            partition=batch.partition.partition,
            topic=batch.partition.topic,
            bytes=batch.size_bytes,
            batches=len(queue),
            is_full=batch.is_full or len(queue) > 1,
            waited_ms=batch.waited_ms(now_ms),
            muted=batch.partition in self.muted,
            backs_off=self._waits(batch, now_ms)
            and not (self._profile.producing.batches_follow_leader and batch.leader_changed),
        )

    def _take(
        self, queue: deque[ProducerBatch], now_ms: int, transactions: TransactionManager | None
    ) -> ProducerBatch:
        """The first batch of a queue, closed and numbered."""
        batch = queue.popleft()
        if transactions is not None:
            transactions.stamp(batch)
        batch.drained_ms = now_ms
        batch.build(self.estimator)
        return batch

    # returning

    def reenqueue(self, batch: ProducerBatch, now_ms: int) -> None:
        """A failed batch returns to the front of its queue, a numbered one to the place of its
        number."""
        batch.reenqueued(now_ms)
        self._put_back(batch)

    def _put_back(self, batch: ProducerBatch) -> None:
        queue = self.batches.setdefault(batch.partition, deque())
        position = 0
        if batch.has_sequence:
            while (
                position < len(queue)
                and queue[position].has_sequence
                and queue[position].base_sequence < batch.base_sequence
            ):
                position += 1
            if position:
                self._log(
                    "BATCH_REORDERED",
                    sequence=batch.base_sequence,
                    partition=batch.partition,
                    position=position,
                )
        queue.insert(position, batch)

    def split(self, batch: ProducerBatch) -> list[ProducerBatch]:
        """The broker found the batch too large: its records are put into smaller batches, at the
        front of the queue, as if never tried.

        batch.size is the size of the parts. A batch that is not larger than that is put back
        unchanged, and until 4.0 was sent unchanged until delivery.timeout.ms; later it is halved
        again and again (KAFKA-8350).
        """
        topic = batch.partition.topic
        self.estimator.reset(topic, self._compression.type, max(1.0, batch.compression_ratio))
        limit = self._batch_size
        if batch.is_split and self._profile.producing.halves_split_batches:
            limit = max(batch.largest_record_bytes, batch.size_bytes // 2)
        parts = batch.split(limit)
        for part in reversed(parts):
            self.incomplete[id(part)] = part
            self._put_back(part)
        return parts

    def expired(self, now_ms: int, limit_ms: int) -> list[ProducerBatch]:
        """Takes out the batches that were opened `limit_ms` (delivery.timeout.ms) ago or
        earlier."""
        found = []
        for queue in self.batches.values():
            while queue and now_ms - queue[0].created_ms >= limit_ms:
                batch = queue.popleft()
                batch.close_for_appends()
                found.append(batch)
        return found

    def next_expiry_ms(self, limit_ms: int) -> int:
        """When (virtual time) the next waiting batch expires."""
        return min(
            [queue[0].created_ms + limit_ms for queue in self.batches.values() if queue],
            default=FOREVER_MS,
        )

    def has_undrained(self) -> bool:
        return any(self.batches.values())

    def finish(
        self, batch: ProducerBatch, state: FinalState, base_offset: int, error: BaseException | None
    ) -> bool:
        """The outcome of a batch is known: its records receive it, its memory is free. False if
        that was so before."""
        was_open = batch.finish(state, base_offset, error)
        self.forget(batch)
        return was_open

    def forget(self, batch: ProducerBatch) -> None:
        """The batch has ended: its memory is returned."""
        if self.incomplete.pop(id(batch), None) is not None and batch.buffer_bytes:
            self.pool.deallocate(batch.buffer_bytes)

    def abort_incomplete(self) -> None:
        """The producer is closed by force: nothing more is sent, and every record without an
        outcome fails."""
        self.closed = True
        self.pool.close()
        self.abort_batches(KafkaException("Producer is closed forcefully."))
        self.batches.clear()

    def abort_batches(self, reason: BaseException) -> None:
        """Every record without an outcome fails with `reason`."""
        self._abort(list(self.incomplete.values()), reason)

    def abort_undrained(self, reason: BaseException) -> None:
        """As above, for the batches that have no sequence yet: never sent, or not numbered
        (abortUndrainedBatches)."""
        self._abort(
            [batch for queue in self.batches.values() for batch in queue if not batch.has_sequence],
            reason,
        )

    def _abort(self, batches: list[ProducerBatch], reason: BaseException) -> None:
        for batch in batches:
            queue = self.batches.get(batch.partition)
            if queue and batch in queue:
                queue.remove(batch)
            batch.close_for_appends()
            self._plain(
                "BATCH_ABORTED", partition=batch.partition, error=reason, trace=java_text(reason)
            )
            self.finish(batch, FinalState.ABORTED, -1, reason)


def _optional(number: int | None) -> str:
    return "OptionalInt.empty" if number is None else f"OptionalInt[{number}]"
