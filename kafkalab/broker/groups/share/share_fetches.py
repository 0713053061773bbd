"""ShareFetches: serves SHARE_FETCH and SHARE_ACKNOWLEDGE at the leaders of partitions
(SharePartitionManager, DelayedShareFetch, KIP-932).

It is a pure machine. A fetch first takes the acknowledgements that it carries. Then it acquires
records, or it waits until there are some, at most max_wait_ms. The answer goes when the
acknowledgements are written too.

Waiting fetches look again where the partition grows, where a lock ends, where somebody acknowledges
or closes a session, and where the window's start moves. A released record is in transition when its
release is looked at, and available only after the write. Then nobody looks: a fetch that waits gets
the record at one of the other moments, or when its own time is over. Java's broker does the same.

Left out: the topic `__share_group_state`. What the share coordinator would append there is a table
that all brokers read (`ClusterState.share_states`), so it is never lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, Respond, SetTimer
from kafkalab.broker.groups.share.dead_letters import (
    LETTER,
    DeadLetters,
    OpenLetters,
    failure_of,
)
from kafkalab.broker.groups.share.group_settings import GroupSettings
from kafkalab.broker.groups.share.record_state import RecordState
from kafkalab.broker.groups.share.share_partition import (
    AcknowledgeOutcome,
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
from kafkalab.broker.groups.share.state_writes import SHARE_WRITE, Key, StateWrite, StateWrites
from kafkalab.broker.replication.replica import Replica
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.server_log import ServerLog, silent_log
from kafkalab.errors import Errors, error_for, java_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.share_messages import FINAL_EPOCH

SHARE_FETCH, SHARE_LOCK = "share fetch", "share lock"
"""The kinds of timers: a fetch has waited long enough, a lock ends."""


@dataclass(slots=True, eq=False)
class OpenShareRequest:
    """A SHARE_FETCH or SHARE_ACKNOWLEDGE that is not answered yet.

    session    the partitions that it fetches; None for a SHARE_ACKNOWLEDGE
    outcomes   what became of its acknowledgements so far
    unwritten  how many partitions' acknowledgements are being written
    data       what its fetch has brought; None while it waits in the purgatory (DelayedShareFetch)
    """

    caller: Caller
    request: m.ShareFetchRequest | m.ShareAcknowledgeRequest
    session: ShareSession | None
    outcomes: dict[SharePlace, AcknowledgeOutcome]
    unwritten: int = 0
    data: dict[SharePlace, m.ShareFetchPartitionData] | None = None


class ShareFetches:
    """All share partitions that one broker leads."""

    def __init__(
        self,
        cluster: ClusterState,
        config: BrokerConfig,
        replicas: ReplicaManager,
        log: ServerLog | None = None,
    ) -> None:
        self._log = silent_log("4.4") if log is None else log
        self._letters = DeadLetters(cluster, config, replicas)
        self.sessions = ShareSessions()
        self._cluster, self._replicas = cluster, replicas
        self._settings = GroupSettings(cluster, config)
        self._partitions: dict[Key, tuple[int, SharePartition]] = {}
        self._waiting: dict[int, OpenShareRequest] = {}
        self._writes = StateWrites()
        self._count = 0

    def partition(self, group_id: str, topic: str, number: int) -> SharePartition | None:
        """The share partition as this broker has it in memory; None where it has none."""
        found = self._partitions.get((group_id, topic, number))
        return None if found is None else found[1]

    # -- requests

    def fetch(self, request: m.ShareFetchRequest, caller: Caller, now_ms: int) -> list[Effect]:
        key = (request.group_id or "", request.member_id or "")
        try:
            session = self.sessions.advance(key, request.share_session_epoch, caller.connection_id)
        except ShareSessionRefused as refused:
            answer = m.ShareFetchResponse(
                error_code=refused.error.code, error_message=refused.error.message
            )
            return [Respond(caller, answer)]
        out: list[Effect] = []
        open_request = OpenShareRequest(caller, request, session, {})
        for topic in request.topics:
            for part in topic.partitions:
                place = topic.topic_id, part.partition_index
                session.partitions.setdefault(place)
                if part.acknowledgement_batches:
                    self._acknowledge(
                        open_request, key, place, part.acknowledgement_batches, now_ms, out
                    )
        for forgotten in request.forgotten_topics_data:
            for number in forgotten.partitions:
                session.partitions.pop((forgotten.topic_id, number), None)
        if request.share_session_epoch == FINAL_EPOCH:
            self._close(key, now_ms, out)
            open_request.session = ShareSession(caller.connection_id)
        if self._try(open_request, now_ms, out, last=request.max_wait_ms <= 0):
            out += self._let_others_look(open_request, now_ms)
        else:
            self._count += 1
            self._waiting[self._count] = open_request
            out.append(SetTimer((SHARE_FETCH, self._count), now_ms + request.max_wait_ms))
        return out

    def acknowledge(
        self, request: m.ShareAcknowledgeRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        key = (request.group_id or "", request.member_id or "")
        try:
            self.sessions.advance(key, request.share_session_epoch, caller.connection_id)
        except ShareSessionRefused as refused:
            answer = m.ShareAcknowledgeResponse(
                error_code=refused.error.code, error_message=refused.error.message
            )
            return [Respond(caller, answer)]
        out: list[Effect] = []
        open_request = OpenShareRequest(caller, request, None, {}, data={})
        for topic in request.topics:
            for part in topic.partitions:
                place = topic.topic_id, part.partition_index
                self._acknowledge(
                    open_request, key, place, part.acknowledgement_batches, now_ms, out
                )
        if request.share_session_epoch == FINAL_EPOCH:
            self._close(key, now_ms, out)
        return out + self._answered(open_request)

    def on_timer(self, key: tuple[object, ...], now_ms: int) -> list[Effect]:
        """A fetch has waited long enough, a lock has ended, a write is done, or a dead letter is
        sent again."""
        out: list[Effect] = []
        if key[0] == LETTER:
            assert isinstance(key[1], int)
            return self._letters.send_again(key[1], self._limit, now_ms)
        if key[0] == SHARE_WRITE:
            done, out = self._writes.ended(now_ms)
            for write in done:
                out += self._written(write, now_ms)
            return out
        if key[0] == SHARE_FETCH:
            assert isinstance(key[1], int)
            waited = self._waiting.pop(key[1])
            self._try(waited, now_ms, out, last=True)
            return out + self._let_others_look(waited, now_ms)
        group_id, topic, number = key[1:]
        assert isinstance(group_id, str) and isinstance(topic, str) and isinstance(number, int)
        place = group_id, topic, number
        found = self._partition(group_id, topic, number, out)
        if isinstance(found, SharePartition) and (moved := found.expire(now_ms)):
            self._changed(place, found, moved, out)
            out += self._writes.add(StateWrite(place, found, moved, in_transition=False), now_ms)
            out += self._look_again(topic, number, now_ms, group_id)
        return out

    def on_reply(
        self, tag: tuple[Any, ...], response: m.ProduceResponse | None, now_ms: int
    ) -> list[Effect]:
        """The leader of a dead-letter partition has answered, or the connection was lost."""
        letters, error, out = self._letters.answered(tag[1], response, now_ms)
        if letters is None:
            return out
        if (failure := failure_of(error)) is not None:
            self._log("SHARE_LETTER_FAILED", trace=java_text(failure))
        return out + self._archived(letters.key, letters.moved, now_ms)

    # -- events of the broker

    def look_again(self, topic: str, number: int, now_ms: int) -> list[Effect]:
        """The partition has grown, or has another leader: check the waiting fetches."""
        return self._look_again(topic, number, now_ms) if self._waiting else []

    def abandon(self, connection_id: str, now_ms: int) -> list[Effect]:
        """A connection has closed: drop its fetches, close its sessions, free what they hold."""
        out: list[Effect] = []
        for number, fetch in list(self._waiting.items()):
            if fetch.caller.connection_id == connection_id:
                del self._waiting[number]
                out.append(CancelTimer((SHARE_FETCH, number)))
        for key in self.sessions.of_connection(connection_id):
            self._close(key, now_ms, out)
        return out

    def forget(self) -> None:
        """Drop everything in memory: the process has died."""
        self.sessions.clear()
        self._partitions.clear()
        self._waiting.clear()
        self._writes.forget()
        self._letters.forget()

    # -- share partitions

    def _partition(
        self, group_id: str, topic: str, number: int, out: list[Effect]
    ) -> SharePartition | Errors:
        """The share partition, read from its stored state where this leader does not have it yet;
        or why there is none."""
        replica, code = self._replicas.led_replica(topic, number)
        if replica is None:
            self._partitions.pop((group_id, topic, number), None)
            return error_for(code)
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
                partial(self._letters.has_topic, group_id),
                partial(self._say, key),
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

    def _say(self, key: Key, name: str, offset: int) -> None:
        group, topic, number = key
        self._log(
            name,
            group=group,
            topic=topic,
            topic_id=self._cluster.topics[topic].topic_id,
            partition=number,
            offset=offset,
        )

    def _limit(self, letters: OpenLetters) -> int:
        return self._settings.number(letters.key[0], "share.delivery.count.limit")

    def _bury(self, key: Key, moved: Moved, now_ms: int) -> list[Effect]:
        """Write the dead letters of records that are given up; archive the records at once where
        that cannot be."""
        why = self._letters.refusal(key[0])
        if why is not None:
            trace = f"org.apache.kafka.common.config.ConfigException: {why}"
            self._log("SHARE_LETTER_FAILED", trace=trace)
            return self._archived(key, moved, now_ms)
        limit = self._settings.number(key[0], "share.delivery.count.limit")
        return self._letters.send(key, moved, limit, now_ms)

    def _archived(self, key: Key, moved: Moved, now_ms: int) -> list[Effect]:
        """The letters of these records are written, or lost: archive the records."""
        out: list[Effect] = []
        found = self._partition(*key, out)
        if isinstance(found, SharePartition) and (done := found.archive(moved)):
            self._changed(key, found, done, out)
            out += self._writes.add(StateWrite(key, found, done, in_transition=False), now_ms)
        return out

    def _lock_ms(self, group_id: str) -> int:
        return self._settings.number(group_id, "share.record.lock.duration.ms")

    def _acknowledge(
        self,
        open_request: OpenShareRequest,
        key: SessionKey,
        place: SharePlace,
        batches: Iterable[m.AcknowledgementBatch],
        now_ms: int,
        out: list[Effect],
    ) -> None:
        """Take a partition's acknowledgements and begin to write what follows from them."""
        group_id, member_id = key
        outcome = AcknowledgeOutcome()
        topic = self._cluster.name_of(place[0])
        found = None if topic is None else self._partition(group_id, topic, place[1], out)
        if topic is None:
            outcome = _outcome(Errors.UNKNOWN_TOPIC_ID)
        elif isinstance(found, Errors):
            outcome = _outcome(found)
        elif not self._cluster.is_current:
            outcome = _outcome(Errors.COORDINATOR_NOT_AVAILABLE)
        else:
            assert found is not None
            share_place = group_id, topic, place[1]
            try:
                renewed, begun = found.acknowledge(member_id, batches, now_ms)
            except AcknowledgeRefused as refused:
                outcome = AcknowledgeOutcome(refused.error.code, refused.message)
            else:
                self._changed(share_place, found, renewed, out)
                if begun:
                    open_request.unwritten += 1
                    told = partial(self._told, open_request, place)
                    write = StateWrite(share_place, found, begun, told=told)
                    out += self._writes.add(write, now_ms)
            out += self._look_again(topic, place[1], now_ms, group_id)
        open_request.outcomes[place] = outcome

    def _told(
        self, open_request: OpenShareRequest, place: SharePlace, outcome: AcknowledgeOutcome
    ) -> list[Effect]:
        """A request's acknowledgements of one partition are written, or could not be."""
        open_request.outcomes[place] = outcome
        open_request.unwritten -= 1
        return self._answered(open_request)

    def _written(self, write: StateWrite, now_ms: int) -> list[Effect]:
        """The share coordinator has written states of records, or refuses them because this broker
        does not lead the partition any more."""
        out: list[Effect] = []
        group_id, topic, number = write.key
        outcome, place = AcknowledgeOutcome(), write.key
        if self._partition(group_id, topic, number, out) is not write.partition:
            outcome = _outcome(Errors.NOT_LEADER_OR_FOLLOWER)
        elif not self._cluster.is_current:
            outcome = _outcome(Errors.COORDINATOR_NOT_AVAILABLE)
            if write.in_transition:
                back = write.partition.not_written(write.moved, now_ms)
                self._changed(place, write.partition, back, out)
                out.append(_next_lock(place, write.partition))
        else:
            start_has_moved = write.partition.written(write.moved, write.in_transition)
            self._cluster.share_states[place] = write.partition.snapshot()
            if write.in_transition:
                self._changed(place, write.partition, write.moved, out)
            elif start_has_moved:
                out.append(_window(place, write.partition))
            if start_has_moved:
                out += self._look_again(topic, number, now_ms, group_id)
            for one in write.moved:
                if one.state is RecordState.ARCHIVING:
                    out += self._bury(place, one, now_ms)
        if write.told is not None:
            out += write.told(outcome)
        return out

    def _close(self, key: SessionKey, now_ms: int, out: list[Effect]) -> None:
        """Close a member's session: what it holds becomes available when this is written."""
        session = self.sessions.find(key)
        self.sessions.close(key)
        for topic_id, number in () if session is None else session.partitions:
            topic = self._cluster.name_of(topic_id) or ""
            found = self._partitions.get((key[0], topic, number))
            if found is None:
                continue
            if begun := found[1].release(key[1]):
                write = StateWrite((key[0], topic, number), found[1], begun)
                out += self._writes.add(write, now_ms)
            out += self._look_again(topic, number, now_ms, key[0])

    def _changed(
        self, key: Key, partition: SharePartition, moved: list[Moved], out: list[Effect]
    ) -> None:
        """Write what has changed into the journal, and set the timer of the next lock."""
        if not moved:
            return
        group_id, topic, number = key
        place = {"group": group_id, "topic": topic, "partition": number}
        for one in moved:
            fields = {**one._asdict(), "state": one.state.value}
            fields["member"] = fields.pop("member_id")
            out.append(Note.of("share.records", **place, **fields))
        out += _window(key, partition), _next_lock(key, partition)

    # -- fetching

    def _look_again(
        self, topic: str, number: int, now_ms: int, group_id: str | None = None
    ) -> list[Effect]:
        """Let the waiting fetches of a partition look for records, the oldest first; of one group
        only where it is given."""
        out: list[Effect] = []
        for count, one in list(self._waiting.items()):
            if group_id is not None and one.request.group_id != group_id:
                continue
            assert one.session is not None, "only a fetch waits"
            if not any(
                place[1] == number and self._cluster.name_of(place[0]) == topic
                for place in one.session.partitions
            ):
                continue
            if self._try(one, now_ms, out, last=False):
                del self._waiting[count]
                out.append(CancelTimer((SHARE_FETCH, count)))
        return out

    def _let_others_look(self, ended: OpenShareRequest, now_ms: int) -> list[Effect]:
        """A fetch has acquired records: what it left over may be for another one that waits."""
        out: list[Effect] = []
        for (topic_id, number), part in (ended.data or {}).items():
            topic = self._cluster.name_of(topic_id)
            if part.acquired_records and topic is not None:
                out += self._look_again(topic, number, now_ms, ended.request.group_id)
        return out

    def _try(
        self, open_request: OpenShareRequest, now_ms: int, out: list[Effect], last: bool
    ) -> bool:
        """End the fetch if it has records or an error, or if this is its last chance."""
        request, session = open_request.request, open_request.session
        assert isinstance(request, m.ShareFetchRequest) and session is not None
        data: dict[SharePlace, m.ShareFetchPartitionData] = {}
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
        open_request.data = data
        out += self._answered(open_request)
        return True

    def _answered(self, open_request: OpenShareRequest) -> list[Effect]:
        """The answer, where the fetch is over and all acknowledgements are written."""
        request, data = open_request.request, open_request.data
        if data is None or open_request.unwritten:
            return []
        lock_ms = self._lock_ms(request.group_id or "")
        response: m.ShareFetchResponse | m.ShareAcknowledgeResponse
        if isinstance(request, m.ShareAcknowledgeRequest):
            response = m.ShareAcknowledgeResponse(
                acquisition_lock_timeout_ms=lock_ms, responses=_outcomes(open_request.outcomes)
            )
        else:
            for place, outcome in open_request.outcomes.items():
                part = data.get(place) or m.ShareFetchPartitionData(partition_index=place[1])
                data[place] = m.ShareFetchPartitionData(
                    partition_index=part.partition_index,
                    error_code=part.error_code,
                    error_message=part.error_message,
                    acknowledge_error_code=outcome.code,
                    acknowledge_error_message=outcome.message,
                    current_leader=part.current_leader,
                    records=part.records,
                    acquired_records=part.acquired_records,
                )
            response = m.ShareFetchResponse(
                acquisition_lock_timeout_ms=lock_ms, responses=_by_topic(data)
            )
        return [Respond(open_request.caller, response)]

    def _read(
        self,
        request: m.ShareFetchRequest,
        place: SharePlace,
        left: int,
        left_bytes: int,
        is_first: bool,
        now_ms: int,
        out: list[Effect],
    ) -> tuple[m.ShareFetchPartitionData | None, int]:
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
                data = m.ShareFetchPartitionData(
                    partition_index=place[1],
                    error_code=found.code,
                    error_message=found.message,
                    current_leader=hint,
                )
            return data, 0
        replica, _ = self._replicas.led_replica(topic, place[1])
        assert replica is not None, "this broker leads the share partition"
        log, key = replica.log, (group_id, topic, place[1])
        for one in found.left_to_archive() if self._letters.has_topic(group_id) else ():
            if not self._letters.is_open(key, one):  # its leader died before the letter was written
                out += self._bury(key, one, now_ms)
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
        data = m.ShareFetchPartitionData(
            partition_index=place[1], records=kept, acquired_records=acquired
        )
        return data, sum(one.last_offset - one.first_offset + 1 for one in acquired)


def _window(key: Key, partition: SharePartition) -> Note:
    """The event that tells the window of a share partition."""
    group_id, topic, number = key
    place = {"group": group_id, "topic": topic, "partition": number}
    window = {"start_offset": partition.start_offset, "end_offset": partition.end_offset}
    return Note.of("share.window", **place, **window)


def _next_lock(key: Key, partition: SharePartition) -> SetTimer | CancelTimer:
    """The timer of the lock that ends next."""
    ends_ms, timer = partition.next_deadline_ms(), (SHARE_LOCK, *key)
    return CancelTimer(timer) if ends_ms is None else SetTimer(timer, ends_ms)


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


def _slice(read: Iterable[m.RecordBatch], first: int, last: int) -> tuple[m.RecordBatch, ...]:
    """The batches of the log that hold acquired records (maybeSliceFetchRecords)."""
    return tuple(b for b in read if b.last_offset >= first and b.base_offset <= last)


def _error_data(place: SharePlace, error: Errors) -> m.ShareFetchPartitionData:
    return m.ShareFetchPartitionData(
        partition_index=place[1], error_code=error.code, error_message=error.message
    )


def _outcome(error: Errors) -> AcknowledgeOutcome:
    return AcknowledgeOutcome(error.code, error.message)


def _outcomes(
    found: dict[SharePlace, AcknowledgeOutcome],
) -> tuple[m.ShareAcknowledgeTopicResponse, ...]:
    parts: dict[str, list[m.ShareAcknowledgePartitionData]] = {}
    for (topic_id, number), outcome in found.items():
        data = m.ShareAcknowledgePartitionData(
            partition_index=number, error_code=outcome.code, error_message=outcome.message
        )
        parts.setdefault(topic_id, []).append(data)
    return tuple(
        m.ShareAcknowledgeTopicResponse(topic_id=topic_id, partitions=tuple(found))
        for topic_id, found in parts.items()
    )


def _by_topic(
    data: dict[SharePlace, m.ShareFetchPartitionData],
) -> tuple[m.ShareFetchableTopicResponse, ...]:
    parts: dict[str, list[m.ShareFetchPartitionData]] = {}
    for (topic_id, _), part in data.items():
        parts.setdefault(topic_id, []).append(part)
    return tuple(
        m.ShareFetchableTopicResponse(topic_id=topic_id, partitions=tuple(found))
        for topic_id, found in parts.items()
    )
