"""A share of the seeds; `make seeds N=10000` plays them all."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kafkalab.clients.consumer.modern.membership_manager import ConsumerMembershipManager
from kafkalab.clients.consumer.reading.subscription_state import SubscriptionState
from kafkalab.proof.laws.counterexamples import BEYOND, first_breach
from kafkalab.proof.laws.faults import Fault
from kafkalab.proof.laws.hasty_writer import HASTY
from kafkalab.proof.laws.laws import Scope
from kafkalab.proof.laws.shrink import shrink
from kafkalab.proof.laws.stories import STORIES, Run, life_bound_ms, run_of
from kafkalab.proof.laws.trial import report, try_run, try_seed
from kafkalab.records import OffsetAndMetadata
from kafkalab.tests.shares import few

ROOT = Path(__file__).resolve().parents[3]
SHARE = 3
"""Seeds of each kind of story in `make test`."""


@pytest.mark.parametrize("story", few(STORIES, 6), ids=lambda story: story.name)
def test_every_law_holds_on_a_share_of_the_seeds(story):
    for seed in range(SHARE):
        trial = try_seed(seed, [story])
        assert trial.held, report(trial)


@pytest.mark.slow
def test_every_law_holds_on_all_seeds():
    done = run_seeds("10000")
    assert done.returncode == 0 and "every law held" in done.stdout, done.stdout


@pytest.mark.corpus
def test_two_processes_with_other_hashes_write_the_same_bytes():
    done = run_seeds("4", "--jobs", "2", "--twice", "1")
    assert done.returncode == 0 and "4 of them in two processes: every law held" in done.stdout, (
        done.stdout
    )


@pytest.mark.parametrize("name", few(BEYOND))
def test_beyond_its_limit_the_law_breaks_on_some_seed(name):
    trial = first_breach(name, seeds=60)
    assert trial is not None and trial.run.faults, (
        f"no seed shows why the law names this limit: {name}"
    )
    assert any(breach.law == BEYOND[name].law for breach in trial.found)


@pytest.mark.slow
def test_a_late_produce_is_refused_where_each_transaction_has_an_epoch_of_its_own():
    """The old protocol breaks the law, and only by what the law excepts. Under version 2 the same
    seeds hold: the late PRODUCE comes, and leaves nothing."""
    beyond = BEYOND["late PRODUCE"]
    broken = [seed for seed in range(25) if not try_seed(seed, [beyond.story]).held]
    assert len(broken) >= 3
    for seed in broken:
        excepted = try_seed(seed, [replace(beyond.story, scope=Scope(verifies=False))])
        assert excepted.held, report(excepted)
        trial = try_seed(seed, [beyond.kept])
        assert trial.held, report(trial)
        assert trial.run.faults == run_of(seed, [beyond.story]).faults
        came = [
            event
            for event in trial.lab.journal.of("request.received")
            if (event.client, event.api) == (HASTY, "PRODUCE")
        ]
        appended = [
            event
            for event in trial.lab.journal.of("record.appended")
            if event.records and event.records[0].key.startswith(HASTY)
        ]
        assert len(came) > len(appended) > 5


LIFE = "everything comes to life again"
FOR_EVER_MS = 10_000_000


def story_named(name):
    return next(story for story in STORIES if story.name == name)


@pytest.mark.parametrize("name", few(["copies", "groups", "groups, KIP-848"]))
def test_a_broker_that_never_comes_back_breaks_the_law_of_life(name):
    trial = try_run(Run(1, story_named(name), (Fault(1_000, "crash", 0, "", FOR_EVER_MS),)))
    assert any(
        breach.law == LIFE and "broker-0 is down" in breach.sentence for breach in trial.found
    )


@pytest.mark.slow
def test_two_brokers_that_never_come_back_leave_nobody_who_could_be_written_to():
    faults = Fault(1_000, "crash", 0, "", FOR_EVER_MS), Fault(1_000, "crash", 1, "", FOR_EVER_MS)
    trial = try_run(Run(1, story_named("groups"), faults))
    told = [breach.sentence for breach in trial.found if breach.law == LIFE]
    assert any("the last writer has not got through" in sentence for sentence in told)
    assert any("the last member has not got through" in sentence for sentence in told)


def test_a_call_that_never_returns_breaks_the_law_of_life():
    def people(lab, rng, story):
        lab.spawn(lambda lab: lab.sleep(FOR_EVER_MS), name="waiter")

    trial = try_run(Run(1, replace(story_named("copies"), people=people), ()))
    assert [breach.sentence for breach in trial.found] == [
        f"waiter still waits in a call, {life_bound_ms(trial.lab)} ms after the last fault"
    ]


def test_a_consumer_that_stays_in_the_group_and_is_deaf_breaks_the_law_of_life(monkeypatch):
    """Nobody beside it ever gets what it holds."""
    monkeypatch.setattr(ConsumerMembershipManager, "reconcile", lambda self, may_commit: None)
    trial = try_run(Run(1, story_named("groups, KIP-848"), ()))
    assert any(
        breach.law == LIFE and "the last member" in breach.sentence for breach in trial.found
    )


def test_a_topic_fault_befalls_everybody():
    run = next(
        run
        for seed in range(50)
        for run in [run_of(seed, [story_named("topic changes")])]
        if any(f.what == "remake" for f in run.faults)
    )
    fault = next(fault for fault in run.faults if fault.what == "remake")
    assert (fault.broker, fault.client, fault.who) == (
        -1,
        "",
        "everybody",
    ) and "the topic is deleted, and made again" in str(fault)
    trial = try_run(run)
    assert trial.held, report(trial)
    made = trial.lab.journal.of("topic.created")
    assert len([event for event in made if event.topic == "orders"]) > 1


@pytest.mark.corpus
def test_retention_deletes_under_a_reader_and_compaction_leaves_the_last_of_each_key():
    """The stories do what they are there for."""
    lines = set()
    for seed in range(4):
        trial = try_seed(seed, [story_named("retention")])
        assert any(event.topic == "orders" for event in trial.lab.journal.of("log.deleted"))
        lines |= {
            event.fields["name"] if "name" in event.fields else event.message.split(" ")[1]
            for event in trial.lab.journal.of("line")
            if "out of range" in event.message
        }
    assert lines, "no reader was too late"
    trial = try_seed(0, [story_named("compaction")])
    assert any(
        event.topic == "orders" and event.messages_written < event.messages_read
        for event in trial.lab.journal.of("log.cleaned")
    )


def run_seeds(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "kafkalab", "seeds", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=1_800,
    )


@pytest.mark.corpus
def test_a_fault_less_leaves_the_rest_of_the_story_as_it_was():
    """Faults are drawn before the story begins, from a stream of their own;
    up to the first of them two stories are the same."""
    run = next(run for seed in range(100) if len((run := run_of(seed)).faults) > 1)
    whole, shorter = (
        try_run_events(one, run.faults[-1].at_ms) for one in (run, run.without(run.faults[-1:]))
    )
    assert whole == shorter and len(whole) > 50


def try_run_events(run, until_ms):
    from kafkalab.proof.laws.stories import play_run

    return [repr(event) for event in play_run(run).journal.events if event.at_ms < until_ms]


def test_the_shrinker_leaves_what_it_takes_and_nothing_else():
    faults = tuple(Fault(at_ms, "slow", at_ms % 3, "writer-0", 10) for at_ms in range(12))
    guilty = {faults[3], faults[8]}
    run = Run(0, STORIES[0], faults)
    assert set(shrink(run, lambda one: guilty <= set(one.faults)).faults) == guilty
    assert shrink(run, lambda one: True).faults == ()


def test_a_broken_seed_is_told_with_its_number_its_law_its_faults_and_the_lines_around(monkeypatch):
    honest = SubscriptionState.all_consumed

    def one_too_many(self):
        return {
            tp: OffsetAndMetadata(offset.offset + 1, offset.leader_epoch)
            for tp, offset in honest(self).items()
        }

    monkeypatch.setattr(SubscriptionState, "all_consumed", one_too_many)
    trial = next(trial for seed in range(60) if not (trial := try_seed(seed)).held)
    told = report(trial)
    assert told.startswith(
        f"seed {trial.run.seed}, a story of {trial.run.story.name}: commits stay below the high "
        "watermark"
    )
    assert "it takes no fault at all" in told and "commits orders-" in told
    assert "\n  > " in told and "lines of that moment:" in told


@pytest.mark.parametrize("seed", [5124, pytest.param(6374, marks=pytest.mark.slow)])
def test_seeds_that_once_broke_a_law_hold(seed):
    """5124: a new leader appends before it may say where its log ends. 6374: a group whose
    coordinator was down when it was made one."""
    trial = try_seed(seed, [story_named("retention, KIP-848")])
    faults = {
        5124: ((308, "crash", 1, 501), (1_386, "crash", 0, 243), (1_863, "crash", 2, 1_087)),
        6374: ((482, "crash", 1, 702), (1_205, "stop", 0, 182), (2_160, "island", 2, 1_307)),
    }[seed]
    run = replace(
        trial.run,
        faults=tuple(
            Fault(at_ms, what, broker, "", for_ms) for at_ms, what, broker, for_ms in faults
        ),
    )
    assert try_run(run).held


@pytest.mark.parametrize("seed", [7219, 8656, 8797])
def test_a_topic_may_be_deleted_under_a_group_and_under_a_leader(seed):
    """7219, 8797: members of KIP-848 own partitions of it. 8656: its leader stood still."""
    trial = try_seed(seed)
    assert trial.held, trial.fell


@pytest.mark.slow
@pytest.mark.parametrize("seed", [7767, 9218, 9267])
def test_followers_fetch_what_their_leader_wrote_while_they_could_not_see_it(seed):
    """9267: the leader was cut off when it wrote its first record. 9218: a follower stood still
    while its topic was made again. 7767: a follower waited before it asked its leader again."""
    trial = try_seed(seed)
    assert trial.held, trial.found


def test_a_group_may_be_empty_before_the_timer_of_its_join_phase_is_set():
    trial = try_seed(8615)
    assert trial.held, trial.fell


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4365, 6392])
def test_a_generation_that_no_disk_holds_is_given_to_nobody(seed):
    trial = try_seed(seed)
    assert trial.held, trial.found


@pytest.mark.parametrize("seed", [2441, pytest.param(4457, marks=pytest.mark.slow)])
def test_a_topic_may_be_deleted_while_its_leader_asks_for_another_isr(seed):
    trial = try_seed(seed)
    assert any("deleted" in str(fault) for fault in trial.run.faults)
    assert trial.held, trial.fell
