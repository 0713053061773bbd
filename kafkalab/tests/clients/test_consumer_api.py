"""The consumer's other API: lag and metrics, questions about offsets and topics, interceptors,
and calls in the wrong state."""

import math

import pytest

from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    OffsetSpec,
    ProducerRecord,
    RecordsToDelete,
    TopicPartition,
)
from kafkalab.errors import (
    ConcurrentModificationException,
    ConfigException,
    IllegalArgumentException,
    IllegalStateException,
    UnsupportedVersionException,
)
from kafkalab.lines import metrics as recorded_metrics

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
FETCH = "consumer-fetch-manager-metrics"


def scene(version="3.9", records=10, **config):
    """Topic t of two partitions, ten records in the first; a consumer of group g."""
    lab = Lab(brokers=1, seed=3, version=version, broker_version="4.4")
    lab.create_topic("t", partitions=2)
    producer = KafkaProducer(lab, {}, name="shop")
    for number in range(records):
        producer.send(ProducerRecord("t", key=str(number), value="v", partition=0))
    producer.flush()
    consumer = KafkaConsumer(
        lab,
        {"group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False, **config},
        name="c",
    )
    return lab, producer, consumer


# lag, three ways


def test_lag_three_ways():
    """The tool and the API count from the committed offset, the metric from the position:
    only the metric sees what was read."""
    lab, _, consumer = scene(**{"max.poll.records": 4})
    consumer.assign([T0])
    while not consumer.poll(1_000):
        pass
    consumer.commit_sync({T0: OffsetAndMetadata(1)})
    assert consumer.end_offsets([T0])[T0] - consumer.committed([T0])[T0].offset == 9
    admin = KafkaAdminClient(lab)
    committed = (
        admin.list_consumer_group_offsets("g").partitions_to_offset_and_metadata().get()[T0].offset
    )
    assert admin.list_offsets({T0: OffsetSpec.latest()}).all().get()[T0].offset - committed == 9
    group = lab.describe_group("g")
    assert list(group["lag"]) == [9] and list(group["partition"]) == [0]
    assert consumer.current_lag(T0) == 6
    assert consumer.metrics()["records-lag-max"] == 6


@pytest.mark.parametrize("version", ["2.3", "2.8"])
def test_a_client_before_3_0_has_no_current_lag(version):
    consumer = KafkaConsumer(Lab(version=version), {"group.id": "g"})
    with pytest.raises(
        UnsupportedVersionException,
        match=f"A consumer {version} has no currentLag: it came with 3.0",
    ):
        consumer.current_lag(T0)


def test_lag_and_lead_of_a_partition_are_those_of_its_last_fetch():
    """records-lag = end - position; records-lead = position - log start (KIP-223)."""
    _, _, consumer = scene(**{"max.poll.records": 4})
    consumer.assign([T0])
    assert math.isnan(consumer.metrics()["records-lag-max"])
    while not consumer.poll(1_000):
        pass
    of = consumer.metrics().of(FETCH, topic="t", partition="0")
    assert (of["records-lag"], of["records-lead"]) == (6, 4)
    consumer.poll(1_000)
    of = consumer.metrics().of(FETCH, topic="t", partition="0")
    assert (of["records-lag"], of["records-lag-max"], of["records-lag-avg"]) == (2, 6, 4)
    assert (of["records-lead"], of["records-lead-min"]) == (8, 4)
    assert consumer.metrics()["records-consumed-total"] == 8


def test_lead_falls_when_retention_catches_up_and_not_because_lag_grows():
    lab, producer, consumer = scene()
    consumer.assign([T0])
    while consumer.position(T0) < 10:
        consumer.poll(1_000)
    assert consumer.metrics().of(FETCH, topic="t", partition="0")["records-lead"] == 10
    KafkaAdminClient(lab).delete_records({T0: RecordsToDelete(8)}).all().get()
    producer.send(ProducerRecord("t", value="v", partition=0)).get()
    while consumer.position(T0) < 11:
        consumer.poll(1_000)
    of = consumer.metrics().of(FETCH, topic="t", partition="0")
    assert (of["records-lag"], of["records-lead"]) == (0, 3)


def test_a_partition_that_is_given_up_takes_its_metrics_along():
    _, _, consumer = scene()
    consumer.assign([T0])
    consumer.poll(1_000)
    consumer.poll(1_000)
    assert consumer.metrics().of(FETCH, topic="t", partition="0")
    consumer.assign([T1])
    assert not consumer.metrics().of(FETCH, topic="t", partition="0")


def test_rates_look_back_over_two_windows():
    """30 s each: ten records within the first window are ten in (nearly) thirty seconds;
    after a minute nothing is left."""
    lab, _, consumer = scene()
    consumer.subscribe(["t"])
    while consumer.metrics()["records-consumed-total"] < 10:
        consumer.poll(1_000)
    rate = consumer.metrics()["records-consumed-rate"]
    assert 10 / 40 <= rate <= 10 / 30
    lab.run_for(61_000)
    assert (
        consumer.metrics()["records-consumed-rate"] == 0
        and consumer.metrics()["records-consumed-total"] == 10
    )


def test_joins_syncs_commits_and_heartbeats_are_counted():
    lab, _, consumer = scene()
    consumer.subscribe(["t"])
    for _ in range(12):
        consumer.poll(1_000)
    consumer.commit_sync()
    counted = consumer.metrics()
    assert (
        counted["join-total"],
        counted["sync-total"],
        counted["rebalance-total"],
        counted["commit-total"],
    ) == (1, 1, 1, 1)
    # the group's initial delay
    assert counted["join-time-max"] >= 3_000
    assert counted["heartbeat-total"] >= 2 and counted["last-heartbeat-seconds-ago"] <= 3
    assert counted["assigned-partitions"] == 2 and counted["connection-count"] == len(
        consumer._client.selector.channels
    )
    lab.run_for(7_500)
    assert (
        consumer.metrics()["last-poll-seconds-ago"] == 8
        or consumer.metrics()["last-poll-seconds-ago"] == 7
    )


def test_the_names_are_those_the_recorded_clients_give():
    """A 3.9.2 consumer names its metrics when it closes.
    (Those of join, sync and heartbeat it keeps to itself.)"""
    _, _, consumer = scene()
    consumer.subscribe(["t"])
    for _ in range(8):
        consumer.poll(1_000)
    known = {
        line.split()[0]
        for table in (
            recorded_metrics.POLL,
            recorded_metrics.COMMITS,
            recorded_metrics.LISTENER,
            recorded_metrics.FETCH,
            recorded_metrics.FETCH_TOPIC,
            recorded_metrics.FETCH_PARTITION,
            recorded_metrics.NETWORK,
        )
        for line in table.strip().splitlines()
    }
    unnamed = ("join-", "sync-", "heartbeat-", "last-heartbeat-", "rebalance-", "last-rebalance-")
    assert [
        name.name
        for name in consumer.metrics()
        if name.name not in known and not name.name.startswith(unnamed)
    ] == []
    old = scene("2.3")[2].metrics()
    assert "last-poll-seconds-ago" not in {name.name for name in old} and "rebalance-total" not in {
        name.name for name in old
    }


def test_metrics_change_nothing():
    def story(looks):
        lab, _, consumer = scene()
        consumer.subscribe(["t"])
        for _ in range(6):
            consumer.poll(700)
            if looks:
                consumer.metrics()
        return lab.log_text("c")

    assert story(True) == story(False)


# questions


def test_offsets_by_time():
    lab, producer, consumer = scene()
    before_ms = lab.epoch_ms + lab.now_ms + 1
    lab.run_for(60_000)
    producer.send(ProducerRecord("t", value="late", partition=0)).get()
    consumer.assign([T0, T1])
    found = consumer.offsets_for_times({T0: before_ms, T1: before_ms})
    assert found[T1] is None and found[T0].offset == 10 and found[T0].timestamp_ms >= before_ms
    assert (consumer.beginning_offsets([T0]), consumer.end_offsets([T0, T1])) == (
        {T0: 0},
        {T0: 11, T1: 0},
    )
    with pytest.raises(
        IllegalArgumentException,
        match="The target time for partition t-0 is -5. The target time cannot be negative.",
    ):
        consumer.offsets_for_times({T0: -5})


def test_topics_and_what_is_read():
    lab, _, consumer = scene()
    lab.create_topic("orders", partitions=3)
    consumer.assign([T0, T1])
    consumer.pause([T1])
    assert consumer.paused() == [T1] and consumer.subscription() == []
    assert consumer.list_topics() == {"orders": [0, 1, 2], "t": [0, 1]}
    assert consumer.partitions_for("orders") == [0, 1, 2]
    consumer.unsubscribe()
    consumer.subscribe(["t"])
    assert consumer.subscription() == ["t"]


# interceptors


class Ledger:
    """Counts what passes by, and leaves out every other record."""

    def __init__(self):
        self.seen, self.commits, self.closed = [], [], False

    def on_consume(self, records):
        self.seen += [record.offset for record in records]
        return [record for record in records if record.offset % 2 == 0]

    def on_commit(self, offsets):
        self.commits.append({str(tp): committed.offset for tp, committed in offsets.items()})

    def close(self):
        self.closed = True


class Broken:
    def on_consume(self, records):
        raise RuntimeError("not today")


def test_interceptors_see_records_and_commits():
    ledger = Ledger()
    _, _, consumer = scene(**{"interceptor.classes": [Broken, ledger]})
    consumer.assign([T0])
    taken = []
    while consumer.position(T0) < 10:
        taken += consumer.poll(1_000)
    consumer.commit_sync()
    consumer.commit_async()
    consumer.poll(100)
    consumer.close()
    assert [record.offset for record in taken] == [0, 2, 4, 6, 8]
    assert (ledger.seen, ledger.commits, ledger.closed) == (
        list(range(10)),
        [{"t-0": 10}, {"t-0": 10}],
        True,
    )


def test_an_asynchronous_commit_leaves_at_once_and_names_partitions_in_the_order_of_hashes():
    """As recorded (group_offsets_manual_commit, group_offsets_auto_commit): the request goes out
    within the call, and Java's HashMap orders what is in it."""
    lab, places = (
        Lab(brokers=3, seed=3),
        [TopicPartition("orders", number) for number in (2, 0, 3, 1)],
    )
    lab.create_topic("orders", partitions=4)
    producer = KafkaProducer(lab, {}, name="shop")
    for place in places:
        producer.send(ProducerRecord("orders", value="v", partition=place.partition))
    producer.flush()
    consumer = KafkaConsumer(
        lab,
        {"group.id": "inventory", "auto.offset.reset": "earliest", "enable.auto.commit": False},
        name="c",
    )
    consumer.assign(places)
    while any(consumer.position(place) < 1 for place in places):
        consumer.poll(500)
    consumer.commit_async()
    sent = [event for event in lab.journal.of("request.sent") if event.api == "OFFSET_COMMIT"]
    assert len(sent) == 1 and lab.now_ms - sent[0].at_ms < 5
    lab.run_for(ms=200)
    assert len(lab.at(lab.now_ms)["groups"]["inventory"]["offsets"]) == 4, (
        "though the program has not polled again"
    )
    consumer.poll(100)
    told = [
        line.split("partition ")[1] for line in lab.lines("c").message if "Committed offset" in line
    ]
    assert told == ["orders-0", "orders-1", "orders-2", "orders-3"]


@pytest.mark.parametrize("given", ["com.shop.Ledger", [3]])
def test_what_is_no_interceptor_is_refused(given):
    with pytest.raises(ConfigException, match="interceptor.classes"):
        scene(**{"interceptor.classes": given})


# the wrong state


def polls_meanwhile(lab, consumer):
    """An app that is inside poll() when the front comes."""
    consumer.assign([T1])
    lab.spawn(lambda lab: consumer.poll(10_000), name="poller")
    lab.run_for(500)


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("2.8", r"KafkaConsumer is not safe for multi-threaded access$"),
        (
            "3.6",
            (
                r"KafkaConsumer is not safe for multi-threaded access. currentThread\(name: main, "
                r"id: 1\) otherThread\(id: 2\)$"
            ),
        ),
    ],
)
def test_a_consumer_is_not_for_two_threads(version, text):
    lab, _, consumer = scene(version)
    polls_meanwhile(lab, consumer)
    for call in (
        lambda: consumer.poll(0),
        consumer.commit_sync,
        lambda: consumer.seek(T1, 0),
        consumer.close,
    ):
        with pytest.raises(ConcurrentModificationException, match=text):
            call()
    consumer.wakeup()  # the one call that is allowed


@pytest.mark.slow
def test_the_same_thread_may_come_in_again():
    """A listener commits inside poll()."""
    _, _, consumer = scene()

    class Commits:
        def on_partitions_assigned(self, partitions):
            consumer.commit_sync({partition: OffsetAndMetadata(0) for partition in partitions})

        def on_partitions_revoked(self, partitions):
            pass

    consumer.subscribe(["t"], Commits())
    for _ in range(5):
        consumer.poll(1_000)
    assert consumer.committed([T0, T1]) == {T0: OffsetAndMetadata(0), T1: OffsetAndMetadata(0)}


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda c: c.poll(0),
            IllegalStateException,
            "Consumer is not subscribed to any topics or assigned any partitions",
        ),
        (
            lambda c: (c.subscribe(["t"]), c.assign([T0])),
            IllegalStateException,
            "Subscription to topics, partitions and pattern are mutually exclusive",
        ),
        (
            lambda c: (c.assign([T0]), c.subscribe(["t"])),
            IllegalStateException,
            "Subscription to topics, partitions and pattern are mutually exclusive",
        ),
        (
            lambda c: c.seek(T0, -1),
            IllegalArgumentException,
            "seek offset must not be a negative number",
        ),
        (lambda c: c.seek(T0, 1), IllegalStateException, "No current assignment for partition t-0"),
        (lambda c: c.pause([T0]), IllegalStateException, "No current assignment for partition t-0"),
        (
            lambda c: c.current_lag(T0),
            IllegalStateException,
            "No current assignment for partition t-0",
        ),
        (
            lambda c: c.close(timeout_ms=-1),
            IllegalArgumentException,
            "The timeout cannot be negative.",
        ),
        (
            lambda c: (c.close(), c.commit_sync()),
            IllegalStateException,
            "This consumer has already been closed.",
        ),
        (
            lambda c: (c.close(), c.assignment()),
            IllegalStateException,
            "This consumer has already been closed.",
        ),
        (
            lambda c: (c.assign([T0]), c.close(), c.current_lag(T0)),
            IllegalStateException,
            "This consumer has already been closed.",
        ),
        (
            lambda c: (c.close(), c.poll(0)),
            IllegalStateException,
            "This consumer has already been closed.",
        ),
        (
            lambda c: (c.close(), c.paused()),
            IllegalStateException,
            "This consumer has already been closed.",
        ),
    ],
)
def test_a_call_in_the_wrong_state_says_what_java_says(call, kind, text):
    _, _, consumer = scene()
    with pytest.raises(kind) as refusal:
        call(consumer)
    assert str(refusal.value).startswith(text)


# designs with several threads


def test_one_consumer_for_each_app():
    """The group divides the work; each app polls its own consumer."""
    lab, _, _ = scene(records=0)
    done = {}

    def worker(lab, name):
        consumer = KafkaConsumer(
            lab, {"group.id": "workers", "auto.offset.reset": "earliest"}, name=name
        )
        consumer.subscribe(["t"])
        for _ in range(20):
            done.setdefault(name, []).extend(record.value for record in consumer.poll(500))
        consumer.close()

    apps = [lab.spawn(worker, name, name=name) for name in ("one", "two")]
    lab.run_for(5_000)
    producer = KafkaProducer(lab, {}, name="later")
    for number in range(8):
        producer.send(ProducerRecord("t", value=str(number), partition=number % 2))
    lab.run_until(lambda: all(app.done for app in apps))
    assert sorted(done["one"] + done["two"], key=int) == [str(number) for number in range(8)]
    assert {len(values) for values in done.values()} == {4}


def test_one_poller_and_a_pool_with_a_queue():
    """Only the poller touches the consumer; workers take from the queue,
    and it commits what they have finished."""
    lab, _, consumer = scene(records=12, **{"max.poll.records": 3})
    queue, finished = [], []

    def poller(lab):
        consumer.assign([T0])
        while len(finished) < 12:
            queue.extend(consumer.poll(100))
            if finished:
                consumer.commit_sync({T0: OffsetAndMetadata(_all_before(finished))})
        consumer.close()

    def worker(lab):
        while len(finished) < 12:
            if queue:
                record = queue.pop(0)
                lab.sleep(30 + 17 * (record.offset % 3))
                finished.append(record.offset)
            else:
                lab.sleep(5)

    apps = [
        lab.spawn(poller, name="poller"),
        lab.spawn(worker, name="worker-1"),
        lab.spawn(worker, name="worker-2"),
    ]
    lab.run_until(lambda: all(app.done for app in apps))
    assert finished != sorted(finished) and sorted(finished) == list(range(12))
    committed = [event.offset for event in lab.journal.of("commit") if "partition" in event.fields]
    assert committed == sorted(committed) and committed[-1] == 12


def _all_before(finished):
    """The first offset that is not finished yet: only what lies before it may be committed."""
    return next(offset for offset in range(len(finished) + 1) if offset not in finished)


def test_a_member_of_the_new_protocol_counts_rebalances_and_no_joins():
    """KIP-848: there is no JOIN_GROUP to count. Everything else is there as well."""
    lab, _, consumer = scene("4.4", **{"group.protocol": "consumer"})
    consumer.subscribe(["t"])
    for _ in range(10):
        consumer.poll(1_000)
    counted = consumer.metrics()
    assert (
        counted["rebalance-total"] == 1
        and counted["heartbeat-total"] >= 2
        and counted["assigned-partitions"] == 2
    )
    assert "join-total" not in {name.name for name in counted}
    assert (consumer.current_lag(T0), counted["records-consumed-total"]) == (0, 10)
    assert list(lab.describe_group("g")["client_id"]) == [consumer.client_id] * 2


@pytest.mark.parametrize(
    "version, words",
    [
        ("2.1", "seek offset must not be a negative number"),
        ("2.2", "Invalid negative offset"),
        ("2.3", "seek offset must not be a negative number"),
    ],
)
def test_a_release_refuses_a_negative_offset_in_its_own_words(version, words):
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("t", partitions=1)
    consumer = KafkaConsumer(lab, version=version)
    with pytest.raises(IllegalArgumentException, match=words):
        consumer.seek(T0, -1)
