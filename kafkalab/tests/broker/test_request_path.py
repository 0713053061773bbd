"""The way through a broker: a burst queues, threads are shared, answers are not."""

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.broker.shell.request_path import RequestPath


def test_a_request_alone_takes_no_time_that_could_be_seen():
    path = RequestPath(3, 8, 500)
    assert path.arrive(0, "PRODUCE", 5) == (5, 5) and path.table(5) == [] and path.answer(0, 5) == 5


def test_short_requests_add_up():
    path = RequestPath(1, 1, 500)
    done = [path.arrive(0, "PRODUCE", 0)[1] for _ in range(1_000)]
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
    assert places == ["I/O thread 0", "I/O thread 1"] + ["request queue"] * 3 + ["socket"] * 2
    assert [row["place"] for row in path.table(11)] == ["I/O thread 0", "I/O thread 1"] + [
        "request queue"
    ] * 3
    assert path.table(50) == []


def test_a_slow_api_makes_others_wait_only_when_all_threads_are_taken():
    path = RequestPath(3, 2, 500)
    path.keep_busy("FETCH", ms=100)
    assert path.arrive(0, "FETCH", 0) == (0, 100) and path.arrive(1, "METADATA", 0) == (0, 0)
    assert path.arrive(1, "FETCH", 0)[1] == 100
    assert path.arrive(2, "METADATA", 0)[0] == 100, "both threads are taken"


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
