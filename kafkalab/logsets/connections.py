"""Which sockets did a client hold, what for, from when to when, and who ended them? One row a socket, from its lines alone.

`Initiating connection to node …` opens a socket. A client has at most one for each node id, so the next end that names this node id
is its end. What ended it the lines say in different ways:

  idle    from 3.9 on `Idle connection to node N disconnected.`; before, a `Node N disconnected.` that no Selector line explains
  peer    `Node N disconnected.` after the Selector's `Connection with … disconnected`: the other side hung up
  failed  `Connection to node N (…) could not be established.`: there never was a socket, only the try
  self    the client gave up on it, for instance after a request timeout
  close   `Kafka consumer has been closed`: no version writes a line for each socket then

A socket that is still open when the lines end has neither closed_at nor how.
"""
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from kafkalab.logsets import schema

# Names of the catalogue's entries.
OPENED = "INITIATING_CONNECTION"
NODE_DISCONNECTED = "NODE_DISCONNECTED"
IDLE = "IDLE_DISCONNECTED"
FAILED = "CONNECTION_NOT_ESTABLISHED"
SELF = ("DISCONNECT_REQUESTED",)
SELECTOR = "SOCKET_DISCONNECTED"
CLOSED = ("CONSUMER_CLOSED", "ASYNC_CONSUMER_CLOSED", "PRODUCER_CLOSED")
METADATA = "METADATA_UPDATED"
NODE_ENDS = (NODE_DISCONNECTED, IDLE, FAILED, *SELF)
EVENTS = (OPENED, *NODE_ENDS, SELECTOR, *CLOSED, METADATA)

COLUMNS = ("file", "offset", "time", "kind", "client_id", "event", "node_id", "broker", "host", "port", "message")
CLIENT = ("file", "kind", "client_id")
# The order in which a client wrote: by place, not by time, for clocks are set back and many lines share a millisecond.
PLACE = ("part", "offset")
# Spark calls the pieces of one text part-00000…: together they are one log.
PART = r"[/\\]part-[^/\\]*$"


def connections(lines: DataFrame) -> DataFrame:
    """One row a socket of every client in `lines` (a frame with at least the columns COLUMNS).

    file, client_id; node_id as printed; broker: its number, for bootstrap sockets the broker known at that address, else null;
    class: bootstrap, coordinator or data; opened_at, closed_at; how: idle, peer, self, close, failed or null.
    For a set that Spark wrote, `file` is the folder that holds its part-… files.
    """
    told = (
        lines.select(*COLUMNS)
        .where(F.col("event").isin(*EVENTS))
        .withColumn("part", F.col("file"))
        .withColumn("file", F.regexp_replace("file", PART, ""))
    )
    sockets = _sockets(_explained(told.where(F.col("client_id").isNotNull() & (F.col("event") != METADATA))))
    return _with_bootstrap_brokers(sockets, _addresses(told)).select(
        "file", "client_id", "node_id", "broker", "class", "opened_at", "closed_at", "how"
    )


def _explained(events: DataFrame) -> DataFrame:
    """Each `Node N disconnected.` with `by_peer`: did the Selector report a lost connection that this line is the echo of?

    The Selector reports every connection it lost in a pass, then NetworkClient writes one line for each, and one for the connection
    it closed itself for being idle. So in a pass (from the first of the Selector's lines up to its next) as many disconnects
    are the peer's as the Selector reported.
    """
    by_client = Window.partitionBy(*CLIENT).orderBy(*PLACE)
    so_far = by_client.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    is_selector = F.col("event") == SELECTOR
    is_echo = F.col("event") == NODE_DISCONNECTED
    # The last line before this one that has to do with it.
    before = F.last(F.when(is_selector | is_echo, F.col("event")), ignorenulls=True).over(
        by_client.rowsBetween(Window.unboundedPreceding, -1)
    )
    starts_pass = is_selector & (before.isNull() | (before == NODE_DISCONNECTED))
    numbered = events.withColumn("starts_pass", starts_pass.cast("int")).withColumn("pass", F.sum("starts_pass").over(so_far))
    in_pass = Window.partitionBy(*CLIENT, "pass").orderBy(*PLACE).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    reported = F.count_if(is_selector).over(in_pass)
    echoed = F.count_if(is_echo).over(in_pass)
    return numbered.withColumn("by_peer", is_echo & (echoed <= reported)).drop("starts_pass", "pass")


def _sockets(events: DataFrame) -> DataFrame:
    """The lines of each socket brought together in one row."""
    by_client = Window.partitionBy(*CLIENT).orderBy(*PLACE)
    later = by_client.rowsBetween(Window.currentRow, Window.unboundedFollowing)
    by_node = Window.partitionBy(*CLIENT, "node_id").orderBy(*PLACE)
    opens = F.col("event") == OPENED
    closes_all = F.col("event").isin(*CLOSED)
    numbered = (
        events.withColumn("place", F.row_number().over(by_client))
        .withColumn("client_closed", F.first(F.when(closes_all, F.struct("place", "time")), ignorenulls=True).over(later))
        .where(F.col("node_id").isNotNull() & (F.col("event") != SELECTOR))
        .withColumn("socket", F.count_if(opens).over(by_node.rowsBetween(Window.unboundedPreceding, Window.currentRow)))
        .where(F.col("socket") > 0)  # Ends of sockets whose beginning is not in these lines.
    )

    def first(value: Column, condition: Column) -> Column:
        return F.min(F.when(condition, value))

    ended = F.col("event").isin(*NODE_ENDS)
    gathered = numbered.groupBy(*CLIENT, "node_id", "socket").agg(
        first(F.col("time"), opens).alias("opened_at"),
        first(F.col("place"), opens).alias("place"),
        first(F.col("client_closed"), opens).alias("client_closed"),
        first(F.col("time"), ended).alias("ended_at"),
        F.max(F.when(opens, F.col("broker"))).alias("broker"),
        F.max(F.when(opens, F.col("host"))).alias("host"),
        F.max(F.when(opens, F.col("port"))).alias("port"),
        F.bool_or(F.col("event") == FAILED).alias("failed"),
        F.bool_or(F.col("event").isin(*SELF)).alias("given_up"),
        F.bool_or(F.col("event") == IDLE).alias("said_idle"),
        F.bool_or(F.col("by_peer")).alias("by_peer"),
    )
    next_open = F.lead(F.struct("place", "opened_at")).over(Window.partitionBy(*CLIENT, "node_id").orderBy("place"))
    followed = gathered.withColumn("next_open", next_open)
    # A second try means that the first is over, told or not; unless the client was closed in between and this is its namesake.
    replaced = (
        F.col("ended_at").isNull()
        & F.col("next_open").isNotNull()
        & (F.col("client_closed").isNull() | (F.col("client_closed.place") > F.col("next_open.place")))
    )
    how = (
        F.when(F.col("failed"), "failed")
        .when(F.col("given_up") | replaced, "self")
        .when(F.col("said_idle"), "idle")
        .when(F.col("by_peer"), "peer")
        .when(F.col("ended_at").isNotNull(), "idle")
        .when(F.col("client_closed").isNotNull(), "close")
    )
    number = F.col("node_id").cast("bigint")
    role = (
        F.when(number < 0, "bootstrap")
        .when(F.col("node_id").startswith("+") | (number > schema.COORDINATOR_ID_LOWEST), "coordinator")
        .otherwise("data")
    )
    return followed.select(
        *CLIENT, "node_id", "broker", "host", "port", "opened_at",
        F.when(replaced, F.col("next_open.opened_at")).otherwise(F.coalesce("ended_at", "client_closed.time")).alias("closed_at"),
        how.alias("how"),
        role.alias("class"),
    )  # fmt: skip


def _addresses(told: DataFrame) -> DataFrame:
    """file, host, port -> broker, from the node texts of the metadata and of the connections to real brokers."""
    node = r"([^\s\[\]{}=,]+):(\d+) \(id: (\d+) rack: "
    listed = (
        told.where(F.col("event") == METADATA)
        .select("file", F.explode(F.array_distinct(F.regexp_extract_all("message", F.lit(node), F.lit(0)))).alias("text"))
        .distinct()
        .select(
            "file",
            F.regexp_extract("text", node, 1).alias("host"),
            F.regexp_extract("text", node, 2).cast("int").alias("port"),
            F.regexp_extract("text", node, 3).cast("int").alias("broker"),
        )
    )
    connected = told.where((F.col("event") == OPENED) & F.col("broker").isNotNull()).select("file", "host", "port", "broker")
    return listed.union(connected).groupBy("file", "host", "port").agg(F.min("broker").alias("there"))


def _with_bootstrap_brokers(sockets: DataFrame, addresses: DataFrame) -> DataFrame:
    """A bootstrap socket has no broker's number in its node id, but its address may be a known broker's."""
    return sockets.join(addresses, on=["file", "host", "port"], how="left").withColumn("broker", F.coalesce("broker", "there"))
