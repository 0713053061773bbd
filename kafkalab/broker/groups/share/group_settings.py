"""The settings of one share group: its own, else the broker's (GroupConfig, ShareGroupConfig)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.config.keys import nearest
from kafkalab.errors import InvalidConfigurationException

DEAD_LETTER_TOPIC = "errors.deadletterqueue.topic.name"
COPIES_RECORD = "errors.deadletterqueue.copy.record.enable"

GROUP_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "share.auto.offset.reset": "",
        "share.record.lock.duration.ms": "group_share_record_lock_duration_ms",
        "share.delivery.count.limit": "group_share_delivery_count_limit",
        "share.partition.max.record.locks": "group_share_partition_max_record_locks",
        "share.session.timeout.ms": "group_share_session_timeout_ms",
        "share.heartbeat.interval.ms": "group_share_heartbeat_interval_ms",
        DEAD_LETTER_TOPIC: "",
        COPIES_RECORD: "",
    }
)
"""Setting of a group -> the broker's setting that holds where the group has none. A group without
share.auto.offset.reset begins at the latest record."""

LIMITS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "share.record.lock.duration.ms": (
            "group_share_min_record_lock_duration_ms",
            "group_share_max_record_lock_duration_ms",
        ),
        "share.delivery.count.limit": (
            "group_share_min_delivery_count_limit",
            "group_share_max_delivery_count_limit",
        ),
        "share.partition.max.record.locks": (
            "group_share_min_partition_max_record_locks",
            "group_share_max_partition_max_record_locks",
        ),
        "share.session.timeout.ms": (
            "group_share_min_session_timeout_ms",
            "group_share_max_session_timeout_ms",
        ),
        "share.heartbeat.interval.ms": (
            "group_share_min_heartbeat_interval_ms",
            "group_share_max_heartbeat_interval_ms",
        ),
    }
)
"""Setting of a group -> the broker's settings that limit it from below and above."""


def checked_group_settings(given: Mapping[str, Any], config: BrokerConfig) -> dict[str, Any]:
    """The settings of a group as typed values. Raises InvalidConfigurationException for one that
    does not exist, or a value that the brokers do not allow."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in GROUP_KEYS:
            raise InvalidConfigurationException(
                f"{name!r} is not a setting of a share group that the lab has; the nearest one is "
                f"{nearest(name, list(GROUP_KEYS))!r}"
            )
        if name == "share.auto.offset.reset":
            if value not in ("earliest", "latest"):
                raise InvalidConfigurationException(
                    f"share.auto.offset.reset is 'earliest' or 'latest' here, not {value!r}"
                )
            found[name] = value
            continue
        if name == DEAD_LETTER_TOPIC:
            if not isinstance(value, str):
                raise InvalidConfigurationException(f"{name} is a topic's name, not {value!r}")
            if value.startswith("__"):
                raise InvalidConfigurationException(
                    f"{name}: DLQ topic name must not start with '__'"
                )
            found[name] = value
            continue
        if name == COPIES_RECORD:
            if str(value).lower() not in ("true", "false"):
                raise InvalidConfigurationException(
                    f"Invalid value {value} for configuration {name}: Expected value to be either "
                    "true or false"
                )
            found[name] = str(value).lower() == "true"
            continue
        least, most = (getattr(config, field) for field in LIMITS[name])
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise InvalidConfigurationException(
                f"{name} is a whole number from {least} to {most} with these brokers, not {value!r}"
            )
        found[name] = value
    return found


class GroupSettings:
    """Reads the settings of the groups of a cluster, as one broker sees them."""

    def __init__(self, cluster: ClusterState, config: BrokerConfig) -> None:
        self._cluster, self._config = cluster, config

    def number(self, group_id: str, name: str) -> int:
        """A group's number by its Kafka name, such as share.record.lock.duration.ms."""
        own = self._cluster.group_settings.get(group_id, {})
        value: int = own[name] if name in own else getattr(self._config, GROUP_KEYS[name])
        return value

    def starts_at_earliest(self, group_id: str) -> bool:
        """Whether a partition that is new to the group begins with its first record."""
        own = self._cluster.group_settings.get(group_id, {})
        return own.get("share.auto.offset.reset") == "earliest"

    def dead_letter_topic(self, group_id: str) -> str:
        """The topic for records that the group gives up; "" where it has none."""
        name: str = self._cluster.group_settings.get(group_id, {}).get(DEAD_LETTER_TOPIC, "")
        return name

    def copies_record(self, group_id: str) -> bool:
        """Whether a dead letter has the record's key and value, too."""
        return bool(self._cluster.group_settings.get(group_id, {}).get(COPIES_RECORD))
