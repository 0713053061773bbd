"""Checks the requirements of log sets: Java, Spark, Arrow, space on the disk and a Spark master."""

import importlib.metadata
import os
import shutil
import socket
import tempfile
from dataclasses import dataclass
from urllib.parse import urlsplit

from kafkalab.extras import install_command
from kafkalab.logsets.java import JavaMissing, find_java
from kafkalab.logsets.session import MASTER_VARIABLE

NEEDED = ("pyspark", "pyarrow", "numpy", "pandas", "matplotlib")
ROOM_GB = 2  # Spark's space on disk for a set of about five million lines.


@dataclass(frozen=True)
class Finding:
    ok: bool
    text: str


def findings() -> list[Finding]:
    """One sentence for each requirement: present or missing."""
    return [_java(), *(_package(name) for name in NEEDED), _room(), *_master()]


def _java() -> Finding:
    try:
        java = find_java()
    except JavaMissing as error:
        return Finding(False, str(error))
    return Finding(True, f"Java {java.major} from {java.origin}: {java.home}")


def _package(name: str) -> Finding:
    try:
        return Finding(True, f"{name} {importlib.metadata.version(name)}")
    except importlib.metadata.PackageNotFoundError:
        return Finding(False, f"{name} is not installed: {install_command('spark')}")


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
