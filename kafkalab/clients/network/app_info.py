"""Writes the lines with which a client begins and ends: version, commit and start time
(org.apache.kafka.common.utils.AppInfoParser)."""

from __future__ import annotations

from collections.abc import Iterable

from kafkalab.clients.network.log_context import LogContext
from kafkalab.releases import Profile


def register(log: LogContext, profile: Profile, started_at_ms: int) -> None:
    """Version, commit and start of the client; `started_at_ms` in epoch milliseconds."""
    log("KAFKA_VERSION", release=profile.release)
    log("KAFKA_COMMIT_ID", commit_id=profile.commit_id)
    log("KAFKA_START_TIME", start_ms=started_at_ms)


def unregister(log: LogContext, kind: str, removed: Iterable[str] = ()) -> None:
    """kind: "consumer" or "producer". removed: the metrics of the version, which leave first."""
    tell_removed(log, removed)
    log("APP_INFO_UNREGISTERED", kind=kind, client_id=log.client_id)


def tell_removed(log: LogContext, removed: Iterable[str]) -> None:
    """A line for each of these metrics that leave (KafkaMetricsCollector.metricRemoval)."""
    for metric in removed:
        log("METRIC_REMOVED", metric=metric)
