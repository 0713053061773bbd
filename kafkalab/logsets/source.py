"""Implements Spark's data source `kafkalab`: `spark.read.format("kafkalab").load(PATH)`.

`spark.readStream` reads growing files. Spark gets the tasks from here and sends each to a worker.
The worker yields Arrow record batches, so no line is ever a Python object. Only the columns of the
schema are made. source_options.py names the options; those of a narrow question (question.py) pass
most of the text over, and keep what a filter would.

The source takes no filters. Spark 4.3 keeps those that a Python source once took, and applies them
to the next query of the same DataFrame, too: after `lines.where("level = 'ERROR'").count()` a plain
`lines.count()` would count errors. narrow_readings.py reads a query's plan instead.

Spark finds the source by itself where the package is installed (found_by_spark). `logsets.session`
registers it, too.
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
from kafkalab.logsets.files import copies_of, files_of, warn_reader
from kafkalab.logsets.first_lines import doubts
from kafkalab.logsets.ranges import FileChanged, Range, ranges_of, task_size, tasks_of
from kafkalab.logsets.read_task import ReadTask
from kafkalab.logsets.record_batches import how_written, record_batch_of
from kafkalab.logsets.refusals import one_sentence
from kafkalab.logsets.shipment import Carried
from kafkalab.logsets.source_options import FAILFAST, PERMISSIVE, OptionsGiven
from kafkalab.logsets.stream_reader import GrowingLines

KEPT = schema.TABLE_OPTIONS


class KafkaLines(ds.DataSource, metaclass=Carried):
    """Spark's data source with the name `kafkalab`."""

    @classmethod
    def name(cls) -> str:
        return "kafkalab"

    @one_sentence()
    def schema(self) -> StructType:
        """All columns. Of a table Spark keeps its columns and hands no options on, so the first
        column carries them."""
        given = OptionsGiven(self.options)
        given.check_path()
        found = schema.spark_schema()
        if given.of_table:
            found[0].metadata = {schema.TABLE_OPTIONS: json.dumps(given.given)}
        return found

    def _given(self, schema: StructType) -> OptionsGiven:
        """The options of this reading, or those of the table that is read."""
        kept = [field.metadata[KEPT] for field in schema if KEPT in field.metadata]
        if kept and not {"path", "paths"} & set(self.options):
            return OptionsGiven({**json.loads(kept[0]), **self.options})
        return OptionsGiven(self.options)

    @one_sentence()
    def reader(self, schema: StructType) -> KafkaLinesReader:
        given = self._given(schema)
        if given.reads_clients:
            return ClientsReader(given.paths, client_prefixes.NAMES, given.layout, PERMISSIVE)
        names = tuple(schema.fieldNames())
        reader = KafkaLinesReader(given.paths, names, given.layout, given.mode, given.asked)
        reader.ignores_missing = given.ignores_missing
        return reader

    @one_sentence()
    def streamReader(self, schema: StructType) -> ds.DataSourceStreamReader:
        given = self._given(schema)
        given.check_stream()
        return GrowingLines(given.paths, tuple(schema.fieldNames()), given.layout, given.settle_s)


class KafkaLinesReader(ds.DataSourceReader, metaclass=Carried):
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

    @one_sentence()
    def partitions(self) -> list[ReadTask]:
        files = files_of(self.path)
        if self.warns:
            for said in (*copies_of(self.path), *doubts(files, self.layout)):
                warn_reader(said)
        size = task_size(files)
        pieces = (
            piece
            for file in files
            for piece in ranges_of(file, *how_written(file, self.layout), size)
        )
        return [ReadTask(ranges) for ranges in tasks_of(pieces, size)] or [ReadTask(())]

    def read(self, partition: ds.InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, ReadTask), "Spark gives back what partitions() returned"
        with one_sentence():
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
