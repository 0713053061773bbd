"""Counts the open sockets per minute and broker, and finds unused bootstrap sockets.

live_per_minute(lines)   one row for each minute and broker: open sockets at the begin of the
minute zombies(lines)           one row for each bootstrap socket open beyond the default idle
limit
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.connections import connections
from kafkalab.logsets.engine import F
from kafkalab.logsets.event_lines import folder, span

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

IDLE_MINUTES = 9  # The default of connections.max.idle.ms.
GRACE = "30 seconds"  # A client looks for idle sockets when it polls.


def live_per_minute(lines: DataFrame) -> DataFrame:
    """minute, broker (null: unknown), live: the number of open sockets.

    A socket without an end counts until the last line of all. Failed attempts do not count.
    """
    end = lines.agg(F.max("time").alias("end"))
    first = F.date_trunc("minute", "opened_at")
    begin = F.when(first == F.col("opened_at"), first).otherwise(first + span("1 minute"))
    last = F.date_trunc("minute", F.coalesce(F.col("closed_at") - span("1 millisecond"), "end"))
    return (
        connections(lines)
        .where("how is null or how <> 'failed'")
        .join(F.broadcast(end), how="cross")
        .select("broker", begin.alias("begin"), last.alias("last"))
        .where(F.col("begin") <= F.col("last"))
        .select("broker", F.explode(F.sequence("begin", "last", span("1 minute"))).alias("minute"))
        .groupBy("minute", "broker")
        .agg(F.count("*").alias("live"))
        .select("minute", "broker", "live")
    )


def zombies(lines: DataFrame) -> DataFrame:
    """Bootstrap sockets that stay open beyond the default idle limit.

    folder, client_id, broker, opened_at, since (when the default idle limit would have closed it),
    end (of the socket, or of the client's lines). The reason of the end does not matter, because
    brokers also close idle sockets, one minute later than clients.
    """
    ends = (
        lines.where("client_id is not null")
        .groupBy(folder(), "client_id")
        .agg(F.max("time").alias("end"))
    )
    since = F.col("opened_at") + span(f"{IDLE_MINUTES} minutes")
    return (
        connections(lines)
        .where("class = 'bootstrap' and (how is null or how <> 'failed')")
        .withColumn("folder", folder())
        .join(ends, on=["folder", "client_id"], how="inner")
        .withColumn("end", F.coalesce("closed_at", "end"))
        .where(since + span(GRACE) < F.col("end"))
        .select("folder", "client_id", "broker", "opened_at", since.alias("since"), "end")
    )
