"""TransactionalOffsets: serves TXN_OFFSET_COMMIT; keeps the offsets of open transactions until
their markers.

In Kafka this is part of GroupMetadataManager and GroupCoordinator, in 4.x of OffsetMetadataManager.
The offsets are transactional records in the offsets topic: pending until the marker on the group's
partition, then committed or dropped. Until then a fetch with requireStable (KIP-447) gets
UNSTABLE_OFFSET_COMMIT, so that no consumer begins at an offset that is not decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, Effect, Note, Respond
from kafkalab.broker.groups.any_group import CommittedOffset
from kafkalab.broker.groups.classic.group import ClassicGroup
from kafkalab.broker.groups.classic.group_state import ClassicGroupState
from kafkalab.broker.groups.group_coordinator import GroupCoordinator
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m


class TransactionalOffsets:
    """The pending offsets of one broker's groups (OffsetMetadataManager)."""

    def __init__(
        self, coordinator: GroupCoordinator, cluster: ClusterState, config: BrokerConfig
    ) -> None:
        self._coordinator, self._cluster, self._config = coordinator, cluster, config
        self._epochs = cluster.group_producer_epochs

    def commit(
        self,
        request: m.TxnOffsetCommitRequest,
        caller: Caller,
        now_ms: int,
        refused: Mapping[tuple[str, int], Errors] = MappingProxyType({}),
    ) -> list[Effect]:
        """Store the offsets as pending until the producer's transaction ends. refused: errors of
        the transaction coordinator."""
        error = next(iter(refused.values()), None) or self._error(request)
        if error is Errors.NONE:
            group = self._coordinator.table.find_or_begin(request.group_id)
            self._epochs[
                self._cluster.offsets_partition_of(request.group_id), request.producer_id
            ] = request.producer_epoch
        by_id = WireChange.TXN_OFFSETS_BY_TOPIC_ID.holds_for(caller.header)
        kept: dict[tuple[str, int], CommittedOffset] = {}
        verdicts = [
            [
                error
                if error is not Errors.NONE
                else self._keep(group, request, topic, part, now_ms, kept)
                for part in topic.partitions
            ]
            for topic in request.topics
        ]

        def response(written: Errors) -> m.TxnOffsetCommitResponse:
            return m.TxnOffsetCommitResponse(
                topics=tuple(
                    m.TxnOffsetCommitResponseTopic(
                        name="" if by_id else topic.name,
                        topic_id=topic.topic_id if by_id else m.ZERO_UUID,
                        partitions=tuple(
                            m.TxnOffsetCommitResponsePartition(
                                partition_index=part.partition_index,
                                error_code=(
                                    verdict if verdict is not Errors.NONE else written
                                ).code,
                            )
                            for part, verdict in zip(topic.partitions, of_topic)
                        ),
                    )
                    for topic, of_topic in zip(request.topics, verdicts)
                )
            )

        if not kept:
            return [Respond(caller, response(Errors.NONE))]
        storage = self._coordinator.storage
        written = storage.write_pending(
            group.id, kept, request.producer_id, request.producer_epoch, now_ms
        )
        return [
            *written.effects,
            *storage.answer_when_safe(caller, group.id, written, response, now_ms),
        ]

    def end(
        self,
        partition: int,
        producer_id: int,
        epoch: int,
        committed: bool,
        coordinator_epoch: int,
        now_ms: int,
    ) -> list[Effect]:
        """Apply a marker on a partition of the offsets topic: pending offsets are committed or
        dropped."""
        self._epochs[partition, producer_id] = max(
            epoch, self._epochs.get((partition, producer_id), -1)
        )
        effects = self._coordinator.storage.write_marker(
            partition, producer_id, epoch, committed, coordinator_epoch, now_ms
        )
        for group in self._coordinator.table.all():
            if self._cluster.offsets_partition_of(group.id) != partition:
                continue
            pending = group.pending_offsets.pop(producer_id, {})
            if not committed:
                continue
            for (topic, number), offset in pending.items():
                group.offsets[topic, number] = offset
                effects.append(
                    Note.of(
                        "commit",
                        group=group.id,
                        member="",
                        topic=topic,
                        partition=number,
                        offset=offset.offset,
                        generation=-1,
                        leader_epoch=offset.leader_epoch,
                        metadata=offset.metadata,
                        producer_id=producer_id,
                    )
                )
        return effects

    def _error(self, request: m.TxnOffsetCommitRequest) -> Errors:
        """Why this producer may not commit for the group, NONE where it may
        (validateTransactionalOffsetCommit)."""
        if not self._coordinator.table.coordinates(request.group_id):
            return Errors.NOT_COORDINATOR
        known_epoch = self._epochs.get(
            (self._cluster.offsets_partition_of(request.group_id), request.producer_id), -1
        )
        if request.producer_epoch < known_epoch:
            return Errors.INVALID_PRODUCER_EPOCH
        if request.group_id in self._coordinator.table.modern:
            return self._coordinator.modern.transactional_commit_error(request)
        group = self._coordinator.table.classic.get(request.group_id)
        generation = request.generation_id_or_member_epoch
        if group is None:
            return Errors.NONE if generation < 0 else Errors.ILLEGAL_GENERATION
        if group.state is ClassicGroupState.DEAD:
            return Errors.COORDINATOR_NOT_AVAILABLE
        instance = request.group_instance_id
        if (
            instance is not None
            and group.static_members.get(instance, request.member_id) != request.member_id
        ):
            return Errors.FENCED_INSTANCE_ID
        if request.member_id and request.member_id not in group.members:
            return Errors.UNKNOWN_MEMBER_ID
        return Errors.ILLEGAL_GENERATION if 0 <= generation != group.generation else Errors.NONE

    def _keep(
        self,
        group: ClassicGroup | ConsumerGroup,
        request: m.TxnOffsetCommitRequest,
        topic: m.TxnOffsetCommitRequestTopic,
        part: m.TxnOffsetCommitRequestPartition,
        now_ms: int,
        kept: dict[tuple[str, int], CommittedOffset],
    ) -> Errors:
        name = topic.name or self._cluster.name_of(topic.topic_id)
        if name is None:
            return Errors.UNKNOWN_TOPIC_ID
        if self._cluster.partition(name, part.partition_index) is None:
            return Errors.UNKNOWN_TOPIC_OR_PARTITION
        metadata = part.committed_metadata or ""
        if len(metadata.encode("utf-8")) > self._config.offset_metadata_max_bytes:
            return Errors.OFFSET_METADATA_TOO_LARGE
        pending = group.pending_offsets.setdefault(request.producer_id, {})
        pending[name, part.partition_index] = kept[name, part.partition_index] = CommittedOffset(
            part.committed_offset, part.committed_leader_epoch, metadata, now_ms
        )
        return Errors.NONE
