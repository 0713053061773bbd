"""The metrics of a producer (Sender.SenderMetrics, the metrics of BufferPool and
RecordAccumulator).

    producer.metrics()["batch-size-avg"]
    producer.metrics().of("producer-topic-metrics", topic="orders")["byte-rate"]

Each number results from what the simulated producer did; the names are Kafka's. Left out: the
metrics of single nodes and of the network layer, and times in nanoseconds of calls that take none
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kafkalab.clients.network.client_setup import ClientSetup
from kafkalab.clients.network.metrics import MetricName, MetricValues, Sensor
from kafkalab.clients.producer.buffer_pool import BufferPool
from kafkalab.clients.producer.producer_batch import ProducerBatch

PRODUCER, TOPIC = "producer-metrics", "producer-topic-metrics"
NS_PER_MS = 1_000_000


class ProducerMetrics:
    """The metrics of one producer."""

    def __init__(self, setup: ClientSetup) -> None:
        config = setup.config
        self._client_id, self._clock = setup.client_id, setup.lab.clock
        self._window = (config["metrics.sample.window.ms"], config["metrics.num.samples"])
        make = self._sensor
        self._batch_size = make()
        self._queue_time = make()
        self._ratio = make()
        self._record_size = make()
        self._records_per_request = make()
        self._latency = make()
        self._retries = make()
        self._errors = make()
        self._splits = make()
        self._waits = make()
        self._exhausted = make()
        self._metadata_waits = make()
        self._flushes = make()
        self._topics: dict[str, dict[str, Sensor]] = {}

    def _sensor(self) -> Sensor:
        return Sensor(self._clock, *self._window)

    # called by the producer's parts

    def sent(self, by_node: Iterable[list[ProducerBatch]]) -> None:
        """Batches are sent, in one request each node (updateProduceRequestMetrics)."""
        for batches in by_node:
            for batch in batches:
                self._batch_size.record(batch.size_bytes)
                self._queue_time.record(batch.drained_ms - batch.created_ms)
                self._ratio.record(batch.compression_ratio)
                self._record_size.record(batch.largest_record_bytes)
                topic = self._of_topic(batch.partition.topic)
                topic["record-send"].record(len(batch.records))
                topic["byte"].record(batch.size_bytes)
                topic["compression"].record(batch.compression_ratio)
            self._records_per_request.record(sum(len(batch.records) for batch in batches))

    def answered(self, latency_ms: int) -> None:
        self._latency.record(latency_ms)

    def retried(self, batch: ProducerBatch) -> None:
        self._retries.record(len(batch.records))
        self._of_topic(batch.partition.topic)["record-retry"].record(len(batch.records))

    def failed(self, topic: str, records: int) -> None:
        self._errors.record(records)
        self._of_topic(topic)["record-error"].record(records)

    def split(self) -> None:
        self._splits.record()

    def waited_for_memory(self, ms: int) -> None:
        self._waits.record(ms * NS_PER_MS)

    def exhausted(self) -> None:
        self._exhausted.record()

    def waited_for_metadata(self, ms: int) -> None:
        self._metadata_waits.record(ms * NS_PER_MS)

    def flushed(self, ms: int) -> None:
        self._flushes.record(ms * NS_PER_MS)

    def _of_topic(self, topic: str) -> dict[str, Sensor]:
        if topic not in self._topics:
            self._topics[topic] = {
                name: self._sensor()
                for name in ("record-send", "byte", "compression", "record-retry", "record-error")
            }
        return self._topics[topic]

    # called by the application

    def values(
        self, pool: BufferPool, in_flight: Callable[[], int], metadata_age_ms: int
    ) -> MetricValues:
        """All metrics at this moment."""
        table = {
            "batch-size-avg": self._batch_size.average(),
            "batch-size-max": self._batch_size.maximum(),
            "compression-rate-avg": self._ratio.average(),
            "record-queue-time-avg": self._queue_time.average(),
            "record-queue-time-max": self._queue_time.maximum(),
            "request-latency-avg": self._latency.average(),
            "request-latency-max": self._latency.maximum(),
            "record-send-rate": self._records_per_request.rate(),
            "record-send-total": self._records_per_request.total,
            "records-per-request-avg": self._records_per_request.average(),
            "record-retry-rate": self._retries.rate(),
            "record-retry-total": self._retries.total,
            "record-error-rate": self._errors.rate(),
            "record-error-total": self._errors.total,
            "record-size-avg": self._record_size.average(),
            "record-size-max": self._record_size.maximum(),
            "batch-split-rate": self._splits.rate(),
            "batch-split-total": self._splits.total,
            "requests-in-flight": in_flight(),
            "metadata-age": metadata_age_ms / 1000,
            "buffer-total-bytes": pool.total_bytes,
            "buffer-available-bytes": pool.available_bytes,
            "waiting-threads": len(pool.waiters),
            "bufferpool-wait-ratio": self._waits.rate() / (1000 * NS_PER_MS),
            "bufferpool-wait-time-ns-total": self._waits.total,
            "buffer-exhausted-rate": self._exhausted.rate(),
            "buffer-exhausted-total": self._exhausted.total,
            "metadata-wait-time-ns-total": self._metadata_waits.total,
            "flush-time-ns-total": self._flushes.total,
        }
        client = ("client-id", self._client_id)
        found = {MetricName(name, PRODUCER, (client,)): value for name, value in table.items()}
        for topic, sensors in self._topics.items():
            for name, value in _of_topic(sensors).items():
                found[MetricName(name, TOPIC, (client, ("topic", topic)))] = value
        return MetricValues(found)


def _of_topic(sensors: dict[str, Sensor]) -> dict[str, float]:
    values = {"compression-rate": sensors["compression"].average()}
    for name in ("record-send", "byte", "record-retry", "record-error"):
        values |= {f"{name}-rate": sensors[name].rate(), f"{name}-total": sensors[name].total}
    return values
