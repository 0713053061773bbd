"""Narrow questions about a log, as our commands ask them and as one writes them by hand.

sockets: the connections that each client opened to each node, with our whole account of who ended
them. rebalances: the groups that each client joined. fencings: the transactions that a fatal error
ended, by client. The peers look for the words in each line, and take apart those that hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench._duckdb_lines import quoted

CLIENT = r"clientId=([^,\]]*)"


@dataclass(frozen=True)
class NarrowQuestion:
    """The events that we ask for, the words that a peer looks for, and what it groups by."""

    events: tuple[str, ...]
    words: str
    node: str


def questions() -> dict[str, NarrowQuestion]:
    from kafkalab.logsets.connections import EVENTS

    return {
        "sockets": NarrowQuestion(EVENTS, "Initiating connection to node ", r"\(id: ([^ ]+) rack"),
        "rebalances": NarrowQuestion(
            ("JOINED_GROUP",), "Successfully joined group with generation ", r"generation.*?(\d+)"
        ),
        "fencings": NarrowQuestion(
            ("TRANSACTION_FATAL_ERROR",), "Transiting to fatal error state due to ", r"due to (\w+)"
        ),
    }


def ours(name: str, question: NarrowQuestion, spark, path: Path) -> int:
    """How many there are, by our reader. spark: None for DuckDB."""
    from kafkalab.logsets.connections import connections
    from kafkalab.logsets.question import LineQuestion
    from kafkalab.logsets.reader import read

    lines = read(spark, str(path), question=LineQuestion(events=question.events))
    found = connections(lines) if name == "sockets" else lines.where("client_id is not null")
    return sum(row["count"] for row in found.groupBy("client_id").count().collect())


def by_polars(question: NarrowQuestion, path: Path) -> int:
    import polars as pl

    line = pl.col("line")
    lines = pl.scan_csv(
        path, separator="\x01", has_header=False, quote_char=None, schema={"line": pl.String}
    )
    found = (
        lines.filter(line.str.contains(question.words, literal=True))
        .select(
            client=line.str.extract(CLIENT),
            what=line.str.extract(question.node),
            time=line.str.slice(1, 23),
        )
        .drop_nulls("client")
        .group_by("client", "what")
        .agg(pl.len(), pl.col("time").max())
    )
    return int(found.collect()["len"].sum())


def by_duckdb(question: NarrowQuestion, path: Path) -> int:
    import duckdb

    read = (
        f"read_csv({quoted(str(path))}, columns={{'line': 'varchar'}}, delim=chr(1), quote='', "
        "escape='', header=false, auto_detect=false, strict_mode=false, max_line_size=16000000)"
    )
    query = f"""
        select nullif(regexp_extract(line, {quoted(CLIENT)}, 1), '') as client,
            regexp_extract(line, {quoted(question.node)}, 1) as what, count(*) as n, max(line[2:24])
        from {read} where contains(line, {quoted(question.words)}) group by all"""
    with duckdb.connect() as peer:
        return sum(n for client, _, n, _ in peer.execute(query).fetchall() if client is not None)


PEERS = {"Polars": by_polars, "DuckDB": by_duckdb}
