"""Polars' best code for the reader's columns. Two ways were tried; `TRIES` holds both, and the faster one is the peer.

`one_pattern`: records cut at a line break before a time, then all groups of one regular expression.
`small_patterns`: the same records, fixed offsets for the head and small anchored patterns for the rest, which Rust's regexes run
from the end of the text where they can.
"""
from __future__ import annotations

from pathlib import Path

import polars as pl

HEAD = r"^(\d\d-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] (\w+) +"
PREFIX = r"(?:\[(Consumer|Producer) (?:instanceId=[^,\]]*, )?clientId=([^,\]]*)(?:, groupId=([^,\]]*)|, transactionalId=[^,\]]*)?\] )?"
WHOLE = r"(?s)" + HEAD + PREFIX + r"(.*?) \(([\w.$]+)(?::(\d+))?\)(?:\n(.*))?$"
REQUEST = (
    r"^(?:Sending (\w+) request with header|Received (\w+) response from node [-+\d]+ for request with header) "
    r"RequestHeader\(apiKey=\w+, apiVersion=(\d+), clientId=.*?, correlationId=(\d+)"
)
OLD_SENT = r"^Sending ([A-Z_]+) \{.* with correlation id (\d+) to node [-+\d]+$"
OLD_RECEIVED = r"^Completed receive from node [-+\d]+ for ([A-Z_]+) with correlation id (\d+), received "


def records(path: Path) -> pl.DataFrame:
    """One text a record, without the `[20` that it starts with."""
    text = pl.Series("text", [path.read_text(encoding="utf-8")[3:].removesuffix("\n")])
    return text.str.split("\n[20").explode().to_frame()


def moment(text: pl.Expr) -> pl.Expr:
    return (pl.lit("20") + text).str.to_datetime("%Y-%m-%d %H:%M:%S,%3f", time_unit="us")


def with_request(lines: pl.LazyFrame) -> pl.LazyFrame:
    """api, api_version and correlation_id of the lines that sent a request or received an answer."""
    network = pl.col("logger") == "org.apache.kafka.clients.NetworkClient"
    new, sent, received = (pl.when(network).then(pl.col("message")).str.extract_groups(pattern) for pattern in (REQUEST, OLD_SENT, OLD_RECEIVED))
    return (
        lines.with_columns(new=new, sent=sent, received=received)
        .with_columns(
            api=pl.coalesce(pl.col("new").struct[0], pl.col("new").struct[1], pl.col("sent").struct[0], pl.col("received").struct[0]),
            api_version=pl.col("new").struct[2].cast(pl.Int32),
            correlation_id=pl.coalesce(pl.col("new").struct[3], pl.col("sent").struct[1], pl.col("received").struct[1]).cast(pl.Int32),
        )
        .drop("new", "sent", "received")
    )


def typed(lines: pl.LazyFrame) -> pl.LazyFrame:
    group = pl.col("group_id")
    return with_request(
        lines.with_columns(
            kind=pl.col("kind").str.to_lowercase(),
            group_id=pl.when(group != "null").then(group),
            line=pl.col("line").cast(pl.Int32),
        )
    ).select("time", "level", "kind", "client_id", "group_id", "logger", "line", "api", "api_version", "correlation_id", "message", "trace")


def one_pattern(path: Path) -> pl.LazyFrame:
    names = ["time", "level", "kind", "client_id", "group_id", "message", "logger", "line", "trace"]
    groups = pl.col("text").str.extract_groups(WHOLE).struct.rename_fields(names)
    return typed(records(path).lazy().select(groups.alias("groups")).unnest("groups").with_columns(time=moment(pl.col("time"))))


def small_patterns(path: Path) -> pl.LazyFrame:
    text = pl.col("text")
    single = ~text.str.contains("\n", literal=True)
    tail = r" \(([\w.$]+)(?::(\d+))?\)$"
    rest = r"(?s)^(.*?) \(([\w.$]+)(?::(\d+))?\)(?:\n(.*))?$"
    lines = (
        records(path)
        .lazy()
        .with_columns(time=moment(text.str.slice(0, 21)), level=text.str.slice(23, 5).str.strip_chars_end("[ ").str.extract(r"^(\w+)"))
        .with_columns(body=text.str.slice(23).str.replace(r"^\w+ +", ""))
        .with_columns(prefix=pl.col("body").str.extract(r"^(\[(?:Consumer|Producer) [^\]]*\] )"))
        .with_columns(
            kind=pl.col("prefix").str.extract(r"^\[(\w+)"),
            client_id=pl.col("prefix").str.extract(r"clientId=([^,\]]*)"),
            group_id=pl.col("prefix").str.extract(r"groupId=([^,\]]*)"),
            body=pl.col("body").str.slice(pl.col("prefix").str.len_chars().fill_null(0)),
            single=single,
        )
        .with_columns(
            many=pl.when(~pl.col("single")).then(pl.col("body")).str.extract_groups(rest),
            end=pl.when(pl.col("single")).then(pl.col("body")).str.extract_groups(tail),
        )
        .with_columns(
            logger=pl.coalesce(pl.col("end").struct[0], pl.col("many").struct[1]),
            line=pl.coalesce(pl.col("end").struct[1], pl.col("many").struct[2]),
            trace=pl.col("many").struct[3],
        )
        .with_columns(
            message=pl.when(pl.col("single"))
            .then(
                pl.col("body").str.head(
                    -(pl.col("logger").str.len_chars() + pl.col("line").str.len_chars().fill_null(-1) + 4).cast(pl.Int64)
                )
            )
            .otherwise(pl.col("many").struct[0])
        )
    )
    return typed(lines)


TRIES = (one_pattern, small_patterns)


def run(make, path: Path) -> tuple:
    """Every column forced: the sum of its hashes."""
    return make(path).select(pl.all().hash().sum()).collect().row(0)


def table(path: Path):
    return TRIES[-1](path).collect().to_arrow()
