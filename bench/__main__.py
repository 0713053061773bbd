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

RESULT = Path(__file__).resolve().parents[1] / "bench.json"
NAME_WIDTH = 80


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
    unknown = set(argv) - set(comparisons())
    if unknown:
        print(
            f"There is no comparison {', '.join(sorted(unknown))} here; there are "
            f"{', '.join(comparisons())}."
        )
        return 2
    print(f"{'':{NAME_WIDTH}} {'ours':>14} {'peer':>14} {'ratio':>8}  unit", flush=True)
    rows: list[Row] = []
    for name in argv or comparisons():
        for row in importlib.import_module(f"bench.{name}").run():
            rows.append(row)
            print(shown(row), flush=True)
        # each time, for all of them take most of an hour
        if not argv:
            RESULT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if not argv:
        print(f"Written to {RESULT.name}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
