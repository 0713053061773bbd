"""Has PySpark's functions for DuckDB: sqlframe's, and those that it lacks or takes otherwise.

Each function below means what PySpark's function of its name means. sqlframe 4.10 counts
milliseconds in whole seconds, prints none, interpolates medians, and knows no `get`.
"""

from __future__ import annotations

from typing import Any

import sqlglot.expressions as sql
from sqlframe.base.column import Column
from sqlframe.duckdb import functions as sqlframes

# Spark's letters of a time, and DuckDB's.
TIME_LETTERS = {
    "yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "SSS": "%g", "ss": "%S",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """sqlframe's function of this name, where there is none here."""
    return getattr(sqlframes, name)


def array(*columns: Any) -> Column:
    return sqlframes.array(*columns) if columns else Column(sql.Array(expressions=[]))


def broadcast(frame: Any) -> Any:
    """The frame itself: there is nobody to send it to."""
    return frame


def collect_list(column: Any) -> Column:
    return _Gathered(Column.ensure_col(column).column_expression)


def collect_set(column: Any) -> Column:
    return _Gathered(sql.Distinct(expressions=[Column.ensure_col(column).column_expression]))


def count_if(column: Any) -> Column:
    """The rows for which it is true; DuckDB's own answers null where it is null for all."""
    return sqlframes.count(sqlframes.when(Column.ensure_col(column), sqlframes.lit(1)))


def date_format(column: Any, pattern: str) -> Column:
    for letters, sign in TIME_LETTERS.items():
        pattern = pattern.replace(letters, sign)
    return _called("strftime", column, sqlframes.lit(pattern))


def date_trunc(unit: str, column: Any) -> Column:
    return _called("date_trunc", sqlframes.lit(unit), column)


def first(column: Any, ignorenulls: bool = False) -> Column:
    """The first value of a window."""
    return _of_window(sql.FirstValue, column, ignorenulls)


def last(column: Any, ignorenulls: bool = False) -> Column:
    """The last value of a window."""
    return _of_window(sql.LastValue, column, ignorenulls)


def format_number(column: Any, digits: int) -> Column:
    return _called(
        "format", sqlframes.lit(f"{{:,.{digits}f}}"), Column.ensure_col(column).cast("double")
    )


def format_string(text: str, *columns: Any) -> Column:
    return _called("printf", sqlframes.lit(text), *columns)


def get(column: Any, index: Any) -> Column:
    return _called("list_extract", column, Column.ensure_col(index) + 1)


def percentile(column: Any, share: Any) -> Column:
    return _called("quantile_cont", column, share)


def percentile_approx(column: Any, share: float) -> Column:
    """A value of the column, as in Spark, and here the exact one."""
    return _called("quantile_disc", column, sqlframes.lit(share))


def unix_millis(column: Any) -> Column:
    return _called("epoch_ms", column)


class _Gathered(Column):
    """An array of the values that are not null; it is empty, and never null, where there is none.

    The window belongs to DuckDB's aggregate alone.
    """

    def __init__(self, values: Any):
        value = values.expressions[0] if isinstance(values, sql.Distinct) else values
        self.array = sql.Anonymous(this="list", expressions=[values])
        self.there = sql.Where(this=sql.Not(this=sql.Is(this=value, expression=sql.Null())))
        super().__init__(_or_empty(sql.Filter(this=self.array, expression=self.there)))

    def over(self, window: Any) -> Column:
        of_window = Column(self.array.copy()).over(window).column_expression
        of_window.set("this", sql.Filter(this=of_window.this, expression=self.there.copy()))
        return Column(_or_empty(of_window))


def _or_empty(array: Any) -> Any:
    return sql.Coalesce(this=array, expressions=[sql.Array(expressions=[])])


def _called(name: str, *arguments: Any) -> Column:
    """A call of DuckDB's function of this name."""
    values = [Column.ensure_col(argument).column_expression for argument in arguments]
    return Column(sql.Anonymous(this=name, expressions=values))


def _of_window(kind: type, column: Any, ignorenulls: bool) -> Column:
    value = kind(this=Column.ensure_col(column).column_expression)
    return Column(sql.IgnoreNulls(this=value) if ignorenulls else value)
