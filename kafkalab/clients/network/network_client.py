"""NetworkClient: sends requests to brokers and hands back their answers
(org.apache.kafka.clients.NetworkClient).

It is the sans-IO core of every client. It keeps connections by node id, sends ApiVersions first on
each, limits the unanswered requests, asks for metadata before everything else, and handles the loss
of a socket. One poll has two halves with the waiting in between:

    wait_until_ms = client.begin_poll(timeout_ms)   # 1 metadata, 2 telemetry, 3 write what is
                                                    queued
    ... the caller waits on client.selector.signal ...
    responses = client.end_poll()                   # 4 sends, 5 answers, 6 disconnects, 7 new
                                                    connections, 8 ApiVersions, 9 time-outs of
                                                    set-ups and requests

Left out: authentication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kafkalab.clients.network.api_versions_exchange import ApiVersionsExchange
from kafkalab.clients.network.app_info import tell_removed
from kafkalab.clients.network.client_settings import network_settings
from kafkalab.clients.network.client_setup import ClientSetup
from kafkalab.clients.network.connection_states import ClusterConnectionStates
from kafkalab.clients.network.idle_expiry import Closer
from kafkalab.clients.network.in_flight_requests import InFlightRequests
from kafkalab.clients.network.least_loaded import LONG_MS, RULES, NodeLoad, Rule
from kafkalab.clients.network.log_context import Later, LogContext
from kafkalab.clients.network.metadata import Metadata
from kafkalab.clients.network.metadata_updater import DefaultMetadataUpdater
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.node_maker import bootstrap_nodes, node_maker
from kafkalab.clients.network.requests import ClientRequest, ClientResponse
from kafkalab.clients.network.selector import PASS_MS, WORKING_PASS_MS, Selector
from kafkalab.clients.network.socket_events import SocketEvents
from kafkalab.clients.network.telemetry import TelemetryReporter
from kafkalab.clients.network.telemetry_sender import TelemetrySender
from kafkalab.lines import payload
from kafkalab.protocol.api_keys import ApiKeys, api_of
from kafkalab.protocol.header import RequestHeader
from kafkalab.protocol.wire_forms import as_sent

CLOSED_BECAUSE = {"refused": "failed", "broken": "peer", "idle": "idle"}
"""The selector's name for a lost connection -> the journal's."""


class NetworkClient:
    """One client's connections.

    wanted_topics  returns the topics that METADATA is to ask for
    auto_create    whether asking may create a topic (allow.auto.create.topics)
    topic_ids      offsets are requested by topic id
    least_loaded   a rule in place of the version's
    idle_closer    a rule in place of the Selector's own

    telemetry     the reporter of KIP-714, None where the version or the config has none
    api_versions  what each connection speaks
    epoch_ms      what the clock of the lines shows at virtual time 0
    """

    def __init__(
        self,
        setup: ClientSetup,
        log: LogContext,
        wanted_topics: Callable[[], Iterable[str]],
        max_in_flight: int,
        auto_create: bool = True,
        topic_ids: bool = False,
        least_loaded: Rule | None = None,
        idle_closer: Closer | None = None,
    ) -> None:
        lab, config, profile = setup.lab, setup.config, setup.profile
        self.who, self.profile, self.log = setup.name, profile, log
        self.clock, self.epoch_ms = lab.clock, lab.epoch_ms
        self.settings = network_settings(setup, max_in_flight, auto_create, topic_ids)
        self.node_of = node_maker(profile)
        self.selector = Selector(
            lab.clock,
            lab.network,
            log,
            setup.stream("pass"),
            config["connections.max.idle.ms"],
            (config["receive.buffer.bytes"], config["send.buffer.bytes"]),
            PASS_MS[setup.kind] if lab.clock.work is None else WORKING_PASS_MS,
            idle_closer,
        )
        self.states = ClusterConnectionStates(
            config,
            profile.connecting.jitter_inside_cap,
            setup.stream("backoff"),
            setup.stream("connection set-up"),
            lab.journal,
            setup.name,
        )
        self.metadata = Metadata(config, profile, log, setup.stream("metadata"), wanted_topics)
        self._plain_log = setup.plain_log()
        self.telemetry: TelemetryReporter | None = None
        refused_ms = profile.connecting.telemetry_after_refusal_ms
        if refused_ms is not None and config.get("enable.metrics.push", False):
            self.telemetry = TelemetryReporter(self._plain_log, refused_ms, lab.epoch_ms)
        self.api_versions = ApiVersionsExchange(self)
        self._rng = setup.stream("least loaded")
        self._rule = least_loaded or RULES[profile.connecting.least_loaded]
        self._journal = lab.journal
        self._in_flight = InFlightRequests(max_in_flight)
        self._metadata_updater = DefaultMetadataUpdater(self, self.metadata)
        self._telemetry_sender = TelemetrySender(self, self.telemetry) if self.telemetry else None
        self._sockets = SocketEvents(lab.journal, setup.name)
        self._nodes: dict[str, Node] = {}
        self._correlation_id = 0
        self._aborted: list[ClientResponse] = []
        self._used: set[str] = set()
        self._is_cold = bool(self.settings.first_use_ms)
        self._first_write_ahead = "writing" in self.settings.first_use_ms

    def bootstrap(self, servers: Iterable[str]) -> None:
        """Begins with these addresses (bootstrap.servers); before, no node is known."""
        self.metadata.bootstrap(bootstrap_nodes(servers, self.node_of), self.clock.now_ms)

    # asked by the client's other parts

    def new_request(
        self,
        connection: str,
        message: Any,
        on_complete: Callable[[ClientResponse], object] | None = None,
        timeout_ms: int | None = None,
        expects_response: bool = True,
        internal: bool = False,
    ) -> ClientRequest:
        """A request gets its correlation id when it is made, not when it is sent: ids on the wire
        need not rise."""
        correlation_id = self._correlation_id
        self._correlation_id += 1
        return ClientRequest(
            connection,
            message,
            correlation_id,
            self.clock.now_ms,
            timeout_ms or self.settings.request_timeout_ms,
            on_complete,
            expects_response,
            internal,
        )

    def ready(self, node: Node) -> bool:
        """Whether a request can be sent to `node` now. If not, a connection is begun, should that
        be possible."""
        if self.is_ready(node.connection):
            return True
        if self.states.can_connect(node.connection, self.clock.now_ms):
            self.connect(node, "request")
        return False

    def is_ready(self, connection: str) -> bool:
        """Metadata comes first: while a refresh is due and not under way, no node is ready
        (NetworkClient.isReady)."""
        return self.can_send(connection) and not self._metadata_updater.is_due(self.clock.now_ms)

    def can_send(self, connection: str) -> bool:
        states = self.states
        if states.throttled_until_ms and states.throttle_delay_ms(connection, self.clock.now_ms):
            return False
        return states.is_ready(connection) and self._in_flight.can_send_more(connection)

    def is_unavailable(self, node: Node) -> bool:
        """Whether the socket failed and its backoff has not passed
        (ConsumerNetworkClient.isUnavailable)."""
        return self.states.is_blacked_out(node.connection, self.clock.now_ms)

    def connection_failed(self, node: Node) -> bool:
        return self.states.is_disconnected(node.connection)

    def poll_delay_ms(self, node: Node) -> int:
        """How long a poll may wait before this node's state can have changed by time alone."""
        throttle_ms = self.states.throttle_delay_ms(node.connection, self.clock.now_ms)
        if throttle_ms:
            return throttle_ms
        delay_ms = self.states.delay_ms(node.connection, self.clock.now_ms)
        return LONG_MS if delay_ms is None else delay_ms

    def in_flight_count(self, connection: str | None = None) -> int:
        return self._in_flight.count(connection)

    def has_ready_nodes(self) -> bool:
        return any(self.is_ready(id) for id in self.states.nodes)

    def least_loaded_node(self) -> Node | None:
        """The node for a request that any node can answer. The rule is the version's; see
        least_loaded.py."""
        nodes = self.metadata.view.nodes
        if not nodes:
            return None
        start = self._rng.randrange(len(nodes))
        return self._rule(
            [self._load(nodes[(start + i) % len(nodes)]) for i in range(len(nodes))], self.log
        )

    def disconnect(self, connection: str) -> list[ClientResponse]:
        """Closes a socket from this side; its unanswered requests end as disconnected. No new
        metadata is requested: nothing has failed."""
        if self.states.is_disconnected(connection) or connection not in self.states.nodes:
            self.log("DISCONNECT_REQUESTED_TWICE", node_id=connection)
            return []
        self.log(
            "DISCONNECT_REQUESTED",
            node_id=connection,
            requests=", ".join(r.sent_header.api_key.name for r in self._in_flight.of(connection)),
        )
        self.selector.close(connection)
        responses: list[ClientResponse] = []
        self._sockets.closed(connection, "self")
        for request in self._in_flight.clear(connection):
            self._cancel(
                request,
                self.clock.now_ms,
                responses,
                timed_out=False,
                is_told=self.profile.connecting.tells_cancelled_by_itself,
            )
        self.states.disconnected(connection, self.clock.now_ms)
        self.api_versions.disconnected(connection)
        _complete(responses)
        return responses

    def close(self, removed: Iterable[str] = ()) -> None:
        """Closes all sockets. `removed` are the texts of the metrics that leave with them. The
        telemetry sender ends last, as in NetworkClient.close."""
        for connection in list(self.selector.channels):
            self._sockets.closed(connection, "close")
        self.selector.close_all()
        tell_removed(self.log, removed)
        if self.telemetry:
            self.telemetry.close_sender()

    def tried_connections(self) -> list[str]:
        """The ids of all connections that were ever tried, in that order."""
        return list(self._nodes)

    def node_tried(self, connection: str) -> Node:
        """The node to which this id last connected."""
        return self._nodes[connection]

    # texts

    def request_text(self, message: Any, node: Node) -> Later:
        """A request to `node` as Java prints the object, in the version it will have there."""
        version = self.profile.latest_version(
            api_of(message).name, self.api_versions.known.get(node.connection)
        )
        return Later(payload.object_text, message, version, self.profile.name)

    def response_text(self, response: ClientResponse) -> str:
        """ClientResponse.toString."""
        return payload.client_response_text(
            response.request.sent_header,
            response.message,
            received_at_ms=self.epoch_ms + response.received_ms,
            latency_ms=response.latency_ms,
            version=self.profile.name,
        )

    def header_text(self, request: ClientRequest) -> str:
        """A request's header as Java prints it. A request that was never sent is shown with the
        newest version this client knows."""
        header = request.header
        if header is None:
            api = api_of(request.message)
            header = RequestHeader(
                api_key=api,
                api_version=self.profile.latest(api),
                client_id=self.settings.client_id,
                correlation_id=request.correlation_id,
            )
        return payload.header_text(header, self.profile.name)

    # one poll

    def begin_poll(self, timeout_ms: int) -> int:
        """The first half; returns until when (virtual time, ms) the caller may wait on the
        selector's signal."""
        now_ms = self.clock.now_ms
        if self._aborted:
            return now_ms
        metadata_ms = self._metadata_updater.maybe_update(now_ms)
        if metadata_ms < timeout_ms:
            timeout_ms = metadata_ms
        if self._telemetry_sender is not None:
            telemetry_ms = self._telemetry_sender.maybe_update(now_ms)
            if telemetry_ms < timeout_ms:
                timeout_ms = telemetry_ms
        if self._first_write_ahead and self.selector.has_something_to_write:
            self._first_write_ahead = False
            # Connections that began in this pass are under way at the same time.
            self._take_time_for("writing")
        most_ms = self.settings.request_timeout_ms
        until_ms = self.selector.prepare(timeout_ms if timeout_ms < most_ms else most_ms)
        return until_ms + 1 if until_ms > now_ms and self._is_a_limit(until_ms) else until_ms

    def _is_a_limit(self, at_ms: int) -> bool:
        """Whether something times out when the clock has passed `at_ms`.

        Java compares with `>`, and its clock always has passed the limit at which a select ends.
        Virtual time is equal to the limit. So a sleep that would end at the limit lasts one
        millisecond more.
        """
        return (
            self._in_flight.ends_at(at_ms)
            or self.selector.idle_limit_is(at_ms)
            or self.states.setup_ends_at(at_ms)
            or self._metadata_updater.rebootstrap_limit_is(at_ms)
        )

    def end_poll(self) -> list[ClientResponse]:
        """The second half: takes what arrived from the network, and calls each ended request's
        `on_complete`."""
        responses: list[ClientResponse] = []
        if self._aborted:
            responses, self._aborted = self._aborted, []
        else:
            self._take_news(responses)
        if responses:
            _complete(responses)
        return responses

    def _take_news(self, responses: list[ClientResponse]) -> None:
        found = self.selector.collect()
        now_ms = self.clock.now_ms
        for _, (request, _, _) in found.sent:
            request.written = True
            if not request.expects_response:
                self._in_flight.complete_sent(request)
                responses.append(ClientResponse(request, now_ms))
        for connection, answer, cause in found.received:
            self._received(connection, answer, cause, responses)
        for connection, how in found.disconnected:
            self._lost(connection, how, responses)
        for connection in found.connected:
            self.states.checking_api_versions(connection)
            self.api_versions.due(connection, self._sockets.connected(connection))
            self.log("CONNECTION_COMPLETED", node_id=connection)
        if self.api_versions.to_ask:
            self.api_versions.ask()
        for connection in self.states.stuck(now_ms):
            self.log(
                "DISCONNECTING_SETUP_TIMEOUT",
                node_id=connection,
                timeout_ms=self.states.setup_timeout_ms(connection),
            )
            self.selector.close(connection)
            self._disconnected(connection, "self", responses)
        for connection in self._in_flight.timed_out(now_ms):
            self.log("DISCONNECTING_REQUEST_TIMEOUT", node_id=connection)
            self.selector.close(connection)
            self._disconnected(connection, "self", responses, timed_out=True)

        if self._metadata_updater.needs_rebootstrap(now_ms):
            self._rebootstrap(now_ms, responses)

    def _rebootstrap(self, now_ms: int, responses: list[ClientResponse]) -> None:
        """Forgets all that is known, and asks the bootstrap addresses (handleRebootstrap)."""
        for node in self.metadata.view.nodes:
            if self.states.is_ready(node.connection) or self.states.is_preparing(node.connection):
                self.log("DISCONNECTING_FOR_REBOOTSTRAP", node_id=node.connection)
                self.selector.close(node.connection)
                self._disconnected(node.connection, "self", responses)
        self._metadata_updater.rebootstrap(now_ms)

    # connections

    def connect(self, node: Node, purpose: str) -> None:
        """Begins to connect. purpose: "metadata", "telemetry" or "request"."""
        id = node.connection
        self._nodes[id] = node
        event = self._sockets.opening(node, purpose)
        self.states.connecting(id, self.clock.now_ms)
        address = f"{node.host}/127.0.0.1"
        self._plain_log("RESOLVED_HOST", host=node.host, address="127.0.0.1")
        self.log("RESOLVED_HOST_TO_ADDRESSES", host=node.host, addresses=address)
        self.log("INITIATING_CONNECTION", node=node, address=address)
        self._take_time_for(f"{self.settings.kind} connecting")
        with self._journal.because(event):
            self.selector.connect(id, node.host, node.port, self.who)

    def _lost(self, connection: str, how: str, responses: list[ClientResponse]) -> None:
        """The selector found a connection lost: refused, broken, or closed by this side because it
        was idle."""
        node = self._nodes[connection]
        self.log(
            "IDLE_DISCONNECTED"
            if how == "idle" and self.profile.connecting.names_idle_closes
            else "NODE_DISCONNECTED",
            node_id=connection,
        )
        if how == "refused":
            self.log(
                "CONNECTION_NOT_ESTABLISHED",
                node_id=connection,
                address=f"{node.host}/127.0.0.1",
                port=node.port,
            )
        self._disconnected(connection, CLOSED_BECAUSE[how], responses)

    def _disconnected(
        self, connection: str, how: str, responses: list[ClientResponse], timed_out: bool = False
    ) -> None:
        """Handles a closed connection, whichever side closed it: backoff, cancelled requests, new
        metadata."""
        now_ms = self.clock.now_ms
        self._sockets.closed(connection, how)
        self.states.disconnected(connection, now_ms)
        self.api_versions.disconnected(connection)
        for request in self._in_flight.clear(connection):
            self._cancel(request, now_ms, responses, timed_out)
        node = self._nodes[connection]
        if (
            self.metadata.view.is_bootstrap
            and node.is_bootstrap
            and self.profile.connecting.warns_of_bootstrap_disconnect
        ):
            self.log("BOOTSTRAP_DISCONNECTED", node=node)
        self.metadata.request_update()

    def _cancel(
        self,
        request: ClientRequest,
        now_ms: int,
        responses: list[ClientResponse],
        timed_out: bool,
        is_told: bool = True,
    ) -> None:
        header = request.sent_header
        if is_told:
            self.log(
                "REQUEST_CANCELLED",
                header=header,
                request=as_sent(request.message, header.api_version),
                node_id=request.connection,
                elapsed_created=now_ms - request.created_ms,
                elapsed_sent=now_ms - request.sent_ms,
                throttle=0,
                timeout_ms=request.timeout_ms,
            )
        if not request.internal:
            responses.append(
                ClientResponse(request, now_ms, disconnected=True, timed_out=timed_out)
            )
        elif header.api_key is ApiKeys.METADATA:
            self._metadata_updater.disconnected(now_ms)

    # requests and answers

    def send(self, request: ClientRequest) -> None:
        """Queues a request for the next write; its API version is the newest that both sides
        know."""
        connection, api = request.connection, api_of(request.message)
        known = self.api_versions.known.get(connection)
        if known is None:
            version = self.api_versions.version_to_ask(connection)
            self.log(
                "API_VERSIONS_ASSUMED",
                api=api.title,
                correlation_id=request.correlation_id,
                node_id=connection,
                api_version=version,
            )
        elif api in known:
            version = known[api]
        else:
            self._refuse_locally(request, api)
            return
        if self._is_cold:
            self._take_time_for(api.title)
        header = request.header = RequestHeader(
            api, version, self.settings.client_id, request.correlation_id
        )
        message = as_sent(request.message, version)
        self.log(
            "SENDING_REQUEST",
            header=header,
            request=message,
            timeout_ms=request.timeout_ms,
            node_id=connection,
        )
        request.event_id = self._journal.note(
            "request.sent",
            self.who,
            socket=self._sockets.of(connection),
            api=api.title,
            version=version,
            correlation_id=request.correlation_id,
            node_id=connection,
            expects_response=request.expects_response,
        )
        request.sent_ms = self.clock.now_ms
        self._in_flight.add(request)
        self.selector.send(connection, (request, header, message), request.event_id)

    def _refuse_locally(self, request: ClientRequest, api: ApiKeys) -> None:
        """The broker's ApiVersions did not offer this API: nothing is sent, but the correlation id
        is used."""
        text = payload.object_text(request.message, 0, self.profile.name)
        self.log(
            "VERSION_MISMATCH",
            request=text,
            correlation_id=request.correlation_id,
            node_id=request.connection,
            trace=(
                "org.apache.kafka.common.errors.UnsupportedVersionException: The node does not "
                f"support {api.name}"
            ),
        )
        if api is ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS and self._telemetry_sender is not None:
            self._telemetry_sender.refused(self.clock.now_ms)
        else:
            self._aborted.append(ClientResponse(request, self.clock.now_ms, version_mismatch=True))

    def _received(
        self, connection: str, message: Any, cause: int | None, responses: list[ClientResponse]
    ) -> None:
        clock = self.clock
        request, now_ms = self._in_flight.complete_next(connection), clock.now_ms
        header = request.sent_header
        api = header.api_key
        clock.cause = cause
        event_id = clock.cause = self._journal.note(
            "response.received",
            self.who,
            socket=self._sockets.of(connection),
            api=api.title,
            correlation_id=request.correlation_id,
            node_id=connection,
            latency_ms=now_ms - request.created_ms,
        )
        self.log("RECEIVED_RESPONSE", header=header, response=message, node_id=connection)
        if api in (ApiKeys.PRODUCE, ApiKeys.FETCH) and message.throttle_time_ms:
            self._throttle(connection, message.throttle_time_ms)
        if api is ApiKeys.METADATA and request.internal:
            self._metadata_updater.answered(request, message, now_ms)
        elif api is ApiKeys.API_VERSIONS:
            if self._is_cold:
                self._take_time_for("reading API_VERSIONS")
            if not self.api_versions.answered(connection, header.api_version, message, event_id):
                self.selector.close(connection)
                self._disconnected(connection, "self", responses)
        else:
            responses.append(ClientResponse(request, now_ms, message))

    def _throttle(self, connection: str, throttle_ms: int) -> None:
        """The client is above its quota: nothing is sent to this broker for a time (maybeThrottle,
        KIP-219)."""
        until_ms = self.clock.now_ms + throttle_ms
        self.states.throttle(connection, until_ms)
        self.log(
            "CONNECTION_THROTTLED",
            node_id=connection,
            throttle_ms=throttle_ms,
            until=self.epoch_ms + until_ms,
        )

    def _take_time_for(self, what: str) -> None:
        """A client's first use of something takes longer; the profile has the times seen in the
        recordings."""
        if what not in self._used:
            self._used.add(what)
            least_ms, most_ms = self.settings.first_use_ms.get(what, (0, 0))
            if most_ms:
                self.selector.work(self._rng.randint(least_ms, most_ms))

    def _load(self, node: Node) -> NodeLoad:
        id, now_ms = node.connection, self.clock.now_ms
        return NodeLoad(
            node,
            self.is_ready(id),
            self.can_send(id),
            self.states.is_preparing(id),
            self.states.can_connect(id, now_ms),
            self.states.is_blacked_out(id, now_ms),
            self.in_flight_count(id),
            self.states.last_attempt_ms(id),
        )


def _complete(responses: list[ClientResponse]) -> None:
    for response in responses:
        request = response.request
        # a request that is done keeps no reference to its caller
        done, request.on_complete = request.on_complete, None
        if done is not None:
            done(response)
