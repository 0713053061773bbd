"""Times the first picture of chapter 00, from the start of a real kernel.

The chapter is built from its source, and a kernel runs its cells in order until one shows a
picture. `peer` is what a learner should wait at most: two seconds. One row counts from the start of
the kernel's process, the other from its first answer, which no notebook can hasten.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import Row
from bench.chapters import SOURCES

SECONDS = 2.0
CHAPTER = "00_start_here.py"
TRIES = 3
"""The best of so many counts: the first reads the files from the disk, others are disturbed."""


def run() -> list[Row]:
    """Two rows: since the process, and since its first answer."""
    starts, answers = zip(*(_tried() for _ in range(TRIES)), strict=True)
    return [
        _row("the first picture of chapter 00, after the kernel's process starts", min(starts)),
        _row("the first picture of chapter 00, after the kernel's first answer", min(answers)),
    ]


def _tried() -> tuple[float, float]:
    """The seconds to the picture from the start of a kernel, and from its first answer."""
    import jupytext
    from jupyter_client.manager import start_new_kernel

    notebook = jupytext.read(SOURCES / CHAPTER, fmt="py:percent")
    with tempfile.TemporaryDirectory() as folder:
        home = {**os.environ, "HOME": folder, "PYTHONPATH": str(SOURCES.parents[1])}
        started = time.perf_counter()
        manager, client = start_new_kernel(cwd=folder, env=home)
        answered = time.perf_counter()
        try:
            for cell in notebook.cells:
                if cell.cell_type == "code" and _shows_a_picture(client, cell.source):
                    shown = time.perf_counter()
                    return shown - started, shown - answered
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    raise RuntimeError(f"no cell of {CHAPTER} shows a picture")


def _shows_a_picture(client: Any, source: str) -> bool:
    """Run a cell; whether it shows a picture. Raises RuntimeError for a cell that fails."""
    pictures: list[str] = []

    def look(message: dict[str, Any]) -> None:
        shown = message["content"].get("data", {})
        pictures.extend(kind for kind in shown if kind.startswith("image/"))

    reply = client.execute_interactive(source, output_hook=look, timeout=60)["content"]
    if reply["status"] != "ok":
        raise RuntimeError(f"a cell of {Path(CHAPTER).stem} failed: {reply['evalue']}")
    return bool(pictures)


def _row(name: str, seconds: float) -> Row:
    return Row(name=name, ours=seconds, peer=SECONDS, ratio=seconds / SECONDS, unit="s")
