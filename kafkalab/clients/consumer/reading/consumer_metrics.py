"""The metrics of a consumer (FetchMetricsManager, ConsumerCoordinatorMetrics, AbstractCoordinator's
sensors, KafkaConsumerMetrics).

    consumer.metrics()["records-lag-max"]
    consumer.metrics().of("consumer-fetch-manager-metrics", topic="t4",
    partition="0")["records-lag"]

Lag is defined as in Java: from the position, not from the committed offset, to the end in the last
fetch; with read_committed to the last stable offset. Lead is from the log start to the position: at
0 retention has reached the reader.

The numbers are read from the journal's events of this consumer, each at its own time, when the
application asks; so counting changes nothing and costs nothing before. Left out: bytes, throttling,
times in nanoseconds, single nodes, callbacks' latencies.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kafkalab.clients.consumer.reading.consumer_setup import ConsumerSetup
from kafkalab.clients.network.metrics import MetricName, MetricValues, Sensor
from kafkalab.sim.journal import Event

FETCH = "consumer-fetch-manager-metrics"
COORDINATOR = "consumer-coordinator-metrics"
CONSUMER = "consumer-metrics"
HEARTBEATS = ("HEARTBEAT", "CONSUMER_GROUP_HEARTBEAT")


class _EventClock:
    """The time of an event, for sensors that record it later."""

    __slots__ = ("now_ms",)

    def __init__(self) -> None:
        self.now_ms = 0


class _Timed:
    """The durations of one kind of event: how long, and how often."""

    def __init__(self, make: Callable[[], Sensor]) -> None:
        self._latency, self._times = make(), make()

    def record(self, latency_ms: int) -> None:
        self._latency.record(latency_ms)
        self._times.record()

    def measured(self, name: str, rate: str, times: str) -> dict[str, float]:
        return {
            f"{name}-avg": self._latency.average(),
            f"{name}-max": self._latency.maximum(),
            rate: self._times.rate(),
            times: self._times.count,
        }

    @property
    def total(self) -> float:
        return self._latency.total


class ConsumerMetrics:
    """The metrics of one consumer. joins: whether this member follows the classic protocol, with
    its joins and syncs; in the new one (KIP-848) a rebalance is the time between two stable
    states."""

    def __init__(self, setup: ConsumerSetup, joins: bool) -> None:
        config = setup.config
        self._journal = setup.lab.journal
        self._who = setup.name
        self._client_id = setup.client_id
        self._profile = setup.profile
        self._classic = joins
        self._clock = _EventClock()
        self._clock.now_ms = setup.lab.now_ms
        self._window = (config["metrics.sample.window.ms"], config["metrics.num.samples"])
        self._next = len(self._journal.events)
        make = self._sensor
        self._records, self._lag, self._lead = make(), make(), make()
        (
            self._fetches,
            self._commits,
            self._heartbeats,
            self._joins,
            self._syncs,
            self._rebalances,
        ) = (_Timed(make) for _ in range(6))
        self._polls = make()
        self._created = make()
        self._lost = make()
        self._requests = make()
        self._responses = make()
        self._topics: dict[str, Sensor] = {}
        self._partitions: dict[str, tuple[Sensor, Sensor]] = {}
        self._latest: dict[str, tuple[int | None, int | None]] = {}
        self._assigned = 0
        self._open = 0
        self._last_poll_ms: int | None = None
        self._last_heartbeat_ms: int | None = None
        self._last_rebalance_ms: int | None = None
        self._rebalance_began_ms: int | None = None
        self._join_latency_ms = self._sync_latency_ms = 0
        self._hear: dict[str, Callable[[Event], None]] = {
            "call": self._called,
            "request.sent": self._sent,
            "response.received": self._answered,
            "fetched": self._fetched,
            "assigned": self._assignment_changed,
            "assignment": self._joined,
            "state": self._moved,
            "socket.connected": self._connected,
            "socket.closed": self._closed,
        }

    def _sensor(self) -> Sensor:
        return Sensor(self._clock, *self._window)

    def values(self, now_ms: int) -> MetricValues:
        """All metrics at this moment. A metric without a measurement is NaN, as in Java."""
        events = self._journal.events
        for event in events[self._next :]:
            if event.who == self._who:
                hear = self._hear.get(event.kind)
                if hear is not None:
                    self._clock.now_ms = event.at_ms
                    hear(event)
        self._next = len(events)
        self._clock.now_ms = now_ms
        return MetricValues(
            {**self._of_fetches(), **self._of_the_group(now_ms), **self._of_calls(now_ms)}
        )

    # events of the journal

    def _called(self, event: Event) -> None:
        if event.fields["name"] == "poll":
            if self._last_poll_ms is not None:
                self._polls.record(event.at_ms - self._last_poll_ms)
            self._last_poll_ms = event.at_ms

    def _sent(self, event: Event) -> None:
        self._requests.record()
        if event.api in HEARTBEATS:
            self._last_heartbeat_ms = event.at_ms
        elif event.api == "JOIN_GROUP" and self._rebalance_began_ms is None:
            self._rebalance_began_ms = event.at_ms

    def _answered(self, event: Event) -> None:
        self._responses.record()
        if event.api == "FETCH":
            self._fetches.record(event.latency_ms)
        elif event.api == "OFFSET_COMMIT":
            self._commits.record(event.latency_ms)
        elif event.api in HEARTBEATS:
            self._heartbeats.record(event.latency_ms)
        elif event.api == "JOIN_GROUP":
            self._join_latency_ms = event.latency_ms
        elif event.api == "SYNC_GROUP":
            self._sync_latency_ms = event.latency_ms

    def _moved(self, event: Event) -> None:
        """A refused join does not count: the member's own state says whether it was accepted."""
        if not event.fields.get("machine", "").startswith("member of "):
            return
        if not self._classic:
            if event.after in ("JOINING", "RECONCILING") and self._rebalance_began_ms is None:
                self._rebalance_began_ms = event.at_ms
            elif event.after == "STABLE":
                self._joined(event)
        elif event.after == "COMPLETING_REBALANCE":
            self._joins.record(self._join_latency_ms)
        elif event.after == "STABLE":
            self._syncs.record(self._sync_latency_ms)

    def _joined(self, event: Event) -> None:
        began_ms = event.at_ms if self._rebalance_began_ms is None else self._rebalance_began_ms
        self._rebalances.record(event.at_ms - began_ms)
        self._rebalance_began_ms, self._last_rebalance_ms = None, event.at_ms

    def _assignment_changed(self, event: Event) -> None:
        self._assigned = len(event.partitions)
        for partition in [known for known in self._partitions if known not in event.partitions]:
            del self._partitions[partition]
            self._latest.pop(partition, None)

    def _fetched(self, event: Event) -> None:
        partition, lag, lead = event.partition, event.lag, event.lead
        if event.records:
            self._records.record(event.records)
            self._topics.setdefault(partition.rpartition("-")[0], self._sensor()).record(
                event.records
            )
        own_lag, own_lead = self._partitions.setdefault(partition, (self._sensor(), self._sensor()))
        self._latest[partition] = (lag, lead)
        if lag is not None:
            own_lag.record(lag)
            self._lag.record(lag)
        if lead is not None:  # the smallest is the largest of the negatives
            own_lead.record(-lead)
            self._lead.record(-lead)

    def _connected(self, event: Event) -> None:
        self._created.record()
        self._open += 1

    def _closed(self, event: Event) -> None:
        if event.how != "failed":
            self._lost.record()
            self._open -= 1

    # the numbers

    def _named(self, group: str, values: dict[str, float], **tags: str) -> dict[MetricName, float]:
        all_tags = (("client-id", self._client_id), *tags.items())
        return {MetricName(name, group, all_tags): value for name, value in values.items()}

    def _of_fetches(self) -> dict[MetricName, float]:
        found = self._named(
            FETCH,
            {
                **self._fetches.measured("fetch-latency", "fetch-rate", "fetch-total"),
                "records-consumed-rate": self._records.rate(),
                "records-consumed-total": self._records.total,
                "records-lag-max": self._lag.maximum(),
                "records-lead-min": -self._lead.maximum(),
            },
        )
        for topic, sensor in sorted(self._topics.items()):
            found |= self._named(
                FETCH,
                {"records-consumed-rate": sensor.rate(), "records-consumed-total": sensor.total},
                topic=topic,
            )
        for partition, (lag, lead) in sorted(self._partitions.items()):
            topic, _, number = partition.rpartition("-")
            now_lag, now_lead = self._latest[partition]
            found |= self._named(
                FETCH,
                {
                    "records-lag": _or_nan(now_lag),
                    "records-lag-avg": lag.average(),
                    "records-lag-max": lag.maximum(),
                    "records-lead": _or_nan(now_lead),
                    "records-lead-avg": -lead.average(),
                    "records-lead-min": -lead.maximum(),
                },
                topic=topic,
                partition=number,
            )
        return found

    def _of_the_group(self, now_ms: int) -> dict[MetricName, float]:
        values = {
            "assigned-partitions": self._assigned,
            **self._commits.measured("commit-latency", "commit-rate", "commit-total"),
            **self._heartbeats.measured(
                "heartbeat-response-time", "heartbeat-rate", "heartbeat-total"
            ),
            "last-heartbeat-seconds-ago": _seconds_since(self._last_heartbeat_ms, now_ms),
        }
        del values["heartbeat-response-time-avg"]
        if self._classic:
            values |= {
                **self._joins.measured("join-time", "join-rate", "join-total"),
                **self._syncs.measured("sync-time", "sync-rate", "sync-total"),
            }
        if self._profile.fetching.counts_polls_and_rebalances:
            values |= {
                **self._rebalances.measured(
                    "rebalance-latency", "rebalance-rate-per-hour", "rebalance-total"
                ),
                "rebalance-latency-total": self._rebalances.total,
                "last-rebalance-seconds-ago": _seconds_since(self._last_rebalance_ms, now_ms),
            }
            values["rebalance-rate-per-hour"] *= 3_600
        return self._named(COORDINATOR, values)

    def _of_calls(self, now_ms: int) -> dict[MetricName, float]:
        values = {
            "connection-count": self._open,
            "connection-creation-total": self._created.count,
            "connection-close-total": self._lost.count,
            "request-total": self._requests.count,
            "request-rate": self._requests.rate(),
            "response-total": self._responses.count,
            "response-rate": self._responses.rate(),
        }
        if self._profile.fetching.counts_polls_and_rebalances:
            values |= {
                "last-poll-seconds-ago": _seconds_since(self._last_poll_ms, now_ms),
                "time-between-poll-avg": self._polls.average(),
                "time-between-poll-max": self._polls.maximum(),
            }
        return self._named(CONSUMER, values)


def _or_nan(value: int | None) -> float:
    return math.nan if value is None else value


def _seconds_since(at_ms: int | None, now_ms: int) -> int:
    """Whole seconds; -1 where it has not happened."""
    return -1 if at_ms is None else (now_ms - at_ms) // 1000
