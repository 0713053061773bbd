"""Chapter 10, too slow to poll: the judges' half.
Truths come from running labs, not from a formula."""

from __future__ import annotations

from functools import cache
from random import Random

from autograder.course.answers import each
from autograder.course.judge import Judge, WrongAnswer
from kafkalab import (
    CommitFailedException,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)

ORDERS = TopicPartition("orders", 0)
TWENTY_MINUTES_MS = 1_200_000
SLOW_MS = 20_000


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
    if what == "stands still":
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


@cache
def _stays(batch_ms: int, limit_s: int) -> bool:
    """Whether a member whose batches take so long is one still when it polls again."""
    lab = Lab(brokers=1, seed=3)
    _shop(lab, 1)
    done = []

    def program(lab):
        consumer = _member(
            lab, "ada", **{"max.poll.interval.ms": limit_s * 1_000, "heartbeat.interval.ms": 15_000}
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
def _enough(record_ms: int, batch_ms: int, limit_s: int) -> tuple[int, int]:
    records, seconds = limit_s * 1_000 // record_ms, (500 * record_ms + batch_ms) // 1_000
    while _stays((records + 1) * record_ms + batch_ms, limit_s):
        records += 1
    while not _stays(records * record_ms + batch_ms, limit_s):
        records -= 1
    while not _stays(500 * record_ms + batch_ms, seconds):
        seconds += 1
    return records, seconds


def _cure(case: dict) -> dict:
    records, seconds = _enough(case["record_ms"], case["batch_ms"], case["limit_s"])
    return {"most_records": records, "least_interval_s": seconds}


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


_CLOCK, _CURE, _NIGHT = "clock after_s", "most_records least_interval_s", "outcome stock_reads_next"
SILENT = "x.what != 'works' and x.seconds > x.session_s"
FITS = "(x.limit_s * 1000 - x.batch_ms) // x.record_ms"
WHOLE = "-(-(500 * x.record_ms + x.batch_ms) // 1000)"
MEMBERS = "(x.members == 'read' or x.members == 'killed' and x.ago_s < x.session_s)"
FAILS = f"x.script_group == 'stock' and {MEMBERS}"
NEXT = "x.script_commits if x.script_group == 'stock' and not {0} else x.records"
LOOP = (
    "from kafkalab import OffsetAndMetadata, TopicPartition\n\ndef work_through(consumer, pool):\n"
    "    "
)
EACH = "    for record in consumer.poll(timeout_ms=100):\n            pool.submit(record)\n    "


def _fails(when: str) -> str:
    return f"'CommitFailedException' if {when} else 'committed'"


JUDGES = (
    Judge(
        id="10.1",
        truth=_two_clocks,
        right="right: a busy program is alive and late; a silent one is neither.",
        otherwise="not this clock, or not after so many seconds. Which of its threads still run?",
        wrong_answers=(
            WrongAnswer(
                "work stops the heartbeats",
                each(
                    _CLOCK,
                    "'session' if x.seconds > x.session_s else 'none'",
                    "x.session_s if x.seconds > x.session_s else 0",
                ),
                "The program that {what} is judged by its heartbeats in your answer. Since 0.10.1 "
                "they come from a thread of their own: while the program works, they go on.",
            ),
            WrongAnswer(
                "everything by the poll clock",
                each(
                    _CLOCK,
                    "'poll' if x.seconds > x.poll_limit_s else 'none'",
                    "x.poll_limit_s if x.seconds > x.poll_limit_s else 0",
                ),
                "The poll clock runs in the client, in the heartbeat thread. Where that thread "
                "does not run, the coordinator has only its session timeout of {session_s} s.",
            ),
            WrongAnswer(
                "killed is known at once",
                each(
                    _CLOCK,
                    f"'session' if {SILENT} else 'poll' if x.what == 'works' and x.seconds > "
                    "x.poll_limit_s else 'none'",
                    f"(0 if x.what == 'is killed' else x.session_s) if {SILENT} else "
                    "x.poll_limit_s if x.what == 'works' and x.seconds > x.poll_limit_s else 0",
                ),
                "Right clock. But a program that is killed says nothing, and nobody tells the "
                "coordinator: it waits for its session timeout of {session_s} s.",
            ),
        ),
    ),
    Judge(
        id="10.2",
        truth=_cure,
        right="right: all that lies between two polls has to fit, with something to spare.",
        otherwise="not these two. What lies between two polls, and does it end before the limit?",
        wrong_answers=(
            WrongAnswer(
                "the transaction is forgotten",
                each(_CURE, "x.limit_s * 1000 // x.record_ms", "-(-500 * x.record_ms // 1000)"),
                "The records alone fit. But each batch also takes {batch_ms} ms for its "
                "transaction, before the next poll.",
            ),
            WrongAnswer(
                "against the session timeout",
                each(_CURE, "(45_000 - x.batch_ms) // x.record_ms", WHOLE),
                "You divided the 45 s of session.timeout.ms. Work does not stop heartbeats; the "
                "limit here is {limit_s} s.",
            ),
            WrongAnswer(
                "one record too many",
                each(_CURE, FITS + " + 1", WHOLE),
                "With one record more than fits the batch ends after {limit_s} s. Round down.",
            ),
            WrongAnswer(
                "one second short",
                each(_CURE, FITS, f"{WHOLE} - 1"),
                "The records are right. Round the seconds up: half a second too little is too "
                "little.",
            ),
            WrongAnswer(
                "in milliseconds",
                each(_CURE, FITS, "500 * x.record_ms + x.batch_ms"),
                "The records are right. The second answer is asked in whole seconds.",
            ),
        ),
    ),
    Judge(
        id="10.3",
        truth=_script,
        right="right: a group with members listens to them alone; an empty one to everybody.",
        otherwise=(
            "not so. Has group stock a member in that moment, and whose bookmark does the script "
            "move?"
        ),
        wrong_answers=(
            WrongAnswer(
                "the same name always fails",
                each(_NIGHT, _fails("x.script_group == 'stock'"), "x.records"),
                "It fails only while group stock has members. Here nobody is one any more: goodbye "
                "is said, or the session of {session_s} s is over.",
            ),
            WrongAnswer(
                "assign() is free",
                each(
                    _NIGHT,
                    "'committed'",
                    "x.script_commits if x.script_group == 'stock' else x.records",
                ),
                "assign() keeps the script out of the group, so the coordinator does not know it "
                "as a member. While others are members, it answers UNKNOWN_MEMBER_ID.",
            ),
            WrongAnswer(
                "killed is gone at once",
                each(
                    _NIGHT,
                    _fails("x.script_group == 'stock' and x.members == 'read'"),
                    NEXT.format("x.members == 'read'"),
                ),
                "A killed member has not said goodbye. For the coordinator it is there until its "
                "session of {session_s} s runs out; here {ago_s} s have passed.",
            ),
            WrongAnswer(
                "the bookmark only goes forward",
                each(_NIGHT, _fails(FAILS), "x.records"),
                "Right outcome. But the coordinator writes down what it is told: from {records} "
                "the bookmark goes back to {script_commits}, and the group reads again.",
            ),
            WrongAnswer(
                "the script has one bookmark for all groups",
                each(_NIGHT, _fails(FAILS), f"x.records if {FAILS} else x.script_commits"),
                "Group repair has a bookmark of its own. That of stock stays where it was.",
            ),
        ),
    ),
    Judge(
        id="10.4",
        truth=lambda case: {"lost": [7, 12], "broken_promise": 16},
        right="right: 7 and 12 were promised away while two slow workers still had them.",
        otherwise=(
            "not these. Lost is what lies below the last commit and was never finished by anybody. "
            "The line is one that says `commits`; 9 in it promises 8 and all before."
        ),
        wrong_answers=(
            WrongAnswer(
                "everything unfinished",
                "lost = [7, 12, 17, 18, 19]\nbroken_promise = 16",
                "17 and those after it were not finished either, but they were not committed: bo "
                "begins at 16 and gets them. Only what lies below the last commit is lost.",
            ),
            WrongAnswer(
                "passed, and finished later",
                "lost = [2, 7, 12]\nbroken_promise = 8",
                "Line 8 goes past 2, and that was a lie, too. But line 10 makes it good: a worker "
                "finished 2 before the crash.",
            ),
            WrongAnswer(
                "the first lie",
                "lost = [7, 12]\nbroken_promise = 8",
                "The records are right. Line 8 lies as well, but record 2 is finished in line 10. "
                "Look for the first commit that goes past a record of your list.",
            ),
            WrongAnswer(
                "the last commit",
                "lost = [7, 12]\nbroken_promise = 30",
                "The records are right. The last commit only repeats what an earlier one has "
                "promised already: find the first above 7.",
            ),
            WrongAnswer(
                "the oldest alone",
                "lost = [7]\nbroken_promise = 16",
                "7 is one. The commits went past another record that a slow worker had: look for a "
                "number that has no line of its own.",
            ),
        ),
    ),
    Judge(
        id="10.5",
        hidden_cases=lambda rng: [
            {"seed": rng.randrange(10, 900), "crash_ms": rng.choice((3_700, 4_000, 4_300, 4_700))}
            for _ in range(3)
        ],
        unseen=(
            "on a day that you have not seen the promise is broken. Does your commit wait for the "
            "oldest order that is not done, in each partition?"
        ),
        wrong_answers=(
            WrongAnswer(
                "commit what was polled",
                LOOP + "while True:\n    " + EACH + "    consumer.commit_sync()",
                "commit_sync() without arguments commits what poll() has returned. The workers had "
                "not finished it, and after the crash nobody does.",
            ),
            WrongAnswer(
                "commit the newest that is done",
                LOOP
                + "done = {}\n    while True:\n    "
                + EACH
                + (
                    "    for record in pool.finished():\n"
                    "            place = TopicPartition(record.topic, record.partition)\n"
                    "            done[place] = max(done.get(place, 0), record.offset + 1)\n"
                    "        consumer.commit_sync({place: OffsetAndMetadata(offset) for place, "
                    "offset in done.items()})"
                ),
                "You committed the newest that was finished. A slower worker still had an older "
                "order, and the commit went past it.",
            ),
            WrongAnswer(
                "wait for the workers",
                LOOP
                + "while True:\n    "
                + EACH
                + "    pool.wait()\n        consumer.commit_sync()",
                "Nothing is lost, but while you wait nobody polls. One slow order is enough, and "
                "the group puts you out: the trouble you wanted to cure.",
            ),
            WrongAnswer(
                "never commit",
                LOOP + "while True:\n    " + EACH + "    pool.finished()",
                "Nothing was committed, so whoever comes next begins at the beginning, and all the "
                "work is done again.",
            ),
            WrongAnswer(
                "one list for all partitions",
                LOOP
                + (
                    "open_ = {}\n    while True:\n"
                    "        for record in consumer.poll(timeout_ms=100):\n"
                    "            pool.submit(record)\n"
                    "            open_[record.offset] = False\n"
                    "        for record in pool.finished():\n"
                    "            open_[record.offset] = True\n"
                    "            while open_ and open_[min(open_)]:\n"
                    "                first = min(open_)\n                del open_[first]\n"
                    "                consumer.commit_sync({TopicPartition(record.topic, "
                    "record.partition): OffsetAndMetadata(first + 1)})"
                ),
                "Offsets count for one partition each. You put those of two partitions into one "
                "list, so order 3 of one covers order 3 of the other.",
            ),
        ),
    ),
    Judge(
        id="10.6",
        truth=_left,
        right=(
            "right: one warning each time it left, and none where it stayed. Rare slow records "
            "decide, not the usual ones."
        ),
        otherwise="not this often. Count the warnings of each service in the lines.",
        wrong_answers=(
            WrongAnswer(
                "every line that speaks of it",
                each(
                    "times_left",
                    "sum('consumer poll timeout' in text for text in twenty_minutes(a, "
                    "x)[0].lines(f'service-{a}').message)",
                ),
                "Each time three lines speak of it: the warning, and two about the LeaveGroup "
                "request. Count one level.",
            ),
            WrongAnswer(
                "how often it joined",
                each(
                    "times_left",
                    "sum('Successfully joined' in text for text in twenty_minutes(a, "
                    "x)[0].lines(f'service-{a}').message)",
                ),
                "You counted how often it joined. It joined once before it ever left, and may be "
                "away at the end. Count the warnings.",
            ),
            WrongAnswer(
                "whether, not how often",
                each(
                    "times_left",
                    "int(any('consumer poll timeout' in text for text in twenty_minutes(a, "
                    "x)[0].lines(f'service-{a}').message))",
                ),
                "It left, and more than once: it came back with its next poll, and was late again. "
                "Count the warnings.",
                says=lambda case: {"times_left": min(1, _left(case)["times_left"])},
            ),
            WrongAnswer(
                "usual times decide",
                each(
                    "times_left",
                    "0 if x.max_poll_records * x.usual_ms < 120_000 else 1_200_000 // "
                    "(x.max_poll_records * x.usual_ms)",
                ),
                "You reckoned with {usual_ms} ms for every record. {slow_percent} of a hundred "
                "take 20 s, and a batch of {max_poll_records} has some of them.",
            ),
        ),
    ),
    Judge(id="10.open"),
)
