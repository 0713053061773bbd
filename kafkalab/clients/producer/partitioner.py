"""Which partition does a record go to? (DefaultPartitioner, StickyPartitionCache, BuiltInPartitioner)

An explicit partition wins. A key decides by murmur2 over all partitions, led or not. Without either, three rules have been in
force: round robin from a random start (until 2.3), one partition until its batch is sent (KIP-480, 2.4), one partition until
batch.size bytes went there, with busier ones chosen less often (KIP-794, 3.3).
"""

from __future__ import annotations

import bisect
import random

from kafkalab.clients.log_context import LogContext
from kafkalab.clients.metadata import ClusterView
from kafkalab.hashing import murmur2, to_positive


def by_key(key: bytes, partition_count: int) -> int:
    """The key's partition: (murmur2(key) & 0x7fffffff) % partition_count (BuiltInPartitioner.partitionForKey)."""
    return to_positive(murmur2(key)) % partition_count


class RoundRobin:
    """Until 2.3: a counter per topic that starts at a random number; only partitions that have a leader take part."""

    def __init__(self, rng: random.Random, batch_size_bytes: int, log: LogContext) -> None:
        self._rng, self._counters = rng, {}

    def choose(self, topic: str, view: ClusterView) -> int:
        counter = self._counters.get(topic)
        if counter is None:
            counter = self._rng.randrange(1 << 31)
        self._counters[topic] = counter + 1
        available = [p.partition for p in view.topics[topic] if p.leader is not None] or [p.partition for p in view.topics[topic]]
        return available[to_positive(counter) % len(available)]

    def on_new_batch(self, topic: str, view: ClusterView, previous: int) -> int | None:
        return None

    def appended(self, topic: str, partition: int, size_bytes: int, view: ClusterView) -> None: ...

    def on_load(self, topic: str, sizes: list[tuple[int, int]] | None, all_count: int) -> None: ...


class Sticky:
    """2.4 to 3.2: one random partition, changed whenever a new batch is about to be opened for it."""

    def __init__(self, rng: random.Random, batch_size_bytes: int, log: LogContext) -> None:
        self._rng, self._current = rng, {}

    def choose(self, topic: str, view: ClusterView) -> int:
        if topic not in self._current:
            self._next(topic, view, None)
        return self._current[topic]

    def on_new_batch(self, topic: str, view: ClusterView, previous: int) -> int | None:
        """The partition to use instead; the new one differs from the old where two or more are led."""
        return self._next(topic, view, previous)

    def appended(self, topic: str, partition: int, size_bytes: int, view: ClusterView) -> None: ...

    def on_load(self, topic: str, sizes: list[tuple[int, int]] | None, all_count: int) -> None: ...

    def _next(self, topic: str, view: ClusterView, previous: int | None) -> int:
        available = [p.partition for p in view.topics[topic] if p.leader is not None]
        if not available:
            available = [p.partition for p in view.topics[topic]]
        others = [p for p in available if p != previous] or available
        self._current[topic] = self._rng.choice(others)
        return self._current[topic]


class Adaptive:
    """3.3 and later: stay until batch.size bytes were appended, then choose again, longer queues with less probability.

    Weights are known only when every partition has had a batch, and matter only when queues differ.
    """

    def __init__(self, rng: random.Random, batch_size_bytes: int, log: LogContext) -> None:
        self._rng, self._batch_size_bytes, self._log = rng, batch_size_bytes, log
        self._current: dict[str, int] = {}
        self._produced: dict[str, int] = {}
        self._stats: dict[str, tuple[list[int], list[int]] | None] = {}

    def choose(self, topic: str, view: ClusterView) -> int:
        if topic not in self._current:
            self._switch(topic, view)
        return self._current[topic]

    def on_new_batch(self, topic: str, view: ClusterView, previous: int) -> int | None:
        return None

    def appended(self, topic: str, partition: int, size_bytes: int, view: ClusterView) -> None:
        self._produced[topic] = self._produced.get(topic, 0) + size_bytes
        if self._produced[topic] >= self._batch_size_bytes:
            self._produced[topic] = 0
            self._switch(topic, view)

    def on_load(self, topic: str, sizes: list[tuple[int, int]] | None, all_count: int) -> None:
        """Queue lengths by partition, as the Sender saw them (BuiltInPartitioner.updatePartitionLoadStats)."""
        self._stats[topic] = None
        if sizes is None:
            self._log("LOAD_STATS_MISSING", topic=topic)
            return
        lengths = [length for _, length in sizes]
        if len(sizes) < 1 or all_count < 2:
            self._log("TOO_FEW_PARTITIONS_FOR_ADAPTIVE", topic=topic, available=len(sizes), all=all_count)
        elif len(set(lengths)) == 1 and len(lengths) == all_count:
            self._log("QUEUE_LENGTHS_EQUAL", topic=topic)
        else:
            most, total, frequencies = max(lengths) + 1, 0, []
            for length in lengths:
                total += most - length
                frequencies.append(total)
            ids = [partition for partition, _ in sizes]
            self._log("LOAD_STATS", topic=topic, frequencies=f"[{', '.join(map(str, frequencies))}]", ids=f"[{', '.join(map(str, ids))}]",
                      length=len(sizes))
            self._stats[topic] = (frequencies, ids)

    def _switch(self, topic: str, view: ClusterView) -> None:
        available = [p.partition for p in view.topics[topic] if p.leader is not None] or [p.partition for p in view.topics[topic]]
        stats = self._stats.get(topic)
        if stats is None:
            chosen = self._rng.choice(available)
        else:
            frequencies, ids = stats
            chosen = ids[bisect.bisect_right(frequencies, self._rng.randrange(frequencies[-1]))]
        self._current[topic] = chosen
        self._log("SWITCHING_PARTITION", partition=chosen, topic=topic)


PARTITIONERS = {"round robin": RoundRobin, "sticky": Sticky, "adaptive": Adaptive}
