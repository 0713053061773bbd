"""Where do records wait? In batches, one queue a partition (internals.RecordAccumulator).

A batch may leave when it is full, when another one waits behind it, when it has waited linger.ms (or its backoff after a
failure), or when the producer flushes or closes. Left out: blocking on buffer.memory, compression.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from kafkalab.clients.hash_order import partitions_in_hash_order
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.metadata import ClusterView
from kafkalab.clients.node import Node
from kafkalab.clients.producer.producer_batch import Outcome, ProducerBatch
from kafkalab.clients.producer.transaction_manager import TransactionManager
from kafkalab.protocol.messages import WireRecord, batch_size_bytes
from kafkalab.records import TopicPartition
from kafkalab.sim.apps import FOREVER_MS
from kafkalab.sim.scheduler import Scheduler


class RecordAccumulator:
    """The queues.

    incomplete  batches whose outcome is not known yet, sent or not
    completing  whether a transaction is to end: no batch lingers then, either (2.4)
    flushing    how many flushes wait: then no batch lingers
    on_load     told the queues' lengths in each pass, for partitioners that look at them (KIP-794)
    """

    def __init__(self, config: Mapping, profile, log: LogContext, plain_log: LogContext, clock: Scheduler,
                 on_load: Callable[[str, list[tuple[int, int]] | None, int], None]) -> None:
        self.batches: dict[TopicPartition, deque[ProducerBatch]] = {}
        self.incomplete: list[ProducerBatch] = []
        self.flushing = 0
        self.completing = False
        self.closed = False
        self._config, self._profile, self._log, self._plain, self._clock = config, profile, log, plain_log, clock
        self._on_load = on_load
        self._linger_ms, self._batch_size = config["linger.ms"], config["batch.size"]
        self._backoff_ms = config["retry.backoff.ms"]
        self._drain_index: dict[int, int] = {}

    def has_room(self, partition: TopicPartition, record: WireRecord) -> bool:
        """Would the partition's last batch take this record?"""
        queue = self.batches.get(partition)
        return bool(queue) and self._fits(queue[-1], record)

    def append(self, partition: TopicPartition, record: WireRecord, outcome: Outcome, remaining_ms: int) -> bool:
        """Put a record into the partition's last batch or a new one; True when the Sender should look (batch full or new)."""
        queue = self.batches.setdefault(partition, deque())
        if queue and self._fits(queue[-1], record):
            batch, is_new = queue[-1], False
        else:
            if queue:
                queue[-1].is_full = True
            size = max(self._batch_size, batch_size_bytes((record,)))
            self._log("ALLOCATING_BUFFER", size=size, topic=partition.topic, partition=partition.partition, timeout_ms=remaining_ms)
            batch, is_new = ProducerBatch(partition, self._clock.now_ms), True
            queue.append(batch)
            self.incomplete.append(batch)
        batch.append(record, outcome)
        if batch.size_bytes >= self._batch_size:
            batch.is_full = True
        return is_new or len(queue) > 1 or batch.is_full

    def _fits(self, batch: ProducerBatch, record: WireRecord) -> bool:
        return not batch.is_full and not batch.attempts and batch.size_with(record) <= self._batch_size

    def ready(self, view: ClusterView, now_ms: int) -> tuple[list[Node], int, bool]:
        """Leaders that have data ready, how long (ms) until others may have, and whether some leader is unknown."""
        nodes: dict[int, Node] = {}
        delay_ms = FOREVER_MS
        leader_unknown = False
        for topic in dict.fromkeys(tp.topic for tp in self.batches):
            queues = self._queues_of(topic)
            all_seen = len(queues) >= len(view.topics.get(topic, ()))
            sizes: list[tuple[int, int]] | None = [] if all_seen else None
            for tp, queue in queues:
                leader = view.leader(tp)
                if sizes is not None and leader is not None:
                    sizes.append((tp.partition, len(queue)))
                if not queue:
                    continue
                batch = queue[0]
                if leader is None:
                    leader_unknown = True
                    continue
                self._note_leader(batch, view)
                waited_ms = now_ms - (batch.last_attempt_ms if batch.attempts else batch.created_ms)
                backing_off = batch.attempts > 0 and waited_ms < self._backoff_ms
                wait_ms = self._backoff_ms if backing_off else self._linger_ms
                sendable = len(queue) > 1 or batch.is_full or waited_ms >= wait_ms or self.closed or self.flushing or self.completing
                if sendable and not backing_off:
                    nodes[leader.id] = leader
                else:
                    delay_ms = min(delay_ms, max(0, wait_ms - waited_ms))
            self._on_load(topic, sizes, len(queues))
        return list(nodes.values()), delay_ms, leader_unknown

    def _queues_of(self, topic: str):
        tps = [tp for tp in self.batches if tp.topic == topic]
        tps = partitions_in_hash_order(tps) if self._profile.ready_in_hash_order else sorted(tps)
        return [(tp, self.batches[tp]) for tp in tps]

    def _note_leader(self, batch: ProducerBatch, view: ClusterView) -> None:
        """What 3.6 and later write while they look whether the leader changed, which would end a backoff (KAFKA-15415)."""
        known = view.partitions[batch.partition]
        epoch = "OptionalInt.empty" if batch.leader_epoch is None else f"OptionalInt[{batch.leader_epoch}]"
        changed = known.epoch is not None and batch.leader_epoch != known.epoch
        name = "BATCH_LEADER_UPDATED" if changed else "BATCH_LEADER_KEPT"
        self._plain(name, batch=batch, epoch=epoch, attempts_then=batch.attempts_at_leader_change,
                    new_epoch=f"OptionalInt[{known.epoch}]", attempts=batch.attempts)
        if changed:
            batch.leader_epoch, batch.attempts_at_leader_change = known.epoch, batch.attempts
        self._log("BATCH_NOT_BACKED_OFF", batch=batch, should_wait="false", leader_changed="false")

    def drain(self, view: ClusterView, nodes: list[Node], now_ms: int, max_bytes: int, transactions: TransactionManager | None,
              can_drain: Callable[[TopicPartition], bool]) -> dict[Node, list[ProducerBatch]]:
        """One batch a partition for each ready node, from a rotating start, up to max_bytes a request; a batch that leaves gets
        its sequence from `transactions`."""
        drained: dict[Node, list[ProducerBatch]] = {}
        for node in nodes:
            partitions = [tp for tp in self.batches if (leader := view.leader(tp)) is not None and leader.id == node.id]
            partitions.sort(key=lambda tp: (tp.topic, tp.partition))
            if not partitions:
                continue
            start = self._drain_index.get(node.id, 0) % len(partitions)
            size, taken = 0, []
            for step in range(len(partitions)):
                tp = partitions[(start + step) % len(partitions)]
                queue = self.batches[tp]
                if not queue or not can_drain(tp):
                    continue
                batch = queue[0]
                if transactions is not None and not transactions.may_drain(batch):
                    continue
                self._note_leader(batch, view)
                if batch.attempts and now_ms - batch.last_attempt_ms < self._backoff_ms:
                    continue
                if size + batch.size_bytes > max_bytes and taken:
                    self._drain_index[node.id] = (start + step) % len(partitions)
                    break
                queue.popleft()
                if transactions is not None:
                    transactions.stamp(batch)
                size += batch.size_bytes
                taken.append(batch)
            if taken:
                drained[node] = taken
        return drained

    def reenqueue(self, batch: ProducerBatch, now_ms: int) -> None:
        """A failed batch goes back to the front of its queue."""
        batch.attempts += 1
        batch.last_attempt_ms = now_ms
        self.batches.setdefault(batch.partition, deque()).appendleft(batch)

    def expired(self, now_ms: int, limit_ms: int) -> list[ProducerBatch]:
        """Take out the batches that were created `limit_ms` (delivery.timeout.ms) ago or earlier."""
        found = []
        for queue in self.batches.values():
            while queue and now_ms - queue[0].created_ms >= limit_ms:
                found.append(queue.popleft())
        return found

    def next_expiry_ms(self, limit_ms: int) -> int:
        """When (virtual time) the next batch expires."""
        return min((queue[0].created_ms + limit_ms for queue in self.batches.values() if queue), default=FOREVER_MS)

    def abort_batches(self, error: BaseException) -> None:
        """Give up every batch whose outcome is not known, sent or not."""
        for batch in list(self.incomplete):
            self._take_out(batch)
            self.finish(batch, -1, error)

    def abort_undrained(self, error: BaseException) -> None:
        """Give up the batches that have not left yet: their transaction is aborted."""
        for batch in list(self.incomplete):
            if batch.base_sequence < 0:
                self._take_out(batch)
                self.finish(batch, -1, error)

    def _take_out(self, batch: ProducerBatch) -> None:
        queue = self.batches.get(batch.partition)
        if queue is not None and batch in queue:
            queue.remove(batch)

    def has_undrained(self) -> bool:
        return any(self.batches.values())

    def finish(self, batch: ProducerBatch, base_offset: int, error: BaseException | None) -> None:
        if batch in self.incomplete:
            self.incomplete.remove(batch)
        batch.finish(base_offset, error)
