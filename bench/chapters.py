"""Times the cells of each chapter: the slowest one, and all of them together.

Every chapter runs from its source in an IPython shell of a process of its own, with the model
answers, without its Spark cells. `peer` is what a learner should wait at most: 3 s for a cell, 15 s
for a chapter. A third row says which share of the chapter's time passed while a lab's clock ran;
its `peer` is the whole.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench import Row

SOURCES = Path(__file__).resolve().parents[1] / "notebooks" / "source_py"
CELL_SECONDS, CHAPTER_SECONDS = 3.0, 15.0


def run() -> list[Row]:
    """Three rows for each chapter."""
    return [row for path in sorted(SOURCES.glob("[01]*.py")) for row in _rows(path)]


def _rows(path: Path) -> list[Row]:
    done = subprocess.run(
        [sys.executable, "-m", "bench._chapter", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    measured = json.loads(done.stdout.splitlines()[-1])
    cells, in_labs = measured["cells"], measured["in_labs"]
    slowest, whole = max(cells.values()), sum(cells.values())
    which = max(cells, key=lambda cell: cells[cell])
    name = f"chapter {path.stem}"
    return [
        _row(f"{name}, slowest cell: {which}", slowest, CELL_SECONDS),
        _row(f"{name}, all cells", whole, CHAPTER_SECONDS),
        _row(f"{name}, in labs", in_labs, whole),
    ]


def _row(name: str, ours: float, peer: float) -> Row:
    return Row(name=name, ours=ours, peer=peer, ratio=ours / peer, unit="s")
