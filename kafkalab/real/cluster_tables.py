"""Lays out what a real cluster tells of groups and topics, in the frames of the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkalab.errors import GroupIdNotFoundException, IllegalArgumentException
from kafkalab.real.java_process import JavaProcess, items_of
from kafkalab.real.java_records import java_partitions, partition_from
from kafkalab.records import TopicPartition

if TYPE_CHECKING:
    import pandas

FAULT_COLUMNS = "id kind at_ms who what".split()
GROUP_COLUMNS = (
    "topic partition current_offset log_end_offset lag consumer_id host client_id".split()
)
TOPIC_COLUMNS = "partition leader replicas isr log_start_offset high_watermark".split()
NOBODY = "-"


def group_frame(java: JavaProcess, admin: Any, group: str) -> pandas.DataFrame:
    """A row for each partition that a group has committed or owns: GROUP_COLUMNS.

    Raises IllegalArgumentException for a group that is not there.
    """
    import pandas

    names = java.array_list([group])
    try:
        described = java.call(lambda: admin.describeConsumerGroups(names).all().get())[group]
    except GroupIdNotFoundException:
        raise IllegalArgumentException(f"there is no group {group!r}") from None
    if str(described.groupState().toString()) == "Dead":  # how brokers 2.3 say it
        raise IllegalArgumentException(f"there is no group {group!r}")
    committed = java.call(
        lambda: admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get()
    )
    offsets = {
        partition_from(entry.getKey()): int(entry.getValue().offset())
        for entry in items_of(committed.entrySet())
        if entry.getValue() is not None
    }
    owners = {
        partition_from(one): member
        for member in items_of(described.members())
        for one in items_of(member.assignment().topicPartitions())
    }
    partitions = sorted({*offsets, *owners})
    ends = end_offsets(java, admin, partitions, "latest")
    rows = []
    for one in partitions:
        member, current, end = owners.get(one), offsets.get(one), ends[one]
        rows.append(
            (
                one.topic,
                one.partition,
                current,
                end,
                None if current is None else end - current,
                NOBODY if member is None else str(member.consumerId()),
                NOBODY if member is None else str(member.host()),
                NOBODY if member is None else str(member.clientId()),
            )
        )
    return pandas.DataFrame(rows, columns=GROUP_COLUMNS)


def topic_frame(java: JavaProcess, admin: Any, topic: str, described: Any) -> pandas.DataFrame:
    """A row for each partition of a topic: TOPIC_COLUMNS. What only a broker knows, such as the log
    end offset, is left out. Offsets of a partition without a leader are None."""
    import pandas

    infos = list(items_of(described.partitions()))
    led = [
        TopicPartition(topic, int(info.partition()))
        for info in infos
        if info.leader() is not None and int(info.leader().id()) >= 0
    ]
    starts = end_offsets(java, admin, led, "earliest")
    ends = end_offsets(java, admin, led, "latest")
    rows = []
    for info in infos:
        one = TopicPartition(topic, int(info.partition()))
        rows.append(
            (
                one.partition,
                int(info.leader().id()) if one in ends else None,
                [int(node.id()) for node in items_of(info.replicas())],
                [int(node.id()) for node in items_of(info.isr())],
                starts.get(one),
                ends.get(one),
            )
        )
    return pandas.DataFrame(rows, columns=TOPIC_COLUMNS)


def faults_frame(faults: list[tuple[int, str, str]]) -> pandas.DataFrame:
    """A row for each thing that was done to a process: FAULT_COLUMNS. `faults` has its time, whom
    and what."""
    import pandas

    rows = [(number, "fault", *each) for number, each in enumerate(faults)]
    return pandas.DataFrame(rows, columns=FAULT_COLUMNS)


def end_offsets(
    java: JavaProcess, admin: Any, partitions: list[TopicPartition], place: str
) -> dict[TopicPartition, int]:
    """Where partitions begin (`earliest`) or end for a reader (`latest`)."""
    if not partitions:
        return {}
    spec = java.jvm.org.apache.kafka.clients.admin.OffsetSpec
    asked = java.hash_map(
        (one, getattr(spec, place)()) for one in java_partitions(java, partitions)
    )
    found = java.call(lambda: admin.listOffsets(asked).all().get())
    return {
        partition_from(entry.getKey()): int(entry.getValue().offset())
        for entry in items_of(found.entrySet())
    }
