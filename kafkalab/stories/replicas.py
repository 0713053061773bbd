"""Plays the experiments of chapter 14: what each replica has, who is in sync, and who reads what.

`orders` has one partition. Broker 0 leads it, and 1 and 2 follow. Where a fourth broker runs, it is
the address that the clients know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)

if TYPE_CHECKING:
    import pandas

PLACE = "orders-0"
RACKS = {0: "a", 1: "b", 2: "c"}
RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"

ALONE = {"cut off": 0, "heir": 1, "last heir": 1}
"""Which replica is cut off from the others in a night of this kind: 0 is the leader."""
KINDS = (*ALONE, "follower down", "two down", "slow")


class Night(NamedTuple):
    """What one run with a learner's watermark showed.

    told      the orders that were acknowledged
    seen      the orders that the reader got
    kept      the orders in the log at the end
    waiting   the orders that the reader could not get, although the leader has them
    """

    told: list[str]
    seen: list[str]
    kept: list[str]

    @property
    def waiting(self) -> list[str]:
        return [order for order in self.kept if order not in self.seen]


# -- clusters, writers, readers


def cluster(
    brokers: int = 3, release: str = "4.4", seed: int = 5, leader: int = 0, **settings: object
) -> Lab:
    """A lab with `orders` on the leader and the next two brokers, else on 0, 1 and 2. Settings are
    the brokers', with _ for dots."""
    lab = Lab(
        brokers=brokers,
        seed=seed,
        version="3.9",
        broker_version=release,
        broker_config={name.replace("_", "."): value for name, value in settings.items()},
    )
    lab.create_topic("orders", replication_factor=3, leaders=[leader])
    return lab


def till(lab: Lab, acks: str = "1", name: str = "till", **config: object) -> KafkaProducer:
    """A producer that gives up after eight seconds. It asks the last broker for the others."""
    settings: dict[str, object] = {
        "acks": acks,
        "linger.ms": 0,
        "enable.idempotence": False,
        "request.timeout.ms": 3_000,
        "delivery.timeout.ms": 8_000,
        "bootstrap.servers": f"localhost:{9092 + len(lab.cluster.brokers) - 1}",
    }
    return KafkaProducer(lab, {"client.id": name, **settings, **config}, name=name)


def write(producer: KafkaProducer, *orders: str, topic: str = "orders") -> list[int]:
    """Send orders, each after the answer for the last one. Return their offsets."""
    return [
        producer.send(ProducerRecord(topic, key=order, value="tea", partition=0)).get().offset
        for order in orders
    ]


def reader(lab: Lab, name: str = "reader", **config: object) -> KafkaConsumer:
    """A consumer without a group that reads `orders` from the beginning."""
    last = f"localhost:{9092 + len(lab.cluster.brokers) - 1}"
    settings = {"auto.offset.reset": "earliest", "bootstrap.servers": last, **config}
    consumer = KafkaConsumer(lab, settings, name=name)
    consumer.assign([TopicPartition("orders", 0)])
    return consumer


def read(lab: Lab, consumer: KafkaConsumer, ms: int) -> dict[int, int]:
    """Poll for that long: offset -> when the program got it, in milliseconds of the lab."""
    got: dict[int, int] = {}
    end_ms = lab.now_ms + ms
    while lab.now_ms < end_ms:
        for record in consumer.poll(timeout_ms=min(100, end_ms - lab.now_ms)):
            got[record.offset] = lab.now_ms
    return got


def late_follower(lag_s: int, missing: int, caught_up_s: int) -> Lab:
    """A lab whose broker 1 was cut off from its leader so long ago. The controller is patient.

    lag_s: replica.lag.time.max.ms in seconds. missing: the records that were written since then.
    """
    lab = cluster(
        brokers=4,
        seed=4,
        replica_lag_time_max_ms=lag_s * 1_000,
        broker_session_timeout_ms=600_000,
    )
    shop = till(lab)
    write(shop, "order 0")
    lab.run_for(ms=40_000)
    lab.partition([0, 2, 3], [1])
    for number in range(missing):
        shop.send(ProducerRecord("orders", key=f"late {number}", value="tea", partition=0))
    lab.run_for(ms=caught_up_s * 1_000)
    return lab


def ends_of(lab: Lab, at_ms: int, follower: int = 1) -> tuple[int, int]:
    """The log ends of the leader, broker 0, and of a follower at a moment."""
    logs = lab.at(at_ms)["partitions"][PLACE]["logs"]
    return logs[0]["log_end_offset"], logs[follower]["log_end_offset"]


# -- what there is


def replicas(lab: Lab, place: str = PLACE, at_ms: int | None = None) -> pandas.DataFrame:
    """One row for each replica: broker, role, log end and high watermark."""
    import pandas

    state = lab.at(lab.now_ms if at_ms is None else at_ms)
    partition = state["partitions"][place]
    rows = []
    for broker in partition["replicas"]:
        log = partition["logs"].get(broker, {})
        role = "in sync" if broker in partition["isr"] else "out of sync"
        if broker in partition["elr"]:
            role = "eligible"
        if broker == partition["leader"]:
            role = "leader"
        if not state["brokers"][broker]["alive"]:
            role += ", down"
        rows.append(
            {
                "broker": broker,
                "role": role,
                "log end": log.get("log_end_offset", 0),
                "high watermark": log.get("high_watermark", 0),
            }
        )
    return pandas.DataFrame(rows)


def steps(lab: Lab, since_ms: int, place: str = PLACE) -> pandas.DataFrame:
    """How the log ends and high watermarks of the replicas changed, one row for each change."""
    import pandas

    rows, before = [], None
    moments = sorted({event.at_ms for event in lab.journal.events if event.at_ms >= since_ms})
    for moment in moments:
        logs = lab.at(moment)["partitions"][place]["logs"]
        now = {
            f"{what} {broker}": log[key]
            for key, what in (("log_end_offset", "end"), ("high_watermark", "hw"))
            for broker, log in sorted(logs.items())
        }
        if now != before:
            rows.append({"ms": moment - since_ms, **now})
        before = now
    return pandas.DataFrame(rows)


def orders_in(lab: Lab, broker: int) -> list[str]:
    """The keys of the orders in one broker's log, read off its disk."""
    log = lab.broker(broker).machine.replicas.log_of("orders", 0)
    return (
        []
        if log is None
        else [str(record.key) for batch in log.batches() for record in batch.records]
    )


def epochs(lab: Lab) -> pandas.DataFrame:
    """The leader epochs that each replica has noted, with their first offsets."""
    import pandas

    rows = []
    for broker in (0, 1, 2):
        log = lab.broker(broker).machine.replicas.log_of("orders", 0)
        noted = () if log is None else log.epochs
        rows += [{"broker": broker, "epoch": epoch, "begins at": start} for epoch, start in noted]
    return pandas.DataFrame(rows)


# -- the experiments


def busy_and_quiet(ms: int = 45_000) -> Lab:
    """A follower of `busy` is always behind by some records; one of `quiet` lacks one record.

    Broker 1 writes 300 ms for each portion of `busy`. Broker 2 has stopped; the controller's
    patience is longer than the run, so that only the lag time counts.
    """
    lab = Lab(3, 5, "3.9", "4.4", {"broker.session.timeout.ms": 600_000})
    lab.create_topic("busy", replication_factor=2, leaders=[0])
    lab.create_topic("quiet", replication_factor=2, leaders=[1])
    shop = till(lab, **{"bootstrap.servers": "localhost:9092"})
    write(shop, "first", topic="busy")
    write(shop, "first", topic="quiet")
    lab.run_for(ms=1_000)
    lab.broker(1).disk.slow(300)
    lab.broker(2).pause(600_000)
    shop.send(ProducerRecord("quiet", key="the one", value="tea"))

    def sell(lab: Lab) -> None:
        while True:
            shop.send(ProducerRecord("busy", value="tea"))
            lab.sleep(20)

    lab.spawn(sell, name="sell")
    lab.run_for(ms=ms)
    return lab


def cut_off() -> tuple[Lab, dict[int, str]]:
    """The leader is cut off and goes on selling with acks=1; the others elect. Then it comes back.

    Returns the lab and the moments to look at.
    """
    lab, moments = cluster(brokers=4), {}
    old = till(lab, acks="1", name="old till")
    write(old, *(f"order {number}" for number in range(4)))
    lab.run_for(ms=1_000)
    lab.partition([0], [1, 2, 3])
    write(old, "lost 1", "lost 2", "lost 3")
    moments[lab.now_ms] = "cut off"
    lab.run_for(ms=12_000)
    write(till(lab, acks="all", name="new till"), "new 1", "new 2")
    lab.run_for(ms=1_000)
    moments[lab.now_ms] = "1 leads"
    lab.heal()
    lab.run_for(ms=15_000)
    moments[lab.now_ms] = "together again"
    return lab, moments


def nobody_in_sync(release: str, back: int, unclean: bool = False) -> Lab:
    """All three replicas go, 1 first, then 2, then 0. One comes back. min.insync.replicas is 2.

    Broker 1 lacks the two orders that are written after it has left.
    """
    settings = {"min_insync_replicas": 2, "unclean_leader_election_enable": unclean}
    lab = cluster(brokers=4, release=release, **settings)
    shop = till(lab, acks="all")
    write(shop, *(f"order {number}" for number in range(5)))
    lab.run_for(ms=1_000)
    lab.broker(1).stop()
    lab.run_for(ms=45_000)
    write(shop, "order 5", "order 6")
    lab.broker(2).stop()
    lab.run_for(ms=15_000)
    lab.broker(0).crash()
    lab.run_for(ms=15_000)
    lab.broker(back).restart()
    lab.run_for(ms=30_000)
    return lab


def power_cut(after_ms: int) -> tuple[int, int]:
    """(acknowledged, left) of ten orders; the power fails so long after the last five."""
    lab = cluster(min_insync_replicas=2)
    shop = till(lab, acks="all")
    told = write(shop, *(f"order {number}" for number in range(5)))
    lab.run_for(ms=60_000)
    told += write(shop, *(f"late {number}" for number in range(5)))
    lab.run_for(ms=after_ms)
    for broker in (0, 1, 2):
        lab.broker(broker).power_loss()
    lab.run_for(ms=5_000)
    for broker in (0, 1, 2):
        lab.broker(broker).restart()
    lab.run_for(ms=60_000)
    return len(told), int(lab.at(lab.now_ms)["partitions"][PLACE]["log_end_offset"])


def racks(version: str = "3.9", seed: int = 2, **config: object) -> Lab:
    """Three brokers in racks a, b and c. Consumers may read in their own rack."""
    lab = Lab(
        brokers=3,
        seed=seed,
        version=version,
        broker_version="4.4",
        racks=RACKS,
        broker_config={"replica.selector.class": RACK_AWARE, **config},
    )
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    return lab


# -- the learner's watermark


def night(
    rule: Callable[[Mapping[int, int], tuple[int, ...]], int],
    kind: str,
    seed: int,
    leader: int = 0,
) -> Lab:
    """One night of a cluster whose leaders move the high watermark by this rule.

    kind: "cut off", the leader is cut off and dies; "heir", the next broker is cut off, and leads
    when the leader dies; "last heir", the same when the other follower is out of sync; "follower
    down", a follower dies; "two down", both die; "slow", a follower is slow. The clients: `till`
    with acks=1, and `reader`.
    """
    rng = Random(seed)
    lab = cluster(brokers=4, seed=seed, leader=leader, replica_lag_time_max_ms=10_000)
    holders = [(leader + place) % 4 for place in range(3)]
    for broker in range(4):
        lab.broker(broker).move_watermark(rule)
    shop, one = till(lab), reader(lab)
    read(lab, one, 500)
    lab.spawn(_read_on, one, name="reading")
    write(shop, *(f"order {number}" for number in range(rng.randrange(3, 8))))
    lab.run_for(ms=1_500)
    if kind == "last heir":
        lab.broker(holders[2]).crash()
        lab.run_for(ms=16_000)
    if kind in ALONE:
        alone = holders[ALONE[kind]]
        lab.partition([alone], [broker for broker in range(4) if broker != alone])
    elif kind == "slow":
        lab.broker(rng.choice(holders[1:])).disk.slow(rng.randrange(300, 900))
    else:
        gone = holders[1:] if kind == "two down" else [rng.choice(holders[1:])]
        for broker in gone:
            lab.broker(broker).crash()
    write(shop, *(f"late {number}" for number in range(rng.randrange(2, 30))))
    lab.run_for(ms=2_500 if kind in ALONE else 30_000)
    if kind in ALONE:
        lab.broker(leader).crash()
        lab.heal()
        lab.run_for(ms=25_000)
    return lab


def survive(
    rule: Callable[[Mapping[int, int], tuple[int, ...]], int], seeds: int = 20
) -> pandas.DataFrame:
    """Play each kind of night with so many seeds: in how many a record vanished or was hidden."""
    import pandas

    rows = []
    for kind in KINDS:
        found = [seen_by_the_reader(night(rule, kind, seed)) for seed in range(seeds)]
        rows.append(
            {
                "night": kind,
                "nights": seeds,
                "a record vanished": sum(not set(each.seen) <= set(each.kept) for each in found),
                "a record was hidden": sum(bool(each.waiting) for each in found),
            }
        )
    return pandas.DataFrame(rows)


def _read_on(lab: Lab, consumer: KafkaConsumer) -> None:
    while True:
        consumer.poll(timeout_ms=100)


def seen_by_the_reader(lab: Lab) -> Night:
    """What the night showed: told, seen and kept."""
    leader = lab.at(lab.now_ms)["partitions"][PLACE]["leader"]
    told = [
        event.key
        for event in lab.journal.of("record.completed")
        if not event.error and str(event.partition) == PLACE
    ]
    seen = [event.key for event in lab.journal.of("record.delivered") if event.who == "reader"]
    return Night(told, seen, orders_in(lab, leader) if leader >= 0 else [])


# -- the Spark lab


def reading_in(rack: str, seed: int, orders: int = 12) -> Lab:
    """A lab whose `reader` is in this rack, while an order comes every 400 ms."""
    lab = racks(seed=seed)
    seller = till(lab, acks="all")
    consumer = reader(lab, **{"client.rack": rack})
    for number in range(orders):
        write(seller, f"order {number}")
        read(lab, consumer, 400)
    return lab


def outcome(call: Callable[[], object]) -> str:
    """The name of the exception that the call raises, or "written"."""
    try:
        call()
    except KafkaException as error:
        return type(error).__name__
    return "written"


def after_the_follower_died(version: str) -> dict[str, int]:
    """How often a consumer in rack b fetched from each broker in the four seconds after broker 1
    died, and how many of its tries found it down."""
    lab = racks(version)
    write(till(lab, acks="all"), "order 0")
    consumer = reader(lab, **{"client.rack": "b"})
    read(lab, consumer, 2_000)
    lab.broker(1).crash()
    death_ms = lab.now_ms
    read(lab, consumer, 4_000)
    since = [lab.line_text(event) for event in lab.journal.of("line") if event.at_ms > death_ms]
    return {
        "asked the leader": sum("FetchRequest" in line and "(id: 0" in line for line in since),
        "sent to broker 1 again": sum("Updating preferred read" in line for line in since),
    }


def leaves_after(release: str) -> int:
    """After how many seconds a follower that does not fetch any more has left the ISR."""
    lab = cluster(release=release)
    shop = till(lab)
    write(shop, "order 0")
    lab.run_for(ms=1_000)
    lab.broker(2).disk.slow(600_000)
    write(shop, "order 1")
    begin_ms = lab.now_ms
    partition = lab.cluster.partition("orders", 0)
    assert partition is not None, "the cluster has this partition"
    lab.run_until(lambda: 2 not in partition.isr)
    return (lab.now_ms - begin_ms) // 1_000


def back_to_the_preferred_leader(seed: int = 3) -> dict[str, int]:
    """Who leads a partition whose preferred leader is broker 0: while it is stopped, when it is
    back, and after a preferred election."""
    lab = Lab(3, seed, version="4.4", broker_version="4.4")
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    found = {"before": lab.leader("orders", 0)}
    lab.broker(0).stop()
    lab.run_for(ms=5_000)
    found["broker 0 is stopped"] = lab.leader("orders", 0)
    lab.broker(0).restart()
    lab.run_for(ms=30_000)
    found["it is back"] = lab.leader("orders", 0)
    place = TopicPartition("orders", 0)
    KafkaAdminClient(lab, {}).elect_leaders("preferred", [place]).all().get()
    found["after the election"] = lab.leader("orders", 0)
    return found
