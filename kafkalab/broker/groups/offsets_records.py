"""Makes the records of `__consumer_offsets`, and reads groups and offsets back from them.

There are two kinds of records. OffsetCommitKey and OffsetCommitValue hold a committed offset, by
group, topic and partition. GroupMetadataKey and GroupMetadataValue hold a group's last settled
generation: leader, members and their assignments. A null value is a tombstone for what is expired
or deleted. The latest record of a key is valid, so the topic can be compacted.

Kafka writes them in binary form. Here they are the JSON that kafka-console-consumer prints for them
in 4.x, so that a learner can read the topic. Their size is that of the binary form.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kafkalab.broker.groups.any_group import CommittedOffset
from kafkalab.broker.groups.classic.group import ClassicGroup, ClassicGroupMember
from kafkalab.broker.groups.classic.group_state import ClassicGroupState
from kafkalab.protocol.messages import JoinGroupRequestProtocol, RecordBatch, WireRecord

OFFSET_KEY, GROUP_KEY = 1, 2
"""The version of a record's key shows its kind."""

OFFSET_VALUE_VERSION, GROUP_VALUE_VERSION = 3, 3
BATCH_BYTES, OFFSET_ENTRY_BYTES, GROUP_ENTRY_BYTES, MEMBER_BYTES = 61, 45, 35, 40
"""Bytes of a batch, an offset, a group and a member, without the bytes of names, metadata,
subscriptions and assignments."""


class SizedRecord(NamedTuple):
    """A record to write, with its size in Kafka's binary form."""

    record: WireRecord
    size_bytes: int


def offset_entry(
    group: str, topic: str, partition: int, offset: CommittedOffset | None, now_ms: int
) -> SizedRecord:
    """The record of a committed offset; an offset of None makes a tombstone."""
    value = (
        None
        if offset is None
        else _text(
            OFFSET_VALUE_VERSION,
            {
                "offset": offset.offset,
                "leaderEpoch": offset.leader_epoch,
                "metadata": offset.metadata,
                "commitTimestamp": offset.committed_at_ms,
            },
        )
    )
    record = WireRecord(
        _key(OFFSET_KEY, {"group": group, "topic": topic, "partition": partition}), value, now_ms
    )
    return SizedRecord(
        record,
        OFFSET_ENTRY_BYTES
        + len(group)
        + len(topic)
        + (0 if offset is None else len(offset.metadata)),
    )


def group_entry(group: ClassicGroup, now_ms: int, gone: bool = False) -> SizedRecord:
    """The record of a group's present state; `gone` makes a tombstone."""
    value = (
        None
        if gone
        else _text(
            GROUP_VALUE_VERSION,
            {
                "protocolType": group.protocol_type or "",
                "generation": group.generation,
                "protocol": group.protocol,
                "leader": group.leader,
                "currentStateTimestamp": group.in_state_since_ms,
                "members": [_member(group, member) for member in group.members.values()],
            },
        )
    )
    size = (
        GROUP_ENTRY_BYTES
        + len(group.id)
        + sum(
            MEMBER_BYTES
            + len(member.id)
            + len(member.metadata_for(group.protocol))
            + len(member.assignment)
            for member in (() if gone else group.members.values())
        )
    )
    return SizedRecord(WireRecord(_key(GROUP_KEY, {"group": group.id}), value, now_ms), size)


def coordinator_batch(
    entries: Sequence[SizedRecord], producer_id: int = -1, producer_epoch: int = -1
) -> RecordBatch:
    """A coordinator's batch; with a producer id it becomes valid with the transaction's COMMIT
    marker."""
    return RecordBatch(
        records=tuple(entry.record for entry in entries),
        size_bytes=BATCH_BYTES + sum(entry.size_bytes for entry in entries),
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        is_transactional=producer_id >= 0,
    )


class OffsetsReader:
    """Reads groups and offsets from a partition's records, oldest first (CoordinatorLoader).

    groups   id -> the group in its last settled generation, or one that only has offsets
    """

    def __init__(self) -> None:
        self.groups: dict[str, ClassicGroup] = {}

    def read(self, batches: Iterable[RecordBatch], now_ms: int) -> dict[str, ClassicGroup]:
        """Read groups and their offsets; sessions begin again at `now_ms`
        (loadGroupsAndOffsets)."""
        for batch in batches:
            if batch.control is not None:
                self._end(batch.producer_id, batch.control.name == "COMMIT")
                continue
            for record in batch.records:
                self._take(record, batch.producer_id if batch.is_transactional else None, now_ms)
        return {
            id: group
            for id, group in self.groups.items()
            if group.offsets or group.pending_offsets or group.generation or group.members
        }

    def _take(self, record: WireRecord, producer_id: int | None, now_ms: int) -> None:
        assert record.key is not None, "the offsets topic is compacted: each record has a key"
        key = json.loads(record.key)
        about = key["data"]
        value = None if record.value is None else json.loads(record.value)["data"]
        group = self.groups.setdefault(about["group"], ClassicGroup(about["group"]))
        if key["type"] == GROUP_KEY:
            kept = self.groups[group.id] = ClassicGroup(group.id)
            kept.offsets, kept.pending_offsets = group.offsets, group.pending_offsets
            if value is not None:
                _settle(kept, value, now_ms)
            return
        place = about["topic"], about["partition"]
        where = (
            group.offsets
            if producer_id is None
            else group.pending_offsets.setdefault(producer_id, {})
        )
        where.pop(place, None)
        if value is not None:
            where[place] = CommittedOffset(
                value["offset"], value["leaderEpoch"], value["metadata"], value["commitTimestamp"]
            )

    def _end(self, producer_id: int, committed: bool) -> None:
        for group in self.groups.values():
            pending = group.pending_offsets.pop(producer_id, {})
            if committed:
                group.offsets.update(pending)


def _settle(group: ClassicGroup, value: dict[str, Any], now_ms: int) -> None:
    group.generation, group.leader = value["generation"], value["leader"]
    group.protocol_type, group.protocol = value["protocolType"] or None, value["protocol"]
    group.in_state_since_ms = value["currentStateTimestamp"]
    for kept in value["members"]:
        offered = (
            JoinGroupRequestProtocol(
                name=group.protocol or "", metadata=base64.b64decode(kept["subscription"])
            ),
        )
        member = ClassicGroupMember(
            kept["memberId"],
            kept["groupInstanceId"],
            kept["sessionTimeout"],
            kept["rebalanceTimeout"],
            group.protocol_type or "",
            offered,
            kept["clientId"],
            kept["clientHost"],
        )
        member.assignment = base64.b64decode(kept["assignment"])
        member.is_new = False
        member.deadline_ms = now_ms + member.session_timeout_ms
        group.add(member)
    if group.members:
        group.state = ClassicGroupState.STABLE
    group.news.clear()


def _member(group: ClassicGroup, member: ClassicGroupMember) -> dict[str, Any]:
    return {
        "memberId": member.id,
        "groupInstanceId": member.instance_id,
        "clientId": member.client_id,
        "clientHost": member.client_host,
        "rebalanceTimeout": member.rebalance_timeout_ms,
        "sessionTimeout": member.session_timeout_ms,
        "subscription": base64.b64encode(member.metadata_for(group.protocol)).decode("ascii"),
        "assignment": base64.b64encode(member.assignment).decode("ascii"),
    }


def _key(type: int, data: dict[str, Any]) -> str:
    return json.dumps({"type": type, "data": data}, separators=(",", ":"))


def _text(version: int, data: dict[str, Any]) -> str:
    return json.dumps({"version": version, "data": data}, separators=(",", ":"))
