"""LogSettings: a log's settings for segments, retention and compaction, from topic and broker
configs.

Kafka's class is LogConfig.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.protocol.frozen import message

HOUR_MS = 3_600_000
WEEK_MS = 7 * 24 * HOUR_MS


@message
class LogSettings:
    """One log's settings (LogConfig): times in ms, sizes in bytes; -1 for retention without
    limit."""

    segment_bytes: int = 1_073_741_824
    segment_ms: int = WEEK_MS
    segment_jitter_ms: int = 0
    index_interval_bytes: int = 4_096
    retention_ms: int = WEEK_MS
    retention_bytes: int = -1
    is_deleted: bool = True
    is_compacted: bool = False
    min_cleanable_ratio: float = 0.5
    min_compaction_lag_ms: int = 0
    max_compaction_lag_ms: int = 2**63 - 1
    delete_retention_ms: int = 24 * HOUR_MS
    message_max_bytes: int = 1_048_588
    stamps_at_append: bool = False

    @property
    def longest_segment_ms(self) -> int:
        """The age at which a segment rolls: a compacted one in time for max.compaction.lag.ms, too
        (LogConfig.maxSegmentMs)."""
        lag_ms = self.max_compaction_lag_ms if self.is_compacted else self.segment_ms
        return min(self.segment_ms, lag_ms)


def log_settings(
    setting: Callable[[str, Any], Any], internal: str, config: BrokerConfig
) -> LogSettings:
    """The settings of a topic's logs on a broker with that config.

    setting: setting(name, broker's value) is the topic's own value, or the broker's.
    internal: the topic's name where it is `__consumer_offsets` or `__transaction_state`, else "".
    """
    sizes = {
        "__consumer_offsets": config.offsets_topic_segment_bytes,
        "__transaction_state": config.transaction_state_log_segment_bytes,
    }
    policies = setting("cleanup.policy", config.log_cleanup_policy)
    return LogSettings(
        segment_bytes=setting(
            "internal.segment.bytes",
            setting("segment.bytes", sizes.get(internal, config.log_segment_bytes)),
        ),
        segment_ms=setting(
            "segment.ms", WEEK_MS if config.log_roll_ms is None else config.log_roll_ms
        ),
        segment_jitter_ms=setting("segment.jitter.ms", config.log_roll_jitter_ms or 0),
        index_interval_bytes=setting("index.interval.bytes", config.log_index_interval_bytes),
        retention_ms=setting(
            "retention.ms", WEEK_MS if config.log_retention_ms is None else config.log_retention_ms
        ),
        retention_bytes=setting("retention.bytes", config.log_retention_bytes),
        is_deleted=not internal and "delete" in policies,
        is_compacted=bool(internal) or "compact" in policies,
        min_cleanable_ratio=setting(
            "min.cleanable.dirty.ratio", config.log_cleaner_min_cleanable_ratio
        ),
        min_compaction_lag_ms=setting(
            "min.compaction.lag.ms", config.log_cleaner_min_compaction_lag_ms
        ),
        max_compaction_lag_ms=setting(
            "max.compaction.lag.ms", config.log_cleaner_max_compaction_lag_ms
        ),
        delete_retention_ms=setting("delete.retention.ms", config.log_cleaner_delete_retention_ms),
        message_max_bytes=setting("max.message.bytes", config.message_max_bytes),
        stamps_at_append=setting("message.timestamp.type", config.log_message_timestamp_type)
        == "LogAppendTime",
    )
