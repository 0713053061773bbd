"""Selects the lines of some events and orders them by client, for all frames of log sets.

A log set that Spark wrote is in pieces, part-00000…: together they are one log. A client is
identified by its log, kind and client id. A group or a topic is identified by the folder of its
logs, because members of a group usually write one log each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

CLIENT = ("file", "kind", "client_id")
# A client's own order is by place, not by time: clocks are set back, and many lines share a
# millisecond.
PLACE = ("part", "file_offset")
PART = r"[/\\]part-[^/\\]*$"
FOLDER = r"[/\\][^/\\]*$"


def lines_of(lines: DataFrame, events: Iterable[str], *columns: str) -> DataFrame:
    """The lines of these events.

    file (of a log in parts: its folder), folder, part, file_offset, time, kind, client_id, event,
    and the named columns.
    """
    always = ("file", "file_offset", "time", "kind", "client_id", "event")
    log = F.regexp_replace("file", PART, "")
    return (
        lines.where(F.col("event").isin(*events))
        .select(*always, *columns)
        .withColumns({"part": F.col("file"), "folder": folder(), "file": log})
    )


def in_turn(*keys: str) -> WindowSpec:
    """A client's lines (or those of its keys, a partition for instance) as it wrote them."""
    return Window.partitionBy(*CLIENT, *keys).orderBy(*PLACE)


def so_far(*keys: str) -> WindowSpec:
    """The window of in_turn from the first line up to this one."""
    return in_turn(*keys).rowsBetween(Window.unboundedPreceding, Window.currentRow)


def before(*keys: str) -> WindowSpec:
    """The window of in_turn from the first line up to the one before."""
    return in_turn(*keys).rowsBetween(Window.unboundedPreceding, -1)


def folder() -> Column:
    """The folder of the logs that may be about the same group."""
    return F.regexp_replace(F.regexp_replace("file", PART, ""), FOLDER, "").alias("folder")


def found(pattern: str, group: int = 1, column: str = "message") -> Column:
    """The group of a pattern in the message; null where it does not match."""
    text = F.regexp_extract(column, pattern, group)
    return F.when(text != "", text)


def number(pattern: str, group: int = 1, column: str = "message") -> Column:
    """As `found`, as a whole number."""
    return found(pattern, group, column).cast("bigint")


def span(text: str) -> Column:
    """`5 minutes` as an interval."""
    return F.expr(f"interval {text}")


def clustered(events: DataFrame, gap: str, *keys: str, until: str = "time") -> DataFrame:
    """Add `cluster`, a number that rises after each `gap` without an event of the same keys.

    until: the column that tells when an event ends.
    """
    of_keys = Window.partitionBy(*keys).orderBy("time")
    before = of_keys.rowsBetween(Window.unboundedPreceding, -1)
    silence = F.col("time") > F.max(until).over(before) + span(gap)
    return (
        events.withColumn("silence", silence)
        .withColumn("cluster", F.count_if("silence").over(of_keys))
        .drop("silence")
    )


def ms_between(begin: str | Column, end: str | Column) -> Column:
    """Milliseconds from one time to another."""
    begin, end = (F.col(name) if isinstance(name, str) else name for name in (begin, end))
    return F.unix_millis(end) - F.unix_millis(begin)
