"""Fetches: serves FETCH, at once or as a long poll until there is enough to send.

Kafka's classes are DelayedFetch and the fetch purgatory, in which fetches wait. A fetch waits while
fewer than min_bytes can be read, at most max_wait_ms. An error, a fetch of no partitions, and one
that should go to a follower in the consumer's rack (KIP-392) is answered at once.

A reader above its quota gets an empty answer that tells it how long to wait (KIP-219). The records
come with a later one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kafkalab.broker.client_quotas import ClientQuotas
from kafkalab.broker.effects import Caller, CancelTimer, Effect, SetTimer
from kafkalab.broker.replication.fetch_sessions import (
    FetchContext,
    FetchKey,
    FetchSession,
    FetchSessions,
)
from kafkalab.broker.replication.learners_completion import (
    WaitingRequest,
    WatchedPartition,
    may_complete,
)
from kafkalab.broker.replication.replica import Replica
from kafkalab.broker.replication.replica_manager import (
    LEADERSHIP_ERRORS,
    ReplicaManager,
    place_of,
)
from kafkalab.broker.steps import Resume, Step, Wait, answers
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.protocol.buffer_sizes import fetch_response_bytes
from kafkalab.releases import BrokerProfile


class WaitingFetch(NamedTuple):
    """A fetch in the purgatory (DelayedFetch). resume: resume(now_ms) has it answered."""

    caller: Caller
    request: m.FetchRequest
    context: FetchContext
    resume: Resume


class Fetches:
    """All fetches of one broker, parked or not (ReplicaManager.fetchMessages).

    quotas: consumer_byte_rate of the clients that have one.
    is_rack_aware: the broker names followers to read from (replica.selector.class).
    draw_session_id: gives a random positive int for the caller; the machine has no random numbers
    of its own.
    """

    def __init__(
        self,
        profile: BrokerProfile,
        replicas: ReplicaManager,
        slots: int,
        is_rack_aware: bool,
        draw_session_id: Callable[[Caller], int],
        quotas: ClientQuotas,
    ) -> None:
        self.sessions = FetchSessions(slots)
        self._profile = profile
        self._replicas = replicas
        self._is_rack_aware = is_rack_aware
        self._draw_session_id = draw_session_id
        self._quotas = quotas
        self._waiting: dict[int, WaitingFetch] = {}
        self._watchers: dict[tuple[str, int], dict[int, None]] = {}
        self._places: dict[FetchKey, tuple[str, int]] = {}
        self._count = 0

    @property
    def waiting(self) -> tuple[WaitingFetch, ...]:
        """The parked fetches, oldest first."""
        return tuple(self._waiting.values())

    @answers(m.FetchResponse)
    def handle(self, request: m.FetchRequest, caller: Caller, now_ms: int) -> Step[m.FetchResponse]:
        context = self.sessions.context(request)
        if context.error:
            return m.FetchResponse(error_code=context.error)
        if (
            request.max_wait_ms > 0
            and context.partitions
            and not self._is_ready(request, context, caller)
            and not self._is_sent_elsewhere(request, context)
        ):
            until_ms = now_ms + request.max_wait_ms
            now_ms = yield Wait(
                lambda resume: self._park(WaitingFetch(caller, request, context, resume), until_ms)
            )
        return self._answer(request, context, caller, now_ms)

    def _park(self, fetch: WaitingFetch, until_ms: int) -> list[Effect]:
        self._count += 1
        self._waiting[self._count] = fetch
        for key in fetch.context.partitions:
            self._watchers.setdefault(self._place(key), {})[self._count] = None
        return [SetTimer(("fetch", self._count), until_ms)]

    def on_timer(self, key: tuple[str, int], now_ms: int) -> list[Effect]:
        """max_wait_ms has passed: answer with the records that there are."""
        return self._take(key[1]).resume(now_ms)

    def look_again(self, topic: str, partition: int, now_ms: int) -> list[Effect]:
        """Check the parked fetches after the partition has grown or lost its leader; answer those
        with enough bytes or an error."""
        watchers = self._watchers.get((topic, partition))
        if not watchers:
            return []
        effects: list[Effect] = []
        for number in list(watchers):
            fetch = self._waiting[number]
            if self._is_ready(fetch.request, fetch.context, fetch.caller):
                effects.append(CancelTimer(("fetch", number)))
                effects += self._take(number).resume(now_ms)
        return effects

    def abandon(self, connection_id: str) -> list[Effect]:
        """Drop the fetches of a closed connection."""
        gone = [
            number
            for number, fetch in self._waiting.items()
            if fetch.caller.connection_id == connection_id
        ]
        for number in gone:
            self._take(number)
        return [CancelTimer(("fetch", number)) for number in gone]

    def forget(self) -> None:
        """Drop the parked fetches and the sessions: the process has died."""
        self.sessions.clear()
        self._waiting.clear()
        self._watchers.clear()

    def _take(self, number: int) -> WaitingFetch:
        fetch = self._waiting.pop(number)
        for key in fetch.context.partitions:
            place = self._place(key)
            watchers = self._watchers[place]
            watchers.pop(number, None)
            if not watchers:
                del self._watchers[place]
        return fetch

    def _place(self, key: FetchKey) -> tuple[str, int]:
        """Topic name and partition number; the name is empty for an unknown topic id."""
        place = self._places.get(key)
        if place is None:
            topic = self._replicas.name_of(key.topic, key.topic_id)
            if topic is None:
                return "", key.partition
            place = self._places[key] = topic, key.partition
        return place

    def _readable(
        self, key: FetchKey, asked: m.FetchPartition, caller: Caller
    ) -> tuple[Replica | None, int]:
        """(replica, 0) that this caller may read here, else (None, error code). A follower serves
        it only since KIP-392."""
        may_follow = self._profile.serves_from_followers and WireChange.FETCH_NAMES_RACK.holds_for(
            caller.header
        )
        find = self._replicas.readable_replica if may_follow else self._replicas.led_replica
        return find(*self._place(key), asked.current_leader_epoch)

    def _preferred(self, request: m.FetchRequest, key: FetchKey, asked: m.FetchPartition) -> int:
        """The follower that should serve this partition, -1 for the broker that was asked. Only a
        leader names one, and only where replica.selector.class looks at racks."""
        if not self._is_rack_aware or not request.rack_id:
            return -1
        replica, _ = self._replicas.led_replica(*self._place(key), asked.current_leader_epoch)
        if replica is None:
            return -1
        return self._replicas.preferred_replica(replica, request.rack_id, asked.fetch_offset)

    def _is_sent_elsewhere(self, request: m.FetchRequest, context: FetchContext) -> bool:
        """Whether a partition of this fetch should be read from a follower."""
        return any(
            self._preferred(request, key, asked) >= 0 for key, asked in context.partitions.items()
        )

    def _is_ready(self, request: m.FetchRequest, context: FetchContext, caller: Caller) -> bool:
        """Whether to answer now: enough bytes in sum, or an error in one of the partitions."""
        if self._replicas.completion_rule is not None:
            return self._is_ready_by_rule(request, context, caller)
        total = 0
        for key, asked in context.partitions.items():
            replica, _ = self._readable(key, asked, caller)
            if (
                replica is None
                or not replica.log.log_start_offset
                <= asked.fetch_offset
                <= replica.log.log_end_offset
            ):
                return True
            total += replica.log.bytes_from(
                asked.fetch_offset,
                asked.partition_max_bytes,
                _end(replica, request.isolation_level),
            )
        most = self._quotas.window_bytes(caller.header.client_id)
        return total >= (request.min_bytes if most is None else min(request.min_bytes, most))

    def _is_ready_by_rule(
        self, request: m.FetchRequest, context: FetchContext, caller: Caller
    ) -> bool:
        """Whether a learner's rule says so. An offset outside the log is answered at once."""
        rule = self._replicas.completion_rule
        assert rule is not None, "asked only where there is a rule"
        needs, state = {}, {}
        for key, asked in context.partitions.items():
            name = place_of(self._place(key))
            needs[name] = asked.fetch_offset
            replica, _ = self._readable(key, asked, caller)
            if replica is None:
                state[name] = WatchedPartition(is_leader=False)
                continue
            log, start = replica.log, asked.fetch_offset
            if not log.log_start_offset <= start <= log.log_end_offset:
                return True
            state[name] = WatchedPartition(
                True,
                log.log_end_offset,
                log.high_watermark,
                log.bytes_from(start, asked.partition_max_bytes, log.log_end_offset),
                log.bytes_from(
                    start, asked.partition_max_bytes, _end(replica, request.isolation_level)
                ),
            )
        return may_complete(rule, WaitingRequest("FETCH", needs, request.min_bytes), state)

    def _answer(
        self, request: m.FetchRequest, context: FetchContext, caller: Caller, now_ms: int
    ) -> m.FetchResponse:
        left, got_any = request.max_bytes, False
        most = self._quotas.window_bytes(caller.header.client_id)
        if most is not None and self._profile.caps_fetches_by_quota:
            left = min(left, most)
        read: dict[FetchKey, m.FetchPartitionData] = {}
        hints = self._profile.hints_new_leader and WireChange.FETCH_HINTS_LEADER.holds_for(
            caller.header
        )
        endpoints = {}
        for key, asked in context.partitions.items():
            preferred = self._preferred(request, key, asked)
            if (
                preferred < 0
                and context.session is not None
                and self._is_quiet(context.session, key, asked, request.isolation_level, caller)
            ):
                continue
            data = self._read(
                key, asked, request.isolation_level, left, not got_any, hints, caller, preferred
            )
            if data.records:
                left -= sum(batch.size_bytes for batch in data.records)
                got_any = True
            elif data.current_leader.leader_id >= 0:
                endpoints[data.current_leader.leader_id] = self._replicas.endpoint_of(
                    data.current_leader.leader_id
                )
            read[key] = data
        if most is not None and (
            throttle_ms := self._throttle_ms(context, read, endpoints, caller, now_ms)
        ):
            session_id = 0 if context.session is None else context.session.id
            return m.FetchResponse(throttle_time_ms=throttle_ms, session_id=session_id)
        session_id, answered = self.sessions.answer(
            context, read, lambda: self._draw_session_id(caller)
        )
        return m.FetchResponse(
            session_id=session_id,
            responses=self._by_topic(answered, caller),
            node_endpoints=tuple(endpoints.values()),
        )

    def _throttle_ms(
        self,
        context: FetchContext,
        read: dict[FetchKey, m.FetchPartitionData],
        endpoints: dict[int, m.NodeEndpoint],
        caller: Caller,
        now_ms: int,
    ) -> int:
        """How long the reader of this answer has to wait, 0 within its quota. Where it has to wait,
        the answer's bytes do not count, for it gets none of them."""
        planned = m.FetchResponse(
            responses=self._by_topic(self.sessions.would_answer(context, read), caller),
            node_endpoints=tuple(endpoints.values()),
        )
        client_id, size_bytes = caller.header.client_id, fetch_response_bytes(planned)
        throttle_ms = self._quotas.throttle_ms(client_id, size_bytes, now_ms)
        if throttle_ms:
            self._quotas.take_back(client_id, size_bytes)
        return throttle_ms

    def _is_quiet(
        self,
        session: FetchSession,
        key: FetchKey,
        asked: m.FetchPartition,
        isolation_level: int,
        caller: Caller,
    ) -> bool:
        """Whether the answer can leave this partition out: it has no new record and no new value.
        Most partitions of most fetches are such, so no part of an answer is made for them."""
        replica, _ = self._readable(key, asked, caller)
        known = session.partitions.get(key)
        return (
            replica is not None
            and known is not None
            and asked.fetch_offset == _end(replica, isolation_level)
            and known.high_watermark == replica.log.high_watermark
            and known.log_start_offset == replica.log.log_start_offset
        )

    def _read(
        self,
        key: FetchKey,
        asked: m.FetchPartition,
        isolation_level: int,
        left: int,
        first: bool,
        hints: bool,
        caller: Caller,
        preferred: int,
    ) -> m.FetchPartitionData:
        """One partition's part of the answer. `left`: the bytes left in the answer; `first`: the
        answer has no records yet; `preferred`: the follower to read instead, -1 for none."""
        topic, partition = self._place(key)
        replica, error = self._readable(key, asked, caller)
        if replica is None:
            if not topic:
                error = Errors.UNKNOWN_TOPIC_ID.code
            if hints and error in LEADERSHIP_ERRORS:
                return m.FetchPartitionData(
                    partition_index=partition,
                    error_code=error,
                    current_leader=self._replicas.leader_hint(topic, partition),
                )
            return m.FetchPartitionData(partition_index=partition, error_code=error)
        log = replica.log
        if preferred >= 0:
            return m.FetchPartitionData(
                partition_index=partition,
                high_watermark=log.high_watermark,
                last_stable_offset=log.last_stable_offset,
                log_start_offset=log.log_start_offset,
                preferred_read_replica=preferred,
            )
        if not log.log_start_offset <= asked.fetch_offset <= log.log_end_offset:
            return m.FetchPartitionData(
                partition_index=partition, error_code=Errors.OFFSET_OUT_OF_RANGE.code
            )
        records: tuple[m.RecordBatch, ...] = ()
        end = _end(replica, isolation_level)
        if left > 0 and asked.fetch_offset < end:
            records = log.read(
                asked.fetch_offset, min(left, asked.partition_max_bytes), end, at_least_one=first
            )
        aborted = None
        if isolation_level:
            aborted = (
                log.aborted_between(asked.fetch_offset, records[-1].last_offset + 1)
                if records
                else ()
            )
        return m.FetchPartitionData(
            partition_index=partition,
            high_watermark=log.high_watermark,
            last_stable_offset=log.last_stable_offset,
            log_start_offset=log.log_start_offset,
            aborted_transactions=aborted,
            records=records,
        )

    def _by_topic(
        self, answered: dict[FetchKey, m.FetchPartitionData], caller: Caller
    ) -> tuple[m.FetchableTopicResponse, ...]:
        """Group neighbouring partitions by topic, with the topic's name or id as in the request."""
        by_id = WireChange.FETCH_BY_TOPIC_ID.holds_for(caller.header)
        topics: list[m.FetchableTopicResponse] = []
        group: list[m.FetchPartitionData] = []
        last: FetchKey | None = None
        for key, data in answered.items():
            if last is not None and (key.topic, key.topic_id) != (last.topic, last.topic_id):
                topics.append(self._heading(last, group, by_id))
                group = []
            group.append(data)
            last = key
        if last is not None:
            topics.append(self._heading(last, group, by_id))
        return tuple(topics)

    def _heading(
        self, key: FetchKey, group: list[m.FetchPartitionData], by_id: bool
    ) -> m.FetchableTopicResponse:
        topic = self._place(key)[0]
        if by_id:
            topic_id = key.topic_id if key.topic_id != m.ZERO_UUID else self._replicas.id_of(topic)
            return m.FetchableTopicResponse(topic_id=topic_id, partitions=tuple(group))
        return m.FetchableTopicResponse(topic=topic, partitions=tuple(group))


def _end(replica: Replica, isolation_level: int) -> int:
    """The offset up to which a consumer reads: the last stable offset for read_committed (1), else
    the high watermark."""
    return replica.log.last_stable_offset if isolation_level else replica.log.high_watermark
