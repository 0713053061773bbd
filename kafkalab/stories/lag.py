"""Prepares the slow group of chapter 11 and measures its lag, its lead and its losses.

The topic is `orders`, the group is `billing`. A minute of the lab is a minute of the story.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkalab.clients.admin.kafka_admin_client import KafkaAdminClient
from kafkalab.clients.admin.values import RecordsToDelete
from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.lab import Lab
from kafkalab.records import OffsetAndMetadata, ProducerRecord, TopicPartition

GROUP = "billing"
ORDERS = TopicPartition("orders", 0)
DAY_MS = 24 * 60 * 60_000


def in_ms(minutes: float) -> int:
    """So many minutes in milliseconds."""
    return int(minutes * 60_000)


def write(shop: KafkaProducer, count: int, partitions: int | None = None) -> None:
    """Write so many orders; with `partitions` to these partitions in turn."""
    for number in range(count):
        partition = None if partitions is None else number % partitions
        shop.send(ProducerRecord("orders", value="an order", partition=partition))
    shop.flush()


def shop_lab(keep: float, partitions: int = 1) -> Lab:
    """A lab with the topic `orders`, which keeps its records for `keep` minutes.

    The log's files are short and are looked at often, so that old records are deleted in time.
    """
    lab = Lab(brokers=1, seed=11, broker_config={"log.retention.check.interval.ms": 10_000})
    config = {"retention.ms": in_ms(keep), "segment.ms": 30_000}
    lab.create_topic("orders", partitions=partitions, config=config)
    return lab


def member_of_billing(
    lab: Lab, name: str, *, reset: str = "earliest", at_once: int = 10
) -> KafkaConsumer:
    """A subscribed member of `billing`, with `at_once` records a poll. It fetches little ahead."""
    config = {
        "group.id": GROUP,
        "client.id": name,
        "auto.offset.reset": reset,
        "enable.auto.commit": False,
        "max.poll.records": at_once,
        "heartbeat.interval.ms": 15_000,
        "retry.backoff.ms": 1_000,
        "max.partition.fetch.bytes": 500,
    }
    member = KafkaConsumer(lab, config, name=name)
    member.subscribe(["orders"])
    return member


def begin(
    *, keep: float, reset: str = "earliest", name: str = "m1"
) -> tuple[Lab, KafkaProducer, KafkaConsumer]:
    """A lab, its shop, and a member of `billing` that has joined the group.

    With reset="none" the group has committed offset 0 before; else the first poll would raise.
    """
    lab = shop_lab(keep)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    if reset == "none":
        first = KafkaConsumer(lab, {"group.id": GROUP, "enable.auto.commit": False}, name="first")
        first.assign([ORDERS])
        first.commit_sync({ORDERS: OffsetAndMetadata(0)})
        first.close()
    member = member_of_billing(lab, name, reset=reset)
    member.poll(timeout_ms=4_000)
    return lab, shop, member


def with_first_aid(minute: int, aid: Callable[[Lab], object]) -> tuple[Lab, list[int]]:
    """The slow member of section 1 with `latest`; in a minute of its forty `aid(lab)` is called.

    Returns the lab and the offsets that the member read.
    """
    lab, shop, member = begin(keep=10, reset="latest")
    read: list[int] = []
    for now in range(1, 41):
        lab.run_for(ms=in_ms(now) - lab.now_ms)
        if now == minute:
            aid(lab)
        write(shop, 30)
        for _ in range(2):
            read += [record.offset for record in member.poll(timeout_ms=500)]
        member.commit_sync()
    return lab, read


def lag_of(lab: Lab, at_ms: int | None = None) -> int:
    """The group's lag over all partitions, as the tool counts it."""
    return int(lab.describe_group(GROUP, at_ms).lag.sum())


def lead_of(lab: Lab, at_ms: int, partition: str = "orders-0") -> int:
    """Committed offset minus log start offset at a time of the lab."""
    state = lab.at(at_ms)
    bookmark = state["groups"][GROUP]["offsets"][partition]["offset"]
    return int(bookmark - state["partitions"][partition]["log_start_offset"])


def waiting_minutes(lab: Lab, at_ms: int) -> int:
    """For how many minutes the first record that is not committed has been waiting."""
    bookmark = lab.describe_group(GROUP, at_ms).current_offset[0]
    batches = lab.table("record.appended").query("topic == 'orders'")
    written = batches[batches.last_offset >= bookmark].at_ms.iloc[0]
    return round((at_ms - int(written)) / in_ms(1))


def never_read(lab: Lab, read: Iterable[int]) -> int:
    """How many records before the committed offset the member was never given."""
    bookmark = lab.describe_group(GROUP).current_offset[0]
    return int(bookmark - len(set(read)))


def brief(line: str) -> str:
    """A line without its prefix; of a FetchPosition only the offset."""
    return re.sub(", offsetEpoch.*}}", ", ...}", line.split("] ")[-1])


def moments(lab: Lab, words: str, client: str = "m1") -> list[tuple[int, str]]:
    """(minute, line) of a client's lines that match these words."""
    lines = lab.lines(client)
    found = lines[lines.message.str.contains(words)]
    return [(at // in_ms(1), brief(text)) for at, text in zip(found.at_ms, found.message)]


def first_reset(lab: Lab) -> int | None:
    """The minute in which the member first finds its position gone, or None."""
    found = moments(lab, "is out of range")
    return found[0][0] if found else None


def first_loss(lab: Lab, client: str = "m1") -> dict[str, int]:
    """What the first loss took: records that retention had deleted, and records that were skipped.

    Skipped are those between the log start and the position that `auto.offset.reset` chose.
    """
    lines = lab.lines(client)
    gone = lines[lines.message.str.contains("is out of range")].iloc[0]
    later = lines[lines.message.str.contains("Resetting offset") & (lines.at_ms >= gone.at_ms)]
    before, after = (_offset(line) for line in (gone.message, later.message.iloc[0]))
    start = lab.at(int(later.at_ms.iloc[0]))["partitions"]["orders-0"]["log_start_offset"]
    return {"deleted": start - before, "skipped": after - start}


def _offset(line: str) -> int:
    found = re.search(r"offset[= ](\d+)", line)
    assert found is not None, "both lines name an offset"
    return int(found[1])


def small_group() -> tuple[Lab, KafkaProducer, KafkaConsumer]:
    """Three partitions with 60, 40 and no orders; m1 has read them all.

    It has committed offset 12 in partition 0, and nothing else.
    """
    lab = Lab(brokers=1, seed=3)
    lab.create_topic("orders", partitions=3)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for partition in [0] * 60 + [1] * 40:
        shop.send(ProducerRecord("orders", value="an order", partition=partition))
    shop.flush()
    config = {
        "group.id": GROUP,
        "client.id": "m1",
        "enable.auto.commit": False,
        "max.poll.records": 20,
        "auto.offset.reset": "earliest",
    }
    member = KafkaConsumer(lab, config, name="m1")
    member.subscribe(["orders"])
    for _ in range(3):
        member.poll(timeout_ms=4_000)
    member.commit_sync({ORDERS: OffsetAndMetadata(12)})
    return lab, shop, member


def print_cut(text: str, width: int = 105) -> None:
    """Print what a tool printed, each line cut to the page."""
    print("\n".join(line[:width].rstrip() for line in text.splitlines()))


def two_members(
    loop: Callable[[Lab, str, int], object],
    *,
    keep: float = 12,
    crash_at: int = 14,
    until: int = 26,
) -> Lab:
    """Two partitions with twenty orders a minute each; m1 can do 60 a minute, m2 does ten.

    `loop(lab, name, per_minute)` is each member's program. At minute `crash_at` m2 is killed.
    """
    lab = shop_lab(keep, partitions=2)
    lab.spawn(loop, "m1", 60, name="m1")
    lab.spawn(loop, "m2", 10, name="m2")
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for minute in range(1, until):
        lab.run_for(ms=in_ms(minute) - lab.now_ms)
        if minute == crash_at:
            lab.kill("m2")
        write(shop, 40, partitions=2)
    lab.run_for(ms=in_ms(until) - lab.now_ms)
    lab.close()
    return lab


def nobody_reads(lab: Lab, partition: str = "orders-1", after_minute: int = 14) -> tuple[int, int]:
    """Seconds from a crash to the session's end, and to the partition's next commit."""
    crash_ms = in_ms(after_minute)
    left = next(event.at_ms for event in lab.journal.of("group.left") if event.at_ms > crash_ms)
    again = next(
        event.at_ms
        for event in lab.journal.of("commit")
        if event.at_ms > crash_ms and partition in event.fields.get("offsets", {})
    )
    return (left - crash_ms) // 1_000, (again - crash_ms) // 1_000


def holiday(days: float) -> tuple[Lab, KafkaProducer]:
    """Fifty orders, read and committed; the last member closes; twenty more orders come.

    The topic keeps its records for 30 days. The lab's clock is `days` days after that.
    """
    lab = Lab(brokers=1, seed=3)
    lab.create_topic("orders", config={"retention.ms": 30 * DAY_MS})
    shop = KafkaProducer(lab, {"client.id": "shop"})
    write(shop, 50)
    first = member_on_holiday(lab, "m1", **{"auto.offset.reset": "earliest"})
    for _ in range(2):
        first.poll(timeout_ms=4_000)  # join, then read all fifty
    first.close()
    write(shop, 20)
    lab.run_for(ms=int(days * DAY_MS) + in_ms(1) - lab.now_ms)
    return lab, shop


def member_on_holiday(lab: Lab, name: str, **config: Any) -> KafkaConsumer:
    """A member of `billing` with the default settings."""
    settings: Mapping[str, Any] = {"group.id": GROUP, "client.id": name, **config}
    member = KafkaConsumer(lab, settings, name=name)
    member.subscribe(["orders"])
    return member


def words_of_a_loss(version: str) -> str:
    """How a client of this release says that its position is gone, without the partition.

    It begins at offset 3 of a log whose first eight orders are deleted.
    """
    lab = Lab(brokers=1, seed=3, version=version, broker_version="4.4")
    lab.create_topic("orders")
    shop = KafkaProducer(lab, {"client.id": "shop"})
    write(shop, 20)
    KafkaAdminClient(lab, {}).delete_records({ORDERS: RecordsToDelete(8)}).all().get()
    member = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="m1")
    member.assign([ORDERS])
    member.seek(ORDERS, 3)
    member.poll(timeout_ms=2_000)
    told = lab.lines("m1").query("message.str.contains('out of range')").message
    return brief(told.iloc[0]).split(" for partition")[0]
