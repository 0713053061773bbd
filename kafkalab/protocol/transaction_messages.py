"""Defines the requests of a transaction: adding partitions and groups, ending it, and writing its
markers.

Field names and defaults are those of Kafka's schemas AddPartitionsToTxnRequest.json,
AddOffsetsToTxnRequest.json, TxnOffsetCommitRequest.json, EndTxnRequest.json,
WriteTxnMarkersRequest.json and their responses (KIP-98, KIP-360, KIP-447, KIP-890).
"""

from kafkalab.protocol.connection_messages import ZERO_UUID
from kafkalab.protocol.frozen import message


@message
class AddPartitionsToTxnTopic:
    name: str
    partitions: tuple[int, ...] = ()


@message
class AddPartitionsToTxnTransaction:
    """One transaction's partitions, v4 and later.

    verify_only: add nothing, only verify that they belong to the transaction (KIP-890).
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    verify_only: bool = False
    topics: tuple[AddPartitionsToTxnTopic, ...] = ()


@message
class AddPartitionsToTxnRequest:
    """Adds partitions to a transaction. Producers use the form up to v3.

    Brokers use v4 and later, for several transactions.
    """

    transactions: tuple[AddPartitionsToTxnTransaction, ...] = ()
    v3_and_below_transactional_id: str = ""
    v3_and_below_producer_id: int = 0
    v3_and_below_producer_epoch: int = 0
    v3_and_below_topics: tuple[AddPartitionsToTxnTopic, ...] = ()


@message
class AddPartitionsToTxnPartitionResult:
    partition_index: int
    partition_error_code: int = 0


@message
class AddPartitionsToTxnTopicResult:
    name: str
    results_by_partition: tuple[AddPartitionsToTxnPartitionResult, ...] = ()


@message
class AddPartitionsToTxnResult:
    transactional_id: str
    topic_results: tuple[AddPartitionsToTxnTopicResult, ...] = ()


@message
class AddPartitionsToTxnResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    results_by_transaction: tuple[AddPartitionsToTxnResult, ...] = ()
    results_by_topic_v3_and_below: tuple[AddPartitionsToTxnTopicResult, ...] = ()


@message
class AddOffsetsToTxnRequest:
    """Adds a group to a transaction: its offsets will be committed within it."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    group_id: str


@message
class AddOffsetsToTxnResponse:
    throttle_time_ms: int = 0
    error_code: int = 0


@message
class EndTxnRequest:
    transactional_id: str
    producer_id: int
    producer_epoch: int
    committed: bool


@message
class EndTxnResponse:
    """The result of EndTxn.

    producer_id and producer_epoch are those of the next transaction, v5 and later (KIP-890), else
    -1.
    """

    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = -1


@message
class TxnOffsetCommitRequestPartition:
    partition_index: int
    committed_offset: int
    committed_leader_epoch: int = -1
    committed_metadata: str | None = ""


@message
class TxnOffsetCommitRequestTopic:
    """A topic's offsets: by name up to v5, by id from v6 on.

    The name stays beside the id, because the client prints both.
    """

    name: str = ""
    topic_id: str = ZERO_UUID
    partitions: tuple[TxnOffsetCommitRequestPartition, ...] = ()


@message
class TxnOffsetCommitRequest:
    """Commits offsets as part of a transaction.

    Generation and member id fence a consumer that lost its partitions (KIP-447).
    """

    transactional_id: str
    group_id: str
    producer_id: int
    producer_epoch: int
    generation_id_or_member_epoch: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    topics: tuple[TxnOffsetCommitRequestTopic, ...] = ()


@message
class TxnOffsetCommitResponsePartition:
    partition_index: int
    error_code: int = 0


@message
class TxnOffsetCommitResponseTopic:
    name: str = ""
    topic_id: str = ZERO_UUID
    partitions: tuple[TxnOffsetCommitResponsePartition, ...] = ()


@message
class TxnOffsetCommitResponse:
    throttle_time_ms: int = 0
    topics: tuple[TxnOffsetCommitResponseTopic, ...] = ()


@message
class WritableTxnMarkerTopic:
    name: str
    partition_indexes: tuple[int, ...] = ()


@message
class WritableTxnMarker:
    """The marker of one transaction. transaction_result: True is COMMIT."""

    producer_id: int
    producer_epoch: int
    transaction_result: bool
    topics: tuple[WritableTxnMarkerTopic, ...] = ()
    coordinator_epoch: int = 0


@message
class WriteTxnMarkersRequest:
    """Asks the leader of partitions to write the marker of a transaction.

    Its coordinator sends it.
    """

    markers: tuple[WritableTxnMarker, ...] = ()


@message
class WritableTxnMarkerPartitionResult:
    partition_index: int
    error_code: int = 0


@message
class WritableTxnMarkerTopicResult:
    name: str
    partitions: tuple[WritableTxnMarkerPartitionResult, ...] = ()


@message
class WritableTxnMarkerResult:
    producer_id: int
    topics: tuple[WritableTxnMarkerTopicResult, ...] = ()


@message
class WriteTxnMarkersResponse:
    markers: tuple[WritableTxnMarkerResult, ...] = ()
