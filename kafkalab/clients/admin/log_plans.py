"""Plans of the admin client about logs: LIST_OFFSETS and DELETE_RECORDS, sent to partition
leaders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkalab.clients.admin.calls import Pause, Plan, PlannedRequest
from kafkalab.clients.admin.futures import Outcomes
from kafkalab.clients.admin.lookups import leaders_of
from kafkalab.clients.admin.values import (
    DeletedRecords,
    ListOffsetsResultInfo,
    OffsetSpec,
    RecordsToDelete,
)
from kafkalab.errors import Errors, error_for
from kafkalab.protocol import messages as m
from kafkalab.records import TopicPartition

ISOLATION = {"read_uncommitted": 0, "read_committed": 1}


def _ask_leaders(
    name: str,
    outcomes: Outcomes,
    message_of: Callable[[list[TopicPartition]], Any],
    parts_of: Callable[[Any], Iterable[tuple[TopicPartition, int, Any]]],
    awaits_leaders: bool = True,
) -> Plan:
    """Asks each leader about its partitions, and asks again for partitions whose leader has
    changed.

    message_of: partitions -> request. parts_of: answer -> (partition, error code, value) of each.
    """
    missing = list(outcomes.futures)
    try:
        while missing:
            by_leader, refused = yield from leaders_of(missing, awaits_leaders)
            for tp, refusal in refused.items():
                outcomes[tp].fail(refusal)
            answers = yield [
                PlannedRequest(name, leader, message_of(partitions))
                for leader, partitions in by_leader.items()
            ]
            missing = []
            for _partitions, answer in zip(by_leader.values(), answers):
                if isinstance(answer, BaseException):
                    raise answer
                for tp, code, value in parts_of(answer):
                    error = error_for(code)
                    if error is Errors.NONE:
                        outcomes[tp].complete(value)
                    elif error.retriable:
                        missing.append(tp)
                    else:
                        outcomes[tp].fail(error.exception())
            if missing:
                yield Pause()
    except Exception as raised:
        outcomes.fail_rest(raised)


def list_offsets(
    specs: Mapping[TopicPartition, OffsetSpec], outcomes: Outcomes, isolation_level: str
) -> Plan:
    """LIST_OFFSETS (KIP-396)."""

    def message(partitions: list[TopicPartition]) -> m.ListOffsetsRequest:
        return m.ListOffsetsRequest(
            isolation_level=ISOLATION[isolation_level],
            topics=tuple(
                m.ListOffsetsTopic(
                    name=topic,
                    partitions=tuple(
                        m.ListOffsetsPartition(
                            partition_index=tp.partition, timestamp=specs[tp].timestamp_ms
                        )
                        for tp in own
                    ),
                )
                for topic, own in _by_topic(partitions).items()
            ),
        )

    def parts(answer: m.ListOffsetsResponse) -> list[tuple[TopicPartition, int, Any]]:
        return [
            (
                TopicPartition(topic.name, p.partition_index),
                p.error_code,
                ListOffsetsResultInfo(
                    p.offset, p.timestamp, p.leader_epoch if p.leader_epoch >= 0 else None
                ),
            )
            for topic in answer.topics
            for p in topic.partitions
        ]

    return _ask_leaders("listOffsets", outcomes, message, parts)


def delete_records(
    wanted: Mapping[TopicPartition, RecordsToDelete],
    outcomes: Outcomes,
    timeout_ms: int,
    awaits_leaders: bool,
) -> Plan:
    """DELETE_RECORDS (KIP-107)."""

    def message(partitions: list[TopicPartition]) -> m.DeleteRecordsRequest:
        return m.DeleteRecordsRequest(
            timeout_ms=timeout_ms,
            topics=tuple(
                m.DeleteRecordsTopic(
                    name=topic,
                    partitions=tuple(
                        m.DeleteRecordsPartition(
                            partition_index=tp.partition, offset=wanted[tp].before_offset
                        )
                        for tp in own
                    ),
                )
                for topic, own in _by_topic(partitions).items()
            ),
        )

    def parts(answer: m.DeleteRecordsResponse) -> list[tuple[TopicPartition, int, Any]]:
        return [
            (
                TopicPartition(topic.name, p.partition_index),
                p.error_code,
                DeletedRecords(p.low_watermark),
            )
            for topic in answer.topics
            for p in topic.partitions
        ]

    return _ask_leaders("deleteRecords", outcomes, message, parts, awaits_leaders)


def _by_topic(partitions: list[TopicPartition]) -> dict[str, list[TopicPartition]]:
    topics: dict[str, list[TopicPartition]] = {}
    for tp in partitions:
        topics.setdefault(tp.topic, []).append(tp)
    return topics
