"""What a client's own lines show of the same message,
and how it prints nodes and its picture of the cluster."""

import pytest

from kafkalab.lines.cluster_text import cluster_text, node_text
from kafkalab.lines.payload import client_response_text, fetched_text, header_text, object_text
from kafkalab.lines.subscription_text import subscription_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.consumer_protocol import Subscription, subscription_bytes
from kafkalab.protocol.header import RequestHeader
from kafkalab.releases import PROFILES

ME = "consumer-1-7681495f-3e2f-4f08-89e2-6502985195e7"


def ask_metadata(topic):
    return m.MetadataRequest(topics=(m.MetadataRequestTopic(name=topic),))


@pytest.mark.parametrize(
    ("version", "topic", "recorded"),
    [
        ("2.1", "one", "(type=MetadataRequest, topics=one)"),
        ("2.2", "t4", "(type=MetadataRequest, topics=t4, allowAutoCreate=true)"),
        (
            "2.3",
            "one",
            (
                "MetadataRequestData(topics=[MetadataRequestTopic(name='one')], "
                "allowAutoTopicCreation=true, includeClusterAuthorizedOperations=false, "
                "includeTopicAuthorizedOperations=false)"
            ),
        ),
        (
            "4.4",
            "one",
            (
                "MetadataRequestData(topics=[MetadataRequestTopic(topicId=AAAAAAAAAAAAAAAAAAAAAA, "
                "name='one')], allowAutoTopicCreation=true, "
                "includeClusterAuthorizedOperations=false, includeTopicAuthorizedOperations=false)"
            ),
        ),
    ],
)
def test_asking_for_metadata(version, topic, recorded):
    assert object_text(ask_metadata(topic), 8, version) == recorded


def joining(version, topic, group="test"):
    return m.JoinGroupRequest(
        group_id=group,
        session_timeout_ms=10000,
        rebalance_timeout_ms=300000,
        protocols=(
            m.JoinGroupRequestProtocol(
                name="range",
                metadata=subscription_bytes(
                    PROFILES[version].group.subscription_style, Subscription(topics=(topic,))
                ),
            ),
        ),
    )


def test_joining_in_2_2_hides_the_subscription_behind_an_identity():
    text = object_text(joining("2.2", "t4", "group-4"), 4, "2.2")
    head, _, identity = text.rpartition("@")
    assert head == (
        "(type: JoinGroupRequest, groupId=group-4, sessionTimeout=10000, rebalanceTimeout=300000, "
        "memberId=, protocolType=consumer, "
        "groupProtocols=org.apache.kafka.common.requests.JoinGroupRequest$ProtocolMetadata"
    )
    assert int(identity.rstrip(")"), 16) > 0


def test_joining_in_2_3_puts_even_nothing_in_quotes():
    assert object_text(joining("2.3", "one"), 5, "2.3") == (
        "JoinGroupRequestData(groupId='test', sessionTimeoutMs=10000, rebalanceTimeoutMs=300000, "
        "memberId='', groupInstanceId='null', protocolType='consumer', "
        "protocols=[JoinGroupRequestProtocol(name='range', metadata=[0, 0, 0, 0, 0, 1, 0, 3, 111, "
        "110, 101, 0, 0, 0, 0])])"
    )


def test_joined_in_2_2():
    answer = m.JoinGroupResponse(
        generation_id=1,
        protocol_name="range",
        leader=ME,
        member_id=ME,
        members=(m.JoinGroupResponseMember(member_id=ME, metadata=b"?"),),
    )
    assert object_text(answer, 4, "2.2") == (
        "JoinGroupResponse(throttleTimeMs=0, error=NONE, generationId=1, groupProtocol=range, "
        f"memberId={ME}, leaderId={ME}, members={ME})"
    )


def test_asking_for_offsets_in_2_3_goes_by_hash_map():
    """The wire lists partitions 0, 1, 2; the client's own line has the order of its map."""
    request = m.ListOffsetsRequest(
        topics=(
            m.ListOffsetsTopic(
                name="one",
                partitions=tuple(
                    m.ListOffsetsPartition(partition_index=number, current_leader_epoch=0)
                    for number in range(3)
                ),
            ),
        )
    )
    one = "={timestamp: -1, maxNumOffsets: 1, currentLeaderEpoch: Optional[0]}"
    assert object_text(request, 5, "2.3") == (
        f"(type=ListOffsetRequest, replicaId=-1, partitionTimestamps={{one-2{one}, one-0{one}, "
        f"one-1{one}}}, isolationLevel=READ_UNCOMMITTED)"
    )


@pytest.mark.parametrize(
    ("version", "recorded"),
    [
        (
            "2.3",
            (
                "(type=ProduceRequest, acks=1, timeout=30000, "
                "partitionRecords=({six-4=[(record=DefaultRecord(offset=0, "
                "timestamp=1795225952277, key=0 bytes, value=2 bytes))]}), transactionalId=''"
            ),
        ),
        (
            "3.9",
            (
                "(type=ProduceRequest, acks=1, timeout=30000, "
                "partitionRecords=([PartitionProduceData(index=4, records=MemoryRecords(size=70, "
                "buffer=java.nio.HeapByteBuffer[pos=0 lim=70 cap=70]))]), transactionalId=''"
            ),
        ),
    ],
)
def test_a_sent_batch(version, recorded):
    batch = m.RecordBatch(records=(m.WireRecord(None, "v1", 1795225952277),), size_bytes=70)
    request = m.ProduceRequest(
        acks=1,
        topic_data=(
            m.TopicProduceData(
                name="six", partition_data=(m.ProducePartitionData(index=4, records=(batch,)),)
            ),
        ),
    )
    assert object_text(request, 7, version) == recorded


@pytest.mark.parametrize(
    ("version", "recorded"),
    [
        (
            "2.2",
            (
                "(error=NONE, highWaterMark=0, lastStableOffset = 0, logStartOffset = 0, "
                "abortedTransactions = null, recordsSizeInBytes=0)"
            ),
        ),
        (
            "2.3",
            (
                "(error=NONE, highWaterMark=0, lastStableOffset = 0, logStartOffset = 0, "
                "preferredReadReplica = absent, abortedTransactions = null, recordsSizeInBytes=0)"
            ),
        ),
        (
            "2.8",
            (
                "(error=NONE, highWaterMark=0, lastStableOffset = 0, logStartOffset = 0, "
                "preferredReadReplica = absent, abortedTransactions = null, divergingEpoch "
                "=Optional.empty, recordsSizeInBytes=0)"
            ),
        ),
        (
            "3.9",
            (
                "PartitionData(partitionIndex=2, errorCode=0, highWatermark=0, lastStableOffset=0, "
                "logStartOffset=0, divergingEpoch=EpochEndOffset(epoch=-1, endOffset=-1), "
                "currentLeader=LeaderIdAndEpoch(leaderId=-1, leaderEpoch=-1), "
                "snapshotId=SnapshotId(endOffset=-1, epoch=-1), abortedTransactions=null, "
                "preferredReadReplica=-1, records=MemoryRecords(size=0, "
                "buffer=java.nio.HeapByteBuffer[pos=0 lim=0 cap=3]))"
            ),
        ),
    ],
)
def test_what_a_fetch_brought(version, recorded):
    partition = m.FetchPartitionData(
        partition_index=2, high_watermark=0, last_stable_offset=0, log_start_offset=0
    )
    answer = m.FetchResponse(
        responses=(
            m.FetchableTopicResponse(topic_id="Fhwwc7CpQF2FzmVr8_AwVg", partitions=(partition,)),
        )
    )
    assert fetched_text(answer, 0, 0, version) == recorded


@pytest.mark.parametrize(
    ("version", "api_version", "response", "recorded"),
    [
        (
            "2.2",
            2,
            m.FindCoordinatorResponse(error_message="NONE", node_id=0, host="localhost", port=9092),
            (
                "ClientResponse(receivedTimeMs=1795227061514, latencyMs=29, disconnected=false, "
                "requestHeader=RequestHeader(apiKey=FIND_COORDINATOR, apiVersion=2, "
                "clientId=consumer-1, correlationId=0), responseBody=FindCoordinatorResponse("
                "throttleTimeMs=0, errorMessage='NONE', error=NONE, node=localhost:9092 (id: 0 "
                "rack: null)))"
            ),
        ),
        (
            "3.9",
            6,
            m.FindCoordinatorResponse(
                coordinators=(
                    m.Coordinator(
                        key="test", node_id=2, host="localhost", port=9094, error_message=""
                    ),
                )
            ),
            (
                "ClientResponse(receivedTimeMs=1795227061514, latencyMs=29, disconnected=false, "
                "timedOut=false, requestHeader=RequestHeader(apiKey=FIND_COORDINATOR, "
                "apiVersion=6, clientId=consumer-1, correlationId=0, headerVersion=2), "
                "responseBody=FindCoordinatorResponseData(throttleTimeMs=0, errorCode=0, "
                "errorMessage='', nodeId=0, host='', port=0, coordinators=[Coordinator(key='test', "
                "nodeId=2, host='localhost', port=9094, errorCode=0, errorMessage='')]))"
            ),
        ),
    ],
)
def test_a_coordinator_was_found(version, api_version, response, recorded):
    header = RequestHeader(
        api_key=ApiKeys.FIND_COORDINATOR,
        api_version=api_version,
        client_id="consumer-1",
        correlation_id=0,
    )
    assert (
        client_response_text(
            header, response, received_at_ms=1795227061514, latency_ms=29, version=version
        )
        == recorded
    )


def test_a_header_tells_its_own_version_from_3_6_on():
    header = RequestHeader(
        api_key=ApiKeys.API_VERSIONS, api_version=3, client_id="consumer-shop-1", correlation_id=1
    )
    assert header_text(header, "2.8") == (
        "RequestHeader(apiKey=API_VERSIONS, apiVersion=3, clientId=consumer-shop-1, "
        "correlationId=1)"
    )
    assert header_text(header, "3.6").endswith("correlationId=1, headerVersion=2)")


def test_a_node_says_from_4_0_on_that_it_is_not_fenced():
    assert node_text("localhost", 9092, 0, "3.9") == "localhost:9092 (id: 0 rack: null)"
    assert (
        node_text("localhost", 9094, "+2", "4.4")
        == "localhost:9094 (id: +2 rack: null isFenced: false)"
    )


BROKERS = (m.MetadataResponseBroker(node_id=0, host="localhost", port=9092),)
LED = (
    "t4",
    m.MetadataResponsePartition(
        partition_index=0, leader_id=0, leader_epoch=0, replica_nodes=(0,), isr_nodes=(0,)
    ),
)
LEADERLESS = (
    "t4",
    m.MetadataResponsePartition(
        error_code=5, partition_index=0, leader_epoch=1, replica_nodes=(0,), offline_replicas=(0,)
    ),
)


@pytest.mark.parametrize(
    ("version", "partition", "recorded"),
    [
        (
            "2.1",
            LED,
            (
                "Cluster(id = WYlKiIoqQAKwpIJeCndlvw, nodes = [localhost:9092 (id: 0 rack: null)], "
                "partitions = [Partition(topic = t4, partition = 0, leader = 0, replicas = [0], "
                "isr = [0], offlineReplicas = [])], controller = localhost:9092 (id: 0 rack: null))"
            ),
        ),
        (
            "2.2",
            LEADERLESS,
            (
                "MetadataCache{cluster=Cluster(id = WYlKiIoqQAKwpIJeCndlvw, nodes = "
                "[localhost:9092 (id: 0 rack: null)], partitions = [Partition(topic = t4, "
                "partition = 0, leader = none, replicas = [0], isr = [], offlineReplicas = [0])], "
                "controller = localhost:9092 (id: 0 rack: null))}"
            ),
        ),
        (
            "2.8",
            LED,
            (
                "MetadataCache{clusterId='WYlKiIoqQAKwpIJeCndlvw', nodes={0=localhost:9092 (id: 0 "
                "rack: null)}, partitions=[PartitionMetadata(error=NONE, partition=t4-0, "
                "leader=Optional[0], leaderEpoch=Optional[0], replicas=0, isr=0, "
                "offlineReplicas=)], controller=localhost:9092 (id: 0 rack: null)}"
            ),
        ),
        (
            "3.9",
            LEADERLESS,
            (
                "MetadataSnapshot{clusterId='WYlKiIoqQAKwpIJeCndlvw', nodes={0=localhost:9092 (id: "
                "0 rack: null)}, partitions=[PartitionMetadata(error=LEADER_NOT_AVAILABLE, "
                "partition=t4-0, leader=Optional.empty, leaderEpoch=Optional[1], replicas=0, isr=, "
                "offlineReplicas=0)], controller=localhost:9092 (id: 0 rack: null)}"
            ),
        ),
    ],
)
def test_the_picture_of_the_cluster(version, partition, recorded):
    assert (
        cluster_text(
            version,
            cluster_id="WYlKiIoqQAKwpIJeCndlvw",
            brokers=BROKERS,
            partitions=[partition],
            controller_id=0,
        )
        == recorded
    )


def test_before_the_first_answer_2_1_knows_its_bootstrap_addresses_only():
    bootstrap = (m.MetadataResponseBroker(node_id=-1, host="localhost", port=9092),)
    assert cluster_text(
        "2.1", cluster_id=None, brokers=bootstrap, partitions=(), controller_id=None
    ) == (
        "Cluster(id = null, nodes = [localhost:9092 (id: -1 rack: null)], partitions = [], "
        "controller = null)"
    )


@pytest.mark.parametrize(
    ("version", "recorded"),
    [
        ("2.3", "Subscription(topics=[orders])"),
        (
            "3.9",
            (
                "Subscription(topics=[orders], userDataSize=4, ownedPartitions=[orders-0, "
                "orders-1], groupInstanceId=null, generationId=2, rackId=null)"
            ),
        ),
    ],
)
def test_a_subscription(version, recorded):
    said = Subscription(
        topics=("orders",), owned={"orders": (0, 1)}, generation_id=2, user_data=b"\0\0\0\2"
    )
    assert subscription_text(said, version) == recorded


def test_partitions_come_in_the_order_of_a_hash_map():
    """As in every recorded client: t4 with three partitions prints 1, 0, 2."""
    three = [
        ("t4", m.MetadataResponsePartition(partition_index=number, leader_id=0))
        for number in range(3)
    ]
    text = cluster_text(
        "3.9",
        cluster_id="WYlKiIoqQAKwpIJeCndlvw",
        brokers=BROKERS,
        partitions=three,
        controller_id=0,
    )
    assert [piece[:1] for piece in text.split("partition=t4-")[1:]] == ["1", "0", "2"]
