"""A message as its generated class prints it:
`HeartbeatResponseData(throttleTimeMs=0, errorCode=0)`.

Kafka's message generator writes each class's toString: all fields of the schema, in its order,
texts in single quotes, bytes as signed numbers. Which client version has which field stands in
`data_fields`.
"""

import typing
from dataclasses import fields, is_dataclass
from functools import cache

from kafkalab.lines import data_fields
from kafkalab.lines.java_values import list_text, value_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.buffer_sizes import bytes_left_at_records, records_size
from kafkalab.protocol.frozen import record
from kafkalab.releases import PROFILES


def data_text(message, version: str) -> str:
    """A whole request or response, as client `version` prints it."""
    left = bytes_left_at_records(message) if type(message) is m.FetchResponse else {}
    return _Writer(version, left).struct(message, suffix="Data")


def part_text(part, version: str) -> str:
    """A struct from inside a message, for instance one FinalizedFeatureKey.
    Not for fetched partitions."""
    return _Writer(version, {}).struct(part)


def fetched_partition_text(
    response: m.FetchResponse, topic_index: int, partition_index: int, version: str
) -> str:
    """One partition of a FETCH answer; the indexes count from 0."""
    partition = response.responses[topic_index].partitions[partition_index]
    return _Writer(version, bytes_left_at_records(response)).struct(
        partition, at=(topic_index, partition_index)
    )


class _Writer:
    """Prints one message; it holds what all its parts need to know.

    bytes_left: where each fetched partition's records begin, counted from the answer's end
    (`bytes_left`).
    """

    def __init__(self, version: str, bytes_left: dict[tuple[int, int], int]) -> None:
        self._version = version
        self._bytes_left = bytes_left

    def struct(self, value, *, suffix: str = "", at: tuple[int, ...] = ()) -> str:
        """at: the indexes of the list elements on the way here;
        they find a partition's place in the answer."""
        shape = _shape(type(value), self._version)
        texts = (
            printed + self._field(value, getattr(value, name), name, shape, at)
            for name, printed in shape.fields
        )
        return f"{shape.name}{suffix}({', '.join(texts)})"

    def _field(self, owner, value, name: str, shape: "_Shape", at: tuple[int, ...]) -> str:
        if isinstance(value, str):
            return value if name in data_fields.UUID_FIELDS else f"'{value}'"
        if isinstance(value, tuple):
            if type(owner) is m.FetchPartitionData and name == "records":
                return self._records(owner, at)
            return list_text(self._element(item, (*at, index)) for index, item in enumerate(value))
        if isinstance(value, bytes):
            return list_text(byte - 256 if byte > 127 else byte for byte in value)
        if value is None and name in shape.quoted_when_missing:
            return "'null'"
        return self._element(value, at)

    def _records(self, partition: m.FetchPartitionData, at: tuple[int, ...]) -> str:
        size = records_size(partition)
        return (
            f"MemoryRecords(size={size}, buffer=java.nio.HeapByteBuffer[pos=0 lim={size} "
            f"cap={self._bytes_left[at]}])"
        )

    def _element(self, value, at: tuple[int, ...]) -> str:
        return self.struct(value, at=at) if is_dataclass(value) else value_text(value)


@record
class _Shape:
    """One class in one client version: its name, its fields with what stands before their values,
    and the old slip of putting a missing text into quotes."""

    name: str
    fields: tuple[tuple[str, str], ...]
    quoted_when_missing: frozenset[str]


@cache
def _shape(kind: type, version: str) -> _Shape:
    known_to = data_fields.KNOWN_TO.get(kind, {})
    names = [
        field.name for field in fields(kind) if version in known_to.get(field.name, (version,))
    ]
    versions, older = data_fields.OLDER_CLASS_NAMES.get(kind, ((), ""))
    texts = frozenset(
        name for name, hint in typing.get_type_hints(kind).items() if hint == str | None
    )
    return _Shape(
        name=older if version in versions else data_fields.CLASS_NAMES.get(kind, kind.__name__),
        fields=tuple((name, f"{_spelled(kind, name, version)}=") for name in names),
        quoted_when_missing=texts if PROFILES[version].printing.null_in_quotes else frozenset(),
    )


def _spelled(kind: type, name: str, version: str) -> str:
    versions, older = data_fields.SPELLED.get((kind, name), ((), ""))
    if version in versions:
        return older
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
