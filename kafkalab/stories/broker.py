"""Plays the experiments of chapter 15: where a request spends its time inside a broker.

`orders` has one partition unless a story says otherwise. Broker 0 leads it. The stages have the
names of Kafka's RequestMetrics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.broker.replication.learners_completion import CompletionRule
from kafkalab.broker.shell.request_path import RequestPath, TimedRequest
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import time_text

if TYPE_CHECKING:
    import pandas

STAGES: Mapping[str, str] = {
    "request_queue_ms": "RequestQueueTimeMs",
    "local_ms": "LocalTimeMs",
    "remote_ms": "RemoteTimeMs",
    "response_queue_ms": "ResponseQueueTimeMs",
    "send_ms": "ResponseSendTimeMs",
    "total_ms": "TotalTimeMs",
}
"""Column of `lab.broker(0).request_times()` -> Kafka's name for it."""
LOGGED = {
    "total_ms": "totalTimeMs",
    "request_queue_ms": "requestQueueTimeMs",
    "local_ms": "localTimeMs",
    "remote_ms": "remoteTimeMs",
    "response_queue_ms": "responseQueueTimeMs",
    "send_ms": "sendTimeMs",
}
"""The same columns -> the names in Kafka's request log since 2.8."""


# -- clusters and clients


def broker_lab(brokers: int = 1, seed: int = 5, partitions: int = 1, **settings: object) -> Lab:
    """A lab with `orders`, led by broker 0, which times its requests.

    Settings are the brokers', with _ for dots.
    """
    lab = Lab(
        brokers=brokers,
        seed=seed,
        version="3.9",
        broker_version="4.4",
        broker_config={name.replace("_", "."): value for name, value in settings.items()},
    )
    lab.create_topic(
        "orders",
        partitions=partitions,
        replication_factor=min(brokers, 3),
        leaders=[0] * partitions,
    )
    lab.broker(0).time_requests()
    return lab


def till(lab: Lab, name: str, acks: str = "1", **config: object) -> KafkaProducer:
    """A producer that has sent its first order, so that its connection is open."""
    settings: dict[str, object] = {"acks": acks, "linger.ms": 0, "enable.idempotence": False}
    producer = KafkaProducer(lab, {"client.id": name, **settings, **config}, name=name)
    producer.send(ProducerRecord("orders", value="first", partition=0)).get()
    return producer


def tills(lab: Lab, count: int, acks: str = "1") -> list[KafkaProducer]:
    """So many tills: till-0, till-1, ..."""
    return [till(lab, f"till-{number}", acks) for number in range(count)]


def order(producer: KafkaProducer, value: str = "tea", partition: int = 0) -> Any:
    """Send one order without waiting for its answer; returns its future."""
    return producer.send(ProducerRecord("orders", value=value, partition=partition))


def reader(lab: Lab, name: str = "ada", partitions: int = 1, **config: object) -> KafkaConsumer:
    """A consumer without a group, of the first partitions of `orders`, from their ends."""
    consumer = KafkaConsumer(lab, {"auto.offset.reset": "latest", **config}, name=name)
    consumer.assign([TopicPartition("orders", number) for number in range(partitions)])
    return consumer


def sell_on(lab: Lab, producer: KafkaProducer, every_ms: int, seed: int = 1) -> None:
    """Sell all the time: an order, its answer, a random pause of `every_ms` on average."""
    rng = Random(f"{seed} {producer.name}")
    while True:
        order(producer).get()
        lab.sleep(round(rng.uniform(0, 2 * every_ms)))


def read_on(lab: Lab, consumer: KafkaConsumer) -> None:
    """Poll all the time."""
    while True:
        consumer.poll(timeout_ms=1_000)


# -- what the broker's clock says


def requests_since(lab: Lab, since_ms: int, api: str = "", broker: int = 0) -> list[dict[str, Any]]:
    """The rows of `request_times()` whose request was read after that moment, of one API or all."""
    rows = lab.broker(broker).request_times()
    return [row for row in rows if row["read_at_ms"] >= since_ms and row["api"].startswith(api)]


def stages(rows: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    """One row for each request: client, api, and the milliseconds of its stages."""
    import pandas

    return pandas.DataFrame(
        [
            {
                "client": row["client"],
                "api": row["api"],
                **{name: round(row[column], 1) for column, name in STAGES.items()},
            }
            for row in rows
        ]
    )


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that is not below `share` of all, 0.99 for the 99th percentile."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1_000) * len(ordered) // 1_000) - 1)]


def p99(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The 99th percentile of each stage."""
    kept = list(rows)
    return {
        name: round(percentile((row[column] for row in kept), 0.99), 1)
        for column, name in {"socket_ms": "socket", **STAGES}.items()
    }


def idle_share(lab: Lab, since_ms: int, threads: int, broker: int = 0) -> float:
    """The share of their time for which the I/O threads had nothing to do since that moment.

    Kafka's metric is RequestHandlerAvgIdlePercent."""
    end_ms, busy_ms = float(lab.now_ms), 0.0
    for row in requests_since(lab, 0, broker=broker):
        begin_ms = row["read_at_ms"] + row["request_queue_ms"]
        ended_ms = min(end_ms, begin_ms + row["worked_ms"])
        busy_ms += max(0.0, ended_ms - max(since_ms, begin_ms))
    return round(1 - busy_ms / (threads * (end_ms - since_ms)), 2)


def places(lab: Lab, broker: int = 0) -> dict[str, int]:
    """How many requests are in each place of the broker now."""
    found: dict[str, int] = {}
    for row in lab.broker(broker).request_path():
        place = re.sub(r" \d+$", "s", str(row["place"])).replace("sockets", "socket")
        found[place] = found.get(place, 0) + 1
    return found


def request_log(lab: Lab, broker: int = 0) -> str:
    """The answered requests as lines of kafka.request.logger, as Kafka writes them since 2.8.

    The requests' and responses' own contents are left out.
    """
    lines = []
    for row in lab.broker(broker).request_times():
        told = {
            "isForwarded": False,
            "requestHeader": {
                "correlationId": row["correlation_id"],
                "clientId": row["client"],
                "requestApiKeyName": row["api"],
            },
            "connection": row["connection"],
            **{name: row[column] for column, name in LOGGED.items()},
            "throttleTimeMs": int(row["throttle_ms"]),
        }
        at_ms = round(row["read_at_ms"] + row["total_ms"])
        lines.append(
            f"[{time_text(lab.epoch_ms + at_ms)}] DEBUG Completed request:"
            f"{json.dumps(told, separators=(',', ':'))} (kafka.request.logger)"
        )
    return "\n".join(lines) + "\n"


TEXT_OF_2_3 = re.compile(
    r"apiKey=(?P<api>\w+), .*?clientId=(?P<client>[\w-]+), .*?;totalTime:(?P<total_ms>[\d.]+),"
    r"requestQueueTime:(?P<request_queue_ms>[\d.]+),localTime:(?P<local_ms>[\d.]+),"
    r"remoteTime:(?P<remote_ms>[\d.]+),.*responseQueueTime:(?P<response_queue_ms>[\d.]+),"
    r"sendTime:(?P<send_ms>[\d.]+)"
)


def real_request_lines(release: str) -> list[str]:
    """The lines of a real broker's request log, release "2.3" or "4.4" (data/tools)."""
    path = course_folder() / "data" / "tools" / f"requests_{release}.txt"
    return path.read_text(encoding="utf-8").splitlines()


def real_requests(release: str) -> pandas.DataFrame:
    """The same requests as a table: time, client, api, acks and the stages."""
    import pandas

    rows = []
    for line in real_request_lines(release):
        if "{" in line and '"requestHeader"' in line:
            told = json.loads(line[line.index("{") : line.rindex("}") + 1])
            header = told["requestHeader"]
            row = {"client": header["clientId"], "api": header["requestApiKeyName"]}
            times = {column: told[name] for column, name in LOGGED.items()}
            acks = told["request"].get("acks", "")
        else:
            match = TEXT_OF_2_3.search(line)
            assert match is not None, "a line of a request log names the API and the times"
            times = {column: float(match[column]) for column in LOGGED}
            row = {"client": match["client"], "api": match["api"]}
            acks = found[1] if (found := re.search(r"acks=(-?\d+)", line)) else ""
        rows.append(
            {
                "time": line[12:24],
                **row,
                "acks": acks,
                **{name: round(times[column], 1) for column, name in STAGES.items()},
            }
        )
    return pandas.DataFrame(rows)


# -- the experiments


def slow_follower(stops_ms: int = 800, io_threads: int = 1) -> tuple[Lab, int, int]:
    """Five tills with acks=all wait for a follower that has stopped. Then a kiosk sells, acks=1.

    Returns the lab, the begin of the story, and how many ms the kiosk waited.
    """
    lab = broker_lab(brokers=2, num_io_threads=io_threads)
    waiting, kiosk = tills(lab, 5, acks="all"), till(lab, "kiosk")
    lab.run_for(ms=1_000)
    lab.broker(1).pause(stops_ms)
    begin_ms = lab.now_ms
    for one in waiting:
        order(one)
    lab.run_for(ms=100)
    sent_ms = lab.now_ms
    order(kiosk).get()
    waited_ms = lab.now_ms - sent_ms
    return lab, begin_ms, waited_ms


def audits(count: int, io_threads: int = 8, work_ms: int = 200) -> tuple[Lab, int, int]:
    """So many audit jobs ask for offsets at once, and each keeps an I/O thread for `work_ms`.

    A kiosk sells 20 ms later. Returns the lab, the begin, and how many ms the kiosk waited.
    """
    lab = broker_lab(num_io_threads=io_threads)
    kiosk = till(lab, "kiosk")
    jobs = [reader(lab, f"audit-{number}") for number in range(count)]
    place = TopicPartition("orders", 0)
    for job in jobs:
        job.end_offsets([place])
    lab.broker(0).keep_busy("LIST_OFFSETS", ms=work_ms)
    begin_ms = lab.now_ms
    for job in jobs:
        lab.spawn(_ask_for_the_end, job, place, name=f"{job.name} asks")
    lab.run_for(ms=20)
    sent_ms = lab.now_ms
    order(kiosk).get()
    waited_ms = lab.now_ms - sent_ms
    lab.run_for(ms=count * work_ms)
    return lab, begin_ms, waited_ms


def _ask_for_the_end(lab: Lab, job: KafkaConsumer, place: TopicPartition) -> None:
    job.end_offsets([place])


def busy_shop(
    count: int, io_threads: int = 1, work_ms: int = 5, every_ms: int = 100, seed: int = 5
) -> tuple[Lab, int]:
    """So many tills sell for four seconds; each PRODUCE keeps an I/O thread for `work_ms`.

    Returns the lab and the moment from which to measure, one second after the begin.
    """
    lab = broker_lab(seed=seed, num_io_threads=io_threads)
    selling = tills(lab, count)
    lab.broker(0).keep_busy("PRODUCE", ms=work_ms)
    for number, one in enumerate(selling):
        lab.spawn(sell_on, one, every_ms, seed, name=f"seller {number}")
    lab.run_for(ms=1_000)
    since_ms = lab.now_ms
    lab.run_for(ms=3_000)
    return lab, since_ms


def saturation(counts: Iterable[int], io_threads: int = 1) -> pandas.DataFrame:
    """Orders a second, idle I/O threads, and the p99 of two stages, by the number of tills."""
    import pandas

    rows = []
    for count in counts:
        lab, since_ms = busy_shop(count, io_threads)
        sold = [
            row
            for row in requests_since(lab, 0, "PRODUCE")
            if row["read_at_ms"] + row["total_ms"] >= since_ms
        ]
        times = p99(sold)
        rows.append(
            {
                "tills": count,
                "orders a second": round(len(sold) / 3),
                "idle": f"{idle_share(lab, since_ms, io_threads):.0%}",
                "queue p99 ms": times["RequestQueueTimeMs"],
                "local p99 ms": times["LocalTimeMs"],
            }
        )
    return pandas.DataFrame(rows)


def burst(
    clients: int, io_threads: int, queue: int, network_threads: int, work_ms: int
) -> tuple[Lab, int]:
    """So many tills send an order at the same moment. Returns the lab and that moment."""
    lab = broker_lab(
        num_io_threads=io_threads, queued_max_requests=queue, num_network_threads=network_threads
    )
    selling = tills(lab, clients)
    lab.run_for(ms=1_000)
    lab.broker(0).keep_busy("PRODUCE", ms=work_ms)
    begin_ms = lab.now_ms
    for one in selling:
        order(one)
    lab.run_for(ms=work_ms // 2)
    return lab, begin_ms


def three_in_flight(stops_ms: int = 500) -> tuple[Lab, int]:
    """One till sends three orders with acks=all, 20 ms apart, and the follower has stopped.

    Returns the lab, 60 ms after the first order, and the moment of the first order.
    """
    lab = broker_lab(brokers=2)
    shop = till(lab, "shop", acks="all")
    lab.run_for(ms=1_000)
    lab.broker(1).pause(stops_ms)
    begin_ms = lab.now_ms
    for _ in range(3):
        order(shop)
        lab.run_for(ms=20)
    return lab, begin_ms


def with_threads(cause: str, io_threads: int) -> int:
    """The 99th percentile of a kiosk's PRODUCE, in ms, with so many I/O threads.

    cause: "slow audits", twelve jobs keep an I/O thread for 50 ms each, again and again; "slow
    follower", it needs 50 ms to write what it copies, and the kiosk wants acks=all.
    """
    lab = broker_lab(brokers=2, num_io_threads=io_threads)
    kiosk = till(lab, "kiosk", acks="all")
    jobs = [reader(lab, f"audit-{number}") for number in range(12)]
    if cause == "slow audits":
        lab.broker(0).keep_busy("LIST_OFFSETS", ms=50)
        for number, job in enumerate(jobs):
            lab.spawn(_audit_on, job, number, name=f"{job.name} asks")
    else:
        lab.broker(1).disk.slow(50)
    since_ms = lab.now_ms
    lab.spawn(sell_on, kiosk, 20, name="kiosk sells")
    lab.run_for(ms=3_000)
    return round(p99(requests_since(lab, since_ms, "PRODUCE"))["TotalTimeMs"])


def _audit_on(lab: Lab, job: KafkaConsumer, seed: int) -> None:
    rng = Random(seed)
    while True:
        job.end_offsets([TopicPartition("orders", 0)])
        lab.sleep(rng.randrange(20))


# -- one order, and many, in threads and queues alone


def last_order(ahead: int, threads: int, work_ms: int, copied_ms: int) -> dict[str, float]:
    """The stages of an order that is read directly after `ahead` others, in ms.

    copied_ms: when all replicas in sync have it, after it was written; 0 for acks=1.
    """
    path = RequestPath(network_threads=3, io_threads=threads, queue_size=500)
    path.keep_busy("PRODUCE", ms=work_ms)
    for number in range(ahead):
        path.arrive(number % 3, "PRODUCE", 0)
    timed = TimedRequest(path.arrive(ahead % 3, "PRODUCE", 0), "till", 0)
    timed.completed_us += 1_000 * copied_ms
    return {name: value for name, value in timed.row().items() if name.endswith("_ms")}


def orders_a_second(threads: int, work_ms: int) -> int:
    """How many orders so many threads end in a second, from 800 that are all there at once."""
    path = RequestPath(network_threads=3, io_threads=threads, queue_size=1_000)
    path.keep_busy("PRODUCE", ms=work_ms)
    last = [path.arrive(number % 3, "PRODUCE", 0) for number in range(800)][-1]
    return round(800 / (last.ended_us / 1_000_000))


# -- which write completes a waiting fetch


BATCH_BYTES = 300
"""The size of each batch that `four_writes` sends."""


def four_writes(
    min_bytes: int, wait_ms: int, partitions: Iterable[int], seed: int = 5
) -> tuple[Lab, int]:
    """A reader of the partitions 0 and 1 waits with one fetch; four writes come 100 ms apart.

    partitions: where each write goes. Each is one batch of 300 bytes. Returns the lab and the
    number of the write that completed the fetch, 0 if its time was over first.
    """
    lab = broker_lab(seed=seed, partitions=3)
    shop = till(lab, "shop")
    for number in (1, 2):
        order(shop, partition=number).get()
    waits: dict[str, Any] = {"fetch.min.bytes": min_bytes, "fetch.max.wait.ms": wait_ms}
    ada = reader(lab, partitions=2, **waits)
    for number in (0, 1):
        ada.seek_to_end([TopicPartition("orders", number)])
        ada.position(TopicPartition("orders", number))
    lab.spawn(read_on, ada, name="ada reads")
    broker = lab.broker(0)
    lab.run_until(lambda: any(row["api"] == "FETCH" for row in broker.request_path()))
    begin_ms = lab.now_ms
    value = "x" * (BATCH_BYTES - EMPTY_BATCH_BYTES)
    sent: list[int] = []
    for number in partitions:
        lab.run_for(ms=begin_ms + 100 * (len(sent) + 1) - lab.now_ms)
        order(shop, value, number)
        sent.append(lab.now_ms)
    lab.run_for(ms=1_500)
    first = next(row for row in broker.request_times() if row["api"] == "FETCH")
    done_ms = first["read_at_ms"] + first["total_ms"]
    if first["remote_ms"] >= wait_ms - 3:
        return lab, 0
    return lab, sum(at_ms <= done_ms for at_ms in sent)


EMPTY_BATCH_BYTES = 70
"""The size of a batch around the value of its one record."""


# -- the learner's rule for what waits


KINDS = ("leader dies", "two topics", "leader moves", "reader", "minimum", "slow followers")


class PurgatoryNight(NamedTuple):
    """What one run with a learner's rule showed.

    told_ms  order -> when it was acknowledged
    kept     the orders in the leader's log at the end
    got_ms   order -> when the reader got it
    fetches  how many fetches of the reader the leader answered
    """

    told_ms: dict[str, int]
    kept: set[str]
    got_ms: dict[str, int]
    fetches: int

    @property
    def lost(self) -> list[str]:
        """The orders that were acknowledged and are gone."""
        return [key for key in self.told_ms if key not in self.kept]


def waiting_night(rule: CompletionRule | None, kind: str, seed: int) -> Lab:
    """One night of a cluster whose brokers complete waiting requests by this rule; None: Kafka's.

    kind: "leader dies", while followers are slow; "two topics", the same with requests for a topic
    without copies, too; "leader moves", broker 0 is cut off, and another leads; "reader", ada waits
    for orders; "minimum", she wants 500 bytes; "slow followers", she reads what is not yet copied.
    """
    rng = Random(seed)
    lab = Lab(brokers=4, seed=seed, version="3.9", broker_version="4.4")
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    lab.create_topic("metrics", leaders=[0])
    for broker in range(4):
        lab.broker(broker).time_requests()
        if rule is not None:
            lab.broker(broker).complete_by(rule)
    shop = KafkaProducer(
        lab,
        {
            "acks": "1" if kind == "slow followers" else "all",
            "linger.ms": 5,
            "enable.idempotence": False,
            "bootstrap.servers": "localhost:9095",
            "request.timeout.ms": 20_000,
            "delivery.timeout.ms": 60_000,
        },
        name="shop",
    )
    _sell_at_night(lab, shop, 1)
    lab.run_for(ms=1_500)
    if kind in ("reader", "minimum", "slow followers"):
        wants = {"fetch.min.bytes": 500, "fetch.max.wait.ms": 1_500} if kind == "minimum" else {}
        ada = KafkaConsumer(lab, {"auto.offset.reset": "latest", **wants}, name="ada")
        ada.assign([TopicPartition("orders", 0)])
        lab.spawn(read_on, ada, name="ada reads")
        lab.run_for(ms=500)
        if kind == "slow followers":
            for follower in (1, 2):
                lab.broker(follower).disk.slow(rng.randrange(150, 300))
        count, pause_ms = ((40, 50), (30, 60)) if kind == "minimum" else ((5, 9), (120, 400))
        for _ in range(rng.randrange(*count)):
            _sell_at_night(lab, shop, 1)
            lab.run_for(ms=rng.randrange(*pause_ms))
        lab.run_for(ms=2_000)
        lab.close()
        return lab
    if kind == "leader moves":
        lab.partition([0], [1, 2, 3])
        _sell_at_night(lab, shop, rng.randrange(1, 4))
        lab.run_for(ms=rng.randrange(11_000, 13_000))
        lab.heal()
        lab.run_for(ms=25_000)
        return lab
    for follower in (1, 2):
        lab.broker(follower).disk.slow(rng.randrange(400, 900))
    _sell_at_night(lab, shop, rng.randrange(2, 5), both=kind == "two topics")
    lab.run_for(ms=rng.randrange(60, 300))
    lab.broker(0).crash()
    lab.run_for(ms=30_000)
    return lab


def _sell_at_night(lab: Lab, shop: KafkaProducer, count: int, both: bool = False) -> None:
    """Send so many orders, each with a metric in the same request where `both` says so."""
    for _ in range(count):
        shop.send(ProducerRecord("orders", key=f"order at {lab.now_ms}", value="tea" * 20))
        if both:
            shop.send(ProducerRecord("metrics", key=f"metric at {lab.now_ms}", value="1"))
        lab.run_for(ms=8)


def seen_at_night(lab: Lab) -> PurgatoryNight:
    """What the night showed of `orders`."""
    told_ms = {
        str(event.key): event.at_ms
        for event in lab.journal.of("record.completed")
        if not event.error and str(event.partition) == "orders-0"
    }
    got_ms = {
        str(event.key): event.at_ms
        for event in lab.journal.of("record.delivered")
        if event.who == "ada"
    }
    leader = lab.leader("orders", 0)
    log = lab.broker(leader).machine.replicas.log_of("orders", 0) if leader >= 0 else None
    kept = {str(record.key) for batch in (log.batches() if log else ()) for record in batch.records}
    fetches = sum(
        row["client"] == "ada" and row["api"] == "FETCH" for row in lab.broker(0).request_times()
    )
    return PurgatoryNight(told_ms, kept, got_ms, fetches)


@cache
def kafkas_night(kind: str, seed: int) -> PurgatoryNight:
    """The same night with Kafka's own rule, to compare with."""
    return seen_at_night(waiting_night(None, kind, seed))


LATE_MS = 250
"""An order that comes so much later than with Kafka's rule is late."""


def harm(night: PurgatoryNight, kafkas: PurgatoryNight) -> tuple[str, tuple[str, ...]] | None:
    """What the learner's rule did worse than Kafka's, and the proof; None for nothing."""
    if night.lost:
        return (
            f"{night.lost[0]!r} was acknowledged and is gone. The request was completed before all "
            "replicas in sync had the record.",
            tuple(f"acknowledged and lost: {key}" for key in night.lost),
        )
    for what, mine, theirs in (
        ("acknowledged", night.told_ms, kafkas.told_ms),
        ("read", night.got_ms, kafkas.got_ms),
    ):
        late = [key for key in theirs if mine.get(key, 10**9) > theirs[key] + LATE_MS]
        if late:
            told = f"{mine[late[0]] - theirs[late[0]]:,} ms late" if late[0] in mine else "never"
            return (
                f"{late[0]!r} was {what} {told}. A request waited although nothing was missing any "
                "more.",
                tuple(f"not {what} in time: {key}" for key in late),
            )
    if night.fetches > 2 * kafkas.fetches + 5:
        return (
            f"the reader sent {night.fetches} fetches; with Kafka's rule {kafkas.fetches}. Fetches "
            "were completed with too little, so it asked again and again.",
            (f"fetches answered: {night.fetches} instead of {kafkas.fetches}",),
        )
    return None


def survive(rule: CompletionRule, seeds: int = 10) -> pandas.DataFrame:
    """Play each kind of night with so many seeds: in how many the rule did harm, and which."""
    import pandas

    rows = []
    for kind in KINDS:
        found = [
            harm(seen_at_night(waiting_night(rule, kind, seed)), kafkas_night(kind, seed))
            for seed in range(seeds)
        ]
        broken = [each[0] for each in found if each is not None]
        rows.append(
            {
                "night": kind,
                "nights": seeds,
                "with harm": len(broken),
                "the first": broken[0].split(". ")[0] if broken else "",
            }
        )
    return pandas.DataFrame(rows)


# -- the Spark lab, and the cell to break


CAUSES = ("request_queue_ms", "local_ms", "remote_ms")
"""The stage in which a kiosk's orders are slow on a day."""


def cause_of(day: int) -> str:
    """Which of CAUSES a day has. Each number of a day is a day of its own."""
    return Random(f"a slow day, number {day}").choice(CAUSES)


def slow_day(day: int) -> Lab:
    """Four seconds of a broker on which a kiosk sells, and two or three times a second it is slow.

    ada reads the orders, and bo reads a topic in which nothing happens. The follower's disk needs
    16 ms each time, so the average of the remote time is the largest whatever the cause: only a
    percentile shows it.
    """
    rng, cause = Random(day), cause_of(day)
    lab = broker_lab(brokers=2, seed=day, num_io_threads=4)
    lab.create_topic("returns", replication_factor=2, leaders=[0])
    kiosk, ada = till(lab, "kiosk", acks="all"), reader(lab)
    bo = KafkaConsumer(lab, {"auto.offset.reset": "latest"}, name="bo")
    bo.assign([TopicPartition("returns", 0)])
    lab.broker(1).disk.slow(16)
    jobs = [reader(lab, f"audit-{number}") for number in range(8)]
    for one in (ada, bo):
        lab.spawn(read_on, one, name=f"{one.name} reads")
    lab.spawn(sell_on, kiosk, 20, day, name="kiosk sells")
    end_ms = lab.now_ms + 4_000
    busy_ms = rng.randrange(40, 70)
    lab.broker(0).keep_busy("LIST_OFFSETS", ms=busy_ms if cause == "request_queue_ms" else 3)
    while lab.now_ms < end_ms:
        lab.run_for(ms=rng.randrange(250, 400))
        for job in jobs:
            lab.spawn(_ask_for_the_end, job, TopicPartition("orders", 0), name=f"{job.name} asks")
        if cause == "local_ms":
            lab.broker(0).disk.slow(busy_ms)
        elif cause == "remote_ms":
            lab.broker(1).pause(busy_ms)
        lab.run_for(ms=busy_ms)
        lab.broker(0).disk.slow(0)
    lab.close()
    return lab


def slowest_till_ms(acks: str, io_threads: int) -> int:
    """How long the slowest of five tills waits while the only follower stops for 800 ms."""
    lab = broker_lab(brokers=2, num_io_threads=io_threads)
    selling = tills(lab, 5, acks)
    lab.run_for(ms=1_000)
    lab.broker(1).pause(800)
    begin_ms = lab.now_ms
    for future in [order(one) for one in selling]:
        future.get()
    return lab.now_ms - begin_ms
