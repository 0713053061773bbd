"""OffsetMetadataManager: serves OFFSET_COMMIT and OFFSET_FETCH, a group's committed offsets.

Kafka's class is OffsetMetadataManager (4.x), part of GroupCoordinator and GroupMetadataManager
before. Offsets are served from memory. `group_storage` writes their records, and `offset_expiry`
removes old ones.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, Effect, Note
from kafkalab.broker.groups.any_group import CommittedOffset
from kafkalab.broker.groups.classic.group import ClassicGroup, check_member
from kafkalab.broker.groups.classic.group_state import ClassicGroupState
from kafkalab.broker.groups.group_storage import GroupStorage
from kafkalab.broker.groups.group_table import GroupTable
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup
from kafkalab.broker.groups.modern.modern_groups import ModernGroups
from kafkalab.broker.steps import Afterwards, Refusal, Step, answers
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.protocol.connection_messages import ZERO_UUID
from kafkalab.protocol.wire_forms import as_sent

ACCEPTS_COMMITS = (ClassicGroupState.STABLE, ClassicGroupState.PREPARING_REBALANCE)
"""The states in which commits are accepted. In PREPARING_REBALANCE the old owners may still commit
their work."""

NOTHING_COMMITTED = CommittedOffset(-1, -1, "", -1)


def _committed(
    request: m.OffsetCommitRequest, error_of: Callable[[tuple[str, int]], Errors]
) -> m.OffsetCommitResponse:
    return m.OffsetCommitResponse(
        topics=tuple(
            m.OffsetCommitResponseTopic(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=tuple(
                    m.OffsetCommitResponsePartition(
                        partition_index=part.partition_index,
                        error_code=error_of((topic.name, part.partition_index)).code,
                    )
                    for part in topic.partitions
                ),
            )
            for topic in request.topics
        )
    )


def refused_commit(
    request: m.OffsetCommitRequest, caller: Caller, refusal: Refusal
) -> m.OffsetCommitResponse:
    """An OFFSET_COMMIT answer with one error for all partitions."""
    return _committed(request, lambda place: refusal.error)


def refused_fetch(
    request: m.OffsetFetchRequest, caller: Caller, refusal: Refusal
) -> m.OffsetFetchResponse:
    """An OFFSET_FETCH answer with one error for all groups."""
    refused = tuple(
        m.OffsetFetchResponseGroup(group_id=asked.group_id, error_code=refusal.error.code)
        for asked in request.asked
    )
    return _of_groups(refused, caller)


def _of_groups(
    found: tuple[m.OffsetFetchResponseGroup, ...], caller: Caller
) -> m.OffsetFetchResponse:
    answer: m.OffsetFetchResponse = as_sent(
        m.OffsetFetchResponse(groups=found), caller.header.api_version
    )
    return answer


class OffsetMetadataManager:
    """The committed offsets of one broker's groups.

    modern: decides whether a member of a KIP-848 group may commit and fetch. arm_expiry:
    arm_expiry(now_ms) sets the timer that removes expired offsets.
    """

    def __init__(
        self,
        table: GroupTable,
        modern: ModernGroups,
        storage: GroupStorage,
        cluster: ClusterState,
        config: BrokerConfig,
        arm_expiry: Callable[[int], list[Effect]],
    ) -> None:
        self._table, self._modern, self._storage = table, modern, storage
        self._cluster, self._config = cluster, config
        self._arm_expiry = arm_expiry

    @answers(m.OffsetCommitResponse, refused_commit)
    def commit(
        self, request: m.OffsetCommitRequest, caller: Caller, now_ms: int
    ) -> Step[m.OffsetCommitResponse]:
        """Keep the offsets of a member of this generation,
        or of a consumer that belongs to no group."""
        group = self._group(request, caller, now_ms)
        kept: dict[tuple[str, int], CommittedOffset] = {}
        errors: dict[tuple[str, int], Errors] = {}
        for topic in request.topics:
            for part in topic.partitions:
                place = topic.name, part.partition_index
                try:
                    kept[place] = yield from self._keep(group, request, topic.name, part, now_ms)
                except Refusal as refusal:
                    errors[place] = refusal.error
        written = Errors.NONE
        if kept:
            yield Afterwards(self._arm_expiry(now_ms))
            try:
                yield from self._storage.commit(group.id, kept, caller, now_ms)
            except Refusal as refusal:
                written = refusal.error
        return _committed(request, lambda place: errors.get(place, written))

    def _group(
        self, request: m.OffsetCommitRequest, caller: Caller, now_ms: int
    ) -> ClassicGroup | ConsumerGroup:
        """The group of a commit that may be kept."""
        modern = self._table.modern
        group = self._table.find(request.group_id)
        if request.group_id in modern and self._table.coordinates(request.group_id):
            self._modern.check_commit(
                request, WireChange.COMMIT_KNOWS_MEMBER_EPOCHS.holds_for(caller.header)
            )
            return modern[request.group_id]
        self._check(group if isinstance(group, ClassicGroup) else None, request, caller)
        # a consumer that assigns itself partitions only has its offsets stored
        if group is None:
            self._storage.say("GROUP_SIMPLE_CREATED", request.group_id)
        group = self._table.find_or_begin(request.group_id)
        assert isinstance(group, ClassicGroup), "the id is not in the table of the new protocol"
        member = group.members.get(request.member_id)
        if member is not None:
            # a commit is as good as a heartbeat
            member.deadline_ms = now_ms + member.session_timeout_ms
        return group

    def _check(
        self, group: ClassicGroup | None, request: m.OffsetCommitRequest, caller: Caller
    ) -> None:
        """Refuse a commit to a classic group, or to none, that may not be kept
        (OffsetMetadataManager.validateOffsetCommit)."""
        generation = request.generation_id_or_member_epoch
        if not self._table.coordinates(request.group_id):
            raise Refusal(Errors.NOT_COORDINATOR)
        if group is None:
            if generation >= 0:
                named = WireChange.COMMIT_NAMES_MISSING_GROUP.holds_for(caller.header)
                raise Refusal(Errors.GROUP_ID_NOT_FOUND if named else Errors.ILLEGAL_GENERATION)
            return
        if group.state is ClassicGroupState.DEAD:
            raise Refusal(Errors.COORDINATOR_NOT_AVAILABLE)
        if generation < 0 and group.state is ClassicGroupState.EMPTY:
            return
        check_member(group, request.member_id, request.group_instance_id)
        if generation != group.generation:
            raise Refusal(Errors.ILLEGAL_GENERATION)
        if group.state not in ACCEPTS_COMMITS:
            raise Refusal(Errors.REBALANCE_IN_PROGRESS)

    def _keep(
        self,
        group: ClassicGroup | ConsumerGroup,
        request: m.OffsetCommitRequest,
        topic: str,
        part: m.OffsetCommitRequestPartition,
        now_ms: int,
    ) -> Step[CommittedOffset]:
        if self._cluster.partition(topic, part.partition_index) is None:
            raise Refusal(Errors.UNKNOWN_TOPIC_OR_PARTITION)
        metadata = part.committed_metadata or ""
        if len(metadata.encode("utf-8")) > self._config.offset_metadata_max_bytes:
            raise Refusal(Errors.OFFSET_METADATA_TOO_LARGE)
        offset = CommittedOffset(
            part.committed_offset, part.committed_leader_epoch, metadata, now_ms
        )
        group.offsets[topic, part.partition_index] = offset
        yield Note.of(
            "commit",
            group=group.id,
            member=request.member_id,
            topic=topic,
            partition=part.partition_index,
            offset=part.committed_offset,
            generation=request.generation_id_or_member_epoch,
            leader_epoch=part.committed_leader_epoch,
            metadata=metadata,
        )
        return offset

    @answers(m.OffsetFetchResponse, refused_fetch)
    def fetch(
        self, request: m.OffsetFetchRequest, caller: Caller, now_ms: int
    ) -> m.OffsetFetchResponse:
        """Give the committed offsets; -1 for a partition without one."""
        found = tuple(self._group_answer(asked, request.require_stable) for asked in request.asked)
        return _of_groups(found, caller)

    def _group_asked(self, asked: m.OffsetFetchRequestGroup) -> ClassicGroup | ConsumerGroup | None:
        """The group whose offsets may be fetched; None for one without offsets."""
        group = self._table.find(asked.group_id)
        if not self._table.coordinates(asked.group_id):
            raise Refusal(Errors.NOT_COORDINATOR)
        if asked.group_id in self._table.modern:
            self._modern.check_fetch(asked.group_id, asked.member_id, asked.member_epoch)
        if group is not None and group.state is ClassicGroupState.DEAD:
            raise Refusal(Errors.COORDINATOR_NOT_AVAILABLE)
        return group

    def _group_answer(
        self, asked: m.OffsetFetchRequestGroup, require_stable: bool
    ) -> m.OffsetFetchResponseGroup:
        try:
            group = self._group_asked(asked)
        except Refusal as refusal:
            return m.OffsetFetchResponseGroup(
                group_id=asked.group_id, error_code=refusal.error.code
            )
        offsets = group.offsets if group is not None else {}
        wanted: dict[str, list[int]] = {}
        if asked.topics is None:  # no topics in the request: all committed offsets
            for topic, partition in sorted(offsets):
                wanted.setdefault(topic, []).append(partition)
        else:
            wanted = {topic.name: list(topic.partition_indexes) for topic in asked.topics}
        topics, ids = [], {topic.name: topic.topic_id for topic in asked.topics or ()}
        undecided = (
            {place for pending in group.pending_offsets.values() for place in pending}
            if group and require_stable
            else ()
        )
        for topic, partitions in wanted.items():
            answers = []
            for partition in partitions:
                if (
                    topic,
                    partition,
                ) in undecided:  # an open transaction may still change it (KIP-447)
                    answers.append(
                        m.OffsetFetchResponsePartitions(
                            partition_index=partition,
                            committed_offset=-1,
                            committed_leader_epoch=-1,
                            metadata="",
                            error_code=Errors.UNSTABLE_OFFSET_COMMIT.code,
                        )
                    )
                    continue
                known = offsets.get((topic, partition), NOTHING_COMMITTED)
                answers.append(
                    m.OffsetFetchResponsePartitions(
                        partition_index=partition,
                        committed_offset=known.offset,
                        committed_leader_epoch=known.leader_epoch,
                        metadata=known.metadata,
                    )
                )
            topics.append(
                m.OffsetFetchResponseTopics(
                    name=topic, topic_id=ids.get(topic, ZERO_UUID), partitions=tuple(answers)
                )
            )
        return m.OffsetFetchResponseGroup(group_id=asked.group_id, topics=tuple(topics))
