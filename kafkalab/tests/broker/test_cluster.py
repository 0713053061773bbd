"""Who leads what, and who is where: the cluster's state and the answers made from it."""

import random
import re

import pytest

from kafkalab.broker.broker_config import DOTTED, BrokerConfig, broker_config
from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC, BrokerNode, ClusterState
from kafkalab.broker.cluster.directory import Directory
from kafkalab.broker.transactions.producer_ids import ProducerIds
from kafkalab.config.broker_keys import BROKER_KEYS
from kafkalab.config.keys import GONE
from kafkalab.errors import ConfigException
from kafkalab.protocol.identifiers import java_uuid, kafka_uuid
from kafkalab.protocol.messages import (
    ApiVersionsRequest,
    FindCoordinatorRequest,
    InitProducerIdRequest,
    MetadataRequest,
    MetadataRequestTopic,
)
from kafkalab.releases import BROKER_PROFILES, broker_profile
from kafkalab.tests.broker.driver import NAME_OF, ByHand, a_cluster


def leaders(cluster, topic):
    return [partition.leader for partition in cluster.topics[topic].partitions]


def test_leaders_are_dealt_out_in_turn_unless_they_are_named():
    cluster = a_cluster(3)
    assert leaders(cluster, "orders") == [0, 1, 2, 0]
    cluster.create_topic("t5", 5, leaders=[0, 1, 0, 1, 0])
    assert leaders(cluster, "t5") == [0, 1, 0, 1, 0]
    cluster.create_topic("safe", 2, replication_factor=3)
    assert [partition.replicas for partition in cluster.topics["safe"].partitions] == [
        (0, 1, 2),
        (1, 2, 0),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("orders", 1), "already exists"),
        (("new", 0), "at least one partition"),
        (("new", 1, 4), "cannot have 4 replicas"),
        (("new", 2, 1, [0]), "1 leaders were named"),
        (("new", 1, 1, [7]), r"no brokers: \[7\]"),
    ],
)
def test_an_impossible_topic_is_refused_with_the_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        a_cluster(3).create_topic(*arguments)


def test_a_group_is_coordinated_by_the_leader_of_its_partition_of_the_offsets_topic():
    cluster = a_cluster(3)
    assert cluster.coordinator_of("test") == cluster.leader(OFFSETS_TOPIC, 48)
    for broker in (2, 0, 1):
        cluster.place_coordinator("test", broker)
        assert cluster.coordinator_of("test") == broker == cluster.leader(OFFSETS_TOPIC, 48)
    assert cluster.partition(OFFSETS_TOPIC, 48).leader_epoch == 0, "as if it had always been so"
    with pytest.raises(ValueError, match="no broker 9"):
        cluster.place_coordinator("test", 9)


def test_a_new_leader_raises_the_epoch_and_the_revision():
    cluster = a_cluster(3)
    before = cluster.revision
    cluster.set_leader("orders", 1, 2)
    assert (cluster.leader("orders", 1), cluster.partition("orders", 1).leader_epoch) == (2, 1)
    assert cluster.revision > before
    with pytest.raises(KeyError, match="orders-9"):
        cluster.leader("orders", 9)


def test_ids_look_like_kafkas_and_depend_on_the_seed_alone():
    for _ in range(200):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{21}", kafka_uuid(random.Random(_)))
        assert re.fullmatch(
            r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
            java_uuid(random.Random(_)),
        )
    assert a_cluster().cluster_id == a_cluster().cluster_id
    assert a_cluster().topics["orders"].topic_id != a_cluster().cluster_id


def test_settings_by_their_dotted_names_and_no_others():
    assert (
        broker_config({"group.initial.rebalance.delay.ms": 0}).group_initial_rebalance_delay_ms == 0
    )
    with pytest.raises(ValueError, match="'log.dirs' is not simulated"):
        broker_config({"log.dirs": "/tmp"})
    with pytest.raises(
        ValueError, match="there is no broker version '3.0' here; choose one of 2.3, 4.4"
    ):
        broker_profile("3.0")


class DirectoryByHand(ByHand):
    def __init__(self, release="4.4", brokers=3, **config):
        self.cluster = a_cluster(brokers)
        self.directory = Directory(broker_profile(release), self.cluster, BrokerConfig(**config))
        super().__init__(None)

    def metadata(self, *names, create=True):
        self.machine = self.directory.metadata
        topics = (
            None if names == (None,) else tuple(MetadataRequestTopic(name=name) for name in names)
        )
        return self.ask(MetadataRequest(topics=topics, allow_auto_topic_creation=create))

    def find(self, group, version=4, key_type=0):
        self.machine = self.directory.find_coordinator
        return self.ask(
            FindCoordinatorRequest(coordinator_keys=(group,), key_type=key_type), version=version
        )


@pytest.mark.parametrize(
    ("release", "brokers", "partitions"),
    [
        ("2.3", [0, 2, 1], [0, 2, 3, 1]),
        ("4.4", [0, 1, 2], [0, 1, 2, 3]),
    ],
)
def test_metadata_lists_brokers_and_partitions_in_the_releases_own_order(
    release, brokers, partitions
):
    answer = DirectoryByHand(release).metadata("orders")
    assert [broker.node_id for broker in answer.brokers] == brokers
    assert [part.partition_index for part in answer.topics[0].partitions] == partitions
    assert [part.leader_id for part in answer.topics[0].partitions] == [
        [0, 1, 2, 0][index] for index in partitions
    ]


def test_metadata_of_nothing_of_some_and_of_all():
    directory = DirectoryByHand()
    assert directory.metadata().topics == ()
    directory.find("test")
    assert [topic.name for topic in directory.metadata(None).topics] == ["orders", OFFSETS_TOPIC]
    assert directory.metadata(None).topics[1].is_internal
    assert directory.metadata("orders").cluster_id == directory.cluster.cluster_id


@pytest.mark.parametrize(
    ("release", "allowed", "asked", "answers"),
    [
        ("2.3", True, True, ["LEADER_NOT_AVAILABLE", "NONE"]),
        ("4.4", True, True, ["UNKNOWN_TOPIC_OR_PARTITION", "NONE"]),
        ("4.4", True, False, ["UNKNOWN_TOPIC_OR_PARTITION"] * 2),
        ("4.4", False, True, ["UNKNOWN_TOPIC_OR_PARTITION"] * 2),
    ],
)
def test_an_unknown_topic_is_created_only_where_broker_and_client_both_want_that(
    release, allowed, asked, answers
):
    directory = DirectoryByHand(release, auto_create_topics_enable=allowed)
    assert [
        NAME_OF[directory.metadata("missing", create=asked).topics[0].error_code] for _ in range(2)
    ] == answers
    assert ("missing" in directory.cluster.topics) == (answers[-1] == "NONE")


@pytest.mark.parametrize(("release", "error"), [("2.3", 72), ("4.4", 5)])
def test_metadata_says_when_a_partition_has_no_leader_or_its_leader_is_gone(release, error):
    directory = DirectoryByHand(release)
    directory.metadata("orders")
    directory.cluster.set_leader("orders", 1, -1)
    directory.cluster.set_alive(2, False)
    answer = directory.metadata("orders")
    found = {
        part.partition_index: (part.error_code, part.leader_id)
        for part in answer.topics[0].partitions
    }
    assert found == {0: (0, 0), 1: (error, -1), 2: (error, -1), 3: (0, 0)}
    assert 2 not in [broker.node_id for broker in answer.brokers]


@pytest.mark.parametrize(("release", "text"), [("2.3", "NONE"), ("4.4", "")])
def test_a_coordinator_is_found_in_the_form_of_the_version(release, text):
    directory = DirectoryByHand(release)
    directory.cluster.place_coordinator("test", 2)
    single, listed = directory.find("test", version=3), directory.find("test", version=4)
    assert (single.node_id, single.port, single.error_message, single.coordinators) == (
        2,
        9094,
        text,
        (),
    )
    assert (listed.node_id, listed.host, listed.coordinators[0].node_id) == (0, "", 2)
    assert single.coordinator_of("test").node_id == listed.coordinator_of("test").node_id == 2


def test_a_coordinator_that_is_gone_cannot_be_named_and_keys_of_share_groups_are_not_known():
    directory = DirectoryByHand()
    directory.cluster.set_alive(directory.cluster.coordinator_of("test"), False)
    assert NAME_OF[directory.find("test").coordinators[0].error_code] == "COORDINATOR_NOT_AVAILABLE"
    assert (
        NAME_OF[directory.find("tx-1", key_type=2).coordinators[0].error_code] == "INVALID_REQUEST"
    )


@pytest.mark.parametrize(
    ("told", "named"),
    [
        (lambda group: 7, 1),
        (lambda group: 50, None),
        (lambda group: -1, None),
        (lambda group: True, None),
        (lambda group: None, None),
    ],
)
def test_a_rule_of_ones_own_names_the_coordinator_and_moves_no_group(told, named):
    """Lab.find_coordinators_by: partition 7 is led by broker 1 here, whatever group is looked
    for; what is no partition names nobody."""
    directory = DirectoryByHand()
    directory.cluster.place_coordinator("test", 2)
    directory.cluster.topics["__consumer_offsets"].partitions[7].leader = 1
    directory.cluster.told_partition_of = told
    found = directory.find("test").coordinators[0]
    assert (found.node_id if found.error_code == 0 else None) == named
    assert NAME_OF[found.error_code] == ("COORDINATOR_NOT_AVAILABLE" if named is None else "NONE")
    assert directory.cluster.coordinator_of("test") == 2


@pytest.mark.parametrize("release", BROKER_PROFILES)
def test_a_broker_names_its_versions_and_refuses_the_question_in_a_version_it_does_not_know(
    release,
):
    directory = DirectoryByHand(release)
    directory.machine = directory.directory.api_versions
    known = directory.ask(ApiVersionsRequest(), version=2)
    assert (known.error_code, {span.api_key for span in known.api_keys} >= {0, 1, 2, 3, 18}) == (
        0,
        True,
    )
    refused = directory.ask(ApiVersionsRequest(), version=6)
    assert NAME_OF[refused.error_code] == "UNSUPPORTED_VERSION"
    assert [span.api_key for span in refused.api_keys] == {"2.3": [], "4.4": [18]}[release]


def test_no_recorded_broker_offers_telemetry():
    assert not any(DirectoryByHand(release).directory._spans.get(71) for release in BROKER_PROFILES)


class NumbersByHand(ByHand):
    def __init__(self, release, has_served=True, cluster=None):
        numbers = ProducerIds(
            broker_profile(release), cluster or a_cluster(), lambda caller: has_served
        )
        super().__init__(numbers.init_producer_id)

    def number(self, **options):
        answer = self.ask(InitProducerIdRequest(**options))
        return NAME_OF[answer.error_code] if answer.error_code else answer.producer_id


def test_producer_ids_come_in_blocks_of_a_thousand_a_broker():
    cluster = a_cluster(2)
    first, second = NumbersByHand("2.3", cluster=cluster), NumbersByHand("4.4", cluster=cluster)
    assert [first.number(), second.number(), first.number(), second.number()] == [0, 1000, 1, 1001]
    for _ in range(998):
        first.number()
    assert first.number() == 2000


def test_a_fresh_new_broker_has_no_number_yet_and_an_old_one_fetches_it_on_the_spot():
    fresh = NumbersByHand("4.4", has_served=False)
    assert fresh.number() == "COORDINATOR_LOAD_IN_PROGRESS"
    fresh.wait(100)
    assert [fresh.number(), fresh.number()] == [0, 1]
    assert NumbersByHand("2.3", has_served=False).number() == 0


def test_a_cluster_needs_its_brokers_in_no_particular_order():
    nodes = [BrokerNode(n, "localhost", 9092 + n) for n in (2, 0, 1)]
    assert list(ClusterState(nodes, random.Random(1)).brokers) == [0, 1, 2]


@pytest.mark.parametrize(
    ("release", "settings", "sentence"),
    [
        ("4.4", {"log.dirs": "/data"}, "the broker setting 'log.dirs' is not simulated"),
        (
            "4.4",
            {"num.partition": 3},
            (
                "there is no broker setting 'num.partition' in 4.4; the nearest one is "
                "'num.partitions'"
            ),
        ),
        (
            "4.4",
            {"num.partitions": 0},
            "Invalid value 0 for configuration num.partitions: Value must be at least 1",
        ),
        (
            "4.4",
            {"num.partitions": "many"},
            "Invalid value many for configuration num.partitions: Not a number of type INT",
        ),
        (
            "4.4",
            {"zookeeper.session.timeout.ms": 1},
            (
                "a 4.4 broker does not know the setting 'zookeeper.session.timeout.ms'; only 2.3 "
                "has it"
            ),
        ),
        (
            "2.3",
            {"ssl.keystore.location": "/keys"},
            "encryption, login and their plugins are not part of the lab",
        ),
    ],
)
def test_a_setting_brokers_cannot_have_is_refused_with_a_reason(release, settings, sentence):
    with pytest.raises(ConfigException, match=re.escape(sentence)) as refusal:
        broker_config(settings, release=release)
    assert isinstance(refusal.value, ValueError)


def test_a_setting_that_is_not_simulated_may_have_its_default():
    assert broker_config({"background.threads": "10"}) == broker_config()


def test_defaults_are_those_of_the_release():
    assert broker_config(release="2.3").message_max_bytes == 1_000_012
    assert broker_config(release="4.4").message_max_bytes == 1_048_588
    for dotted, field in DOTTED.items():
        ours = getattr(broker_config(release="4.4"), field)
        theirs = BROKER_KEYS[dotted].default("4.4")
        assert ours is None or theirs is GONE or ours == theirs, dotted
