"""LogSettings: a log's settings for segments, retention and compaction.

Kafka's class is LogConfig. `topic_config` reads them off the configs of a topic and a broker.
"""

from __future__ import annotations

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
