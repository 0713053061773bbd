"""Converts a message from its newest form to the form of an older API version.

Some APIs carry a list from a version on: FIND_COORDINATOR v4 (KIP-699), OFFSET_FETCH v8 (KIP-709),
LEAVE_GROUP v3 (KIP-345). Java's request builders convert a request when they know the version. Here
clients and brokers build the newest form, and `as_sent` converts it to that version. The properties
`keys`, `leaving`, `asked`, `coordinator_of` and `group` of the messages read either form.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from kafkalab.protocol import messages as m

BATCHED_SINCE = {
    m.FindCoordinatorRequest: 4,
    m.LeaveGroupRequest: 3,
    m.LeaveGroupResponse: 3,
    m.OffsetFetchRequest: 8,
    m.OffsetFetchResponse: 8,
    m.DeleteTopicsRequest: 6,
}
"""The first API version that carries a list of structs.

Older ones have one item in top-level fields.
"""

T = TypeVar("T")

FEATURES_SINCE = 3
FEATURES_FROM_ZERO_SINCE = 4
"""The first ApiVersions version that accepts features whose lowest level is 0.

v3 is the first to carry features (KIP-584). Its readers reject a lowest level of 0. So brokers
leave such features out of v3 responses (KAFKA-17011). v4 readers accept them.
"""


def as_sent(message: Any, api_version: int) -> Any:
    """`message` in the form of version `api_version`.

    ValueError where that version cannot carry it.
    """
    kind = type(message)
    if kind in BATCHED_SINCE and api_version < BATCHED_SINCE[kind]:
        return _SINGLE[kind](message)
    if kind is m.ApiVersionsResponse and api_version < FEATURES_FROM_ZERO_SINCE:
        return _with_the_features_of(message, api_version)
    return message


def _with_the_features_of(
    response: m.ApiVersionsResponse, api_version: int
) -> m.ApiVersionsResponse:
    if api_version < FEATURES_SINCE:
        return replace(
            response, supported_features=(), finalized_features=(), finalized_features_epoch=-1
        )
    return replace(
        response,
        supported_features=tuple(
            feature for feature in response.supported_features if feature.min_version > 0
        ),
    )


def _only(things: tuple[T, ...], what: str) -> T:
    if len(things) > 1:
        raise ValueError(f"this API version carries one {what} a request, not {len(things)}")
    return things[0]


def _single_coordinator_question(request: m.FindCoordinatorRequest) -> m.FindCoordinatorRequest:
    return m.FindCoordinatorRequest(key=_only(request.keys, "key"), key_type=request.key_type)


def _single_leaver(request: m.LeaveGroupRequest) -> m.LeaveGroupRequest:
    return m.LeaveGroupRequest(
        group_id=request.group_id, member_id=_only(request.leaving, "member").member_id
    )


def _single_farewell(response: m.LeaveGroupResponse) -> m.LeaveGroupResponse:
    # A member's own error becomes the response's, as in LeaveGroupResponse.getError.
    code = response.error_code or (response.members[0].error_code if response.members else 0)
    return m.LeaveGroupResponse(throttle_time_ms=response.throttle_time_ms, error_code=code)


def _single_group_question(request: m.OffsetFetchRequest) -> m.OffsetFetchRequest:
    group = _only(request.asked, "group")
    topics = (
        None
        if group.topics is None
        else tuple(
            m.OffsetFetchRequestTopic(name=topic.name, partition_indexes=topic.partition_indexes)
            for topic in group.topics
        )
    )
    return m.OffsetFetchRequest(
        group_id=group.group_id, topics=topics, require_stable=request.require_stable
    )


def _single_group(response: m.OffsetFetchResponse) -> m.OffsetFetchResponse:
    if not response.groups:
        return response
    group = _only(response.groups, "group")
    topics = tuple(
        m.OffsetFetchResponseTopic(
            name=topic.name,
            partitions=tuple(
                m.OffsetFetchResponsePartition(
                    partition_index=part.partition_index,
                    committed_offset=part.committed_offset,
                    committed_leader_epoch=part.committed_leader_epoch,
                    metadata=part.metadata,
                    error_code=part.error_code,
                )
                for part in topic.partitions
            ),
        )
        for topic in group.topics
    )
    return m.OffsetFetchResponse(
        throttle_time_ms=response.throttle_time_ms, topics=topics, error_code=group.error_code
    )


def _names_of_topics(request: m.DeleteTopicsRequest) -> m.DeleteTopicsRequest:
    return m.DeleteTopicsRequest(
        topic_names=tuple(topic.name for topic in request.topics if topic.name is not None),
        timeout_ms=request.timeout_ms,
    )


_SINGLE: dict[type, Callable[[Any], Any]] = {
    m.DeleteTopicsRequest: _names_of_topics,
    m.FindCoordinatorRequest: _single_coordinator_question,
    m.LeaveGroupRequest: _single_leaver,
    m.LeaveGroupResponse: _single_farewell,
    m.OffsetFetchRequest: _single_group_question,
    m.OffsetFetchResponse: _single_group,
}
