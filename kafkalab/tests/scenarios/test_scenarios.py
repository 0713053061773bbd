"""Each scenario does what its first sentence says, and its picture is the one that lies beside it."""

from __future__ import annotations

import importlib
import io

import numpy
import pytest
from matplotlib.image import imread

from kafkalab.tests.scenarios import HERE, rebalance_storm, slow_consumer

NAMES = ("rebalance_storm", "slow_consumer")


@pytest.fixture(scope="module", params=NAMES)
def scenario(request):
    module = importlib.import_module(f"kafkalab.tests.scenarios.{request.param}")
    return request.param, module, module.tell()


def test_the_picture_beside_it_is_the_one_it_draws(scenario):
    """Pixels are compared, and one in a hundred may differ: another system smooths its letters another way."""
    name, module, told = scenario
    committed, today = imread(HERE / f"{name}.png"), imread(io.BytesIO(module.draw(told).png()))
    again = f"run python -m kafkalab.tests.scenarios.{name} and look at the picture"
    assert committed.shape == today.shape and numpy.any(abs(committed - today) > 0.1, axis=-1).mean() < 0.01, again


def test_every_scenario_gives_an_account_of_itself(scenario):
    assert scenario[2].account.count("\n") >= 1


def test_a_consumer_that_is_too_slow_repeats_its_work_for_ever_and_either_cure_helps():
    told = slow_consumer.tell()
    slow, fewer, longer = slow_consumer.CASES
    assert slow_consumer.committed(told.labs[slow]) == 0 and told.refused[slow] >= 3 and told.done[slow] > slow_consumer.RECORDS
    for cured in (fewer, longer):
        assert (told.done[cured], told.refused[cured], slow_consumer.committed(told.labs[cured])) == (slow_consumer.RECORDS, 0, slow_consumer.RECORDS)


def test_a_rolling_restart_is_two_rebalances_a_member_and_none_with_static_members():
    told = rebalance_storm.tell()
    assert rebalance_storm.rebalances(told.storm) == 2 * rebalance_storm.MEMBERS
    assert (rebalance_storm.rebalances(told.calm), rebalance_storm.idle_ms(told.calm)) == (0, 0)
    assert rebalance_storm.idle_ms(told.storm) > 1_000
