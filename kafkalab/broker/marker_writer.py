"""A transaction has ended: write it down where it was written. WRITE_TXN_MARKERS at the leaders (KafkaApis.handleWriteTxnMarkersRequest)."""

from __future__ import annotations

from kafkalab.broker.cluster import OFFSETS_TOPIC, ClusterState
from kafkalab.broker.effects import Caller, Effect, Respond
from kafkalab.broker.replica_manager import ReplicaManager
from kafkalab.broker.transactional_offsets import TransactionalOffsets
from kafkalab.errors import Errors
from kafkalab.protocol.messages import (
    ControlRecordType,
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
    marker_batch,
)


class MarkerWriter:
    def __init__(self, node_id: int, cluster: ClusterState, replicas: ReplicaManager, offsets: TransactionalOffsets) -> None:
        self._node_id, self._cluster, self._replicas, self._offsets = node_id, cluster, replicas, offsets

    def handle(self, request: WriteTxnMarkersRequest, caller: Caller, now_ms: int) -> list[Effect]:
        """Append each marker to each of its partitions; partitions of the offsets topic pass the word on to their groups."""
        effects: list[Effect] = []
        results = []
        for marker in request.markers:
            topics = []
            for topic in marker.topics:
                answers = []
                for number in topic.partition_indexes:
                    error, more = self._write(marker, topic.name, number, now_ms)
                    effects += more
                    answers.append(WritableTxnMarkerPartitionResult(partition_index=number, error_code=error.code))
                topics.append(WritableTxnMarkerTopicResult(name=topic.name, partitions=tuple(answers)))
            results.append(WritableTxnMarkerResult(producer_id=marker.producer_id, topics=tuple(topics)))
        return [*effects, Respond(caller, WriteTxnMarkersResponse(markers=tuple(results)))]

    def _write(self, marker: WritableTxnMarker, topic: str, number: int, now_ms: int) -> tuple[Errors, list[Effect]]:
        if topic == OFFSETS_TOPIC:
            if self._cluster.partition(topic, number).leader != self._node_id:
                return Errors.NOT_LEADER_OR_FOLLOWER, []
            return Errors.NONE, self._offsets.end(number, marker.producer_id, marker.producer_epoch, marker.transaction_result)
        control = ControlRecordType.COMMIT if marker.transaction_result else ControlRecordType.ABORT
        batch = marker_batch(marker.producer_id, marker.producer_epoch, control, marker.coordinator_epoch, now_ms)
        return self._replicas.append_marker(topic, number, batch, now_ms)
