# Generated from notebooks/exercises/12; edit those files and run
# `python -m autograder course 12`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 12's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% 12.1
from autograder.cell.questions.ch12 import WHATS
from autograder.cell.questions.ch12 import pill
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _place(case: dict) -> list:
    """The place, cut out of the text from its right end."""
    named = case["text"].split(" for partition ")[1].split(" at offset ")
    topic, _, partition = named[0].rpartition("-")
    return [topic, int(partition), int(named[1].split(".")[0])]


JUDGE_12_1 = Judge(
    id="12.1",
    wrong_answers=(
        WrongAnswer(
            name="the first hyphen",
            sentence="You divided at the first hyphen. A topic's name may have hyphens; the last one divides.",
            source=(
                "def place_of(text):\n"
                "    name, offset = text.split(\"for partition \")[1].split(\" at offset \")\n"
                "    topic, *rest = name.split(\"-\")\n"
                "    return topic, int(rest[-1]), int(offset.split(\".\")[0])"
            ),
        ),
        WrongAnswer(
            name="texts in place of numbers",
            sentence="Partition and offset are numbers. You returned them as texts, and \"5\" + 1 is no offset.",
            source=(
                "def place_of(text):\n"
                "    name, offset = text.split(\"for partition \")[1].split(\" at offset \")\n"
                "    topic, _, partition = name.rpartition(\"-\")\n"
                "    return topic, partition, offset.split(\".\")[0]"
            ),
        ),
        WrongAnswer(
            name="the next offset",
            sentence="That is one more than the offset in the text. The text names the record that cannot be read.",
            source=(
                "def place_of(text):\n"
                "    name, offset = text.split(\"for partition \")[1].split(\" at offset \")\n"
                "    topic, _, partition = name.rpartition(\"-\")\n"
                "    return topic, int(partition), int(offset.split(\".\")[0]) + 1"
            ),
        ),
    ),
    hidden_cases=lambda rng: [
        pill(
            rng.choice(("a-1", "x.y-2-z", "orders", "at-offset-9")),
            rng.randrange(40),
            rng.randrange(9_999),
            what,
        )
        for what in WHATS
    ],
    truth=_place,
    right="right: topic, partition and offset.",
    otherwise="not this place. The last hyphen divides topic and partition.",
    unseen="a topic that you have not seen gives another place. Which hyphen divides?",
)


# %% 12.2
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _more_days(rng) -> list[dict]:
    return [
        {
            "seed": rng.randrange(10, 900),
            "pills": [[partition, rng.randrange(16)] for partition in places],
            "kill_after": kill_after,
            "client": client,
        }
        for places, kill_after, client in (
            ((0, 1), 0, "2.8"),
            ((1, 1), rng.randrange(3, 20), "3.9"),
            ((0, 0, 1), rng.randrange(3, 20), "4.4"),
        )
    ]


JUDGE_12_2 = Judge(
    id="12.2",
    wrong_answers=(
        WrongAnswer(
            name="no catch",
            sentence="The exception of poll() ended your program. The next one meets the same record.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab import SerializationException, TopicPartition\n"
                "\n"
                "\n"
                "def place(error):\n"
                "    found = re.search(r\"for partition (\\S+)-(\\d+) at offset (\\d+)\\.\", str(error))\n"
                "    return TopicPartition(found[1], int(found[2])), int(found[3])\n"
                "def loop(consumer, finish):\n"
                "    while True:\n"
                "        for record in consumer.poll(timeout_ms=200):\n"
                "            finish(record)\n"
                "        consumer.commit_sync()"
            ),
        ),
        WrongAnswer(
            name="catch and poll again",
            sentence="You caught the error and polled again. The position has not moved, so poll() raises again, and all records behind the pill wait.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab import SerializationException, TopicPartition\n"
                "\n"
                "\n"
                "def place(error):\n"
                "    found = re.search(r\"for partition (\\S+)-(\\d+) at offset (\\d+)\\.\", str(error))\n"
                "    return TopicPartition(found[1], int(found[2])), int(found[3])\n"
                "def loop(consumer, finish):\n"
                "    while True:\n"
                "        try:\n"
                "            for record in consumer.poll(timeout_ms=200):\n"
                "                finish(record)\n"
                "            consumer.commit_sync()\n"
                "        except SerializationException:\n"
                "            continue"
            ),
        ),
        WrongAnswer(
            name="to the end",
            sentence="You jumped to the end of the partition. Records that can be read lie between the pill and the end.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab import SerializationException, TopicPartition\n"
                "\n"
                "\n"
                "def place(error):\n"
                "    found = re.search(r\"for partition (\\S+)-(\\d+) at offset (\\d+)\\.\", str(error))\n"
                "    return TopicPartition(found[1], int(found[2])), int(found[3])\n"
                "def loop(consumer, finish):\n"
                "    while True:\n"
                "        try:\n"
                "            for record in consumer.poll(timeout_ms=200):\n"
                "                finish(record)\n"
                "        except SerializationException as error:\n"
                "            consumer.seek_to_end([place(error)[0]])\n"
                "        consumer.commit_sync()"
            ),
        ),
        WrongAnswer(
            name="all partitions",
            sentence="You moved every partition by one. The pill is in one of them; the other lost a record.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab import SerializationException, TopicPartition\n"
                "\n"
                "\n"
                "def place(error):\n"
                "    found = re.search(r\"for partition (\\S+)-(\\d+) at offset (\\d+)\\.\", str(error))\n"
                "    return TopicPartition(found[1], int(found[2])), int(found[3])\n"
                "def loop(consumer, finish):\n"
                "    while True:\n"
                "        try:\n"
                "            for record in consumer.poll(timeout_ms=200):\n"
                "                finish(record)\n"
                "        except SerializationException:\n"
                "            for each in consumer.assignment():\n"
                "                consumer.seek(each, consumer.position(each) + 1)\n"
                "        consumer.commit_sync()"
            ),
        ),
        WrongAnswer(
            name="commit first",
            sentence="You committed before the work. ada was killed in between, and nobody did the other records of her poll.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab import SerializationException, TopicPartition\n"
                "\n"
                "\n"
                "def place(error):\n"
                "    found = re.search(r\"for partition (\\S+)-(\\d+) at offset (\\d+)\\.\", str(error))\n"
                "    return TopicPartition(found[1], int(found[2])), int(found[3])\n"
                "def loop(consumer, finish):\n"
                "    while True:\n"
                "        try:\n"
                "            records = consumer.poll(timeout_ms=200)\n"
                "            consumer.commit_sync()\n"
                "            for record in records:\n"
                "                finish(record)\n"
                "        except SerializationException as error:\n"
                "            where, offset = place(error)\n"
                "            consumer.seek(where, offset + 1)\n"
                "            consumer.commit_sync()"
            ),
        ),
        WrongAnswer(
            name="the skip is not committed",
            sentence="You committed only after records. A pill at the end of a partition has none behind it, so the next reader meets it again.",
            source=(
                "import re\n"
                "\n"
                "from kafkalab import SerializationException, TopicPartition\n"
                "\n"
                "\n"
                "def place(error):\n"
                "    found = re.search(r\"for partition (\\S+)-(\\d+) at offset (\\d+)\\.\", str(error))\n"
                "    return TopicPartition(found[1], int(found[2])), int(found[3])\n"
                "def loop(consumer, finish):\n"
                "    while True:\n"
                "        try:\n"
                "            records = consumer.poll(timeout_ms=200)\n"
                "            for record in records:\n"
                "                finish(record)\n"
                "            after = {(each.topic, each.partition): each.offset + 1 for each in records}\n"
                "            if after:\n"
                "                from kafkalab import OffsetAndMetadata\n"
                "\n"
                "                consumer.commit_sync(\n"
                "                    {TopicPartition(*key): OffsetAndMetadata(to) for key, to in after.items()}\n"
                "                )\n"
                "        except SerializationException as error:\n"
                "            where, offset = place(error)\n"
                "            consumer.seek(where, offset + 1)"
            ),
        ),
    ),
    hidden_cases=_more_days,
    unseen=(
        "a promise was not kept on a day of ours. Try `survive(loop, 50)`, and compare your loop "
        "with the four promises."
    ),
)


# %% 12.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _parked(case: dict) -> list:
    """Each record for which there is an equal key among the failed ones before it, or itself."""
    keys, fails = case["keys"], set(case["fails"])
    return [
        offset
        for offset, key in enumerate(keys)
        if offset in fails
        or (key is not None and any(keys[other] == key for other in fails if other < offset))
    ]


def _more(rng) -> list[dict]:
    return [
        {
            "keys": [rng.choice(("a", "b", "c", None)) for _ in range(14)],
            "fails": sorted(rng.sample(range(14), rng.randrange(1, 4))),
        }
        for _ in range(6)
    ]


JUDGE_12_3 = Judge(
    id="12.3",
    wrong_answers=(
        WrongAnswer(
            name="only what fails",
            sentence="You parked only what failed. A later record of the same key is then done first, and the old one wins in the end.",
            source=(
                "def parked(keys, fails):\n"
                "    return sorted(fails)"
            ),
        ),
        WrongAnswer(
            name="everything behind",
            sentence="You parked everything behind the first failure. Order is kept, but the other keys wait for nothing.",
            source=(
                "def parked(keys, fails):\n"
                "    return list(range(min(fails), len(keys))) if fails else []"
            ),
        ),
        WrongAnswer(
            name="the whole key",
            sentence="You also parked earlier records of the key. They are done before the failure, so they need not wait.",
            source=(
                "def parked(keys, fails):\n"
                "    bad = {keys[each] for each in fails} - {None}\n"
                "    return [o for o, key in enumerate(keys) if o in fails or key in bad]"
            ),
        ),
        WrongAnswer(
            name="no key is a key",
            sentence="You treated records without a key as one key. They have no order among them, so none waits for another.",
            source=(
                "def parked(keys, fails):\n"
                "    return [\n"
                "        o\n"
                "        for o, key in enumerate(keys)\n"
                "        if o in fails or any(keys[each] == key for each in fails if each < o)\n"
                "    ]"
            ),
        ),
    ),
    hidden_cases=_more,
    truth=_parked,
    right="right: what failed, and what came after it with the same key.",
    otherwise="not these. For each record: was an earlier one of its key parked?",
    unseen="in a case that you have not seen, others are parked. What about records without a key?",
)


# %% 12.4
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import CommitFailedException, KafkaConsumer, Lab, SerializationException
from kafkalab.stories import errors


@cache
def _steps() -> dict:
    """What works after each mishap, played in labs."""
    assert errors.outlasts(5)[0] == "written"
    works = {
        what: [call for call in errors.CALLS if errors.what_next(what, (call,)) == "works"]
        for what in errors.MISHAPS
    }
    named = {("commit again",): "same call", ("abort",): "abort", (): "close"}
    timed_out, too_large, fenced = (named[tuple(works[what])] for what in errors.MISHAPS)
    return {
        "a follower is away for 5 seconds, acks=all": "nothing",
        "commit_transaction(): TimeoutException": timed_out,
        "RecordTooLargeException in a transaction": too_large,
        "ProducerFencedException": fenced,
        "poll(): RecordDeserializationException": _after_a_pill(),
        "commit_sync(): CommitFailedException": _after_a_late_commit(),
    }


def _after_a_pill() -> str:
    lab = errors.market()
    consumer, raised = errors.reader(lab, "ada"), 0
    for _ in range(6):
        try:
            consumer.poll(timeout_ms=500)
        except SerializationException as error:
            raised += 1
            last = error
    consumer.seek(last.topic_partition, last.offset + 1)
    return "seek" if raised > 1 and consumer.poll(timeout_ms=500) else "poll"


def _after_a_late_commit() -> str:
    lab = Lab(brokers=1, seed=1, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders")
    config = {"group.id": "g", "max.poll.interval.ms": 5_000, "enable.auto.commit": False}
    consumer = KafkaConsumer(lab, config)
    consumer.subscribe(["orders"])
    consumer.poll(timeout_ms=3_000)
    lab.run_for(ms=20_000)
    failed = 0
    for _ in range(2):
        try:
            consumer.commit_sync()
        except CommitFailedException:
            failed += 1
    consumer.poll(timeout_ms=5_000)
    consumer.commit_sync()
    return "poll" if failed == 2 else "same call"


JUDGE_12_4 = Judge(
    id="12.4",
    wrong_answers=(
        WrongAnswer(
            name="always abort",
            sentence="\"Any KafkaException: abort\" is wrong after a commit that timed out. There abort raises IllegalStateException, and the same commit must be called again.",
            source=(
                "next_step = {\n"
                "    \"a follower is away for 5 seconds, acks=all\": \"nothing\",\n"
                "    \"commit_transaction(): TimeoutException\": \"same call\",\n"
                "    \"RecordTooLargeException in a transaction\": \"abort\",\n"
                "    \"ProducerFencedException\": \"close\",\n"
                "    \"poll(): RecordDeserializationException\": \"seek\",\n"
                "    \"commit_sync(): CommitFailedException\": \"poll\",\n"
                "}\n"
                "sends = outlasts(n.away, seed=n.seed)[1]\n"
                "next_step[\"commit_transaction(): TimeoutException\"] = \"abort\""
            ),
        ),
        WrongAnswer(
            name="a fenced producer aborts",
            sentence="A fenced producer may not even abort: another one has its id now. Close it.",
            source=(
                "next_step = {\n"
                "    \"a follower is away for 5 seconds, acks=all\": \"nothing\",\n"
                "    \"commit_transaction(): TimeoutException\": \"same call\",\n"
                "    \"RecordTooLargeException in a transaction\": \"abort\",\n"
                "    \"ProducerFencedException\": \"close\",\n"
                "    \"poll(): RecordDeserializationException\": \"seek\",\n"
                "    \"commit_sync(): CommitFailedException\": \"poll\",\n"
                "}\n"
                "sends = outlasts(n.away, seed=n.seed)[1]\n"
                "next_step[\"ProducerFencedException\"] = \"abort\""
            ),
        ),
        WrongAnswer(
            name="poll again after a pill",
            sentence="Another poll finds the same record and raises again. The position must move.",
            source=(
                "next_step = {\n"
                "    \"a follower is away for 5 seconds, acks=all\": \"nothing\",\n"
                "    \"commit_transaction(): TimeoutException\": \"same call\",\n"
                "    \"RecordTooLargeException in a transaction\": \"abort\",\n"
                "    \"ProducerFencedException\": \"close\",\n"
                "    \"poll(): RecordDeserializationException\": \"seek\",\n"
                "    \"commit_sync(): CommitFailedException\": \"poll\",\n"
                "}\n"
                "sends = outlasts(n.away, seed=n.seed)[1]\n"
                "next_step[\"poll(): RecordDeserializationException\"] = \"poll\""
            ),
        ),
        WrongAnswer(
            name="commit again",
            sentence="After a CommitFailedException the same commit fails again: this member is out of the group. Poll, and it joins again.",
            source=(
                "next_step = {\n"
                "    \"a follower is away for 5 seconds, acks=all\": \"nothing\",\n"
                "    \"commit_transaction(): TimeoutException\": \"same call\",\n"
                "    \"RecordTooLargeException in a transaction\": \"abort\",\n"
                "    \"ProducerFencedException\": \"close\",\n"
                "    \"poll(): RecordDeserializationException\": \"seek\",\n"
                "    \"commit_sync(): CommitFailedException\": \"poll\",\n"
                "}\n"
                "sends = outlasts(n.away, seed=n.seed)[1]\n"
                "next_step[\"commit_sync(): CommitFailedException\"] = \"same call\""
            ),
        ),
    ),
    truth=lambda case: {
        "next_step": _steps(),
        "sends": errors.outlasts(case["away"], seed=case.get("seed", 0))[1],
    },
    right="right: six errors, and six different next steps.",
    otherwise="not all of these. Read the table again: in which row does which call work?",
)


# %% 12.6
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_12_6 = Judge(
    id="12.6",
    wrong_answers=(
        WrongAnswer(
            name="the other setting",
            sentence="The ERROR line says which side has failed: Key or Value.",
            source=(
                "import re\n"
                "\n"
                "failed = next(line for line in shown if \"Deserializers with error\" in line)\n"
                "setting = \"value.deserializer\" if \"Key Deserializers\" in failed else \"key.deserializer\"\n"
                "returned = [re.search(r\"Returning (\\d+) .*?offset=(\\d+)\", line) for line in shown]\n"
                "offset = max(int(each[1]) + int(each[2]) for each in returned if each)"
            ),
        ),
        WrongAnswer(
            name="where the last poll began",
            sentence="That is where the last poll began. It returned records; the pill is behind them.",
            source=(
                "import re\n"
                "\n"
                "failed = next(line for line in shown if \"Deserializers with error\" in line)\n"
                "setting = \"key.deserializer\" if \"Key Deserializers\" in failed else \"value.deserializer\"\n"
                "returned = [re.search(r\"Returning (\\d+) .*?offset=(\\d+)\", line) for line in shown]\n"
                "offset = max(int(each[2]) for each in returned if each)"
            ),
        ),
        WrongAnswer(
            name="the last record that was read",
            sentence="That is the last record that was returned. The pill is the next one.",
            source=(
                "import re\n"
                "\n"
                "failed = next(line for line in shown if \"Deserializers with error\" in line)\n"
                "setting = \"key.deserializer\" if \"Key Deserializers\" in failed else \"value.deserializer\"\n"
                "returned = [re.search(r\"Returning (\\d+) .*?offset=(\\d+)\", line) for line in shown]\n"
                "offset = max(int(each[1]) + int(each[2]) for each in returned if each) - 1"
            ),
        ),
    ),
    truth=lambda case: {"setting": case["side"], "offset": case["good"]},
    right="right: the ERROR line names key or value, and the last poll ended before the pill.",
    otherwise="not these two. One line names the side, another says how far the polls came.",
)


# %% 12.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, SerializationException
from kafkalab.stories.errors import stuck_reader


@cache
def _stuck_at(pill: int) -> int:
    """Where a reader of whole numbers stands before a price that is none."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic("prices")
    producer = KafkaProducer(lab)
    for offset in range(pill + 40):
        producer.send(ProducerRecord("prices", "1,5" if offset == pill else "15"))
    producer.close()
    config = {"group.id": "g", "auto.offset.reset": "earliest", "value.deserializer": int}
    consumer = KafkaConsumer(lab, config)
    consumer.subscribe(["prices"])
    while True:
        try:
            consumer.poll(timeout_ms=500)
        except SerializationException as error:
            return error.offset


@cache
def _errors(pill: int, found_s: int) -> int:
    """How many ERROR lines the reader of a shop writes."""
    return stuck_reader(pill, found_s, 30).count(" ERROR ")


JUDGE_12_5 = Judge(
    id="12.5",
    wrong_answers=(
        WrongAnswer(
            name="the last position",
            sentence="That is where the last poll with records began. It returned some; the pill is behind them.",
            source=(
                "import re\n"
                "\n"
                "stuck_at = {\n"
                "    name: max(\n"
                "        int(at)\n"
                "        for _, at in re.findall(r\"Returning (\\d+) fetched records at offset .*?offset=(\\d+)\", text)\n"
                "    )\n"
                "    for name, text in logs.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="one behind",
            sentence="That is the offset behind the pill. The reader was never given the pill, so it is before it.",
            source=(
                "stuck_at = {name: shop.pill + 1 for name, shop in shops.items()}"
            ),
        ),
        WrongAnswer(
            name="the number of errors",
            sentence="You counted the ERROR lines. They say how often the reader tried, not where.",
            source=(
                "stuck_at = {name: text.count(\" ERROR \") for name, text in logs.items()}"
            ),
            says=(
lambda case: {"stuck_at": _errors(case["pill"], case["found_s"])}
            ),
        ),
    ),
    truth=lambda case: {"stuck_at": _stuck_at(case["pill"])},
    right="right: the last position, plus what that poll returned. There is the pill.",
    otherwise=("not this offset. Take the line with the highest `position`, and add its `count`."),
)


# %% all
JUDGES = (
    JUDGE_12_1,
    JUDGE_12_2,
    JUDGE_12_3,
    JUDGE_12_4,
    JUDGE_12_6,
    JUDGE_12_5,
)
