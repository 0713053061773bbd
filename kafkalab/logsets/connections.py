"""Finds the sockets of each Kafka client in its log lines: purpose, begin, end and the side that
ended it.

`Initiating connection to node …` opens a socket. A client has at most one for each node id. So the
next end with this node id is its end. The lines name the reason in different ways:

  idle    from 3.9 on `Idle connection to node N disconnected.`; before, a `Node N disconnected.`
          that no Selector line explains
  peer    `Node N disconnected.` after the Selector's `Connection with … disconnected`: the other
          side closed it
  failed  `Connection to node N (…) could not be established.`: only an attempt, never a socket
  self    the client closed it, for instance after a request timeout
  close   `Kafka consumer has been closed`: no version then writes a line for each socket

A socket that is still open when the lines end has neither closed_at nor how.

Several clients with one id and group in one log have equal lines. Where such clients run at the
same time and node ids end more often than alternating opens allow, the sockets of a node id are
taken to end in the order of their opening.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets import schema
from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import CLIENT, before, in_turn, lines_of, so_far

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Names of the catalogue's entries.
OPENED = "INITIATING_CONNECTION"
NODE_DISCONNECTED = "NODE_DISCONNECTED"
IDLE = "IDLE_DISCONNECTED"
FAILED = "CONNECTION_NOT_ESTABLISHED"
SELF = ("DISCONNECT_REQUESTED",)
SELECTOR = "SOCKET_DISCONNECTED"
CLOSED = ("CONSUMER_CLOSED", "ASYNC_CONSUMER_CLOSED", "PRODUCER_CLOSED")
BEGUN = ("CONSUMER_INITIALIZED", "ASYNC_CONSUMER_INITIALIZED", "PRODUCER_STARTED")
METADATA = "METADATA_UPDATED"
NODE_ENDS = (NODE_DISCONNECTED, IDLE, FAILED, *SELF)
EVENTS = (OPENED, *NODE_ENDS, SELECTOR, *CLOSED, *BEGUN, METADATA)

# Consumers with one id but several groups are different clients: their lines name the group.
WRITER = (*CLIENT, "group_id")


def connections(lines: DataFrame) -> DataFrame:
    """One row a socket of every client in `lines`.

    file, client_id; node_id as printed; broker: its number, for bootstrap sockets the only broker
    known at that address, else null; class: bootstrap, coordinator or data; opened_at, closed_at;
    how: idle, peer, self, close, failed or null. For a set that Spark wrote, `file` is the folder
    that holds its part-… files.
    """
    told = (
        lines_of(lines, EVENTS, "group_id", "node_id", "broker", "host", "port", "message")
        .withColumn("listed", F.when(F.col("event") == METADATA, _addresses_in("message")))
        .drop("message")
    )
    sockets = _with_how_it_ended(_gathered(_numbered(_explained(told))))
    return _with_bootstrap_brokers(sockets).select(
        "file", "client_id", "node_id", "broker", "class", "opened_at", "closed_at", "how"
    )


def _addresses_in(text: str) -> Column:
    """The brokers that a text names as `localhost:9092 (id: 0 rack: null)`."""
    node = r"([^\s\[\]{}=,]+):(\d+) \(id: (\d+) rack: "
    return F.transform(
        F.array_distinct(F.regexp_extract_all(F.col(text), F.lit(node), F.lit(0))),
        lambda found: F.struct(
            F.regexp_extract(found, node, 1).alias("host"),
            F.regexp_extract(found, node, 2).cast("int").alias("port"),
            F.regexp_extract(found, node, 3).cast("int").alias("broker"),
        ),
    )


def _explained(events: DataFrame) -> DataFrame:
    """Each `Node N disconnected.` with `by_peer`: whether the Selector reported this lost
    connection.

    The Selector reports every connection it lost in a pass, then NetworkClient writes one line for
    each, and one for the connection it closed itself for being idle. So in a pass (from the first
    of the Selector's lines up to its next) as many disconnects are the peer's as the Selector
    reported.
    """
    by_now = so_far("group_id")
    is_report = F.col("event") == SELECTOR
    is_echo = F.col("event") == NODE_DISCONNECTED
    last = F.last(F.when(is_report | is_echo, is_echo), ignorenulls=True).over(before("group_id"))
    starts_pass = is_report & F.coalesce(last, F.lit(True))
    counted = events.select(
        "*",
        F.count_if(is_report).over(by_now).alias("reports"),
        F.count_if(is_echo).over(by_now).alias("echoes"),
        starts_pass.alias("starts_pass"),
    )
    at_start = F.last(
        F.when(F.col("starts_pass"), F.struct((F.col("reports") - 1).alias("reports"), "echoes")),
        ignorenulls=True,
    ).over(by_now)
    in_pass = counted.withColumn("at_start", at_start)
    reported = F.col("reports") - F.col("at_start.reports")
    echoed = F.col("echoes") - F.col("at_start.echoes")
    by_peer = is_echo & F.coalesce(echoed <= reported, F.lit(False))
    return in_pass.withColumn("by_peer", by_peer).drop(
        "reports", "echoes", "starts_pass", "at_start"
    )


def _numbered(events: DataFrame) -> DataFrame:
    """Each line with `place` (its number among the client's), `socket`, `client_closed` and `nth`.

    `socket` is the number of the line's socket among those of the node id. A line that says that
    the client was closed is the `nth` of them.
    """
    by_client, by_node = in_turn("group_id"), so_far("group_id", "node_id")
    later = by_client.rowsBetween(Window.currentRow, Window.unboundedFollowing)
    is_closing = F.col("event").isin(*CLOSED)
    closed = F.when(is_closing, F.struct(F.row_number().over(by_client).alias("place"), "time"))
    ends = F.col("event").isin(NODE_DISCONNECTED, IDLE)
    numbered = (
        events.withColumn("place", F.row_number().over(by_client))
        .withColumn("closing", closed)
        .withColumn("client_closed", F.first("closing", ignorenulls=True).over(later))
        .withColumn("nth", F.when(is_closing, F.count_if(is_closing).over(so_far("group_id"))))
        .withColumn("socket", F.count_if(F.col("event") == OPENED).over(by_node))
        .withColumn("ended", F.count_if(ends).over(by_node))
    )
    return _crowded(numbered, ends).withColumn(
        "socket",
        F.when(
            F.col("crowded") & F.col("event").isin(*NODE_ENDS),
            F.least("socket", F.greatest("ended", F.lit(1))),
        ).otherwise(F.col("socket")),
    )


def _crowded(events: DataFrame, ends: Column) -> DataFrame:
    """Add `crowded`: whether several clients of this id wrote at one time."""
    of_client = Window.partitionBy(*WRITER)
    change = F.when(F.col("event").isin(*BEGUN), 1).when(F.col("event").isin(*CLOSED), -1)
    alive = F.coalesce(F.sum(change).over(so_far("group_id")), F.lit(0))
    of_socket = Window.partitionBy(*WRITER, "node_id", "socket")
    # One client closes a socket once. A client that was killed and started again closes no old
    # socket.
    again = F.count_if(ends).over(of_socket) > 1
    return (
        events.withColumns({"alive": alive, "again": again & (F.col("socket") > 0)})
        .withColumn(
            "crowded", (F.max("alive").over(of_client) > 1) & F.bool_or("again").over(of_client)
        )
        .drop("alive", "again")
    )


def _gathered(events: DataFrame) -> DataFrame:
    """The lines of each socket brought together in one row.

    Rows without a node id hold the addresses that metadata listed, or one `closing` of a client.
    """
    opens = F.col("event") == OPENED
    speaks = opens | F.col("event").isin(*NODE_ENDS)
    return (
        # A socket whose opening is not in these lines is left out.
        events.where(
            (speaks & F.col("client_id").isNotNull() & (F.col("socket") > 0))
            | F.col("listed").isNotNull()
            | (F.col("nth").isNotNull() & F.col("crowded"))
        )
        .groupBy(*WRITER, "node_id", "socket", "nth")
        .agg(
            F.min(F.when(opens, F.col("place"))).alias("place"),
            F.min(F.when(opens, F.col("time"))).alias("opened_at"),
            F.min(F.when(opens, F.col("client_closed"))).alias("client_closed"),
            F.bool_or("crowded").alias("crowded"),
            F.max("closing").alias("closing"),
            F.min(F.when(~opens, F.col("time"))).alias("ended_at"),
            *(F.max(F.when(opens, F.col(name))).alias(name) for name in ("broker", "host", "port")),
            F.bool_or(F.col("event") == FAILED).alias("failed"),
            F.bool_or(F.col("event").isin(*SELF)).alias("given_up"),
            F.bool_or(F.col("event") == IDLE).alias("said_idle"),
            F.bool_or(F.col("by_peer")).alias("by_peer"),
            F.array_distinct(F.flatten(F.collect_set("listed"))).alias("listed"),
        )
    )


def _with_how_it_ended(sockets: DataFrame) -> DataFrame:
    """`sockets` with closed_at, how and class."""
    next_open = F.lead(F.struct("place", "opened_at")).over(
        Window.partitionBy(*WRITER, "node_id").orderBy("place")
    )
    # Of several clients with one id, the client closed first gets the socket opened first: the
    # lines give no better evidence.
    left = F.row_number().over(
        Window.partitionBy(*WRITER, "node_id", F.col("ended_at").isNull()).orderBy("place")
    )
    turn = F.coalesce("nth", F.when(F.col("crowded"), F.col("left")))
    followed = (
        sockets.withColumns({"next_open": F.when(~F.col("crowded"), next_open), "left": left})
        .withColumn("turn", turn)
        .withColumn("in_turn", F.max("closing").over(Window.partitionBy(*WRITER, "turn")))
        .withColumn(
            "client_closed",
            F.when(F.col("crowded"), F.col("in_turn")).otherwise(F.col("client_closed")),
        )
    )
    # A second attempt means that the first is over, with or without a line. The exception: the
    # client was closed in between, and another client has its id.
    replaced = (
        F.col("ended_at").isNull()
        & F.col("next_open").isNotNull()
        & (
            F.col("client_closed").isNull()
            | (F.col("client_closed.place") > F.col("next_open.place"))
        )
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
        .when(
            F.col("node_id").startswith("+") | (number > schema.COORDINATOR_ID_LOWEST),
            "coordinator",
        )
        .otherwise("data")
    )
    closed_at = F.when(replaced, F.col("next_open.opened_at")).otherwise(
        F.coalesce("ended_at", "client_closed.time")
    )
    return followed.withColumns({"closed_at": closed_at, "how": how, "class": role})


def _with_bootstrap_brokers(sockets: DataFrame) -> DataFrame:
    """Add the broker of bootstrap sockets, whose node id has no broker's number.

    Their address may be a known broker's: from metadata, or from another socket.
    """
    of_file = Window.partitionBy("file")
    connected = F.when(F.col("broker").isNotNull(), F.struct("host", "port", "broker"))
    known = F.array_union(
        F.flatten(F.collect_set("listed").over(of_file)), F.collect_set(connected).over(of_file)
    )
    there = F.array_distinct(
        F.transform(
            F.filter(
                "known",
                lambda address: (address.host == F.col("host")) & (address.port == F.col("port")),
            ),
            lambda address: address.broker,
        )
    )
    only = F.when(F.size(there) == 1, F.get(there, F.lit(0)))
    return (
        sockets.withColumn("known", known)
        .where(F.col("node_id").isNotNull())
        .withColumn("broker", F.coalesce("broker", only))
    )
