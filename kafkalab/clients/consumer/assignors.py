"""Who reads which partition? The leader of the group decides with one of these (org.apache.kafka.clients.consumer.*Assignor)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafkalab.records import TopicPartition


def range_assign(partitions_of: Mapping[str, int], topics_of: Mapping[str, Sequence[str]]) -> dict[str, list[TopicPartition]]:
    """RangeAssignor: topic by topic, contiguous blocks, the first members by id get one more.

    partitions_of  topic -> number of partitions (topics the leader knows)
    topics_of      member id -> topics it subscribed to
    Members are sorted as strings; each topic starts anew, so members early in that order collect the extra partitions.
    """
    assignment: dict[str, list[TopicPartition]] = {member: [] for member in topics_of}
    for topic in sorted({t for topics in topics_of.values() for t in topics}):
        members = sorted(m for m, topics in topics_of.items() if topic in topics)
        count = partitions_of.get(topic)
        if not count or not members:
            continue
        share, extra = divmod(count, len(members))
        start = 0
        for index, member in enumerate(members):
            size = share + (1 if index < extra else 0)
            assignment[member] += [TopicPartition(topic, p) for p in range(start, start + size)]
            start += size
    return assignment
