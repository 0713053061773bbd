"""Implements Spark's data source `kafkalab`: `spark.read.format("kafkalab").load(PATH)`.

`spark.readStream` reads growing files. Spark gets the tasks from here and sends each to a worker.
The worker yields Arrow record batches, so no line is ever a Python object. Option: `layout`
(layouts.py; without it each file's first lines show it). Only the columns of the schema are made.
Spark passes the needed columns to a Python source only by its schema, so name them:
`.schema(schema.spark_schema(("time", "client_id")))`, as line_loader.py does. Filters stay with
Spark. Spark 4.3 keeps the filters that a Python source once took, and applies them to the next
query of the same DataFrame, too: after `lines.where("level = 'ERROR'").count()` a plain
`lines.count()` would count errors.

`logsets.session()` registers it. In a session of your own: spark.dataSource.register(KafkaLines).
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import datasource as ds
from pyspark.sql.types import StructType

from kafkalab.logsets import schema
from kafkalab.logsets.files import files_of
from kafkalab.logsets.ranges import ranges_of, tasks_of
from kafkalab.logsets.record_batches import ReadTask, layout_of, record_batch_of
from kafkalab.logsets.stream_reader import GrowingLines


class KafkaLines(ds.DataSource):
    """Spark's data source with the name `kafkalab`."""

    @classmethod
    def name(cls) -> str:
        return "kafkalab"

    def schema(self) -> StructType:
        return schema.spark_schema()

    def _path(self) -> str:
        if "path" not in self.options:
            raise ValueError(
                'The source "kafkalab" needs a path: '
                'spark.read.format("kafkalab").load("client.log").'
            )
        return self.options["path"]

    def reader(self, schema: StructType) -> KafkaLinesReader:
        return KafkaLinesReader(
            self._path(), tuple(schema.fieldNames()), self.options.get("layout")
        )

    def streamReader(self, schema: StructType) -> ds.DataSourceStreamReader:
        quiet_s = float(self.options.get("settleSeconds", 2))
        return GrowingLines(
            self._path(), tuple(schema.fieldNames()), self.options.get("layout"), quiet_s
        )


class KafkaLinesReader(ds.DataSourceReader):
    def __init__(self, path: str, names: tuple[str, ...], layout: str | None):
        self.path, self.names, self.layout = path, names, layout

    def partitions(self) -> list[ReadTask]:
        pieces = (
            piece
            for file in files_of(self.path)
            for piece in ranges_of(file, self.layout or layout_of(file))
        )
        return [ReadTask(ranges) for ranges in tasks_of(pieces)] or [ReadTask(())]

    def read(self, partition: ds.InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, ReadTask), "Spark gives back what partitions() returned"
        for piece in partition.ranges:
            for block in piece.blocks():
                if block.rows:
                    yield record_batch_of(block, self.names)
