"""How do records come? One long poll at a time to each leader (internals.Fetcher; AbstractFetch and FetchCollector from 3.6).

A FETCH leaves for every node that leads a wanted partition and owes no answer. Answers wait here until the application polls;
a partition with waiting records is not fetched again. Decompression, aborted transactions and rack-aware reads are left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from kafkalab.clients.consumer.consumer_network_client import ConsumerNetworkClient, Timer
from kafkalab.clients.consumer.fetch_session import FetchSessionHandler
from kafkalab.clients.consumer.request_future import RequestFuture
from kafkalab.clients.consumer.subscription_state import FetchPosition, FetchState, SubscriptionState
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.node import Node
from kafkalab.errors import ConsumerOffsetOutOfRangeException, Errors, error_for
from kafkalab.lines import payload
from kafkalab.protocol.messages import FetchPartition, FetchRequest
from kafkalab.records import ConsumerRecord, TopicPartition


@dataclass(slots=True)
class CompletedFetch:
    """What one partition gave in one answer, until the application has taken it."""

    partition: TopicPartition
    fetch_offset: int
    data: object
    records: deque[ConsumerRecord]
    next_offset: int
    initialized: bool = False
    event_id: int | None = None


class Fetcher:
    def __init__(self, who: str, client: ConsumerNetworkClient, subscriptions: SubscriptionState, config: Mapping, profile, log: LogContext) -> None:
        self._who, self._client, self._subscriptions, self._config, self._profile, self._log = who, client, subscriptions, config, profile, log
        self._sessions: dict[int, FetchSessionHandler] = {}
        self._pending: dict[int, Node] = {}
        self._completed: deque[CompletedFetch] = deque()
        self._next_in_line: CompletedFetch | None = None
        level = config["isolation.level"]
        self._isolation = level if profile.isolation_in_lower_case else level.upper()
        self._isolation_level = 1 if level == "read_committed" else 0

    def has_available(self) -> bool:
        return any(tp_fetch.partition in self._subscriptions.partitions and self._subscriptions.is_fetchable(tp_fetch.partition)
                   for tp_fetch in self._completed)

    def drop_unassigned(self) -> None:
        self._completed = deque(c for c in self._completed if c.partition in self._subscriptions.partitions)

    def send_fetches(self) -> int:
        """Send what can be sent now; how many requests that was."""
        wanted: dict[Node, dict[TopicPartition, FetchPartition]] = {}
        buffered = {c.partition for c in self._completed}
        for tp in self._subscriptions.fetchable():
            if tp in buffered:
                continue
            position = self._subscriptions.partitions[tp].position
            node = self._leader_of(tp, position)
            if node is None:
                self._log("FETCH_LEADER_MISSING", partition=tp, position=position.text(self._profile.position_style))
                self._client.client.metadata.request_update()
            elif self._client.is_unavailable(node):
                self._log("FETCH_SKIPPED_BACKOFF", partition=tp, node=node)
            elif node.id in self._pending:
                self._log("FETCH_SKIPPED_PENDING", partition=tp, node=node)
            else:
                epoch = position.leader_epoch if self._profile.fetches_with_epoch and position.leader_epoch is not None else -1
                wanted.setdefault(node, {})[tp] = FetchPartition(
                    partition=tp.partition, current_leader_epoch=epoch, fetch_offset=position.offset,
                    partition_max_bytes=self._config["max.partition.fetch.bytes"])
                self._log("FETCH_ADDED", isolation=self._isolation, partition=tp, offset=position.offset,
                          position=position.text(self._profile.position_style), node=node)
        built = []
        for node, partitions in wanted.items():
            session = self._sessions.setdefault(node.id, FetchSessionHandler(self._log, node.connection))
            built.append((node, session, partitions, session.build(partitions)))
        for node, session, partitions, (fields, topics, forgotten, text) in built:
            self._send(node, session, partitions, fields, topics, forgotten, text)
        return len(built)

    def _leader_of(self, tp: TopicPartition, position: FetchPosition) -> Node | None:
        """The leader the position was made with; when METADATA has since named another one, that one."""
        leader = self._client.client.metadata.view.leader(tp)
        if leader is not None:
            position.leader = leader
            position.leader_epoch = self._client.client.metadata.view.partitions[tp].epoch
        return position.leader if self._profile.keeps_leader_of_position or leader is not None else None

    def _send(self, node: Node, session: FetchSessionHandler, partitions, fields, topics, forgotten, text) -> RequestFuture:
        config = self._config
        request = FetchRequest(max_wait_ms=config["fetch.max.wait.ms"], min_bytes=config["fetch.min.bytes"], max_bytes=config["fetch.max.bytes"],
                               isolation_level=self._isolation_level, topics=topics, forgotten_topics_data=forgotten,
                               rack_id=config.get("client.rack", ""), **fields)
        name = "SENDING_FULL_FETCH" if text["full"] else "SENDING_INCREMENTAL_FETCH"
        self._log(name, isolation=self._isolation, node=node, to_send=text["to_send"], to_forget=text.get("to_forget", "()"), to_replace="()",
                  implied=text.get("implied", "()"), use_topic_ids="True")
        self._log("FETCH_PENDING_ADDED", node=node)
        self._pending[node.id] = node
        offsets = {tp: p.fetch_offset for tp, p in session.partitions.items()}
        future = self._client.send(node, request)
        future.on_done(lambda sent: self._answered(node, session, offsets, sent))
        return future

    def _answered(self, node: Node, session: FetchSessionHandler, offsets: Mapping[TopicPartition, int], sent: RequestFuture) -> None:
        if sent.failed:
            session.handle_error(sent.error)
            self._client.client.metadata.request_update()
            self._forget_pending(node, session)
            return
        message = sent.value.message
        answered: dict[TopicPartition, tuple[int, int]] = {}
        names = self._client.client.metadata.topic_names
        for t, topic in enumerate(message.responses):
            for p, partition in enumerate(topic.partitions):
                answered[TopicPartition(topic.topic or names.get(topic.topic_id, ""), partition.partition_index)] = (t, p)
        ended = session.epoch == -1
        if session.handle(message, list(answered)) or not ended:
            for tp, (t, p) in answered.items():
                if tp in self._subscriptions.partitions and tp in offsets:
                    self._log("FETCH_RETURNED", isolation=self._isolation, offset=offsets[tp], partition=tp,
                              data=payload.fetched_text(message, t, p, self._profile.name))
                    self._buffer(tp, offsets[tp], message.responses[t].partitions[p])
        self._forget_pending(node, session)

    def _buffer(self, tp: TopicPartition, fetch_offset: int, data) -> None:
        records = deque()
        next_offset = fetch_offset
        for batch in data.records:
            for index, record in enumerate(batch.records):
                offset = batch.base_offset + index
                next_offset = offset + 1
                if offset >= fetch_offset:
                    records.append(ConsumerRecord(tp.topic, tp.partition, offset, record.timestamp_ms, record.key, record.value))
        self._completed.append(CompletedFetch(tp, fetch_offset, data, records, next_offset, event_id=self._log.journal.cause))

    def _forget_pending(self, node: Node, session: FetchSessionHandler) -> None:
        self._log("FETCH_PENDING_REMOVED", session_id=session.session_id, node=node, initial_session_id=0)
        self._pending.pop(node.id, None)

    def collect(self, max_records: int) -> list[ConsumerRecord]:
        """Records for the application, at most max.poll.records; positions move past what is handed out."""
        taken: list[ConsumerRecord] = []
        kept: deque[CompletedFetch] = deque()
        while self._completed and len(taken) < max_records:
            fetch = self._next_in_line = self._completed.popleft()
            tp = fetch.partition
            state = self._subscriptions.partitions.get(tp)
            if state is None:
                continue
            if not self._subscriptions.is_fetchable(tp):
                if state.paused and self._profile.keeps_paused_data:
                    kept.append(fetch)
                continue
            if not fetch.initialized and not self._initialize(fetch, state):
                continue
            taken += self._take(fetch, state, max_records - len(taken))
            if fetch.records:
                self._completed.appendleft(fetch)
        self._completed.extendleft(reversed(kept))
        return taken

    def _initialize(self, fetch: CompletedFetch, state) -> bool:
        tp, data = fetch.partition, fetch.data
        fetch.initialized = True
        error = error_for(data.error_code)
        if state.position.offset != fetch.fetch_offset:
            self._log("FETCH_STALE", partition=tp, offset=fetch.fetch_offset, position=state.position.text(self._profile.position_style))
            return False
        if error is Errors.NONE:
            size = sum(batch.size_bytes for batch in data.records)
            self._log("FETCH_PREPARING", size=size, partition=tp, position=state.position.text(self._profile.position_style), offset=state.position.offset)
            state.high_watermark, state.log_start_offset, state.last_stable_offset = data.high_watermark, data.log_start_offset, data.last_stable_offset
            self._log("FETCH_HIGH_WATERMARK", partition=tp, offset=data.high_watermark)
            self._log("FETCH_LOG_START", partition=tp, offset=data.log_start_offset)
            self._log("FETCH_LAST_STABLE", partition=tp, offset=data.last_stable_offset)
            self._move_to_end(tp)
            return True
        if error in (Errors.NOT_LEADER_OR_FOLLOWER, Errors.FENCED_LEADER_EPOCH, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.KAFKA_STORAGE_ERROR):
            self._log("FETCH_ERROR_REFRESH", partition=tp, error=error.name)
            self._client.client.metadata.request_update()
        elif error is Errors.OFFSET_OUT_OF_RANGE:
            if self._subscriptions.default_reset == "none":
                raise ConsumerOffsetOutOfRangeException(self._profile.out_of_range_text(tp, state.position))
            self._log("FETCH_OUT_OF_RANGE", partition=tp, offset=fetch.fetch_offset, position=state.position.text(self._profile.position_style))
            self._subscriptions.request_reset(tp)
        return False

    def _take(self, fetch: CompletedFetch, state, limit: int) -> list[ConsumerRecord]:
        taken = [fetch.records.popleft() for _ in range(min(limit, len(fetch.records)))]
        before = state.position
        offset = taken[-1].offset + 1 if taken else before.offset
        after = FetchPosition(offset, state.position.leader_epoch if taken else before.offset_epoch, before.leader, before.leader_epoch)
        if taken or self._profile.mentions_empty_fetches:
            self._log("FETCH_RETURNING", count=len(taken), position=before.text(self._profile.position_style), partition=fetch.partition, offset=before.offset,
                      new_offset=offset, new_position=after.text(self._profile.position_style))
        if taken:
            self._log("POSITION_UPDATED", position_before=before.text(self._profile.position_style), position=after.text(self._profile.position_style),
                      partition=fetch.partition, count=len(taken))
            state.position = after
            for record in taken:
                self._log.journal.append("record.delivered", self._who, partition=str(fetch.partition), offset=record.offset, key=record.key)
        if not fetch.records:
            self._move_to_end(fetch.partition) if fetch.data.records else None
        return taken

    def _move_to_end(self, tp: TopicPartition) -> None:
        """Fair turns: a partition just served goes to the end of the line (PartitionStates.moveToEnd)."""
        if self._profile.rotates_partitions:
            self._subscriptions.partitions[tp] = self._subscriptions.partitions.pop(tp)

    def close(self, timer: Timer) -> None:
        """Tell every broker that the fetch session ends, and wait for the answers (3.6 and later)."""
        if not self._profile.closes_fetch_sessions:
            return
        view = self._client.client.metadata.view
        ending = []
        for node_id, session in self._sessions.items():
            session.close_next()
        for node_id, session in self._sessions.items():
            node = view.node(node_id)
            if node is None or self._client.is_unavailable(node):
                self._log("FETCH_SESSION_CLOSE_SKIPPED", node=node_id)
                continue
            fields, topics, forgotten, text = session.build({})
            ending.append((node, session, fields, topics, forgotten, text))
        futures = []
        for node, session, fields, topics, forgotten, text in ending:
            future = self._send_close(node, session, fields, topics, forgotten, text)
            futures.append(future)
        while not timer.expired and not all(f.is_done for f in futures):
            self._client.poll(timer)
        self._drop_buffered()

    def _drop_buffered(self) -> None:
        """The fetch in hand is dropped at close, even one that the application has taken whole."""
        for fetch in ([self._next_in_line] if self._next_in_line else []) + list(self._completed):
            self._log("FETCH_BUFFER_RETAINED", partition=fetch.partition, partitions="[]")
        self._completed.clear()

    def _send_close(self, node, session, fields, topics, forgotten, text) -> RequestFuture:
        config = self._config
        request = FetchRequest(max_wait_ms=config["fetch.max.wait.ms"], min_bytes=config["fetch.min.bytes"], max_bytes=config["fetch.max.bytes"],
                               isolation_level=self._isolation_level, topics=topics, forgotten_topics_data=forgotten, **fields)
        self._log("SENDING_FULL_FETCH", isolation=self._isolation, node=node, to_send="()", use_topic_ids="True")
        self._log("FETCH_PENDING_ADDED", node=node)
        session_id = session.session_id
        future = self._client.send(node, request)

        def answered(sent: RequestFuture) -> None:
            self._log("FETCH_PENDING_REMOVED", session_id=session_id, node=node, initial_session_id=0)
            self._log("FETCH_SESSION_CLOSED", session_id=session_id, node=node)

        future.on_done(answered)
        return future

