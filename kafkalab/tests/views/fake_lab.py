"""A lab without a simulator: a journal written by hand, for the tests of the views.

The story is the classic first poll against three brokers: a bootstrap connection, the
coordinator's, then one to each leader. A view only reads, so it cannot tell this lab from a real
one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from kafkalab.sim.journal import Event


@dataclass(frozen=True)
class FakeSocket:
    client: str
    node_id: object
    broker: int | None
    role: str
    purpose: str
    opened_at_ms: int
    connected_at_ms: int | None
    closed_at_ms: int | None
    how: str | None
    event_id: int


class FakeLab:
    """Collects events and sockets; answers `table`, `sockets` and `now_ms` as a Lab does."""

    def __init__(self) -> None:
        self.events: list[dict] = []
        self.opened: list[FakeSocket] = []
        self.now_ms = 0

    def event(self, at_ms: int, kind: str, who: str, **fields) -> int:
        self.events.append(
            {
                "id": len(self.events),
                "at_ms": at_ms,
                "kind": kind,
                "who": who,
                "cause": None,
                **fields,
            }
        )
        self.now_ms = max(self.now_ms, at_ms)
        return len(self.events) - 1

    def open(
        self, client, node_id, broker, role, at_ms, purpose="request", closed_at_ms=None, how=None
    ) -> int:
        socket = len(self.opened)
        event_id = self.event(
            at_ms,
            "socket.opening",
            client,
            socket=socket,
            node_id=node_id,
            broker=broker,
            purpose=purpose,
            host="localhost",
            port=9092,
        )
        self.opened.append(
            FakeSocket(
                client,
                node_id,
                broker,
                role,
                purpose,
                at_ms,
                at_ms + 1,
                closed_at_ms,
                how,
                event_id,
            )
        )
        return socket

    def ask(self, client, socket, api, correlation_id, at_ms, wait_ms=2, hop_ms=1) -> None:
        who = f"broker-{self.opened[socket].broker}"
        self.event(
            at_ms,
            "request.sent",
            client,
            socket=socket,
            api=api,
            version=1,
            correlation_id=correlation_id,
        )
        self.event(
            at_ms + hop_ms,
            "request.received",
            who,
            client=client,
            api=api,
            correlation_id=correlation_id,
        )
        self.event(
            at_ms + hop_ms + wait_ms,
            "response.sent",
            who,
            client=client,
            api=api,
            correlation_id=correlation_id,
        )
        took_ms = 2 * hop_ms + wait_ms
        self.event(
            at_ms + took_ms,
            "response.received",
            client,
            socket=socket,
            api=api,
            correlation_id=correlation_id,
            latency_ms=took_ms,
        )

    def renumber(self) -> None:
        """Put the events in time order and number them so,
        as a journal does that is written while time passes."""
        self.events.sort(key=lambda event: event["at_ms"])
        new_id = {event["id"]: place for place, event in enumerate(self.events)}
        self.events = [{**event, "id": new_id[event["id"]]} for event in self.events]
        self.opened = [replace(s, event_id=new_id[s.event_id]) for s in self.opened]

    @property
    def journal(self):
        """Answers `of` as a lab's journal does."""
        return self

    def of(self, kind):
        own = ("id", "at_ms", "kind", "who", "cause")
        for event in self.events:
            if event["kind"] == kind:
                fields = {name: value for name, value in event.items() if name not in own}
                yield Event(*(event[name] for name in own), fields)

    def table(self, kind=None):
        return pd.DataFrame([event for event in self.events if kind in (None, event["kind"])])

    def sockets(self, client=None):
        return [s for s in self.opened if client in (None, s.client)]


def first_poll(
    client: str = "inv-1", *, coordinator: str = "2147483645", extra_bootstrap: bool = False
) -> FakeLab:
    """Three brokers, coordinator 2, leaders 0, 1 and 2;
    the bootstrap connections idle out after 9 minutes."""
    lab = FakeLab()
    boot = lab.open(client, -1, 0, "bootstrap", 0, "metadata", closed_at_ms=540_180, how="idle")
    lab.ask(client, boot, "API_VERSIONS", 1, 3)
    lab.ask(client, boot, "METADATA", 2, 46)
    lab.ask(client, boot, "FIND_COORDINATOR", 0, 46, wait_ms=12)
    if extra_bootstrap:
        lab.open(client, -2, 1, "bootstrap", 8, "metadata", closed_at_ms=540_200, how="idle")
    group = lab.open(client, coordinator, 2, "coordinator", 62)
    lab.ask(client, group, "JOIN_GROUP", 3, 66, wait_ms=3_000)
    leaders = [(lab.open(client, broker, broker, "data", 3_095), broker) for broker in (2, 0, 1)]
    for n, (socket, _) in enumerate(leaders):
        lab.ask(client, socket, "LIST_OFFSETS", 8 + n, 3_101 + n)
    for n in range(40):
        for socket, broker in leaders:
            lab.ask(client, socket, "FETCH", 20 + 3 * n + broker, 3_110 + 500 * n, wait_ms=490)
    lab.now_ms = 600_000
    lab.renumber()
    return lab
