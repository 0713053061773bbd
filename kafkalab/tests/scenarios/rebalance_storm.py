"""Five members are restarted one after the other, as in a rolling deployment: each goodbye and each
return is a rebalance of all.

With group.instance.id (KIP-345) the same deployment disturbs nobody: a static member says no
goodbye, and comes back as the one it was before its session ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkalab import KafkaConsumer, Lab
from kafkalab.tests.scenarios import show
from kafkalab.views import group_timeline

MEMBERS, FIRST_RESTART_MS, BETWEEN_MS, AWAY_MS, END_MS = 5, 8_000, 4_000, 1_500, 32_000


@dataclass(frozen=True)
class Told:
    """The storm, and the same deployment with static members."""

    storm: Lab
    calm: Lab

    @property
    def account(self) -> str:
        return (
            f"{MEMBERS} members restarted: {rebalances(self.storm)} rebalances, "
            f"{idle_ms(self.storm)} ms of partitions without a reader\n"
            f"the same with group.instance.id: {rebalances(self.calm)} rebalances, "
            f"{idle_ms(self.calm)} ms"
        )


def tell() -> Told:
    return Told(deployed(static=False), deployed(static=True))


def deployed(static: bool) -> Lab:
    """A group whose members are restarted one by one."""
    lab = Lab(brokers=3, seed=5)
    lab.create_topic("orders", partitions=10)
    for number in range(MEMBERS):
        lab.spawn(member, number, static, name=f"inv-{number}")
    lab.run_for(ms=END_MS)
    lab.close()
    return lab


def member(lab: Lab, number: int, static: bool) -> None:
    """Reads; is stopped at its turn, and started again a little later."""
    config = {"group.id": "inventory", "session.timeout.ms": 10_000, "heartbeat.interval.ms": 1_000}
    if static:
        config["group.instance.id"] = f"inv-{number}"
    restart_ms = FIRST_RESTART_MS + number * BETWEEN_MS
    for name, until_ms in ((f"inv-{number}", restart_ms), (f"inv-{number}, new", END_MS)):
        consumer = KafkaConsumer(lab, config, name=name)
        consumer.subscribe(["orders"])
        while lab.now_ms < until_ms:
            consumer.poll(timeout_ms=200)
        if until_ms < END_MS:
            consumer.close()
            lab.sleep(AWAY_MS)


def rebalances(lab: Lab) -> int:
    """Rebalances after the group first stood."""
    return sum(
        event.fields.get("machine") == "group"
        and event.after == "PreparingRebalance"
        and event.at_ms >= FIRST_RESTART_MS
        for event in lab.journal.of("state")
    )


def idle_ms(lab: Lab) -> int:
    """Milliseconds from the first restart on in which the group was not Stable."""
    moves = [event for event in lab.journal.of("state") if event.fields.get("machine") == "group"]
    ends = [event.at_ms for event in moves[1:]] + [lab.now_ms]
    return sum(
        end - max(move.at_ms, FIRST_RESTART_MS)
        for move, end in zip(moves, ends)
        if move.after != "Stable" and end > FIRST_RESTART_MS
    )


def draw(told: Told):
    return group_timeline(
        told.storm,
        "inventory",
        from_ms=6_000,
        title=f"a rolling restart of {MEMBERS} members: {rebalances(told.storm)} rebalances",
    )


if __name__ == "__main__":
    show("rebalance_storm", tell, draw)
