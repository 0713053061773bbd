"""How does a request reach a broker? (org.apache.kafka.clients.NetworkClient)

The sans-IO heart of every client: connections by node id, ApiVersions first on each, the window of unanswered requests,
metadata before everything else, and what follows when a socket dies. One poll has two halves with the waiting in between:

    wait_until_ms = client.begin_poll(timeout_ms)   # 1 metadata, 2 telemetry, 3 write what is queued
    ... the caller waits on client.selector.signal ...
    responses = client.end_poll()                   # 4 sends, 5 answers, 6 disconnects, 7 new connections, 8 ApiVersions, 9 time-outs

Left out: authentication, throttling, the connection set-up timeout, rebootstrap (KIP-899), ApiVersions downgrade.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kafkalab.clients.connection_states import ClusterConnectionStates, ConnectionState
from kafkalab.clients.least_loaded import NodeLoad, Rule
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.metadata import Metadata
from kafkalab.clients.node import Node
from kafkalab.clients.selector import Selector
from kafkalab.clients.telemetry import TelemetryReporter
from kafkalab.errors import Errors, error_for
from kafkalab.clients.hash_order import ids_in_hash_order
from kafkalab.lines import payload
from kafkalab.lines.cluster_text import api_versions_text, features_text
from kafkalab.protocol.api_keys import ApiKeys, api_of
from kafkalab.protocol.api_versions import version_to_use
from kafkalab.protocol.header import RequestHeader
from kafkalab.protocol.wire_forms import as_sent
from kafkalab.protocol.messages import ApiVersionsRequest, GetTelemetrySubscriptionsRequest, MetadataRequest, MetadataRequestTopic
from kafkalab.sim.scheduler import Scheduler

LONG_MS = 1 << 40
COORDINATOR_IDS = 2_000_000_000
"""Ids above this belong to coordinators' sockets: 2147483647 - broker id, whatever the version prints."""


@dataclass(slots=True)
class ClientRequest:
    """One request on its way. `on_complete` is called once, with a ClientResponse, whatever becomes of it."""

    connection: str
    message: Any
    correlation_id: int
    created_ms: int
    timeout_ms: int
    on_complete: Callable[[ClientResponse], None] | None = None
    expects_response: bool = True
    header: RequestHeader | None = None
    sent_ms: int = 0
    written: bool = False
    internal: bool = False
    event_id: int | None = None


@dataclass(slots=True)
class ClientResponse:
    """What became of a request: an answer, a disconnect, or a version the broker does not have."""

    request: ClientRequest
    received_ms: int
    message: Any = None
    disconnected: bool = False
    version_mismatch: bool = False

    @property
    def latency_ms(self) -> int:
        return self.received_ms - self.request.created_ms


@dataclass
class ClientSettings:
    """What a NetworkClient needs to know of its owner, a "consumer" or a "producer"; all times in milliseconds."""

    kind: str
    client_id: str
    request_timeout_ms: int
    reconnect_backoff_ms: int
    max_in_flight: int
    allow_auto_topic_creation: bool = True
    cluster_check: bool = False


class NetworkClient:
    def __init__(self, who: str, settings: ClientSettings, profile, clock: Scheduler, selector: Selector, states: ClusterConnectionStates,
                 metadata: Metadata, telemetry: TelemetryReporter | None, log: LogContext, plain_log: LogContext, rng: random.Random,
                 least_loaded: Rule, node_of: Callable[..., Node], epoch_ms: int, first_use_ms: Mapping[str, tuple[int, int]]) -> None:
        self.who, self.settings, self.profile = who, settings, profile
        self.selector, self.states, self.metadata, self.telemetry = selector, states, metadata, telemetry
        self.nodes_by_connection: dict[str, Node] = {}
        self.api_versions: dict[str, dict[ApiKeys, int]] = {}
        self.topic_ids: dict[str, str] = {}
        self._clock, self.log, self._plain_log, self._rng, self._rule = clock, log, plain_log, rng, least_loaded
        self.node_of, self.epoch_ms = node_of, epoch_ms
        self._in_flight: dict[str, deque[ClientRequest]] = {}
        self._correlation_id = 0
        self._aborted: list[ClientResponse] = []
        self._metadata_in_flight: int | None = None
        self._no_node_until_ms = -1
        self._needs_api_versions: dict[str, None] = {}
        self._sticky_telemetry: Node | None = None
        self._sockets: dict[str, int] = {}
        self._used: set[str] = set()
        self._first_use_ms = first_use_ms
        self._journal = log.journal

    # asked by the client's other parts

    def new_request(self, connection: str, message: Any, on_complete=None, timeout_ms: int | None = None, expects_response: bool = True) -> ClientRequest:
        """A request gets its correlation id when it is made, not when it is sent: ids on the wire need not rise."""
        correlation_id = self._correlation_id
        self._correlation_id += 1
        return ClientRequest(connection, message, correlation_id, self._clock.now_ms, timeout_ms or self.settings.request_timeout_ms,
                             on_complete, expects_response)

    def ready(self, node: Node) -> bool:
        """Can a request be sent to `node` now? If not, begin to connect, should that be possible."""
        if self.is_ready(node.connection):
            return True
        if self.states.can_connect(node.connection, self._clock.now_ms):
            self._connect(node, "request")
        return False

    def is_ready(self, connection: str) -> bool:
        """Metadata first: while a refresh is due and not under way, no node is ready (NetworkClient.isReady)."""
        return not self._refresh_is_due() and self.can_send(connection)

    def can_send(self, connection: str) -> bool:
        if not self.states.is_ready(connection):
            return False
        queue = self._in_flight.get(connection)
        return not queue or (queue[-1].written and len(queue) < self.settings.max_in_flight)

    def send(self, request: ClientRequest) -> None:
        self._send(request)

    def is_unavailable(self, node: Node) -> bool:
        """The socket failed and its backoff has not passed (ConsumerNetworkClient.isUnavailable)."""
        return self.states.is_disconnected(node.connection) and self.states.is_blacked_out(node.connection, self._clock.now_ms)

    def connection_failed(self, node: Node) -> bool:
        return self.states.is_disconnected(node.connection)

    def poll_delay_ms(self, node: Node) -> int:
        delay_ms = self.states.delay_ms(node.connection, self._clock.now_ms)
        return LONG_MS if delay_ms is None else delay_ms

    def in_flight_count(self, connection: str | None = None) -> int:
        if connection is not None:
            return len(self._in_flight.get(connection, ()))
        return sum(map(len, self._in_flight.values()))

    def has_ready_nodes(self) -> bool:
        return any(self.is_ready(id) for id in self.states.nodes)

    def least_loaded_node(self) -> Node | None:
        """Any node will do: which? The rule is the version's; see least_loaded.py."""
        nodes = self.metadata.view.nodes
        if not nodes:
            return None
        start = self._rng.randrange(len(nodes))
        return self._rule([self._load(nodes[(start + i) % len(nodes)]) for i in range(len(nodes))], self.log)

    def disconnect(self, connection: str) -> list[ClientResponse]:
        """Close a socket from this side; its unanswered requests end as disconnected."""
        if self.states.is_disconnected(connection) or connection not in self.states.nodes:
            self.log("DISCONNECT_REQUESTED_TWICE", node_id=connection)
            return []
        self.log("DISCONNECT_REQUESTED", node_id=connection, requests=", ".join(r.header.api_key.name for r in self._in_flight.get(connection, ())))
        self.selector.close(connection)
        responses: list[ClientResponse] = []
        self._disconnected(connection, "self", responses)
        self._complete(responses)
        return responses

    def close(self) -> None:
        for connection in list(self.selector.channels):
            self._journal_close(connection, "close")
        self.selector.close_all()

    def request_text(self, message: Any, node: Node) -> str:
        """A request to `node` as Java prints the object, in the version it will have there."""
        version = self.profile.latest_version(api_of(message).name, self.api_versions.get(node.connection))
        return payload.object_text(message, version, self.profile.name)

    def response_text(self, response: ClientResponse) -> str:
        """ClientResponse.toString."""
        return payload.client_response_text(response.request.header, response.message, received_at_ms=self.epoch_ms + response.received_ms,
                                            latency_ms=response.latency_ms, version=self.profile.name)

    def header_text(self, request: ClientRequest) -> str:
        """A request's header as Java prints it; one that never left is shown with the newest version this client knows."""
        header = request.header
        if header is None:
            api = api_of(request.message)
            header = RequestHeader(api_key=api, api_version=self.profile.latest(api), client_id=self.settings.client_id,
                                   correlation_id=request.correlation_id)
        return payload.header_text(header, self.profile.name)

    # one poll

    def begin_poll(self, timeout_ms: int) -> int:
        if self._aborted:
            return self._clock.now_ms
        metadata_ms = self._maybe_update_metadata()
        telemetry_ms = self._maybe_update_telemetry() if self.telemetry else LONG_MS
        return self.selector.prepare(min(timeout_ms, metadata_ms, telemetry_ms, self.settings.request_timeout_ms))

    def end_poll(self) -> list[ClientResponse]:
        if self._aborted:
            responses, self._aborted = self._aborted, []
            self._complete(responses)
            return responses
        found = self.selector.collect()
        responses: list[ClientResponse] = []
        for connection, (request, _, _) in found.sent:
            request.written = True
            if not request.expects_response:
                self._in_flight[connection].remove(request)
                responses.append(ClientResponse(request, self._clock.now_ms))
        for connection, message, cause in found.received:
            self._received(connection, message, cause, responses)
        for connection, how in found.disconnected:
            self._lost(connection, how, responses)
        if found.disconnected:
            self.metadata.request_update()
        for connection in found.connected:
            self.states.checking_api_versions(connection)
            self._needs_api_versions[connection] = None
            self._journal.append("socket.connected", self.who, socket=self._sockets[connection], node_id=connection)
            self.log("CONNECTION_COMPLETED", node_id=connection)
        self._fetch_api_versions()
        self._time_out(responses)
        self._complete(responses)
        return responses

    def _complete(self, responses: list[ClientResponse]) -> None:
        for response in responses:
            if response.request.on_complete is not None:
                response.request.on_complete(response)

    # metadata

    def _refresh_is_due(self) -> bool:
        return self._metadata_in_flight is None and self.metadata.time_to_next_update(self._clock.now_ms) == 0

    def _maybe_update_metadata(self) -> int:
        now_ms = self._clock.now_ms
        wait_ms = self.metadata.time_to_next_update(now_ms)
        if self._metadata_in_flight is not None:
            wait_ms = max(wait_ms, self.settings.request_timeout_ms)
        if wait_ms > 0:
            return wait_ms
        node = self.least_loaded_node()
        if node is None:
            self.log("METADATA_GIVE_UP")
            return self.settings.reconnect_backoff_ms
        if self.can_send(node.connection):
            self._send_metadata(node)
            return self.settings.request_timeout_ms
        if self.states.any_connecting(n.connection for n in self.metadata.view.nodes):
            return self.settings.reconnect_backoff_ms
        if self.states.can_connect(node.connection, now_ms):
            self.log("CONNECT_FOR_METADATA", node=node)
            self._connect(node, "metadata")
            return self.settings.reconnect_backoff_ms
        return LONG_MS

    def _send_metadata(self, node: Node) -> None:
        topics = tuple(MetadataRequestTopic(name=topic) for topic in self.metadata.wanted_topics())
        message = MetadataRequest(topics=topics, allow_auto_topic_creation=self.settings.allow_auto_topic_creation)
        version = self.api_versions[node.connection][ApiKeys.METADATA]
        self.log("SENDING_METADATA_REQUEST", request=payload.object_text(message, version, self.profile.name), node=node)
        request = self.new_request(node.connection, message)
        request.internal = True
        self._metadata_in_flight = self.metadata.update_version
        self._send(request)

    def _metadata_answered(self, request: ClientRequest, message: Any) -> None:
        self._metadata_in_flight = None
        self.topic_ids.update((t.name, t.topic_id) for t in message.topics if t.error_code == Errors.NONE.code)
        topic_errors = {t.name: error_for(t.error_code).name for t in message.topics if t.error_code != Errors.NONE.code}
        if topic_errors:
            shown = "{" + ", ".join(f"{name}={error}" for name, error in topic_errors.items()) + "}"
            self.log("METADATA_ERRORS", correlation_id=request.correlation_id, errors=shown)
        if message.brokers:
            self.metadata.update(message, self._clock.now_ms, self.node_of)
        else:
            self.metadata.failed_update(self._clock.now_ms)

    # telemetry

    def _maybe_update_telemetry(self) -> int:
        now_ms = self._clock.now_ms
        wait_ms = self.telemetry.time_to_next_update(now_ms, self.settings.request_timeout_ms)
        if wait_ms > 0:
            return wait_ms
        if self._sticky_telemetry is None:
            self._sticky_telemetry = self.least_loaded_node()
            if self._sticky_telemetry is None:
                self.log("TELEMETRY_GIVE_UP")
                return self.settings.reconnect_backoff_ms
        node = self._sticky_telemetry
        if self.can_send(node.connection):
            self.telemetry.begin_request()
            request = self.new_request(node.connection, GetTelemetrySubscriptionsRequest())
            request.internal = True
            self._send(request)
            return self.settings.request_timeout_ms
        self._sticky_telemetry = None
        if self.states.can_connect(node.connection, now_ms):
            self.log("CONNECT_FOR_TELEMETRY", node=node)
            self._connect(node, "telemetry")
            return self.settings.reconnect_backoff_ms
        return LONG_MS

    # connections

    def _connect(self, node: Node, purpose: str) -> None:
        id = node.connection
        self.nodes_by_connection[id] = node
        event = self._journal.append("socket.opening", self.who, node_id=id, node=node.id, host=node.host, port=node.port, purpose=purpose,
                                     broker=node.broker, bootstrap=node.id < 0, coordinator=node.id > COORDINATOR_IDS, socket=None)
        self._sockets[id] = event.fields["socket"] = event.id
        self.states.connecting(id, self._clock.now_ms)
        address = f"{node.host}/127.0.0.1"
        self._plain_log("RESOLVED_HOST", host=node.host, address="127.0.0.1")
        self.log("RESOLVED_HOST_TO_ADDRESSES", host=node.host, addresses=address)
        self.log("INITIATING_CONNECTION", node=node, address=address)
        self._first_use(f"{self.settings.kind} connecting")
        with self._journal.because(event):
            self.selector.connect(id, node.host, node.port, self.who)

    def _fetch_api_versions(self) -> None:
        for connection in ids_in_hash_order(self._needs_api_versions):
            if self.selector.channels.get(connection) is None:
                continue
            self.log("FETCHING_API_VERSIONS", node_id=connection)
            request = self.new_request(connection, self._api_versions_request(connection))
            request.internal = True
            self._send(request)
        self._needs_api_versions.clear()

    def _api_versions_request(self, connection: str) -> ApiVersionsRequest:
        node = self.nodes_by_connection[connection]
        known = self.settings.cluster_check and node.id >= 0
        return ApiVersionsRequest(client_software_name="apache-kafka-java", client_software_version=self.profile.release,
                                  cluster_id=self.metadata.view.cluster_id if known else None, node_id=node.broker if known else -1)

    def _lost(self, connection: str, how: str, responses: list[ClientResponse]) -> None:
        node = self.nodes_by_connection[connection]
        self.log("IDLE_DISCONNECTED" if how == "idle" and self.profile.names_idle_closes else "NODE_DISCONNECTED", node_id=connection)
        if how == "refused":
            self.log("CONNECTION_NOT_ESTABLISHED", node_id=connection, address=f"{node.host}/127.0.0.1", port=node.port)
        self._disconnected(connection, {"refused": "failed", "broken": "peer"}.get(how, how), responses)

    def _disconnected(self, connection: str, how: str, responses: list[ClientResponse]) -> None:
        self._journal_close(connection, how)
        self.states.disconnected(connection, self._clock.now_ms)
        self.api_versions.pop(connection, None)
        self._needs_api_versions.pop(connection, None)
        for request in self._in_flight.pop(connection, ()):
            now_ms = self._clock.now_ms
            text = _Later(lambda request=request: payload.wire_text(as_sent(request.message, request.header.api_version),
                                                                    request.header.api_version, self.profile.name))
            self.log("REQUEST_CANCELLED", api=request.header.api_key.name, request=text, header=_Later(lambda: ""), correlation_id=request.correlation_id,
                      node_id=connection, elapsed_created=now_ms - request.created_ms, elapsed_sent=now_ms - request.sent_ms,
                      throttle=0, timeout_ms=request.timeout_ms)
            if request.internal:
                if request.header.api_key is ApiKeys.METADATA:
                    self._metadata_in_flight = None
                    self.metadata.failed_update(now_ms)
            else:
                responses.append(ClientResponse(request, now_ms, disconnected=True))
        node = self.nodes_by_connection[connection]
        if self.metadata.view.is_bootstrap and node.id < 0 and self.profile.warns_of_bootstrap_disconnect:
            self.log("BOOTSTRAP_DISCONNECTED", node=node)
        self.metadata.request_update()

    def _journal_close(self, connection: str, how: str) -> None:
        if connection in self._sockets:
            self._journal.append("socket.closed", self.who, socket=self._sockets.pop(connection), node_id=connection, how=how)

    # requests and answers

    def _send(self, request: ClientRequest) -> None:
        connection, api = request.connection, api_of(request.message)
        known = self.api_versions.get(connection)
        if known is None:
            version = self.profile.api_versions_version
            self.log("API_VERSIONS_ASSUMED", api=api.name, correlation_id=request.correlation_id, node_id=connection, api_version=version)
        elif api in known:
            version = known[api]
        else:
            self._refuse_locally(request, api)
            return
        self._first_use(api.name)
        request.header = RequestHeader(api_key=api, api_version=version, client_id=self.settings.client_id, correlation_id=request.correlation_id)
        message = as_sent(request.message, version)
        self.log("SENDING_REQUEST", api=api.name, header=_Later(lambda: payload.header_text(request.header, self.profile.name)),
                  request=_Later(lambda: payload.wire_text(message, version, self.profile.name)),
                  correlation_id=request.correlation_id, timeout_ms=request.timeout_ms, node_id=connection)
        event = self._journal.append("request.sent", self.who, socket=self._sockets.get(connection), api=api.name, version=version,
                                     correlation_id=request.correlation_id, node_id=connection)
        request.sent_ms, request.event_id = self._clock.now_ms, event.id
        self._in_flight.setdefault(connection, deque()).append(request)
        self.selector.send(connection, (request, request.header, message))

    def _first_use(self, what: str) -> None:
        """What a client does for the first time takes longer; the profile has the times seen in the recordings."""
        if what not in self._used:
            self._used.add(what)
            low, high = self._first_use_ms.get(what, (0, 0))
            if high:
                self.selector.work(self._rng.randint(low, high))

    def _refuse_locally(self, request: ClientRequest, api: ApiKeys) -> None:
        """The broker's ApiVersions did not offer this API: nothing goes on the wire, the correlation id is used up."""
        text = payload.object_text(request.message, 0, self.profile.name)
        self.log("VERSION_MISMATCH", request=text, correlation_id=request.correlation_id, node_id=request.connection,
                  trace=f"org.apache.kafka.common.errors.UnsupportedVersionException: The node does not support {api.name}")
        if api is ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS:
            self.telemetry.refused(self._clock.now_ms)
        else:
            self._aborted.append(ClientResponse(request, self._clock.now_ms, version_mismatch=True))

    def _received(self, connection: str, message: Any, cause: int | None, responses: list[ClientResponse]) -> None:
        request = self._in_flight[connection].popleft()
        self._journal.cause = cause
        api = request.header.api_key
        event = self._journal.append("response.received", self.who, socket=self._sockets.get(connection), api=api.name,
                                     correlation_id=request.correlation_id, node_id=connection,
                                     latency_ms=self._clock.now_ms - request.created_ms)
        self._journal.cause = event.id
        self.log("RECEIVED_RESPONSE", node_id=connection, api=api.name, correlation_id=request.correlation_id,
                  header=_Later(lambda: payload.header_text(request.header, self.profile.name)),
                  response=_Later(lambda: payload.wire_text(message, request.header.api_version, self.profile.name)))
        if api is ApiKeys.METADATA and request.internal:
            self._metadata_answered(request, message)
        elif api is ApiKeys.API_VERSIONS:
            self._api_versions_answered(connection, message)
        else:
            responses.append(ClientResponse(request, self._clock.now_ms, message))

    def _api_versions_answered(self, connection: str, message: Any) -> None:
        usable = ((api, version_to_use(self.profile.name, api, message.api_keys)) for api in ApiKeys)
        self._first_use("reading API_VERSIONS")
        self.api_versions[connection] = {api: version for api, version in usable if version is not None}
        self.states.ready(connection)
        self.log("API_VERSIONS_RECORDED", node_id=connection,
                  versions=_Later(lambda: api_versions_text(message.api_keys, self.profile.name)),
                  features=_Later(lambda: features_text(message, self.profile.name)))

    def _time_out(self, responses: list[ClientResponse]) -> None:
        now_ms = self._clock.now_ms
        for connection, queue in list(self._in_flight.items()):
            if queue and now_ms - queue[0].sent_ms > queue[0].timeout_ms:
                self.log("DISCONNECTING_REQUEST_TIMEOUT", node_id=connection)
                self.selector.close(connection)
                self._disconnected(connection, "self", responses)

    def _load(self, node: Node) -> NodeLoad:
        id, now_ms = node.connection, self._clock.now_ms
        return NodeLoad(node, self.is_ready(id), self.can_send(id), self.states.is_preparing(id), self.states.can_connect(id, now_ms),
                        self.states.is_blacked_out(id, now_ms), self.in_flight_count(id), self.states.last_attempt_ms(id))


class _Later:
    """A text that is built only if a line of this version prints it."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    def __format__(self, spec: str) -> str:
        return self._make()

    __str__ = lambda self: self._make()  # noqa: E731
