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
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, SetTimer
from kafkalab.broker.groups.share.dead_letters import DeadLetters, failure_of
from kafkalab.broker.groups.share.group_settings import GroupSettings
from kafkalab.broker.groups.share.record_state import RecordState
from kafkalab.broker.groups.share.share_partition import (
    AcknowledgeOutcome,
    Moved,
    SharePartition,
    ShareState,
)
from kafkalab.broker.groups.share.share_sessions import (
    SessionKey,
    SharePlace,
    ShareSession,
    ShareSessions,
)
from kafkalab.broker.groups.share.state_writes import SHARE_WRITE, Key, StateWrite, StateWrites
from kafkalab.broker.replication.replica import Replica
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.server_log import ServerLog, silent_log
from kafkalab.broker.steps import (
    Afterwards,
    Refusal,
    Resume,
    Step,
    Wait,
    answers,
    run,
    unheard,
    worded,
)
from kafkalab.errors import Errors, error_for, java_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.share_messages import FINAL_EPOCH

SHARE_FETCH, SHARE_LOCK = "share fetch", "share lock"
"""The kinds of timers: a fetch has waited long enough, a lock ends."""


@dataclass(slots=True, eq=False)
class OpenAcknowledgements:
    """What became of the acknowledgements of one request so far.

    unwritten  how many partitions' acknowledgements are being written
    resume     goes on with the request's story; None where it does not wait for them yet
    """

    outcomes: dict[SharePlace, AcknowledgeOutcome] = field(default_factory=dict)
    unwritten: int = 0
    resume: Resume | None = None

    def told(self, place: SharePlace, outcome: AcknowledgeOutcome) -> list[Effect]:
        """The acknowledgements of one partition are written, or could not be."""
        self.outcomes[place] = outcome
        self.unwritten -= 1
        return [] if self.unwritten or self.resume is None else self.resume(None)

    def all_written(self) -> Step[None]:
        """Wait until all of them are written."""
        if self.unwritten:
            yield Wait(self._keep)

    def _keep(self, resume: Resume) -> list[Effect]:
        self.resume = resume
        return []


@dataclass(slots=True, eq=False)
class DelayedShareFetch:
    """A SHARE_FETCH that waits until there are records. resume: takes the data of its answer."""

    caller: Caller
    request: m.ShareFetchRequest
    session: ShareSession
    resume: Resume | None = None


FetchedData = dict[SharePlace, m.ShareFetchPartitionData]
"""What a fetch has brought."""


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
        self.letters = DeadLetters(cluster, config, replicas)
        self.sessions = ShareSessions()
        self._cluster, self._replicas = cluster, replicas
        self._settings = GroupSettings(cluster, config)
        self._partitions: dict[Key, tuple[int, SharePartition]] = {}
        self._waiting: dict[int, DelayedShareFetch] = {}
        self._writes = StateWrites()
        self._count = 0

    def partition(self, group_id: str, topic: str, number: int) -> SharePartition | None:
        """The share partition as this broker has it in memory; None where it has none."""
        found = self._partitions.get((group_id, topic, number))
        return None if found is None else found[1]

    # -- requests

    @answers(m.ShareFetchResponse, worded(m.ShareFetchResponse))
    def fetch(
        self, request: m.ShareFetchRequest, caller: Caller, now_ms: int
    ) -> Step[m.ShareFetchResponse]:
        key = (request.group_id or "", request.member_id or "")
        session = self.sessions.advance(key, request.share_session_epoch, caller.connection_id)
        acknowledged = OpenAcknowledgements()
        for topic in request.topics:
            for part in topic.partitions:
                place = topic.topic_id, part.partition_index
                session.partitions.setdefault(place)
                if part.acknowledgement_batches:
                    yield from self._acknowledge(
                        acknowledged, key, place, part.acknowledgement_batches, now_ms
                    )
        for forgotten in request.forgotten_topics_data:
            for number in forgotten.partitions:
                session.partitions.pop((forgotten.topic_id, number), None)
        if request.share_session_epoch == FINAL_EPOCH:
            yield from self._close(key, now_ms)
            session = ShareSession(caller.connection_id)
        fetch = DelayedShareFetch(caller, request, session)
        data = yield from self._try(fetch, now_ms, last=request.max_wait_ms <= 0)
        if data is None:
            data = yield Wait(partial(self._park, fetch, now_ms + request.max_wait_ms))
        else:
            yield Afterwards(run(self._let_others_look(fetch, data, now_ms)))
        yield from acknowledged.all_written()
        for place, outcome in acknowledged.outcomes.items():
            fetched = data.get(place) or m.ShareFetchPartitionData(partition_index=place[1])
            data[place] = replace(
                fetched,
                acknowledge_error_code=outcome.code,
                acknowledge_error_message=outcome.message,
            )
        return m.ShareFetchResponse(
            acquisition_lock_timeout_ms=self._lock_ms(key[0]), responses=_by_topic(data)
        )

    @answers(m.ShareAcknowledgeResponse, worded(m.ShareAcknowledgeResponse))
    def acknowledge(
        self, request: m.ShareAcknowledgeRequest, caller: Caller, now_ms: int
    ) -> Step[m.ShareAcknowledgeResponse]:
        key = (request.group_id or "", request.member_id or "")
        self.sessions.advance(key, request.share_session_epoch, caller.connection_id)
        acknowledged = OpenAcknowledgements()
        for topic in request.topics:
            for part in topic.partitions:
                place = topic.topic_id, part.partition_index
                yield from self._acknowledge(
                    acknowledged, key, place, part.acknowledgement_batches, now_ms
                )
        if request.share_session_epoch == FINAL_EPOCH:
            yield from self._close(key, now_ms)
        yield from acknowledged.all_written()
        return m.ShareAcknowledgeResponse(
            acquisition_lock_timeout_ms=self._lock_ms(key[0]),
            responses=_outcomes(acknowledged.outcomes),
        )

    def on_timer(self, key: tuple[Any, ...], now_ms: int) -> list[Effect]:
        """A fetch has waited long enough, a lock has ended, or a write is done."""
        if key[0] == SHARE_WRITE:
            return run(self._end_writes(now_ms))
        if key[0] == SHARE_FETCH:
            return run(self._end_waiting(self._waiting.pop(key[1]), now_ms))
        return unheard(self._end_lock(key[1:], now_ms))

    def _end_writes(self, now_ms: int) -> Step[None]:
        for write in (yield from self._writes.take_written(now_ms)):
            yield from self._written(write, now_ms)

    def _end_waiting(self, fetch: DelayedShareFetch, now_ms: int) -> Step[None]:
        data = yield from self._try(fetch, now_ms, last=True)
        assert data is not None and fetch.resume is not None, "it is parked, and ends now"
        yield from fetch.resume(data)
        yield from self._let_others_look(fetch, data, now_ms)

    def _end_lock(self, key: Key, now_ms: int) -> Step[None]:
        found = yield from self._partition(*key)
        if moved := found.expire(now_ms):
            yield from self._changed(key, found, moved)
            write = StateWrite(key, found, moved, in_transition=False)
            yield from self._writes.add(write, now_ms)
            yield from self._look_again(key[1], key[2], now_ms, key[0])

    # -- events of the broker

    def look_again(self, topic: str, number: int, now_ms: int) -> list[Effect]:
        """The partition has grown, or has another leader: check the waiting fetches."""
        return run(self._look_again(topic, number, now_ms)) if self._waiting else []

    def abandon(self, connection_id: str, now_ms: int) -> list[Effect]:
        """A connection has closed: drop its fetches, close its sessions, free what they hold."""
        return run(self._abandon(connection_id, now_ms))

    def _abandon(self, connection_id: str, now_ms: int) -> Step[None]:
        for number, fetch in list(self._waiting.items()):
            if fetch.caller.connection_id == connection_id:
                del self._waiting[number]
                yield CancelTimer((SHARE_FETCH, number))
        for key in self.sessions.of_connection(connection_id):
            yield from self._close(key, now_ms)

    def forget(self) -> None:
        """Drop everything in memory: the process has died."""
        self.sessions.clear()
        self._partitions.clear()
        self._waiting.clear()
        self._writes.forget()
        self.letters.forget()

    # -- share partitions

    def _partition(self, group_id: str, topic: str, number: int) -> Step[SharePartition]:
        """The share partition, read from its stored state where this leader does not have it yet.
        A Refusal where there is none."""
        replica, code = self._replicas.led_replica(topic, number)
        if replica is None:
            self._partitions.pop((group_id, topic, number), None)
            raise Refusal.with_message(error_for(code))
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
                partial(self.letters.has_topic, group_id),
                partial(self._say, key),
            )
            stored = self._cluster.share_states.get(key)
            if stored is None:
                self._cluster.share_states[key] = made.snapshot()
            else:
                assert isinstance(stored, ShareState)
                made.restore(stored)
            found = self._partitions[key] = epoch, made
            yield Note("share.loaded", _loaded_fields(key, made))
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

    def _bury(self, key: Key, moved: Moved, now_ms: int) -> Step[None]:
        """Write the dead letters of records that are given up, where that can be; then archive the
        records."""
        why = self.letters.refusal(key[0])
        if why is not None:
            trace = f"org.apache.kafka.common.config.ConfigException: {why}"
            self._log("SHARE_LETTER_FAILED", trace=trace)
        else:
            error, now_ms = yield from self.letters.send_letters(key, moved, now_ms)
            if (failure := failure_of(error)) is not None:
                self._log("SHARE_LETTER_FAILED", trace=java_text(failure))
        found = yield from self._partition(*key)
        if done := found.archive(moved):
            yield from self._changed(key, found, done)
            write = StateWrite(key, found, done, in_transition=False)
            yield from self._writes.add(write, now_ms)

    def _lock_ms(self, group_id: str) -> int:
        return self._settings.number(group_id, "share.record.lock.duration.ms")

    def _acknowledge(
        self,
        acknowledged: OpenAcknowledgements,
        key: SessionKey,
        place: SharePlace,
        batches: Iterable[m.AcknowledgementBatch],
        now_ms: int,
    ) -> Step[None]:
        """Take a partition's acknowledgements and begin to write what follows from them."""
        group_id, member_id = key
        acknowledged.outcomes[place] = AcknowledgeOutcome()
        try:
            topic = self._name_of(place[0])
            found = yield from self._partition(group_id, topic, place[1])
            if not self._cluster.is_current:
                raise Refusal.with_message(Errors.COORDINATOR_NOT_AVAILABLE)
        except Refusal as refusal:
            acknowledged.outcomes[place] = _outcome(refusal)
            return
        share_place = group_id, topic, place[1]
        try:
            renewed, begun = found.acknowledge(member_id, batches, now_ms)
        except Refusal as refusal:
            acknowledged.outcomes[place] = _outcome(refusal)
        else:
            yield from self._changed(share_place, found, renewed)
            if begun:
                acknowledged.unwritten += 1
                told = partial(acknowledged.told, place)
                write = StateWrite(share_place, found, begun, told=told)
                yield from self._writes.add(write, now_ms)
        yield from self._look_again(topic, place[1], now_ms, group_id)

    def _written(self, write: StateWrite, now_ms: int) -> Step[None]:
        """The share coordinator has written states of records, or refuses them because this broker
        does not lead the partition any more."""
        group_id, topic, number = place = write.key
        outcome = AcknowledgeOutcome()
        try:
            found = yield from self._partition(group_id, topic, number)
            if found is not write.partition:
                raise Refusal.with_message(Errors.NOT_LEADER_OR_FOLLOWER)
        except Refusal:
            outcome = _outcome(Refusal.with_message(Errors.NOT_LEADER_OR_FOLLOWER))
        else:
            if self._cluster.is_current:
                yield from self._stored(write, now_ms)
            else:
                outcome = _outcome(Refusal.with_message(Errors.COORDINATOR_NOT_AVAILABLE))
                if write.in_transition:
                    back = found.not_written(write.moved, now_ms)
                    yield from self._changed(place, found, back)
                    yield _next_lock(place, found)
        if write.told is not None:
            yield from write.told(outcome)

    def _stored(self, write: StateWrite, now_ms: int) -> Step[None]:
        """The new states of these records are in the share coordinator."""
        group_id, topic, number = place = write.key
        start_has_moved = write.partition.written(write.moved, write.in_transition)
        self._cluster.share_states[place] = write.partition.snapshot()
        if write.in_transition:
            yield from self._changed(place, write.partition, write.moved)
        elif start_has_moved:
            yield _window(place, write.partition)
        if start_has_moved:
            yield from self._look_again(topic, number, now_ms, group_id)
        for one in write.moved:
            if one.state is RecordState.ARCHIVING:
                yield from unheard(self._bury(place, one, now_ms))

    def _close(self, key: SessionKey, now_ms: int) -> Step[None]:
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
                yield from self._writes.add(write, now_ms)
            yield from self._look_again(topic, number, now_ms, key[0])

    def _changed(self, key: Key, partition: SharePartition, moved: list[Moved]) -> Step[None]:
        """Write what has changed into the journal, and set the timer of the next lock."""
        if not moved:
            return
        group_id, topic, number = key
        place = {"group": group_id, "topic": topic, "partition": number}
        for one in moved:
            fields = {**one._asdict(), "state": one.state.value}
            fields["member"] = fields.pop("member_id")
            yield Note.of("share.records", **place, **fields)
        yield _window(key, partition)
        yield _next_lock(key, partition)

    # -- fetching

    def _park(self, fetch: DelayedShareFetch, until_ms: int, resume: Resume) -> list[Effect]:
        self._count += 1
        self._waiting[self._count] = fetch
        fetch.resume = resume
        return [SetTimer((SHARE_FETCH, self._count), until_ms)]

    def _look_again(
        self, topic: str, number: int, now_ms: int, group_id: str | None = None
    ) -> Step[None]:
        """Let the waiting fetches of a partition look for records, the oldest first; of one group
        only where it is given."""
        for count, fetch in list(self._waiting.items()):
            if group_id is not None and fetch.request.group_id != group_id:
                continue
            if not any(
                place[1] == number and self._cluster.name_of(place[0]) == topic
                for place in fetch.session.partitions
            ):
                continue
            data = yield from self._try(fetch, now_ms, last=False)
            if data is not None:
                assert fetch.resume is not None, "it is parked"
                yield from fetch.resume(data)
                del self._waiting[count]
                yield CancelTimer((SHARE_FETCH, count))

    def _let_others_look(
        self, ended: DelayedShareFetch, data: FetchedData, now_ms: int
    ) -> Step[None]:
        """A fetch has acquired records: what it left over may be for another one that waits."""
        for (topic_id, number), part in data.items():
            topic = self._cluster.name_of(topic_id)
            if part.acquired_records and topic is not None:
                yield from self._look_again(topic, number, now_ms, ended.request.group_id)

    def _try(self, fetch: DelayedShareFetch, now_ms: int, last: bool) -> Step[FetchedData | None]:
        """What the fetch answers if it has records or an error, or if this is its last chance; else
        None."""
        request = fetch.request
        data: FetchedData = {}
        left, left_bytes, failed = request.max_records, request.max_bytes, False
        for place in fetch.session.partitions:
            try:
                part = yield from self._read(request, place, left, left_bytes, not data, now_ms)
            except Refusal as refusal:
                part, failed = self._failed(place, refusal), True
            if part is not None:
                left -= sum(one.last_offset - one.first_offset + 1 for one in part.acquired_records)
                left_bytes -= sum(batch.size_bytes for batch in part.records)
                data[place] = part
        return data if data or failed or last else None

    def _read(
        self,
        request: m.ShareFetchRequest,
        place: SharePlace,
        left: int,
        left_bytes: int,
        is_first: bool,
        now_ms: int,
    ) -> Step[m.ShareFetchPartitionData | None]:
        """One partition's part of the answer; None where nothing can be said."""
        topic, group_id = self._name_of(place[0]), request.group_id or ""
        found = yield from self._partition(group_id, topic, place[1])
        replica, _ = self._replicas.led_replica(topic, place[1])
        assert replica is not None, "this broker leads the share partition"
        log, key = replica.log, (group_id, topic, place[1])
        for one in found.left_to_archive() if self.letters.has_topic(group_id) else ():
            if not self.letters.is_open(key, one):  # its leader died before the letter was written
                yield from unheard(self._bury(key, one, now_ms))
        if found.start_offset < log.log_start_offset:
            yield from self._changed(key, found, found.log_start_moved(log.log_start_offset))
        first = found.next_fetch_offset
        if not (
            self._cluster.is_current
            and left > 0
            and left_bytes > 0
            and found.can_acquire()
            and first < log.high_watermark
        ):
            return None
        read = log.read(first, left_bytes, log.high_watermark, at_least_one=is_first)
        acquired, moved = found.acquire(
            request.member_id or "",
            read,
            left,
            request.batch_size,
            now_ms,
            exact=bool(request.share_acquire_mode),
        )
        yield from self._changed(key, found, moved)
        if not acquired:
            return None
        kept = _slice(read, acquired[0].first_offset, acquired[-1].last_offset)
        return m.ShareFetchPartitionData(
            partition_index=place[1], records=kept, acquired_records=acquired
        )

    def _name_of(self, topic_id: str) -> str:
        topic = self._cluster.name_of(topic_id)
        if topic is None:
            raise Refusal.with_message(Errors.UNKNOWN_TOPIC_ID)
        return topic

    def _failed(self, place: SharePlace, refusal: Refusal) -> m.ShareFetchPartitionData:
        """The part of the answer for a partition that cannot be read."""
        part = m.ShareFetchPartitionData(
            partition_index=place[1],
            error_code=refusal.error.code,
            error_message=refusal.message,
        )
        if refusal.error is not Errors.NOT_LEADER_OR_FOLLOWER:
            return part
        hint = self._replicas.leader_hint(self._name_of(place[0]), place[1])
        return replace(part, current_leader=hint)


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


def _outcome(refusal: Refusal) -> AcknowledgeOutcome:
    return AcknowledgeOutcome(refusal.error.code, refusal.message)


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
