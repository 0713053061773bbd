"""Reading a log set: Spark with our data source, against DuckDB's and Polars' own code for the same columns.

The set is data/recordings, one copy after another in one plain file of about a million lines. Every side makes the same typed
columns (compared by hash, all columns, on a tenth of the lines) and is timed while every column is forced. Ours also names each line's
event, which the peers do not. "Cold" is a session that has read nothing yet, "warm" the median of three reads after that; nobody
caches anything.
"""
from __future__ import annotations

import gzip
import statistics
import tempfile
import time
from pathlib import Path

from bench import Row, _duckdb_lines, _polars_lines

RECORDINGS = Path(__file__).resolve().parents[1] / "data" / "recordings"
LINES = 1_000_000
FEW = 100_000  # On so many the three are compared, and each peer's ways are tried against each other.
COLUMNS = ("time", "level", "kind", "client_id", "group_id", "logger", "line", "api", "api_version", "correlation_id", "message", "trace")
OF_REQUESTS = ("api", "api_version", "correlation_id")


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path, few = Path(folder, "million.log"), Path(folder, "few.log")
        _multiplied(few, FEW)
        return _compared(path, _multiplied(path, LINES), few)


def _multiplied(path: Path, wanted: int) -> int:
    """The recorded clients' lines, over and over; returns how many there are: `wanted` or some more."""
    once = b"".join(gzip.decompress(file.read_bytes()) for file in sorted(RECORDINGS.rglob("*.log.gz")) if "broker-" not in file.name)
    count = once.count(b"\n[20") + 1
    copies = -(-wanted // count)
    with open(path, "wb") as file:
        for _ in range(copies):
            file.write(once)
    return count * copies


def _compared(path: Path, lines: int, few: Path) -> list[Row]:
    from kafkalab import logsets

    spark = logsets.session()
    cold = _seconds(lambda: _spark(spark, path))
    _same(spark, few)
    warm = _median(lambda: _spark(spark, path))
    rows: list[Row] = []
    for name, peer in (("Polars", _polars_lines), ("DuckDB", _duckdb_lines)):
        fastest = min(peer.TRIES, key=lambda make: _seconds(lambda: peer.run(make, few)))
        best = _median(lambda: peer.run(fastest, path))
        for state, ours in (("warm", warm), ("cold", cold)):
            title = f"read {lines / 1e6:.1f} M lines, all columns, {state} Spark / {name} (less is better)"
            rows.append(Row(name=title, ours=ours, peer=best, ratio=ours / best, unit="s"))
    return rows


def _seconds(work) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _median(work) -> float:
    return statistics.median(_seconds(work) for _ in range(3))


def _lines(spark, path: Path):
    """Our columns; a request's fields only on the lines that sent or received one, as the peers have them."""
    from pyspark.sql import functions as F

    from kafkalab.logsets.read import load

    talks = F.col("event").isin("SENDING_REQUEST", "RECEIVED_RESPONSE")
    lines = load(spark, path, (*COLUMNS, "event"))
    return lines.select(*(F.when(talks, F.col(name)).alias(name) if name in OF_REQUESTS else F.col(name) for name in COLUMNS), "event")


def _spark(spark, path: Path) -> None:
    from pyspark.sql import functions as F

    # Added as decimals: a sum of 64-bit hashes does not fit 64 bits.
    _lines(spark, path).select(*(F.sum(F.xxhash64(name).cast("decimal(20)")) for name in (*COLUMNS, "event"))).collect()


def _same(spark, path: Path) -> None:
    """Stop when the three do not make the same columns: the sums of the hashes of every column have to be equal."""
    ours = _hashes(_lines(spark, path).select(*COLUMNS).toArrow())
    for name, peer in (("Polars", _polars_lines), ("DuckDB", _duckdb_lines)):
        theirs = _hashes(peer.table(path))
        different = [column for column in COLUMNS if ours[column] != theirs[column]]
        if different:
            raise AssertionError(f"{name} and Spark differ in {', '.join(different)}: the comparison would say nothing")


def _hashes(table) -> dict[str, tuple[int, int]]:
    """For each column the sum of its values' hashes, and how many are null."""
    import pandas
    import pyarrow as pa
    import pyarrow.compute as pc

    found = {}
    for name in COLUMNS:
        column = table[name]
        if pa.types.is_timestamp(column.type):
            column = pc.cast(pc.cast(column, pa.timestamp("us", tz=column.type.tz)), pa.int64())
        kind = pa.large_string() if pa.types.is_large_string(column.type) or pa.types.is_string(column.type) or pa.types.is_string_view(column.type) else pa.int64()
        values = pc.cast(column, kind).drop_null()
        # Unsigned sums wrap around, which is as good a sum as any.
        found[name] = int(pandas.util.hash_array(values.to_numpy()).sum()) if len(values) else 0, column.null_count
    return found
