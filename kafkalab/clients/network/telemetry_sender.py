"""TelemetrySender: sends the request for a metrics subscription (NetworkClient.TelemetrySender,
KIP-714).

Like METADATA it is sent to the least loaded node, and if that has no socket, one is opened: this is
why clients from 3.7 on may open one more than older ones. `TelemetryReporter` decides whether to
ask at all, and when again.
"""

from __future__ import annotations

from kafkalab.clients.network.least_loaded import LONG_MS
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.request_sender import RequestSender
from kafkalab.clients.network.telemetry import TelemetryReporter
from kafkalab.protocol.messages import GetTelemetrySubscriptionsRequest


class TelemetrySender:
    def __init__(self, client: RequestSender, reporter: TelemetryReporter) -> None:
        self._client, self._reporter = client, reporter
        self._sticky_node: Node | None = None
        self._timeout_ms = client.settings.request_timeout_ms

    def maybe_update(self, now_ms: int) -> int:
        """Sends the request or connects if it is time; returns how long (ms) the next pass may
        wait."""
        wait_ms = self._reporter.time_to_next_update(now_ms, self._timeout_ms)
        if wait_ms > 0:
            return wait_ms
        client, settings = self._client, self._client.settings
        node = self._sticky_node = self._sticky_node or client.least_loaded_node()
        if node is None:
            client.log("TELEMETRY_GIVE_UP")
            return settings.reconnect_backoff_ms
        if client.can_send(node.connection):
            self._reporter.begin_request()
            client.send(
                client.new_request(
                    node.connection, GetTelemetrySubscriptionsRequest(), internal=True
                )
            )
            return settings.request_timeout_ms
        self._sticky_node = None
        if client.states.can_connect(node.connection, now_ms):
            client.log("CONNECT_FOR_TELEMETRY", node=node)
            client.connect(node, "telemetry")
            return settings.reconnect_backoff_ms
        return LONG_MS

    def refused(self, now_ms: int) -> None:
        """The broker does not offer the API: the request was not sent."""
        self._reporter.refused(now_ms)
