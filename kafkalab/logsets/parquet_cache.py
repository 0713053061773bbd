"""Keeps Parquet beside a log set, so that later reads are faster: `read(spark, path, saved=True)`.

Its name ends in a checksum of the files (name, size, time of change; a generated set's own checksum
where it has one), of the layout and of the reader's catalogue. When one of them changes, the name
changes, and the Parquet is made again. A folder without Spark's _SUCCESS is incomplete and is also
made again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pyarrow import fs

from kafkalab.logsets import schema, templates
from kafkalab.logsets.files import URL, files_of, where
from kafkalab.logsets.line_loader import load_lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEM = "lines-"


def parquet_of(spark: SparkSession, path: str, layout: str | None = None) -> str:
    """The folder with the Parquet of all lines under `path`. It is made if it does not exist.

    It is beside the lines, or in the user's cache where their folder cannot be written.
    """
    stem = f"{os.path.basename(path)}.{STEM}" if _is_file(path) else STEM
    name = f"{stem}{checksum_of(path, layout)}.parquet"
    for place in _places(path):
        if _finished(f"{place}/{name}"):
            return f"{place}/{name}"
    for place in _places(path):
        if _writable(place):
            _forget_older(place, stem)
            load_lines(spark, path, layout=layout).write.mode("overwrite").option(
                "compression", "zstd"
            ).parquet(f"{place}/{name}")
            return f"{place}/{name}"
    raise PermissionError(f"Neither {next(iter(_places(path)))} nor your cache can be written.")


def checksum_of(path: str, layout: str | None = None) -> str:
    """Sixteen letters that identify these files and this version of the reader."""
    digest = hashlib.sha256()
    for part in path.split("\n"):
        done = Path(part, "DONE") if URL not in part else None
        if done is not None and done.is_file():
            digest.update(done.read_bytes())
        else:
            digest.update(
                repr([(file.name, file.size, file.changed_ns) for file in files_of(part)]).encode()
            )
    known = sorted((p.event, p.whole, p.gaps or "") for p in templates.all_patterns())
    digest.update(repr((layout, schema.COLUMNS, known)).encode())
    return digest.hexdigest()[:16]


def _places(path: str) -> Iterator[str]:
    """The folders for the Parquet: beside the lines, else the user's cache.

    For several paths only the cache is used.
    """
    if "\n" not in path:
        yield (os.path.dirname(path) or ".") if _is_file(path) else path.rstrip("/")
    yield str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kafkalab", "lines"))


def _is_file(path: str) -> bool:
    if "\n" in path:
        return False
    system, inside = where(path)
    return system.get_file_info(inside).type == fs.FileType.File


def _finished(folder: str) -> bool:
    system, inside = where(folder)
    return system.get_file_info(f"{inside}/_SUCCESS").type == fs.FileType.File


def _writable(place: str) -> bool:
    if URL in place:
        return True
    try:
        os.makedirs(place, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False


def _forget_older(place: str, stem: str) -> None:
    """Remove older Parquet of this cache: of other files or of an older reader."""
    if URL not in place and not place.endswith(os.path.join("kafkalab", "lines")):
        for old in Path(place).glob(f"{stem}{'?' * 16}.parquet"):
            shutil.rmtree(old, ignore_errors=True)
