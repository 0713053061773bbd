"""What of a group stands in __consumer_offsets, who reads it, and when it goes (KIP-211)."""

import json

import pytest

from kafkalab import KafkaAdminClient, KafkaConsumer, Lab, TopicPartition
from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.groups.group_coordinator import GroupCoordinator
from kafkalab.broker.groups.offset_expiry import expired_offsets
from kafkalab.protocol.consumer_protocol import Subscription, subscription_bytes
from kafkalab.protocol.messages import (
    JoinGroupRequestProtocol,
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
)
from kafkalab.records import OffsetAndMetadata
from kafkalab.releases import PROFILES, broker_profile
from kafkalab.tests.broker.driver import GroupByHand, error_name

DAY_MS = 24 * 3_600_000
WANTS_ORDERS = (
    JoinGroupRequestProtocol(
        name="range",
        metadata=subscription_bytes(
            PROFILES["3.9"].group.subscription_style, Subscription(topics=("orders",))
        ),
    ),
)


def written(story):
    """The records of the group's partition, keys and values as Python reads them."""
    storage = story.coordinator.storage
    batches = storage._log.batches(storage.partition_of(story.group_id))
    return [
        (json.loads(record.key)["data"], record.value and json.loads(record.value)["data"])
        for batch in batches
        for record in batch.records
    ]


def test_a_commit_and_a_settled_group_are_records_and_a_deleted_one_is_tombstones():
    story = GroupByHand().settle("inv-1")
    story.commit("inv-1", 17, partition=2)
    key, value = written(story)[-1]
    assert key == {"group": "inventory", "topic": "orders", "partition": 2}
    assert (value["offset"], value["commitTimestamp"]) == (17, story.now_ms)
    group_key, group = written(story)[0]
    assert (group_key, group["generation"], group["leader"]) == (
        {"group": "inventory"},
        1,
        story.ids["inv-1"],
    )
    assert [member["clientId"] for member in group["members"]] == ["inv-1"]
    story.leave("inv-1")
    assert written(story)[-1][1]["members"] == [], "the empty group is written, too"
    story.do(story.coordinator.forget(story.group, "deleted", story.now_ms))
    assert [value for _, value in written(story)[-2:]] == [None, None]


def test_another_coordinator_reads_what_the_first_one_wrote():
    story = GroupByHand().settle("inv-1", "inv-2")
    story.commit("inv-2", 5, partition=3)
    heir = GroupCoordinator(
        0,
        broker_profile("4.4"),
        story.cluster,
        BrokerConfig(),
        story.number,
        log=story.coordinator.storage._log,
    )
    story.timers.clear()
    story.do(heir.load(story.now_ms))
    group = heir.classic.groups["inventory"]
    assert (group.state.value, group.generation, list(group.members)) == (
        "Stable",
        1,
        list(story.group.members),
    )
    assert group.offsets["orders", 3].offset == 5
    assert {key[0] for key in story.timers} == {"session", "expire offsets"}, (
        "every session begins anew"
    )


def test_while_it_reads_it_says_so_but_lets_hearts_beat():
    story = GroupByHand().settle("inv-1")
    story.commit("inv-1", 5)
    partition = story.coordinator.storage.partition_of("inventory")
    story.do(story.coordinator.storage.begin_loading(partition, 30, story.now_ms))
    assert story.commit("inv-1", 6) == "COORDINATOR_LOAD_IN_PROGRESS"
    assert story.beat("inv-1") == "NONE"
    assert error_name(story.sync("inv-1")) == "COORDINATOR_LOAD_IN_PROGRESS"
    asked = story.ask(
        OffsetFetchRequest(
            group_id="inventory",
            topics=(OffsetFetchRequestTopic(name="orders", partition_indexes=(0,)),),
        ),
        version=7,
    )
    assert error_name(asked) == "COORDINATOR_LOAD_IN_PROGRESS"
    story.wait(30)
    assert story.beat("inv-1") == "NONE" and story.commit("inv-1", 6) == "NONE"


@pytest.mark.parametrize("release", ["2.3", "4.4"])
def test_offsets_expire_seven_days_after_the_group_became_empty(release):
    story = GroupByHand(release).settle("inv-1")
    story.commit("inv-1", 9)
    story.wait(1_000)
    story.leave("inv-1")
    story.wait(7 * DAY_MS - 601_000)
    assert story.group.offsets["orders", 0].offset == 9
    story.wait(1_300_000)  # the next look is at most ten minutes later
    assert "inventory" not in story.coordinator.classic.groups, "and with the last offset the group"
    assert [value for _, value in written(story)][-1] is None


def test_a_group_at_work_keeps_its_offsets_but_not_those_of_topics_nobody_reads_any_more():
    for release, stays in (("2.3", True), ("4.4", False)):
        story = GroupByHand(release)
        story.cluster.create_topic("returns", 1)
        story.join("inv-1", protocols=WANTS_ORDERS, session_ms=1_000_000)
        story.wait(3_000)
        story.ids["inv-1"] = story.answers_to("inv-1")[-1].member_id
        story.sync("inv-1", {"inv-1": b""})
        story.commit("inv-1", 1)
        story.commit("inv-1", 1, topic="returns")
        kept = set(story.group.offsets) - set(
            expired_offsets(story.group, story.now_ms + 7 * DAY_MS, 7 * DAY_MS, release == "4.4")
        )
        assert (("returns", 0) in kept) is stays and ("orders", 0) in kept


def test_a_standalone_consumers_offsets_count_from_their_own_commit():
    story = GroupByHand()
    story.commit("", 1, generation=-1, partition=0)
    story.now_ms += DAY_MS
    story.commit("", 1, generation=-1, partition=1)
    assert expired_offsets(story.group, 7 * DAY_MS, 7 * DAY_MS) == [("orders", 0)]
    assert expired_offsets(story.group, 7 * DAY_MS - 1, 7 * DAY_MS) == []


def test_a_full_group_turns_newcomers_away():
    story = GroupByHand(group_max_size=2).settle("inv-1", "inv-2")
    assert error_name(story.join("inv-3")) == "GROUP_MAX_SIZE_REACHED"
    assert story.beat("inv-1") == "NONE" and story.state == "Stable", (
        "those who are in notice nothing"
    )
    story.leave("inv-2")
    story.wait(1)
    assert story.join("inv-3") is None, "there is room again"


def test_a_commit_that_was_answered_survives_its_coordinator():
    lab = Lab(brokers=3, seed=11, version="3.9")
    lab.create_topic("t4", 1, 3)
    consumer = KafkaConsumer(
        lab, {"group.id": "g", "enable.auto.commit": False, "session.timeout.ms": 30_000}
    )
    consumer.subscribe(["t4"])
    while not consumer.assignment():
        consumer.poll(1_000)
    tp = TopicPartition("t4", 0)
    consumer.commit_sync({tp: OffsetAndMetadata(41)})
    first = lab.coordinator_of("g")
    lab.broker(first).crash()
    for _ in range(150):
        consumer.poll(200)
    assert lab.coordinator_of("g") not in (first, -1)
    assert consumer.committed([tp])[tp].offset == 41
    consumer.commit_sync({tp: OffsetAndMetadata(42)})
    assert consumer.committed([tp])[tp].offset == 42


def test_whoever_reads_the_offsets_topic_sees_the_groups():
    lab = Lab(brokers=1, seed=2, version="3.9")
    lab.create_topic("t4", 1)
    consumer = KafkaConsumer(lab, {"group.id": "g", "enable.auto.commit": False})
    consumer.assign([TopicPartition("t4", 0)])
    consumer.commit_sync({TopicPartition("t4", 0): OffsetAndMetadata(3)})
    reader = KafkaConsumer(
        lab,
        {"group.id": "curious", "auto.offset.reset": "earliest", "enable.auto.commit": False},
        name="curious",
    )
    reader.assign([TopicPartition("__consumer_offsets", lab.cluster.offsets_partition_of("g"))])
    found = [record for _ in range(10) for record in reader.poll(500)]
    assert [json.loads(record.key)["data"]["topic"] for record in found] == ["t4"]
    assert json.loads(found[0].value)["data"]["offset"] == 3


def test_tombstones_of_a_deleted_topic_bear_the_time_of_the_deletion():
    lab = Lab(brokers=1, seed=3, version="3.9")
    lab.create_topic("t4", 1)
    consumer = KafkaConsumer(lab, {"group.id": "g", "enable.auto.commit": False})
    consumer.assign([TopicPartition("t4", 0)])
    consumer.commit_sync({TopicPartition("t4", 0): OffsetAndMetadata(3)})
    consumer.close()
    lab.run_for(60_000)
    deleted_at_ms = lab.now_ms
    KafkaAdminClient(lab).delete_topics(["t4"]).all().get()
    key = "__consumer_offsets", lab.cluster.offsets_partition_of("g")
    last = list(lab.broker(0).machine.replicas.replica(key).log.batches())[-1].records[-1]
    assert last.value is None
    assert last.timestamp_ms >= deleted_at_ms
