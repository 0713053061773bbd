"""Tests the labs of chapter 13: days of retention, hours of cleaning, a learner's rules."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kafkalab.errors import IllegalArgumentException
from kafkalab.stories.segments import (
    KEEPS,
    cleaning_hour,
    cleanings,
    commit_often,
    deletions,
    log_rows,
    offsets_left,
    prices_of,
    retention_day,
    roll_minutes,
    shop_lab,
    table_of,
    three_states,
)


def goes(segments, now_ms, keep_ms, keep_bytes):
    gone, over = [], sum(each.size_bytes for each in segments) - keep_bytes
    for each in segments:
        is_old = keep_ms >= 0 and now_ms - each.newest_ms > keep_ms
        if not (is_old or (keep_bytes >= 0 and over >= each.size_bytes)):
            break
        gone.append(each.base_offset)
        over -= each.size_bytes
    return gone


def left(records):
    last = {each.key: each.offset for each in records}
    return [
        each.offset for each in records if last[each.key] == each.offset and not each.may_forget
    ]


@pytest.mark.slow
@pytest.mark.parametrize("keeps", KEEPS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_right_rule_of_retention_leaves_what_kafka_leaves(keeps, seed):
    kafkas = dict(deletions(retention_day(seed, keeps)))
    assert kafkas and kafkas == dict(deletions(retention_day(seed, keeps, goes)))


def test_a_rule_of_retention_is_asked_at_each_check_and_may_not_leave_a_hole():
    asked = []
    retention_day(1, "time", lambda segments, now_ms, *limits: asked.append(now_ms) or [])
    assert {later - earlier for earlier, later in pairwise(asked)} == {300_000}
    with pytest.raises(ValueError, match="oldest ones in a row"):
        retention_day(1, "time", lambda segments, *limits: [segments[-1].base_offset + 1])
    with pytest.raises(ValueError, match="whole numbers"):
        retention_day(1, "time", lambda segments, *limits: ["0"])


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_right_rule_of_cleaning_leaves_what_kafka_leaves_and_no_reader_is_misled(seed):
    kafkas, own = cleaning_hour(seed), cleaning_hour(seed, left)
    assert offsets_left(kafkas) == offsets_left(own)
    wanted = {}
    for key, value in [*prices_of(seed), ("last", "1")]:
        wanted.pop(key, None)
        if value is not None:
            wanted[key] = value
    for lab in (kafkas, own):
        assert table_of(lab, "slow", seed) == table_of(lab, "new", seed) == wanted


def test_a_tombstone_that_goes_at_once_misleads_a_slow_reader():
    def no_tombstones(records):
        return [offset for offset in left(records) if records_by(records)[offset].value is not None]

    def records_by(records):
        return {each.offset: each for each in records}

    found = [table_of(cleaning_hour(seed, no_tombstones), "slow", seed) for seed in (1, 2, 3)]
    right = [table_of(cleaning_hour(seed), "slow", seed) for seed in (1, 2, 3)]
    assert found != right
    with pytest.raises(ValueError, match="were not given to it"):
        cleaning_hour(1, lambda records: [999])


def test_the_runs_of_the_chapter():
    assert len(set(roll_minutes(0))) == 1 and len(set(roll_minutes(600_000))) > 4
    assert (4, "milk", None) in three_states("2.3")["two days later"]
    assert [row[0] for row in three_states("4.4")["two days later"]] == [5, 6, 7, 8]
    assert len(cleanings(0.1, records=300)) > len(cleanings(0.5, records=300))
    lab = shop_lab()
    commit_often(lab, commits=3)
    assert len(log_rows(lab, "__consumer_offsets", 9)) == 3
    with pytest.raises(IllegalArgumentException, match="a day is about one of"):
        retention_day(1, "luck")
