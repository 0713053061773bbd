"""A learner's own assignor: the leader asks it, the broker passes on what it says,
and nobody checks that it is fair."""

import pytest

from kafkalab import KafkaConsumer, Lab

RANGE = "org.apache.kafka.clients.consumer.RangeAssignor"


def all_to_the_first(partitions, subscriptions):
    first = min(subscriptions)
    return {
        first: [
            (topic, number) for topic in subscriptions[first] for number in range(partitions[topic])
        ]
    }


def everything_to_everybody(partitions, subscriptions):
    return {
        member: [(topic, number) for topic in topics for number in range(partitions[topic])]
        for member, topics in subscriptions.items()
    }


class Backwards:
    """An object with a name of its own, as a Java class has."""

    name = "backwards"

    def assign(self, partitions, subscriptions):
        ring = sorted(subscriptions, reverse=True)
        return {
            member: [
                ("orders", number)
                for number in range(partitions["orders"])
                if number % len(ring) == place
            ]
            for place, member in enumerate(ring)
        }


def owners(strategy, version="4.4", strategies=None):
    """member -> its partitions, in a group of two that reads a topic of four partitions."""
    lab = Lab(
        brokers=1,
        seed=5,
        version=version,
        broker_version="2.3" if version.startswith("2") else "4.4",
    )
    lab.create_topic("orders", partitions=4)

    def member(lab, name, strategy):
        consumer = KafkaConsumer(
            lab,
            {"group.id": "g", "client.id": name, "partition.assignment.strategy": strategy},
            name=name,
        )
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=200)

    for name, own in zip(("a", "b"), strategies or (strategy, strategy)):
        lab.spawn(member, name, own, name=name)
    try:
        lab.run_for(ms=8_000)
    finally:
        lab.close()
    state = lab.at(lab.now_ms)
    return (
        {
            name: [int(each[-1]) for each in client["assignment"]]
            for name, client in state["clients"].items()
        },
        state["groups"]["g"]["protocol"],
        lab,
    )


@pytest.mark.parametrize("version", ["2.1", "2.3", "3.9", "4.4"])
def test_the_leader_deals_by_it(version):
    assert owners(all_to_the_first, version)[:2] == (
        {"a": [0, 1, 2, 3], "b": []},
        "all_to_the_first",
    )


def test_an_object_brings_its_own_name():
    for given in (Backwards(), Backwards, [Backwards()]):
        assert owners(given)[:2] == ({"a": [1, 3], "b": [0, 2]}, "backwards")


def test_a_partition_may_get_two_owners_for_the_broker_reads_no_assignment():
    shares, _, lab = owners(everything_to_everybody)
    assert shares == {"a": [0, 1, 2, 3], "b": [0, 1, 2, 3]}
    assert (
        "partition.assignment.strategy = "
        "[kafkalab.tests.clients.test_learners_assignor.everything_to_everybody]"
    ) in lab.log_text("a")


def test_the_group_takes_what_all_know():
    shares, protocol, _ = owners(None, strategies=([all_to_the_first, RANGE], RANGE))
    assert (shares, protocol) == ({"a": [0, 1], "b": [2, 3]}, "range")


@pytest.mark.parametrize(
    "answer, complaint",
    [
        (None, r"strange gives a dict, \{member id: \[\(topic, number\), \.\.\.\]\}, not None"),
        ({"nobody": []}, "strange gives partitions to 'nobody', which is no member; there are a-"),
        ("orders", r"strange gives each member a list of pairs \(topic, number\), not 'orders'"),
        (("refunds", 0), "strange gives refunds-0 to a-.*, which did not subscribe to refunds"),
        (("orders", 4), "strange gives away orders-4; orders has 4 partitions"),
    ],
)
def test_an_answer_nobody_can_act_on_is_raised_by_the_leaders_poll(answer, complaint):
    def strange(partitions, subscriptions):
        return (
            answer if answer is None or isinstance(answer, dict) else {min(subscriptions): [answer]}
        )

    with pytest.raises(ValueError, match=complaint):
        owners(strange)
