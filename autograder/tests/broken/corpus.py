"""What a broken submission is, for the test that grades them all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FULL = 6.0


@dataclass(frozen=True)
class Broken:
    """`make(path, notebook)` writes it, for a student, at `path` (without an ending) and returns
    what it wrote.

    `repairable`: all answers are still in it, so it should get `score` without anybody's help.
    `statuses` it may end with.
    """

    name: str
    make: Callable[[Path, dict], Path]
    repairable: bool = True
    score: float = FULL
    statuses: tuple[str, ...] = ("repaired",)


def cell_of(notebook: dict, grade_id: str) -> dict:
    """The cell that carries a grade_id."""
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def place_of(notebook: dict, grade_id: str) -> int:
    """Where it stands."""
    return notebook["cells"].index(cell_of(notebook, grade_id))


def code(source: str, **metadata) -> dict:
    """A code cell as Jupyter writes it."""
    return {
        "cell_type": "code",
        "id": f"n{len(source)}",
        "metadata": metadata,
        "source": source,
        "execution_count": 3,
        "outputs": [],
    }


def text(source: str, **metadata) -> dict:
    """A markdown cell."""
    return {
        "cell_type": "markdown",
        "id": f"t{len(source)}",
        "metadata": metadata,
        "source": source,
    }


def written(path: Path, content: dict | str | bytes, ending: str = ".ipynb") -> Path:
    """Write a notebook, a text or bytes."""
    if isinstance(content, dict):
        content = json.dumps(content, indent=1)
    path = path.with_name(path.name + ending)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def edit(name: str, change: Callable[[dict], object], **words) -> Broken:
    """A broken notebook made by changing the good one in place."""

    def make(path, notebook):
        change(notebook)
        return written(path, notebook)

    return Broken(name, make, **words)
