"""GroupStorage: what of a group outlives its coordinator, in the partitions of
`__consumer_offsets`.

Kafka writes a group's record when the leader's assignment arrives and when the group becomes empty,
and an offset's with each commit. Whoever leads the partition next reads it from the start
(GroupMetadataManager.storeGroup and loadGroupsAndOffsets; CoordinatorLoader in 4.x): a rebalance in
progress is forgotten, the group is back in its last settled generation, and every session begins
anew. Until it has read, it answers COORDINATOR_LOAD_IN_PROGRESS. A commit waits until its record is
safe; a group's record is not waited for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.effects import Caller, Effect, Note, SetTimer
from kafkalab.broker.groups.any_group import CommittedOffset, Place
from kafkalab.broker.groups.classic.group import ClassicGroup, told_of
from kafkalab.broker.groups.group_table import GroupTable
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup
from kafkalab.broker.groups.offsets_log import OffsetsLog, Written
from kafkalab.broker.groups.offsets_records import (
    OffsetsReader,
    SizedRecord,
    batch_of,
    group_entry,
    offset_entry,
)
from kafkalab.errors import Errors
from kafkalab.hashing import coordinator_partition
from kafkalab.protocol.messages import ControlRecordType, marker_batch


class GroupStorage:
    """The records of one broker's groups.

    loading: partitions of the offsets topic that are being read.
    """

    def __init__(self, table: GroupTable, config: BrokerConfig, log: OffsetsLog) -> None:
        self.loading: dict[int, None] = {}
        self._table, self._config, self._log = table, config, log

    def partition_of(self, group_id: str) -> int:
        return coordinator_partition(group_id, self._config.offsets_topic_num_partitions)

    # -- writing

    def write_group(self, group: ClassicGroup, now_ms: int) -> list[Effect]:
        return self._append(group.id, [group_entry(group, now_ms)], now_ms).effects

    def write_offsets(
        self, group_id: str, offsets: Mapping[Place, CommittedOffset], now_ms: int
    ) -> Written:
        return self._append(
            group_id,
            [offset_entry(group_id, *place, offset, now_ms) for place, offset in offsets.items()],
            now_ms,
        )

    def write_pending(
        self,
        group_id: str,
        offsets: Mapping[Place, CommittedOffset],
        producer_id: int,
        epoch: int,
        now_ms: int,
    ) -> Written:
        """Offsets that count when the producer's transaction is committed."""
        entries = [
            offset_entry(group_id, *place, offset, now_ms) for place, offset in offsets.items()
        ]
        return self._log.append(
            self.partition_of(group_id), batch_of(entries, producer_id, epoch), now_ms
        )

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
        return self._log.append(
            partition, marker_batch(producer_id, epoch, outcome, coordinator_epoch, now_ms), now_ms
        ).effects

    def answer_when_safe(
        self, caller: Caller, group_id: str, written: Written, response: Any, now_ms: int
    ) -> list[Effect]:
        return self._log.answer_when_safe(
            caller, self.partition_of(group_id), written, response, now_ms
        )

    def remove_offsets(
        self, group: ClassicGroup | ConsumerGroup, places: Iterable[Place], reason: str, now_ms: int
    ) -> list[Effect]:
        """Tombstones for offsets that are expired or deleted."""
        gone = list(places)
        for place in gone:
            del group.offsets[place]
        notes: list[Effect] = [
            Note(
                "offset.removed",
                {"group": group.id, "topic": topic, "partition": partition, "reason": reason},
            )
            for topic, partition in gone
        ]
        return (
            notes
            + self._append(
                group.id, [offset_entry(group.id, *place, None, now_ms) for place in gone], now_ms
            ).effects
        )

    def remove_group(self, group: ClassicGroup, now_ms: int) -> list[Effect]:
        """Tombstones for all that there is of it."""
        entries = [offset_entry(group.id, *place, None, now_ms) for place in group.offsets]
        return self._append(
            group.id, [*entries, group_entry(group, now_ms, gone=True)], now_ms
        ).effects

    def remove_all_offsets(self, group: ConsumerGroup, now_ms: int) -> list[Effect]:
        """Tombstones for all that the topic has of a group of the newer protocol."""
        return self._append(
            group.id,
            [offset_entry(group.id, *place, None, now_ms) for place in group.offsets],
            now_ms,
        ).effects

    def _append(self, group_id: str, entries: list[SizedRecord], now_ms: int) -> Written:
        if not entries:
            return Written(Errors.NONE, 0, [])
        return self._log.append(self.partition_of(group_id), batch_of(entries), now_ms)

    # -- reading

    def begin_loading(self, partition: int, takes_ms: int, now_ms: int) -> list[Effect]:
        """This broker leads a partition of the offsets topic from now on,
        and will have read it after `takes_ms`."""
        self.loading[partition] = None
        return [SetTimer(("load", partition), now_ms + takes_ms)]

    def load(self, partition: int, now_ms: int) -> list[Effect]:
        """Every group as its last record says, all sessions new."""
        self.loading.pop(partition, None)
        groups, modern = self._table.classic, self._table.modern
        for id in [id for id in groups if self.partition_of(id) == partition]:
            del groups[id]
        effects: list[Effect] = []
        for id, group in OffsetsReader().read(self._log.batches(partition), now_ms).items():
            if id in modern:
                modern[id].offsets, modern[id].pending_offsets = (
                    group.offsets,
                    group.pending_offsets,
                )
                continue
            groups[id] = group
            effects.append(loaded_note(group))
            effects += [
                SetTimer(("session", id, member.id), member.deadline_ms)
                for member in group.members.values()
            ]
        return effects

    def partitions(self) -> tuple[int, ...]:
        return self._log.partitions()

    def process_died(self) -> None:
        """What was in memory is gone."""
        self.loading.clear()
        self._table.classic.clear()


def loaded_note(group: ClassicGroup) -> Note:
    """A group as its coordinator read it back, for the journal."""
    return Note(
        "group.loaded",
        {
            "group": group.id,
            "state": group.state.value,
            "generation": group.generation,
            "protocol_type": group.protocol_type,
            "protocol": group.protocol,
            "leader": group.leader,
            "members": [told_of(one) for one in group.members.values()],
            "offsets": [
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
        },
    )
