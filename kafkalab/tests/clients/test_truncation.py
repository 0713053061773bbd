"""A consumer whose position was cut off the log goes where the log still agrees,
or asks the application (KIP-320)."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.errors import (
    ConsumerOffsetOutOfRangeException,
    IllegalArgumentException,
    LogTruncationException,
)
from kafkalab.tests.clients.stories import BROKER_OF_ITS_TIME

ORDERS = TopicPartition("orders", 0)
KEPT, READ = 3, 8
CHECKING = ("2.3", "2.8", "3.6", "3.9", "4.0", "4.4")


class Cut:
    """A group has read READ records; then a replica that has only KEPT of them leads,
    and two new ones come."""

    def __init__(self, version, reset="latest", protocol="classic"):
        self.lab = lab = Lab(
            brokers=3, seed=5, version=version, broker_version=BROKER_OF_ITS_TIME[version]
        )
        lab.create_topic(
            "orders",
            replication_factor=2,
            leaders=[0],
            config={"unclean.leader.election.enable": True},
        )
        self.config = {
            "group.id": "g",
            "auto.offset.reset": reset,
            "enable.auto.commit": False,
            "bootstrap.servers": "localhost:9092,localhost:9093,localhost:9094",
        }
        if protocol == "consumer":
            self.config["group.protocol"] = protocol
        lab.place_coordinator("g", 2)
        self.send(KEPT)
        lab.run_for(3_000)
        lab.broker(1).crash()
        lab.run_for(30_000)
        self.send(READ - KEPT)
        self.read()
        lab.broker(0).crash()
        lab.broker(1).restart()
        assert lab.run_until(
            lambda: lab.cluster.partition("orders", 0).leader == 1, timeout_ms=60_000
        )
        self.send(2)

    def send(self, count):
        shop = KafkaProducer(
            self.lab,
            {
                "acks": 1,
                "enable.idempotence": False,
                "bootstrap.servers": self.config["bootstrap.servers"],
            },
        )
        for _ in range(count):
            shop.send(ProducerRecord("orders", value="tea")).get()
        shop.close()

    def read(self):
        """Read all there is, and note the position as a commit would carry it."""
        reader = KafkaConsumer(self.lab, {**self.config, "auto.offset.reset": "earliest"})
        reader.assign([ORDERS])
        assert len(reader.poll(timeout_ms=5_000)) == READ
        self.read_to = reader._subscriptions.all_consumed()
        reader.close()

    def comes_back(self):
        """What a consumer that goes on at the old position reads, by offset."""
        consumer = self.consumer = KafkaConsumer(self.lab, self.config, name="late")
        consumer.assign([ORDERS])
        consumer.commit_sync(self.read_to)
        return [record.offset for _ in range(10) for record in consumer.poll(timeout_ms=2_000)]

    def lines(self):
        lines = self.lab.lines("late")
        return [
            (row.level, row.line, row.message.split("] ", 1)[1])
            for row in lines.itertuples()
            if "Truncation detected" in row.message
        ]


@pytest.mark.parametrize("version", CHECKING)
@pytest.mark.parametrize("reset", ["earliest", "latest"])
def test_the_position_goes_to_the_first_offset_that_differs_whatever_the_policy_is(version, reset):
    story = Cut(version, reset)
    assert story.comes_back() == [KEPT, KEPT + 1]
    ((level, number, message),) = story.lines()
    assert (level, number) == (
        "INFO",
        {"2.3": 410, "2.8": 506, "3.6": 506, "3.9": 522, "4.0": 576, "4.4": 609}[version],
    )
    before, after = message.split(", resetting offset to the first offset known to diverge ")
    assert before.startswith(
        "Truncation detected for partition orders-0 at offset FetchPosition{offset=8, "
        "offsetEpoch=Optional["
    )
    assert after.startswith("FetchPosition{offset=3, offsetEpoch=Optional[0], currentLeader=")


@pytest.mark.corpus
def test_the_new_protocols_consumer_does_the_same():
    story = Cut("4.4", "latest", protocol="consumer")
    assert story.comes_back() == [KEPT, KEPT + 1] and len(story.lines()) == 1


@pytest.mark.parametrize(
    ("version", "says"),
    [
        (
            "2.3",
            "Offsets out of range with no configured reset policy for partitions: {orders-0=3}",
        ),
        (
            "2.8",
            (
                "Detected truncated partitions: [(partition=orders-0, fetchOffset=8, "
                "fetchEpoch=Optional[{epoch}], divergentOffset=3, divergentEpoch=Optional[0])]"
            ),
        ),
        (
            "3.9",
            (
                "Truncated partitions detected with divergent offsets "
                "{orders-0=OffsetAndMetadata{offset=3, leaderEpoch=0, metadata=''}}"
            ),
        ),
    ],
)
def test_without_a_policy_the_application_hears_of_it(version, says):
    story = Cut(version, "none")
    with pytest.raises(LogTruncationException) as refused:
        story.comes_back()
    epoch = story.read_to[ORDERS].leader_epoch
    assert str(refused.value) == says.replace("{epoch}", str(epoch)) and isinstance(
        refused.value, ConsumerOffsetOutOfRangeException
    )
    ((level, number, message),) = story.lines()
    assert (level, number) == ("WARN", {"2.3": 414, "2.8": 512, "3.9": 528}[version])
    end = (
        "EpochEndOffset{error=NONE, leaderEpoch=0, endOffset=3}"
        if version == "2.3"
        else "OffsetAndMetadata{offset=3, leaderEpoch=0, metadata=''}"
    )
    assert message.endswith(
        f" (the end offset from the broker is {end}), but no reset policy is set"
    )


@pytest.mark.parametrize(
    ("version", "reset", "reads"),
    [
        ("2.3", "earliest", [0, 1, 2, 3, 4]),
        ("3.9", "earliest", [0, 1, 2, 3, 4]),
        ("3.9", "latest", []),
    ],
)
def test_a_leader_that_does_not_know_the_epoch_lets_the_policy_decide(
    monkeypatch, version, reset, reads
):
    story = Cut(version, reset)
    monkeypatch.setattr(PartitionLog, "end_of_epoch", lambda log, epoch: (-1, -1))
    assert story.comes_back() == reads
    ((level, number, message),) = story.lines()
    known = version == "2.3"
    assert (level, number) == ("INFO", 410 if known else 509) and (
        "known to diverge" in message
    ) is known


@pytest.mark.parametrize(
    ("version", "raised", "says"),
    [
        ("2.3", IllegalArgumentException, "Invalid negative offset"),
        ("3.9", LogTruncationException, "Truncated partitions detected with divergent offsets {}"),
    ],
)
def test_without_a_policy_an_unknown_epoch_is_told_as_well(monkeypatch, version, raised, says):
    story = Cut(version, "none")
    monkeypatch.setattr(PartitionLog, "end_of_epoch", lambda log, epoch: (-1, -1))
    with pytest.raises(raised) as refused:
        story.comes_back()
    assert str(refused.value) == says and len(story.lines()) == 1
