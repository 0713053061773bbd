"""Packs this package for Spark's executors, and says in one sentence where it is missing there.

Spark pickles the data source, and an executor loads it from its own kafkalab. So what is pickled
is a function that needs nothing but Python. It looks for the package, compares it with the
driver's, and then loads the class.
"""

from __future__ import annotations

import copyreg
import hashlib
import importlib
import zipfile
from abc import ABCMeta
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).absolute().parents[1]
# Tests stay here. Of the data only what a module reads goes along.
SENT = ("*.py", "lines/*.tsv", "lines/*/*.txt", "releases/*/*.tsv", "releases/*/*.txt")
NOT_SENT = "tests"


def package_zip(folder: Path) -> Path:
    """The package as one file in this folder."""
    path = folder / "kafkalab.zip"
    found = {file for pattern in SENT for file in PACKAGE.rglob(pattern)}
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(found):
            if NOT_SENT not in file.relative_to(PACKAGE).parts:
                archive.write(file, file.relative_to(PACKAGE.parent))
    return path


@cache
def version() -> str:
    """This package's version, with a digest of the code that reads lines."""
    digest = hashlib.blake2b(digest_size=4)
    for name in ("kafkalab.logsets", "kafkalab.lines"):
        for text in sorted(
            file.name.encode() + file.read_bytes() for file in _sources(files(name))
        ):
            digest.update(text.replace(b"\r\n", b"\n"))
    return f"{importlib.import_module('kafkalab').__version__} ({digest.hexdigest()})"


def _sources(folder: Traversable) -> Iterator[Traversable]:
    """The code and the catalogue's text, in this folder and below it."""
    for file in folder.iterdir():
        if file.is_dir():
            yield from _sources(file)
        elif file.name.endswith((".py", ".txt")):
            yield file


def _loaded(drivers: str, place: str, module: str, name: str) -> Any:
    """The class of this name on an executor. It travels as its own text, for `kafkalab` may not
    be there: so it imports what it needs itself."""
    import os
    import socket

    before = os.environ.get("SPARK_HIDE_TRACEBACK")
    os.environ["SPARK_HIDE_TRACEBACK"] = "1"  # what is raised here is a sentence (refusals.py)
    there = socket.gethostname()
    advice = "logsets.ship(spark) sends the driver's; then load the log again."
    try:
        here = importlib.import_module("kafkalab.logsets.shipment")
        # a folder that both read is one installation, also while somebody edits it
        own = drivers if str(here.PACKAGE) == place else here.version()
    except ImportError as error:
        lacking = (error.name or "kafkalab").partition(".")[0]
        more = advice if lacking == "kafkalab" else f"Install {lacking} on each executor."
        raise ImportError(
            f"The Python worker on {there} lacks the package {lacking}. {more}"
        ) from None
    if own != drivers:
        raise ImportError(
            f"The driver has kafkalab {drivers}, and the Python worker on {there} has {own}. "
            f"{advice}"
        )
    found = getattr(importlib.import_module(module), name)
    if before is None:
        del os.environ["SPARK_HIDE_TRACEBACK"]
    return found


# cloudpickle writes the functions of `__main__` out, and refers to all others by name.
_loaded.__module__ = "__main__"


class Carried(ABCMeta):
    """Makes a class that an executor loads only with the driver's own package."""


def _carry(kind: type) -> tuple:
    return _loaded, (version(), str(PACKAGE), kind.__module__, kind.__qualname__)


copyreg.pickle(Carried, _carry)
