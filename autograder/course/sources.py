"""What authors write: `notebooks/source_py/NN_noun.py` (py:percent, with solutions), and the
notebook that it is.

A cell says what it is with a short key on its `# %%` line:

    # %% answer="03.2"            the learner's code; the part between ### BEGIN SOLUTION and ###
                                  END SOLUTION is taken out
    # %% test="03.2"              the locked cell that asks for it; points come from the question
    # %% [markdown] open="03.open"  the learner's text; its source here is the model answer
    # %% spark=true               the cell starts Spark: graders leave it out
    # %% [markdown] items="P5 N12"  any cell, beside the other keys: which items of the course's map
                                    it teaches or asks
"""

from __future__ import annotations

import hashlib
import re

from autograder.cell.course_folder import notebooks
from autograder.cell.question import find

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
SOLUTION_MARKS = re.compile(r"^[ \t]*### (BEGIN|END) SOLUTION[ \t]*\n?", re.MULTILINE)


class Unbuildable(ValueError):
    """A chapter's source contradicts itself or its questions;
    the message says where and what to do."""


def chapters() -> tuple[str, ...]:
    """The chapters there are, by folder name: ("00_start_here",
    "02_producer_connections", ..., "myths")."""
    return tuple(sorted(path.stem for path in (notebooks() / "source_py").glob("*.py")))


def name_of(chapter: str) -> str:
    """ "03" or "03_consumer_connections" -> "03_consumer_connections".
    Unbuildable names the chapters there are."""
    found = [name for name in chapters() if name == chapter or name.split("_")[0] == chapter]
    if len(found) != 1:
        raise Unbuildable(
            f"there is no chapter {chapter!r}; there are {', '.join(chapters()) or 'none'}"
        )
    return found[0]


def author_notebook(chapter: str):
    """The chapter with its solutions and with nbgrader's marks on its cells, as a NotebookNode."""
    import jupytext

    name = name_of(chapter)
    book = jupytext.reads(
        (notebooks() / "source_py" / f"{name}.py").read_text(encoding="utf-8"), fmt="py:percent"
    )
    book.metadata.clear()
    book.metadata.update(
        kernelspec=dict(KERNEL), language_info={"name": "python"}, autograder={"chapter": name[:2]}
    )
    book.nbformat, book.nbformat_minor = 4, 5
    for index, cell in enumerate(book.cells):
        keys = dict(cell.metadata)
        cell.metadata.clear()
        _mark(cell, keys, f"{name}, cell {index + 1}")
        cell["id"] = hashlib.sha256(f"{name}/{index}/{cell.cell_type}".encode()).hexdigest()[:12]
    return book


def solved_cells(chapter: str) -> dict[str, str]:
    """grade_id -> source of each answer and open cell as the author solved it,
    without the marks around the solution."""
    found = {}
    for cell in author_notebook(chapter).cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            found[marks["grade_id"]] = SOLUTION_MARKS.sub("", cell.source)
    return found


def _mark(cell, keys: dict, where: str) -> None:
    """Turn an author's short key into nbgrader's metadata (schema 3)."""
    kind = next((key for key in ("answer", "test", "open") if key in keys), None)
    said = {"spark": True} if keys.get("spark") else {}
    if keys.get("items"):
        said["items"] = keys["items"].split()
    if said:
        cell.metadata["autograder"] = said
    if kind is None:
        return
    try:
        question = find(keys[kind])
    except KeyError as missing:
        raise Unbuildable(f"{where}: {missing.args[0]}") from None
    if (kind == "open") != (cell.cell_type == "markdown"):
        raise Unbuildable(
            f'{where}: {kind}="{question.id}" belongs on a '
            f"{'markdown' if kind == 'open' else 'code'} cell"
        )
    marks = {
        "schema_version": 3,
        "grade": kind != "answer",
        "solution": kind != "test",
        "locked": kind == "test",
        "task": False,
        "grade_id": question.grade_id + ("-test" if kind == "test" else ""),
    }
    if kind != "answer":
        marks["points"] = float(question.points)
    cell.metadata["nbgrader"] = marks
    if kind == "test":
        # Run All goes on past an answer that is not right yet; nbgrader still gives it 0 points
        cell.metadata["tags"] = ["raises-exception"]
