# Generated from notebooks/exercises/10; edit those files and run
# `python -m autograder course 10`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 10's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
THREE = ("A", "B", "C")
FOUR = (*THREE, "D")


# %% 10.1
from autograder.cell.kinds import Value

QUESTION_10_1 = Value(
    id="10.1",
    hints=(
        "Ask which threads still run. A busy program has a heartbeat thread beside it; one that is frozen or dead has none.",
        "Busy: only the poll clock can run out, and only when n.A.seconds is longer. Silent: the session clock runs out after n.A.session_s.",
    ),
    title="two clocks",
    points=3,
    answers=("clock", "after_s"),
    draws=FOUR,
    row="program",
    space={
        "what": ("works", "freezes", "is killed"),
        "seconds": (20, 70, 200, 600),
        "session_s": (10, 30, 45),
        "poll_limit_s": (40, 120, 300),
    },
    where=lambda n: (
        (
            n["seconds"] == 600
            if n["what"] == "is killed"
            else n["what"] == "works"
            or n["seconds"] > n["session_s"] + 5
            or n["seconds"] < n["poll_limit_s"]
        )
        and n["session_s"] != n["poll_limit_s"]
    ),
    together=lambda sets: (
        any(
            n["what"] == "works" and n["session_s"] + 5 < n["seconds"] < n["poll_limit_s"]
            for n in sets
        )
        and any(
            n["what"] == "works" and n["seconds"] > n["poll_limit_s"] > n["session_s"] for n in sets
        )
        and any(n["what"] == "is killed" and n["session_s"] < n["poll_limit_s"] for n in sets)
        and any(n["what"] == "freezes" and n["seconds"] > n["session_s"] for n in sets)
    ),
)


# %% 10.2
from autograder.cell.kinds import Value


def left_ms(n: dict) -> int:
    """What 80 % of the limit leave for the usual orders of the slowest batch."""
    return n["limit_s"] * 800 - n["batch_ms"] - n["slow_ms"]


QUESTION_10_2 = Value(
    id="10.2",
    hints=(
        "The slowest batch takes the time of its usual orders, of one slow order and of one transaction. All of it lies between two polls.",
        "80 % of n.A.limit_s is what you may use. Take n.A.batch_ms and n.A.slow_ms off; divide by n.A.record_ms, round down, and add the slow order itself. For the seconds: the batch divided by 0.8, rounded up.",
    ),
    title="how many records, or how long",
    points=3,
    answers=("most_records", "least_interval_s"),
    draws=THREE,
    row="program",
    space={
        "record_ms": (700, 800, 900, 1_200, 1_400, 1_600, 2_000, 2_400),
        "slow_ms": (6_000, 9_000, 15_000),
        "batch_ms": (1_500, 4_500, 8_500),
        "limit_s": (120, 180, 240, 300),
    },
    where=lambda n: (
        n["record_ms"] - left_ms(n) % n["record_ms"] >= 300
        and left_ms(n) % n["record_ms"] >= 100
        and 200 <= (499 * n["record_ms"] + n["batch_ms"] + n["slow_ms"]) % 800 <= 700
        and n["slow_ms"] + n["batch_ms"] > 4 * n["record_ms"]
        and n["batch_ms"] > n["record_ms"]
    ),
)


# %% 10.3
from autograder.cell.kinds import Value

QUESTION_10_3 = Value(
    id="10.3",
    hints=(
        "Who is a member when the script commits? A group without members takes a commit from anybody.",
        "A closed consumer has sent LEAVE_GROUP. A killed one has not, and stays a member for n.A.session_s. A commit that is taken sets the offset, also when it lies further back.",
    ),
    title="the script with the group's name",
    points=3,
    answers=("outcome", "stock_reads_next"),
    draws=FOUR,
    row="night",
    space={
        "script_group": ("stock", "repair"),
        "members": ("read", "closed", "killed"),
        "ago_s": (0, 5, 20, 70),
        "session_s": (10, 45),
        "records": (80, 130),
        "script_commits": (20, 60),
    },
    where=lambda n: (
        (n["ago_s"] == 0) == (n["members"] == "read")
        and (n["members"] != "killed" or abs(n["ago_s"] - n["session_s"]) > 4)
    ),
    together=lambda sets: (
        any(
            n["script_group"] == "stock"
            and n["members"] == "killed"
            and n["ago_s"] < n["session_s"]
            for n in sets
        )
        and any(
            n["script_group"] == "stock"
            and n["members"] == "killed"
            and n["ago_s"] > n["session_s"]
            for n in sets
        )
        # who thinks assign() is free errs here too
        and any(n["script_group"] == "stock" and n["members"] == "read" for n in sets)
        and any(n["script_group"] == "repair" for n in sets)
    ),
)


# %% 10.4
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, WorkerPool


@lru_cache(maxsize=1)
def _hunted() -> str:
    """The log of the program in the bug hunt, line by line."""
    lab = Lab(brokers=3, seed=10)
    lab.create_topic("orders", partitions=1)
    lines = []

    def say(text):
        lines.append(f"{len(lines) + 1:>2}  {lab.now_ms:>6,} ms  {text}")

    def shop(lab):
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        for number in range(40):
            producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
            lab.sleep(70)

    def program(lab, name, took_ms):
        from kafkalab import OffsetAndMetadata, TopicPartition

        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "stock",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "max.poll.records": 6,
            },
            name=name,
        )
        consumer.subscribe(["orders"])

        def store(record):
            lab.sleep(took_ms.get(record.offset, 90))
            say(f"{name}: a worker has finished {record.offset}")

        pool = WorkerPool(lab, 3, store, name)
        highest = -1
        while True:
            records = consumer.poll(timeout_ms=200)
            if len(records):
                offsets = [record.offset for record in records]
                say(
                    f"{name}: poll returns {offsets[0]} to {offsets[-1]}"
                    if len(offsets) > 1
                    else f"{name}: poll returns {offsets[0]}"
                )
            for record in records:
                pool.submit(record)
            lab.sleep(150)
            newest = max((record.offset for record in pool.finished()), default=-1)
            if newest > highest:
                highest = newest
                consumer.commit_sync({TopicPartition("orders", 0): OffsetAndMetadata(highest + 1)})
                say(f"{name}: commits {highest + 1}")

    lab.spawn(program, "ada", {2: 400, 7: 3_000, 12: 2_000, 17: 900}, name="ada")
    lab.run_for(ms=2_900)
    lab.spawn(shop, name="shop")
    lab.run_for(ms=1_590)
    lab.kill("ada")
    say("ada: killed")
    lab.spawn(program, "bo", {}, name="bo")
    lab.run_until(lambda: len([line for line in lines if "bo: poll" in line]) == 1)
    lab.close()
    return "\n".join(lines)


def hunted(numbers) -> str:
    """The same log for everybody."""
    return _hunted()


QUESTION_10_4 = LineReading(
    id="10.4",
    hints=(
        "A commit of 8 says that everything below 8 is done. Which of these were never finished by anybody, before or after?",
        "Bo begins at the last commit. List what lies below that and has no line \"has finished\". Then look for the first commit above the smallest of them.",
    ),
    title="bug hunt: commit in a pool",
    points=3,
    answers=("lost", "broken_promise"),
    show=hunted,
)


# %% 10.5
from autograder.cell.kinds import Function
from autograder.cell.runs import done
from kafkalab.stories import slow_consumers

# what a pool of four may have finished out of order, and a little more
MOST_REPEATED = 30
ORDERS = 80
SHIFTS = (
    {"case": "nobody crashes", "seed": 1, "crash_ms": 0},
    {"case": "day 1: ada is killed after 3.8 seconds", "seed": 1, "crash_ms": 3_800},
    {"case": "day 3: ada is killed after 4.2 seconds", "seed": 3, "crash_ms": 4_200},
    {"case": "day 4: ada is killed after 3.8 seconds", "seed": 4, "crash_ms": 3_800},
    {"case": "day 6: ada is killed after 4.2 seconds", "seed": 6, "crash_ms": 4_200},
)


def shift(case, part):
    """Ada has four workers for the orders of two partitions.
    She may be killed at it; then Bo comes with four more."""
    return slow_consumers.shift(case["seed"], case["crash_ms"], part, done)


def how_it_went(case, lab):
    """What is wrong with a shift in a way of its own:
    nobody polled for too long, or too little was committed."""
    for event in lab.journal.of("line"):
        text = event.fields["message"]
        if event.fields["level"] == "WARN" and slow_consumers.EXPIRED in text:
            return (
                f"at {event.at_ms:,} ms {event.who} had not polled for longer than "
                "max.poll.interval.ms, which is 1,000 here, and left the group. "
                "Never wait for the workers.",
                (f"{event.at_ms:>9,} ms  {event.who:<12} {text[:150]}",),
            )
    finished = slow_consumers.finished_orders(lab)
    if case["crash_ms"] == 0 and len(set(finished)) == ORDERS:
        saved = slow_consumers.committed_orders(lab)
        if saved < ORDERS:
            return (
                f"all {ORDERS} orders were finished, but the committed offsets cover {saved} of "
                "them. The one who starts next would do the others again.",
                (),
            )
    repeated = len(finished) - len(set(finished))
    if repeated > MOST_REPEATED:
        return (
            f"nothing is lost, but {repeated} orders were done a second time. Bo begins at the "
            "committed offset: commit more, and more often.",
            (),
        )
    return None


def what_it_proved(case):
    """The sentence of a day on which the promise was kept."""
    if case["crash_ms"] == 0:
        return (
            f"right: all {ORDERS} orders are done and committed. Nobody crashed, so nothing could "
            "be lost here."
        )
    return "right: ada died with orders in work, and her commit had not gone past one of them."


QUESTION_10_5 = Function(
    id="10.5",
    hints=(
        "For each partition remember what was handed out, in order, and what of it is done. The commit may go up to the first that is not.",
        "A dict for each partition, offset -> False; pool.finished() turns some to True. From the front take away what is True; the last one taken away, plus one, is the commit.",
    ),
    title="commit what is done",
    points=5,
    answers=("work_through",),
    public_cases=SHIFTS,
    play=shift,
    part="Crew",
    promise=("lost", "skipped", "unobserved", "nonmonotonic"),
    look=how_it_went,
    kept=what_it_proved,
)


# %% 10.6
from autograder.cell.kinds import Value


def _batch_ms(numbers) -> int:
    """What a batch takes on the average where so many of a hundred records take 20 s more."""
    return numbers["max_poll_records"] * (numbers["usual_ms"] + numbers["slow_percent"] * 200)


QUESTION_10_6 = Value(
    id="10.6",
    hints=(
        "Look at one time at which a service left: how many lines are about it, and at which levels?",
        "lines.where(\"level = 'WARN' and message like '%consumer poll timeout%'\").groupBy(\"client_id\").count(). A service without a line left 0 times.",
    ),
    title="Spark: who left, and how often",
    points=2,
    answers=("times_left",),
    draws=FOUR,
    row="service",
    space={
        "max_poll_records": (100, 150, 200, 300),
        "usual_ms": (300, 500),
        "slow_percent": (1, 2, 3, 5),
    },
    where=lambda n: (
        n["max_poll_records"] * n["usual_ms"] < 120_000 and not 75_000 < _batch_ms(n) < 104_000
    ),
    together=lambda sets: sum(_batch_ms(n) > 104_000 for n in sets) >= 2,
)


# %% 10.open
from autograder.cell.kinds import Open

QUESTION_10_open = Open(
    id="10.open",
    title="Compare the two designs of a multi-threaded consumer: one consumer per thread, and one polling thread with a pool of workers.",
points=4)


# %% all
QUESTIONS = (
    QUESTION_10_1,
    QUESTION_10_2,
    QUESTION_10_3,
    QUESTION_10_4,
    QUESTION_10_5,
    QUESTION_10_6,
    QUESTION_10_open,
)
