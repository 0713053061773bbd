"""How many sockets does each broker hold, minute by minute, while the logs still grow? Structured Streaming over `stream()`.

    lines = logsets.stream(spark, "/var/log/shop", live.COLUMNS)
    query = live.changes(lines).writeStream.queryName("changes").format("memory").outputMode("append").start()
    live.open_by_minute(spark.table("changes")).show()

A stream cannot add up over all time, so it happens in two steps. `changes` keeps, for each client, which node ids it holds a socket to (state
of a few bytes a client) and gives for each minute that lies behind the watermark how many sockets were opened and how many ended. Their
sum up to a minute, `open_by_minute`, is a query over that small table. Lines later than the watermark are left out of their minute.
"""
from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from kafkalab.logsets.connections import CLIENT, CLOSED, FAILED, IDLE, NODE_DISCONNECTED, OPENED, SELF

EVENTS = (OPENED, NODE_DISCONNECTED, IDLE, FAILED, *SELF, *CLOSED)
COLUMNS = ("file", "offset", "time", "kind", "client_id", "event", "node_id", "broker", "host", "port")
WATERMARK = "1 minute"
HELD = "held string"  # The sockets a client holds: `node id=address`, one a line.
MOVES = "time timestamp, broker string, opened int, ended int"


def changes(lines: DataFrame, watermark: str = WATERMARK) -> DataFrame:
    """One row for each minute and broker in which something changed: minute, broker, opened, ended.

    broker is `localhost:9092`: an address, for a bootstrap server has no number. A failed try counts as opened and ended.
    """
    moves = (
        lines.select(*COLUMNS)
        .where(F.col("event").isin(*EVENTS) & F.col("client_id").isNotNull())
        .withWatermark("time", watermark)
        .groupBy(*CLIENT)
        .applyInPandasWithState(_moves, MOVES, HELD, "append", "NoTimeout")
    )
    return (
        moves.groupBy(F.window("time", "1 minute").alias("minute"), "broker")
        .agg(F.sum("opened").alias("opened"), F.sum("ended").alias("ended"))
        .select(F.col("minute.start").alias("minute"), "broker", "opened", "ended")
    )


def open_by_minute(changed: DataFrame) -> DataFrame:
    """minute, broker, open: how many sockets it held when the minute was over. Minutes without a change have no row."""
    so_far = Window.partitionBy("broker").orderBy("minute")
    return changed.select("minute", "broker", F.sum(F.col("opened") - F.col("ended")).over(so_far).alias("open")).orderBy("minute", "broker")


def _moves(client: tuple, pieces: Iterator[pd.DataFrame], state) -> Iterator[pd.DataFrame]:
    """What the new lines of one client change. Only the few lines that speak of sockets come here."""
    held = dict(entry.split("=", 1) for entry in state.get[0].splitlines()) if state.exists else {}
    found = []
    for row in pd.concat(list(pieces)).sort_values("offset", kind="stable").itertuples():
        if row.event == OPENED:
            if row.node_id in held:  # Whatever ended the one before, it was not told.
                found.append((row.time, held.pop(row.node_id), 0, 1))
            held[row.node_id] = f"{row.host}:{int(row.port)}"
            found.append((row.time, held[row.node_id], 1, 0))
        elif row.event in CLOSED:
            found += [(row.time, address, 0, 1) for address in held.values()]
            held.clear()
        elif row.node_id in held:  # A refused connection is told twice.
            found.append((row.time, held.pop(row.node_id), 0, 1))
    state.update(("\n".join(f"{node}={address}" for node, address in held.items()),))
    yield pd.DataFrame(found, columns=["time", "broker", "opened", "ended"])
