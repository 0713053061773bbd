"""Implements Spark's data source `kafkalab`: `spark.read.format("kafkalab").load(PATH)`.

`spark.readStream` reads growing files. Spark gets the tasks from here and sends each to a worker.
The worker yields Arrow record batches, so no line is ever a Python object. Options: `layout`
(layouts.py; without it each file's first lines show it) and `mode`, as Spark's own text sources
have it: PERMISSIVE keeps lines that cannot be read, with their problem, DROPMALFORMED drops them,
FAILFAST ends the query. Only the columns of the schema are made.
Spark passes the needed columns to a Python source only by its schema, so name them:
`.schema(schema.spark_schema(("time", "client_id")))`, as line_loader.py does. Filters on time,
client_id, group_id, kind, level and event are applied here: a row that they remove is never built.

`logsets.session()` registers it. In a session of your own: spark.dataSource.register(KafkaLines),
and set spark.sql.python.filterPushdown.enabled to true.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import datasource as ds
from pyspark.sql.types import StructType

from kafkalab.logsets import recognition, schema
from kafkalab.logsets.block import Block
from kafkalab.logsets.files import files_of, path_list
from kafkalab.logsets.ranges import ranges_of, tasks_of
from kafkalab.logsets.record_batches import ReadTask, how_written, record_batch_of
from kafkalab.logsets.stream_reader import GrowingLines

OPTIONS = {"path", "paths", "layout", "mode", "settleseconds"}
PERMISSIVE, DROPMALFORMED, FAILFAST = MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")
FILTERED = ("time", "client_id", "group_id", "kind", "level", "event")


class KafkaLines(ds.DataSource):
    """Spark's data source with the name `kafkalab`."""

    @classmethod
    def name(cls) -> str:
        return "kafkalab"

    def schema(self) -> StructType:
        return schema.spark_schema()

    def _paths(self) -> str:
        """The paths of `load`, one a line. Raises ValueError for an option that is not ours."""
        if unknown := sorted(set(map(str.lower, self.options)) - OPTIONS):
            raise ValueError(
                f'The source "kafkalab" has no option {unknown[0]!r}: it has layout, mode and, for '
                "a stream, settleSeconds."
            )
        # Spark gives several paths as a list in JSON
        paths = json.loads(self.options.get("paths", "[]"))
        paths = paths or [self.options[name] for name in ("path",) if name in self.options]
        if not paths:
            raise ValueError(
                'The source "kafkalab" needs a path: '
                'spark.read.format("kafkalab").load("client.log").'
            )
        return path_list(paths)

    def _mode(self) -> str:
        mode = self.options.get("mode", PERMISSIVE).upper()
        if mode not in MODES:
            raise ValueError(f"There is no mode {mode!r}: there are {', '.join(MODES)}.")
        return mode

    def reader(self, schema: StructType) -> KafkaLinesReader:
        return KafkaLinesReader(
            self._paths(), tuple(schema.fieldNames()), self.options.get("layout"), self._mode()
        )

    def streamReader(self, schema: StructType) -> ds.DataSourceStreamReader:
        quiet_s = float(self.options.get("settleSeconds", 2))
        if self._mode() != PERMISSIVE:
            raise ValueError("A stream keeps every line: it has no mode but PERMISSIVE.")
        return GrowingLines(
            self._paths(), tuple(schema.fieldNames()), self.options.get("layout"), quiet_s
        )


@dataclass(frozen=True)
class Condition:
    """A filter: a row passes when `column` compares with `value` as given.

    in: it is one of the values of the list; valid: it is not null.
    """

    column: str
    how: str
    value: object

    def mask(self, column: pa.Array) -> pa.Array:
        if self.how == "valid":
            return pc.is_valid(column)
        if self.how == "in":
            return pc.is_in(column, pa.array(self.value, column.type))
        return pc.fill_null(
            getattr(pc, self.how)(column, pa.scalar(self.value, column.type)), False
        )


class KafkaLinesReader(ds.DataSourceReader):
    def __init__(self, path: str, names: tuple[str, ...], layout: str | None, mode: str):
        self.path, self.names, self.layout, self.mode = path, names, layout, mode
        self.conditions: list[Condition] = []

    def pushFilters(self, filters: list[ds.Filter]) -> Iterable[ds.Filter]:
        for wanted in filters:
            condition = _condition(wanted)
            if condition:
                self.conditions.append(condition)
            else:
                yield wanted

    def partitions(self) -> list[ReadTask]:
        pieces = (
            piece
            for file in files_of(self.path)
            for piece in ranges_of(file, *how_written(file, self.layout))
        )
        return [ReadTask(ranges) for ranges in tasks_of(pieces)] or [ReadTask(())]

    def read(self, partition: ds.InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, ReadTask), "Spark gives back what partitions() returned"
        for piece in partition.ranges:
            for block in piece.blocks():
                if self.mode != PERMISSIVE:
                    _well_formed(block, self.mode)
                if self.conditions:
                    _keep(block, self.conditions)
                if block.rows:
                    yield record_batch_of(block, self.names)


COMPARISONS: dict[type[ds.Filter], str] = {
    ds.EqualTo: "equal", ds.GreaterThan: "greater", ds.GreaterThanOrEqual: "greater_equal",
    ds.LessThan: "less",
    ds.LessThanOrEqual: "less_equal",
}  # fmt: skip


COMPARED = (
    ds.EqualTo,
    ds.GreaterThan,
    ds.GreaterThanOrEqual,
    ds.LessThan,
    ds.LessThanOrEqual,
)


def _condition(wanted: ds.Filter) -> Condition | None:
    """The Condition of a Spark filter, if its column is known early; else None."""
    if isinstance(wanted, ds.IsNotNull) and wanted.attribute in (("client_id",), ("event",)):
        return Condition(wanted.attribute[0], "valid", None)
    if isinstance(wanted, ds.In):
        how, value = "in", list(wanted.value)
    elif isinstance(wanted, COMPARED):
        how, value = COMPARISONS[type(wanted)], wanted.value
    else:
        return None
    if wanted.attribute[0] not in FILTERED:
        return None
    values = value if how == "in" else [value]
    if any(item is None for item in values):
        return None
    if wanted.attribute[0] == "time":
        values = [
            item.replace(tzinfo=UTC) if isinstance(item, datetime) and item.tzinfo is None else item
            for item in values
        ]
        value = values if how == "in" else values[0]
    return Condition(wanted.attribute[0], how, value)


def _well_formed(block: Block, mode: str) -> None:
    """Drop the rows that could not be read, or raise ValueError for the first."""
    readable = pc.is_null(block.problem).to_numpy(zero_copy_only=False)
    if readable.all():
        return
    if mode == DROPMALFORMED:
        block.keep(readable)
        return
    first = int(readable.argmin())
    raise ValueError(
        f"{block.file}, byte {block.offsets[first]}: {block.problem[first].as_py()}. The mode is "
        f"{FAILFAST}; {PERMISSIVE} keeps such lines with their problem."
    )


def _keep(block: Block, conditions: list[Condition]) -> None:
    """Keep the rows of a block that pass. Events are checked last, on the remaining rows."""
    for condition in sorted(conditions, key=lambda condition: condition.column == "event"):
        if not block.rows:
            return
        column = (
            recognition.Recognised(block).event
            if condition.column == "event"
            else getattr(block, condition.column)
        )
        passes = condition.mask(column).to_numpy(zero_copy_only=False)
        if not passes.all():
            block.keep(passes)
