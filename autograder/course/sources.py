"""Reads a chapter as its author wrote it, and makes the author's notebook of it.

A chapter is `notebooks/source_py/NN_noun.py` (py:percent), a page to read. A line

    # %% exercise="03.2"

stands for the cells of an exercise, which has a file of its own (exercises.py). Other keys of a
`# %%` line:

    # %% spark=true                the cell starts Spark: graders leave it out
    # %% answer long=true          the answer may play labs in a loop: grading gives it a minute
    # %% fold=true                 the cell is shown folded: a learner runs it and need not read it
    # %% [markdown] items="P5 N12" which items of the course's map the cell teaches or asks
"""

from __future__ import annotations

import hashlib
import re

from autograder.cell.course_folder import notebooks
from autograder.cell.question import find
from autograder.course.exercises import LINE, Unbuildable, files, place
from autograder.course.exercises import find as find_exercise

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
EXERCISE = re.compile(r'^# %% exercise="([^"]*)"[ \t]*$', re.MULTILINE)


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


def exercises_of(chapter: str) -> tuple[str, ...]:
    """The ids of the exercises that a chapter names, in the order of its page."""
    name = name_of(chapter)
    path = notebooks() / "source_py" / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    lines = [text[: found.start()].count("\n") + 1 for found in EXERCISE.finditer(text)]
    ids = EXERCISE.findall(text)
    known = files(name[:2])
    for id, line in zip(ids, lines, strict=True):
        if id not in known or ids.index(id) != lines.index(line):
            why = (
                f"{id} is named twice"
                if id in known
                else f"there is no exercise {id} in notebooks/exercises/{name[:2]}; "
                f'`python -m autograder new {id} "A few words"` begins one'
            )
            raise Unbuildable(f"{place(path, line)}: {why}")
    for named in EXERCISE.finditer(text):
        below = text[named.end() :].lstrip("\n")
        if below and not re.match(r"# %%( |$)", below.partition("\n")[0]):
            line = text.count("\n", 0, len(text) - len(below)) + 1
            raise Unbuildable(
                f"{place(path, line)}: the exercise's cells are in its file; what follows begins "
                "with `# %%`"
            )
    for id, file in known.items():
        if id not in ids:
            raise Unbuildable(
                f"{place(file, 1)}: no chapter names this exercise; add the line "
                f"`{LINE.format(id)}` to {path.name}"
            )
    return tuple(ids)


def text_of_chapter(chapter: str) -> str:
    """A chapter's text in percent format, with its exercises in their places."""
    name = name_of(chapter)
    exercises_of(name)
    text = (notebooks() / "source_py" / f"{name}.py").read_text(encoding="utf-8")
    return EXERCISE.sub(lambda named: find_exercise(named[1]).page().rstrip("\n"), text)


def author_notebook(chapter: str):
    """The chapter with its solutions and with nbgrader's marks on its cells, as a NotebookNode."""
    import jupytext

    name = name_of(chapter)
    book = jupytext.reads(text_of_chapter(name), fmt="py:percent")
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


def _mark(cell, keys: dict, where: str) -> None:
    """Turn an author's short key into nbgrader's metadata (schema 3)."""
    kind = next((key for key in ("answer", "test", "open") if key in keys), None)
    said = {key: True for key in ("spark", "long") if keys.get(key)}
    if keys.get("items"):
        said["items"] = keys["items"].split()
    if said:
        cell.metadata["autograder"] = said
    if keys.get("fold"):
        cell.metadata["jupyter"] = {"source_hidden": True}
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
