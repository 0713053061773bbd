"""When must a client ask again what the cluster looks like?"""

import random

import pytest

from kafkalab.clients.network.metadata import Metadata
from kafkalab.clients.network.node_maker import node_maker
from kafkalab.protocol.messages import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from kafkalab.records import TopicPartition
from kafkalab.releases import PROFILES

T0 = TopicPartition("t", 0)
UNKNOWN_TOPIC, LEADER_NOT_AVAILABLE = 3, 5


def answer(error_code=0, leader=1, epoch=0, brokers=(0, 1)):
    """What a broker says of topic t, which has one partition."""
    partition = MetadataResponsePartition(
        error_code=0,
        partition_index=0,
        leader_id=leader,
        leader_epoch=epoch,
        replica_nodes=(leader,),
        isr_nodes=(leader,),
    )
    topic = MetadataResponseTopic(
        error_code=error_code,
        name="t",
        topic_id="AAAAAAAAAAAAAAAAAAAAAA",
        partitions=() if error_code else (partition,),
    )
    return MetadataResponse(
        brokers=tuple(
            MetadataResponseBroker(node_id=id, host="localhost", port=9092 + id, rack=None)
            for id in brokers
        ),
        cluster_id="c",
        controller_id=0,
        topics=(topic,),
    )


class Client:
    """A client's metadata with the clock in the test's hand."""

    def __init__(self, version="3.9", max_age_ms=300_000):
        profile = PROFILES[version]
        self.node_of, self.said = node_maker(profile), []
        self.metadata = Metadata(
            {
                "retry.backoff.ms": 100,
                "retry.backoff.max.ms": 1_000,
                "metadata.max.age.ms": max_age_ms,
            },
            profile,
            lambda name, **values: self.said.append(name),
            random.Random(7),
            lambda: ["t", "t"],
        )
        self.metadata.bootstrap((self.node_of(-1, "localhost", 9092, None),), 0)

    def told(self, now_ms, **said):
        self.metadata.update(answer(**said), now_ms, self.node_of)

    def wait_ms(self, now_ms):
        return self.metadata.time_to_next_update(now_ms)


@pytest.mark.parametrize("version", ["2.2", "2.3", "3.9", "4.4"])
def test_who_knows_only_addresses_asks_at_once(version):
    assert Client(version).wait_ms(0) == 0


def test_2_1_took_its_addresses_for_an_answer():
    assert Client("2.1").wait_ms(0) == 300_000


def test_a_good_answer_holds_for_its_age():
    client = Client()
    client.told(1_000)
    assert [client.wait_ms(now_ms) for now_ms in (1_000, 200_000, 301_000)] == [300_000, 101_000, 0]


def test_asked_for_again_it_still_waits_out_the_backoff():
    client = Client("2.3")
    client.told(1_000)
    client.metadata.request_update()
    assert [client.wait_ms(now_ms) for now_ms in (1_000, 1_060, 1_100)] == [100, 40, 0]


def test_a_newly_wanted_topic_cancels_the_backoff():
    client = Client("2.3")
    client.told(1_000)
    client.metadata.request_update_for_new_topics()
    assert client.wait_ms(1_001) == 0


def test_until_3_6_every_fruitless_try_waits_100_ms():
    client = Client("3.6")
    for now_ms in (1_000, 2_000, 3_000, 4_000):
        client.metadata.failed_update(now_ms)
        client.metadata.request_update()
        assert client.wait_ms(now_ms) == 100


def test_from_3_7_fruitless_tries_wait_longer_and_longer():
    """KIP-580: 100, 200, 400, 800, 1000, each with a fifth of chance."""
    client, waits = Client("3.9"), []
    for now_ms in range(1_000, 9_000, 1_000):
        client.metadata.failed_update(now_ms)
        client.metadata.request_update()
        waits.append(client.wait_ms(now_ms))
    for waited, wanted in zip(waits, (100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000), strict=True):
        assert 0.8 * wanted - 1 <= waited <= min(1.2 * wanted, 1_000)


def test_hours_of_quiet_do_not_lengthen_the_wait_after_one_failure():
    """A refresh because of metadata.max.age.ms brings nothing new and yet is not fruitless
    (Metadata.timeToAllowUpdate)."""
    client = Client("3.9")
    for now_ms in range(1_000, 3_000_000, 300_000):
        client.told(now_ms)
    client.metadata.failed_update(3_001_000)
    client.metadata.request_update()
    assert client.wait_ms(3_001_000) <= 120


def test_answers_without_news_do_not_add_to_failures():
    client = Client("3.9")
    for now_ms in range(1_000, 5_000, 1_000):
        client.metadata.request_update()
        client.told(now_ms)
    client.metadata.failed_update(6_000)
    client.metadata.request_update()
    assert client.wait_ms(6_000) <= 120


def test_an_answer_that_brings_something_new_forgets_them():
    client = Client("3.9")
    for now_ms in (1_000, 2_000, 3_000, 4_000):
        client.metadata.failed_update(now_ms)
    client.told(5_000)
    client.metadata.request_update()
    assert client.wait_ms(5_000) <= 120


def test_a_topic_that_is_not_ready_yet_is_asked_for_again():
    client = Client("2.3")
    client.told(1_000, error_code=LEADER_NOT_AVAILABLE)
    assert client.metadata.update_requested
    assert "METADATA_UPDATE_FOR_TOPIC" in client.said
    client.told(2_000)
    assert not client.metadata.update_requested


def test_what_an_answer_says_is_known_afterwards():
    client = Client()
    client.told(1_000, leader=1)
    view = client.metadata.view
    assert (view.leader(T0).id, view.is_bootstrap, client.metadata.update_version) == (1, False, 2)
    assert view.leader(TopicPartition("t", 9)) is None


def test_a_leader_that_is_not_among_the_brokers_is_no_leader():
    client = Client()
    client.told(1_000, leader=7)
    assert client.metadata.view.leader(T0) is None


def test_a_topic_is_asked_for_once():
    assert Client().metadata.wanted_topics() == ["t"]


def test_who_waits_for_an_update_hears_of_it():
    client = Client()
    signal = client.metadata.updated_signal()
    assert not signal.is_set
    client.told(1_000)
    assert signal.is_set
