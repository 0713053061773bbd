"""Defines the requests and responses of Kafka's admin client: groups, topics, logs and settings.

Field names and defaults are those of Kafka's schemas ListGroupsRequest.json,
DescribeGroupsRequest.json and so on. Left out: the fields for authorization results, and
documentation of settings.
"""

from kafkalab.protocol.connection_messages import NO_OPERATIONS, ZERO_UUID
from kafkalab.protocol.frozen import message


@message
class ListGroupsRequest:
    """Asks a broker for the groups that it coordinates.

    The filters came with KIP-518 (v4) and KIP-848 (v5). An empty filter matches all groups.
    """

    states_filter: tuple[str, ...] = ()
    types_filter: tuple[str, ...] = ()


@message
class ListedGroup:
    group_id: str
    protocol_type: str = ""
    group_state: str = ""
    group_type: str = ""


@message
class ListGroupsResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    groups: tuple[ListedGroup, ...] = ()


@message
class DescribeGroupsRequest:
    """Asks a coordinator for the state and the members of classic groups."""

    groups: tuple[str, ...] = ()
    include_authorized_operations: bool = False


@message
class DescribedGroupMember:
    member_id: str
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    member_metadata: bytes = b""
    member_assignment: bytes = b""


@message
class DescribedGroup:
    """A group's state and members in a DescribeGroups response.

    protocol_data is the assignor of the generation. error_message came with v6 (KIP-1043), and with
    it the error GROUP_ID_NOT_FOUND for an unknown group.
    """

    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    protocol_type: str = ""
    protocol_data: str = ""
    members: tuple[DescribedGroupMember, ...] = ()
    authorized_operations: int = NO_OPERATIONS


@message
class DescribeGroupsResponse:
    throttle_time_ms: int = 0
    groups: tuple[DescribedGroup, ...] = ()


@message
class DeleteGroupsRequest:
    """Asks a coordinator to delete groups that have no members."""

    groups_names: tuple[str, ...] = ()


@message
class DeletableGroupResult:
    group_id: str
    error_code: int = 0


@message
class DeleteGroupsResponse:
    throttle_time_ms: int = 0
    results: tuple[DeletableGroupResult, ...] = ()


@message
class OffsetDeleteRequestPartition:
    partition_index: int


@message
class OffsetDeleteRequestTopic:
    name: str
    partitions: tuple[OffsetDeleteRequestPartition, ...] = ()


@message
class OffsetDeleteRequest:
    """Asks a coordinator to delete committed offsets of partitions that no member reads
    (KIP-496).
    """

    group_id: str
    topics: tuple[OffsetDeleteRequestTopic, ...] = ()


@message
class OffsetDeleteResponsePartition:
    partition_index: int
    error_code: int = 0


@message
class OffsetDeleteResponseTopic:
    name: str
    partitions: tuple[OffsetDeleteResponsePartition, ...] = ()


@message
class OffsetDeleteResponse:
    error_code: int = 0
    throttle_time_ms: int = 0
    topics: tuple[OffsetDeleteResponseTopic, ...] = ()


@message
class CreatableReplicaAssignment:
    partition_index: int
    broker_ids: tuple[int, ...] = ()


@message
class CreatableTopicConfig:
    name: str
    value: str | None = None


@message
class CreatableTopic:
    """A topic to create.

    num_partitions and replication_factor are -1 for the broker's defaults or with given
    assignments.
    """

    name: str
    num_partitions: int = -1
    replication_factor: int = -1
    assignments: tuple[CreatableReplicaAssignment, ...] = ()
    configs: tuple[CreatableTopicConfig, ...] = ()


@message
class CreateTopicsRequest:
    """Asks the controller to create topics."""

    topics: tuple[CreatableTopic, ...] = ()
    timeout_ms: int = 60_000
    validate_only: bool = False


@message
class CreatableTopicResult:
    name: str
    topic_id: str = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None
    num_partitions: int = -1
    replication_factor: int = -1


@message
class CreateTopicsResponse:
    throttle_time_ms: int = 0
    topics: tuple[CreatableTopicResult, ...] = ()


@message
class DeleteTopicState:
    name: str | None = None
    topic_id: str = ZERO_UUID


@message
class DeleteTopicsRequest:
    """Asks for the deletion of topics: `topics` from v6 on, `topic_names` before."""

    topics: tuple[DeleteTopicState, ...] = ()
    topic_names: tuple[str, ...] = ()
    timeout_ms: int = 60_000


@message
class DeletableTopicResult:
    name: str | None = None
    topic_id: str = ZERO_UUID
    error_code: int = 0
    error_message: str | None = None


@message
class DeleteTopicsResponse:
    throttle_time_ms: int = 0
    responses: tuple[DeletableTopicResult, ...] = ()


@message
class CreatePartitionsAssignment:
    broker_ids: tuple[int, ...] = ()


@message
class CreatePartitionsTopic:
    """A topic that gets more partitions. count is the new total."""

    name: str
    count: int
    assignments: tuple[CreatePartitionsAssignment, ...] | None = None


@message
class CreatePartitionsRequest:
    topics: tuple[CreatePartitionsTopic, ...] = ()
    timeout_ms: int = 60_000
    validate_only: bool = False


@message
class CreatePartitionsTopicResult:
    name: str
    error_code: int = 0
    error_message: str | None = None


@message
class CreatePartitionsResponse:
    throttle_time_ms: int = 0
    results: tuple[CreatePartitionsTopicResult, ...] = ()


@message
class DeleteRecordsPartition:
    """A partition whose first records are deleted up to `offset`; -1 means the high watermark."""

    partition_index: int
    offset: int


@message
class DeleteRecordsTopic:
    name: str
    partitions: tuple[DeleteRecordsPartition, ...] = ()


@message
class DeleteRecordsRequest:
    """Asks the leaders to raise the log start offset (KIP-107)."""

    topics: tuple[DeleteRecordsTopic, ...] = ()
    timeout_ms: int = 60_000


@message
class DeleteRecordsPartitionResult:
    partition_index: int
    low_watermark: int = -1
    error_code: int = 0


@message
class DeleteRecordsTopicResult:
    name: str
    partitions: tuple[DeleteRecordsPartitionResult, ...] = ()


@message
class DeleteRecordsResponse:
    throttle_time_ms: int = 0
    topics: tuple[DeleteRecordsTopicResult, ...] = ()


@message
class DescribeConfigsResource:
    """A topic or broker whose settings are read. resource_type: 2 a topic, 4 a broker."""

    resource_type: int
    resource_name: str
    configuration_keys: tuple[str, ...] | None = None


@message
class DescribeConfigsRequest:
    resources: tuple[DescribeConfigsResource, ...] = ()
    include_synonyms: bool = False
    include_documentation: bool = False


@message
class DescribeConfigsSynonym:
    """A setting that a setting falls back to; answers hold them where include_synonyms asks."""

    name: str
    value: str | None = None
    source: int = -1


@message
class DescribeConfigsResourceResult:
    """One setting. config_source: 1 the topic's own, 4 the broker's file, 5 the default."""

    name: str
    value: str | None = None
    read_only: bool = False
    is_default: bool = False
    config_source: int = -1
    is_sensitive: bool = False
    synonyms: tuple[DescribeConfigsSynonym, ...] = ()


@message
class DescribeConfigsResult:
    error_code: int = 0
    error_message: str | None = None
    resource_type: int = 0
    resource_name: str = ""
    configs: tuple[DescribeConfigsResourceResult, ...] = ()


@message
class DescribeConfigsResponse:
    throttle_time_ms: int = 0
    results: tuple[DescribeConfigsResult, ...] = ()


@message
class DescribeClusterRequest:
    """Asks for the brokers of the cluster (KIP-700). Older clients send METADATA instead."""

    include_cluster_authorized_operations: bool = False
    endpoint_type: int = 1


@message
class DescribeClusterBroker:
    broker_id: int
    host: str
    port: int
    rack: str | None = None


@message
class DescribeClusterResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    endpoint_type: int = 1
    cluster_id: str = ""
    controller_id: int = -1
    brokers: tuple[DescribeClusterBroker, ...] = ()
    cluster_authorized_operations: int = NO_OPERATIONS


@message
class ConsumerGroupDescribeRequest:
    """Asks a coordinator for the state and the members of groups of the new protocol (KIP-848)."""

    group_ids: tuple[str, ...] = ()
    include_authorized_operations: bool = False


@message
class DescribedTopicPartitions:
    topic_id: str
    topic_name: str
    partitions: tuple[int, ...] = ()


@message
class DescribedAssignment:
    topic_partitions: tuple[DescribedTopicPartitions, ...] = ()


@message
class DescribedConsumer:
    """A member. assignment: its partitions now; target_assignment: the partitions it is to have."""

    member_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    member_epoch: int = -1
    client_id: str = ""
    client_host: str = ""
    subscribed_topic_names: tuple[str, ...] = ()
    subscribed_topic_regex: str | None = None
    assignment: DescribedAssignment = DescribedAssignment()
    target_assignment: DescribedAssignment = DescribedAssignment()


@message
class DescribedConsumerGroup:
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    group_epoch: int = -1
    assignment_epoch: int = -1
    assignor_name: str = ""
    members: tuple[DescribedConsumer, ...] = ()
    authorized_operations: int = NO_OPERATIONS


@message
class ConsumerGroupDescribeResponse:
    throttle_time_ms: int = 0
    groups: tuple[DescribedConsumerGroup, ...] = ()


@message
class ElectTopicPartitions:
    """A topic's partitions for an election. Java prints it as TopicPartitions."""

    topic: str
    partitions: tuple[int, ...] = ()


@message
class ElectLeadersRequest:
    """Asks for the election of leaders (KIP-460).

    election_type: 0 for the preferred leader, 1 for any live replica. topic_partitions=None means
    all.
    """

    election_type: int = 0
    topic_partitions: tuple[ElectTopicPartitions, ...] | None = ()
    timeout_ms: int = 60_000


@message
class ElectPartitionResult:
    partition_id: int
    error_code: int = 0
    error_message: str | None = None


@message
class ReplicaElectionResult:
    topic: str
    partition_result: tuple[ElectPartitionResult, ...] = ()


@message
class ElectLeadersResponse:
    throttle_time_ms: int = 0
    error_code: int = 0
    replica_election_results: tuple[ReplicaElectionResult, ...] = ()
