"""A group's leader looks at racks (KIP-881), and a consumer reads in its rack (KIP-392)."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import BrokerConfigException, IllegalArgumentException

SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
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


def test_a_fetch_names_its_rack_and_goes_to_the_leader_without_a_selector():
    lab, _ = group_of_two("4.4", {0: "a", 1: "b"})
    fetches = lab.lines("ada").message
    assert fetches.str.contains("rackId='a'", regex=False).any()
    assert fetches.str.contains("(id: 0 rack: a isFenced: false)", regex=False).any()


def test_a_rack_of_a_broker_that_is_not_there_is_refused():
    with pytest.raises(IllegalArgumentException, match="broker 7 is not in this lab"):
        Lab(brokers=2, racks={7: "a"})


class Near:
    """Three brokers in racks a, b, c; the leader is broker 0, and a consumer reads in one rack."""

    def __init__(self, version="4.4", rack="b", selector=SELECTOR, **more):
        self.lab = Lab(
            brokers=3,
            seed=2,
            version=version,
            broker_version="4.4",
            racks={0: "a", 1: "b", 2: "c"},
            broker_config={"replica.selector.class": selector, "replica.lag.time.max.ms": 10_000},
        )
        self.lab.create_topic("near", partitions=1, replication_factor=3, leaders=[0])
        self.shop = KafkaProducer(self.lab, {"client.id": "shop"}, name="shop")
        self.write(3)
        settings = {"client.rack": rack, "auto.offset.reset": "earliest", **more}
        self.reader = KafkaConsumer(self.lab, settings, name="reader")
        self.reader.assign([TopicPartition("near", 0)])
        self.got = []

    def write(self, count):
        for number in range(count):
            self.shop.send(ProducerRecord("near", value=str(number))).get()

    def poll(self, ms):
        end_ms = self.lab.now_ms + ms
        while self.lab.now_ms < end_ms:
            self.got += [record.offset for record in self.reader.poll(timeout_ms=200)]
        return self

    def said(self, *words):
        lines = self.lab.lines("reader").message
        return [line for line in lines if all(word in line for word in words)]

    def fetched_from(self):
        """The brokers of this consumer's fetches, in order, without repeats."""
        sent = [line.split("(id: ")[1][0] for line in self.said("FetchRequest(", "to broker")]
        return [int(id) for place, id in enumerate(sent) if sent[place - 1 : place] != [id]]


@pytest.mark.parametrize("version", ["2.3", "2.8", "3.6", "3.9", "4.0", "4.4"])
def test_a_leader_sends_a_consumer_to_the_follower_in_its_rack(version):
    near = Near(version).poll(1_500)
    near.write(2)
    near.poll(1_500)
    assert near.fetched_from() == [0, 1]
    assert near.got == [0, 1, 2, 3, 4]
    assert len(near.said("Updating preferred read replica for partition near-0 to 1")) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [{"rack": ""}, {"rack": "a"}, {"rack": "d"}, {"selector": None}, {"version": "2.2"}]
)
def test_otherwise_everybody_reads_at_the_leader(how):
    if how.get("version") == "2.2":  # this client has no client.rack
        with pytest.raises(Exception, match="client.rack"):
            Near(**how)
        return
    near = Near(**how).poll(1_500)
    assert near.fetched_from() == [0]
    assert near.got == [0, 1, 2]


def test_a_follower_shows_a_record_when_it_has_heard_of_the_watermark():
    near = Near().poll(1_500)
    near.write(1)
    written_ms = near.lab.now_ms
    while near.got[-1] != 3:
        near.poll(1)
    assert 100 < near.lab.now_ms - written_ms <= 510


@pytest.mark.parametrize(("version", "returns_ms"), [("2.8", 10_000), ("3.9", 1_000)])
def test_a_follower_that_dies_is_left_at_once_since_3_4(version, returns_ms):
    """Until 3.3 the consumer tries the dead follower until the leader is asked again."""
    near = Near(version, **{"metadata.max.age.ms": 20_000}).poll(1_500)
    near.lab.broker(1).crash()
    near.poll(returns_ms - 500)
    first = near.fetched_from()
    near.poll(20_000)
    near.write(1)
    near.poll(2_000)
    assert near.got[-1] == 3
    assert (first != [0, 1]) is (version == "3.9")
    assert near.fetched_from()[-1] == 0


def test_a_follower_outside_the_isr_is_not_named():
    near = Near()
    near.lab.partition([1], [0, 2])
    near.write(1)
    near.lab.run_for(ms=20_000)
    near.poll(1_500)
    assert near.fetched_from() == [0]


def test_an_old_broker_knows_no_selector_and_a_strange_one_is_refused():
    with pytest.raises(BrokerConfigException, match="2.3 broker does not know the setting"):
        Lab(brokers=1, broker_version="2.3", broker_config={"replica.selector.class": SELECTOR})
    with pytest.raises(BrokerConfigException, match="a program of its own"):
        Lab(brokers=1, broker_version="4.4", broker_config={"replica.selector.class": "my.Own"})
