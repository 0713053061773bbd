"""What clients and brokers say at the edges of their calls: each case was also run on released
clients 2.3.0 and 4.4.0 with brokers 4.4.0, which raised these classes with these words."""

import pytest

from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    KafkaShareConsumer,
    Lab,
    NewTopic,
    OffsetAndMetadata,
    ProducerRecord,
    RecordsToDelete,
    TopicPartition,
)
from kafkalab.real.proof.claim import raised_by

ONE, FAR = TopicPartition("orders", 0), TopicPartition("orders", 9)
BOTH = ("2.3", "4.4")


def a_lab(version, **settings):
    lab = Lab(brokers=1, seed=1, version=version, broker_version="4.4", **settings)
    lab.create_topic("orders", partitions=2)
    return lab


def a_consumer(lab, **settings):
    config = {"group.id": "g", "enable.auto.commit": False, "default.api.timeout.ms": 3_000}
    return KafkaConsumer(lab, {**config, **settings})


@pytest.mark.parametrize("version", BOTH)
def test_a_consumer_at_the_edges_of_its_partitions(version):
    lab = a_lab(version)
    KafkaProducer(lab).send(ProducerRecord("orders", "tea", partition=0)).get()
    consumer = a_consumer(lab)
    assert raised_by(consumer.position, ONE) == (
        "IllegalStateException: You can only check the position for partitions assigned to this "
        "consumer."
    )
    assert raised_by(consumer.partitions_for, "a b") == (
        "InvalidTopicException: Topic 'a b' is invalid"
    )
    consumer.subscribe(["orders"])
    consumer.assign([])  # as unsubscribe(), so assign() is allowed
    consumer.assign([ONE])
    consumer.seek(ONE, 1)
    consumer.seek_to_beginning([])  # as of all partitions
    assert consumer.position(ONE) == 0
    assert raised_by(consumer.commit_sync, {FAR: OffsetAndMetadata(1)}) == (
        "TimeoutException: Timeout of 3000ms expired before successfully committing offsets "
        "{orders-9=OffsetAndMetadata{offset=1, leaderEpoch=null, metadata=''}}"
    )


def test_an_older_commit_that_takes_too_long_does_not_name_its_offsets():
    """KafkaConsumer.commitSync and committed of 2.3.0 (KIP-520)."""
    lab = a_lab("2.3")
    consumer = a_consumer(lab)
    consumer.assign([ONE])
    consumer.position(ONE)
    lab.broker(0).crash()
    assert raised_by(consumer.commit_sync) == (
        "TimeoutException: Timeout of 3000ms expired before successfully committing the current "
        "consumed offsets"
    )
    assert raised_by(consumer.committed, [ONE]) == (
        "TimeoutException: Timeout of 3000ms expired before the last committed offset for "
        "partition orders-0 could be determined"
    )


@pytest.mark.parametrize(
    ("topic", "error"),
    [
        (
            NewTopic("x", 1, 1, configs={"min.compaction.lag.ms": 10, "max.compaction.lag.ms": 5}),
            "InvalidConfigurationException: conflict topic config setting min.compaction.lag.ms "
            "(10) > max.compaction.lag.ms (5)",
        ),
        (
            NewTopic("x", replicas_assignments={0: [0, 0]}),
            "InvalidReplicaAssignmentException: The manual partition assignment includes the "
            "broker 0 more than once.",
        ),
        (
            NewTopic("x", replicas_assignments={1: [0]}),
            "InvalidReplicaAssignmentException: partitions should be a consecutive 0-based "
            "integer sequence",
        ),
    ],
)
def test_topics_that_a_controller_refuses(topic, error):
    admin = KafkaAdminClient(a_lab("4.4"))
    assert raised_by(lambda: admin.create_topics([topic]).all().get()) == error


@pytest.mark.parametrize(
    ("version", "unknown", "without_leader", "closed"),
    [
        (
            "2.3",
            "UnknownTopicOrPartitionException",
            "LeaderNotAvailableException",
            "TimeoutException: The AdminClient thread is not accepting new calls.",
        ),
        (
            "4.4",
            "TimeoutException",
            "TimeoutException",
            "IllegalStateException: Cannot accept new calls when AdminClient is closing.",
        ),
    ],
)
def test_an_older_administrator_waits_for_no_leader(version, unknown, without_leader, closed):
    admin = KafkaAdminClient(a_lab(version))
    for partition, kind in ((TopicPartition("nope", 0), unknown), (FAR, without_leader)):
        outcome = admin.delete_records({partition: RecordsToDelete(1)}, timeout_ms=2_000)
        assert raised_by(outcome.all().get).partition(":")[0] == kind
    admin.close()
    assert raised_by(admin.list_topics().names().get) == closed


def test_a_share_group_is_no_group_of_consumers():
    lab = a_lab("4.4")
    worker = KafkaShareConsumer(lab, {"group.id": "w"})
    worker.subscribe(["orders"])
    worker.poll(timeout_ms=2_000)
    admin, stranger = KafkaAdminClient(lab), a_consumer(lab, **{"group.id": "w"})
    stranger.assign([ONE])
    assert raised_by(stranger.commit_sync, {ONE: OffsetAndMetadata(1)}) == (
        "KafkaException: Unexpected error in commit: The group id does not exist."
    )
    assert raised_by(admin.describe_consumer_groups(["w"]).all().get) == (
        "GroupIdNotFoundException: Group w is not a consumer group."
    )
    assert raised_by(admin.delete_consumer_groups(["w"]).all().get) == (
        "GroupNotEmptyException: The group is not empty."
    )


@pytest.mark.parametrize(
    ("ending", "error"),
    [
        ("abort_transaction", "none"),
        (
            "commit_transaction",
            "InvalidTxnStateException: The producer attempted a transactional operation in an "
            "invalid state.",
        ),
    ],
)
def test_a_transaction_that_lasted_too_long_is_ended(ending, error):
    """Brokers with transaction.version 2 have aborted it with the next epoch. A late abort learns
    that epoch, and a late commit is fatal (TransactionCoordinator.endTransaction)."""
    lab = a_lab(
        "4.4", broker_config={"transaction.abort.timed.out.transaction.cleanup.interval.ms": 1_000}
    )
    producer = KafkaProducer(lab, {"transactional.id": "till", "transaction.timeout.ms": 2_000})
    assert producer.client_id == "producer-till"
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(ProducerRecord("orders", "tea")).get()
    lab.run_for(5_000)
    assert raised_by(getattr(producer, ending)) == error
    if error == "none":
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", "milk")).get()
        producer.commit_transaction()


def test_an_older_static_member_that_is_fenced_stays_a_member():
    """AbstractCoordinator 2.3.0: its commit is fenced, too."""
    lab = a_lab("2.3")
    first, second = (
        KafkaConsumer(
            lab,
            {"group.id": "g", "group.instance.id": "one", "enable.auto.commit": False},
            name=name,
        )
        for name in ("first", "second")
    )
    for member in (first, second):
        member.subscribe(["orders"])
        until_ms = lab.now_ms + 5_000
        while lab.now_ms < until_ms:
            member.poll(timeout_ms=100)
    for call in (lambda: first.poll(timeout_ms=4_000), first.commit_sync):
        assert raised_by(call).startswith("FencedInstanceIdException: The broker rejected")
    errors = lab.lines("first").query("level == 'ERROR'").message
    assert any("Caught fenced group.instance.id Optional[one]" in each for each in errors)


@pytest.mark.parametrize("version", BOTH)
def test_a_refused_commit_has_a_line_of_the_first_partition(version):
    lab = a_lab(version)
    member, stranger = a_consumer(lab), a_consumer(lab, **{"client.id": "stranger"})
    member.subscribe(["orders"])
    member.poll(timeout_ms=5_000)
    stranger.assign([ONE])
    said = raised_by(stranger.commit_sync, {ONE: OffsetAndMetadata(3)})
    assert said.startswith("CommitFailedException: Commit cannot be completed since the group has")
    lines = lab.lines("stranger")
    told = lines[lines.message.str.contains("Offset commit failed on partition orders-0 at")]
    assert told.level.tolist() == ["ERROR"]
