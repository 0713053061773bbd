"""Chapter 01, a log and its readers: the judges' half.
Truths come from running labs, not from a formula."""

from __future__ import annotations

from functools import cache
from random import Random

from autograder.course.answers import each
from autograder.course.judge import Judge, WrongAnswer
from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    RecordsToDelete,
    TopicPartition,
)
from kafkalab.hashing import murmur2, to_positive


def _filled(records: int, partitions: int) -> Lab:
    lab = Lab(brokers=1, seed=11)
    lab.create_topic("t", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "writer"})
    for number in range(records):
        producer.send(ProducerRecord("t", partition=number % partitions, value=str(number)))
    producer.close()
    return lab


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


def _owned(case: dict) -> dict:
    shares = _shares((case["partitions"],), case["members"], "Range")
    crowd = _shares((case["partitions"],), case["crowd"], "Range")
    return {
        "owned_by_m2": sorted(int(name.rsplit("-", 1)[1]) for name in shares["m02"]),
        "idle_in_the_crowd": sum(not owned for owned in crowd.values()),
    }


def _busy(case: dict) -> dict:
    topics = (case["a"], case["b"], case["c"])
    busy = {
        assignor: sum(bool(owned) for owned in _shares(topics, sum(topics), assignor).values())
        for assignor in ("Range", "RoundRobin")
    }
    return {"busy_with_range": busy["Range"], "busy_with_round_robin": busy["RoundRobin"]}


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


_GETS, _OWNS, _BUSY, _BUSIEST = (
    "first_group second_group no_group in_the_topic",
    "owned_by_m2 idle_in_the_crowd",
    "busy_with_range busy_with_round_robin",
    "busiest records_in_it",
)
BLOCK = """
def _block(x, place):
    each, over = divmod(x.partitions, x.members)
    first = sum(each + (i < over) for i in range(place))
    return list(range(first, first + each + (place < over)))
"""
PLACE = (
    "from kafkalab.hashing import murmur2, to_positive\n"
    "place = lambda x: to_positive(murmur2(f'customer-{x.busy}'.encode())) % x.partitions"
)
BEGIN = "def first_offset(committed, log_start, log_end, reset):\n    "

JUDGES = (
    Judge(
        id="01.1",
        truth=lambda case: _got(case["records"], case["members"]),
        right=(
            "right: a group gets everything once, whoever has no group gets what it asks for, and "
            "nothing is taken away."
        ),
        otherwise="not these four. Who shares a bookmark with whom?",
        wrong_answers=(
            WrongAnswer(
                "reading removes",
                each(_GETS, "x.records", "0", "0", "0"),
                "You took the records away with the first reader. Reading moves a bookmark; the "
                "log stays as it is.",
            ),
            WrongAnswer(
                "groups share",
                each(
                    _GETS,
                    "x.records // 2",
                    "x.records - x.records // 2",
                    "2 * x.records",
                    "x.records",
                ),
                "You let the two groups share. Members of one group share; each group as a whole "
                "gets everything.",
            ),
            WrongAnswer(
                "each member gets all",
                each(_GETS, "x.members * x.records", "x.records", "2 * x.records", "x.records"),
                "You gave all records to each of the {members} members. Inside a group a partition "
                "has one owner, so a record goes to one of them.",
            ),
            WrongAnswer(
                "one member's share",
                each(_GETS, "x.records // x.members", "x.records", "2 * x.records", "x.records"),
                "That is one member's share of the first group. The question asks for its "
                "{members} members together.",
            ),
            WrongAnswer(
                "each record once without a group",
                each(_GETS, "x.records", "x.records", "x.records", "x.records"),
                "The program without a group reads from the start twice. Nothing stops it, and it "
                "gets everything twice.",
            ),
            WrongAnswer(
                "read records are deleted",
                each(_GETS, "x.records", "x.records", "2 * x.records", "0"),
                "All have read, and still nothing is gone. Retention deletes by age, not by who "
                "has read.",
            ),
        ),
    ),
    Judge(
        id="01.2",
        truth=_owned,
        right="right: blocks in order, and the first members take what is left over.",
        otherwise=(
            "not this share. Deal {partitions} partitions to {members} members in blocks, and give "
            "what is left over to the first ones."
        ),
        wrong_answers=(
            WrongAnswer(
                "dealt like cards",
                each(_OWNS, "list(range(1, x.partitions, x.members))", "x.crowd - x.partitions"),
                "You dealt them one by one, like cards. That is RoundRobin. Range gives each "
                "member a block of neighbours.",
            ),
            WrongAnswer(
                "the rest goes to the last",
                each(
                    _OWNS,
                    "list(range(x.partitions // x.members, 2 * (x.partitions // x.members) if "
                    "x.members > 2 else x.partitions))",
                    "x.crowd - x.partitions",
                ),
                "You gave what is left over to the last members, or to nobody. Range gives it to "
                "the first ones, one each.",
            ),
            WrongAnswer(
                "m2 is the first",
                each(_OWNS, "_block(x, 0)", "x.crowd - x.partitions", before=BLOCK),
                "That is the share of m1, which has the first block. m2's begins where it ends.",
            ),
            WrongAnswer(
                "counted from 1",
                each(
                    _OWNS,
                    "[number + 1 for number in _block(x, 1)]",
                    "x.crowd - x.partitions",
                    before=BLOCK,
                ),
                "The right block, one too far: partitions are numbered from 0.",
            ),
            WrongAnswer(
                "how many",
                each(_OWNS, "len(_block(x, 1))", "x.crowd - x.partitions", before=BLOCK),
                "That is how many m2 owns. Which are they? Write a list of their numbers.",
            ),
            WrongAnswer(
                "nobody goes empty",
                each(_OWNS, "_block(x, 1)", "0", before=BLOCK),
                "m2's share is right. But a partition cannot be shared inside a group: "
                "{partitions} partitions have work for {partitions} members, and {crowd} came.",
            ),
            WrongAnswer(
                "who works",
                each(_OWNS, "_block(x, 1)", "x.partitions", before=BLOCK),
                "m2's share is right. {partitions} members have a partition each; who goes empty "
                "are the others of the {crowd}.",
            ),
            WrongAnswer(
                "only the first ones work",
                each(_OWNS, "_block(x, 1)", "x.crowd - x.members", before=BLOCK),
                "m2's share is right. When more come, the partitions are dealt anew: each of the "
                "{partitions} partitions finds a member, so more than {members} have work.",
            ),
            WrongAnswer(
                "m2 is the third",
                each(_OWNS, "_block(x, 2)", "x.crowd - x.partitions", before=BLOCK),
                "That is the share of m3. The members are named from m1 on.",
            ),
            WrongAnswer(
                "the rest of a division",
                each(_OWNS, "_block(x, 1)", "x.crowd % x.partitions", before=BLOCK),
                "The rest of a division says how many get one more. Who goes empty follows from a "
                "subtraction: {crowd} members, {partitions} partitions.",
            ),
        ),
    ),
    Judge(
        id="01.3",
        truth=_busy,
        right="right: the largest topic decides for Range, all partitions together for RoundRobin.",
        otherwise=(
            "not these two. Deal the three topics by hand, each from m1 on, and count who has "
            "something."
        ),
        wrong_answers=(
            WrongAnswer(
                "the sum for both",
                each(_BUSY, "x.a + x.b + x.c", "x.a + x.b + x.c"),
                "As many as partitions: that is the well known rule, and it holds for RoundRobin. "
                "Range begins with m1 for each topic.",
            ),
            WrongAnswer(
                "the largest for both",
                each(_BUSY, "max(x.a, x.b, x.c)", "max(x.a, x.b, x.c)"),
                "RoundRobin deals all topics as one pack, so it keeps more members busy than the "
                "largest topic has partitions.",
            ),
            WrongAnswer(
                "the smallest for Range",
                each(_BUSY, "min(x.a, x.b, x.c)", "x.a + x.b + x.c"),
                "You counted those who get a partition of every topic. One partition is enough to "
                "be busy.",
            ),
            WrongAnswer(
                "exchanged",
                each(_BUSY, "x.a + x.b + x.c", "max(x.a, x.b, x.c)"),
                "The other way round: Range deals topic by topic, RoundRobin deals them all as one "
                "pack.",
            ),
        ),
    ),
    Judge(
        id="01.4",
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
        wrong_answers=(
            WrongAnswer(
                "zero counts as none",
                BEGIN
                + "if committed and log_start <= committed <= log_end:\n        return committed\n"
                "    return log_start if reset == 'earliest' else log_end",
                "Offset 0 is a bookmark like any other, and `if committed:` is false for it. Ask "
                "for `is not None`.",
            ),
            WrongAnswer(
                "beyond the end",
                BEGIN
                + "if committed is not None and committed >= log_start:\n        return committed\n"
                "    return log_start if reset == 'earliest' else log_end",
                "A bookmark beyond the log's end is out of range, too: those records were lost "
                "with a broker. auto.offset.reset decides.",
            ),
            WrongAnswer(
                "always from the bookmark",
                BEGIN
                + (
                    "if committed is not None:\n        return committed\n"
                    "    return log_start if reset == 'earliest' else log_end"
                ),
                "The bookmark points at a record that retention has deleted. It is out of range, "
                "and auto.offset.reset decides.",
            ),
            WrongAnswer(
                "the end is out of range",
                BEGIN
                + (
                    "if committed is not None and log_start <= committed < log_end:\n"
                    "        return committed\n"
                    "    return log_start if reset == 'earliest' else log_end"
                ),
                "A bookmark at the log's end is good: it waits for the next record. You would read "
                "everything again.",
            ),
            WrongAnswer(
                "always the reset",
                BEGIN + "return log_start if reset == 'earliest' else log_end",
                "auto.offset.reset counts only where there is no good bookmark. A group that "
                "committed goes on from there.",
            ),
            WrongAnswer(
                "zero is the start",
                BEGIN
                + (
                    "if committed is not None and log_start <= committed <= log_end:\n"
                    "        return committed\n"
                    "    return 0 if reset == 'earliest' else log_end"
                ),
                "Earliest is the log's start, and that is not offset 0 any more once retention has "
                "deleted something.",
            ),
            WrongAnswer(
                "one after the bookmark",
                BEGIN
                + (
                    "if committed is not None and log_start <= committed <= log_end:\n"
                    "        return committed + 1\n"
                    "    return log_start if reset == 'earliest' else log_end"
                ),
                "The committed offset is already the next one to read. One more would skip a "
                "record.",
            ),
            WrongAnswer(
                "latest is the last record",
                BEGIN
                + (
                    "if committed is not None and log_start <= committed <= log_end:\n"
                    "        return committed\n"
                    "    return log_start if reset == 'earliest' else log_end - 1"
                ),
                "Latest is the log's end, behind the last record: only what comes from now on is "
                "read.",
            ),
            WrongAnswer(
                "moved to the nearest",
                BEGIN
                + (
                    "if committed is None:\n        return log_start if reset == 'earliest' else "
                    "log_end\n"
                    "    return min(max(committed, log_start), log_end)"
                ),
                "A bookmark out of range is not moved to the nearest record. auto.offset.reset "
                "decides, and latest jumps to the end.",
            ),
        ),
    ),
    Judge(
        id="01.5",
        truth=lambda case: {"guilty_line": _guilty_line(), "right_group": "search"},
        right=(
            "right: search-1 shares the work, and the bookmark, of billing. A copied group.id does "
            "this in real life, too."
        ),
        otherwise="not this line or not this group. Compare clientId and groupId in each line.",
        wrong_answers=(
            WrongAnswer(
                "the team's own line is innocent",
                "guilty_line = next(number for number, line in enumerate(shown) if 'groupId=audit' "
                "in line)\nright_group = 'search'",
                "audit-1 is alone in its own group and gets everything, as it should. Look for a "
                "program in a group that is not its own.",
            ),
            WrongAnswer(
                "billing is the right group",
                "guilty_line = next(number for number, line in enumerate(shown) if "
                "'clientId=search-1' in line)\nright_group = 'billing'",
                "billing is where it is by mistake. With a group of its own, called like the team, "
                "it would get every record.",
            ),
            WrongAnswer(
                "a billing member is blamed",
                "guilty_line = next(number for number, line in enumerate(shown) if "
                "'clientId=billing' in line)\nright_group = 'search'",
                "That member belongs to billing and sits there. Who else sits there?",
            ),
        ),
    ),
    Judge(
        id="01.6",
        truth=_busiest,
        right="right: one key decides for a whole partition.",
        otherwise="not this one. Have you put your own two numbers into per_partition?",
        wrong_answers=(
            WrongAnswer(
                "the example's numbers",
                each(_BUSIEST, "1", "4210000"),
                "These are the numbers of the example, busy=7 and six partitions. Put in yours.",
            ),
            WrongAnswer(
                "only the large customer",
                each(
                    _BUSIEST,
                    "place(x)",
                    "3_000_000 + (10_000 if x.busy % 10 >= 3 else 0)",
                    before=PLACE,
                ),
                "You counted the large customer alone. The small ones of that partition live "
                "there, too.",
            ),
            WrongAnswer(
                "an even share",
                each(_BUSIEST, "place(x)", "10_000_000 // x.partitions", before=PLACE),
                "That is an even share. Keys are spread evenly, records are not: one key brings "
                "three million.",
            ),
        ),
    ),
    Judge(id="01.open"),
)


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
