"""Plans of the admin client about consumer groups. Each group is described by its coordinator."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkalab.clients.admin.calls import ANY, Plan, PlannedRequest
from kafkalab.clients.admin.futures import Outcomes
from kafkalab.clients.admin.lookups import at_coordinator, at_place, coordinator_of
from kafkalab.clients.admin.values import (
    ConsumerGroupDescription,
    ConsumerGroupListing,
    MemberDescription,
)
from kafkalab.clients.network.node import Node
from kafkalab.errors import Errors, IllegalArgumentException, UnsupportedVersionException, error_for
from kafkalab.protocol import messages as m
from kafkalab.protocol.consumer_protocol import parse_assignment
from kafkalab.records import OffsetAndMetadata, TopicPartition, by_topic

CONSUMER = "consumer"
"""Protocol type of groups of consumers; a group that only ever had offsets committed has none."""


def list_groups(outcomes: Outcomes, states: Iterable[str], types: Iterable[str]) -> Plan:
    """Every broker lists the groups it coordinates; the answer is {"valid": [...], "errors":
    [...]}."""
    valid: dict[str, ConsumerGroupListing] = {}
    errors: list[BaseException] = []
    try:
        cluster = yield PlannedRequest("findAllBrokers", ANY, m.MetadataRequest(topics=()))
    except Exception as raised:
        outcomes.fail_rest(raised)
        return
    request = m.ListGroupsRequest(states_filter=tuple(states), types_filter=tuple(types))
    answers = yield [
        PlannedRequest("listConsumerGroups", broker.node_id, request) for broker in cluster.brokers
    ]
    for answer in answers:
        error = None if isinstance(answer, BaseException) else error_for(answer.error_code)
        if error is not Errors.NONE:
            errors.append(answer if error is None else error.exception())
            continue
        for group in answer.groups:
            if group.protocol_type in (CONSUMER, ""):
                valid[group.group_id] = ConsumerGroupListing(
                    group.group_id,
                    not group.protocol_type,
                    group.group_state or None,
                    group.group_type.capitalize() or None,
                )
    outcomes["groups"].complete({"valid": list(valid.values()), "errors": errors})


def describe_group(group: str, outcomes: Outcomes, node_of: Callable[..., Node]) -> Plan:
    """Coordinator, state and members. A group that no broker knows is Dead; newer brokers answer
    that it is not found (KIP-1043).

    A client that knows the new protocol sends its request first (KIP-848), and the classic one
    where the group or the broker does not know it.
    """
    try:
        place = yield from coordinator_of(group)
        found, place = yield from _consumers(group, place)
        if found is not None and not found.error_code:
            outcomes[group].complete(_described_consumers(found, place, node_of))
            return
        answer, place = yield from at_place(
            "describeConsumerGroups",
            group,
            place,
            m.DescribeGroupsRequest(groups=(group,)),
            lambda told: error_for(told.groups[0].error_code),
        )
        described = answer.groups[0]
        error = error_for(described.error_code)
        if error is not Errors.NONE:
            # what was said first of a group that is of no kind a consumer can be in
            told = described.error_message if found is None else found.error_message
            raise error.exception(told)
        if described.protocol_type not in (CONSUMER, ""):
            raise IllegalArgumentException(
                f"GroupId {group} is not a consumer group ({described.protocol_type})."
            )
    except Exception as error:
        outcomes[group].fail(error)
        return
    members = tuple(
        MemberDescription(
            one.member_id,
            one.group_instance_id,
            one.client_id,
            one.client_host,
            _partitions(one.member_assignment),
        )
        for one in described.members
    )
    outcomes[group].complete(
        ConsumerGroupDescription(
            group,
            not described.protocol_type,
            members,
            described.protocol_data,
            described.group_state,
            node_of(place.node_id, place.host, place.port, None),
        )
    )


def _consumers(group: str, place: m.Coordinator) -> Plan:
    """The group as one of the new protocol, or that it is none; None from a broker that does not
    know the protocol. And its coordinator's place."""
    try:
        answer, place = yield from at_place(
            "describeConsumerGroups",
            group,
            place,
            m.ConsumerGroupDescribeRequest(group_ids=(group,)),
            lambda told: error_for(told.groups[0].error_code),
        )
    except UnsupportedVersionException:
        return None, place
    error = error_for(answer.groups[0].error_code)
    if error not in (Errors.NONE, Errors.GROUP_ID_NOT_FOUND):
        raise error.exception(answer.groups[0].error_message)
    return answer.groups[0], place


def _described_consumers(
    found: m.DescribedConsumerGroup, place: Any, node_of: Callable[..., Node]
) -> ConsumerGroupDescription:
    members = tuple(
        MemberDescription(
            one.member_id,
            one.instance_id,
            one.client_id,
            one.client_host,
            _named(one.assignment),
            _named(one.target_assignment),
            one.member_epoch,
        )
        for one in found.members
    )
    return ConsumerGroupDescription(
        found.group_id,
        False,
        members,
        found.assignor_name,
        found.group_state,
        node_of(place.node_id, place.host, place.port, None),
        "Consumer",
        found.group_epoch,
        found.assignment_epoch,
    )


def _named(assignment: m.DescribedAssignment) -> tuple[TopicPartition, ...]:
    return tuple(
        TopicPartition(topic.topic_name, number)
        for topic in assignment.topic_partitions
        for number in topic.partitions
    )


def _partitions(assignment: bytes) -> tuple[TopicPartition, ...]:
    try:
        return tuple(
            TopicPartition(topic, number)
            for topic, numbers in parse_assignment(assignment).items()
            for number in numbers
        )
    except struct.error:
        return ()


def list_group_offsets(
    group: str,
    partitions: Iterable[TopicPartition] | None,
    outcomes: Outcomes,
    require_stable: bool,
) -> Plan:
    """What the group has committed: for these partitions (None for those without a commit), or for
    all."""
    topics = (
        None
        if partitions is None
        else tuple(
            m.OffsetFetchRequestTopics(name=topic, partition_indexes=numbers)
            for topic, numbers in by_topic(partitions).items()
        )
    )
    request = m.OffsetFetchRequest(
        groups=(m.OffsetFetchRequestGroup(group_id=group, topics=topics),),
        require_stable=require_stable,
    )
    try:
        answer = yield from at_coordinator(
            "listConsumerGroupOffsets",
            group,
            request,
            lambda told: error_for(told.group(group).error_code),
        )
        told = answer.group(group)
        error = error_for(told.error_code)
        if error is not Errors.NONE:
            raise error.exception()
    except Exception as error:
        outcomes[group].fail(error)
        return
    found: dict[TopicPartition, OffsetAndMetadata | None] = {}
    for topic in told.topics:
        for one in topic.partitions:
            tp = TopicPartition(topic.name, one.partition_index)
            if one.committed_offset >= 0:
                epoch = one.committed_leader_epoch
                found[tp] = OffsetAndMetadata(
                    one.committed_offset, epoch if epoch >= 0 else None, one.metadata or ""
                )
            else:
                found[tp] = None
    outcomes[group].complete(found)


def alter_offsets(
    group: str, offsets: Mapping[TopicPartition, OffsetAndMetadata], outcomes: Outcomes
) -> Plan:
    """Commits for a group that has no members (KIP-396); UNKNOWN_MEMBER_ID while it has members."""
    topics: dict[str, list[m.OffsetCommitRequestPartition]] = {}
    for tp, committed in offsets.items():
        topics.setdefault(tp.topic, []).append(
            m.OffsetCommitRequestPartition(
                partition_index=tp.partition,
                committed_offset=committed.offset,
                committed_leader_epoch=-1
                if committed.leader_epoch is None
                else committed.leader_epoch,
                committed_metadata=committed.metadata,
            )
        )
    request = m.OffsetCommitRequest(
        group_id=group,
        topics=tuple(
            m.OffsetCommitRequestTopic(name=topic, partitions=tuple(parts))
            for topic, parts in topics.items()
        ),
    )

    def error_of(answer: m.OffsetCommitResponse) -> Errors:
        codes = [part.error_code for topic in answer.topics for part in topic.partitions]
        return error_for(codes[0]) if codes else Errors.NONE

    yield from _each_partition("commitOffsets", group, request, error_of, outcomes)


def delete_offsets(group: str, outcomes: Outcomes) -> Plan:
    """Deletes committed offsets (KIP-496). A refusal of the whole group is the outcome of every
    partition."""
    request = m.OffsetDeleteRequest(
        group_id=group,
        topics=tuple(
            m.OffsetDeleteRequestTopic(
                name=topic,
                partitions=tuple(
                    m.OffsetDeleteRequestPartition(partition_index=n) for n in numbers
                ),
            )
            for topic, numbers in by_topic(outcomes.futures).items()
        ),
    )
    yield from _each_partition(
        "offsetDelete", group, request, lambda answer: error_for(answer.error_code), outcomes
    )


def _each_partition(
    name: str, group: str, request: Any, error_of: Callable[[Any], Errors], outcomes: Outcomes
) -> Plan:
    """Sends one request and gives each partition its outcome. error_of: the error about the whole
    group in the answer."""
    try:
        answer = yield from at_coordinator(name, group, request, error_of)
    except Exception as raised:
        outcomes.fail_rest(raised)
        return
    for topic in answer.topics:
        for part in topic.partitions:
            error = error_for(part.error_code)
            future = outcomes[TopicPartition(topic.name, part.partition_index)]
            if error is Errors.NONE:
                future.complete()
            else:
                future.fail(error.exception())
    whole = error_of(answer)
    if whole is not Errors.NONE:
        outcomes.fail_rest(whole.exception())


def delete_group(group: str, outcomes: Outcomes) -> Plan:
    """GROUP_ID_NOT_FOUND for an unknown group, NON_EMPTY_GROUP while it has members."""
    try:
        answer = yield from at_coordinator(
            "deleteConsumerGroups",
            group,
            m.DeleteGroupsRequest(groups_names=(group,)),
            lambda told: error_for(told.results[0].error_code),
        )
        error = error_for(answer.results[0].error_code)
        if error is not Errors.NONE:
            raise error.exception()
    except Exception as error:
        outcomes[group].fail(error)
        return
    outcomes[group].complete()
