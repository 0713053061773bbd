"""Dead letters of share groups (KIP-1191): what a group gives up is kept elsewhere, or is lost."""

import pytest

from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    KafkaShareConsumer,
    Lab,
    ProducerRecord,
    TopicPartition,
)

ENABLED = {"errors.deadletterqueue.group.enable": "true"}
RECORDED = [
    [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1)],
    [(0, 2), (1, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2)],
    [(0, 3), (1, 3), (3, 3), (4, 3), (5, 3), (6, 3), (7, 3)],
    [(0, 4), (1, 4), (3, 4), (4, 4)],
    [(5, 4), (6, 4), (7, 4)],
    *([(offset, 5)] for offset in (0, 1, 3, 4, 5, 6, 7)),
]
"""What the polls of a released client 4.4.0 got from a released broker 4.4.0: eight records of one
batch, number 2 rejected at once, all others given back each time."""


def lab_of(brokers=1, topic="dlq.jobs", settings=ENABLED, partitions=2, leaders=None, **group):
    lab = Lab(brokers, seed=5, version="4.4", broker_version="4.4")
    lab.create_topic("jobs", leaders=[0])
    if topic:
        lab.create_topic(topic, partitions=partitions, config=settings, leaders=leaders)
    names = {"copy": "errors.deadletterqueue.copy.record.enable"}
    lab.configure_group(
        "workers",
        {
            "share.auto.offset.reset": "earliest",
            "errors.deadletterqueue.topic.name": topic or "dlq.jobs",
            **{names[name]: value for name, value in group.items()},
        },
    )
    return lab


def worker(lab, jobs, name="ada"):
    """A member that has joined, and then so many jobs in one batch."""
    config = {"group.id": "workers", "client.id": name, "share.acknowledgement.mode": "explicit"}
    member = KafkaShareConsumer(lab, config, name=name)
    member.subscribe(["jobs"])
    end_ms = lab.now_ms + 6_000
    while lab.now_ms < end_ms:
        member.poll(timeout_ms=200)
    write(lab, jobs)
    return member


def write(lab, count):
    """So many jobs in one batch."""
    shop = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 500})
    for number in range(count):
        shop.send(ProducerRecord("jobs", key=f"k{number}", value=f"job {number}"))
    shop.close()


def give_up(lab, member, kind_of):
    """Poll until nothing comes any more; the batches of all polls."""
    polls, quiet = [], 0
    while quiet < 6:
        records = list(member.poll(timeout_ms=500))
        quiet = 0 if records else quiet + 1
        polls += [[(record.offset, record.delivery_count) for record in records]] if records else []
        for record in records:
            member.acknowledge(record, kind_of(record))
    return polls


def letters(lab, topic="dlq.jobs"):
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest", "client.id": "r"}, name="r")
    count = len(lab.cluster.topics[topic].partitions)
    reader.assign([TopicPartition(topic, number) for number in range(count)])
    found, end_ms = [], lab.now_ms + 8_000
    while lab.now_ms < end_ms:
        found += list(reader.poll(timeout_ms=500))
    return sorted(found, key=lambda record: (record.partition, record.offset))


def window_starts(lab, at=-1):
    return [event.start_offset for event in lab.journal.of("share.window")][at]


def test_records_come_in_smaller_portions_as_recorded_and_each_leaves_a_letter():
    lab = lab_of(copy="true")
    polls = give_up(
        lab, worker(lab, 8), lambda record: "reject" if record.offset == 2 else "release"
    )
    assert polls == RECORDED
    found = letters(lab)
    assert [(record.key, record.value) for record in found] == [
        (f"k{number}", f"job {number}") for number in (2, 0, 1, 3, 4, 5, 6, 7)
    ]
    assert {record.partition for record in found} == {0}, "that of the record, modulo the count"
    assert dict(found[0].headers) == {
        "__dlq.errors.topic": b"jobs",
        "__dlq.errors.partition": b"0",
        "__dlq.errors.offset": b"2",
        "__dlq.errors.group": b"workers",
        "__dlq.errors.delivery.count": b"1",
        "__dlq.errors.message": b"Offset rejected by client.",
    }
    assert dict(found[1].headers)["__dlq.errors.delivery.count"] == b"5"
    assert dict(found[1].headers)["__dlq.errors.message"] == (
        b"Offset delivery count exceeded the threshold."
    )
    assert window_starts(lab) == 8
    warned = lab.broker_lines(0).query("level == 'WARN'").message
    assert len(warned) == 7 and warned.iloc[0].endswith("should be delivered alone in this fetch")
    lab.close()


def test_without_copying_a_letter_is_its_headers():
    lab = lab_of()
    give_up(lab, worker(lab, 1), lambda record: "reject")
    (letter,) = letters(lab)
    assert (letter.key, letter.value) == (None, None)
    assert dict(letter.headers)["__dlq.errors.offset"] == b"0"


@pytest.mark.parametrize(
    ("topic", "settings", "says"),
    [
        ("dlq.jobs", None, "DLQ is not enabled on configured DLQ topic for share group: workers, "
         "topic: dlq.jobs."),
        (None, None, "DLQ topic does not exist and auto create is disabled on cluster for share "
         "group: workers, topic: dlq.jobs."),
        ("letters", ENABLED, "Configured DLQ topic name does not comply with the DLQ topic prefix "
         "in share group: workers, topic: letters, prefix: dlq.."),
    ],
)  # fmt: skip
def test_a_letter_that_cannot_be_written_is_lost_with_an_error_in_the_log(topic, settings, says):
    lab = lab_of(topic=topic, settings=settings)
    give_up(lab, worker(lab, 1), lambda record: "reject")
    (line,) = [line for line in lab.broker(0).machine.server_log.lines() if line.level == "ERROR"]
    assert line.message == "Failed to write to DLQ, proceeding to ARCHIVED regardless."
    assert line.trace == f"org.apache.kafka.common.config.ConfigException: {says}"
    assert window_starts(lab) == 1
    lab.close()


def test_a_letter_waits_for_the_leader_of_its_partition():
    lab = lab_of(brokers=2, partitions=1, leaders=[1])
    member = worker(lab, 1)
    lab.broker(1).crash()
    began_ms = lab.now_ms
    give_up(lab, member, lambda record: "reject")
    assert window_starts(lab) == 0, "the record is not archived yet"
    lab.broker(1).restart()
    assert lab.run_until(lambda: window_starts(lab) == 1, timeout_ms=40_000)
    assert lab.now_ms - began_ms > 2_000 and len(letters(lab)) == 1
    lab.close()


def test_another_leader_writes_the_letter_of_a_dead_one():
    lab = Lab(3, seed=5, version="4.4", broker_version="4.4")
    lab.create_topic("jobs", replication_factor=3, leaders=[0])
    lab.create_topic("dlq.jobs", leaders=[2], config=ENABLED)
    lab.configure_group(
        "workers",
        {
            "share.auto.offset.reset": "earliest",
            "errors.deadletterqueue.topic.name": "dlq.jobs",
        },
    )
    member = worker(lab, 2)
    lab.broker(2).crash()
    for record in list(member.poll(timeout_ms=2_000)) or list(member.poll(timeout_ms=2_000)):
        member.acknowledge(record, "reject" if record.offset == 0 else "accept")
    member.commit_sync()
    lab.broker(0).crash()
    lab.broker(2).restart()
    end_ms = lab.now_ms + 60_000
    while lab.now_ms < end_ms:
        member.poll(timeout_ms=1_000)
    lab.broker(0).restart()  # where the reader knocks first
    lab.run_for(ms=15_000)
    assert [dict(one.headers)["__dlq.errors.offset"] for one in letters(lab)] == [b"0"]
    lab.close()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("errors.deadletterqueue.topic.name", "__letters", "DLQ topic name must not start with"),
        ("errors.deadletterqueue.topic.name", 7, "is a topic's name, not 7"),
        ("errors.deadletterqueue.copy.record.enable", "often", "Expected value to be either true"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(name, value, says):
    with pytest.raises(KafkaException, match=says):
        Lab(1, broker_version="4.4").configure_group("workers", {name: value})
