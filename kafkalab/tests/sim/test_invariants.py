"""Each invariant is caught, shown on a machine that is broken on purpose."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.broker.cluster.cluster_state import BrokerNode, ClusterState
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup, ConsumerGroupMember
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.sim.invariants import InvariantBroken, check, off
from kafkalab.sim.rng import Streams


def a_lab_with_records():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {"linger.ms": 0})
    producer.send(ProducerRecord("orders", value="tea"))
    producer.flush()
    return lab, lab.broker(0).machine.replicas


@pytest.mark.parametrize(
    "field, value, sentence",
    [
        ("high_watermark", 9, "the high watermark of orders-0 is 9 and its log ends at 1"),
        ("log_start_offset", 5, "the log of orders-0 starts at 5 and its last stable offset is 1"),
    ],
)
def test_the_offsets_of_a_log_keep_their_order(field, value, sentence):
    _, replicas = a_lab_with_records()
    setattr(replicas.found(("orders", 0)).log, field, value)
    with pytest.raises(InvariantBroken, match=sentence):
        replicas.ends_to_tell("orders", 0)


def test_the_last_stable_offset_is_not_beyond_the_high_watermark(monkeypatch):
    _, replicas = a_lab_with_records()
    monkeypatch.setattr(
        PartitionLog, "last_stable_offset", property(lambda log: log.high_watermark + 1)
    )
    with pytest.raises(
        InvariantBroken, match="the last stable offset of orders-0 is 2 and its high watermark 1"
    ):
        replicas.ends_to_tell("orders", 0)


@pytest.mark.parametrize(
    "field, value, sentence",
    [
        ("isr", (0, 7), r"\(0, 7\) are in sync for orders-0, and its replicas are \(0, 1\)"),
        ("isr", (1,), "broker 0 leads orders-0 and is not in sync"),
        ("leader_epoch", 2, "the leader epoch of orders-0 falls from 3 to 2"),
    ],
)
def test_a_leader_is_in_sync_and_no_leader_epoch_falls(field, value, sentence):
    cluster = ClusterState(
        [BrokerNode(n, "localhost", 9092 + n) for n in range(2)], Streams(1).stream("cluster")
    )
    partition = cluster.create_topic("orders", 1, 2, leaders=[0]).partitions[0]
    partition.leader_epoch = 3
    cluster.changed(partition)
    setattr(partition, field, value)
    with pytest.raises(InvariantBroken, match=sentence):
        cluster.changed(partition)


def a_group():
    group = ConsumerGroup("shop")
    group.epoch = group.target_epoch = 4
    for name in ("one", "two"):
        group.add(ConsumerGroupMember(name, epoch=4))
    group.check()
    return group


def test_a_partition_has_one_holder_and_no_group_epoch_falls():
    group = a_group()
    group.members["one"].assigned = {("orders", 0): 4}
    group.members["two"].revoking = frozenset({("orders", 0)})
    with pytest.raises(InvariantBroken, match="is held by one and by two in group shop"):
        group.check()
    group = a_group()
    group.epoch = group.target_epoch = 3
    group.members.clear()
    with pytest.raises(InvariantBroken, match="the epoch of group shop falls from 4 to 3"):
        group.check()
    group = a_group()
    group.members["one"].epoch = 5
    with pytest.raises(InvariantBroken, match="member one is in epoch 5, ahead of the target's 4"):
        group.check()


def test_a_group_is_checked_with_each_heartbeat(monkeypatch):
    """A machine that gives everything to everybody is caught in a lab."""
    from kafkalab import KafkaConsumer

    monkeypatch.setattr(ConsumerGroup, "holder_of", lambda self, partition: None)
    lab = Lab(brokers=1, seed=1, version="4.4", broker_version="4.4")
    lab.create_topic("orders", partitions=4)
    consumers = [
        KafkaConsumer(lab, {"group.id": "shop", "group.protocol": "consumer"}, name=name)
        for name in ("one", "two")
    ]
    with pytest.raises(InvariantBroken, match="is held by"):
        for consumer in consumers:
            consumer.subscribe(["orders"])
            for _ in range(40):
                consumer.poll(timeout_ms=100)


def test_the_checks_can_be_turned_off():
    with off():
        check(False, "nobody looks")
    with pytest.raises(InvariantBroken, match="2 is not 3"):
        check(False, "{} is not {}", 2, 3)


def test_a_position_is_never_reset_to_before_the_log_start(monkeypatch):
    lab, _ = a_lab_with_records()
    monkeypatch.setattr(PartitionLog, "offset_for_timestamp", lambda log, timestamp_ms: (-1, 0))
    consumer = KafkaConsumer(lab, {})
    with pytest.raises(InvariantBroken, match="answers -1, and its log starts at 0"):
        consumer.offsets_for_times({TopicPartition("orders", 0): 5})
