"""Messages are values; older versions carry them in older forms;
batches count their bytes as Kafka does."""

import dataclasses
import random

import pytest

from kafkalab.protocol import messages as m
from kafkalab.protocol.buffer_sizes import bytes_left_at_records
from kafkalab.protocol.consumer_protocol import (
    Subscription,
    assignment_bytes,
    parse_assignment,
    parse_subscription,
    subscription_bytes,
)
from kafkalab.protocol.records_wire import varint_bytes
from kafkalab.protocol.wire_forms import as_sent
from kafkalab.releases import PROFILES


def test_a_message_cannot_be_changed_after_it_was_sent():
    request = m.MetadataRequest(topics=(m.MetadataRequestTopic(name="orders"),))
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.topics = ()


def test_finding_a_coordinator_reads_alike_in_both_forms():
    for version in (2, 4):
        question = as_sent(m.FindCoordinatorRequest(coordinator_keys=("shop",)), version)
        assert question.keys == ("shop",)
    found = m.Coordinator(key="shop", node_id=1, host="localhost", port=9093)
    for answer in (
        m.FindCoordinatorResponse(coordinators=(found,)),
        m.FindCoordinatorResponse(node_id=1, host="localhost", port=9093),
    ):
        assert answer.coordinator_of("shop").node_id == 1
    assert as_sent(m.FindCoordinatorRequest(coordinator_keys=("shop",)), 2).key == "shop"


def test_an_old_version_cannot_ask_about_two_groups_at_once():
    two = m.OffsetFetchRequest(
        groups=(m.OffsetFetchRequestGroup(group_id="a"), m.OffsetFetchRequestGroup(group_id="b"))
    )
    assert as_sent(two, 8) is two
    with pytest.raises(ValueError, match="one group a request, not 2"):
        as_sent(two, 7)


def test_committed_offsets_read_alike_in_both_forms():
    part = m.OffsetFetchResponsePartitions(partition_index=2, committed_offset=41)
    topic = m.OffsetFetchResponseTopics(name="orders", partitions=(part,))
    newest = m.OffsetFetchResponse(
        groups=(m.OffsetFetchResponseGroup(group_id="shop", topics=(topic,)),)
    )
    old = as_sent(newest, 5)
    assert old.groups == () and old.topics[0].partitions[0].committed_offset == 41
    assert old.group("shop").topics == newest.group("shop").topics


def test_a_lone_leaver_learns_of_his_own_error():
    farewell = m.LeaveGroupResponse(members=(m.MemberResponse(member_id="inv-1", error_code=25),))
    assert as_sent(farewell, 2) == m.LeaveGroupResponse(error_code=25)


@pytest.mark.parametrize(
    ("records", "recorded_size"),
    [
        # producer_all_partitions, every version
        ([("k1", "v1", 0)], 72),
        ([(None, "v1", 0)], 70),  # producer_keyless
        # producer_linger_batches
        (
            [
                ("k0", "x" * 60, 907),
                ("k3", "x" * 60, 936),
                ("k6", "x" * 60, 954),
                ("k9", "x" * 60, 968),
            ],
            341,
        ),
        (
            [
                ("k1", "x" * 60, 924),
                ("k4", "x" * 60, 941),
                ("k7", "x" * 60, 960),
                ("k10", "x" * 60, 971),
            ],
            342,
        ),
    ],
)
def test_a_batch_takes_the_bytes_a_real_one_took(records, recorded_size):
    assert m.batch_size_bytes(tuple(m.WireRecord(*record) for record in records)) == recorded_size


@pytest.mark.parametrize(
    ("number", "size"),
    [(0, 1), (-1, 1), (63, 1), (64, 2), (-64, 1), (-65, 2), (8191, 2), (8192, 3)],
)
def test_a_varint_grows_with_its_number(number, size):
    assert varint_bytes(number) == size


def test_three_empty_partitions_leave_77_40_and_3_bytes():
    """As 4.4.0 printed them in consumer_all_leaders_on_one_broker:
    each empty partition takes 37 bytes."""
    partitions = tuple(
        m.FetchPartitionData(partition_index=number, high_watermark=0) for number in range(3)
    )
    answer = m.FetchResponse(
        responses=(
            m.FetchableTopicResponse(topic_id="qbO_8gU_TvKmSKTqliaRRQ", partitions=partitions),
        )
    )
    assert bytes_left_at_records(answer) == {(0, 0): 77, (0, 1): 40, (0, 2): 3}


def signed(content):
    return [byte - 256 if byte > 127 else byte for byte in content]


@pytest.mark.parametrize(
    ("version", "subscription", "recorded"),
    [
        ("2.3", Subscription(topics=("one",)), [0, 0, 0, 0, 0, 1, 0, 3, 111, 110, 101, 0, 0, 0, 0]),
        (
            "2.8",
            Subscription(topics=("one",)),
            [0, 1, 0, 0, 0, 1, 0, 3, 111, 110, 101, -1, -1, -1, -1, 0, 0, 0, 0],
        ),
        (
            "3.9",
            Subscription(topics=("t4",)),
            [0, 3, 0, 0, 0, 1, 0, 2, 116, 52, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1],
        ),
        # cooperative-sticky: generation -1
        (
            "4.4",
            Subscription(topics=("one",), user_data=b"\xff\xff\xff\xff"),
            [
                0,
                3,
                0,
                0,
                0,
                1,
                0,
                3,
                111,
                110,
                101,
                0,
                0,
                0,
                4,
                -1,
                -1,
                -1,
                -1,
                0,
                0,
                0,
                0,
                -1,
                -1,
                -1,
                -1,
                -1,
                -1,
            ],
        ),
    ],
)
def test_a_subscription_is_written_as_each_client_wrote_it(version, subscription, recorded):
    assert (
        signed(subscription_bytes(PROFILES[version].group.subscription_style, subscription))
        == recorded
    )


@pytest.mark.parametrize(
    ("version", "recorded"),
    [
        (
            "2.3",
            [
                0,
                0,
                0,
                0,
                0,
                1,
                0,
                3,
                111,
                110,
                101,
                0,
                0,
                0,
                3,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                1,
                0,
                0,
                0,
                2,
                0,
                0,
                0,
                0,
            ],
        ),
        (
            "4.4",
            [
                0,
                3,
                0,
                0,
                0,
                1,
                0,
                3,
                111,
                110,
                101,
                0,
                0,
                0,
                3,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                1,
                0,
                0,
                0,
                2,
                -1,
                -1,
                -1,
                -1,
            ],
        ),
    ],
)
def test_an_assignment_is_written_as_each_client_wrote_it(version, recorded):
    assert (
        signed(assignment_bytes(PROFILES[version].group.subscription_style, {"one": (0, 1, 2)}))
        == recorded
    )


@pytest.mark.parametrize("version", ["2.8", "3.9", "4.4"])
def test_reading_undoes_writing(version):
    chance = random.Random(7)
    for _ in range(200):
        topics = tuple(f"t{number}" for number in range(chance.randrange(4)))
        owned = {
            topic: tuple(sorted(chance.sample(range(9), chance.randrange(4)))) for topic in topics
        }
        said = Subscription(
            topics=topics, owned=owned, user_data=chance.choice((None, b"", b"abc"))
        )
        assert (
            parse_subscription(subscription_bytes(PROFILES[version].group.subscription_style, said))
            == said
        )
        assert (
            parse_assignment(assignment_bytes(PROFILES[version].group.subscription_style, owned))
            == owned
        )
