"""Holds the labs of chapter 09: readers that poll, work and commit, and die at a given moment.

The chapter shows the loops; here is what starts the readers, ends them, and counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kafkalab import KafkaConsumer, KafkaProducer
from kafkalab.errors import IllegalArgumentException, KafkaException
from kafkalab.lab import Lab
from kafkalab.proof.laws.reading import note
from kafkalab.records import ConsumerRecord, OffsetAndMetadata, ProducerRecord, TopicPartition
from kafkalab.stories.log_files import write_log_files

if TYPE_CHECKING:
    import pandas

    from kafkalab.views import Worked

ORDERS = TopicPartition("orders", 0)
MOMENTS = {
    "polled": ("polled", 2),
    "half of the work": ("half of the work", 2),
    "work done": ("work done", 2),
    "commit on its way": ("commit on its way", 2),
    "commit answered": ("commit answered", 2),
    "polled again": ("polled", 3),
}
"""The moments at which ada can die: what happens, and for the how-many-th time."""


class ReadsAndCommits(Protocol):
    """What a loop of `shift` may call on its reader."""

    def poll(self, timeout_ms: int) -> list[ConsumerRecord]:
        """The next records."""

    def commit_sync(self) -> None:
        """Commit what the polls have returned."""


Work = Callable[[ConsumerRecord], object]


def cluster(
    orders: int = 12, seed: int = 1, brokers: int = 1, coordinator: int | None = None
) -> Lab:
    """A lab with so many orders in one partition. Groups form without waiting.

    coordinator: the broker that coordinates the group `billing`.
    """
    lab = Lab(
        brokers=brokers,
        seed=seed,
        broker_config={"group.initial.rebalance.delay.ms": 0},
    )
    lab.create_topic("orders", partitions=1)
    if coordinator is not None:
        lab.place_coordinator("billing", coordinator)
    sell(lab, orders)
    return lab


def sell(lab: Lab, orders: int) -> None:
    """Write orders to the topic `orders`, and wait until all are written."""
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(orders):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    producer.close()


def member(lab: Lab, name: str, listener: object = None, **config: object) -> KafkaConsumer:
    """A member of the group `billing` that reads `orders`. It commits only when it is told to."""
    settings = {
        "group.id": "billing",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "session.timeout.ms": 6_000,
        **config,
    }
    reader = KafkaConsumer(lab, settings, name=name)
    reader.subscribe(["orders"], listener)
    return reader


def plain(lab: Lab, name: str) -> list[str]:
    """A client's lines without `[Consumer clientId=..., groupId=billing]`."""
    return [line.partition("=billing] ")[2] or line for line in lab.lines(name).message]


def committed_offset(lab: Lab, group: str = "billing") -> int:
    """The committed offset of a group in partition 0 of `orders`."""
    return int(lab.describe_group(group).current_offset[0])


# Six moments to die.


class _Watched:
    """A reader whose steps are told to `at`, which may end its process."""

    def __init__(self, lab: Lab, reader: KafkaConsumer, at: Callable[[str], None]) -> None:
        self._lab, self._reader, self._at = lab, reader, at
        self._records: list[ConsumerRecord] = []
        self._worked = 0
        self.done: list[int] = []

    def poll(self, timeout_ms: int) -> list[ConsumerRecord]:
        self._records, self._worked = list(self._reader.poll(timeout_ms)), 0
        if self._records:
            self._at("polled")
        return self._records

    def commit_sync(self) -> None:
        if self._records:
            self._at("commit on its way")
        self._reader.commit_sync()
        if self._records:
            self._at("commit answered")

    def work(self, record: ConsumerRecord) -> None:
        if self._worked == len(self._records) // 2:
            self._at("half of the work")
        self._lab.sleep(20)
        self.done.append(record.offset)
        self._worked += 1
        if self._worked == len(self._records):
            self._at("work done")


def shift(
    loop: Callable[[ReadsAndCommits, Work], object], moment: str, per_poll: int = 4
) -> Worked:
    """ada runs the loop and dies at a moment of her second round; bo runs it after her.

    moment: one of MOMENTS. per_poll: how many records a poll returns; there are three polls.
    Raises IllegalArgumentException for another moment.
    """
    from kafkalab.views import Worked  # graders import this module, and draw nothing

    if moment not in MOMENTS:
        raise IllegalArgumentException(f"a moment is one of {', '.join(MOMENTS)}, not {moment!r}")
    orders = 3 * per_poll
    lab, done, heard, dead = cluster(orders), [], [], []  # type: ignore[var-annotated]

    def at(now: str) -> None:
        heard.append(now)
        if (now, heard.count(now)) == MOMENTS[moment]:
            if now == "commit on its way":  # it arrives, its answer does not
                lab.clock.at(lab.now_ms + 2, lambda: dead.append(now))
            else:
                dead.append(now)
                lab.sleep(600_000)

    def reads(lab: Lab, name: str, at: Callable[[str], None]) -> None:
        reader = _Watched(lab, member(lab, name, **{"max.poll.records": per_poll}), at)
        reader.done = done
        loop(reader, reader.work)

    lab.spawn(reads, "ada", at, name="ada")
    lab.run_until(lambda: bool(dead))
    lab.kill("ada")
    lab.run_for(ms=10)
    bookmark = committed_offset(lab)
    lab.spawn(reads, "bo", lambda now: None, name="bo")
    lab.run_for(ms=20_000)
    return Worked(tuple(done.count(offset) for offset in range(orders)), bookmark)


# Automatic commits.


def keep_selling(lab: Lab, count: int = 180, pace_ms: int = 100) -> None:
    """Write an order each `pace_ms`."""
    producer = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0})
    for number in range(count):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
        lab.sleep(pace_ms)


def read_on(lab: Lab, name: str, seen: list[int], closing: list[str], interval_ms: int) -> None:
    """Read until told to close. The commits are the client's own."""
    automatic = {"enable.auto.commit": True, "auto.commit.interval.ms": interval_ms}
    reader = member(lab, name, **automatic)
    while name not in closing:
        for record in reader.poll(timeout_ms=500):
            seen.append(record.offset)
    reader.close()


def ending(how: str, interval_ms: int = 5_000, at_ms: int = 8_100) -> tuple[Lab, int]:
    """ada reads until `at_ms`; then she is "closed" or "killed", or bo has "joined".

    Returns the lab, and how many orders were read twice.
    """
    lab, seen, closing = cluster(orders=0, seed=3), [], []  # type: ignore[var-annotated]
    lab.spawn(read_on, "ada", seen, closing, interval_ms, name="ada")
    lab.run_for(ms=1_000)
    lab.spawn(keep_selling, name="selling")
    lab.run_for(ms=at_ms - 1_000)
    if how == "killed":
        lab.kill("ada")
    if how == "closed":
        closing.append("ada")
    lab.spawn(read_on, "bo", seen, closing, interval_ms, name="bo")
    lab.run_for(ms=12_000)
    return lab, len(seen) - len(set(seen))


# commitSync or commitAsync.


def pace(commit: str, each: str) -> int:
    """Milliseconds for 300 orders. commit: commit_sync or commit_async, after each record or poll.

    A poll returns ten orders, an order is a millisecond of work, and the coordinator is ten
    milliseconds away in each direction.
    """
    lab = cluster(300, seed=4, brokers=3, coordinator=1)
    lab.link(1, "ada").set_latency(ms=10)
    ada = member(lab, "ada", **{"max.poll.records": 10})
    done, began_ms = 0, 0
    while done < 300:
        records = list(ada.poll(timeout_ms=500))
        began_ms = began_ms or (lab.now_ms if records else 0)
        for record in records:
            lab.sleep(1)
            done += 1
            if each == "record":
                getattr(ada, commit)({ORDERS: OffsetAndMetadata(record.offset + 1)})
        if each == "poll":
            getattr(ada, commit)()
    return lab.now_ms - began_ms


def broken_commit(
    callback: Callable[[list, object, object], None] | None = None,  # type: ignore[type-arg]
) -> tuple[Lab, int | str]:
    """Five polls with commit_async; the connection breaks under the second commit. ada is killed.

    callback: (again, offsets, error); what it appends to `again` is sent a second later.
    Returns the lab, and where bo begins.
    """
    lab = cluster(50, seed=2, brokers=3, coordinator=1)
    seen: list[tuple[str, int]] = []

    def read(lab: Lab, name: str) -> None:
        reader = member(lab, name, **{"max.poll.records": 10})
        again: list = []  # type: ignore[type-arg]
        later: list = []  # type: ignore[type-arg]

        def answered(offsets: object, error: object) -> None:
            if callback is not None:
                callback(again, offsets, error)

        polls = 0
        while True:
            records = list(reader.poll(timeout_ms=200))
            seen.extend((name, record.offset) for record in records)
            if records:
                polls += 1
                lab.sleep(300)
                if (name, polls) == ("ada", 2):
                    lab.link(1, "ada").cut_before_request("OFFSET_COMMIT")
                reader.commit_async(callback=answered)
            later += [(lab.now_ms + 1_000, again.pop()) for _ in list(again)]
            while later and later[0][0] <= lab.now_ms:
                reader.commit_async(later.pop(0)[1], answered)

    lab.spawn(read, "ada", name="ada")
    lab.run_for(ms=4_000)
    lab.kill("ada")
    lab.spawn(read, "bo", name="bo")
    lab.run_for(ms=9_000)
    return lab, next((offset for name, offset in seen if name == "bo"), "nothing to do")


# Nights: readers of a group, and something that happens to one.

NIGHT_POLL = 5
"""How many orders a poll returns at night, at most."""
NIGHT_WORK_MS = 15
LAST_ORDER = "tea-last"
HAPPENS = ("nothing", "join", "kill", "break", "stop", "break, stop")
"""What happens to ada at night.

join: bo joins her. kill: she is killed. break: the connection breaks under her last commit; she is
killed later, with nothing to do. stop: `wakeup()` tells her to end (SIGTERM). break, stop: she is
told to end just after the connection broke under her last commit.
"""
_BURSTS, _IN_A_BURST, _BETWEEN_MS, _GRACE_MS = 8, 6, 300, 3_000


def night(
    on_duty: Callable[[Lab, KafkaConsumer], object], happens: str, seed: int, at_ms: int = 0
) -> Lab:
    """Orders come in bursts, in two partitions. ada reads them, and then bo.

    on_duty(lab, consumer) is what each reader runs; a KafkaException ends it. at_ms: when something
    happens. A reader whose `on_duty` returns tells the journal "returned".
    """
    lab = Lab(
        brokers=3,
        seed=seed,
        broker_config={
            "group.initial.rebalance.delay.ms": 0,
            "group.min.session.timeout.ms": 1_000,
        },
    )
    lab.create_topic("orders", partitions=2)
    lab.place_coordinator("stock", broker=1)
    consumers: dict[str, KafkaConsumer] = {}

    def reads(lab: Lab, name: str) -> None:
        settings = {
            "group.id": "stock",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": 2_000,
            "heartbeat.interval.ms": 500,
            "max.poll.records": NIGHT_POLL,
        }
        consumers[name] = consumer = KafkaConsumer(lab, settings, name=name)
        consumer.subscribe(["orders"])
        try:
            on_duty(lab, consumer)
        except KafkaException:
            pass
        note(lab.journal, name, "returned")

    lab.spawn(_shop_at_night, "break" in happens, name="shop")
    lab.spawn(reads, "ada", name="ada")
    if happens == "break, stop":
        lab.run_until(lambda: _was_given(lab, LAST_ORDER), timeout_ms=8_000)
        lab.run_for(ms=NIGHT_WORK_MS + 30)
    else:
        lab.run_for(ms=at_ms or (5_500 if happens == "break" else 3_000))
    if "stop" in happens:
        consumers["ada"].wakeup()
        lab.run_for(ms=_GRACE_MS)
    if happens not in ("nothing", "join"):
        lab.kill("ada")
    if happens != "nothing":
        lab.spawn(reads, "bo", name="bo")
    lab.run_for(ms=7_000)
    lab.close()
    return lab


def _shop_at_night(lab: Lab, breaks: bool) -> None:
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    lab.sleep(1_000)
    for number in range(_BURSTS * _IN_A_BURST):
        key = f"tea-{number}"
        producer.send(ProducerRecord("orders", partition=number % 2, key=key, value="tea"))
        if number % _IN_A_BURST == _IN_A_BURST - 1:
            lab.sleep(_BETWEEN_MS)
    lab.sleep(500)
    if breaks:  # one more order, and its commit does not get through at first
        lab.link(1, "ada").cut_before_request("OFFSET_COMMIT")
    producer.send(ProducerRecord("orders", partition=0, key=LAST_ORDER, value="tea"))


def _was_given(lab: Lab, key: str) -> bool:
    return any(event.key == key for event in lab.journal.of("record.delivered"))


def survive(loop: Callable[[KafkaConsumer, Work], object], seeds: int = 20) -> pandas.DataFrame:
    """Run a loop through every kind of night with many seeds, and count what it costs.

    loop(consumer, finish) is the function of exercise 09.3. A row for each kind of night: how many
    nights, orders never done, most orders done twice in one night, and nights that ended without a
    close() though the reader was told to stop.
    """
    import pandas

    rows = {}
    for happens in HAPPENS:
        counts: Counter[str] = Counter()
        for seed in range(seeds):
            never, twice, closed = _outcome(loop, happens, seed)
            counts["nights"] += 1
            counts["orders never done"] += never
            counts["most done twice"] = max(counts["most done twice"], twice)
            counts["ends without close()"] += "stop" in happens and not closed
        rows[happens] = counts
    columns = ["nights", "orders never done", "most done twice", "ends without close()"]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=columns)


def _outcome(
    loop: Callable[[KafkaConsumer, Work], object], happens: str, seed: int
) -> tuple[int, int, bool]:
    """(orders never done, orders done twice, whether ada closed) of one night."""
    done: Counter[str] = Counter()

    def on_duty(lab: Lab, consumer: KafkaConsumer) -> None:
        def finish(record: ConsumerRecord) -> None:
            lab.sleep(NIGHT_WORK_MS)
            done[str(record.key)] += 1

        loop(consumer, finish)

    at_ms = 1_300 + 173 * seed % 1_900 if happens in ("join", "kill", "stop") else 0
    lab = night(on_duty, happens, seed, at_ms)
    sent = {f"tea-{number}" for number in range(_BURSTS * _IN_A_BURST)} | {LAST_ORDER}
    return len(sent - set(done)), sum(count > 1 for count in done.values()), was_closed(lab, "ada")


def was_closed(lab: Lab, name: str) -> bool:
    """Whether a client called close()."""
    return any(event.who == name and event.name == "close" for event in lab.journal.of("call"))


# Logs.


def records_of(lab: Lab, topic: str, partition: int) -> list[tuple[int, object, object]]:
    """(offset, key, value) of all that is in a partition, also of an internal topic."""
    spy = KafkaConsumer(lab, {"auto.offset.reset": "earliest"})
    spy.assign([TopicPartition(topic, partition)])
    return [(record.offset, record.key, record.value) for record in spy.poll(timeout_ms=2_000)]


def compacted(pairs: list[tuple[str, str | None]]) -> list[tuple[int, object, object]]:
    """Write keys and values, roll the segment, wait for the cleaner, and return what is left."""
    lab = Lab(brokers=1, seed=1)
    config = {
        "cleanup.policy": "compact",
        "segment.ms": 60_000,
        "min.cleanable.dirty.ratio": 0.01,
    }
    lab.create_topic("marks", config=config)
    producer = KafkaProducer(lab, {"client.id": "writer", "linger.ms": 0})
    for key, value in pairs:
        producer.send(ProducerRecord("marks", key=key, value=value)).get()
    lab.run_for(ms=70_000)
    producer.send(ProducerRecord("marks", key="last", value="in a new segment")).get()
    lab.run_for(ms=600_000)
    return records_of(lab, "marks", 0)[:-1]


def three_lives(interval_s: int, life_s: int, pace_ms: int) -> dict[str, str]:
    """A shop's reader with automatic commits is killed twice: name of the life -> its log file."""
    lab = cluster(orders=0, seed=9)
    lab.spawn(keep_selling, 40_000 // pace_ms, pace_ms, name="shop")
    lives = {"life 1": life_s, "life 2": life_s, "life 3": 6}
    for life, seconds in lives.items():
        lab.spawn(read_on, life, [], [], interval_s * 1_000, name=life)
        lab.run_for(ms=seconds * 1_000)
        lab.kill(life)
        lab.run_for(ms=7_000)  # until the group has noticed
    return {life: lab.log_text(life) for life in lives}


def write_shop_logs(shops: Mapping[str, dict[str, str]], folder: str) -> Path:
    """Write data/generated/FOLDER/shop-NAME-N.log for each life of each shop."""
    files = {
        f"shop-{name}-{life[-1]}": text
        for name, lives in shops.items()
        for life, text in lives.items()
    }
    return write_log_files(files, folder)


# Begin somewhere else.

HOUR_MS = 3_600_000


def six_hours(release: str = "4.4") -> tuple[Lab, KafkaConsumer]:
    """A lab with 36 orders, one each ten minutes for six hours, and ada, who has read them all.

    release: of the clients and the brokers
    """
    lab = Lab(
        brokers=1,
        seed=3,
        version=release,
        broker_version=release,
        broker_config={"group.initial.rebalance.delay.ms": 0},
    )
    lab.create_topic("orders")
    shop = KafkaProducer(lab, {"client.id": "shop"}, name="shop")
    for number in range(36):
        lab.run_for(ms=number * HOUR_MS // 6 - lab.now_ms)
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea")).get()
    lab.run_for(ms=6 * HOUR_MS - lab.now_ms)
    ada = member(lab, "ada")
    ada.poll(timeout_ms=5_000)
    ada.commit_sync()
    return lab, ada


def new_group(lab: Lab, policy: str, for_ms: int = 70_000) -> list[int]:
    """The offsets that the first member of a new group reads in `for_ms`, after ten quiet minutes.

    policy: its `auto.offset.reset`. One order comes ten seconds after the member.
    """
    lab.run_for(ms=600_000)
    name = lab.unused_name("new")
    settings = {"group.id": name, "auto.offset.reset": policy}
    reader = KafkaConsumer(lab, settings, name=name)
    reader.subscribe(["orders"])
    begun_ms = lab.now_ms
    lab.spawn(_late_order, name=lab.unused_name("late shop"))
    got: list[int] = []
    while lab.now_ms < begun_ms + for_ms:
        got += [record.offset for record in reader.poll(timeout_ms=500)]
    reader.close()
    return got


def _late_order(lab: Lab) -> None:
    lab.sleep(10_000)
    sell(lab, 1)


# A death in the callback.


def death_in_revoked(commits: str, **config: object) -> tuple[float, int]:
    """ada reads two partitions; bo joins her, and she is killed inside `on_partitions_revoked`.

    commits: "not yet" or "done", what her callback had done of its commit. Returns the seconds
    from bo's start to his first order, and how many orders were done twice.
    """
    lab = Lab(brokers=1, seed=5, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders", partitions=2)
    sell(lab, 40)
    done: list[tuple[int, str, str]] = []
    dying: list[int] = []

    class CommitsWhenRevoked:
        """The listener of a program that commits only when it must give partitions away."""

        reader: KafkaConsumer

        def on_partitions_revoked(self, partitions: object) -> None:
            if commits == "done":
                self.reader.commit_sync()
            dying.append(lab.now_ms)
            lab.sleep(600_000)

        def on_partitions_assigned(self, partitions: object) -> None:
            """Nothing to do: the committed offset says where to begin."""

    def reads(lab: Lab, name: str) -> None:
        listener = CommitsWhenRevoked()
        reader = member(lab, name, listener, **{"max.poll.records": 1, **config})
        listener.reader = reader
        while True:
            for record in reader.poll(timeout_ms=200):
                lab.sleep(200)  # the work
                done.append((lab.now_ms, name, f"{record.partition}-{record.offset}"))

    lab.spawn(reads, "ada", name="ada")
    lab.run_for(ms=4_000)
    came_ms = lab.now_ms
    lab.spawn(reads, "bo", name="bo")
    lab.run_until(lambda: bool(dying), timeout_ms=60_000)
    lab.kill("ada")
    lab.run_for(ms=30_000)
    first = min(at_ms for at_ms, name, _ in done if name == "bo")
    times = Counter(order for _, _, order in done)
    return round((first - came_ms) / 1000, 1), sum(count > 1 for count in times.values())
