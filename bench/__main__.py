"""`make bench`: runs every comparison of this folder, prints one table and writes bench.json.
Named ones are run and printed only."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path

import bench
from bench import Row
from kafkalab.command_line import CommandParser
from kafkalab.extras import MissingExtra, need_extras

RESULT = Path(__file__).resolve().parents[1] / "bench.json"
NAME_WIDTH = 80
EXTRAS = {
    "check_wait": "learn spark teach",
    "exports": "learn teach",
    "grading": "learn spark teach",
    "reading": "spark logs bench",
    "rebalance": "",
    "scaling": "bench",
    "simulator": "bench",
}
"""Comparison -> the extras that it needs."""


def comparisons() -> list[str]:
    """The names of this folder's comparisons, in the order of the alphabet."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(bench.__path__)
        if not module.name.startswith("_")
    )


def shown(row: Row) -> str:
    """A row of the table."""
    return (
        f"{row['name']:{NAME_WIDTH}} {row['ours']:>14,.4g} {row['peer']:>14,.4g} "
        f"{row['ratio']:>8.3g}  {row['unit']}"
    )


def main(argv: Sequence[str]) -> int:
    """Returns 0; 2 after one sentence for what cannot be measured here."""
    parser = CommandParser(
        prog="python -m bench",
        description="Measure speed as ratios against peers, print one table, write bench.json.",
        example="simulator reading",
    )
    parser.add_argument(
        "comparisons",
        nargs="*",
        metavar="NAME",
        help=f"{', '.join(comparisons())}: run these and write no file (default: all)",
    )
    names = parser.parse_args(argv).comparisons
    if unknown := sorted(set(names) - set(comparisons())):
        parser.error(
            f"There is no comparison {', '.join(unknown)} here; there are "
            f"{', '.join(comparisons())}."
        )
    try:
        # before the first row: all of them take most of an hour
        needed = {extra for name in names or comparisons() for extra in EXTRAS[name].split()}
        need_extras(*sorted(needed))
    except MissingExtra as missing:
        print(missing, file=sys.stderr)
        return 2
    return _measured(names)


def _measured(names: Sequence[str]) -> int:
    rows: list[Row] = []
    for name in names or comparisons():
        for row in importlib.import_module(f"bench.{name}").run():
            if not rows:
                print(f"{'':{NAME_WIDTH}} {'ours':>14} {'peer':>14} {'ratio':>8}  unit")
            rows.append(row)
            print(shown(row), flush=True)
        # each time, for all of them take most of an hour
        if not names:
            RESULT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if not names:
        print(f"Written to {RESULT.name}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
