"""Rebuild a submission from its master: the learner's answers, in the teacher's notebook.

Only the sources of answer cells are taken, each found by its grade_id; points, locked cells, outputs and whatever else the
file says are the master's. Then `steps` lays out what has to run for the answers to be asked.
"""
from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.masters import Master, question_of, text_of
from autograder.needs import names_of, needed
from autograder.questions import find


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


@dataclass(frozen=True)
class Taken:
    """The answers found in a submitted notebook, the repairs that took, and the questions whose cell is gone."""

    answers: dict[str, str]
    repairs: tuple[str, ...]
    missing: tuple[str, ...]


def chapter_of(notebook: dict) -> str | None:
    """The chapter a submitted notebook answers: the one most of its grade_ids speak of, whatever the file is called."""
    votes = [question[:2] for cell in notebook["cells"] if (question := question_of(grade_id_of(cell)))]
    return max(sorted(set(votes)), key=votes.count) if votes else None


def take_answers(master: Master, notebook: dict) -> Taken:
    """Find each question's answer cell by grade_id. Of several copies the one that was written in counts, the last of them;
    a cell that lost its mark is known by the names it defines."""
    answers, repairs, missing = {}, [], []
    by_id: dict[str, list[dict]] = {}
    for cell in notebook["cells"]:
        by_id.setdefault(grade_id_of(cell), []).append(cell)
    for own in (cell for cell in master.cells if cell.question):
        copies = by_id.get(own.grade_id, [])
        texts = [text_of(cell) for cell in copies]
        if not texts:
            found = _by_names(master, own, by_id.get("", []))
            if found is None:
                missing.append(own.question)
                continue
            repairs.append(f"the cell of {own.question} had lost its mark and was known by its names")
            texts = [found]
        if len(texts) > 1:
            repairs.append(f"there were {len(texts)} cells for {own.question}; the last one written in counts")
        written = [text for text in texts if text.strip() and text.strip() != own.source.strip()]
        answers[own.question] = (written or texts)[-1]
        if any(cell.get("cell_type") != ("markdown" if own.kind == "open" else "code") for cell in copies):
            repairs.append(f"the cell of {own.question} had changed its type")
    lost = [cell for cell in master.cells if cell.kind == "test" and cell.grade_id not in by_id]
    if lost:
        repairs.append(f"{len(lost)} locked cell{'s were' if len(lost) > 1 else ' was'} deleted and put back")
    if any(len(by_id.get(cell.grade_id, [])) > 1 for cell in master.cells if cell.kind == "test"):
        repairs.append("locked cells were doubled")
    return Taken(answers, tuple(repairs), tuple(missing))


def student_of(notebook: dict) -> str:
    """Who says they wrote it: metadata.autograder.student, else the literal in the first me("...") call; "" for nobody."""
    metadata = notebook.get("metadata")
    packed = metadata.get("autograder") if isinstance(metadata, dict) else None
    named = packed.get("student") if isinstance(packed, dict) else None
    if is_student(named):
        return named
    for cell in notebook["cells"]:
        called = re.search(r"""(?m)^\s*me\(\s*(["'])([^"']*)\1\s*\)""", text_of(cell)) if cell.get("cell_type") == "code" else None
        if called:
            return called[2] if is_student(called[2]) else ""
    return ""


def is_student(name) -> bool:
    """Whether a text can be a student's id, and safely a folder's name."""
    return isinstance(name, str) and re.fullmatch(r"[^\W_][\w.@-]{0,63}", name) is not None


def grade_id_of(cell: dict) -> str:
    """A cell's grade_id, "" where it has none."""
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = marks.get("grade_id") if isinstance(marks, dict) else None
    return grade_id if isinstance(grade_id, str) else ""


def _by_names(master: Master, own, unmarked: list[dict]) -> str | None:
    """The last unmarked code cell that binds all the names this answer should, and is not one of the master's own."""
    if own.kind == "open":
        return None
    names = set(find(own.question).answers)
    given = {cell.source.strip() for cell in master.cells}
    found = [text for text in map(text_of, unmarked) if text.strip() not in given and names and names <= names_of(text).binds]
    return found[-1] if found else None
