"""An administrator: topics made and removed, groups looked at and forgotten, offsets asked for;
with Java's errors in the brokers' words."""

import pytest

from kafkalab import (
    ConfigResource,
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    NewPartitions,
    NewTopic,
    OffsetAndMetadata,
    OffsetSpec,
    ProducerRecord,
    RecordsToDelete,
    TopicPartition,
)
from kafkalab.clients.admin.lookups import at_coordinator
from kafkalab.errors import (
    ElectionNotNeededException,
    GroupIdNotFoundException,
    GroupNotEmptyException,
    GroupSubscribedToTopicException,
    IllegalStateException,
    InvalidConfigurationException,
    InvalidPartitionsException,
    InvalidReplicationFactorException,
    InvalidTopicException,
    OffsetOutOfRangeException,
    TimeoutException,
    TopicExistsException,
    UnknownMemberIdException,
    UnknownTopicOrPartitionException,
    UnsupportedVersionException,
    error_for,
)
from kafkalab.protocol import messages as m

T0, T1, T2 = (TopicPartition("t4", number) for number in range(3))


def cluster(version="3.9", broker_version="4.4", brokers=3, **settings):
    lab = Lab(
        brokers=brokers,
        seed=7,
        version=version,
        broker_version=broker_version,
        broker_config=settings,
    )
    return lab, KafkaAdminClient(lab)


def with_a_group(version="3.9", broker_version="4.4", commits=((T0, 2),)):
    """Ten records in t4, a member of group g that has read them all and committed some."""
    lab, admin = cluster(version, broker_version)
    lab.create_topic("t4", partitions=3)
    producer = KafkaProducer(lab, {}, name="shop")
    for number in range(10):
        producer.send(ProducerRecord("t4", key=f"k{number}", value="v", partition=number % 3))
    producer.flush()
    consumer = KafkaConsumer(
        lab,
        {"group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False},
        name="reader",
    )
    consumer.subscribe(["t4"])
    while sum(consumer.position(tp) for tp in consumer.assignment()) < 10:
        consumer.poll(1_000)
    consumer.commit_sync({tp: OffsetAndMetadata(offset) for tp, offset in commits})
    return lab, admin, consumer


# topics


@pytest.mark.parametrize(
    ("version", "broker_version"), [("2.1", "2.3"), ("2.3", "4.4"), ("4.4", "4.4")]
)
def test_a_topic_is_created_described_widened_and_deleted(version, broker_version):
    lab, admin = cluster(version, broker_version)
    admin.create_topics(
        [NewTopic("orders", 3, 2), NewTopic("bills", replicas_assignments={0: [2, 0], 1: [1, 2]})]
    ).all().get()
    assert admin.list_topics().names().get() == ["bills", "orders"]
    bills = admin.describe_topics(["bills"]).topic_name_values()["bills"].get()
    assert [[node.id for node in p.replicas] for p in bills.partitions] == [[2, 0], [1, 2]]
    assert [p.leader.id for p in bills.partitions] == [2, 1]
    admin.create_partitions({"orders": NewPartitions.increase_to(5)}).all().get()
    assert (
        lab.at(lab.now_ms)["topics"]["orders"]["partitions"]
        == len(admin.describe_topics(["orders"]).all().get()["orders"].partitions)
        == 5
    )
    admin.delete_topics(["orders"]).all().get()
    assert admin.list_topics().names().get() == ["bills"]
    assert "orders-0" not in lab.at(lab.now_ms)["partitions"]


@pytest.mark.parametrize(
    ("broker_version", "topic", "kind", "text"),
    [
        ("2.3", NewTopic("t4", 1, 1), TopicExistsException, "Topic 't4' already exists."),
        ("4.4", NewTopic("t4", 1, 1), TopicExistsException, "Topic 't4' already exists."),
        (
            "2.3",
            NewTopic("big", 1, 5),
            InvalidReplicationFactorException,
            "Replication factor: 5 larger than available brokers: 2.",
        ),
        (
            "4.4",
            NewTopic("big", 1, 5),
            InvalidReplicationFactorException,
            (
                "Unable to replicate the partition 5 time(s): The target replication factor of 5 "
                "cannot be reached because only 2 broker(s) are registered or some brokers have "
                "all their log directories cordoned."
            ),
        ),
        (
            "2.3",
            NewTopic("zero", 0, 1),
            InvalidPartitionsException,
            "Number of partitions must be larger than 0.",
        ),
        (
            "4.4",
            NewTopic("zero", 0, 1),
            InvalidPartitionsException,
            "Number of partitions was set to an invalid non-positive value.",
        ),
        (
            "4.4",
            NewTopic("a b", 1, 1),
            InvalidTopicException,
            (
                "Topic name is invalid: 'a b' contains one or more characters other than ASCII "
                "alphanumerics, '.', '_' and '-'"
            ),
        ),
        (
            "4.4",
            NewTopic("x", 1, 1, configs={"retenton.ms": 1}),
            InvalidConfigurationException,
            "Unknown topic config name: retenton.ms",
        ),
        (
            "4.4",
            NewTopic("x", 1, 1, configs={"retention.ms": "abc"}),
            InvalidConfigurationException,
            "Invalid value abc for configuration retention.ms: Not a number of type LONG",
        ),
        (
            "4.4",
            NewTopic("x", 1, 1, configs={"cleanup.policy": "shred"}),
            InvalidConfigurationException,
            (
                "Invalid value shred for configuration cleanup.policy: String must be one of: "
                "compact, delete"
            ),
        ),
        (
            "4.4",
            NewTopic("x", 1, 1, configs={"preallocate": True}),
            InvalidConfigurationException,
            "The topic setting preallocate is not simulated; it can only have its default, false.",
        ),
        (
            "4.4",
            NewTopic("t.5", 1, 1),
            InvalidTopicException,
            "Topic 't.5' collides with existing topic: t_5",
        ),
    ],
)
def test_a_topic_that_cannot_be_is_refused_in_the_brokers_own_words(
    broker_version, topic, kind, text
):
    """Those of 2.3.1 and 4.4.0, as kafka-topics prints them."""
    lab, admin = cluster("2.3", broker_version, brokers=2)
    lab.create_topic("t4")
    lab.create_topic("t_5")
    future = admin.create_topics([topic]).values()[topic.name]
    with pytest.raises(kind) as refusal:
        future.get()
    assert str(refusal.value) == text


def test_one_topic_refused_does_not_hinder_the_others():
    lab, admin = cluster()
    lab.create_topic("t4")
    outcome = admin.create_topics([NewTopic("t4", 1, 1), NewTopic("new", 2, 1)])
    assert outcome.num_partitions("new").get() == 2
    with pytest.raises(TopicExistsException):
        outcome.all().get()


def test_in_the_zookeeper_era_only_the_controller_makes_topics():
    """The client asks the controller; the bootstrap broker here is another one."""
    lab = Lab(brokers=3, seed=7, version="2.3", broker_version="2.3")
    controller = lab.at(0)["controller"]
    other = next(id for id in range(3) if id != controller)
    admin = KafkaAdminClient(lab, {"bootstrap.servers": f"localhost:{9092 + other}"}, name="admin")
    admin.create_topics([NewTopic("t4", 1, 1)]).all().get()
    asked = [
        event.node_id
        for event in lab.journal.of("request.sent")
        if event.who == "admin" and event.api == "CREATE_TOPICS"
    ]
    assert asked == [str(controller)]


def test_a_deleted_topic_takes_its_records_and_offsets_along():
    _lab, admin, consumer = with_a_group()
    consumer.close()
    admin.delete_topics(["t4"]).all().get()
    assert admin.list_consumer_group_offsets("g").partitions_to_offset_and_metadata().get() == {}
    with pytest.raises(UnknownTopicOrPartitionException):
        admin.describe_topics(["t4"]).all_topic_names().get()
    admin.create_topics([NewTopic("t4", 3, 1)]).all().get()
    ends = admin.list_offsets({T0: OffsetSpec.latest()}).all().get()
    assert ends[T0].offset == 0


# groups


@pytest.mark.parametrize(("version", "broker_version"), [("2.2", "2.3"), ("4.0", "4.4")])
def test_a_group_is_listed_described_and_its_offsets_are_told(version, broker_version):
    lab, admin, consumer = with_a_group(version, broker_version)
    assert [group.group_id for group in admin.list_consumer_groups().all().get()] == ["g"]
    described = admin.describe_consumer_groups(["g"]).described_groups()["g"].get()
    assert (described.state, described.partition_assignor, described.coordinator.id) == (
        "Stable",
        "range",
        lab.coordinator_of("g"),
    )
    member = described.members[0]
    assert (set(member.assignment), member.host, member.client_id) == (
        {T0, T1, T2},
        "/127.0.0.1",
        consumer.client_id,
    )
    assert admin.list_consumer_group_offsets("g").partitions_to_offset_and_metadata().get() == {
        T0: OffsetAndMetadata(2)
    }
    assert admin.list_consumer_group_offsets(
        "g", partitions=[T1]
    ).partitions_to_offset_and_metadata().get() == {T1: None}


def test_state_and_type_are_told_where_client_and_broker_know_of_them():
    for version, broker_version, state, kind in (
        ("2.3", "4.4", None, None),
        ("3.6", "4.4", "Stable", None),
        ("3.9", "4.4", "Stable", "Classic"),
        ("3.9", "2.3", None, None),
    ):
        _, admin, _ = with_a_group(version, broker_version)
        listing = admin.list_consumer_groups().all().get()[0]
        assert (listing.state, listing.type) == (state, kind), version


@pytest.mark.parametrize("version", ["3.6", "4.4"])
def test_a_group_nobody_knows_was_dead_and_is_not_found_today(version):
    """KIP-1043, from 4.0 on."""
    _, admin = cluster(version)
    future = admin.describe_consumer_groups(["nope"]).described_groups()["nope"]
    if version == "3.6":
        assert (future.get().state, future.get().members) == ("Dead", ())
    else:
        with pytest.raises(GroupIdNotFoundException, match="Group nope not found."):
            future.get()


def test_a_group_with_members_is_neither_deleted_nor_moved():
    _, admin, consumer = with_a_group()
    with pytest.raises(GroupNotEmptyException, match="The group is not empty."):
        admin.delete_consumer_groups(["g"]).all().get()
    with pytest.raises(UnknownMemberIdException):
        admin.alter_consumer_group_offsets("g", {T0: OffsetAndMetadata(0)}).all().get()
    with pytest.raises(GroupSubscribedToTopicException):
        admin.delete_consumer_group_offsets("g", [T0]).partition_result(T0).get()
    consumer.close()
    admin.alter_consumer_group_offsets(
        "g", {T0: OffsetAndMetadata(0), T1: OffsetAndMetadata(1)}
    ).all().get()
    assert admin.list_consumer_group_offsets("g").partitions_to_offset_and_metadata().get() == {
        T0: OffsetAndMetadata(0),
        T1: OffsetAndMetadata(1),
    }
    admin.delete_consumer_group_offsets("g", [T0]).all().get()
    admin.delete_consumer_groups(["g"]).all().get()
    assert admin.list_consumer_groups().all().get() == []
    with pytest.raises(GroupIdNotFoundException, match="The group id does not exist."):
        admin.delete_consumer_groups(["g"]).all().get()


def test_the_journal_tells_of_every_change():
    lab, admin, consumer = with_a_group()
    consumer.close()
    admin.alter_consumer_group_offsets("g", {T1: OffsetAndMetadata(1)}).all().get()
    assert lab.at(lab.now_ms)["groups"]["g"]["offsets"]["t4-1"]["offset"] == 1
    admin.delete_consumer_group_offsets("g", [T1]).all().get()
    assert "t4-1" not in lab.at(lab.now_ms)["groups"]["g"]["offsets"]
    admin.delete_consumer_groups(["g"]).all().get()
    assert lab.at(lab.now_ms)["groups"] == {}


# logs


def test_lag_is_end_minus_committed_and_a_partition_without_commit_has_none():
    """The API's way; partitions that were never committed are missing from it."""
    _, admin, consumer = with_a_group(commits=((T0, 1), (T2, 3)))
    committed = admin.list_consumer_group_offsets("g").partitions_to_offset_and_metadata().get()
    ends = admin.list_offsets({tp: OffsetSpec.latest() for tp in committed}).all().get()
    assert {tp: ends[tp].offset - kept.offset for tp, kept in committed.items()} == {T0: 3, T2: 0}
    assert consumer.end_offsets([T0, T2]) == {T0: 4, T2: 3}


def test_records_are_deleted_up_to_an_offset():
    lab, admin, _consumer = with_a_group()
    assert (
        admin.delete_records({T0: RecordsToDelete(3)}).low_watermarks()[T0].get().low_watermark == 3
    )
    assert admin.list_offsets({T0: OffsetSpec.earliest()}).all().get()[T0].offset == 3
    with pytest.raises(OffsetOutOfRangeException):
        admin.delete_records({T0: RecordsToDelete(99)}).all().get()
    assert admin.delete_records({T0: RecordsToDelete(-1)}).all().get()[T0].low_watermark == 4
    assert lab.at(lab.now_ms)["partitions"]["t4-0"]["log_start_offset"] == 4


def test_settings_say_where_they_come_from():
    lab, admin = cluster(**{"message.max.bytes": 5_000})
    lab.create_topic("t4")
    topic, broker = ConfigResource("topic", "t4"), ConfigResource("broker", "1")
    found = admin.describe_configs([topic, broker]).all().get()
    assert (found[topic]["max.message.bytes"].value, found[topic]["max.message.bytes"].source) == (
        "5000",
        "STATIC_BROKER_CONFIG",
    )
    assert found[broker]["num.partitions"].is_default
    assert (
        found[topic]["cleanup.policy"].value
        == found[broker]["log.cleanup.policy"].value
        == "delete"
    )


# errors


def test_a_call_ends_when_its_time_is_up():
    lab, admin = cluster(brokers=1)
    admin.list_topics().names().get()
    lab.broker(0).crash()
    with pytest.raises(
        TimeoutException,
        match=(
            r"Call\(callName=listTopics, deadlineMs=\d+, tries=\d+, .*timed out at \d+ after \d+ "
            r"attempt"
        ),
    ):
        admin.list_topics(timeout_ms=2_000).names().get()
    assert 2_000 <= lab.now_ms < 2_600
    with pytest.raises(TimeoutException, match="Timeout after waiting for 10 ms."):
        admin.list_topics().names().get(timeout_ms=10)


def test_a_call_survives_the_loss_of_a_connection():
    lab, admin = cluster(brokers=3)
    admin.list_topics().names().get()
    for broker in range(3):
        lab.link(broker, admin.name).cut_before_reply("METADATA")
    assert admin.list_topics().names().get() == []


@pytest.mark.parametrize("method", ["list_offsets", "alter_consumer_group_offsets"])
def test_what_a_version_has_not_got_yet_says_what_brought_it(method):
    _, admin = cluster("2.3", "2.3")
    args = (
        ({T0: OffsetSpec.latest()},)
        if method == "list_offsets"
        else ("g", {T0: OffsetAndMetadata(0)})
    )
    with pytest.raises(UnsupportedVersionException, match="has no .*: it came with KIP-396"):
        getattr(admin, method)(*args)


def test_an_old_broker_is_described_by_metadata():
    _, admin = cluster("3.9", "2.3")
    assert {node.id for node in admin.describe_cluster().nodes().get()} == {0, 1, 2}


def test_after_close_there_is_nothing_to_ask():
    lab, admin = cluster()
    waiting = admin.list_topics().names()
    admin.close()
    assert waiting.done()
    refused = admin.list_topics()
    with pytest.raises(
        IllegalStateException, match="Cannot accept new calls when AdminClient is closing."
    ):
        refused.names().get()
    assert all(socket.closed_at_ms is not None for socket in lab.sockets(admin.name))


# groups of the new protocol


def heartbeat(lab, admin, **fields):
    """One CONSUMER_GROUP_HEARTBEAT, sent by an administrator's own connections."""
    answers = []

    def plan():
        answers.append(
            (
                yield from at_coordinator(
                    "heartbeat",
                    "new",
                    m.ConsumerGroupHeartbeatRequest(group_id="new", **fields),
                    lambda answer: error_for(answer.error_code),
                )
            )
        )

    admin._loop.start(plan(), lab.now_ms + 10_000)
    lab.run_until(lambda: bool(answers))
    return answers[0]


def test_a_group_of_the_new_protocol_is_described_with_its_epochs():
    """KIP-848: three epochs; the journal tells of them,
    and so do LIST_GROUPS and CONSUMER_GROUP_DESCRIBE."""
    lab, admin = cluster("4.0")
    lab.create_topic("t4", partitions=3)
    first = heartbeat(
        lab,
        admin,
        member_id="m-1",
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=("t4",),
        topic_partitions=(),
    )
    assert first.error_code == 0
    described = admin.describe_consumer_groups(["new"]).described_groups()["new"].get()
    assert (described.type, described.state, described.partition_assignor) == (
        "Consumer",
        "Stable",
        "uniform",
    )
    assert (
        described.group_epoch,
        described.target_assignment_epoch,
        described.members[0].member_epoch,
    ) == (2, 2, 2)
    assert (
        set(described.members[0].assignment)
        == set(described.members[0].target_assignment)
        == {T0, T1, T2}
    )
    assert [(one.group_id, one.type) for one in admin.list_consumer_groups().all().get()] == [
        ("new", "Consumer")
    ]
    told = lab.at(lab.now_ms)["groups"]["new"]
    assert (
        told["type"],
        told["state"],
        told["generation"],
        told["target_epoch"],
        told["protocol"],
    ) == ("consumer", "Stable", 2, 2, "uniform")
    assert (
        told["members"]["m-1"]["assignment"]
        == told["members"]["m-1"]["target"]
        == ["t4-0", "t4-1", "t4-2"]
    )
    with pytest.raises(GroupNotEmptyException):
        admin.delete_consumer_groups(["new"]).all().get()
    heartbeat(lab, admin, member_id="m-1", member_epoch=-1)
    assert lab.at(lab.now_ms)["groups"]["new"]["members"] == {}
    admin.delete_consumer_groups(["new"]).all().get()
    assert lab.at(lab.now_ms)["groups"] == {}


# elections


@pytest.mark.parametrize(("version", "broker_version"), [("2.8", "2.3"), ("4.4", "4.4")])
def test_the_preferred_leader_gets_its_partition_back(version, broker_version):
    """KIP-460. Nothing to give back is an error of its own."""
    lab, admin = cluster(version, broker_version, **{"auto.leader.rebalance.enable": False})
    lab.create_topic("t4", partitions=2, replication_factor=3)
    assert lab.leader("t4", 0) == 0
    lab.broker(0).stop()
    lab.run_for(30_000)
    lab.broker(0).restart()
    lab.run_for(60_000)
    assert lab.leader("t4", 0) != 0 and 0 in lab.at(lab.now_ms)["partitions"]["t4-0"]["isr"]
    outcome = admin.elect_leaders("preferred", [T0, T1]).partitions().get()
    assert outcome[T0] is None and isinstance(outcome[T1], ElectionNotNeededException)
    assert lab.leader("t4", 0) == lab.at(lab.now_ms)["partitions"]["t4-0"]["leader"] == 0
    with pytest.raises(ElectionNotNeededException):
        admin.elect_leaders("preferred", [T1]).all().get()
    assert admin.elect_leaders("preferred").partitions().get() == {}


def test_an_unclean_election_is_for_partitions_without_a_leader():
    lab, admin = cluster(brokers=2)
    lab.create_topic("t4", replication_factor=2)
    outcome = admin.elect_leaders("unclean", [T0, TopicPartition("none", 0)]).partitions().get()
    assert isinstance(outcome[T0], ElectionNotNeededException) and isinstance(
        outcome[TopicPartition("none", 0)], UnknownTopicOrPartitionException
    )


@pytest.mark.parametrize(("broker_version", "lag_ms"), [("2.3", "10000"), ("4.4", "30000")])
def test_a_broker_describes_the_settings_that_its_release_chooses(broker_version, lag_ms):
    """Real brokers 2.3.1 and 4.4.0 give these: proof_runs.jsonl, stories 14."""
    _, admin = cluster("2.3" if broker_version == "2.3" else "4.4", broker_version)
    broker = ConfigResource("broker", "0")
    told = admin.describe_configs([broker]).values()[broker].get()["replica.lag.time.max.ms"]
    assert (told.value, told.is_default) == (lag_ms, True)


@pytest.mark.parametrize("broker_version", ["2.3", "4.4"])
def test_what_nobody_has_set_is_called_a_default(broker_version):
    """A default that a release changed is a default, too."""
    lab, admin = cluster("2.3" if broker_version == "2.3" else "4.4", broker_version)
    broker = ConfigResource("broker", "0")
    told = admin.describe_configs([broker]).values()[broker].get()
    assert [name for name, entry in told.items() if not entry.is_default] == []
    assert told["group.max.session.timeout.ms"].value == "1800000"
    lab.create_topic("t")
    topic = ConfigResource("topic", "t")
    of_topic = admin.describe_configs([topic]).values()[topic].get()
    assert [name for name, entry in of_topic.items() if not entry.is_default] == []
