"""TransactionMarkers: sends WRITE_TXN_MARKERS to each leader of an ended transaction.

Kafka's classes are TransactionMarkerChannelManager and TransactionMarkerRequestCompletionHandler. A
leader that cannot be reached gets the request again until it answers, because a transaction without
a marker holds back every read_committed reader of the partition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import AskBroker, Effect, SetTimer
from kafkalab.broker.steps import Step
from kafkalab.broker.transactions.transaction_metadata import Place, TransactionMetadata
from kafkalab.broker.transactions.transaction_state import TransactionState
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.records import by_topic

RETRY_MS = 100
OUTDATED = frozenset(
    {
        Errors.INVALID_PRODUCER_EPOCH.code,
        Errors.PRODUCER_FENCED.code,
        Errors.TRANSACTION_COORDINATOR_FENCED.code,
    }
)
"""The errors that show a newer coordinator, after which this one stops sending markers."""


class TransactionMarkers:
    """Sends one coordinator's markers (TransactionMarkerChannelManager).

    epoch_of: gives the coordinator epoch of a transactional id, by which a leader recognizes an
    outdated coordinator."""

    def __init__(self, cluster: ClusterState, epoch_of: Callable[[str], int]) -> None:
        self._cluster, self._epoch_of = cluster, epoch_of

    def send(self, record: TransactionMetadata, now_ms: int) -> list[Effect]:
        """Send one request to each leader of the partitions without a marker."""
        by_leader: dict[int, list[Place]] = {}
        leaderless = False
        for place in record.partitions:
            partition = self._cluster.partition(*place)
            if partition is None or partition.leader < 0:
                leaderless = True
            else:
                by_leader.setdefault(partition.leader, []).append(place)
        effects: list[Effect] = [
            self._ask(record, leader, tuple(places)) for leader, places in sorted(by_leader.items())
        ]
        return effects + ([self._retry(record, now_ms)] if leaderless else [])

    def _ask(
        self, record: TransactionMetadata, leader: int, places: tuple[Place, ...]
    ) -> AskBroker:
        marker = m.WritableTxnMarker(
            producer_id=record.producer_id,
            producer_epoch=record.epoch,
            transaction_result=record.state is TransactionState.PREPARE_COMMIT,
            coordinator_epoch=self._epoch_of(record.transactional_id),
            topics=tuple(
                m.WritableTxnMarkerTopic(name=name, partition_indexes=numbers)
                for name, numbers in by_topic(places).items()
            ),
        )
        return AskBroker(
            leader,
            m.WriteTxnMarkersRequest(markers=(marker,)),
            (
                "transactions",
                "markers",
                record.transactional_id,
                record.producer_id,
                record.epoch,
                places,
            ),
        )

    def answered(
        self,
        record: TransactionMetadata,
        tag: tuple[Any, ...],
        response: m.WriteTxnMarkersResponse | None,
        now_ms: int,
    ) -> Step[TransactionMetadata]:
        """The metadata after an answer; partitions that could not write are asked again.

        After a lost connection (None) the marker may or may not be written; it is written again,
        which changes nothing."""
        *_, producer_id, epoch, places = tag
        if (record.producer_id, record.epoch) != (producer_id, epoch):
            return record
        if response is None:
            yield self._retry(record, now_ms)
            return record
        codes = {
            (topic.name, part.partition_index): part.error_code
            for marker in response.markers
            for topic in marker.topics
            for part in topic.partitions
        }
        marked = tuple(
            place for place in places if codes.get(place) in (Errors.NONE.code, *OUTDATED)
        )
        if len(marked) < len(places):
            yield self._retry(record, now_ms)
        return record.without_partitions(marked)

    def _retry(self, record: TransactionMetadata, now_ms: int) -> SetTimer:
        return SetTimer(("transactions", "retry", record.transactional_id), now_ms + RETRY_MS)
