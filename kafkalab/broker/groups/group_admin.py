"""GroupAdmin: serves LIST_GROUPS, DESCRIBE_GROUPS, DELETE_GROUPS, OFFSET_DELETE and
CONSUMER_GROUP_DESCRIBE.

Kafka's classes are GroupCoordinator (2.3) and GroupMetadataManager with OffsetMetadataManager
(4.x). DESCRIBE_GROUPS answers for an unknown group by its version: up to v5 the group is Dead, from
v6 on it is not found (KIP-1043).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, CancelTimer
from kafkalab.broker.groups.any_group import LOCALHOST
from kafkalab.broker.groups.classic.group import ClassicGroup, ClassicGroupMember
from kafkalab.broker.groups.classic.group_state import ClassicGroupState
from kafkalab.broker.groups.group_storage import GroupStorage
from kafkalab.broker.groups.group_table import GroupTable
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup
from kafkalab.broker.groups.offset_expiry import Forget
from kafkalab.broker.steps import Refusal, Step, answers
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.protocol.consumer_protocol import parse_subscription
from kafkalab.records import by_topic
from kafkalab.releases import BrokerProfile

CLASSIC, CONSUMER = "classic", "consumer"
"""The two types of groups in LIST_GROUPS (KIP-848)."""

CONSUMER_PROTOCOL = "consumer"
DEFAULT_ASSIGNOR = "uniform"
DELETED = "the group was deleted"


class GroupAdmin:
    """Serves administrators' requests about one broker's groups (KafkaAdminClient sends them).

    topics_read: gives the topics that members of a KIP-848 group read. forget: ends a group.
    """

    def __init__(
        self,
        profile: BrokerProfile,
        table: GroupTable,
        cluster: ClusterState,
        storage: GroupStorage,
        topics_read: Callable[[ConsumerGroup], Collection[str]],
        forget: Forget,
    ) -> None:
        self._table, self._cluster, self._storage = table, cluster, storage
        self._topics_read, self._forget = topics_read, forget
        self._operations = profile.operations_not_asked_for
        self._gives_assignment_twice = profile.describes_assignment_twice

    @answers(m.ListGroupsResponse)
    def list_groups(
        self, request: m.ListGroupsRequest, caller: Caller, now_ms: int
    ) -> m.ListGroupsResponse:
        """List the groups that this broker coordinates."""
        states = {state.lower() for state in request.states_filter}
        with_state = WireChange.GROUP_STATE_LISTED.holds_for(caller.header)
        with_type = WireChange.GROUP_TYPE_LISTED.holds_for(caller.header)
        types = {kind.lower() for kind in request.types_filter}
        found = tuple(
            m.ListedGroup(
                group_id=group.id,
                protocol_type=_protocol_type(group),
                group_state=group.state.value if with_state else "",
                group_type=_type_of(group) if with_type else "",
            )
            for group in self._table.all()
            if self._table.coordinates(group.id)
            and (not states or group.state.value.lower() in states)
            and (not types or _type_of(group) in types)
        )
        return m.ListGroupsResponse(groups=found)

    @answers(m.DescribeGroupsResponse)
    def describe(
        self, request: m.DescribeGroupsRequest, caller: Caller, now_ms: int
    ) -> m.DescribeGroupsResponse:
        groups = (self._described(id, caller) for id in request.groups)
        return m.DescribeGroupsResponse(
            groups=tuple(replace(group, authorized_operations=self._operations) for group in groups)
        )

    def _described(self, group_id: str, caller: Caller) -> m.DescribedGroup:
        if not self._table.coordinates(group_id):
            return m.DescribedGroup(group_id=group_id, error_code=Errors.NOT_COORDINATOR.code)
        group = self._table.classic.get(group_id)
        if group is None or group.state is ClassicGroupState.DEAD:
            if WireChange.MISSING_GROUP_IS_AN_ERROR.holds_for(caller.header):
                return m.DescribedGroup(
                    group_id=group_id,
                    group_state="Dead",
                    error_code=Errors.GROUP_ID_NOT_FOUND.code,
                    error_message=f"Group {group_id} not found.",
                )
            return m.DescribedGroup(group_id=group_id, group_state="Dead")
        shows_protocol = group.state in (
            ClassicGroupState.STABLE,
            ClassicGroupState.COMPLETING_REBALANCE,
        )
        is_stable = group.state is ClassicGroupState.STABLE
        members = tuple(
            m.DescribedGroupMember(
                member_id=member.id,
                group_instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                member_metadata=self._metadata_of(member, group) if is_stable else b"",
                member_assignment=member.assignment if is_stable else b"",
            )
            for member in group.members.values()
        )
        return m.DescribedGroup(
            group_id=group_id,
            group_state=group.state.value,
            protocol_type=group.protocol_type or "",
            protocol_data=(group.protocol or "") if shows_protocol else "",
            members=members,
        )

    def _metadata_of(self, member: ClassicGroupMember, group: ClassicGroup) -> bytes:
        return (
            member.assignment
            if self._gives_assignment_twice
            else member.metadata_for(group.protocol)
        )

    @answers(m.ConsumerGroupDescribeResponse)
    def describe_consumers(
        self, request: m.ConsumerGroupDescribeRequest, caller: Caller, now_ms: int
    ) -> m.ConsumerGroupDescribeResponse:
        """Describe groups of the new protocol: epochs, and each member's present and target
        assignment."""
        return m.ConsumerGroupDescribeResponse(
            groups=tuple(self._described_consumers(id) for id in request.group_ids)
        )

    def _described_consumers(self, group_id: str) -> m.DescribedConsumerGroup:
        if not self._table.coordinates(group_id):
            return m.DescribedConsumerGroup(
                group_id=group_id, error_code=Errors.NOT_COORDINATOR.code
            )
        group = self._table.modern.get(group_id)
        if group is None:
            known = group_id in self._table.classic or group_id in self._cluster.share_groups
            return m.DescribedConsumerGroup(
                group_id=group_id,
                error_code=Errors.GROUP_ID_NOT_FOUND.code,
                error_message=f"Group {group_id} is not a consumer group."
                if known
                else f"Group {group_id} not found.",
            )
        members = tuple(
            m.DescribedConsumer(
                member_id=one.id,
                instance_id=one.instance_id,
                rack_id=one.rack_id,
                member_epoch=one.epoch,
                client_id=one.client_id,
                client_host=LOCALHOST,
                subscribed_topic_names=one.topics,
                subscribed_topic_regex=one.regex,
                assignment=self._assignment(one.assigned),
                target_assignment=self._assignment(group.target.get(one.id, ())),
            )
            for one in group.members.values()
        )
        return m.DescribedConsumerGroup(
            group_id=group_id,
            group_state=group.state.value,
            group_epoch=group.epoch,
            assignment_epoch=group.target_epoch,
            assignor_name=group.assignor or DEFAULT_ASSIGNOR,
            members=members,
        )

    def _assignment(self, partitions: Iterable[tuple[str, int]]) -> m.DescribedAssignment:
        ids = {topic: found.topic_id for topic, found in self._cluster.topics.items()}
        return m.DescribedAssignment(
            topic_partitions=tuple(
                m.DescribedTopicPartitions(
                    topic_id=ids.get(topic, m.ZERO_UUID), topic_name=topic, partitions=numbers
                )
                for topic, numbers in by_topic(sorted(partitions)).items()
            )
        )

    @answers(m.DeleteGroupsResponse)
    def delete(
        self, request: m.DeleteGroupsRequest, caller: Caller, now_ms: int
    ) -> Step[m.DeleteGroupsResponse]:
        deleted: dict[int, list[tuple[str, int]]] = {}
        results = []
        for id in request.groups_names:
            group = self._table.find(id)
            offsets = 0 if group is None else len(group.offsets)
            error = Errors.NONE
            try:
                yield from self._delete(id, now_ms)
                deleted.setdefault(self._storage.partition_of(id), []).append((id, offsets))
            except Refusal as refusal:
                error = refusal.error
            results.append(m.DeletableGroupResult(group_id=id, error_code=error.code))
        for found in deleted.values():
            self._storage.say(
                "GROUPS_DELETED",
                found[0][0],
                groups=", ".join(id for id, _ in found),
                count=sum(offsets for _, offsets in found),
            )
        return m.DeleteGroupsResponse(results=tuple(results))

    def _delete(self, group_id: str, now_ms: int) -> Step[None]:
        if not self._table.coordinates(group_id):
            raise Refusal(Errors.NOT_COORDINATOR)
        consumers = self._table.modern.get(group_id)
        if consumers is not None:
            if consumers.members:
                raise Refusal(Errors.NON_EMPTY_GROUP)
            yield from self._forget(consumers, DELETED, now_ms)
            return
        shares = self._cluster.share_groups.get(group_id)
        if shares is not None and shares.members:
            raise Refusal(Errors.NON_EMPTY_GROUP)
        group = self._classic(group_id)
        if group.state is not ClassicGroupState.EMPTY:
            raise Refusal(Errors.NON_EMPTY_GROUP)
        yield from [CancelTimer(("pending", group_id, member)) for member in group.pending]
        yield from self._forget(group, DELETED, now_ms)

    def _classic(self, group_id: str) -> ClassicGroup:
        """The group of the classic protocol, while it lives."""
        group = self._table.classic.get(group_id)
        if group is None or group.state is ClassicGroupState.DEAD:
            raise Refusal(Errors.GROUP_ID_NOT_FOUND)
        return group

    @answers(m.OffsetDeleteResponse)
    def delete_offsets(
        self, request: m.OffsetDeleteRequest, caller: Caller, now_ms: int
    ) -> Step[m.OffsetDeleteResponse]:
        """Delete committed offsets (KIP-496). A live group keeps the offsets of topics that it
        reads."""
        group, subscribed = self._deletable(request.group_id)
        topics = []
        for topic in request.topics:
            error = Errors.GROUP_SUBSCRIBED_TO_TOPIC if topic.name in subscribed else Errors.NONE
            answers = []
            for part in topic.partitions:
                place = topic.name, part.partition_index
                if error is Errors.NONE and place in group.offsets:
                    yield from self._storage.remove_offsets(group, [place], "deleted", now_ms)
                answers.append(
                    m.OffsetDeleteResponsePartition(
                        partition_index=part.partition_index, error_code=error.code
                    )
                )
            topics.append(m.OffsetDeleteResponseTopic(name=topic.name, partitions=tuple(answers)))
        return m.OffsetDeleteResponse(topics=tuple(topics))

    def _deletable(self, group_id: str) -> tuple[ClassicGroup | ConsumerGroup, set[str]]:
        """The group whose offsets may be deleted, and the topics whose offsets it keeps."""
        if not self._table.coordinates(group_id):
            raise Refusal(Errors.NOT_COORDINATOR)
        if group_id in self._table.modern:
            consumers = self._table.modern[group_id]
            return consumers, set(self._topics_read(consumers))
        group = self._classic(group_id)
        if group.state is ClassicGroupState.EMPTY:
            return group, set()
        if group.protocol_type != CONSUMER_PROTOCOL:
            raise Refusal(Errors.NON_EMPTY_GROUP)
        return group, {
            topic
            for member in group.members.values()
            for offered in member.protocols
            for topic in parse_subscription(offered.metadata).topics
        }


def _type_of(group: ClassicGroup | ConsumerGroup) -> str:
    return CONSUMER if isinstance(group, ConsumerGroup) else CLASSIC


def _protocol_type(group: ClassicGroup | ConsumerGroup) -> str:
    return CONSUMER_PROTOCOL if isinstance(group, ConsumerGroup) else group.protocol_type or ""
