"""MarkerWriter: serves WRITE_TXN_MARKERS, which writes the markers of ended transactions at
leaders.

In Kafka this is KafkaApis.handleWriteTxnMarkersRequest."""

from __future__ import annotations

from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC, ClusterState
from kafkalab.broker.effects import Caller
from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.steps import Refusal, Step, answers
from kafkalab.broker.transactions.transactional_offsets import TransactionalOffsets
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m

WAITS_MS = 30_000
"""How long a leader waits for its followers (request.timeout.ms of the broker); the coordinator
sends the request again then."""


class MarkerWriter:
    def __init__(
        self,
        node_id: int,
        cluster: ClusterState,
        replicas: ReplicaManager,
        offsets: TransactionalOffsets,
    ) -> None:
        self._node_id = node_id
        self._cluster = cluster
        self._replicas = replicas
        self._offsets = offsets

    @answers(m.WriteTxnMarkersResponse)
    def handle(
        self, request: m.WriteTxnMarkersRequest, caller: Caller, now_ms: int
    ) -> Step[m.WriteTxnMarkersResponse]:
        """Append each marker to each of its partitions; for a partition of the offsets topic, end
        the pending offsets of its groups."""
        results: dict[PartitionKey, m.PartitionProduceResponse] = {}
        required: dict[PartitionKey, int] = {}
        # coordinators of this lab send one transaction's marker in a request
        (marker,) = request.markers
        for topic in marker.topics:
            for number in topic.partition_indexes:
                error = Errors.NONE
                try:
                    yield from self._write(marker, topic.name, number, now_ms)
                    if topic.name != OFFSETS_TOPIC:
                        log = self._replicas.led(topic.name, number).log
                        required[topic.name, number] = log.log_end_offset
                except Refusal as refusal:
                    error = refusal.error
                results[topic.name, number] = m.PartitionProduceResponse(
                    index=number, error_code=error.code
                )
        final = yield self._replicas.produces.until(required, results, now_ms + WAITS_MS, caller)
        return _response(marker, final)

    def _write(
        self, marker: m.WritableTxnMarker, topic: str, number: int, now_ms: int
    ) -> Step[None]:
        if topic == OFFSETS_TOPIC:
            partition = self._cluster.partition(topic, number)
            assert partition is not None, "a group that joined has its partition"
            if partition.leader != self._node_id:
                raise Refusal(Errors.NOT_LEADER_OR_FOLLOWER)
            yield from self._offsets.end(
                number,
                marker.producer_id,
                marker.producer_epoch,
                marker.transaction_result,
                marker.coordinator_epoch,
                now_ms,
            )
            return
        control = (
            m.ControlRecordType.COMMIT if marker.transaction_result else m.ControlRecordType.ABORT
        )
        batch = m.marker_batch(
            marker.producer_id,
            marker.producer_epoch,
            control,
            marker.coordinator_epoch,
            self._replicas.logs.epoch_ms + now_ms,
        )
        yield from self._replicas.append_marker(topic, number, batch, now_ms)


def _response(
    marker: m.WritableTxnMarker, answers: dict[PartitionKey, m.PartitionProduceResponse]
) -> m.WriteTxnMarkersResponse:
    topics = tuple(
        m.WritableTxnMarkerTopicResult(
            name=topic.name,
            partitions=tuple(
                m.WritableTxnMarkerPartitionResult(
                    partition_index=number, error_code=answers[topic.name, number].error_code
                )
                for number in topic.partition_indexes
            ),
        )
        for topic in marker.topics
    )
    return m.WriteTxnMarkersResponse(
        markers=(m.WritableTxnMarkerResult(producer_id=marker.producer_id, topics=topics),)
    )
