"""Chapter 09, offsets: the judges' half. Truths come from running labs, not from a formula."""

from __future__ import annotations

from functools import cache

from autograder.cell.questions.ch09 import each_once, story
from autograder.course.answers import each
from autograder.course.judge import Judge, Verdict, WrongAnswer
from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)

PLACE = TopicPartition("orders", 0)


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


@cache
def _died(order: str, moment: str, per_poll: int) -> tuple[int, int]:
    """(records worked on twice, never) when a reader of three polls dies in its second round."""
    lab, done = _cluster(3 * per_poll), []
    ada = _member(lab, "ada", **{"max.poll.records": per_poll})
    for steps in (order.split(", "), _until(order.split(", "), moment)):
        records = _polled(ada)
        for step in steps:
            if step == "commit":
                ada.commit_sync()
            elif step == "send a commit":
                ada.commit_async()
                lab.run_for(ms=5)  # it arrives, and she hears no more
            else:
                done += records[: len(records) // 2] if step == "half" else records
    if moment == "polled again":
        _polled(ada)
    lab.kill("ada")
    lab.run_for(ms=10)
    bo = _member(lab, "bo")
    done += _polled(bo)
    return sum(done.count(offset) == 2 for offset in range(3 * per_poll)), sum(
        offset not in done for offset in range(3 * per_poll)
    )


def _until(steps: list[str], moment: str) -> list[str]:
    """What of a round is done before a moment."""
    before = {
        "polled": [],
        "polled again": steps,
        "work done": steps[: steps.index("work") + 1],
        "half of the work": [*steps[: steps.index("work")], "half"],
        "commit answered": steps[: steps.index("commit") + 1],
        "commit on its way": [*steps[: steps.index("commit")], "send a commit"],
    }
    return before[moment]


def _shift(case: dict) -> dict:
    twice, never = _died(case["order"], case["moment"], case["per_poll"])
    return {"twice": twice, "never": never}


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


@cache
def _compacted(log: int) -> tuple[tuple[int, str, str], ...]:
    """What a cleaner leaves of these commits."""
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
        producer.send(ProducerRecord("marks", key=f"{group} {partition}", value=str(offset))).get()
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
    return {
        "stays": [offset for offset, _, _ in left],
        "billing_goes_on_at": next(int(value) for _, key, value in left if key == "billing 0"),
    }


def _once(case: dict, data) -> Verdict:
    ok, sentence = each_once(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


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


_DIED = "twice never"
_HALF = "x.moment == 'half of the work'"
_FIRST = "x.order == 'work, commit'"
OF_LINES = """
import re
start = lambda x: int(re.search(r"offset=(\\d+)", x.lines[0])[1])
last = lambda x: int(re.search(r"offset (\\d+)", x.lines[-1])[1])
first = lambda x: int(re.search(r"offset (\\d+)", x.lines[1])[1])
kind = lambda x: {0: "right", -1: "no + 1"}.get(first(x) - start(x) - x.every, "counts late")
"""
LOOP = "from kafkalab import OffsetAndMetadata, TopicPartition\n\ndef loop(consumer, finish):\n    "
OF_STORE = (
    "def take_over(store, consumer, partitions):\n    for place in partitions:\n"
    "        if store.offset_of(place.partition) is not None:\n"
    "            consumer.seek(place, store.offset_of(place.partition))\n\n"
    "def keep(store, record):\n    "
)

JUDGES = (
    Judge(
        id="09.1",
        truth=_shift,
        right=(
            "right: what was done and not committed is done twice, what was committed and not done "
            "is done never."
        ),
        otherwise=(
            "not these two. What had she done when she died, and which record did the bookmark "
            "call the next?"
        ),
        wrong_answers=(
            WrongAnswer(
                "Kafka remembers what was done",
                each(_DIED, "0", "0"),
                "Kafka does not know what a program has done. It knows the bookmark, and here it "
                "stood elsewhere than the work.",
            ),
            WrongAnswer(
                "the whole poll",
                each(
                    _DIED,
                    "x.per_poll if "
                    + _FIRST
                    + " and x.moment in ('polled', 'half of the work', 'work done') else 0",
                    "x.per_poll if not ("
                    + _FIRST
                    + ") and x.moment in ('commit answered', 'half of the work') else 0",
                ),
                "You counted all {per_poll} records of the poll. Only what she had really worked "
                "on can be done twice, and only what she had not can be missing.",
            ),
            WrongAnswer(
                "a crash always repeats",
                each(
                    _DIED,
                    f"0 if x.moment in ('polled', 'polled again', 'commit on its way') else "
                    f"(x.per_poll // 2 if {_HALF} else x.per_poll if x.moment == ('work done' if "
                    f"{_FIRST} else 'commit answered') else 0)",
                    "0",
                ),
                "In '{order}' the bookmark is moved before the work. Bo goes on behind these "
                "records, so they are not done again: some are done never.",
            ),
            WrongAnswer(
                "no answer, no commit",
                each(
                    _DIED,
                    f"x.per_poll if {_FIRST} and x.moment in ('work done', 'commit on its way') "
                    f"else x.per_poll // 2 if {_FIRST} and {_HALF} else 0",
                    f"0 if {_FIRST} else x.per_poll // 2 if {_HALF} else x.per_poll if x.moment == "
                    "'commit answered' else 0",
                ),
                "The coordinator had the commit; only its answer was still on the way. It counts, "
                "although Ada never heard of it.",
            ),
            WrongAnswer(
                "what she held is lost",
                each(
                    _DIED,
                    f"x.per_poll if {_FIRST} and x.moment == 'work done' else 0",
                    f"x.per_poll // 2 if {_HALF} else x.per_poll if x.moment in ('polled', 'commit "
                    f"answered') and ({_FIRST} or x.moment == 'commit answered') else 0",
                ),
                "What Ada held in memory is in the log as well. Where the bookmark stands before "
                "it, Bo reads it.",
            ),
        ),
    ),
    Judge(
        id="09.2",
        truth=_slip,
        right="right: the first commit gives the slip away.",
        otherwise=(
            "not these three. How far is the first commit from where the reader began, and which "
            "offset does the last commit call the next?"
        ),
        wrong_answers=(
            WrongAnswer(
                "committed means read",
                each(
                    "program next_first twice",
                    "kind(x)",
                    "last(x) + 1",
                    "start(x) + x.worked - last(x) - 1",
                    before=OF_LINES,
                    numbers="programs",
                ),
                "You went on one behind the last commit. A committed offset is the next one to "
                "read itself.",
            ),
            WrongAnswer(
                "the slips swapped",
                each(
                    "program next_first twice",
                    "{'no + 1': 'counts late', 'counts late': 'no + 1'}.get(kind(x), 'right')",
                    "last(x)",
                    "start(x) + x.worked - last(x)",
                    before=OF_LINES,
                    numbers="programs",
                ),
                "The two slips are mixed up. Without + 1 each commit is one too low; who counts "
                "late commits first after a single record.",
            ),
            WrongAnswer(
                "as it was meant",
                each(
                    "program next_first twice",
                    "'right'",
                    "start(x) + x.worked // x.every * x.every",
                    "x.worked % x.every",
                    before=OF_LINES,
                    numbers="programs",
                ),
                "You worked out where it should commit. Read where it did.",
            ),
            WrongAnswer(
                "every distance is right",
                each(
                    "program next_first twice",
                    "'right'",
                    "last(x)",
                    "start(x) + x.worked - last(x)",
                    before=OF_LINES,
                    numbers="programs",
                ),
                "The commits are {every} apart in each program. Look at the first one: how far is "
                "it from the beginning?",
            ),
        ),
    ),
    Judge(
        id="09.3",
        hidden_cases=lambda rng: [
            {
                "seed": rng.randrange(10, 900),
                "happens": happens,
                "at_ms": at_ms or 1_300 + 300 * rng.randrange(6) + rng.randrange(10, 70),
            }
            for happens, at_ms in (("join", 0), ("kill", 0), ("kill", 0), ("break", 5_500))
        ],
        unseen=(
            "the promise was not kept on a crash of ours. Try your loop on what the four rules "
            "say, one by one."
        ),
        wrong_answers=(
            WrongAnswer(
                "commit first",
                LOOP
                + (
                    "while True:\n        records = list(consumer.poll(200))\n"
                    "        consumer.commit_sync()\n        for record in records:\n"
                    "            finish(record)"
                ),
                "You committed before the work was done. When this reader died, the bookmark stood "
                "behind orders that nobody had done, and nobody came back to them.",
            ),
            WrongAnswer(
                "without + 1",
                LOOP
                + (
                    "while True:\n        for record in consumer.poll(200):\n"
                    "            finish(record)\n"
                    "            at = {TopicPartition(record.topic, record.partition): "
                    "OffsetAndMetadata(record.offset)}\n        if consumer.assignment():\n"
                    "            try:\n"
                    "                consumer.commit_sync(at)\n            except NameError:\n"
                    "                pass"
                ),
                "You committed the offset of the last order that was done. A bookmark names the "
                "next one to read, so whoever goes on does that order once more.",
            ),
            WrongAnswer(
                "every tenth",
                LOOP
                + (
                    "count = 0\n    while True:\n        for record in consumer.poll(200):\n"
                    "            finish(record)\n            count += 1\n"
                    "            if count % 10 == 0:\n"
                    "                consumer.commit_async({TopicPartition(record.topic, "
                    "record.partition): OffsetAndMetadata(record.offset + 1)})"
                ),
                "You counted to ten, whatever a poll brought. The orders since the last full ten "
                "are done and not committed, and whoever goes on does them again.",
            ),
            WrongAnswer(
                "async only",
                LOOP
                + (
                    "while True:\n        records = list(consumer.poll(200))\n"
                    "        for record in records:\n            finish(record)\n"
                    "        if records:\n            consumer.commit_async()"
                ),
                "Nobody waits for your commits and nobody repeats them. When the connection broke, "
                "one never arrived, and the orders it stood for were done again.",
            ),
            WrongAnswer(
                "after each record",
                LOOP
                + (
                    "while True:\n        for record in consumer.poll(200):\n"
                    "            finish(record)\n"
                    "            consumer.commit_sync({TopicPartition(record.topic, "
                    "record.partition): OffsetAndMetadata(record.offset + 1)})"
                ),
                "Nothing is lost, but you committed after every order. Each commit is a request "
                "with a wait; one for each poll keeps the promise as well.",
            ),
            WrongAnswer(
                "the position in between",
                LOOP
                + (
                    "while True:\n        for record in consumer.poll(200):\n"
                    "            consumer.commit_sync()\n            finish(record)"
                ),
                "commit_sync() without arguments commits all that poll has returned, also the "
                "orders that still wait behind this one. A crash loses them.",
            ),
            WrongAnswer(
                "no commit",
                LOOP
                + (
                    "while True:\n        for record in consumer.poll(200):\n"
                    "            finish(record)"
                ),
                "Nothing was committed, so whoever comes next begins at the beginning, and all "
                "orders are done again.",
            ),
        ),
    ),
    Judge(
        id="09.4",
        truth=_cleaned,
        right="right: the last of each key, at its old place.",
        otherwise=(
            "not these. One record stays for each group and partition: the last one, where it was."
        ),
        wrong_answers=(
            WrongAnswer(
                "the first of each key",
                each(
                    "stays billing_goes_on_at",
                    "sorted({key: offset for offset, key, _ in reversed(x)}.values())",
                    "{key: value for _, key, value in reversed(x)}['billing, orders, 0']",
                    numbers="logs",
                ),
                "You kept the first of each key. The later one is the one that counts.",
            ),
            WrongAnswer(
                "numbered anew",
                each(
                    "stays billing_goes_on_at",
                    "list(range(len({key for _, key, _ in x})))",
                    "{key: value for _, key, value in x}['billing, orders, 0']",
                    numbers="logs",
                ),
                "Offsets are not given anew. What stays keeps its number, and the log has holes.",
            ),
            WrongAnswer(
                "the key is the group",
                each(
                    "stays billing_goes_on_at",
                    "sorted({key.split(',')[0]: offset for offset, key, _ in x}.values())",
                    "{key.split(',')[0]: value for _, key, value in x}['billing']",
                    numbers="logs",
                ),
                "You kept one for each group. A group has a bookmark in each partition, so the key "
                "has both.",
            ),
            WrongAnswer(
                "the key is the partition",
                each(
                    "stays billing_goes_on_at",
                    "sorted({key.split(',')[-1]: offset for offset, key, _ in x}.values())",
                    "{key.split(',')[-1]: value for _, key, value in x}[' 0']",
                    numbers="logs",
                ),
                "You kept one for each partition. Two groups have two bookmarks in it.",
            ),
            WrongAnswer(
                "one further",
                each(
                    "stays billing_goes_on_at",
                    "sorted({key: offset for offset, key, _ in x}.values())",
                    "{key: value for _, key, value in x}['billing, orders, 0'] + 1",
                    numbers="logs",
                ),
                "The log is right. But a committed offset is the next one to read, not the last "
                "one read.",
            ),
        ),
    ),
    Judge(
        id="09.5",
        judge=_once,
        hidden_cases=lambda rng: [
            {"dies_after": rng.randrange(4, 12), "orders": rng.randrange(8, 16)} for _ in range(3)
        ],
        wrong_answers=(
            WrongAnswer(
                "two commits",
                OF_STORE
                + (
                    "store.insert(record.key)\n    store.commit()\n"
                    "    store.set_offset(record.partition, record.offset + 1)\n    store.commit()"
                ),
                "An order is in the store twice. Where did the power fail, and from where did the "
                "next reader go on?",
            ),
            WrongAnswer(
                "the offset first",
                OF_STORE
                + (
                    "store.set_offset(record.partition, record.offset + 1)\n    store.commit()\n"
                    "    store.insert(record.key)\n    store.commit()"
                ),
                "An order is missing, and no reader will come back to it. The offset was kept "
                "before the order; keep both with one commit.",
            ),
            WrongAnswer(
                "without + 1",
                OF_STORE
                + (
                    "store.insert(record.key)\n    store.set_offset(record.partition, "
                    "record.offset)\n    store.commit()"
                ),
                "The next readers began with an order that was done already. Which offset did the "
                "store keep, and did `take_over` seek there?",
            ),
            WrongAnswer(
                "no seek",
                "def take_over(store, consumer, partitions):\n"
                "    known = [store.offset_of(place.partition) for place in partitions]\n\n"
                "def keep(store, record):\n    store.insert(record.key)\n"
                "    store.set_offset(record.partition, record.offset + 1)\n    store.commit()",
                "The store knows where to go on, and nobody asked it. Without a `seek` each next "
                "reader begins where Kafka says.",
            ),
        ),
    ),
    Judge(
        id="09.6",
        truth=lambda case: {
            "read_twice": _read_twice(case["interval_s"], case["life_s"], case["pace_ms"])
        },
        right="right: from the last commit to the crash, twice.",
        otherwise=(
            "not this number. For each life after the first: what the life before had come to, "
            "less where this one began."
        ),
        wrong_answers=(
            WrongAnswer(
                "automatic commits repeat nothing",
                each("read_twice", "0", numbers="shops"),
                "These readers were killed. What they read after their last automatic commit was "
                "read again.",
            ),
            WrongAnswer(
                "a full interval each time",
                each("read_twice", "2 * x.interval_s * 1000 // x.pace_ms", numbers="shops"),
                "You took {interval_s} full seconds for each crash. That is the most it can be; "
                "the lines say how much it was.",
            ),
            WrongAnswer(
                "everything",
                each("read_twice", "2 * x.life_s * 1000 // x.pace_ms", numbers="shops"),
                "Not all was read again: the automatic commits came to somewhere.",
            ),
            # All seventy played: the second crash costs as much as the first, or one record more.
            # So half of both, rounded down, is the first.
            WrongAnswer(
                "one crash",
                each(
                    "read_twice",
                    "again(x)[0]",
                    numbers="shops",
                    before=(
                        "import re\n\ndef again(shop):\n    found = []\n"
                        "    for text in three_lives(shop).values():\n"
                        "        mark = re.search(r'Setting offset .*?offset=(\\d+)', text)\n"
                        "        came = re.findall(r'Returning (\\d+) .*?offset=(\\d+)', text)\n"
                        "        found.append((int(mark[1]) if mark else 0, max([int(count) + "
                        "int(at) for count, at in came], default=0)))\n"
                        "    return [to - at for (_, to), (at, _) in zip(found, found[1:])]"
                    ),
                ),
                "That is what one crash cost. There were two: add up what life 2 and life 3 read "
                "again.",
                says=lambda case: {
                    "read_twice": _read_twice(case["interval_s"], case["life_s"], case["pace_ms"])
                    // 2
                },
            ),
        ),
    ),
    Judge(id="09.open"),
)
