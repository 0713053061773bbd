"""Defines ConsumerGroupHeartbeat, the one request of the new group protocol (KIP-848).

A member joins, reports, acknowledges and leaves with it.

Schemas: ConsumerGroupHeartbeatRequest.json, ConsumerGroupHeartbeatResponse.json (v1, KIP-1082 and
regular expressions).
"""

from __future__ import annotations

from kafkalab.protocol.frozen import message

JOINING_EPOCH = 0
LEAVING_EPOCH = -1
LEAVING_STATIC_EPOCH = -2
"""Member epochs with a special meaning: to join or to leave (ConsumerGroupHeartbeatRequest)."""


@message
class HeartbeatTopicPartitions:
    """Partitions of one topic, by the topic's id. Java prints it as TopicPartitions."""

    topic_id: str
    partitions: tuple[int, ...] = ()


@message
class HeartbeatAssignment:
    """The partitions that a member is to own. Java prints it as Assignment."""

    topic_partitions: tuple[HeartbeatTopicPartitions, ...] = ()


@message
class ConsumerGroupHeartbeatRequest:
    """A member's heartbeat. It carries only changes: -1 and None mean "as before".

    member_id              made by the member itself (KIP-1082)
    member_epoch           the epoch it has reached; 0 to join, -1 to leave, -2 to leave for a short
                           time as a static member
    subscribed_topic_regex a pattern the broker resolves
    server_assignor        "uniform" or "range"; None leaves it to the broker
    topic_partitions       the partitions that it owns
    """

    group_id: str
    member_id: str
    member_epoch: int
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    subscribed_topic_names: tuple[str, ...] | None = None
    subscribed_topic_regex: str | None = None
    server_assignor: str | None = None
    topic_partitions: tuple[HeartbeatTopicPartitions, ...] | None = None


@message
class ConsumerGroupHeartbeatResponse:
    """The coordinator's answer to a heartbeat.

    assignment: the partitions that the member is to own from now on, None where nothing changed.
    heartbeat_interval_ms: the interval that the broker sets.
    """

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str | None = None
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    assignment: HeartbeatAssignment | None = None
