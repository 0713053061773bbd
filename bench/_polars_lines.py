"""Polars' best code for all columns of schema.py. Three ways were tried; `TRIES` holds them, and
the fastest is the peer.

`by_one_pattern`: records cut at a line break before a time, all parts of the head by one regular
    expression; then the lines of each template apart, each with its own regular expression.
`by_small_patterns`: the same with fixed offsets for the head and small anchored patterns for the
    remainder, which Rust's regexes run from the end of the text where they can.
`by_different_texts`: as the second, and of the lines of a template each different text is matched
    once.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from bench._catalogue import (
    COLUMNS,
    COORDINATOR_BASE,
    COORDINATOR_LOWEST,
    NUMBERS,
    PREFIX,
    gaps,
    sites,
)
from kafkalab.logsets.templates import FIELDS

HEAD = r"^(\d\d-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] (\w+) +"
WHOLE = r"(?s)" + HEAD + PREFIX + r"(.*?) \(([\w.$]+)(?::(\d+))?\)(?:\n(.*))?$"


def records(path: Path) -> pl.DataFrame:
    """One text a record, without the `[20` that it starts with, and where the record starts."""
    text = pl.Series("text", [path.read_text(encoding="utf-8")[3:].removesuffix("\n")])
    cut = text.str.split("\n[20").explode().to_frame()
    return cut.with_columns(
        file_offset=(pl.col("text").str.len_bytes().cast(pl.Int64) + 4)
        .cum_sum()
        .shift(1, fill_value=0)
    )


def moment(text: pl.Expr) -> pl.Expr:
    return (pl.lit("20") + text).str.to_datetime("%Y-%m-%d %H:%M:%S,%3f", time_unit="us")


def one_pattern(path: Path) -> pl.LazyFrame:
    names = ["time", "level", "kind", "client_id", "group_id", "message", "logger", "line", "trace"]
    groups = pl.col("text").str.extract_groups(WHOLE).struct.rename_fields(names)
    return (
        records(path)
        .lazy()
        .select("file_offset", groups.alias("groups"))
        .unnest("groups")
        .with_columns(time=moment(pl.col("time")))
    )


def small_patterns(path: Path) -> pl.LazyFrame:
    text = pl.col("text")
    single = ~text.str.contains("\n", literal=True)
    tail = r" \(([\w.$]+)(?::(\d+))?\)$"
    rest = r"(?s)^(.*?) \(([\w.$]+)(?::(\d+))?\)(?:\n(.*))?$"
    return (
        records(path)
        .lazy()
        .with_columns(
            time=moment(text.str.slice(0, 21)),
            level=text.str.slice(23, 5).str.strip_chars_end("[ ").str.extract(r"^(\w+)"),
        )
        .with_columns(body=text.str.slice(23).str.replace(r"^\w+ +", ""))
        .with_columns(
            prefix=pl.col("body").str.extract(r"^(\[(?:Share)?(?:Consumer|Producer) [^\]]*\] )")
        )
        .with_columns(
            kind=pl.col("prefix").str.extract(r"^\[(?:Share)?(\w+)"),
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
                    -(
                        pl.col("logger").str.len_chars()
                        + pl.col("line").str.len_chars().fill_null(-1)
                        + 4
                    ).cast(pl.Int64)
                )
            )
            .otherwise(pl.col("many").struct[0])
        )
        .select("file_offset time level kind client_id group_id logger line message trace".split())
    )


def with_events(lines: pl.LazyFrame) -> pl.LazyFrame:
    """`pattern` and `event` by the place in the source;
    where a place has several templates, by the whole of them."""
    alone, shared = sites()
    table = pl.LazyFrame(
        {
            "logger": [s.logger for s in alone],
            "line": [s.line for s in alone],
            "pattern": [s.pattern for s in alone],
            "event": [s.event for s in alone],
        },
        schema_overrides={"line": pl.Int32, "pattern": pl.Int32},
    )
    from kafkalab.logsets.templates import all_patterns

    pattern, event = pl.col("pattern"), pl.col("event")
    for site in shared:
        here = (pl.col("logger") == site.logger) & (pl.col("line") == site.line)
        fits = here & pl.when(here).then(pl.col("message")).str.contains(
            all_patterns()[site.pattern].whole
        ).fill_null(False)
        pattern = pl.when(fits).then(site.pattern).otherwise(pattern)
        event = pl.when(fits).then(pl.lit(site.event)).otherwise(event)
    group = pl.col("group_id")
    return (
        lines.with_columns(
            kind=pl.col("kind").str.to_lowercase(),
            group_id=pl.when(group != "null").then(group),
            line=pl.col("line").cast(pl.Int32),
        )
        .join(table, on=["logger", "line"], how="left")
        .with_columns(pattern=pattern.cast(pl.Int32), event=event)
    )


def with_fields(lines: pl.DataFrame, once: bool = False) -> pl.LazyFrame:
    """The lines of each template apart, with the columns that its gaps fill."""
    parts = []
    known = gaps()
    for (number,), part in lines.partition_by("pattern", as_dict=True).items():
        found = known.get(number)
        if found is None:
            parts.append(part.lazy())
        elif once and not found.to_the_end and part.height > 1000:
            begins = part.lazy().with_columns(begin=pl.col("message"))
            texts = begins.select(pl.col("begin").unique())
            read = texts.with_columns(
                pl.col("begin").str.extract_groups(found.gaps or "").alias("gaps")
            ).unnest("gaps")
            parts.append(begins.join(read, on="begin", how="left").drop("begin"))
        else:
            parts.append(
                part.lazy()
                .with_columns(pl.col("message").str.extract_groups(found.gaps or "").alias("gaps"))
                .unnest("gaps")
            )
    return pl.concat(parts, how="diagonal")


def typed(lines: pl.LazyFrame, path: Path) -> pl.LazyFrame:
    present = set(lines.collect_schema().names())
    fields = {
        name: (
            pl.when(pl.col(name) != "").then(pl.col(name))
            if name in present
            else pl.lit(None, pl.String)
        )
        for name in FIELDS
    }
    return (
        lines.with_columns(
            **{name: text.cast(pl.Int32 if NUMBERS[name] == 32 else pl.Int64) if name in NUMBERS else text for name, text in fields.items()}  # noqa: E501
        )
        .with_columns(
            file=pl.lit(str(path)),
            thread=pl.lit(None, pl.String),
            problem=pl.lit(None, pl.String),
            node=pl.col("node_id").str.strip_prefix("+").cast(pl.Int64),
        )
        .with_columns(
            broker=pl.when(pl.col("node") < 0).then(None).when(pl.col("node") > COORDINATOR_LOWEST).then(COORDINATOR_BASE - pl.col("node"))  # noqa: E501
            .otherwise(pl.col("node")).cast(pl.Int32)
        )
        .select(COLUMNS)
    )  # fmt: skip


def by_one_pattern(path: Path) -> pl.LazyFrame:
    return typed(with_fields(with_events(one_pattern(path)).collect()), path)


def by_small_patterns(path: Path) -> pl.LazyFrame:
    return typed(with_fields(with_events(small_patterns(path)).collect()), path)


def by_different_texts(path: Path) -> pl.LazyFrame:
    return typed(with_fields(with_events(small_patterns(path)).collect(), once=True), path)


TRIES = (by_one_pattern, by_small_patterns, by_different_texts)


def run(make, path: Path) -> tuple:
    """Every column forced: the sum of its hashes."""
    return make(path).select(pl.all().hash().sum()).collect().row(0)


def arrow_table(make, path: Path):
    return make(path).collect().to_arrow()
