"""Gives the frames of log sets their functions from the engine that runs them: Spark or DuckDB.

A frame is written once, in PySpark's DataFrame API. Spark runs it for sets of any size. Its start
takes seconds, so a small log goes to DuckDB, through sqlframe, which speaks the same API. `F` and
`Window` are those of the engine in use: Spark's, but inside `with running_on(DUCKDB):`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from kafkalab.extras import install_command

if TYPE_CHECKING:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

SPARK, DUCKDB = "spark", "duckdb"
# A larger log is read by Spark, on all cores and without a copy of all lines in memory.
SMALL_BYTES = 64 << 20
# A question that few lines answer keeps little of a log, so DuckDB takes larger ones.
NARROW_BYTES = 4 << 30
MASTER_VARIABLE = "KAFKALAB_SPARK_MASTER"

SAID = {SPARK: "Spark", DUCKDB: "DuckDB"}

_in_use: ContextVar[str] = ContextVar("engine", default=SPARK)


@contextlib.contextmanager
def running_on(engine: str) -> Iterator[None]:
    """Build and run frames with this engine, inside a `with` block."""
    token = _in_use.set(engine)
    try:
        yield
    finally:
        _in_use.reset(token)


def duckdb_is_here() -> bool:
    """Whether the packages of DuckDB's frames are installed."""
    return all(find_spec(name) for name in ("duckdb", "sqlframe"))


def engine_for(
    size: int, asked: str | None = None, master: str | None = None, most: int = SMALL_BYTES
) -> tuple[str, str]:
    """The engine for logs of so many bytes of text, and a sentence that says why.

    asked: the one that was named; master: Spark's; most: the bytes that DuckDB should read. Raises
    ValueError for DuckDB that is not here.
    """
    there = duckdb_is_here()
    text = f"{size / 1e6:,.1f} MB"
    if asked == DUCKDB and not there:
        raise ValueError(f"DuckDB is not installed: {install_command('logs')} brings it.")
    if asked:
        return asked, f"{SAID[asked]} reads {text}, as asked."
    if master or os.environ.get(MASTER_VARIABLE):
        return SPARK, f"Spark reads {text}, for it has a master."
    if size > most:
        return SPARK, f"Spark reads {text}; DuckDB would read up to {most / 1e6:,.0f} MB."
    if not there:
        return SPARK, (
            f"Spark reads {text}. DuckDB would start faster: {install_command('logs')} brings it."
        )
    return DUCKDB, f"DuckDB reads {text}; --engine spark takes Spark."


def in_use() -> str:
    """The engine that frames are built for now."""
    return _in_use.get()


class _PartOfEngine:
    """Stands for a module or class of the engine in use."""

    def __init__(self, places: dict[str, str]):
        self._places = places

    def __getattr__(self, name: str) -> Any:
        module, _, part = self._places[_in_use.get()].partition(":")
        found = import_module(module)
        return getattr(getattr(found, part) if part else found, name)


if not TYPE_CHECKING:
    F = _PartOfEngine({SPARK: "pyspark.sql.functions", DUCKDB: "kafkalab.logsets.duckdb_functions"})
    Window = _PartOfEngine({SPARK: "pyspark.sql:Window", DUCKDB: "sqlframe.duckdb:Window"})
