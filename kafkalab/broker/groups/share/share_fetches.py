"""ShareFetches: serves SHARE_FETCH and SHARE_ACKNOWLEDGE at the leaders of partitions
(SharePartitionManager, DelayedShareFetch, KIP-932).

It is a pure machine. A fetch first takes the acknowledgements that it carries. Then it acquires
records, or it waits until there are some, at most max_wait_ms. A lock that ends and a session that
closes make records available again, and waiting fetches look again.

Left out: the topic `__share_group_state`. What a leader would write there is a table that all
brokers read (`ClusterState.share_states`), so it is there without a request and is never lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, Respond, SetTimer
from kafkalab.broker.groups.share.group_settings import GroupSettings
from kafkalab.broker.groups.share.share_partition import (
    AcknowledgeRefused,
    Moved,
    SharePartition,
    ShareState,
)
from kafkalab.broker.groups.share.share_sessions import (
    SessionKey,
    SharePlace,
    ShareSession,
    ShareSessionRefused,
    ShareSessions,
)
from kafkalab.broker.replication.replica import Replica
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.errors import Errors
from kafkalab.protocol.messages import (
    AcknowledgementBatch,
    RecordBatch,
    ShareAcknowledgePartitionData,
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
    ShareFetchableTopicResponse,
    ShareFetchPartitionData,
    ShareFetchRequest,
    ShareFetchResponse,
)
from kafkalab.protocol.share_messages import FINAL_EPOCH

SHARE_FETCH, SHARE_LOCK = "share fetch", "share lock"
"""The kinds of timers: a fetch has waited long enough, a lock ends."""

Key = tuple[str, str, int]
"""Group, topic and number of a share partition."""


class AcknowledgeOutcome(NamedTuple):
    """What became of acknowledgements: an error code, 0 for none, and the broker's message."""

    code: int = 0
    message: str | None = None


class WaitingShareFetch(NamedTuple):
    """A share fetch in the purgatory (DelayedShareFetch), with the outcomes of the acknowledgements
    that it brought."""

    caller: Caller
    request: ShareFetchRequest
    session: ShareSession
    outcomes: dict[SharePlace, AcknowledgeOutcome]


class ShareFetches:
    """All share partitions that one broker leads."""

    def __init__(
        self, cluster: ClusterState, config: BrokerConfig, replicas: ReplicaManager
    ) -> None:
        self.sessions = ShareSessions()
        self._cluster, self._replicas = cluster, replicas
        self._settings = GroupSettings(cluster, config)
        self._partitions: dict[Key, tuple[int, SharePartition]] = {}
        self._waiting: dict[int, WaitingShareFetch] = {}
        self._count = 0

    def partition(self, group_id: str, topic: str, number: int) -> SharePartition | None:
        """The share partition as this broker has it in memory; None where it has none."""
        found = self._partitions.get((group_id, topic, number))
        return None if found is None else found[1]

    # -- requests

    def fetch(self, request: ShareFetchRequest, caller: Caller, now_ms: int) -> list[Effect]:
        key = (request.group_id or "", request.member_id or "")
        try:
            session = self.sessions.advance(key, request.share_session_epoch, caller.connection_id)
        except ShareSessionRefused as refused:
            answer = ShareFetchResponse(
                error_code=refused.error.code, error_message=refused.error.message
            )
            return [Respond(caller, answer)]
        out: list[Effect] = []
        outcomes: dict[SharePlace, AcknowledgeOutcome] = {}
        for topic in request.topics:
            for part in topic.partitions:
                place = topic.topic_id, part.partition_index
                session.partitions.setdefault(place)
                if part.acknowledgement_batches:
                    outcomes[place] = self._acknowledge(
                        key, place, part.acknowledgement_batches, now_ms, out
                    )
        for forgotten in request.forgotten_topics_data:
            for number in forgotten.partitions:
                session.partitions.pop((forgotten.topic_id, number), None)
        if request.share_session_epoch == FINAL_EPOCH:
            self._close(key, now_ms, out)
            session = ShareSession(caller.connection_id)
        fetch = WaitingShareFetch(caller, request, session, outcomes)
        answered = self._try(fetch, now_ms, out, last=request.max_wait_ms <= 0)
        if not answered:
            self._count += 1
            self._waiting[self._count] = fetch
            out.append(SetTimer((SHARE_FETCH, self._count), now_ms + request.max_wait_ms))
        return out + self._look_again(now_ms)

    def acknowledge(
        self, request: ShareAcknowledgeRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        key = (request.group_id or "", request.member_id or "")
        try:
            self.sessions.advance(key, request.share_session_epoch, caller.connection_id)
        except ShareSessionRefused as refused:
            answer = ShareAcknowledgeResponse(
                error_code=refused.error.code, error_message=refused.error.message
            )
            return [Respond(caller, answer)]
        out: list[Effect] = []
        topics = []
        for topic in request.topics:
            parts = []
            for part in topic.partitions:
                place = topic.topic_id, part.partition_index
                outcome = self._acknowledge(key, place, part.acknowledgement_batches, now_ms, out)
                parts.append(
                    ShareAcknowledgePartitionData(
                        partition_index=part.partition_index,
                        error_code=outcome.code,
                        error_message=outcome.message,
                    )
                )
            topics.append(
                ShareAcknowledgeTopicResponse(topic_id=topic.topic_id, partitions=tuple(parts))
            )
        if request.share_session_epoch == FINAL_EPOCH:
            self._close(key, now_ms, out)
        response = ShareAcknowledgeResponse(
            acquisition_lock_timeout_ms=self._lock_ms(key[0]), responses=tuple(topics)
        )
        return [*out, Respond(caller, response), *self._look_again(now_ms)]

    def on_timer(self, key: tuple[object, ...], now_ms: int) -> list[Effect]:
        """A fetch has waited long enough, or a lock has ended."""
        out: list[Effect] = []
        if key[0] == SHARE_FETCH:
            assert isinstance(key[1], int)
            self._try(self._waiting.pop(key[1]), now_ms, out, last=True)
            return out
        group_id, topic, number = key[1:]
        assert isinstance(group_id, str) and isinstance(topic, str) and isinstance(number, int)
        found = self._partition(group_id, topic, number, out)
        if isinstance(found, SharePartition):
            self._changed((group_id, topic, number), found, found.expire(now_ms), out)
        return out + self._look_again(now_ms)

    # -- events of the broker

    def look_again(self, topic: str, number: int, now_ms: int) -> list[Effect]:
        """The partition has grown, or has another leader: check the waiting fetches."""
        return self._look_again(now_ms) if self._waiting else []

    def abandon(self, connection_id: str, now_ms: int) -> list[Effect]:
        """A connection has closed: drop its fetches, close its sessions, free what they hold."""
        out: list[Effect] = []
        for number, fetch in list(self._waiting.items()):
            if fetch.caller.connection_id == connection_id:
                del self._waiting[number]
                out.append(CancelTimer((SHARE_FETCH, number)))
        for key in self.sessions.of_connection(connection_id):
            self._close(key, now_ms, out)
        return out + self._look_again(now_ms)

    def forget(self) -> None:
        """Drop everything in memory: the process has died."""
        self.sessions.clear()
        self._partitions.clear()
        self._waiting.clear()

    # -- share partitions

    def _partition(
        self, group_id: str, topic: str, number: int, out: list[Effect]
    ) -> SharePartition | Errors:
        """The share partition, read from its stored state where this leader does not have it yet;
        or why there is none."""
        replica, code = self._replicas.led_replica(topic, number)
        if replica is None:
            self._partitions.pop((group_id, topic, number), None)
            return next(error for error in Errors if error.code == code)
        known = self._cluster.partition(topic, number)
        epoch = 0 if known is None else known.leader_epoch
        key = group_id, topic, number
        found = self._partitions.get(key)
        if found is None or found[0] != epoch:
            made = SharePartition(
                self._first_offset(group_id, replica),
                self._lock_ms(group_id),
                self._settings.number(group_id, "share.delivery.count.limit"),
                self._settings.number(group_id, "share.partition.max.record.locks"),
            )
            stored = self._cluster.share_states.get(key)
            if stored is None:
                self._cluster.share_states[key] = made.snapshot()
            else:
                assert isinstance(stored, ShareState)
                made.restore(stored)
            found = self._partitions[key] = epoch, made
            out.append(Note("share.loaded", _loaded_fields(key, made)))
        return found[1]

    def _first_offset(self, group_id: str, replica: Replica) -> int:
        """Where a group begins that never read this partition (share.auto.offset.reset)."""
        log = replica.log
        earliest = self._settings.starts_at_earliest(group_id)
        return log.log_start_offset if earliest else log.high_watermark

    def _lock_ms(self, group_id: str) -> int:
        return self._settings.number(group_id, "share.record.lock.duration.ms")

    def _acknowledge(
        self,
        key: SessionKey,
        place: SharePlace,
        batches: Iterable[AcknowledgementBatch],
        now_ms: int,
        out: list[Effect],
    ) -> AcknowledgeOutcome:
        group_id, member_id = key
        topic = self._cluster.name_of(place[0])
        if topic is None:
            return AcknowledgeOutcome(Errors.UNKNOWN_TOPIC_ID.code, Errors.UNKNOWN_TOPIC_ID.message)
        found = self._partition(group_id, topic, place[1], out)
        if isinstance(found, Errors):
            return AcknowledgeOutcome(found.code, found.message)
        if not self._cluster.is_current:
            lost = Errors.COORDINATOR_NOT_AVAILABLE
            return AcknowledgeOutcome(lost.code, lost.message)
        try:
            moved = found.acknowledge(member_id, batches, now_ms)
        except AcknowledgeRefused as refused:
            return AcknowledgeOutcome(refused.error.code, refused.message)
        self._changed((group_id, topic, place[1]), found, moved, out)
        return AcknowledgeOutcome()

    def _close(self, key: SessionKey, now_ms: int, out: list[Effect]) -> None:
        """Close a member's session: what it holds becomes available."""
        self.sessions.close(key)
        for place, (_, partition) in list(self._partitions.items()):
            if place[0] == key[0]:
                self._changed(place, partition, partition.release(key[1]), out)

    def _changed(
        self, key: Key, partition: SharePartition, moved: list[Moved], out: list[Effect]
    ) -> None:
        """Store what has changed, write it into the journal, and set the timer of the next lock."""
        if not moved:
            return
        self._cluster.share_states[key] = partition.snapshot()
        group_id, topic, number = key
        place = {"group": group_id, "topic": topic, "partition": number}
        for one in moved:
            fields = {**one._asdict(), "state": one.state.value}
            fields["member"] = fields.pop("member_id")
            out.append(Note("share.records", {**place, **fields}))
        window = {"start_offset": partition.start_offset, "end_offset": partition.end_offset}
        out.append(Note("share.window", {**place, **window}))
        ends_ms, timer = partition.next_deadline_ms(), (SHARE_LOCK, *key)
        out.append(CancelTimer(timer) if ends_ms is None else SetTimer(timer, ends_ms))

    # -- fetching

    def _look_again(self, now_ms: int) -> list[Effect]:
        """Answer the waiting fetches that can acquire records now, the oldest first."""
        out: list[Effect] = []
        for number, fetch in list(self._waiting.items()):
            if self._try(fetch, now_ms, out, last=False):
                del self._waiting[number]
                out.append(CancelTimer((SHARE_FETCH, number)))
        return out

    def _try(self, fetch: WaitingShareFetch, now_ms: int, out: list[Effect], last: bool) -> bool:
        """Answer the fetch if it has records or an error, or if this is its last chance."""
        caller, request, session, outcomes = fetch
        data: dict[SharePlace, ShareFetchPartitionData] = {}
        left, left_bytes, failed = request.max_records, request.max_bytes, False
        for place in session.partitions:
            part, count = self._read(request, place, left, left_bytes, not data, now_ms, out)
            if part is not None:
                failed |= part.error_code != 0
                left -= count
                left_bytes -= sum(batch.size_bytes for batch in part.records)
                data[place] = part
        if not (data or failed or last):
            return False
        for place, outcome in outcomes.items():
            part = data.get(place) or ShareFetchPartitionData(partition_index=place[1])
            data[place] = ShareFetchPartitionData(
                partition_index=part.partition_index,
                error_code=part.error_code,
                error_message=part.error_message,
                acknowledge_error_code=outcome.code,
                acknowledge_error_message=outcome.message,
                current_leader=part.current_leader,
                records=part.records,
                acquired_records=part.acquired_records,
            )
        response = ShareFetchResponse(
            acquisition_lock_timeout_ms=self._lock_ms(request.group_id or ""),
            responses=_by_topic(data),
        )
        out.append(Respond(caller, response))
        return True

    def _read(
        self,
        request: ShareFetchRequest,
        place: SharePlace,
        left: int,
        left_bytes: int,
        is_first: bool,
        now_ms: int,
        out: list[Effect],
    ) -> tuple[ShareFetchPartitionData | None, int]:
        """One partition's part of the answer, None where nothing can be said; and how many records
        were acquired."""
        topic = self._cluster.name_of(place[0])
        if topic is None:
            return _error_data(place, Errors.UNKNOWN_TOPIC_ID), 0
        group_id = request.group_id or ""
        found = self._partition(group_id, topic, place[1], out)
        if isinstance(found, Errors):
            data = _error_data(place, found)
            if found is Errors.NOT_LEADER_OR_FOLLOWER:
                hint = self._replicas.leader_hint(topic, place[1])
                data = ShareFetchPartitionData(
                    partition_index=place[1],
                    error_code=found.code,
                    error_message=found.message,
                    current_leader=hint,
                )
            return data, 0
        replica, _ = self._replicas.led_replica(topic, place[1])
        assert replica is not None, "this broker leads the share partition"
        log, key = replica.log, (group_id, topic, place[1])
        if found.start_offset < log.log_start_offset:
            self._changed(key, found, found.log_start_moved(log.log_start_offset), out)
        first = found.next_fetch_offset
        if not (
            self._cluster.is_current
            and left > 0
            and left_bytes > 0
            and found.can_acquire()
            and first < log.high_watermark
        ):
            return None, 0
        read = log.read(first, left_bytes, log.high_watermark, at_least_one=is_first)
        acquired, moved = found.acquire(
            request.member_id or "",
            read,
            left,
            request.batch_size,
            now_ms,
            exact=bool(request.share_acquire_mode),
        )
        self._changed(key, found, moved, out)
        if not acquired:
            return None, 0
        kept = _slice(read, acquired[0].first_offset, acquired[-1].last_offset)
        data = ShareFetchPartitionData(
            partition_index=place[1], records=kept, acquired_records=acquired
        )
        return data, sum(one.last_offset - one.first_offset + 1 for one in acquired)


def _loaded_fields(key: Key, partition: SharePartition) -> dict[str, object]:
    """The fields of the event that a leader has a share partition in memory."""
    group_id, topic, number = key
    return {
        "group": group_id,
        "topic": topic,
        "partition": number,
        "start_offset": partition.start_offset,
        "end_offset": partition.end_offset,
        "records": {
            offset: (record.state.value, record.delivery_count)
            for offset, record in partition.states().items()
        },
    }


def _slice(read: Iterable[RecordBatch], first: int, last: int) -> tuple[RecordBatch, ...]:
    """The batches of the log that hold acquired records (maybeSliceFetchRecords)."""
    return tuple(b for b in read if b.last_offset >= first and b.base_offset <= last)


def _error_data(place: SharePlace, error: Errors) -> ShareFetchPartitionData:
    return ShareFetchPartitionData(
        partition_index=place[1], error_code=error.code, error_message=error.message
    )


def _by_topic(
    data: dict[SharePlace, ShareFetchPartitionData],
) -> tuple[ShareFetchableTopicResponse, ...]:
    parts: dict[str, list[ShareFetchPartitionData]] = {}
    for (topic_id, _), part in data.items():
        parts.setdefault(topic_id, []).append(part)
    return tuple(
        ShareFetchableTopicResponse(topic_id=topic_id, partitions=tuple(found))
        for topic_id, found in parts.items()
    )
