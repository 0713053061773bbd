"""Orders values as a Java HashMap prints them."""

from collections.abc import Iterable
from typing import TypeVar

from kafkalab.hashing import hash_map_order, topic_partition_hash

Part = TypeVar("Part")


def by_partition(parts: Iterable[tuple[str, int, Part]]) -> list[tuple[str, int, Part]]:
    """Tuples (topic, partition, part) in the order of a HashMap with TopicPartition keys."""
    held = {(topic, partition): part for topic, partition, part in parts}
    return [
        (*key, held[key]) for key in hash_map_order(held, lambda key: topic_partition_hash(*key))
    ]
