"""MarkerWriter: serves WRITE_TXN_MARKERS, which writes the markers of ended transactions at
leaders.

In Kafka this is KafkaApis.handleWriteTxnMarkersRequest."""

from __future__ import annotations

from functools import partial

from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC, ClusterState
from kafkalab.broker.effects import Caller, Effect
from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.broker.replication.delayed_produce import WaitingProduce
from kafkalab.broker.replication.replica_manager import ReplicaManager
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

    def handle(
        self, request: m.WriteTxnMarkersRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        """Append each marker to each of its partitions; for a partition of the offsets topic, end
        the pending offsets of its groups."""
        effects: list[Effect] = []
        answers: dict[PartitionKey, m.PartitionProduceResponse] = {}
        required: dict[PartitionKey, int] = {}
        # coordinators of this lab send one transaction's marker in a request
        (marker,) = request.markers
        for topic in marker.topics:
            for number in topic.partition_indexes:
                error, more = self._write(marker, topic.name, number, now_ms)
                effects += more
                answers[topic.name, number] = m.PartitionProduceResponse(
                    index=number, error_code=error.code
                )
                if error is Errors.NONE and topic.name != OFFSETS_TOPIC:
                    replica, _ = self._replicas.led_replica(topic.name, number)
                    assert replica is not None, "the leader has just appended the marker"
                    required[topic.name, number] = replica.log.log_end_offset
        waiting = WaitingProduce(caller, required, answers, partial(_response, marker))
        return effects + self._replicas.produces.add(waiting, now_ms + WAITS_MS)

    def _write(
        self, marker: m.WritableTxnMarker, topic: str, number: int, now_ms: int
    ) -> tuple[Errors, list[Effect]]:
        if topic == OFFSETS_TOPIC:
            partition = self._cluster.partition(topic, number)
            assert partition is not None, "a group that joined has its partition"
            if partition.leader != self._node_id:
                return Errors.NOT_LEADER_OR_FOLLOWER, []
            return Errors.NONE, self._offsets.end(
                number,
                marker.producer_id,
                marker.producer_epoch,
                marker.transaction_result,
                marker.coordinator_epoch,
                now_ms,
            )
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
        return self._replicas.append_marker(topic, number, batch, now_ms)


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
