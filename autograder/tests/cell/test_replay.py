"""Points that rest on what became of a lab are given when the lab, played again by the calls
that were written down, comes out the same."""

import gc
import json

import pytest

from autograder.cell.question import asked_chapters, find, of_chapter
from autograder.cell.replay import fits, needs_calls
from autograder.cell.reply import ask
from autograder.course.judge import judge_of
from autograder.course.rehearsal import namespace_of, reply_of_reference, reply_of_wrong
from autograder.grading.verdict import NOT_PLAYED_AGAIN, all_cases, mark
from kafkalab import Lab
from kafkalab.tests.shares import few, share

PLAYED_AGAIN = ("04.5", "05.3", "06.5", "09.5")

CALLBACKS = """
def send_all(producer, orders):
    failed = []
    for order in orders:
        producer.send(order, callback=lambda metadata, error, key=order.key: error and failed.append(key))
    producer.close()
    return [order.key for order in orders if order.key in failed]
"""  # noqa: E501
IN_TENS = """
def send_all(producer, orders):
    futures = {}
    for number, order in enumerate(orders):
        futures[producer.send(record=order)] = order.key
        if number % 10 == 9 and number < 20:
            producer.flush()
    failed = []
    while futures:
        future = next(iter(futures))
        try:
            future.get(timeout_ms=10**9)
        except Exception:
            failed.append(futures[future])
        del futures[future]
    return failed
"""
A_METHOD = """
class Bookmark:
    def __init__(self):
        self.seen = []
    def take_over(self, store, reader, partitions):
        for place in partitions:
            known = store.offset_of(place.partition)
            reader.seek(place, offset=0 if known is None else known)
    def keep(self, store, record):
        self.seen.append(record.key)
        store.insert(record.key)
        store.set_offset(partition=record.partition, offset=record.offset + 1)
        store.commit()
mine = Bookmark()
keep, take_over = mine.keep, mine.take_over
"""
A_FINALLY = A_METHOD.replace(
    "        store.insert(record.key)\n",
    "        try:\n            store.insert(record.key)\n        finally:\n"
    "            store.commit()\n",
)
BY_POSITION = """
def copy(consumer, producer):
    records = consumer.poll(timeout_ms=500)
    if not records:
        return
    producer.begin_transaction()
    futures = [producer.send(ProducerRecord("parcels", key=record.key, value=record.value)) for record in records]
    places = {place: OffsetAndMetadata(consumer.position(place)) for place in consumer.assignment()}
    producer.send_offsets_to_transaction(offsets=places, group=consumer.group_metadata())
    producer.flush()
    assert all(future.done() for future in futures)
    producer.commit_transaction()
"""  # noqa: E501
A_CLASS = """
from kafkalab.hashing import murmur2, to_positive
class mega_partitioner:
    def partition(self, topic, key, key_bytes, value, value_bytes, cluster):
        last = cluster.partition_count_for_topic(topic) - 1
        return last if key == "mega" else to_positive(murmur2(value_bytes if key is None else key_bytes)) % last
"""  # noqa: E501
HONEST = {
    "callbacks": ("05.3", CALLBACKS),
    "in tens": ("05.3", IN_TENS),
    "a finally": ("09.5", A_FINALLY),
    "a method": ("09.5", A_METHOD),
    "by position": ("06.5", BY_POSITION),
    "a class": ("04.5", A_CLASS),
}


def replies_of(question, source: str) -> list[tuple[dict, bool, dict]]:
    """(case, is it hidden, reply as it comes over a pipe) of an answer cell."""
    return [
        (
            case,
            hidden,
            json.loads(json.dumps(ask(question, namespace_of(question, source, {}), case))),
        )
        for case, hidden in all_cases(question, {})
    ]


def test_only_questions_without_a_truth_are_played_again():
    assert [
        question.id
        for chapter in asked_chapters()
        if chapter < "90"
        for question in of_chapter(chapter)
        if needs_calls(question)
    ] == list(PLAYED_AGAIN)
    assert all(judge_of(question).truth is None for question in PLAYED_AGAIN)


@pytest.mark.parametrize("name", share(HONEST, 6))
def test_however_an_honest_answer_goes_about_it_its_run_can_be_played_again(name):
    id, source = HONEST[name]
    question = find(id)
    replies = replies_of(question, source)
    assert [
        (case, reply.get("says"))
        for case, _, reply in replies
        if not fits(question, case, reply.get("data"), reply.get("calls"))
    ] == []
    heard = {"replies": {id: [reply for *_, reply in replies]}, "ended": "", "broken": {}}
    told = mark(question, 4.0, [(case, hidden) for case, hidden, _ in replies], heard)
    assert (
        told.score == (0.0 if name == "a finally" else 4.0)
        and NOT_PLAYED_AGAIN not in told.sentence
    ), told.sentence


@pytest.mark.slow
@pytest.mark.parametrize("id", PLAYED_AGAIN)
def test_references_and_named_wrong_answers_can_be_played_again(id):
    question = find(id)
    for case, _ in all_cases(question, {}):
        for reply in [
            reply_of_reference(question, case),
            *(reply_of_wrong(question, wrong, case) for wrong in judge_of(id).wrong_answers),
        ]:
            assert "data" not in reply or fits(question, case, reply["data"], reply["calls"]), reply


@pytest.mark.parametrize(
    "calls",
    few(
        [
            None,
            [],
            {},
            "keep",
            [["keep"]],
            [["keep", [[7, "insert", [], {}]], None, False]],
            [["keep", [[0, "open", [], {}]], None, False]] * 12,
            [["keep", [[0, "insert", [{"called": 3}], {}]], None, False]] * 12,
            [[["keep"]] * 4],
            [{"keep": 1}],
            float("nan"),
        ],
        5,
        1,
    ),
)
def test_what_became_of_a_lab_counts_for_nothing_without_its_calls(calls):
    question, (case, *_) = find("09.5"), find("09.5").public_cases
    right = reply_of_reference(question, dict(case))
    assert fits(question, case, right["data"], right["calls"]) and not fits(
        question, case, {**right["data"], "lives": 2}, right["calls"]
    )
    assert not fits(question, case, right["data"], calls)
    cases = all_cases(question, {})
    replies = [{"data": right["data"], "calls": calls}] * len(cases)
    told = mark(question, 3.0, cases, {"replies": {"09.5": replies}, "ended": "", "broken": {}})
    assert told.score == 0.0 and NOT_PLAYED_AGAIN in told.sentence


def test_a_producer_does_not_tell_when_it_will_die():
    """What stands between the function and its things has no insides:
    neither by name nor through the calls it hands out."""
    from types import SimpleNamespace

    from autograder.cell.recorder import StandIn
    from autograder.cell.replay import _Cast

    mortal = type(
        "Mortal",
        (),
        {
            "__module__": "autograder.cell.questions.ch06",
            "_death": ["after", "send", 4],
            "send": lambda self, what: what,
        },
    )()
    seen = _Cast().stand_in(mortal)
    assert isinstance(seen, StandIn) and seen.send(4) == 4
    for name in ("_death", "_producer", "_real", "_cast"):
        with pytest.raises(AttributeError):
            getattr(seen, name)
    with pytest.raises(AttributeError):
        seen._death = None
    with pytest.raises(TypeError):
        vars(seen)
    assert _Cast().stand_in(SimpleNamespace(_free=1))._free == 1


@pytest.mark.slow
def test_no_lab_of_a_recorded_run_is_kept():
    """The error of an order keeps the frames it went through, and they hold the producer."""
    question = find("05.3")
    caught_in_a_frame = """
def send_all(producer, orders):
    failed = []
    for future, order in [(producer.send(order), order) for order in orders]:
        try:
            future.get()
        except Exception:
            failed.append(order.key)
    return failed
"""
    names = namespace_of(question, caught_in_a_frame, {})
    gc.collect()
    before = {id(each) for each in gc.get_objects() if type(each) is Lab}
    assert len(ask(question, names, question.public_cases[1])["data"]["failed"]) > 3
    gc.collect()
    assert not [each for each in gc.get_objects() if type(each) is Lab and id(each) not in before]
