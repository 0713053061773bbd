# Generated from notebooks/exercises/11; edit those files and run
# `python -m autograder course 11`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 11's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
from autograder.cell.questions.ch11 import MINUTE
from functools import cache

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


@cache
def _overrun(arrive: int, work: int, keep: int, reset: str) -> dict:
    """A member that is slower than its topic: when it first finds its position gone, its lag
    after that, and what it never got."""
    lab = Lab(brokers=1, seed=11, broker_config={"log.retention.check.interval.ms": 10_000})
    lab.create_topic("orders", config={"retention.ms": keep * MINUTE, "segment.ms": 30_000})
    shop = KafkaProducer(lab, {"client.id": "shop"})
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "auto.offset.reset": reset,
            "enable.auto.commit": False,
            "max.poll.records": 10,
            "max.partition.fetch.bytes": 500,
            "heartbeat.interval.ms": 15_000,
            "retry.backoff.ms": 1_000,
        },
        name="m1",
    )
    member.subscribe(["orders"])
    member.poll(timeout_ms=4_000)
    got = []
    for minute in range(1, 41):
        lab.run_for(ms=MINUTE * minute - lab.now_ms)
        for _ in range(arrive):
            shop.send(ProducerRecord("orders", value="an order"))
        shop.flush()
        for _ in range(work // 10):
            got += [record.offset for record in member.poll(timeout_ms=500)]
        member.commit_sync()
    bookmark = int(lab.describe_group("billing").current_offset.iloc[0])
    gone = [
        int(line.at_ms // MINUTE)
        for line in lab.lines("m1").itertuples()
        if "out of range" in line.message
    ]
    left = int(lab.describe_group("billing", gone[0] * MINUTE + MINUTE // 2).lag.iloc[0])
    return {
        "first_loss": gone[0],
        "dashboard": "zero" if left < arrive else "flat",
        "resets": len(gone),
        "skipped_records": bookmark - len(set(got)),
    }


# %% 11.1
from autograder.cell.questions.ch11 import group_of
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _table(case: dict) -> dict:
    lab = group_of(case["partitions"], case["committed"], case["left"], case["records"])
    rows = lab.describe_group("billing")
    return {
        "known_lag": int(rows.lag.sum()),
        "never_committed": int(rows.current_offset.isna().sum()),
        "nobody_reads": int((rows.consumer_id == "-").sum()),
    }


JUDGE_11_1 = Judge(
    id="11.1",
    wrong_answers=(
        WrongAnswer(
            name="an unknown lag is the whole log",
            sentence="You took the log end where LAG has a dash. The tool cannot know: where the group would begin there is up to auto.offset.reset.",
            source=(
                "rows = lambda x: [line.split() for line in x.splitlines() if line.startswith(\"billing\")]\n"
                "known_lag = {\n"
                "    a: sum(int(r[5]) for r in rows(x) if r[5] != \"-\")\n"
                "    + sum(int(r[4]) for r in rows(x) if r[5] == \"-\")\n"
                "    for a, x in n.items()\n"
                "}\n"
                "never_committed = {a: sum(r[3] == \"-\" for r in rows(x)) for a, x in n.items()}\n"
                "nobody_reads = {a: sum(r[6] == \"-\" for r in rows(x)) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="nobody reads, so no lag",
            sentence="You left out the rows without a consumer. Their lag is as true as any: it needs a bookmark and a log end, and no member.",
            source=(
                "rows = lambda x: [line.split() for line in x.splitlines() if line.startswith(\"billing\")]\n"
                "known_lag = {\n"
                "    a: sum(int(r[5]) for r in rows(x) if r[5] != \"-\" and r[6] != \"-\") for a, x in n.items()\n"
                "}\n"
                "never_committed = {a: sum(r[3] == \"-\" for r in rows(x)) for a, x in n.items()}\n"
                "nobody_reads = {a: sum(r[6] == \"-\" for r in rows(x)) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the two dashes exchanged",
            sentence="You exchanged the two dashes. Under CURRENT-OFFSET it means never committed, under CONSUMER-ID that no member has the partition.",
            source=(
                "rows = lambda x: [line.split() for line in x.splitlines() if line.startswith(\"billing\")]\n"
                "known_lag = {a: sum(int(r[5]) for r in rows(x) if r[5] != \"-\") for a, x in n.items()}\n"
                "never_committed = {a: sum(r[6] == \"-\" for r in rows(x)) for a, x in n.items()}\n"
                "nobody_reads = {a: sum(r[3] == \"-\" for r in rows(x)) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="every row with a dash",
            sentence="You counted every row with a dash anywhere. Never committed are those with a dash under CURRENT-OFFSET.",
            source=(
                "rows = lambda x: [line.split() for line in x.splitlines() if line.startswith(\"billing\")]\n"
                "known_lag = {a: sum(int(r[5]) for r in rows(x) if r[5] != \"-\") for a, x in n.items()}\n"
                "never_committed = {\n"
                "    a: sum(r[3] == \"-\" for r in rows(x)) + sum(r[6] == \"-\" for r in rows(x)) for a, x in n.items()\n"
                "}\n"
                "nobody_reads = {a: sum(r[6] == \"-\" for r in rows(x)) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="log ends added up",
            sentence="You added up LOG-END-OFFSET. Lag is what lies between CURRENT-OFFSET and there.",
            source=(
                "rows = lambda x: [line.split() for line in x.splitlines() if line.startswith(\"billing\")]\n"
                "known_lag = {a: sum(int(r[4]) for r in rows(x)) for a, x in n.items()}\n"
                "never_committed = {a: sum(r[3] == \"-\" for r in rows(x)) for a, x in n.items()}\n"
                "nobody_reads = {a: sum(r[6] == \"-\" for r in rows(x)) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="every partition has a reader",
            sentence="The lag is right. But some rows have a dash under CONSUMER-ID: nobody reads these partitions.",
            source=(
                "rows = lambda x: [line.split() for line in x.splitlines() if line.startswith(\"billing\")]\n"
                "known_lag = {a: sum(int(r[5]) for r in rows(x) if r[5] != \"-\") for a, x in n.items()}\n"
                "never_committed = {a: sum(r[3] == \"-\" for r in rows(x)) for a, x in n.items()}\n"
                "nobody_reads = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the lag alone is right",
            sentence="The lag is right. Count dashes for the other two: under CURRENT-OFFSET, and under CONSUMER-ID.",
            source=(
                "rows = lambda x: [line.split() for line in x.splitlines() if line.startswith(\"billing\")]\n"
                "known_lag = {a: sum(int(r[5]) for r in rows(x) if r[5] != \"-\") for a, x in n.items()}\n"
                "never_committed = {a: 0 for a, x in n.items()}\n"
                "nobody_reads = {a: 0 for a, x in n.items()}"
            ),
        ),
    ),
    truth=_table,
    right=(
        "right: a dash under CURRENT-OFFSET says that nothing is committed, one under CONSUMER-ID "
        "that nobody reads."
    ),
    otherwise="not these three. Read the columns one by one: CURRENT-OFFSET, LAG, CONSUMER-ID.",
)


# %% 11.2
from autograder.cell.questions.ch11 import MINUTE
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
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

ORDERS = TopicPartition("orders", 0)


@cache
def _distances(
    per_minute: int, deleted: int, polled: int, in_work: int
) -> tuple[int, int, int, int]:
    """(lag of the tool, lag and lead of the client, minutes since the first
    record that is not committed was written)."""
    lab = Lab(brokers=1, seed=7)
    lab.create_topic("orders")
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for minute in range(12):
        lab.run_for(ms=MINUTE * minute - lab.now_ms if minute else 0)
        for _ in range(per_minute):
            shop.send(ProducerRecord("orders", value="an order"))
        shop.flush()
    lab.run_for(ms=MINUTE * 12 - lab.now_ms)
    KafkaAdminClient(lab, {}).delete_records({ORDERS: RecordsToDelete(deleted)}).all().get()
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "max.poll.records": 5,
        },
        name="m1",
    )
    member.subscribe(["orders"])
    got = []
    while len(got) < polled:
        got += list(member.poll(timeout_ms=5_000))
    member.commit_sync({ORDERS: OffsetAndMetadata(got[-1].offset + 1 - in_work)})
    of = member.metrics().of("consumer-fetch-manager-metrics", topic="orders", partition="0")
    first = got[-in_work]
    return (
        int(lab.describe_group("billing").lag.iloc[0]),
        int(of["records-lag"]),
        int(of["records-lead"]),
        round((12 * MINUTE - (first.timestamp_ms - lab.epoch_ms)) / MINUTE),
    )


_SEEN, _FOUR = (
    "known_lag never_committed nobody_reads",
    "tool_lag client_lag client_lead minutes_old",
)

JUDGE_11_2 = Judge(
    id="11.2",
    wrong_answers=(
        WrongAnswer(
            name="one lag for both",
            sentence="You gave the client the tool's lag. The client measures from its position, and that is {in_work} records further on than the bookmark.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lead = {a: x.polled for a, x in n.items()}\n"
                "minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the tool sees the position",
            sentence="You gave the tool the client's lag. The tool knows the bookmark only; the {in_work} records in work are not committed yet.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}\n"
                "client_lead = {a: x.polled for a, x in n.items()}\n"
                "minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="lead from offset 0",
            sentence="You measured the lead from offset 0. The first {deleted} records are gone, and the log begins after them.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}\n"
                "client_lead = {a: x.deleted + x.polled for a, x in n.items()}\n"
                "minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="more lag, less lead",
            sentence="You took the lag off the lead. They are distances to different ends of the log: the lag to its end, the lead to its start.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}\n"
                "client_lead = {\n"
                "    a: max(0, x.polled - (12 * x.per_minute - x.deleted - x.polled)) for a, x in n.items()\n"
                "}\n"
                "minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the last record read",
            sentence="You are off by one. A committed offset names the next record, not the last one that was read.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) - 1 for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - x.deleted - x.polled - 1 for a, x in n.items()}\n"
                "client_lead = {a: x.polled + 1 for a, x in n.items()}\n"
                "minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="lag over rate, rounded down",
            sentence="`minutes_old` is a minute too small. Find the minute in which the record at the bookmark was written. (Not the one at the position; and the lag divided by {per_minute} is not simply rounded down.)",
            source=(
                "tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}\n"
                "client_lead = {a: x.polled for a, x in n.items()}\n"
                "minutes_old = {\n"
                "    a: (12 * x.per_minute - (x.deleted + x.polled - x.in_work)) // x.per_minute\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="tool and client swapped",
            sentence="You exchanged the two. The tool measures from the bookmark, the client from its position, which is {in_work} records further on.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lead = {a: x.polled for a, x in n.items()}\n"
                "minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the deleted are forgotten",
            sentence="The member did not begin at offset 0. The first {deleted} records are deleted, so its position is {deleted} + {polled}.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - (x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - x.polled for a, x in n.items()}\n"
                "client_lead = {a: x.polled for a, x in n.items()}\n"
                "minutes_old = {a: 12 - (x.polled - x.in_work) // x.per_minute for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="lead from the bookmark",
            sentence="Three are right. The client's lead is measured from its position, not from the bookmark.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}\n"
                "client_lead = {a: x.polled - x.in_work for a, x in n.items()}\n"
                "minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="minutes of the last committed record",
            sentence="Three are right. You took the minute of the last committed record. The bookmark names the next one.",
            source=(
                "tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}\n"
                "client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}\n"
                "client_lead = {a: x.polled for a, x in n.items()}\n"
                "minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work - 1) // x.per_minute for a, x in n.items()}"
            ),
        ),
    ),
    truth=lambda case: dict(
        zip(
            _FOUR.split(),
            _distances(case["per_minute"], case["deleted"], case["polled"], case["in_work"]),
        )
    ),
    right="right: lag to the log's end, lead from its start; the tool from the bookmark.",
    otherwise=(
        "not these four. Put the marks in order: log start {deleted}, then bookmark, position, "
        "log end."
    ),
)


# %% 11.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _bites(case: dict) -> dict:
    told = _overrun(case["arrive"], case["work"], case["keep"], case["reset"])
    return {name: told[name] for name in ("first_loss", "dashboard")}


JUDGE_11_3 = Judge(
    id="11.3",
    wrong_answers=(
        WrongAnswer(
            name="when retention begins",
            sentence="At minute {keep} retention begins to delete, and what it takes first has been read long ago. It has to catch up with the reader.",
            source=(
                "first_loss = {a: x.keep for a, x in n.items()}\n"
                "dashboard = {a: \"zero\" if x.reset == \"latest\" else \"flat\" for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="on paper",
            sentence="That is the minute on paper, when the records of {keep} minutes are used up. Real retention deletes whole segments, and fetched records are still delivered: play it.",
            source=(
                "first_loss = {a: x.keep * x.arrive // (x.arrive - x.work) for a, x in n.items()}\n"
                "dashboard = {a: \"zero\" if x.reset == \"latest\" else \"flat\" for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="lag grows for ever",
            sentence="The minute is right. But the member jumps: to the log's start with earliest, to its end with latest. The bookmark jumps with it, so the lag stops growing.",
            source=(
                "first_loss = {\n"
                "    a: first_reset(slow_member(x.arrive, x.work, x.keep, x.reset)[0]) for a, x in n.items()\n"
                "}\n"
                "dashboard = {a: \"grow\" for a, x in n.items()}"
            ),
            says=(
lambda case: {**_bites(case), "dashboard": "grow"}
            ),
        ),
        WrongAnswer(
            name="the curves exchanged",
            sentence="The minute is right. The curves are exchanged: latest jumps to the log's end, and nothing is left to read; earliest jumps to its start, with the whole log before it.",
            source=(
                "first_loss = {\n"
                "    a: first_reset(slow_member(x.arrive, x.work, x.keep, x.reset)[0]) for a, x in n.items()\n"
                "}\n"
                "dashboard = {a: \"flat\" if x.reset == \"latest\" else \"zero\" for a, x in n.items()}"
            ),
            says=(
lambda case: {**_bites(case), "dashboard": "flat" if case["reset"] == "latest" else "zero"}
            ),
        ),
        WrongAnswer(
            name="never",
            sentence="{arrive} come and {work} are read each minute. The topic keeps {keep} minutes of them, and no more.",
            source=(
                "first_loss = {a: None for a, x in n.items()}\n"
                "dashboard = {a: \"grow\" for a, x in n.items()}"
            ),
        ),
    ),
    truth=_bites,
    right="right: from that minute on orders are lost, and the lag no longer shows it.",
    otherwise="not this minute. Play it: slow_member, then first_reset.",
)


# %% 11.4
from autograder.cell.questions.ch11 import looks
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.course.judge import Judge

FEW = 100  # records of lead that a monitor is to warn of


def _watching(case: dict) -> list:
    """What a right monitor says. A member goes on at its bookmark,
    or where the log begins if that is later or there is none."""
    said = []
    for look in looks(case["seed"], case["story"]):
        unread = lost = 0
        alarm = []
        for name, (start, committed, end) in sorted(look.items()):
            here = max(start, -1 if committed is None else committed)
            unread += end - here
            lost += here - committed if committed is not None else 0
            if start > 0 and end > here and here - start < FEW:
                alarm.append(name)
        said.append([unread, lost, alarm])
    return said


def _unseen(rng: Random) -> list[dict]:
    return [{"seed": rng.randrange(10, 900), "story": story} for story in ("slow", "dies", "limit")]


JUDGE_11_4 = Judge(
    id="11.4",
    wrong_answers=(
        WrongAnswer(
            name="None is 0",
            sentence="You took a missing bookmark for 0, so all that is deleted counts as lost. Nobody had begun to read there.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        committed = committed or 0\n"
                "        here = max(start, committed)\n"
                "        unread += end - here\n"
                "        lost += here - committed\n"
                "        if start > 0 and end > here and here - start < 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, sorted(alarm)"
            ),
        ),
        WrongAnswer(
            name="left out",
            sentence="You left out what was never committed. Those records are as unread as any, and the usual lag script does not see them.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        if committed is None:\n"
                "            continue\n"
                "        here = start if committed is None else max(start, committed)\n"
                "        unread += end - here\n"
                "        lost += 0 if committed is None else here - committed\n"
                "        if start > 0 and end > here and here - start < 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, sorted(alarm)"
            ),
        ),
        WrongAnswer(
            name="the deleted are unread",
            sentence="You counted deleted records as unread. Nobody can read them any more; they are lost.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        here = start if committed is None else max(start, committed)\n"
                "        unread += end - (committed or 0)\n"
                "        lost += 0 if committed is None else here - committed\n"
                "        if start > 0 and end > here and here - start < 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, sorted(alarm)"
            ),
        ),
        WrongAnswer(
            name="an alarm for every young log",
            sentence="You raise an alarm where the log still begins at 0. Little lead there only says that the log is young.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        here = start if committed is None else max(start, committed)\n"
                "        unread += end - here\n"
                "        lost += 0 if committed is None else here - committed\n"
                "        if end > here and here - start < 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, sorted(alarm)"
            ),
        ),
        WrongAnswer(
            name="an alarm for nothing",
            sentence="You raise an alarm where everything is read. Nothing can be lost there.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        here = start if committed is None else max(start, committed)\n"
                "        unread += end - here\n"
                "        lost += 0 if committed is None else here - committed\n"
                "        if start > 0 and here - start < 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, sorted(alarm)"
            ),
        ),
        WrongAnswer(
            name="an alarm on lag",
            sentence="Your alarm looks at the lag. What is in danger shows at the other end: the distance from the log start.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        here = start if committed is None else max(start, committed)\n"
                "        unread += end - here\n"
                "        lost += 0 if committed is None else here - committed\n"
                "        if start > 0 and end > here and end - here > 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, sorted(alarm)"
            ),
        ),
        WrongAnswer(
            name="the limit is missed",
            sentence="Near the limit you are off by one: fewer than 100 is an alarm, 100 is none.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        here = start if committed is None else max(start, committed)\n"
                "        unread += end - here\n"
                "        lost += 0 if committed is None else here - committed\n"
                "        if start > 0 and end > here and here - start <= 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, sorted(alarm)"
            ),
        ),
        WrongAnswer(
            name="in arbitrary order",
            sentence="The names of your alarm are not in alphabetical order. The partitions come in any order: sort them.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        here = start if committed is None else max(start, committed)\n"
                "        unread += end - here\n"
                "        lost += 0 if committed is None else here - committed\n"
                "        if start > 0 and end > here and here - start < 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, alarm"
            ),
        ),
        WrongAnswer(
            name="a negative loss",
            sentence="Your loss can be negative. A bookmark after the log start has lost nothing.",
            source=(
                "def watch(partitions):\n"
                "    unread, lost, alarm = 0, 0, []\n"
                "    for name, (start, committed, end) in partitions.items():\n"
                "        here = start if committed is None else max(start, committed)\n"
                "        unread += end - here\n"
                "        lost += 0 if committed is None else start - committed\n"
                "        if start > 0 and end > here and here - start < 100:\n"
                "            alarm.append(name)\n"
                "    return unread, lost, sorted(alarm)"
            ),
        ),
    ),
    truth=_watching,
    hidden_cases=_unseen,
    right="right: in each minute of this story your monitor says what is true.",
    otherwise=(
        "in this story your monitor is wrong. Go through its minutes: no bookmark, a bookmark "
        "before the log start, nothing to read, a log that begins at 0, a lead of just 100."
    ),
    unseen="with other members and other faults your monitor is wrong.",
)


# %% 11.5
from autograder.cell.questions.ch11 import renamed
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _forgot(case: dict) -> dict:
    lab = renamed(case["forgotten"], case["records"], case["done"])
    began = {
        f"{name}": line
        for line in lab.lines("m1").message
        if "Resetting offset" in line
        for name in ("orders-0", "orders-1", "orders-2")
        if name in line
    }
    ((name, line),) = began.items()
    return {"partition": name, "skipped": int(line.partition("offset=")[2].partition(",")[0])}


JUDGE_11_5 = Judge(
    id="11.5",
    wrong_answers=(
        WrongAnswer(
            name="the one with the smallest offset",
            sentence="That partition continues at its committed offset. What lies before it was read by the program before.",
            source=(
                "first = [line for line in shown if \"Setting offset\" in line][0]\n"
                "partition = first.split(\"partition \")[1].split(\" \")[0]\n"
                "skipped = int(first.split(\"offset=\")[1].split(\",\")[0])"
            ),
        ),
        WrongAnswer(
            name="lag 0, nothing skipped",
            sentence="The partition is right. The lag is 0 because reading began at the log's end. Everything before it was skipped.",
            source=(
                "partition = [line for line in shown if \"Found\" in line][0].split()[-1]\n"
                "skipped = 0"
            ),
        ),
        WrongAnswer(
            name="lag 0, as a text",
            sentence="The partition is right. The number is a number, without quotation marks, and it is not 0: reading began at the log's end, and everything before it was skipped.",
            source=(
                "partition = [line for line in shown if \"Found\" in line][0].split()[-1]\n"
                "skipped = \"0\""
            ),
        ),
        WrongAnswer(
            name="the word after partition",
            sentence="Right, and write its whole name, as the lines do: topic, dash, number.",
            source=(
                "partition = int([line for line in shown if \"Found\" in line][0][-1])\n"
                "skipped = int([line for line in shown if \"Resetting\" in line][0].split(\"offset=\")[1].split(\",\")[0])"
            ),
        ),
        WrongAnswer(
            name="the count as text",
            sentence="Right, but as text. Write the count as a number, without quotation marks.",
            source=(
                "partition = [line for line in shown if \"Found\" in line][0].split()[-1]\n"
                "skipped = [line for line in shown if \"Resetting\" in line][0].split(\"offset=\")[1].split(\",\")[0]"
            ),
        ),
    ),
    truth=_forgot,
    right="right: no bookmark there, and auto.offset.reset=latest went to the end.",
    otherwise=(
        "not this. Which partition had no bookmark, and at which offset did reading begin there?"
    ),
)


# %% 11.6
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _took(case: dict) -> dict:
    told = _overrun(case["arrive"], case["work"], case["keep"], case["reset"])
    return {name: told[name] for name in ("resets", "skipped_records")}


JUDGE_11_6 = Judge(
    id="11.6",
    wrong_answers=(
        WrongAnswer(
            name="the first reset counts",
            sentence="The very first reset only says where a new group begins. Nothing was lost there.",
            source=(
                "resets, skipped_records = {}, {}\n"
                "for a, x in n.items():\n"
                "    one, read = slow_member(x.arrive, x.work, x.keep, x.reset)\n"
                "    resets[a], skipped_records[a] = len(moments(one, \"Resetting offset\")), never_read(one, read)"
            ),
            says=(
lambda case: {**_took(case), "resets": _took(case)["resets"] + 1}
            ),
        ),
        WrongAnswer(
            name="nothing lost",
            sentence="Each out of range line is a loss: the records between the old position and the new one.",
            source=(
                "resets = {a: 0 for a, x in n.items()}\n"
                "skipped_records = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one loss",
            sentence="With earliest the member falls out again and again, a little each time. Count all of them.",
            source=(
                "resets = {a: 1 for a, x in n.items()}\n"
                "skipped_records = {a: (x.arrive - x.work) * x.keep for a, x in n.items()}"
            ),
        ),
    ),
    truth=_took,
    right="right: each loss has two lines at INFO, and their difference is what was never read.",
    otherwise="not these. Pair each out of range line with the reset that follows it.",
)


# %% all
JUDGES = (
    JUDGE_11_1,
    JUDGE_11_2,
    JUDGE_11_3,
    JUDGE_11_4,
    JUDGE_11_5,
    JUDGE_11_6,
)
