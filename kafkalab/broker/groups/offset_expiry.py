"""OffsetExpiry: removes old committed offsets (GroupCoordinator.cleanupGroupMetadata, KIP-211).

Offsets are removed offsets.retention.minutes after the group became empty. The group ends with its
last offset.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.effects import Effect, SetTimer
from kafkalab.broker.groups.any_group import Place
from kafkalab.broker.groups.classic.group import ClassicGroup
from kafkalab.broker.groups.classic.group_state import ClassicGroupState
from kafkalab.broker.groups.group_storage import GroupStorage
from kafkalab.broker.groups.group_table import GroupTable
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup
from kafkalab.protocol.consumer_protocol import parse_subscription

MINUTE_MS = 60_000
CONSUMER_PROTOCOL = "consumer"
GONE = "the last offset has expired"

Forget = Callable[[ClassicGroup | ConsumerGroup, str, int], list[Effect]]
"""A function that ends a group without members; its arguments are the group, the reason and the
time."""


class OffsetExpiry:
    """Removes old offsets of one broker's groups (GroupMetadataManager.cleanupExpiredOffsets).

    by_topic: offsets of topics that no member reads expire while the group is active (KIP-496).
    topics_read: gives the topics that members of a KIP-848 group read.
    """

    def __init__(
        self,
        table: GroupTable,
        config: BrokerConfig,
        by_topic: bool,
        storage: GroupStorage,
        topics_read: Callable[[ConsumerGroup], Collection[str]],
        forget: Forget,
    ) -> None:
        self._table, self._config, self._by_topic, self._storage = table, config, by_topic, storage
        self._topics_read, self._forget = topics_read, forget
        self._retention_ms = config.offsets_retention_minutes * MINUTE_MS
        self._is_armed = False

    def arm(self, now_ms: int) -> list[Effect]:
        """Set the timer of the next check; it runs every offsets.retention.check.interval.ms while
        there are offsets."""
        if self._is_armed or not any(group.offsets for group in self._table.all()):
            return []
        self._is_armed = True
        every_ms = self._config.offsets_retention_check_interval_ms
        return [SetTimer(("expire offsets",), (now_ms // every_ms + 1) * every_ms)]

    def expire(self, now_ms: int) -> list[Effect]:
        """Remove the expired offsets (cleanupGroupMetadata)."""
        self._is_armed = False
        out: list[Effect] = []
        removed = 0
        for group in list(self._table.classic.values()):
            expired = expired_offsets(group, now_ms, self._retention_ms, self._by_topic)
            if not expired:
                continue
            out += self._storage.remove_offsets(group, expired, "expired", now_ms)
            removed += len(expired)
            if (
                not group.offsets
                and not group.pending_offsets
                and group.state is ClassicGroupState.EMPTY
            ):
                out += self._forget(group, GONE, now_ms)
        for one in list(self._table.modern.values()):
            read = self._topics_read(one)
            gone = too_old(one, now_ms, self._retention_ms, read)
            out += self._storage.remove_offsets(one, gone, "expired", now_ms)
            removed += len(gone)
            if not one.offsets and not one.pending_offsets and not one.members:
                out += self._forget(one, GONE, now_ms)
        self._storage.say.log("GROUP_OFFSETS_EXPIRED", count=removed, elapsed_ms=0)
        return out + self.arm(now_ms)

    def process_died(self) -> None:
        """Forget the timer: the process has died."""
        self._is_armed = False


def too_old(
    group: ConsumerGroup, now_ms: int, retention_ms: int, read: Collection[str]
) -> list[Place]:
    """The expired offsets of a KIP-848 group: each one by the time of its commit, unless a member
    reads the topic."""
    pending = {place for offsets in group.pending_offsets.values() for place in offsets}
    return [
        place
        for place, kept in group.offsets.items()
        if place[0] not in read
        and place not in pending
        and now_ms - kept.committed_at_ms >= retention_ms
    ]


def expired_offsets(
    group: ClassicGroup, now_ms: int, retention_ms: int, by_topic: bool = True
) -> list[Place]:
    """The expired offsets of a classic group (GroupMetadata.removeExpiredOffsets, KIP-211).

    In a group that never had members each offset expires by the time of its commit. In an empty
    group they expire by the time at which it became empty. An active group keeps its offsets; with
    by_topic (KIP-496) those of topics that no member reads expire by their commit.
    """
    if group.state is ClassicGroupState.DEAD:
        return []
    if group.protocol_type is None:
        since = {place: offset.committed_at_ms for place, offset in group.offsets.items()}
    elif group.state is ClassicGroupState.EMPTY:
        since = dict.fromkeys(group.offsets, group.in_state_since_ms)
    elif (
        by_topic
        and group.state is ClassicGroupState.STABLE
        and group.protocol_type == CONSUMER_PROTOCOL
    ):
        try:
            read = {
                topic
                for member in group.members.values()
                for topic in parse_subscription(member.metadata_for(group.protocol)).topics
            }
        except struct.error:
            return []  # these members' metadata is no subscription, so their topics are unknown
        since = {
            place: offset.committed_at_ms
            for place, offset in group.offsets.items()
            if place[0] not in read
        }
    else:
        return []
    pending = {place for offsets in group.pending_offsets.values() for place in offsets}
    return [
        place
        for place, at_ms in since.items()
        if now_ms - at_ms >= retention_ms and place not in pending
    ]
