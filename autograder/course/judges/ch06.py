# Generated from notebooks/exercises/06; edit those files and run
# `python -m autograder course 06`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 06's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% 06.1
from autograder.cell.questions.ch06 import asked
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.course.judge import Judge

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


JUDGE_06_1 = Judge(
    id="06.1",
    wrong_answers=(
        WrongAnswer(
            name="a gap is let through",
            sentence="You look for repeats only. A batch with a gap before it has overtaken another, and the order would be lost.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if batch.epoch > known.epoch:\n"
                "        return \"append\" if batch.first == 0 else \"out of order\"\n"
                "    if (batch.first, batch.last) in known.batches:\n"
                "        return \"duplicate\"\n"
                "    return \"append\""
            ),
        ),
        WrongAnswer(
            name="a new epoch begins anywhere",
            sentence="You write any first batch of a new epoch. Its numbers begin at 0; any other number has a gap before it.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if batch.epoch > known.epoch:\n"
                "        return \"append\"\n"
                "    if (batch.first, batch.last) in known.batches:\n"
                "        return \"duplicate\"\n"
                "    follows = known.batches[-1][1] + 1 if known.batches else 0\n"
                "    return \"append\" if batch.first == follows else \"out of order\""
            ),
        ),
        WrongAnswer(
            name="a new epoch goes on counting",
            sentence="With a new epoch the sequence begins again at 0. You continue where the old epoch stopped.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if (batch.first, batch.last) in known.batches:\n"
                "        return \"duplicate\"\n"
                "    return (\n"
                "        \"append\"\n"
                "        if batch.first == (known.batches[-1][1] + 1 if known.batches else 0)\n"
                "        else \"out of order\"\n"
                "    )"
            ),
        ),
        WrongAnswer(
            name="the epoch does not count",
            sentence="You never look at the epoch. With an older one it is a zombie, also when the number fits. A newer one counts from 0.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if (batch.first, batch.last) in known.batches:\n"
                "        return \"duplicate\"\n"
                "    return (\n"
                "        \"append\"\n"
                "        if batch.first == (known.batches[-1][1] + 1 if known.batches else 0)\n"
                "        else \"out of order\"\n"
                "    )"
            ),
        ),
        WrongAnswer(
            name="a repeat is an error",
            sentence="You refuse a repeat. Its record is safe in the log, and the producer only wants to hear so: success, not an error.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if batch.epoch > known.epoch:\n"
                "        return \"append\" if batch.first == 0 else \"out of order\"\n"
                "    return (\n"
                "        \"append\"\n"
                "        if batch.first == (known.batches[-1][1] + 1 if known.batches else 0)\n"
                "        else \"out of order\"\n"
                "    )"
            ),
        ),
        WrongAnswer(
            name="every known number is a repeat",
            sentence="The leader remembers five batches. It does not know the offset of an older one, so it cannot answer with success.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if batch.epoch > known.epoch:\n"
                "        return \"append\" if batch.first == 0 else \"out of order\"\n"
                "    if known.batches and batch.last <= known.batches[-1][1]:\n"
                "        return \"duplicate\"\n"
                "    return (\n"
                "        \"append\"\n"
                "        if batch.first == (known.batches[-1][1] + 1 if known.batches else 0)\n"
                "        else \"out of order\"\n"
                "    )"
            ),
        ),
        WrongAnswer(
            name="an unknown id must begin at 0",
            sentence="From 2.5 on a producer that the leader has never met may begin anywhere: its old batches may have been deleted.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\" if batch.first == 0 else \"out of order\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if batch.epoch > known.epoch:\n"
                "        return \"append\" if batch.first == 0 else \"out of order\"\n"
                "    if (batch.first, batch.last) in known.batches:\n"
                "        return \"duplicate\"\n"
                "    follows = known.batches[-1][1] + 1 if known.batches else 0\n"
                "    return \"append\" if batch.first == follows else \"out of order\""
            ),
        ),
        WrongAnswer(
            name="duplicate before epoch",
            sentence="You look at the batches before the epoch. A zombie that repeats an old batch then hears of success. Look at the epoch first.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if (batch.first, batch.last) in known.batches:\n"
                "        return \"duplicate\" if batch.epoch <= known.epoch else \"append\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if batch.epoch > known.epoch:\n"
                "        return \"append\" if batch.first == 0 else \"out of order\"\n"
                "    follows = known.batches[-1][1] + 1 if known.batches else 0\n"
                "    return \"append\" if batch.first == follows else \"out of order\""
            ),
        ),
        WrongAnswer(
            name="any other epoch is fenced",
            sentence="A *higher* epoch is the new owner of the id. Only a lower one is fenced.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if batch.epoch != known.epoch:\n"
                "        return \"fenced\"\n"
                "    if (batch.first, batch.last) in known.batches:\n"
                "        return \"duplicate\"\n"
                "    follows = known.batches[-1][1] + 1 if known.batches else 0\n"
                "    return \"append\" if batch.first == follows else \"out of order\""
            ),
        ),
        WrongAnswer(
            name="the last number and not the next",
            sentence="A batch follows when its first number is one *after* the last known number. You forgot the + 1.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if batch.epoch > known.epoch:\n"
                "        return \"append\" if batch.first == 0 else \"out of order\"\n"
                "    if (batch.first, batch.last) in known.batches:\n"
                "        return \"duplicate\"\n"
                "    follows = known.batches[-1][1] if known.batches else 0\n"
                "    return \"append\" if batch.first == follows else \"out of order\""
            ),
        ),
        WrongAnswer(
            name="only the first number is compared",
            sentence="You compare only the first number. A batch that begins like a remembered one and is longer is not the same batch.",
            source=(
                "def verdict(known, batch):\n"
                "    if known is None:\n"
                "        return \"append\"\n"
                "    if batch.epoch < known.epoch:\n"
                "        return \"fenced\"\n"
                "    if batch.epoch > known.epoch:\n"
                "        return \"append\" if batch.first == 0 else \"out of order\"\n"
                "    if batch.first in [first for first, _ in known.batches]:\n"
                "        return \"duplicate\"\n"
                "    follows = known.batches[-1][1] + 1 if known.batches else 0\n"
                "    return \"append\" if batch.first == follows else \"out of order\""
            ),
        ),
        WrongAnswer(
            name="everything is written",
            sentence="A leader that writes everything stores repeats, gaps and zombies. That is a broker from before 0.11.",
            source=(
                "def verdict(known, batch):\n"
                "    return \"append\""
            ),
        ),
    ),
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
)


# %% 06.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


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


JUDGE_06_2 = Judge(
    id="06.2",
    wrong_answers=(
        WrongAnswer(
            name="markers take no offset",
            sentence="The readers are right. But a COMMIT and an ABORT marker are in the log as well, and each takes an offset.",
            source=(
                "high_watermark = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "last_stable = {a: x.before + x.good + x.bad for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="only the aborted are left out",
            sentence="What was written last is in no transaction. But it is behind the unfinished one, and a reader of committed records waits there.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good + x.after for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="nothing holds readers back",
            sentence="You let the last stable offset go up to the high watermark. The unfinished transaction stops it where it begins.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good + x.after for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="the readers are right, the point is not",
            sentence="Your readers are right. The offset at which one of them has to stop is not the end of the log: it is where the open transaction begins.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="only one marker",
            sentence="You counted one marker. Two transactions have ended, and it does not matter how: each has left one.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after - 1 for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 - 1 for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="an open transaction has a marker",
            sentence="Three markers are one too many. The third transaction is still open, and so nothing has been written to end it.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after + 1 for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="markers at the end only",
            sentence="With markers the log is as long as you say. But they are in front of the open transaction, so this one begins later, too.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + x.bad for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="aborted records are gone",
            sentence="Aborted records stay in the log. A reader of the level read_uncommitted gets them.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="only what was in a transaction",
            sentence="A reader of committed records also gets what was written without a transaction, here the {before} records before it.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.good for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="markers are records",
            sentence="You counted markers as records. They take an offset, and no application is ever given one.",
            source=(
                "high_watermark = {\n"
                "    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()\n"
                "}\n"
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good + 1 for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="the markers are read",
            sentence="read_uncommitted gets every *record*, also aborted ones. The two markers are no records: the consumer leaves them out.",
            source=(
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "high_watermark = {a: last_stable[a] + x.unfinished + x.after for a, x in n2.items()}\n"
                "uncommitted = {a: high_watermark[a] - 2 for a in n2}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}\n"
                "uncommitted = dict(high_watermark)"
            ),
        ),
        WrongAnswer(
            name="the last record",
            sentence="The high watermark is the offset *behind* the last record, not the last record's own.",
            source=(
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "high_watermark = {a: last_stable[a] + x.unfinished + x.after for a, x in n2.items()}\n"
                "uncommitted = {a: high_watermark[a] - 2 for a in n2}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}\n"
                "high_watermark = {a: high_watermark[a] - 1 for a in n2}"
            ),
        ),
        WrongAnswer(
            name="the last stable record",
            sentence="The last stable offset is where the open transaction *begins*, so one behind the last marker.",
            source=(
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "high_watermark = {a: last_stable[a] + x.unfinished + x.after for a, x in n2.items()}\n"
                "uncommitted = {a: high_watermark[a] - 2 for a in n2}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}\n"
                "last_stable = {a: last_stable[a] - 1 for a in n2}"
            ),
        ),
        WrongAnswer(
            name="offsets and not records",
            sentence="That is the last stable offset, so it counts offsets. A read_committed reader gets neither markers nor aborted records.",
            source=(
                "last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}\n"
                "high_watermark = {a: last_stable[a] + x.unfinished + x.after for a, x in n2.items()}\n"
                "uncommitted = {a: high_watermark[a] - 2 for a in n2}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}\n"
                "committed = dict(last_stable)"
            ),
        ),
    ),
    truth=_two_readers,
    right=(
        "right: markers take offsets, and the unfinished transaction holds back all that comes "
        "after it."
    ),
    otherwise=(
        "not all of these four are right. Draw the log: records, a marker for each transaction "
        "that ended, and where the unfinished one begins."
    ),
)


# %% 06.3
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import PROFILES, KafkaProducer, Lab, ProducerRecord


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


def _why_this_epoch(case: dict) -> str:
    own_epochs = PROFILES[case["client"]].transacting.speaks_transaction_v2
    counted = "starts and transactions" if own_epochs else "starts"
    if case["ends_by"] == "close":
        return f"right: client {case['client']} counts {counted}."
    return f"right: client {case['client']} counts {counted}, and one more after a kill in an open transaction."


JUDGE_06_3 = Judge(
    id="06.3",
    wrong_answers=(
        WrongAnswer(
            name="a start is a step",
            sentence="You counted only the starts after the first. Something else raises this epoch, too. The version is {client}, the end {ends_by}.",
            source=(
                "epoch = {a: x.starts - 1 for a, x in n3.items()}"
            ),
        ),
        WrongAnswer(
            name="every transaction is a step",
            sentence="With a client of 3.9 a transaction does not raise the epoch; with 4.4 it does. This one is {client}.",
            source=(
                "epoch = {\n"
                "    a: (x.starts - 1) * (x.transactions + (1 if x.ends_by == \"close\" else 2)) for a, x in n3.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="kill -9 is like close",
            sentence="kill -9 left a transaction open. The next start first raises the epoch to fence the old process and abort. Then it gets the next epoch.",
            source=(
                "epoch = {\n"
                "    a: (x.starts - 1) * (1 if x.client == \"3.9\" else x.transactions + 1) for a, x in n3.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="the first is 1",
            sentence="One too many: the first start gets epoch 0.",
            source=(
                "epoch = {\n"
                "    a: 1\n"
                "    + (x.starts - 1)\n"
                "    * ((0 if x.client == \"3.9\" else x.transactions) + (1 if x.ends_by == \"close\" else 2))\n"
                "    for a, x in n3.items()\n"
                "}"
            ),
        ),
    ),
    truth=lambda case: {
        "epoch": _epoch(case["client"], case["transactions"], case["starts"], case["ends_by"])
    },
    right=_why_this_epoch,
    otherwise="not this epoch. Let epoch_after run it, and change one number at a time.",
)


# %% 06.4
from autograder.cell.questions.ch06 import workers
from autograder.course.judge import WrongAnswer
from collections import Counter
from functools import cache

from autograder.course.judge import Judge


@cache
def _pair(shift: int) -> tuple[str, str, int]:
    """Who was fenced, who took over, and their producer id, as journal and lines know it."""
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
    told = next(
        line.message
        for line in lab.lines().itertuples()
        if f"clientId={heir}," in line.message and "ProducerId set to" in line.message
    )
    return fenced, heir, int(told.split("ProducerId set to ")[1].split()[0])


JUDGE_06_4 = Judge(
    id="06.4",
    wrong_answers=(
        WrongAnswer(
            name="the newcomer was fenced",
            sentence="The other way round. Who calls init_transactions later gets the higher epoch, and who has the lower one is fenced.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def given(lines):\n"
                "    \"\"\"(client, producer id, epoch) of each line that gives one.\"\"\"\n"
                "    pattern = r\"clientId=(\\S+)\\] ProducerId set to (\\d+) with epoch (\\d+)\"\n"
                "    found = [re.search(pattern, line) for line in lines]\n"
                "    return [(each[1], int(each[2]), int(each[3])) for each in found if each]\n"
                "\n"
                "\n"
                "def id_of(lines):\n"
                "    ids = [id for client, id, epoch in given(lines)]\n"
                "    return next(id for id in ids if ids.count(id) == 2)\n"
                "\n"
                "\n"
                "def old(lines):\n"
                "    return min((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def new(lines):\n"
                "    return max((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def epoch_of(lines):\n"
                "    return max(epoch for client, id, epoch in given(lines))\n"
                "\n"
                "\n"
                "def clumsy(lines):\n"
                "    return next(re.search(r\"clientId=(\\S+)\\]\", line)[1] for line in lines if \"Aborting\" in line)\n"
                "\n"
                "\n"
                "def others(lines):\n"
                "    return sorted({id for client, id, epoch in given(lines)} - {id_of(lines)})\n"
                "fenced = {a: new(x) for a, x in n4.items()}\n"
                "heir = {a: old(x) for a, x in n4.items()}\n"
                "producer_id = {a: id_of(x) for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="who aborts is the zombie",
            sentence="Every producer may abort. This worker continued afterwards, and nobody else has its producer id.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def given(lines):\n"
                "    \"\"\"(client, producer id, epoch) of each line that gives one.\"\"\"\n"
                "    pattern = r\"clientId=(\\S+)\\] ProducerId set to (\\d+) with epoch (\\d+)\"\n"
                "    found = [re.search(pattern, line) for line in lines]\n"
                "    return [(each[1], int(each[2]), int(each[3])) for each in found if each]\n"
                "\n"
                "\n"
                "def id_of(lines):\n"
                "    ids = [id for client, id, epoch in given(lines)]\n"
                "    return next(id for id in ids if ids.count(id) == 2)\n"
                "\n"
                "\n"
                "def old(lines):\n"
                "    return min((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def new(lines):\n"
                "    return max((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def epoch_of(lines):\n"
                "    return max(epoch for client, id, epoch in given(lines))\n"
                "\n"
                "\n"
                "def clumsy(lines):\n"
                "    return next(re.search(r\"clientId=(\\S+)\\]\", line)[1] for line in lines if \"Aborting\" in line)\n"
                "\n"
                "\n"
                "def others(lines):\n"
                "    return sorted({id for client, id, epoch in given(lines)} - {id_of(lines)})\n"
                "fenced = {a: clumsy(x) for a, x in n4.items()}\n"
                "heir = {a: new(x) for a, x in n4.items()}\n"
                "producer_id = {a: id_of(x) for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="the epoch for the id",
            sentence="That is the epoch, the heir's number of the same identity. The producer id is the number before it, and both workers have it.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def given(lines):\n"
                "    \"\"\"(client, producer id, epoch) of each line that gives one.\"\"\"\n"
                "    pattern = r\"clientId=(\\S+)\\] ProducerId set to (\\d+) with epoch (\\d+)\"\n"
                "    found = [re.search(pattern, line) for line in lines]\n"
                "    return [(each[1], int(each[2]), int(each[3])) for each in found if each]\n"
                "\n"
                "\n"
                "def id_of(lines):\n"
                "    ids = [id for client, id, epoch in given(lines)]\n"
                "    return next(id for id in ids if ids.count(id) == 2)\n"
                "\n"
                "\n"
                "def old(lines):\n"
                "    return min((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def new(lines):\n"
                "    return max((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def epoch_of(lines):\n"
                "    return max(epoch for client, id, epoch in given(lines))\n"
                "\n"
                "\n"
                "def clumsy(lines):\n"
                "    return next(re.search(r\"clientId=(\\S+)\\]\", line)[1] for line in lines if \"Aborting\" in line)\n"
                "\n"
                "\n"
                "def others(lines):\n"
                "    return sorted({id for client, id, epoch in given(lines)} - {id_of(lines)})\n"
                "fenced = {a: old(x) for a, x in n4.items()}\n"
                "heir = {a: new(x) for a, x in n4.items()}\n"
                "producer_id = {a: epoch_of(x) for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="another worker's id",
            sentence="The two workers are right. Compare what `ProducerId set to` says for both: it is one number.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def given(lines):\n"
                "    \"\"\"(client, producer id, epoch) of each line that gives one.\"\"\"\n"
                "    pattern = r\"clientId=(\\S+)\\] ProducerId set to (\\d+) with epoch (\\d+)\"\n"
                "    found = [re.search(pattern, line) for line in lines]\n"
                "    return [(each[1], int(each[2]), int(each[3])) for each in found if each]\n"
                "\n"
                "\n"
                "def id_of(lines):\n"
                "    ids = [id for client, id, epoch in given(lines)]\n"
                "    return next(id for id in ids if ids.count(id) == 2)\n"
                "\n"
                "\n"
                "def old(lines):\n"
                "    return min((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def new(lines):\n"
                "    return max((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def epoch_of(lines):\n"
                "    return max(epoch for client, id, epoch in given(lines))\n"
                "\n"
                "\n"
                "def clumsy(lines):\n"
                "    return next(re.search(r\"clientId=(\\S+)\\]\", line)[1] for line in lines if \"Aborting\" in line)\n"
                "\n"
                "\n"
                "def others(lines):\n"
                "    return sorted({id for client, id, epoch in given(lines)} - {id_of(lines)})\n"
                "fenced = {a: old(x) for a, x in n4.items()}\n"
                "heir = {a: new(x) for a, x in n4.items()}\n"
                "producer_id = {a: others(x)[0] for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="the last worker's id",
            sentence="The two workers are right. Compare what `ProducerId set to` says for both: it is one number.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def given(lines):\n"
                "    \"\"\"(client, producer id, epoch) of each line that gives one.\"\"\"\n"
                "    pattern = r\"clientId=(\\S+)\\] ProducerId set to (\\d+) with epoch (\\d+)\"\n"
                "    found = [re.search(pattern, line) for line in lines]\n"
                "    return [(each[1], int(each[2]), int(each[3])) for each in found if each]\n"
                "\n"
                "\n"
                "def id_of(lines):\n"
                "    ids = [id for client, id, epoch in given(lines)]\n"
                "    return next(id for id in ids if ids.count(id) == 2)\n"
                "\n"
                "\n"
                "def old(lines):\n"
                "    return min((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def new(lines):\n"
                "    return max((epoch, client) for client, id, epoch in given(lines) if id == id_of(lines))[1]\n"
                "\n"
                "\n"
                "def epoch_of(lines):\n"
                "    return max(epoch for client, id, epoch in given(lines))\n"
                "\n"
                "\n"
                "def clumsy(lines):\n"
                "    return next(re.search(r\"clientId=(\\S+)\\]\", line)[1] for line in lines if \"Aborting\" in line)\n"
                "\n"
                "\n"
                "def others(lines):\n"
                "    return sorted({id for client, id, epoch in given(lines)} - {id_of(lines)})\n"
                "fenced = {a: old(x) for a, x in n4.items()}\n"
                "heir = {a: new(x) for a, x in n4.items()}\n"
                "producer_id = {a: others(x)[-1] for a, x in n4.items()}"
            ),
        ),
    ),
    truth=lambda case: dict(zip(("fenced", "heir", "producer_id"), _pair(case["shift"]))),
    right="right: one transactional.id is one producer id; the later one has the higher epoch.",
    otherwise=(
        "not all of these three are right. Which producer id was given to two clients, and which "
        "of the two has the higher epoch?"
    ),
)


# %% 06.5
from autograder.cell.questions.ch06 import life
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.course.judge import Judge


def _deaths(rng: Random) -> list[dict]:
    moments = [
        ("after", "commit_transaction", 1),
        ("after", "commit_transaction", 3),
        ("before", "commit_transaction", 2),
        ("after", "send", 2),
        ("after", "send", 5),
        ("after", "begin_transaction", 2),
    ]
    away = {
        **life("hidden", rng.randrange(10, 900), ("network away", "send", rng.choice((4, 7)))),
        "orders": rng.randrange(24, 29),
    }
    return [
        away,
        *(
            {
                **life("hidden", rng.randrange(10, 900), *rng.sample(moments, rng.choice((1, 2)))),
                "orders": rng.randrange(9, 16),
            }
            for _ in range(4)
        ),
    ]


JUDGE_06_5 = Judge(
    id="06.5",
    wrong_answers=(
        WrongAnswer(
            name="the offset afterwards",
            sentence="This is the loop from production. Between commit_transaction and commit_sync the parcels are committed and the offsets are not.",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    producer.begin_transaction()\n"
                "    for record in records:\n"
                "        producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "    producer.commit_transaction()\n"
                "    consumer.commit_sync()"
            ),
        ),
        WrongAnswer(
            name="aborts and continues",
            sentence="After a failed commit you abort and poll on. The consumer's position has moved, so these orders are skipped. Seek back to the committed offsets, or let the error end the process.",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    producer.begin_transaction()\n"
                "    try:\n"
                "        for record in records:\n"
                "            producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "        offsets = {\n"
                "            TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset + 1)\n"
                "            for record in records\n"
                "        }\n"
                "        producer.send_offsets_to_transaction(offsets, consumer.group_metadata())\n"
                "        producer.commit_transaction()\n"
                "    except KafkaException:\n"
                "        producer.abort_transaction()"
            ),
        ),
        WrongAnswer(
            name="the offset first",
            sentence="You commit the offset first. A process that dies between the two has lost the orders: at most once.",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    consumer.commit_sync()\n"
                "    producer.begin_transaction()\n"
                "    for record in records:\n"
                "        producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "    producer.commit_transaction()"
            ),
        ),
        WrongAnswer(
            name="no offset at all",
            sentence="No offset is committed for the group `packing`, so every new process begins at the beginning. If you gave a group as a text: take consumer.group_metadata().",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    producer.begin_transaction()\n"
                "    for record in records:\n"
                "        producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "    producer.commit_transaction()"
            ),
        ),
        WrongAnswer(
            name="the offset of the last record",
            sentence="The committed offset is the *next* one to read. You gave the last one that was read, so it is read again.",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    producer.begin_transaction()\n"
                "    for record in records:\n"
                "        producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "    offsets = {\n"
                "        TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset)\n"
                "        for record in records\n"
                "    }\n"
                "    producer.send_offsets_to_transaction(offsets, consumer.group_metadata())\n"
                "    producer.commit_transaction()"
            ),
        ),
        WrongAnswer(
            name="one partition's offset",
            sentence="You commit an offset for the last record's partition only. When a poll brings two partitions, the other one is read again by the next process.",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    producer.begin_transaction()\n"
                "    for record in records:\n"
                "        producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "    partition = TopicPartition(record.topic, record.partition)\n"
                "    next_one = OffsetAndMetadata(record.offset + 1)\n"
                "    producer.send_offsets_to_transaction({partition: next_one}, consumer.group_metadata())\n"
                "    producer.commit_transaction()"
            ),
        ),
        WrongAnswer(
            name="two transactions",
            sentence="You made two transactions, one for the parcels and one for the offsets. A process can die between them.",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    producer.begin_transaction()\n"
                "    for record in records:\n"
                "        producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "    producer.commit_transaction()\n"
                "    producer.begin_transaction()\n"
                "    offsets = {\n"
                "        TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset + 1)\n"
                "        for record in records\n"
                "    }\n"
                "    producer.send_offsets_to_transaction(offsets, consumer.group_metadata())\n"
                "    producer.commit_transaction()"
            ),
        ),
    ),
    hidden_cases=_deaths,
    unseen=(
        "some orders were packed twice or not at all when something failed at another moment. "
        "Parcels and offsets belong into one transaction."
    ),
)


# %% 06.6
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.exactly_once import day_of


@cache
def _repeats(day: int) -> tuple[int, int, int]:
    """Orders that are in the log twice: sent again by a producer without identity, sent again by a
    program; and the longest way from a record to its repeat, in records."""
    seen: dict[str, list[tuple[int, int]]] = {}
    for event in day_of(day).journal.of("record.appended"):
        if event.topic == "orders":
            for place, record in enumerate(event.records):
                copy = event.producer_id, event.base_offset + place
                seen.setdefault(record.key, []).append(copy)
    twice = [copies for copies in seen.values() if len(copies) > 1]
    by_producer = sum({id for id, _ in copies} == {-1} for copies in twice)
    apart = max(copies[1][1] - copies[0][1] for copies in twice)
    return by_producer, len(twice) - by_producer, apart


JUDGE_06_6 = Judge(
    id="06.6",
    wrong_answers=(
        WrongAnswer(
            name="the network did it all",
            sentence="You gave all repeats to the producers. Some of the pairs have two different producer ids: a producer has one id for its whole run.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "by_producer = {a: len(twice(x)) for a, x in n6.items()}\n"
                "by_program = {a: 0 for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="programs did it all",
            sentence="You gave all repeats to the programs. Where both have -1, no program started again: shop-a's producer got no answer, sent again, and the leader could not recognise it.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "by_producer = {a: 0 for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="the same three numbers",
            sentence="You grouped by producer id, epoch and sequence. All records of shop-a have -1 three times, so they all look alike; and no others do.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "by_producer = {a: sum(id == \"-1\" for id, key in rows(x)) for a, x in n6.items()}\n"
                "by_program = {a: 0 for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="both copies counted",
            sentence="You counted records. An order that is in the log twice is one order.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "by_producer = {a: 2 * len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: 2 * (len(twice(x)) - len(plain(x))) for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="the other way round",
            sentence="The other way round: -1 twice is one producer that sent a batch again, two different ids are two lives of a program.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "by_producer = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(plain(x)) for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="the records between",
            sentence="One too few: these are the records *between* the two. The consumer must remember the first of them, too.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "memory = {a: apart(x, ids=None) - 1 for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="only the producer's repeats",
            sentence="That is enough for the repeats of a producer: they come at once. A program that starts again repeats orders that are further back.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "memory = {a: apart(x) for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="the whole log",
            sentence="That is the whole log of the day. A shorter memory is enough: look for the longest way from a record to its repeat.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "memory = {a: len(rows(x)) for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="as many as repeats",
            sentence="That is the number of repeats. The question is how far a repeat is from the first record with its key.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def rows(x):\n"
                "    return [\n"
                "        re.search(r\"producerId: (-?\\d+) .* key: (.*) payload\", line).groups()\n"
                "        for line in ledger(x.day)\n"
                "    ]\n"
                "\n"
                "\n"
                "def apart(x, ids=(\"-1\",)):\n"
                "    \"\"\"The longest way from a record to its repeat; with `ids` of records with these ids only.\"\"\"\n"
                "    first, longest = {}, 0\n"
                "    for offset, (id, key) in enumerate(rows(x)):\n"
                "        if ids is None or id in ids:\n"
                "            longest = max(longest, offset - first.setdefault(key, offset))\n"
                "    return longest\n"
                "\n"
                "\n"
                "memory = {a: apart(x, ids=None) for a, x in n6.items()}\n"
                "\n"
                "\n"
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "\n"
                "\n"
                "by_producer = {a: len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "memory = {a: len(twice(x)) for a, x in n6.items()}"
            ),
        ),
    ),
    truth=lambda case: dict(zip(("by_producer", "by_program", "memory"), _repeats(case["day"]))),
    right=(
        "right: a producer without an id repeats a batch at once. A new process repeats what the "
        "process before it sent, and that comes later."
    ),
    otherwise=(
        "not these three. Take the keys that are in the log twice. Compare the two producer ids, and "
        "the two offsets."
    ),
)


# %% all
JUDGES = (
    JUDGE_06_1,
    JUDGE_06_2,
    JUDGE_06_3,
    JUDGE_06_4,
    JUDGE_06_5,
    JUDGE_06_6,
)
