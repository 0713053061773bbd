"""SocketEvents: writes the life of a client's sockets into the journal.

There are three events for each attempt to connect: socket.opening, socket.connected, socket.closed.
The first one's id is the socket's number in the others and in request.sent and response.received;
`Lab.sockets` reads them back. Kafka has no such class; it has metrics (connection-creation-total
and similar ones).
"""

from __future__ import annotations

from typing import Any, cast

from kafkalab.clients.network.node import Node
from kafkalab.sim.journal import Event, Journal


class SocketEvents:
    """Remembers the socket of each connection id."""

    def __init__(self, journal: Journal, who: str) -> None:
        self._journal, self._who = journal, who
        self._sockets: dict[str, int] = {}

    def opening(self, node: Node, purpose: str) -> Event:
        """purpose: why the client connects: "metadata", "telemetry" or "request"."""
        event = self._journal.append(
            "socket.opening",
            self._who,
            node_id=node.connection,
            node=node.id,
            host=node.host,
            port=node.port,
            purpose=purpose,
            broker=node.broker,
            bootstrap=node.is_bootstrap,
            coordinator=node.is_coordinator,
            socket=None,
        )
        # the number is known once the journal has given it; the event keeps this very dict
        cast(dict[str, Any], event.fields)["socket"] = event.id
        self._sockets[node.connection] = event.id
        return event

    def connected(self, connection: str) -> int:
        """Returns the event's id. The cause of the event is the opening, whatever the client does
        when it receives it."""
        opening = self._sockets[connection]
        with self._journal.because(opening):
            return self._journal.note(
                "socket.connected", self._who, socket=opening, node_id=connection
            )

    def closed(self, connection: str, how: str) -> None:
        """how: "idle", "peer", "close" (the client's), "failed" (never connected) or "self"."""
        if connection in self._sockets:
            self._journal.append(
                "socket.closed",
                self._who,
                socket=self._sockets.pop(connection),
                node_id=connection,
                how=how,
            )

    def of(self, connection: str) -> int | None:
        """The number of this id's present socket."""
        return self._sockets.get(connection)
