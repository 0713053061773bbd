"""TelemetryReporter: decides when a client asks for a metrics subscription
(ClientTelemetryReporter, KIP-714, 3.7 and later).

The client asks any broker for a subscription (GET_TELEMETRY_SUBSCRIPTIONS). A broker without a
telemetry plugin does not offer that API. The request is not sent then, but a socket was opened to
try. Pushing metrics is not simulated: no recorded broker supports it.
"""

from __future__ import annotations

import enum

from kafkalab.clients.network.log_context import LogContext
from kafkalab.moves import moves_of

NEVER_MS = 2_147_483_647


class TelemetryState(enum.Enum):
    """The states of the telemetry reporter (ClientTelemetryState)."""

    SUBSCRIPTION_NEEDED = "SUBSCRIPTION_NEEDED"
    SUBSCRIPTION_IN_PROGRESS = "SUBSCRIPTION_IN_PROGRESS"
    TERMINATED = "TERMINATED"


MOVES = moves_of(
    TelemetryState,
    "SUBSCRIPTION_NEEDED -> SUBSCRIPTION_IN_PROGRESS TERMINATED",
    "SUBSCRIPTION_IN_PROGRESS -> SUBSCRIPTION_NEEDED TERMINATED",
    "TERMINATED ->",
)


class TelemetryReporter:
    """Decides when to ask, and stops as the version does.

    after_refusal_ms  how long until the next try after UNSUPPORTED_VERSION: 300000 in 3.9, never
                      from 4.0
    """

    def __init__(self, log: LogContext, after_refusal_ms: int, epoch_ms: int) -> None:
        self.state = TelemetryState.SUBSCRIPTION_NEEDED
        self._log, self._after_refusal_ms, self._epoch_ms = log, after_refusal_ms, epoch_ms
        self._interval_ms = 0
        self._last_request_ms: int | None = None
        self._closed = False
        log("TELEMETRY_COLLECTOR_INITIALIZED")

    def time_to_next_update(self, now_ms: int, request_timeout_ms: int) -> int:
        if self.state is TelemetryState.SUBSCRIPTION_IN_PROGRESS:
            return request_timeout_ms
        if self.state is TelemetryState.TERMINATED or self._interval_ms == NEVER_MS:
            return NEVER_MS
        if self._last_request_ms is None:
            return 0
        return max(0, self._last_request_ms + self._interval_ms - now_ms)

    def begin_request(self) -> None:
        self._log("TELEMETRY_SUBSCRIPTION_REQUEST", client_instance_id="AAAAAAAAAAAAAAAAAAAAAA")
        self._transition_to(TelemetryState.SUBSCRIPTION_IN_PROGRESS)

    def refused(self, now_ms: int) -> None:
        """The broker does not know the API: no request for a while."""
        self._log("TELEMETRY_REQUEST_FAILED", trace=UNSUPPORTED)
        self._interval_ms = self._after_refusal_ms
        self._last_request_ms = now_ms
        self._log(
            "TELEMETRY_INTERVAL",
            interval_ms=self._interval_ms,
            last_request_ms=self._epoch_ms + now_ms,
        )
        self._transition_to(TelemetryState.SUBSCRIPTION_NEEDED)

    def initiate_close(self) -> None:
        self._log("TELEMETRY_INITIATE_CLOSE")
        self._log("TELEMETRY_TERMINAL_PUSH_CHECK")
        self._log(
            "TELEMETRY_NOT_LOADED"
            if self._last_request_ms is None
            else "TELEMETRY_TERMINAL_PUSH_IGNORED"
        )

    def close_sender(self) -> None:
        self._log("TELEMETRY_CLOSE_SENDER")
        if self._closed:
            self._log("TELEMETRY_CLOSE_IGNORED")
            return
        self._closed = True
        self._transition_to(TelemetryState.TERMINATED)

    def stop(self) -> None:
        self._log("TELEMETRY_STOPPING")
        self.close_sender()

    def _transition_to(self, after: TelemetryState) -> None:
        MOVES.step(self.state, after)
        self._log("TELEMETRY_STATE", state_from=self.state.value, state_to=after.value)
        self.state = after


UNSUPPORTED = (
    "org.apache.kafka.common.errors.UnsupportedVersionException: The node does not support "
    "GET_TELEMETRY_SUBSCRIPTIONS"
)
