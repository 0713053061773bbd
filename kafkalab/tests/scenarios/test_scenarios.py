"""Each scenario does what its first sentence says,
and its picture is the one that lies beside it."""

from __future__ import annotations

import importlib
import io

import numpy
import pytest
from matplotlib.image import imread

from kafkalab.tests.scenarios import HERE
from kafkalab.tests.shares import few

NAMES = ("nothing_lost", "rebalance_storm", "slow_consumer", "unclean_election", "zombie_fenced")


@pytest.fixture(scope="module")
def told():
    """Each scenario's module and what it told, told once."""
    modules = {name: importlib.import_module(f"kafkalab.tests.scenarios.{name}") for name in NAMES}
    return {name: (module, module.tell()) for name, module in modules.items()}


@pytest.mark.parametrize("name", few(NAMES, 1, 1))
def test_the_picture_beside_it_is_the_one_it_draws(name, told):
    """Pixels are compared, and one in a hundred may differ:
    another system smooths its letters another way."""
    module, story = told[name]
    committed, today = imread(HERE / f"{name}.png"), imread(io.BytesIO(module.draw(story).png()))
    again = f"run python -m kafkalab.tests.scenarios.{name} and look at the picture"
    assert (
        committed.shape == today.shape
        and numpy.any(abs(committed - today) > 0.1, axis=-1).mean() < 0.01
    ), again
    assert story.account.count("\n") >= 1, "a scenario gives an account of itself"


def test_with_the_eight_rules_nothing_acknowledged_is_lost_though_every_broker_crashes(told):
    module, story = told["nothing_lost"]
    assert len(story.acknowledged) == module.RECORDS and not story.failed and not story.lost
    crashed = {event.who for event in story.lab.journal.of("broker.down")}
    assert crashed == {"broker-0", "broker-1", "broker-2"}


def test_a_consumer_that_is_too_slow_repeats_its_work_for_ever_and_either_cure_helps(told):
    module, story = told["slow_consumer"]
    slow, fewer, longer = module.CASES
    assert (
        module.committed(story.labs[slow]) == 0
        and story.refused[slow] >= 3
        and story.done[slow] > module.RECORDS
    )
    for cured in (fewer, longer):
        assert (story.done[cured], story.refused[cured], module.committed(story.labs[cured])) == (
            module.RECORDS,
            0,
            module.RECORDS,
        )


def test_a_zombie_is_fenced_and_nobody_reads_what_it_wrote(told):
    _, story = told["zombie_fenced"]
    assert story.read == ["copier-new 1", "copier-new 2"]
    assert (
        story.what["copier-new"].startswith("committed") and "Exception" in story.what["copier-old"]
    )


def test_an_unclean_election_loses_what_was_acknowledged_and_a_clean_one_waits(told):
    module, story = told["unclean_election"]
    assert (
        module.lost(story, True) == ["salt", "rice", "oil", "flour"]
        and module.lost(story, False) == []
    )
    assert module.leaderless_ms(story.labs[False]) > module.leaderless_ms(story.labs[True])


def test_a_rolling_restart_is_two_rebalances_a_member_and_none_with_static_members(told):
    module, story = told["rebalance_storm"]
    assert module.rebalances(story.storm) == 2 * module.MEMBERS
    assert (module.rebalances(story.calm), module.idle_ms(story.calm)) == (0, 0)
    assert module.idle_ms(story.storm) > 1_000
