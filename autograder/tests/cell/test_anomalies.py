"""Anomalies, on labs that really have them: each is named, said in a sentence and proved by its
rows. And on labs that have none, silence."""

import json

import pytest

from autograder.cell.anomalies import MOST_ROWS, NAMES, anomalies, first_anomaly
from autograder.cell.runs import done, run_of
from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.errors import KafkaException

ORDERS = TopicPartition("orders", 0)
QUICK = {
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 1_000,
    "replica.lag.time.max.ms": 2_000,
    "broker.session.timeout.ms": 2_000,
}
READING = {
    "group.id": "stock",
    "auto.offset.reset": "earliest",
    "enable.auto.commit": False,
    "session.timeout.ms": 2_000,
    "heartbeat.interval.ms": 500,
}


def cluster(seed=5, replicas=3, partitions=1, **settings):
    lab = Lab(brokers=3, seed=seed, broker_config={**QUICK, **settings})
    lab.create_topic(
        "orders",
        partitions=partitions,
        replication_factor=replicas,
        leaders=[index % 3 for index in range(partitions)],
    )
    lab.place_coordinator("stock", broker=2)
    return lab


def shop(lab, count, name="shop", **config):
    """A producer that has sent `count` records, each with a key of its own,
    and waited for what became of them."""
    producer = KafkaProducer(lab, {"linger.ms": 0, **config}, name=name)
    for number in range(count):
        producer.send(ProducerRecord("orders", key=f"tea-{number}", value="tea", partition=0))
    lab.run_for(ms=500)
    return producer


def reader(lab, name, **config):
    consumer = KafkaConsumer(lab, {**READING, "client.id": name, **config}, name=name)
    consumer.subscribe(["orders"])
    return consumer


def read_for(lab, consumer, ms, commits=True, works=True):
    """Poll, work, commit, as one should."""
    until = lab.now_ms + ms
    while lab.now_ms < until:
        for record in consumer.poll(timeout_ms=200):
            if works:
                done(lab, consumer.name, record)
            if commits:
                consumer.commit_sync(
                    {
                        TopicPartition(record.topic, record.partition): OffsetAndMetadata(
                            record.offset + 1
                        )
                    }
                )


def judged(lab, *wanted):
    """The anomalies of a run that has travelled as JSON, and that they are fit to be read."""
    found = anomalies(json.loads(json.dumps(run_of(lab))), *([wanted] if wanted else []))
    for anomaly in found:
        assert (
            anomaly.sentence.endswith(".")
            and 2 <= len(anomaly.proof) <= MOST_ROWS
            and all(" ms  " in row for row in anomaly.proof)
        )
    return found


@pytest.mark.parametrize("seed", range(4))
def test_where_nothing_goes_wrong_nothing_is_said(seed):
    lab = cluster(seed, partitions=3)
    producer = KafkaProducer(lab, {"acks": "all"}, name="shop")
    for number in range(12):
        producer.send(ProducerRecord("orders", key=f"tea-{number}", value="tea"))
    first, second = reader(lab, "ada"), None

    def work(lab, consumer):
        read_for(lab, consumer, 12_000)
        consumer.close()

    lab.spawn(work, first, name="ada")
    lab.run_for(ms=5_000)
    second = reader(lab, "bo")
    lab.spawn(work, second, name="bo")  # a rebalance in the middle is no anomaly
    for number in range(12, 20):
        producer.send(ProducerRecord("orders", key=f"tea-{number}", value="tea"))
    lab.run_for(ms=14_000)
    assert judged(lab) == [] and len(run_of(lab)["groups"]) == 2


def test_a_crash_that_the_cluster_is_made_for_loses_nothing():
    lab = cluster()
    shop(lab, 5, acks="all")
    consumer = reader(lab, "ada")
    read_for(lab, consumer, 3_000)
    lab.broker(0).crash()
    read_for(lab, consumer, 8_000)
    lab.broker(0).restart()
    read_for(lab, consumer, 5_000)
    assert judged(lab) == []


def test_lost_with_acks_1_when_the_leader_dies_before_anybody_copied():
    lab = cluster()
    shop(lab, 3, acks="all", **{"client.id": "careful"})
    for broker in (1, 2):
        # the followers copy nothing more, and are not yet out of the ISR
        lab.link(0, f"broker-{broker}").cut()
    producer = KafkaProducer(
        lab, {"acks": "1", "linger.ms": 0, "enable.idempotence": False}, name="hasty"
    )
    producer.send(ProducerRecord("orders", key="coffee", value="x", partition=0))
    lab.run_for(ms=300)
    lab.broker(0).crash()
    lab.run_for(ms=10_000)
    found = judged(lab)
    assert [anomaly.name for anomaly in found] == ["lost"]
    assert found[0].sentence == (
        "coffee was acknowledged at orders-0@3, and is lost: at the end nothing stands at its "
        "place."
    )
    rows = "\n".join(found[0].proof)
    assert (
        "hasty        sends coffee" in rows
        and "coffee is acknowledged at orders-0@3" in rows
        and "dies (crash)" in rows
        and "leads orders-0" in rows
    )


def test_lost_by_an_unclean_election():
    from kafkalab.tests.scenarios.unclean_election import tell

    told = tell()
    assert {anomaly.name for anomaly in judged(told.labs[True])} == {"lost"}
    assert [anomaly.sentence.split()[0] for anomaly in judged(told.labs[True])] == [
        "salt",
        "rice",
        "oil",
        "flour",
    ]
    assert judged(told.labs[False]) == []


def test_lost_when_the_commit_comes_before_the_work():
    lab = cluster()
    shop(lab, 3)

    def hasty(lab):
        consumer = reader(lab, "ada")
        while True:
            records = consumer.poll(timeout_ms=200)
            consumer.commit_sync()
            for record in records:
                lab.sleep(400)
                done(lab, "ada", record)

    lab.spawn(hasty, name="ada")
    lab.run_until(
        lambda: any(fact["what"] == "done" for fact in run_of(lab)["facts"]), timeout_ms=8_000
    )
    lab.kill("ada")
    read_for(lab, reader(lab, "bo"), 6_000)
    found = judged(lab)
    assert {anomaly.name for anomaly in found} == {"lost"} and len(found) == 2
    assert found[0].sentence == (
        "tea-1 (orders-0@1) is lost to group stock: ada committed 3, past it, and nobody has "
        "finished the work on it."
    )
    assert any("dies (kill -9)" in row for row in found[0].proof)


@pytest.mark.corpus
def test_duplicated_when_the_work_comes_before_the_commit():
    lab = cluster()
    shop(lab, 3)

    def careful(lab):
        consumer = reader(lab, "ada")
        while True:
            for record in consumer.poll(timeout_ms=200):
                done(lab, "ada", record)
                lab.sleep(400)
            consumer.commit_sync()

    lab.spawn(careful, name="ada")
    lab.run_until(
        lambda: sum(fact["what"] == "done" for fact in run_of(lab)["facts"]) == 2, timeout_ms=8_000
    )
    lab.kill("ada")
    read_for(lab, reader(lab, "bo"), 6_000)
    found = judged(lab)
    assert [(anomaly.name, anomaly.sentence) for anomaly in found] == [
        (
            "duplicated",
            (
                f"tea-{n} (orders-0@{n}) was finished twice in group stock, by ada and by bo; "
                "nothing had been committed by then."
            ),
        )
        for n in (0, 1)
    ]


def test_duplicated_by_a_retry_whose_first_answer_was_lost():
    for idempotent in (False, True):
        lab = cluster()
        lab.link(0, "shop").cut_before_reply("PRODUCE")
        producer = KafkaProducer(
            lab,
            {"enable.idempotence": idempotent, "linger.ms": 0, "request.timeout.ms": 1_500},
            name="shop",
        )
        producer.send(ProducerRecord("orders", key="tea", value="x", partition=0))
        lab.run_for(ms=1_000)
        lab.link(0, "shop").heal()
        lab.run_for(ms=8_000)
        found = judged(lab)
        assert [anomaly.name for anomaly in found] == ([] if idempotent else ["duplicated"])
        if found:
            assert found[0].sentence.startswith(
                "tea was sent once and stands in the log twice, at orders-0@0 and orders-0@1."
            )
            assert sum("writes tea at orders-0@" in row for row in found[0].proof) == 2


def test_skipped_when_somebody_commits_past_what_was_read():
    lab = cluster()
    shop(lab, 6)
    ada = reader(lab, "ada")
    while not ada.poll(timeout_ms=200):
        pass
    # the records it was given, and three that it was not
    ada.commit_sync({ORDERS: OffsetAndMetadata(9)})
    ada.close()
    producer = shop(lab, 0, name="shop-2")
    for number in range(6, 12):
        producer.send(ProducerRecord("orders", key=f"tea-{number}", value="tea", partition=0))
    read_for(lab, reader(lab, "bo"), 6_000, works=False)
    found = judged(lab)
    assert [(anomaly.name, anomaly.sentence) for anomaly in found] == [
        ("skipped", f"tea-{n} (orders-0@{n}) was skipped: group stock was given 9 and never {n}.")
        for n in (6, 7, 8)
    ]
    assert any("commits orders-0@9 for group stock" in row for row in found[0].proof)


def test_reordered_by_retries_with_several_requests_in_flight():
    """What is refused while too few replicas are in sync comes again later,
    behind what was accepted meanwhile."""
    for idempotent in (False, True):
        lab = cluster(**{"min.insync.replicas": 2})
        producer = KafkaProducer(
            lab,
            {
                "enable.idempotence": idempotent,
                "acks": "all",
                "linger.ms": 0,
                "batch.size": 1,
                "retry.backoff.ms": 300,
                "max.in.flight.requests.per.connection": 5,
            },
            name="shop",
        )
        producer.send(ProducerRecord("orders", key="zero", value="x", partition=0)).get()
        # far away, so that several requests are under way at once
        lab.link(0, "shop").set_latency(ms=80)
        for broker in (1, 2):
            lab.broker(broker).crash()
        lab.run_until(
            lambda: list(lab.cluster.partition("orders", 0).isr) == [0], timeout_ms=20_000
        )
        for broker in (1, 2):
            lab.broker(broker).restart()
        for number in range(4):
            producer.send(ProducerRecord("orders", key=f"tea-{number}", value="x", partition=0))
            lab.run_for(ms=30)
        lab.run_for(ms=6_000)
        found = judged(lab)
        assert [anomaly.name for anomaly in found] == ([] if idempotent else ["reordered"])
        if found:
            assert (
                found[0].sentence.startswith("shop sent tea-")
                and "but in orders-0 it stands behind it, at " in found[0].sentence
            )


def test_reordered_work():
    lab = cluster()
    shop(lab, 3)
    consumer = reader(lab, "ada")
    while not (records := list(consumer.poll(timeout_ms=200))):
        pass
    for record in (records[0], records[2], records[1]):  # a pool of workers, one of them slow
        done(lab, "ada", record)
    consumer.commit_sync()
    found = judged(lab)
    assert [anomaly.sentence for anomaly in found] == [
        (
            "group stock finished tea-1 (orders-0@1) after tea-2 (orders-0@2), which stands behind "
            "it in orders-0."
        )
    ]


def test_nonmonotonic_commits_and_positions():
    lab = cluster()
    shop(lab, 5)
    ada = reader(lab, "ada")
    read_for(lab, ada, 3_000, works=False)
    ada.commit_sync({ORDERS: OffsetAndMetadata(2)})  # a late retry of an old commit
    found = judged(lab)
    assert [(anomaly.name, anomaly.sentence) for anomaly in found] == [
        ("nonmonotonic", "the committed offset of group stock for orders-0 goes back from 5 to 2.")
    ]
    ada.seek(ORDERS, 1)
    read_for(lab, ada, 1_000, commits=False, works=False)
    assert (
        "ada is given tea-1 (orders-0@1) after 4: its position went back, though it kept the "
        "partition."
    ) in [anomaly.sentence for anomaly in judged(lab, "nonmonotonic")]


def test_unobserved_when_the_group_begins_at_the_end():
    lab = cluster()
    shop(lab, 2)
    ada = reader(lab, "ada", **{"auto.offset.reset": "latest"})
    read_for(lab, ada, 6_000)
    found = judged(lab)
    assert [(anomaly.name, anomaly.sentence) for anomaly in found] == [
        (
            "unobserved",
            f"tea-{n} was acknowledged at orders-0@{n}, and group stock was never given it.",
        )
        for n in (0, 1)
    ]


def frozen_member():
    """Ada stands still longer than her session; Bo takes over;
    Ada wakes up and goes on with the batch she had."""
    lab = cluster()
    shop(lab, 3)

    def slow(lab):
        ada = reader(lab, "ada")
        try:
            while True:
                for record in ada.poll(timeout_ms=200):
                    lab.sleep(700)
                    done(lab, "ada", record)
                    ada.commit_sync({ORDERS: OffsetAndMetadata(record.offset + 1)})
        except KafkaException:
            pass

    app = lab.spawn(slow, name="ada")
    lab.run_until(
        lambda: any(fact["what"] == "got" for fact in run_of(lab)["facts"]), timeout_ms=8_000
    )
    lab.spawn(lambda lab: read_for(lab, reader(lab, "bo"), 15_000), name="bo")
    app.pause(6_000)
    lab.run_for(ms=18_000)
    return lab


def test_split_ownership_and_the_zombie_that_goes_on_working():
    lab = frozen_member()
    names = [anomaly.name for anomaly in judged(lab)]
    assert names[:2] == ["split ownership", "zombie write"] or set(names) >= {
        "split ownership",
        "zombie write",
    }
    (split,) = judged(lab, "split ownership")
    assert split.sentence.startswith(
        "orders-0 belongs to ada and to bo of group stock at the same time, "
    )
    (zombie,) = judged(lab, "zombie write")
    assert zombie.sentence.startswith(
        "ada finished tea-0 (orders-0@0) after bo had taken over orders-0"
    )
    assert next(("ada" in row, "owns" in row) for row in zombie.proof) == (True, True)


def test_a_fenced_producer_writes_nothing_and_if_it_did_it_would_be_told():
    from kafkalab.tests.scenarios.zombie_fenced import tell

    run = run_of(tell().lab)
    assert anomalies(run, ("zombie write",)) == []
    raised = max(
        (fact for fact in run["facts"] if fact["what"] == "fenced"), key=lambda fact: fact["epoch"]
    )
    late = {
        "at_ms": raised["at_ms"] + 5_000,
        "client": "broker-0",
        "what": "wrote",
        "partition": "orders-0",
        "offset": 99,
        "keys": ["late"],
        "producer_id": raised["producer_id"],
        "epoch": raised["epoch"] - 1,
    }
    (found,) = anomalies({**run, "facts": [*run["facts"], late]}, ("zombie write",))
    assert found.sentence == (
        f"late was written with epoch {late['epoch']} of producer {late['producer_id']}, after "
        f"epoch {raised['epoch']} had taken over."
    )
    assert (
        any("begins" in row for row in found.proof)
        and "writes late at orders-0@99" in found.proof[-1]
    )


@pytest.mark.corpus
def test_the_first_is_the_first_in_time_and_all_names_are_known():
    lab = frozen_member()
    everything = judged(lab)
    assert first_anomaly(run_of(lab)) == everything[0] and everything[0].at_ms == min(
        anomaly.at_ms for anomaly in everything
    )
    assert {anomaly.name for anomaly in everything} <= set(NAMES)
