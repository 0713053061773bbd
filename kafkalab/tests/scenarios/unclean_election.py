"""The only replica in sync dies, and one that was not in sync may lead: it is available again, and
what it lacks is gone.

Broker 2 crashes, then broker 1: the leader, broker 0, is alone in sync, and with
min.insync.replicas=1 it goes on answering acks=all. Then it crashes. With
unclean.leader.election.enable=true broker 2 comes back and leads, and the acknowledged records that
only broker 0 had are cut off when it returns. With false the partition waits for broker 0 and loses
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.tests.scenarios import show
from kafkalab.views import replica_ladder

SETTINGS = {
    "min.insync.replicas": 1,
    "replica.lag.time.max.ms": 5_000,
    "broker.session.timeout.ms": 6_000,
}


@dataclass(frozen=True)
class Told:
    """labs by whether an unclean election was allowed; acknowledged: values confirmed with
    acks=all; moments: when what was so."""

    labs: dict[bool, Lab]
    acknowledged: dict[bool, list[str]]
    moments: dict[int, str]

    @property
    def account(self) -> str:
        return "\n".join(
            (
                f"unclean.leader.election.enable={str(unclean).lower()}: "
                f"{len(self.acknowledged[unclean])} records acknowledged, lost: "
                f"{', '.join(lost(self, unclean)) or 'none'}; nobody led for {leaderless_ms(lab)} "
                "ms"
            )
            for unclean, lab in self.labs.items()
        )


def tell() -> Told:
    told = Told({}, {}, {})
    for unclean in (True, False):
        lab = told.labs[unclean] = Lab(
            brokers=3, seed=2, broker_config={**SETTINGS, "unclean.leader.election.enable": unclean}
        )
        lab.create_topic("orders", replication_factor=3, leaders=[0])
        shop = KafkaProducer(lab, {"acks": "all", "linger.ms": 0, "client.id": "shop"}, name="shop")
        told.acknowledged[unclean] = acknowledged = []
        moments: dict[int, str] = {}

        def send(*values: str) -> None:
            for value in values:
                shop.send(ProducerRecord("orders", key=value, value=value)).get()
                acknowledged.append(value)
            lab.run_for(ms=700)

        send("tea", "milk", "bread")
        moments[lab.now_ms] = "all in sync"
        lab.run_for(ms=1)
        lab.broker(2).crash()
        lab.run_until(lambda: 2 not in lab.cluster.partition("orders", 0).isr)
        send("salt", "rice")
        lab.broker(1).crash()
        lab.run_until(lambda: 1 not in lab.cluster.partition("orders", 0).isr)
        send("oil", "flour")
        moments[lab.now_ms] = "0 alone in sync"
        lab.run_for(ms=1)
        lab.broker(0).crash()
        lab.run_for(ms=8_000)
        lab.broker(2).restart()
        lab.run_for(ms=9_000)
        moments[lab.now_ms] = "2 is back"
        lab.run_for(ms=1)
        lab.broker(0).restart()
        lab.run_for(ms=12_000)
        moments[lab.now_ms] = "0 is back"
        if unclean:
            told.moments.update(moments)
    return told


def lost(told: Told, unclean: bool) -> list[str]:
    """What was acknowledged and stands on no leader's log at the end."""
    lab = told.labs[unclean]
    leader = lab.leader("orders", 0)
    log = lab.broker(leader).machine.replicas.replica(("orders", 0)).log
    there = {record.value for batch in log.batches() for record in batch.records}
    return [value for value in told.acknowledged[unclean] if value not in there]


def leaderless_ms(lab: Lab) -> int:
    """How long the partition had no leader."""
    total, since_ms = 0, None
    for event in lab.journal.of("partition.changed"):
        if event.topic == "orders":
            if event.leader < 0 and since_ms is None:
                since_ms = event.at_ms
            elif event.leader >= 0 and since_ms is not None:
                total, since_ms = total + event.at_ms - since_ms, None
    return total


def draw(told: Told):
    return replica_ladder(
        told.labs[True],
        "orders-0",
        told.moments,
        title=f"an unclean election: {len(lost(told, True))} acknowledged records are gone",
    )


if __name__ == "__main__":
    show("unclean_election", tell, draw)
