"""Stories of chapters 01 and 09: positions, committed offsets and resets."""

from __future__ import annotations

from typing import Any

from kafkalab.clients.admin.values import RecordsToDelete
from kafkalab.real.proof.claim import EitherLab, Side, kind_raised_by, polled, settled, story
from kafkalab.records import OffsetAndMetadata, ProducerRecord, TopicPartition
from kafkalab.releases.lineage import since

ONE = TopicPartition("orders", 0)


def filled(side: Side, count: int = 10) -> EitherLab:
    """A lab whose topic orders has so many records in one partition."""
    lab = side.lab()
    lab.create_topic("orders")
    producer = side.producer(lab)
    for number in range(count):
        producer.send(ProducerRecord("orders", str(number)))
    producer.flush()
    producer.close()
    return lab


def reader_of(side: Side, lab: EitherLab, name: str, **settings: Any) -> Any:
    """A member of the group billing."""
    given = {"auto_offset_reset": "earliest", "enable_auto_commit": False, **settings}
    consumer = side.consumer(lab, name, group_id="billing", **given)
    consumer.subscribe(["orders"])
    return consumer


def values(records: list[Any]) -> list[str]:
    """The values of records."""
    return [record.value for record in records]


@story(
    "01 reading removes nothing",
    brokers=1,
    claims={
        "first": "The first group reads so many of ten.",
        "second": "Another group reads so many afterwards.",
        "log": "The log begins and ends here then.",
    },
)
def nothing_removed(side: Side) -> dict[str, Any]:
    lab = filled(side)
    found = {}
    for name in ("first", "second"):
        reader = side.consumer(lab, name, group_id=name, auto_offset_reset="earliest")
        reader.subscribe(["orders"])
        found[name] = len(polled(reader, lab, 10))
        reader.close()
    row = lab.describe_topic("orders").iloc[0]
    return {**found, "log": [int(row.log_start_offset), int(row.high_watermark)]}


@story(
    "09 three numbers",
    brokers=1,
    claims={
        "position": "Ten records are read four at a time: the position after the first poll.",
        "committed_before": "The committed offset before a commit.",
        "committed": "The committed offset after commit_sync().",
        "next": "Another member of the group begins with this record.",
        "lag": "The group's lag then.",
    },
)
def three_numbers(side: Side) -> dict[str, Any]:
    lab = filled(side)
    ada = reader_of(side, lab, "ada", max_poll_records=4)
    polled(ada, lab, 1)
    position = ada.position(ONE)
    before = ada.committed([ONE])[ONE]
    ada.commit_sync()
    committed = ada.committed([ONE])[ONE]
    lag = int(lab.describe_group("billing").lag.iloc[0])
    ada.close()
    bo = reader_of(side, lab, "bo")
    first = polled(bo, lab, 1)[0]
    return {
        "position": position,
        "committed_before": None if before is None else before.offset,
        "committed": committed.offset,
        "next": first.offset,
        "lag": lag,
    }


@story(
    "09 three endings",
    brokers=1,
    claims={
        "closed": "Auto commit, the reader closes: the next one reads so many again.",
        "killed": "Auto commit, the reader is killed at once: the next one reads so many again.",
    },
)
def endings(side: Side) -> dict[str, Any]:
    found = {}
    for how in ("closed", "killed"):
        lab = filled(side)
        ada = reader_of(
            side,
            lab,
            "ada",
            enable_auto_commit=True,
            auto_commit_interval_ms=60_000,
            session_timeout_ms=6_000,
        )
        polled(ada, lab, 10)
        if how == "closed":
            ada.close()
        else:
            lab.kill("ada")
        bo = reader_of(side, lab, "bo")
        found[how] = len(polled(bo, lab, 10, timeout_ms=20_000))
    return found


@story(
    "09 no committed offset",
    brokers=1,
    claims={
        "earliest": "auto.offset.reset=earliest reads so many of ten.",
        "latest": "latest reads so many.",
        "none": "none raises this.",
    },
)
def resets(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for policy in ("earliest", "latest"):
        lab = filled(side)
        reader = reader_of(side, lab, "ada", auto_offset_reset=policy)
        found[policy] = len(polled(reader, lab, 10, timeout_ms=8_000))
    lab = filled(side)
    reader = reader_of(side, lab, "ada", auto_offset_reset="none")
    found["none"] = kind_raised_by(lambda: polled(reader, lab, 1, timeout_ms=8_000))
    return found


@story(
    "09 outside the log",
    brokers=1,
    claims={
        "deleted": "Records 0 to 3 are deleted: a seek to 1 reads on with this record.",
        "beginning": "The log begins here then.",
        "beyond": "A seek beyond the end with latest reads on at this position.",
        "none": "The same with auto.offset.reset=none raises this.",
    },
)
def outside(side: Side) -> dict[str, Any]:
    lab = filled(side)
    side.admin(lab).delete_records({ONE: RecordsToDelete(4)}).all().get()
    lab.run_for(500)
    found: dict[str, Any] = {}
    first = side.consumer(lab, "a", auto_offset_reset="earliest", enable_auto_commit=False)
    first.assign([ONE])
    found["beginning"] = first.beginning_offsets([ONE])[ONE]
    first.seek(ONE, 1)
    found["deleted"] = polled(first, lab, 1)[0].offset
    second = side.consumer(lab, "b", auto_offset_reset="latest", enable_auto_commit=False)
    second.assign([ONE])
    second.seek(ONE, 99)
    settled(lab, [second], 2_000)
    found["beyond"] = second.position(ONE)
    third = side.consumer(lab, "c", auto_offset_reset="none", enable_auto_commit=False)
    third.assign([ONE])
    third.seek(ONE, 99)
    found["none"] = kind_raised_by(lambda: polled(third, lab, 1, timeout_ms=5_000))
    return found


@story(
    "09 the tool",
    brokers=1,
    releases=("2.8", "4.4"),
    claims={
        "with_a_member": "Moving a group's offset while it has a member ends with this.",
        "without": "Without members it ends with this.",
        "begins": "The next reader begins with this record.",
    },
)
def moved_by_tool(side: Side) -> dict[str, Any]:
    lab = filled(side)
    ada = reader_of(side, lab, "ada")
    polled(ada, lab, 10)
    ada.commit_sync()
    admin = side.admin(lab)
    target = {ONE: OffsetAndMetadata(3)}
    refused = kind_raised_by(admin.alter_consumer_group_offsets("billing", target).all().get)
    ada.close()
    lab.run_for(500)
    allowed = kind_raised_by(admin.alter_consumer_group_offsets("billing", target).all().get)
    bo = reader_of(side, lab, "bo")
    return {
        "with_a_member": refused,
        "without": allowed,
        "begins": polled(bo, lab, 1)[0].offset,
    }


@story(
    "09 times",
    brokers=1,
    claims={
        "found": "Records have times 10 s apart: the first one not older than the third has this "
        "offset.",
        "after": "For a time after the last one there is this.",
    },
)
def by_time(side: Side) -> dict[str, Any]:
    begin_ms = 1_700_000_000_000
    lab = side.lab()
    # such old records must not be deleted for their age
    lab.create_topic("orders", config={"retention.ms": -1})
    producer = side.producer(lab)
    for number in range(5):
        producer.send(
            ProducerRecord("orders", str(number), timestamp_ms=begin_ms + 10_000 * number)
        ).get()
    reader = side.consumer(lab, enable_auto_commit=False)
    found = reader.offsets_for_times({ONE: begin_ms + 15_000})[ONE]
    after = reader.offsets_for_times({ONE: begin_ms + 90_000})[ONE]
    return {"found": found.offset, "after": after}


@story(
    "09 by duration",
    brokers=1,
    releases=since("4.0"),
    claims={"read": "by_duration:PT4S, records of 8 s and of 1 s ago: it reads these."},
)
def by_duration(side: Side) -> dict[str, Any]:
    lab = filled(side, 3)
    lab.run_for(7_000)
    producer = side.producer(lab)
    for value in ("new 1", "new 2"):
        producer.send(ProducerRecord("orders", value)).get()
    reader = side.consumer(lab, auto_offset_reset="by_duration:PT4S", enable_auto_commit=False)
    reader.assign([ONE])
    return {"read": values(polled(reader, lab, 2, timeout_ms=6_000))}


@story(
    "09 seek",
    brokers=1,
    claims={
        "again": "After seek(3) the reader gets these.",
        "from_the_end": "After seek_to_end() and two more records it gets these.",
    },
)
def seeks(side: Side) -> dict[str, Any]:
    lab = filled(side, 6)
    reader = side.consumer(lab, auto_offset_reset="earliest", enable_auto_commit=False)
    reader.assign([ONE])
    polled(reader, lab, 6)
    reader.seek(ONE, 3)
    again = values(polled(reader, lab, 3))
    reader.seek_to_end([ONE])
    reader.position(ONE)
    producer = side.producer(lab)
    for value in ("a", "b"):
        producer.send(ProducerRecord("orders", value)).get()
    return {"again": again, "from_the_end": values(polled(reader, lab, 2))}


@story(
    "09 bo joins",
    brokers=1,
    claims={
        "again": "Auto commit once a minute. ada has read forty orders, and bo joins her: so many "
        "are read a second time.",
        "bo_has": "bo owns so many of two partitions then.",
    },
)
def bo_joins(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    producer = side.producer(lab)
    for number in range(40):
        producer.send(ProducerRecord("orders", str(number), partition=number % 2)).get()
    own = {"enable_auto_commit": True, "auto_commit_interval_ms": 60_000}
    ada = reader_of(side, lab, "ada", **own)
    polled(ada, lab, 40)
    bo = reader_of(side, lab, "bo", **own)
    again, end_ms = 0, lab.now_ms + 15_000
    while lab.now_ms < end_ms:
        again += sum(len(list(one.poll(timeout_ms=100))) for one in (ada, bo))
    return {"again": again, "bo_has": len(bo.assignment())}
