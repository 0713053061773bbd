"""Stories of chapter 11: what the tool, an admin client and the metrics say about a group that is
behind."""

from __future__ import annotations

import re
from typing import Any

from kafkalab.clients.admin.values import RecordsToDelete
from kafkalab.real.proof.claim import EitherLab, Side, kind_raised_by, polled, settled, story
from kafkalab.records import OffsetAndMetadata, ProducerRecord, TopicPartition
from kafkalab.releases.lineage import since

ONE, TWO = TopicPartition("orders", 0), TopicPartition("orders", 1)
OUT_OF_RANGE = re.compile(r"(Fetch (?:offset|position)) .*? is out of range")
WEEK = {"offsets.retention.minutes": 1, "offsets.retention.check.interval.ms": 5_000}
"""A group's week is a minute here."""


def write(side: Side, lab: EitherLab, count: int, partition: int = 0) -> None:
    """Write so many orders to a partition."""
    producer = side.producer(lab)
    futures = [
        producer.send(ProducerRecord("orders", str(number), partition=partition))
        for number in range(count)
    ]
    for future in futures:
        future.get()
    producer.close()


def member(side: Side, lab: EitherLab, name: str = "m1", **settings: Any) -> Any:
    """A member of billing that commits by hand."""
    given = {"auto_offset_reset": "earliest", "enable_auto_commit": False, **settings}
    consumer = side.consumer(lab, name, group_id="billing", **given)
    consumer.subscribe(["orders"])
    return consumer


def lags(lab: EitherLab) -> dict[int, int]:
    """partition -> lag, of the partitions that have a committed offset."""
    rows = lab.describe_group("billing").dropna(subset=["lag"])
    return {int(row.partition): int(row.lag) for row in rows.itertuples()}


@story(
    "11 a partition without a commit",
    brokers=1,
    claims={
        "tool": "One of two read partitions is committed: the tool has a lag for these.",
        "script": "A script that asks for the committed offsets counts so many of 88 unread.",
        "after": "The member leaves and ten more orders come: the lag of partition 0.",
    },
)
def never_committed(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=3)
    one = member(side, lab)
    write(side, lab, 48)
    write(side, lab, 40, partition=1)
    polled(one, lab, 88)
    one.commit_sync({ONE: OffsetAndMetadata(0)})
    tool = sorted(lags(lab))
    admin = side.admin(lab)
    asked = admin.list_consumer_group_offsets("billing").partitions_to_offset_and_metadata().get()
    ends = one.end_offsets(list(asked))
    script = sum(ends[each] - offset.offset for each, offset in asked.items())
    one.close()
    write(side, lab, 10)
    return {"tool": tool, "script": script, "after": lags(lab)[0]}


@story(
    "11 lag of a client",
    brokers=1,
    claims={
        "tool": "A member has read 48 orders and committed none of them: the lag of the tool.",
        "client": "The metric records-lag of the member then.",
        "hangs": "A hundred orders come, and the member makes no call: its records-lag.",
        "lead": "Three records are deleted: records-lead of the member that has read all 148.",
    },
)
def lag_of_a_client(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    one = member(side, lab)
    write(side, lab, 48)
    polled(one, lab, 48)
    settled(lab, [one], 2_000)
    one.commit_sync({ONE: OffsetAndMetadata(0)})

    def metric(name: str) -> int:
        found = one.metrics().of("consumer-fetch-manager-metrics", topic="orders", partition="0")
        return int(found[name])

    found = {"tool": lags(lab)[0], "client": metric("records-lag")}
    write(side, lab, 100)
    lab.run_for(3_000)
    found["hangs"] = metric("records-lag")
    side.admin(lab).delete_records({ONE: RecordsToDelete(3)}).all().get()
    polled(one, lab, 100)
    settled(lab, [one], 2_000)
    write(side, lab, 1)
    polled(one, lab, 1)
    settled(lab, [one], 2_000)
    return {**found, "lead": metric("records-lead") - 1}


@story(
    "11 current lag",
    brokers=1,
    releases=since("3.6"),
    claims={"lag": "current_lag() of a member that has read four of ten and committed nothing."},
)
def current_lag(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    write(side, lab, 10)
    one = member(side, lab, max_poll_records=4)
    polled(one, lab, 4)
    return {"lag": one.current_lag(ONE)}


def overtaken(side: Side, reset: str) -> tuple[EitherLab, Any]:
    """A group has committed 4 of 20 orders. The first ten are deleted. Then a member comes."""
    lab = side.lab()
    lab.create_topic("orders")
    write(side, lab, 20)
    one = member(side, lab, max_poll_records=4)
    polled(one, lab, 4)
    one.commit_sync()
    one.close()
    side.admin(lab).delete_records({ONE: RecordsToDelete(10)}).all().get()
    lab.run_for(500)
    return lab, member(side, lab, "m2", auto_offset_reset=reset)


@story(
    "11 the log start overtakes a group",
    brokers=1,
    releases=("2.3", "2.8", "3.9", "4.4"),
    claims={
        "earliest": "A group is at 4 of 20, and ten are deleted: with earliest it reads so many.",
        "latest": "With latest it reads so many of the ten that are left.",
        "lag": "The lag is so large after its next commit.",
        "none": "With none poll() raises this.",
        "stays": "The committed offset is then still this.",
        "says": "The line about it says this.",
    },
)
def log_start_overtakes(side: Side) -> dict[str, Any]:
    lab, late = overtaken(side, "earliest")
    found: dict[str, Any] = {"earliest": len(polled(late, lab, 10, timeout_ms=8_000))}
    said = OUT_OF_RANGE.search(lab.log_text("m2"))
    found["says"] = said[1] if said else "nothing"
    lab, late = overtaken(side, "latest")
    found["latest"] = len(polled(late, lab, 10, timeout_ms=8_000))
    late.commit_sync()
    found["lag"] = lags(lab)[0]
    lab, late = overtaken(side, "none")
    found["none"] = kind_raised_by(lambda: polled(late, lab, 1, timeout_ms=8_000))
    found["stays"] = late.committed([ONE])[ONE].offset
    return found


@story(
    "11 a holiday",
    brokers=1,
    releases=("3.9",),
    broker_config=WEEK,
    claims={
        "with_a_member": "An offset is older than offsets.retention.minutes, but the group has a "
        "member: it is still this.",
        "soon": "The member closes: half of that time later it is this.",
        "late": "Twice that time later the group is still there.",
        "gets": "A member that comes back with latest gets so many of the twenty new orders.",
    },
)
def holiday(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    write(side, lab, 5)
    one = member(side, lab)
    polled(one, lab, 5)
    one.commit_sync()
    settled(lab, [one], 80_000)
    admin = side.admin(lab)

    def committed() -> dict[TopicPartition, Any]:
        asked = admin.list_consumer_group_offsets("billing")
        found: dict[TopicPartition, Any] = asked.partitions_to_offset_and_metadata().get()
        return found

    found: dict[str, Any] = {"with_a_member": committed()[ONE].offset}
    one.close()
    write(side, lab, 20)
    lab.run_for(30_000)
    found["soon"] = committed()[ONE].offset
    lab.run_for(90_000)
    found["late"] = bool(committed())
    back = member(side, lab, "m2", auto_offset_reset="latest")
    found["gets"] = len(polled(back, lab, 20, timeout_ms=8_000))
    return found
