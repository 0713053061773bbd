"""Moving pictures of connections and replicas: the first poll, the race of addresses, the grid.

Each function returns a `kafkalab.views.Moving`. The last line of a cell shows it. The stories are
those of the chapters 02, 03 and 05.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from kafkalab import KafkaConsumer, KafkaProducer, Lab
from kafkalab.views import (
    Cells,
    Moving,
    Outcome,
    Picture,
    cluster_map,
    moving,
    replica_ladder,
    timeline,
)
from kafkalab.views.connections import faults
from kafkalab.views.outcome_grid import LOOKS
from kafkalab.views.style import clock

FIRST_POLL_MS = (0, 4, 8, 12, 14, 16, 18, 20, 24, 30, 60, 1_000, 2_000, 3_000)


def replicas_of_cells(
    labs: Mapping[tuple[str, str], Lab],
    outcomes: Mapping[tuple[str, str], Outcome],
    partition: str = "orders-0",
    *,
    step_ms: int = 1_000,
) -> Moving:
    """The grid of outcomes as buttons, and the replica ladder of the chosen cell over time.

    labs, outcomes: (story, setting) -> the lab of that cell, and its outcome
    """
    end_ms = max(lab.now_ms for lab in labs.values())
    tallest = max(
        [
            log["log_end_offset"]
            for lab in labs.values()
            for log in lab.at(lab.now_ms)["partitions"][partition]["logs"].values()
        ]
        + [1]
    )

    def draw(at_ms: int, cell: tuple[str, str]) -> Picture:
        lab, outcome = labs[cell], outcomes[cell]
        moment = min(at_ms, lab.now_ms)
        words = f"{', '.join(cell)}: {outcome.words} in the end"
        over = f"; this run ended at {clock(moment)}" if at_ms > moment else ""
        caption = last_fault(lab, moment) + over
        return replica_ladder(lab, partition, {moment: caption}, title=words, tallest=tallest)

    buttons = {cell: (outcomes[cell].words, LOOKS[outcomes[cell].kind][0]) for cell in labs}
    moments = range(0, end_ms + step_ms, step_ms)
    return moving(draw, at=moments, cell=Cells(buttons))


def last_fault(lab: Lab, at_ms: int) -> str:
    """The last thing that was done to a broker before a moment, in words."""
    before = [each for each in faults(lab) if each.at_ms <= at_ms]
    if not before:
        return "nothing has happened to a broker yet"
    last_ms = before[-1].at_ms
    told = [each.name for each in before if each.at_ms == last_ms]
    return f"at {clock(last_ms)}: {', '.join(told)}"


def first_poll(version: str = "2.3", seed: int = 1) -> Moving:
    """The first poll of a consumer, from the first connection to the first fetch (chapter 03)."""
    lab = Lab(brokers=3, seed=seed, version=version)
    lab.create_topic("t4", partitions=3)
    reader = KafkaConsumer(lab, {"group.id": "test", "client.id": "reader"}, name="reader")
    reader.subscribe(["t4"])
    for _ in range(8):
        reader.poll(timeout_ms=500)
    assigned_ms = next(event.at_ms for event in lab.journal.of("assigned"))
    after = (0, 4, 8, 12, 20, 100)
    moments = sorted({*FIRST_POLL_MS, *(assigned_ms + each for each in after)})

    def draw(at_ms: int) -> Picture:
        return cluster_map(lab, at_ms, words=poll_moment(lab, "reader", at_ms), room_for=5)

    return moving(draw, at=moments, still=assigned_ms + 20)


def poll_moment(lab: Lab, client: str, at_ms: int) -> str:
    """Which of the three moments of a first poll a time belongs to, in words."""
    sent = {
        event.api
        for event in lab.journal.of("request.sent")
        if event.who == client and event.at_ms <= at_ms
    }
    if "FETCH" in sent or "LIST_OFFSETS" in sent:
        return "3. It reads: a connection to each leader of its partitions."
    if "JOIN_GROUP" in sent:
        return "2. It talks to the coordinator: it joins the group and asks for its offsets."
    return "1. It looks for the coordinator: any broker can tell."


@lru_cache(maxsize=512)
def _start(version: str, seed: int, delay_ms: int) -> Lab:
    """A producer with five addresses that sends nothing, for 100 ms (chapter 02)."""
    lab = Lab(brokers=5, seed=seed, version=version)
    lab.create_topic("orders", partitions=2)
    for broker in range(5):
        lab.broker(broker).delay("API_VERSIONS", ms=delay_ms)
    addresses = ",".join(f"localhost:{9092 + broker}" for broker in range(5))
    KafkaProducer(lab, {"client.id": "shop", "bootstrap.servers": addresses}, name="shop")
    lab.run_for(ms=100)
    return lab


def race(seeds: int = 20) -> Moving:
    """The race between a new producer's rounds and the brokers' answers: seed and delay."""

    def draw(seed: int, delay: int, client: str) -> Picture:
        lab = _start(client, seed, delay)
        opened = len(lab.sockets("shop"))
        words = f"client {client}, seed {seed}: {opened} of 5 addresses are connected"
        return timeline(lab, "shop", to_ms=40, title=words)

    return moving(
        draw,
        at={seed: str(seed) for seed in range(1, seeds + 1)},
        still=1,
        called="seed",
        delay={ms: f"{ms} ms" for ms in (0, 2, 5, 10)},
        client=("2.2", "2.3", "3.9"),
    )
