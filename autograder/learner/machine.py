"""Checks whether this machine is ready for the course, and gives chapter 00 a small table.

The table says what was looked at, what was found, and what to do.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from dataclasses import dataclass

LEAST_MEMORY_GIB = 4


@dataclass(frozen=True)
class MachineCheck:
    """Rows of (what, found, verdict). Shows itself as a table;
    `ready` says whether every chapter will run."""

    rows: tuple[tuple[str, str, str], ...]

    @property
    def ready(self) -> bool:
        return all(verdict == "fine" for _, _, verdict in self.rows)

    def __repr__(self) -> str:
        widths = [max(len(row[i]) for row in self.rows) for i in range(2)]
        return "\n".join(
            f"{what:{widths[0]}}  {found:{widths[1]}}  {verdict}"
            for what, found, verdict in self.rows
        )


def machine() -> MachineCheck:
    """Look at Python, Java, Spark, cores and memory. Starts nothing."""
    return MachineCheck((_python(), _java(), _spark(), _cores(), _memory()))


def _python() -> tuple[str, str, str]:
    fine = sys.version_info >= (3, 11)
    return (
        "Python",
        platform.python_version(),
        "fine" if fine else "install Python 3.11 or newer, then make lab again",
    )


def _java() -> tuple[str, str, str]:
    from kafkalab.logsets.java import find_java

    try:
        java = find_java()
    except Exception as problem:
        # whatever is wrong, the learner gets its sentence and goes on with the chapter
        return "Java", "none", f"{problem} (only the Spark labs need it)"
    return "Java", f"{java.major} ({java.origin})", "fine"


def _spark() -> tuple[str, str, str]:
    try:
        return "Spark", importlib.metadata.version("pyspark"), "fine"
    except importlib.metadata.PackageNotFoundError:
        return (
            "Spark",
            "none",
            "pyspark is missing: make lab installs it (only the Spark labs need it)",
        )


def _cores() -> tuple[str, str, str]:
    count = os.cpu_count() or 1
    return (
        "cores",
        str(count),
        "fine" if count >= 2 else "fine, but the Spark labs will take a minute or two",
    )


def _memory() -> tuple[str, str, str]:
    try:
        gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError, AttributeError):
        return "memory", "unknown", "fine"
    return (
        "memory",
        f"{gib:.0f} GiB",
        "fine"
        if gib >= LEAST_MEMORY_GIB
        else f"Spark wants {LEAST_MEMORY_GIB} GiB: close other programs before its labs",
    )
