"""ProducerShared and ProducerPart: what the parts of one producer have at hand.

A part names only what is its own; the consumers do the same (`consumer/reading/parts.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.producer.accumulator import RecordAccumulator
from kafkalab.clients.producer.producer_metrics import ProducerMetrics
from kafkalab.clients.producer.producer_topics import ProducerTopics
from kafkalab.clients.producer.transactions.transaction_manager import TransactionManager

if TYPE_CHECKING:
    from kafkalab.config import ProducerConfig


class ProducerShared(NamedTuple):
    """What one producer's parts share. plain_log: of the lines that Java writes without a
    prefix. transactions: None without enable.idempotence."""

    config: ProducerConfig
    client: NetworkClient
    topics: ProducerTopics
    accumulator: RecordAccumulator
    transactions: TransactionManager | None
    metrics: ProducerMetrics
    plain_log: LogContext


class ProducerPart:
    """One part of a producer."""

    def __init__(self, shared: ProducerShared) -> None:
        self._config = shared.config
        self._client = client = shared.client
        self._topics = shared.topics
        self._accumulator = shared.accumulator
        self._transactions = shared.transactions
        self._metrics = shared.metrics
        self._plain = shared.plain_log
        self._log, self._profile, self._clock = client.log, client.profile, client.clock
        self._metadata = client.metadata
