"""Chapter 06, exactly once: the judges' half. Truths come from running labs, not from a formula."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

from autograder.cell.questions.ch06 import asked, day_of, life, workers
from autograder.course.answers import each
from autograder.course.judge import Judge, WrongAnswer
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition

# seeds of the story in which a batch really comes before its turn
GAPS = (3, 4, 9, 10, 12, 15, 16)


def _verdict(case: dict) -> str:
    """What Kafka's leader says to one batch (a test holds this
    against the simulator's own leader)."""
    known, (epoch, first, last) = case["known"], case["batch"]
    if known is not None and epoch < known[0]:
        return "fenced"
    if known is None:
        return "append"
    remembered = [tuple(pair) for pair in known[1]] if epoch == known[0] else []
    if (first, last) in remembered:
        return "duplicate"
    return (
        "append" if first == max((end + 1 for _, end in remembered), default=0) else "out of order"
    )


def _batches(rng: Random) -> list[dict]:
    """Batches near what is remembered, and plays of each story."""
    cases = []
    for _ in range(24):
        epoch, at, pairs = rng.randrange(3), rng.choice((0, rng.randrange(1, 90))), []
        for _ in range(rng.choice((1, 3, 5, 5))):
            pairs.append((at, at + rng.randrange(4)))
            at = pairs[-1][1] + 1
        first, last = rng.choice(
            [
                *pairs,
                (at, at + rng.randrange(3)),
                (at + 1, at + 2),
                (max(0, pairs[0][0] - 3), max(0, pairs[0][0] - 1)),
                (0, rng.randrange(3)),
            ]
        )
        known = None if rng.random() < 0.08 else (epoch, pairs)
        cases.append(
            asked("a batch", known, (max(0, epoch + rng.choice((-1, 0, 0, 0, 0, 1))), first, last))
        )
    return [
        *cases,
        {"seed": rng.randrange(10, 900), "story": "answers"},
        {"seed": rng.choice(GAPS), "story": "gap"},
        {"seed": rng.randrange(10, 900), "story": "zombie"},
    ]


@cache
def _readers(
    before: int, good: int, bad: int, unfinished: int, after: int
) -> tuple[int, int, int, int]:
    """High watermark, last stable offset, and what readers of the two levels get."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic("t")

    def write(producer: KafkaProducer, count: int) -> None:
        for future in [producer.send(ProducerRecord("t", value="tea")) for _ in range(count)]:
            future.get()

    plain = KafkaProducer(lab, {}, name="plain")
    write(plain, before)
    for name, count in (("good", good), ("bad", bad), ("unfinished", unfinished)):
        producer = KafkaProducer(lab, {"transactional.id": name}, name=name)
        producer.init_transactions()
        producer.begin_transaction()
        write(producer, count)
        if name == "good":
            producer.commit_transaction()
        elif name == "bad":
            producer.abort_transaction()
    write(plain, after)
    got = []
    for level in ("read_uncommitted", "read_committed"):
        reader = KafkaConsumer(
            lab, {"isolation.level": level, "auto.offset.reset": "earliest"}, name=level
        )
        reader.assign([TopicPartition("t", 0)])
        got.append(sum(len(list(reader.poll(timeout_ms=300))) for _ in range(3)))
    place = lab.at(lab.now_ms)["partitions"]["t-0"]
    return place["high_watermark"], place["last_stable_offset"], *got


def _two_readers(case: dict) -> dict:
    found = _readers(case["before"], case["good"], case["bad"], case["unfinished"], case["after"])
    return dict(zip(("high_watermark", "last_stable", "uncommitted", "committed"), found))


@cache
def _epoch(client: str, transactions: int, starts: int, ends_by: str) -> int:
    """The epoch that the last start gets."""
    lab = Lab(brokers=1, seed=5, version=client)
    lab.create_topic("t")
    for start in range(1, starts):
        producer = KafkaProducer(lab, {"transactional.id": "id"}, name=f"life {start}")
        producer.init_transactions()
        for _ in range(transactions):
            producer.begin_transaction()
            producer.send(ProducerRecord("t", value="v")).get()
            producer.commit_transaction()
        if ends_by == "close":
            producer.close()
            continue
        producer.begin_transaction()
        producer.send(ProducerRecord("t", value="v")).get()
        lab.kill(f"life {start}")
    KafkaProducer(lab, {"transactional.id": "id"}, name="last").init_transactions()
    return lab.at(lab.now_ms)["transactions"]["id"]["epoch"]


@cache
def _pair(shift: int) -> tuple[str, str, str]:
    """Who was fenced, who took over, and their transactional id, as the journal knows it."""
    lab = workers(shift)
    ids = {
        event.who: event.args["transactional.id"]
        for event in lab.journal.of("call")
        if event.name == "new KafkaProducer"
    }
    shared = next(id for id, count in Counter(ids.values()).items() if count == 2)
    broken = {
        event.who
        for event in lab.journal.of("state")
        if event.machine == "transaction manager"
        and event.after in ("ABORTABLE_ERROR", "FATAL_ERROR")
    }
    (fenced,), (heir,) = [
        [who for who, id in ids.items() if id == shared and (who in broken) is wanted]
        for wanted in (True, False)
    ]
    return fenced, heir, shared


@cache
def _repeats(day: int) -> tuple[int, int]:
    """Orders that stand twice: sent again by a producer without identity,
    sent again by a program."""
    seen: dict[str, list[int]] = {}
    for event in day_of(day).journal.of("record.appended"):
        if event.topic == "orders":
            for record in event.records:
                seen.setdefault(record.key, []).append(event.producer_id)
    twice = [ids for ids in seen.values() if len(ids) > 1]
    by_producer = sum(set(ids) == {-1} for ids in twice)
    return by_producer, len(twice) - by_producer


def _deaths(rng: Random) -> list[dict]:
    moments = [
        ("after", "commit_transaction", 1),
        ("after", "commit_transaction", 3),
        ("before", "commit_transaction", 2),
        ("after", "send", 2),
        ("after", "send", 5),
        ("after", "begin_transaction", 2),
    ]
    return [
        {
            **life("hidden", rng.randrange(10, 900), *rng.sample(moments, rng.choice((1, 2)))),
            "orders": rng.randrange(9, 16),
        }
        for _ in range(4)
    ]


RULE = "def verdict(known, batch):\n"
NEW = "    if known is None:\n        return 'append'\n"
OLD_EPOCH = "    if batch.epoch < known.epoch:\n        return 'fenced'\n"
NEXT_EPOCH = (
    "    if batch.epoch > known.epoch:\n"
    "        return 'append' if batch.first == 0 else 'out of order'\n"
)
REPEAT = "    if (batch.first, batch.last) in known.batches:\n        return 'duplicate'\n"
FOLLOWS = (
    "    return 'append' if batch.first == (known.batches[-1][1] + 1 if known.batches else 0) else "
    "'out of order'\n"
)
COPY = (
    "def copy(consumer, producer):\n    records = consumer.poll(timeout_ms=300)\n"
    "    if not records:\n        return\n"
)
SENDS = (
    "    producer.begin_transaction()\n    for record in records:\n"
    "        producer.send(ProducerRecord('parcels', key=record.key, value=record.value))\n"
)
PLACES = (
    "    places = {TopicPartition(record.topic, record.partition): "
    "OffsetAndMetadata(record.offset%s) for record in records}\n"
    "    producer.send_offsets_to_transaction(places, consumer.group_metadata())\n"
)
_GETS, _PAIR, _CAUSES = (
    "high_watermark last_stable uncommitted committed",
    "fenced heir shared_id",
    "by_producer by_program",
)
STABLE = "x.before + x.good + 1 + x.bad + 1"
END = f"{STABLE} + x.unfinished + x.after"
ALL = "x.before + x.good + x.bad + x.unfinished + x.after"
LINES = r"""
import re
def names(lines):
    return [re.search(r"clientId=(\S+), transactionalId=([^]]+)\] (.*)", line).groups() for line in lines]
def old(lines):
    return next(client for client, id, text in names(lines) if "fatal error" in text or "abortable error" in text)
def id_of(lines):
    return next(id for client, id, text in names(lines) if client == old(lines))
def new(lines):
    return next(client for client, id, text in names(lines) if id == id_of(lines) and client != old(lines))
def clumsy(lines):
    return next((client for client, id, text in names(lines) if text.startswith("Aborting") and id != id_of(lines)), None)
def own(lines):
    return next(id for client, id, text in names(lines) if id != id_of(lines))
"""  # noqa: E501
ROWS = r"""
import re
def rows(x):
    return [re.search(r"producerId: (-?\d+) .* key: (.*) payload", line).groups() for line in ledger(x.day)]
def twice(x):
    keys = [key for id, key in rows(x)]
    return sorted({key for key in keys if keys.count(key) > 1})
def plain(x):
    without = {key for id, key in rows(x) if id == "-1"}
    return [key for key in twice(x) if key in without]
"""  # noqa: E501

JUDGES = (
    Judge(
        id="06.1",
        truth=_verdict,
        hidden_cases=_batches,
        right="right.",
        otherwise=(
            "not this verdict. Look at the epoch first, then whether exactly this batch is "
            "remembered, then whether it is the next."
        ),
        unseen=(
            "your rule misjudges a batch. Look at the epoch first, then whether exactly this batch "
            "is remembered, then whether it is the next."
        ),
        wrong_answers=(
            WrongAnswer(
                "a gap is let through",
                RULE + NEW + OLD_EPOCH + NEXT_EPOCH + REPEAT + "    return 'append'\n",
                "You look for repeats only. A batch with a gap before it has overtaken another, "
                "and the order would be lost.",
            ),
            WrongAnswer(
                "a new epoch goes on counting",
                RULE + NEW + OLD_EPOCH + REPEAT + FOLLOWS,
                "With a new epoch the sequence begins again at 0. You go on from where the old "
                "epoch stopped.",
            ),
            WrongAnswer(
                "the epoch does not count",
                RULE + NEW + REPEAT + FOLLOWS,
                "You never look at the epoch. With an older one it is a zombie, however well the "
                "number fits; a newer one counts from 0.",
            ),
            WrongAnswer(
                "a repeat is an error",
                RULE + NEW + OLD_EPOCH + NEXT_EPOCH + FOLLOWS,
                "You refuse a repeat. Its record is safe in the log, and the producer only wants "
                "to hear so: success, not an error.",
            ),
            WrongAnswer(
                "every known number is a repeat",
                RULE
                + NEW
                + OLD_EPOCH
                + NEXT_EPOCH
                + (
                    "    if known.batches and batch.last <= known.batches[-1][1]:\n"
                    "        return 'duplicate'\n"
                )
                + FOLLOWS,
                "The leader remembers five batches. Of an older one it cannot say where it stands, "
                "so it may not answer with success.",
            ),
            WrongAnswer(
                "everything is written",
                RULE + "    return 'append'\n",
                "Whoever writes everything has an old broker: what is sent again stands twice, "
                "what comes too early overtakes, and zombies write.",
            ),
        ),
    ),
    Judge(
        id="06.2",
        truth=_two_readers,
        right=(
            "right: markers take offsets, and the unfinished transaction holds back all that comes "
            "after it."
        ),
        otherwise=(
            "not all of these four are right. Draw the log: records, a marker for each transaction "
            "that ended, and where the unfinished one begins."
        ),
        wrong_answers=(
            WrongAnswer(
                "markers take no offset",
                each(
                    _GETS, ALL, "x.before + x.good + x.bad", ALL, "x.before + x.good", numbers="n2"
                ),
                "The readers are right. But a COMMIT and an ABORT marker stand in the log as well, "
                "and each takes an offset.",
            ),
            WrongAnswer(
                "only the aborted are left out",
                each(_GETS, END, STABLE, ALL, "x.before + x.good + x.after", numbers="n2"),
                "What was written last is in no transaction. But it stands behind the unfinished "
                "one, and a reader of committed records waits there.",
            ),
            WrongAnswer(
                "nothing holds readers back",
                each(_GETS, END, END, ALL, "x.before + x.good + x.after", numbers="n2"),
                "You let the last stable offset go up to the high watermark. The unfinished "
                "transaction stops it where it begins.",
            ),
            WrongAnswer(
                "the readers are right, the point is not",
                each(_GETS, END, END, ALL, "x.before + x.good", numbers="n2"),
                "Your readers are right. The offset at which one of them has to stop is not the "
                "end of the log: it is where the open transaction begins.",
            ),
            WrongAnswer(
                "only one marker",
                each(_GETS, f"{END} - 1", f"{STABLE} - 1", ALL, "x.before + x.good", numbers="n2"),
                "You counted one marker. Two transactions have ended, and it does not matter how: "
                "each has left one.",
            ),
            WrongAnswer(
                "an open transaction has a marker",
                each(_GETS, f"{END} + 1", STABLE, ALL, "x.before + x.good", numbers="n2"),
                "Three markers are one too many. The third transaction is still open, and so "
                "nothing has been written to end it.",
            ),
            WrongAnswer(
                "markers at the end only",
                each(
                    _GETS, END, "x.before + x.good + x.bad", ALL, "x.before + x.good", numbers="n2"
                ),
                "With markers the log is as long as you say. But they stand in front of the open "
                "transaction, so this one begins later, too.",
            ),
            WrongAnswer(
                "aborted records are gone",
                each(
                    _GETS,
                    END,
                    STABLE,
                    "x.before + x.good + x.unfinished + x.after",
                    "x.before + x.good",
                    numbers="n2",
                ),
                "Nobody takes aborted records out of the log. A reader of the level "
                "read_uncommitted gets them.",
            ),
            WrongAnswer(
                "only what was in a transaction",
                each(_GETS, END, STABLE, ALL, "x.good", numbers="n2"),
                "A reader of committed records also gets what was written without a transaction, "
                "here the {before} records before it.",
            ),
            WrongAnswer(
                "markers are records",
                each(_GETS, END, STABLE, END, "x.before + x.good + 1", numbers="n2"),
                "You counted markers as records. They take an offset, and no application is ever "
                "given one.",
            ),
        ),
    ),
    Judge(
        id="06.3",
        truth=lambda case: {
            "epoch": _epoch(case["client"], case["transactions"], case["starts"], case["ends_by"])
        },
        right=(
            "right: starts up to 3.9, transactions from 4.0 on, and one more where somebody has to "
            "be fenced out of an open one."
        ),
        otherwise="not this epoch. Let epoch_after run it, and change one number at a time.",
        wrong_answers=(
            WrongAnswer(
                "a start is a step",
                each("epoch", "x.starts - 1", numbers="n3"),
                "You counted the starts after the first. Here more than that raises the epoch: the "
                "version is {client}, the end {ends_by}.",
            ),
            WrongAnswer(
                "every transaction is a step",
                each(
                    "epoch",
                    "(x.starts - 1) * (x.transactions + (1 if x.ends_by == 'close' else 2))",
                    numbers="n3",
                ),
                "With a client of 3.9 a transaction does not raise the epoch; with 4.4 it does. "
                "This one is {client}.",
            ),
            WrongAnswer(
                "kill -9 is like close",
                each(
                    "epoch",
                    "(x.starts - 1) * (1 if x.client == '3.9' else x.transactions + 1)",
                    numbers="n3",
                ),
                "kill -9 left a transaction open. Who comes next has the old one fenced with an "
                "epoch of its own, to abort that, and then gets the next.",
            ),
            WrongAnswer(
                "the first is 1",
                each(
                    "epoch",
                    "1 + (x.starts - 1) * ((0 if x.client == '3.9' else x.transactions) + (1 if "
                    "x.ends_by == 'close' else 2))",
                    numbers="n3",
                ),
                "One too many: the first start gets epoch 0.",
            ),
        ),
    ),
    Judge(
        id="06.4",
        truth=lambda case: dict(zip(("fenced", "heir", "shared_id"), _pair(case["shift"]))),
        right="right: one name, two producers, and the later one wins.",
        otherwise=(
            "not all of these three are right. Which transactional id stands beside two clients, "
            "and which of the two came later?"
        ),
        wrong_answers=(
            WrongAnswer(
                "the newcomer was fenced",
                each(_PAIR, "new(x)", "old(x)", "id_of(x)", numbers="n4", before=LINES),
                "The other way round. Who calls init_transactions later gets the higher epoch, and "
                "who has the lower one is fenced.",
            ),
            WrongAnswer(
                "who aborts is the zombie",
                each(
                    _PAIR, "clumsy(x) or new(x)", "new(x)", "id_of(x)", numbers="n4", before=LINES
                ),
                "To abort is a right of every producer, and it went on afterwards. Look for the "
                "one who hears of a newer producer.",
            ),
            WrongAnswer(
                "the wrong id",
                each(_PAIR, "old(x)", "new(x)", "own(x)", numbers="n4", before=LINES),
                "The two workers are right. Their id is the one that stands behind "
                "transactionalId= in the lines of both.",
            ),
        ),
    ),
    Judge(
        id="06.5",
        hidden_cases=_deaths,
        unseen=(
            "some orders were packed twice or not at all when the program died at another moment. "
            "Parcels and places must be decided together."
        ),
        wrong_answers=(
            WrongAnswer(
                "the offset afterwards",
                COPY + SENDS + "    producer.commit_transaction()\n    consumer.commit_sync()\n",
                "That is the colleague's loop. Between commit_transaction and commit_sync the "
                "parcels count, and the place does not yet.",
            ),
            WrongAnswer(
                "the offset first",
                COPY
                + "    consumer.commit_sync()\n"
                + SENDS
                + "    producer.commit_transaction()\n",
                "You note the place first. Whoever dies between the two has lost the orders: at "
                "most once.",
            ),
            WrongAnswer(
                "no offset at all",
                COPY + SENDS + "    producer.commit_transaction()\n",
                "Nobody notes a place, so every new process begins at the beginning.",
            ),
            WrongAnswer(
                "the offset of the last record",
                COPY + SENDS + PLACES % "" + "    producer.commit_transaction()\n",
                "What is noted is the next offset to read. You noted the last one that was read, "
                "so it is read again.",
            ),
            WrongAnswer(
                "one partition's place",
                COPY
                + SENDS
                + (
                    "    place = TopicPartition(record.topic, record.partition)\n"
                    "    next_one = OffsetAndMetadata(record.offset + 1)\n"
                    "    producer.send_offsets_to_transaction({place: next_one}, "
                    "consumer.group_metadata())\n    producer.commit_transaction()\n"
                ),
                "You note a place for the last record's partition only. When a poll brings two "
                "partitions, the other one is read again by the next process.",
            ),
            WrongAnswer(
                "two transactions",
                COPY
                + SENDS
                + "    producer.commit_transaction()\n    producer.begin_transaction()\n"
                + PLACES % " + 1"
                + "    producer.commit_transaction()\n",
                "You made two transactions, one for the parcels and one for the places. Between "
                "them is the same gap as before.",
            ),
        ),
    ),
    Judge(
        id="06.6",
        truth=lambda case: dict(zip(("by_producer", "by_program"), _repeats(case["day"]))),
        right=(
            "right: the producer without an identity repeats itself; a new process repeats what "
            "its predecessor did."
        ),
        otherwise=(
            "not these two. Take the keys that stand twice, and compare the producer ids of the "
            "two."
        ),
        wrong_answers=(
            WrongAnswer(
                "the network did it all",
                each(_CAUSES, "len(twice(x))", "0", numbers="n6", before=ROWS),
                "You gave all repeats to the producers. Some of the pairs have two different "
                "producer ids: no producer sends under another's.",
            ),
            WrongAnswer(
                "programs did it all",
                each(_CAUSES, "0", "len(twice(x))", numbers="n6", before=ROWS),
                "You gave all repeats to the programs. Where both have -1, nobody started anew: "
                "shop-a's producer had no answer and could not be recognised.",
            ),
            WrongAnswer(
                "the same three numbers",
                each(
                    _CAUSES,
                    "sum(id == '-1' for id, key in rows(x))",
                    "0",
                    numbers="n6",
                    before=ROWS,
                ),
                "You grouped by producer id, epoch and sequence. All records of shop-a have -1 "
                "three times, so they all look alike; and no others do.",
            ),
            WrongAnswer(
                "both copies counted",
                each(
                    _CAUSES,
                    "2 * len(plain(x))",
                    "2 * (len(twice(x)) - len(plain(x)))",
                    numbers="n6",
                    before=ROWS,
                ),
                "You counted records. An order that stands twice is one order.",
            ),
            WrongAnswer(
                "the other way round",
                each(
                    _CAUSES,
                    "len(twice(x)) - len(plain(x))",
                    "len(plain(x))",
                    numbers="n6",
                    before=ROWS,
                ),
                "The other way round: -1 twice is one producer that sent a batch again, two "
                "different ids are two lives of a program.",
            ),
        ),
    ),
    Judge(id="06.open"),
)
