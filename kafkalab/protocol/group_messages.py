"""Defines the requests of a group member: join, sync, heartbeat, leave and committed offsets.

Field names and defaults are those of Kafka's schemas (JoinGroupRequest.json and similar).
`metadata` and `assignment` are bytes, because the broker never decodes them.
`kafkalab.protocol.consumer_protocol` does.
"""

from kafkalab.protocol.connection_messages import ZERO_UUID
from kafkalab.protocol.frozen import message


@message
class JoinGroupRequestProtocol:
    """One assignor that the member supports, and its serialized subscription for the leader."""

    name: str
    metadata: bytes = b""


@message
class JoinGroupRequest:
    """Asks to become, or to stay, a member.

    The coordinator answers when all members have joined.
    """

    group_id: str
    session_timeout_ms: int
    rebalance_timeout_ms: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str = "consumer"
    protocols: tuple[JoinGroupRequestProtocol, ...] = ()
    reason: str | None = None


@message
class JoinGroupResponseMember:
    member_id: str
    group_instance_id: str | None = None
    metadata: bytes = b""


@message
class JoinGroupResponse:
    """The coordinator's answer to a join. `members` is filled for the leader only."""

    throttle_time_ms: int = 0
    error_code: int = 0
    generation_id: int = -1
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader: str = ""
    skip_assignment: bool = False
    member_id: str = ""
    members: tuple[JoinGroupResponseMember, ...] = ()


@message
class SyncGroupRequestAssignment:
    member_id: str
    assignment: bytes = b""


@message
class SyncGroupRequest:
    """Asks for the member's assignment.

    The leader sends all assignments, a follower an empty list.
    """

    group_id: str
    generation_id: int
    member_id: str
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: tuple[SyncGroupRequestAssignment, ...] = ()


@message
class SyncGroupResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@message
class HeartbeatRequest:
    group_id: str
    generation_id: int
    member_id: str
    group_instance_id: str | None = None


@message
class HeartbeatResponse:
    throttle_time_ms: int = 0
    error_code: int = 0


@message
class MemberIdentity:
    """A member that leaves. `reason` came with v5 (KIP-800)."""

    member_id: str
    group_instance_id: str | None = None
    reason: str | None = None


@message
class LeaveGroupRequest:
    """Removes members from a group: `member_id` up to v2, `members` from v3 (KIP-345).

    `leaving` reads either.
    """

    group_id: str
    member_id: str = ""
    members: tuple[MemberIdentity, ...] = ()

    @property
    def leaving(self) -> tuple[MemberIdentity, ...]:
        """The members that leave, from whichever field carries them."""
        return self.members or (MemberIdentity(member_id=self.member_id),)


@message
class MemberResponse:
    member_id: str
    group_instance_id: str | None = None
    error_code: int = 0


@message
class LeaveGroupResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    members: tuple[MemberResponse, ...] = ()


@message
class OffsetCommitRequestPartition:
    partition_index: int
    committed_offset: int
    committed_leader_epoch: int = -1
    commit_timestamp: int = -1
    committed_metadata: str | None = ""


@message
class OffsetCommitRequestTopic:
    name: str
    topic_id: str = ZERO_UUID
    partitions: tuple[OffsetCommitRequestPartition, ...] = ()


@message
class OffsetCommitRequest:
    """Commits offsets of a group.

    generation_id_or_member_epoch is -1 and member_id is empty for a consumer with `assign` only.

    The schema called the field generation_id until 3.5 (KIP-848).
    """

    group_id: str
    generation_id_or_member_epoch: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    retention_time_ms: int = -1
    topics: tuple[OffsetCommitRequestTopic, ...] = ()


@message
class OffsetCommitResponsePartition:
    partition_index: int
    error_code: int = 0


@message
class OffsetCommitResponseTopic:
    name: str
    topic_id: str = ZERO_UUID
    partitions: tuple[OffsetCommitResponsePartition, ...] = ()


@message
class OffsetCommitResponse:
    throttle_time_ms: int = 0
    topics: tuple[OffsetCommitResponseTopic, ...] = ()


@message
class OffsetFetchRequestTopic:
    """A topic in the single-group form, up to v7."""

    name: str
    partition_indexes: tuple[int, ...] = ()


@message
class OffsetFetchRequestTopics:
    """A topic in the form inside a group, v8 and later (KIP-709)."""

    name: str
    topic_id: str = ZERO_UUID
    partition_indexes: tuple[int, ...] = ()


@message
class OffsetFetchRequestGroup:
    group_id: str
    member_id: str | None = None
    member_epoch: int = -1
    topics: tuple[OffsetFetchRequestTopics, ...] | None = ()


@message
class OffsetFetchRequest:
    """Asks for committed offsets: of one group up to v7, of a list of groups from v8 on.

    `asked` reads either form.
    """

    group_id: str = ""
    topics: tuple[OffsetFetchRequestTopic, ...] | None = ()
    groups: tuple[OffsetFetchRequestGroup, ...] = ()
    require_stable: bool = False

    @property
    def asked(self) -> tuple[OffsetFetchRequestGroup, ...]:
        """The groups of the request, from whichever form carries them."""
        if self.groups:
            return self.groups
        topics = (
            None
            if self.topics is None
            else tuple(
                OffsetFetchRequestTopics(name=topic.name, partition_indexes=topic.partition_indexes)
                for topic in self.topics
            )
        )
        return (OffsetFetchRequestGroup(group_id=self.group_id, topics=topics),)


@message
class OffsetFetchResponsePartition:
    """A committed offset in the single-group form, up to v7. It is -1 where there is none."""

    partition_index: int
    committed_offset: int = -1
    committed_leader_epoch: int = -1
    metadata: str | None = ""
    error_code: int = 0


@message
class OffsetFetchResponseTopic:
    name: str
    partitions: tuple[OffsetFetchResponsePartition, ...] = ()


@message
class OffsetFetchResponsePartitions:
    """As OffsetFetchResponsePartition, in the form inside a group (v8 and later)."""

    partition_index: int
    committed_offset: int = -1
    committed_leader_epoch: int = -1
    metadata: str | None = ""
    error_code: int = 0


@message
class OffsetFetchResponseTopics:
    name: str
    topic_id: str = ZERO_UUID
    partitions: tuple[OffsetFetchResponsePartitions, ...] = ()


@message
class OffsetFetchResponseGroup:
    group_id: str
    topics: tuple[OffsetFetchResponseTopics, ...] = ()
    error_code: int = 0


@message
class OffsetFetchResponse:
    """The committed offsets. `group` reads one group's part in either form."""

    throttle_time_ms: int = 0
    topics: tuple[OffsetFetchResponseTopic, ...] = ()
    error_code: int = 0
    groups: tuple[OffsetFetchResponseGroup, ...] = ()

    def group(self, group_id: str) -> OffsetFetchResponseGroup:
        """The part of `group_id`. KeyError where a batched answer lacks it."""
        if self.groups:
            return {group.group_id: group for group in self.groups}[group_id]
        return OffsetFetchResponseGroup(
            group_id=group_id,
            error_code=self.error_code,
            topics=tuple(
                OffsetFetchResponseTopics(
                    name=topic.name,
                    partitions=tuple(
                        OffsetFetchResponsePartitions(
                            partition_index=part.partition_index,
                            committed_offset=part.committed_offset,
                            committed_leader_epoch=part.committed_leader_epoch,
                            metadata=part.metadata,
                            error_code=part.error_code,
                        )
                        for part in topic.partitions
                    ),
                )
                for topic in self.topics
            ),
        )
