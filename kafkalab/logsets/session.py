"""Starts Spark for the project, on this machine or on a cluster, without output in a notebook's
cell.

Local by default, on any master by a setting: `session(master="spark://host:7077")` or the
environment's KAFKALAB_SPARK_MASTER. No text of the JVM may reach a notebook's cell: ipykernel
forwards file descriptor 2, also of child processes, and nbgrader scores a cell with text on stderr
as 0. So the JVM and its Python workers start with stdout and stderr in a file, progress bar and web
pages are off, and only errors are logged. `spark_log()` names the file. PySpark itself writes an
exception to stderr, some hundred lines of Java, before it raises it. The reader of the cell needs
only the exception, so that logger is also silent.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalab.extras import need_package
from kafkalab.logsets import class_archive
from kafkalab.logsets.engine import MASTER_VARIABLE
from kafkalab.logsets.java import find_java, user_id
from kafkalab.logsets.shipment import PACKAGE, package_zip
from kafkalab.logsets.startup import sign_of_life

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGGED_BEFORE_RAISED = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
# For a log of some megabytes Spark spends its time on compiling queries, not on rows. So nothing is
# compiled: neither Spark's own code for each query nor, by the second compiler, the JVM's.
SMALL_WORK = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}
# Spark's own defaults, for what a session that was started for small work can still change.
LARGE_WORK = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.adaptive.enabled": "true",
}


def session(
    master: str | None = None, settings: dict[str, str] | None = None, large: bool = False
) -> SparkSession:
    """The Spark session of this process, with the `kafkalab` data source registered; started if
    there is none. While it starts, a cell or a terminal shows how far it is.

    master: Spark's master URL; None takes KAFKALAB_SPARK_MASTER, else "local[*]". `settings` are
    Spark's own dotted keys and win over ours. A running session is returned as it is, but for
    `large`.
    large: for sets from some 100 MB or millions of rows on. On this machine Spark then compiles its
    queries, also those of a running session, which takes seconds for each. On a cluster it always
    does, and an executor gets 2 GB and 1 GB for its Python workers.

    Raises JavaMissing when there is no Java 17, MissingExtra without the extra `spark`, and OSError
    where this machine's folder for Spark's files cannot be written.
    """
    need_package("pyspark")
    from pyspark.logger import PySparkLogger
    from pyspark.sql import SparkSession

    from kafkalab.logsets.source import KafkaLines

    spark = SparkSession.getActiveSession()
    if spark is None:
        master = master or os.environ.get(MASTER_VARIABLE) or "local[*]"
        if _is_here(master):
            _scratch_can_be_written()
        builder = SparkSession.builder.appName("kafkalab").master(master)
        small = {}
        if _is_here(master) and not large:
            options = class_archive.options_from(class_archive.archive_file())
            small = SMALL_WORK | {"spark.driver.extraJavaOptions": " ".join(options)}
        for key, value in {**_settings(master), **small, **(settings or {})}.items():
            builder = builder.config(key, value)
        with sign_of_life(), _environment(), _born_silent():
            spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        if not _is_here(master):
            ship(spark)
        for name in LOGGED_BEFORE_RAISED:
            PySparkLogger.getLogger(name).disabled = True
    elif large and runs_here(spark):
        for key, value in LARGE_WORK.items():
            spark.conf.set(key, value)
    spark.dataSource.register(KafkaLines)
    return spark


def ship(spark: SparkSession) -> None:
    """Send this package to the executors of a running session, also to those that start later.

    They need numpy, pyarrow and PySpark themselves. `logsets.session()` calls it on a cluster.
    Frames that were loaded before do not find it: load them again.
    """
    from kafkalab.logsets.source import KafkaLines

    path = package_zip(Path(tempfile.mkdtemp(prefix="kafkalab-")))
    if hasattr(spark, "_jvm"):
        spark.sparkContext.addPyFile(str(path))
    else:  # Spark Connect
        spark.addArtifacts(str(path), pyfile=True)
    spark.dataSource.register(KafkaLines)  # a source keeps the files that it was registered with


def spark_log() -> Path:
    """The file with the output of this process's JVM."""
    return Path(tempfile.gettempdir(), f"kafkalab-spark-{user_id()}-{os.getpid()}.log")


def note_in_log(text: str) -> None:
    """Say a sentence where Spark's workers say theirs, and not on stderr, which nbgrader takes for
    a failure of the cell."""
    with spark_log().open("a", encoding="utf-8") as log:
        print(text, file=log)


def _scratch_can_be_written() -> None:
    """Check Spark's folders before its JVM, which dies without a word. Raises OSError."""
    for folder in filter(None, os.environ.get("SPARK_LOCAL_DIRS", "").split(",")):
        try:
            os.makedirs(folder, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise OSError(
                f"Spark cannot write into {folder}, which SPARK_LOCAL_DIRS names "
                f"({error.strerror}). Name a folder of your own there, or unset it."
            ) from None


def runs_here(spark: SparkSession) -> bool:
    """Whether a session's work is done in its own JVM's threads."""
    return _is_here(spark.conf.get("spark.master", "") or "")


def _is_here(master: str) -> bool:
    """Whether the work is done in this JVM's threads. `local-cluster[…]` has executors."""
    return master == "local" or master.startswith("local[")


def _settings(master: str) -> dict[str, str]:
    quiet = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    meaning = {
        # Lines carry no zone; the recordings and the simulator write UTC.
        "spark.sql.session.timeZone": "UTC"
    }
    if of_cluster := re.fullmatch(r"local-cluster\[\d+,\d+,(\d+)\]", master.replace(" ", "")):
        return quiet | meaning | {"spark.executor.memory": f"{of_cluster[1]}m"}
    if not _is_here(master):
        # The JVM's memory for sorts and joins. Each core's Python worker also needs 350 MB; there
        # are mostly two.
        return (
            quiet | meaning | {"spark.executor.memory": "2g", "spark.executor.memoryOverhead": "1g"}
        )
    return (
        quiet
        | meaning
        | {
            "spark.driver.host": "127.0.0.1",  # A laptop that changes networks keeps its session.
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "2g",
            # The default of 200 is for clusters. Here each partition costs more time than its rows.
            "spark.sql.shuffle.partitions": str(max(2, os.cpu_count() or 2)),
        }
    )


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Set the JVM's environment for its start: Java, Python and this package."""
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    wanted = {
        "JAVA_HOME": str(find_java().home),
        "PYTHONPATH": path,
        # Spark's script asks a first JVM for the command line of the second.
        "SPARK_LAUNCHER_OPTS": " ".join(class_archive.JAVA_OPTIONS),
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _born_silent() -> Iterator[None]:
    """Give child processes a file as stdout and stderr, inside a `with` block.

    This process's own stdout and stderr are restored afterwards.
    """
    kept = [os.dup(1), os.dup(2)]
    log = os.open(spark_log(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    atexit.register(spark_log().unlink, missing_ok=True)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(log, 1)
        os.dup2(log, 2)
        yield
    finally:
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for handle in (*kept, log):
            os.close(handle)
