"""Reads the rows of kafka-consumer-groups' tables from the state
(ConsumerGroupCommand.collectGroups...).

A partition's lag is its log end offset minus the committed offset. It has none without a committed
offset. Rows come by member, members with most partitions first, then the partitions without a
member. Within this they have the iteration order of Java's hash map.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kafkalab.clients.network.hash_order import partitions_in_hash_order
from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.records import TopicPartition

MISSING = "-"
"""The text that the tools print for a missing value."""


class OffsetRow(NamedTuple):
    """One partition of a group.

    consumer, host and client are MISSING where no member has it. Unknown numbers are None.
    """

    topic: str
    partition: int
    leader_epoch: int | None
    current_offset: int | None
    log_end_offset: int | None
    consumer: str
    host: str
    client: str

    @property
    def lag(self) -> int | None:
        if self.current_offset is None or self.log_end_offset is None:
            return None
        return self.log_end_offset - self.current_offset


class MemberRow(NamedTuple):
    """One member of a group. epochs and target belong to the new protocol (KIP-848), else None."""

    consumer: str
    instance: str
    host: str
    client: str
    partitions: tuple[TopicPartition, ...]
    epoch: int | None = None
    target_epoch: int | None = None
    target: tuple[TopicPartition, ...] | None = None


def partition_of(text: str) -> TopicPartition:
    topic, _, number = text.rpartition("-")
    return TopicPartition(topic, int(number))


def offset_rows(
    state: Mapping[str, Any], group: Mapping[str, Any], by_number: bool = False
) -> list[OffsetRow]:
    """One row per partition of a group.

    by_number: sort a member's partitions by number (2.3), not by the order of a hash map.
    """
    rows, owned = [], set()
    for id, member in sorted(_members(group), key=lambda item: -len(item[1]["assignment"])):
        partitions = [partition_of(text) for text in member["assignment"]]
        owned.update(partitions)
        ordered = (
            sorted(partitions, key=lambda tp: tp.partition)
            if by_number
            else partitions_in_hash_order(partitions)
        )
        rows += [_row(state, group, tp, id, member["host"], member["client_id"]) for tp in ordered]
    orphans = [tp for tp in map(partition_of, group["offsets"]) if tp not in owned]
    return rows + [
        _row(state, group, tp, MISSING, MISSING, MISSING)
        for tp in partitions_in_hash_order(orphans)
    ]


def _row(
    state: Mapping[str, Any],
    group: Mapping[str, Any],
    tp: TopicPartition,
    consumer: str,
    host: str,
    client: str,
) -> OffsetRow:
    committed, place = group["offsets"].get(str(tp)), state["partitions"].get(str(tp))
    epoch = committed["leader_epoch"] if committed and committed["leader_epoch"] >= 0 else None
    return OffsetRow(
        tp.topic,
        tp.partition,
        epoch,
        committed["offset"] if committed else None,
        place["high_watermark"] if place else None,
        consumer,
        host,
        client,
    )


def member_rows(group: Mapping[str, Any]) -> list[MemberRow]:
    return [
        MemberRow(
            id,
            member["instance_id"] or "",
            member["host"],
            member["client_id"],
            tuple(map(partition_of, member["assignment"])),
            member.get("member_epoch"),
            group.get("target_epoch"),
            tuple(map(partition_of, member["target"])) if "target" in member else None,
        )
        for id, member in _members(group)
    ]


def _members(group: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The members in the iteration order of the coordinator's hash map."""
    return [(id, group["members"][id]) for id in hash_map_order(group["members"], java_string_hash)]
