"""Starts Spark's JVM for one submission, as a child of the learner's process.

The worker (worker.py) calls `start` before the first step that uses Spark. The JVM has the walls,
the limits and the folders of its submission, and it ends with it: nothing that an answer does in
the JVM meets another submission. The start has a time of its own (`spark_start_seconds`), so it
takes nothing from an answer's time.
"""

from pathlib import Path

# The archive of loaded classes (sandbox/outside/spark_archive.py), beside the packages in the view.
ARCHIVE = "spark-classes.jsa"
SETTINGS = {"spark.driver.memory": "1g", "spark.default.parallelism": "1"}


def start() -> None:
    """Start the JVM and make its session the one that `logsets.session()` and Spark's own builder
    return. Raises JavaMissing, or what Spark says, where that fails.

    It starts from the archive of classes where there is one. One small table is asked for: a JVM's
    first query takes seconds, and they are not an answer's.
    """
    from autograder.cell.spark_rows import frame_of, rows_of
    from kafkalab.logsets import session
    from kafkalab.logsets.class_archive import options_from

    options = options_from(Path(__file__).parents[3] / ARCHIVE)
    settings = {**SETTINGS, "spark.driver.extraJavaOptions": " ".join(options)}
    session(master="local[2]", settings=settings)
    rows = [["a", "2026-01-05 09:00:00", 1], ["b", None, 2]]
    frame = frame_of(rows, "name string, at timestamp, n int")
    rows_of(frame.groupBy("name").agg({"n": "max"}), "start", ("name", "max(n)"))
