"""GroupStorage: writes a group's records to `__consumer_offsets` and reads them back.

Kafka writes a group's record when the leader's assignment arrives and when the group becomes empty,
and an offset's with each commit. The next leader of the partition reads it from the start
(GroupMetadataManager.storeGroup and loadGroupsAndOffsets; CoordinatorLoader in 4.x): a rebalance in
progress is lost, the group has its last settled generation, and every session begins again. While
it reads, it answers COORDINATOR_LOAD_IN_PROGRESS. A commit is answered when its record is
replicated; no answer waits for a group's record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.effects import Caller, Effect, Note, SetTimer
from kafkalab.broker.groups.any_group import CommittedOffset, Place
from kafkalab.broker.groups.classic.group import ClassicGroup, classic_member_fields
from kafkalab.broker.groups.group_lines import GroupLines
from kafkalab.broker.groups.group_table import GroupTable
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup
from kafkalab.broker.groups.offsets_log import OffsetsLog, told_to_members
from kafkalab.broker.groups.offsets_records import (
    OffsetsReader,
    SizedRecord,
    coordinator_batch,
    group_entry,
    offset_entry,
)
from kafkalab.broker.steps import Step, unheard
from kafkalab.hashing import coordinator_partition
from kafkalab.protocol.messages import ControlRecordType, marker_batch


class GroupStorage:
    """The records of one broker's groups (GroupMetadataManager).

    loading: partitions of the offsets topic that are being read, and since when.
    say: the coordinator's part of the server.log.
    epoch_of: gives the leader epoch of a partition of the offsets topic.
    """

    def __init__(
        self,
        table: GroupTable,
        config: BrokerConfig,
        log: OffsetsLog,
        say: GroupLines,
        epoch_of: Callable[[int], int],
    ) -> None:
        self.loading: dict[int, int] = {}
        self._table, self._config, self._log = table, config, log
        self.say, self._epoch_of = say, epoch_of

    def partition_of(self, group_id: str) -> int:
        return coordinator_partition(group_id, self._config.offsets_topic_num_partitions)

    # -- writing

    def write_group(self, group: ClassicGroup, now_ms: int, gone: bool = False) -> Step[None]:
        """Write a group's record, or its tombstone where the group is gone. Refuses with what a
        member is told where it cannot be written (storeGroup's callback)."""
        batch = coordinator_batch([group_entry(group, now_ms, gone)])
        with told_to_members():
            yield from self._log.append(self.partition_of(group.id), batch, now_ms)

    def commit(
        self,
        group_id: str,
        offsets: Mapping[Place, CommittedOffset],
        caller: Caller,
        now_ms: int,
        producer: tuple[int, int] = (-1, -1),
    ) -> Step[None]:
        """Write offsets for a caller, and wait until they are replicated. Those of a producer
        become valid when its transaction is committed."""
        entries = [
            offset_entry(group_id, *place, offset, now_ms) for place, offset in offsets.items()
        ]
        batch = coordinator_batch(entries, *producer)
        yield from self._log.commit(self.partition_of(group_id), batch, caller, now_ms)

    def write_marker(
        self,
        partition: int,
        producer_id: int,
        epoch: int,
        committed: bool,
        coordinator_epoch: int,
        now_ms: int,
    ) -> list[Effect]:
        outcome = ControlRecordType.COMMIT if committed else ControlRecordType.ABORT
        marker = marker_batch(producer_id, epoch, outcome, coordinator_epoch, now_ms)
        return unheard(self._log.append(partition, marker, now_ms))

    def remove_offsets(
        self, group: ClassicGroup | ConsumerGroup, places: Iterable[Place], reason: str, now_ms: int
    ) -> list[Effect]:
        """Remove expired or deleted offsets, and write their tombstones."""
        gone = list(places)
        for place in gone:
            del group.offsets[place]
        notes: list[Effect] = [
            Note.of(
                "offset.removed", group=group.id, topic=topic, partition=partition, reason=reason
            )
            for topic, partition in gone
        ]
        entries = [offset_entry(group.id, *place, None, now_ms) for place in gone]
        return notes + self._append(group.id, entries, now_ms)

    def remove_group(self, group: ClassicGroup, now_ms: int) -> list[Effect]:
        """Write tombstones for all records of a group."""
        entries = [offset_entry(group.id, *place, None, now_ms) for place in group.offsets]
        return self._append(group.id, [*entries, group_entry(group, now_ms, gone=True)], now_ms)

    def remove_all_offsets(self, group: ConsumerGroup, now_ms: int) -> list[Effect]:
        """Write tombstones for all offsets of a group of the newer protocol."""
        entries = [offset_entry(group.id, *place, None, now_ms) for place in group.offsets]
        return self._append(group.id, entries, now_ms)

    def _append(self, group_id: str, entries: list[SizedRecord], now_ms: int) -> list[Effect]:
        """Write records for which nobody waits."""
        if not entries:
            return []
        batch = coordinator_batch(entries)
        return unheard(self._log.append(self.partition_of(group_id), batch, now_ms))

    # -- reading

    def begin_loading(self, partition: int, takes_ms: int, now_ms: int) -> list[Effect]:
        """Begin to read a partition of the offsets topic that this broker leads from now on; it
        takes `takes_ms`."""
        self.loading[partition] = now_ms
        return [SetTimer(("load", partition), now_ms + takes_ms)]

    def load(self, partition: int, now_ms: int) -> list[Effect]:
        """Read every group from its last record; all sessions begin again."""
        begun_ms = self.loading.pop(partition, now_ms)
        groups, modern = self._table.classic, self._table.modern
        for id in [id for id in groups if self.partition_of(id) == partition]:
            del groups[id]
        effects: list[Effect] = []
        batches = tuple(self._log.batches(partition))
        for id, group in OffsetsReader().read(batches, now_ms).items():
            if id in modern:
                modern[id].offsets = group.offsets
                modern[id].pending_offsets = group.pending_offsets
                continue
            groups[id] = group
            effects.append(loaded_note(group))
            self.say("GROUP_LOADED", id, generation=group.generation, count=len(group.members))
            effects += [
                SetTimer(("session", id, member.id), member.deadline_ms)
                for member in group.members.values()
            ]
        self.say.log(
            "GROUPS_READ",
            index=partition,
            epoch=self._epoch_of(partition),
            elapsed_ms=now_ms - begun_ms,
            scheduler_ms=0,
            count=sum(len(batch.records) for batch in batches),
            size=sum(batch.size_bytes for batch in batches),
        )
        return effects

    def partitions(self) -> tuple[int, ...]:
        return self._log.partitions()

    def process_died(self) -> None:
        """Drop the state in memory: the process has died."""
        self.loading.clear()
        self._table.classic.clear()


def loaded_note(group: ClassicGroup) -> Note:
    """The journal's note of a group that its coordinator has read back."""
    return Note.of(
        "group.loaded",
        group=group.id,
        state=group.state.value,
        generation=group.generation,
        protocol_type=group.protocol_type,
        protocol=group.protocol,
        leader=group.leader,
        members=[classic_member_fields(one) for one in group.members.values()],
        offsets=[
            {
                "topic": topic,
                "partition": partition,
                "offset": kept.offset,
                "leader_epoch": kept.leader_epoch,
                "metadata": kept.metadata,
                "committed_at_ms": kept.committed_at_ms,
            }
            for (topic, partition), kept in group.offsets.items()
        ],
    )
