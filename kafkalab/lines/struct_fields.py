"""The hand-written schemas of the old clients: which fields an API version has, and by which name.

Up to 2.3 a request on the wire prints as Kafka's generic `Struct`:
`{group_id=test,generation_id=1,...}`, only the fields of the API version that goes out. 2.1 and 2.2
used the names of the first hand-written schemas; 2.3 had the new ones where a message was generated
already. Learned from the lines of recorded clients.
"""

from kafkalab.protocol import messages as m
from kafkalab.protocol.frozen import message


@message
class StructField:
    """One field of a struct.

    of: our field. path: the printed name; `header.partition` puts it into a struct of its own named
        header.
    since: the first API version that carries it.
    bare: elements are structs here, but print as this one field of theirs. wrapped: the other way
        round, plain values here that print as structs with this one field. numbered: the elements
        go through a map by partition number on their way out, so they print in ascending order.
    array: elements are lists without field names. Java holds each in an Object[], which prints as
        its identity.
    """

    of: str
    path: str
    since: int = 0
    bare: str | None = None
    wrapped: str | None = None
    numbered: bool = False
    array: bool = False


def _fields(line: str, **exceptions: StructField) -> tuple[StructField, ...]:
    """'a b=c d@3' -> a, b printed as c, d from API version 3;
    exceptions replace what the notation cannot say."""
    fields = []
    for word in line.split():
        name, _, since = word.partition("@")
        of, _, path = name.partition("=")
        fields.append(
            exceptions.get(of) or StructField(of=of, path=path or of, since=int(since or 0))
        )
    return tuple(fields)


NUMBERED = StructField(of="partitions", path="partitions", numbered=True)
STATUS = _fields("throttle_time_ms error_code")

ALIKE = {  # the same in 2.1, 2.2 and 2.3
    m.ApiVersionsRequest: (),
    m.ApiVersionsResponse: _fields("error_code api_keys=api_versions throttle_time_ms"),
    m.ApiVersion: _fields("api_key min_version max_version"),
    m.MetadataResponseBroker: _fields("node_id host port rack"),
    m.HeartbeatRequest: _fields("group_id generation_id member_id group_instance_id@3"),
    m.HeartbeatResponse: STATUS,
    m.LeaveGroupRequest: _fields("group_id member_id"),
    m.LeaveGroupResponse: STATUS,
    m.OffsetFetchRequest: _fields("group_id topics"),
    m.OffsetFetchRequestTopic: _fields(
        "name=topic partition_indexes",
        partition_indexes=StructField(
            of="partition_indexes", path="partitions", wrapped="partition"
        ),
    ),
    m.OffsetFetchResponse: _fields("throttle_time_ms topics=responses error_code"),
    m.OffsetFetchResponseTopic: _fields("name=topic partitions=partition_responses"),
    m.OffsetFetchResponsePartition: _fields(
        "partition_index=partition committed_offset=offset committed_leader_epoch=leader_epoch@5 "
        "metadata error_code"
    ),
    m.ListOffsetsRequest: _fields("replica_id isolation_level topics"),
    m.ListOffsetsTopic: _fields("name=topic partitions", partitions=NUMBERED),
    m.ListOffsetsPartition: _fields("partition_index=partition current_leader_epoch@4 timestamp"),
    m.ListOffsetsResponse: _fields("throttle_time_ms topics=responses"),
    m.ListOffsetsTopicResponse: _fields("name=topic partitions=partition_responses"),
    m.ListOffsetsPartitionResponse: _fields(
        "partition_index=partition error_code timestamp offset leader_epoch@4"
    ),
    m.FetchRequest: _fields(
        "replica_id max_wait_ms=max_wait_time min_bytes max_bytes isolation_level session_id@7 "
        "session_epoch@7 topics forgotten_topics_data@7 rack_id@11"
    ),
    m.FetchTopic: _fields("topic partitions"),
    m.FetchPartition: _fields(
        "partition current_leader_epoch@9 fetch_offset log_start_offset partition_max_bytes"
    ),
    m.ForgottenTopic: _fields("topic partitions"),
    m.FetchResponse: _fields("throttle_time_ms error_code@7 session_id@7 responses"),
    m.FetchableTopicResponse: _fields("topic partitions=partition_responses"),
    m.FetchPartitionData: _fields(
        "partition_index=partition_header.partition error_code=partition_header.error_code "
        "high_watermark=partition_header.high_watermark "
        "last_stable_offset=partition_header.last_stable_offset "
        "log_start_offset=partition_header.log_start_offset "
        "aborted_transactions=partition_header.aborted_transactions "
        "preferred_read_replica=partition_header.preferred_read_replica@11 records=record_set"
    ),
    m.AbortedTransaction: _fields("producer_id first_offset"),
    m.ProduceResponse: _fields("responses throttle_time_ms"),
    m.TopicProduceResponse: _fields("name=topic partition_responses"),
    m.PartitionProduceResponse: _fields(
        "index=partition error_code base_offset log_append_time_ms=log_append_time "
        "log_start_offset@5"
    ),
    m.InitProducerIdRequest: _fields("transactional_id transaction_timeout_ms"),
    m.InitProducerIdResponse: _fields("throttle_time_ms error_code producer_id producer_epoch"),
    m.AddPartitionsToTxnRequest: _fields(
        "v3_and_below_transactional_id=transactional_id v3_and_below_producer_id=producer_id "
        "v3_and_below_producer_epoch=producer_epoch v3_and_below_topics=topics"
    ),
    m.AddPartitionsToTxnTopic: _fields("name=topic partitions"),
    m.AddPartitionsToTxnResponse: _fields("throttle_time_ms results_by_topic_v3_and_below=errors"),
    m.AddPartitionsToTxnTopicResult: _fields("name=topic results_by_partition=partition_errors"),
    m.AddPartitionsToTxnPartitionResult: _fields(
        "partition_index=partition partition_error_code=error_code"
    ),
    m.AddOffsetsToTxnRequest: _fields("transactional_id producer_id producer_epoch group_id"),
    m.AddOffsetsToTxnResponse: STATUS,
    m.EndTxnRequest: _fields(
        "transactional_id producer_id producer_epoch committed=transaction_result"
    ),
    m.EndTxnResponse: STATUS,
    m.TxnOffsetCommitRequest: _fields(
        "transactional_id group_id producer_id producer_epoch topics"
    ),
    m.TxnOffsetCommitRequestTopic: _fields("name=topic partitions"),
    m.TxnOffsetCommitRequestPartition: _fields(
        "partition_index=partition committed_offset=offset committed_leader_epoch=leader_epoch@2 "
        "committed_metadata=metadata"
    ),
    m.TxnOffsetCommitResponse: _fields("throttle_time_ms topics"),
    m.TxnOffsetCommitResponseTopic: _fields("name=topic partitions"),
    m.TxnOffsetCommitResponsePartition: _fields("partition_index=partition error_code"),
    m.OffsetForLeaderEpochRequest: _fields("replica_id@3 topics"),
    m.OffsetForLeaderTopic: _fields("topic partitions"),
    m.OffsetForLeaderPartition: _fields("partition current_leader_epoch@2 leader_epoch"),
    m.OffsetForLeaderEpochResponse: _fields("throttle_time_ms@2 topics"),
    m.OffsetForLeaderTopicResult: _fields("topic partitions"),
    m.EpochEndOffset: _fields("error_code partition leader_epoch@1 end_offset"),
    m.ListGroupsRequest: (),
    m.ListGroupsResponse: _fields("throttle_time_ms error_code groups"),
    m.ListedGroup: _fields("group_id protocol_type"),
    m.DescribeGroupsResponse: _fields("throttle_time_ms groups"),
    m.DescribedGroupMember: _fields(
        "member_id client_id client_host member_metadata member_assignment"
    ),
    m.DeleteGroupsRequest: _fields("groups_names=groups"),
    m.DeleteGroupsResponse: _fields("throttle_time_ms results=group_error_codes"),
    m.DeletableGroupResult: _fields("group_id error_code"),
    m.CreatePartitionsRequest: _fields("topics=topic_partitions timeout_ms=timeout validate_only"),
    m.CreatePartitionsTopic: _fields(
        "name=topic count=new_partitions.count assignments",
        assignments=StructField(of="assignments", path="new_partitions.assignment", array=True),
    ),
    m.CreatePartitionsResponse: _fields("throttle_time_ms results=topic_errors"),
    m.CreatePartitionsTopicResult: _fields("name=topic error_code error_message"),
    m.DeleteRecordsRequest: _fields("topics timeout_ms=timeout"),
    m.DeleteRecordsTopic: _fields("name=topic partitions", partitions=NUMBERED),
    m.DeleteRecordsPartition: _fields("partition_index=partition offset"),
    m.DeleteRecordsResponse: _fields("throttle_time_ms topics"),
    m.DeleteRecordsTopicResult: _fields("name=topic partitions"),
    m.DeleteRecordsPartitionResult: _fields("partition_index=partition low_watermark error_code"),
    m.DescribeConfigsRequest: _fields("resources include_synonyms@1"),
    m.DescribeConfigsResource: _fields(
        "resource_type resource_name configuration_keys=config_names"
    ),
    m.DescribeConfigsResponse: _fields("throttle_time_ms results=resources"),
    m.DescribeConfigsResult: _fields(
        "error_code error_message resource_type resource_name configs=config_entries"
    ),
    m.DescribeConfigsResourceResult: _fields(
        "name=config_name value=config_value read_only config_source@1 is_sensitive "
        "synonyms=config_synonyms@1"
    ),
}

HAND_WRITTEN = ALIKE | {  # 2.1 and 2.2
    m.MetadataRequest: _fields(
        "topics allow_auto_topic_creation@4",
        topics=StructField(of="topics", path="topics", bare="name"),
    ),
    m.MetadataResponse: _fields(
        "throttle_time_ms brokers cluster_id controller_id topics=topic_metadata"
    ),
    m.MetadataResponseTopic: _fields(
        "error_code name=topic is_internal partitions=partition_metadata"
    ),
    m.MetadataResponsePartition: _fields(
        "error_code partition_index=partition leader_id=leader leader_epoch@7 "
        "replica_nodes=replicas isr_nodes=isr offline_replicas"
    ),
    m.FindCoordinatorRequest: _fields("key=coordinator_key key_type=coordinator_type"),
    m.FindCoordinatorResponse: _fields(
        "throttle_time_ms error_code error_message node_id=coordinator.node_id "
        "host=coordinator.host port=coordinator.port"
    ),
    m.JoinGroupRequest: _fields(
        "group_id session_timeout_ms=session_timeout rebalance_timeout_ms=rebalance_timeout "
        "member_id protocol_type protocols=group_protocols"
    ),
    m.JoinGroupRequestProtocol: _fields("name=protocol_name metadata=protocol_metadata"),
    m.JoinGroupResponse: _fields(
        "throttle_time_ms error_code generation_id protocol_name=group_protocol "
        "leader=leader_id member_id members"
    ),
    m.JoinGroupResponseMember: _fields("member_id metadata=member_metadata"),
    m.SyncGroupRequest: _fields("group_id generation_id member_id assignments=group_assignment"),
    m.SyncGroupRequestAssignment: _fields("member_id assignment=member_assignment"),
    m.SyncGroupResponse: _fields("throttle_time_ms error_code assignment=member_assignment"),
    m.OffsetCommitRequest: _fields(
        "group_id generation_id_or_member_epoch=generation_id member_id topics"
    ),
    m.OffsetCommitRequestTopic: _fields("name=topic partitions", partitions=NUMBERED),
    m.OffsetCommitRequestPartition: _fields(
        "partition_index=partition committed_offset=offset committed_leader_epoch=leader_epoch@6 "
        "committed_metadata=metadata"
    ),
    m.OffsetCommitResponse: _fields("throttle_time_ms topics=responses"),
    m.OffsetCommitResponseTopic: _fields("name=topic partitions=partition_responses"),
    m.OffsetCommitResponsePartition: _fields("partition_index=partition error_code"),
    m.CreateTopicsRequest: _fields("topics=create_topic_requests timeout_ms=timeout validate_only"),
    m.CreatableTopic: _fields(
        "name=topic num_partitions replication_factor "
        "assignments=replica_assignment configs=config_entries"
    ),
    m.CreatableReplicaAssignment: _fields("partition_index=partition broker_ids=replicas"),
    m.CreatableTopicConfig: _fields("name=config_name value=config_value"),
    m.CreateTopicsResponse: _fields("throttle_time_ms topics=topic_errors"),
    m.CreatableTopicResult: _fields("name=topic error_code error_message"),
    m.DeleteTopicsRequest: _fields("topic_names=topics timeout_ms=timeout"),
    m.DeleteTopicsResponse: _fields("throttle_time_ms responses=topic_error_codes"),
    m.DeletableTopicResult: _fields("name=topic error_code"),
    m.DescribeGroupsRequest: _fields("groups=group_ids"),
    m.DescribedGroup: _fields(
        "error_code group_id group_state=state protocol_type protocol_data=protocol members"
    ),
}

GENERATED = ALIKE | {  # 2.3, named as in the JSON schemas
    m.MetadataRequest: _fields(
        "topics allow_auto_topic_creation@4 include_cluster_authorized_operations@8 "
        "include_topic_authorized_operations@8"
    ),
    m.MetadataRequestTopic: _fields("name"),
    m.MetadataResponse: _fields(
        "throttle_time_ms brokers cluster_id controller_id topics cluster_authorized_operations@8"
    ),
    m.MetadataResponseTopic: _fields(
        "error_code name is_internal partitions topic_authorized_operations@8"
    ),
    m.MetadataResponsePartition: _fields(
        "error_code partition_index leader_id leader_epoch@7 replica_nodes isr_nodes "
        "offline_replicas"
    ),
    m.FindCoordinatorRequest: _fields("key key_type"),
    m.FindCoordinatorResponse: _fields(
        "throttle_time_ms error_code error_message node_id host port"
    ),
    m.JoinGroupRequest: _fields(
        "group_id session_timeout_ms rebalance_timeout_ms member_id group_instance_id@5 "
        "protocol_type protocols"
    ),
    m.JoinGroupRequestProtocol: _fields("name metadata"),
    m.JoinGroupResponse: _fields(
        "throttle_time_ms error_code generation_id protocol_name leader member_id members"
    ),
    m.JoinGroupResponseMember: _fields("member_id group_instance_id@5 metadata"),
    m.SyncGroupRequest: _fields("group_id generation_id member_id group_instance_id@3 assignments"),
    m.SyncGroupRequestAssignment: _fields("member_id assignment"),
    m.SyncGroupResponse: _fields("throttle_time_ms error_code assignment"),
    m.OffsetCommitRequest: _fields(
        "group_id generation_id_or_member_epoch=generation_id member_id group_instance_id@7 topics"
    ),
    m.OffsetCommitRequestTopic: _fields("name partitions"),
    m.OffsetCommitRequestPartition: _fields(
        "partition_index committed_offset committed_leader_epoch@6 committed_metadata"
    ),
    m.OffsetCommitResponse: _fields("throttle_time_ms topics"),
    m.OffsetCommitResponseTopic: _fields("name partitions"),
    m.OffsetCommitResponsePartition: _fields("partition_index error_code"),
    m.CreateTopicsRequest: _fields("topics timeout_ms validate_only"),
    m.CreatableTopic: _fields("name num_partitions replication_factor assignments configs"),
    m.CreatableReplicaAssignment: _fields("partition_index broker_ids"),
    m.CreatableTopicConfig: _fields("name value"),
    m.CreateTopicsResponse: _fields("throttle_time_ms topics"),
    m.CreatableTopicResult: _fields("name error_code error_message"),
    m.DeleteTopicsRequest: _fields("topic_names timeout_ms"),
    m.DeleteTopicsResponse: _fields("throttle_time_ms responses"),
    m.DeletableTopicResult: _fields("name error_code"),
    m.DescribeGroupsRequest: _fields("groups include_authorized_operations@3"),
    m.DescribedGroup: _fields(
        "error_code group_id group_state protocol_type protocol_data members "
        "authorized_operations@3"
    ),
}

STRUCTS = {"hand-written": HAND_WRITTEN, "generated": GENERATED}
"""`Printing.struct_names` -> message class -> its fields."""
