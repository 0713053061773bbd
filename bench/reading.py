"""Reading a log set: Spark with our data source, against DuckDB's and Polars' own code for the same
columns.

The set is data/recordings, one copy after another in one plain file of three million lines
(BENCH_READING_LINES for fewer). Every side makes all columns of schema.py and is timed while every
one of them is forced by a sum of hashes; on the recordings once over the three are compared column
by column first. The JVM is warm, nothing is cached, there is no Parquet. Of each peer's ways the
fastest counts; what a peer knows of the catalogue it is told (_catalogue.py). The median of three,
the sides taking turns, so that a busy machine is busy for all.

Narrow questions come after: sockets, rebalances and fencings (_narrow.py). There the number of
rows has to be equal. The last row asks for the sockets in a terminal, of five million lines (1.6
GB).
"""

from __future__ import annotations

import gzip
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import Row, _duckdb_lines, _polars_lines, compared
from bench import _narrow as _narrow_questions
from kafkalab.logsets.schema import NAMES

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "recordings"
LINES = int(os.environ.get("BENCH_READING_LINES", 3_000_000))
PEERS = {"Polars": _polars_lines, "DuckDB": _duckdb_lines}
ROUNDS = 3


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path, few = Path(folder, "many.log"), Path(folder, "few.log")
        _multiplied(few, 1)
        lines = _multiplied(path, LINES)
        rows = [*_compared(path, lines, few), *_narrow(path, lines)]
        return [*rows, _as_commands(path, _multiplied(path, LINES * 5 // 3))]


def _multiplied(path: Path, wanted: int) -> int:
    """The recorded clients' lines, over and over; returns how many there are:
    `wanted` or some more."""
    once = b"".join(
        gzip.decompress(file.read_bytes())
        for file in sorted(RECORDINGS.rglob("*.log.gz"))
        if "broker-" not in file.name
    )
    count = once.count(b"\n[20") + 1
    copies = -(-wanted // count)
    with open(path, "wb") as file:
        for _ in range(copies):
            file.write(once)
    return count * copies


def _compared(path: Path, lines: int, few: Path) -> list[Row]:
    from kafkalab import logsets

    spark = logsets.session(large=True)
    _same(spark, few)
    ways = {name: _fastest(peer, few) for name, peer in PEERS.items()}
    with tempfile.TemporaryDirectory() as folder:
        took: dict[str, list[float]] = {name: [] for name in ("Spark", "Parquet", *PEERS)}
        parquet = f"{folder}/lines.parquet"
        _spark_lines(spark, path).write.parquet(parquet)
        for _ in range(ROUNDS):
            took["Spark"].append(_seconds(lambda: _forced(_spark_lines(spark, path))))
            took["Parquet"].append(_seconds(lambda: _forced(spark.read.parquet(parquet))))
            for name, peer in PEERS.items():
                took[name].append(_seconds(lambda peer=peer, name=name: peer.run(ways[name], path)))
    best = {name: statistics.median(times) for name, times in took.items()}
    title = f"read {lines / 1e6:.1f} M lines, all {len(NAMES)} columns, cold"
    rows = [
        (f"{title}, Spark / {name}'s {ways[name].__name__}", best["Spark"], best[name])
        for name in PEERS
    ]
    rows.append((f"{title}: Spark again from Parquet / from text", best["Parquet"], best["Spark"]))
    return [compared(f"{name} (less is better)", ours, peer, "s") for name, ours, peer in rows]


def _narrow(path: Path, lines: int) -> list[Row]:
    """Narrow questions: our frames on both engines beside queries by hand (_narrow.py)."""
    from kafkalab import logsets
    from kafkalab.logsets.engine import DUCKDB, SPARK, running_on

    sessions = {SPARK: logsets.session(large=True), DUCKDB: None}
    rows = []
    for name, question in _narrow_questions.questions().items():
        took: dict[str, list[float]] = {who: [] for who in (*sessions, *_narrow_questions.PEERS)}
        counts = {}
        for _ in range(ROUNDS):
            for engine, spark in sessions.items():
                with running_on(engine):
                    begin = time.perf_counter()
                    counts[engine] = _narrow_questions.ours(name, question, spark, path)
                    took[engine].append(time.perf_counter() - begin)
            for who, peer in _narrow_questions.PEERS.items():
                begin = time.perf_counter()
                counts[who] = peer(question, path)
                took[who].append(time.perf_counter() - begin)
        if len(set(counts.values())) > 1:
            raise AssertionError(f"{name}: not the same number everywhere, {counts}")
        best = {who: statistics.median(times) for who, times in took.items()}
        rows += [
            compared(
                f"{name} of {lines / 1e6:.1f} M lines, ours on {engine} / {who} by hand",
                best[engine],
                best[who],
                "s",
            )
            for engine in sessions
            for who in _narrow_questions.PEERS
        ]
    return rows


def _as_commands(path: Path, lines: int) -> Row:
    """The sockets asked for in a terminal: our command, which prints them all, beside a program
    with the query by hand, which prints their number. Both start a Python."""
    by_hand = (
        "import sys; from pathlib import Path; from bench import _narrow; "
        "print(_narrow.by_polars(_narrow.questions()['sockets'], Path(sys.argv[1])))"
    )
    ours = ("-m", "kafkalab.logsets", "connections", str(path), "--engine", "duckdb")
    took: dict[tuple[str, ...], list[float]] = {ours: [], ("-c", by_hand, str(path)): []}
    for _ in range(ROUNDS):
        for words, times in took.items():
            times.append(_seconds(lambda words=words: _in_a_terminal(words)))
    best, peer = (statistics.median(times) for times in took.values())
    name = f"sockets of {lines / 1e6:.1f} M lines as a command, ours on duckdb / Polars by hand"
    return compared(name, best, peer, "s")


def _in_a_terminal(words: tuple[str, ...]) -> None:
    ended = subprocess.run(
        [sys.executable, *words], cwd=RECORDINGS.parents[1], capture_output=True, text=True
    )
    # 3: the lines stand there more than once, and the command says so
    if ended.returncode not in (0, 3):
        raise RuntimeError(ended.stderr[-600:])


def _fastest(peer, few: Path):
    """The fastest of a peer's ways, each after a first time that does not count."""
    for way in peer.TRIES:
        peer.run(way, few)
    return min(peer.TRIES, key=lambda way: _seconds(lambda: peer.run(way, few)))


def _seconds(work) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _spark_lines(spark, path: Path):
    from kafkalab.logsets.line_loader import load_lines

    return load_lines(spark, path)


def _forced(lines) -> None:
    from pyspark.sql import functions as F

    # The hashes' halves are added: a sum of 64-bit hashes does not fit 64 bits.
    lines.select(*(F.sum(F.xxhash64(name).bitwiseAND(0xFFFFFFFF)) for name in NAMES)).collect()


def _same(spark, path: Path) -> None:
    """Stop when they do not make the same columns: the sums of the
    hashes of every column have to be equal."""
    ours = _hashes(_spark_lines(spark, path).toArrow())
    for name, peer in PEERS.items():
        for way in peer.TRIES:
            theirs = _hashes(peer.arrow_table(way, path))
            if different := [column for column in NAMES if ours[column] != theirs[column]]:
                raise AssertionError(
                    f"{name}'s {way.__name__} and Spark differ in {', '.join(different)}: the "
                    "comparison would say nothing"
                )


def _hashes(table) -> dict[str, tuple[int, int]]:
    """For each column the sum of its values' hashes, and how many are null."""
    import pandas
    import pyarrow as pa
    import pyarrow.compute as pc

    found = {}
    for name in NAMES:
        column = table[name]
        if pa.types.is_timestamp(column.type):
            column = pc.cast(pc.cast(column, pa.timestamp("us", tz=column.type.tz)), pa.int64())
        kind = pa.int64() if pa.types.is_integer(column.type) else pa.large_string()
        values = pc.cast(column, kind).drop_null()
        # Unsigned sums wrap around, which is as good a sum as any.
        found[name] = (
            int(pandas.util.hash_array(values.to_numpy()).sum()) if len(values) else 0,
            column.null_count,
        )
    return found
