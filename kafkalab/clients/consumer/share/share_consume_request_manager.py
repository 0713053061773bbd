"""ShareConsumeRequestManager: sends share fetches and acknowledgements
(internals.ShareConsumeRequestManager).

A leader gets one request of a member at a time. Acknowledgements of commitSync, commitAsync and
close go first, in a request of their own; those of a poll travel with the next fetch.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared
from kafkalab.clients.consumer.reading.request_future import RequestFuture, Story, begin
from kafkalab.clients.consumer.share.acknowledgements import acknowledgements_text
from kafkalab.clients.consumer.share.share_fetch import (
    Said,
    ShareCompletedFetch,
    ShareInFlightBatch,
)
from kafkalab.clients.consumer.share.share_session_handler import ShareSessionHandler
from kafkalab.clients.network.log_context import Later
from kafkalab.clients.network.node import Node
from kafkalab.errors import Errors, KafkaException, error_for
from kafkalab.lines.generated_text import share_fetched_text
from kafkalab.protocol import messages as m
from kafkalab.records import TopicPartition
from kafkalab.sim.apps import FOREVER_MS, Signal

MOVED = (
    Errors.NOT_LEADER_OR_FOLLOWER,
    Errors.UNKNOWN_TOPIC_OR_PARTITION,
    Errors.UNKNOWN_TOPIC_ID,
    Errors.FENCED_LEADER_EPOCH,
    Errors.KAFKA_STORAGE_ERROR,
)
"""Errors of a partition that mean: ask for metadata."""

SESSION_LOST = (Errors.SHARE_SESSION_NOT_FOUND, Errors.INVALID_SHARE_SESSION_EPOCH)
"""Errors after which the next request opens a session."""

Results = dict[TopicPartition, BaseException | None]
"""Partition -> why its acknowledgements failed; None where they were taken."""


@dataclass(slots=True)
class Acknowledging:
    """Acknowledgements that wait for their leaders, of one call (AcknowledgeRequestState).

    left: node id -> what it has not been sent yet. open: nodes that have not answered.
    """

    left: dict[int, Said]
    closes: bool
    done: RequestFuture
    open: set[int] = field(default_factory=set)
    results: Results = field(default_factory=dict)


class ShareConsumeRequestManager(ConsumerPart[NetworkClientDelegate]):
    """The fetches and acknowledgements of one share consumer.

    completed     fetched records that no poll has taken
    buffered      set when there are some
    lock_ms       how long the brokers lock records; None before the first answer
    fetched_from  connections that answered a fetch, in that order
    settled       batches of acknowledgements, each with its error
    """

    def __init__(
        self, shared: Shared[NetworkClientDelegate], group_id: str, member_id: str
    ) -> None:
        super().__init__(shared)
        config = self._config
        self.completed: deque[ShareCompletedFetch] = deque()
        self.buffered = Signal()
        self.lock_ms: int | None = None
        self.fetched_from: dict[str, None] = {}
        self.settled: deque[tuple[TopicPartition, ShareInFlightBatch, BaseException | None]] = (
            deque()
        )
        self._group_id = group_id
        self._member_id = member_id
        self._limits = {
            "max_wait_ms": config["fetch.max.wait.ms"],
            "min_bytes": config["fetch.min.bytes"],
            "max_bytes": config["fetch.max.bytes"],
            "max_records": config["max.poll.records"],
            "batch_size": config["max.poll.records"],
            "share_acquire_mode": int(config["share.acquire.mode"].upper() == "RECORD_LIMIT"),
        }
        self._sessions: dict[int, ShareSessionHandler] = {}
        self._busy: set[int] = set()
        self._wants_more = False
        self._with_fetch: Said = {}
        self._calls: list[Acknowledging] = []

    # events of the application, handled in the background

    def fetch(self, said: Said) -> None:
        """A poll wants records; what was said before travels along (ShareFetchEvent)."""
        if not self._wants_more:
            self._log("SHARE_FETCH_MORE")
            self._wants_more = True
        for tp, batch in said.items():
            if tp in self._with_fetch:
                self._with_fetch[tp].said.update(batch.said)
                self._with_fetch[tp].records.update(batch.records)
            else:
                self._with_fetch[tp] = batch

    def acknowledge(self, said: Said, *, sync: bool = False) -> RequestFuture:
        """Sends acknowledgements in requests of their own; completes with Results."""
        call = Acknowledging({}, False, RequestFuture())
        for tp, batch in said.items():
            call.left.setdefault(batch.node_id, {})[tp] = batch
            self._log(
                "SHARE_SYNC_ACKNOWLEDGE_ADDED" if sync else "SHARE_ASYNC_ACKNOWLEDGE_ADDED",
                partition=tp,
                node_id=batch.node_id,
            )
        return self._begin(call)

    def close_sessions(self, said: Said) -> RequestFuture:
        """Sends the last acknowledgements and closes every session."""
        for tp, batch in self._with_fetch.items():
            said.setdefault(tp, batch)
        self._with_fetch, self._wants_more = {}, False
        call = Acknowledging({}, True, RequestFuture())
        for node_id, session in self._sessions.items():
            if session.is_open:
                call.left[node_id] = {tp: b for tp, b in said.items() if b.node_id == node_id}
                for tp in call.left[node_id]:
                    self._log("SHARE_CLOSING_ACKNOWLEDGE_ADDED", partition=tp, node_id=node_id)
        return self._begin(call)

    def _begin(self, call: Acknowledging) -> RequestFuture:
        if call.left:
            self._calls.append(call)
        else:
            call.done.complete(call.results)
        return call.done

    # the background thread

    def poll(self, now_ms: int) -> int:
        """Sends what can be sent now."""
        if self._calls:
            self._send_acknowledgements()
        elif self._wants_more:
            self._send_fetches()
        return FOREVER_MS

    def _send_acknowledgements(self) -> None:
        for node_id in dict.fromkeys(n for call in self._calls for n in (*call.left, *call.open)):
            if node_id in self._busy:
                self._log("SHARE_ACKNOWLEDGE_SKIPPED", node_id=node_id)
                continue
            call = next(call for call in self._calls if node_id in call.left)
            begin(self._acknowledge(call, node_id, call.left.pop(node_id)))

    def _acknowledge(self, call: Acknowledging, node_id: int, said: Said) -> Story:
        """SHARE_ACKNOWLEDGE and its answer."""
        node = self._metadata.view.node(node_id)
        session = self._sessions.get(node_id)
        if node is None or session is None or not session.is_open:
            self._settle(call, node_id, said, Errors.SHARE_SESSION_NOT_FOUND.exception())
            return
        request = session.acknowledge(said, call.closes)
        shown = ", ".join(
            f"{b.topic_id}:{tp}={acknowledgements_text(b.said)}" for tp, b in said.items()
        )
        self._log("SHARE_ACKNOWLEDGE_BUILT", acknowledgements=f"{{{shown}}}")
        call.open.add(node_id)
        self._busy.add(node_id)
        try:
            sent = yield self._client.send(node, request)
        except KafkaException as error:
            call.open.discard(node_id)
            self._busy.discard(node_id)
            self._sessions[node_id].reset()
            self._settle(call, node_id, said, error)
            return
        call.open.discard(node_id)
        self._take_results(call, node_id, said, sent.message)

    def _take_results(
        self, call: Acknowledging, node_id: int, said: Said, response: m.ShareAcknowledgeResponse
    ) -> None:
        error = error_for(response.error_code)
        self._log("SHARE_ACKNOWLEDGE_COMPLETED", node_id=node_id)
        if not call.closes:
            self._log("SHARE_ACKNOWLEDGE_ANSWERED", node_id=node_id, member_id=self._member_id)
        self.lock_ms = response.acquisition_lock_timeout_ms or self.lock_ms
        if error in SESSION_LOST:
            self._sessions[node_id].reset()
        failed = {
            (topic.topic_id, part.partition_index): error_for(part.error_code)
            for topic in response.responses
            for part in topic.partitions
        }
        for tp, batch in said.items():
            own = failed.get((batch.topic_id, tp.partition), error)
            worse = own if own is not Errors.NONE else error
            if worse in MOVED:
                self._metadata.request_update()
            raised = None if worse is Errors.NONE else worse.exception()
            self._told(call, tp, batch, raised)
        self._log("SHARE_ACKNOWLEDGE_SETTLED", node_id=node_id)
        self._busy.discard(node_id)
        if call.closes:
            self._log("SHARE_SESSION_REMOVED", node_id=node_id)
            del self._sessions[node_id]
        self._finish(call)

    def _settle(self, call: Acknowledging, node_id: int, said: Said, error: BaseException) -> None:
        for tp, batch in said.items():
            self._told(call, tp, batch, error)
        self._finish(call)

    def _told(
        self,
        call: Acknowledging,
        tp: TopicPartition,
        batch: ShareInFlightBatch,
        error: BaseException | None,
    ) -> None:
        call.results[tp] = error
        self.settled.append((tp, batch, error))

    def _finish(self, call: Acknowledging) -> None:
        if not call.left and not call.open:
            if call in self._calls:
                self._calls.remove(call)
            call.done.complete(call.results)

    def _send_fetches(self) -> None:
        wanted = self._wanted()
        built = []
        for node, partitions in wanted.items():
            session = self._sessions.get(node.id)
            if session is None:
                session = self._sessions[node.id] = ShareSessionHandler(
                    node.id, self._group_id, self._member_id, self._log
                )
            said = {tp: b for tp, b in self._with_fetch.items() if b.node_id == node.id}
            for tp in said:
                del self._with_fetch[tp]
            if not session.is_open and said:
                for tp, batch in said.items():
                    lost = Errors.SHARE_SESSION_NOT_FOUND.exception()
                    self.settled.append((tp, batch, lost))
                said = {}
            built.append((node, said, session.fetch(partitions, said, self._limits)))
        for node, said, request in built:
            begin(self._fetch(node, said, request))

    def _wanted(self) -> dict[Node, dict[TopicPartition, str]]:
        """Leader -> the partitions to fetch from it, with their topic ids."""
        metadata = self._metadata
        wanted: dict[Node, dict[TopicPartition, str]] = {}
        for tp in self._subscriptions.assigned_in_hash_order():
            node, topic_id = metadata.view.leader(tp), metadata.topic_ids.get(tp.topic)
            if node is None or topic_id is None or self._client.client.is_unavailable(node):
                metadata.request_update()
            elif node.id in self._busy:
                self._log("SHARE_PARTITION_SKIPPED", partition=tp, node_id=node.id)
            else:
                wanted.setdefault(node, {})[tp] = topic_id
                self._log("SHARE_PARTITION_ADDED", topic_id=topic_id, partition=tp, node_id=node.id)
        for node_id in self._sessions:
            if node_id in self._busy:
                self._log("SHARE_FETCH_SKIPPED", node_id=node_id)
        return wanted

    def _fetch(self, node: Node, said: Said, request: m.ShareFetchRequest) -> Story:
        """SHARE_FETCH and its answer."""
        self._log("SHARE_FETCH_BUILDING", node_id=node.id)
        self._busy.add(node.id)
        try:
            sent = yield self._client.send(node, request)
        except KafkaException as lost:
            self._sessions[node.id].reset()
            for tp, batch in said.items():
                self.settled.append((tp, batch, lost))
            self._busy.discard(node.id)
            self._metadata.request_update()
            return
        response: m.ShareFetchResponse = sent.message
        error = error_for(response.error_code)
        self._log("SHARE_FETCH_COMPLETED", node_id=node.id)
        self.fetched_from[node.connection] = None
        if error is not Errors.NONE:
            if error in SESSION_LOST:
                self._sessions[node.id].reset()
            for tp, batch in said.items():
                self.settled.append((tp, batch, error.exception()))
            self._busy.discard(node.id)
            return
        self._log("SHARE_FETCH_ANSWERED", node_id=node.id, member_id=self._member_id)
        self.lock_ms = response.acquisition_lock_timeout_ms
        self._take(node, said, response)
        self._log("SHARE_FETCH_SETTLED", node_id=node.id)
        self._busy.discard(node.id)

    def _take(self, node: Node, said: Said, response: m.ShareFetchResponse) -> None:
        metadata = self._metadata
        for at, topic in enumerate(response.responses):
            name = metadata.topic_names.get(topic.topic_id, "")
            for place, data in enumerate(topic.partitions):
                tp = TopicPartition(name, data.partition_index)
                self._log(
                    "SHARE_FETCH_RETURNED",
                    topic_id=topic.topic_id,
                    partition=tp,
                    data=Later(share_fetched_text, response, at, place, self._log.version),
                )
                if tp in said:
                    refused = error_for(data.acknowledge_error_code)
                    raised = None if refused is Errors.NONE else refused.exception()
                    self.settled.append((tp, said[tp], raised))
                if error_for(data.error_code) in MOVED:
                    metadata.request_update()
                elif name:
                    if data.acquired_records:
                        self._wants_more = False
                    self.completed.append(ShareCompletedFetch(node.id, tp, topic.topic_id, data))
        if self.completed:
            self.buffered.set()
