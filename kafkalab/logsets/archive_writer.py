"""Writes the archive of classes: the JVM of a new Spark writes it at its end.

class_archive starts this file as a process. What is asked of Spark is what first cells ask.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from kafkalab.logsets import read, session
from kafkalab.logsets.class_archive import JAVA_OPTIONS


def write_archive(path: Path) -> None:
    """Keep at `path` the classes that a session, a table of one's own and a log's lines need."""
    options = " ".join((*JAVA_OPTIONS, f'"-XX:ArchiveClassesAtExit={path}"'))
    spark = session(settings={"spark.driver.extraJavaOptions": options})
    rows = [("a", 1, "2026-01-05 09:00:00"), ("b", 2, None)]
    table = spark.createDataFrame(rows, "a string, n int, t string")
    table = table.selectExpr("a", "n", "timestamp(t) as t").groupBy("a").agg({"n": "max"})
    table.orderBy("a").toPandas()
    log = path.with_suffix(".log")
    line = "[2026-01-05 09:00:00,000] INFO [Consumer clientId=a, groupId=b] c (d)\n"
    log.write_text(line, encoding="utf-8")
    read(spark, log).where("message like 'c%'").orderBy("time").limit(1).toPandas()
    context: Any = spark.sparkContext
    jvm = context._gateway.proc
    spark.stop()
    context._gateway.shutdown()
    jvm.stdin.close()  # it ends when it hears nothing more
    jvm.wait()


if __name__ == "__main__":
    write_archive(Path(sys.argv[1]))
