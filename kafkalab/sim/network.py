"""Simulates TCP connections between clients and brokers, with latency, order and faults; brokers'
own messages are in `interbroker.py`.

TCP never loses a single message of a connection. So a message arrives in order after its link's
latency, or the link breaks and every message on the way is lost. A message is any Python value.

Each end may close a connection. The kernel then sends what this end has written, and after it the
end of the stream (FIN). So it does for a process that dies: `kill -9` of a process loses nothing
that was written. What comes for an end that has closed is lost. Left out: an end that closes while
it has unread messages resets the connection (RST) instead.

A link joins one client and one server. Its latency is `latency_ms` one way, plus a random
0..`jitter_ms` from the client's own stream. So other clients do not change a client's random
numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypedDict

from kafkalab.sim.rng import Streams, below
from kafkalab.sim.scheduler import Scheduler


class Latencies(TypedDict):
    """Arguments of a Network, for all its links."""

    latency_ms: int
    jitter_ms: int
    connects_at_once: bool


ONE_MACHINE = Latencies(latency_ms=0, jitter_ms=2, connects_at_once=True)
"""Client and broker share a machine: a connection takes no time, an answer up to some ms."""
LOCAL_NETWORK = Latencies(latency_ms=1, jitter_ms=1, connects_at_once=False)


def _nobody_listens(client: str, server: str, what: str, fields: dict[str, Any]) -> None:
    """Ignore a fault: the default of `on_fault`."""


class Endpoint(Protocol):
    """The client's end of a connection. The network calls it for each change."""

    def connected(self, connection: Connection) -> None: ...
    def refused(self, connection: Connection) -> None: ...
    def received(self, connection: Connection, message: Any) -> None: ...
    def broken(self, connection: Connection) -> None: ...


class Server(Protocol):
    """The server's end of a connection. `ended`: the client has closed it, and everything that the
    client had sent has been received. `broken`: the link broke."""

    name: str

    def received(self, connection: Connection, message: Any) -> None: ...
    def ended(self, connection: Connection) -> None: ...
    def broken(self, connection: Connection) -> None: ...


class Link:
    """The network between one client and one server, with its latency and its faults.

    Its faults are methods: `cut()`, `heal()`, `set_latency(ms=20)`, `cut_before_reply("PRODUCE")`.

    luck        gives the random stream of the link; most links of a lab never need theirs
    latency_ms  one way
    jitter_ms   the most that is added to it, drawn for each message
    name_of     gives the name of a message, for faults that wait for a certain one
    on_fault    functions; each is called with the fault (cut, heal, ...) and its arguments
    """

    def __init__(
        self,
        luck: Callable[[], random.Random],
        latency_ms: int,
        jitter_ms: int,
        name_of: Callable[[Any], str] = str,
    ) -> None:
        self.latency_ms, self.jitter_ms = latency_ms, jitter_ms
        self.is_cut = False
        self.connections: list[Connection] = []
        self.on_fault: list[Callable[[str, dict[str, Any]], object]] = []
        self._luck, self._name_of = luck, name_of
        self._never_arriving: list[str] = []
        self._never_leaving: list[str] = []
        self._stranded_ms: dict[str, int] = {}

    def set_latency(self, ms: int, jitter_ms: int | None = None) -> None:
        """One-way latency in milliseconds, from the next message on."""
        self.latency_ms = ms
        if jitter_ms is not None:
            self.jitter_ms = jitter_ms
        self._tell("set_latency", ms=ms, jitter_ms=self.jitter_ms)

    def cut(self) -> None:
        """Break every connection of this link and refuse new ones until `heal()`."""
        self.is_cut = True
        for connection in list(self.connections):
            connection.break_off()
        self._tell("cut")

    def heal(self) -> None:
        """Accept new connections again. The old ones stay broken."""
        self.is_cut = False
        self._tell("heal")

    def cut_before_reply(self, name: str) -> None:
        """Break the connection in place of the server's next reply of that name.

        The server has executed the request.
        """
        self._never_arriving.append(name)
        self._tell("cut_before_reply", api=name)

    def cut_before_request(self, name: str) -> None:
        """Break the connection in place of the client's next request of that name.

        The server has not executed it.
        """
        self._never_leaving.append(name)
        self._tell("cut_before_request", api=name)

    def strand(self, name: str, ms: int) -> None:
        """Delay the client's next request of that name by `ms`, and cut the link at once until
        `heal()`.

        To the client the request is lost. The server still executes it when it arrives.
        """
        self._stranded_ms[name] = ms
        self._tell("strand", api=name, ms=ms)

    def strands_ms(self, request: Any) -> int | None:
        """The delay of this request if a fault waits for it, else None.

        Called once for each request.
        """
        return self._stranded_ms.pop(self._name_of(request), None) if self._stranded_ms else None

    def loses(self, reply: Any) -> bool:
        """Whether a fault waits for this reply. Called once for each reply."""
        return bool(self._never_arriving) and self._is_meant(reply, self._never_arriving)

    def loses_request(self, request: Any) -> bool:
        """Whether a fault waits for this request. Called once for each request."""
        return bool(self._never_leaving) and self._is_meant(request, self._never_leaving)

    def _is_meant(self, message: Any, names: list[str]) -> bool:
        name = self._name_of(message)
        if name not in names:
            return False
        names.remove(name)
        return True

    def _tell(self, what: str, **fields: Any) -> None:
        for tell in self.on_fault:
            tell(what, fields)

    def delay_ms(self) -> int:
        """The latency of the next message, one way, in milliseconds."""
        return (
            self.latency_ms + below(self._luck(), self.jitter_ms + 1)
            if self.jitter_ms
            else self.latency_ms
        )


class Connection:
    """One TCP connection.

    It is `open` from the moment both ends know of it until one end closes it or the link breaks.
    Then the other end still gets what was sent to it before.
    """

    __slots__ = (
        "_client_listens",
        "_clock",
        "_in_at_ms",
        "_out_at_ms",
        "_server_listens",
        "client",
        "endpoint",
        "id",
        "link",
        "open",
        "server",
    )

    def __init__(
        self,
        id: str,
        client: str,
        server: Server | None,
        endpoint: Endpoint,
        link: Link,
        clock: Scheduler,
    ) -> None:
        self.id = id
        self.client = client
        self.server = server
        self.endpoint = endpoint
        self.link = link
        self.open = self._client_listens = self._server_listens = False
        self._clock = clock
        self._out_at_ms = self._in_at_ms = 0

    def accept(self) -> None:
        """Both ends know of the connection from now on."""
        self.open = self._client_listens = self._server_listens = True
        self.link.connections.append(self)

    def send(self, message: Any) -> None:
        """Client to server."""
        assert self.server is not None, "nobody sends on a connection that was refused"
        if self.link.loses_request(message):
            self.break_off()
            return
        late_ms = self.link.strands_ms(message)
        if late_ms is not None:
            self._clock.after(late_ms, self.server.received, self, message)
            self.link.cut()
            return
        at_ms = self._clock.now_ms + self.link.delay_ms()
        if at_ms < self._out_at_ms:
            at_ms = self._out_at_ms
        self._out_at_ms = at_ms
        self._clock.post(at_ms, self._reach_server, message)

    def reply(self, message: Any) -> None:
        """Server to client."""
        if self.link.loses(message):
            self.break_off()
            return
        at_ms = self._clock.now_ms + self.link.delay_ms()
        if at_ms < self._in_at_ms:
            at_ms = self._in_at_ms
        self._in_at_ms = at_ms
        self._clock.post(at_ms, self._reach_client, message)

    def _reach_server(self, message: Any) -> None:
        if self._server_listens:
            assert self.server is not None, "only what was accepted is open"
            self.server.received(self, message)

    def _reach_client(self, message: Any) -> None:
        if self._client_listens:
            self.endpoint.received(self, message)

    def close(self) -> None:
        """Close the connection at the client, or end it because the client's process dies.

        The server is informed one latency later, after what the client has sent.
        """
        self._client_listens = False
        if self._shut():
            at_ms = max(self._clock.now_ms + self.link.delay_ms(), self._out_at_ms)
            self._clock.post(at_ms, self._end_at_server)

    def close_by_server(self) -> None:
        """Close the connection at the server, or end it because the server's process dies.

        The client is informed one latency later, after what the server has sent.
        """
        self._server_listens = False
        if self._shut():
            at_ms = max(self._clock.now_ms + self.link.delay_ms(), self._in_at_ms)
            self._clock.post(at_ms, self._end_at_client)

    def break_off(self) -> None:
        """Break the connection because the link breaks: what is on the way is lost. Each end that
        has not closed it is informed."""
        if self._server_listens:
            assert self.server is not None, "only what was accepted is open"
            self._clock.after(0, self.server.broken, self)
        if self._client_listens:
            self._clock.after(0, self.endpoint.broken, self)
        self.open = False
        self._forget()

    def _end_at_server(self) -> None:
        if self._server_listens:
            assert self.server is not None, "only what was accepted is open"
            self._forget()
            self.server.ended(self)

    def _end_at_client(self) -> None:
        if self._client_listens:
            self._forget()
            self.endpoint.broken(self)

    def _shut(self) -> bool:
        """Close this end's way out; returns whether both ends were open before."""
        was_open, self.open = self.open, False
        if not (self._client_listens or self._server_listens):
            self._forget()
        return was_open

    def _forget(self) -> None:
        """Nobody listens any more: the link need not know of this connection."""
        self._client_listens = self._server_listens = False
        if self in self.link.connections:
            self.link.connections.remove(self)


class Network:
    """All links of a lab. The default latency is a local network's: 1 ms one way, 0 or 1 ms of
    jitter.

    name_of   gives the name of a message; see Link
    on_fault  called with client, server, the fault of their link, and its arguments
    """

    def __init__(
        self,
        clock: Scheduler,
        streams: Streams,
        latency_ms: int = 1,
        jitter_ms: int = 1,
        name_of: Callable[[Any], str] = str,
        on_fault: Callable[[str, str, str, dict[str, Any]], object] = _nobody_listens,
        connects_at_once: bool = False,
    ) -> None:
        self.latency_ms, self.jitter_ms = latency_ms, jitter_ms
        self._connects_at_once = connects_at_once
        self._clock = clock
        self._streams = streams
        self._name_of = name_of
        self._on_fault = on_fault
        self._listeners: dict[tuple[str, int], Server] = {}
        self._links: dict[tuple[str, str], Link] = {}
        self._count: dict[str, int] = {}
        self._killed: set[str] = set()

    def listen(self, host: str, port: int, server: Server) -> None:
        """From now on `server` accepts connections at host:port."""
        self._listeners[host, port] = server

    def stop_listening(self, host: str, port: int) -> None:
        """End the process at host:port: its connections break and new ones are refused."""
        server = self._listeners.pop((host, port), None)
        for (_, name), link in self._links.items():
            if server is not None and name == server.name:
                for connection in list(link.connections):
                    connection.close_by_server()

    def kill(self, client: str) -> None:
        """End the client's process. The operating system closes its sockets.

        What the process had written still arrives. The servers are informed after it.
        """
        self._killed.add(client)
        for (name, _), link in self._links.items():
            if name == client:
                for connection in list(link.connections):
                    connection.close()

    def link(self, client: str, server: str) -> Link:
        """The link between one client and one server, both by name. The first call makes it."""
        if (client, server) not in self._links:
            luck = partial(self._streams.stream, f"{client}/link to {server}")
            link = self._links[client, server] = Link(
                luck, self.latency_ms, self.jitter_ms, self._name_of
            )
            link.on_fault.append(lambda what, fields: self._on_fault(client, server, what, fields))
        return self._links[client, server]

    def cut_links(self) -> list[tuple[str, str]]:
        """The client and the server of each link that is cut."""
        return [ends for ends, link in self._links.items() if link.is_cut]

    def connect(
        self, client: str, host: str, port: int, endpoint: Endpoint, delay_ms: int = 0
    ) -> Connection:
        """Begin a connection `delay_ms` from now.

        The network calls the endpoint's `connected` after a round trip, or at once where all runs
        on one machine. It calls `refused` when no server
        listens there.
        """
        self._count[client] = number = self._count.get(client, 0) + 1
        server = self._listeners.get((host, port))
        link = self.link(client, server.name if server else f"{host}:{port}")
        connection = Connection(f"{client}#{number}", client, server, endpoint, link, self._clock)

        def arrive() -> None:
            if client in self._killed:
                return
            if self._listeners.get((host, port)) is not server or server is None or link.is_cut:
                endpoint.refused(connection)
            else:
                connection.accept()
                endpoint.connected(connection)

        takes_ms = 0 if self._connects_at_once else link.delay_ms() + link.delay_ms()
        self._clock.after(delay_ms + takes_ms, arrive)
        return connection
