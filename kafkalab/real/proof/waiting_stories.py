"""Stories of chapters 03 to 14: who waits for whom, and for how long by default."""

from __future__ import annotations

import re
from statistics import median
from typing import Any

from kafkalab.clients.admin.values import ConfigResource
from kafkalab.real.proof.claim import (
    EitherLab,
    Side,
    kind_raised_by,
    on_brokers,
    polled,
    settled,
    story,
)
from kafkalab.real.proof.group_stories import Heard, members
from kafkalab.real.proof.log_stories import LOOKS_OFTEN, MINUTE_MS
from kafkalab.records import OffsetAndMetadata, ProducerRecord, TopicPartition

ONE = TopicPartition("orders", 0)
SENT = re.compile(r"Sending (FETCH|HEARTBEAT) .*?correlationId=(\d+)", re.S)
ANSWERED = re.compile(r"Received (FETCH|HEARTBEAT) response .*?correlationId=(\d+)", re.S)
LINGER = re.compile(r"^\s*linger\.ms = (\d+)$", re.M)
HALF_S = 500


@story(
    "03 answers",
    brokers=1,
    releases=("3.9", "4.4"),
    claims={
        "fetch": "Nothing is written: the middle time of an answer to FETCH, rounded to half a "
        "second, in ms.",
        "heartbeat": "The middle time of an answer to HEARTBEAT, rounded so, in ms.",
    },
)
def middle_times(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    (one,) = members(side, lab, "m1")
    settled(lab, [one], 20_000)
    sent: dict[tuple[str, str], int] = {}
    took: dict[str, list[int]] = {"FETCH": [], "HEARTBEAT": []}
    for row in lab.lines("m1").itertuples():
        if begun := SENT.search(row.message):
            sent[begun[1], begun[2]] = row.at_ms
        elif (done := ANSWERED.search(row.message)) and (done[1], done[2]) in sent:
            took[done[1]].append(row.at_ms - sent[done[1], done[2]])
    return {api.lower(): round(median(took[api]) / HALF_S) * HALF_S for api in took}


@story(
    "04 linger by default",
    brokers=1,
    releases=("2.3", "2.8", "3.9", "4.0", "4.4"),
    claims={"linger": "linger.ms by default."},
)
def default_linger(side: Side) -> dict[str, Any]:
    lab = side.lab()
    side.producer(lab)
    lab.run_for(1_000)
    told = LINGER.search(lab.log_text("shop"))
    return {"linger": int(told[1]) if told else "not told"}


@story(
    "14 the lag time by default",
    brokers=1,
    releases=("3.9",),
    claims={"ms": "replica.lag.time.max.ms of a broker by default."},
)
def default_lag_time(side: Side) -> dict[str, Any]:
    lab = side.lab()
    broker = ConfigResource("broker", "0")
    told = side.admin(lab).describe_configs([broker]).values()[broker].get()
    return {"ms": int(told["replica.lag.time.max.ms"].value)}


default_lag_time_then = on_brokers(default_lag_time, "2.3", ("2.3",))


@story(
    "05 no answer",
    broker_config={"replica.lag.time.max.ms": 15_000, "broker.session.timeout.ms": 90_000},
    releases=("2.3", "2.8", "3.9", "4.4"),
    claims={
        "times": "The followers sleep, and acks=all gets no answer. request.timeout.ms is 3 s, "
        "delivery.timeout.ms 11 s: the record is sent so often.",
        "seconds": "The future fails after so many whole seconds.",
        "raised": "It fails with this.",
    },
)
def no_answer(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    shop = side.producer(
        lab, acks="all", linger_ms=0, request_timeout_ms=3_000, delivery_timeout_ms=11_000
    )
    shop.send(ProducerRecord("orders", "first")).get()
    lab.run_for(1_000)
    for follower in (1, 2):
        lab.broker(follower).pause(14_000)
    lab.run_for(1_000)  # the leader answers the fetches that have come before
    began_ms = lab.now_ms
    raised = kind_raised_by(shop.send(ProducerRecord("orders", "second")).get)
    seconds = (lab.now_ms - began_ms) // 1_000
    asked = lab.table("request.sent").query(f"api == 'PRODUCE' and at_ms >= {began_ms - 5}")
    return {"times": len(asked), "seconds": int(seconds), "raised": raised}


@story(
    "08 commits while a group gathers",
    brokers=1,
    releases=("2.3", "2.8", "3.9", "4.4"),
    claims={
        "refused": "A third member joins, and the first one works on without poll(): so many of "
        "its three commits are refused.",
        "kept": "The last of them is then the group's committed offset.",
        "joins": "The second one polls, so its own join is under way: its commit raises this.",
    },
)
def commits_while_gathering(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=3)
    own = {"enable_auto_commit": False, "heartbeat_interval_ms": 1_000}
    one, two = members(side, lab, "m1 m2", **own)
    settled(lab, [one, two], 10_000)
    (three,) = members(side, lab, "m3", **own)
    settled(lab, [three], 3_000)
    said = []
    for offset in (1, 2, 3):
        said.append(kind_raised_by(one.commit_sync, {ONE: OffsetAndMetadata(offset)}))
        lab.run_for(500)
    settled(lab, [two, three], 4_000)
    joins = kind_raised_by(two.commit_sync, {TopicPartition("orders", 1): OffsetAndMetadata(1)})
    asked = side.admin(lab).list_consumer_group_offsets("billing")
    kept = asked.partitions_to_offset_and_metadata().get()[ONE].offset
    return {"refused": sum(each != "none" for each in said), "kept": kept, "joins": joins}


@story(
    "08 newer protocol",
    brokers=1,
    releases=("4.0", "4.4"),
    claims={
        "ann_gives_up": "Three members with group.protocol=consumer, six partitions. cyd closes: "
        "ann gives up so many partitions.",
        "ann_owns": "She owns so many soon after.",
        "soon": "bob is killed: 30 seconds later ann owns so many.",
        "late": "65 seconds later, after the session of 45 seconds, she owns so many.",
    },
)
def newer_protocol(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=6)
    own = {"group_id": "billing", "group_protocol": "consumer", "enable_auto_commit": False}
    heard = Heard()
    people = [side.consumer(lab, name, **own) for name in ("ann", "bob", "cyd")]
    ann, bob, cyd = people
    ann.subscribe(["orders"], heard)
    for other in (bob, cyd):
        other.subscribe(["orders"])
    settled(lab, people, 25_000)
    heard.revoked.clear()
    cyd.close()
    settled(lab, [ann, bob], 15_000)
    found: dict[str, Any] = {
        "ann_gives_up": sum(heard.revoked),
        "ann_owns": len(ann.assignment()),
    }
    lab.kill("bob")
    settled(lab, [ann], 30_000)
    found["soon"] = len(ann.assignment())
    settled(lab, [ann], 35_000)
    return {**found, "late": len(ann.assignment())}


@story(
    "10 a static member",
    brokers=1,
    releases=("2.8", "3.9", "4.4"),
    claims={
        "dynamic": "max.poll.interval.ms is 4 s, the session 16 s. A dynamic member makes no call "
        "for ten seconds: the group has so many members.",
        "static": "A static member does the same: so many.",
        "static_later": "Thirty seconds after its last poll: so many.",
    },
)
def static_and_late(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, own in (("dynamic", {}), ("static", {"group_instance_id": "ada"})):
        lab = side.lab()
        lab.create_topic("orders")
        (ada,) = members(
            side,
            lab,
            "ada",
            max_poll_interval_ms=4_000,
            session_timeout_ms=16_000,
            enable_auto_commit=False,
            **own,
        )
        settled(lab, [ada], 6_000)
        lab.run_for(10_000)
        found[key] = _members_of(side, lab)
    lab.run_for(20_000)
    return {**found, "static_later": _members_of(side, lab)}


def _members_of(side: Side, lab: EitherLab) -> int:
    described = side.admin(lab).describe_consumer_groups(["billing"]).all().get()["billing"]
    return len(described.members)


@story(
    "10 bo waits",
    brokers=1,
    releases=("2.8", "3.9"),
    claims={
        "with_5_s": "ada works without poll(), and bo joins her. Her max.poll.interval.ms is 5 s: "
        "bo owns so many of two partitions after 12 s.",
        "with_60_s": "It is 60 s: bo owns so many after 12 s.",
        "when_she_polls": "ada polls again: bo owns so many.",
    },
)
def bo_waits(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for seconds in (5, 60):
        lab = side.lab()
        lab.create_topic("orders", partitions=2)
        own = {"max_poll_interval_ms": seconds * 1_000, "enable_auto_commit": False}
        (ada,) = members(side, lab, "ada", **own)
        settled(lab, [ada], 6_000)
        (bo,) = members(side, lab, "bo", **own)
        settled(lab, [bo], 12_000)
        found[f"with_{seconds}_s"] = len(bo.assignment())
    settled(lab, [ada, bo], 8_000)
    return {**found, "when_she_polls": len(bo.assignment())}


@story(
    "11 first aid",
    brokers=1,
    releases=("2.8", "3.9", "4.4"),
    broker_config=LOOKS_OFTEN,
    claims={
        "without": "retention.ms is a minute, and a slow group has read 5 of 20 orders: so many of "
        "the others are never read.",
        "never_read": "Before that minute is over, retention.ms is raised to a day: so many are "
        "never read.",
    },
)
def first_aid(side: Side) -> dict[str, Any]:
    return {"without": _never_read(side, False), "never_read": _never_read(side, True)}


def _never_read(side: Side, aid: bool) -> int:
    """Orders that a member never reads. A broker looks at its logs from 30 s after its start on."""
    lab = side.lab()
    lab.run_for(35_000)
    config = {"retention.ms": MINUTE_MS, "segment.ms": 1_000}
    lab.create_topic("orders", config=config)
    shop = side.producer(lab, linger_ms=0)
    almost_a_minute_ago = lab.epoch_ms + lab.now_ms - MINUTE_MS + 25_000
    for number in range(20):
        shop.send(
            ProducerRecord("orders", str(number), timestamp_ms=almost_a_minute_ago + 2 * number)
        ).get()
    reader = {"group_id": "billing", "enable_auto_commit": False, "auto_offset_reset": "latest"}
    slow = side.consumer(lab, "slow", max_poll_records=5, **reader)
    slow.assign([ONE])
    slow.seek(ONE, 0)
    read = {record.offset for record in polled(slow, lab, 5)}
    slow.commit_sync()
    slow.close()
    if aid:
        lab.alter_topic("orders", {"retention.ms": 24 * 60 * MINUTE_MS})
    lab.run_for(40_000)
    back = side.consumer(lab, "back", **reader)
    back.assign([ONE])
    read |= {record.offset for record in polled(back, lab, 15, timeout_ms=6_000)}
    return 20 - len(read)
