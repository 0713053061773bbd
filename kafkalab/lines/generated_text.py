"""A message as its generated class prints it: `HeartbeatResponseData(throttleTimeMs=0, errorCode=0)`.

Kafka's message generator writes each class's toString: all fields of the schema, in its order, texts in single
quotes, bytes as signed numbers. Which client version has which field stands in `data_fields`.
"""
import typing
from dataclasses import fields, is_dataclass
from functools import cache

from kafkalab.lines import data_fields
from kafkalab.lines.java_values import list_text, value_text
from kafkalab.lines.text_style import STYLES
from kafkalab.protocol import messages as m
from kafkalab.protocol.bytes_left import bytes_left_at_records, records_size


def data_text(message, version: str) -> str:
    """A whole request or response, as client `version` prints it."""
    left = bytes_left_at_records(message) if type(message) is m.FetchResponse else {}
    return _Writer(version, left).struct(message, suffix="Data")


def part_text(part, version: str) -> str:
    """A struct from inside a message, for instance one FinalizedFeatureKey. Not for fetched partitions."""
    return _Writer(version, {}).struct(part)


def fetched_partition_text(response: m.FetchResponse, topic_index: int, partition_index: int, version: str) -> str:
    """One partition of a FETCH answer; the indexes count from 0."""
    partition = response.responses[topic_index].partitions[partition_index]
    return _Writer(version, bytes_left_at_records(response)).struct(partition, at=(topic_index, partition_index))


class _Writer:
    """Prints one message; it holds what all its parts need to know.

    bytes_left: where each fetched partition's records begin, counted from the answer's end (`bytes_left`).
    """

    def __init__(self, version: str, bytes_left: dict[tuple[int, int], int]) -> None:
        self._version = version
        self._bytes_left = bytes_left

    def struct(self, value, *, suffix: str = "", at: tuple[int, ...] = ()) -> str:
        """at: the indexes of the list elements on the way here; they find a partition's place in the answer."""
        kind = type(value)
        known_to = data_fields.KNOWN_TO.get(kind, {})
        texts = (f"{self._spelled(kind, field.name)}={self._field(value, field.name, at)}" for field in fields(value)
                 if self._version in known_to.get(field.name, (self._version,)))
        return f"{self._class_name(kind)}{suffix}({', '.join(texts)})"

    def _field(self, owner, name: str, at: tuple[int, ...]) -> str:
        value = getattr(owner, name)
        if name in data_fields.UUID_FIELDS:
            return value
        if type(owner) is m.FetchPartitionData and name == "records":
            size = records_size(owner)
            buffer = f"java.nio.HeapByteBuffer[pos=0 lim={size} cap={self._bytes_left[at]}]"
            return f"MemoryRecords(size={size}, buffer={buffer})"
        if value is None and STYLES[self._version].null_in_quotes and name in _text_fields(type(owner)):
            return "'null'"
        if isinstance(value, str):
            return f"'{value}'"
        if isinstance(value, bytes):
            return list_text(byte - 256 if byte > 127 else byte for byte in value)
        if isinstance(value, tuple):
            return list_text(self._element(item, (*at, index)) for index, item in enumerate(value))
        return self._element(value, at)

    def _element(self, value, at: tuple[int, ...]) -> str:
        return self.struct(value, at=at) if is_dataclass(value) else value_text(value)

    def _spelled(self, kind: type, name: str) -> str:
        versions, older = data_fields.SPELLED.get((kind, name), ((), ""))
        if self._version in versions:
            return older
        first, *rest = name.split("_")
        return first + "".join(word.capitalize() for word in rest)

    def _class_name(self, kind: type) -> str:
        versions, older = data_fields.OLDER_CLASS_NAMES.get(kind, ((), ""))
        if self._version in versions:
            return older
        return data_fields.CLASS_NAMES.get(kind, kind.__name__)


@cache
def _text_fields(kind: type) -> frozenset[str]:
    """The fields of a message class that hold text or nothing."""
    return frozenset(name for name, hint in typing.get_type_hints(kind).items() if hint == str | None)
