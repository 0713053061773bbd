"""Stories of what people say about Kafka: defaults, deaths and second tries of single clients."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kafkalab.real.proof.claim import Side, polled, raised_by, settled, story
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.releases.lineage import CLIENT_NAMES

ONE = TopicPartition("orders", 0)
FLOOR_2 = {"min.insync.replicas": 2}


@story(
    "00 first producer",
    brokers=1,
    releases=CLIENT_NAMES,
    claims={"opened": "A producer sends one record to a cluster of one broker: its connections."},
)
def first_producer(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    side.producer(lab).send(ProducerRecord("orders", "tea")).get()
    lab.run_for(1_000)
    return {"opened": len(lab.sockets("shop"))}


@story(
    "05 not read below the floor",
    claims={
        "read": "min.insync.replicas=2, one replica in sync, acks=1: a reader gets so many of two "
        "records.",
        "back": "It gets so many more when the brokers have started again.",
    },
    releases=("2.8", "4.4"),
)
def not_read(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0], config=FLOOR_2)
    for broker in (1, 2):
        lab.broker(broker).crash()
    lab.run_until(lambda: len(lab.describe_topic("orders").isr.iloc[0]) == 1, timeout_ms=60_000)
    shop = side.producer(lab, acks="1", enable_idempotence=False)
    for number in range(2):
        shop.send(ProducerRecord("orders", str(number))).get()
    reader = side.consumer(lab, auto_offset_reset="earliest", enable_auto_commit=False)
    reader.assign([ONE])
    found = {"read": len(polled(reader, lab, 2, timeout_ms=5_000))}
    for broker in (1, 2):
        lab.broker(broker).restart()
    return {**found, "back": len(polled(reader, lab, 2, timeout_ms=40_000))}


@story(
    "05 killed after send",
    brokers=1,
    claims={"left": "The process is killed after ten send(), with linger.ms: so many are written."},
)
def killed_after_send(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    shop = side.producer(lab, linger_ms=20_000)
    shop.partitions_for("orders")
    for number in range(10):
        shop.send(ProducerRecord("orders", str(number)))
    lab.kill("shop")
    lab.run_for(2_000)
    return {"left": int(lab.describe_topic("orders").high_watermark.iloc[0])}


@story(
    "06 idempotence by default",
    brokers=1,
    releases=CLIENT_NAMES,
    claims={"asks": "With default settings a producer sends so many INIT_PRODUCER_ID."},
)
def default_idempotence(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    side.producer(lab).send(ProducerRecord("orders", "tea")).get()
    return {"asks": int((lab.table("request.sent").api == "INIT_PRODUCER_ID").sum())}


@story(
    "06 sent again by a new program",
    brokers=1,
    claims={"copies": "An idempotent producer writes a record, and so does the next one: copies."},
)
def sent_again(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    for _ in range(2):
        shop = side.producer(lab, enable_idempotence=True, acks="all")
        shop.send(ProducerRecord("orders", "tea")).get()
        shop.close()
    return {"copies": int(lab.describe_topic("orders").high_watermark.iloc[0])}


@story(
    "08 the session by default",
    brokers=1,
    releases=("2.8", "3.9"),
    claims={"after_25_s": "A member is killed: 25 s later the other owns so many of two."},
)
def default_session(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    members = []
    for name in ("m1", "m2"):
        members.append(side.consumer(lab, name, group_id="billing"))
        members[-1].subscribe(["orders"])
        settled(lab, members, 6_000)
    settled(lab, members, 6_000)
    lab.kill("m2")
    settled(lab, members[:1], 25_000)
    return {"after_25_s": len(members[0].assignment())}


@story(
    "09 automatic commits",
    brokers=1,
    claims={
        "without": "Auto commit every two seconds, and no call for nine: so many OFFSET_COMMIT.",
        "with": "Calls of poll() for nine seconds, and ten records: it has committed this.",
    },
)
def automatic_commits(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    shop = side.producer(lab)
    for number in range(10):
        shop.send(ProducerRecord("orders", str(number))).get()
    reader = side.consumer(
        lab, group_id="billing", auto_offset_reset="earliest", auto_commit_interval_ms=2_000
    )
    reader.subscribe(["orders"])
    polled(reader, lab, 10)

    def commits() -> int:
        return Counter(lab.table("request.sent").query("who == 'reader'").api)["OFFSET_COMMIT"]

    before = commits()
    lab.run_for(9_000)
    found = {"without": commits() - before}
    settled(lab, [reader], 9_000)
    return {**found, "with": reader.committed([ONE])[ONE].offset}


@story(
    "10 a late commit by KIP-848",
    brokers=1,
    releases=("4.4",),
    claims={
        "raised": "With group.protocol=consumer: longer between two polls than "
        "max.poll.interval.ms, and commit_sync() raises this.",
        "committed": "The committed offset is then this.",
    },
)
def late_commit(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    shop = side.producer(lab)
    for number in range(4):
        shop.send(ProducerRecord("orders", str(number))).get()
    slow = side.consumer(
        lab,
        "slow",
        group_id="billing",
        group_protocol="consumer",
        max_poll_interval_ms=4_000,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    slow.subscribe(["orders"])
    polled(slow, lab, 4)
    lab.run_for(9_000)
    raised = raised_by(slow.commit_sync)
    admin = side.admin(lab)
    asked = admin.list_consumer_group_offsets("billing").partitions_to_offset_and_metadata().get()
    return {
        "raised": raised.partition(":")[0],
        "committed": asked[ONE].offset if asked.get(ONE) else "none",
    }
