"""Chapter 09, offsets: the learner's half of its questions."""

from __future__ import annotations

from functools import cache
from random import Random

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function, LineReading, Open, Value
from kafkalab import KafkaConsumer, KafkaException, KafkaProducer, Lab, ProducerRecord

THREE = ("A", "B", "C")
DEATHS = (
    ("work, commit", "polled"),
    ("work, commit", "half of the work"),
    ("work, commit", "work done"),
    ("work, commit", "commit on its way"),
    ("commit, work", "polled"),
    ("commit, work", "half of the work"),
    ("commit, work", "commit answered"),
)
READER = {"auto.offset.reset": "earliest", "enable.auto.commit": False, "session.timeout.ms": 6_000}
AT_ONCE = {"group.initial.rebalance.delay.ms": 0}


def tells_orders_apart(shifts: list[dict]) -> bool:
    """Whether a shift of each order dies half way, and one with its commit on its way:
    there every usual idea goes wrong."""
    drawn = {(n["order"], n["moment"]) for n in shifts}
    return {
        ("work, commit", "half of the work"),
        ("commit, work", "half of the work"),
        ("work, commit", "commit on its way"),
    } <= drawn


# A program that commits every few records, with a planted bug or without: its lines.

PROGRAMS = ("right", "no + 1", "counts late")
BEGAN = (
    "Setting offset for partition orders-0 to the committed offset FetchPosition{{offset={at}, "
    "offsetEpoch=Optional.empty, currentLeader=LeaderAndEpoch{{leader=localhost:9092 (id: 0 rack: "
    "null), epoch=0}}}}"
)
COMMITTED = "Committed offset {at} for partition orders-0"


def batch_commits(program: str, every: int, start: int, worked: int) -> list[str]:
    """What a reader's log says of the bookmark: where it began, and each commit,
    as a 2.3 client writes it."""
    told = [BEGAN.format(at=start)]
    for done in range(worked):
        count = done if program == "counts late" else done + 1
        if count % every == 0:
            told.append(COMMITTED.format(at=start + done + (program != "no + 1")))
    return told


def with_lines(numbers) -> dict:
    """Of each program what a learner sees: its numbers and its lines."""
    of_one = lambda n: {
        "every": n["every"],
        "worked": n["worked"],
        "lines": batch_commits(n["program"], n["every"], n["start"], n["worked"]),
    }
    # n.A.lines works as n["A"]["lines"] does
    return type(numbers)({name: type(n)(of_one(n)) for name, n in numbers.items()})


# The commit loop: two shifts at one desk.

SHIFTS = (
    {"case": "nothing happens", "seed": 1, "happens": "nothing", "at_ms": 0},
    {"case": "bo joins at 1.9 s", "seed": 2, "happens": "join", "at_ms": 1_900},
    {"case": "bo joins at 2.6 s", "seed": 3, "happens": "join", "at_ms": 2_640},
    {"case": "ada is killed at work, at 1.35 s", "seed": 4, "happens": "kill", "at_ms": 1_350},
    {"case": "ada is killed at work, at 2.3 s", "seed": 5, "happens": "kill", "at_ms": 2_300},
    {
        "case": "a commit's connection breaks, and ada is killed later, idle",
        "seed": 6,
        "happens": "break",
        "at_ms": 5_500,
    },
)
A_POLL = 5
BURSTS, IN_A_BURST, BETWEEN_MS, WORK_MS = 8, 6, 300, 15


def two_shifts(case, part):
    """Ada reads bursts of orders. Bo joins her, or takes over when she is killed."""
    lab = Lab(
        brokers=3,
        seed=case["seed"],
        broker_config={**AT_ONCE, "group.min.session.timeout.ms": 1_000},
    )
    lab.create_topic("orders", partitions=2)
    lab.place_coordinator("stock", broker=1)

    def shop(lab):
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        lab.sleep(1_000)
        for number in range(BURSTS * IN_A_BURST):
            producer.send(
                ProducerRecord("orders", partition=number % 2, key=f"tea-{number}", value="tea")
            )
            if number % IN_A_BURST == IN_A_BURST - 1:
                lab.sleep(BETWEEN_MS)
        lab.sleep(500)
        # one more order, and its commit does not get through at first
        if case["happens"] == "break":
            lab.link(1, "ada").cut_before_request("OFFSET_COMMIT")
        producer.send(ProducerRecord("orders", partition=0, key="tea-last", value="tea"))

    def on_duty(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                **READER,
                "group.id": "stock",
                "session.timeout.ms": 2_000,
                "heartbeat.interval.ms": 500,
                "max.poll.records": A_POLL,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        part(lab, consumer, work_ms=WORK_MS)

    lab.spawn(shop, name="shop")
    lab.spawn(on_duty, "ada", name="ada")
    lab.run_for(ms=case["at_ms"] or 3_000)
    if case["happens"] in ("kill", "break"):
        lab.kill("ada")
    if case["happens"] != "nothing":
        lab.spawn(on_duty, "bo", name="bo")
    lab.run_for(ms=7_000)
    lab.close()
    return lab


def too_often(case, lab) -> tuple[str, tuple] | None:
    """What is wrong with a run that loses nothing: work done twice where it need not be,
    or a commit for each record."""
    from autograder.cell.anomalies import anomalies
    from autograder.cell.runs import run_of

    twice = anomalies({**run_of(lab), "tells_work": True}, ("lost", "skipped", "duplicated"))
    if any(each.name != "duplicated" for each in twice):
        return None  # which the promise tells
    allowed = A_POLL if case["happens"] == "kill" else 0
    if len(twice) > allowed:
        limit = f"at most the {A_POLL} of one poll may be" if allowed else "none need be here"
        return (
            (
                f"{len(twice)} order{' was' if len(twice) == 1 else 's were'} worked on twice; "
                f"{limit}. The first: {twice[0].sentence}"
            ),
            twice[0].proof,
        )
    polls = {(event.who, event.at_ms) for event in lab.journal.of("record.delivered")}
    asked: dict[str, list] = {}
    for event in lab.journal.of("commit"):
        if "offsets" in event.fields and asked.setdefault(event.who, [None])[-1] != event.offsets:
            asked[event.who].append(event.offsets)
    commits = sum(len(each) - 1 for each in asked.values())
    if commits > len(polls) + 2:
        return (
            (
                f"nothing is lost, but the bookmark was moved {commits} times for {len(polls)} "
                "polls, and each commit is a request. One for each poll is enough."
            ),
            (),
        )
    return None


# Compaction by hand.


@cache
def story(number: int) -> tuple[tuple[str, int, int], ...]:
    """Twelve commits as they lie in a log: (group, partition, committed offset).
    Bookmarks only go forward here."""
    chance, at, told = Random(number), {}, []
    places = [(group, partition) for group in ("billing", "search") for partition in (0, 1)]
    for _ in range(12):
        place = chance.choice(places)
        at[place] = at.get(place, 0) + chance.randrange(1, 9)
        told.append((*place, at[place]))
    return tuple(told)


def is_telling(number: int) -> bool:
    """Whether all four keys are there, billing's first more than once, no two of them end at one
    offset, and one for each group is not one for each partition."""
    last = {(group, partition): offset for group, partition, offset in story(number)}
    newest = [
        sorted({each[side]: place for place, each in enumerate(story(number))}.values())
        for side in (0, 1)
    ]
    return (
        len(last) == 4 == len(set(last.values()))
        and sum(each[:2] == ("billing", 0) for each in story(number)) > 1
        and newest[0] != newest[1]
    )


def rows_of(numbers) -> dict:
    """Each log as a learner sees it: rows of offset, key and value."""
    rows = lambda n: [
        (place, f"{group}, orders, {partition}", offset)
        for place, (group, partition, offset) in enumerate(story(n["log"]))
    ]
    return type(numbers)({name: rows(n) for name, n in numbers.items()})


# A store of one's own.


class PowerCut(BaseException):
    """The process is gone in the middle of a call; no `except Exception` helps."""


class Store:
    """A small database. What was written counts when `commit()` has returned; a process that dies
    before takes it along.

    dies_after  the process that uses it dies at this many-th call of insert, set_offset or commit,
                0: never
    """

    def __init__(self):
        self.rows, self.offsets, self.dies_after, self._calls = [], {}, 0, 0
        self._rows, self._offsets = [], {}

    def open(self, dies_after: int = 0) -> None:
        """A new process opens the database: what the last one had not committed is gone."""
        self.dies_after, self._calls, self._rows, self._offsets = dies_after, 0, [], {}

    def insert(self, key: str) -> None:
        """Write one result."""
        self._call()
        self._rows.append(key)

    def set_offset(self, partition: int, offset: int) -> None:
        """Write where to go on in a partition."""
        self._call()
        self._offsets[partition] = offset

    def commit(self) -> None:
        """Keep everything written since the last commit: all of it, or nothing."""
        self._call()
        self.rows += self._rows
        self.offsets.update(self._offsets)
        self._rows, self._offsets = [], {}

    def offset_of(self, partition: int) -> int | None:
        """Where to go on in a partition, None where nothing was ever kept."""
        return self.offsets.get(partition)

    def _call(self) -> None:
        self._calls += 1
        if self._calls == self.dies_after:
            raise PowerCut


CUTS = tuple(
    {
        "case": f"the power fails at every {after}th call of the store"
        if after
        else "the power never fails",
        "dies_after": after,
        "orders": 12,
    }
    for after in (0, 7, 4, 5, 6)
)
MOST_LIVES = 30


def kept_in(names, case) -> dict:
    """What the learner's two functions left in the store, after as many lives as it took."""
    lab, store, lives = Lab(brokers=1, seed=8, broker_config=AT_ONCE), Store(), []
    lab.create_topic("orders", partitions=2)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(case["orders"]):
        producer.send(
            ProducerRecord("orders", partition=number % 2, key=f"order {number}", value="tea")
        )
    producer.close()
    lab.run_for(ms=100)

    def life(lab, name, gone):
        reader = KafkaConsumer(
            lab, {**READER, "group.id": "stock", "max.poll.records": 4}, name=name
        )

        class Listener:
            def on_partitions_assigned(self, partitions):
                names["take_over"](store, reader, partitions)

            def on_partitions_revoked(self, partitions):
                pass

        reader.subscribe(["orders"], Listener())
        try:
            while True:
                for record in reader.poll(timeout_ms=500):
                    names["keep"](store, record)
        except PowerCut:
            gone.append(name)
            lab.sleep(10**9)
        except KafkaException as told:
            # what went wrong in `take_over` says more than the consumer around it
            raise told.__cause__ or told from None

    while len(lives) < MOST_LIVES:
        gone: list[str] = []
        store.open(case["dies_after"])
        lives.append(f"life-{len(lives) + 1}")
        lab.spawn(life, lives[-1], gone, name=lives[-1])
        if not lab.run_until(lambda gone=gone: gone, 14_000):
            break
        lab.kill(lives[-1])
    lab.close()
    if not all(isinstance(row, str) for row in store.rows):
        raise NotAsAsked("insert takes the record's key, a text")
    return {"rows": list(store.rows), "lives": len(lives)}


def each_once(case: dict, data) -> tuple[bool, str]:
    """Whether every order is in the store exactly once."""
    rows = data["rows"]
    wanted = [f"order {number}" for number in range(case["orders"])]
    twice = next((row for row in rows if rows.count(row) > 1), None)
    never = next((order for order in wanted if order not in rows), None)
    if twice is not None:
        why = (
            "Where did each next reader begin?"
            if data["lives"] >= MOST_LIVES
            else "Between which two calls did the power fail?"
        )
        return False, f"{twice} is in the store {rows.count(twice)} times. {why}"
    if data["lives"] >= MOST_LIVES:
        return (
            False,
            (
                f"after {MOST_LIVES} lives the readers are still at it, and the store has "
                f"{len(rows)} of {len(wanted)} orders."
            ),
        )
    if never is not None:
        return (
            False,
            (
                f"{never} is not in the store, and no reader will come back to it. Which was kept "
                "first, the order or the offset?"
            ),
        )
    if set(rows) != set(wanted):
        return (
            False,
            "there are rows in the store that are no orders. insert takes the record's key.",
        )
    return True, "right: each order once, wherever the power fails."


QUESTIONS = (
    Value(
        id="09.1",
        title="done twice, or never",
        points=3,
        answers=("twice", "never"),
        draws=("A", "B", "C", "D"),
        row="shift",
        together=tells_orders_apart,
        space={
            "order": ("work, commit", "commit, work"),
            "moment": tuple(dict.fromkeys(moment for _, moment in DEATHS)),
            "per_poll": (4, 6, 8, 10, 12, 14),
        },
        where=lambda n: (n["order"], n["moment"]) in DEATHS,
        hints=(
            (
                "Two sets: what ada had done when she died, and what the bookmark called done. "
                "Where do they differ?"
            ),
            (
                "shift(n.A.order, n.A.moment, n.A.per_poll) plays it. Its times hold a number for "
                "each record."
            ),
        ),
    ),
    LineReading(
        id="09.2",
        title="bug hunt: the batch commit",
        points=3,
        answers=("program", "next_first", "twice"),
        draws=THREE,
        row="program",
        show=with_lines,
        together=lambda programs: {n["program"] for n in programs} == set(PROGRAMS),
        space={
            "program": PROGRAMS,
            "every": (4, 5, 6, 7),
            "start": (20, 40, 57),
            "worked": (18, 22, 27),
        },
        where=lambda n: n["worked"] % n["every"] > 1,
        hints=(
            (
                "The first line says where the reader began. How many records later should the "
                "first commit stand, and where does it stand?"
            ),
            (
                "A bookmark names the next record. After so many records from 40 on it should say "
                "40 plus so many, neither one less nor 41."
            ),
        ),
    ),
    Function(
        id="09.3",
        title="write the commit loop",
        points=4,
        answers=("loop",),
        public_cases=SHIFTS,
        play=two_shifts,
        part="Loop",
        look=too_often,
        promise=("lost", "skipped", "unobserved", "nonmonotonic"),
        kept="nothing was lost, and nothing was done twice that need not be.",
        hints=(
            (
                "Which is worse, to do an order twice or never? That decides what comes first. "
                "Then: how often, and do you wait for the answer?"
            ),
            (
                "For each poll: finish all its records, then one commit that waits and tries again "
                "by itself."
            ),
        ),
    ),
    Value(
        id="09.4",
        title="compact a log by hand",
        points=2,
        answers=("stays", "billing_goes_on_at"),
        draws=THREE,
        row="log",
        show=rows_of,
        space={"log": tuple(range(200))},
        where=lambda n: is_telling(n["log"]),
        hints=(
            (
                "One record stays for each key. What is the key here: the group, the partition, or "
                "both?"
            ),
            (
                "Walk from the end to the start and keep what you meet for the first time. Offsets "
                "keep their numbers."
            ),
        ),
    ),
    Function(
        id="09.5",
        title="keep the bookmark yourself",
        points=3,
        answers=("keep", "take_over"),
        public_cases=CUTS,
        probe=kept_in,
        public_judge=each_once,
        hints=(
            (
                "The result and the offset must be kept together or not at all. How many commits "
                "is that for a record?"
            ),
            (
                "keep: insert, set_offset with the offset after this one, one commit. take_over: "
                "seek where the store knows an offset, else leave it."
            ),
        ),
    ),
    Value(
        id="09.6",
        title="Spark: read twice",
        points=2,
        answers=("read_twice",),
        draws=THREE,
        row="shop",
        space={
            "interval_s": (2, 3, 4, 5),
            "life_s": (7, 8, 9, 10, 11, 12, 13),
            "pace_ms": (100, 160),
        },
        hints=(
            (
                "For each life two numbers: where it began, and where it had come to. What lies "
                "between the end of one and the start of the next?"
            ),
            (
                "beside has both in one row: came_before and began_at. Leave out life 1, take "
                "came_before - began_at, and sum it up by shop."
            ),
        ),
    ),
    Open(id="09.open", points=4, title="Why must commitAsync not retry by itself?"),
)
