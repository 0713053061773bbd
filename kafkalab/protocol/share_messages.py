"""Defines the requests of share groups: heartbeat, fetch and acknowledge (KIP-932).

Schemas: ShareGroupHeartbeatRequest.json and Response (v1), ShareFetchRequest.json,
ShareAcknowledgeRequest.json and their responses (v2, with renewals of KIP-1222 and the acquire mode
of KIP-1206).
"""

from __future__ import annotations

from kafkalab.protocol.consumer_group_messages import HeartbeatAssignment
from kafkalab.protocol.frozen import message
from kafkalab.protocol.record_messages import LeaderIdAndEpoch, NodeEndpoint
from kafkalab.protocol.records_wire import RecordBatch

OPENING_EPOCH = 0
FINAL_EPOCH = -1
"""Epochs of a share session with a special meaning: it opens, it closes (ShareRequestMetadata)."""

GAP, ACCEPT, RELEASE, REJECT, RENEW = range(5)
"""The types of an acknowledgement on the wire; a gap is an offset without a record."""


@message
class ShareGroupHeartbeatRequest:
    """A share member's heartbeat. None stands for "as before".

    member_epoch: the epoch that it has reached; 0 to join, -1 to leave.
    """

    group_id: str
    member_id: str
    member_epoch: int
    rack_id: str | None = None
    subscribed_topic_names: tuple[str, ...] | None = None


@message
class ShareGroupHeartbeatResponse:
    """The coordinator's answer: the member's epoch, and its partitions where they changed."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: HeartbeatAssignment | None = None


@message
class AcknowledgementBatch:
    """Acknowledgements of neighbouring offsets, both ends included.

    acknowledge_types: one type for all of them, or one for each offset.
    """

    first_offset: int
    last_offset: int
    acknowledge_types: tuple[int, ...]


@message
class ShareFetchPartition:
    """A partition to fetch, with acknowledgements that travel along. Java: FetchPartition.

    partition_max_bytes: of version 0 only, so always 0.
    """

    partition_index: int
    partition_max_bytes: int = 0
    acknowledgement_batches: tuple[AcknowledgementBatch, ...] = ()


@message
class ShareFetchTopic:
    """Partitions of one topic, by its id. Java prints it as FetchTopic."""

    topic_id: str
    partitions: tuple[ShareFetchPartition, ...]


@message
class ShareForgottenTopic:
    """Partitions that leave the share session. Java prints it as ForgottenTopic."""

    topic_id: str
    partitions: tuple[int, ...]


@message
class ShareFetchRequest:
    """Asks for records and may acknowledge earlier ones.

    share_session_epoch: 0 opens the session, each request raises it.
    max_records: the broker may pass it where a batch of the log ends later (batch_optimized).
    batch_size: how many records the broker should acquire and track together.
    share_acquire_mode: 0 batch_optimized, 1 record_limit.
    """

    group_id: str | None
    member_id: str | None
    share_session_epoch: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int = 0x7FFFFFFF
    max_records: int = 0
    batch_size: int = 0
    share_acquire_mode: int = 0
    is_renew_ack: bool = False
    topics: tuple[ShareFetchTopic, ...] = ()
    forgotten_topics_data: tuple[ShareForgottenTopic, ...] = ()


@message
class AcquiredRecords:
    """Offsets that the member has acquired, both ends included, and how often they were
    delivered."""

    first_offset: int
    last_offset: int
    delivery_count: int


@message
class ShareFetchPartitionData:
    """One partition's part of the answer. Java prints it as PartitionData.

    records: whole batches of the log; the member may use the acquired ones only.
    """

    partition_index: int
    error_code: int = 0
    error_message: str | None = None
    acknowledge_error_code: int = 0
    acknowledge_error_message: str | None = None
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch(leader_id=0, leader_epoch=0)
    records: tuple[RecordBatch, ...] = ()
    acquired_records: tuple[AcquiredRecords, ...] = ()


@message
class ShareFetchableTopicResponse:
    """One topic's part of the answer."""

    topic_id: str
    partitions: tuple[ShareFetchPartitionData, ...]


@message
class ShareFetchResponse:
    """The leader's answer to a share fetch.

    acquisition_lock_timeout_ms: how long the acquired records stay with the member.
    """

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    acquisition_lock_timeout_ms: int = 0
    responses: tuple[ShareFetchableTopicResponse, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()


@message
class AcknowledgePartition:
    """The acknowledgements of one partition."""

    partition_index: int
    acknowledgement_batches: tuple[AcknowledgementBatch, ...] = ()


@message
class AcknowledgeTopic:
    """The acknowledgements of one topic, by its id."""

    topic_id: str
    partitions: tuple[AcknowledgePartition, ...]


@message
class ShareAcknowledgeRequest:
    """Acknowledges records and fetches none; with epoch -1 it also closes the share session."""

    group_id: str | None
    member_id: str | None
    share_session_epoch: int
    is_renew_ack: bool = False
    topics: tuple[AcknowledgeTopic, ...] = ()


@message
class ShareAcknowledgePartitionData:
    """What became of one partition's acknowledgements. Java prints it as PartitionData."""

    partition_index: int
    error_code: int = 0
    error_message: str | None = None
    current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch(leader_id=0, leader_epoch=0)


@message
class ShareAcknowledgeTopicResponse:
    """One topic's part of the answer."""

    topic_id: str
    partitions: tuple[ShareAcknowledgePartitionData, ...]


@message
class ShareAcknowledgeResponse:
    """The leader's answer to acknowledgements."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    acquisition_lock_timeout_ms: int = 0
    responses: tuple[ShareAcknowledgeTopicResponse, ...] = ()
    node_endpoints: tuple[NodeEndpoint, ...] = ()
