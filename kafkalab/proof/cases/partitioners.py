"""Answers cases of producers' partitioners by version: round robin, sticky, adaptive."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from kafkalab.clients.network.metadata import ClusterView, PartitionView
from kafkalab.clients.producer.builtin_partitioner import BuiltInPartitioner, load_stats
from kafkalab.clients.producer.partitioner import (
    RoundRobin,
    RoundRobinPartitioner,
    StickyPartitionCache,
)
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.proof.cases.entry import CaseEntry
from kafkalab.records import TopicPartition

TOPIC = "t"


def round_robin(entry: CaseEntry) -> dict[str, Any]:
    """One record after the other: without a key until 2.3, the counter beginning at
    `counter_start`; or with RoundRobinPartitioner, each record opening a batch."""
    given = entry.input
    available = given.get("available_in_cluster_order", given.get("available"))
    records = given.get("records", given.get("records_each_opening_a_new_batch"))
    cluster = _cluster(available, given.get("leaderless", ()))
    if "records_each_opening_a_new_batch" in given:
        return {
            "partitions": _asked_twice(
                cluster, records, remembers="before" not in str(given.get("version"))
            )
        }
    partitioner = RoundRobin(random.Random(0))
    partitioner.start_at(TOPIC, given.get("counter_start", 0))
    return {"partitions": [partitioner.next(TOPIC, cluster) for _ in range(records)]}


def _asked_twice(cluster: Cluster, records: int, remembers: bool) -> list[int]:
    """RoundRobinPartitioner up to 3.9: told of the new batch, and asked again. Before KAFKA-17632
    it had forgotten its first answer."""
    partitioner, found = RoundRobinPartitioner(random.Random(0), remembers_new_batch=remembers), []
    for _ in range(records):
        first = partitioner.partition(TOPIC, None, None, None, None, cluster)
        partitioner.on_new_batch(TOPIC, cluster, first)
        found.append(partitioner.partition(TOPIC, None, None, None, None, cluster))
    return found


def sticky(entry: CaseEntry) -> dict[str, Any]:
    """Which partition a new batch moves on to."""
    given = entry.input
    available = given.get("available", list(range(given.get("partition_count", 1))))
    previous = given.get("on_new_batch_prev", given["current"])
    found = set()
    # Where chance may choose, it must choose the same each time for the case to have one answer.
    for seed in range(16):
        cache = StickyPartitionCache(random.Random(seed))
        cache.stick_to(TOPIC, given["current"])
        found.add(cache.next_partition(TOPIC, _cluster(available), previous))
    return {"next": found.pop() if len(found) == 1 else sorted(found)}


def adaptive(entry: CaseEntry) -> dict[str, Any]:
    """The table of weights, which number draws which partition,
    and after how many bytes it is changed."""
    given = entry.input
    if "appended_bytes_on_partition" in given:
        may_switch = given.get("batch_ready", True)
        return {
            "switch": [
                _switches(given["batch.size"], size, may_switch)
                for size in given["appended_bytes_on_partition"]
            ]
        }
    sizes = given["queue_sizes"]
    ids = given.get("partition_ids", list(range(len(sizes))))
    table = load_stats(sizes, ids, given.get("all", len(sizes)))
    if table is None:
        return {"adaptive": False, "cumulative": None, "pick_by_random": {}}
    sums = table.cumulative
    numbers = given.get(
        "random", sorted({0} | {n for end in sums for n in (end - 1, end) if n < sums[-1]})
    )
    return {
        "adaptive": True,
        "cumulative": list(sums),
        "pick_by_random": {str(n): table.pick(int(n)) for n in numbers},
    }


def _switches(batch_size: int, size: int, may_switch: bool) -> bool:
    """Whether a partitioner that has appended so many bytes chooses again."""
    partitioner = BuiltInPartitioner(
        TOPIC, batch_size, random.Random(0), lambda name, **values: None
    )
    cluster = _cluster([0, 1, 2])
    return partitioner.update(partitioner.peek(cluster), size, cluster, may_switch)


def _cluster(available: Sequence[int], leaderless: Sequence[int] = ()) -> Cluster:
    """The topic, its partitions in the order given."""
    parts = tuple(
        PartitionView(TOPIC, index, leader, 0, (0,), (0,))
        for index, leader in [(index, 0) for index in available]
        + [(index, None) for index in leaderless]
    )
    view = ClusterView(
        "lab",
        (),
        {TopicPartition(TOPIC, part.partition): part for part in parts},
        {TOPIC: parts},
        {},
    )
    return Cluster(view, in_hash_order=False)


ANSWERS = {
    "partitioner_round_robin": round_robin,
    "partitioner_sticky": sticky,
    "partitioner_builtin": adaptive,
}
