"""Tests the labs of chapter 14: watermarks, the in-sync set, truncation, elections, racks."""

from __future__ import annotations

import pytest

from kafkalab.stories.log_files import write_log_files
from kafkalab.stories.replicas import (
    KINDS,
    after_the_follower_died,
    back_to_the_preferred_leader,
    busy_and_quiet,
    cluster,
    cut_off,
    epochs,
    late_follower,
    leaves_after,
    night,
    nobody_in_sync,
    orders_in,
    outcome,
    power_cut,
    racks,
    read,
    reader,
    reading_in,
    replicas,
    seen_by_the_reader,
    steps,
    survive,
    till,
    write,
)
from kafkalab.tests.shares import few, share


def in_sync_minimum(ends, in_sync):
    return min(ends[broker] for broker in in_sync)


@pytest.mark.parametrize("seed", few([1, 2, 3]))
@pytest.mark.parametrize("kind", KINDS)
def test_kafkas_rule_shows_all_that_is_kept_and_nothing_else(kind, seed):
    found = seen_by_the_reader(night(in_sync_minimum, kind, seed))
    assert found.seen == found.kept
    assert len(found.told) >= len(found.kept) > 0


@pytest.mark.parametrize(
    ("rule", "kind", "vanished", "waits"),
    share(
        [
            (lambda ends, in_sync: max(ends.values()), "cut off", True, False),
            (lambda ends, in_sync: sorted(ends.values())[1], "heir", True, False),
            (lambda ends, in_sync: min(ends.values()), "follower down", False, True),
            (lambda ends, in_sync: sorted(ends.values())[1], "two down", False, True),
            (lambda ends, in_sync: max(in_sync_minimum(ends, in_sync) - 1, 0), "slow", False, True),
        ],
        3,
        id=lambda each: each[1],
    ),
)
def test_a_wrong_rule_breaks_a_promise_in_one_of_the_nights(rule, kind, vanished, waits):
    found = seen_by_the_reader(night(rule, kind, 3))
    assert any(order not in found.kept for order in found.seen) is vanished
    assert bool(found.waiting) is waits


@pytest.mark.corpus
def test_survive_counts_the_nights_that_went_wrong():
    right, wrong = survive(in_sync_minimum, 3), survive(lambda ends, in_sync: ends[in_sync[0]], 3)
    bad = ["a record vanished", "a record was hidden"]
    assert list(right.night) == list(KINDS) and right[bad].to_numpy().sum() == 0
    assert list(wrong["a record vanished"][:2]) == [3, 3]


def test_the_leaders_watermark_moves_before_the_followers():
    lab = cluster()
    shop = till(lab)
    write(shop, "order 0")
    lab.run_for(ms=1_500)
    begin_ms = lab.now_ms
    write(shop, "order 1")
    lab.run_for(ms=1_200)
    last = steps(lab, begin_ms)
    assert list(last.columns) == ["ms", "end 0", "end 1", "end 2", "hw 0", "hw 1", "hw 2"]
    first = {name: int(last.ms[last[name] == 2].min()) for name in last.columns[1:]}
    assert first["end 0"] < first["end 1"] < first["hw 0"] < first["hw 1"] <= 520


@pytest.mark.corpus
def test_time_decides_who_is_in_sync():
    lab = busy_and_quiet(ms=45_000)
    busy, quiet = replicas(lab, "busy-0"), replicas(lab, "quiet-0")
    assert list(busy.role) == ["leader", "in sync"]
    assert list(quiet.role) == ["leader", "out of sync"]
    assert busy["log end"][0] - busy["log end"][1] > quiet["log end"][0] - quiet["log end"][1]


@pytest.mark.parametrize(
    ("missing", "caught_up_s", "stays"), [(1, 8, True), (1, 20, False), (0, 90, True)]
)
def test_the_time_begins_at_the_last_empty_fetch_before_the_link_broke(missing, caught_up_s, stays):
    lab = late_follower(lag_s=10, missing=missing, caught_up_s=caught_up_s)
    assert (1 in lab.cluster.partition("orders", 0).isr) == stays


@pytest.mark.parametrize(("release", "limits"), [("2.3", (10, 15)), ("4.4", (30, 45))])
def test_a_follower_leaves_between_once_and_one_and_a_half_times_the_lag_time(release, limits):
    assert limits[0] <= leaves_after(release) <= limits[1]


def test_the_old_leader_gives_up_what_it_alone_had():
    lab, moments = cut_off()
    assert list(moments.values()) == ["cut off", "1 leads", "together again"]
    assert len({tuple(orders_in(lab, broker)) for broker in (0, 1, 2)}) == 1
    assert orders_in(lab, 0)[-2:] == ["new 1", "new 2"]
    assert set(epochs(lab)["begins at"]) == {0, 4}


@pytest.mark.parametrize(
    ("release", "back", "unclean", "leader"),
    [
        ("2.3", 0, False, 0),
        ("2.3", 2, False, -1),
        ("2.3", 2, True, 2),
        ("4.4", 0, False, -1),
        ("4.4", 1, False, -1),
        ("4.4", 2, False, 2),
        ("4.4", 1, True, 1),
    ],
)
def test_an_eligible_replica_leads_on_4_4_only(release, back, unclean, leader):
    assert nobody_in_sync(release, back, unclean).leader("orders", 0) == leader


def test_an_unclean_leader_loses_what_it_alone_lacks():
    found = replicas(nobody_in_sync("4.4", 1, unclean=True))
    assert list(found["log end"]) == [7, 5, 7] and found.role[1] == "leader"


def test_power_takes_the_last_half_minute():
    assert [power_cut(after_ms) for after_ms in (500, 40_000)] == [(10, 5), (10, 10)]


@pytest.mark.parametrize(("rack", "waits"), [("a", False), ("b", True)])
def test_a_reader_at_a_follower_waits_for_the_watermark(rack, waits):
    lab = racks()
    shop, one = till(lab, acks="all"), reader(lab, **{"client.rack": rack})
    write(shop, "order 0")
    read(lab, one, 3_000)
    write(shop, "order 1")
    written_ms = lab.now_ms
    assert (read(lab, one, 3_000)[1] - written_ms > 200) is waits


def test_a_2_8_client_tries_the_dead_follower_and_a_3_9_client_asks_the_leader():
    assert after_the_follower_died("2.8")["asked the leader"] == 0
    assert after_the_follower_died("3.9")["asked the leader"] > 2


def test_the_logs_of_readers_say_where_they_fetched(tmp_path, monkeypatch):
    monkeypatch.setattr("kafkalab.stories.log_files.course_folder", lambda: tmp_path)
    logs = {name: reading_in(rack, 1).log_text("reader") for name, rack in (("A", "a"), ("B", "c"))}
    there = write_log_files(logs, "logs")
    assert sorted(path.name for path in there.iterdir()) == ["A.log", "B.log"]
    assert "to broker localhost:9094 (id: 2 rack: c)" in (there / "B.log").read_text(
        encoding="utf-8"
    )


def test_an_outcome_is_the_name_of_the_error():
    lab = cluster(min_insync_replicas=3)
    shop = till(lab, acks="all")
    assert outcome(lambda: write(shop, "order 0")) == "written"
    lab.broker(1).crash()
    lab.run_for(ms=20_000)
    assert outcome(lambda: write(shop, "order 1")) in (
        "NotEnoughReplicasException",
        "TimeoutException",
    )


def test_a_preferred_election_gives_the_leadership_back():
    assert list(back_to_the_preferred_leader().values()) == [0, 1, 1, 0]
