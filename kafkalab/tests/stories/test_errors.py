"""The stories of chapter 12: what loops do with a pill, and producers with errors."""

import pytest

from kafkalab import SerializationException, TopicPartition
from kafkalab.errors import IllegalArgumentException
from kafkalab.stories import errors


def crash(consumer, work):
    while True:
        for record in consumer.poll(timeout_ms=500):
            work(record)
        consumer.commit_sync()


def seek_past(consumer, work):
    while True:
        try:
            for record in consumer.poll(timeout_ms=500):
                work(record)
        except SerializationException as error:
            consumer.seek(error.topic_partition, error.offset + 1)
        consumer.commit_sync()


def test_a_restart_repairs_nothing():
    stay = errors.stay(crash)
    assert stay.worked.times == (1,) * 5 + (0,) * 7
    assert stay.worked.committed == 5
    assert stay.starts == stay.raised == 3


def test_a_seek_loses_the_pill_and_nothing_else():
    stay = errors.stay(seek_past)
    assert stay.worked.times == (1,) * 5 + (0,) + (1,) * 6
    assert (stay.worked.committed, stay.raised) == (12, 1)


def test_a_pill_ends_one_member_after_the_other():
    assert len(errors.chain(crash)) == 3
    assert errors.chain(seek_past) == []


@pytest.mark.parametrize(
    ("way", "milk", "tea_done_ms"),
    [("retry", "10", 528), ("park", "13", 528), ("stop", "13", 5_060), ("version", "13", 528)],
)
def test_a_retry_topic_changes_the_order_of_a_key(way, milk, tea_done_ms):
    day = errors.retried(way)
    order = [value for _, key, value in day.done if key == "milk"]
    assert (order == ["10", "12", "13"]) is (way in ("park", "stop"))
    assert day.table(15_000) == {"milk": milk, "tea": "31"}
    assert next(ms for ms, key, _ in day.done if key == "tea") == tea_done_ms
    assert len(day.refused) == (way == "version")
    with pytest.raises(IllegalArgumentException, match="a way is one of"):
        errors.retried("hope")


@pytest.mark.parametrize("version", ["2.3", "3.9", "4.4"])
def test_what_a_transactional_producer_may_still_call(version):
    works = {
        what: [call for call in errors.CALLS if errors.what_next(what, (call,), version) == "works"]
        for what in errors.MISHAPS
    }
    timed_out, too_large, fenced = works.values()
    assert (timed_out[0], too_large, fenced) == ("commit again", ["abort"], [])
    if version != "2.3":
        assert timed_out == ["commit again"]


def test_a_mishap_has_a_name():
    with pytest.raises(IllegalArgumentException, match="a mishap is one of"):
        errors.mishap("rain")


def test_a_retriable_error_is_the_producers_own():
    assert errors.outlasts(10) == ("written", 3)
    assert errors.outlasts(60)[0] == "TimeoutException"


def test_a_day_with_pills_is_survived_by_a_seek():
    days = errors.survive(seek_past, seeds=3)
    assert list(days["never done"][days.client != "2.8"].unique()) == [0]


def test_a_kill_on_a_day_falls_into_the_work():
    """A loop that commits before the work loses a record, wherever the kill comes."""

    def commits_first(lab, consumer):
        while True:
            records = consumer.poll(timeout_ms=200)
            consumer.commit_sync()
            for record in records:
                lab.sleep(errors.DAY_WORK_MS)
                place = f"{record.topic}-{record.partition}"
                lab.journal.append(
                    "told", consumer.name, what="done", partition=place, offset=record.offset
                )

    for kill_after in (3, 6, 15, 19):
        lab = errors.day(commits_first, [], seed=7, kill_after=kill_after)
        assert errors.how_it_went(lab, [])["never"], kill_after


def on_a_day_with_one_pill(gives_up_after):
    """A day of a loop that seeks past a pill after so many errors, and how it went."""
    failures = []

    def loop(lab, consumer):
        while True:
            try:
                for record in consumer.poll(timeout_ms=200):
                    lab.sleep(errors.DAY_WORK_MS)
                    place = f"{record.topic}-{record.partition}"
                    lab.journal.append(
                        "told", consumer.name, what="done", partition=place, offset=record.offset
                    )
                consumer.commit_sync()
            except SerializationException as error:
                failures.append(error)
                if len(failures) == gives_up_after:
                    consumer.seek(TopicPartition("prices", 0), 8)

    lab = errors.day(loop, [(0, 7)], seed=2)
    return lab, errors.how_it_went(lab, [(0, 7)])


def test_a_day_ends_when_a_loop_polls_the_same_pill_without_end():
    lab, went = on_a_day_with_one_pill(gives_up_after=None)
    assert lab.now_ms < 6_000 and ("prices-0", 8) in went["never"]


@pytest.mark.slow
def test_a_day_goes_on_while_a_loop_may_still_pass_the_pill():
    lab, went = on_a_day_with_one_pill(gives_up_after=700)
    assert lab.now_ms == 14_000 and not went["never"]
    assert went["committed"] == [errors.ON_A_DAY] * 2
