"""Checks the requirements of log sets: Arrow, an engine, and for Spark Java, space and a master.

DuckDB reads small logs alone. Where it is installed, a Spark that is missing is no fault.
"""

import importlib.metadata
import os
import shutil
import socket
import tempfile
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from kafkalab.extras import install_command
from kafkalab.logsets.java import JavaMissing, find_java
from kafkalab.logsets.session import MASTER_VARIABLE

NEEDED = ("pyarrow", "numpy", "pandas", "matplotlib")
OF_DUCKDB = ("duckdb", "sqlframe")
ON_SPARK = "Logs above 67 MB, `generate` and `score` run on Spark."
ROOM_GB = 2  # Spark's space on disk for a set of about five million lines.


@dataclass(frozen=True)
class Finding:
    """ok: it is there, and usable. needed: without it nothing can be read."""

    ok: bool
    text: str
    needed: bool = True


def findings() -> list[Finding]:
    """One sentence for each requirement: present or missing."""
    needed = [_package(name) for name in NEEDED]
    duckdb = [_package(name, "logs") for name in OF_DUCKDB]
    spark = [_package("pyspark"), _java()]
    if spark[0].ok:
        # DuckDB only makes small logs faster, where Spark is there.
        spared = [replace(each, needed=False) for each in duckdb]
        return [*needed, *spark, _room(), *_master(), *spared]
    if all(each.ok for each in duckdb):
        spared = [
            replace(each, needed=False, text=each.text if each.ok else f"{each.text} {ON_SPARK}")
            for each in spark
        ]
        return [*needed, *duckdb, *spared]
    return [*needed, *duckdb, *spark]


def _java() -> Finding:
    try:
        java = find_java()
    except JavaMissing as error:
        return Finding(False, str(error))
    return Finding(True, f"Java {java.major} from {java.origin}: {java.home}")


def _package(name: str, extra: str = "spark") -> Finding:
    try:
        return Finding(True, f"{name} {importlib.metadata.version(name)}")
    except importlib.metadata.PackageNotFoundError:
        return Finding(False, f"{name} is not installed: {install_command(extra)}")


def _room() -> Finding:
    folder = os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).split(",")[0]
    if not os.access(folder, os.W_OK):
        return Finding(
            False,
            f"{folder}, where Spark keeps what does not fit its memory, cannot be written: set "
            "SPARK_LOCAL_DIRS.",
        )
    free_gb = shutil.disk_usage(folder).free / 1e9
    text = f"{free_gb:.0f} GB free in {folder}, where Spark keeps what does not fit its memory"
    return Finding(
        free_gb >= ROOM_GB,
        text if free_gb >= ROOM_GB else f"{text}: set SPARK_LOCAL_DIRS to a disk with more.",
    )


def _master() -> list[Finding]:
    """Whether the configured master answers. Empty where it is this machine."""
    master = os.environ.get(MASTER_VARIABLE, "")
    if not master.startswith("spark://"):
        return [Finding(True, f"Spark's master: {master or 'local[*]'}")]
    address = urlsplit(master.split(",")[0])
    try:
        with socket.create_connection((address.hostname, address.port or 7077), timeout=3):
            return [Finding(True, f"Spark's master {master} answers")]
    except OSError:
        return [Finding(False, f"Spark's master {master} does not answer; see {MASTER_VARIABLE}.")]
