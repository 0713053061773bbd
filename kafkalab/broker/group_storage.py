"""What of a group outlives its coordinator? What was written to `__consumer_offsets`, and nothing that was under way.

Kafka writes a group's record when the leader's assignment arrives and when the group becomes empty, and an offset's with each
commit. Whoever leads the partition next reads it from the start (GroupMetadataManager.storeGroup and loadGroupsAndOffsets;
CoordinatorLoader in 4.x): a rebalance in progress is forgotten, the group is back in its last settled generation, and every session
begins anew. Until it has read, it answers COORDINATOR_LOAD_IN_PROGRESS.

Offsets do not stay for ever (KIP-211): offsets.retention.minutes after the group became empty they are removed, and with the last
of them the group. A commit waits until its record is safe; a group's record is not waited for.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.consumer_group import ConsumerGroup
from kafkalab.broker.effects import Caller, Effect, Note, SetTimer
from kafkalab.broker.group import CommittedOffset, Group, told_of
from kafkalab.broker.group_state import GroupState
from kafkalab.broker.offsets_log import OffsetsLog, Written
from kafkalab.broker.offsets_topic import Entry, Reading, batch_of, group_entry, offset_entry
from kafkalab.releases import BrokerProfile
from kafkalab.errors import Errors
from kafkalab.hashing import coordinator_partition
from kafkalab.protocol.consumer_protocol import parse_subscription
from kafkalab.protocol.messages import ControlRecordType, marker_batch

if TYPE_CHECKING:
    from kafkalab.broker.group_coordinator import GroupCoordinator

MINUTE_MS = 60_000
CONSUMER_PROTOCOL = "consumer"

Place = tuple[str, int]


class GroupStorage:
    """The records of one broker's groups.

    loading: partitions of the offsets topic that are being read.
    """

    def __init__(self, coordinator: GroupCoordinator, profile: BrokerProfile, config: BrokerConfig, log: OffsetsLog) -> None:
        self.loading: dict[int, None] = {}
        self._coordinator, self._profile, self._config, self._log = coordinator, profile, config, log
        self._retention_ms = config.offsets_retention_minutes * MINUTE_MS
        self._expiry_armed = False

    def partition_of(self, group_id: str) -> int:
        return coordinator_partition(group_id, self._config.offsets_topic_num_partitions)

    # -- writing

    def write_group(self, group: Group, now_ms: int) -> list[Effect]:
        return self._append(group.id, [group_entry(group, now_ms)], now_ms).effects

    def write_offsets(self, group_id: str, offsets: Mapping[Place, CommittedOffset], now_ms: int) -> Written:
        return self._append(group_id, [offset_entry(group_id, *place, offset, now_ms) for place, offset in offsets.items()], now_ms)

    def write_pending(self, group_id: str, offsets: Mapping[Place, CommittedOffset], producer_id: int, epoch: int, now_ms: int) -> Written:
        """Offsets that count when the producer's transaction is committed."""
        entries = [offset_entry(group_id, *place, offset, now_ms) for place, offset in offsets.items()]
        return self._log.append(self.partition_of(group_id), batch_of(entries, producer_id, epoch), now_ms)

    def write_marker(self, partition: int, producer_id: int, epoch: int, committed: bool, coordinator_epoch: int, now_ms: int) -> list[Effect]:
        outcome = ControlRecordType.COMMIT if committed else ControlRecordType.ABORT
        return self._log.append(partition, marker_batch(producer_id, epoch, outcome, coordinator_epoch, now_ms), now_ms).effects

    def answer_when_safe(self, caller: Caller, group_id: str, written: Written, response: Any, now_ms: int) -> list[Effect]:
        return self._log.answer_when_safe(caller, self.partition_of(group_id), written, response, now_ms)

    def remove_offsets(self, group: Group | ConsumerGroup, places: Iterable[Place], reason: str, now_ms: int) -> list[Effect]:
        """Tombstones for offsets that are expired or deleted."""
        gone = list(places)
        for place in gone:
            del group.offsets[place]
        notes: list[Effect] = [Note("offset.removed", {"group": group.id, "topic": topic, "partition": partition, "reason": reason})
                               for topic, partition in gone]
        return notes + self._append(group.id, [offset_entry(group.id, *place, None, now_ms) for place in gone], now_ms).effects

    def remove_group(self, group: Group, now_ms: int) -> list[Effect]:
        """Tombstones for all that there is of it."""
        entries = [offset_entry(group.id, *place, None, now_ms) for place in group.offsets]
        return self._append(group.id, [*entries, group_entry(group, now_ms, gone=True)], now_ms).effects

    def remove_all_offsets(self, group: ConsumerGroup, now_ms: int) -> list[Effect]:
        """Tombstones for all that the topic has of a group of the newer protocol."""
        return self._append(group.id, [offset_entry(group.id, *place, None, now_ms) for place in group.offsets], now_ms).effects

    def _append(self, group_id: str, entries: list[Entry], now_ms: int) -> Written:
        if not entries:
            return Written(Errors.NONE, 0, [])
        return self._log.append(self.partition_of(group_id), batch_of(entries), now_ms)

    # -- reading

    def begin_loading(self, partition: int, takes_ms: int, now_ms: int) -> list[Effect]:
        """This broker leads a partition of the offsets topic from now on."""
        if takes_ms <= 0:
            return self.load(partition, now_ms)
        self.loading[partition] = None
        return [SetTimer(("load", partition), now_ms + takes_ms)]

    def load(self, partition: int, now_ms: int) -> list[Effect]:
        """Every group as its last record says, all sessions new."""
        self.loading.pop(partition, None)
        groups, modern = self._coordinator.groups, self._coordinator.modern.groups
        for id in [id for id in groups if self.partition_of(id) == partition]:
            del groups[id]
        effects: list[Effect] = []
        for id, group in Reading().read(self._log.batches(partition), now_ms).items():
            if id in modern:
                modern[id].offsets, modern[id].pending_offsets = group.offsets, group.pending_offsets
                continue
            groups[id] = group
            effects.append(loaded_note(group))
            effects += [SetTimer(("session", id, member.id), member.deadline_ms) for member in group.members.values()]
        return effects + self.arm_expiry(now_ms)

    def partitions(self) -> tuple[int, ...]:
        return self._log.partitions()

    # -- forgetting

    def arm_expiry(self, now_ms: int) -> list[Effect]:
        """See that somebody looks for what has expired, every offsets.retention.check.interval.ms while there are offsets."""
        if self._expiry_armed or not any(
                group.offsets for group in (*self._all_groups(), *self._coordinator.modern.groups.values())):
            return []
        self._expiry_armed = True
        every_ms = self._config.offsets_retention_check_interval_ms
        return [SetTimer(("expire offsets",), (now_ms // every_ms + 1) * every_ms)]

    def expire(self, now_ms: int) -> list[Effect]:
        """Remove what has expired (cleanupGroupMetadata)."""
        self._expiry_armed = False
        out: list[Effect] = []
        for group in list(self._all_groups()):
            expired = expired_offsets(group, now_ms, self._retention_ms, self._profile.expires_unsubscribed_topics)
            if not expired:
                continue
            out += self.remove_offsets(group, expired, "expired", now_ms)
            if not group.offsets and not group.pending_offsets and group.state is GroupState.EMPTY:
                out += self._coordinator.forget(group, "the last offset has expired")
        modern = self._coordinator.modern
        for one in list(modern.groups.values()):
            read = modern.topics_read(one)
            out += self.remove_offsets(one, too_old(one, now_ms, self._retention_ms, read), "expired", now_ms)
            if not one.offsets and not one.pending_offsets and not one.members:
                out += self._coordinator.forget_modern(one)
        return out + self.arm_expiry(now_ms)

    def process_died(self) -> None:
        """What was in memory is gone."""
        self.loading.clear()
        self._expiry_armed = False
        self._coordinator.groups.clear()

    def _all_groups(self) -> Iterable[Group]:
        return self._coordinator.groups.values()


def too_old(group: ConsumerGroup, now_ms: int, retention_ms: int, read: Collection[str]) -> list[Place]:
    """The same of a group of the newer protocol: each offset counts from its own commit, unless a member reads the topic."""
    pending = {place for offsets in group.pending_offsets.values() for place in offsets}
    return [place for place, kept in group.offsets.items()
            if place[0] not in read and place not in pending and now_ms - kept.committed_at_ms >= retention_ms]


def expired_offsets(group: Group, now_ms: int, retention_ms: int, by_topic: bool = True) -> list[Place]:
    """Which offsets of a group are too old (GroupMetadata.removeExpiredOffsets, KIP-211)?

    A group that never had members: each offset by its own commit. An empty group: from the moment it became empty. A group at work
    keeps them all, but (by_topic, KIP-496) those of topics that no member reads any more count from their commit.
    """
    if group.state is GroupState.DEAD:
        return []
    if group.protocol_type is None:
        since = {place: offset.committed_at_ms for place, offset in group.offsets.items()}
    elif group.state is GroupState.EMPTY:
        since = dict.fromkeys(group.offsets, group.in_state_since_ms)
    elif by_topic and group.state is GroupState.STABLE and group.protocol_type == CONSUMER_PROTOCOL:
        try:
            read = {topic for member in group.members.values() for topic in parse_subscription(member.metadata_for(group.protocol)).topics}
        except struct.error:
            return []  # what these members write is no subscription, so nobody can tell
        since = {place: offset.committed_at_ms for place, offset in group.offsets.items() if place[0] not in read}
    else:
        return []
    pending = {place for offsets in group.pending_offsets.values() for place in offsets}
    return [place for place, at_ms in since.items() if now_ms - at_ms >= retention_ms and place not in pending]


def loaded_note(group: Group) -> Note:
    """A group as its coordinator read it back, for the journal."""
    return Note("group.loaded", {
        "group": group.id, "state": group.state.value, "generation": group.generation, "protocol_type": group.protocol_type,
        "protocol": group.protocol, "leader": group.leader, "members": [told_of(one) for one in group.members.values()],
        "offsets": [{"topic": topic, "partition": partition, "offset": kept.offset, "leader_epoch": kept.leader_epoch,
                     "metadata": kept.metadata, "committed_at_ms": kept.committed_at_ms}
                    for (topic, partition), kept in group.offsets.items()]})
