"""Entries of the lines that every client writes: its version, its configuration, its telemetry
(AppInfoParser, AbstractConfig)."""

from __future__ import annotations

from kafkalab.lines.wording import debug, entry, info, warn

APP_INFO = "org.apache.kafka.common.utils.AppInfoParser"
APP_INFO_4_4 = "org.apache.kafka.common.utils.internals.AppInfoParser"
ABSTRACT_CONFIG = "org.apache.kafka.common.config.AbstractConfig"
CONSUMER_CONFIG = "org.apache.kafka.clients.consumer.ConsumerConfig"
PRODUCER_CONFIG = "org.apache.kafka.clients.producer.ProducerConfig"
TELEMETRY = "org.apache.kafka.common.telemetry.internals.ClientTelemetryReporter"
METRICS_COLLECTOR = "org.apache.kafka.common.telemetry.internals.KafkaMetricsCollector"

# fmt: off
# `values` is one line a key in alphabetical order, each `\tkey = value\n`.
CONFIGURATION = (
    entry("CONSUMER_CONFIG", CONSUMER_CONFIG,
          info("ConsumerConfig values: \n{values}", until="3.9", prefixed=False),
          info("ConsumerConfig values: \n{values}", since="4.0", prefixed=False,
               logger=ABSTRACT_CONFIG)),
    entry("PRODUCER_CONFIG", PRODUCER_CONFIG,
          info("ProducerConfig values: \n{values}", until="3.9", prefixed=False),
          info("ProducerConfig values: \n{values}", since="4.0", prefixed=False,
               logger=ABSTRACT_CONFIG)),
    entry("RECONNECT_BACKOFF_IS_FLAT", "org.apache.kafka.clients.CommonClientConfigs",
          debug("Disabling exponential reconnect backoff because reconnect.backoff.ms is set, but "
                "reconnect.backoff.max.ms is not.",
                until="3.6", prefixed=False),
          warn("Disabling exponential reconnect backoff because reconnect.backoff.ms is set, but "
               "reconnect.backoff.max.ms is not.",
               since="3.9", prefixed=False)),
    entry("IDLE_LIMIT_BELOW_POLL_INTERVAL", CONSUMER_CONFIG,
          warn("Configuration 'connections.max.idle.ms' with value '{idle_ms}' is lower than "
               "configuration 'max.poll.interval.ms' with "
               "value '{poll_interval_ms}'. This may cause the connection to the group coordinator "
               "to be closed during an ongoing "
               "rebalance, which can prolong or disrupt group rejoin.", since="4.4",
               prefixed=False)),
)

VERSION_LINES = (
    entry("KAFKA_VERSION", APP_INFO,
          info("Kafka version : {release}", until="2.1", prefixed=False),
          info("Kafka version: {release}", since="2.2", until="4.0", prefixed=False),
          info("Kafka version: {release}", since="4.4", prefixed=False, logger=APP_INFO_4_4)),
    entry("KAFKA_COMMIT_ID", APP_INFO,
          info("Kafka commitId : {commit_id}", until="2.1", prefixed=False),
          info("Kafka commitId: {commit_id}", since="2.2", until="4.0", prefixed=False),
          info("Kafka commitId: {commit_id}", since="4.4", prefixed=False, logger=APP_INFO_4_4)),
    entry("KAFKA_START_TIME", APP_INFO,
          info("Kafka startTimeMs: {start_ms}", since="2.3", until="4.0", prefixed=False),
          info("Kafka startTimeMs: {start_ms}", since="4.4", prefixed=False, logger=APP_INFO_4_4)),
    entry("APP_INFO_UNREGISTERED", APP_INFO,
          info("App info kafka.{kind} for {client_id} unregistered", since="2.8", until="4.0",
               prefixed=False),
          info("App info kafka.{kind} for {client_id} unregistered", since="4.4", prefixed=False,
               logger=APP_INFO_4_4)),
)

# KIP-714, from 3.7 on.
TELEMETRY_LINES = (
    entry("TELEMETRY_COLLECTOR_INITIALIZED", METRICS_COLLECTOR,
          info("initializing Kafka metrics collector", since="3.9", prefixed=False)),
    entry("TELEMETRY_SUBSCRIPTION_REQUEST", TELEMETRY,
          debug("Creating telemetry subscription request with client instance id "
                "{client_instance_id}",
                since="3.9", prefixed=False)),
    entry("TELEMETRY_STATE", TELEMETRY,
          debug("Setting telemetry state from {state_from} to {state_to}", since="3.9",
                prefixed=False)),
    entry("TELEMETRY_REQUEST_FAILED", TELEMETRY,
          debug("The broker generated an error for the get telemetry network API request",
                since="3.9",
                prefixed=False, trace=True)),
    entry("TELEMETRY_INTERVAL", TELEMETRY,
          debug("Updating intervalMs: {interval_ms}, lastRequestMs: {last_request_ms}", since="3.9",
                prefixed=False)),
    entry("TELEMETRY_INITIATE_CLOSE", TELEMETRY,
          debug("Initiate close of ClientTelemetryReporter", since="3.9", prefixed=False)),
    entry("TELEMETRY_TERMINAL_PUSH_CHECK", TELEMETRY,
          debug("initiate close for client telemetry, check if terminal push required.",
                since="3.9", prefixed=False)),
    entry("TELEMETRY_TERMINAL_PUSH_IGNORED", TELEMETRY,
          debug("Subscription not yet loaded, ignoring terminal push", since="3.9",
                prefixed=False)),
    entry("TELEMETRY_NOT_LOADED", TELEMETRY,
          debug("Telemetry subscription not loaded, not attempting terminating push", since="3.9",
                prefixed=False)),
    entry("TELEMETRY_CLOSE_SENDER", TELEMETRY,
          debug("close telemetry sender for client telemetry reporter instance", since="3.9",
                prefixed=False)),
    entry("TELEMETRY_CLOSE_IGNORED", TELEMETRY,
          debug("Ignoring subsequent close", since="3.9", prefixed=False)),
    entry("TELEMETRY_STOPPING", TELEMETRY,
          debug("Stopping ClientTelemetryReporter", since="3.9", prefixed=False)),
    entry("METRIC_REMOVED", METRICS_COLLECTOR,
          debug("removing kafka metric : {metric}",
                since="3.9", prefixed=False)),
)
# fmt: on

ENTRIES = CONFIGURATION + VERSION_LINES + TELEMETRY_LINES
