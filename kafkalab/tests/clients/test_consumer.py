"""What a consumer connects to, keeps, reads and commits: stories told by the whole simulator."""

import pytest

from kafkalab import (
    CommitFailedException,
    KafkaConsumer,
    KafkaProducer,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.errors import IllegalArgumentException, IllegalStateException, InvalidGroupIdException
from kafkalab.tests.clients.stories import FIRST_FOUR, MINUTE_MS, cluster, kept, node_ids, poll_for
from kafkalab.tests.shares import few

COORDINATOR_1 = {"2.2": "2147483646", "2.3": "2147483646", "3.9": "2147483646", "4.4": "+1"}


def reader(lab, name="inv-1", topics=("t",), **config):
    consumer = KafkaConsumer(lab, {"group.id": "test", **config}, name=name)
    consumer.subscribe(topics)
    return consumer


def write(lab, *values, partition=0):
    producer = KafkaProducer(lab, name=f"till-{lab.now_ms}")
    for value in values:
        producer.send(ProducerRecord("t", value, partition=partition))
    producer.close()


# sockets


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_neither_the_constructor_nor_subscribe_nor_waiting_opens_anything(version):
    lab = cluster(version)
    lab.create_topic("t", partitions=3)
    reader(lab)
    lab.run_for(10 * MINUTE_MS)
    assert lab.sockets() == []


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_the_first_poll_opens_bootstrap_then_coordinator_then_leaders(version):
    lab = cluster(version)
    lab.create_topic("t", partitions=3)
    lab.place_coordinator("test", broker=1)
    poll_for(lab, reader(lab), 6_000)
    bootstrap, *others = lab.sockets("inv-1")
    assert (bootstrap.node_id, bootstrap.broker, bootstrap.role) == ("-1", None, "bootstrap")
    (coordinator,) = (socket for socket in others if socket.role == "coordinator")
    assert (coordinator.node_id, coordinator.broker) == (COORDINATOR_1[version], 1)
    leaders = [socket for socket in others if socket.role == "data"]
    assert sorted((socket.node_id, socket.broker) for socket in leaders) == [
        (str(n), n) for n in range(3)
    ]
    early = [socket for socket in leaders if socket.opened_at_ms < coordinator.opened_at_ms + 1_000]
    assert all(socket.purpose == "telemetry" for socket in early), (
        "leaders come after the group has formed"
    )


@pytest.mark.corpus
def test_four_opened_three_kept_two_brokers_five_partitions():
    """Article C's question. The bootstrap socket has nothing more
    to do and is idle for nine minutes."""
    lab = cluster("2.3", brokers=2)
    lab.create_topic("t", partitions=5)
    lab.place_coordinator("test", broker=1)
    consumer = reader(lab)
    poll_for(lab, consumer, 10_000)
    assert sorted(node_ids(lab)) == ["-1", "0", "1", "2147483646"]
    assert len(kept(lab)) == 4
    poll_for(lab, consumer, 10 * MINUTE_MS, timeout_ms=1_000)
    assert sorted(node_ids(lab)) == ["-1", "0", "1", "2147483646"]
    assert sorted(kept(lab)) == ["0", "1", "2147483646"]
    (closed,) = (socket for socket in lab.sockets() if socket.closed_at_ms is not None)
    assert (closed.node_id, closed.how) == ("-1", "idle")
    assert 9 * MINUTE_MS < closed.closed_at_ms < 9 * MINUTE_MS + 2_000


def test_three_opened_two_kept_where_one_broker_leads_all():
    lab = cluster("2.3", brokers=2)
    lab.create_topic("t", partitions=5, leaders=[0] * 5)
    lab.place_coordinator("test", broker=1)
    consumer = reader(lab)
    poll_for(lab, consumer, 10 * MINUTE_MS, timeout_ms=1_000)
    assert node_ids(lab) == ["-1", "2147483646", "0"]
    assert kept(lab) == ["2147483646", "0"]


def test_coordinator_and_leader_on_one_broker_are_two_sockets():
    lab = cluster("2.3", brokers=1)
    lab.create_topic("t")
    poll_for(lab, reader(lab), 6_000)
    assert node_ids(lab) == ["-1", "2147483647", "0"]


def test_a_consumer_without_a_group_has_no_coordinator():
    lab = cluster("3.9")
    lab.create_topic("t", partitions=2, leaders=[0, 2])
    consumer = KafkaConsumer(lab, name="inv-1")
    consumer.assign([TopicPartition("t", 0), TopicPartition("t", 1)])
    poll_for(lab, consumer, 2_000)
    assert {socket.role for socket in lab.sockets()} == {"bootstrap", "data"}


@pytest.mark.parametrize("version", few(FIRST_FOUR, 2))
def test_a_paused_consumer_stays_a_member_and_lets_leaders_idle_out(version):
    lab = cluster(version)
    lab.create_topic("t", partitions=3)
    lab.place_coordinator("test", broker=1)
    consumer = reader(lab)
    poll_for(lab, consumer, 10_000)
    consumer.pause(consumer.assignment())
    poll_for(lab, consumer, 20 * MINUTE_MS, timeout_ms=1_000)
    closed = [socket for socket in lab.sockets() if socket.role == "data" and socket.how == "idle"]
    assert len(closed) >= 2, "one at most is kept busy, by metadata"
    assert COORDINATOR_1[version] in kept(lab)
    assert len(consumer.assignment()) == 3
    consumer.resume(consumer.assignment())
    write(lab, "back again", partition=2)
    assert [record.value for record in poll_for(lab, consumer, 3_000)] == ["back again"]


@pytest.mark.slow
def test_who_does_not_poll_closes_nothing():
    lab = cluster("2.3")
    lab.create_topic("t", partitions=3)
    consumer = reader(lab, **{"max.poll.interval.ms": 86_400_000})
    poll_for(lab, consumer, 10_000)
    data = [socket.node_id for socket in lab.sockets() if socket.role == "data"]
    lab.run_for(8 * MINUTE_MS)
    assert set(data) <= set(kept(lab))


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_close_leaves_no_socket_open(version):
    lab = cluster(version)
    lab.create_topic("t", partitions=3)
    consumer = reader(lab)
    poll_for(lab, consumer, 6_000)
    consumer.close()
    assert kept(lab) == []
    assert {socket.how for socket in lab.sockets()} <= {"close", "self"}
    opened = len(lab.sockets())
    consumer.close()
    lab.run_for(MINUTE_MS)
    assert len(lab.sockets()) == opened


def test_bootstrap_of_an_address_where_nobody_listens():
    lab = cluster("2.3")
    lab.create_topic("t")
    consumer = reader(lab, **{"bootstrap.servers": "localhost:9999"})
    assert poll_for(lab, consumer, 5_000) == []
    assert {socket.how for socket in lab.sockets()[:-1]} == {"failed"}
    gaps_ms = [
        b.opened_at_ms - a.opened_at_ms
        for a, b in zip(lab.sockets(), lab.sockets()[1:], strict=False)
    ]
    assert max(gaps_ms[-2:]) > 3 * gaps_ms[0], "each failure doubles the wait"


# what cannot be asked of it


def test_after_close_nothing_can_be_asked():
    lab = cluster("3.9")
    lab.create_topic("t")
    consumer = reader(lab)
    consumer.close()
    t0 = TopicPartition("t", 0)
    for ask in (
        lambda: consumer.poll(10),
        lambda: consumer.subscribe(["t"]),
        lambda: consumer.assign([t0]),
        lambda: consumer.seek(t0, 0),
        lambda: consumer.pause([t0]),
        lambda: consumer.position(t0),
        consumer.commit_sync,
        lambda: consumer.partitions_for("t"),
        consumer.unsubscribe,
    ):
        with pytest.raises(IllegalStateException, match="already been closed"):
            ask()


def test_a_subscription_needs_a_group_and_a_list():
    lab = cluster("3.9")
    with pytest.raises(InvalidGroupIdException):
        KafkaConsumer(lab).subscribe(["t"])
    with pytest.raises(IllegalArgumentException, match="subscribe\\(\\['orders'\\]\\)"):
        KafkaConsumer(lab, {"group.id": "test"}).subscribe("orders")


def test_one_is_assigned_by_the_group_or_by_hand():
    lab = cluster("3.9")
    lab.create_topic("t")
    consumer = reader(lab)
    with pytest.raises(IllegalStateException, match="mutually exclusive"):
        consumer.assign([TopicPartition("t", 0)])
    consumer.unsubscribe()
    consumer.assign([TopicPartition("t", 0)])
    with pytest.raises(IllegalStateException, match="mutually exclusive"):
        consumer.subscribe(["t"])


@pytest.mark.parametrize("timeout_ms", [-1, 0.5, "100", None])
def test_a_poll_waits_whole_milliseconds(timeout_ms):
    lab = cluster("3.9")
    with pytest.raises(IllegalArgumentException):
        reader(lab).poll(timeout_ms=timeout_ms)


def test_seek_goes_to_what_is_assigned_and_not_below_zero():
    lab = cluster("3.9")
    lab.create_topic("t")
    consumer = KafkaConsumer(lab)
    with pytest.raises(IllegalStateException, match="No current assignment for partition t-0"):
        consumer.seek(TopicPartition("t", 0), 5)
    consumer.assign([TopicPartition("t", 0)])
    with pytest.raises(IllegalArgumentException, match="negative"):
        consumer.seek(TopicPartition("t", 0), -1)


# records and offsets


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_what_was_written_is_read_once_and_in_order(version):
    lab = cluster(version)
    lab.create_topic("t", partitions=2)
    write(lab, *"abcdef", partition=0)
    write(lab, *"uvw", partition=1)
    records = poll_for(lab, reader(lab, **{"auto.offset.reset": "earliest"}), 6_000)
    assert [r.value for r in records if r.partition == 0] == list("abcdef")
    assert [r.offset for r in records if r.partition == 1] == [0, 1, 2]


def test_latest_begins_where_the_log_ended():
    lab = cluster("3.9")
    lab.create_topic("t")
    write(lab, "old")
    consumer = reader(lab)
    assert poll_for(lab, consumer, 6_000) == []
    write(lab, "new")
    assert [record.value for record in poll_for(lab, consumer, 2_000)] == ["new"]


def test_a_topic_of_200_partitions_is_read_whole():
    lab = cluster("3.9")
    lab.create_topic("t", partitions=200)
    producer = KafkaProducer(lab)
    for number in range(400):
        producer.send(ProducerRecord("t", str(number), key=str(number)))
    producer.flush()
    records = poll_for(lab, reader(lab, **{"auto.offset.reset": "earliest"}), 8_000)
    assert sorted(int(record.value) for record in records) == list(range(400))


def test_brokers_may_have_any_ids():
    lab = cluster("2.3", brokers={5: "localhost:9092", 9: "localhost:9093"})
    lab.create_topic("t", partitions=2)
    lab.place_coordinator("test", broker=9)
    poll_for(lab, reader(lab), 6_000)
    assert sorted(node_ids(lab)) == ["-1", "2147483638", "5", "9"]


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_after_a_restart_reading_goes_on_at_the_committed_offset(version):
    lab = cluster(version)
    lab.create_topic("t")
    write(lab, "a", "b", "c")
    settings = {"auto.offset.reset": "earliest", "enable.auto.commit": False}
    first = reader(lab, **settings)
    assert len(poll_for(lab, first, 5_000)) == 3
    first.commit_sync()
    first.close()
    write(lab, "d")
    second = reader(lab, name="inv-2", **settings)
    assert [record.value for record in poll_for(lab, second, 8_000)] == ["d"]
    assert second.committed([TopicPartition("t", 0)])[TopicPartition("t", 0)].offset == 3


def test_without_a_commit_everything_comes_again():
    lab = cluster("3.9")
    lab.create_topic("t")
    write(lab, "a", "b")
    settings = {"auto.offset.reset": "earliest", "enable.auto.commit": False}
    for name in ("inv-1", "inv-2"):
        consumer = reader(lab, name=name, **settings)
        assert [record.value for record in poll_for(lab, consumer, 6_000)] == ["a", "b"]
        consumer.close()


def test_seek_reads_again_from_there():
    lab = cluster("3.9")
    lab.create_topic("t")
    write(lab, "a", "b", "c")
    consumer = reader(lab, **{"auto.offset.reset": "earliest"})
    poll_for(lab, consumer, 5_000)
    consumer.seek(TopicPartition("t", 0), 1)
    assert consumer.position(TopicPartition("t", 0)) == 1
    assert [record.value for record in poll_for(lab, consumer, 1_000)] == ["b", "c"]


@pytest.mark.parametrize("to", [0, 1, 3])
def test_seek_drops_what_is_left_of_an_answer_that_was_taken_in_part(to):
    """The broker sent four records, the application took two;
    the other two are not next any more (Fetcher.fetchRecords)."""
    lab = cluster("3.9")
    lab.create_topic("t")
    write(lab, "a", "b", "c", "d")
    consumer = reader(lab, **{"auto.offset.reset": "earliest", "max.poll.records": 2})
    assert [record.value for record in consumer.poll(5_000)] == ["a", "b"]
    consumer.seek(TopicPartition("t", 0), to)
    assert [record.value for record in poll_for(lab, consumer, 2_000)] == ["a", "b", "c", "d"][to:]


# the group


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_who_works_longer_than_max_poll_interval_cannot_commit(version):
    """KIP-62: heartbeats go on while the application works, until this limit;
    then the client leaves by itself."""
    lab = cluster(version)
    lab.create_topic("t")
    write(lab, "a")
    ends = []

    def work(lab):
        consumer = reader(
            lab,
            **{
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "max.poll.interval.ms": 10_000,
            },
        )
        while not consumer.poll(timeout_ms=500):
            pass
        lab.sleep(ms=12_000)
        try:
            consumer.commit_sync()
        except CommitFailedException:
            ends.append(lab.now_ms)
        again = poll_for(lab, consumer, 8_000)
        ends.append([record.value for record in again])

    lab.spawn(work)
    lab.run_for(40_000)
    assert len(ends) == 2, "the commit failed"
    assert ends[1] == ["a"], "and the record came a second time"


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_who_comes_back_after_a_day_joins_anew(version):
    lab = cluster(version)
    lab.create_topic("t", partitions=3)
    consumer = reader(lab)
    poll_for(lab, consumer, 5_000)
    lab.run_for(24 * 60 * MINUTE_MS)
    poll_for(lab, consumer, 8_000)
    assert len(consumer.assignment()) == 3
    consumer.commit_sync()


def test_who_works_less_than_that_may():
    lab = cluster("3.9")
    lab.create_topic("t")
    consumer = reader(lab, **{"enable.auto.commit": False, "max.poll.interval.ms": 10_000})
    poll_for(lab, consumer, 5_000)
    lab.run_for(9_000)
    consumer.commit_sync()


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_two_members_share_and_the_one_who_stays_takes_all(version):
    lab = cluster(version)
    lab.create_topic("t", partitions=4)
    one, two = reader(lab, "inv-1"), reader(lab, "inv-2")
    for _ in range(60):
        one.poll(timeout_ms=100)
        two.poll(timeout_ms=100)
    assert len(one.assignment()) == len(two.assignment()) == 2
    assert sorted(one.assignment() + two.assignment()) == [TopicPartition("t", n) for n in range(4)]
    two.close()
    poll_for(lab, one, 6_000)
    assert len(one.assignment()) == 4


def test_two_members_may_have_one_client_id():
    lab = cluster("3.9")
    lab.create_topic("t", partitions=2)
    pair = [KafkaConsumer(lab, {"group.id": "test", "client.id": "twin"}) for _ in range(2)]
    for consumer in pair:
        consumer.subscribe(["t"])
    for _ in range(60):
        for consumer in pair:
            consumer.poll(timeout_ms=100)
    assert [len(consumer.assignment()) for consumer in pair] == [1, 1]
    assert len({socket.client for socket in lab.sockets()}) == 2, "the journal tells them apart"


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_a_lost_coordinator_is_found_again(version):
    lab = cluster(version)
    lab.create_topic("t", partitions=2, leaders=[0, 2])
    lab.place_coordinator("test", broker=1)
    consumer = reader(lab, **{"enable.auto.commit": False})
    poll_for(lab, consumer, 5_000)
    lab.broker(1).crash()
    poll_for(lab, consumer, 3_000)
    assert any(socket.how == "peer" for socket in lab.sockets() if socket.role == "coordinator")
    lab.broker(1).restart()
    poll_for(lab, consumer, 10_000)
    assert [socket.how for socket in lab.sockets() if socket.role == "coordinator"][-1] is None
    assert len(consumer.assignment()) == 2
    consumer.commit_sync()


def test_listeners_run_inside_poll_and_may_commit():
    lab = cluster("3.9")
    lab.create_topic("t", partitions=2)
    told = []

    class Listener:
        def on_partitions_assigned(self, partitions):
            told.append(("assigned", sorted(partitions), lab.now_ms))

        def on_partitions_revoked(self, partitions):
            consumer.commit_sync()
            told.append(("revoked", sorted(partitions), lab.now_ms))

    consumer = KafkaConsumer(lab, {"group.id": "test"}, name="inv-1")
    consumer.subscribe(["t"], Listener())
    lab.run_for(2_000)
    assert told == []
    poll_for(lab, consumer, 5_000)
    consumer.close()
    both = [TopicPartition("t", 0), TopicPartition("t", 1)]
    assert [(what, partitions) for what, partitions, _ in told] == [
        ("assigned", both),
        ("revoked", both),
    ]
