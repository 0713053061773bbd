"""Defines the columns of a log line in a DataFrame, for every Kafka client, version and layout.

The workers build Arrow types, and a query has Spark types. Both come from this table only. It is
the contract between the code that reads lines and the code that explains them. A gap of only one
event has no column here: `events.fields(lines, event)` gives it one.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType


@dataclass(frozen=True)
class LineColumn:
    """A column of the lines frame. `type` is Spark's DDL name;
    every column but file and file_offset may be null."""

    name: str
    type: str
    doc: str


COLUMNS = (
    LineColumn(
        "file",
        "string",
        "the file as it was named to the reader: PATH, or PATH/… when PATH is a folder",
    ),
    LineColumn(
        "file_offset",
        "bigint",
        "where the line starts in the file's text, in bytes (unpacked); with `file` it names and "
        "orders a line",
    ),
    LineColumn(
        "time", "timestamp", "when, to the millisecond; lines carry no zone, so UTC is assumed"
    ),
    LineColumn("level", "string", "TRACE, DEBUG, INFO, WARN, ERROR or FATAL"),
    LineColumn(
        "kind",
        "string",
        "consumer, producer or admin; null where the line has no `[Consumer clientId=…] ` in front",
    ),
    LineColumn("client_id", "string", "clientId of that prefix"),
    LineColumn("group_id", "string", "groupId of that prefix; null for `null`"),
    LineColumn(
        "logger",
        "string",
        "the class that wrote it, in full: org.apache.kafka.clients.NetworkClient",
    ),
    LineColumn("thread", "string", "the thread that wrote it (%t); null where the layout has none"),
    LineColumn(
        "line", "int", "the line of that class's source (%L); null where the layout has none"
    ),
    LineColumn(
        "event",
        "string",
        "the name of its entry in kafkalab.lines.catalog (clients' and brokers' lines); null for "
        "lines that the catalogue does not know",
    ),
    LineColumn(
        "node_id",
        "string",
        "the node as printed: -1 is a bootstrap server, 2147483645 and +2 the coordinator on "
        "broker 2",
    ),
    LineColumn(
        "broker",
        "int",
        "the broker behind node_id: coordinator ids decoded, null for bootstrap servers; of a "
        "broker's own line itself",
    ),
    LineColumn("host", "string", "where a node text says so: localhost"),
    LineColumn("port", "int", "likewise: 9092"),
    LineColumn("api", "string", "the request or answer it speaks of: METADATA, FETCH, …"),
    LineColumn("api_version", "int", "and its version"),
    LineColumn("correlation_id", "int", "and the number that pairs request and answer"),
    LineColumn("topic", "string", "the topic of the topic-partition that the line names"),
    LineColumn("partition", "int", "and its number"),
    LineColumn(
        "position",
        "bigint",
        "the offset in that partition that the line names: fetched from, committed, reset to, "
        "produced at",
    ),
    LineColumn(
        "count",
        "int",
        "how many of what the line speaks of: records returned, batches expired, attempts left",
    ),
    LineColumn("generation", "int", "the group's generation; the member epoch under KIP-848"),
    LineColumn(
        "member_id", "string", "the member of the group; null for the empty one of a first join"
    ),
    LineColumn(
        "producer_id", "bigint", "the producer id of an idempotent or transactional producer"
    ),
    LineColumn("producer_epoch", "int", "and its epoch"),
    LineColumn("sequence", "int", "the sequence number of a batch"),
    LineColumn(
        "state",
        "string",
        "the state a transition goes to: of a transaction, a KIP-848 member, a batch, telemetry",
    ),
    LineColumn("reason", "string", "why, in the line's words: an error, an exception, a cause"),
    LineColumn(
        "message",
        "string",
        "the text without time, level, prefix and logger; may hold several lines",
    ),
    LineColumn("trace", "string", "the stack trace that followed it, if one did"),
    LineColumn(
        "problem",
        "string",
        "null when the line could be read; else why not. Such lines are kept: `message` holds all "
        "of their text",
    ),
)
NAMES = tuple(column.name for column in COLUMNS)

# Where the first column of a table has the options of its reading: Spark hands on nothing else.
TABLE_OPTIONS = "kafkalab.options"

FOREIGN = "foreign line"  # Not a log line at all, and no continuation of one.
NO_LEVEL = "no level"
NO_LOGGER = "no logger at the end"
NO_SUCH_TIME = "no such time"
NOT_UTF8 = "not UTF-8"
ZEROS = "zero bytes"
CUT = "cut line"  # As long as the longest ones, which are not known to the catalogue.
TORN = "two records in one line"
DAMAGED = "damaged text"  # Amid cut or torn lines: no client writes such a line.
# Where a line that begins no record holds this, it is a piece of one.
# A class of Kafka's or ZooKeeper's, also a shortened one.
OWN_CLASS = r"^(?:org\.apache\.|o\.a\.)?(?:k|kafka|z|zookeeper)\.|^state\.change\.logger$"
CLASS_AT_END = r"\((?:org\.apache\.)?kafka\.[\w.$]+(?::\d+)?\)$"
# A level or a context that a layout has put behind the message.
# \z: Java's $ matches before a new line at the end, too
CONTEXT_AT_END = r"\s(?:[<\[({][^\s<\[({]*[>\])}]|[A-Za-z][\w.]*=[\w\-]*)\z"
PIECE = rf"{CLASS_AT_END}|\[(?:Consumer|Producer|AdminClient) \w+="
HOLE = r"\x00"
DAMAGED_LINE = f"{PIECE}|{HOLE}"

# Kafka's id for the coordinator's connection to broker n, up to 4.0: Integer.MAX_VALUE - n
# (AbstractCoordinator). 4.4 prints `+n`.
COORDINATOR_ID_BASE = 2147483647
# Ids above this are read as coordinators. Real clusters number their brokers far below it.
COORDINATOR_ID_LOWEST = COORDINATOR_ID_BASE - 1_000_000


def arrow_schema(names: tuple[str, ...] = NAMES) -> "pa.Schema":
    """The columns of these names as Arrow's schema, in the table's order."""
    import pyarrow as pa

    made = {
        "string": pa.string(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "timestamp": pa.timestamp("us", tz="UTC"),
    }
    return pa.schema(
        [(column.name, made[column.type]) for column in COLUMNS if column.name in names]
    )


def spark_schema(names: tuple[str, ...] = NAMES) -> "StructType":
    """The columns of these names as Spark's schema, in the table's order."""
    from pyspark.sql import types

    # Not StructType.fromDDL: that needs the JVM, and workers have none.
    made = {
        "string": types.StringType(),
        "int": types.IntegerType(),
        "bigint": types.LongType(),
        "timestamp": types.TimestampType(),
    }
    return types.StructType(
        [types.StructField(c.name, made[c.type]) for c in COLUMNS if c.name in names]
    )
