"""TCP never loses one message of a connection: it arrives in order, or the link breaks."""

from kafkalab.sim.network import Network
from kafkalab.sim.rng import Streams
from kafkalab.sim.scheduler import Scheduler

HOST, PORT = "localhost", 9092


class Diary:
    """An end of a connection that writes down what it is told, and when."""

    name = "broker-0"

    def __init__(self, clock):
        self.clock, self.pages = clock, []

    def _write(self, what):
        self.pages.append((self.clock.now_ms, what))

    def connected(self, connection):
        self._write("connected")

    def refused(self, connection):
        self._write("refused")

    def received(self, connection, message):
        self._write(message)

    def broken(self, connection):
        self._write("broken")

    def ended(self, connection):
        self._write("ended")

    @property
    def words(self):
        return [what for _, what in self.pages]


def town(latency_ms=2, jitter_ms=0):
    """A clock, a network with one server at HOST:PORT, and the diaries of client and server."""
    clock = Scheduler()
    network = Network(clock, Streams(7), latency_ms, jitter_ms)
    client, server = Diary(clock), Diary(clock)
    network.listen(HOST, PORT, server)
    return clock, network, client, server


def run(clock, ms=100):
    clock.run_until(lambda: False, clock.now_ms + ms)


def test_a_connection_takes_a_round_trip_and_a_message_half_of_one():
    clock, network, client, server = town(latency_ms=5)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock)
    assert client.pages == [(10, "connected")]
    connection.send("hello")
    run(clock)
    assert server.pages == [(105, "hello")]


def test_messages_arrive_in_the_order_they_were_sent_however_the_latency_jumps():
    clock, network, client, server = town(latency_ms=1, jitter_ms=50)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock, 500)
    for number in range(40):
        connection.send(number)
        connection.reply(-number)
    run(clock, 500)
    assert server.words == list(range(40))
    assert client.words[1:] == [-number for number in range(40)]


def test_a_cut_breaks_both_ends_and_loses_what_was_on_the_way():
    clock, network, client, server = town()
    connection = network.connect("shop", HOST, PORT, client)
    run(clock)
    connection.send("lost")
    connection.reply("lost too")
    network.link("shop", "broker-0").cut()
    run(clock)
    assert client.words == ["connected", "broken"]
    assert server.words == ["broken"]


def test_a_cut_link_refuses_until_it_is_healed():
    clock, network, client, _ = town()
    network.link("shop", "broker-0").cut()
    network.connect("shop", HOST, PORT, client)
    run(clock)
    network.link("shop", "broker-0").heal()
    network.connect("shop", HOST, PORT, client)
    run(clock)
    assert client.words == ["refused", "connected"]


def test_another_clients_link_is_another_link():
    clock, network, client, _ = town()
    other = Diary(clock)
    network.connect("shop", HOST, PORT, client)
    network.connect("audit", HOST, PORT, other)
    run(clock)
    network.link("shop", "broker-0").cut()
    run(clock)
    assert client.words[-1] == "broken"
    assert other.words == ["connected"]


def test_where_nobody_listens_one_is_refused():
    clock, network, client, _ = town()
    network.connect("shop", HOST, 9999, client)
    run(clock)
    assert client.pages == [(4, "refused")]


def test_a_server_that_leaves_breaks_its_connections_and_refuses_new_ones():
    clock, network, client, server = town()
    network.connect("shop", HOST, PORT, client)
    run(clock)
    network.stop_listening(HOST, PORT)
    network.connect("shop", HOST, PORT, client)
    run(clock)
    assert sorted(client.words[1:]) == ["broken", "refused"]
    network.listen(HOST, PORT, server)
    network.connect("shop", HOST, PORT, client)
    run(clock)
    assert client.words[-1] == "connected"


def test_who_closes_hears_nothing_more_and_the_other_hears_it_a_latency_later():
    clock, network, client, server = town(latency_ms=5)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock)
    connection.reply("too late")
    connection.close()
    connection.close()
    run(clock)
    assert client.words == ["connected"]
    assert server.pages == [(105, "ended")]


def test_what_was_sent_before_an_end_closes_arrives_before_the_other_end_hears_of_it():
    clock, network, client, server = town(latency_ms=1, jitter_ms=50)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock, 500)
    for number in range(20):
        connection.send(number)
    connection.close()
    run(clock, 500)
    assert server.words == [*range(20), "ended"]
    assert network.link("shop", "broker-0").connections == []


def test_a_process_that_dies_has_sent_what_it_wrote_whichever_end_it_is():
    clock, network, client, server = town(latency_ms=1, jitter_ms=50)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock, 500)
    connection.send("lost, for nobody reads it")
    for number in range(20):
        connection.reply(number)
    network.stop_listening(HOST, PORT)
    run(clock, 500)
    assert client.words == ["connected", *range(20), "broken"]
    assert server.words == []
    network.listen(HOST, PORT, server)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock, 500)
    connection.send("written")
    network.kill("shop")
    run(clock, 500)
    assert server.words == ["written", "ended"]


def test_a_cut_loses_what_a_closed_end_had_sent():
    clock, network, client, server = town(latency_ms=5)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock)
    connection.send("lost")
    connection.close()
    network.link("shop", "broker-0").cut()
    run(clock)
    assert server.words == ["broken"]
    assert client.words == ["connected"]


def test_the_server_may_close_too():
    clock, network, client, server = town(latency_ms=5)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock)
    connection.close_by_server()
    run(clock)
    assert client.pages[-1] == (105, "broken")
    assert server.words == []


def test_latency_can_be_set_for_the_next_message():
    clock, network, client, server = town(latency_ms=1)
    connection = network.connect("shop", HOST, PORT, client)
    run(clock)
    network.link("shop", "broker-0").set_latency(ms=20)
    connection.send("slow")
    run(clock)
    assert server.pages == [(120, "slow")]
