"""The stories of chapter 07: groups whose members come, leave, crash or work slowly."""

from __future__ import annotations

import pytest

from kafkalab.errors import IllegalArgumentException
from kafkalab.lab import Lab
from kafkalab.stories import group_protocol as stories
from kafkalab.stories.recorded import recorded
from kafkalab.tests.shares import few


@pytest.mark.corpus
def test_three_members_and_a_newcomer_make_three_generations():
    lab = stories.come_and_go()
    assert stories.generation(lab) == 3
    assert stories.count_moves(lab) == 7
    assert stories.count_moves(stories.come_and_go("Sticky")) < stories.count_moves(lab)


def test_every_partition_has_an_owner_when_all_have_joined():
    shares = stories.shares("Range", {"orders": 5}, {"m1": ("orders",), "m2": ("orders",)})
    assert shares == {"m1": "orders-0 orders-1 orders-2", "m2": "orders-3 orders-4"}


@pytest.mark.parametrize("second", ["leaves", "unsubscribes"])
def test_a_member_that_says_so_is_replaced_within_two_seconds(second):
    assert stories.settled_after(stories.two_at_work(second)) < 4_000


def test_a_crash_of_the_leader_gives_the_group_another():
    lab = stories.two_at_work()
    before = stories.leader(lab)
    lab.kill(before)
    assert stories.settled_after(lab) > 40_000
    assert stories.leader(lab) != before


@pytest.mark.parametrize("seed", few([1, 2, 3]))
def test_the_first_wait_spares_programs_that_start_one_after_the_other_some_rebalances(seed):
    generations = {}
    for wait_ms in (0, 3_000):
        config = {"group.initial.rebalance.delay.ms": wait_ms}
        lab = Lab(seed=seed, version="3.9", broker_version="4.4", broker_config=config)
        lab.create_topic("orders", partitions=10)
        for number in range(5):
            stories.start(lab, f"m{number}")
            lab.run_for(ms=1_000)
        lab.run_for(ms=12_000)
        generations[wait_ms] = stories.generation(lab)
    assert generations[3_000] == 1 and generations[0] > 2, generations


def test_the_wait_of_a_newcomer_without_a_record_is_refused_in_a_sentence():
    with pytest.raises(IllegalArgumentException, match="m4 got no record"):
        stories.newcomer_waits(stories.two_at_work())


def test_a_static_member_that_comes_back_starts_no_generation():
    assert stories.generation(stories.restart(static=True)) == 1
    assert stories.generation(stories.restart(static=False)) == 3


@pytest.mark.slow
def test_latest_skips_what_new_partitions_got_before_the_group_found_them():
    sent, read = stories.two_more_partitions("latest")
    assert read < sent
    assert stories.two_more_partitions("earliest") == (sent, sent)
    assert stories.two_more_partitions("by_duration:PT10M", version="4.4") == (sent, sent)
    newer = stories.two_more_partitions("latest", protocol="consumer", version="4.4")
    assert read < newer[1] < sent


@pytest.mark.slow
def test_beside_a_slow_member_cooperative_spares_the_others_and_not_the_newcomer():
    eager = stories.newcomer_beside_a_slow_member("Range")
    cooperative = stories.newcomer_beside_a_slow_member("CooperativeSticky")
    assert stories.partitions_without_owner(eager) == 6
    assert stories.partitions_without_owner(cooperative) == 2
    assert stories.newcomer_waits(cooperative) > 2 * stories.newcomer_waits(eager)


@pytest.mark.slow
def test_the_simulated_newcomer_waits_as_long_as_the_real_one():
    pair = recorded("4.4.0/3.9.2/group_newcomer_slow_member_cooperative", seed=1)
    real, played = map(stories.seconds_to_partitions, (pair.real, pair.played))
    assert list(real.values()) == pytest.approx([20.7, 41.8])
    assert list(played.values()) == pytest.approx(list(real.values()), abs=0.5)


def test_the_changes_of_a_shift_are_those_of_its_lines():
    lab = stories.shift("Range", 5_000)
    changes = stories.ownership_changes(lab)
    assert {what for _, _, what, _ in changes} == {"Revoke", "Adding"}
    assert {client for _, client, _, _ in changes} == {"m1", "m2", "m3", "m4"}


@pytest.mark.slow
def test_a_member_that_leaves_in_a_rebalance_loses_its_partitions():
    changes = stories.ownership_changes(stories.shift("CooperativeSticky", 6_500))
    assert [partition for _, client, what, partition in changes if what == "Lost"] == [
        "orders-0",
        "orders-3",
    ]


@pytest.mark.corpus
def test_a_deployment_of_ten_costs_each_protocol_something_else():
    price = {kind: stories.price_of_a_deployment(kind) for kind in stories.DEPLOYMENTS}
    given = {kind: row["partitions given"] for kind, row in price.items()}
    # twice for each of ten members: it leaves, and it comes
    assert given["eager"] == 2 * 10 * 20
    assert given["eager, static members"] == 20, "each gets its own two again"
    assert given["cooperative"] == 40 and 30 <= given["KIP-848"] <= 40
    assert price["eager, static members"]["seconds without an owner"] >= 10 * 2 * 4


@pytest.mark.corpus
def test_a_group_takes_the_new_assignor_when_all_list_it():
    restarts = stories.bounced(["CooperativeSticky Range", "CooperativeSticky"])
    assert [*restarts.assignor] == ["range", "range", *["cooperative-sticky"] * 4]
    gave_up = [*restarts["the others gave up"]]
    assert gave_up[:4] == [4 + 6] * 4, "each of them still lists Range, so it stops twice"
    assert gave_up[-1] == 2


@pytest.mark.corpus
def test_one_round_of_restarts_leads_to_the_new_protocol_and_back():
    there = stories.bounced(["KIP-848"])
    assert [*there.group] == ["consumer"] * 3 and [*there["the others gave up"]] == [10, 6, 2]
    back = stories.bounced(["KIP-848", "CooperativeSticky"], "CooperativeSticky")
    assert [*back.group] == [*["consumer"] * 5, "classic"]
    assert [*back["the others gave up"]] == [2] * 6
