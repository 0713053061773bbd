"""Implements the JVM hash functions that decide Kafka's partitions, coordinators and order of
connections.

Java's `String.hashCode` places a group among the partitions of `__consumer_offsets`. murmur2 places
a key among the partitions of a topic. The iteration order of a HashMap decides which leader a
consumer connects to first. Nothing here is random, and nothing uses Python's own `hash()`.

Left out: buckets that Java turns into trees (8 keys in one bucket of a table of 64 or more).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Key = TypeVar("Key")

_BITS = 0xFFFFFFFF
_MIN_INT = -0x80000000
_TRUE_HASH, _FALSE_HASH = 1231, 1237
"""Boolean.hashCode of true and of false."""


def as_int32(number: int) -> int:
    """`number` as Java's int would hold it: the low 32 bits, read as a signed number."""
    number &= _BITS
    return number - 0x100000000 if number > 0x7FFFFFFF else number


def kafka_abs(number: int) -> int:
    """Kafka's `Utils.abs`: Java's Math.abs, but 0 where that would
    stay negative (the smallest int)."""
    return 0 if number == _MIN_INT else abs(number)


def java_string_hash(text: str) -> int:
    """`String.hashCode`: 31 * so far + next, over UTF-16 code units (a
    character beyond the BMP counts as two)."""
    total = 0
    encoded = text.encode("utf-16-be", "surrogatepass")
    for at in range(0, len(encoded), 2):
        total = (31 * total + (encoded[at] << 8) + encoded[at + 1]) & _BITS
    return as_int32(total)


def coordinator_partition(key: str, partitions: int = 50) -> int:
    """The partition of `__consumer_offsets` (or `__transaction_state`) that is responsible for a
    group (or a transactional id); its leader is the coordinator. GroupMetadataManager.partitionFor.
    """
    return kafka_abs(java_string_hash(key)) % partitions


def murmur2(key: bytes) -> int:
    """The 32-bit murmur2 hash by which the default partitioner places a key (`Utils.murmur2`),
    as a signed int."""
    mixer = 0x5BD1E995
    total = 0x9747B28C ^ len(key)
    whole = len(key) & ~3
    for at in range(0, whole, 4):
        word = int.from_bytes(key[at : at + 4], "little") * mixer & _BITS
        word = (word ^ word >> 24) * mixer & _BITS
        total = total * mixer & _BITS ^ word
    rest = key[whole:]
    if rest:
        total = (total ^ int.from_bytes(rest, "little")) * mixer & _BITS
    total = (total ^ total >> 13) * mixer & _BITS
    return as_int32(total ^ total >> 15)


def to_positive(number: int) -> int:
    """`Utils.toPositive`: drops the sign bit. Not the absolute value,
    which would give other partitions."""
    return number & 0x7FFFFFFF


def topic_partition_hash(topic: str, partition: int) -> int:
    """`TopicPartition.hashCode`."""
    return as_int32(31 * (31 + partition) + java_string_hash(topic))


def node_hash(
    node_id: int, host: str, port: int, rack: str | None = None, is_fenced: bool | None = None
) -> int:
    """`Node.hashCode`. is_fenced=None stands for clients before 4.0,
    whose Node knows no fencing."""
    total = 31 + java_string_hash(host)
    total = 31 * total + node_id
    total = 31 * total + port
    total = 31 * total + (java_string_hash(rack) if rack is not None else 0)
    if is_fenced is not None:
        total = 31 * total + (_TRUE_HASH if is_fenced else _FALSE_HASH)
    return as_int32(total)


def hash_map_order(
    keys: Iterable[Key],
    hash_of: Callable[[Key], int],
    *,
    newest_first: bool = False,
    copied: bool = False,
) -> list[Key]:
    """The iteration order of a `java.util.HashMap` whose `keys` were put in the given order.

    hash_of gives Java's hashCode of a key. A key goes to bucket (h ^ h >>> 16) & (buckets - 1); the
    table starts with 16 buckets and doubles when more than three quarters full, which keeps the
    order inside a bucket.

    newest_first=True is for a map filled with computeIfAbsent. That method puts a new key at the
    head of its bucket, while put appends. It also checks the load one entry later.

    copied=True is for a map made from another map of that order. Its table has the least possible
    size.
    """
    assert not isinstance(keys, (set, frozenset)), "keys have the order in which they were put"
    distinct = list(dict.fromkeys(keys))
    buckets = (
        1 << (int(len(distinct) / 0.75 + 1) - 1).bit_length()
        if copied
        else grown_buckets(len(distinct) - newest_first)
    )
    table: dict[int, list[Key]] = {}
    for key in distinct:
        table.setdefault(bucket_of(hash_of(key), buckets), []).append(key)
    return [
        key
        for bucket in sorted(table)
        for key in (reversed(table[bucket]) if newest_first else table[bucket])
    ]


def grown_buckets(load: int, buckets: int = 16) -> int:
    """How many buckets a HashMap of `buckets` has once it holds `load` keys; it never shrinks."""
    while load > buckets * 3 // 4:
        buckets *= 2
    return buckets


def bucket_of(hash_code: int, buckets: int) -> int:
    """The bucket of a key with this hashCode in a HashMap of so many buckets."""
    bits = hash_code & _BITS
    return (bits ^ bits >> 16) & (buckets - 1)


def long_map_order(numbers: Iterable[int]) -> list[int]:
    """The iteration order of Scala's `mutable.LongMap` for small whole numbers, added in the given
    order.

    A ZooKeeper-era broker keeps brokers and partitions in such maps (kafka.server.MetadataCache).
    This gives the order of its METADATA responses: three brokers come as 0, 2, 1. Zero has its own
    place in front. The table begins with 8 slots and doubles when half of them would be taken.
    """
    zero: list[int] = []
    slots: list[int | None] = [None] * 8
    taken = 0
    for number in dict.fromkeys(numbers):
        if number == 0:
            zero = [0]
            continue
        _probe_into(slots, number)
        taken += 1
        if taken > 0.5 * (len(slots) - 1):
            kept, slots = slots, [None] * (2 * len(slots))
            for other in kept:
                if other is not None:
                    _probe_into(slots, other)
    return zero + [number for number in slots if number is not None]


def _probe_into(slots: list[int | None], number: int) -> None:
    """Put `number` into the first free slot of its probe sequence (LongMap.seekEmpty)."""
    mask = len(slots) - 1
    bits = (number ^ number >> 32) & _BITS
    bits = (bits ^ bits >> 16) * 0x85EBCA6B & _BITS
    at, step = (bits ^ bits >> 13) & mask, 0
    while slots[at] is not None:
        step += 1
        at = (at + 2 * (step + 1) * step - 3) & mask
    slots[at] = number
