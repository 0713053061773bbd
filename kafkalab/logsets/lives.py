"""How many sockets were open when, and which are of no use to anybody?

live_per_minute(lines)   a row a minute and broker: sockets open as the minute began
zombies(lines)           a row for each bootstrap socket that is open longer than any default
                         would leave it
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafkalab.logsets.connections import connections
from kafkalab.logsets.told import folder

IDLE_MINUTES = 9  # connections.max.idle.ms, where nobody sets it
GRACE = "30 seconds"  # A client looks for idle sockets when it polls.


def live_per_minute(lines: DataFrame) -> DataFrame:
    """minute, broker (null: not known), live. A socket that is still open lives until the last
    line of all; tries that failed never lived."""
    end = lines.agg(F.max("time").alias("end"))
    first = F.date_trunc("minute", "opened_at")
    begin = F.when(first == F.col("opened_at"), first).otherwise(
        first + F.expr("interval 1 minute")
    )
    last = F.date_trunc(
        "minute", F.coalesce(F.col("closed_at") - F.expr("interval 1 millisecond"), "end")
    )
    return (
        connections(lines)
        .where("how is null or how <> 'failed'")
        .join(F.broadcast(end), how="cross")
        .select("broker", begin.alias("begin"), last.alias("last"))
        .where("begin <= last")
        .select(
            "broker",
            F.explode(F.sequence("begin", "last", F.expr("interval 1 minute"))).alias("minute"),
        )
        .groupBy("minute", "broker")
        .agg(F.count("*").alias("live"))
        .select("minute", "broker", "live")
    )


def zombies(lines: DataFrame) -> DataFrame:
    """folder, client_id, broker, opened_at, since (when the default idle limit would have closed
    it), end (of the socket, or of the client's lines). How it ended at last does not matter:
    brokers close idle sockets too, a minute after clients should."""
    ends = (
        lines.where("client_id is not null")
        .groupBy(folder(), "client_id")
        .agg(F.max("time").alias("end"))
    )
    since = F.col("opened_at") + F.expr(f"interval {IDLE_MINUTES} minutes")
    return (
        connections(lines)
        .where("class = 'bootstrap' and (how is null or how <> 'failed')")
        .withColumn("folder", folder())
        .join(ends, on=["folder", "client_id"], how="inner")
        .withColumn("end", F.coalesce("closed_at", "end"))
        .where(since + F.expr(f"interval {GRACE}") < F.col("end"))
        .select("folder", "client_id", "broker", "opened_at", since.alias("since"), "end")
    )
