"""Is what Spark gives to one worker of the data source `kafkalab`: the ranges of text to read."""

from dataclasses import dataclass

from pyspark.sql.datasource import InputPartition

from kafkalab.logsets.ranges import Range


@dataclass
class ReadTask(InputPartition):
    """One worker's task: a range of a large file, or several small files."""

    ranges: tuple[Range, ...]
