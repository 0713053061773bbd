"""Counts the open sockets of each broker by minute from growing logs, with Structured Streaming.

    lines = logsets.stream(spark, "/var/log/shop", live.COLUMNS)
    query =
    live.minutes(lines).writeStream.queryName("minutes").format("memory").outputMode("append").start()
    live.open_by_minute(spark.table("minutes")).show()

A stream cannot sum over all time, so there are two steps. `minutes` collects the few lines about
sockets for each client and minute. It emits a minute when the watermark has passed it, and leaves
later lines out. `open_by_minute` is a query over that small table: it finds the socket that each
line opened or ended, and counts the open ones at the end of each minute.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkalab.logsets.connections import CLOSED, FAILED, IDLE, NODE_DISCONNECTED, OPENED, SELF

CLIENT = ("file", "kind", "client_id")
EVENTS = (OPENED, NODE_DISCONNECTED, IDLE, FAILED, *SELF, *CLOSED)
COLUMNS = ("file", "file_offset", "time", "kind", "client_id", "event", "node_id", "host", "port")
WATERMARK = "1 minute"


def minutes(lines: DataFrame, watermark: str = WATERMARK) -> DataFrame:
    """One row for each minute in which a client opened or lost a socket.

    minute, file, kind, client_id, moves (file_offset, event, node_id, address).
    """
    address = F.when(F.col("event") == OPENED, F.concat_ws(":", "host", "port"))
    return (
        lines.select(*COLUMNS)
        .where(F.col("event").isin(*EVENTS) & F.col("client_id").isNotNull())
        .withWatermark("time", watermark)
        .groupBy(F.window("time", "1 minute").alias("minute"), *CLIENT)
        .agg(
            F.sort_array(
                F.collect_list(
                    F.struct("file_offset", "event", "node_id", address.alias("address"))
                )
            ).alias("moves")
        )
        .select(F.col("minute.start").alias("minute"), *CLIENT, "moves")
    )


def open_by_minute(gathered: DataFrame) -> DataFrame:
    """minute, broker, open: the sockets to an address at the end of the minute.

    Minutes without a change have no row. broker is an address, because a bootstrap server has no
    number yet. A client has one socket for a node id. The next line with the node id, or the
    client's close, ends it.
    """
    in_turn = Window.partitionBy(*CLIENT).orderBy("file_offset")
    of_node = Window.partitionBy(*CLIENT, "node_id").orderBy("file_offset")
    place = F.struct("file_offset", "minute")
    closed = F.first(F.when(F.col("event").isin(*CLOSED), place), ignorenulls=True).over(
        in_turn.rowsBetween(Window.currentRow, Window.unboundedFollowing)
    )
    sockets = (
        gathered.select("minute", *CLIENT, F.inline("moves"))
        .withColumns({"ended": F.lead(place).over(of_node), "closed": closed})
        .where(F.col("event") == OPENED)
        .withColumn("end", F.least("ended", "closed"))
    )
    moves = sockets.select(
        F.explode(F.array(_move("minute", 1), _move("end.minute", -1))).alias("move"),
        F.col("address").alias("broker"),
    )
    so_far = Window.partitionBy("broker").orderBy("minute")
    return (
        moves.where("move.minute is not null")
        .groupBy("move.minute", "broker")
        .agg(F.sum("move.change").alias("change"))
        .select("minute", "broker", F.sum("change").over(so_far).alias("open"))
        .orderBy("minute", "broker")
    )


def _move(minute: str, change: int) -> Column:
    return F.struct(F.col(minute).alias("minute"), F.lit(change).alias("change"))
