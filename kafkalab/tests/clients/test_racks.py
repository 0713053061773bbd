"""A group's leader looks at racks from 3.5 on (KIP-881), and nobody reads from a follower."""

import pytest

from kafkalab import KafkaConsumer, Lab
from kafkalab.errors import IllegalArgumentException

RANGE = "org.apache.kafka.clients.consumer.RangeAssignor"


def member(lab, name, rack):
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "shop",
            "client.id": name,
            "client.rack": rack,
            "partition.assignment.strategy": RANGE,
        },
        name=name,
    )
    consumer.subscribe(["orders"])
    while True:
        consumer.poll(timeout_ms=200)


def group_of_two(version, racks):
    """Ada sits in rack a, Bo in rack b; partition 0 is led in rack b, partition 1 in rack a."""
    lab = Lab(brokers=2, seed=1, version=version, racks=racks)
    lab.create_topic("orders", partitions=2, leaders=[1, 0])
    for name, rack in (("ada", "a"), ("bo", "b")):
        lab.spawn(member, name, rack, name=name)
    lab.run_for(ms=8_000)
    owners = {}
    for state in lab.at(lab.now_ms)["groups"]["shop"]["members"].values():
        for partition in state["assignment"]:
            owners[partition] = state["client_id"]
    return lab, owners


@pytest.mark.parametrize(("version", "crosses"), [("2.8", True), ("3.6", False), ("4.4", False)])
def test_range_gives_a_partition_to_the_member_in_its_rack_since_3_5(version, crosses):
    _, plain = group_of_two(version, None)
    _, racked = group_of_two(version, {0: "a", 1: "b"})
    assert (plain == racked) is crosses


def test_a_fetch_names_its_rack_and_goes_to_the_leader():
    lab, _ = group_of_two("4.4", {0: "a", 1: "b"})
    fetches = lab.lines("ada").message
    assert fetches.str.contains("rackId='a'", regex=False).any()
    assert fetches.str.contains("(id: 0 rack: a isFenced: false)", regex=False).any()


def test_a_rack_of_a_broker_that_is_not_there_is_refused():
    with pytest.raises(IllegalArgumentException, match="broker 7 is not in this lab"):
        Lab(brokers=2, racks={7: "a"})
