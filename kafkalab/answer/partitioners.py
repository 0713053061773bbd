"""Producers' partitioners, by version: round robin, sticky, adaptive."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from kafkalab.answer.entry import CannotAnswer, Entry
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.metadata import ClusterView, PartitionView
from kafkalab.clients.producer.partitioner import Adaptive, RoundRobin, Sticky
from kafkalab.records import TopicPartition
from kafkalab.sim.journal import Journal
from kafkalab.sim.scheduler import Scheduler

TOPIC = "t"


class Drawn(random.Random):
    """Draws what it was told to."""

    def __init__(self, number: int) -> None:
        super().__init__(0)
        self.number = number

    def randrange(self, *bounds: Any) -> int:
        return self.number

    def getrandbits(self, bits: int) -> int:
        return self.number


def round_robin(entry: Entry) -> dict[str, Any]:
    """Records without a key, one after the other, the counter beginning at `counter_start`."""
    given = entry.input
    available = given.get("available_in_cluster_order", given.get("available"))
    records = given.get("records", given.get("records_each_opening_a_new_batch"))
    if "records_each_opening_a_new_batch" in given:
        return {"partitions": _asked_twice(available, records, given)}
    partitioner = RoundRobin(Drawn(given.get("counter_start", 0)), 16_384, _log())
    view = _view(available, given.get("leaderless", ()))
    return {"partitions": [partitioner.choose(TOPIC, view) for _ in range(records)]}


def _asked_twice(available: Sequence[int], records: int, given: Any) -> list[int]:
    raise CannotAnswer("the class RoundRobinPartitioner is not simulated yet")


def sticky(entry: Entry) -> dict[str, Any]:
    """Which partition a new batch moves on to."""
    given = entry.input
    available = given.get("available", list(range(given.get("partition_count", 1))))
    previous = given.get("on_new_batch_prev", given["current"])
    found = set()
    for seed in range(16):  # Where chance may choose, it must choose the same each time for the case to have one answer.
        partitioner = Sticky(random.Random(seed), 16_384, _log())
        partitioner._current[TOPIC] = given["current"]
        partitioner.on_new_batch(TOPIC, _view(available), previous)
        found.add(partitioner.choose(TOPIC, _view(available)))
    return {"next": found.pop() if len(found) == 1 else sorted(found)}


def adaptive(entry: Entry) -> dict[str, Any]:
    """The table of weights, which number draws which partition, and after how many bytes it is changed."""
    given = entry.input
    if "appended_bytes_on_partition" in given:
        return {"switch": [_switches(given, size) for size in given["appended_bytes_on_partition"]]}
    sizes = given["queue_sizes"]
    ids = given.get("partition_ids", list(range(len(sizes))))
    partitioner = Adaptive(Drawn(0), 16_384, _log())
    partitioner.on_load(TOPIC, list(zip(ids, sizes)), len(sizes))
    table = partitioner._stats.get(TOPIC)
    if table is None:
        return {"adaptive": False, "cumulative": None, "pick_by_random": {}}
    cumulative = table[0]
    numbers = given.get("random", sorted({0} | {n for end in cumulative for n in (end - 1, end) if n < cumulative[-1]}))
    picks = {}
    for number in map(int, numbers):
        partitioner._rng = Drawn(number)
        partitioner._switch(TOPIC, _view(ids))
        picks[str(number)] = partitioner.choose(TOPIC, _view(ids))
    return {"adaptive": True, "cumulative": list(cumulative), "pick_by_random": picks}


def _switches(given: Any, size: int) -> bool:
    """Does a partitioner that has appended so many bytes choose anew?"""
    said: list[str] = []
    partitioner = Adaptive(random.Random(0), given["batch.size"], lambda name, **values: said.append(name))
    view = _view([0, 1, 2])
    current = partitioner.choose(TOPIC, view)
    said.clear()
    partitioner.appended(TOPIC, current, size, view)
    return "SWITCHING_PARTITION" in said


def _view(available: Sequence[int], leaderless: Sequence[int] = ()) -> ClusterView:
    parts = tuple(PartitionView(TOPIC, index, leader, 0, (0,), (0,))
                  for index, leader in [(index, 0) for index in available] + [(index, None) for index in leaderless])
    return ClusterView("lab", (), {TopicPartition(TOPIC, part.partition): part for part in parts}, {TOPIC: parts}, {})


def _log() -> LogContext:
    return LogContext(Journal(Scheduler()), "producer", "producer", "", "3.6")


ANSWERS = {
    "partitioner_round_robin": round_robin,
    "partitioner_sticky": sticky,
    "partitioner_builtin": adaptive,
}
