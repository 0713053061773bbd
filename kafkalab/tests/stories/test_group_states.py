"""Tests the labs of chapter 08: what a restart costs, and what disturbed groups wait."""

from __future__ import annotations

import pytest

from kafkalab.stories.group_states import (
    HABITS,
    RESTART_MS,
    answers_by_state,
    asked,
    group_moves,
    leave_and_die,
    made,
    restart,
    stable_after,
    troubled_group,
    without_partitions_s,
    write_logs,
)
from kafkalab.tests.shares import few

COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"


@pytest.mark.parametrize("version", few(["2.8", "3.9", "4.4"]))
def test_a_kill_and_a_quick_restart_stop_an_eager_group_until_the_old_session_is_over(version):
    lab = restart("kill -9", version=version, **{"session.timeout.ms": 20_000})
    for who in ("ann", "cyd"):
        assert 15 < without_partitions_s(lab, who, RESTART_MS) < 20
    assert group_moves(lab).query("at_ms > @RESTART_MS").reason.iloc[0] == "member bob joined"


@pytest.mark.parametrize(
    ("end", "config"),
    few(
        [
            ("close()", {}),
            ("kill -9", {"group.instance.id": "{name}"}),
            ("kill -9", {"partition.assignment.strategy": COOPERATIVE}),
        ]
    ),
)
def test_a_close_a_static_member_or_a_cooperative_assignor_stop_nobody(end, config):
    lab = restart(end, **config)
    assert max(without_partitions_s(lab, who, RESTART_MS) for who in ("ann", "cyd")) < 0.1


def test_a_static_members_restart_is_no_rebalance():
    lab = restart("kill -9", **{"group.instance.id": "{name}"})
    assert group_moves(lab).query("at_ms > @RESTART_MS").empty


def test_a_crash_is_noticed_no_sooner_in_the_newer_protocol():
    newer, classic = leave_and_die(**{"group.protocol": "consumer"}), leave_and_die()
    assert without_partitions_s(newer, "ann", 20_000) == 0
    assert 40 <= stable_after(newer, 40_000) <= 46 and 40 <= stable_after(classic, 40_000) <= 48
    assert ("Assigning", "Reconciling") in made(newer)


def test_a_coordinator_looks_at_the_id_the_generation_and_the_state():
    assert asked("Empty", "commit", "old") == "UNKNOWN_MEMBER_ID"
    assert asked("Stable", "heartbeat", "old") == "ILLEGAL_GENERATION"
    assert answers_by_state("commit")["PreparingRebalance"] == "NONE"
    assert answers_by_state("commit")["CompletingRebalance"] == "REBALANCE_IN_PROGRESS"
    older, newer = answers_by_state("heartbeat", "2.3"), answers_by_state("heartbeat", "4.4")
    assert older["CompletingRebalance"] == "REBALANCE_IN_PROGRESS"
    assert newer["CompletingRebalance"] == "NONE"


def test_crashes_make_the_fewest_generations_and_the_longest_waits(tmp_path, monkeypatch):
    labs = {cause: troubled_group(cause, "bob", seed=12) for cause in HABITS}
    waits = {}
    for cause, lab in labs.items():
        table = group_moves(lab)
        ends = [*table.at_ms[1:], lab.now_ms]
        not_stable = [
            end - start
            for start, end, state in zip(table.at_ms, ends, table.after, strict=True)
            if state != "Stable"
        ]
        waits[cause] = (int((table.after == "Stable").sum()), sum(not_stable))
    assert min(waits, key=lambda cause: waits[cause][0]) == "crashes"
    assert max(waits, key=lambda cause: waits[cause][1]) == "crashes"
    monkeypatch.setattr("kafkalab.stories.log_files.course_folder", lambda: tmp_path)
    folder = write_logs({"A": labs["crashes"]}, "storms")
    assert {path.name for path in folder.glob("group-A/bob*")} == {
        f"bob-{life}.log" for life in range(4)
    }
