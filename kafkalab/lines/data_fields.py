"""The generated message classes of each client version: which fields they have, and by which name.

From 2.3 on Java prints a message as its generated class does, `JoinGroupRequestData(groupId='test',
...)`: every field of that client's own schema, in schema order, whatever API version goes out. Our
dataclasses hold the newest schema in the same order; this table says which fields older releases
lack, still have, or spell differently. Learned from the lines of recorded clients.
"""

from kafkalab.protocol import messages as m
from kafkalab.releases.lineage import between, since

KNOWN_TO = {
    m.ApiVersionsRequest: {"cluster_id": since("4.4"), "node_id": since("4.4")},  # KIP-1242
    m.ApiVersionsResponse: {"zk_migration_ready": since("3.6")},
    m.MetadataRequestTopic: {"topic_id": since("2.8")},
    m.MetadataResponse: {"error_code": since("4.0")},
    m.MetadataResponseTopic: {"topic_id": since("2.8")},
    m.FindCoordinatorRequest: {"coordinator_keys": since("3.6")},  # KIP-699
    m.FindCoordinatorResponse: {"coordinators": since("3.6")},
    m.JoinGroupRequest: {"reason": since("3.6")},  # KIP-800
    # KIP-559, KIP-814
    m.JoinGroupResponse: {"protocol_type": since("2.8"), "skip_assignment": since("3.6")},
    m.SyncGroupRequest: {"protocol_type": since("2.8"), "protocol_name": since("2.8")},
    m.SyncGroupResponse: {"protocol_type": since("2.8"), "protocol_name": since("2.8")},
    m.LeaveGroupRequest: {"members": since("2.8")},  # KIP-345
    m.MemberIdentity: {"reason": since("3.6")},
    m.LeaveGroupResponse: {"members": since("2.8")},
    m.OffsetCommitRequestTopic: {"topic_id": since("4.4")},  # KIP-848
    m.OffsetCommitRequestPartition: {"commit_timestamp": between("2.3", "3.9")},
    m.OffsetCommitResponseTopic: {"topic_id": since("4.4")},
    # KIP-709, KIP-447
    m.OffsetFetchRequest: {"groups": since("3.6"), "require_stable": since("2.8")},
    m.OffsetFetchRequestGroup: {"member_id": since("3.9"), "member_epoch": since("3.9")},
    m.OffsetFetchRequestTopics: {"topic_id": since("4.4")},
    m.OffsetFetchResponse: {"groups": since("3.6")},
    m.OffsetFetchResponseTopics: {"topic_id": since("4.4")},
    m.ListOffsetsRequest: {"timeout_ms": since("4.0")},  # KIP-1075
    m.ListOffsetsPartition: {"max_num_offsets": between("2.3", "3.9")},
    m.ListOffsetsPartitionResponse: {"old_style_offsets": between("2.3", "3.9")},
    m.FetchRequest: {"replica_state": since("3.6")},  # KIP-903
    m.FetchTopic: {"topic_id": since("3.6")},  # KIP-516
    m.FetchPartition: {"replica_directory_id": since("3.9"), "high_watermark": since("4.4")},
    m.ForgottenTopic: {"topic_id": since("3.6")},
    m.FetchResponse: {"node_endpoints": since("3.9")},  # KIP-951
    m.FetchableTopicResponse: {"topic_id": since("3.6")},
    m.PartitionProduceResponse: {"current_leader": since("3.9")},
    m.TopicProduceResponse: {"topic_id": since("4.4")},
    m.ProduceResponse: {"node_endpoints": since("3.9")},
    # KIP-360
    m.InitProducerIdRequest: {
        "producer_id": since("2.8"),
        "producer_epoch": since("2.8"),
        # KIP-939
        "enable_2_pc": since("4.4"),
        "keep_prepared_txn": since("4.4"),
    },
    m.AddPartitionsToTxnRequest: {"transactions": since("3.6")},  # KIP-890
    m.AddPartitionsToTxnResponse: {
        "error_code": since("3.6"),
        "results_by_transaction": since("3.6"),
    },
    m.EndTxnResponse: {"producer_id": since("4.0"), "producer_epoch": since("4.0")},  # KIP-890
    m.TxnOffsetCommitRequestTopic: {"topic_id": since("4.4")},
    m.TxnOffsetCommitResponseTopic: {"topic_id": since("4.4")},
    m.InitProducerIdResponse: {
        "ongoing_txn_producer_id": since("4.4"),
        "ongoing_txn_producer_epoch": since("4.4"),
    },
}
"""Fields that only some versions have: class -> field -> the versions that have it."""

SPELLED = {
    (m.AddPartitionsToTxnRequest, "v3_and_below_transactional_id"): (
        between("2.8", "2.8"),
        "transactionalId",
    ),
    (m.AddPartitionsToTxnRequest, "v3_and_below_producer_id"): (
        between("2.8", "2.8"),
        "producerId",
    ),
    (m.AddPartitionsToTxnRequest, "v3_and_below_producer_epoch"): (
        between("2.8", "2.8"),
        "producerEpoch",
    ),
    (m.AddPartitionsToTxnRequest, "v3_and_below_topics"): (between("2.8", "2.8"), "topics"),
    (m.AddPartitionsToTxnResponse, "results_by_topic_v3_and_below"): (
        between("2.8", "2.8"),
        "results",
    ),
    (m.AddPartitionsToTxnTopicResult, "results_by_partition"): (between("2.8", "2.8"), "results"),
    (m.AddPartitionsToTxnPartitionResult, "partition_error_code"): (
        between("2.8", "2.8"),
        "errorCode",
    ),
    (m.TxnOffsetCommitRequest, "generation_id_or_member_epoch"): (
        between("2.3", "4.0"),
        "generationId",
    ),
    (m.OffsetCommitRequest, "generation_id_or_member_epoch"): (
        between("2.3", "2.8"),
        "generationId",
    ),
    (m.FetchableTopicResponse, "partitions"): (between("2.3", "2.8"), "partitionResponses"),
    (m.FetchPartitionData, "partition_index"): (between("2.3", "2.8"), "partition"),
    (m.FetchPartitionData, "records"): (between("2.3", "2.8"), "recordSet"),
}
"""Fields that some versions spell differently from our field in camel case."""

CLASS_NAMES = {
    m.DescribedTopicPartitions: "TopicPartitions",
    m.ElectTopicPartitions: "TopicPartitions",
    m.ElectPartitionResult: "PartitionResult",
    m.DescribedAssignment: "Assignment",
    m.DescribedConsumer: "Member",
    m.DescribedConsumerGroup: "DescribedGroup",
    m.FetchPartitionData: "PartitionData",
    m.FetchEpochEndOffset: "EpochEndOffset",
    m.ProducePartitionData: "PartitionProduceData",
    m.HeartbeatTopicPartitions: "TopicPartitions",
    m.HeartbeatAssignment: "Assignment",
    m.ShareFetchTopic: "FetchTopic",
    m.ShareFetchPartition: "FetchPartition",
    m.ShareForgottenTopic: "ForgottenTopic",
    m.ShareFetchPartitionData: "PartitionData",
    m.ShareAcknowledgePartitionData: "PartitionData",
}
OLDER_CLASS_NAMES: dict[type, tuple[tuple[str, ...], str]] = {
    m.FetchPartitionData: (between("2.3", "2.8"), "FetchablePartitionResponse")
}
"""Classes whose printed name is not ours."""

UUID_FIELDS = frozenset({"topic_id", "client_instance_id", "replica_directory_id"})
"""Texts that Java holds as a Uuid, so they print without quotes."""
