"""Rebuild a submission from its master: the learner's answers, in the teacher's notebook.

Only the sources of answer cells are taken, each found by its grade_id; points, locked cells, outputs and whatever else the
file says are the master's. Then `steps` lays out what has to run for the answers to be asked.
"""
from __future__ import annotations

from dataclasses import dataclass

from autograder.course import Master
from autograder.needs import needed


@dataclass(frozen=True)
class Step:
    """One cell to run. After an answer cell its question is probed."""

    source: str
    question: str | None = None
    spark: bool = False


def rebuild(master: Master, answers: dict[str, str]) -> dict:
    """The master as a notebook dict with these answers in it ({question id: source}); outputs there are none."""
    notebook = master.notebook()
    for cell in master.cells:
        if cell.question in answers:
            notebook["cells"][cell.index]["source"] = answers[cell.question]
    return notebook


def steps(master: Master, answers: dict[str, str], only: set[str] | None = None) -> list[Step]:
    """The cells to run for these answers, in the notebook's order; `only` some questions if given.

    An answer that is missing keeps the master's blank cell.
    """
    cells = [cell for cell in master.cells if cell.kind in ("code", "answer")]
    sources = [answers.get(cell.question, cell.source) if cell.question else cell.source for cell in cells]
    targets = [index for index, cell in enumerate(cells)
               if cell.kind == "answer" and cell.question and (only is None or cell.question in only)]
    wanted = set(targets).union(*(needed(sources, target) for target in targets))
    return [Step(sources[index], cells[index].question if index in targets else None, cells[index].spark)
            for index in sorted(wanted)]
