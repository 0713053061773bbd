"""A moving picture of replicas: the leader dies at any moment (chapter 14).

The function returns a `kafkalab.views.Moving`. The last line of a cell shows it.
"""

from __future__ import annotations

from functools import lru_cache

from kafkalab import Lab, ProducerRecord
from kafkalab.stories.replicas import PLACE, cluster, reader, till
from kafkalab.views import Moving, Picture, moving, replica_ladder

ORDERS = 8
PACE_MS = 20
DISKS = {70: "broker 1 needs 70 ms for each portion", 0: "both followers are fast"}
"""Milliseconds that the disk of broker 1 needs for a portion -> words. The slow one comes first:
there a crash takes back what was told."""


@lru_cache(maxsize=128)
def _crash(after_ms: int, disk_ms: int) -> tuple[Lab, int, str]:
    """(lab, the moment of the crash, what was told, seen and kept) where the leader dies then."""
    lab = cluster(brokers=4)
    shop, one = till(lab), reader(lab)

    def poll(lab: Lab) -> None:
        while True:
            one.poll(timeout_ms=100)

    lab.spawn(poll, name="polling")
    shop.partitions_for("orders")
    lab.run_for(ms=2_000)
    lab.broker(1).disk.slow(disk_ms)

    def sell(lab: Lab) -> None:
        for number in range(ORDERS):
            shop.send(ProducerRecord("orders", key=f"order {number}", partition=0))
            lab.sleep(PACE_MS)

    lab.spawn(sell, name="selling")
    lab.run_for(ms=after_ms)
    crash_ms = lab.now_ms
    told = sum(not event.error for event in lab.journal.of("record.completed"))
    lab.broker(0).crash()
    lab.kill("selling")
    lab.kill("till")
    lab.run_for(ms=20_000)
    seen = sum(1 for _ in lab.journal.of("record.delivered"))
    kept = lab.at(lab.now_ms)["partitions"][PLACE]["log_end_offset"]
    return lab, crash_ms, f"told as written: {told}; kept: {kept}; the reader got {seen}"


def moment_of_the_crash() -> Moving:
    """The leader dies at any moment of a sale with acks=1, with a fast or a slow follower."""

    def draw(after_ms: int, disk: int) -> Picture:
        lab, crash_ms, words = _crash(after_ms, disk)
        moments = {crash_ms - 1: "just before the crash", lab.now_ms: "20 s later"}
        return replica_ladder(lab, PLACE, moments, title=words, tallest=ORDERS)

    return moving(
        draw,
        at={ms: f"{ms} ms" for ms in range(5, 165, 5)},
        still=85,
        called="crash after",
        disk=DISKS,
    )
