"""Lists Kafka's APIs (ApiKeys): number, name, request class and response class.

Kafka's enum is `org.apache.kafka.common.protocol.ApiKeys`; the names are as lines print them. Only
the APIs that are simulated are here; the full lists of numbers and versions are in `api_versions`.
"""

import enum

from kafkalab.protocol import messages as m


class ApiKeys(enum.Enum):
    """One API: its number on the wire, its request class and its response class.

    `title` is `name`, read without the enum's property call.
    """

    PRODUCE = (0, m.ProduceRequest, m.ProduceResponse)
    FETCH = (1, m.FetchRequest, m.FetchResponse)
    LIST_OFFSETS = (2, m.ListOffsetsRequest, m.ListOffsetsResponse)
    METADATA = (3, m.MetadataRequest, m.MetadataResponse)
    OFFSET_COMMIT = (8, m.OffsetCommitRequest, m.OffsetCommitResponse)
    OFFSET_FETCH = (9, m.OffsetFetchRequest, m.OffsetFetchResponse)
    FIND_COORDINATOR = (10, m.FindCoordinatorRequest, m.FindCoordinatorResponse)
    JOIN_GROUP = (11, m.JoinGroupRequest, m.JoinGroupResponse)
    HEARTBEAT = (12, m.HeartbeatRequest, m.HeartbeatResponse)
    LEAVE_GROUP = (13, m.LeaveGroupRequest, m.LeaveGroupResponse)
    SYNC_GROUP = (14, m.SyncGroupRequest, m.SyncGroupResponse)
    DESCRIBE_GROUPS = (15, m.DescribeGroupsRequest, m.DescribeGroupsResponse)
    LIST_GROUPS = (16, m.ListGroupsRequest, m.ListGroupsResponse)
    API_VERSIONS = (18, m.ApiVersionsRequest, m.ApiVersionsResponse)
    CREATE_TOPICS = (19, m.CreateTopicsRequest, m.CreateTopicsResponse)
    DELETE_TOPICS = (20, m.DeleteTopicsRequest, m.DeleteTopicsResponse)
    DELETE_RECORDS = (21, m.DeleteRecordsRequest, m.DeleteRecordsResponse)
    INIT_PRODUCER_ID = (22, m.InitProducerIdRequest, m.InitProducerIdResponse)
    OFFSET_FOR_LEADER_EPOCH = (23, m.OffsetForLeaderEpochRequest, m.OffsetForLeaderEpochResponse)
    ADD_PARTITIONS_TO_TXN = (24, m.AddPartitionsToTxnRequest, m.AddPartitionsToTxnResponse)
    ADD_OFFSETS_TO_TXN = (25, m.AddOffsetsToTxnRequest, m.AddOffsetsToTxnResponse)
    END_TXN = (26, m.EndTxnRequest, m.EndTxnResponse)
    WRITE_TXN_MARKERS = (27, m.WriteTxnMarkersRequest, m.WriteTxnMarkersResponse)
    TXN_OFFSET_COMMIT = (28, m.TxnOffsetCommitRequest, m.TxnOffsetCommitResponse)
    DESCRIBE_CONFIGS = (32, m.DescribeConfigsRequest, m.DescribeConfigsResponse)
    CREATE_PARTITIONS = (37, m.CreatePartitionsRequest, m.CreatePartitionsResponse)
    DELETE_GROUPS = (42, m.DeleteGroupsRequest, m.DeleteGroupsResponse)
    ELECT_LEADERS = (43, m.ElectLeadersRequest, m.ElectLeadersResponse)
    OFFSET_DELETE = (47, m.OffsetDeleteRequest, m.OffsetDeleteResponse)
    DESCRIBE_CLUSTER = (60, m.DescribeClusterRequest, m.DescribeClusterResponse)
    CONSUMER_GROUP_HEARTBEAT = (
        68,
        m.ConsumerGroupHeartbeatRequest,
        m.ConsumerGroupHeartbeatResponse,
    )
    CONSUMER_GROUP_DESCRIBE = (69, m.ConsumerGroupDescribeRequest, m.ConsumerGroupDescribeResponse)
    GET_TELEMETRY_SUBSCRIPTIONS = (
        71,
        m.GetTelemetrySubscriptionsRequest,
        m.GetTelemetrySubscriptionsResponse,
    )

    SHARE_GROUP_HEARTBEAT = (76, m.ShareGroupHeartbeatRequest, m.ShareGroupHeartbeatResponse)
    SHARE_FETCH = (78, m.ShareFetchRequest, m.ShareFetchResponse)
    SHARE_ACKNOWLEDGE = (79, m.ShareAcknowledgeRequest, m.ShareAcknowledgeResponse)

    def __init__(self, id: int, request: type, response: type) -> None:
        self.id = id
        self.request = request
        self.response = response
        self.title = self._name_

    # Members are compared by identity; an enum would hash its name each time.
    __hash__ = object.__hash__


_BY_MESSAGE = {kind: api for api in ApiKeys for kind in (api.request, api.response)}


def api_of(message: object) -> ApiKeys:
    """The API a request or a response belongs to; KeyError for anything else."""
    return _BY_MESSAGE[type(message)]
