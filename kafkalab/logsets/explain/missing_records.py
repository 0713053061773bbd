"""Says which records a consumer did not get: it asked where none are, or cannot read what is there.

Where a consumer went on tells whether records were deleted or the log is shorter: see
missing_positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.explain.oddities import EVIDENCE, Oddity, printed_time
from kafkalab.logsets.offsets import missing_positions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHOWN = 20
DELETED = "Records were deleted before they were read"
TOO_HIGH = "A position was beyond the end of the log"
UNKNOWN = "A fetch position did not exist"
MEANS = {
    DELETED: (
        "The consumer asked for an offset that retention, or somebody with kafka-delete-records, "
        "had deleted. It never read the records between, or with auto.offset.reset=latest none "
        "up to the end.",
        "Compare the group's lag with retention.ms and retention.bytes.",
    ),
    TOO_HIGH: (
        "The log ended before the offset that the consumer asked for. Somebody set the group's "
        "offsets too high, the topic was made again, or a leader was chosen that lacked records.",
        "Ask who reset the group or made the topic again; look for unclean leader elections.",
    ),
    UNKNOWN: (
        "The consumer asked for an offset that the broker does not have. No line tells where it "
        "went on, so the offset may be too low (deleted) or too high (beyond the end).",
        "Compare it with the first and the last offset of the partition. With "
        "auto.offset.reset=none the application has to seek.",
    ),
}

UNREADABLE = "A record could not be deserialized"
DESERIALIZERS_FAILED = ("KEY_DESERIALIZER_FAILED", "VALUE_DESERIALIZER_FAILED")
# what the exception says, which only the application logs
ITS_PLACE = r"Error deserializing \S+ for partition (\S+) at offset (\d+)"


def missing_records(lines: DataFrame) -> list[Oddity]:
    """Up to three oddities, of all positions in the lines that a broker did not have."""
    found = missing_positions(lines).withColumn(
        "what",
        F.when(F.col("reset_to") > F.col("position"), DELETED)
        .when(F.col("reset_to") < F.col("position"), TOO_HIGH)
        .otherwise(UNKNOWN),
    )
    of_kind = Window.partitionBy("what").orderBy("time", "part", "file_offset")
    rows: pd.DataFrame = (
        found.withColumns(
            {
                "turn": F.row_number().over(of_kind),
                "count": F.count("*").over(Window.partitionBy("what")),
                "last": F.max("time").over(Window.partitionBy("what")),
            }
        )
        .where(F.col("turn") <= SHOWN)
        .orderBy("what", "turn")
        .toPandas()
    )
    return [_oddity(str(what), own) for what, own in rows.groupby("what")]


def _oddity(what: str, rows: pd.DataFrame) -> Oddity:
    means, do = MEANS[what]
    return Oddity(
        what,
        3,
        int(rows["count"].iloc[0]),
        means,
        do,
        rows["client_id"],
        printed_time(rows["time"].iloc[0]),
        printed_time(rows["last"].iloc[0]),
        tuple(_told(row) for row in rows.head(EVIDENCE).itertuples()),
        places=tuple(zip(rows["part"], rows["file_offset"]))[:EVIDENCE],
    )


def _told(row: Any) -> str:
    there = f"[{printed_time(row.time)}] {row.client_id}: {row.topic}-{row.partition}, offset "
    if pd.isna(row.reset_to):
        return f"{there}{row.position:,}"
    return f"{there}{row.position:,}; it went on at {int(row.reset_to):,}"


def unreadable_records(lines: DataFrame) -> Oddity | None:
    """The records at which a deserializer failed, by client and partition."""
    said = F.concat_ws("\n", "message", "trace")
    place = F.nullif(F.regexp_extract(said, ITS_PLACE, 1), F.lit(""))
    offset = F.regexp_extract(said, ITS_PLACE, 2)
    rows: pd.DataFrame = (
        lines.withColumn("place", place)
        .where(F.col("place").isNotNull() | F.col("event").isin(*DESERIALIZERS_FAILED))
        .withColumn("offset", F.when(F.col("place").isNotNull(), offset.cast("bigint")))
        .groupBy("file", "client_id", "place")
        .agg(
            F.count("*").alias("times"),
            F.min("offset").alias("least"),
            F.max("offset").alias("most"),
            F.min("time").alias("first"),
            F.max("time").alias("last"),
        )
        .orderBy("first", "file", "client_id", "place")
        .limit(SHOWN)
        .toPandas()
    )
    # each error is two lines where the application logs it: the client's does not name the place
    named = rows.loc[rows["place"].notna(), "file"]
    rows = rows[rows["place"].notna() | ~rows["file"].isin(named)]
    if rows.empty:
        return None
    return Oddity(
        UNREADABLE, 3, int(rows["times"].sum()),
        "The deserializer of the consumer cannot read its bytes, and poll() raises this. The next "
        "poll() begins at the same record: until somebody seeks past it, nothing behind it in the "
        "partition is read.",
        "Look at that record, and find out who wrote it. Seek to the offset behind it, and keep "
        "the record elsewhere.",
        rows["client_id"],
        "" if rows["first"].isna().all() else printed_time(rows["first"].min()),
        "" if rows["last"].isna().all() else printed_time(rows["last"].max()),
        tuple(_stuck(row) for row in rows.head(EVIDENCE).itertuples()),
    )  # fmt: skip


def _stuck(row: Any) -> str:
    who = f"{row.client_id}: " if isinstance(row.client_id, str) else ""
    times = "once" if row.times == 1 else f"{row.times:,} times"
    if not isinstance(row.place, str):
        return f"{who}{times}; no line tells at which offset"
    if row.least == row.most:
        return f"{who}{row.place}, offset {row.least:,.0f}, {times}"
    return f"{who}{row.place}, offsets {row.least:,.0f} to {row.most:,.0f}, {times}"
