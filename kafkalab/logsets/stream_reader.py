"""Reads growing log files as a Spark stream (DataSourceStreamReader): new bytes with complete
records.

The last line of a record may still be missing. So the last record of a file waits until another
begins after it, or until the file has not changed for some seconds. The offset of the stream is the
number of bytes read of each file. A packed file is read whole when it appears. `read(start, end)`
is the batch source's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from kafkalab.logsets.files import LogFile, files_of, open_plain
from kafkalab.logsets.ranges import (
    TASK_BYTES,
    Range,
    last_record,
    ranges_of,
    record_at_or_after,
    tasks_of,
)
from kafkalab.logsets.read_task import ReadTask
from kafkalab.logsets.record_batches import how_written, record_batch_of

LOOK_BACK = 1 << 20  # Bytes at the end of a file that are searched for the last record.


class GrowingLines(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The stream reader of the data source `kafkalab`.

    settle_s: a file's last record is complete after so many seconds without a change of the file.
    """

    def __init__(self, path: str, names: tuple[str, ...], layout: str | None, settle_s: float):
        self.path, self.names, self.layout, self.settle_s = path, names, layout, settle_s
        self.target: dict[str, int] | None = None
        self.guesses = layout is None

    def initialOffset(self) -> dict:
        return {}

    def prepareForTriggerAvailableNow(self) -> None:
        self.target = self._now({}, whole=True)

    def latestOffset(self, start: dict, limit: object) -> dict:
        if self.target is not None:
            return {**start, **self.target}
        return self._now(start, whole=False)

    def _now(self, start: dict, whole: bool) -> dict:
        try:
            files = files_of(self.path, rotated=False)
        except FileNotFoundError:  # A folder without a file so far.
            return start
        return {
            **start,
            **{file.name: self._readable(file, start.get(file.name, 0), whole) for file in files},
        }

    def _readable(self, file: LogFile, start: int, whole: bool) -> int:
        """The number of bytes of a file with complete records."""
        if (
            file.packed
            or whole
            or file.size <= start
            or time.time() - file.changed_ns / 1e9 > self.settle_s
        ):
            return max(file.size, start)
        begin = max(start, file.size - LOOK_BACK)
        with open_plain(file.name) as stream:
            stream.seek(begin)
            tail = stream.read(file.size - begin)
        return begin + last_record(tail, self._layout(file))

    def _layout(self, file: LogFile) -> str:
        layout, wrapping, _ = how_written(file, self.layout)
        if wrapping:
            raise ValueError(
                # Its lines have no place of their own in the file, where a batch could end.
                f"A stream reads plain logs; {file.name} is wrapped "
                f"({', '.join(name.partition(' ')[0] for name in wrapping)}). Read it with "
                "spark.read when it is whole."
            )
        return layout

    def partitions(self, start: dict, end: dict) -> list[ReadTask]:
        return [ReadTask(ranges) for ranges in tasks_of(self._news(start, end))]

    def _news(self, start: dict, end: dict) -> Iterator[Range]:
        for name, stop in sorted(end.items()):
            begin = start.get(name, 0)
            if begin >= stop:
                continue
            file = LogFile(name, stop)
            layout = self._layout(file)
            if file.packed:
                yield from ranges_of(file, layout)
            elif stop - begin <= TASK_BYTES:
                yield Range(name, begin, stop, layout, exact=True, size=stop, others=self.guesses)
            else:
                for part in _parts(name, begin, stop, layout):
                    yield replace(part, others=self.guesses)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, ReadTask), "Spark gives back what partitions() returned"
        for piece in partition.ranges:
            for block in piece.blocks():
                if block.rows:
                    yield record_batch_of(block, self.names)


def _parts(name: str, begin: int, stop: int, layout: str) -> Iterator[Range]:
    """Many new bytes as ranges for several workers, cut where records begin."""
    at = begin
    while at < stop:
        after = min(stop, record_at_or_after(name, min(at + TASK_BYTES, stop), layout))
        yield Range(name, at, after, layout, exact=True, size=stop)
        at = after
