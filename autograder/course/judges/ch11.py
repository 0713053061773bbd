"""Chapter 11, watching lag: the judges' half. Truths come from running labs, not from a formula."""

from __future__ import annotations

from functools import cache
from random import Random

from autograder.cell.questions.ch11 import MINUTE, group_of, looks, renamed
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

ORDERS = TopicPartition("orders", 0)
FEW = 100  # records of lead that a monitor is to warn of


def _table(case: dict) -> dict:
    lab = group_of(case["partitions"], case["committed"], case["left"], case["records"])
    rows = lab.describe_group("billing")
    return {
        "known_lag": int(rows.lag.sum()),
        "never_committed": int(rows.current_offset.isna().sum()),
        "nobody_reads": int((rows.consumer_id == "-").sum()),
    }


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


def _bites(case: dict) -> dict:
    told = _overrun(case["arrive"], case["work"], case["keep"], case["reset"])
    return {name: told[name] for name in ("first_loss", "dashboard")}


def _took(case: dict) -> dict:
    told = _overrun(case["arrive"], case["work"], case["keep"], case["reset"])
    return {name: told[name] for name in ("resets", "skipped_records")}


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
    return [{"seed": rng.randrange(10, 900), "story": story} for story in ("slow", "dies", "never")]


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


_SEEN, _FOUR = (
    "known_lag never_committed nobody_reads",
    "tool_lag client_lag client_lead minutes_old",
)
ROWS = "rows = lambda x: [line.split() for line in x.splitlines() if line.startswith('billing')]"
KNOWN, NEVER, NOBODY = (
    "sum(int(r[5]) for r in rows(x) if r[5] != '-')",
    "sum(r[3] == '-' for r in rows(x))",
    "sum(r[6] == '-' for r in rows(x))",
)
WRITTEN, BOOKMARK = "12 * x.per_minute", "(x.deleted + x.polled - x.in_work)"
TOOL, LAG, LEAD, OLD = (
    f"{WRITTEN} - {BOOKMARK}",
    f"{WRITTEN} - x.deleted - x.polled",
    "x.polled",
    f"12 - {BOOKMARK} // x.per_minute",
)
WATCH = (
    "def watch(partitions):\n    unread, lost, alarm = 0, 0, []\n"
    "    for name, (start, committed, end) in partitions.items():\n        "
)
HERE = "here = start if committed is None else max(start, committed)\n        "
LOST = "lost += 0 if committed is None else here - committed\n        "
ALARM = (
    "if start > 0 and end > here and here - start < 100:\n            alarm.append(name)\n"
    "    return unread, lost, sorted(alarm)"
)
PLAYED = (
    "resets, skipped_records = {}, {}\nfor a, x in n.items():\n"
    "    one, read = slow_member(x.arrive, x.work, x.keep, x.reset)\n"
)
PAPER = "x.keep * x.arrive // (x.arrive - x.work)"

JUDGES = (
    Judge(
        id="11.1",
        truth=_table,
        right=(
            "right: a dash in one column says that nothing is committed, in the other that nobody "
            "reads."
        ),
        otherwise="not these three. Read the columns one by one: CURRENT-OFFSET, LAG, CONSUMER-ID.",
        wrong_answers=(
            WrongAnswer(
                "an unknown lag is the whole log",
                each(
                    _SEEN,
                    f"{KNOWN} + sum(int(r[4]) for r in rows(x) if r[5] == '-')",
                    NEVER,
                    NOBODY,
                    before=ROWS,
                ),
                "You took the log end where LAG has a dash. The tool cannot know: where the group "
                "would begin there is up to auto.offset.reset.",
            ),
            WrongAnswer(
                "nobody reads, so no lag",
                each(
                    _SEEN,
                    "sum(int(r[5]) for r in rows(x) if r[5] != '-' and r[6] != '-')",
                    NEVER,
                    NOBODY,
                    before=ROWS,
                ),
                "You left out the rows without a consumer. Their lag is as true as any: a bookmark "
                "and a log end are there.",
            ),
            WrongAnswer(
                "the two dashes exchanged",
                each(_SEEN, KNOWN, NOBODY, NEVER, before=ROWS),
                "You exchanged the two dashes. Under CURRENT-OFFSET it means never committed, "
                "under CONSUMER-ID that no member has the partition.",
            ),
            WrongAnswer(
                "every row with a dash",
                each(_SEEN, KNOWN, f"{NEVER} + {NOBODY}", NOBODY, before=ROWS),
                "You counted every row with a dash anywhere. Never committed are those with a dash "
                "under CURRENT-OFFSET.",
            ),
            WrongAnswer(
                "log ends added up",
                each(_SEEN, "sum(int(r[4]) for r in rows(x))", NEVER, NOBODY, before=ROWS),
                "You added up LOG-END-OFFSET. Lag is what lies between CURRENT-OFFSET and there.",
            ),
        ),
    ),
    Judge(
        id="11.2",
        truth=lambda case: dict(
            zip(
                _FOUR.split(),
                _distances(case["per_minute"], case["deleted"], case["polled"], case["in_work"]),
            )
        ),
        right="right: four marks on one line, and four ways to measure between them.",
        otherwise=(
            "not these four. Put the marks in order: log start {deleted}, then bookmark, position, "
            "log end."
        ),
        wrong_answers=(
            WrongAnswer(
                "one lag for both",
                each(_FOUR, TOOL, TOOL, LEAD, OLD),
                "You gave the client the tool's lag. The client measures from its position, and "
                "that is {in_work} records further on than the bookmark.",
            ),
            WrongAnswer(
                "the tool sees the position",
                each(_FOUR, LAG, LAG, LEAD, OLD),
                "You gave the tool the client's lag. The tool knows the bookmark only; the "
                "{in_work} records in work are not committed yet.",
            ),
            WrongAnswer(
                "lead from offset 0",
                each(_FOUR, TOOL, LAG, "x.deleted + x.polled", OLD),
                "You measured the lead from offset 0. The first {deleted} records are gone, and "
                "the log begins after them.",
            ),
            WrongAnswer(
                "more lag, less lead",
                each(_FOUR, TOOL, LAG, f"max(0, {LEAD} - ({LAG}))", OLD),
                "You took the lag off the lead. They look at different ends of the log: lag at its "
                "end, lead at its start.",
            ),
            WrongAnswer(
                "the last record read",
                each(_FOUR, f"{TOOL} - 1", f"{LAG} - 1", f"{LEAD} + 1", OLD),
                "You are off by one. A committed offset names the next record, not the last one "
                "that was read.",
            ),
            WrongAnswer(
                "lag over rate, rounded down",
                each(_FOUR, TOOL, LAG, LEAD, f"({TOOL}) // x.per_minute"),
                "You divided the lag by {per_minute} and rounded down. In which minute was the "
                "record at the bookmark written? It has waited since then.",
            ),
        ),
    ),
    Judge(
        id="11.3",
        truth=_bites,
        right="right: and from that minute on the lag looks better than it is.",
        otherwise="not this minute, or not this curve. Play it: slow_member, then first_reset.",
        wrong_answers=(
            WrongAnswer(
                "when retention begins",
                each("first_loss dashboard", "x.keep", "'zero' if x.reset == 'latest' else 'flat'"),
                "At minute {keep} retention begins to delete, and what it takes first has been "
                "read long ago. It has to catch up with the reader.",
            ),
            WrongAnswer(
                "on paper",
                each("first_loss dashboard", PAPER, "'zero' if x.reset == 'latest' else 'flat'"),
                "That is the minute on paper, when the records of {keep} minutes are used up. Real "
                "retention takes whole segments, and what was fetched is still delivered: play it.",
            ),
            WrongAnswer(
                "lag grows for ever",
                each("first_loss dashboard", PAPER, "'grows'"),
                "The lag cannot be larger than the log. Once retention takes unread records it "
                "stops growing, and that looks like recovery.",
            ),
            WrongAnswer(
                "never",
                each("first_loss dashboard", "None", "'grows'"),
                "{arrive} come and {work} are read each minute. The topic keeps {keep} minutes of "
                "them, and no more.",
            ),
        ),
    ),
    Judge(
        id="11.4",
        truth=_watching,
        hidden_cases=_unseen,
        right="right.",
        otherwise=(
            "in this story it says something else than it should. Go through its minutes: no "
            "bookmark, a bookmark before the log start, nothing to read, a log that begins at 0."
        ),
        unseen="with other members and other faults it says something else than it should.",
        wrong_answers=(
            WrongAnswer(
                "None is 0",
                WATCH
                + (
                    "committed = committed or 0\n        here = max(start, committed)\n"
                    "        unread += end - here\n        lost += here - committed\n        "
                )
                + ALARM,
                "You took a missing bookmark for 0, so all that is deleted counts as lost. Nobody "
                "had begun to read there.",
            ),
            WrongAnswer(
                "left out",
                WATCH
                + "if committed is None:\n            continue\n        "
                + HERE
                + "unread += end - here\n        "
                + LOST
                + ALARM,
                "You left out what was never committed. Those records are as unread as any, and "
                "the usual lag script does not see them.",
            ),
            WrongAnswer(
                "the deleted are unread",
                WATCH + HERE + "unread += end - (committed or 0)\n        " + LOST + ALARM,
                "You counted deleted records as unread. Nobody can read them any more; they are "
                "lost.",
            ),
            WrongAnswer(
                "an alarm for every young log",
                WATCH
                + HERE
                + "unread += end - here\n        "
                + LOST
                + ALARM.replace("start > 0 and ", ""),
                "You raise an alarm where the log still begins at 0. Little lead there only says "
                "that the log is young.",
            ),
            WrongAnswer(
                "an alarm for nothing",
                WATCH
                + HERE
                + "unread += end - here\n        "
                + LOST
                + ALARM.replace("end > here and ", ""),
                "You raise an alarm where everything is read. Retention may take it all then.",
            ),
            WrongAnswer(
                "an alarm on lag",
                WATCH
                + HERE
                + "unread += end - here\n        "
                + LOST
                + ALARM.replace("here - start < 100", "end - here > 100"),
                "Your alarm looks at the lag. What is in danger shows at the other end: the "
                "distance from the log start.",
            ),
        ),
    ),
    Judge(
        id="11.5",
        truth=_forgot,
        right="right: no bookmark there, and auto.offset.reset=latest went to the end.",
        otherwise=(
            "not this. Which partition had no bookmark, and at which offset did reading begin "
            "there?"
        ),
        wrong_answers=(
            WrongAnswer(
                "the one with the smallest offset",
                "first = [line for line in shown if 'Setting offset' in line][0]\n"
                "partition = first.split('partition ')[1].split(' ')[0]\n"
                "skipped = int(first.split('offset=')[1].split(',')[0])",
                "That partition goes on at its committed offset. What lies before it was read by "
                "the program before.",
            ),
            WrongAnswer(
                "lag 0, nothing skipped",
                "partition = [line for line in shown if 'Found' in line][0].split()[-1]\n"
                "skipped = 0",
                "The right partition. The lag is 0 because reading began at the log end; all "
                "before it was skipped.",
            ),
            WrongAnswer(
                "the word after partition",
                "partition = int([line for line in shown if 'Found' in line][0][-1])\n"
                "skipped = int([line for line in shown if 'Resetting' in "
                "line][0].split('offset=')[1].split(',')[0])",
                "Right, and write its whole name, as the lines do: topic, dash, number.",
            ),
        ),
    ),
    Judge(
        id="11.6",
        truth=_took,
        right="right: two lines for each loss, and nobody reads them at INFO.",
        otherwise="not these. Pair each out of range line with the reset that follows it.",
        wrong_answers=(
            WrongAnswer(
                "the first reset counts",
                PLAYED
                + (
                    "    resets[a], skipped_records[a] = len(moments(one, 'Resetting offset')), "
                    "never_read(one, read)"
                ),
                "The very first reset only says where a new group begins. Nothing was lost there.",
                says=lambda case: {**_took(case), "resets": _took(case)["resets"] + 1},
            ),
            WrongAnswer(
                "nothing lost",
                each("resets skipped_records", "0", "0"),
                "Each out of range line is a loss: the records between the old position and the "
                "new one.",
            ),
            WrongAnswer(
                "one loss",
                each("resets skipped_records", "1", "(x.arrive - x.work) * x.keep"),
                "With earliest the member falls out again and again, a little each time. Count all "
                "of them.",
            ),
        ),
    ),
    Judge(id="11.open"),
)
