"""Which partition does a record go to? The key decides; without one, three rules have been in force."""

import random
from types import SimpleNamespace

import pytest

from kafkalab.clients.metadata import PartitionView
from kafkalab.clients.producer.partitioner import Adaptive, RoundRobin, Sticky, by_key
from kafkalab.versions import PROFILES


def view(leaders):
    """Topic t whose partitions are led by these brokers; None where nobody leads."""
    partitions = tuple(PartitionView("t", number, leader, 0, (), ()) for number, leader in enumerate(leaders))
    return SimpleNamespace(topics={"t": partitions})  # all that a partitioner looks at


def rule(kind, seed=7, batch_size=16_384):
    return kind(random.Random(seed), batch_size, lambda name, **values: None)


def choices(partitioner, cluster, count):
    return [partitioner.choose("t", cluster) for _ in range(count)]


@pytest.mark.parametrize(("key", "of_three", "of_fifty"), [("21", 0, 40), ("foobar", 0, 16), ("a-little-bit-long-string", 2, 12), ("abc", 0, 7), ("", 0, 31)])
def test_a_key_decides_as_in_java(key, of_three, of_fifty):
    """Expected values: murmur2 in Utils.java, positive by masking, modulo the number of partitions."""
    assert (by_key(key.encode(), 3), by_key(key.encode(), 50)) == (of_three, of_fifty)


def test_round_robin_goes_round_from_a_random_start():
    went = choices(rule(RoundRobin), view([0, 1, 2]), 9)
    assert went[:3] == went[3:6] == went[6:] and set(went) == {0, 1, 2}
    assert len({rule(RoundRobin, seed).choose("t", view([0, 1, 2])) for seed in range(20)}) == 3


@pytest.mark.parametrize("kind", [RoundRobin, Sticky, Adaptive])
def test_partitions_nobody_leads_are_passed_over(kind):
    for seed in range(30):
        assert rule(kind, seed).choose("t", view([None, 1, None])) == 1


@pytest.mark.parametrize("kind", [RoundRobin, Sticky, Adaptive])
def test_where_nobody_leads_anything_any_partition_will_do(kind):
    assert rule(kind).choose("t", view([None, None])) in (0, 1)


def test_sticky_stays_until_a_new_batch_and_then_goes_elsewhere():
    partitioner, cluster = rule(Sticky), view([0, 1, 2])
    before, = set(choices(partitioner, cluster, 50))
    after = partitioner.on_new_batch("t", cluster, before)
    assert after != before
    assert set(choices(partitioner, cluster, 50)) == {after}


def test_sticky_with_one_partition_has_nowhere_to_go():
    partitioner, cluster = rule(Sticky), view([0])
    assert partitioner.on_new_batch("t", cluster, partitioner.choose("t", cluster)) == 0


def test_adaptive_stays_until_a_batch_full_of_bytes_went_there():
    partitioner, cluster = rule(Adaptive, batch_size=100), view([0] * 50)
    before = partitioner.choose("t", cluster)
    partitioner.appended("t", before, 99, cluster)
    assert partitioner.choose("t", cluster) == before
    partitioner.appended("t", before, 1, cluster)
    assert partitioner.choose("t", cluster) != before


def test_adaptive_prefers_short_queues():
    partitioner, cluster = rule(Adaptive, batch_size=1), view([0, 1])
    partitioner.on_load("t", [(0, 9), (1, 0)], 2)
    went = []
    for _ in range(500):
        partitioner.appended("t", 0, 1, cluster)
        went.append(partitioner.choose("t", cluster))
    assert went.count(1) > 5 * went.count(0) > 0, "lengths 9 and 0: weights 1 and 10"


def test_each_version_has_its_rule():
    assert [profile.partitioner for profile in PROFILES.values()] == ["round robin"] * 3 + ["sticky"] + ["adaptive"] * 4
