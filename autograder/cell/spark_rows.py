"""Turns a case's rows into a DataFrame, and a DataFrame into sorted, capped, plain rows.

Only here is a DataFrame of the learner's looked at, in the notebook's kernel or in the sandbox; a
judge sees what comes out.
"""

from __future__ import annotations

import datetime
import decimal

from autograder.cell.data import NotAsAsked, canonical, plain

MOST_ROWS = 1_000
MOMENT = "yyyy-MM-dd HH:mm:ss.SSS"
KINDS = {
    "string": "text",
    "boolean": "truth value",
    "date": "day",
    "timestamp": "moment",
    "timestamp_ntz": "moment",
    "double": "fraction",
    "float": "fraction",
    "tinyint": "whole number",
    "smallint": "whole number",
    "int": "whole number",
    "bigint": "whole number",
}


def frame_of(rows: list, schema: str):
    """The rows as a DataFrame of the running session; moments and days are given as texts."""
    from pyspark.sql import functions as F

    from kafkalab.logsets import session

    columns = [part.split() for part in schema.split(",")]
    texts = ", ".join(
        f"{name} {'string' if kind in ('timestamp', 'date') else kind}" for name, kind in columns
    )
    frame = session().createDataFrame([tuple(row) for row in rows], texts)
    return frame.select(*[F.col(name).cast(kind).alias(name) for name, kind in columns])


def rows_of(frame, function: str, gives: tuple[str, ...]) -> dict:
    """{"columns": {name: kind of value}, "rows": [...]}: in the asked order of columns, rows
    sorted, no more than MOST_ROWS.

    Raises NotAsAsked where it is no DataFrame, or one with other columns.
    """
    columns = getattr(frame, "columns", None)
    if not (
        isinstance(columns, list)
        and hasattr(frame, "collect")
        and type(frame).__module__.startswith("pyspark.sql")
    ):
        raise NotAsAsked(f"`{function}` returns {_a(type(frame))}; a Spark DataFrame was asked for")
    if sorted(columns) != sorted(gives):
        raise NotAsAsked(
            f"`{function}` returns the columns {', '.join(columns) or 'none'}; asked for are "
            f"{', '.join(gives)}"
        )
    from pyspark.sql import functions as F

    kinds = {
        name: KINDS.get(type_.partition("(")[0], type_)
        for name, type_ in frame.select(*gives).dtypes
    }
    # As texts, for a moment that leaves Spark is written in the time zone of the reader.
    picked = frame.select(
        *[
            F.date_format(name, MOMENT).alias(name) if kinds[name] == "moment" else F.col(name)
            for name in gives
        ]
    )
    rows = [
        [
            _plain(value).removesuffix(".000")
            if value is not None and kinds[name] == "moment"
            else _plain(value)
            for name, value in zip(gives, row)
        ]
        for row in picked.limit(MOST_ROWS + 1).collect()
    ]
    if len(rows) > MOST_ROWS:
        raise NotAsAsked(f"`{function}` returns more than {MOST_ROWS:,} rows")
    return {"columns": kinds, "rows": sorted(rows, key=canonical)}


def _plain(value):
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    return plain(value)


def _a(kind: type) -> str:
    """A type as one says it: a pandas DataFrame is another thing than Spark's."""
    if kind is type(None):
        return "nothing"
    # `lab.lines()` returns a DataFrame of its own kind
    of_pandas = [base for base in kind.__mro__ if base.__module__.startswith("pandas")]
    if of_pandas:
        return f"a pandas {of_pandas[0].__name__}"
    return f"a value of type {kind.__name__}"
