"""The broker settings that machines read, with Kafka's defaults (KafkaConfig).

`DOTTED` holds the dotted names. `kafkalab.config.broker_keys` holds Kafka's other settings and the
values that are allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import MappingProxyType
from typing import Any

from kafkalab.config.broker_keys import BROKER_KEYS, SECURITY
from kafkalab.config.keys import ConfigKey, nearest
from kafkalab.errors import BrokerConfigException, ConfigException
from kafkalab.protocol.frozen import message
from kafkalab.releases.broker_profiles import broker_profile
from kafkalab.releases.lineage import BROKER_NAMES, NEWEST_BROKER
from kafkalab.releases.page import GONE


@message
class BrokerConfig:
    """One broker's settings (KafkaConfig). Each field but the last is a Kafka config, with
    underscores for dots.

    replica_selector_class: which replica a consumer reads: None and Kafka's LeaderSelector name the
        leader, RackAwareReplicaSelector an in-sync follower in the consumer's rack (KIP-392).
    log_retention_ms, log_roll_ms: None stands for seven days, which Kafka states in hours.
    log_roll_jitter_ms: None stands for 0 hours.
    chance_of_producer_ids: not Kafka's. The chance, 0..1, that a broker already holds a block of
        producer ids at the first request for one. A broker that has served before holds one. A
        fresh 4.4 does not, and answers with error 14 once. In the recordings the brokers had served
        other runs: 10 of 13 first requests at a 4.4.0 were answered at once. The chance that
        `__transaction_state` exists at the first request for its coordinator is the same.
    """

    auto_create_topics_enable: bool = True
    num_partitions: int = 1
    default_replication_factor: int = 1
    offsets_topic_num_partitions: int = 50
    offsets_topic_replication_factor: int = 3
    offsets_topic_segment_bytes: int = 104_857_600
    transaction_state_log_num_partitions: int = 50
    transaction_state_log_replication_factor: int = 3
    transaction_state_log_min_isr: int = 2
    transaction_state_log_segment_bytes: int = 104_857_600
    transaction_max_timeout_ms: int = 900_000
    transactional_id_expiration_ms: int = 604_800_000
    producer_id_expiration_ms: int = 86_400_000
    producer_id_expiration_check_interval_ms: int = 600_000
    transaction_abort_timed_out_transaction_cleanup_interval_ms: int = 10_000
    message_max_bytes: int = 1_048_588
    compression_type: str = "producer"
    connections_max_idle_ms: int = 600_000
    group_initial_rebalance_delay_ms: int = 3_000
    group_min_session_timeout_ms: int = 6_000
    group_max_session_timeout_ms: int = 1_800_000
    group_max_size: int = 2**31 - 1
    offsets_retention_minutes: int = 10_080
    offsets_retention_check_interval_ms: int = 600_000
    group_consumer_session_timeout_ms: int = 45_000
    group_consumer_heartbeat_interval_ms: int = 5_000
    group_consumer_assignment_interval_ms: int = 1_000
    group_consumer_migration_policy: str = "bidirectional"
    group_share_session_timeout_ms: int = 45_000
    group_share_min_session_timeout_ms: int = 45_000
    group_share_max_session_timeout_ms: int = 60_000
    group_share_heartbeat_interval_ms: int = 5_000
    group_share_min_heartbeat_interval_ms: int = 5_000
    group_share_max_heartbeat_interval_ms: int = 15_000
    group_share_assignment_interval_ms: int = 1_000
    group_share_max_size: int = 200
    group_share_record_lock_duration_ms: int = 30_000
    group_share_min_record_lock_duration_ms: int = 15_000
    group_share_max_record_lock_duration_ms: int = 60_000
    group_share_delivery_count_limit: int = 5
    group_share_min_delivery_count_limit: int = 2
    group_share_max_delivery_count_limit: int = 10
    group_share_partition_max_record_locks: int = 2_000
    errors_deadletterqueue_topic_name_prefix: str = "dlq."
    group_share_min_partition_max_record_locks: int = 100
    group_share_max_partition_max_record_locks: int = 4_000
    offset_metadata_max_bytes: int = 4_096
    max_incremental_fetch_session_cache_slots: int = 1_000
    num_network_threads: int = 3
    num_io_threads: int = 8
    queued_max_requests: int = 500
    min_insync_replicas: int = 1
    unclean_leader_election_enable: bool = False
    replica_lag_time_max_ms: int = 30_000
    replica_selector_class: str | None = None
    replica_fetch_wait_max_ms: int = 500
    replica_fetch_backoff_ms: int = 1_000
    replica_fetch_max_bytes: int = 1_048_576
    replica_fetch_response_max_bytes: int = 10_485_760
    zookeeper_session_timeout_ms: int = 6_000
    broker_session_timeout_ms: int = 9_000
    broker_heartbeat_interval_ms: int = 2_000
    controlled_shutdown_enable: bool = True
    auto_leader_rebalance_enable: bool = True
    leader_imbalance_check_interval_seconds: int = 300
    leader_imbalance_per_broker_percentage: int = 10
    log_segment_bytes: int = 1_073_741_824
    log_roll_ms: int | None = None
    log_roll_jitter_ms: int | None = None
    log_index_interval_bytes: int = 4_096
    log_retention_ms: int | None = None
    log_retention_bytes: int = -1
    log_retention_check_interval_ms: int = 300_000
    log_cleanup_policy: tuple[str, ...] = ("delete",)
    log_cleaner_enable: bool = True
    log_cleaner_backoff_ms: int = 15_000
    log_cleaner_min_cleanable_ratio: float = 0.5
    log_cleaner_min_compaction_lag_ms: int = 0
    log_cleaner_max_compaction_lag_ms: int = 9_223_372_036_854_775_807
    log_cleaner_delete_retention_ms: int = 86_400_000
    log_message_timestamp_type: str = "CreateTime"
    chance_of_producer_ids: float = 1.0


DOTTED: Mapping[str, str] = MappingProxyType(
    {
        field.name.replace("_", "."): field.name
        for field in fields(BrokerConfig)
        if field.name != "chance_of_producer_ids"
    }
)
"""`group.initial.rebalance.delay.ms` -> the field that holds it."""


OTHER_NAMES: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "log.retention.minutes": ("log.retention.ms", 60_000),
        "log.retention.hours": ("log.retention.ms", 3_600_000),
        "log.roll.hours": ("log.roll.ms", 3_600_000),
        "log.roll.jitter.hours": ("log.roll.jitter.ms", 3_600_000),
    }
)
"""Kafka's name with a coarser unit -> (the finest name, how many of its units are one of the
coarser). The finest name that is given counts."""


RACK_AWARE_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
SELECTORS = (None, "org.apache.kafka.common.replica.LeaderSelector", RACK_AWARE_SELECTOR)
"""The values of replica.selector.class: the two classes that Kafka ships, and none."""

NOT_SIMULATED: Mapping[str, str] = MappingProxyType(
    {
        "quota": "a client has quotas by lab.limit_client(client_id, bytes a second)",
        "replication.quota": "the throttling of replication is left out",
        "ssl": "encryption is left out",
        "sasl": "authentication is left out",
        "authorizer": "authorization is left out",
        "remote.log": "tiered storage is left out",
        "log.dir": "a broker has one disk; lab.broker(n).disk.fill() fills it",
        "log.flush": "a segment is flushed when the next one is rolled, as by default",
        "log.cleaner.threads": "one thread cleans",
        "log.cleaner.io": "the throttling of the cleaner is left out",
        "log.cleaner.dedupe": "the map of a cleaning has no largest size here",
        "num.replica.fetchers": "a follower has one fetcher for each leader's broker",
        "control.plane": "there is one listener",
        "listeners": "there is one listener",
        "advertised": "brokers are given to the lab: Lab(brokers={0: 'localhost:9092'})",
        "broker.id": "brokers are given to the lab: Lab(brokers={0: 'localhost:9092'})",
        "node.id": "brokers are given to the lab: Lab(brokers={0: 'localhost:9092'})",
        "broker.rack": "racks are given to the lab: Lab(racks={0: 'a', 1: 'b'})",
        "controller.quorum": "the quorum is always there",
        "zookeeper.connect": "ZooKeeper is always there",
    }
)
"""How the name of a setting begins -> why the lab does not simulate such settings."""


def broker_config(
    settings: Mapping[str, Any] | None = None,
    *,
    release: str = NEWEST_BROKER,
    **fields_by_name: Any,
) -> BrokerConfig:
    """Make a config from dotted names, for brokers of this release.

    Raises BrokerConfigException, which is a ConfigException and a ValueError: for a setting that
    does not exist (it names the nearest one), for a value other than the default of a setting that
    is not simulated, and for a value that Kafka refuses (with Kafka's message).
    """
    chosen = {**_defaults_of(release), **fields_by_name}
    for name, value in _in_finest_names(settings or {}).items():
        key = BROKER_KEYS.get(name)
        if key is None or key.default(release) is GONE:
            raise BrokerConfigException(_unknown(name, key, release))
        try:
            typed = key.read(value)
        except ConfigException as error:
            raise BrokerConfigException(str(error)) from None
        if name == "replica.selector.class" and typed not in SELECTORS:
            raise BrokerConfigException(
                f"the selector {typed!r} is a program of its own and is not simulated; choose "
                f"{RACK_AWARE_SELECTOR!r} or leave the setting out"
            )
        if name in DOTTED:
            chosen[DOTTED[name]] = typed
        elif typed != key.default(release):
            raise BrokerConfigException(
                f"the broker setting {name!r} is not simulated; it can only have its default, "
                f"{key.default(release)}{_reason(name)}"
            )
    return BrokerConfig(**chosen)


@cache
def _defaults_of(release: str) -> Mapping[str, Any]:
    """Field -> the default of this release, for the settings that a page changes."""
    changed = [name for name in broker_profile(NEWEST_BROKER).config["broker"] if name in DOTTED]
    defaults = {DOTTED[name]: BROKER_KEYS[name].default(release) for name in changed}
    return {field: default for field, default in defaults.items() if default is not GONE}


def _unknown(name: str, key: ConfigKey | None, release: str) -> str:
    if key is not None:
        has_it = " and ".join(known for known in BROKER_NAMES if key.default(known) is not GONE)
        return f"a {release} broker does not know the setting {name!r}; only {has_it} has it"
    if name in SECURITY:
        return (
            f"the broker setting {name!r} is not simulated: encryption, login and their plugins "
            "are not part of the lab"
        )
    known = [known for known, key in BROKER_KEYS.items() if key.default(release) is not GONE]
    return (
        f"there is no broker setting {name!r} in {release}; the nearest one is "
        f"{nearest(name, known)!r}"
    )


def _in_finest_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Converts log.retention.hours and similar settings to milliseconds, unless a finer name is
    given too."""
    given = dict(settings)
    for name, (finest, unit) in OTHER_NAMES.items():
        if name in given:
            value = given.pop(name)
            if finest not in given:
                given[finest] = value * unit if isinstance(value, int) and value >= 0 else value
    return given


def _reason(name: str) -> str:
    return next((f": {why}" for start, why in NOT_SIMULATED.items() if name.startswith(start)), "")
