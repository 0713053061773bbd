"""Defines the requests for records and offsets: produce, fetch, list offsets, leader epochs,
producer ids.

Field names and defaults are those of Kafka's schemas (ProduceRequest.json, FetchRequest.json and
similar). Where two schemas use one name for different things, the name here says which:
`FetchPartitionData`, `FetchEpochEndOffset`. Records travel as whole batches, as in Kafka:
`kafkalab.protocol.records_wire`.
"""

from kafkalab.protocol.connection_messages import ZERO_UUID
from kafkalab.protocol.frozen import message
from kafkalab.protocol.records_wire import RecordBatch

LATEST_TIMESTAMP = -1
EARLIEST_TIMESTAMP = -2
"""ListOffsets: the two special timestamps, for the end and for the beginning of the log."""

MAX_LONG = 9223372036854775807


@message
class ListOffsetsPartition:
    partition_index: int
    current_leader_epoch: int = -1
    timestamp: int = LATEST_TIMESTAMP
    max_num_offsets: int = 1


@message
class ListOffsetsTopic:
    name: str
    partitions: tuple[ListOffsetsPartition, ...] = ()


@message
class ListOffsetsRequest:
    """Asks leaders for offsets by time.

    isolation_level 0 is read_uncommitted, 1 read_committed. timeout_ms is v10 and later (KIP-1075).
    """

    replica_id: int = -1
    isolation_level: int = 0
    topics: tuple[ListOffsetsTopic, ...] = ()
    timeout_ms: int = 0


@message
class ListOffsetsPartitionResponse:
    partition_index: int
    error_code: int = 0
    old_style_offsets: tuple[int, ...] = ()
    timestamp: int = -1
    offset: int = -1
    leader_epoch: int = -1


@message
class ListOffsetsTopicResponse:
    name: str
    partitions: tuple[ListOffsetsPartitionResponse, ...] = ()


@message
class ListOffsetsResponse:
    throttle_time_ms: int = 0
    topics: tuple[ListOffsetsTopicResponse, ...] = ()


@message
class ReplicaState:
    """The fetching broker and its epoch. A consumer leaves both at -1."""

    replica_id: int = -1
    replica_epoch: int = -1


@message
class FetchPartition:
    partition: int
    current_leader_epoch: int = -1
    fetch_offset: int = 0
    last_fetched_epoch: int = -1
    log_start_offset: int = -1
    partition_max_bytes: int = 1048576
    replica_directory_id: str = ZERO_UUID
    high_watermark: int = MAX_LONG


@message
class FetchTopic:
    """A topic to fetch: by name up to v12, by id from v13 on (KIP-516)."""

    topic: str = ""
    topic_id: str = ZERO_UUID
    partitions: tuple[FetchPartition, ...] = ()


@message
class ForgottenTopic:
    """Partitions that leave the fetch session (KIP-227)."""

    topic: str = ""
    topic_id: str = ZERO_UUID
    partitions: tuple[int, ...] = ()


@message
class FetchRequest:
    """Asks a leader for records. It is answered when min_bytes are there, or after max_wait_ms.

    session_id 0 with session_epoch 0 asks for a new fetch session; epoch -1 ends it or does without
    (KIP-227).
    """

    cluster_id: str | None = None
    replica_id: int = -1
    replica_state: ReplicaState = ReplicaState()
    max_wait_ms: int = 500
    min_bytes: int = 1
    max_bytes: int = 52428800
    isolation_level: int = 0
    session_id: int = 0
    session_epoch: int = -1
    topics: tuple[FetchTopic, ...] = ()
    forgotten_topics_data: tuple[ForgottenTopic, ...] = ()
    rack_id: str = ""


@message
class FetchEpochEndOffset:
    """The offset at which the follower's log diverges from the leader's.

    Printed as EpochEndOffset.
    """

    epoch: int = -1
    end_offset: int = -1


@message
class LeaderIdAndEpoch:
    """The current leader of a partition, as a hint to the client (KIP-951)."""

    leader_id: int = -1
    leader_epoch: int = -1

    def text(self) -> str:
        """The text that clients print."""
        return f"LeaderIdAndEpoch(leaderId={self.leader_id}, leaderEpoch={self.leader_epoch})"


@message
class SnapshotId:
    end_offset: int = -1
    epoch: int = -1


@message
class AbortedTransaction:
    producer_id: int
    first_offset: int


@message
class NodeEndpoint:
    """The address of a hinted leader (KIP-951)."""

    node_id: int
    host: str
    port: int
    rack: str | None = None


@message
class FetchPartitionData:
    """The records of one partition.

    Printed as PartitionData. With an error high_watermark is -1.
    """

    partition_index: int
    error_code: int = 0
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    diverging_epoch: FetchEpochEndOffset = FetchEpochEndOffset()
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch()
    snapshot_id: SnapshotId = SnapshotId()
    aborted_transactions: tuple[AbortedTransaction, ...] | None = None
    preferred_read_replica: int = -1
    records: tuple[RecordBatch, ...] = ()


@message
class FetchableTopicResponse:
    topic: str = ""
    topic_id: str = ZERO_UUID
    partitions: tuple[FetchPartitionData, ...] = ()


@message
class FetchResponse:
    """The fetched records. In a fetch session it holds only partitions with changes (KIP-227)."""

    throttle_time_ms: int = 0
    error_code: int = 0
    session_id: int = 0
    responses: tuple[FetchableTopicResponse, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@message
class ProducePartitionData:
    """One partition's batch (PartitionProduceData in the schema)."""

    index: int
    records: tuple[RecordBatch, ...] = ()


@message
class TopicProduceData:
    """A topic's batches: by name up to v12, by id from v13 on (KIP-516).

    The name stays beside the id, because the client prints both.
    """

    name: str = ""
    topic_id: str = ZERO_UUID
    partition_data: tuple[ProducePartitionData, ...] = ()


@message
class ProduceRequest:
    """Sends batches to their leader.

    acks: 0 without an answer, 1 after the leader's append, -1 (all) after all in-sync replicas have
    it.
    """

    transactional_id: str | None = None
    acks: int = -1
    timeout_ms: int = 30000
    topic_data: tuple[TopicProduceData, ...] = ()


@message
class BatchIndexAndErrorMessage:
    """The record that caused the rejection of its batch (KIP-467)."""

    batch_index: int
    batch_index_error_message: str | None = None


@message
class PartitionProduceResponse:
    """The result of one batch. base_offset is the offset of its first record, -1 with an error."""

    index: int
    error_code: int = 0
    base_offset: int = -1
    log_append_time_ms: int = -1
    log_start_offset: int = -1
    record_errors: tuple[BatchIndexAndErrorMessage, ...] = ()
    error_message: str | None = None
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch()


@message
class TopicProduceResponse:
    name: str = ""
    topic_id: str = ZERO_UUID
    partition_responses: tuple[PartitionProduceResponse, ...] = ()


@message
class ProduceResponse:
    responses: tuple[TopicProduceResponse, ...] = ()
    throttle_time_ms: int = 0
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@message
class InitProducerIdRequest:
    """Asks for a producer id.

    Without a transactional id any broker assigns one (KIP-98, KIP-360).
    """

    transactional_id: str | None = None
    transaction_timeout_ms: int = 2147483647
    producer_id: int = -1
    producer_epoch: int = -1
    enable_2_pc: bool = False
    keep_prepared_txn: bool = False


@message
class InitProducerIdResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    ongoing_txn_producer_id: int = -1
    ongoing_txn_producer_epoch: int = -1


@message
class OffsetForLeaderPartition:
    partition: int
    current_leader_epoch: int = -1
    leader_epoch: int = -1


@message
class OffsetForLeaderTopic:
    topic: str
    partitions: tuple[OffsetForLeaderPartition, ...] = ()


@message
class OffsetForLeaderEpochRequest:
    """Asks for the end offset of a leader epoch.

    A consumer validates its position with it (KIP-320).
    """

    replica_id: int = -1
    topics: tuple[OffsetForLeaderTopic, ...] = ()


@message
class EpochEndOffset:
    error_code: int = 0
    partition: int = 0
    leader_epoch: int = -1
    end_offset: int = -1


@message
class OffsetForLeaderTopicResult:
    topic: str
    partitions: tuple[EpochEndOffset, ...] = ()


@message
class OffsetForLeaderEpochResponse:
    throttle_time_ms: int = 0
    topics: tuple[OffsetForLeaderTopicResult, ...] = ()
