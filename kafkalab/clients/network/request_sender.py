"""RequestSender: what NetworkClient offers to its parts that send requests of their own.

These parts are ApiVersionsExchange, DefaultMetadataUpdater and TelemetrySender, inner classes of
Java's NetworkClient. They know this and not the NetworkClient, which makes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from kafkalab.clients.network.client_settings import ClientSettings
from kafkalab.clients.network.connection_states import ClusterConnectionStates
from kafkalab.clients.network.log_context import Later, LogContext
from kafkalab.clients.network.metadata import Metadata
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.requests import ClientRequest, ClientResponse
from kafkalab.releases import Profile


class RequestSender(Protocol):
    """The part of NetworkClient that connects, chooses a node, makes requests and sends them."""

    profile: Profile
    settings: ClientSettings
    states: ClusterConnectionStates
    metadata: Metadata
    log: LogContext
    node_of: Callable[..., Node]

    def least_loaded_node(self) -> Node | None:
        """The node for a request that any node can answer."""

    def can_send(self, connection: str) -> bool:
        """Whether the connection is ready and its window of unanswered requests is not full."""

    def connect(self, node: Node, purpose: str) -> None:
        """Begins to connect; `purpose` is for the journal."""

    def node_tried(self, connection: str) -> Node:
        """The node to which this id last connected."""

    def new_request(
        self,
        connection: str,
        message: Any,
        on_complete: Callable[[ClientResponse], object] | None = None,
        timeout_ms: int | None = None,
        expects_response: bool = True,
        internal: bool = False,
    ) -> ClientRequest:
        """A request with the next correlation id."""

    def send(self, request: ClientRequest) -> None:
        """Queues a request for the next write."""

    def request_text(self, message: Any, node: Node) -> Later:
        """The request as Java prints it."""
