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
            name="a new epoch goes on counting",
            sentence="With a new epoch the sequence begins again at 0. You go on from where the old epoch stopped.",
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
            sentence="You never look at the epoch. With an older one it is a zombie, however well the number fits; a newer one counts from 0.",
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
            sentence="The leader remembers five batches. Of an older one it cannot say where it stands, so it may not answer with success.",
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
            name="everything is written",
            sentence="Whoever writes everything has an old broker: what is sent again stands twice, what comes too early overtakes, and zombies write.",
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
            sentence="The readers are right. But a COMMIT and an ABORT marker stand in the log as well, and each takes an offset.",
            source=(
                "high_watermark = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "last_stable = {a: x.before + x.good + x.bad for a, x in n2.items()}\n"
                "uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}\n"
                "committed = {a: x.before + x.good for a, x in n2.items()}"
            ),
        ),
        WrongAnswer(
            name="only the aborted are left out",
            sentence="What was written last is in no transaction. But it stands behind the unfinished one, and a reader of committed records waits there.",
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
            sentence="With markers the log is as long as you say. But they stand in front of the open transaction, so this one begins later, too.",
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
            sentence="Nobody takes aborted records out of the log. A reader of the level read_uncommitted gets them.",
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
from kafkalab import KafkaProducer, Lab, ProducerRecord


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


JUDGE_06_3 = Judge(
    id="06.3",
    wrong_answers=(
        WrongAnswer(
            name="a start is a step",
            sentence="You counted the starts after the first. Here more than that raises the epoch: the version is {client}, the end {ends_by}.",
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
            sentence="kill -9 left a transaction open. Who comes next has the old one fenced with an epoch of its own, to abort that, and then gets the next.",
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
    right=(
        "right: starts up to 3.9, transactions from 4.0 on, and one more where somebody has to "
        "be fenced out of an open one."
    ),
    otherwise="not this epoch. Let epoch_after run it, and change one number at a time.",
)


# %% 06.4
from autograder.cell.questions.ch06 import workers
from autograder.course.judge import WrongAnswer
from collections import Counter
from functools import cache

from autograder.course.judge import Judge


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
                "def names(lines):\n"
                "    return [\n"
                "        re.search(r\"clientId=(\\S+), transactionalId=([^]]+)\\] (.*)\", line).groups()\n"
                "        for line in lines\n"
                "    ]\n"
                "\n"
                "\n"
                "def old(lines):\n"
                "    return next(\n"
                "        client\n"
                "        for client, id, text in names(lines)\n"
                "        if \"fatal error\" in text or \"abortable error\" in text\n"
                "    )\n"
                "\n"
                "\n"
                "def id_of(lines):\n"
                "    return next(id for client, id, text in names(lines) if client == old(lines))\n"
                "\n"
                "\n"
                "def new(lines):\n"
                "    return next(\n"
                "        client for client, id, text in names(lines) if id == id_of(lines) and client != old(lines)\n"
                "    )\n"
                "\n"
                "\n"
                "def clumsy(lines):\n"
                "    return next(\n"
                "        (\n"
                "            client\n"
                "            for client, id, text in names(lines)\n"
                "            if text.startswith(\"Aborting\") and id != id_of(lines)\n"
                "        ),\n"
                "        None,\n"
                "    )\n"
                "\n"
                "\n"
                "def own(lines):\n"
                "    return next(id for client, id, text in names(lines) if id != id_of(lines))\n"
                "fenced = {a: new(x) for a, x in n4.items()}\n"
                "heir = {a: old(x) for a, x in n4.items()}\n"
                "shared_id = {a: id_of(x) for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="who aborts is the zombie",
            sentence="To abort is a right of every producer, and it went on afterwards. Look for the one who hears of a newer producer.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def names(lines):\n"
                "    return [\n"
                "        re.search(r\"clientId=(\\S+), transactionalId=([^]]+)\\] (.*)\", line).groups()\n"
                "        for line in lines\n"
                "    ]\n"
                "\n"
                "\n"
                "def old(lines):\n"
                "    return next(\n"
                "        client\n"
                "        for client, id, text in names(lines)\n"
                "        if \"fatal error\" in text or \"abortable error\" in text\n"
                "    )\n"
                "\n"
                "\n"
                "def id_of(lines):\n"
                "    return next(id for client, id, text in names(lines) if client == old(lines))\n"
                "\n"
                "\n"
                "def new(lines):\n"
                "    return next(\n"
                "        client for client, id, text in names(lines) if id == id_of(lines) and client != old(lines)\n"
                "    )\n"
                "\n"
                "\n"
                "def clumsy(lines):\n"
                "    return next(\n"
                "        (\n"
                "            client\n"
                "            for client, id, text in names(lines)\n"
                "            if text.startswith(\"Aborting\") and id != id_of(lines)\n"
                "        ),\n"
                "        None,\n"
                "    )\n"
                "\n"
                "\n"
                "def own(lines):\n"
                "    return next(id for client, id, text in names(lines) if id != id_of(lines))\n"
                "fenced = {a: clumsy(x) or new(x) for a, x in n4.items()}\n"
                "heir = {a: new(x) for a, x in n4.items()}\n"
                "shared_id = {a: id_of(x) for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="the wrong id",
            sentence="The two workers are right. Their id is the one that stands behind transactionalId= in the lines of both.",
            source=(
                "import re\n"
                "\n"
                "\n"
                "def names(lines):\n"
                "    return [\n"
                "        re.search(r\"clientId=(\\S+), transactionalId=([^]]+)\\] (.*)\", line).groups()\n"
                "        for line in lines\n"
                "    ]\n"
                "\n"
                "\n"
                "def old(lines):\n"
                "    return next(\n"
                "        client\n"
                "        for client, id, text in names(lines)\n"
                "        if \"fatal error\" in text or \"abortable error\" in text\n"
                "    )\n"
                "\n"
                "\n"
                "def id_of(lines):\n"
                "    return next(id for client, id, text in names(lines) if client == old(lines))\n"
                "\n"
                "\n"
                "def new(lines):\n"
                "    return next(\n"
                "        client for client, id, text in names(lines) if id == id_of(lines) and client != old(lines)\n"
                "    )\n"
                "\n"
                "\n"
                "def clumsy(lines):\n"
                "    return next(\n"
                "        (\n"
                "            client\n"
                "            for client, id, text in names(lines)\n"
                "            if text.startswith(\"Aborting\") and id != id_of(lines)\n"
                "        ),\n"
                "        None,\n"
                "    )\n"
                "\n"
                "\n"
                "def own(lines):\n"
                "    return next(id for client, id, text in names(lines) if id != id_of(lines))\n"
                "fenced = {a: old(x) for a, x in n4.items()}\n"
                "heir = {a: new(x) for a, x in n4.items()}\n"
                "shared_id = {a: own(x) for a, x in n4.items()}"
            ),
        ),
    ),
    truth=lambda case: dict(zip(("fenced", "heir", "shared_id"), _pair(case["shift"]))),
    right="right: one name, two producers, and the later one wins.",
    otherwise=(
        "not all of these three are right. Which transactional id stands beside two clients, "
        "and which of the two came later?"
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
    return [
        {
            **life("hidden", rng.randrange(10, 900), *rng.sample(moments, rng.choice((1, 2)))),
            "orders": rng.randrange(9, 16),
        }
        for _ in range(4)
    ]


JUDGE_06_5 = Judge(
    id="06.5",
    wrong_answers=(
        WrongAnswer(
            name="the offset afterwards",
            sentence="That is the colleague's loop. Between commit_transaction and commit_sync the parcels count, and the place does not yet.",
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
            name="the offset first",
            sentence="You note the place first. Whoever dies between the two has lost the orders: at most once.",
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
            sentence="Nobody notes a place, so every new process begins at the beginning.",
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
            sentence="What is noted is the next offset to read. You noted the last one that was read, so it is read again.",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    producer.begin_transaction()\n"
                "    for record in records:\n"
                "        producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "    places = {\n"
                "        TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset)\n"
                "        for record in records\n"
                "    }\n"
                "    producer.send_offsets_to_transaction(places, consumer.group_metadata())\n"
                "    producer.commit_transaction()"
            ),
        ),
        WrongAnswer(
            name="one partition's place",
            sentence="You note a place for the last record's partition only. When a poll brings two partitions, the other one is read again by the next process.",
            source=(
                "def copy(consumer, producer):\n"
                "    records = consumer.poll(timeout_ms=300)\n"
                "    if not records:\n"
                "        return\n"
                "    producer.begin_transaction()\n"
                "    for record in records:\n"
                "        producer.send(ProducerRecord(\"parcels\", key=record.key, value=record.value))\n"
                "    place = TopicPartition(record.topic, record.partition)\n"
                "    next_one = OffsetAndMetadata(record.offset + 1)\n"
                "    producer.send_offsets_to_transaction({place: next_one}, consumer.group_metadata())\n"
                "    producer.commit_transaction()"
            ),
        ),
        WrongAnswer(
            name="two transactions",
            sentence="You made two transactions, one for the parcels and one for the places. Between them is the same gap as before.",
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
                "    places = {\n"
                "        TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset + 1)\n"
                "        for record in records\n"
                "    }\n"
                "    producer.send_offsets_to_transaction(places, consumer.group_metadata())\n"
                "    producer.commit_transaction()"
            ),
        ),
    ),
    hidden_cases=_deaths,
    unseen=(
        "some orders were packed twice or not at all when the program died at another moment. "
        "Parcels and places must be decided together."
    ),
)


# %% 06.6
from autograder.cell.questions.ch06 import day_of
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge


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


JUDGE_06_6 = Judge(
    id="06.6",
    wrong_answers=(
        WrongAnswer(
            name="the network did it all",
            sentence="You gave all repeats to the producers. Some of the pairs have two different producer ids: no producer sends under another's.",
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
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "by_producer = {a: len(twice(x)) for a, x in n6.items()}\n"
                "by_program = {a: 0 for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="programs did it all",
            sentence="You gave all repeats to the programs. Where both have -1, nobody started anew: shop-a's producer had no answer and could not be recognised.",
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
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
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
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "by_producer = {a: sum(id == \"-1\" for id, key in rows(x)) for a, x in n6.items()}\n"
                "by_program = {a: 0 for a, x in n6.items()}"
            ),
        ),
        WrongAnswer(
            name="both copies counted",
            sentence="You counted records. An order that stands twice is one order.",
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
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
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
                "def twice(x):\n"
                "    keys = [key for id, key in rows(x)]\n"
                "    return sorted({key for key in keys if keys.count(key) > 1})\n"
                "\n"
                "\n"
                "def plain(x):\n"
                "    without = {key for id, key in rows(x) if id == \"-1\"}\n"
                "    return [key for key in twice(x) if key in without]\n"
                "by_producer = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}\n"
                "by_program = {a: len(plain(x)) for a, x in n6.items()}"
            ),
        ),
    ),
    truth=lambda case: dict(zip(("by_producer", "by_program"), _repeats(case["day"]))),
    right=(
        "right: the producer without an identity repeats itself; a new process repeats what "
        "its predecessor did."
    ),
    otherwise=(
        "not these two. Take the keys that stand twice, and compare the producer ids of the two."
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
