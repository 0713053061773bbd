"""What a producer connects to, and what becomes of its records."""

import pytest

from kafkalab import KafkaProducer, ProducerRecord
from kafkalab.clients.producer.partitioner import by_key
from kafkalab.tests.clients.stories import FIRST_FOUR, MINUTE_MS, cluster, kept, node_ids

THREE = "localhost:9092,localhost:9093,localhost:9094"
SEEDS = range(12)


def maker(version, seed=1, partitions=3, leaders=None, **config):
    """A lab with topic t and a producer "shop" in it."""
    lab = cluster(version, seed=seed)
    lab.create_topic("t", partitions, leaders=leaders)
    return lab, KafkaProducer(lab, config, name="shop")


def appended(lab):
    """[(partition, number of records)] of each batch that reached a log."""
    return [(event.partition, len(event.records)) for event in lab.journal.of("record.appended")]


# sockets


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_the_constructor_starts_a_loop_that_connects_by_itself(version):
    lab, _ = maker(version)
    assert lab.sockets() == []
    lab.run_for(1_000)
    assert node_ids(lab)[0] == "-1"


def test_2_2_opens_every_bootstrap_address():
    """KAFKA-8275: it took a socket that was being set up for one more node without unanswered
    requests. Where the first answer is quicker than the second connect, the third is spared."""
    counts = []
    for seed in SEEDS:
        lab, _ = maker("2.2", seed, **{"bootstrap.servers": THREE})
        lab.run_for(5_000)
        counts.append(len([socket for socket in lab.sockets() if socket.role == "bootstrap"]))
    assert counts.count(3) >= 10 and min(counts) >= 2


@pytest.mark.parametrize("seed", SEEDS)
def test_2_3_opens_one_of_them(seed):
    lab, _ = maker("2.3", seed, **{"bootstrap.servers": THREE})
    lab.run_for(5_000)
    assert len([socket for socket in lab.sockets() if socket.role == "bootstrap"]) == 1


def test_which_one_is_a_matter_of_chance():
    first = set()
    for seed in SEEDS:
        lab, _ = maker("2.3", seed, **{"bootstrap.servers": THREE})
        lab.run_for(1_000)
        first.add(node_ids(lab)[0])
    assert first == {"-1", "-2", "-3"}


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_the_first_send_opens_a_socket_to_the_leader(version):
    lab, producer = maker(version, leaders=[2, 2, 2])
    lab.run_for(1_000)
    before = len(lab.sockets())
    producer.send(ProducerRecord("t", "tea")).get()
    opened = lab.sockets()[before:]
    assert "2" in [socket.node_id for socket in opened]
    assert all(socket.role == "data" for socket in opened)


def test_leaders_of_partitions_it_never_wrote_to_are_left_alone():
    lab, producer = maker("2.3", leaders=[0, 1, 2], **{"enable.idempotence": False})
    lab.run_for(1_000)
    for _ in range(5):
        producer.send(ProducerRecord("t", "tea", partition=1)).get()
    requested = [socket for socket in lab.sockets() if socket.purpose == "request"]
    assert {socket.node_id for socket in requested} <= {"1"}


def test_a_producer_that_never_sends_keeps_its_metadata_fresh():
    lab, _ = maker("3.9", **{"enable.idempotence": False})
    lab.run_for(16 * MINUTE_MS)
    asked = [event for event in lab.journal.of("request.sent") if event.api == "METADATA"]
    assert len(asked) >= 3, "metadata.max.age.ms is five minutes"


def test_close_leaves_no_socket_open():
    lab, producer = maker("3.9")
    producer.send(ProducerRecord("t", "tea")).get()
    producer.close()
    producer.close()
    assert kept(lab) == []
    lab.run_for(10 * MINUTE_MS)
    assert kept(lab) == []


# records


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_with_acks_0_nobody_tells_the_offset(version):
    config = {"acks": "0"}
    lab, producer = maker(version, **config)
    assert producer.send(ProducerRecord("t", "tea")).get().offset == -1
    lab.run_for(100)
    assert sum(count for _, count in appended(lab)) == 1


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_with_acks_all_the_offsets_count_up(version):
    _lab, producer = maker(version, partitions=1, **{"acks": "all"})
    assert [producer.send(ProducerRecord("t", str(n))).get().offset for n in range(4)] == [
        0,
        1,
        2,
        3,
    ]


def test_linger_gathers_records_into_one_batch():
    lab, producer = maker("2.3", partitions=1, **{"linger.ms": 100})
    producer.send(ProducerRecord("t", "first")).get()
    before = len(appended(lab))
    sent_ms = lab.now_ms
    futures = []
    for number in range(10):
        futures.append(producer.send(ProducerRecord("t", str(number))))
        lab.run_for(5)
    assert not any(future.done() for future in futures)
    lab.run_for(100)
    assert appended(lab)[before:] == [(0, 10)]
    batch = list(lab.journal.of("record.appended"))[-1]
    assert batch.at_ms - sent_ms >= 100


def test_without_linger_each_goes_when_it_can():
    lab, producer = maker("2.3", partitions=1, **{"linger.ms": 0})
    for number in range(5):
        producer.send(ProducerRecord("t", str(number)))
        lab.run_for(50)
    assert appended(lab) == [(0, 1)] * 5


def test_a_full_batch_does_not_wait_for_linger():
    lab, producer = maker("2.3", partitions=1, **{"linger.ms": 60_000, "batch.size": 1_000})
    for _number in range(6):
        producer.send(ProducerRecord("t", "x" * 400))
    lab.run_for(2_000)
    assert appended(lab) == [(0, 2), (0, 2)], "two fit; the third pair may still grow"


def test_flush_ends_the_waiting():
    lab, producer = maker("2.3", partitions=1, **{"linger.ms": 60_000})
    futures = [producer.send(ProducerRecord("t", str(n))) for n in range(3)]
    producer.flush()
    assert all(future.done() for future in futures)
    assert appended(lab) == [(0, 3)]


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_a_key_leads_to_the_partition_java_would_choose(version):
    _lab, producer = maker(version, partitions=50)
    for key, partition in (
        ("21", 40),
        ("foobar", 16),
        ("a-little-bit-long-string", 12),
        ("abc", 7),
    ):
        assert (
            producer.send(ProducerRecord("t", "v", key=key)).get().partition
            == partition
            == by_key(key.encode(), 50)
        )


def test_a_lost_answer_is_asked_for_again():
    """The record was written, the answer never came: an idempotent producer
    sends again and the broker writes once."""
    lab, producer = maker("3.9", partitions=1)
    producer.send(ProducerRecord("t", "first")).get()
    leader = lab.leader("t", 0)
    future = producer.send(ProducerRecord("t", "second"))
    lab.run_until(lambda: len(appended(lab)) == 2)
    lab.link(leader, "shop").cut()
    lab.run_for(200)
    assert not future.done()
    lab.link(leader, "shop").heal()
    assert future.get().offset == 1
    assert appended(lab) == [(0, 1), (0, 1)]


def test_a_leader_that_comes_back_gets_what_waited():
    lab, producer = maker("2.3", partitions=1, leaders=[1], **{"retries": 1_000_000})
    producer.send(ProducerRecord("t", "first")).get()
    lab.broker(1).crash()
    future = producer.send(ProducerRecord("t", "second"))
    lab.run_for(10_000)
    assert not future.done()
    lab.broker(1).restart()
    assert future.get().offset == 1


def test_a_callback_hears_of_the_outcome():
    _lab, producer = maker("3.9", partitions=1)
    told = []
    producer.send(
        ProducerRecord("t", "tea"), lambda metadata, error: told.append((metadata.offset, error))
    )
    producer.flush()
    assert told == [(0, None)]
