"""Which sockets have news, and which have been silent for too long?"""

import random

from kafkalab.clients.network.selector import Selector
from kafkalab.sim.network import Network
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler

IDLE_MS = 1_000


class Echo:
    """A server that answers every message with itself, twice when asked to."""

    name = "broker-0"

    def __init__(self):
        self.connections = []

    def received(self, connection, message):
        self.connections.append(connection)
        for _ in range(2 if message == "twice" else 1):
            connection.reply(message)

    def ended(self, connection): ...

    def broken(self, connection): ...


class Wire:
    """One selector on a network of constant latency;
    `poll` is what a client does again and again."""

    def __init__(self, idle_ms=IDLE_MS):
        self.clock, self.server = Scheduler(), Echo()
        network = Network(self.clock, Streams(0), latency_ms=1, jitter_ms=0)
        network.listen("localhost", 9092, self.server)
        self.selector = Selector(
            self.clock,
            network,
            lambda name, **values: None,
            random.Random(0),
            idle_ms,
            (65536, 131072),
            (0,),
        )

    def connect(self, id, port=9092):
        self.selector.connect(id, "localhost", port, "shop")

    def poll(self, timeout_ms=50):
        until_ms = self.selector.prepare(timeout_ms)
        self.clock.run_until(lambda: self.selector.signal.is_set, until_ms)
        return self.selector.collect()

    def wait(self, ms):
        self.clock.run_until(lambda: False, self.clock.now_ms + ms)


def test_a_poll_tells_what_connected():
    wire = Wire()
    wire.connect("0")
    assert wire.poll().connected == ["0"]
    assert wire.poll().connected == []


def test_a_refused_connection_is_told_as_a_disconnect():
    wire = Wire()
    wire.connect("-1", port=9999)
    assert wire.poll().disconnected == [("-1", "refused")]
    assert wire.selector.channels == {}


def test_what_is_queued_before_the_socket_stands_is_written_when_it_does():
    wire = Wire()
    wire.connect("0")
    wire.selector.send("0", "hello")
    assert wire.poll().sent == []
    written = wire.poll()
    assert written.sent == [("0", "hello")]
    assert [(id, message) for id, message, _ in wire.poll().received] == [("0", "hello")]


def test_one_answer_a_socket_and_poll():
    wire = Wire()
    wire.connect("0")
    wire.poll()
    wire.selector.send("0", "twice")
    wire.poll()
    wire.wait(10)
    assert [len(wire.poll().received) for _ in range(3)] == [1, 1, 0]


def test_a_peer_that_closes_is_told_after_its_last_answer():
    wire = Wire()
    wire.connect("0")
    wire.poll()
    wire.selector.send("0", "hello")
    wire.poll()
    wire.poll()
    wire.server.connections[0].close_by_server()
    assert wire.poll().disconnected == [("0", "broken")]


def test_a_socket_that_stood_and_fell_between_two_polls_only_fell():
    wire = Wire()
    wire.connect("0")
    wire.wait(2)
    wire.selector.channels["0"].connection.close_by_server()
    wire.wait(10)
    found = wire.poll()
    assert (found.connected, found.disconnected) == ([], [("0", "broken")])


def test_a_poll_ends_at_once_when_somebody_wakes_it():
    wire = Wire()
    wire.clock.at(20, wire.selector.wakeup)
    wire.poll(timeout_ms=10_000)
    assert wire.clock.now_ms == 20


def test_one_idle_socket_is_closed_per_poll_the_longest_silent_first():
    wire = Wire()
    for id in ("0", "1", "2"):
        wire.connect(id)
        wire.poll()
    wire.wait(IDLE_MS + 100)
    told = [wire.poll(0).disconnected for _ in range(4)]
    assert told == [[("0", "idle")], [("1", "idle")], [("2", "idle")], []]


def test_the_socket_that_was_used_stays():
    wire = Wire()
    for id in ("0", "1"):
        wire.connect(id)
        wire.poll()
    wire.wait(IDLE_MS - 100)
    wire.selector.send("0", "still here")
    wire.poll()
    wire.poll()
    wire.wait(200)
    closed = [item for _ in range(3) for item in wire.poll(0).disconnected]
    assert closed == [("1", "idle")]


def test_exactly_the_limit_is_not_yet_idle():
    wire = Wire()
    wire.connect("0")
    wire.poll()
    used_ms = wire.clock.now_ms
    wire.wait(IDLE_MS)
    assert wire.clock.now_ms == used_ms + IDLE_MS
    until_ms = wire.selector.prepare(0)
    assert wire.selector.collect().disconnected == []
    wire.wait(max(1, until_ms - wire.clock.now_ms))
    assert wire.poll(0).disconnected == [("0", "idle")]


def test_nobody_polls_nobody_closes():
    wire = Wire()
    wire.connect("0")
    wire.poll()
    wire.wait(100 * IDLE_MS)
    assert list(wire.selector.channels) == ["0"]
    assert wire.server.connections == []


def test_minus_one_means_never():
    wire = Wire(idle_ms=-1)
    wire.connect("0")
    wire.poll()
    wire.wait(10_000_000)
    assert wire.poll(0).disconnected == []


def test_closing_all_leaves_nothing_to_tell():
    wire = Wire()
    wire.connect("0")
    wire.connect("1")
    wire.poll()
    wire.selector.close_all()
    wire.wait(100)
    found = wire.poll(0)
    assert (wire.selector.channels, found.disconnected, found.connected) == ({}, [], [])
