"""The generated message classes of each client version: which fields they have, and by which name.

From 2.3 on Java prints a message as its generated class does, `JoinGroupRequestData(groupId='test', ...)`: every field
of that client's own schema, in schema order, whatever API version goes out. Our dataclasses hold the newest schema in
the same order; this table tells what the older ones did not have yet, had still, or spelled differently. Learned from
the lines of recorded clients.
"""
from kafkalab.protocol import messages as m

ONLY_23 = ("2.3",)
UP_TO_28 = ("2.3", "2.8")
UP_TO_39 = ("2.3", "2.8", "3.6", "3.9")
SINCE_28 = ("2.8", "3.6", "3.9", "4.0", "4.4")
SINCE_36 = ("3.6", "3.9", "4.0", "4.4")
SINCE_39 = ("3.9", "4.0", "4.4")
SINCE_40 = ("4.0", "4.4")
SINCE_44 = ("4.4",)

KNOWN_TO = {
    m.ApiVersionsRequest: {"cluster_id": SINCE_44, "node_id": SINCE_44},  # KIP-1242
    m.ApiVersionsResponse: {"zk_migration_ready": SINCE_36},
    m.MetadataRequestTopic: {"topic_id": SINCE_28},
    m.MetadataResponse: {"error_code": SINCE_40},
    m.MetadataResponseTopic: {"topic_id": SINCE_28},
    m.FindCoordinatorRequest: {"coordinator_keys": SINCE_36},  # KIP-699
    m.FindCoordinatorResponse: {"coordinators": SINCE_36},
    m.JoinGroupRequest: {"reason": SINCE_36},  # KIP-800
    m.JoinGroupResponse: {"protocol_type": SINCE_28, "skip_assignment": SINCE_36},  # KIP-559, KIP-814
    m.SyncGroupRequest: {"protocol_type": SINCE_28, "protocol_name": SINCE_28},
    m.SyncGroupResponse: {"protocol_type": SINCE_28, "protocol_name": SINCE_28},
    m.LeaveGroupRequest: {"members": SINCE_28},  # KIP-345
    m.MemberIdentity: {"reason": SINCE_36},
    m.LeaveGroupResponse: {"members": SINCE_28},
    m.OffsetCommitRequestTopic: {"topic_id": SINCE_44},  # KIP-848
    m.OffsetCommitRequestPartition: {"commit_timestamp": UP_TO_39},
    m.OffsetCommitResponseTopic: {"topic_id": SINCE_44},
    m.OffsetFetchRequest: {"groups": SINCE_36, "require_stable": SINCE_28},  # KIP-709, KIP-447
    m.OffsetFetchRequestGroup: {"member_id": SINCE_39, "member_epoch": SINCE_39},
    m.OffsetFetchRequestTopics: {"topic_id": SINCE_44},
    m.OffsetFetchResponse: {"groups": SINCE_36},
    m.OffsetFetchResponseTopics: {"topic_id": SINCE_44},
    m.ListOffsetsRequest: {"timeout_ms": SINCE_40},  # KIP-1075
    m.ListOffsetsPartition: {"max_num_offsets": UP_TO_39},
    m.ListOffsetsPartitionResponse: {"old_style_offsets": UP_TO_39},
    m.FetchRequest: {"replica_state": SINCE_36},  # KIP-903
    m.FetchTopic: {"topic_id": SINCE_36},  # KIP-516
    m.FetchPartition: {"replica_directory_id": SINCE_39, "high_watermark": SINCE_44},
    m.ForgottenTopic: {"topic_id": SINCE_36},
    m.FetchResponse: {"node_endpoints": SINCE_39},  # KIP-951
    m.FetchableTopicResponse: {"topic_id": SINCE_36},
    m.PartitionProduceResponse: {"current_leader": SINCE_39},
    m.TopicProduceResponse: {"topic_id": SINCE_44},
    m.ProduceResponse: {"node_endpoints": SINCE_39},
    m.InitProducerIdRequest: {"producer_id": SINCE_28, "producer_epoch": SINCE_28,  # KIP-360
                              "enable_2_pc": SINCE_44, "keep_prepared_txn": SINCE_44},  # KIP-939
    m.AddPartitionsToTxnRequest: {"transactions": SINCE_36},  # KIP-890
    m.AddPartitionsToTxnResponse: {"error_code": SINCE_36, "results_by_transaction": SINCE_36},
    m.EndTxnResponse: {"producer_id": SINCE_40, "producer_epoch": SINCE_40},  # KIP-890
    m.TxnOffsetCommitRequestTopic: {"topic_id": SINCE_44},
    m.TxnOffsetCommitResponseTopic: {"topic_id": SINCE_44},
    m.InitProducerIdResponse: {"ongoing_txn_producer_id": SINCE_44, "ongoing_txn_producer_epoch": SINCE_44},
}
"""Fields not every version has: class -> field -> the versions that have it."""

ONLY_28 = ("2.8",)
UP_TO_40 = ("2.3", "2.8", "3.6", "3.9", "4.0")

SPELLED = {
    (m.AddPartitionsToTxnRequest, "v3_and_below_transactional_id"): (ONLY_28, "transactionalId"),
    (m.AddPartitionsToTxnRequest, "v3_and_below_producer_id"): (ONLY_28, "producerId"),
    (m.AddPartitionsToTxnRequest, "v3_and_below_producer_epoch"): (ONLY_28, "producerEpoch"),
    (m.AddPartitionsToTxnRequest, "v3_and_below_topics"): (ONLY_28, "topics"),
    (m.AddPartitionsToTxnResponse, "results_by_topic_v3_and_below"): (ONLY_28, "results"),
    (m.AddPartitionsToTxnTopicResult, "results_by_partition"): (ONLY_28, "results"),
    (m.AddPartitionsToTxnPartitionResult, "partition_error_code"): (ONLY_28, "errorCode"),
    (m.TxnOffsetCommitRequest, "generation_id_or_member_epoch"): (UP_TO_40, "generationId"),
    (m.OffsetCommitRequest, "generation_id_or_member_epoch"): (UP_TO_28, "generationId"),
    (m.FetchableTopicResponse, "partitions"): (UP_TO_28, "partitionResponses"),
    (m.FetchPartitionData, "partition_index"): (UP_TO_28, "partition"),
    (m.FetchPartitionData, "records"): (UP_TO_28, "recordSet"),
}
"""Fields some versions spell otherwise than our field in camel case."""

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
}
OLDER_CLASS_NAMES = {m.FetchPartitionData: (UP_TO_28, "FetchablePartitionResponse")}
"""Classes whose printed name is not ours."""

UUID_FIELDS = frozenset({"topic_id", "client_instance_id", "replica_directory_id"})
"""Texts that Java holds as a Uuid, so they print without quotes."""
