"""Stories of chapters 05 and 14: what is left when a client or a broker ends or goes away."""

from __future__ import annotations

import re
from typing import Any

from kafkalab.real.proof.claim import EitherLab, Side, on_brokers, raised_by, story
from kafkalab.records import ProducerRecord
from kafkalab.releases.lineage import CLIENT_NAMES

DIGITS = re.compile(r"\d{4,}")
"""Durations in an error's words, which differ from run to run."""
THREE = "localhost:9092,localhost:9093,localhost:9094"
NOTICED_WITHIN_MS = 3_000
"""A client from 4.0 on begins again with its bootstrap addresses at the first refresh of metadata
that finds no broker to ask. That refresh may come a second late, when a reconnect is just due."""
FLOOR_2 = {"min.insync.replicas": 2}


def written(lab: EitherLab) -> int:
    """How many records are in the log."""
    return int(lab.describe_topic("orders").high_watermark.iloc[0])


@story(
    "05 closed after send",
    brokers=1,
    releases=CLIENT_NAMES,
    claims={"left": "acks=0: ten send(), and close() at once: so many are written."},
)
def closed_after_send(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    shop = side.producer(lab, acks="0", enable_idempotence=False)
    for number in range(10):
        shop.send(ProducerRecord("orders", str(number)))
    shop.close()
    lab.run_for(2_000)
    return {"left": written(lab)}


def sent_to_a_paused_broker(side: Side, acks: str, is_killed: bool) -> int:
    """The broker is paused. Five requests with a record each go out, and the producer ends
    without waiting. The broker runs again: how many it has written."""
    lab = side.lab()
    lab.create_topic("orders")
    shop = side.producer(lab, acks=acks, linger_ms=0, enable_idempotence=False)
    shop.send(ProducerRecord("orders", "first")).get()
    lab.run_for(500)
    lab.broker(0).pause(4_000)
    for number in range(5):
        shop.send(ProducerRecord("orders", str(number)))
        lab.run_for(100)
    if is_killed:
        lab.kill("shop")
    else:
        shop.close(timeout_ms=0)
    lab.run_for(8_000)
    return written(lab) - 1


@story(
    "05 ended before the broker reads",
    brokers=1,
    claims={
        "closed_0": "A broker is paused, five requests with acks=0 wait for it, and the "
        "producer is closed. The broker runs again: so many records are written.",
        "killed_0": "The same, and the producer is killed.",
        "closed_1": "The same with acks=1: the producer is closed.",
        "killed_1": "With acks=1 the producer is killed.",
    },
)
def ended_before_it_reads(side: Side) -> dict[str, Any]:
    return {
        f"{how}_{acks}": sent_to_a_paused_broker(side, acks, how == "killed")
        for acks in ("0", "1")
        for how in ("closed", "killed")
    }


def starts_again(lab: EitherLab) -> None:
    """Five seconds later broker 0 is started."""
    lab.sleep(5_000)
    lab.broker(0).restart()


@story(
    "05 a broker is away",
    brokers=1,
    releases=("2.3", "2.8", "3.9", "4.0", "4.4"),
    claims={
        "told": "A record is sent while the only broker is down. It comes back: the future.",
        "blocks": "send() itself waits for the broker.",
        "forgets": "The client has begun again with its bootstrap addresses.",
    },
)
def broker_away(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    shop = side.producer(lab)
    shop.send(ProducerRecord("orders", "first")).get()
    lab.broker(0).crash()
    lab.run_for(NOTICED_WITHIN_MS)
    lab.spawn(starts_again)
    began_ms = lab.now_ms
    future = shop.send(ProducerRecord("orders", "second"))
    waited_ms = lab.now_ms - began_ms
    said = raised_by(future.get)
    return {
        "told": "written" if said == "none" else said,
        "blocks": waited_ms > 2_000,
        "forgets": "Rebootstrapping with" in lab.log_text("shop"),
    }


@story(
    "05 the broker stays away",
    brokers=1,
    releases=("2.3", "2.8", "3.9", "4.0", "4.4"),
    claims={
        "says": "A record is sent when the only broker has been down for three seconds: its error."
    },
)
def broker_stays_away(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    shop = side.producer(
        lab, linger_ms=0, max_block_ms=3_000, delivery_timeout_ms=4_000, request_timeout_ms=2_000
    )
    shop.send(ProducerRecord("orders", "first")).get()
    lab.broker(0).crash()
    lab.run_for(NOTICED_WITHIN_MS)
    said = raised_by(lambda: shop.send(ProducerRecord("orders", "second")).get())
    return {"says": DIGITS.sub("N", said)}


@story(
    "14 who leads",
    releases=("3.9",),
    claims={
        "back_0": "min.insync.replicas=2. Broker 1 stops, then 2, then 0 crashes, and it alone "
        "starts again: the partition's leader.",
        "back_1": "Broker 1 alone starts again: the leader.",
        "back_2": "Broker 2 alone starts again: the leader.",
    },
)
def who_leads(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for back in (0, 1, 2):
        lab = side.lab()
        lab.create_topic("orders", replication_factor=3, leaders=[0], config=FLOOR_2)
        shop = side.producer(lab, acks="all", bootstrap_servers=THREE)
        shop.send(ProducerRecord("orders", "tea")).get()
        shop.close()
        for broker in (1, 2):
            lab.broker(broker).stop()
            lab.run_for(3_000)
        lab.broker(0).crash()
        lab.run_for(12_000)
        lab.broker(back).restart()
        lab.run_for(20_000)
        leader = lab.leader("orders", 0)
        found[f"back_{back}"] = "nobody" if leader is None or leader < 0 else leader
    return found


who_leads_by_zookeeper = on_brokers(who_leads, "2.3")
