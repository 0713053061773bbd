"""Selector: reads and writes the sockets of one client (org.apache.kafka.common.network.Selector).

`prepare` begins a poll: it writes what was queued and returns until when the caller may sleep;
`collect` ends it. Between the two the caller waits on `signal`, so the same code serves a blocking
consumer and the producer's background loop. Idle sockets are closed at the end of a poll, at most
one each time, the least recently used one first. A client that does not poll closes none
(Selector.IdleExpiryManager).
"""

from __future__ import annotations

import random
from typing import Any

from kafkalab.clients.network.idle_expiry import Closer, IdleExpiry, LearnersExpiry
from kafkalab.clients.network.log_context import LogContext
from kafkalab.sim.apps import FOREVER_MS, Signal
from kafkalab.sim.network import Connection, Network
from kafkalab.sim.rng import below
from kafkalab.sim.scheduler import Scheduler

# A pass through a client's loop takes processor time. Without it a client would always poll again
# before any answer could have arrived, which real clients do only mostly. Milliseconds, drawn for
# each pass that wrote something, and for each that did nothing; a consumer does more between two
# polls than a producer's Sender.
PASS_MS = {
    "producer": (0, 0, 1, 1, 2, 3),
    "consumer": (0, 1, 2, 2, 3, 4),
    "admin": (0, 0, 1, 1, 2, 3),
}
EMPTY_PASS_MS = (0, 0, 0, 1)
WORKING_PASS_MS = (0, 0, 1, 2)
"""The same where the work between lines takes its own time: what is left is the select."""

# A Java client may spin: with an auto commit overdue and a join not ended, poll() looks without
# waiting, thousands of times a second. This client does so for as many passes as any recording
# shows, and more; after that it polls only every so many milliseconds.
SPINNING_PASSES = 400
SPINNING_PASS_MS = 10

EXCEPTIONS = {
    "refused": "java.net.ConnectException: Connection refused",
    "broken": "java.io.EOFException",
}
"""Why a connection was lost -> what Java throws and prints below the line."""


class Channel:
    """One connection by the client's id for it.

    queued   messages that wait to be written, each with the journal event that caused it
    events   what arrived from the network and no poll has taken yet: (kind, message, cause)
    """

    __slots__ = ("connected", "connection", "events", "host", "id", "queued")

    def __init__(self, id: str, connection: Connection, host: str) -> None:
        self.id, self.connection, self.host = id, connection, host
        self.queued: list[tuple[Any, int | None]] = []
        self.events: list[tuple[str, Any, int | None]] = []
        self.connected = False


class Collected:
    """The result of one poll.

    connected     ids; sent: (id, message) written
    received      (id, message, cause), the cause being the journal event that brought it
    disconnected  (id, why): "refused", "broken" or "idle"
    """

    __slots__ = ("connected", "disconnected", "received", "sent")

    def __init__(self) -> None:
        self.connected: list[str] = []
        self.sent: list[tuple[str, Any]] = []
        self.received: list[tuple[str, Any, int | None]] = []
        self.disconnected: list[tuple[str, str]] = []


class Selector:
    """One client's sockets.

    signal    set when a poll would find something
    channels  by the client's id, in the order of connecting
    """

    def __init__(
        self,
        clock: Scheduler,
        network: Network,
        log: LogContext,
        rng: random.Random,
        idle_limit_ms: int,
        buffers: tuple[int, int],
        pass_ms: tuple[int, ...],
        idle_closer: Closer | None = None,
    ) -> None:
        self.signal = Signal()
        self.channels: dict[str, Channel] = {}
        self._clock, self._network, self._log, self._rng = clock, network, log, rng
        self._buffers, self._pass_ms = buffers, pass_ms
        self._busy_until_ms = self._empty_passes = 0
        self._news: dict[str, Channel] = {}
        self._to_write: dict[str, Channel] = {}
        self._sent: list[tuple[str, Any]] = []
        self._lost: list[tuple[str, str]] = []
        self._by_connection: dict[str, Channel] = {}
        self._idle = (
            IdleExpiry(idle_limit_ms, clock.now_ms)
            if idle_closer is None
            else LearnersExpiry(idle_limit_ms, clock.now_ms, idle_closer)
        )

    # what a client does

    def connect(self, id: str, host: str, port: int, client: str) -> Connection:
        """Begins to connect; a later poll says whether it succeeded."""
        self._note_work()
        connection = self._network.connect(
            client, host, port, self, delay_ms=max(0, self._busy_until_ms - self._clock.now_ms)
        )
        channel = Channel(id, connection, host)
        self.channels[id] = self._by_connection[connection.id] = channel
        self._touch(id)
        return connection

    def send(self, id: str, message: Any, cause: int | None = None) -> None:
        """Queues a message; the next poll writes it, with the journal's event `cause` (None: the
        one that runs now)."""
        channel = self.channels[id]
        channel.queued.append((message, self._clock.cause if cause is None else cause))
        self._to_write[id] = channel

    @property
    def has_something_to_write(self) -> bool:
        """Whether a message is queued on an established connection."""
        return any(channel.connected for channel in self._to_write.values())

    def wakeup(self) -> None:
        """Ends the wait inside a poll."""
        at_ms = self._clock.thread_ms
        if at_ms == self._clock.now_ms:
            self._raise_signal()
        else:
            self._clock.post(at_ms, self._raise_signal)

    def work(self, ms: int) -> None:
        """The client's thread is busy for `ms` before it writes or polls again: a JVM that uses a
        class for the first time."""
        self._note_work()
        self._busy_until_ms = max(self._busy_until_ms, self._clock.now_ms) + ms
        if self._clock.work is not None:
            self._clock.work.work_until(self._busy_until_ms)

    def _note_work(self) -> None:
        """The thread that polls is as busy as its lines say."""
        if self._clock.work is not None:
            self._busy_until_ms = max(self._busy_until_ms, self._clock.work.now_ms)

    def _raise_signal(self) -> None:
        if self._clock.now_ms >= self._busy_until_ms:
            self.signal.set()
        else:
            self._clock.post(self._busy_until_ms, self.signal.set)

    def close(self, id: str) -> None:
        """Closes the connection from this side, after what the thread has still to write; no later
        poll reports it."""
        channel = self._forget(id)
        if channel is None:
            return
        if self._clock.now_ms < self._busy_until_ms:
            self._clock.post(self._busy_until_ms, channel.connection.close)
        else:
            channel.connection.close()

    def close_all(self) -> None:
        for id in list(self.channels):
            self.close(id)

    # one poll

    def prepare(self, timeout_ms: int) -> int:
        """Writes what is queued; returns until when (virtual time, ms) the caller may sleep unless
        `signal` is set first."""
        now_ms = self._clock.now_ms
        self._note_work()
        if now_ms < self._busy_until_ms:
            now_ms = self._busy_until_ms
            if self._clock.work is not None and self.signal.is_set:
                self.signal.clear()  # What is there already waits until the thread has worked.
                self._raise_signal()
        wrote = self._to_write and self._write_queued(now_ms)
        if self._news or self._lost:
            self._raise_signal()
        if wrote or timeout_ms > 0 or self.signal.is_set:
            self._empty_passes = 0
        if wrote:
            return now_ms + self._pass_ms[below(self._rng, len(self._pass_ms))]
        if timeout_ms > 0:
            return now_ms + timeout_ms if timeout_ms < FOREVER_MS - now_ms else FOREVER_MS
        if self.signal.is_set:
            return now_ms
        self._empty_passes += 1
        return now_ms + (
            SPINNING_PASS_MS
            if self._empty_passes > SPINNING_PASSES
            else EMPTY_PASS_MS[below(self._rng, len(EMPTY_PASS_MS))]
        )

    def _write_queued(self, at_ms: int) -> bool:
        """Writes the waiting messages of each established connection; returns whether there were
        any."""
        clock, wrote = self._clock, False
        before = clock.cause
        for id, channel in list(self._to_write.items()):
            if not channel.connected:
                continue
            for message, cause in channel.queued:
                clock.cause = cause
                if at_ms <= clock.now_ms:
                    channel.connection.send(message)
                else:
                    clock.post(at_ms, channel.connection.send, message)
                self._sent.append((id, message))
            channel.queued = []
            del self._to_write[id]
            self._touch(id)
            wrote = True
        clock.cause = before
        return wrote

    def idle_limit_is(self, at_ms: int) -> bool:
        """Whether `at_ms` is the last millisecond of an idle socket."""
        return self._idle.limit_is(at_ms)

    def collect(self) -> Collected:
        """Ends the poll: one answer a channel at most, as Java's Selector does; the others wait for
        the next poll."""
        self.signal.is_set = False
        found = Collected()
        if self._sent:
            found.sent, self._sent = self._sent, []
        if self._lost:
            found.disconnected, self._lost = self._lost, []
        if self._news:
            news, self._news = self._news, {}
            for id, channel in news.items():
                self._take_events(id, channel, found)
                if id in self.channels:
                    self._touch(id)
        self._close_one_idle(found)
        return found

    def _take_events(self, id: str, channel: Channel, found: Collected) -> None:
        events, channel.events = channel.events, []
        answered = False
        for position, (kind, message, cause) in enumerate(events):
            if kind == "connected":
                channel.connected = True
                receive, send = self._buffers
                self._log(
                    "SOCKET_CREATED",
                    receive_buffer=receive,
                    send_buffer=send,
                    timeout=0,
                    node_id=id,
                )
                found.connected.append(id)
            elif kind == "received":
                if answered:
                    channel.events = events[position:]
                    self._news[id] = channel
                    return
                answered = True
                found.received.append((id, message, cause))
            else:
                self._forget(id)
                if id in found.connected:
                    found.connected.remove(id)  # It was lost before a poll reported it.
                self._log(
                    "SOCKET_DISCONNECTED",
                    address=f"{channel.host}/127.0.0.1",
                    node_id=id,
                    trace=EXCEPTIONS[kind],
                )
                found.disconnected.append((id, kind))

    def _close_one_idle(self, found: Collected) -> None:
        oldest = self._idle.expired(self._clock.now_ms)
        if oldest in found.connected:  # only a learner's rule chooses one; it stays for this pass
            return
        if oldest is not None:
            channel = self._forget(oldest)
            assert channel is not None, "an idle socket is still a channel"
            channel.connection.close()
            found.disconnected.append((oldest, "idle"))

    # called by the network

    def connected(self, connection: Connection) -> None:
        self._tell(connection, "connected", None)

    def refused(self, connection: Connection) -> None:
        self._tell(connection, "refused", None)

    def received(self, connection: Connection, message: Any) -> None:
        self._tell(connection, "received", message)

    def broken(self, connection: Connection) -> None:
        self._tell(connection, "broken", None)

    def _tell(self, connection: Connection, kind: str, message: Any) -> None:
        channel = self._by_connection.get(connection.id)
        if channel is not None:
            channel.events.append((kind, message, self._clock.cause))
            self._news[channel.id] = channel
            self._raise_signal()

    def _touch(self, id: str) -> None:
        self._idle.used(id, self._clock.now_ms)

    def _forget(self, id: str) -> Channel | None:
        self._news.pop(id, None)
        self._to_write.pop(id, None)
        self._idle.forget(id)
        channel = self.channels.pop(id, None)
        if channel is not None:
            del self._by_connection[channel.connection.id]
        return channel
