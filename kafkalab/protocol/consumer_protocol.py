"""Writes and reads the subscriptions and assignments of a classic group's members
(ConsumerProtocol).

A member's subscription is JoinGroup's `metadata`, the leader's assignment is SyncGroup's
`assignment`. The coordinator forwards these bytes and does not decode them. Kafka's class is
`org.apache.kafka.clients.consumer.internals.ConsumerProtocol`; the schemas are
ConsumerProtocolSubscription and ConsumerProtocolAssignment. Versions 0 to 3 differ in the appended
fields: owned partitions (v1, KIP-429), the generation (v2, KIP-792), the rack (v3, KIP-881).
"""

import struct
from collections.abc import Mapping
from typing import Any

from kafkalab.protocol.frozen import message

EMPTY_BYTES, NO_BYTES = struct.pack(">i", 0), struct.pack(">i", -1)


@message
class ProtocolStyle:
    """The form in which one client release writes subscriptions and assignments.

    version: of the subscription schema. user_data_if_none: an empty array up to 2.3, a null from
    2.4 on.
    """

    version: int
    user_data_if_none: bytes


@message
class Subscription:
    """A member's subscribed topics, and its owned partitions (topic -> partitions) with their
    generation.
    """

    topics: tuple[str, ...] = ()
    owned: Mapping[str, tuple[int, ...]] | None = None
    generation_id: int = -1
    rack_id: str | None = None
    user_data: bytes | None = None


def subscription_bytes(style: ProtocolStyle, subscription: Subscription) -> bytes:
    """The `metadata` of one JoinGroup protocol in this style."""
    appended = (
        _partitions_bytes(subscription.owned or {}),
        struct.pack(">i", subscription.generation_id),
        _string(subscription.rack_id),
    )
    return b"".join(
        (
            struct.pack(">hi", style.version, len(subscription.topics)),
            *map(_string, subscription.topics),
            _user_data(subscription.user_data, style),
            *appended[: style.version],
        )
    )


def assignment_bytes(
    style: ProtocolStyle, assignment: Mapping[str, tuple[int, ...]], user_data: bytes | None = None
) -> bytes:
    """One member's assignment (topic -> partitions, in the given order) in this style."""
    return (
        struct.pack(">h", style.version)
        + _partitions_bytes(assignment)
        + _user_data(user_data, style)
    )


def style_of(metadata: bytes) -> ProtocolStyle:
    """The style of a subscription's version, without user data: so a coordinator answers."""
    (version,) = struct.unpack_from(">h", metadata)
    return ProtocolStyle(version=version, user_data_if_none=NO_BYTES)


def parse_subscription(metadata: bytes) -> Subscription:
    """Read a subscription of any version.

    Raises struct.error for bytes that are no subscription.
    """
    reader = _Reader(metadata)
    version, count = reader.take(">hi")
    topics = tuple(reader.name() for _ in range(count))
    user_data = reader.user_data()
    owned = reader.partitions() if version >= 1 else None
    generation_id = reader.take(">i")[0] if version >= 2 else -1
    rack_id = reader.string() if version >= 3 else None
    return Subscription(
        topics=topics,
        owned=owned,
        generation_id=generation_id,
        rack_id=rack_id,
        user_data=user_data,
    )


def parse_assignment(assignment: bytes) -> dict[str, tuple[int, ...]]:
    """Read an assignment: topic -> partitions, in the leader's order.

    Empty bytes give an empty dict.
    """
    if not assignment:
        return {}
    reader = _Reader(assignment)
    reader.take(">h")
    return reader.partitions()


def _string(text: str | None) -> bytes:
    if text is None:
        return struct.pack(">h", -1)
    encoded = text.encode("utf-8")
    return struct.pack(">h", len(encoded)) + encoded


def _user_data(content: bytes | None, style: ProtocolStyle) -> bytes:
    if content is None:
        return style.user_data_if_none
    return struct.pack(">i", len(content)) + content


def _partitions_bytes(partitions: Mapping[str, tuple[int, ...]]) -> bytes:
    return struct.pack(">i", len(partitions)) + b"".join(
        _string(topic) + struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
        for topic, numbers in partitions.items()
    )


class _Reader:
    """A cursor over the bytes of one serialized value."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self._content, self._at)
        self._at += struct.calcsize(layout)
        return values

    def raw(self, size: int) -> bytes:
        start, self._at = self._at, self._at + size
        return self._content[start : self._at]

    def string(self) -> str | None:
        (size,) = self.take(">h")
        return None if size < 0 else self.raw(size).decode("utf-8")

    def name(self) -> str:
        """A string that may not be null, such as a topic's name."""
        text = self.string()
        if text is None:
            raise struct.error("a topic without a name")
        return text

    def user_data(self) -> bytes | None:
        (size,) = self.take(">i")
        return None if size < 0 else self.raw(size)

    def partitions(self) -> dict[str, tuple[int, ...]]:
        (topics,) = self.take(">i")
        found: dict[str, tuple[int, ...]] = {}
        for _ in range(topics):
            topic = self.name()
            (count,) = self.take(">i")
            found[topic] = self.take(f">{count}i")
        return found
