"""Implements Spark's data source `kafkalab`: `spark.read.format("kafkalab").load(PATH)`.

`spark.readStream` reads growing files. Spark gets the tasks from here and sends each to a worker.
The worker yields Arrow record batches, so no line is ever a Python object. Options: `layout`
(layouts.py; without it each file's first lines show it) and `mode`, as Spark's own text sources
have it: PERMISSIVE keeps lines that cannot be read, with their problem, DROPMALFORMED drops them,
FAILFAST ends the query. A file that is removed or cut while it is read ends the query, too;
`ignoreMissingFiles`, as Spark's own sources have it, leaves it out and warns. Only the columns of
the schema are made.

A narrow question is told by options, so that most text is passed over (question.py): `events` and
`level` (several with commas), `clientId`, `since` and `until` (UTC). They keep what a filter would.
Spark passes the needed columns to a Python source only by its schema, so name them:
`.schema(schema.spark_schema(("time", "client_id")))`, as line_loader.py does. Filters stay with
Spark. Spark 4.3 keeps the filters that a Python source once took, and applies them to the next
query of the same DataFrame, too: after `lines.where("level = 'ERROR'").count()` a plain
`lines.count()` would count errors.

`logsets.session()` registers it. In a session of your own: spark.dataSource.register(KafkaLines).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import datasource as ds
from pyspark.sql.types import StructType

from kafkalab.logsets import client_prefixes, question, schema
from kafkalab.logsets.block import Block
from kafkalab.logsets.files import files_of, path_list, warn_reader
from kafkalab.logsets.first_lines import doubts
from kafkalab.logsets.ranges import FileChanged, Range, ranges_of, tasks_of
from kafkalab.logsets.read_task import ReadTask
from kafkalab.logsets.record_batches import how_written, record_batch_of
from kafkalab.logsets.stream_reader import GrowingLines

IGNORES = "ignoremissingfiles"
OPTIONS = {"path", "paths", "layout", "mode", "settleseconds", "rows", IGNORES, *question.OPTIONS}
PERMISSIVE, DROPMALFORMED, FAILFAST = MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")


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
                f'The source "kafkalab" has no option {unknown[0]!r}: it has layout, mode, '
                "ignoreMissingFiles, events, level, clientId, since, until and, for a stream, "
                "settleSeconds."
            )
        # Spark gives several paths as a list in JSON
        paths = json.loads(self.options.get("paths", "[]"))
        paths = paths or [self.options[name] for name in ("path",) if name in self.options]
        if not paths:
            raise ValueError(
                'The source "kafkalab" needs a path: '
                'spark.read.format("kafkalab").load("client.log"). A table keeps none: in SQL make '
                "a view, CREATE TEMPORARY VIEW lines USING kafkalab OPTIONS (path 'client.log')."
            )
        return path_list(paths)

    def _mode(self) -> str:
        mode = self.options.get("mode", PERMISSIVE).upper()
        if mode not in MODES:
            raise ValueError(f"There is no mode {mode!r}: there are {', '.join(MODES)}.")
        return mode

    def reader(self, schema: StructType) -> KafkaLinesReader:
        paths, layout = self._paths(), self.options.get("layout")
        if self.options.get("rows") == "clients":
            return ClientsReader(paths, client_prefixes.NAMES, layout, PERMISSIVE)
        asked = question.question_of(self.options)
        if asked and self._mode() != PERMISSIVE:
            raise ValueError(
                f"The mode {self._mode()} looks at all lines, and a narrow question passes most "
                "over: leave one of the two out."
            )
        reader = KafkaLinesReader(paths, tuple(schema.fieldNames()), layout, self._mode(), asked)
        reader.ignores_missing = self.options.get("ignoreMissingFiles", "").lower() == "true"
        return reader

    def streamReader(self, schema: StructType) -> ds.DataSourceStreamReader:
        quiet_s = _seconds(self.options.get("settleSeconds", "2"))
        if question.question_of(self.options):
            raise ValueError("A stream reads all lines: filter its frame instead.")
        if self._mode() != PERMISSIVE:
            raise ValueError("A stream keeps every line: it has no mode but PERMISSIVE.")
        return GrowingLines(
            self._paths(), tuple(schema.fieldNames()), self.options.get("layout"), quiet_s
        )


class KafkaLinesReader(ds.DataSourceReader):
    """The reader of files that stand. It warns in Spark's log of each one that is misread."""

    warns = True

    def __init__(
        self,
        path: str,
        names: tuple[str, ...],
        layout: str | None,
        mode: str,
        asked: question.LineQuestion | None = None,
    ):
        self.path, self.names, self.layout, self.mode = path, names, layout, mode
        self.asked = asked
        self.ignores_missing = False

    def partitions(self) -> list[ReadTask]:
        files = files_of(self.path)
        if self.warns:
            for doubt in doubts(files, self.layout):
                warn_reader(doubt)
        pieces = (
            piece for file in files for piece in ranges_of(file, *how_written(file, self.layout))
        )
        return [ReadTask(ranges) for ranges in tasks_of(pieces)] or [ReadTask(())]

    def read(self, partition: ds.InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, ReadTask), "Spark gives back what partitions() returned"
        for piece in partition.ranges:
            for block in self._blocks(piece):
                if block.rows:
                    batch = record_batch_of(block, self.names, self.asked)
                    if self.mode != PERMISSIVE:
                        batch = _well_formed(batch, block, self.mode)
                    yield batch

    def _blocks(self, piece: Range) -> Iterator[Block]:
        """The blocks of a piece. Raises FileChanged for a file that was removed or cut then,
        unless those are ignored."""
        try:
            yield from piece.blocks(self.asked)
        except (FileNotFoundError, FileChanged) as error:
            said = (
                str(error)
                if isinstance(error, FileChanged)
                else f"{piece.file} was removed before it was read."
            )
            if not self.ignores_missing:
                raise FileChanged(
                    f"{said} With ignoreMissingFiles=true the others are read."
                ) from None
            warn_reader(said)


class ClientsReader(KafkaLinesReader):
    """Reads the clients of each piece of text, and no lines (client_prefixes.py)."""

    warns = False

    def read(self, partition: ds.InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, ReadTask), "Spark gives back what partitions() returned"
        yield from client_prefixes.client_batches(partition.ranges)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0 <= found < float("inf"):
        raise ValueError(f"settleSeconds is a number of seconds, from 0 on, not {text!r}.")
    return found


def _well_formed(batch: pa.RecordBatch, block: Block, mode: str) -> pa.RecordBatch:
    """The rows that could be read. Raises ValueError for the first other one, if that is asked."""
    readable = pc.is_null(block.problem)
    if mode == FAILFAST and not pc.all(readable).as_py():
        first = readable.index(False).as_py()
        raise ValueError(
            f"{block.file}, byte {block.offsets[first]}: {block.problem[first].as_py()}. The mode "
            f"is {FAILFAST}; {PERMISSIVE} keeps such lines with their problem."
        )
    return batch.filter(readable)
