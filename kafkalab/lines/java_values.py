"""Prints plain values as Java does: null, true, lists, optional numbers, maps, and objects without
toString."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from kafkalab.hashing import hash_map_order, topic_partition_hash
from kafkalab.records import OffsetAndMetadata

Part = TypeVar("Part")


def value_text(value: object) -> str:
    """None, booleans, numbers and texts as Java's String.valueOf gives them."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def list_text(items: Iterable[object], separator: str = ", ") -> str:
    """`[a, b]`."""
    return f"[{separator.join(str(item) for item in items)}]"


def optional_text(number: int) -> str:
    """A number as Java's Optional prints it; a negative one stands for none."""
    return "Optional.empty" if number < 0 else f"Optional[{number}]"


def offset_text(offset: OffsetAndMetadata) -> str:
    """An OffsetAndMetadata."""
    return (
        f"OffsetAndMetadata{{offset={offset.offset}, "
        f"leaderEpoch={value_text(offset.leader_epoch)}, metadata='{offset.metadata}'}}"
    )


def offsets_text(offsets: Mapping[Any, OffsetAndMetadata]) -> str:
    """A map of partitions to OffsetAndMetadata."""
    return f"{{{', '.join(f'{partition}={offset_text(offset)}' for partition, offset in offsets.items())}}}"  # noqa: E501


def by_partition(parts: Iterable[tuple[str, int, Part]]) -> list[tuple[str, int, Part]]:
    """Tuples (topic, partition, part) in the order of a HashMap with TopicPartition keys."""
    held = {(topic, partition): part for topic, partition, part in parts}
    return [
        (*key, held[key]) for key in hash_map_order(held, lambda key: topic_partition_hash(*key))
    ]


def identity_text(class_name: str, content: bytes) -> str:
    """`class_name@hex`, as Java prints an object without toString.

    In Java the number is the object's identity hash and means nothing. Here it is computed from the
    object's content, so that a run repeats.
    """
    number = 1
    for byte in content:
        number = (31 * number + byte) & 0x7FFFFFFF
    return f"{class_name}@{number:x}"
