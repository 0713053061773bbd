"""BuiltInPartitioner: chooses partitions for records without a key since 3.3
(internals.BuiltInPartitioner, KIP-794).

Records stay with one partition until batch.size bytes were appended to it; then another one is
drawn. If the queues of the partitions differ in length, a longer queue is drawn with less
probability: a slow broker's queues grow, so it gets fewer records.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Callable, Sequence

from kafkalab.clients.network.log_context import Later
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.protocol.frozen import record


@record
class LoadStats:
    """Weights for the draw of a partition. cumulative: the running sums of the partitions' weights;
    ids: the partitions, in the same order."""

    cumulative: tuple[int, ...]
    ids: tuple[int, ...]

    def pick(self, number: int) -> int:
        """The partition that a random number falls on: the first whose sum is greater than number %
        the last sum."""
        return self.ids[bisect.bisect_right(self.cumulative, number % self.cumulative[-1])]


def load_stats(queue_sizes: Sequence[int], ids: Sequence[int], all_count: int) -> LoadStats | None:
    """The weights: the longest queue's length plus one, less the partition's own. None where they
    would make no difference.

    all_count: how many partitions there are, with or without a leader. With fewer than two there is
    no choice; equal queues of all partitions weigh the same.
    """
    if (
        len(queue_sizes) < 1
        or all_count < 2
        or (len(set(queue_sizes)) == 1 and len(queue_sizes) == all_count)
    ):
        return None
    most, total, sums = max(queue_sizes) + 1, 0, []
    for size in queue_sizes:
        total += most - size
        sums.append(total)
    return LoadStats(tuple(sums), tuple(ids))


class StickyPartitionInfo:
    """The present partition, and how many bytes were appended to it since it was drawn."""

    __slots__ = ("partition", "produced_bytes")

    def __init__(self, partition: int) -> None:
        self.partition = partition
        self.produced_bytes = 0


class BuiltInPartitioner:
    """One topic's partitioner. `log` writes lines of the catalogue.

    current  None before the first record
    stats    queue lengths from the Sender's last check
    """

    def __init__(
        self, topic: str, batch_size_bytes: int, rng: random.Random, log: Callable[..., object]
    ) -> None:
        self.topic = topic
        self.current: StickyPartitionInfo | None = None
        self.stats: LoadStats | None = None
        self._batch_size_bytes, self._rng, self._log = batch_size_bytes, rng, log

    def peek(self, cluster: Cluster) -> StickyPartitionInfo:
        """The present partition (peekCurrentPartitionInfo)."""
        if self.current is None:
            self.current = StickyPartitionInfo(self.next_partition(cluster))
        return self.current

    def is_changed(self, info: StickyPartitionInfo) -> bool:
        return self.current is not info

    def make_up(self, info: StickyPartitionInfo, cluster: Cluster) -> bool:
        """Makes the switch that waited for a full batch; False where there is none to make."""
        if not self.update(info, 0, cluster, may_switch=True):
            return False
        self._log("SWITCH_MADE_UP_FOR", topic=self.topic, partition=info.partition)
        return True

    def update(
        self, info: StickyPartitionInfo, appended_bytes: int, cluster: Cluster, may_switch: bool
    ) -> bool:
        """Counts the appended bytes; True if that was enough and another partition was drawn.

        may_switch: no batch of the partition is still filling. Otherwise the switch waits, at most
        until twice batch.size, so that a batch is not sent half empty.
        """
        info.produced_bytes += appended_bytes
        produced, enough = info.produced_bytes, self._batch_size_bytes
        if produced >= 2 * enough:
            self._log(
                "TWICE_THE_BATCH_SIZE",
                count=produced,
                size=enough,
                enabled="true" if may_switch else "false",
            )
        if (produced >= enough and may_switch) or produced >= 2 * enough:
            self.current = StickyPartitionInfo(self.next_partition(cluster))
            return True
        return False

    def next_partition(self, cluster: Cluster) -> int:
        """Draws a partition: by weight where there are weights, else any with a leader, else
        any."""
        if self.stats is not None:
            partition = self.stats.pick(self._rng.randrange(1 << 31))
        else:
            available = cluster.available_partitions_for_topic(self.topic)
            if available:
                partition = available[self._rng.randrange(len(available))].partition
            else:
                partition = self._rng.randrange(cluster.partition_count_for_topic(self.topic))
        self._log("SWITCHING_PARTITION", partition=partition, topic=self.topic)
        return partition

    def on_load(self, queue_sizes: list[int] | None, ids: list[int], all_count: int) -> None:
        """Takes over the queue lengths of the Sender's check, without partitions that have no
        leader or a slow broker. None: not all have had a batch yet, or
        partitioner.adaptive.partitioning.enable is false (updatePartitionLoadStats)."""
        if queue_sizes is None:
            self.stats = None
            self._log("LOAD_STATS_MISSING", topic=self.topic)
            return
        self.stats = load_stats(queue_sizes, ids, all_count)
        if self.stats is not None:
            self._log(
                "LOAD_STATS",
                topic=self.topic,
                frequencies=Later(_listed, tuple(self.stats.cumulative)),
                ids=Later(_listed, tuple(self.stats.ids)),
                length=len(queue_sizes),
            )
        elif len(queue_sizes) < 1 or all_count < 2:
            self._log(
                "TOO_FEW_PARTITIONS_FOR_ADAPTIVE",
                topic=self.topic,
                available=len(queue_sizes),
                all=all_count,
            )
        else:
            self._log("QUEUE_LENGTHS_EQUAL", topic=self.topic)


class StickyChoice:
    """The choice for one record, which moves when enough bytes were appended."""

    __slots__ = ("_cluster", "_info", "_partitioner")
    _info: StickyPartitionInfo

    def __init__(self, partitioner: BuiltInPartitioner, cluster: Cluster) -> None:
        self._partitioner, self._cluster = partitioner, cluster

    def peek(self) -> int:
        """The partition to append to now."""
        self._info = self._partitioner.peek(self._cluster)
        return self._info.partition

    def has_moved(self, all_full: bool) -> bool:
        """Whether `peek` gives another partition by now. A switch that had to wait for a full batch
        takes place before another record goes to the partition
        (RecordAccumulator.partitionChanged)."""
        return self._partitioner.is_changed(self._info) or (
            all_full and self._partitioner.make_up(self._info, self._cluster)
        )

    def took(self, appended_bytes: int, all_full: bool) -> None:
        """The partition has the record."""
        self._partitioner.update(self._info, appended_bytes, self._cluster, all_full)


def _listed(numbers: Sequence[int]) -> str:
    return f"[{', '.join(map(str, numbers))}]"
