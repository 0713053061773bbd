"""The toString methods Kafka's authors wrote by hand, before the message classes were generated.

Each class has a format of its own (a colon after "type" in one, an equals sign in another), so no
table holds them: there is one function a class, named in `TEXTS`. Learned from the lines of clients
2.1.1, 2.2.2 and 2.3.0.

These classes kept their parts in hash maps and printed them in the order of the map.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from kafkalab.errors import error_for
from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.lines.cluster_text import node_text
from kafkalab.lines.java_values import by_partition, identity_text, optional_text
from kafkalab.protocol import messages as m
from kafkalab.releases import PROFILES

ISOLATION = {0: "READ_UNCOMMITTED", 1: "READ_COMMITTED"}
PROTOCOL_CLASS = "org.apache.kafka.common.requests.JoinGroupRequest$ProtocolMetadata"
COORDINATOR_TYPE = {0: "GROUP", 1: "TRANSACTION"}

Part = TypeVar("Part")


def _members(parts: Iterable[Part], id_of: Callable[[Part], str]) -> str:
    """The member ids in the order of a HashMap."""
    return ",".join(hash_map_order([id_of(part) for part in parts], java_string_hash))


def records_text(batches: tuple[m.RecordBatch, ...]) -> str:
    """`[(record=DefaultRecord(offset=0, timestamp=..., key=2 bytes, value=2 bytes))]`;
    a null key counts 0 bytes."""
    texts = (
        (
            f"(record=DefaultRecord(offset={batch.base_offset + delta}, "
            f"timestamp={record.timestamp_ms}, key={_size(record.key)} bytes, "
            f"value={_size(record.value)} bytes))"
        )
        for batch in batches
        for delta, record in enumerate(batch.records)
    )
    return f"[{', '.join(texts)}]"


def fetched_summary(partition: m.FetchPartitionData, version: str) -> str:
    """The hand-made summary of one fetched partition, up to 2.8;
    its blanks around the equals signs are Java's."""
    style = PROFILES[version].printing
    replica = f", preferredReadReplica = {_replica(partition)}" if style.fetched_replica else ""
    divergence = ", divergingEpoch =Optional.empty" if style.fetched_divergence else ""
    aborted = (
        "null"
        if partition.aborted_transactions is None
        else "["
        + ", ".join(
            f"(producerId={txn.producer_id}, firstOffset={txn.first_offset})"
            for txn in partition.aborted_transactions
        )
        + "]"
    )
    return (
        f"(error={PROFILES[version].connecting.known(error_for(partition.error_code)).name}, "
        f"highWaterMark={partition.high_watermark}, lastStableOffset = "
        f"{partition.last_stable_offset}, logStartOffset = {partition.log_start_offset}{replica}, "
        f"abortedTransactions = {aborted}{divergence}, "
        f"recordsSizeInBytes={sum(batch.size_bytes for batch in partition.records)})"
    )


def _replica(partition: m.FetchPartitionData) -> str:
    return (
        "absent" if partition.preferred_read_replica < 0 else str(partition.preferred_read_replica)
    )


def _size(field: str | bytes | None) -> int:
    return 0 if field is None else len(m.as_bytes(field))


def _metadata_request(request: m.MetadataRequest, version: str) -> str:
    topics = (
        "<ALL>"
        if request.topics is None
        else ",".join(topic.name or "" for topic in request.topics)
    )
    may_create = (
        f", allowAutoCreate={str(request.allow_auto_topic_creation).lower()}"
        if PROFILES[version].printing.auto_create
        else ""
    )
    return f"(type=MetadataRequest, topics={topics}{may_create})"


def _find_coordinator_request(request: m.FindCoordinatorRequest, version: str) -> str:
    return (
        f"(type=FindCoordinatorRequest, coordinatorKey={request.key}, "
        f"coordinatorType={COORDINATOR_TYPE[request.key_type]})"
    )


def _find_coordinator_response(response: m.FindCoordinatorResponse, version: str) -> str:
    node = node_text(response.host, response.port, response.node_id, version)
    return (
        f"FindCoordinatorResponse(throttleTimeMs={response.throttle_time_ms}, "
        f"errorMessage='{response.error_message}', "
        f"error={PROFILES[version].connecting.known(error_for(response.error_code)).name}, "
        f"node={node})"
    )


def _join_group_request(request: m.JoinGroupRequest, version: str) -> str:
    protocols = ", ".join(
        identity_text(PROTOCOL_CLASS, protocol.name.encode("utf-8") + protocol.metadata)
        for protocol in request.protocols
    )
    return (
        f"(type: JoinGroupRequest, groupId={request.group_id}, "
        f"sessionTimeout={request.session_timeout_ms}, "
        f"rebalanceTimeout={request.rebalance_timeout_ms}, memberId={request.member_id}, "
        f"protocolType={request.protocol_type}, groupProtocols={protocols})"
    )


def _join_group_response(response: m.JoinGroupResponse, version: str) -> str:
    members = _members(response.members, lambda member: member.member_id)
    return (
        f"JoinGroupResponse(throttleTimeMs={response.throttle_time_ms}, "
        f"error={PROFILES[version].connecting.known(error_for(response.error_code)).name}, "
        f"generationId={response.generation_id}, groupProtocol={response.protocol_name or ''}, "
        f"memberId={response.member_id}, leaderId={response.leader}, members={members})"
    )


def _sync_group_request(request: m.SyncGroupRequest, version: str) -> str:
    members = _members(request.assignments, lambda assignment: assignment.member_id)
    return (
        f"(type=SyncGroupRequest, groupId={request.group_id}, "
        f"generationId={request.generation_id}, memberId={request.member_id}, "
        f"groupAssignment={members})"
    )


def _list_offsets_request(request: m.ListOffsetsRequest, version: str) -> str:
    timestamps = ", ".join(
        f"{topic}-{number}={{timestamp: {part.timestamp}, maxNumOffsets: {part.max_num_offsets}, "
        f"currentLeaderEpoch: {optional_text(part.current_leader_epoch)}}}"
        for topic, number, part in by_partition(
            (topic.name, part.partition_index, part)
            for topic in request.topics
            for part in topic.partitions
        )
    )
    return (
        f"(type=ListOffsetRequest, replicaId={request.replica_id}, "
        f"partitionTimestamps={{{timestamps}}}, "
        f"isolationLevel={ISOLATION[request.isolation_level]})"
    )


def _list_offsets_response(response: m.ListOffsetsResponse, version: str) -> str:
    found = ", ".join(
        (
            f"{topic}-{number}=PartitionData(errorCode: {part.error_code}, timestamp: "
            f"{part.timestamp}, offset: {part.offset}, leaderEpoch: "
            f"{optional_text(part.leader_epoch)})"
        )
        for topic, number, part in by_partition(
            (topic.name, part.partition_index, part)
            for topic in response.topics
            for part in topic.partitions
        )
    )
    return (
        f"(type=ListOffsetResponse, throttleTimeMs={response.throttle_time_ms}, "
        f"responseData={{{found}}})"
    )


def _leader_epoch_request(request: m.OffsetForLeaderEpochRequest, version: str) -> str:
    asked = ", ".join(
        f"{topic}-{number}=(currentLeaderEpoch={optional_text(part.current_leader_epoch)}, "
        f"leaderEpoch={part.leader_epoch})"
        for topic, number, part in by_partition(
            (topic.topic, part.partition, part)
            for topic in request.topics
            for part in topic.partitions
        )
    )
    return (
        f"(type=OffsetsForLeaderEpochRequest, replicaId={request.replica_id}, "
        f"epochsByTopicPartition={{{asked}}})"
    )


def _leader_epoch_response(response: m.OffsetForLeaderEpochResponse, version: str) -> str:
    ends = ", ".join(
        f"{topic}-{number}=EpochEndOffset{{error={PROFILES[version].connecting.known(error_for(part.error_code)).name}, "  # noqa: E501
        f"leaderEpoch={part.leader_epoch}, endOffset={part.end_offset}}}"
        for topic, number, part in by_partition(
            (topic.topic, part.partition, part)
            for topic in response.topics
            for part in topic.partitions
        )
    )
    # The comma without a value is Java's.
    return (
        f"(type=OffsetsForLeaderEpochResponse, , throttleTimeMs={response.throttle_time_ms}, "
        f"epochEndOffsetsByPartition={{{ends}}})"
    )


def _init_producer_id_request(request: m.InitProducerIdRequest, version: str) -> str:
    return (
        f"(type=InitProducerIdRequest, transactionalId={request.transactional_id or 'null'}, "
        f"transactionTimeoutMs={request.transaction_timeout_ms})"
    )


def _init_producer_id_response(response: m.InitProducerIdResponse, version: str) -> str:
    return (
        f"InitProducerIdResponse(error={PROFILES[version].connecting.known(error_for(response.error_code)).name}, "  # noqa: E501
        f"producerId={response.producer_id}, producerEpoch={response.producer_epoch}, "
        f"throttleTimeMs={response.throttle_time_ms})"
    )


def _of_transaction(kind: str, producer_id: int, producer_epoch: int, transactional_id: str) -> str:
    return (
        f"(type={kind}, transactionalId={transactional_id}, producerId={producer_id}, "
        f"producerEpoch={producer_epoch}"
    )


def _add_partitions_request(request: m.AddPartitionsToTxnRequest, version: str) -> str:
    partitions = ", ".join(
        f"{topic.name}-{number}"
        for topic in request.v3_and_below_topics
        for number in topic.partitions
    )
    return (
        _of_transaction(
            "AddPartitionsToTxnRequest",
            request.v3_and_below_producer_id,
            request.v3_and_below_producer_epoch,
            request.v3_and_below_transactional_id,
        )
        + f", partitions=[{partitions}])"
    )


def _errors_text(errors: Iterable[tuple[str, int, int]], version: str) -> str:
    """`{t4-0=NONE}`: topic, partition, error code, as a hash map of partitions prints."""
    return (
        "{"
        + ", ".join(
            f"{topic}-{number}={PROFILES[version].connecting.known(error_for(code)).name}"
            for topic, number, code in by_partition(errors)
        )
        + "}"
    )


def _add_partitions_response(response: m.AddPartitionsToTxnResponse, version: str) -> str:
    errors = _errors_text(
        (
            (topic.name, part.partition_index, part.partition_error_code)
            for topic in response.results_by_topic_v3_and_below
            for part in topic.results_by_partition
        ),
        version,
    )
    return (
        f"AddPartitionsToTxnResponse(errors={errors}, throttleTimeMs={response.throttle_time_ms})"
    )


def _add_offsets_request(request: m.AddOffsetsToTxnRequest, version: str) -> str:
    return (
        _of_transaction(
            "AddOffsetsToTxnRequest",
            request.producer_id,
            request.producer_epoch,
            request.transactional_id,
        )
        + f", consumerGroupId={request.group_id})"
    )


def _end_txn_request(request: m.EndTxnRequest, version: str) -> str:
    return (
        _of_transaction(
            "EndTxnRequest", request.producer_id, request.producer_epoch, request.transactional_id
        )
        + f", result={'COMMIT' if request.committed else 'ABORT'})"
    )


def _status_response(name: str) -> Callable[[Any, str], str]:
    return lambda response, version: (
        f"{name}(error={PROFILES[version].connecting.known(error_for(response.error_code)).name}, "
        f"throttleTimeMs={response.throttle_time_ms})"
    )


def _txn_offset_commit_request(request: m.TxnOffsetCommitRequest, version: str) -> str:
    offsets = ", ".join(
        (
            f"{topic}-{number}=CommittedOffset(offset={part.committed_offset}, "
            f"leaderEpoch={optional_text(part.committed_leader_epoch)}, "
            f"metadata='{part.committed_metadata}')"
        )
        for topic, number, part in by_partition(
            (topic.name, part.partition_index, part)
            for topic in request.topics
            for part in topic.partitions
        )
    )
    return (
        _of_transaction(
            "TxnOffsetCommitRequest",
            request.producer_id,
            request.producer_epoch,
            request.transactional_id,
        )
        + f", consumerGroupId={request.group_id}, offsets={{{offsets}}})"
    )


def txn_offset_errors_text(response: m.TxnOffsetCommitResponse, version: str) -> str:
    return _errors_text(
        (
            (topic.name, part.partition_index, part.error_code)
            for topic in response.topics
            for part in topic.partitions
        ),
        version,
    )


def _txn_offset_commit_response(response: m.TxnOffsetCommitResponse, version: str) -> str:
    return (
        f"TxnOffsetCommitResponse(errors={txn_offset_errors_text(response, version)}, "
        f"throttleTimeMs={response.throttle_time_ms})"
    )


TEXTS: dict[str, Callable[[Any, str], str]] = {
    "AddPartitionsToTxnRequest": _add_partitions_request,
    "AddPartitionsToTxnResponse": _add_partitions_response,
    "AddOffsetsToTxnRequest": _add_offsets_request,
    "AddOffsetsToTxnResponse": _status_response("AddOffsetsToTxnResponse"),
    "EndTxnRequest": _end_txn_request,
    "EndTxnResponse": _status_response("EndTxnResponse"),
    "TxnOffsetCommitRequest": _txn_offset_commit_request,
    "TxnOffsetCommitResponse": _txn_offset_commit_response,
    "MetadataRequest": _metadata_request,
    "FindCoordinatorRequest": _find_coordinator_request,
    "FindCoordinatorResponse": _find_coordinator_response,
    "JoinGroupRequest": _join_group_request,
    "JoinGroupResponse": _join_group_response,
    "SyncGroupRequest": _sync_group_request,
    "ListOffsetsRequest": _list_offsets_request,
    "ListOffsetsResponse": _list_offsets_response,
    "OffsetForLeaderEpochRequest": _leader_epoch_request,
    "OffsetForLeaderEpochResponse": _leader_epoch_response,
    "InitProducerIdRequest": _init_producer_id_request,
    "InitProducerIdResponse": _init_producer_id_response,
}
"""Message class -> its toString, given the message and the client version."""
