"""Chapter 06: is what the judge calls right what the simulator's leader does,
and do the plays hold what their titles promise?"""

from random import Random

import pytest

from autograder.cell.question import find
from autograder.cell.questions.ch06 import BATCHES, DROPPED_COUNT, STORIES
from autograder.course.judges.ch06 import GAPS, _batches, _repeats, _verdict
from autograder.course.references import references
from kafkalab import KafkaException
from kafkalab.broker.log.producer_state import ProducerEntry, ProducerState, RememberedBatch
from kafkalab.errors import Errors
from kafkalab.protocol.messages import RecordBatch, WireRecord
from kafkalab.stories.exactly_once import day_of

WORDS = {
    Errors.OUT_OF_ORDER_SEQUENCE_NUMBER: "out of order",
    Errors.INVALID_PRODUCER_EPOCH: "fenced",
}


def led(case: dict) -> str:
    """What the simulator's leader says."""
    state, (epoch, first, last) = ProducerState(), case["batch"]
    if case["known"] is not None:
        entry = state.entries[7] = ProducerEntry(case["known"][0])
        entry.batches.extend(RememberedBatch(start, end, 0) for start, end in case["known"][1])
    records = (WireRecord(None, "tea", 0),) * (last - first + 1)
    verdict = state.judge(
        RecordBatch(
            records=records, size_bytes=70, producer_id=7, producer_epoch=epoch, base_sequence=first
        ),
        accepts_unknown=True,
    )
    return "duplicate" if verdict.duplicate_of else WORDS.get(verdict.error, "append")


def test_the_judge_says_what_the_leader_says():
    cases = [
        *BATCHES,
        *(case for seed in range(20) for case in _batches(Random(seed)) if "batch" in case),
    ]
    assert [case for case in cases if _verdict(case) != led(case)] == []
    assert {_verdict(case) for case in cases} == {"append", "duplicate", "out of order", "fenced"}


def said(case: dict) -> set[str]:
    names: dict = {}
    exec(references("06")["06.1"], names)
    return set(find("06.1").run_probe(names, case))


@pytest.mark.parametrize("case", STORIES, ids=lambda case: case["story"])
def test_each_story_puts_its_verdict_to_the_test(case):
    assert {"answers": "duplicate", "gap": "out of order", "zombie": "fenced"}[
        case["story"]
    ] in said(case)


@pytest.mark.parametrize(
    "is_known",
    [
        lambda first, last, pairs: last in [end for _, end in pairs],
        lambda first, last, pairs: any(begin <= first and last <= end for begin, end in pairs),
    ],
    ids=["by its last number", "by a part of it"],
)
def test_a_part_of_a_remembered_batch_is_no_repeat(is_known):
    """Such rules passed every case and every story."""

    def verdict(known, batch):
        pairs = known.batches if known and known.epoch == batch.epoch else ()
        if known and batch.epoch < known.epoch:
            return "fenced"
        if is_known(batch.first, batch.last, pairs):
            return "duplicate"
        follows = pairs[-1][1] + 1 if pairs else 0
        return "append" if known is None or batch.first == follows else "out of order"

    told = [(find("06.1").run_probe({"verdict": verdict}, case), case) for case in BATCHES]
    assert [each for each, case in told if each != _verdict(case)] == ["duplicate"]


def test_a_program_may_end_with_an_error_of_its_own():
    """If `copy` raises, a new process starts: also where it raises because of Kafka's error. A slip
    is still told."""
    given = "from kafkalab import OffsetAndMetadata, ProducerRecord, TopicPartition\n"
    names: dict = {}
    exec(given + references("06")["06.5"], names)

    def copy(consumer, producer):
        try:
            names["copy"](consumer, producer)
        except KafkaException as error:
            producer.abort_transaction()
            raise RuntimeError("start me again") from error

    def slips(consumer, producer):
        return consumer.polls

    away = next(case for case in find("06.5").public_cases if "delivered" in case["case"])
    parcels = find("06.5").run_probe({"copy": copy}, away)["parcels"]
    assert sorted(parcels) == sorted(f"order {number}" for number in range(away["orders"]))
    with pytest.raises(AttributeError):
        find("06.5").run_probe({"copy": slips}, away)


@pytest.mark.slow
@pytest.mark.parametrize("seed", GAPS)
def test_a_hidden_gap_is_one(seed):
    assert "out of order" in said({"seed": seed, "story": "gap"})


def farthest(day: int, dropped: bool) -> int:
    """The longest way from an order to its repeat in the log; without `dropped` past no repeats."""
    first, longest, repeats = {}, 0, 0
    for event in day_of(day).journal.of("record.appended"):
        for place, record in enumerate(event.records if event.topic == "orders" else ()):
            at = event.base_offset + place - (0 if dropped else repeats)
            repeats += record.key in first
            longest = max(longest, at - first.setdefault(record.key, at))
    return longest


@pytest.mark.slow
def test_the_days_on_which_dropped_records_count_are_those_of_the_log():
    days = {day for day in range(1, 61) if farthest(day, True) != farthest(day, False)}
    # on these it is also the number of repeats
    alike = {day for day in days if farthest(day, True) == sum(_repeats(day)[:2])}
    assert days - alike == DROPPED_COUNT
