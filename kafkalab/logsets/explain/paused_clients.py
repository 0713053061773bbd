"""Finds the clients whose own process did not run for a time, in lines on requests they gave up.

A client that runs looks many times a second whether a request is over request.timeout.ms. A line
that names a much longer time was written by a process that did not run in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.logsets.engine import F
from kafkalab.logsets.event_lines import number
from kafkalab.logsets.explain.oddities import EVIDENCE, Oddity, printed_time
from kafkalab.logsets.rebalances import LOST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GIVEN_UP = ("REQUEST_CANCELLED", "REQUEST_CANCELLED_AT_INFO")
FOLLOWS = ("DISCONNECTING_REQUEST_TIMEOUT", *LOST)
"""What such a client says of its brokers when it runs again: it had not read their answers."""
LATE_MS = 5_000
NEAR = pd.Timedelta(seconds=1)
MOST = 1000


def paused_clients(lines: DataFrame) -> tuple[Oddity | None, list[tuple[str, int]]]:
    """An oddity of all such pauses, and file and file_offset of the lines that follow from them.

    An admin client is left out: it sleeps until an answer comes.
    """
    of_clients = lines.where("client_id is not null and kind <> 'admin' and time is not null")
    late: pd.DataFrame = (
        of_clients.where(F.col("event").isin(*GIVEN_UP))
        .select(
            *("file", "file_offset", "client_id", "time"),
            number(r"elapsed time since send: (\d+)ms").alias("waited"),
            number(r"request timeout: (\d+)ms").alias("limit"),
        )
        .where(F.col("waited") >= F.col("limit") + LATE_MS)
        .orderBy("time", "file", "file_offset")
        .limit(MOST)
        .toPandas()
    )
    if late.empty:
        return None, []
    ends = late.groupby(["file", "client_id"])["time"]
    pauses = late[~(ends.diff() <= NEAR)]  # it gives up all its requests at once
    told = tuple(
        f"[{printed_time(row.time)}] {row.client_id}: request.timeout.ms is {row.limit / 1000:g} "
        f"s, and it gave a request up only after {row.waited / 1000:.1f} s"
        for row in pauses.head(EVIDENCE).itertuples()
    )
    oddity = Oddity(
        "A client stood still", 3, len(pauses),
        "When that limit was over, its process did not run; it ran again at the time of the line. "
        "It was stopped, or collected garbage, or its machine was suspended. Its brokers are not "
        "to blame. A group may have given its partitions away meanwhile.",
        "Look at the process and its machine at that time: the JVM's log of its pauses, the "
        "limits of its container, the hypervisor.",
        pauses["client_id"],
        printed_time(pauses["time"].min()), printed_time(pauses["time"].max()), told,
        places=tuple(zip(pauses["file"], pauses["file_offset"]))[:EVIDENCE],
    )  # fmt: skip
    spoken: pd.DataFrame = (
        of_clients.where(F.col("event").isin(*FOLLOWS))
        .select("file", "file_offset", "client_id", "time")
        .orderBy("time", "file", "file_offset")
        .limit(MOST)
        .toPandas()
    )
    both = spoken.merge(pauses[["file", "client_id", "time"]], on=["file", "client_id"])
    both = both[(both["time_x"] - both["time_y"]).abs() <= NEAR]
    return oddity, list(dict.fromkeys(zip(both["file"], both["file_offset"])))
