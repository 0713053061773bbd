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
            name="each record once without a group",
            sentence="The program without a group reads from the start twice. Nothing stops it, and it gets everything twice.",
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
    ),
    truth=lambda case: _got(case["records"], case["members"]),
    right=(
        "right: a group gets everything once, whoever has no group gets what it asks for, and "
        "nothing is taken away."
    ),
    otherwise="not these four. Who shares a bookmark with whom?",
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
            sentence="You dealt them one by one, like cards. That is RoundRobin. Range gives each member a block of neighbours.",
            source=(
                "owned_by_m2 = {a: list(range(1, x.partitions, x.members)) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the rest goes to the last",
            sentence="You gave what is left over to the last members, or to nobody. Range gives it to the first ones, one each.",
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
            sentence="m2's share is right. But a partition cannot be shared inside a group: {partitions} partitions have work for {partitions} members, and {crowd} came.",
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
            sentence="m2's share is right. {partitions} members have a partition each; who goes empty are the others of the {crowd}.",
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
            sentence="m2's share is right. When more come, the partitions are dealt anew: each of the {partitions} partitions finds a member, so more than {members} have work.",
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
            name="the rest of a division",
            sentence="The rest of a division says how many get one more. Who goes empty follows from a subtraction: {crowd} members, {partitions} partitions.",
            source=(
                "def _block(x, place):\n"
                "    each, over = divmod(x.partitions, x.members)\n"
                "    first = sum(each + (i < over) for i in range(place))\n"
                "    return list(range(first, first + each + (place < over)))\n"
                "owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}\n"
                "idle_in_the_crowd = {a: x.crowd % x.partitions for a, x in n.items()}"
            ),
        ),
    ),
    truth=_owned,
    right="right: blocks in order, and the first members take what is left over.",
    otherwise=(
        "not this share. Deal {partitions} partitions to {members} members in blocks, and give "
        "what is left over to the first ones."
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
            sentence="As many as partitions: that is the well known rule, and it holds for RoundRobin. Range begins with m1 for each topic.",
            source=(
                "busy_with_range = {a: x.a + x.b + x.c for a, x in n.items()}\n"
                "busy_with_round_robin = {a: x.a + x.b + x.c for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the largest for both",
            sentence="RoundRobin deals all topics as one pack, so it keeps more members busy than the largest topic has partitions.",
            source=(
                "busy_with_range = {a: max(x.a, x.b, x.c) for a, x in n.items()}\n"
                "busy_with_round_robin = {a: max(x.a, x.b, x.c) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the smallest for Range",
            sentence="You counted those who get a partition of every topic. One partition is enough to be busy.",
            source=(
                "busy_with_range = {a: min(x.a, x.b, x.c) for a, x in n.items()}\n"
                "busy_with_round_robin = {a: x.a + x.b + x.c for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="exchanged",
            sentence="The other way round: Range deals topic by topic, RoundRobin deals them all as one pack.",
            source=(
                "busy_with_range = {a: x.a + x.b + x.c for a, x in n.items()}\n"
                "busy_with_round_robin = {a: max(x.a, x.b, x.c) for a, x in n.items()}"
            ),
        ),
    ),
    truth=_busy,
    right="right: the largest topic decides for Range, all partitions together for RoundRobin.",
    otherwise=(
        "not these two. Deal the three topics by hand, each from m1 on, and count who has "
        "something."
    ),
)


# %% 01.4
from autograder.course.judge import WrongAnswer
from functools import cache
from random import Random

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
    """The first offset a consumer reads: it commits, the log loses its beginning,
    and it is started again."""
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


JUDGE_01_4 = Judge(
    id="01.4",
    wrong_answers=(
        WrongAnswer(
            name="zero counts as none",
            sentence="Offset 0 is a bookmark like any other, and `if committed:` is false for it. Ask for `is not None`.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed and log_start <= committed <= log_end:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="beyond the end",
            sentence="A bookmark beyond the log's end is out of range, too: those records were lost with a broker. auto.offset.reset decides.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and committed >= log_start:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="always from the bookmark",
            sentence="The bookmark points at a record that retention has deleted. It is out of range, and auto.offset.reset decides.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="the end is out of range",
            sentence="A bookmark at the log's end is good: it waits for the next record. You would read everything again.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and log_start <= committed < log_end:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="always the reset",
            sentence="auto.offset.reset counts only where there is no good bookmark. A group that committed goes on from there.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="zero is the start",
            sentence="Earliest is the log's start, and that is not offset 0 any more once retention has deleted something.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and log_start <= committed <= log_end:\n"
                "        return committed\n"
                "    return 0 if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="one after the bookmark",
            sentence="The committed offset is already the next one to read. One more would skip a record.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and log_start <= committed <= log_end:\n"
                "        return committed + 1\n"
                "    return log_start if reset == \"earliest\" else log_end"
            ),
        ),
        WrongAnswer(
            name="latest is the last record",
            sentence="Latest is the log's end, behind the last record: only what comes from now on is read.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is not None and log_start <= committed <= log_end:\n"
                "        return committed\n"
                "    return log_start if reset == \"earliest\" else log_end - 1"
            ),
        ),
        WrongAnswer(
            name="moved to the nearest",
            sentence="A bookmark out of range is not moved to the nearest record. auto.offset.reset decides, and latest jumps to the end.",
            source=(
                "def first_offset(committed, log_start, log_end, reset):\n"
                "    if committed is None:\n"
                "        return log_start if reset == \"earliest\" else log_end\n"
                "    return min(max(committed, log_start), log_end)"
            ),
        ),
    ),
    truth=lambda case: _started(
        case["committed"], case["log_start"], case["log_end"], case["reset"]
    ),
    hidden_cases=_starts,
    right="right.",
    otherwise="a consumer begins elsewhere. Is its bookmark still good? If not, reset decides.",
    unseen=(
        "in a run nobody has shown you, Kafka's own consumer begins elsewhere. Is the bookmark "
        "still good? If not, reset decides."
    ),
)


# %% 01.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


@cache
def _guilty_line() -> int:
    """The chapter's own lab again: which of its lines is of search-1."""
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
    lab.close()
    return next(number for number, line in enumerate(shown) if "clientId=search-1" in line)


JUDGE_01_5 = Judge(
    id="01.5",
    wrong_answers=(
        WrongAnswer(
            name="the team's own line is innocent",
            sentence="audit-1 is alone in its own group and gets everything, as it should. Look for a program in a group that is not its own.",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"groupId=audit\" in line)\n"
                "right_group = \"search\""
            ),
        ),
        WrongAnswer(
            name="billing is the right group",
            sentence="billing is where it is by mistake. With a group of its own, called like the team, it would get every record.",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=search-1\" in line)\n"
                "right_group = \"billing\""
            ),
        ),
        WrongAnswer(
            name="a billing member is blamed",
            sentence="That member belongs to billing and sits there. Who else sits there?",
            source=(
                "guilty_line = next(number for number, line in enumerate(shown) if \"clientId=billing\" in line)\n"
                "right_group = \"search\""
            ),
        ),
    ),
    truth=lambda case: {"guilty_line": _guilty_line(), "right_group": "search"},
    right=(
        "right: search-1 shares the work, and the bookmark, of billing. A copied group.id does "
        "this in real life, too."
    ),
    otherwise="not this line or not this group. Compare clientId and groupId in each line.",
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
            sentence="You counted the large customer alone. The small ones of that partition live there, too.",
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
            sentence="That is an even share. Keys are spread evenly, records are not: one key brings three million.",
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
    right="right: one key decides for a whole partition.",
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
