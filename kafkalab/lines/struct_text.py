"""Prints a message as Kafka's generic `Struct` does: `{throttle_time_ms=0,error_code=0}`. Clients
up to 2.3 do so.

`struct_fields` says which fields an API version has and how each client spells them.
"""

from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Any

from kafkalab.lines.java_values import identity_text, list_text, value_text
from kafkalab.lines.old_objects import records_text
from kafkalab.lines.struct_fields import STRUCTS, StructField
from kafkalab.protocol import messages as m
from kafkalab.protocol.buffer_sizes import bytes_left_at_members, bytes_left_at_metadata
from kafkalab.releases import PROFILES


def struct_text(message: Any, api_version: int, version: str) -> str:
    """A whole request or response in `api_version` of its API, as client `version` prints it."""
    left: list[int] = []
    if type(message) is m.JoinGroupResponse:
        left = bytes_left_at_metadata(
            message, instance_ids=api_version >= JOIN_GROUP_INSTANCE_IDS_SINCE
        )
    elif type(message) is m.DescribeGroupsResponse:
        left = bytes_left_at_members(
            message, operations=api_version >= DESCRIBE_GROUPS_OPERATIONS_SINCE
        )
    return _StructWriter(
        STRUCTS[PROFILES[version].printing.struct_names], api_version, left
    ).struct(message)


JOIN_GROUP_INSTANCE_IDS_SINCE = 5
"""KIP-345."""

DESCRIBE_GROUPS_OPERATIONS_SINCE = 3
"""KIP-430."""

ARRAY_CLASS = "[Ljava.lang.Object;"


class _StructWriter:
    """Prints one message; it holds what all its parts need to know.

    bytes_left: the capacities of the buffers in an answer, in the order in which they print
    (`bytes_left`). A buffer of our own making, as in requests, has just the capacity it needs.
    """

    def __init__(
        self,
        structs: dict[type, tuple[StructField, ...]],
        api_version: int,
        bytes_left: Iterable[int],
    ) -> None:
        self._structs = structs
        self._api_version = api_version
        self._bytes_left = iter(bytes_left)

    def struct(self, value: Any) -> str:
        """Fields whose path has two steps gather in a struct of their own:
        partition_header={partition=0,...}."""
        texts: list[str] = []
        gathered: dict[str, list[str]] = {}
        for field in self._structs[type(value)]:
            if self._api_version < field.since:
                continue
            head, _, name = field.path.rpartition(".")
            if head and head not in gathered:
                texts.append(head)
            into = gathered.setdefault(head, []) if head else texts
            into.append(f"{name}={self._field(getattr(value, field.of), field)}")
        return _braces(
            f"{text}={_braces(gathered[text])}" if text in gathered else text for text in texts
        )

    def _field(self, value: Any, field: StructField) -> str:
        if isinstance(value, bytes):
            size = len(value)
            return f"java.nio.HeapByteBuffer[pos=0 lim={size} cap={next(self._bytes_left, size)}]"
        if not isinstance(value, tuple):
            return value_text(value)
        if field.numbered:
            value = sorted(value, key=lambda part: part.partition_index)
        if value and isinstance(value[0], m.RecordBatch):
            return records_text(value)
        return list_text((self._element(item, field) for item in value), ",")

    def _element(self, item: Any, field: StructField) -> str:
        if field.bare:
            return value_text(getattr(item, field.bare))
        if field.wrapped:
            return _braces([f"{field.wrapped}={value_text(item)}"])
        if field.array:
            return identity_text(ARRAY_CLASS, repr(item).encode("utf-8"))
        return self.struct(item) if is_dataclass(item) else value_text(item)


def _braces(texts: Iterable[str]) -> str:
    return "{" + ",".join(texts) + "}"
