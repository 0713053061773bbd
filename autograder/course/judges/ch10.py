# Generated from notebooks/exercises/10; edit those files and run
# `python -m autograder course 10`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 10's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


def _shop(lab: Lab, count: int) -> None:
    """`count` orders in one partition."""
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(count):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    producer.close()


def _member(lab: Lab, name: str, **config) -> KafkaConsumer:
    consumer = KafkaConsumer(
        lab,
        {
            "client.id": name,
            "group.id": "stock",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **config,
        },
        name=name,
    )
    consumer.subscribe(["orders"])
    return consumer


def _expired(lab: Lab) -> int | None:
    """When the first member gave up by its own clock."""
    return next(
        (
            event.at_ms
            for event in lab.journal.of("line")
            if event.fields["level"] == "WARN"
            and "consumer poll timeout has expired" in event.fields["message"]
        ),
        None,
    )


# %% 10.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


@cache
def _clock(what: str, seconds: int, session_s: int, poll_limit_s: int) -> tuple[str, int]:
    """Which clock ends a membership, and after how many seconds from
    the last poll or the last heartbeat."""
    lab = Lab(brokers=3, seed=7)
    _shop(lab, 1)
    trouble: list[int] = []

    def program(lab):
        consumer = _member(
            lab,
            "ada",
            **{
                "session.timeout.ms": session_s * 1_000,
                "max.poll.interval.ms": poll_limit_s * 1_000,
            },
        )
        while True:
            if len(consumer.poll(timeout_ms=500)):
                trouble.append(lab.now_ms)
                if what == "works":
                    lab.sleep(seconds * 1_000)

    app = lab.spawn(program, name="ada")
    lab.run_until(lambda: bool(trouble))
    if what == "freezes":
        app.pause(seconds * 1_000)
    if what == "is killed":
        lab.kill("ada")
    lab.run_for(ms=seconds * 1_000 + 2_000)
    lab.close()
    own = _expired(lab)
    left = next((event.at_ms for event in lab.journal.of("group.left")), None)
    if left is None:
        return "none", 0
    if own is not None and own <= left:
        return "poll", (own - trouble[0]) // 1_000
    heard = [
        event.at_ms
        for event in lab.journal.of("request.received")
        if event.fields["api"] in ("HEARTBEAT", "SYNC_GROUP") and event.at_ms < left
    ]
    return "session", round((left - heard[-1]) / 1_000)


def _two_clocks(case: dict) -> dict:
    clock, after_s = _clock(case["what"], case["seconds"], case["session_s"], case["poll_limit_s"])
    return {"clock": clock, "after_s": after_s}


JUDGE_10_1 = Judge(
    id="10.1",
    wrong_answers=(
        WrongAnswer(
            name="work stops the heartbeats",
            sentence="You stopped the heartbeats of a program that works. Since 0.10.1 a thread of the client sends them, also while the program works.",
            source=(
                "clock = {a: \"session\" if x.seconds > x.session_s else \"none\" for a, x in n.items()}\n"
                "after_s = {a: x.session_s if x.seconds > x.session_s else 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="everything by the poll clock",
            sentence="The poll clock runs in the client, in the heartbeat thread. Where that thread does not run, the coordinator has only its session timeout of {session_s} s.",
            source=(
                "clock = {a: \"poll\" if x.seconds > x.poll_limit_s else \"none\" for a, x in n.items()}\n"
                "after_s = {a: x.poll_limit_s if x.seconds > x.poll_limit_s else 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="killed is known at once",
            sentence="The clock is right. But a killed program sends no LEAVE_GROUP. The coordinator waits for the session timeout of {session_s} s.",
            source=(
                "clock = {\n"
                "    a: \"session\"\n"
                "    if x.what != \"works\" and x.seconds > x.session_s\n"
                "    else \"poll\"\n"
                "    if x.what == \"works\" and x.seconds > x.poll_limit_s\n"
                "    else \"none\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "after_s = {\n"
                "    a: (0 if x.what == \"is killed\" else x.session_s)\n"
                "    if x.what != \"works\" and x.seconds > x.session_s\n"
                "    else x.poll_limit_s\n"
                "    if x.what == \"works\" and x.seconds > x.poll_limit_s\n"
                "    else 0\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="the end of the trouble",
            sentence="The clock is right. It ends the membership when its own limit is over, and does not wait for the end of the {seconds} s.",
            source=(
                "def clock_that_ends(x):\n"
                "    if x.what == \"works\":\n"
                "        return \"poll\" if x.seconds > x.poll_limit_s else \"none\"\n"
                "    return \"session\" if x.what == \"is killed\" or x.seconds > x.session_s else \"none\"\n"
                "\n"
                "\n"
                "limits = {a: {\"none\": 0, \"poll\": x.poll_limit_s, \"session\": x.session_s} for a, x in n.items()}\n"
                "clock = {a: clock_that_ends(x) for a, x in n.items()}\n"
                "after_s = {a: x.seconds if clock[a] != \"none\" else 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the limit of the other clock",
            sentence="The clock is right. But the seconds are those of the other one: the session timeout is {session_s} s, the poll interval {poll_limit_s} s.",
            source=(
                "def clock_that_ends(x):\n"
                "    if x.what == \"works\":\n"
                "        return \"poll\" if x.seconds > x.poll_limit_s else \"none\"\n"
                "    return \"session\" if x.what == \"is killed\" or x.seconds > x.session_s else \"none\"\n"
                "\n"
                "\n"
                "limits = {a: {\"none\": 0, \"poll\": x.poll_limit_s, \"session\": x.session_s} for a, x in n.items()}\n"
                "clock = {a: clock_that_ends(x) for a, x in n.items()}\n"
                "after_s = {\n"
                "    a: {\"none\": 0, \"poll\": x.session_s, \"session\": x.poll_limit_s}[clock[a]] for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a limit where nothing ends",
            sentence="The clock is right. Nothing ends this membership, so there are no seconds to count: write 0.",
            source=(
                "def clock_that_ends(x):\n"
                "    if x.what == \"works\":\n"
                "        return \"poll\" if x.seconds > x.poll_limit_s else \"none\"\n"
                "    return \"session\" if x.what == \"is killed\" or x.seconds > x.session_s else \"none\"\n"
                "\n"
                "\n"
                "limits = {a: {\"none\": 0, \"poll\": x.poll_limit_s, \"session\": x.session_s} for a, x in n.items()}\n"
                "clock = {a: clock_that_ends(x) for a, x in n.items()}\n"
                "after_s = {a: limits[a][clock[a]] or x.poll_limit_s for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="None is no text",
            sentence="No clock ends it, and that is right. Write the word in quotation marks: \"none\".",
            source=(
                "def clock_that_ends(x):\n"
                "    if x.what == \"works\":\n"
                "        return \"poll\" if x.seconds > x.poll_limit_s else \"none\"\n"
                "    return \"session\" if x.what == \"is killed\" or x.seconds > x.session_s else \"none\"\n"
                "\n"
                "\n"
                "limits = {a: {\"none\": 0, \"poll\": x.poll_limit_s, \"session\": x.session_s} for a, x in n.items()}\n"
                "clock = {a: None if clock_that_ends(x) == \"none\" else clock_that_ends(x) for a, x in n.items()}\n"
                "after_s = {a: limits[a][clock_that_ends(x)] for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the heartbeat clock",
            sentence="The clock that waits for heartbeats has the name \"session\" here.",
            source=(
                "def clock_that_ends(x):\n"
                "    if x.what == \"works\":\n"
                "        return \"poll\" if x.seconds > x.poll_limit_s else \"none\"\n"
                "    return \"session\" if x.what == \"is killed\" or x.seconds > x.session_s else \"none\"\n"
                "\n"
                "\n"
                "limits = {a: {\"none\": 0, \"poll\": x.poll_limit_s, \"session\": x.session_s} for a, x in n.items()}\n"
                "clock = {a: clock_that_ends(x).replace(\"session\", \"heartbeat\") for a, x in n.items()}\n"
                "after_s = {a: limits[a][clock_that_ends(x)] for a, x in n.items()}"
            ),
        ),
    ),
    truth=_two_clocks,
    right="right: a busy program still sends heartbeats; a stopped or dead one does not.",
    otherwise="not this clock, or not after so many seconds. Which of its threads still run?",
)


# %% 10.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


@cache
def _stays(batch_ms: int, limit_ms: int) -> bool:
    """Whether a member whose batches take this long is still one when it polls again."""
    lab = Lab(brokers=1, seed=3)
    _shop(lab, 1)
    done = []

    def program(lab):
        consumer = _member(
            lab, "ada", **{"max.poll.interval.ms": limit_ms, "heartbeat.interval.ms": 15_000}
        )
        while not done:
            if len(consumer.poll(timeout_ms=500)):
                lab.sleep(batch_ms)
                done.append(True)
        consumer.poll(timeout_ms=0)

    lab.spawn(program, name="ada")
    lab.run_until(lambda: bool(done), timeout_ms=2 * batch_ms)
    lab.close()
    return _expired(lab) is None


@cache
def _enough(record_ms: int, slow_ms: int, batch_ms: int, limit_s: int) -> tuple[int, int]:
    """Played with a limit of 80 %: (the most records, the least whole seconds)."""

    def slowest(records: int) -> int:
        return (records - 1) * record_ms + slow_ms + batch_ms

    records, seconds = limit_s * 800 // record_ms, slowest(500) // 800
    while _stays(slowest(records + 1), limit_s * 800):
        records += 1
    while not _stays(slowest(records), limit_s * 800):
        records -= 1
    while not _stays(slowest(500), seconds * 800):
        seconds += 1
    return records, seconds


def _cure(case: dict) -> dict:
    records, seconds = _enough(
        case["record_ms"], case["slow_ms"], case["batch_ms"], case["limit_s"]
    )
    return {"most_records": records, "least_interval_s": seconds}


JUDGE_10_2 = Judge(
    id="10.2",
    wrong_answers=(
        WrongAnswer(
            name="no margin",
            sentence="You used the whole poll interval. By the team's rule the slowest batch may use 80 % of it.",
            source=(
                "most_records = {\n"
                "    a: (x.limit_s * 1000 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()\n"
                "}\n"
                "least_interval_s = {\n"
                "    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 1000) for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="the slow order is forgotten",
            sentence="You calculated with usual orders only. In the slowest batch one order takes {slow_ms} ms.",
            source=(
                "most_records = {a: (x.limit_s * 800 - x.batch_ms) // x.record_ms for a, x in n.items()}\n"
                "least_interval_s = {a: -(-(500 * x.record_ms + x.batch_ms) // 800) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the transaction is forgotten",
            sentence="The orders alone fit. But each batch also takes {batch_ms} ms for its transaction, before the next poll.",
            source=(
                "most_records = {a: (x.limit_s * 800 - x.slow_ms) // x.record_ms + 1 for a, x in n.items()}\n"
                "least_interval_s = {a: -(-(499 * x.record_ms + x.slow_ms) // 800) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="every order is slow",
            sentence="You took {slow_ms} ms for every order. Only one order of the slowest batch takes that long.",
            source=(
                "most_records = {a: (x.limit_s * 800 - x.batch_ms) // x.slow_ms for a, x in n.items()}\n"
                "least_interval_s = {a: -(-(500 * x.slow_ms + x.batch_ms) // 800) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="against the session timeout",
            sentence="You divided the 45 s of session.timeout.ms. Work does not stop heartbeats; the limit here is {limit_s} s.",
            source=(
                "most_records = {a: (36_000 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()}\n"
                "least_interval_s = {\n"
                "    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 800) for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="one record too many",
            sentence="One record less. With yours the slowest batch is longer than 80 % of {limit_s} s: round down.",
            source=(
                "most_records = {\n"
                "    a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 2 for a, x in n.items()\n"
                "}\n"
                "least_interval_s = {\n"
                "    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 800) for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="one record too few",
            sentence="One record more fits. You took the time of the slow order off; count that order as well.",
            source=(
                "most_records = {a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms for a, x in n.items()}\n"
                "least_interval_s = {\n"
                "    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 800) for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="no margin in the interval",
            sentence="The records are right. The interval needs the margin, too: the slowest batch may use 80 % of it.",
            source=(
                "most_records = {\n"
                "    a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()\n"
                "}\n"
                "least_interval_s = {\n"
                "    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 1000) for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="one second short",
            sentence="The records are right. Round the seconds up: 408.5 s needs 409 s.",
            source=(
                "most_records = {\n"
                "    a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()\n"
                "}\n"
                "least_interval_s = {\n"
                "    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 800) - 1 for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="80 % of the batch",
            sentence="The records are right. Your interval is shorter than the batch. The batch is 80 % of the interval, so divide by 0.8.",
            source=(
                "def right_records(x):\n"
                "    return (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1\n"
                "\n"
                "\n"
                "def batch_of_500_ms(x):\n"
                "    return 499 * x.record_ms + x.slow_ms + x.batch_ms\n"
                "most_records = {a: right_records(x) for a, x in n.items()}\n"
                "least_interval_s = {a: -(-batch_of_500_ms(x) * 8 // 10_000) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="20 % more than the batch",
            sentence="The records are right. You added 20 % of the batch. The rule takes 20 % of the interval, which is more: divide the batch by 0.8.",
            source=(
                "def right_records(x):\n"
                "    return (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1\n"
                "\n"
                "\n"
                "def batch_of_500_ms(x):\n"
                "    return 499 * x.record_ms + x.slow_ms + x.batch_ms\n"
                "most_records = {a: right_records(x) for a, x in n.items()}\n"
                "least_interval_s = {a: -(-batch_of_500_ms(x) * 12 // 10_000) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="not rounded",
            sentence="The records are right. Whole seconds are asked for: round up.",
            source=(
                "def right_records(x):\n"
                "    return (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1\n"
                "\n"
                "\n"
                "def batch_of_500_ms(x):\n"
                "    return 499 * x.record_ms + x.slow_ms + x.batch_ms\n"
                "most_records = {a: right_records(x) for a, x in n.items()}\n"
                "least_interval_s = {a: batch_of_500_ms(x) / 800 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="milliseconds",
            sentence="The records are right. The interval is in milliseconds: divide by 1,000, and round up.",
            source=(
                "def right_records(x):\n"
                "    return (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1\n"
                "\n"
                "\n"
                "def batch_of_500_ms(x):\n"
                "    return 499 * x.record_ms + x.slow_ms + x.batch_ms\n"
                "most_records = {a: right_records(x) for a, x in n.items()}\n"
                "least_interval_s = {a: -(-batch_of_500_ms(x) * 10 // 8) for a, x in n.items()}"
            ),
        ),
    ),
    truth=_cure,
    right="right: the slowest batch fits, and a fifth of the poll interval is left.",
    otherwise=(
        "not these two. What lies between two polls in the slowest batch? That time is at most 80 % "
        "of the poll interval."
    ),
)


# %% 10.3
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import CommitFailedException, KafkaConsumer, Lab, OffsetAndMetadata, TopicPartition

ORDERS = TopicPartition("orders", 0)


@cache
def _night(
    script_group: str, members: str, ago_s: int, session_s: int, records: int, script_commits: int
) -> tuple[str, int]:
    """What becomes of a standalone consumer's commit, and where group stock goes on."""
    lab = Lab(brokers=3, seed=2)
    _shop(lab, records)
    stop: list[bool] = []

    def program(lab):
        consumer = _member(lab, "ada", **{"session.timeout.ms": session_s * 1_000})
        while not stop:
            if len(consumer.poll(timeout_ms=200)):
                consumer.commit_sync()
        consumer.close()

    lab.spawn(program, name="ada")
    lab.run_for(ms=10_000)
    if members == "killed":
        lab.kill("ada")
    if members == "closed":
        stop.append(True)
    lab.run_for(ms=ago_s * 1_000)
    script = KafkaConsumer(lab, {"group.id": script_group}, name="script")
    script.assign([ORDERS])
    try:
        script.commit_sync({ORDERS: OffsetAndMetadata(script_commits)})
        outcome = "committed"
    except CommitFailedException as error:
        outcome = type(error).__name__
    lab.close()
    return outcome, lab.at(lab.now_ms)["groups"]["stock"]["offsets"]["orders-0"]["offset"]


def _script(case: dict) -> dict:
    outcome, next_offset = _night(
        case["script_group"],
        case["members"],
        case["ago_s"],
        case["session_s"],
        case["records"],
        case["script_commits"],
    )
    return {"outcome": outcome, "stock_reads_next": next_offset}


JUDGE_10_3 = Judge(
    id="10.3",
    wrong_answers=(
        WrongAnswer(
            name="the same name always fails",
            sentence="It fails only while group stock has members. Here the group is empty: LEAVE_GROUP was sent, or the session of {session_s} s has timed out.",
            source=(
                "outcome = {\n"
                "    a: \"CommitFailedException\" if x.script_group == \"stock\" else \"committed\" for a, x in n.items()\n"
                "}\n"
                "stock_reads_next = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="assign() is free",
            sentence="assign() keeps the script out of the group, so the coordinator does not know it as a member. While others are members, it answers UNKNOWN_MEMBER_ID.",
            source=(
                "outcome = {a: \"committed\" for a, x in n.items()}\n"
                "stock_reads_next = {\n"
                "    a: x.script_commits if x.script_group == \"stock\" else x.records for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="killed is gone at once",
            sentence="A killed member has sent no LEAVE_GROUP. For the coordinator it is a member until its session of {session_s} s times out. Here {ago_s} s have passed.",
            source=(
                "outcome = {\n"
                "    a: \"CommitFailedException\" if x.script_group == \"stock\" and x.members == \"read\" else \"committed\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "stock_reads_next = {\n"
                "    a: x.script_commits if x.script_group == \"stock\" and not x.members == \"read\" else x.records\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="the bookmark only goes forward",
            sentence="The outcome is right. But the coordinator saves any number: the committed offset goes back from {records} to {script_commits}, and the group reads these orders again.",
            source=(
                "outcome = {\n"
                "    a: \"CommitFailedException\"\n"
                "    if x.script_group == \"stock\"\n"
                "    and (x.members == \"read\" or x.members == \"killed\" and x.ago_s < x.session_s)\n"
                "    else \"committed\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "stock_reads_next = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the script has one bookmark for all groups",
            sentence="Group repair has a committed offset of its own. That of stock does not change.",
            source=(
                "outcome = {\n"
                "    a: \"CommitFailedException\"\n"
                "    if x.script_group == \"stock\"\n"
                "    and (x.members == \"read\" or x.members == \"killed\" and x.ago_s < x.session_s)\n"
                "    else \"committed\"\n"
                "    for a, x in n.items()\n"
                "}\n"
                "stock_reads_next = {\n"
                "    a: x.records\n"
                "    if x.script_group == \"stock\"\n"
                "    and (x.members == \"read\" or x.members == \"killed\" and x.ago_s < x.session_s)\n"
                "    else x.script_commits\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a refused commit counts",
            sentence="The outcome is right. A refused commit changes nothing: group stock continues at {records}.",
            source=(
                "def is_refused(x):\n"
                "    is_member = x.members == \"read\" or (x.members == \"killed\" and x.ago_s < x.session_s)\n"
                "    return x.script_group == \"stock\" and is_member\n"
                "\n"
                "\n"
                "right_outcome = {a: \"CommitFailedException\" if is_refused(x) else \"committed\" for a, x in n.items()}\n"
                "outcome = right_outcome\n"
                "stock_reads_next = {\n"
                "    a: x.script_commits if x.script_group == \"stock\" else x.records for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="one behind the committed offset",
            sentence="The outcome is right. A committed offset is the next one to read: do not add 1.",
            source=(
                "def is_refused(x):\n"
                "    is_member = x.members == \"read\" or (x.members == \"killed\" and x.ago_s < x.session_s)\n"
                "    return x.script_group == \"stock\" and is_member\n"
                "\n"
                "\n"
                "right_outcome = {a: \"CommitFailedException\" if is_refused(x) else \"committed\" for a, x in n.items()}\n"
                "outcome = right_outcome\n"
                "stock_reads_next = {\n"
                "    a: 1 + (x.script_commits if x.script_group == \"stock\" and not is_refused(x) else x.records)\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
    ),
    truth=_script,
    right="right: a group with members takes their commits only; an empty group takes any.",
    otherwise=(
        "not this. Has group stock a member at that moment? And whose committed offset does the "
        "script move?"
    ),
)


# %% 10.4
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_10_4 = Judge(
    id="10.4",
    wrong_answers=(
        WrongAnswer(
            name="everything unfinished",
            sentence="17 and those after it were not finished either, but they were not committed: bo begins at 16 and gets them. Only what lies below the last commit is lost.",
            source=(
                "lost = [7, 12, 17, 18, 19]\n"
                "broken_promise = 16"
            ),
        ),
        WrongAnswer(
            name="passed, and finished later",
            sentence="Line 8 goes past 2, and that was wrong, too. But 2 is not lost: in line 10 a worker finished it, before the crash.",
            source=(
                "lost = [2, 7, 12]\n"
                "broken_promise = 8"
            ),
        ),
        WrongAnswer(
            name="the first lie",
            sentence="The records are right. Line 8 commits too much as well, but record 2 is finished in line 10. Look for the first commit past a record of your list.",
            source=(
                "lost = [7, 12]\n"
                "broken_promise = 8"
            ),
        ),
        WrongAnswer(
            name="the last commit",
            sentence="The records are right. The last commit repeats an earlier mistake. Find the first commit above 7.",
            source=(
                "lost = [7, 12]\n"
                "broken_promise = 30"
            ),
        ),
        WrongAnswer(
            name="the oldest alone",
            sentence="7 is one. The commits went past another record that a slow worker had: look for a number that has no line of its own.",
            source=(
                "lost = [7]\n"
                "broken_promise = 16"
            ),
        ),
        WrongAnswer(
            name="the largest first",
            sentence="The right offsets. List them with the smallest first.",
            source=(
                "lost = [12, 7]\n"
                "broken_promise = 16"
            ),
        ),
        WrongAnswer(
            name="the newest alone",
            sentence="12 is one. A smaller offset has no line of its own either.",
            source=(
                "lost = [12]\n"
                "broken_promise = 16"
            ),
        ),
        WrongAnswer(
            name="the newest unfinished as well",
            sentence="17 was not finished, but the last commit is 16: bo gets it. Only what lies below the last commit is lost.",
            source=(
                "lost = [7, 12, 17]\n"
                "broken_promise = 16"
            ),
        ),
        WrongAnswer(
            name="the commit past the second",
            sentence="The offsets are right. Line 26 is the first commit past 12; another line went past 7 before that.",
            source=(
                "lost = [7, 12]\n"
                "broken_promise = 26"
            ),
        ),
        WrongAnswer(
            name="the offset that was committed",
            sentence="The offsets are right. 9 is the offset that the line commits; write the number at the beginning of that line.",
            source=(
                "lost = [7, 12]\n"
                "broken_promise = 9"
            ),
        ),
    ),
    truth=lambda case: {"lost": [7, 12], "broken_promise": 16},
    right="right: the commit claimed 7 and 12, which two slow workers had not finished.",
    otherwise=(
        "not these. An order is lost if it is below the last commit and nobody ever finished it. "
        "The line is one with `commits`. A commit of 9 says that 8 and all before are done."
    ),
)


# %% 10.5
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_10_5 = Judge(
    id="10.5",
    wrong_answers=(
        WrongAnswer(
            name="commit what was polled",
            sentence="commit_sync() without arguments commits what poll() has returned. The workers had not finished it, and after the crash nobody does.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition\n"
                "\n"
                "\n"
                "def work_through(consumer, pool):\n"
                "    while True:\n"
                "        for record in consumer.poll(timeout_ms=100):\n"
                "            pool.submit(record)\n"
                "        consumer.commit_sync()"
            ),
        ),
        WrongAnswer(
            name="commit the newest that is done",
            sentence="You committed the newest that was finished. A slower worker still had an older order, and the commit went past it.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition\n"
                "\n"
                "\n"
                "def work_through(consumer, pool):\n"
                "    done = {}\n"
                "    while True:\n"
                "        for record in consumer.poll(timeout_ms=100):\n"
                "            pool.submit(record)\n"
                "        for record in pool.finished():\n"
                "            place = TopicPartition(record.topic, record.partition)\n"
                "            done[place] = max(done.get(place, 0), record.offset + 1)\n"
                "        consumer.commit_sync({place: OffsetAndMetadata(offset) for place, offset in done.items()})"
            ),
        ),
        WrongAnswer(
            name="wait for the workers",
            sentence="Nothing is lost, but nobody polls while you wait. One slow order is enough, and your client leaves the group.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition\n"
                "\n"
                "\n"
                "def work_through(consumer, pool):\n"
                "    while True:\n"
                "        for record in consumer.poll(timeout_ms=100):\n"
                "            pool.submit(record)\n"
                "        pool.wait()\n"
                "        consumer.commit_sync()"
            ),
        ),
        WrongAnswer(
            name="never commit",
            sentence="Nothing was committed. Bo begins at the first order again, and all the work is done twice.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition\n"
                "\n"
                "\n"
                "def work_through(consumer, pool):\n"
                "    while True:\n"
                "        for record in consumer.poll(timeout_ms=100):\n"
                "            pool.submit(record)\n"
                "        pool.finished()"
            ),
        ),
        WrongAnswer(
            name="one list for all partitions",
            sentence="Offsets count for one partition each. You put those of two partitions into one list, so order 3 of one covers order 3 of the other.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition\n"
                "\n"
                "\n"
                "def work_through(consumer, pool):\n"
                "    open_ = {}\n"
                "    while True:\n"
                "        for record in consumer.poll(timeout_ms=100):\n"
                "            pool.submit(record)\n"
                "            open_[record.offset] = False\n"
                "        for record in pool.finished():\n"
                "            open_[record.offset] = True\n"
                "            while open_ and open_[min(open_)]:\n"
                "                first = min(open_)\n"
                "                del open_[first]\n"
                "                consumer.commit_sync(\n"
                "                    {TopicPartition(record.topic, record.partition): OffsetAndMetadata(first + 1)}\n"
                "                )"
            ),
        ),
    ),
    hidden_cases=lambda rng: [
        {"seed": rng.randrange(10, 900), "crash_ms": rng.choice((3_600, 3_800, 4_000, 4_200))}
        for _ in range(3)
    ],
    unseen=(
        "on a day that you have not seen an order is lost, or too many are repeated. Does your "
        "commit wait for the oldest order that is not done, in each partition?"
    ),
)


# %% 10.6
from autograder.course.judge import WrongAnswer
from functools import cache
from random import Random

from autograder.course.judge import Judge
from kafkalab import CommitFailedException, Lab

TWENTY_MINUTES_MS = 1_200_000
SLOW_MS = 20_000


@cache
def _times_left(max_poll_records: int, usual_ms: int, slow_percent: int) -> int:
    """How often a service left its group in twenty minutes."""
    lab = Lab(brokers=1, seed=11)
    _shop(lab, 1_000)
    chance = Random(f"{max_poll_records} {usual_ms} {slow_percent}")

    def service(lab):
        consumer = _member(
            lab,
            "service",
            **{
                "max.poll.records": max_poll_records,
                "max.poll.interval.ms": 120_000,
                "heartbeat.interval.ms": 15_000,
            },
        )
        while True:
            records = consumer.poll(timeout_ms=500)
            lab.sleep(
                sum(SLOW_MS if chance.random() * 100 < slow_percent else usual_ms for _ in records)
            )
            try:
                consumer.commit_sync()
            except CommitFailedException:
                pass

    lab.spawn(service, name="service")
    lab.run_for(ms=TWENTY_MINUTES_MS)
    lab.close()
    return sum(
        event.fields["level"] == "WARN" and "consumer poll timeout" in event.fields["message"]
        for event in lab.journal.of("line")
    )


def _left(case: dict) -> dict:
    return {
        "times_left": _times_left(case["max_poll_records"], case["usual_ms"], case["slow_percent"])
    }


JUDGE_10_6 = Judge(
    id="10.6",
    wrong_answers=(
        WrongAnswer(
            name="every line that speaks of it",
            sentence="Each time three lines are about it: the warning, and two about the LeaveGroup request. Count one level.",
            source=(
                "times_left = {\n"
                "    a: sum(\n"
                "        \"consumer poll timeout\" in text\n"
                "        for text in twenty_minutes(a, x)[0].lines(f\"service-{a}\").message\n"
                "    )\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="how often it joined",
            sentence="You counted how often it joined. It joined once before it ever left, and may be away at the end. Count the warnings.",
            source=(
                "times_left = {\n"
                "    a: sum(\n"
                "        \"Successfully joined\" in text\n"
                "        for text in twenty_minutes(a, x)[0].lines(f\"service-{a}\").message\n"
                "    )\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="whether, not how often",
            sentence="It left, and more than once: it came back with its next poll, and was late again. Count the warnings.",
            source=(
                "times_left = {\n"
                "    a: int(\n"
                "        any(\n"
                "            \"consumer poll timeout\" in text\n"
                "            for text in twenty_minutes(a, x)[0].lines(f\"service-{a}\").message\n"
                "        )\n"
                "    )\n"
                "    for a, x in n.items()\n"
                "}"
            ),
            says=(
lambda case: {"times_left": min(1, _left(case)["times_left"])}
            ),
        ),
        WrongAnswer(
            name="usual times decide",
            sentence="You calculated with {usual_ms} ms for every record. {slow_percent} of a hundred take 20 s, and a batch of {max_poll_records} has some of them.",
            source=(
                "times_left = {\n"
                "    a: 0\n"
                "    if x.max_poll_records * x.usual_ms < 120_000\n"
                "    else 1_200_000 // (x.max_poll_records * x.usual_ms)\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
    ),
    truth=_left,
    right=(
        "right: one warning each time it left, and none where it stayed. The rare slow records "
        "decide this, not the usual ones."
    ),
    otherwise="not this often. Count the warnings of each service in the lines.",
)


# %% all
JUDGES = (
    JUDGE_10_1,
    JUDGE_10_2,
    JUDGE_10_3,
    JUDGE_10_4,
    JUDGE_10_5,
    JUDGE_10_6,
)
