"""Share groups among crashes, pauses and partitions of the network: every record comes to an end,
and no record is with two members."""

import random

import pytest

from kafkalab import KafkaException, KafkaProducer, KafkaShareConsumer, Lab, ProducerRecord
from kafkalab.tests.shares import few

RECORDS, LAST_FAULT_MS, STOP_MS = 30, 60_000, 100_000


def feed(lab, luck):
    producer = KafkaProducer(lab, {"client.id": "feeder", "linger.ms": luck.choice([0, 200])})
    for number in range(RECORDS):
        producer.send(ProducerRecord("jobs", value=str(number), partition=number % 2))
        lab.sleep(luck.randint(0, 700))
    producer.close()


def work(lab, luck, name):
    config = {
        "group.id": "workers",
        "client.id": name,
        "share.acknowledgement.mode": "explicit",
        "max.poll.records": luck.choice([1, 3, 10]),
        "share.acquire.mode": luck.choice(["batch_optimized", "record_limit"]),
    }
    consumer = KafkaShareConsumer(lab, config, name=name)
    consumer.subscribe(["jobs"])
    while lab.now_ms < STOP_MS:
        try:
            for record in consumer.poll(1_000):
                lab.sleep(luck.choice([1, 50, 300]))
                kinds = ["accept"] * 8 + ["release", "reject", "renew"]
                consumer.acknowledge(record, luck.choice(kinds))
            if luck.random() < 0.5:
                consumer.commit_sync(5_000)
        except KafkaException:
            lab.sleep(100)
    consumer.close(3_000)


def trouble(lab, luck):
    """One fault every twelve seconds, each over after five."""
    while lab.now_ms < LAST_FAULT_MS:
        lab.sleep(5_000)
        broker, what = luck.randrange(3), luck.choice(["crash", "pause", "cut"])
        if what == "crash":
            lab.broker(broker).crash()
            lab.sleep(4_000)
            lab.broker(broker).restart()
        elif what == "pause":
            lab.broker(broker).pause(3_000)
        else:
            lab.partition([broker], [other for other in range(3) if other != broker])
            lab.sleep(5_000)
            lab.heal()
        lab.sleep(3_000)


@pytest.mark.parametrize("seed", few(range(4)))
def test_every_record_ends_once_and_is_with_one_member_at_a_time(seed):
    """In half of the runs what is rejected goes to a dead-letter topic."""
    luck = random.Random(seed)
    lab = Lab(3, seed, "4.4", "4.4", {"group.share.min.record.lock.duration.ms": 1_000})
    lab.create_topic("jobs", 2, 3)
    settings = {"share.auto.offset.reset": "earliest", "share.record.lock.duration.ms": 5_000}
    if seed % 2:
        settings["errors.deadletterqueue.topic.name"] = "dlq.jobs"
        lab.create_topic("dlq.jobs", 1, 3, config={"errors.deadletterqueue.group.enable": True})
    lab.configure_group("workers", settings)
    lab.spawn(feed, luck, name="feeder's app")
    for name in ("ada", "bo", "cy"):
        lab.spawn(work, luck, name, name=name)
    lab.spawn(trouble, luck, name="trouble")
    lab.run_for(STOP_MS + 10_000)
    stored = lab.cluster.share_states
    assert {key: state.start_offset for key, state in stored.items()} == {
        ("workers", "jobs", 0): RECORDS // 2,
        ("workers", "jobs", 1): RECORDS // 2,
    }
    holders = {}
    for event in lab.journal.events:
        if event.kind == "share.loaded":  # another leader: nobody holds a record any more
            holders = {key: who for key, who in holders.items() if key[0] != event.partition}
        if event.kind != "share.records" or event.why == "renew":
            continue
        for offset in range(event.first_offset, event.last_offset + 1):
            if event.why == "dead letter":
                continue
            if event.why == "fetched":
                assert (event.partition, offset) not in holders
                holders[event.partition, offset] = event.member
            else:
                holders.pop((event.partition, offset), None)
    assert holders == {}
    if seed % 2:
        rejected = {
            (event.partition, offset)
            for event in lab.journal.of("share.records")
            if event.state == "Archiving"
            for offset in range(event.first_offset, event.last_offset + 1)
        }
        written = {
            tuple(int(value) for _, value in record.headers[1:3])
            for event in lab.journal.of("record.appended")
            if event.topic == "dlq.jobs"
            for record in event.records
        }
        assert written == rejected != set()
