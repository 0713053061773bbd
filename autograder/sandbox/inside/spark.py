"""Starts Spark's JVM for one submission, as a child of the learner's process.

The worker (worker.py) calls `start` before the first step that uses Spark. The JVM has the walls,
the limits and the folders of its submission, and it ends with it: nothing that an answer does in
the JVM meets another submission. The start has a time of its own (`spark_start_seconds`), so it
takes nothing from an answer's time.
"""

import os
from collections.abc import Sequence
from pathlib import Path

# Tables are tiny and queries are few: the JVM's second compiler takes longer than it saves.
JAVA_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
# The archive of loaded classes (sandbox/outside/spark_archive.py), beside the packages in the view.
ARCHIVE = "spark-classes.jsa"
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    # compiling a plan takes longer than interpreting it
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}


def start(java_options: Sequence[str] = ()) -> None:
    """Start the JVM and make its session the one that `logsets.session()` and Spark's own builder
    return. Raises JavaMissing, or what Spark says, where that fails.

    `java_options` are added to those of the JVM; without any it starts from the archive of classes
    where there is one, and a JVM that the archive does not fit goes on without it. One small table
    is asked for: a JVM's first query takes seconds, and they are not an answer's.
    """
    from autograder.cell.spark_rows import frame_of, rows_of
    from kafkalab.logsets import session

    # Spark's script asks a first JVM for the command line of the second
    os.environ["SPARK_LAUNCHER_OPTS"] = " ".join(JAVA_OPTIONS)
    options = [*JAVA_OPTIONS, *(java_options or _from_archive())]
    settings = {**SETTINGS, "spark.driver.extraJavaOptions": " ".join(options)}
    session(master="local[2]", settings=settings)
    rows = [["a", "2026-01-05 09:00:00", 1], ["b", None, 2]]
    frame = frame_of(rows, "name string, at timestamp, n int")
    rows_of(frame.groupBy("name").agg({"n": "max"}), "start", ("name", "max(n)"))


def _from_archive() -> list[str]:
    archive = Path(__file__).parents[3] / ARCHIVE
    return [f"-XX:SharedArchiveFile={archive}"] if archive.is_file() else []
