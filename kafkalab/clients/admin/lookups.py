"""Finds coordinators of groups and leaders of partitions, again when an answer says they have
moved.

Kafka's classes are CoordinatorStrategy and PartitionLeaderStrategy (3.x); before, this was inside
KafkaAdminClient.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any

from kafkalab.clients.admin.calls import ANY, Pause, PlannedRequest
from kafkalab.errors import Errors, error_for
from kafkalab.protocol import messages as m
from kafkalab.records import TopicPartition

GROUP = 0
"""key_type of FIND_COORDINATOR."""

COORDINATOR_MOVED = (
    Errors.NOT_COORDINATOR,
    Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.COORDINATOR_LOAD_IN_PROGRESS,
)


def at_coordinator(
    name: str, group: str, message: Any, error_of: Callable[[Any], Errors]
) -> Generator[Any, Any, Any]:
    """The answer of the group's coordinator to `message`, whatever it says,
    except that the coordinator is elsewhere."""
    place = yield from coordinator_of(group)
    answer, _ = yield from at_place(name, group, place, message, error_of)
    return answer


def coordinator_of(group: str) -> Generator[Any, Any, m.Coordinator]:
    """The coordinator of the group. FIND_COORDINATOR is repeated until a broker knows it."""
    while True:
        found = yield PlannedRequest(
            "findCoordinator",
            ANY,
            m.FindCoordinatorRequest(coordinator_keys=(group,), key_type=GROUP),
        )
        place: m.Coordinator = found.coordinator_of(group)
        error = error_for(place.error_code)
        if error is Errors.NONE:
            return place
        if not error.retriable:
            raise error.exception(place.error_message or None)
        yield Pause()


def at_place(
    name: str, group: str, place: m.Coordinator, message: Any, error_of: Callable[[Any], Errors]
) -> Generator[Any, Any, tuple[Any, m.Coordinator]]:
    """The coordinator's answer to `message`, and the coordinator's place: another one than `place`
    where it has moved."""
    while True:
        answer = yield PlannedRequest(name, place.node_id, message)
        if error_of(answer) not in COORDINATOR_MOVED:
            return answer, place
        yield Pause()
        place = yield from coordinator_of(group)


def leaders_of(
    partitions: Iterable[TopicPartition], waits: bool = True
) -> Generator[
    Any, Any, tuple[dict[int, list[TopicPartition]], dict[TopicPartition, BaseException]]
]:
    """(leader -> its partitions, partition -> its lasting error). Partitions whose leader is
    unknown now, or that are unknown yet, are waited for until the call's time is over; without
    `waits` they fail at once."""
    wanted = list(partitions)
    while True:
        topics = tuple(
            m.MetadataRequestTopic(name=topic) for topic in dict.fromkeys(tp.topic for tp in wanted)
        )
        answer = yield PlannedRequest(
            "metadata", ANY, m.MetadataRequest(topics=topics, allow_auto_topic_creation=False)
        )
        by_leader: dict[int, list[TopicPartition]] = {}
        refused: dict[TopicPartition, BaseException] = {}
        leaderless = False
        found = {topic.name: topic for topic in answer.topics}
        for tp in wanted:
            topic = found[tp.topic]
            place = next((p for p in topic.partitions if p.partition_index == tp.partition), None)
            error = error_for(topic.error_code)
            if error is not Errors.NONE and not (waits and error.retriable):
                refused[tp] = error.exception()
            elif place is not None and place.leader_id >= 0:
                by_leader.setdefault(place.leader_id, []).append(tp)
            elif waits:
                leaderless = True
            else:
                refused[tp] = Errors.LEADER_NOT_AVAILABLE.exception()
        if not leaderless:
            return by_leader, refused
        yield Pause()
