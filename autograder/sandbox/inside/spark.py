"""Starts Spark's JVM for one submission, as a child of the learner's process.

The worker (worker.py) calls `start` before the first step that uses Spark. The JVM has the walls,
the limits and the folders of its submission, and it ends with it: nothing that an answer does in
the JVM meets another submission. The start has a time of its own (`spark_start_seconds`), so it
takes nothing from an answer's time.
"""

import os

SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    # Tables are tiny and queries are few: compiling a plan takes longer than interpreting it, and
    # so does the JVM's second compiler.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def start() -> None:
    """Start the JVM and make its session the one that `logsets.session()` and Spark's own builder
    return. Raises JavaMissing, or what Spark says, where that fails.

    One small table is asked for: a JVM's first query takes seconds, and they are not an answer's.
    """
    from autograder.cell.spark_rows import frame_of, rows_of
    from kafkalab.logsets import session

    # Spark's script asks a first JVM for the command line of the second
    os.environ["SPARK_LAUNCHER_OPTS"] = SETTINGS["spark.driver.extraJavaOptions"]
    session(master="local[2]", settings=SETTINGS)
    rows = [["a", "2026-01-05 09:00:00", 1], ["b", None, 2]]
    frame = frame_of(rows, "name string, at timestamp, n int")
    rows_of(frame.groupBy("name").agg({"n": "max"}), "start", ("name", "max(n)"))
