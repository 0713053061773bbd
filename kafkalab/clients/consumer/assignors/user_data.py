"""Writes and reads the user data of a sticky member's subscription, from which any leader learns
its past."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.records import TopicPartition, by_topic


def sticky_user_data(partitions: Iterable[TopicPartition], generation: int | None) -> bytes:
    """V1, or V0 without a generation. The topics come in the order of Java's HashMap
    (CollectionUtils.groupPartitionsByTopic)."""
    numbers = by_topic(partitions)
    written = struct.pack(">i", len(numbers))
    for topic in hash_map_order(numbers, java_string_hash, newest_first=True):
        name = topic.encode("utf-8")
        written += struct.pack(
            f">h{len(name)}si{len(numbers[topic])}i",
            len(name),
            name,
            len(numbers[topic]),
            *numbers[topic],
        )
    return written if generation is None else written + struct.pack(">i", generation)


def parse_sticky_user_data(
    content: bytes | None,
) -> tuple[tuple[TopicPartition, ...] | None, int | None]:
    """(partitions, generation); (None, None) for no user data, no partitions and generation -1 for
    bytes that cannot be read, as in Java."""
    if not content:
        return None, None
    try:
        partitions, at = _read_partitions(content)
    except (struct.error, UnicodeDecodeError):
        return (), -1
    return partitions, struct.unpack_from(">i", content, at)[0] if len(content) >= at + 4 else None


def cooperative_user_data(generation: int) -> bytes:
    return struct.pack(">i", generation)


def parse_cooperative_user_data(content: bytes | None) -> int | None:
    """The generation; None for no user data, -1 for bytes that are too short."""
    if content is None:
        return None
    return struct.unpack_from(">i", content)[0] if len(content) >= 4 else -1


def _read_partitions(content: bytes) -> tuple[tuple[TopicPartition, ...], int]:
    (topics,), at = struct.unpack_from(">i", content), 4
    found: list[TopicPartition] = []
    for _ in range(topics):
        (size,) = struct.unpack_from(">h", content, at)
        (name, count) = struct.unpack_from(f">{size}si", content, at + 2)
        at += 2 + size + 4
        found += [
            TopicPartition(name.decode("utf-8"), number)
            for number in struct.unpack_from(f">{count}i", content, at)
        ]
        at += 4 * count
    return tuple(found), at
