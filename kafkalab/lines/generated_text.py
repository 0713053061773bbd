"""Prints a message as its generated class does:
`HeartbeatResponseData(throttleTimeMs=0, errorCode=0)`.

Kafka's message generator writes each class's toString: all fields of the schema, in its order,
texts in single quotes, bytes as signed numbers. `data_fields` says which client version has which
field.
"""

import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from kafkalab.lines import data_fields
from kafkalab.lines.java_values import list_text, value_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.buffer_sizes import (
    bytes_left_at_records,
    bytes_left_at_shared_records,
    records_size,
)
from kafkalab.protocol.frozen import record
from kafkalab.releases import PROFILES


def data_text(message: Any, version: str) -> str:
    """A whole request or response, as client `version` prints it."""
    left: Mapping[Any, int] = {}
    if type(message) is m.FetchResponse:
        left = bytes_left_at_records(message)
    elif type(message) is m.ShareFetchResponse:
        left = bytes_left_at_shared_records(message)
    return _GeneratedTextWriter(version, left).struct(message, suffix="Data")


def part_text(part: Any, version: str) -> str:
    """A struct from inside a message, for instance one FinalizedFeatureKey.
    Not for fetched partitions."""
    return _GeneratedTextWriter(version, {}).struct(part)


def fetched_partition_text(
    response: m.FetchResponse, topic_index: int, partition_index: int, version: str
) -> str:
    """One partition of a FETCH answer; the indexes count from 0."""
    partition = response.responses[topic_index].partitions[partition_index]
    return _GeneratedTextWriter(version, bytes_left_at_records(response)).struct(
        partition, at=(topic_index, partition_index)
    )


def share_fetched_text(
    response: m.ShareFetchResponse, topic_index: int, partition_index: int, version: str
) -> str:
    """One partition of a SHARE_FETCH answer; the indexes count from 0."""
    partition = response.responses[topic_index].partitions[partition_index]
    return _GeneratedTextWriter(version, bytes_left_at_shared_records(response)).struct(
        partition, at=(topic_index, partition_index)
    )


class _GeneratedTextWriter:
    """Prints one message; it holds what all its parts need to know.

    bytes_left: where each fetched partition's records begin, counted from the answer's end
    (`bytes_left`).
    """

    def __init__(self, version: str, bytes_left: Mapping[Any, int]) -> None:
        self._version = version
        self._bytes_left = bytes_left

    def struct(self, value: Any, *, suffix: str = "", at: tuple[int, ...] = ()) -> str:
        """The text of one struct. at: the indexes of the list elements above it, which give a
        partition's place in the answer."""
        kind: Any = type(value)
        shape = _shape(kind, self._version)
        texts = (
            printed + self._field(value, getattr(value, name), name, shape, at)
            for name, printed in shape.fields
        )
        return f"{shape.name}{suffix}({', '.join(texts)})"

    def _field(
        self, owner: Any, value: Any, name: str, shape: "_Shape", at: tuple[int, ...]
    ) -> str:
        if isinstance(value, str):
            return value if name in data_fields.UUID_FIELDS else f"'{value}'"
        if isinstance(value, tuple):
            if name == "records" and type(owner) in (
                m.FetchPartitionData,
                m.ShareFetchPartitionData,
            ):
                return self._records(owner, at)
            return list_text(self._element(item, (*at, index)) for index, item in enumerate(value))
        if isinstance(value, bytes):
            return list_text(byte - 256 if byte > 127 else byte for byte in value)
        if value is None and name in shape.quoted_when_missing:
            return "'null'"
        return self._element(value, at)

    def _records(
        self, partition: m.FetchPartitionData | m.ShareFetchPartitionData, at: tuple[int, ...]
    ) -> str:
        size = records_size(partition)
        return (
            f"MemoryRecords(size={size}, buffer=java.nio.HeapByteBuffer[pos=0 lim={size} "
            f"cap={self._bytes_left[at]}])"
        )

    def _element(self, value: Any, at: tuple[int, ...]) -> str:
        return self.struct(value, at=at) if is_dataclass(value) else value_text(value)


@record
class _Shape:
    """One message class in one client version: its name and its fields, each with the text before
    its value. quoted_when_missing: the fields that old releases print as 'null' when they are
    missing."""

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
