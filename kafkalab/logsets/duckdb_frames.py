"""Runs frames on DuckDB inside this process: sqlframe's PySpark DataFrame API, made quick.

sqlframe keeps all steps of a frame in one tree and copies it at each step. A frame of thirty steps
takes seconds so. Here a step that has parts becomes a view of DuckDB, and the next one reads from
its name.
"""

from __future__ import annotations

import atexit
import itertools
from collections.abc import Iterator
from functools import cache, wraps
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import sqlglot.expressions as sql
from sqlframe.base import util
from sqlframe.base.operations import Operation
from sqlframe.duckdb import DuckDBDataFrame, DuckDBSession

TABLE, STEP = "table_", "step_"
# PySpark's words for a step that reads from the frame.
STEPS = (
    "agg", "crossJoin", "distinct", "drop", "dropDuplicates", "dropna", "exceptAll", "fillna",
    "filter", "groupBy", "join", "limit", "orderBy", "select", "sort", "union", "unionByName",
    "where", "withColumn", "withColumnRenamed", "withColumns",
)  # fmt: skip
_numbers = itertools.count()


class QuickFrame(DuckDBDataFrame):
    """A frame whose earlier steps are views in its session. Rows and types are Spark's."""

    def in_one_part(self) -> QuickFrame:
        """The frame as a reading of one view, where sqlframe would make its query a part."""
        if self.last_op < Operation.GROUP_BY and not self.expression.args.get("joins"):
            return self
        name = f"{STEP}{next(_numbers)}"
        connection().execute(f"CREATE TEMP VIEW {name} AS {self._text()}")
        return _reading(name, self.expression.named_selects)

    def _text(self) -> str:
        text: str = self.expression.sql(dialect=_session().execution_dialect)
        return text

    def relation(self) -> duckdb.DuckDBPyRelation:
        """The query for DuckDB. Sums of whole numbers are bigint, as in Spark."""
        found = connection().sql(self._text())
        if not any(str(kind) == "HUGEINT" for kind in found.types):
            return found
        return found.project(
            ", ".join(
                f'"{name}"::BIGINT AS "{name}"' if str(kind) == "HUGEINT" else f'"{name}"'
                for name, kind in zip(found.columns, found.types)
            )
        )

    def toArrow(self, batch_size: int | None = None) -> pa.Table:
        return self.relation().to_arrow_table()

    def toPandas(self) -> pd.DataFrame:
        rows: pd.DataFrame = self.toArrow().to_pandas(coerce_temporal_nanoseconds=True)
        return rows

    def toLocalIterator(self) -> Iterator:
        return iter(self.collect())

    def count(self) -> int:
        return self.relation().aggregate("count(*)").fetchall()[0][0]

    def persist(self, *_: Any) -> QuickFrame:
        """The frame with its rows computed now, as a table."""
        done = [part for part, value in self.expression.args.items() if value]
        if len(done) == 3 and self.latest_cte_name.startswith(f"of_{TABLE}"):
            return self
        name = f"{TABLE}{next(_numbers)}"
        self.relation().create(name)
        return _reading(name, self.expression.named_selects)

    cache = localCheckpoint = persist

    def unpersist(self, *_: Any) -> QuickFrame:
        return self


def _step_of(name: str) -> Any:
    """sqlframe's step of this name, on frames of one part."""
    theirs = getattr(DuckDBDataFrame, name)

    @wraps(theirs)
    def step(self: QuickFrame, *arguments: Any, **named: Any) -> Any:
        others = (
            each.in_one_part() if isinstance(each, QuickFrame) else each for each in arguments
        )
        return theirs(self.in_one_part(), *others, **named)

    return step


# sqlframe asks for each column again which dialect it is, and sqlglot then looks for all of them.
util.dialect_to_string = cache(util.dialect_to_string)
for _name in STEPS:
    setattr(QuickFrame, _name, _step_of(_name))


def duckdb_frame(rows: pa.Table) -> QuickFrame:
    """A frame of these rows. Times are UTC, and lose the zone that Arrow gives them."""
    for place, field in enumerate(rows.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz:
            plain = rows[field.name].cast(pa.timestamp("us"))
            rows = rows.set_column(place, field.name, plain)
    name = f"{TABLE}{next(_numbers)}"
    connection().register("given", rows)
    connection().execute(f"CREATE TABLE {name} AS SELECT * FROM given")
    connection().unregister("given")
    return _reading(name, rows.column_names)


def parquet_frame(folder: str) -> QuickFrame:
    """A frame of the lines (schema.py) in the Parquet files of a folder, read again for each query.

    What is larger than half of the memory goes to the disk, into that folder. Raises duckdb's
    IOException where there is no such file.
    """
    name = f"{TABLE}{next(_numbers)}"
    connection().execute(f"SET temp_directory = {_quoted(folder)}")
    connection().execute("SET memory_limit = '50%'")
    connection().execute(
        f'CREATE VIEW {name} AS SELECT * REPLACE ("time"::TIMESTAMP AS "time") '
        f"FROM read_parquet({_quoted(f'{folder}/*.parquet')})"
    )
    return _reading(name, connection().table(name).columns)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _reading(name: str, columns: list[str]) -> QuickFrame:
    """A frame of all rows of a view or table, in the form that sqlframe gives to a first step."""
    part = f"of_{name}"
    rows = sql.select(*map(sql.column, columns)).from_(name)
    query = sql.select(*map(sql.column, columns)).from_(part).with_(part, as_=rows)
    frame = QuickFrame(_session(), query, last_op=Operation.NO_OP)
    query.ctes[0].set("branch_id", frame.branch_id)
    query.ctes[0].set("sequence_id", frame.sequence_id)
    return frame


@cache
def connection() -> duckdb.DuckDBPyConnection:
    """DuckDB in this process."""
    made = duckdb.connect()
    made.execute("SET TimeZone = 'UTC'")
    # It would write into what a command prints.
    made.execute("SET enable_progress_bar = false")
    # As Spark sorts.
    made.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")
    atexit.register(made.close)
    return made


@cache
def _session() -> DuckDBSession:
    """sqlframe's session: there is one in a process, and its functions look for it."""
    return DuckDBSession(connection())
