"""A client's request under way, and its response (org.apache.kafka.clients.ClientRequest and
ClientResponse)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kafkalab.protocol.header import RequestHeader


@dataclass(slots=True)
class ClientRequest:
    """A request to one connection.

    on_complete       called once, with a ClientResponse, however the request ends
    expects_response  False for PRODUCE with acks=0: it is complete when it is written
    header            None until it is sent, because only then its API version is known
    internal          sent by the network client itself (METADATA, API_VERSIONS, telemetry); the
                      owner does not receive its response
    event_id          the journal's event of its sending
    """

    connection: str
    message: Any
    correlation_id: int
    created_ms: int
    timeout_ms: int
    on_complete: Callable[[ClientResponse], object] | None = None
    expects_response: bool = True
    internal: bool = False
    header: RequestHeader | None = None
    sent_ms: int = 0
    written: bool = False
    event_id: int | None = None

    @property
    def sent_header(self) -> RequestHeader:
        """The header of a request that was sent."""
        assert self.header is not None, "a request has a header when it is sent"
        return self.header


@dataclass(slots=True)
class ClientResponse:
    """The end of a request. It is an answer, a disconnect (`timed_out`: because a request waited
    too long), or a version the broker does not have."""

    request: ClientRequest
    received_ms: int
    message: Any = None
    disconnected: bool = False
    timed_out: bool = False
    version_mismatch: bool = False

    @property
    def latency_ms(self) -> int:
        return self.received_ms - self.request.created_ms
