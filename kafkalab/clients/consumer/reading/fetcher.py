"""Fetcher: sends one FETCH at a time to each leader (internals.Fetcher; AbstractFetch from 3.6).

A FETCH is sent to every node that leads a wanted partition and has no unanswered one. Answers go to
the FetchCollector; a partition with waiting records is not fetched again. A partition whose leader
has named a follower is fetched from there (KIP-392). Decompression is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.completed_fetch import CompletedFetch
from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.reading.fetch_collector import FetchCollector
from kafkalab.clients.consumer.reading.fetch_session import FetchSessionData, FetchSessionHandler
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared
from kafkalab.clients.consumer.reading.request_future import RequestFuture, Story, begin, task
from kafkalab.clients.consumer.reading.subscription_state import PartitionState
from kafkalab.clients.network.app_info import tell_removed
from kafkalab.clients.network.log_context import Later
from kafkalab.clients.network.metadata import ClusterView
from kafkalab.clients.network.node import Node
from kafkalab.errors import Errors, KafkaException, error_for
from kafkalab.lines import payload
from kafkalab.lines.metrics import removed_with_partition
from kafkalab.protocol.messages import FetchPartition, FetchRequest, FetchResponse
from kafkalab.records import TopicPartition

LED_BY_ANOTHER = frozenset({Errors.NOT_LEADER_OR_FOLLOWER.code, Errors.FENCED_LEADER_EPOCH.code})
"""Errors whose answer names the leader and its epoch."""


class Fetcher(ConsumerPart[ConsumerNetwork]):
    """Sends fetches and takes their answers.

    on_answer       called after each answer, also one without records
    fetched_from    connections that answered a fetch, in that order
    fetched_topics  topics they answered for
    """

    def __init__(self, shared: Shared[ConsumerNetwork], collector: FetchCollector) -> None:
        super().__init__(shared)
        client, config, profile = shared.client, shared.config, shared.profile
        self._collector = collector
        self.fetched_from: dict[str, None] = {}
        self.fetched_topics: dict[str, None] = {}
        self._assigned: list[TopicPartition] = []
        self._assigned_as_of: object = None
        self.on_answer: Callable[[], object] = lambda: None
        self._sessions: dict[int, FetchSessionHandler] = {}
        self._pending: dict[int, Node] = {}
        self._topic_id = (
            self._metadata.topic_ids.get if profile.printing.prints_ids_of_changes else None
        )
        level = config["isolation.level"]
        self._isolation = level if profile.printing.isolation_in_lower_case else level.upper()
        self._isolation_level = 1 if level == "read_committed" else 0
        self._down = client.client.states.down
        self._limits: dict[str, Any] = {
            "max_wait_ms": config["fetch.max.wait.ms"],
            "min_bytes": config["fetch.min.bytes"],
            "max_bytes": config["fetch.max.bytes"],
            "rack_id": config.get("client.rack", ""),
        }

    def send_fetches(self) -> int:
        """Sends all fetches that can be sent now; returns how many requests that was."""
        if self._assigned_as_of is not self._subscriptions.partitions:
            self._follow_assignment()
        wanted = self._wanted()
        if not wanted:
            return 0
        built = []
        for node, partitions in wanted.items():
            session = self._sessions.get(node.id)
            if session is None:
                session = self._sessions[node.id] = FetchSessionHandler(
                    self._log, node.connection, self._topic_id
                )
            built.append((node, session, session.build(partitions)))
        for node, session, fetch in built:
            begin(self._fetch(node, session, fetch))
        return len(built)

    def _follow_assignment(self) -> None:
        """The metrics of partitions that were given up leave, and a line tells of each
        (FetchMetricsManager.maybeUpdateAssignment)."""
        assigned = self._subscriptions.partitions
        name = self._profile.name
        with_lag = self._collector.with_lag
        for tp in self._assigned:
            if tp not in assigned:
                place, fetched = (tp.topic, tp.partition), tp in with_lag
                with_lag.pop(tp, None)
                tell_removed(
                    self._log, removed_with_partition(name, self._log.client_id, place, fetched)
                )
        self._assigned_as_of = assigned
        self._assigned = self._subscriptions.assigned_in_hash_order()

    def measured(self) -> dict[tuple[str, int], tuple[bool, bool]]:
        """The partitions that have metrics: whether one of their lag, and whether assigned."""
        with_lag = self._collector.with_lag
        return {
            (tp.topic, tp.partition): (tp in with_lag, tp in self._assigned)
            for tp in dict.fromkeys((*with_lag, *self._assigned))
        }

    def close(self, timer: CallTimer) -> None:
        """Tells every broker that the fetch session ends, and waits for the answers (3.6 and
        later)."""
        if not self._profile.fetching.closes_fetch_sessions:
            return
        futures = self.begin_close()
        while not timer.expired and not all(future.is_done for future in futures):
            self._client.poll(timer)
        self._collector.drop_all()

    def begin_close(self) -> list[RequestFuture]:
        """Sends the messages that end the sessions; each future is done when its broker has
        answered."""
        for session in self._sessions.values():
            session.close_next()
        ending = []
        for node_id, session in self._sessions.items():
            node = self._metadata.view.node(node_id)
            if node is None or self._client.is_unavailable(node):
                self._log("FETCH_SESSION_CLOSE_SKIPPED", target="null" if node is None else node)
            else:
                ending.append((node, session, session.build({})))
        return [task(self._close(node, session, fetch)) for node, session, fetch in ending]

    def _wanted(self) -> dict[Node, dict[TopicPartition, FetchPartition]]:
        """The partitions to fetch from each leader (prepareFetchRequests)."""
        wanted: dict[Node, dict[TopicPartition, FetchPartition]] = {}
        now_ms = self._client.clock.now_ms
        buffered, view, log = self._collector.buffered(), self._metadata.view, self._log
        spared = (
            self._hosts_of(buffered)
            if buffered and self._profile.fetching.spares_buffered_nodes
            else ()
        )
        for tp, state in self._subscriptions.fetchable():
            if buffered and tp in buffered:
                continue
            node = state.leader if state.leader_as_of is view else self._leader_of(tp, state)
            if node is not None and state.read_replica is not None:
                node = self._read_replica(tp, node, now_ms)
            if node is None:
                log(
                    "FETCH_LEADER_MISSING",
                    partition=tp,
                    position=state.valid_position.text(self._profile.fetching.position_style),
                )
                self._metadata.request_update()
            elif node.connection in self._down and self._client.is_unavailable(node):
                log("FETCH_SKIPPED_BACKOFF", partition=tp, node=node)
            elif node.id in self._pending:
                log("FETCH_SKIPPED_PENDING", partition=tp, node=node)
            elif node.id in spared:
                log("FETCH_SKIPPED_BUFFERED", partition=tp, node=node)
            else:
                position = state.valid_position
                of_node = wanted.get(node)
                if of_node is None:
                    of_node = wanted[node] = {}
                asked = state.asked
                if asked is None or state.asked_at is not position:
                    asked = self._fetch_partition(tp, state)
                of_node[tp] = asked
                log(
                    "FETCH_ADDED",
                    isolation=self._isolation,
                    partition=tp,
                    offset=position.offset,
                    node=node,
                    position=Later(position.text, self._profile.fetching.position_style),
                )
        return wanted

    def _hosts_of(self, buffered: set[TopicPartition]) -> set[int]:
        """Nodes that are read for a partition whose records wait: a fetch without that partition
        would remove it from the session (KAFKA-17182)."""
        states = (
            (tp, self._subscriptions.partitions[tp])
            for tp in buffered
            if tp in self._subscriptions.partitions
        )
        nodes = [
            self._read_replica(tp, leader, self._client.clock.now_ms)
            for tp, state in states
            if self._subscriptions.is_fetchable(tp)
            and (leader := self._leader_of(tp, state)) is not None
        ]
        return {node.id for node in nodes}

    def _read_replica(self, tp: TopicPartition, leader: Node, now_ms: int) -> Node:
        """The follower that the leader has named, while its time lasts and METADATA lists it; else
        the leader (selectReadReplica)."""
        replica = self._subscriptions.preferred_replica(tp, now_ms)
        if replica is None:
            return leader
        view = self._metadata.view
        node, partition = view.node(replica), view.partitions.get(tp)
        if node is not None and partition is not None and replica in partition.replicas:
            return node
        self._log("FETCH_REPLICA_OFFLINE", replica=replica, partition=tp)
        if self._profile.fetching.leaves_lost_replica:
            self._metadata.request_update()
        self._subscriptions.clear_preferred_replica(tp)
        return leader

    def _leader_of(self, tp: TopicPartition, state: PartitionState) -> Node | None:
        """The leader of the position; when METADATA has since named another one, that one."""
        view = self._metadata.view
        # valid until new metadata, or a new position
        state.leader_as_of, state.leader = view, self._leader_in(view, tp, state)
        return state.leader

    def _leader_in(
        self, view: ClusterView, tp: TopicPartition, state: PartitionState
    ) -> Node | None:
        leader = view.leader(tp)
        position = state.valid_position
        if leader is not None:
            position = state.position = position.led_by(leader, view.partitions[tp].epoch)
        elif not self._profile.fetching.keeps_leader_of_position:
            return None
        return position.leader

    def _fetch_partition(self, tp: TopicPartition, state: PartitionState) -> FetchPartition:
        position = state.valid_position
        epoch = (
            position.leader_epoch
            if self._profile.fetching.fetches_with_epoch and position.leader_epoch is not None
            else -1
        )
        state.asked_at = position
        asked = state.asked = FetchPartition(
            partition=tp.partition,
            current_leader_epoch=epoch,
            fetch_offset=position.offset,
            partition_max_bytes=self._config["max.partition.fetch.bytes"],
        )
        return asked

    def _fetch(self, node: Node, session: FetchSessionHandler, fetch: FetchSessionData) -> Story:
        """FETCH and its answer."""
        shown = fetch.shown
        self._log(
            "SENDING_FULL_FETCH" if shown.full else "SENDING_INCREMENTAL_FETCH",
            isolation=self._isolation,
            node=node,
            to_send=shown.to_send,
            to_forget=shown.to_forget,
            to_replace="()",
            implied=shown.implied,
            use_topic_ids="True",
        )
        self._log("FETCH_PENDING_ADDED", node=node)
        self._pending[node.id] = node
        asked = session.partitions
        try:
            sent = yield self._client.send(node, self._request(fetch))
        except KafkaException as error:
            session.handle_error(error)
            self._metadata.request_update()
            if self._profile.fetching.leaves_lost_replica:
                for tp in session.partitions:
                    self._subscriptions.clear_preferred_replica(tp)
        else:
            self.fetched_from[node.connection] = None
            self._take(session, asked, sent.message)
        self._log(
            "FETCH_PENDING_REMOVED", session_id=session.session_id, node=node, initial_session_id=0
        )
        self._pending.pop(node.id, None)
        self.on_answer()

    def _request(self, fetch: FetchSessionData) -> FetchRequest:
        return FetchRequest(
            isolation_level=self._isolation_level,
            topics=fetch.topics,
            forgotten_topics_data=fetch.forgotten,
            **self._limits,
            session_id=fetch.session["session_id"],
            session_epoch=fetch.session["session_epoch"],
        )

    def _take(
        self,
        session: FetchSessionHandler,
        asked: Mapping[TopicPartition, FetchPartition],
        message: FetchResponse,
    ) -> None:
        """asked: the partitions of the session when the fetch was sent."""
        names = self._metadata.topic_names
        answered = {
            TopicPartition(
                topic.topic or names.get(topic.topic_id, ""), partition.partition_index
            ): (t, p)
            for t, topic in enumerate(message.responses)
            for p, partition in enumerate(topic.partitions)
        }
        ended, news = session.is_ending, {}
        if not session.handle(message, list(answered)) and ended:
            return
        for tp, (t, p) in answered.items():
            if tp in self._subscriptions.partitions and tp in asked:
                self.fetched_topics[tp.topic] = None
                offset = asked[tp].fetch_offset
                self._log(
                    "FETCH_RETURNED",
                    isolation=self._isolation,
                    offset=offset,
                    partition=tp,
                    data=Later(payload.fetched_text, message, t, p, self._profile.name),
                )
                data = message.responses[t].partitions[p]
                if self._profile.connecting.learns_leaders and data.error_code in LED_BY_ANOTHER:
                    self._log(
                        "FETCH_NEW_LEADER",
                        partition=tp,
                        error=error_for(data.error_code).name,
                        leader=data.current_leader.text(),
                    )
                    if data.current_leader.leader_id >= 0 and data.current_leader.leader_epoch >= 0:
                        news[tp] = (data.current_leader.leader_id, data.current_leader.leader_epoch)
                self._collector.add(CompletedFetch(tp, offset, data, self._isolation_level == 1))
        if news:
            self._learn_leaders(news, message)

    def _learn_leaders(
        self, news: Mapping[TopicPartition, tuple[int, int]], message: FetchResponse
    ) -> None:
        """An answer that refuses a partition may name its leader (KIP-951, 3.7): then the next
        fetch need not wait for METADATA."""
        nodes = [
            self._client.client.node_of(end.node_id, end.host, end.port, end.rack)
            for end in message.node_endpoints
        ]
        for tp in self._metadata.learn_leaders(news, nodes):
            self._log("FETCH_POSITION_TO_VALIDATE", partition=tp)
            view = self._metadata.view
            self._subscriptions.follow_leader(tp, view.leader(tp), view.partitions[tp].epoch)

    def _close(self, node: Node, session: FetchSessionHandler, fetch: FetchSessionData) -> Story:
        """The FETCH that ends a session, and its answer."""
        self._log(
            "SENDING_FULL_FETCH",
            isolation=self._isolation,
            node=node,
            to_send="()",
            use_topic_ids="True",
        )
        self._log("FETCH_PENDING_ADDED", node=node)
        session_id = session.session_id
        with suppress(KafkaException):
            yield self._client.send(node, self._request(fetch))
        self._log("FETCH_PENDING_REMOVED", session_id=session_id, node=node, initial_session_id=0)
        self._log("FETCH_SESSION_CLOSED", session_id=session_id, node=node)
