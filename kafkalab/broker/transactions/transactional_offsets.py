"""TransactionalOffsets: serves TXN_OFFSET_COMMIT; keeps the offsets of open transactions until
their markers.

In Kafka this is part of GroupMetadataManager and GroupCoordinator, in 4.x of OffsetMetadataManager.
The offsets are transactional records in the offsets topic: pending until the marker on the group's
partition, then committed or dropped. Until then a fetch with requireStable (KIP-447) gets
UNSTABLE_OFFSET_COMMIT, so that no consumer begins at an offset that is not decided.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, Effect, Note
from kafkalab.broker.groups.any_group import CommittedOffset
from kafkalab.broker.groups.classic.group_state import ClassicGroupState
from kafkalab.broker.groups.group_coordinator import GroupCoordinator
from kafkalab.broker.steps import Refusal, Step
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m

Asked = tuple[str, str, int]
"""The name or the id of a topic as the request has them, and a partition's number."""


def _committed(
    request: m.TxnOffsetCommitRequest, caller: Caller, error_of: Callable[[Asked], Errors]
) -> m.TxnOffsetCommitResponse:
    by_id = WireChange.TXN_OFFSETS_BY_TOPIC_ID.holds_for(caller.header)
    return m.TxnOffsetCommitResponse(
        topics=tuple(
            m.TxnOffsetCommitResponseTopic(
                name="" if by_id else topic.name,
                topic_id=topic.topic_id if by_id else m.ZERO_UUID,
                partitions=tuple(
                    m.TxnOffsetCommitResponsePartition(
                        partition_index=part.partition_index,
                        error_code=error_of(
                            (topic.name, topic.topic_id, part.partition_index)
                        ).code,
                    )
                    for part in topic.partitions
                ),
            )
            for topic in request.topics
        )
    )


def refused_txn_commit(
    request: m.TxnOffsetCommitRequest, caller: Caller, refusal: Refusal
) -> m.TxnOffsetCommitResponse:
    """A TXN_OFFSET_COMMIT answer with one error for all partitions."""
    return _committed(request, caller, lambda asked: refusal.error)


class TransactionalOffsets:
    """The pending offsets of one broker's groups (OffsetMetadataManager)."""

    def __init__(
        self, coordinator: GroupCoordinator, cluster: ClusterState, config: BrokerConfig
    ) -> None:
        self._coordinator, self._cluster, self._config = coordinator, cluster, config
        self._epochs = cluster.group_producer_epochs

    def commit(
        self, request: m.TxnOffsetCommitRequest, caller: Caller, now_ms: int
    ) -> Step[m.TxnOffsetCommitResponse]:
        """Store the offsets as pending until the producer's transaction ends."""
        self._check(request)
        group = self._coordinator.table.find_or_begin(request.group_id)
        producer = request.producer_id, request.producer_epoch
        self._epochs[self._cluster.offsets_partition_of(group.id), producer[0]] = producer[1]
        kept: dict[tuple[str, int], CommittedOffset] = {}
        errors: dict[Asked, Errors] = {}
        for topic in request.topics:
            for part in topic.partitions:
                try:
                    name = self._name_of(topic, part)
                    kept[name, part.partition_index] = self._offset(part, now_ms)
                except Refusal as refusal:
                    errors[topic.name, topic.topic_id, part.partition_index] = refusal.error
        written = Errors.NONE
        if kept:
            group.pending_offsets.setdefault(producer[0], {}).update(kept)
            try:
                storage = self._coordinator.storage
                yield from storage.commit(group.id, kept, caller, now_ms, producer)
            except Refusal as refusal:
                written = refusal.error
        return _committed(request, caller, lambda asked: errors.get(asked, written))

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

    def _check(self, request: m.TxnOffsetCommitRequest) -> None:
        """Refuse a producer that may not commit for the group
        (validateTransactionalOffsetCommit)."""
        if not self._coordinator.table.coordinates(request.group_id):
            raise Refusal(Errors.NOT_COORDINATOR)
        known_epoch = self._epochs.get(
            (self._cluster.offsets_partition_of(request.group_id), request.producer_id), -1
        )
        if request.producer_epoch < known_epoch:
            raise Refusal(Errors.INVALID_PRODUCER_EPOCH)
        if request.group_id in self._coordinator.table.modern:
            self._coordinator.modern.check_transactional_commit(request)
            return
        group = self._coordinator.table.classic.get(request.group_id)
        generation = request.generation_id_or_member_epoch
        if group is None:
            if generation >= 0:
                raise Refusal(Errors.ILLEGAL_GENERATION)
            return
        if group.state is ClassicGroupState.DEAD:
            raise Refusal(Errors.COORDINATOR_NOT_AVAILABLE)
        instance = request.group_instance_id
        if (
            instance is not None
            and group.static_members.get(instance, request.member_id) != request.member_id
        ):
            raise Refusal(Errors.FENCED_INSTANCE_ID)
        if request.member_id and request.member_id not in group.members:
            raise Refusal(Errors.UNKNOWN_MEMBER_ID)
        if 0 <= generation != group.generation:
            raise Refusal(Errors.ILLEGAL_GENERATION)

    def _name_of(
        self, topic: m.TxnOffsetCommitRequestTopic, part: m.TxnOffsetCommitRequestPartition
    ) -> str:
        name = topic.name or self._cluster.name_of(topic.topic_id)
        if name is None:
            raise Refusal(Errors.UNKNOWN_TOPIC_ID)
        if self._cluster.partition(name, part.partition_index) is None:
            raise Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION)
        return name

    def _offset(self, part: m.TxnOffsetCommitRequestPartition, now_ms: int) -> CommittedOffset:
        metadata = part.committed_metadata or ""
        if len(metadata.encode("utf-8")) > self._config.offset_metadata_max_bytes:
            raise Refusal(Errors.OFFSET_METADATA_TOO_LARGE)
        return CommittedOffset(part.committed_offset, part.committed_leader_epoch, metadata, now_ms)
