"""Where do records wait? In batches, one queue a partition (internals.RecordAccumulator, ProducerBatch).

A batch may leave when it is full, when another one waits behind it, when it has waited linger.ms (or its backoff after a
failure), or when the producer flushes or closes. Left out: blocking on buffer.memory, compression.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from kafkalab.clients.log_context import LogContext
from kafkalab.clients.metadata import ClusterView
from kafkalab.clients.hash_order import partitions_in_hash_order
from kafkalab.clients.node import Node
from kafkalab.protocol.messages import WireRecord, batch_size_bytes
from kafkalab.records import RecordMetadata, TopicPartition
from kafkalab.sim.apps import FOREVER_MS, Signal


class FutureRecordMetadata:
    """What `send` returns. `done()` says whether the outcome is known; `get()` waits for it, and raises what went wrong."""

    def __init__(self, wait: Callable[[Signal, int | None], bool]) -> None:
        self._wait, self._signal = wait, Signal()
        self._metadata: RecordMetadata | None = None
        self._error: BaseException | None = None

    def done(self) -> bool:
        return self._signal.is_set

    def get(self, timeout_ms: int | None = None) -> RecordMetadata:
        """Raises TimeoutException when the outcome is not known within `timeout_ms` (None: as long as it takes)."""
        if not self._wait(self._signal, timeout_ms):
            from kafkalab.errors import TimeoutException
            raise TimeoutException(f"Timeout after waiting for {timeout_ms} ms.")
        if self._error is not None:
            raise self._error
        return self._metadata

    def complete(self, metadata: RecordMetadata | None, error: BaseException | None) -> None:
        self._metadata, self._error = metadata, error
        self._signal.set()

    def __repr__(self) -> str:
        return f"FutureRecordMetadata({'waiting' if not self.done() else self._error or self._metadata!r})"


@dataclass(slots=True)
class ProducerBatch:
    partition: TopicPartition
    created_ms: int
    records: list[WireRecord] = field(default_factory=list)
    outcomes: list[Callable[[int, BaseException | None], None]] = field(default_factory=list)
    size_bytes: int = 61
    attempts: int = 0
    last_attempt_ms: int = 0
    base_sequence: int = -1
    producer_id: int = -1
    producer_epoch: int = -1
    leader_epoch: int | None = None
    attempts_at_leader_change: int = 0
    is_full: bool = False
    done: bool = False

    def __str__(self) -> str:
        return f"ProducerBatch(topicPartition={self.partition}, recordCount={len(self.records)})"

    def finish(self, base_offset: int, error: BaseException | None) -> None:
        if self.done:
            return
        self.done = True
        for index, outcome in enumerate(self.outcomes):
            outcome(base_offset if base_offset < 0 else base_offset + index, error)


class RecordAccumulator:
    def __init__(self, config, profile, log: LogContext, plain_log: LogContext, clock, on_load: Callable) -> None:
        self.batches: dict[TopicPartition, deque[ProducerBatch]] = {}
        self.incomplete: list[ProducerBatch] = []
        self.flushing = 0
        self.closed = False
        self._config, self._profile, self._log, self._plain, self._clock = config, profile, log, plain_log, clock
        self._on_load = on_load
        self._linger_ms, self._batch_size = config["linger.ms"], config["batch.size"]
        self._backoff_ms = config["retry.backoff.ms"]
        self._drain_index: dict[int, int] = {}

    def has_room(self, partition: TopicPartition, record: WireRecord) -> bool:
        queue = self.batches.get(partition)
        return bool(queue) and self._fits(queue[-1], record)

    def append(self, partition: TopicPartition, record: WireRecord, outcome, remaining_ms: int) -> bool:
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
        batch.records.append(record)
        batch.outcomes.append(outcome)
        batch.size_bytes = batch_size_bytes(tuple(batch.records))
        if batch.size_bytes >= self._batch_size:
            batch.is_full = True
        return is_new or len(queue) > 1 or batch.is_full

    def _fits(self, batch: ProducerBatch, record: WireRecord) -> bool:
        return not batch.is_full and not batch.attempts and batch_size_bytes((*batch.records, record)) <= self._batch_size

    def ready(self, view: ClusterView, now_ms: int) -> tuple[list[Node], int, set[str]]:
        """Leaders that have data ready, how long until others may have, and topics whose leader is unknown."""
        nodes: dict[int, Node] = {}
        delay_ms = FOREVER_MS
        unknown: set[str] = set()
        for topic in dict.fromkeys(tp.topic for tp in self.batches):
            queues = self._queues_of(topic)
            sizes: list[tuple[int, int]] | None = [] if len(queues) >= len(view.topics.get(topic, ())) else None
            for tp, queue in queues:
                leader = view.leader(tp)
                if sizes is not None and leader is not None:
                    sizes.append((tp.partition, len(queue)))
                if not queue:
                    continue
                batch = queue[0]
                if leader is None:
                    unknown.add(topic)
                    continue
                self._note_leader(batch, view)
                waited_ms = now_ms - (batch.last_attempt_ms if batch.attempts else batch.created_ms)
                backing_off = batch.attempts > 0 and waited_ms < self._backoff_ms
                wait_ms = self._backoff_ms if backing_off else self._linger_ms
                sendable = len(queue) > 1 or batch.is_full or waited_ms >= wait_ms or self.closed or self.flushing
                if sendable and not backing_off:
                    nodes[leader.id] = leader
                else:
                    delay_ms = min(delay_ms, max(0, wait_ms - waited_ms))
            self._on_load(topic, sizes, len(queues))
        return list(nodes.values()), delay_ms, unknown

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

    def drain(self, view: ClusterView, nodes: list[Node], now_ms: int, max_bytes: int, prepare, can_drain) -> dict[Node, list[ProducerBatch]]:
        """One batch a partition for each ready node, from a rotating start, up to max.request.size bytes a request."""
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
                self._note_leader(batch, view)
                if batch.attempts and now_ms - batch.last_attempt_ms < self._backoff_ms:
                    continue
                if size + batch.size_bytes > max_bytes and taken:
                    self._drain_index[node.id] = (start + step) % len(partitions)
                    break
                queue.popleft()
                prepare(batch)
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
        found = []
        for queue in self.batches.values():
            while queue and now_ms - queue[0].created_ms >= limit_ms:
                found.append(queue.popleft())
        return found

    def next_expiry_ms(self, limit_ms: int) -> int:
        return min((queue[0].created_ms + limit_ms for queue in self.batches.values() if queue), default=FOREVER_MS)

    def has_undrained(self) -> bool:
        return any(self.batches.values())

    def finish(self, batch: ProducerBatch, base_offset: int, error: BaseException | None) -> None:
        if batch in self.incomplete:
            self.incomplete.remove(batch)
        batch.finish(base_offset, error)
