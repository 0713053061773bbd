"""Runs the cells of one chapter and prints how long each took, as one line of JSON.

    python -m bench._chapter notebooks/source_py/05_committed.py

`cells` maps the first words of a cell to its seconds; `in_labs` are the seconds in which the clock
of a lab ran. Cells marked spark=true are left out, and what needs them may fail; a failure of any
other cell ends the run.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from bench import _lab_clock

WORDS = 48


def measure(path: Path) -> dict[str, object]:
    """Run the chapter in a folder of its own, as a learner who has solved it."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    import jupytext  # from the tools that build the course, as `make bench` installs them
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from autograder.course.sources import text_of_chapter

    notebook = jupytext.reads(text_of_chapter(path.stem), fmt="py:percent")
    _lab_clock.watch()
    quiet = Config()
    quiet.HistoryManager.enabled = False  # the folder is gone before IPython writes at its exit
    shell = InteractiveShell.instance(config=quiet)
    cells: dict[str, float] = {}
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or cell.metadata.get("spark"):
            continue
        started = time.perf_counter()
        outcome = shell.run_cell(cell.source, store_history=False)
        took = time.perf_counter() - started
        if not outcome.success and "spark" not in cell.source.lower():
            sys.exit(f"{path.name}, cell {number} failed: {outcome.error_in_exec}")
        cells[f"{number} {' '.join(cell.source.split())[:WORDS]}"] = took
    return {"cells": cells, "in_labs": _lab_clock.seconds_spent()}


if __name__ == "__main__":
    source = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        os.chdir(folder)
        report = measure(source)
        os.chdir("/")
    print(json.dumps(report))
