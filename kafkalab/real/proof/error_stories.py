"""Stories of chapters 10 and 12: which errors a client raises, and what it says."""

from __future__ import annotations

from typing import Any

from kafkalab.errors import SerializationException
from kafkalab.real.proof.claim import (
    EitherLab,
    Side,
    kind_raised_by,
    polled,
    raised_by,
    settled,
    story,
)
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.releases.lineage import CLIENT_NAMES

ONE = TopicPartition("orders", 0)
NUMBERS = "org.apache.kafka.common.serialization.IntegerDeserializer"


@story(
    "12 a bad record",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "raised": "A value that is no number: poll() raises this.",
        "again": "The next poll() raises this.",
        "position": "The position stays here.",
        "says": "The error says this.",
    },
)
def bad_record(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    producer = side.producer(lab)
    producer.send(ProducerRecord("orders", "no number")).get()
    reader = side.consumer(
        lab,
        value_deserializer=NUMBERS,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    reader.assign([ONE])
    first = raised_by(lambda: polled(reader, lab, 1, timeout_ms=6_000))
    return {
        "raised": first.partition(":")[0],
        "again": kind_raised_by(lambda: polled(reader, lab, 1, timeout_ms=6_000)),
        "position": reader.position(ONE),
        "says": first.partition(": ")[2],
    }


@story(
    "12 an unknown topic",
    releases=CLIENT_NAMES,
    brokers=1,
    broker_config={"auto.create.topics.enable": False},
    claims={
        "producer": "send() to a topic that does not exist ends with this.",
        "consumer": "position() in it ends with this.",
    },
)
def unknown_topic(side: Side) -> dict[str, Any]:
    lab = side.lab()
    producer = side.producer(lab, max_block_ms=1_500)
    reader = side.consumer(lab, enable_auto_commit=False, default_api_timeout_ms=1_500)
    reader.assign([TopicPartition("nope", 0)])
    return {
        "producer": raised_by(lambda: producer.send(ProducerRecord("nope", "tea")).get()),
        "consumer": raised_by(reader.position, TopicPartition("nope", 0)),
    }


@story(
    "12 too large",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "client": "A record larger than max.request.size ends with this.",
        "broker": "A record larger than max.message.bytes of the topic ends with this.",
    },
)
def too_large(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    lab.create_topic("small", config={"max.message.bytes": 1_000})
    producer = side.producer(lab, max_request_size=10_000)

    def sent(topic: str, size: int) -> str:
        return raised_by(lambda: producer.send(ProducerRecord(topic, "x" * size)).get())

    return {"client": sent("orders", 20_000), "broker": sent("small", 5_000)}


@story(
    "12 wrong calls of a consumer",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "poll": "poll() without a subscription raises this.",
        "both": "assign() after subscribe() raises this.",
        "seek": "seek() in a partition that is not assigned raises this.",
        "negative": "seek() to -1 raises this.",
        "no_group": "commit_sync() without a group raises this.",
        "closed": "poll() after close() raises this.",
    },
)
def wrong_consumer_calls(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    member = side.consumer(lab, "member", group_id="billing")
    found = {"poll": raised_by(member.poll, 100)}
    member.subscribe(["orders"])
    found["both"] = raised_by(member.assign, [ONE])
    alone = side.consumer(lab, "alone", enable_auto_commit=False)
    found["seek"] = raised_by(alone.seek, ONE, 5)
    alone.assign([ONE])
    found["negative"] = raised_by(alone.seek, ONE, -1)
    found["no_group"] = raised_by(alone.commit_sync)
    alone.close()
    found["closed"] = raised_by(alone.poll, 100)
    return found


@story(
    "12 wrong calls of a producer",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "closed": "send() after close() raises this.",
        "begin": "begin_transaction() before init_transactions() raises this.",
        "partition": "send() to partition 7 of one ends with this.",
    },
)
def wrong_producer_calls(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    producer = side.producer(lab, max_block_ms=1_500)
    found = {
        "partition": raised_by(
            lambda: producer.send(ProducerRecord("orders", "tea", partition=7)).get()
        )
    }
    producer.close()
    found["closed"] = raised_by(lambda: producer.send(ProducerRecord("orders", "tea")))
    copier = side.producer(lab, transactional_id="copier")
    found["begin"] = raised_by(copier.begin_transaction)
    return found


@story(
    "10 a long pause",
    releases=("2.3", "2.8", "3.9", "4.4"),
    brokers=1,
    claims={
        "raised": "Longer between two polls than max.poll.interval.ms: commit_sync() raises this.",
        "other": "The other member owns so many of two partitions then.",
        "says": "The error says this.",
    },
)
def long_pause(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    settings = {"group_id": "billing", "auto_offset_reset": "earliest", "enable_auto_commit": False}
    slow = side.consumer(lab, "slow", max_poll_interval_ms=6_000, **settings)
    slow.subscribe(["orders"])
    settled(lab, [slow], 6_000)
    producer = side.producer(lab)
    for partition in (0, 1):
        producer.send(ProducerRecord("orders", "tea", partition=partition)).get()
    polled(slow, lab, 2)
    other = side.consumer(lab, "other", **settings)
    other.subscribe(["orders"])
    settled(lab, [other], 16_000)
    raised = raised_by(slow.commit_sync)
    return {
        "raised": raised.partition(":")[0],
        "other": len(other.assignment()),
        "says": raised.partition(": ")[2],
    }


@story(
    "12 what the error holds",
    releases=("2.8", "3.6", "3.9", "4.4"),
    brokers=1,
    claims={
        "offset": "A value that is no number: the error names this offset.",
        "value": "It brings these bytes of the record.",
    },
)
def held_by_the_error(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    producer = side.producer(lab)
    producer.send(ProducerRecord("orders", "no number")).get()
    reader = side.consumer(
        lab, value_deserializer=NUMBERS, auto_offset_reset="earliest", enable_auto_commit=False
    )
    reader.assign([ONE])
    try:
        polled(reader, lab, 1, timeout_ms=6_000)
    except SerializationException as error:
        value = getattr(error, "value_buffer", None)
        return {
            "offset": getattr(error, "offset", None),
            "value": None if value is None else bytes(value).decode(),
        }
    return {"offset": "no error", "value": "no error"}


@story(
    "10 a worker commits",
    releases=("2.3", "2.8", "3.9", "4.4"),
    brokers=1,
    claims={"raised": "A consumer polls, and another thread calls commit_sync(): it raises this."},
)
def worker_commits(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    reader = side.consumer(lab, group_id="billing", enable_auto_commit=False)
    reader.subscribe(["orders"])
    settled(lab, [reader], 6_000)
    heard: list[str] = []

    def commits(lab: EitherLab) -> None:
        lab.sleep(1_000)
        heard.append(kind_raised_by(reader.commit_sync))

    lab.spawn(commits)
    reader.poll(timeout_ms=3_000)
    return {"raised": heard[0] if heard else "it waits"}


@story(
    "10 both clocks",
    releases=("4.0", "4.4"),
    brokers=1,
    claims={
        "session": "group.protocol=consumer and a session.timeout.ms: the consumer ends with this.",
        "poll": "group.protocol=consumer and a max.poll.interval.ms: it ends with this.",
    },
)
def both_clocks(side: Side) -> dict[str, Any]:
    lab = side.lab()
    new = {"group_id": "billing", "group_protocol": "consumer"}
    return {
        "session": raised_by(lambda: side.consumer(lab, "a", session_timeout_ms=10_000, **new)),
        "poll": raised_by(lambda: side.consumer(lab, "b", max_poll_interval_ms=10_000, **new)),
    }
