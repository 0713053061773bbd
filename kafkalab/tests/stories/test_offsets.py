"""Tests the labs of chapter 09: deaths of a reader, commits, nights, and compacted logs."""

from __future__ import annotations

import pytest

from kafkalab import KafkaConsumer, KafkaException, WakeupException
from kafkalab.errors import IllegalArgumentException
from kafkalab.stories.offsets import (
    HOUR_MS,
    ORDERS,
    broken_commit,
    compacted,
    death_in_revoked,
    ending,
    new_group,
    night,
    pace,
    shift,
    six_hours,
    survive,
    three_lives,
    was_closed,
    write_shop_logs,
)
from kafkalab.tools.command import tool


def work_then_commit(reader, work):
    while True:
        for record in reader.poll(timeout_ms=500):
            work(record)
        reader.commit_sync()


def commit_then_work(reader, work):
    while True:
        records = reader.poll(timeout_ms=500)
        reader.commit_sync()
        for record in records:
            work(record)


def a_good_loop(consumer, finish):
    try:
        while True:
            records = list(consumer.poll(timeout_ms=200))
            for record in records:
                finish(record)
            if records:
                consumer.commit_sync()
    except WakeupException:
        pass
    finally:
        consumer.commit_sync()
        consumer.close()


def async_only(consumer, finish):
    try:
        while True:
            for record in consumer.poll(timeout_ms=200):
                finish(record)
            consumer.commit_async()
    except WakeupException:
        consumer.close()


def test_the_order_of_work_and_commit_decides_between_twice_and_never():
    assert shift(work_then_commit, "half of the work").words == "2 twice"
    assert shift(commit_then_work, "half of the work").words == "2 never"
    assert shift(work_then_commit, "commit on its way").words == "each once"
    with pytest.raises(IllegalArgumentException, match="a moment is one of polled"):
        shift(work_then_commit, "lunch")


@pytest.mark.corpus
def test_only_a_killed_member_repeats_what_automatic_commits_missed():
    assert [ending(how)[1] for how in ("closed", "joined")] == [0, 0]
    assert ending("killed")[1] > 10


def test_waiting_costs_time_and_a_retry_sends_the_offset_back():
    assert pace("commit_sync", "record") > 5 * pace("commit_sync", "poll")
    assert broken_commit()[1] == "nothing to do"
    assert (
        broken_commit(lambda again, offsets, error: again.append(offsets) if error else None)[1]
        == 20
    )


@pytest.mark.corpus
def test_a_loop_that_waits_at_the_end_survives_the_nights_and_one_that_does_not_repeats():
    good, poor = survive(a_good_loop, seeds=2), survive(async_only, seeds=2)
    for table in (good, poor):
        assert table["orders never done"].sum() == 0 and (table["nights"] == 2).all()
    assert good.loc["break, stop", "most done twice"] == 0
    assert poor.loc["break, stop", "most done twice"] == 1
    assert good["ends without close()"].sum() == poor["ends without close()"].sum() == 0


def test_a_reader_that_does_not_catch_the_wakeup_is_never_closed():
    def careless(lab, consumer):
        while True:
            list(consumer.poll(timeout_ms=200))

    lab = night(careless, "stop", seed=3, at_ms=2_000)
    assert not was_closed(lab, "ada")
    assert issubclass(WakeupException, KafkaException)


def test_what_a_killed_process_does_in_a_finally_fails_nobody():
    lab = night(lambda lab, consumer: a_good_loop(consumer, lambda record: None), "kill", seed=4)
    assert [event.what for event in lab.journal.of("told") if event.who == "ada"] == []


def test_the_cleaner_keeps_the_last_of_each_key_and_a_young_tombstone():
    assert [row[0] for row in compacted([("a", "1"), ("b", "2"), ("a", None)])] == [1, 2]


def test_three_lives_are_three_logs(tmp_path, monkeypatch):
    monkeypatch.setattr("kafkalab.stories.log_files.course_folder", lambda: tmp_path)
    lives = three_lives(interval_s=2, life_s=7, pace_ms=160)
    folder = write_shop_logs({"A": lives}, "logs")
    assert sorted(path.name for path in folder.iterdir()) == [f"shop-A-{n}.log" for n in (1, 2, 3)]
    assert "to the committed offset" in lives["life 2"]


def test_a_death_in_the_callback_repeats_what_was_not_committed():
    """A killed member keeps the others waiting for its session, wherever it died."""
    waited, repeated = death_in_revoked("not yet")
    assert repeated > 20 and waited > 6
    waited, repeated = death_in_revoked("done")
    assert repeated == 0 and waited > 6


def test_a_group_can_begin_at_a_time():
    lab, ada = six_hours()
    offset = KafkaConsumer(lab, {}).offsets_for_times({ORDERS: lab.epoch_ms + 4 * HOUR_MS})
    assert offset[ORDERS].offset == 24
    reset = (
        "kafka-consumer-groups --reset-offsets --group billing --topic orders --by-duration PT2H"
    )
    assert "current state is Stable" in tool(lab, f"{reset} --execute")
    ada.close()
    assert tool(lab, f"{reset} --execute").split()[-1] == "25"  # some milliseconds have passed
    assert new_group(six_hours()[0], "by_duration:PT2H")[0] == 26
    assert new_group(six_hours()[0], "by_duration:PT5S") == []
