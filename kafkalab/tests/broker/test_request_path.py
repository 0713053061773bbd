"""The way through a broker: a burst queues, threads are shared, answers are not."""

import pytest

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.broker.shell.request_path import RequestPath


def in_ms(steps):
    """When an I/O thread begins with a request and when it is free again."""
    return steps.begun_us // 1_000, steps.ended_us // 1_000


def test_a_request_alone_takes_no_time_that_could_be_seen():
    path = RequestPath(3, 8, 500)
    assert in_ms(path.arrive(0, "PRODUCE", 5)) == (5, 5)
    assert path.table(5) == [] and path.answer(0, 5) == 5


def test_short_requests_add_up():
    path = RequestPath(1, 1, 500)
    done = [in_ms(path.arrive(0, "PRODUCE", 0))[1] for _ in range(1_000)]
    assert done[0] == 0 and done[-1] == 1_000 * 120 // 1_000


def test_connections_are_dealt_to_network_threads_in_turn():
    path = RequestPath(3, 8, 500)
    assert [path.accept() for _ in range(5)] == [0, 1, 2, 0, 1]


def test_a_burst_fills_the_threads_then_the_queue_then_the_sockets():
    path = RequestPath(1, 2, queue_size=3)
    path.keep_busy("PRODUCE", ms=10)
    for number in range(7):
        path.arrive(0, "PRODUCE", 0, "shop", number)
    places = [row["place"] for row in path.table(1)]
    # the network thread has the sixth one in its hands, so nobody reads the seventh
    running = ["I/O thread 0", "I/O thread 1"]
    assert places == [*running, *["request queue"] * 3, "network thread 0", "socket"]
    assert [row["place"] for row in path.table(11)] == [*running, *["request queue"] * 3]
    assert path.table(50) == []


def test_a_slow_api_makes_others_wait_only_when_all_threads_are_taken():
    path = RequestPath(3, 2, 500)
    path.keep_busy("FETCH", ms=100)
    assert in_ms(path.arrive(0, "FETCH", 0)) == (0, 100)
    assert in_ms(path.arrive(1, "METADATA", 0)) == (0, 0)
    assert in_ms(path.arrive(1, "FETCH", 0))[1] == 100
    assert in_ms(path.arrive(2, "METADATA", 0))[0] == 100, "both threads are taken"


def test_a_full_queue_stops_a_network_thread_and_its_answers():
    """RequestChannel.sendRequest blocks, so the answers of that thread wait as well."""
    path = RequestPath(2, 1, queue_size=2)
    path.keep_busy("PRODUCE", ms=10)
    steps = [path.arrive(0, "PRODUCE", 0) for _ in range(4)]
    assert [one.entered_us == one.read_us for one in steps] == [True, True, True, False]
    assert steps[3].entered_us == steps[1].begun_us, "a place is free when the next one begins"
    assert path.answer(0, 1) == 10 and path.answer(1, 1) == 1


def test_the_stages_of_a_request_add_up():
    lab = Lab(brokers=2, seed=5, broker_config={"num.io.threads": 1})
    lab.create_topic("orders", replication_factor=2, leaders=[0])
    lab.broker(0).time_requests()
    shops = [
        KafkaProducer(lab, {"enable.idempotence": False, "acks": acks}, name=f"shop {acks}")
        for acks in ("1", "all")
    ]
    for shop in shops:
        shop.send(ProducerRecord("orders", value="tea")).get()
    lab.broker(1).pause(300)
    lab.broker(0).keep_busy("PRODUCE", ms=20)
    futures = [shop.send(ProducerRecord("orders", value="tea")) for shop in shops]
    assert [future.get().offset for future in futures]
    rows = [row for row in lab.broker(0).request_times() if row["api"] == "PRODUCE"]
    first, second = rows[2:]
    stages = ("request_queue_ms", "local_ms", "remote_ms", "response_queue_ms", "send_ms")
    for row in (first, second):
        assert abs(sum(row[stage] for stage in stages) - row["total_ms"]) < 0.001
        assert all(row[stage] >= 0 for stage in stages)
    assert first["client"] == "shop 1" and first["remote_ms"] == 0
    assert second["request_queue_ms"] > 15, "it waited for the only I/O thread"
    assert second["remote_ms"] > 200 and second["worked_ms"] == 20, "it waited without a thread"


def test_a_connection_is_not_read_before_its_last_request_is_answered():
    """A muted channel of SocketServer: the second PRODUCE waits in the socket."""
    lab = Lab(brokers=2, seed=5)
    lab.create_topic("orders", replication_factor=2, leaders=[0])
    config = {"acks": "all", "enable.idempotence": False, "linger.ms": 0}
    shop = KafkaProducer(lab, config, name="shop")
    shop.send(ProducerRecord("orders", value="tea")).get()
    lab.broker(1).pause(500)
    futures = []
    for _ in range(3):
        futures.append(shop.send(ProducerRecord("orders", value="tea")))
        lab.run_for(ms=20)
    places = [row["place"] for row in lab.broker(0).request_path()]
    assert places.count("produce purgatory") == 1 and places.count("socket") == 2
    assert [future.get().offset for future in futures] == [1, 2, 3]


@pytest.mark.corpus
def test_timing_changes_nothing():
    def text(timed):
        lab = Lab(brokers=1, seed=5)
        lab.create_topic("orders")
        if timed:
            lab.broker(0).time_requests()
        KafkaProducer(lab, name="shop").send(ProducerRecord("orders", value="tea")).get()
        lab.close()
        return lab.log_text("shop"), len(lab.journal.events)

    assert text(timed=True) == text(timed=False)
    lab = Lab(brokers=1, seed=5)
    assert lab.broker(0).request_times() == []


def test_in_a_lab_a_busy_broker_is_seen_in_its_table_and_in_the_journal():
    lab = Lab(brokers=1, seed=5, broker_config={"num.io.threads": 1})
    lab.create_topic("orders")
    shops = [KafkaProducer(lab, {"enable.idempotence": False}, name=f"shop-{n}") for n in range(5)]
    for shop in shops:
        shop.send(ProducerRecord("orders", value="tea")).get()
    lab.broker(0).keep_busy("PRODUCE", ms=50)
    futures = [shop.send(ProducerRecord("orders", value="milk")) for shop in shops]
    lab.run_for(30)
    places = [row["place"] for row in lab.broker(0).request_path()]
    assert places.count("I/O thread 0") == 1 and places.count("request queue") == 4
    assert [future.get().offset for future in futures] and lab.now_ms >= 250
    assert max(event.wait_ms for event in lab.journal.of("request.queued")) >= 195


def test_a_coordinators_own_append_that_waits_has_no_row():
    """Nobody asked for it: the transaction log waits for followers that stand still."""
    lab = Lab(brokers=3, seed=1)
    lab.place_transaction_coordinator("till", 0)
    producer = KafkaProducer(lab, {"transactional.id": "till"}, name="till")
    for follower in (1, 2):
        lab.broker(follower).pause(4_000)
    lab.spawn(lambda lab: producer.init_transactions(), name="shop")
    lab.run_for(ms=500)
    assert lab.broker(0).machine.replicas.produces.waiting, "an append waits for its replicas"
    assert lab.broker(0).request_path() == []
    lab.close()
