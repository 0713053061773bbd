"""Names the folders where everything of real Kafka lies: jars, and one folder for each lab that
runs.

    KAFKALAB_REAL, or kafkalab/real in the user's cache
        jars/broker-4.4.0/*.jar      what `python -m kafkalab real setup` fetched
        runs/20260105-090000-x1/     one lab: its brokers' data, all logs; gone when the lab ends

Only the user may look into these folders.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

VARIABLE = "KAFKALAB_REAL"


def real_home() -> Path:
    """The folder of everything: $KAFKALAB_REAL, or kafkalab/real in the user's cache."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser().absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "kafkalab", "real").absolute()


def jar_folder(name: str) -> Path:
    """The folder of a set of jars, such as jar_folder("client-3.9.2")."""
    return real_home() / "jars" / name


def runs_folder() -> Path:
    """The folder with a folder for each lab that runs."""
    return real_home() / "runs"


def new_run_folder() -> Path:
    """A new, empty folder for one lab, which only this user may open. No two labs get the same."""
    runs = private_folder(runs_folder())
    return Path(tempfile.mkdtemp(prefix=time.strftime("%Y%m%d-%H%M%S-"), dir=runs))


def private_folder(path: Path) -> Path:
    """`path`, made where it is missing; only this user may open it."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)
    return path
