"""Turns records, partitions and offsets of kafkalab.records into Java's and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafkalab.real.java_process import JavaProcess
from kafkalab.records import (
    ConsumerRecord,
    OffsetAndMetadata,
    ProducerRecord,
    RecordMetadata,
    TopicPartition,
)


def java_partition(java: JavaProcess, partition: TopicPartition) -> Any:
    """org.apache.kafka.common.TopicPartition."""
    return java.jvm.org.apache.kafka.common.TopicPartition(partition.topic, partition.partition)


def java_partitions(java: JavaProcess, partitions: Iterable[TopicPartition]) -> Any:
    """A list of Java's TopicPartitions."""
    return java.array_list(java_partition(java, one) for one in partitions)


def partition_from(found: Any) -> TopicPartition:
    """Python's TopicPartition of Java's."""
    return TopicPartition(str(found.topic()), int(found.partition()))


def java_offsets(java: JavaProcess, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> Any:
    """A map of Java's TopicPartitions to Java's OffsetAndMetadata."""
    kind = java.jvm.org.apache.kafka.clients.consumer.OffsetAndMetadata
    return java.hash_map(
        (java_partition(java, one), kind(offset.offset, offset.metadata))
        for one, offset in offsets.items()
    )


def offset_from(found: Any) -> OffsetAndMetadata | None:
    """Python's OffsetAndMetadata of Java's; None stays None."""
    if found is None:
        return None
    return OffsetAndMetadata(int(found.offset()), metadata=str(found.metadata() or ""))


def java_record(java: JavaProcess, record: ProducerRecord) -> Any:
    """org.apache.kafka.clients.producer.ProducerRecord."""
    return java.jvm.org.apache.kafka.clients.producer.ProducerRecord(
        record.topic,
        record.partition,
        record.timestamp_ms,
        record.key,
        record.value,
    )


def metadata_from(found: Any) -> RecordMetadata:
    """Python's RecordMetadata of Java's; an offset that no broker told is -1."""
    return RecordMetadata(
        str(found.topic()),
        int(found.partition()),
        int(found.offset()) if found.hasOffset() else -1,
        int(found.timestamp()) if found.hasTimestamp() else -1,
    )


def record_from(found: Any) -> ConsumerRecord:
    """Python's ConsumerRecord of Java's."""
    return ConsumerRecord(
        str(found.topic()),
        int(found.partition()),
        int(found.offset()),
        int(found.timestamp()),
        found.key(),
        found.value(),
        headers=tuple((str(one.key()), bytes(one.value())) for one in found.headers().toArray()),
    )
