# Generated from notebooks/exercises/09; edit those files and run
# `python -m autograder course 09`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 09's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


def _cluster(orders: int, seed: int = 1) -> Lab:
    lab = Lab(brokers=1, seed=seed, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(orders):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    producer.close()
    return lab


def _member(lab: Lab, name: str, **config) -> KafkaConsumer:
    reader = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": 6_000,
            **config,
        },
        name=name,
    )
    reader.subscribe(["orders"])
    return reader


def _polled(reader: KafkaConsumer) -> list[int]:
    """The offsets of the next poll that brings something."""
    for _ in range(60):
        if found := [record.offset for record in reader.poll(timeout_ms=500)]:
            return found
    return []


# %% 09.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge


@cache
def _died(order: str, moment: str, per_poll: int, rounds: int, some: int) -> tuple[int, int, int]:
    """(records worked on twice, never, bo's first offset) when a reader dies in her last round."""
    records_in_all = (rounds + 1) * per_poll
    lab, done = _cluster(records_in_all), []
    ada = _member(lab, "ada", **{"max.poll.records": per_poll})
    whole = order.split(", ")
    for steps in (*[whole] * (rounds - 1), _until(whole, moment)):
        records = _polled(ada)
        for step in steps:
            if step == "commit":
                ada.commit_sync()
            elif step == "send a commit":
                ada.commit_async()
                lab.run_for(ms=5)  # it arrives, and she hears no more
            else:
                done += records[:some] if step == "some" else records
    lab.kill("ada")
    lab.run_for(ms=10)
    bos = _polled(_member(lab, "bo"))
    done += bos
    return (
        sum(done.count(offset) == 2 for offset in range(records_in_all)),
        sum(offset not in done for offset in range(records_in_all)),
        min(bos),
    )


def _until(steps: list[str], moment: str) -> list[str]:
    """What of a round is done before a moment."""
    before = {
        "polled": [],
        "work done": steps[: steps.index("work") + 1],
        "some of the work": [*steps[: steps.index("work")], "some"],
        "commit answered": steps[: steps.index("commit") + 1],
        "commit on its way": [*steps[: steps.index("commit")], "send a commit"],
    }
    return before[moment]


def _shift(case: dict) -> dict:
    found = _died(case["order"], case["moment"], case["per_poll"], case["round"], case["done"])
    return dict(zip(("twice", "never", "first_of_bo"), found))


def _why_this_shift(case: dict) -> str:
    """What this death shows."""
    if case["moment"] == "polled":
        return "right: nothing was done and nothing committed, so bo does all of it once."
    if case["moment"] == "commit on its way":
        return "right: the commit was written. That ada did not hear of it changes nothing."
    if case["order"] == "work, commit":
        return "right: what was done and not committed is done twice."
    return "right: what was committed and not done is never done."


JUDGE_09_1 = Judge(
    id="09.1",
    wrong_answers=(
        WrongAnswer(
            name="Kafka remembers what was done",
            sentence="Kafka does not know what a program has done. It knows the committed offset, and here that was not equal to the work.",
            source=(
                "def base(x):\n"
                "    return (x.round - 1) * x.per_poll\n"
                "\n"
                "\n"
                "def worked(x):\n"
                "    if x.moment == \"some of the work\":\n"
                "        return x.done\n"
                "    return x.per_poll if x.moment in (\"work done\", \"commit on its way\") else 0\n"
                "\n"
                "\n"
                "def committed(x):\n"
                "    if x.moment == \"commit on its way\":\n"
                "        return x.per_poll\n"
                "    return 0 if x.order == \"work, commit\" or x.moment == \"polled\" else x.per_poll\n"
                "\n"
                "\n"
                "def answers(twice_of, never_of, first_of):\n"
                "    return tuple({a: of(x) for a, x in n.items()} for of in (twice_of, never_of, first_of))\n"
                "\n"
                "\n"
                "def first(x):\n"
                "    return base(x) + committed(x)\n"
                "twice, never, first_of_bo = answers(lambda x: 0, lambda x: 0, lambda x: base(x) + worked(x))"
            ),
        ),
        WrongAnswer(
            name="the whole poll",
            sentence="You counted all {per_poll} records of the poll. Only what she had really done can be done twice, and only what she had not done can be missing.",
            source=(
                "def base(x):\n"
                "    return (x.round - 1) * x.per_poll\n"
                "\n"
                "\n"
                "def worked(x):\n"
                "    if x.moment == \"some of the work\":\n"
                "        return x.done\n"
                "    return x.per_poll if x.moment in (\"work done\", \"commit on its way\") else 0\n"
                "\n"
                "\n"
                "def committed(x):\n"
                "    if x.moment == \"commit on its way\":\n"
                "        return x.per_poll\n"
                "    return 0 if x.order == \"work, commit\" or x.moment == \"polled\" else x.per_poll\n"
                "\n"
                "\n"
                "def answers(twice_of, never_of, first_of):\n"
                "    return tuple({a: of(x) for a, x in n.items()} for of in (twice_of, never_of, first_of))\n"
                "\n"
                "\n"
                "def first(x):\n"
                "    return base(x) + committed(x)\n"
                "twice, never, first_of_bo = answers(\n"
                "    lambda x: x.per_poll if worked(x) > committed(x) else 0,\n"
                "    lambda x: x.per_poll if worked(x) < committed(x) else 0,\n"
                "    first,\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="a crash always repeats",
            sentence="In '{order}' the offset is committed before the work. Bo begins after these records, so they are not done again: some are never done.",
            source=(
                "def base(x):\n"
                "    return (x.round - 1) * x.per_poll\n"
                "\n"
                "\n"
                "def worked(x):\n"
                "    if x.moment == \"some of the work\":\n"
                "        return x.done\n"
                "    return x.per_poll if x.moment in (\"work done\", \"commit on its way\") else 0\n"
                "\n"
                "\n"
                "def committed(x):\n"
                "    if x.moment == \"commit on its way\":\n"
                "        return x.per_poll\n"
                "    return 0 if x.order == \"work, commit\" or x.moment == \"polled\" else x.per_poll\n"
                "\n"
                "\n"
                "def answers(twice_of, never_of, first_of):\n"
                "    return tuple({a: of(x) for a, x in n.items()} for of in (twice_of, never_of, first_of))\n"
                "\n"
                "\n"
                "def first(x):\n"
                "    return base(x) + committed(x)\n"
                "twice, never, first_of_bo = answers(lambda x: abs(worked(x) - committed(x)), lambda x: 0, first)"
            ),
        ),
        WrongAnswer(
            name="done counts as lost",
            sentence="You counted what ada had done. Never done are the others: committed, and not worked on.",
            source=(
                "def base(x):\n"
                "    return (x.round - 1) * x.per_poll\n"
                "\n"
                "\n"
                "def worked(x):\n"
                "    if x.moment == \"some of the work\":\n"
                "        return x.done\n"
                "    return x.per_poll if x.moment in (\"work done\", \"commit on its way\") else 0\n"
                "\n"
                "\n"
                "def committed(x):\n"
                "    if x.moment == \"commit on its way\":\n"
                "        return x.per_poll\n"
                "    return 0 if x.order == \"work, commit\" or x.moment == \"polled\" else x.per_poll\n"
                "\n"
                "\n"
                "def answers(twice_of, never_of, first_of):\n"
                "    return tuple({a: of(x) for a, x in n.items()} for of in (twice_of, never_of, first_of))\n"
                "\n"
                "\n"
                "def first(x):\n"
                "    return base(x) + committed(x)\n"
                "twice, never, first_of_bo = answers(\n"
                "    lambda x: max(0, worked(x) - committed(x)),\n"
                "    lambda x: worked(x) if committed(x) > worked(x) else 0,\n"
                "    first,\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="no answer, no commit",
            sentence="The coordinator had written the commit; only its answer was on the way. It counts, although ada did not hear of it.",
            source=(
                "def base(x):\n"
                "    return (x.round - 1) * x.per_poll\n"
                "\n"
                "\n"
                "def worked(x):\n"
                "    if x.moment == \"some of the work\":\n"
                "        return x.done\n"
                "    return x.per_poll if x.moment in (\"work done\", \"commit on its way\") else 0\n"
                "\n"
                "\n"
                "def committed(x):\n"
                "    if x.moment == \"commit on its way\":\n"
                "        return x.per_poll\n"
                "    return 0 if x.order == \"work, commit\" or x.moment == \"polled\" else x.per_poll\n"
                "\n"
                "\n"
                "def answers(twice_of, never_of, first_of):\n"
                "    return tuple({a: of(x) for a, x in n.items()} for of in (twice_of, never_of, first_of))\n"
                "\n"
                "\n"
                "def first(x):\n"
                "    return base(x) + committed(x)\n"
                "twice, never, first_of_bo = answers(\n"
                "    lambda x: worked(x) if x.order == \"work, commit\" else 0,\n"
                "    lambda x: max(0, committed(x) - worked(x)),\n"
                "    lambda x: base(x) if x.order == \"work, commit\" else first(x),\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="the last record, not the next",
            sentence="A committed offset is the next one to read. You gave the one before it.",
            source=(
                "def base(x):\n"
                "    return (x.round - 1) * x.per_poll\n"
                "\n"
                "\n"
                "def worked(x):\n"
                "    if x.moment == \"some of the work\":\n"
                "        return x.done\n"
                "    return x.per_poll if x.moment in (\"work done\", \"commit on its way\") else 0\n"
                "\n"
                "\n"
                "def committed(x):\n"
                "    if x.moment == \"commit on its way\":\n"
                "        return x.per_poll\n"
                "    return 0 if x.order == \"work, commit\" or x.moment == \"polled\" else x.per_poll\n"
                "\n"
                "\n"
                "def answers(twice_of, never_of, first_of):\n"
                "    return tuple({a: of(x) for a, x in n.items()} for of in (twice_of, never_of, first_of))\n"
                "\n"
                "\n"
                "def first(x):\n"
                "    return base(x) + committed(x)\n"
                "twice, never, first_of_bo = answers(\n"
                "    lambda x: max(0, worked(x) - committed(x)),\n"
                "    lambda x: max(0, committed(x) - worked(x)),\n"
                "    lambda x: first(x) - 1,\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="a round too many",
            sentence="Round {round} is not complete. Count the rounds before it, one fewer.",
            source=(
                "def base(x):\n"
                "    return (x.round - 1) * x.per_poll\n"
                "\n"
                "\n"
                "def worked(x):\n"
                "    if x.moment == \"some of the work\":\n"
                "        return x.done\n"
                "    return x.per_poll if x.moment in (\"work done\", \"commit on its way\") else 0\n"
                "\n"
                "\n"
                "def committed(x):\n"
                "    if x.moment == \"commit on its way\":\n"
                "        return x.per_poll\n"
                "    return 0 if x.order == \"work, commit\" or x.moment == \"polled\" else x.per_poll\n"
                "\n"
                "\n"
                "def answers(twice_of, never_of, first_of):\n"
                "    return tuple({a: of(x) for a, x in n.items()} for of in (twice_of, never_of, first_of))\n"
                "\n"
                "\n"
                "def first(x):\n"
                "    return base(x) + committed(x)\n"
                "twice, never, first_of_bo = answers(\n"
                "    lambda x: max(0, worked(x) - committed(x)),\n"
                "    lambda x: max(0, committed(x) - worked(x)),\n"
                "    lambda x: first(x) + x.per_poll,\n"
                ")"
            ),
        ),
    ),
    truth=_shift,
    right=_why_this_shift,
    otherwise=(
        "not these three. What had she done when she died, and which record did the committed "
        "offset name?"
    ),
)


# %% 09.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, OffsetAndMetadata, TopicPartition

PLACE = TopicPartition("orders", 0)


@cache
def _went_on_at(program: str, every: int, start: int, worked: int) -> int:
    """The first offset that the next reader is given, after a program with this slip was killed."""
    lab = _cluster(start + worked + 10, seed=4)
    before = KafkaConsumer(lab, {"group.id": "billing"}, name="before")
    before.assign([PLACE])
    before.commit_sync({PLACE: OffsetAndMetadata(start)})
    before.close()
    ada, asked = _member(lab, "ada", **{"max.poll.records": 1}), 0
    for number in range(1, worked + 1):
        (offset,) = _polled(ada)
        asked = number - 1 if program == "counts late" else number
        if asked % every == 0:
            ada.commit_sync(
                {PLACE: OffsetAndMetadata(offset if program == "no + 1" else offset + 1)}
            )
    lab.kill("ada")
    return _polled(_member(lab, "bo"))[0]


def _slip(case: dict) -> dict:
    first = _went_on_at(case["program"], case["every"], case["start"], case["worked"])
    return {
        "program": case["program"],
        "next_first": first,
        "twice": case["start"] + case["worked"] - first,
    }


JUDGE_09_2 = Judge(
    id="09.2",
    wrong_answers=(
        WrongAnswer(
            name="committed means read",
            sentence="You began one after the last commit. A committed offset is the next one to read itself.",
            source=(
                "import re\n"
                "\n"
                "start = lambda x: int(re.search(r\"offset=(\\d+)\", x.lines[0])[1])\n"
                "last = lambda x: int(re.search(r\"offset (\\d+)\", x.lines[-1])[1])\n"
                "first = lambda x: int(re.search(r\"offset (\\d+)\", x.lines[1])[1])\n"
                "kind = lambda x: {0: \"right\", -1: \"no + 1\"}.get(first(x) - start(x) - x.every, \"counts late\")\n"
                "program = {a: kind(x) for a, x in programs.items()}\n"
                "next_first = {a: last(x) + 1 for a, x in programs.items()}\n"
                "twice = {a: start(x) + x.worked - last(x) - 1 for a, x in programs.items()}"
            ),
        ),
        WrongAnswer(
            name="the slips swapped",
            sentence="The two mistakes are exchanged. Without + 1 each commit is one too low; a program that counts late commits first after a single record.",
            source=(
                "import re\n"
                "\n"
                "start = lambda x: int(re.search(r\"offset=(\\d+)\", x.lines[0])[1])\n"
                "last = lambda x: int(re.search(r\"offset (\\d+)\", x.lines[-1])[1])\n"
                "first = lambda x: int(re.search(r\"offset (\\d+)\", x.lines[1])[1])\n"
                "kind = lambda x: {0: \"right\", -1: \"no + 1\"}.get(first(x) - start(x) - x.every, \"counts late\")\n"
                "program = {\n"
                "    a: {\"no + 1\": \"counts late\", \"counts late\": \"no + 1\"}.get(kind(x), \"right\")\n"
                "    for a, x in programs.items()\n"
                "}\n"
                "next_first = {a: last(x) for a, x in programs.items()}\n"
                "twice = {a: start(x) + x.worked - last(x) for a, x in programs.items()}"
            ),
        ),
        WrongAnswer(
            name="as it was meant",
            sentence="You calculated where it should commit. Read where it did.",
            source=(
                "import re\n"
                "\n"
                "start = lambda x: int(re.search(r\"offset=(\\d+)\", x.lines[0])[1])\n"
                "last = lambda x: int(re.search(r\"offset (\\d+)\", x.lines[-1])[1])\n"
                "first = lambda x: int(re.search(r\"offset (\\d+)\", x.lines[1])[1])\n"
                "kind = lambda x: {0: \"right\", -1: \"no + 1\"}.get(first(x) - start(x) - x.every, \"counts late\")\n"
                "program = {a: \"right\" for a, x in programs.items()}\n"
                "next_first = {a: start(x) + x.worked // x.every * x.every for a, x in programs.items()}\n"
                "twice = {a: x.worked % x.every for a, x in programs.items()}"
            ),
        ),
        WrongAnswer(
            name="every distance is right",
            sentence="The commits are {every} apart in each program. Look at the first one: how far is it from the beginning?",
            source=(
                "import re\n"
                "\n"
                "start = lambda x: int(re.search(r\"offset=(\\d+)\", x.lines[0])[1])\n"
                "last = lambda x: int(re.search(r\"offset (\\d+)\", x.lines[-1])[1])\n"
                "first = lambda x: int(re.search(r\"offset (\\d+)\", x.lines[1])[1])\n"
                "kind = lambda x: {0: \"right\", -1: \"no + 1\"}.get(first(x) - start(x) - x.every, \"counts late\")\n"
                "program = {a: \"right\" for a, x in programs.items()}\n"
                "next_first = {a: last(x) for a, x in programs.items()}\n"
                "twice = {a: start(x) + x.worked - last(x) for a, x in programs.items()}"
            ),
        ),
    ),
    truth=_slip,
    right="right: the distance from the start to the first commit shows the mistake.",
    otherwise=(
        "not these three. How far is the first commit from where the reader began, and which "
        "offset does the last commit call the next?"
    ),
)


# %% 09.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

WHEN = ("join", "kill", "kill", "kill", "break", "stop", "break, stop")


def _more_nights(rng) -> list[dict]:
    return [
        {
            "seed": rng.randrange(10, 900),
            "happens": happens,
            "at_ms": 0
            if "break" in happens
            else 1_300 + 300 * rng.randrange(6) + rng.randrange(70),
        }
        for happens in WHEN
    ]


JUDGE_09_3 = Judge(
    id="09.3",
    wrong_answers=(
        WrongAnswer(
            name="commit first",
            sentence="You committed before the work was done. When this reader died, the committed offset was behind orders that nobody had done, and nobody came back to them.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    def body():\n"
                "        records = list(consumer.poll(200))\n"
                "        consumer.commit_sync()\n"
                "        for record in records:\n"
                "            finish(record)\n"
                "\n"
                "    until_told(consumer, body, consumer.commit_sync)"
            ),
        ),
        WrongAnswer(
            name="without + 1",
            sentence="You committed the offset of the last order that was done. A committed offset is the next one to read, so the next reader does that order again.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    at = {}\n"
                "\n"
                "    def body():\n"
                "        for record in consumer.poll(200):\n"
                "            finish(record)\n"
                "            at[TopicPartition(record.topic, record.partition)] = OffsetAndMetadata(record.offset)\n"
                "        if at:\n"
                "            consumer.commit_sync(at)\n"
                "\n"
                "    until_told(consumer, body, lambda: consumer.commit_sync(at))"
            ),
        ),
        WrongAnswer(
            name="every tenth",
            sentence="You counted to ten, whatever a poll brought. A crash then costs the orders of several polls.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    count = 0\n"
                "\n"
                "    def body():\n"
                "        nonlocal count\n"
                "        records = list(consumer.poll(200))\n"
                "        for record in records:\n"
                "            finish(record)\n"
                "        count += len(records)\n"
                "        if count >= 10:\n"
                "            consumer.commit_sync()\n"
                "            count = 0\n"
                "\n"
                "    until_told(consumer, body, consumer.commit_sync)"
            ),
        ),
        WrongAnswer(
            name="async only",
            sentence="Nothing waits for your last commit. Its connection broke, no later commit came, and the next reader did the order again.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    def body():\n"
                "        for record in consumer.poll(200):\n"
                "            finish(record)\n"
                "        consumer.commit_async()\n"
                "\n"
                "    until_told(consumer, body, lambda: None)"
            ),
        ),
        WrongAnswer(
            name="async, when there is something",
            sentence="The connection broke under a commit_async. No order came after it, so no later commit said more, and the kill made the order be done twice.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    def body():\n"
                "        records = list(consumer.poll(200))\n"
                "        for record in records:\n"
                "            finish(record)\n"
                "        if records:\n"
                "            consumer.commit_async()\n"
                "\n"
                "    until_told(consumer, body, consumer.commit_sync)"
            ),
        ),
        WrongAnswer(
            name="after each record",
            sentence="Nothing is lost, but you committed after every order. Each commit is a request that waits; one for each poll keeps the promise as well.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    def body():\n"
                "        for record in consumer.poll(200):\n"
                "            finish(record)\n"
                "            place = TopicPartition(record.topic, record.partition)\n"
                "            consumer.commit_sync({place: OffsetAndMetadata(record.offset + 1)})\n"
                "\n"
                "    until_told(consumer, body, consumer.commit_sync)"
            ),
        ),
        WrongAnswer(
            name="the position in between",
            sentence="commit_sync() without arguments commits all that poll has returned, also the orders that still wait behind this one. A crash loses them.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    def body():\n"
                "        for record in consumer.poll(200):\n"
                "            consumer.commit_sync()\n"
                "            finish(record)\n"
                "\n"
                "    until_told(consumer, body, consumer.commit_sync)"
            ),
        ),
        WrongAnswer(
            name="no commit",
            sentence="Nothing was committed, so the next reader begins at the beginning, and all orders are done again.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    def body():\n"
                "        for record in consumer.poll(200):\n"
                "            finish(record)\n"
                "\n"
                "    until_told(consumer, body, lambda: None)"
            ),
        ),
        WrongAnswer(
            name="no close",
            sentence="Your loop does not end in close(). Catch WakeupException, commit, and close the consumer.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    while True:\n"
                "        records = list(consumer.poll(200))\n"
                "        for record in records:\n"
                "            finish(record)\n"
                "        if records:\n"
                "            consumer.commit_sync()"
            ),
        ),
        WrongAnswer(
            name="no commit at the end",
            sentence="WakeupException was raised in commit_sync, after the work and before the commit was through. Then you closed. Commit again before you close.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    def body():\n"
                "        records = list(consumer.poll(200))\n"
                "        for record in records:\n"
                "            finish(record)\n"
                "        if records:\n"
                "            consumer.commit_sync()\n"
                "\n"
                "    until_told(consumer, body, lambda: None)"
            ),
        ),
        WrongAnswer(
            name="ends with an empty poll",
            sentence="Your loop ended with the first poll that returned nothing. More orders come later.",
            source=(
                "from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException\n"
                "\n"
                "\n"
                "def until_told(consumer, body, at_the_end):\n"
                "    \"\"\"The frame of a loop: `body()` again and again, then `at_the_end()`, then close.\"\"\"\n"
                "    try:\n"
                "        while True:\n"
                "            body()\n"
                "    except WakeupException:\n"
                "        pass\n"
                "    finally:\n"
                "        at_the_end()\n"
                "        consumer.close()\n"
                "def loop(consumer, finish):\n"
                "    while records := list(consumer.poll(200)):\n"
                "        for record in records:\n"
                "            finish(record)\n"
                "        consumer.commit_sync()\n"
                "    consumer.close()"
            ),
        ),
    ),
    hidden_cases=_more_nights,
    unseen=(
        "the promise was not kept on a night of ours. Try `survive(loop, 100)`, and compare your "
        "loop with the five promises, one by one."
    ),
)


# %% 09.4
from autograder.cell.questions.ch09 import story
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


@cache
def _compacted(log: int) -> tuple[tuple[int, str, str | None], ...]:
    """What a cleaner leaves of these records."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic(
        "marks",
        config={
            "cleanup.policy": "compact",
            "segment.ms": 60_000,
            "min.cleanable.dirty.ratio": 0.01,
        },
    )
    producer = KafkaProducer(lab, {"client.id": "writer", "linger.ms": 0})
    for group, partition, offset in story(log):
        value = None if offset is None else str(offset)
        producer.send(ProducerRecord("marks", key=f"{group} {partition}", value=value)).get()
    lab.run_for(ms=70_000)
    producer.send(ProducerRecord("marks", key="a new segment", value="-")).get()
    lab.run_for(ms=600_000)
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="spy")
    reader.assign([TopicPartition("marks", 0)])
    return tuple(
        (record.offset, record.key, record.value) for record in reader.poll(timeout_ms=2_000)
    )[:-1]


def _cleaned(case: dict) -> dict:
    left = _compacted(case["log"])
    value = next(value for _, key, value in left if key == "billing 0")
    return {
        "stays": [offset for offset, _, _ in left],
        "billing_begins_at": "reset" if value is None else int(value),
    }


JUDGE_09_4 = Judge(
    id="09.4",
    wrong_answers=(
        WrongAnswer(
            name="the first of each key",
            sentence="You kept the first of each key. The cleaner keeps the last one.",
            source=(
                "BILLING_0 = \"billing, orders, 0\"\n"
                "\n"
                "\n"
                "def last_values(x):\n"
                "    return {key: value for _, key, value in x}\n"
                "\n"
                "\n"
                "def kept(x):\n"
                "    return sorted({key: offset for offset, key, _ in x}.values())\n"
                "\n"
                "\n"
                "def begins(value):\n"
                "    return \"reset\" if value is None else value\n"
                "stays = {\n"
                "    a: sorted({key: offset for offset, key, _ in reversed(x)}.values()) for a, x in logs.items()\n"
                "}\n"
                "billing_begins_at = {\n"
                "    a: begins({key: value for _, key, value in reversed(x)}[BILLING_0]) for a, x in logs.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="numbered again",
            sentence="The cleaner gives no new offsets. What stays keeps its number, and the log has holes.",
            source=(
                "BILLING_0 = \"billing, orders, 0\"\n"
                "\n"
                "\n"
                "def last_values(x):\n"
                "    return {key: value for _, key, value in x}\n"
                "\n"
                "\n"
                "def kept(x):\n"
                "    return sorted({key: offset for offset, key, _ in x}.values())\n"
                "\n"
                "\n"
                "def begins(value):\n"
                "    return \"reset\" if value is None else value\n"
                "stays = {a: list(range(len(kept(x)))) for a, x in logs.items()}\n"
                "billing_begins_at = {a: begins(last_values(x)[BILLING_0]) for a, x in logs.items()}"
            ),
        ),
        WrongAnswer(
            name="the key is the group",
            sentence="You kept one for each group. A group has a committed offset in each partition: the key has both.",
            source=(
                "BILLING_0 = \"billing, orders, 0\"\n"
                "\n"
                "\n"
                "def last_values(x):\n"
                "    return {key: value for _, key, value in x}\n"
                "\n"
                "\n"
                "def kept(x):\n"
                "    return sorted({key: offset for offset, key, _ in x}.values())\n"
                "\n"
                "\n"
                "def begins(value):\n"
                "    return \"reset\" if value is None else value\n"
                "stays = {\n"
                "    a: sorted({key.split(\",\")[0]: offset for offset, key, _ in x}.values()) for a, x in logs.items()\n"
                "}\n"
                "billing_begins_at = {\n"
                "    a: begins({key.split(\",\")[0]: value for _, key, value in x}[\"billing\"]) for a, x in logs.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="the key is the partition",
            sentence="You kept one for each partition. Two groups have two committed offsets in it.",
            source=(
                "BILLING_0 = \"billing, orders, 0\"\n"
                "\n"
                "\n"
                "def last_values(x):\n"
                "    return {key: value for _, key, value in x}\n"
                "\n"
                "\n"
                "def kept(x):\n"
                "    return sorted({key: offset for offset, key, _ in x}.values())\n"
                "\n"
                "\n"
                "def begins(value):\n"
                "    return \"reset\" if value is None else value\n"
                "stays = {\n"
                "    a: sorted({key.split(\",\")[-1]: offset for offset, key, _ in x}.values())\n"
                "    for a, x in logs.items()\n"
                "}\n"
                "billing_begins_at = {\n"
                "    a: begins({key.split(\",\")[-1]: value for _, key, value in x}[\" 0\"]) for a, x in logs.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="the largest offset",
            sentence="The cleaner does not compare values, and the coordinator does not, either. The last commit counts, also when it is smaller or a tombstone.",
            source=(
                "BILLING_0 = \"billing, orders, 0\"\n"
                "\n"
                "\n"
                "def last_values(x):\n"
                "    return {key: value for _, key, value in x}\n"
                "\n"
                "\n"
                "def kept(x):\n"
                "    return sorted({key: offset for offset, key, _ in x}.values())\n"
                "\n"
                "\n"
                "def begins(value):\n"
                "    return \"reset\" if value is None else value\n"
                "stays = {\n"
                "    a: sorted(\n"
                "        {\n"
                "            key: offset for offset, key, value in sorted(x, key=lambda row: (row[2] or 0, row[0]))\n"
                "        }.values()\n"
                "    )\n"
                "    for a, x in logs.items()\n"
                "}\n"
                "billing_begins_at = {\n"
                "    a: max(value for _, key, value in x if key == BILLING_0 and value is not None)\n"
                "    for a, x in logs.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a tombstone is gone at once",
            sentence="A tombstone is the last record of its key, so it stays. The cleaner drops it a day later (`delete.retention.ms`).",
            source=(
                "BILLING_0 = \"billing, orders, 0\"\n"
                "\n"
                "\n"
                "def last_values(x):\n"
                "    return {key: value for _, key, value in x}\n"
                "\n"
                "\n"
                "def kept(x):\n"
                "    return sorted({key: offset for offset, key, _ in x}.values())\n"
                "\n"
                "\n"
                "def begins(value):\n"
                "    return \"reset\" if value is None else value\n"
                "stays = {a: [offset for offset in kept(x) if x[offset][2] is not None] for a, x in logs.items()}\n"
                "billing_begins_at = {a: begins(last_values(x)[BILLING_0]) for a, x in logs.items()}"
            ),
        ),
        WrongAnswer(
            name="the offset before the tombstone",
            sentence="A tombstone deletes the key. What was committed before it counts no longer.",
            source=(
                "BILLING_0 = \"billing, orders, 0\"\n"
                "\n"
                "\n"
                "def last_values(x):\n"
                "    return {key: value for _, key, value in x}\n"
                "\n"
                "\n"
                "def kept(x):\n"
                "    return sorted({key: offset for offset, key, _ in x}.values())\n"
                "\n"
                "\n"
                "def begins(value):\n"
                "    return \"reset\" if value is None else value\n"
                "stays = {a: kept(x) for a, x in logs.items()}\n"
                "billing_begins_at = {\n"
                "    a: {key: value for _, key, value in x if value is not None}[BILLING_0] for a, x in logs.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="one further",
            sentence="The log is right. But a committed offset is the next one to read, not the last one read.",
            source=(
                "BILLING_0 = \"billing, orders, 0\"\n"
                "\n"
                "\n"
                "def last_values(x):\n"
                "    return {key: value for _, key, value in x}\n"
                "\n"
                "\n"
                "def kept(x):\n"
                "    return sorted({key: offset for offset, key, _ in x}.values())\n"
                "\n"
                "\n"
                "def begins(value):\n"
                "    return \"reset\" if value is None else value\n"
                "stays = {a: kept(x) for a, x in logs.items()}\n"
                "billing_begins_at = {\n"
                "    a: \"reset\" if last_values(x)[BILLING_0] is None else last_values(x)[BILLING_0] + 1\n"
                "    for a, x in logs.items()\n"
                "}"
            ),
        ),
    ),
    truth=_cleaned,
    right="right: the last of each key, at its old place.",
    otherwise=(
        "not these. What is the key of a commit? Which of its records does the cleaner keep, and does "
        "that record get a new offset?"
    ),
)


# %% 09.5
from autograder.cell.questions.ch09 import each_once
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge, Verdict


def _once(case: dict, data) -> Verdict:
    ok, sentence = each_once(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


JUDGE_09_5 = Judge(
    id="09.5",
    wrong_answers=(
        WrongAnswer(
            name="two commits",
            sentence="An order is in the store twice. Where did the power fail, and where did the next reader begin?",
            source=(
                "def take_over(store, consumer, partitions):\n"
                "    for place in partitions:\n"
                "        if store.offset_of(place.partition) is not None:\n"
                "            consumer.seek(place, store.offset_of(place.partition))\n"
                "def keep(store, record):\n"
                "    store.insert(record.key)\n"
                "    store.commit()\n"
                "    store.set_offset(record.partition, record.offset + 1)\n"
                "    store.commit()"
            ),
        ),
        WrongAnswer(
            name="the offset first",
            sentence="An order is missing, and no reader will come back to it. The offset was kept before the order; keep both with one commit.",
            source=(
                "def take_over(store, consumer, partitions):\n"
                "    for place in partitions:\n"
                "        if store.offset_of(place.partition) is not None:\n"
                "            consumer.seek(place, store.offset_of(place.partition))\n"
                "def keep(store, record):\n"
                "    store.set_offset(record.partition, record.offset + 1)\n"
                "    store.commit()\n"
                "    store.insert(record.key)\n"
                "    store.commit()"
            ),
        ),
        WrongAnswer(
            name="without + 1",
            sentence="The next readers began with an order that was done already. Which offset did the store keep, and did `take_over` seek there?",
            source=(
                "def take_over(store, consumer, partitions):\n"
                "    for place in partitions:\n"
                "        if store.offset_of(place.partition) is not None:\n"
                "            consumer.seek(place, store.offset_of(place.partition))\n"
                "def keep(store, record):\n"
                "    store.insert(record.key)\n"
                "    store.set_offset(record.partition, record.offset)\n"
                "    store.commit()"
            ),
        ),
        WrongAnswer(
            name="no seek",
            sentence="The store knows where to continue, and nobody asked it. Without a `seek` each next reader begins where Kafka says.",
            source=(
                "def take_over(store, consumer, partitions):\n"
                "    known = [store.offset_of(place.partition) for place in partitions]\n"
                "\n"
                "\n"
                "def keep(store, record):\n"
                "    store.insert(record.key)\n"
                "    store.set_offset(record.partition, record.offset + 1)\n"
                "    store.commit()"
            ),
        ),
    ),
    judge=_once,
    hidden_cases=lambda rng: [
        {"dies_after": rng.randrange(4, 12), "orders": rng.randrange(8, 16)} for _ in range(3)
    ],
)


# %% 09.6
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, ProducerRecord


@cache
def _read_twice(interval_s: int, life_s: int, pace_ms: int) -> int:
    """How many records the second and third reader of a shop were given
    although the one before had had them."""
    lab = _cluster(0, seed=9)

    def sell(lab):
        producer = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0})
        for number in range(40_000 // pace_ms):
            producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
            lab.sleep(pace_ms)

    def read(lab, name):
        reader = _member(
            lab, name, **{"enable.auto.commit": True, "auto.commit.interval.ms": interval_s * 1_000}
        )
        while True:
            reader.poll(timeout_ms=500)

    lab.spawn(sell, name="selling")
    for name, ms in (("life 1", life_s * 1_000), ("life 2", life_s * 1_000), ("life 3", 4_000)):
        lab.spawn(read, name, name=name)
        lab.run_for(ms=ms)
        lab.kill(name)
        lab.run_for(ms=7_000)
    given = [event.offset for event in lab.journal.of("record.delivered")]
    return len(given) - len(set(given))


JUDGE_09_6 = Judge(
    id="09.6",
    wrong_answers=(
        WrongAnswer(
            name="automatic commits repeat nothing",
            sentence="These readers were killed. What they read after their last automatic commit was read again.",
            source=(
                "read_twice = {a: 0 for a, x in shops.items()}"
            ),
        ),
        WrongAnswer(
            name="a full interval each time",
            sentence="You took {interval_s} full seconds for each crash. That is the most it can be; the lines say how much it was.",
            source=(
                "read_twice = {a: 2 * x.interval_s * 1000 // x.pace_ms for a, x in shops.items()}"
            ),
        ),
        WrongAnswer(
            name="everything",
            sentence="Not everything was read again: the automatic commits had saved a part.",
            source=(
                "read_twice = {a: 2 * x.life_s * 1000 // x.pace_ms for a, x in shops.items()}"
            ),
        ),
        WrongAnswer(
            name="one crash",
            sentence="That is what one crash cost. There were two: add up what life 2 and life 3 read again.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def again(shop):\n"
                "    found = []\n"
                "    for text in three_lives(**dict(shop)).values():\n"
                "        mark = re.search(r\"Setting offset .*?offset=(\\d+)\", text)\n"
                "        came = re.findall(r\"Returning (\\d+) .*?offset=(\\d+)\", text)\n"
                "        found.append(\n"
                "            (\n"
                "                int(mark[1]) if mark else 0,\n"
                "                max([int(count) + int(at) for count, at in came], default=0),\n"
                "            )\n"
                "        )\n"
                "    return [to - at for (_, to), (at, _) in zip(found, found[1:])]\n"
                "\n"
                "\n"
                "read_twice = {a: again(x)[0] for a, x in shops.items()}"
            ),
            says=(
lambda case: {"read_twice": _read_twice(case["interval_s"], case["life_s"], case["pace_ms"]) // 2}
            ),
        ),
    ),
    truth=lambda case: {
        "read_twice": _read_twice(case["interval_s"], case["life_s"], case["pace_ms"])
    },
    right="right: from the last commit to the crash, twice.",
    otherwise=(
        "not this number. For each life after the first: `came_to` of the life before, minus "
        "`began_at` of this one."
    ),
)


# %% all
JUDGES = (
    JUDGE_09_1,
    JUDGE_09_2,
    JUDGE_09_3,
    JUDGE_09_4,
    JUDGE_09_5,
    JUDGE_09_6,
)
