"""What of a group survives its coordinator? What was written to `__consumer_offsets`, and nothing that was under way.

Kafka writes a group's record when the leader's assignment arrives and when the group becomes empty, and reads it back
when a coordinator starts (GroupMetadataManager.storeGroup and loadGroupsAndOffsets). A rebalance in progress is
forgotten: the group is back in its last stable generation. Here the record is kept beside the group, not in a log.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkalab.broker.effects import Note
from kafkalab.broker.group import Group, Member, told_of
from kafkalab.broker.group_state import GroupState
from kafkalab.protocol.messages import JoinGroupRequestProtocol


@dataclass(frozen=True, slots=True)
class StoredMember:
    id: str
    instance_id: str | None
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocols: tuple[JoinGroupRequestProtocol, ...]
    assignment: bytes
    client_id: str
    client_host: str


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """The value of a group's record (GroupMetadataValue)."""

    generation: int
    protocol_type: str | None
    protocol: str | None
    leader: str | None
    members: tuple[StoredMember, ...]


def stored(group: Group) -> StoredGroup:
    """The record of the group as it is now."""
    return StoredGroup(group.generation, group.protocol_type, group.protocol, group.leader, tuple(
        StoredMember(member.id, member.instance_id, member.session_timeout_ms, member.rebalance_timeout_ms,
                     member.protocols, member.assignment, member.client_id, member.client_host)
        for member in group.members.values()))


def loaded(before: Group, now_ms: int) -> Group | None:
    """The group as a starting coordinator reads it back: every session begins anew. None where nothing was written."""
    record = before.stored
    if record is None and not before.offsets and not before.pending_offsets:
        return None
    group = Group(before.id)
    group.stored, group.offsets, group.pending_offsets = record, before.offsets, before.pending_offsets
    if record is None:
        return group
    group.generation, group.leader = record.generation, record.leader
    group.protocol_type, group.protocol = record.protocol_type, record.protocol
    for kept in record.members:
        member = Member(kept.id, kept.instance_id, kept.session_timeout_ms, kept.rebalance_timeout_ms,
                        record.protocol_type, kept.protocols, kept.client_id, kept.client_host)
        member.assignment = kept.assignment
        member.is_new, member.has_synced = False, True
        member.deadline_ms = now_ms + kept.session_timeout_ms
        group.add(member)
    if group.members:
        group.state = GroupState.STABLE
    group.news.clear()
    return group


def loaded_note(group: Group) -> Note:
    """A group as its coordinator read it back, for the journal."""
    return Note("group.loaded", {
        "group": group.id, "state": group.state.value, "generation": group.generation, "protocol_type": group.protocol_type,
        "protocol": group.protocol, "leader": group.leader, "members": [told_of(one) for one in group.members.values()],
        "offsets": [{"topic": topic, "partition": partition, "offset": kept.offset, "leader_epoch": kept.leader_epoch,
                     "metadata": kept.metadata, "committed_at_ms": kept.committed_at_ms}
                    for (topic, partition), kept in group.offsets.items()]})
