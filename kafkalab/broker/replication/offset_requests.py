"""OffsetRequests: serves LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH and DELETE_RECORDS.

In Kafka these are methods of ReplicaManager and Partition, called by KafkaApis.
"""

from __future__ import annotations

from kafkalab.broker.effects import Appended, Caller
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.steps import Refusal, Step, answers
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.protocol.record_messages import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP
from kafkalab.sim.invariants import check


class OffsetRequests:
    """Serves the three requests about offsets for the partitions that one broker leads
    (ReplicaManager)."""

    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas

    @answers(m.ListOffsetsResponse)
    def list_offsets(
        self, request: m.ListOffsetsRequest, caller: Caller, now_ms: int
    ) -> m.ListOffsetsResponse:
        """Find the offset at which a partition ends (timestamp -1), begins (-2), or reaches a
        timestamp."""
        topics = tuple(
            m.ListOffsetsTopicResponse(
                name=topic.name,
                partitions=tuple(
                    self._offset_of(topic.name, part, request.isolation_level, caller)
                    for part in topic.partitions
                ),
            )
            for topic in request.topics
        )
        return m.ListOffsetsResponse(topics=topics)

    def _offset_of(
        self, topic: str, asked: m.ListOffsetsPartition, isolation_level: int, caller: Caller
    ) -> m.ListOffsetsPartitionResponse:
        replica, error = self._replicas.led_replica(
            topic, asked.partition_index, asked.current_leader_epoch
        )
        if replica is None:
            return m.ListOffsetsPartitionResponse(
                partition_index=asked.partition_index, error_code=error
            )
        log, timestamp_ms = replica.log, -1
        # otherwise the end would go back for the client (KIP-207)
        if asked.timestamp == LATEST_TIMESTAMP and not replica.knows_watermark:
            known = WireChange.OFFSET_NOT_AVAILABLE.holds_for(caller.header)
            error = (Errors.OFFSET_NOT_AVAILABLE if known else Errors.LEADER_NOT_AVAILABLE).code
            return m.ListOffsetsPartitionResponse(
                partition_index=asked.partition_index, error_code=error
            )
        if asked.timestamp == LATEST_TIMESTAMP:
            offset = log.last_stable_offset if isolation_level else log.high_watermark
        elif asked.timestamp == EARLIEST_TIMESTAMP:
            offset = log.log_start_offset
        else:
            found = log.offset_for_timestamp(asked.timestamp)
            if found is None:
                return m.ListOffsetsPartitionResponse(partition_index=asked.partition_index)
            offset, timestamp_ms = found
        check(
            offset >= log.log_start_offset,
            "LIST_OFFSETS of {}-{} answers {}, and its log starts at {}",
            topic,
            asked.partition_index,
            offset,
            log.log_start_offset,
        )
        return m.ListOffsetsPartitionResponse(
            partition_index=asked.partition_index,
            offset=offset,
            timestamp=timestamp_ms,
            leader_epoch=log.epoch_at(offset),
        )

    @answers(m.OffsetForLeaderEpochResponse)
    def offset_for_leader_epoch(
        self, request: m.OffsetForLeaderEpochRequest, caller: Caller, now_ms: int
    ) -> m.OffsetForLeaderEpochResponse:
        """Find the end offset of a leader epoch. A consumer learns by it whether its position was
        truncated away."""
        results = []
        for topic in request.topics:
            ends = []
            for part in topic.partitions:
                replica, error = self._replicas.led_replica(
                    topic.topic, part.partition, part.current_leader_epoch
                )
                if replica is None:
                    ends.append(m.EpochEndOffset(error_code=error, partition=part.partition))
                else:
                    epoch, end = replica.log.end_of_epoch(part.leader_epoch)
                    ends.append(
                        m.EpochEndOffset(
                            partition=part.partition, leader_epoch=epoch, end_offset=end
                        )
                    )
            results.append(m.OffsetForLeaderTopicResult(topic=topic.topic, partitions=tuple(ends)))
        return m.OffsetForLeaderEpochResponse(topics=tuple(results))

    @answers(m.DeleteRecordsResponse)
    def delete_records(
        self, request: m.DeleteRecordsRequest, caller: Caller, now_ms: int
    ) -> Step[m.DeleteRecordsResponse]:
        """Move the log start up to an offset, -1 standing for the high watermark (KIP-107).
        OFFSET_OUT_OF_RANGE beyond it."""
        topics = []
        for topic in request.topics:
            results = []
            for part in topic.partitions:
                try:
                    result = yield from self._delete_before(topic.name, part, now_ms)
                except Refusal as refusal:
                    result = m.DeleteRecordsPartitionResult(
                        partition_index=part.partition_index, error_code=refusal.error.code
                    )
                results.append(result)
            topics.append(m.DeleteRecordsTopicResult(name=topic.name, partitions=tuple(results)))
        return m.DeleteRecordsResponse(topics=tuple(topics))

    def _delete_before(
        self, topic: str, asked: m.DeleteRecordsPartition, now_ms: int
    ) -> Step[m.DeleteRecordsPartitionResult]:
        log = self._replicas.led(topic, asked.partition_index).log
        offset = log.high_watermark if asked.offset == -1 else asked.offset
        if not 0 <= offset <= log.high_watermark:
            raise Refusal(Errors.OFFSET_OUT_OF_RANGE)
        log.begin_at_least(offset)
        yield Appended(topic, asked.partition_index)
        yield from self._replicas.logs.start_moved((topic, asked.partition_index), now_ms)
        return m.DeleteRecordsPartitionResult(
            partition_index=asked.partition_index, low_watermark=log.log_start_offset
        )
