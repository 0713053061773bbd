"""Prepares the labs of chapter 12: records that cannot be read, and errors of producers.

A shop writes prices as text. A reader turns the bytes into whole numbers. One record is no number,
so the reader cannot read it. Each function plays one story and returns what the chapter shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    SerializationException,
    TopicPartition,
    WakeupException,
)
from kafkalab.errors import IllegalArgumentException, IllegalStateException
from kafkalab.sim.apps import App

if TYPE_CHECKING:
    import pandas

    from kafkalab.views import Worked
    from kafkalab.views.outcome_grid import Outcome

PRICES = TopicPartition("prices", 0)
VALUES = ("10", "11", "12", "13", "14", "1,5", "16", "17", "18", "19", "20", "21")
"""Twelve prices. The sixth one, at offset 5, is no whole number."""
RESTART_MS = 5_000
"""How long a supervisor waits before it starts a dead program again."""
Work = Callable[[Any], object]
Loop = Callable[[KafkaConsumer, Work], object]
FAST = {"group.initial.rebalance.delay.ms": 0, "group.min.session.timeout.ms": 1_000}


def market(
    values: Sequence[str] = VALUES, *, partitions: int = 1, seed: int = 1, version: str = "3.9"
) -> Lab:
    """A lab with the topic prices; the values are in partition 0, one record for each."""
    lab = Lab(brokers=1, seed=seed, version=version, broker_version="4.4", broker_config=FAST)
    lab.create_topic("prices", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number, value in enumerate(values):
        producer.send(ProducerRecord("prices", value, key=f"item {number}", partition=0))
    producer.close()
    return lab


def reader(lab: Lab, name: str, **settings: object) -> KafkaConsumer:
    """A member of the group billing whose values are whole numbers; it commits by hand."""
    config = {
        "group.id": "billing",
        "value.deserializer": int,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "session.timeout.ms": 4_000,
        "heartbeat.interval.ms": 1_000,
        "max.poll.records": 4,
        **settings,
    }
    consumer = KafkaConsumer(lab, config, name=name)
    consumer.subscribe(["prices"])
    return consumer


# One loop, with a supervisor that starts it again.


@dataclass(frozen=True)
class Stay:
    """What a loop had done after a time: the strip of its work, and some counts.

    starts: how often the program was started. raised: how often poll() raised.
    """

    worked: Worked
    starts: int
    raised: int


def stay(loop: Loop, *, for_ms: int = 15_000, values: Sequence[str] = VALUES) -> Stay:
    """Run a loop for `for_ms`. When it dies of an error, it is started again five seconds later.

    loop(consumer, work) is the program; work(record) takes ten milliseconds.
    """
    from kafkalab.views import Worked

    lab = market(values)
    done: list[int] = []
    starts = raised = 0

    def program(lab: Lab, name: str) -> None:
        nonlocal raised
        consumer = reader(lab, name)
        poll = consumer.poll

        def counted(timeout_ms: int = 0) -> Any:
            nonlocal raised
            try:
                return poll(timeout_ms)
            except SerializationException:
                raised += 1
                raise

        consumer.poll = counted  # type: ignore[method-assign]

        def work(record: Any) -> None:
            lab.sleep(10)
            done.append(record.offset)

        try:
            loop(consumer, work)
        except KafkaException:
            pass  # the program has died

    while lab.now_ms < for_ms:
        starts += 1
        name = f"life {starts}"
        app = lab.spawn(program, name, name=name)
        lab.run_until(partial(_is_over, lab, app, for_ms), timeout_ms=for_ms)
        lab.kill(name)
        lab.run_for(ms=RESTART_MS)
    times = tuple(done.count(offset) for offset in range(len(values)))
    return Stay(Worked(times, committed(lab, 0)), starts, raised)


def _is_over(lab: Lab, app: App, end_ms: int) -> bool:
    return app.done or lab.now_ms >= end_ms


def committed(lab: Lab, partition: int) -> int | None:
    """The committed offset of billing in a partition of prices; None where there is none."""
    group = lab.at(lab.now_ms)["groups"].get("billing")
    if group is None or f"prices-{partition}" not in group["offsets"]:
        return None
    offset: int = group["offsets"][f"prices-{partition}"]["offset"]
    return offset


def chain(loop: Loop, members: Sequence[str] = ("ada", "bo", "cleo")) -> list[tuple[float, str]]:
    """Three members read three partitions, and nobody restarts them: (second of death, name)."""
    lab = market(partitions=3)
    deaths: list[tuple[float, str]] = []

    def program(lab: Lab, name: str) -> None:
        try:
            loop(reader(lab, name), lambda record: None)
        except SerializationException:
            deaths.append((lab.now_ms / 1_000, name))

    apps = {name: lab.spawn(program, name, name=name) for name in members}
    dead: set[str] = set()
    for _ in range(300):
        lab.run_for(ms=100)
        for name, app in apps.items():
            if app.done and name not in dead:
                dead.add(name)
                lab.kill(name)
    return deaths


def told(version: str) -> dict[str, object]:
    """What the error of one unreadable record tells in a release."""
    lab = market(version=version)
    consumer = reader(lab, "ada")
    while True:
        try:
            consumer.poll(timeout_ms=500)
        except SerializationException as error:
            return {
                "class": type(error).__name__,
                "topic_partition": getattr(error, "topic_partition", "—"),
                "offset": getattr(error, "offset", "—"),
                "origin": getattr(error, "origin", "—"),
                "value_buffer": getattr(error, "value_buffer", "—"),
            }


# Days: a loop of a learner, pills in two partitions, and perhaps a kill.

ON_A_DAY = 16
"""Records in each partition on a day."""
DAY_WORK_MS = 20
DAY_SECONDS = 14
"""How long a day goes on, from the kill on if there is one."""
KILL_AT_MOST_MS = 3_000
"""Until then ada is killed, also where her loop does not work on records."""
SPINS = 900
"""Events in a second, of a loop whose polls raise at once: each takes a millisecond."""


def day(
    on_duty: Callable[[Lab, KafkaConsumer], object],
    pills: Sequence[tuple[int, int]],
    seed: int,
    kill_after: int = 0,
    client: str = "3.9",
    seconds: int = DAY_SECONDS,
) -> Lab:
    """ada reads two partitions with pills; she is killed at work, and bo takes over.

    on_duty(lab, consumer) is what each of them runs; a KafkaException ends it. pills: partition and
    offset. kill_after: so many records are done before the kill, which falls into the work on
    another one (0: nobody is killed). client: the release of the readers. seconds: how long the day
    goes on. Who ends tells the journal "returned".
    """
    lab = Lab(brokers=2, seed=seed, version=client, broker_version="4.4", broker_config=FAST)
    lab.create_topic("prices", partitions=2)
    lab.spawn(_sell, {tuple(pill) for pill in pills}, name="shop")

    def program(lab: Lab, name: str) -> None:
        try:
            on_duty(lab, reader(lab, name))
        except KafkaException:
            pass
        lab.journal.append("told", name, what="returned")

    lab.spawn(program, "ada", name="ada")
    if kill_after:
        lab.run_until(partial(_is_at_work, lab, kill_after), timeout_ms=KILL_AT_MOST_MS)
        lab.run_for(ms=DAY_WORK_MS // 2)
        lab.kill("ada")
        lab.spawn(program, "bo", name="bo")
    _run_to_the_end(lab, 2 * ON_A_DAY - len(pills), seconds)
    lab.close()
    return lab


def _run_to_the_end(lab: Lab, readable: int, seconds: int) -> None:
    """Let so many seconds pass. A loop that polls one pill for two of them goes on so, for each
    poll raises at once. So the day ends there."""
    spins_s = 0
    for _ in range(seconds):
        events, given = len(lab.journal.events), _records_given(lab)
        lab.run_for(ms=1_000)
        stands = given == _records_given(lab) < readable
        spins = len(lab.journal.events) - events > SPINS
        spins_s = spins_s + 1 if stands and spins else 0
        if spins_s == 2:
            break


def _records_given(lab: Lab) -> int:
    """How many different records the polls have returned."""
    return len({(event.partition, event.offset) for event in lab.journal.of("record.delivered")})


def _is_at_work(lab: Lab, done_before: int) -> bool:
    """Whether so many records are done, and a poll has given one that is not."""
    done: int = sum(event.what == "done" for event in lab.journal.of("told"))
    delivered = sum(1 for _ in lab.journal.of("record.delivered"))
    return done_before <= done < delivered


def _sell(lab: Lab, pills: set[tuple[int, ...]]) -> None:
    """Write four records to each partition, and then the next four: a poll brings several."""
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    for offset in range(ON_A_DAY):
        for partition in (0, 1):
            bad = (partition, offset) in pills
            key = f"{'pill' if bad else 'item'} {partition}-{offset}"
            value = "1,5" if bad else "15"
            producer.send(ProducerRecord("prices", value, key=key, partition=partition))
        if offset % 4 == 3:
            lab.sleep(480)


def how_it_went(lab: Lab, pills: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """What a day cost: readable records never done, done twice, and where the commits are."""
    done = [
        (event.partition, event.offset) for event in lab.journal.of("told") if event.what == "done"
    ]
    readable = {
        (f"prices-{partition}", offset)
        for partition in (0, 1)
        for offset in range(ON_A_DAY)
        if (partition, offset) not in {tuple(pill) for pill in pills}
    }
    return {
        "never": sorted(readable - set(done)),
        "twice": sorted({each for each in done if done.count(each) > 1}),
        "committed": [committed(lab, partition) for partition in (0, 1)],
        "returned": [event.who for event in lab.journal.of("told") if event.what == "returned"],
    }


def survive(loop: Loop, seeds: int = 20) -> pandas.DataFrame:
    """Run a loop through days with pills in many places, with and without a kill: what it costs."""
    import random

    import pandas

    rows = []
    for seed in range(seeds):
        luck = random.Random(seed)
        pills = [(p, luck.randrange(ON_A_DAY)) for p in (0, 1) for _ in range(luck.randrange(3))]
        kill_after, client = luck.choice((0, 5, 6, 15)), luck.choice(("2.8", "3.9", "4.4"))

        def on_duty(lab: Lab, consumer: KafkaConsumer) -> None:
            def finish(record: Any) -> None:
                lab.sleep(DAY_WORK_MS)
                place = f"{record.topic}-{record.partition}"
                lab.journal.append(
                    "told", consumer.name, what="done", partition=place, offset=record.offset
                )

            loop(consumer, finish)

        went = how_it_went(day(on_duty, pills, seed, kill_after, client), pills)
        rows.append(
            {
                "seed": seed,
                "client": client,
                "pills": str(sorted(set(pills))),
                "killed after": kill_after or "never",
                "never done": len(went["never"]),
                "done twice": len(went["twice"]),
                "committed": str(went["committed"]),
            }
        )
    return pandas.DataFrame(rows).set_index("seed")


# A retry topic.

CHANGES = (("milk", "10"), ("tea", "30"), ("milk", "12"), ("tea", "31"), ("milk", "13"))
WAYS = ("retry", "park", "stop", "version")
"""What a reader does with a record whose work fails: it sends the record to a retry topic; the
later ones of its key, too; it pauses the partition; or it sends only the record, and the table of
prices refuses an older version."""


@dataclass(frozen=True)
class Retried:
    """How the changes of CHANGES were worked on, in one of WAYS.

    Each step is (ms, key, value). written: what the shop sent to the topic prices. parked: what the
    reader sent to prices-retry. done: the work that did not fail. refused: when the table took no
    price, because it had a newer one.
    """

    written: tuple[tuple[int, str, str], ...]
    parked: tuple[tuple[int, str, str], ...]
    done: tuple[tuple[int, str, str], ...]
    refused: frozenset[int] = frozenset()

    def table(self, at_ms: int) -> dict[str, str]:
        """The table of prices at a time of the lab: item -> price."""
        return {
            key: value
            for done_ms, key, value in self.done
            if done_ms <= at_ms and done_ms not in self.refused
        }


def retried(way: str = "retry", *, delay_ms: int = 5_000) -> Retried:
    """Prices of two items change. The work on the first price of milk fails for `delay_ms`.

    way: one of WAYS. What is in the topic prices-retry, a second reader works on `delay_ms` later.
    Raises IllegalArgumentException for another way.
    """
    if way not in WAYS:
        raise IllegalArgumentException(f"a way is one of {', '.join(WAYS)}, not {way!r}")
    lab = Lab(brokers=1, seed=3, version="3.9", broker_version="4.4", broker_config=FAST)
    for topic in ("prices", "prices-retry"):
        lab.create_topic(topic)
    written: list[tuple[int, str, str]] = []
    parked: list[tuple[int, str, str]] = []
    done: list[tuple[int, str, str]] = []
    refused: set[int] = set()
    newest: dict[str, int] = {}

    def shop(lab: Lab) -> None:
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        for key, value in CHANGES:
            written.append((lab.now_ms, key, value))
            producer.send(ProducerRecord("prices", value, key=key)).get()
            lab.sleep(500)

    def consumer_of(lab: Lab, topic: str) -> KafkaConsumer:
        config = {"group.id": topic, "auto.offset.reset": "earliest"}
        consumer = KafkaConsumer(lab, config, name=f"reader of {topic}")
        consumer.subscribe([topic])
        return consumer

    def work(lab: Lab, record: Any, version: int) -> None:
        if way == "version" and version < newest.get(record.key, 0):
            refused.add(lab.now_ms)
        newest[record.key] = max(version, newest.get(record.key, 0))
        done.append((lab.now_ms, record.key, record.value))

    def first(lab: Lab) -> None:
        consumer = consumer_of(lab, "prices")
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="parker")
        keys: set[str] = set()
        works_ms = 0
        while True:
            if consumer.paused() and lab.now_ms >= works_ms:
                consumer.resume([PRICES])
            for record in consumer.poll(timeout_ms=200):
                fails = record.offset == 0 and not works_ms
                if not fails and not (way == "park" and record.key in keys):
                    work(lab, record, record.timestamp_ms)
                    continue
                works_ms = works_ms or lab.now_ms + delay_ms
                if way == "stop":
                    consumer.seek(PRICES, record.offset)
                    consumer.pause([PRICES])
                    break
                keys.add(record.key)
                same = {"key": record.key, "timestamp_ms": record.timestamp_ms}
                parked.append((lab.now_ms, record.key, record.value))
                producer.send(ProducerRecord("prices-retry", record.value, **same)).get()

    def second(lab: Lab) -> None:
        consumer = consumer_of(lab, "prices-retry")
        while True:
            for record in consumer.poll(timeout_ms=200):
                due_ms = record.timestamp_ms + delay_ms - lab.epoch_ms
                lab.sleep(max(0, due_ms - lab.now_ms))
                work(lab, record, record.timestamp_ms)

    for program in (shop, first, second):
        lab.spawn(program, name=program.__name__)
    lab.run_for(ms=15_000)
    return Retried(tuple(written), tuple(parked), tuple(done), frozenset(refused))


# Errors of producers.

CALLS = ("commit again", "abort", "begin a new one")
MISHAPS = ("the commit times out", "the record is too large", "another producer has the id")


def mishap(what: str, version: str = "3.9") -> tuple[KafkaProducer, str, Lab]:
    """A transactional producer to which one of MISHAPS has happened: (producer, error, lab)."""
    if what not in MISHAPS:
        raise IllegalArgumentException(f"a mishap is one of {', '.join(MISHAPS)}, not {what!r}")
    lab = Lab(brokers=3, seed=1, version=version, broker_version="4.4")
    lab.create_topic("prices", partitions=1, leaders=[0], config={"max.message.bytes": 1_000})
    lab.place_transaction_coordinator("till", 1)
    config = {"transactional.id": "till", "max.block.ms": 5_000}
    till = KafkaProducer(lab, config, name="till")
    till.init_transactions()
    till.begin_transaction()
    error = "no error"
    try:
        if what == MISHAPS[0]:
            till.send(ProducerRecord("prices", "10")).get()
            lab.broker(1).pause(8_000)
            till.commit_transaction()
        elif what == MISHAPS[1]:
            till.send(ProducerRecord("prices", "1" * 5_000)).get()
        else:
            KafkaProducer(lab, config, name="other till").init_transactions()
            till.send(ProducerRecord("prices", "10")).get()
    except KafkaException as raised:
        error = type(raised).__name__
    lab.run_for(ms=10_000)
    return till, error, lab


def what_next(what: str, calls: Sequence[str], version: str = "3.9") -> str:
    """What the last of `calls` gives after a mishap: "works", or the class of its error."""
    till, _, _ = mishap(what, version)
    methods: Mapping[str, Callable[[], object]] = {
        "commit again": till.commit_transaction,
        "abort": till.abort_transaction,
        "begin a new one": till.begin_transaction,
    }
    given = "works"
    for call in calls:
        try:
            methods[call]()
            given = "works"
        except (KafkaException, IllegalStateException) as error:
            given = type(error).__name__
    return given


def next_calls() -> dict[tuple[str, str], Outcome]:
    """(mishap and its error, call) -> what the call gives: for outcome_grid."""
    from kafkalab.views.outcome_grid import Outcome

    @dataclass(frozen=True)
    class Reply(Outcome):
        given: str = "works"

        @property
        def words(self) -> str:
            return self.given

    steps: dict[str, tuple[str, ...]] = {call: (call,) for call in CALLS}
    steps["abort, then begin"] = ("abort", "begin a new one")
    found: dict[tuple[str, str], Outcome] = {}
    for what in MISHAPS:
        row = f"{what}:\n{mishap(what)[1]}"
        for name, calls in steps.items():
            given = what_next(what, calls)
            found[row, name] = Reply(1, 0, int(given != "works"), given=given)
    return found


def outlasts(seconds: int, version: str = "3.9", seed: int = 1) -> tuple[str, int]:
    """A follower is away for `seconds`, and the floor asks for it: (outcome, sends of the record).

    delivery.timeout.ms is 30 seconds.
    """
    lab = Lab(brokers=3, seed=seed, version=version, broker_version="4.4")
    lab.create_topic("prices", 1, 3, [0], config={"min.insync.replicas": 3})
    config = {"acks": "all", "delivery.timeout.ms": 30_000, "request.timeout.ms": 5_000}
    shop = KafkaProducer(lab, config, name="shop")
    shop.send(ProducerRecord("prices", "10")).get()
    lab.broker(2).crash()
    lab.run_for(ms=100)
    begun = len(_sends(lab))
    future = shop.send(ProducerRecord("prices", "11"))
    lab.run_for(ms=seconds * 1_000)
    lab.broker(2).restart()
    try:
        future.get()
        outcome = "written"
    except KafkaException as error:
        outcome = type(error).__name__
    return outcome, len(_sends(lab)) - begun


def _sends(lab: Lab) -> list[str]:
    lines = lab.lines(client="shop").message
    return [text for text in lines if "Sending PRODUCE" in text]


# Logs of readers that stand before a pill.


def stuck_reader(pill: int, found_s: int, seconds: int) -> str:
    """The log of a reader that catches the error, waits a second and polls again.

    The price at offset `pill` is no number; the shop writes it after `found_s` seconds.
    """
    lab = market(())

    def shop(lab: Lab) -> None:
        producer = KafkaProducer(lab, {"linger.ms": 5}, name="shop")
        lab.sleep(2_000)
        for offset in range(pill + 40):
            if offset == pill:
                lab.sleep(max(0, found_s * 1_000 - lab.now_ms))
            value = "1,5" if offset == pill else "15"
            producer.send(ProducerRecord("prices", value, partition=0))
            # four prices are one batch, so that polls return several records
            lab.sleep(400 if offset % 4 == 3 else 0)

    def program(lab: Lab) -> None:
        consumer = reader(lab, "reader")
        while True:
            try:
                if consumer.poll(timeout_ms=500):
                    consumer.commit_sync()
            except SerializationException:
                lab.sleep(1_000)
            except WakeupException:
                return

    lab.spawn(shop, name="shop")
    lab.spawn(program, name="reader")
    lab.run_for(ms=seconds * 1_000)
    return lab.log_text("reader")
