"""Which partition does a record go to? The key decides;
without one, three rules have been in force."""

import itertools
import random

import pytest

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.clients.network.metadata import ClusterView, PartitionView
from kafkalab.clients.producer.builtin_partitioner import BuiltInPartitioner, load_stats
from kafkalab.clients.producer.partitioner import (
    RoundRobin,
    RoundRobinPartitioner,
    StickyPartitionCache,
    by_key,
)
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.errors import ConfigException, IllegalArgumentException
from kafkalab.records import TopicPartition
from kafkalab.releases import PROFILES
from kafkalab.tests.clients.stories import cluster as lab_of


def view(leaders):
    """Topic t whose partitions are led by these brokers; None where nobody leads."""
    parts = tuple(
        PartitionView("t", number, leader, 0, (), ()) for number, leader in enumerate(leaders)
    )
    return Cluster(
        ClusterView(
            "lab", (), {TopicPartition("t", p.partition): p for p in parts}, {"t": parts}, {}
        ),
        in_hash_order=False,
    )


def builtin(batch_size=16_384, seed=7):
    return BuiltInPartitioner("t", batch_size, random.Random(seed), lambda name, **values: None)


def sent_to(version, count, partitions=3, keys=None, value="v", **config):
    """The partitions of `count` records, each sent when the one before was answered."""
    lab = lab_of(version)
    lab.create_topic("t", partitions)
    producer = KafkaProducer(lab, config, name="shop")
    return [
        producer.send(ProducerRecord("t", value, key=keys and keys[n])).get().partition
        for n in range(count)
    ]


# the rules


@pytest.mark.parametrize(
    ("key", "of_three", "of_fifty"),
    [
        ("21", 0, 40),
        ("foobar", 0, 16),
        ("a-little-bit-long-string", 2, 12),
        ("abc", 0, 7),
        ("", 0, 31),
    ],
)
def test_a_key_decides_as_in_java(key, of_three, of_fifty):
    """Expected values: murmur2 in Utils.java, positive by masking,
    modulo the number of partitions."""
    assert (by_key(key.encode(), 3), by_key(key.encode(), 50)) == (of_three, of_fifty)


def test_round_robin_goes_round_from_a_random_start():
    partitioner = RoundRobin(random.Random(7))
    went = [partitioner.next("t", view([0, 1, 2])) for _ in range(9)]
    assert went[:3] == went[3:6] == went[6:] and set(went) == {0, 1, 2}
    assert (
        len({RoundRobin(random.Random(seed)).next("t", view([0, 1, 2])) for seed in range(20)}) == 3
    )


RULES = {
    "round robin": lambda seed, cluster: RoundRobin(random.Random(seed)).next("t", cluster),
    "sticky": lambda seed, cluster: StickyPartitionCache(random.Random(seed)).partition(
        "t", cluster
    ),
    "built in": lambda seed, cluster: builtin(seed=seed).peek(cluster).partition,
}


@pytest.mark.parametrize("rule", RULES)
def test_partitions_nobody_leads_are_passed_over(rule):
    assert {RULES[rule](seed, view([None, 1, None])) for seed in range(30)} == {1}


@pytest.mark.parametrize("rule", RULES)
def test_where_nobody_leads_anything_any_partition_will_do(rule):
    assert {RULES[rule](seed, view([None, None])) for seed in range(30)} == {0, 1}


def test_sticky_stays_until_a_new_batch_and_then_goes_elsewhere():
    for seed in range(20):
        cache, cluster = StickyPartitionCache(random.Random(seed)), view([0, 1, 2])
        before = cache.partition("t", cluster)
        after = cache.next_partition("t", cluster, before)
        assert after != before and cache.partition("t", cluster) == after


def test_a_batch_of_another_partition_does_not_move_it():
    """StickyPartitionCache.nextPartition: only the batch of the partition it sticks to counts."""
    cache = StickyPartitionCache(random.Random(7))
    cache.stick_to("t", 2)
    assert cache.next_partition("t", view([0, 1, 2]), 0) == 2


def test_sticky_with_one_partition_has_nowhere_to_go():
    cache = StickyPartitionCache(random.Random(7))
    assert cache.next_partition("t", view([0]), cache.partition("t", view([0]))) == 0


def test_the_built_in_rule_stays_until_a_batch_full_of_bytes_went_there():
    partitioner, cluster = builtin(batch_size=100), view([0] * 50)
    info = partitioner.peek(cluster)
    assert not partitioner.update(info, 99, cluster, may_switch=True)
    assert partitioner.update(info, 1, cluster, may_switch=True)
    assert partitioner.is_changed(info)


def test_it_waits_for_a_batch_that_still_fills_but_not_for_ever():
    """Between batch.size and twice that, a switch waits until no batch of
    the partition is half full (KIP-794)."""
    partitioner, cluster = builtin(batch_size=100), view([0, 1])
    info = partitioner.peek(cluster)
    assert not partitioner.update(info, 199, cluster, may_switch=False)
    assert partitioner.update(info, 1, cluster, may_switch=False)


def test_longer_queues_weigh_less():
    """The example in the source of BuiltInPartitioner:
    queues of 0, 3 and 1 batches weigh 4, 1 and 3."""
    stats = load_stats([0, 3, 1], [0, 1, 2], 3)
    assert stats.cumulative == (4, 5, 8)
    assert [stats.pick(number) for number in range(8)] == [0, 0, 0, 0, 1, 2, 2, 2]


def test_equal_queues_and_single_partitions_need_no_weights():
    assert load_stats([2, 2, 2], [0, 1, 2], 3) is None
    assert load_stats([5], [0], 1) is None
    assert load_stats([2, 2], [0, 1], 3).cumulative == (1, 2), (
        "one of three is left out, so it must not be drawn"
    )


def test_round_robin_partitioner_skips_where_it_is_asked_twice():
    """KAFKA-9965: of four partitions two are never used while each record opens a batch;
    KAFKA-17632 mended it."""
    for remembers, expected in ((False, [1, 3, 1, 3]), (True, [0, 1, 2, 3])):
        partitioner, went = RoundRobinPartitioner(random.Random(0), remembers), []
        for _ in range(4):
            first = partitioner.partition("t", None, None, None, None, view([0, 1, 2, 3]))
            partitioner.on_new_batch("t", view([0, 1, 2, 3]), first)
            went.append(partitioner.partition("t", None, None, None, None, view([0, 1, 2, 3])))
        assert went == expected


# in producers of each version


def test_each_version_has_its_rule():
    assert [profile.producing.partitioner for profile in PROFILES.values()] == [
        "round robin"
    ] * 3 + ["sticky"] + ["adaptive"] * 4


def test_one_record_after_the_other_without_a_key():
    assert len(set(sent_to("2.3", 6))) == 3, "each to the next"
    sticky = sent_to("2.8", 12)
    assert all(before != after for before, after in itertools.pairwise(sticky)), (
        "each opens a batch, and a new batch goes elsewhere"
    )
    assert len(set(sent_to("3.9", 12))) == 1, "far from batch.size bytes"


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.8", [1, 3, 1, 3]), ("3.6", [1, 3, 1, 3]), ("3.9", [0, 1, 2, 3]), ("4.4", [0, 1, 2, 3])],
)
def test_round_robin_partitioner_by_version(version, expected):
    """In the order of the cluster's list, which is a hash map's;
    so the numbers are told by their places in it."""
    went = sent_to(
        version,
        4,
        partitions=4,
        keys=["same"] * 4,
        **{"partitioner.class": "RoundRobinPartitioner"},
    )
    place = {
        partition: n
        for n, partition in enumerate(
            sent_to("4.4", 4, partitions=4, **{"partitioner.class": "RoundRobinPartitioner"})
        )
    }
    assert [place[partition] for partition in went] == expected


def test_keys_may_be_ignored():
    assert (
        len(
            set(
                sent_to(
                    "2.8",
                    20,
                    keys=["same"] * 20,
                    **{"partitioner.class": "UniformStickyPartitioner"},
                )
            )
        )
        > 1
    )
    keys = [f"key-{n}" for n in range(20)]
    assert len(set(sent_to("3.9", 20, keys=keys, **{"partitioner.ignore.keys": True}))) == 1
    assert len(set(sent_to("3.9", 20, keys=keys))) == 3


def test_a_function_can_be_the_partitioner():
    def by_first_letter(topic, key, key_bytes, value, value_bytes, cluster):
        return ord(key[0]) % cluster.partition_count_for_topic(topic)

    assert sent_to("3.9", 3, keys=["a", "b", "c"], **{"partitioner.class": by_first_letter}) == [
        97 % 3,
        98 % 3,
        99 % 3,
    ]


class Complaining:
    def partition(self, topic, key, key_bytes, value, value_bytes, cluster):
        return -1


def test_a_partitioner_that_gives_no_number_is_told_so():
    with pytest.raises(
        IllegalArgumentException, match="The partitioner generated an invalid partition number: -1"
    ):
        sent_to("3.9", 1, **{"partitioner.class": Complaining})


@pytest.mark.parametrize(
    ("version", "given"),
    [
        ("2.3", "RoundRobinPartitioner"),
        ("4.4", "UniformStickyPartitioner"),
        ("3.9", "MyPartitioner"),
        ("3.9", 7),
    ],
)
def test_a_partitioner_the_version_does_not_have(version, given):
    with pytest.raises(ConfigException, match="partitioner.class"):
        sent_to(version, 1, **{"partitioner.class": given})


def test_the_built_in_rule_prefers_the_quick_broker():
    """Broker 0 answers late, so its batches queue up, and it is chosen less often."""
    shares = []
    for adaptive in (True, False):
        lab = lab_of("3.9", seed=3)
        lab.create_topic("t", 3, leaders=[0, 1, 2])
        lab.broker(0).delay("PRODUCE", ms=200)
        producer = KafkaProducer(
            lab,
            {
                "batch.size": 500,
                "partitioner.adaptive.partitioning.enable": adaptive,
                "max.in.flight.requests.per.connection": 1,
            },
            name="shop",
        )
        futures = []
        for _ in range(400):
            futures.append(producer.send(ProducerRecord("t", "x" * 100)))
            lab.run_for(2)
        producer.flush()
        shares.append(sum(future.get().partition == 0 for future in futures))
    assert shares[0] < shares[1] / 2


@pytest.mark.parametrize("version", ["3.6", "4.4"])
def test_a_full_partition_is_left_before_another_batch_is_opened(version):
    """The switch waits for a full batch, and RecordAccumulator.append asks partitionChanged once
    more when it has memory: three records fill a batch, the second batch ends the run."""
    lab = Lab(brokers=1, seed=1, version=version, broker_version="4.4")
    lab.create_topic("t", partitions=5, replication_factor=1)
    producer = KafkaProducer(lab, {"batch.size": 1_000, "linger.ms": 60_000})
    sent = [producer.send(ProducerRecord("t", value="x" * 300)) for _ in range(36)]
    producer.flush()
    runs = [len(list(run)) for _, run in itertools.groupby(f.get().partition for f in sent)]
    assert len(runs) > 2 and all(run % 6 == 0 for run in runs)
