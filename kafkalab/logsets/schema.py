"""What is a line, once it is read? One row with these columns, whoever wrote it, whichever version,
whatever the layout.

Arrow types are what the workers build, Spark types what a query sees; both come from this table and
nowhere else. It is the contract between who reads lines and who explains them. A gap that only one
event has is no column: `events.fields(lines, event)` types those.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


@dataclass(frozen=True)
class Column:
    """A column of the lines frame. `type` is Spark's DDL name;
    every column but file and offset may be null."""

    name: str
    type: str
    doc: str


COLUMNS = (
    Column(
        "file",
        "string",
        "the file as it was named to the reader: PATH, or PATH/… when PATH is a folder",
    ),
    Column(
        "offset",
        "bigint",
        "where the line starts in the file's text, in bytes (unpacked); with `file` it names and "
        "orders a line",
    ),
    Column("time", "timestamp", "when, to the millisecond; lines carry no zone, so UTC is assumed"),
    Column("level", "string", "TRACE, DEBUG, INFO, WARN, ERROR or FATAL"),
    Column(
        "kind",
        "string",
        "consumer, producer or admin; null where the line has no `[Consumer clientId=…] ` in front",
    ),
    Column("client_id", "string", "clientId of that prefix"),
    Column("group_id", "string", "groupId of that prefix; null for `null`"),
    Column(
        "logger",
        "string",
        "the class that wrote it, in full: org.apache.kafka.clients.NetworkClient",
    ),
    Column("thread", "string", "the thread that wrote it (%t); null where the layout has none"),
    Column("line", "int", "the line of that class's source (%L); null where the layout has none"),
    Column(
        "event",
        "string",
        "the name of its entry in kafkalab.lines.catalog; null for lines that the catalogue does "
        "not know",
    ),
    Column(
        "node_id",
        "string",
        "the node as printed: -1 is a bootstrap server, 2147483645 and +2 the coordinator on "
        "broker 2",
    ),
    Column(
        "broker",
        "int",
        "the broker behind node_id: coordinator ids decoded, null for bootstrap servers",
    ),
    Column("host", "string", "where a node text says so: localhost"),
    Column("port", "int", "likewise: 9092"),
    Column("api", "string", "the request or answer it speaks of: METADATA, FETCH, …"),
    Column("api_version", "int", "and its version"),
    Column("correlation_id", "int", "and the number that pairs request and answer"),
    Column("topic", "string", "the topic of the topic-partition that the line names"),
    Column("partition", "int", "and its number"),
    Column(
        "position",
        "bigint",
        "the offset in that partition that the line names: fetched from, committed, reset to, "
        "produced at",
    ),
    Column(
        "count",
        "int",
        "how many of what the line speaks of: records returned, batches expired, attempts left",
    ),
    Column("generation", "int", "the group's generation; the member epoch under KIP-848"),
    Column(
        "member_id", "string", "the member of the group; null for the empty one of a first join"
    ),
    Column("producer_id", "bigint", "the producer id of an idempotent or transactional producer"),
    Column("producer_epoch", "int", "and its epoch"),
    Column("sequence", "int", "the sequence number of a batch"),
    Column(
        "state",
        "string",
        "the state a transition goes to: of a transaction, a KIP-848 member, a batch, telemetry",
    ),
    Column("reason", "string", "why, in the line's words: an error, an exception, a cause"),
    Column(
        "message",
        "string",
        "the text without time, level, prefix and logger; may hold several lines",
    ),
    Column("trace", "string", "the stack trace that followed it, if one did"),
    Column(
        "problem",
        "string",
        "null when the line could be read; else why not. Such lines are kept: `message` holds all "
        "of their text",
    ),
)
NAMES = tuple(column.name for column in COLUMNS)

FOREIGN = "foreign line"  # Not a log line at all, and no continuation of one.
NO_LEVEL = "no level"
NO_LOGGER = "no logger at the end"
NO_SUCH_TIME = "no such time"
NOT_UTF8 = "not UTF-8"

# Kafka's id for the coordinator's connection to broker n, up to 4.0: Integer.MAX_VALUE - n
# (AbstractCoordinator). 4.4 prints `+n`.
COORDINATOR_ID_BASE = 2147483647
# Ids above this are read as coordinators. Real clusters number their brokers far below it.
COORDINATOR_ID_LOWEST = COORDINATOR_ID_BASE - 1_000_000


def spark_schema(names: tuple[str, ...] = NAMES) -> "StructType":
    """The columns of these names as Spark's schema, in the table's order."""
    from pyspark.sql import types

    # Not StructType.fromDDL: that asks the JVM, and workers have none.
    made = {
        "string": types.StringType(),
        "int": types.IntegerType(),
        "bigint": types.LongType(),
        "timestamp": types.TimestampType(),
    }
    return types.StructType(
        [types.StructField(c.name, made[c.type]) for c in COLUMNS if c.name in names]
    )
