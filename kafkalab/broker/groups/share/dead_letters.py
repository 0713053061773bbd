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

from collections.abc import Iterator
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState
from kafkalab.broker.groups.share.group_settings import GroupSettings
from kafkalab.broker.groups.share.share_partition import Moved
from kafkalab.broker.groups.share.state_writes import Key
from kafkalab.broker.log.topic_config import DEAD_LETTERS
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.steps import Step, Waits
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


class DeadLetters:
    """The letters that one broker is writing."""

    def __init__(self, cluster: ClusterState, config: BrokerConfig, replicas: ReplicaManager):
        self._cluster, self._replicas = cluster, replicas
        self._settings = GroupSettings(cluster, config)
        self._prefix = config.errors_deadletterqueue_topic_name_prefix
        self._waits = Waits(LETTER)
        self.on_reply, self.on_timer = self._waits.on_reply, self._waits.on_timer
        self._open: list[tuple[Key, int, int]] = []

    def has_topic(self, group_id: str) -> bool:
        """Whether the group has a dead-letter topic (isDLQEnabledForGroup)."""
        return bool(self._settings.dead_letter_topic(group_id))

    def is_open(self, key: Key, moved: Moved) -> bool:
        """Whether the letters of these records are being written."""
        return (key, *moved[:2]) in self._open

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

    def send_letters(self, key: Key, moved: Moved, now_ms: int) -> Step[tuple[Errors, int]]:
        """Write the letters of neighbouring records. Returns the error of the last request, and the
        time at which it was answered."""
        place = (key, *moved[:2])
        self._open.append(place)
        for tries in range(MOST_TRIES):
            leader, request = self._request(key, moved, now_ms)
            response, now_ms = yield self._waits.reply(leader, request)
            code = (
                Errors.NETWORK_EXCEPTION.code
                if response is None
                else response.responses[0].partition_responses[0].error_code
            )
            error = error_for(code)
            if not isinstance(failure_of(error), RetriableException) or tries == MOST_TRIES - 1:
                break
            pause_ms = min(FIRST_PAUSE_MS << tries, LONGEST_PAUSE_MS)
            _, now_ms = yield self._waits.until(now_ms + pause_ms)
        self._open.remove(place)
        return error, now_ms

    def forget(self) -> None:
        """Drop everything in memory: the process has died."""
        self._open.clear()
        self._waits.forget()

    def _request(self, key: Key, moved: Moved, now_ms: int) -> tuple[int, m.ProduceRequest]:
        """The request of these letters, and the broker that gets it."""
        group_id, _, index = key
        name = self._settings.dead_letter_topic(group_id)
        topic = self._cluster.topics.get(name)
        count = 1 if topic is None else len(topic.partitions)
        leader = self._cluster.leader(name, index % count) if topic else NO_LEADER
        records = tuple(self._letters(key, moved, now_ms))
        batch = m.RecordBatch(records=records, size_bytes=batch_size_bytes(records))
        data = m.TopicProduceData(
            name=name,
            topic_id="" if topic is None else topic.topic_id,
            partition_data=(m.ProducePartitionData(index=index % count, records=(batch,)),),
        )
        request = m.ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=(data,))
        # without a leader this broker itself refuses the request
        return self._replicas.node_id if leader == NO_LEADER else leader, request

    def _letters(self, key: Key, moved: Moved, now_ms: int) -> Iterator[m.WireRecord]:
        group_id, topic, index = key
        copied = self._copied(key, moved)
        limit = self._settings.number(group_id, "share.delivery.count.limit")
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
            yield m.WireRecord(
                *copied.get(offset, (None, None)),
                self._replicas.logs.epoch_ms + now_ms,
                tuple(
                    (f"__dlq.errors.{name}", str(said).encode()) for name, said in headers.items()
                ),
            )

    def _copied(self, key: Key, moved: Moved) -> dict[int, tuple[Any, Any]]:
        """Offset -> key and value, for a group that copies its records; a record that retention has
        deleted is missing."""
        group_id, topic, index = key
        replica, _ = self._replicas.led_replica(topic, index)
        if replica is None or not self._settings.copies_record(group_id):
            return {}
        log, first, last = replica.log, moved.first_offset, moved.last_offset
        return {
            batch.offset_of(place): (record.key, record.value)
            for batch in log.batches()
            if batch.control is None and batch.last_offset >= first and batch.base_offset <= last
            for place, record in enumerate(batch.records)
        }
