"""DeadLetters: writes the records that share groups give up to their dead-letter topics
(ShareGroupDLQStateManager, KIP-1191, 4.4).

It is a pure machine at the leader of a share partition. It sends PRODUCE to the leader of the
letter's partition, again where the error can pass, five times at most. Whatever the result, the
record is archived then, so a letter that cannot be written is lost. A letter has six headers, which
say where the record was and why it is here. It has the record's key and value where the group
copies them, and never the record's own headers.

Left out: letters of several share partitions in one request, the random part of the pauses, and
topics that brokers make themselves (errors.deadletterqueue.auto.create.topics.enable).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState
from kafkalab.broker.effects import AskBroker, Effect, SetTimer
from kafkalab.broker.groups.share.group_settings import GroupSettings
from kafkalab.broker.groups.share.share_partition import Moved
from kafkalab.broker.groups.share.state_writes import Key
from kafkalab.broker.log.topic_config import DEAD_LETTERS
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.errors import Errors, RetriableException, error_for
from kafkalab.protocol import messages as m
from kafkalab.protocol.records_wire import batch_size_bytes

LETTER = "share letter"
"""The kind of timer that sends letters again, and of the tag of their requests."""

MOST_TRIES = 5
FIRST_PAUSE_MS, LONGEST_PAUSE_MS = 1_000, 30_000

REJECTED = "Offset rejected by client."
DELIVERED_TOO_OFTEN = "Offset delivery count exceeded the threshold."


def failure_of(error: Errors) -> Exception | None:
    """The exception that Java has for an error; None for no error."""
    return None if error is Errors.NONE else error.exception(error.message)


@dataclass(slots=True)
class OpenLetters:
    """Neighbouring records whose letters are not written yet: tries counts the requests so far."""

    key: Key
    moved: Moved
    tries: int = 0


class DeadLetters:
    """The letters that one broker is writing."""

    def __init__(self, cluster: ClusterState, config: BrokerConfig, replicas: ReplicaManager):
        self._cluster, self._replicas = cluster, replicas
        self._settings = GroupSettings(cluster, config)
        self._prefix = config.errors_deadletterqueue_topic_name_prefix
        self._open: dict[int, OpenLetters] = {}
        self._count = 0

    def has_topic(self, group_id: str) -> bool:
        """Whether the group has a dead-letter topic (isDLQEnabledForGroup)."""
        return bool(self._settings.dead_letter_topic(group_id))

    def is_open(self, key: Key, moved: Moved) -> bool:
        """Whether the letters of these records are being written."""
        return any(one.key == key and one.moved[:2] == moved[:2] for one in self._open.values())

    def refusal(self, group_id: str) -> str | None:
        """Why no letter of the group can be written, in Java's words; None where it can
        (validateDlqTopic)."""
        topic = self._settings.dead_letter_topic(group_id)
        known = self._cluster.topics.get(topic)
        about = f"share group: {group_id}, topic: {topic}"
        if known is not None and not known.setting(DEAD_LETTERS, False):
            return f"DLQ is not enabled on configured DLQ topic for {about}."
        if known is None and topic.startswith(self._prefix):
            return f"DLQ topic does not exist and auto create is disabled on cluster for {about}."
        if not topic.startswith(self._prefix):
            return (
                f"Configured DLQ topic name does not comply with the DLQ topic prefix in {about}, "
                f"prefix: {self._prefix}."
            )
        return None

    def send(self, key: Key, moved: Moved, limit: int, now_ms: int) -> list[Effect]:
        """Write the letters of these records. limit: the group's deliveries."""
        self._count += 1
        letters = self._open[self._count] = OpenLetters(key, moved)
        return self._send(self._count, letters, limit, now_ms)

    def send_again(
        self, number: int, limit_of: Callable[[OpenLetters], int], now_ms: int
    ) -> list[Effect]:
        """The pause after a failed request is over."""
        letters = self._open.get(number)
        return [] if letters is None else self._send(number, letters, limit_of(letters), now_ms)

    def answered(
        self, number: int, response: m.ProduceResponse | None, now_ms: int
    ) -> tuple[OpenLetters | None, Errors, list[Effect]]:
        """The letters that are finished by this answer, their error, and what follows; None where
        they are sent again."""
        letters = self._open.get(number)
        if letters is None:
            return None, Errors.NONE, []
        code = (
            Errors.NETWORK_EXCEPTION.code
            if response is None
            else response.responses[0].partition_responses[0].error_code
        )
        error = error_for(code)
        can_pass = isinstance(failure_of(error), RetriableException)
        if can_pass and letters.tries < MOST_TRIES:
            pause_ms = min(FIRST_PAUSE_MS << (letters.tries - 1), LONGEST_PAUSE_MS)
            return None, error, [SetTimer((LETTER, number), now_ms + pause_ms)]
        return self._open.pop(number), error, []

    def forget(self) -> None:
        """Drop everything in memory: the process has died."""
        self._open.clear()

    def _send(self, number: int, letters: OpenLetters, limit: int, now_ms: int) -> list[Effect]:
        group_id, _, index = letters.key
        name = self._settings.dead_letter_topic(group_id)
        topic = self._cluster.topics.get(name)
        count = 1 if topic is None else len(topic.partitions)
        leader = self._cluster.leader(name, index % count) if topic else NO_LEADER
        letters.tries += 1
        records = tuple(self._letters(letters, limit, now_ms))
        batch = m.RecordBatch(records=records, size_bytes=batch_size_bytes(records))
        data = m.TopicProduceData(
            name=name,
            topic_id="" if topic is None else topic.topic_id,
            partition_data=(m.ProducePartitionData(index=index % count, records=(batch,)),),
        )
        request = m.ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=(data,))
        # without a leader this broker itself refuses the request
        asked = self._replicas.node_id if leader == NO_LEADER else leader
        return [AskBroker(asked, request, (LETTER, number))]

    def _letters(self, letters: OpenLetters, limit: int, now_ms: int) -> Iterator[m.WireRecord]:
        (group_id, topic, index), moved = letters.key, letters.moved
        copied = self._copied(letters)
        spent = moved.delivery_count >= limit
        for offset in range(moved.first_offset, moved.last_offset + 1):
            headers = {
                "topic": topic,
                "partition": index,
                "offset": offset,
                "group": group_id,
                "delivery.count": moved.delivery_count,
                "message": DELIVERED_TOO_OFTEN if spent else REJECTED,
            }
            key, value = copied.get(offset, (None, None))
            yield m.WireRecord(
                key,
                value,
                self._replicas.logs.epoch_ms + now_ms,
                tuple(
                    (f"__dlq.errors.{name}", str(said).encode()) for name, said in headers.items()
                ),
            )

    def _copied(self, letters: OpenLetters) -> dict[int, tuple[Any, Any]]:
        """Offset -> key and value, for a group that copies its records; a record that retention has
        deleted is missing."""
        group_id, topic, index = letters.key
        replica, _ = self._replicas.led_replica(topic, index)
        if replica is None or not self._settings.copies_record(group_id):
            return {}
        log, first, last = replica.log, letters.moved.first_offset, letters.moved.last_offset
        return {
            batch.offset_of(place): (record.key, record.value)
            for batch in log.batches()
            if batch.control is None and batch.last_offset >= first and batch.base_offset <= last
            for place, record in enumerate(batch.records)
        }
