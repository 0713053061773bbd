# Generated from notebooks/exercises/09; edit those files and run
# `python -m autograder course 09`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 09's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
THREE = ("A", "B", "C")
READER = {"auto.offset.reset": "earliest", "enable.auto.commit": False, "session.timeout.ms": 6_000}
AT_ONCE = {"group.initial.rebalance.delay.ms": 0}


# %% 09.1
from autograder.cell.kinds import Value

DEATHS = (
    ("work, commit", "polled"),
    ("work, commit", "some of the work"),
    ("work, commit", "work done"),
    ("work, commit", "commit on its way"),
    ("commit, work", "polled"),
    ("commit, work", "some of the work"),
    ("commit, work", "commit answered"),
)


def tells_orders_apart(shifts: list[dict]) -> bool:
    """Whether a shift of each order dies at work, one with its commit on its way, and one at
    another moment: there every usual idea goes wrong."""
    drawn = {(n["order"], n["moment"]) for n in shifts}
    return (
        len(drawn) == 4
        and {
            ("work, commit", "some of the work"),
            ("commit, work", "some of the work"),
            ("work, commit", "commit on its way"),
        }
        <= drawn
    )


QUESTION_09_1 = Value(
    id="09.1",
    hints=(
        "There are two numbers: how many records of this poll ada had done when she died, and how many of them the committed offset called done. Where do they differ?",
        "The rounds before are complete: (round - 1) * per_poll records. Write the offsets of the last poll in a row. Mark what ada had done. Then mark where bo begins.",
    ),
    title="done twice, or never",
    points=3,
    answers=("twice", "never", "first_of_bo"),
    draws=("A", "B", "C", "D"),
    row="shift",
    together=tells_orders_apart,
    space={
        "order": ("work, commit", "commit, work"),
        "moment": tuple(dict.fromkeys(moment for _, moment in DEATHS)),
        "per_poll": (7, 8, 9),
        "round": (2, 3, 4),
        "done": (2, 3, 5),
    },
    where=lambda n: (
        (n["order"], n["moment"]) in DEATHS
        and (n["done"] == 2 or n["moment"] == "some of the work")
    ),
)


# %% 09.2
from autograder.cell.kinds import LineReading

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


QUESTION_09_2 = LineReading(
    id="09.2",
    hints=(
        "The first line says where the reader began. How many records later should the first commit be, and where is it?",
        "A committed offset names the next record. Five records from 40 on give 45: not 44, and not 41.",
    ),
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
)


# %% 09.3
from autograder.cell.kinds import Function
from kafkalab.stories.offsets import NIGHT_WORK_MS, night, was_closed

NIGHTS = (
    {"case": "nothing happens", "seed": 1, "happens": "nothing", "at_ms": 0},
    {"case": "bo joins at 1.9 s", "seed": 2, "happens": "join", "at_ms": 1_900},
    {"case": "bo joins at 2.64 s", "seed": 3, "happens": "join", "at_ms": 2_640},
    {"case": "ada is killed at work, at 1.35 s", "seed": 4, "happens": "kill", "at_ms": 1_350},
    {"case": "ada is killed at work, at 2.28 s", "seed": 5, "happens": "kill", "at_ms": 2_280},
    {
        "case": "a commit's connection breaks, and ada is killed later, with nothing to do",
        "seed": 6,
        "happens": "break",
        "at_ms": 0,
    },
    {"case": "ada is told to end, at 1.65 s", "seed": 7, "happens": "stop", "at_ms": 1_650},
    {
        "case": "a commit's connection breaks, and ada is told to end",
        "seed": 9,
        "happens": "break, stop",
        "at_ms": 0,
    },
)
KEPT = {
    "nothing": "right: each order once, and no more commits than polls.",
    "join": "right: bo began where ada's commit said. No order was done twice.",
    "kill": "right: only orders of her last poll were done twice.",
    "break": "right: the broken commit got through before ada was killed.",
    "stop": "right: ada committed and closed, and bo began at the next order.",
    "break, stop": "right: the last commit got through although its connection broke.",
}


def one_night(case, part):
    """ada reads bursts of orders; then bo."""

    def on_duty(lab, consumer):
        part(lab, consumer, work_ms=NIGHT_WORK_MS)

    return night(on_duty, case["happens"], case["seed"], case["at_ms"])


def too_often(case, lab) -> tuple[str, tuple] | None:
    """What is wrong with a night in which nothing is lost: a loop that ended or did not close,
    work done twice where it need not be, or a commit for each record."""
    from autograder.cell.anomalies import anomalies
    from autograder.cell.runs import run_of

    told = "stop" in case["happens"]
    returned = [event.who for event in lab.journal.of("told") if event.what == "returned"]
    if "bo" in returned or ("ada" in returned and not told):
        return "your loop ended, and nobody had told it to. Poll again after an empty poll.", ()
    if told and not was_closed(lab, "ada"):
        return (
            "ada was told to end, and her consumer was never closed. So no LEAVE_GROUP was sent, "
            "and her partitions waited for the end of her session.",
            (),
        )
    found = anomalies({**run_of(lab), "tells_work": True}, ("lost", "skipped", "duplicated"))
    if any(each.name != "duplicated" for each in found):
        return None  # which the promise tells
    allowed = _last_poll(lab, "ada") if case["happens"] == "kill" else 0
    if len(found) > allowed:
        limit = f"her last poll had {allowed}" if allowed else "none need be here"
        return (
            f"{len(found)} order{' was' if len(found) == 1 else 's were'} done twice; {limit}. "
            f"The first: {found[0].sentence}",
            found[0].proof,
        )
    polls = {(event.who, event.at_ms) for event in lab.journal.of("record.delivered")}
    asked: dict[str, list] = {}
    for event in lab.journal.of("commit"):
        if "offsets" in event.fields and asked.setdefault(event.who, [None])[-1] != event.offsets:
            asked[event.who].append(event.offsets)
    commits = sum(len(each) - 1 for each in asked.values())
    if commits > len(polls) + 2:
        return (
            f"nothing is lost, but there were {commits} commits for {len(polls)} polls, and each "
            "commit is a request. One for each poll is enough.",
            (),
        )
    return None


def _last_poll(lab, who) -> int:
    """How many records the last poll of a reader returned that returned any."""
    given = [event.at_ms for event in lab.journal.of("record.delivered") if event.who == who]
    return given.count(given[-1]) if given else 0


QUESTION_09_3 = Function(
    id="09.3",
    hints=(
        "What is worse: to do an order twice, or never? That decides what comes first. Which commit has no later one that mends it?",
        "For each poll: finish all its records, then one commit. Around the loop: try, except WakeupException, finally. In the finally: one commit that waits, then close.",
    ),
    title="write the commit loop",
    points=5,
    answers=("loop",),
    public_cases=NIGHTS,
    play=one_night,
    part="Loop",
    look=too_often,
    promise=("lost", "skipped", "unobserved", "nonmonotonic"),
    kept=lambda case: KEPT[case["happens"]],
)


# %% 09.4
from functools import cache
from random import Random

from autograder.cell.kinds import Value

BILLING = ("billing", 0)


@cache
def story(number: int) -> tuple[tuple[str, int, int | None], ...]:
    """Twelve records as they are in a log: (group, partition, committed offset). One commit goes
    back, and one record is a tombstone."""
    chance, at, told = Random(number), {}, []
    places = [(group, partition) for group in ("billing", "search") for partition in (0, 1)]
    back, tombstone = chance.randrange(5, 12), chance.randrange(5, 12)
    for row in range(12):
        place = chance.choice(places)
        step = -chance.randrange(2, 7) if row == back else chance.randrange(1, 9)
        at[place] = max(1, at.get(place, 0) + step)
        told.append((*place, None if row == tombstone else at[place]))
    return tuple(told)


def last_of(number: int) -> dict:
    """The last value of each key."""
    return {(group, partition): offset for group, partition, offset in story(number)}


def goes_back(number: int) -> bool:
    """Whether billing's last offset in partition 0 is smaller than an earlier one."""
    own = [each[2] for each in story(number) if each[:2] == BILLING and each[2] is not None]
    last = last_of(number)[BILLING]
    return last is not None and last < max(own)


def is_telling(number: int) -> bool:
    """Whether all four keys are there, billing's first more than once, no two of them end at one
    offset, and the usual ideas about keys and tombstones give something else."""
    last = last_of(number)
    newest = [
        sorted({each[side]: place for place, each in enumerate(story(number))}.values())
        for side in (0, 1)
    ]
    tombstone = next(place for place, each in enumerate(story(number)) if each[2] is None)
    is_last = all(
        each[:2] != story(number)[tombstone][:2] for each in story(number)[tombstone + 1 :]
    )
    first = next((each[2] for each in story(number) if each[:2] == BILLING), None)
    return (
        len(last) == 4 == len(set(last.values()))
        and sum(each[:2] == BILLING for each in story(number)) > 2
        and newest[0] != newest[1]
        and is_last
        and first not in (None, last[BILLING])
        and (goes_back(number) or last[BILLING] is None)
    )


def tells_ideas_apart(logs: list[dict]) -> bool:
    """Whether billing's offset goes back in one log, and is deleted in another."""
    return {goes_back(n["log"]) for n in logs} == {True, False}


def rows_of(numbers) -> dict:
    """Each log as a learner sees it: rows of offset, key and value."""
    rows = lambda n: [
        (place, f"{group}, orders, {partition}", offset)
        for place, (group, partition, offset) in enumerate(story(n["log"]))
    ]
    return type(numbers)({name: rows(n) for name, n in numbers.items()})


QUESTION_09_4 = Value(
    id="09.4",
    hints=(
        "One record stays for each key. What is the key here: the group, the partition, or both?",
        "Go from the end to the start and keep what you meet for the first time, also a tombstone. Offsets keep their numbers.",
    ),
    title="compact a log by hand",
    points=2,
    answers=("stays", "billing_begins_at"),
    draws=THREE,
    row="log",
    show=rows_of,
    together=tells_ideas_apart,
    space={"log": tuple(range(1_500))},
    where=lambda n: is_telling(n["log"]),
)


# %% 09.5
from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function
from kafkalab import KafkaConsumer, KafkaException, KafkaProducer, Lab, ProducerRecord


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
        """Write where to continue in a partition."""
        self._call()
        self._offsets[partition] = offset

    def commit(self) -> None:
        """Keep everything written since the last commit: all of it, or nothing."""
        self._call()
        self.rows += self._rows
        self.offsets.update(self._offsets)
        self._rows, self._offsets = [], {}

    def offset_of(self, partition: int) -> int | None:
        """Where to continue in a partition, None where nothing was ever kept."""
        if type(partition) is not int:
            raise NotAsAsked(
                f"offset_of takes a partition's number, such as 0, not {partition!r}"[:120]
            )
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
                f"after {MOST_LIVES} lives the readers are still at work, and the store has "
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


QUESTION_09_5 = Function(
    id="09.5",
    hints=(
        "The result and the offset must be kept together or not at all. How many commits is that for a record?",
        "keep: insert, set_offset with the offset after this one, one commit. take_over: seek where the store knows an offset, else leave it.",
    ),
    title="keep the offset yourself",
    points=3,
    answers=("keep", "take_over"),
    public_cases=CUTS,
    probe=kept_in,
    public_judge=each_once,
)


# %% 09.6
from autograder.cell.kinds import Value

QUESTION_09_6 = Value(
    id="09.6",
    hints=(
        "Each life has two numbers: where it began, and where it had come to. What is between the end of one and the start of the next?",
        "`beside` has both in one row. Leave out life 1. What does a difference of two columns tell you?",
    ),
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
)


# %% 09.open
from autograder.cell.kinds import Open

QUESTION_09_open = Open(
    id="09.open",
    title="Why must commitAsync not retry by itself?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_09_1,
    QUESTION_09_2,
    QUESTION_09_3,
    QUESTION_09_4,
    QUESTION_09_5,
    QUESTION_09_6,
    QUESTION_09_open,
)
