"""Stories of programs: what becomes of records when one dies, goes back or hands them on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from kafkalab.errors import SerializationException
from kafkalab.real.proof.claim import EitherLab, Side, polled, settled, story
from kafkalab.real.proof.error_stories import NUMBERS
from kafkalab.real.proof.offset_stories import ONE, filled, reader_of
from kafkalab.records import OffsetAndMetadata, ProducerRecord, TopicPartition

SHORT_SESSION = {"session_timeout_ms": 6_000, "heartbeat_interval_ms": 1_000}
TAKEN_OVER_MS = 15_000
"""A session of six seconds has ended by then, and the group has another member."""
PILL = "no number"
PILL_AT = 5


@story(
    "06 after an abort",
    brokers=1,
    releases=("2.8", "3.9", "4.4"),
    claims={
        "only_aborts": "A program polls two orders, writes two parcels and aborts: its next poll "
        "begins with this order.",
        "goes_back": "It also seeks back: its next poll begins with this order.",
    },
)
def after_an_abort(side: Side) -> dict[str, Any]:
    return {"only_aborts": _second_poll(side, False), "goes_back": _second_poll(side, True)}


def _second_poll(side: Side, goes_back: bool) -> int:
    lab = filled(side, 6)
    lab.create_topic("parcels")
    reader = reader_of(side, lab, "packer", max_poll_records=2)
    packer = side.producer(lab, transactional_id="packer")
    packer.init_transactions()
    first = polled(reader, lab, 1)
    packer.begin_transaction()
    for record in first:
        packer.send(ProducerRecord("parcels", record.value))
    packer.abort_transaction()
    if goes_back:
        committed = reader.committed([ONE])[ONE]
        beginning = reader.beginning_offsets([ONE])[ONE]
        reader.seek(ONE, beginning if committed is None else committed.offset)
    return int(polled(reader, lab, 1)[0].value)


@story(
    "09 half of the work",
    brokers=1,
    claims={
        "work_first_twice": "Work, then commit; ada polls four records a time and is killed half "
        "way through her second round: bo does so many again.",
        "commit_first_never": "Commit, then work; the same death: so many are never done.",
    },
)
def half_of_the_work(side: Side) -> dict[str, Any]:
    work_first, commit_first = _two_rounds(side, False), _two_rounds(side, True)
    return {
        "work_first_twice": sum(count == 2 for count in work_first.values()),
        "commit_first_never": 12 - len(commit_first),
    }


def _two_rounds(side: Side, commits_first: bool) -> Counter[int]:
    """offset -> how often it was worked on, by ada, and by bo after her death."""
    lab = filled(side, 12)
    done: Counter[int] = Counter()
    ada = reader_of(side, lab, "ada", max_poll_records=4, **SHORT_SESSION)
    for part in (4, 2):
        records = polled(ada, lab, 1)
        if commits_first:
            ada.commit_sync()
        done.update(record.offset for record in records[:part])
        if part == 4 and not commits_first:
            ada.commit_sync()
    lab.kill("ada")
    bo = reader_of(side, lab, "bo", **SHORT_SESSION)
    done.update(record.offset for record in polled(bo, lab, 12, timeout_ms=TAKEN_OVER_MS))
    return done


@story(
    "09 handed over",
    brokers=1,
    claims={
        "never": "Automatic commits, and a worker does the records. ada polls four, and four more "
        "later; the worker has done two, and both die: so many of ten are never done."
    },
)
def handed_to_a_worker(side: Side) -> dict[str, Any]:
    lab = filled(side, 10)
    ada = reader_of(
        side,
        lab,
        "ada",
        max_poll_records=4,
        enable_auto_commit=True,
        auto_commit_interval_ms=1_000,
        **SHORT_SESSION,
    )
    desk = polled(ada, lab, 1)
    lab.run_for(2_000)
    desk += polled(ada, lab, 1)
    lab.run_for(500)
    lab.kill("ada")
    done = {record.offset for record in desk[:2]}
    bo = reader_of(side, lab, "bo", **SHORT_SESSION)
    done |= {record.offset for record in polled(bo, lab, 10, timeout_ms=TAKEN_OVER_MS)}
    return {"never": 10 - len(done)}


@story(
    "09 a late commit wins",
    brokers=1,
    claims={
        "without": "A program has committed 50 of 60 orders and closes: bo begins with this.",
        "with_a_retry": "It sends an older commit, of 20, once more before it closes: bo begins "
        "with this.",
    },
)
def late_commit_wins(side: Side) -> dict[str, Any]:
    found = {}
    for key, offsets in (("without", (20, 50)), ("with_a_retry", (50, 20))):
        lab = filled(side, 60)
        ada = reader_of(side, lab, "ada")
        polled(ada, lab, 50)
        for offset in offsets:
            ada.commit_sync({ONE: OffsetAndMetadata(offset)})
        ada.close()
        found[key] = polled(reader_of(side, lab, "bo"), lab, 1)[0].offset
    return found


class CommitsFirst:
    """A rebalance listener that commits before the partitions go."""

    def __init__(self, commit: Callable[[], object]) -> None:
        self._commit = commit

    def on_partitions_revoked(self, partitions: Any) -> None:
        """Commit what is done."""
        self._commit()

    def on_partitions_assigned(self, partitions: Any) -> None:
        """Nothing to do."""


@story(
    "10 a listener",
    brokers=1,
    claims={
        "without": "ada has done forty orders of two partitions and committed half of each. bo "
        "joins her: so many are done twice.",
        "with_listener": "Her listener commits before the partitions go: so many are done twice.",
    },
)
def a_listener(side: Side) -> dict[str, Any]:
    return {"without": _done_twice(side, False), "with_listener": _done_twice(side, True)}


def _done_twice(side: Side, has_listener: bool) -> int:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    producer = side.producer(lab)
    for number in range(40):
        producer.send(ProducerRecord("orders", str(number), partition=number % 2)).get()
    ada = reader_of(side, lab, "ada")
    if has_listener:
        ada.subscribe(["orders"], CommitsFirst(ada.commit_sync))
    polled(ada, lab, 40)
    ada.commit_sync({TopicPartition("orders", one): OffsetAndMetadata(10) for one in (0, 1)})
    bo = reader_of(side, lab, "bo")
    again, end_ms = 0, lab.now_ms + 15_000
    while lab.now_ms < end_ms:
        again += sum(len(list(one.poll(timeout_ms=100))) for one in (ada, bo))
    return again


def prices(side: Side, **topic: Any) -> EitherLab:
    """A lab with twelve prices in orders, the sixth of which is no number. Four letters are a
    number for Java: it takes their bytes."""
    lab = side.lab()
    lab.create_topic("orders", **topic)
    producer = side.producer(lab)
    for number in range(12):
        value = PILL if number == PILL_AT else f"{number:04}"
        producer.send(ProducerRecord("orders", value, partition=0)).get()
    producer.close()
    return lab


@story(
    "12 three loops",
    brokers=1,
    releases=("3.6", "3.9", "4.4"),
    claims={
        "catch_finishes": "Twelve prices, and the sixth is no number. A loop catches the error and "
        "polls again: it finishes so many.",
        "catch_raises": "Its poll raises more than ten times in three seconds.",
        "seek_past_finishes": "A loop that seeks past the record finishes so many.",
    },
)
def three_loops(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("catch", "seek_past"):
        lab = prices(side)
        ada = reader_of(side, lab, "ada", value_deserializer=NUMBERS)
        done, raised = 0, 0
        end_ms = None
        latest_ms = lab.now_ms + 20_000
        while lab.now_ms < (end_ms or latest_ms):
            try:
                done += len(list(ada.poll(timeout_ms=200)))
            except SerializationException as error:
                raised += 1
                end_ms = end_ms or lab.now_ms + 3_000
                if name == "seek_past":
                    assert isinstance(error.offset, int), "clients from 3.0 on tell it"
                    ada.seek(ONE, error.offset + 1)
        found[f"{name}_finishes"] = done
        found.setdefault("catch_raises", raised > 10)
    return found


@story(
    "12 a group and a pill",
    brokers=1,
    releases=("2.8", "4.4"),
    claims={
        "alive": "Three members, three partitions, a record that is no number in one of them. Each "
        "member dies of it, and nobody starts it again: so many live in the end."
    },
)
def group_and_pill(side: Side) -> dict[str, Any]:
    lab = prices(side, partitions=3)
    alive = {
        name: reader_of(side, lab, name, value_deserializer=NUMBERS, **SHORT_SESSION)
        for name in ("m1", "m2", "m3")
    }
    end_ms = lab.now_ms + 60_000
    while alive and lab.now_ms < end_ms:
        for name, member in list(alive.items()):
            try:
                member.poll(timeout_ms=100)
            except SerializationException:
                lab.kill(name)
                del alive[name]
    return {"alive": len(alive)}


@story(
    "12 the price of milk",
    brokers=1,
    releases=("3.9",),
    claims={
        "in_the_end": "The price of milk is 10, 12, 13. The work on the first fails and goes to a "
        "retry topic, which is read five seconds later: the price in the table."
    },
)
def price_of_milk(side: Side) -> dict[str, Any]:
    lab = side.lab()
    for topic in ("orders", "retry"):
        lab.create_topic(topic)
    shop = side.producer(lab)
    for price in ("10", "12", "13"):
        shop.send(ProducerRecord("orders", price, key="milk")).get()
    table: dict[str, int] = {}
    first, second = (side.consumer(lab, name, group_id=name) for name in ("first", "second"))
    for reader, topic in ((first, "orders"), (second, "retry")):
        reader.subscribe([topic])
        settled(lab, [reader], 6_000)
        reader.seek_to_beginning(reader.assignment())
    for number, record in enumerate(polled(first, lab, 3)):
        if number == 0:
            shop.send(ProducerRecord("retry", record.value, key=record.key)).get()
        else:
            table[record.key] = int(record.value)
    lab.run_for(5_000)
    for record in polled(second, lab, 1):
        table[record.key] = int(record.value)
    return {"in_the_end": table["milk"]}
