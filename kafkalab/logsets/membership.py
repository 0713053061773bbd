"""Tells who came to a group and who left it, from the lines of one client: the group's leader.

Under the classic protocol the leader prints each assignment with the member ids. The difference of
two generations names who came and who went. Under KIP-848 the broker assigns, and no client knows
the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import lines_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

EVENTS = ("FINISHED_ASSIGNMENT",)
MEMBER = r"([^\s{,=]+)=Assignment\("
# A member id is the client id (or group.instance.id) and a random UUID.
UUID = r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"


def membership(lines: DataFrame) -> DataFrame:
    """One row for each assignment that a leader printed.

    folder, group_id, generation, assigned_at, leader (its client id), members, came, gone. Names
    are client ids; a client that came again with a new member id is in both `came` and `gone`.
    """
    printed = lines_of(lines, EVENTS, "group_id", "generation", "message")
    ids = F.array_sort(F.regexp_extract_all("message", F.lit(MEMBER), 1))
    order = Window.partitionBy("folder", "group_id").orderBy("time", "generation")
    before = F.coalesce(F.lag("ids").over(order), F.array().cast("array<string>"))
    return (
        printed.withColumn("ids", ids)
        .withColumn("before", before)
        .select(
            "folder",
            "group_id",
            "generation",
            F.col("time").alias("assigned_at"),
            F.col("client_id").alias("leader"),
            _names(F.col("ids")).alias("members"),
            _names(F.array_sort(F.array_except("ids", "before"))).alias("came"),
            _names(F.array_sort(F.array_except("before", "ids"))).alias("gone"),
        )
    )


def _names(ids: Column) -> Column:
    return F.transform(ids, lambda id: F.regexp_replace(id, UUID, ""))
