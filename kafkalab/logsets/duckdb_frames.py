"""Runs frames on DuckDB inside this process, in PySpark's DataFrame API.

A step of a frame is a query with the query of the step before in it, as text. The columns are
sqlframe's. Its frames keep their steps in one tree, copy it at each step, and take seconds for
thirty of them; so they take the steps that are not written here.
"""

from __future__ import annotations

import atexit
import itertools
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import sqlglot
import sqlglot.expressions as sql
from sqlframe.base import util
from sqlframe.base.column import Column
from sqlframe.base.types import Row
from sqlframe.duckdb import DuckDBDataFrame, DuckDBSession

TABLE = "table_"
DIALECT = "duckdb"
# The joins that are written here, by PySpark's words for them.
JOINS = {"inner": "JOIN", "cross": "CROSS JOIN", "left": "LEFT JOIN", "full": "FULL JOIN"}
_numbers = itertools.count()
# sqlframe asks for each column again which dialect it is, and sqlglot then imports all of them.
util.dialect_to_string = lambda dialect: type(dialect).__name__.lower()


class QuickFrame:
    """A frame whose rows are those of one query. Rows, types and steps are PySpark's."""

    def __init__(self, query: str, columns: Iterable[str], ends_ordered: bool = False):
        self._query, self.columns = query, list(columns)
        self._ends_ordered = ends_ordered

    def select(self, *columns: Any) -> QuickFrame:
        named = self._named(columns)
        if named is None:
            return self._by_sqlframe("select")(*columns)
        return self._read_as(named)

    def where(self, condition: Any) -> QuickFrame:
        text = _condition(condition)
        return QuickFrame(f"SELECT * FROM {self._rows} WHERE {text}", self.columns)

    filter = where

    def withColumns(self, columns: dict[str, Column]) -> QuickFrame:
        new = {name: _text(column) for name, column in columns.items()}
        return self._read_as({name: _quoted(name) for name in self.columns} | new)

    def withColumn(self, name: str, column: Column) -> QuickFrame:
        return self.withColumns({name: column})

    def drop(self, *names: str) -> QuickFrame:
        return self._read_as({name: _quoted(name) for name in self.columns if name not in names})

    def groupBy(self, *columns: Any) -> Grouped:
        return Grouped(self, columns)

    groupby = groupBy

    def agg(self, *columns: Any) -> QuickFrame:
        return self.groupBy().agg(*columns)

    def orderBy(self, *columns: Any, **how: Any) -> QuickFrame:
        if how:
            return self._by_sqlframe("orderBy")(*columns, **how)
        order = ", ".join(_text(column) for column in _flat(columns))
        return QuickFrame(f"SELECT * FROM {self._rows} ORDER BY {order}", self.columns, True)

    sort = orderBy

    def limit(self, most: int) -> QuickFrame:
        # A query that reads from an ordered one need not keep its order.
        rows = self._query if self._ends_ordered else f"SELECT * FROM {self._rows}"
        return QuickFrame(f"{rows} LIMIT {most}", self.columns)

    def distinct(self) -> QuickFrame:
        return QuickFrame(f"SELECT DISTINCT * FROM {self._rows}", self.columns)

    def join(self, other: QuickFrame, on: Any = None, how: str = "inner") -> QuickFrame:
        keys = [on] if isinstance(on, str) else on or []
        if how not in JOINS or isinstance(keys, Column):
            return self._by_sqlframe("join")(other, on, how)
        left, right = (
            [name for name in each.columns if name not in keys] for each in (self, other)
        )
        chosen = [
            *map(_quoted, keys),
            *(f"l.{_quoted(name)}" for name in left),
            *(f"r.{_quoted(name)}" for name in right),
        ]
        using = f" USING ({', '.join(map(_quoted, keys))})" if keys else ""
        return QuickFrame(
            f"SELECT {', '.join(chosen)} FROM {self._rows} AS l {JOINS[how]} {other._rows} AS r"
            f"{using}",
            [*keys, *left, *right],
        )

    def unionByName(self, other: QuickFrame, allowMissingColumns: bool = False) -> QuickFrame:
        if allowMissingColumns:
            return self._by_sqlframe("unionByName")(other, allowMissingColumns=True)
        theirs = other.select(*self.columns)
        query = f"SELECT * FROM {self._rows} UNION ALL SELECT * FROM {theirs._rows}"
        return QuickFrame(query, self.columns)

    def relation(self) -> duckdb.DuckDBPyRelation:
        """The query for DuckDB. Sums of whole numbers are bigint, as in Spark."""
        found = connection().sql(self._query)
        if not any(str(kind) == "HUGEINT" for kind in found.types):
            return found
        return found.project(
            ", ".join(
                f"{_quoted(name)}::BIGINT AS {_quoted(name)}"
                if str(kind) == "HUGEINT"
                else _quoted(name)
                for name, kind in zip(found.columns, found.types)
            )
        )

    def toArrow(self) -> pa.Table:
        return self.relation().to_arrow_table()

    def toPandas(self) -> pd.DataFrame:
        rows: pd.DataFrame = self.toArrow().to_pandas(coerce_temporal_nanoseconds=True)
        return rows

    def collect(self) -> list[Row]:
        row = Row(*self.columns)
        return [row(*map(_as_row, values)) for values in self.relation().fetchall()]

    def toLocalIterator(self) -> Iterator[Row]:
        return iter(self.collect())

    def count(self) -> int:
        return self.relation().aggregate("count(*)").fetchall()[0][0]

    def persist(self, *_: Any) -> QuickFrame:
        """The frame with its rows computed now, as a table."""
        if self._query.startswith(f"FROM {TABLE}"):
            return self
        name = f"{TABLE}{next(_numbers)}"
        self.relation().create(name)
        return QuickFrame(f"FROM {name}", self.columns)

    cache = localCheckpoint = persist

    def unpersist(self, *_: Any) -> QuickFrame:
        return self

    def hint(self, *_: Any) -> QuickFrame:
        # `broadcast` is one, and DuckDB plans without
        return self

    def __getitem__(self, name: str) -> Column:
        return Column.ensure_col(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Column.ensure_col(name) if name in self.columns else self._by_sqlframe(name)

    @property
    def _rows(self) -> str:
        """What the next step reads from."""
        return f"({self._query})"

    def _read_as(self, named: dict[str, str]) -> QuickFrame:
        """The frame with a column for each name, each an expression on today's columns."""
        chosen = ", ".join(f"{text} AS {_quoted(name)}" for name, text in named.items())
        return QuickFrame(f"SELECT {chosen} FROM {self._rows}", named)

    def _named(self, columns: Iterable[Any]) -> dict[str, str] | None:
        """The texts of chosen columns by their names; None where one has no name of its own."""
        found: dict[str, str] = {}
        for column in _flat(columns):
            if isinstance(column, str) and column == "*":
                found |= {name: _quoted(name) for name in self.columns}
                continue
            column = Column.ensure_col(column)
            name = column.expression.alias_or_name
            if not name or name in found or name == "*":
                return None
            found[name] = _text(column)
        return found

    def _by_sqlframe(self, name: str) -> Any:
        """An attribute of sqlframe's frame on these rows."""
        return _with_our_frames(getattr(self._as_sqlframes(), name))

    def _as_sqlframes(self) -> DuckDBDataFrame:
        name = f"view_{next(_numbers)}"
        connection().execute(f"CREATE TEMP VIEW {name} AS {self._query}")
        chosen = sql.select(*map(sql.column, self.columns)).from_(name)
        return _session().sql(chosen, qualify=False)


class Grouped:
    """The rows of a frame by the values of some columns."""

    def __init__(self, frame: QuickFrame, keys: tuple[Any, ...]):
        self._frame, self._keys = frame, keys

    def agg(self, *columns: Any) -> QuickFrame:
        keys, counted = (self._frame._named(chosen) for chosen in (self._keys, columns))
        if keys is None or counted is None or keys.keys() & counted.keys():
            return self.__getattr__("agg")(*columns)
        found = self._frame._read_as(keys | counted)
        by = ", ".join(str(place + 1) for place in range(len(keys)))
        return QuickFrame(f"{found._query}{f' GROUP BY {by}' if by else ''}", found.columns)

    def count(self) -> QuickFrame:
        return self.agg(Column.ensure_col(sqlglot.parse_one("count(*)")).alias("count"))

    def __getattr__(self, name: str) -> Any:
        return _with_our_frames(getattr(self._frame._as_sqlframes().groupBy(*self._keys), name))


def _with_our_frames(theirs: Any) -> Any:
    """sqlframe's method, which takes and returns our frames; what is no method, as it is."""
    if not callable(theirs):
        return theirs

    def call(*arguments: Any, **named: Any) -> Any:
        others = [
            each._as_sqlframes() if isinstance(each, QuickFrame) else each for each in arguments
        ]
        found = theirs(*others, **named)
        if isinstance(found, DuckDBDataFrame):
            return QuickFrame(found.sql(dialect=DIALECT, optimize=False), found.columns)
        return found

    return call


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
    return _reading(name)


def parquet_frame(folder: str) -> QuickFrame:
    """A frame of the lines (schema.py) in the Parquet files of a folder, read again for each query.

    What is larger than half of the memory goes to the disk, into that folder. Raises duckdb's
    IOException where there is no such file.
    """
    name = f"{TABLE}{next(_numbers)}"
    connection().execute(f"SET temp_directory = {_literal(folder)}")
    connection().execute("SET memory_limit = '50%'")
    connection().execute(
        f'CREATE VIEW {name} AS SELECT * REPLACE ("time"::TIMESTAMP AS "time") '
        f"FROM read_parquet({_literal(f'{folder}/*.parquet')})"
    )
    return _reading(name)


def _reading(name: str) -> QuickFrame:
    """A frame of all rows of a view or table."""
    _session()  # sqlframe's functions look for one
    return QuickFrame(f"FROM {name}", connection().table(name).columns)


def _flat(columns: Iterable[Any]) -> list[Any]:
    return [
        each
        for column in columns
        for each in (column if isinstance(column, list | tuple) else [column])
    ]


def _text(column: Any) -> str:
    """What a column is, for DuckDB, without its name."""
    found: str = Column.ensure_col(column).column_expression.sql(dialect=DIALECT)
    return found


def _condition(condition: Any) -> str:
    """What a row must meet; a text is in Spark's SQL."""
    if isinstance(condition, str):
        return sqlglot.parse_one(condition, dialect="spark").sql(dialect=DIALECT)
    return _text(condition)


def _as_row(value: Any) -> Any:
    """A value of DuckDB with Rows for its structs."""
    if isinstance(value, dict):
        return Row(**{name: _as_row(each) for name, each in value.items()})
    return [_as_row(each) for each in value] if isinstance(value, list) else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


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
