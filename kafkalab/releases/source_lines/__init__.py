"""Looks up the line number (%L) at which a release's Java source writes a line: one recorded table
a release.

A table is a file of this folder, NAME, level, logger and line number, tab-separated and sorted by
name.
`python -m kafkalab source-lines DIR` imports it from recordings; the numbers that no recording
shows were
read off the line number tables of the released jars. A release without a number for a name has the
one of
the release before (`kafkalab.lines.wording`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from pkgutil import get_data
from typing import NamedTuple

HEADER = "name\tlevel\tlogger\tline\n"


class SourceLine(NamedTuple):
    """One row: what a statement is called here, its level, its class, its line."""

    name: str
    level: str
    logger: str
    line: int


@cache
def line_table(release: str) -> Mapping[str, SourceLine]:
    """Name -> row, for one client release; empty for a release of which nothing was recorded."""
    try:
        text = (get_data(__name__, f"{release}.tsv") or b"").decode("utf-8")
    except FileNotFoundError:
        return {}
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {name: SourceLine(name, level, logger, int(line)) for name, level, logger, line in rows}


def write_table(folder: Path, release: str, rows: Iterable[SourceLine]) -> Path:
    """Write one release's table into `folder`; returns the file."""
    file = folder / f"{release}.tsv"
    file.write_text(
        HEADER + "".join("\t".join(map(str, row)) + "\n" for row in sorted(rows)), encoding="utf-8"
    )
    return file
