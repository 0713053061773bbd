"""Runs frames on DuckDB inside this process: sqlframe's PySpark DataFrame API, made quick.

sqlframe keeps all steps of a frame in one tree and copies it at each step. A frame of thirty steps
takes seconds so. Here a finished step becomes text at once, and the next one reads from its name.
"""

from __future__ import annotations

import atexit
import itertools
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import sqlglot.expressions as sql
from sqlframe.base import util
from sqlframe.duckdb import DuckDBDataFrame, DuckDBSession

# sqlframe looks among all dialects of sqlglot for the name of this one, at each column.
util.dialect_to_string = lambda dialect: "duckdb"
TABLE = "table_"
STEP = re.compile(r"\bstep_\d+\b")


class QuickFrame(DuckDBDataFrame):
    """A frame whose earlier steps are texts in its session. Rows and types are Spark's."""

    session: QuickSession

    def _convert_leaf_to_cte(
        self, sequence_id: str | None = None, name: str | None = None
    ) -> QuickFrame:
        """Finish a step: sqlframe calls it where what follows has to be a query of its own."""
        sequence_id = sequence_id or self.sequence_id
        step = self.session.keep_step(self.expression)
        names = self.expression.named_selects
        body = sql.select(*map(sql.column, names)).from_(step)
        part, alias = self._create_cte_from_expression(
            body, self.branch_id, sequence_id, name or f"of_{step}"
        )
        after = sql.select(*map(sql.column, names)).from_(alias)
        after.set("with_", sql.With(expressions=[part]))
        return self.copy(expression=after, sequence_id=sequence_id)

    def _create_hash_from_expression(self, expression: sql.Expression) -> str:
        """A name for a part of a query; sqlframe takes a checksum of its text."""
        return f"part_{next(self.session.numbers)}"

    def join(self, *arguments: Any, **named: Any) -> QuickFrame:
        """As PySpark's. Columns of both sides that have one name cannot be told apart after it."""
        joined = super().join(*arguments, **named)
        return joined._convert_leaf_to_cte()

    def relation(self) -> duckdb.DuckDBPyRelation:
        """The query for DuckDB. Sums of whole numbers are bigint, as in Spark."""
        found = self.session.connection.sql(self.session.text_of(self.expression))
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

    def collect(self) -> list:
        found = self.relation()
        names = found.columns
        return [self.session._to_row(names, row) for row in found.fetchall()]

    def toLocalIterator(self) -> Iterator:
        return iter(self.collect())

    def count(self) -> int:
        return self.relation().aggregate("count(*)").fetchall()[0][0]

    def persist(self, *_: Any) -> QuickFrame:
        """The frame with its rows computed now, as a table."""
        done = [part for part, value in self.expression.args.items() if value]
        if set(done) == {"expressions", "from_"} and self.latest_cte_name.startswith(TABLE):
            return self
        return self.session.table_of(self.toArrow())

    cache = localCheckpoint = persist

    def unpersist(self, *_: Any) -> QuickFrame:
        return self


class QuickSession(DuckDBSession):
    """DuckDB in this process. There is one session; sqlframe's functions look for it."""

    _df = QuickFrame

    def __init__(self) -> None:
        # sqlframe's functions make a session to find the one there is, and Python runs this again.
        if hasattr(self, "steps"):
            return
        super().__init__(duckdb.connect())
        self.numbers = itertools.count()
        self.steps: dict[str, str] = {}
        self.normalized: dict[str, str] = {}
        self.connection.execute("SET TimeZone = 'UTC'")
        # It would write into what a command prints.
        self.connection.execute("SET enable_progress_bar = false")
        # As Spark sorts.
        self.connection.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")

    def _normalize_string(self, value: str) -> str:
        """A name as sqlframe compares it; each name is looked up at every step."""
        if (found := self.normalized.get(value)) is None:
            found = self.normalized[value] = super()._normalize_string(value)
        return found

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        return self._conn

    def table_of(self, rows: pa.Table) -> QuickFrame:
        """A frame of these rows. Times are UTC, and lose the zone that Arrow gives them."""
        for place, field in enumerate(rows.schema):
            if pa.types.is_timestamp(field.type) and field.type.tz:
                plain = rows[field.name].cast(pa.timestamp("us"))
                rows = rows.set_column(place, field.name, plain)
        name = f"{TABLE}{next(self.numbers)}"
        self.connection.register("given", rows)
        self.connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        self.connection.unregister("given")
        return QuickFrame(self, sql.select(*map(sql.column, rows.column_names)).from_(name))

    def keep_step(self, expression: sql.Expression) -> str:
        """Keep a query, and return the name to read from."""
        name = f"step_{next(self.numbers)}"
        self.steps[name] = self._to_sql(expression, pretty=False)
        return name

    def text_of(self, expression: sql.Expression) -> str:
        """A query with all steps that it reads from."""
        query = self._to_sql(expression, pretty=False)
        needed: dict[str, str] = {}
        self._gather(query, needed)
        if not needed:
            return query
        steps = ", ".join(f"{name} AS ({text})" for name, text in needed.items())
        return f"WITH {steps} SELECT * FROM ({query})"

    def _gather(self, query: str, needed: dict[str, str]) -> None:
        """Add the steps of a query, each after those that it reads from itself."""
        for name in STEP.findall(query):
            if name in self.steps and name not in needed:
                self._gather(self.steps[name], needed)
                needed[name] = self.steps[name]


@cache
def duckdb_session() -> QuickSession:
    """The session of this process; started if there is none."""
    session = QuickSession()
    atexit.register(session.connection.close)
    return session
