"""Lays out the tables of kafka-consumer-groups (ConsumerGroupCommand), as the tools of 2.3 and 4.x
do.

Widths and headings come from the real tools' output. A column grows with its values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kafkalab.reading.history.group_rows import (
    MISSING,
    MemberRow,
    OffsetRow,
)
from kafkalab.records import TopicPartition, by_topic


class Column(NamedTuple):
    """A column of a tool's table.

    width  0 for the last column, which is not padded
    grows  whether the column is as wide as its widest value
    """

    heading: str
    width: int
    grows: bool = False


def table(columns: Sequence[Column], rows: Iterable[Sequence[object]], end: str = "") -> str:
    """A heading and its rows.

    Each begins with a line break and ends with `end`, as the tools' printf does.
    """
    texts = [[MISSING if value is None else str(value) for value in row] for row in rows]
    widths = [
        max([column.width, *(len(row[i]) for row in texts)]) if column.grows else column.width
        for i, column in enumerate(columns)
    ]
    lines = [[column.heading for column in columns], *texts]
    return (
        "".join(
            "\n" + " ".join(value.ljust(width) for value, width in zip(line, widths)) + end
            for line in lines
        )
        + "\n"
    )


def offsets_table(group: str, rows: Sequence[OffsetRow], with_epoch: bool) -> str:
    epoch = [Column("LEADER-EPOCH", 15)] if with_epoch else []
    columns = [
        Column("GROUP", 15, True),
        Column("TOPIC", 15, True),
        Column("PARTITION", 10),
        *epoch,
        Column("CURRENT-OFFSET", 15),
        Column("LOG-END-OFFSET", 15),
        Column("LAG", 15),
        Column("CONSUMER-ID", 15, True),
        Column("HOST", 15, True),
        Column("CLIENT-ID", 0),
    ]
    return table(
        columns,
        (
            [
                group,
                row.topic,
                row.partition,
                *([row.leader_epoch] if with_epoch else []),
                row.current_offset,
                row.log_end_offset,
                row.lag,
                row.consumer,
                row.host,
                row.client,
            ]
            for row in rows
        ),
    )


def assigned(
    partitions: Iterable[TopicPartition], form: str = "{}:{}", between: str = ";"
) -> str | None:
    """`t4:0,1;t5:2`, the partitions of a member; None where it has none."""
    topics = by_topic(sorted(partitions)).items()
    return between.join(form.format(t, ",".join(map(str, own))) for t, own in topics) or None


def _instance(rows: Sequence[MemberRow]) -> list[Column]:
    return [Column("GROUP-INSTANCE-ID", 17, True)] if any(row.instance for row in rows) else []


def _members(
    group: str,
    rows: Sequence[MemberRow],
    instance: list[Column],
    extra: Sequence[Column],
    values: Callable[[MemberRow], Sequence[object]],
    end: str,
) -> str:
    columns = [
        Column("GROUP", 15, True),
        Column("CONSUMER-ID", 15, True),
        *instance,
        Column("HOST", 15, True),
        Column("CLIENT-ID", 15, True),
        Column("#PARTITIONS", 15),
        *extra,
    ]
    return table(
        columns,
        (
            [
                group,
                row.consumer,
                *([row.instance] if instance else []),
                row.host,
                row.client,
                len(row.partitions),
                *values(row),
            ]
            for row in rows
        ),
        end,
    )


def members_without_instance_ids(group: str, rows: Sequence[MemberRow], verbose: bool) -> str:
    """The members' table of 2.3. Without members it is empty.

    It has no names of static members: KIP-345 came with 2.3, its column with 2.4.
    """
    if not rows:
        return ""

    def assignment(row: MemberRow) -> list[str | None]:
        return [assigned(row.partitions, "{}({})", ", ")]

    if verbose:
        return _members(group, rows, [], [Column("ASSIGNMENT", 0)], assignment, "")
    return _members(group, rows, [], [], lambda row: [], " ")


def members_with_epochs(group: str, rows: Sequence[MemberRow], verbose: bool) -> str:
    """The members' table of 4.x.

    Only members of the new protocol (KIP-848) have epochs and targets.
    """
    if not verbose:
        return _members(group, rows, _instance(rows), [], lambda row: [], " ")
    extra = [
        Column("CURRENT-EPOCH", 15),
        Column("CURRENT-ASSIGNMENT", 20),
        Column("TARGET-EPOCH", 15),
        Column("TARGET-ASSIGNMENT", 20),
    ]

    def values(row: MemberRow) -> list[object]:
        current, target = assigned(row.partitions), assigned(row.target or ())
        return [row.epoch, current, row.target_epoch, target]

    return _members(group, rows, _instance(rows), extra, values, "")


def state_without_epochs(
    group: str, described: Mapping[str, Any], address: str, verbose: bool
) -> str:
    coordinator = f"{address} ({described['coordinator']})"
    width = max(25, len(coordinator))
    columns = [
        Column("GROUP", width),
        Column("COORDINATOR (ID)", 25),
        Column("ASSIGNMENT-STRATEGY", 20),
        Column("STATE", 15),
        Column("#MEMBERS", 0),
    ]
    return table(
        columns,
        [
            [
                group,
                coordinator,
                described["strategy"],
                described["state"],
                len(described["members"]),
            ]
        ],
    )


def state_with_epochs(group: str, described: Mapping[str, Any], address: str, verbose: bool) -> str:
    coordinator = f"{address}  ({described['coordinator']})"
    epochs = [Column("GROUP-EPOCH", 15), Column("TARGET-ASSIGNMENT-EPOCH", 25)] if verbose else []
    columns = [
        Column("GROUP", 15, True),
        Column("COORDINATOR (ID)", 25, True),
        Column("ASSIGNMENT-STRATEGY", 20),
        Column("STATE", 20),
        *epochs,
        Column("#MEMBERS", 0),
    ]
    new_protocol = described["type"] == "consumer"
    shown = (
        [described["generation"], described.get("target_epoch")] if new_protocol else [None, None]
    )
    return table(
        columns,
        [
            [
                group,
                coordinator,
                described["strategy"] or MISSING,
                described["state"],
                *(shown if verbose else []),
                len(described["members"]),
            ]
        ],
    )


def reset_table(offsets: Iterable[tuple[str, str, int, int]]) -> str:
    """The table of new offsets. Each row is (group, topic, partition, new offset)."""
    columns = [
        Column("GROUP", 30),
        Column("TOPIC", 30),
        Column("PARTITION", 10),
        Column("NEW-OFFSET", 15),
    ]
    return table(columns, offsets)


MEMBERS: Mapping[str, Callable[[str, Sequence[MemberRow], bool], str]] = {
    "without instance ids": members_without_instance_ids,
    "with epochs": members_with_epochs,
}
"""`Tools.members` -> the table of --members."""
STATE: Mapping[str, Callable[[str, Mapping[str, Any], str, bool], str]] = {
    "without epochs": state_without_epochs,
    "with epochs": state_with_epochs,
}
"""`Tools.state` -> the table of --state."""
