"""The configs of a topic, and the broker settings they override (TopicConfig,
ServerTopicConfigSynonyms).

A topic keeps its values as text, as in Kafka. A key is modelled when the lab's brokers read the
broker setting behind it (`broker_config`); its value gets the same check. For any other key only
Kafka's default is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kafkalab.broker.broker_config import DOTTED, BrokerConfig
from kafkalab.broker.log.log_settings import WEEK_MS, LogSettings
from kafkalab.config.broker_keys import TOPIC_KEYS
from kafkalab.errors import ConfigException

OWN, STATIC_BROKER, DEFAULT = 1, 4, 5
"""The source of a topic's setting (DescribeConfigsResponse.ConfigSource)."""

DEAD_LETTERS = "errors.deadletterqueue.group.enable"
"""Whether share groups may write their dead letters here (KIP-1191). No broker setting is behind
it."""

SYNONYMS: Mapping[str, tuple[str, str]] = {
    "cleanup.policy": ("log.cleanup.policy", "delete"),
    "compression.gzip.level": ("compression.gzip.level", "-1"),
    "compression.lz4.level": ("compression.lz4.level", "9"),
    "compression.type": ("compression.type", "producer"),
    "compression.zstd.level": ("compression.zstd.level", "3"),
    DEAD_LETTERS: ("", "false"),
    "delete.retention.ms": ("log.cleaner.delete.retention.ms", "86400000"),
    "file.delete.delay.ms": ("log.segment.delete.delay.ms", "60000"),
    "flush.messages": ("log.flush.interval.messages", "9223372036854775807"),
    "flush.ms": ("log.flush.interval.ms", "9223372036854775807"),
    "follower.replication.throttled.replicas": ("follower.replication.throttled.replicas", ""),
    "index.interval.bytes": ("log.index.interval.bytes", "4096"),
    "leader.replication.throttled.replicas": ("leader.replication.throttled.replicas", ""),
    "local.retention.bytes": ("log.local.retention.bytes", "-2"),
    "local.retention.ms": ("log.local.retention.ms", "-2"),
    "max.compaction.lag.ms": ("log.cleaner.max.compaction.lag.ms", "9223372036854775807"),
    "max.message.bytes": ("message.max.bytes", "1048588"),
    "message.downconversion.enable": ("log.message.downconversion.enable", "true"),
    "message.format.version": ("log.message.format.version", "2.3-IV1"),
    "message.timestamp.after.max.ms": ("log.message.timestamp.after.max.ms", "3600000"),
    "message.timestamp.before.max.ms": (
        "log.message.timestamp.before.max.ms",
        "9223372036854775807",
    ),
    "message.timestamp.difference.max.ms": (
        "log.message.timestamp.difference.max.ms",
        "9223372036854775807",
    ),
    "message.timestamp.type": ("log.message.timestamp.type", "CreateTime"),
    "min.cleanable.dirty.ratio": ("log.cleaner.min.cleanable.ratio", "0.5"),
    "min.compaction.lag.ms": ("log.cleaner.min.compaction.lag.ms", "0"),
    "min.insync.replicas": ("min.insync.replicas", "1"),
    "preallocate": ("log.preallocate", "false"),
    "remote.storage.enable": ("remote.storage.enable", "false"),
    "retention.bytes": ("log.retention.bytes", "-1"),
    "retention.ms": ("log.retention.ms", "604800000"),
    "segment.bytes": ("log.segment.bytes", "1073741824"),
    "segment.index.bytes": ("log.index.size.max.bytes", "10485760"),
    "segment.jitter.ms": ("log.roll.jitter.ms", "0"),
    "segment.ms": ("log.roll.ms", "604800000"),
    "unclean.leader.election.enable": ("unclean.leader.election.enable", "false"),
}
"""Topic key -> (the broker setting that it overrides, Kafka's default). A few keys exist in one of
the two releases only."""


def refusal(name: str, value: str | None) -> str | None:
    """Why a topic cannot have this setting: Kafka's message, or that the lab does not simulate it;
    None where it can."""
    if name not in SYNONYMS:
        return f"Unknown topic config name: {name}"
    synonym, default = SYNONYMS[name]
    if name in TOPIC_KEYS:
        try:
            TOPIC_KEYS[name].read(value)
        except ConfigException as error:
            return str(error)
    if synonym and synonym not in DOTTED and value != default:
        return (
            f"The topic setting {name} is not simulated; it can only have its default, "
            f"{default or 'an empty text'}."
        )
    return None


def topic_settings(
    own: Mapping[str, str | None], config: BrokerConfig, defaults: BrokerConfig
) -> Iterator[tuple[str, Any, int]]:
    """(key, value, source) of every modelled setting of a topic, by name. own: the topic's own
    settings. defaults: those of the broker's release."""
    for name, (synonym, default) in SYNONYMS.items():
        field = DOTTED.get(synonym)
        if name in own:
            yield name, own[name], OWN
        elif field is not None:
            value = getattr(config, field)
            yield (
                name,
                default if value is None else value,
                DEFAULT if value == getattr(defaults, field) else STATIC_BROKER,
            )


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
