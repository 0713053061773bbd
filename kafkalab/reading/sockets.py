"""Lists the sockets that clients opened, read from the journal: one Socket per attempt to
connect.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkalab.sim.journal import Journal


@dataclass(frozen=True, slots=True)
class Socket:
    """One TCP connection a client tried to open.

    node_id   the id under which the client keeps it, as it prints it ("-1", "2147483645", "+2",
              "0")
    broker    the broker's real id; None for a bootstrap socket, whose broker the client does not
              know
    role      bootstrap, coordinator or data
    purpose   what made the client open it: metadata, telemetry or request
    *_at_ms   virtual time; None where it has not happened
    how       why it closed: idle, peer, self, close, killed (its process), failed (never
              established); None while it is open
    event_id  the journal's event of its opening
    """

    client: str
    node_id: str
    broker: int | None
    role: str
    purpose: str
    opened_at_ms: int
    connected_at_ms: int | None
    closed_at_ms: int | None
    how: str | None
    event_id: int


def sockets_of(journal: Journal, client: str | None = None) -> list[Socket]:
    """Every attempt to connect, of one client or of all, oldest first."""
    connected_at_ms: dict[int, int] = {}
    closed: dict[int, tuple[int, str]] = {}
    openings = []
    for event in journal.of("socket.opening", "socket.connected", "socket.closed"):
        if event.kind == "socket.connected":
            connected_at_ms[event.socket] = event.at_ms
        elif event.kind == "socket.closed":
            closed[event.socket] = (event.at_ms, event.how)
        elif client is None or event.who == client:
            openings.append(event)
    found = []
    for event in openings:
        role = "bootstrap" if event.bootstrap else "coordinator" if event.coordinator else "data"
        closed_at_ms, how = closed.get(event.id, (None, None))
        found.append(
            Socket(
                event.who,
                event.node_id,
                event.broker,
                role,
                event.purpose,
                event.at_ms,
                connected_at_ms.get(event.id),
                closed_at_ms,
                how,
                event.id,
            )
        )
    return found
