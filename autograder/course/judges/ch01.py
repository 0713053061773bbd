# Generated from notebooks/exercises/01; edit those files and run
# `python -m autograder course 01`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 01's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
from functools import cache

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


def _filled(records: int, partitions: int) -> Lab:
    lab = Lab(brokers=1, seed=11)
    lab.create_topic("t", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "writer"})
    for number in range(records):
        producer.send(ProducerRecord("t", partition=number % partitions, value=str(number)))
    producer.close()
    return lab


@cache
def _shares(partitions: tuple[int, ...], members: int, assignor: str) -> dict[str, list[str]]:
    """member -> the partitions it owns, in a group over topics with so many partitions."""
    lab = Lab(brokers=1, seed=12)
    topics = [f"t{number}" for number in range(len(partitions))]
    for topic, count in zip(topics, partitions):
        lab.create_topic(topic, partitions=count)

    def read(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "g",
                "client.id": name,
                "fetch.max.wait.ms": 5_000,
                "partition.assignment.strategy": (
                    f"org.apache.kafka.clients.consumer.{assignor}Assignor"
                ),
            },
            name=name,
        )
        consumer.subscribe(topics)
        consumer.poll(timeout_ms=60_000)

    names = [f"m{number:02}" for number in range(1, members + 1)]
    for name in names:
        lab.spawn(read, name, name=name)
    # the group waits 3 s for more members, and 3 s more when some came
    lab.run_for(ms=7_000)
    clients = lab.at(lab.now_ms)["clients"]
    lab.close()
    return {name: sorted(clients[name]["assignment"]) for name in names}


# %% 01.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, TopicPartition


@cache
def _got(records: int, members: int) -> dict:
    """What groups of so many members, one member and a program without a
    group get of a topic with two partitions."""
    lab, got = _filled(records, 2), {}

    def read(lab, name, group):
        consumer = KafkaConsumer(
            lab, {"group.id": group, "client.id": name, "auto.offset.reset": "earliest"}, name=name
        )
        consumer.subscribe(["t"])
        while True:
            came = len(list(consumer.poll(timeout_ms=500)))
            # added after the poll: others read meanwhile
            got[group] = got.get(group, 0) + came

    for number in range(members):
        lab.spawn(read, f"a{number}", "a", name=f"a{number}")
    lab.spawn(read, "b0", "b", name="b0")
    lab.run_for(ms=12_000)
    alone = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="alone")
    alone.assign([TopicPartition("t", 0), TopicPartition("t", 1)])
    twice = 0
    for _ in range(2):
        alone.seek_to_beginning(alone.assignment())
        until = lab.now_ms + 3_000
        while lab.now_ms < until:
            twice += len(list(alone.poll(timeout_ms=500)))
    logs = lab.at(lab.now_ms)["partitions"]
    left = sum(
        logs[f"t-{p}"]["log_end_offset"] - logs[f"t-{p}"]["log_start_offset"] for p in range(2)
    )
    lab.close()
    return {
        "first_group": got["a"],
        "second_group": got["b"],
        "no_group": twice,
        "in_the_topic": left,
    }


JUDGE_01_1 = Judge(
    id="01.1",
    wrong_answers=(
        WrongAnswer(
            name="reading removes",
            sentence="You took the records away with the first reader. Reading moves a bookmark; the log stays as it is.",
            source=(
                "first_group = {a: x.records for a, x in n.items()}\n"
                "second_group = {a: 0 for a, x in n.items()}\n"
                "no_group = {a: 0 for a, x in n.items()}\n"
                "in_the_topic = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the second group comes too late",
            sentence="The second group gets nothing in your answer, as if the topic were a queue. Each group has its own committed offset, so each group gets everything.",
            source=(
                "first_group = {a: x.records for a, x in n.items()}\n"
                "second_group = {a: 0 for a, x in n.items()}\n"
                "no_group = {a: 2 * x.records for a, x in n.items()}\n"
                "in_the_topic = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="groups share",
            sentence="You let the two groups share. Members of one group share; each group as a whole gets everything.",
            source=(
                "first_group = {a: x.records // 2 for a, x in n.items()}\n"
                "second_group = {a: x.records - x.records // 2 for a, x in n.items()}\n"
                "no_group = {a: 2 * x.records for a, x in n.items()}\n"
                "in_the_topic = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="each member gets all",
            sentence="You gave all records to each of the {members} members. Inside a group a partition has one owner, so a record goes to one of them.",
            source=(
                "first_group = {a: x.members * x.records for a, x in n.items()}\n"
                "second_group = {a: x.records for a, x in n.items()}\n"
                "no_group = {a: 2 * x.records for a, x in n.items()}\n"
                "in_the_topic = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one member's share",
            sentence="That is one member's share of the first group. The question asks for its {members} members together.",
            source=(
                "first_group = {a: x.records // x.members for a, x in n.items()}\n"
                "second_group = {a: x.records for a, x in n.items()}\n"
                "no_group = {a: 2 * x.records for a, x in n.items()}\n"
                "in_the_topic = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="nothing without a group",
            sentence="You gave nothing to the program without a group. It reads the same log, and it needs no group for that. It gets everything two times.",
            source=(
                "first_group = {a: x.records for a, x in n.items()}\n"
                "second_group = {a: x.records for a, x in n.items()}\n"
                "no_group = {a: 0 for a, x in n.items()}\n"
                "in_the_topic = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="each record once without a group",
            sentence="The program without a group reads from the start two times. It gets everything two times.",
            source=(
                "first_group = {a: x.records for a, x in n.items()}\n"
                "second_group = {a: x.records for a, x in n.items()}\n"
                "no_group = {a: x.records for a, x in n.items()}\n"
                "in_the_topic = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="read records are deleted",
            sentence="All have read, and still nothing is gone. Retention deletes by age, not by who has read.",
            source=(
                "first_group = {a: x.records for a, x in n.items()}\n"
                "second_group = {a: x.records for a, x in n.items()}\n"
                "no_group = {a: 2 * x.records for a, x in n.items()}\n"
                "in_the_topic = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="a copy for each reader",
            sentence="You counted each reading. A reader gets a copy, and the topic holds its {records} records once.",
            source=(
                "first_group = {a: x.records for a, x in n.items()}\n"
                "second_group = {a: x.records for a, x in n.items()}\n"
                "no_group = {a: 2 * x.records for a, x in n.items()}\n"
                "in_the_topic = {a: 4 * x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the first reading and two more",
            sentence="The program without a group reads two times in all: once, and then once again.",
            source=(
                "first_group = {a: x.records for a, x in n.items()}\n"
                "second_group = {a: x.records for a, x in n.items()}\n"
                "no_group = {a: 3 * x.records for a, x in n.items()}\n"
                "in_the_topic = {a: x.records for a, x in n.items()}"
            ),
        ),
    ),
    truth=lambda case: _got(case["records"], case["members"]),
    right=(
        "right: {members} members together got {records} records once, and so did the one member "
        "of the second group. The topic still holds all {records}."
    ),
    otherwise="not these four. Which of these readers share a committed offset?",
)


# %% 01.2
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _owned(case: dict) -> dict:
    shares = _shares((case["partitions"],), case["members"], "Range")
    crowd = _shares((case["partitions"],), case["crowd"], "Range")
    return {
        "owned_by_m2": sorted(int(name.rsplit("-", 1)[1]) for name in shares["m02"]),
        "idle_in_the_crowd": sum(not owned for owned in crowd.values()),
    }


JUDGE_01_2 = Judge(
    id="01.2",
    wrong_answers=(
        WrongAnswer(
            name="dealt like cards",
            sentence="You assigned them one by one, like playing cards. That is RoundRobin. Range gives each member a block of neighbours.",
            source=(
                "owned_by_m2 = {a: list(range(1, x.partitions, x.members)) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the remainder goes to the last",
            sentence="You gave the remainder to the last members, or to nobody. Range gives it to the first members, one each.",
            source=(
                "owned_by_m2 = {\n"
                "    a: list(\n"
                "        range(\n"
                "            x.partitions // x.members,\n"
                "            2 * (x.partitions // x.members) if x.members > 2 else x.partitions,\n"
                "        )\n"
                "    )\n"
                "    for a, x in n.items()\n"
                "}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="m2 is the first",
            sentence="That is the share of m1, which has the first block. m2's begins where it ends.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: _block(x, 0) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="counted from 1",
            sentence="The right block, one too far: partitions are numbered from 0.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: [number + 1 for number in _block(x, 1)] for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="names, not numbers",
            sentence="These are the names of the partitions. Write a list of their numbers: [2, 3].",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: [f\"orders-{number}\" for number in _block(x, 1)] for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="how many",
            sentence="That is how many m2 owns. Which are they? Write a list of their numbers.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: len(_block(x, 1)) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="nobody goes empty",
            sentence="A partition has one owner in a group. {partitions} partitions have work for {partitions} members, and the group has {crowd}.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="who works",
            sentence="{partitions} members own one partition each. The others of the {crowd} own nothing, and the question asks for them.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="only the first ones work",
            sentence="When more members come, the partitions are assigned again. Each of the {partitions} partitions gets a member of its own, so more than {members} have work.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.members for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="m2 is the third",
            sentence="That is the share of m3. The members are named from m1 on.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: _block(x, 2) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the remainder of a division",
            sentence="The remainder of a division says how many get one more. How many own nothing is a subtraction: {crowd} members, {partitions} partitions.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd % x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the first and the last",
            sentence="These are the first and the last partition of the block. m2 owns those in between, too: list all.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: [_block(x, 1)[0], _block(x, 1)[-1]] for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
    ),
    truth=_owned,
    right=(
        "right: {partitions} partitions in {members} blocks, the longer blocks first. In the crowd "
        "{partitions} of {crowd} members own one."
    ),
    otherwise=(
        "not these two. For m2, assign {partitions} partitions to {members} members in blocks. The "
        "remainder goes to the first members, one each. In the crowd each partition has one owner. "
        "Count the members that have none."
    ),
)


# %% 01.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _busy(case: dict) -> dict:
    topics = (case["a"], case["b"], case["c"])
    busy = {
        assignor: sum(bool(owned) for owned in _shares(topics, sum(topics), assignor).values())
        for assignor in ("Range", "RoundRobin")
    }
    return {"busy_with_range": busy["Range"], "busy_with_round_robin": busy["RoundRobin"]}


JUDGE_01_3 = Judge(
    id="01.3",
    wrong_answers=(
        WrongAnswer(
            name="the sum for both",
            sentence="You took as many members as partitions. This well-known rule holds for RoundRobin. Range begins again with m1 for each topic.",
            source=(
                "busy_with_range = {a: x.a + x.b + x.c for a, x in n.items()}\n"
                "busy_with_round_robin = {a: x.a + x.b + x.c for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the largest for both",
            sentence="RoundRobin assigns the partitions of all topics together. So more members are busy than the largest topic has partitions.",
            source=(
                "busy_with_range = {a: max(x.a, x.b, x.c) for a, x in n.items()}\n"
                "busy_with_round_robin = {a: max(x.a, x.b, x.c) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the smallest for Range",
            sentence="You counted the members that get a partition of every topic. One partition is enough to be busy.",
            source=(
                "busy_with_range = {a: min(x.a, x.b, x.c) for a, x in n.items()}\n"
                "busy_with_round_robin = {a: x.a + x.b + x.c for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="exchanged",
            sentence="The two are exchanged. Range assigns topic by topic, RoundRobin all topics together.",
            source=(
                "busy_with_range = {a: x.a + x.b + x.c for a, x in n.items()}\n"
                "busy_with_round_robin = {a: max(x.a, x.b, x.c) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="topics, not members",
            sentence="You counted the topics. Count members: one partition of one topic is enough to be busy.",
            source=(
                "busy_with_range = {a: 3 for a in n}\n"
                "busy_with_round_robin = {a: x.a + x.b + x.c for a, x in n.items()}"
            ),
        ),
    ),
    truth=_busy,
    right=(
        "right: topics of {a}, {b} and {c} partitions. The largest decides for Range, their sum "
        "for RoundRobin."
    ),
    otherwise=(
        "not these two. Assign the three topics on paper, each from m1 on. Then count the members "
        "that own something."
    ),
)


# %% 01.4
from autograder.course.judge import WrongAnswer
from functools import cache
from random import Random

from autograder.cell.questions.ch01 import kept
from autograder.course.judge import Judge
from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    OffsetAndMetadata,
    RecordsToDelete,
    TopicPartition,
)


@cache
def _started(committed: int | None, log_start: int, log_end: int, reset: str) -> int:
    """The first offset a consumer reads: it commits, the log loses its beginning, and the consumer
    is started again."""
    lab = _filled(log_end, 1)
    place = TopicPartition("t", 0)
    settings = {"group.id": "g", "auto.offset.reset": reset, "enable.auto.commit": False}
    if committed is not None:
        first = KafkaConsumer(lab, settings, name="first")
        first.assign([place])
        first.commit_sync({place: OffsetAndMetadata(committed)})
        first.close()
    if log_start:
        admin = KafkaAdminClient(lab, {})
        admin.delete_records({place: RecordsToDelete(log_start)}).all().get()
        admin.close()
    again = KafkaConsumer(lab, settings, name="again")
    again.assign([place])
    records = list(again.poll(timeout_ms=2_000))
    return records[0].offset if records else again.position(place)


def _starts(rng: Random) -> list[dict]:
    cases = []
    for _ in range(8):
        log_start = rng.randrange(0, 8)
        log_end = log_start + rng.randrange(3, 12)
        committed = rng.choice(
            [
                None,
                rng.randrange(0, log_start + 1),
                rng.randrange(log_start, log_end + 1),
                log_start,
                log_end,
            ]
        )
        cases.append(
            {
                "committed": committed,
                "log_start": log_start,
                "log_end": log_end,
                "reset": rng.choice(["earliest", "latest"]),
            }
        )
    return cases + [
        {
            "seed": rng.randrange(10, 999),
            "reset": reset,
            "killed_first": killed,
            "off_ms": 2 * 3_600_000,
            "crash": not killed,
        }
        for reset, killed in (("earliest", True), ("latest", False))
    ]


def _why(case: dict) -> str:
    """Why the right offset of this case is right; `kept` says it of a run."""
    if "seed" in case:
        return "right."
    committed, start, end = case["committed"], case["log_start"], case["log_end"]
    decides = f"{case['reset']} decides"
    if committed is None:
        return f"right: there is no committed offset, so {decides}."
    if committed < start:
        return f"right: retention deleted the record at {committed}, so {decides}."
    if committed == end:
        return f"right: it waits at {end} for the next record."
    return f"right: the record at {committed} is still there, so the member continues with it."


JUDGE_01_4 = Judge(
    id="01.4",
    wrong_answers=(
        WrongAnswer(
            name="zero counts as none",
            sentence="The committed offset 0 is an offset like any other, and the record at 0 is still there. Is your condition true for 0? `if committed:` is not, and `log_start < committed` is not. Ask for `is not None` and for `>=`.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed and committed >= log_start:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="the start is out of range",
            sentence="The first record of the log is still there, so a committed offset equal to the log's start is good. Compare with `>=`.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and committed > log_start:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="always from the committed offset",
            sentence="The committed offset points at a record that retention has deleted. It is out of range, so auto.offset.reset decides.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="the end is out of range",
            sentence="A committed offset at the log's end is good: the member waits for the next record. You would read everything again.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and log_start <= committed < log_end:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="always the reset",
            sentence="auto.offset.reset counts only where there is no good committed offset. A group that committed continues there.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="zero is the start",
            sentence="Earliest is the log's start. That is not offset 0 any more, because retention has deleted something.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and committed >= log_start:\n"
                "        return committed\n"
                "    return 0 if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="one after the committed offset",
            sentence="The committed offset is already the next one to read. One more would skip a record.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and committed >= log_start:\n"
                "        return committed + 1\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="latest is the last record",
            sentence="Latest is the log's end, after the last record. Only records that are written from now on are read.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and committed >= log_start:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end - 1"
            ),
        ),
        WrongAnswer(
            name="earliest and latest exchanged",
            sentence="`earliest` is the log's start, and `latest` is its end. You return the other one.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and committed >= log_start:\n"
                "        return committed\n"
                "    return log_end if reset == \"earliest\" else log_start"
            ),
        ),
        WrongAnswer(
            name="no return",
            sentence="Your function returned None. Every path through it needs a `return` with an offset.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and committed >= log_start:\n"
                "        committed"
            ),
        ),
    ),
    truth=lambda case: _started(
        case["committed"], case["log_start"], case["log_end"], case["reset"]
    ),
    hidden_cases=_starts,
    right=_why,
    otherwise=(
        "you return {said}, and a consumer begins at another offset. Is the committed offset "
        "still good? If not, reset decides."
    ),
    unseen=(
        "in a run that you have not seen, Kafka's own consumer begins at another offset. Is the "
        "committed offset still good? If not, reset decides."
    ),
)


# %% 01.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


@cache
def _guilty() -> tuple[int, int]:
    """The chapter's own lab again: which of its lines is of search-1, and what it took."""
    lab = Lab(brokers=3, seed=6)
    lab.create_topic("orders", partitions=3)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(12):
        producer.send(ProducerRecord("orders", partition=number % 3, value=f"order {number}"))
    producer.close()

    def read(lab, name, group):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": group,
                "client.id": name,
                "auto.offset.reset": "earliest",
                "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor",
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=500)

    for name, group in (
        ("billing-1", "billing"),
        ("billing-2", "billing"),
        ("audit-1", "audit"),
        ("search-1", "billing"),
    ):
        lab.spawn(read, name, group, name=name)
    lab.run_for(ms=10_000)
    shown = [line for line in lab.lines()["message"] if "Adding newly assigned partitions" in line]
    owned = lab.at(lab.now_ms)["clients"]["search-1"]["assignment"]
    lab.close()
    line = next(number for number, line in enumerate(shown) if "clientId=search-1" in line)
    return line, int(owned[0].rsplit("-", 1)[1])


JUDGE_01_5 = Judge(
    id="01.5",
    wrong_answers=(
        WrongAnswer(
            name="the team's own line is innocent",
            sentence="audit-1 is alone in its own group and gets all three partitions, as it should. Look for a program in a group that is not its own.",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "guilty_line = next(number for number, line in enumerate(shown) if \"groupId=audit\" in line)"
            ),
        ),
        WrongAnswer(
            name="billing is the right group",
            sentence="The program is in billing by mistake. In a group of its own, with its team's name, it gets every record.",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "right_group = \"billing\""
            ),
        ),
        WrongAnswer(
            name="a billing member is blamed",
            sentence="This program belongs to the team billing, and its group is billing. Which other program is in the group billing?",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=billing-1\" in line)"
            ),
        ),
        WrongAnswer(
            name="the other billing member is blamed",
            sentence="This program is a member of its own team's group. Which member of that group is not?",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=billing-2\" in line)"
            ),
        ),
        WrongAnswer(
            name="the program's name is taken for the group",
            sentence="search-1 is the program's name. The group has the name of the team.",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "right_group = \"search-1\""
            ),
        ),
        WrongAnswer(
            name="audit is short",
            sentence="audit-1 has all three partitions, so that team misses nothing. Which group has a partition that a stranger reads?",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "also_short = \"audit\""
            ),
        ),
        WrongAnswer(
            name="search is short",
            sentence="That is the team that complained. Which other group has fewer than three partitions for its own programs?",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "also_short = \"search\""
            ),
        ),
        WrongAnswer(
            name="a partition that billing reads",
            sentence="A program of that team owns this partition. The team lacks the one that search-1 owns.",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "unread_partition = next(\n"
                "    int(line.rsplit(\"-\", 1)[1]) for line in shown if \"clientId=billing-1\" in line\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="another partition that billing reads",
            sentence="This partition is read by a program of that team. The team lacks the one that search-1 owns.",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"search\"\n"
                "also_short = \"billing\"\n"
                "unread_partition = int(shown[guilty_line].rsplit(\"-\", 1)[1])\n"
                "unread_partition = next(\n"
                "    int(line.rsplit(\"-\", 1)[1]) for line in shown if \"clientId=billing-2\" in line\n"
                ")"
            ),
        ),
    ),
    truth=lambda case: {
        "guilty_line": _guilty()[0],
        "right_group": "search",
        "also_short": "billing",
        "unread_partition": _guilty()[1],
    },
    right=(
        "right: search-1 copied the group.id of billing. So search gets one partition of three, "
        "and billing lacks that one."
    ),
    otherwise="not these four. Compare clientId and groupId in each line.",
)


# %% 01.6
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge
from kafkalab.hashing import murmur2, to_positive


def _busiest(case: dict) -> dict:
    """Counted key by key: three of ten million for the busy customer, ten thousand for each
    number that does not end in 0, 1 or 2."""
    records = [0] * case["partitions"]
    for customer in range(1_000):
        share = (10_000 if customer % 10 >= 3 else 0) + (
            3_000_000 if customer == case["busy"] else 0
        )
        records[to_positive(murmur2(f"customer-{customer}".encode())) % case["partitions"]] += share
    return {"busiest": records.index(max(records)), "records_in_it": max(records)}


JUDGE_01_6 = Judge(
    id="01.6",
    wrong_answers=(
        WrongAnswer(
            name="the example's numbers",
            sentence="These are the numbers of the example, busy=7 and six partitions. Put in yours.",
            source=(
                "busiest = {a: 1 for a, x in n.items()}\n"
                "records_in_it = {a: 4210000 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="only the large customer",
            sentence="You counted the large customer alone. Small customers are in that partition, too.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x: to_positive(murmur2(f\"customer-{x.busy}\".encode())) % x.partitions\n"
                "busiest = {a: place(x) for a, x in n.items()}\n"
                "records_in_it = {a: 3_000_000 + (10_000 if x.busy % 10 >= 3 else 0) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="an even share",
            sentence="That is an even share. Keys are spread evenly, records are not: one key has three million.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x: to_positive(murmur2(f\"customer-{x.busy}\".encode())) % x.partitions\n"
                "busiest = {a: place(x) for a, x in n.items()}\n"
                "records_in_it = {a: 10_000_000 // x.partitions for a, x in n.items()}"
            ),
        ),
    ),
    truth=_busiest,
    right="right: customer {busy} alone makes this partition the busiest of {partitions}.",
    otherwise="not this one. Have you put your own two numbers into per_partition?",
)


# %% all
JUDGES = (
    JUDGE_01_1,
    JUDGE_01_2,
    JUDGE_01_3,
    JUDGE_01_4,
    JUDGE_01_5,
    JUDGE_01_6,
)
