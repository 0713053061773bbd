"""Tampering: names what was done to a notebook that nobody does who only answers.

Each kind is told for certain: the notebook holds two things that cannot both come from working in
it. What may be an accident, such as a deleted locked cell, is a repair, no flag (assignment.py). A
flag costs no points. docs/tampering.md lists the kinds.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from autograder.cell.course_folder import question_of, text_of
from autograder.cell.numbers import course_key_id, key_with_id, numbers_for
from autograder.cell.question import find
from autograder.course.masters import Master
from autograder.handed_in.answers import (
    ME,
    as_shown,
    is_student,
    nbgrader_marks,
    student_called,
    without_odd_letters,
)
from autograder.handed_in.needs import LONGEST_CELL

GREETS = re.compile(r"(?m)^Hello, ([^\n]{1,80})\. The numbers in the exercises are yours\.")
SAYS_RIGHT = re.compile(r"(?m)^(\d\d\.\w+) ✓ ")
CHECKS = re.compile(r"""check\((["'])(\d\d\.\w+)\1\)""")
DRAWS = re.compile(r"""(?m)^(\w+) = numbers\((["'])(\d\d\.\w+)\2\)""")
FIELD = re.compile(r"(?:^|, )(\w+) = ")
MOST_SHOWN = 4_000  # characters of numbers that are looked at


class Tampering(NamedTuple):
    """What was done to a notebook, in plain words. `naming` is about somebody else, so a person
    talks about it before the student reads it."""

    flags: tuple[str, ...]
    naming: tuple[str, ...]


def tampered(
    master: Master,
    notebook: dict,
    answers: dict[str, str],
    variant: str = "",
    key: str = "",
    spelled: Callable[[str], str | None] = lambda name: None,
) -> Tampering:
    """The flags of a notebook.

    `answers` were found in it, `variant` is whose numbers it showed, `key` the id of the course key
    they were drawn with. spelled(name) is the student of the class list who is called so.
    """
    cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
    flags = (
        *_exchanged(master, cells),
        *_unlocked(master, cells),
        *_unknown(master, cells),
        *_of_the_course(master, notebook, cells),
        *_forged(master, cells),
        *_lost_or_pasted(master, cells, answers),
        *_without_numbers(master, cells),
        *_redefined(cells),
    )
    naming = (
        *_of_two_people(notebook, cells, variant, spelled),
        *_of_other_numbers(master, cells, {variant, student_called(notebook)}, variant, key),
    )
    return Tampering(flags, naming)


def _exchanged(master: Master, cells: list[dict]) -> Iterator[str]:
    """Cells that carry each other's marks. A cell that is moved, split or copied keeps its id."""
    own = {
        cell["id"]: nbgrader_marks(cell).get("grade_id") for cell in _given(master) if "id" in cell
    }
    owner: dict[str, str] = {}
    twice = set()
    for cell in cells:
        marked, first = nbgrader_marks(cell).get("grade_id"), own.get(_text(cell.get("id")))
        if isinstance(marked, str) and first:
            twice |= {marked} & owner.keys()
            owner[marked] = first
    moved = {marked: first for marked, first in owner.items() if marked != first}
    found = sorted(
        marked
        for marked, first in moved.items()
        if marked not in twice and first not in twice and _is_in_a_ring(marked, moved)
    )
    if found:
        yield f"nbgrader's marks of {_cells(found)} were exchanged and put back"


def _is_in_a_ring(marked: str, moved: dict[str, str]) -> bool:
    place = marked
    for _ in moved:
        place = moved.get(place, "")
        if place == marked:
            return True
    return False


def _unlocked(master: Master, cells: list[dict]) -> Iterator[str]:
    """Locked cells that may be written in now, or whose checksum is another one."""
    locked = {
        nbgrader_marks(cell)["grade_id"]: cell
        for cell in _given(master)
        if nbgrader_marks(cell).get("locked")
    }
    opened, summed = [], []
    for cell in cells:
        grade_id = nbgrader_marks(cell).get("grade_id")
        first = locked.get(grade_id) if isinstance(grade_id, str) else None
        if first is None:
            continue
        metadata = cell["metadata"]
        if metadata.get("editable") is True and first["metadata"].get("editable") is False:
            opened.append(grade_id)
        told = [marks.get("checksum") for marks in (nbgrader_marks(cell), nbgrader_marks(first))]
        same = _plain(cell) == _plain(first)
        if same and all(isinstance(each, str) for each in told) and told[0] != told[1]:
            summed.append(grade_id)
    if opened:
        yield f"the lock of {_cells(opened)} was taken off and put back"
    if summed:
        yield f"nbgrader's checksum of {_cells(summed)} was changed and put back"


def _unknown(master: Master, cells: list[dict]) -> Iterator[str]:
    """Answer cells with an id of this chapter's kind that no question has."""
    known = {cell.grade_id for cell in master.cells if cell.grade_id}
    for cell in cells:
        grade_id = nbgrader_marks(cell).get("grade_id")
        asked = question_of(grade_id) if isinstance(grade_id, str) else None
        of_here = asked and asked[:2] == master.chapter and grade_id not in known
        if of_here and nbgrader_marks(cell).get("grade") is not True:
            yield "there was a marked cell that nobody handed out"
            return


def _of_the_course(master: Master, notebook: dict, cells: list[dict]) -> Iterator[str]:
    """The course's own metadata: which chapter it is, and which cells start Spark."""
    given = {
        nbgrader_marks(cell)["grade_id"]: cell["metadata"].get("autograder", {})
        for cell in _given(master)
        if nbgrader_marks(cell).get("grade_id")
    }
    packed = _dict(_dict(notebook.get("metadata")).get("autograder"))
    changed = packed.get("chapter", master.chapter) != master.chapter
    for cell in cells:
        grade_id = nbgrader_marks(cell).get("grade_id")
        own = _dict(_dict(cell.get("metadata")).get("autograder"))
        if isinstance(grade_id, str) and grade_id in given and "spark" in own:
            changed |= own["spark"] != given[grade_id].get("spark", False)
    if changed:
        yield "the course's own metadata was edited"


def _forged(master: Master, cells: list[dict]) -> Iterator[str]:
    """A value under a cell that returns none: a locked cell, or check()."""
    tests = {_plain(cell) for cell in _given(master) if nbgrader_marks(cell).get("locked")}
    tests |= {
        _plain(cell)
        for cell in _given(master)
        if cell["cell_type"] == "code" and CHECKS.fullmatch(_plain(cell))
    }
    found = [
        find_in[0]
        for cell in cells
        if _plain(cell) in tests
        and any(output.get("output_type") == "execute_result" for output in _outputs(cell))
        and (find_in := re.findall(r"\d\d\.\w+", _plain(cell)))
    ]
    if found:
        yield f"a result was put under {_listed(found)}, where the cell gives none"


def _lost_or_pasted(master: Master, cells: list[dict], answers: dict[str, str]) -> Iterator[str]:
    """check() says that an answer is right, and nobody has written one."""
    blank = {
        cell.question
        for cell in master.answer_cells
        if answers.get(cell.question, "").strip() in ("", cell.source.strip())
    }
    said: set[str] = set()
    for cell in cells:
        if CHECKS.fullmatch(_plain(cell)):
            text = _printed(cell)
            said |= {found[1] for found in SAYS_RIGHT.finditer(text)} if "✗" not in text else set()
    if said & blank:
        yield (
            f"an output says that {_listed(sorted(said & blank))} is right, and no answer to it is"
            " written: it was lost, or the output is another notebook's"
        )


def _of_two_people(
    notebook: dict, cells: list[dict], variant: str, spelled: Callable[[str], str | None]
) -> Iterator[str]:
    """Names of students that stand in the notebook beside its own."""

    def who(name: str) -> str:
        return (spelled(name) or name).lower()

    called = list(
        dict.fromkeys(
            name
            for cell in cells
            if cell.get("cell_type") == "code"
            for found in ME.finditer(without_odd_letters(text_of(cell))[:LONGEST_CELL])
            if is_student(name := found[2].strip())
        )
    )
    if len({who(name) for name in called}) > 1:
        yield f"its cells call me() for {_listed(called)}"
    packed = _dict(_dict(notebook.get("metadata")).get("autograder")).get("student")
    first = student_called(notebook)
    if is_student(packed) and first and who(packed) != who(first):
        yield f"its metadata names {packed}, and its first cell {first}"
    greeted = {found[1] for cell in cells for found in GREETS.finditer(_printed(cell)) if variant}
    others = sorted(name for name in greeted if who(name) not in {who(variant), who(first or "")})
    if others:
        yield (
            f"its outputs are those of {_listed(others)}, whom me() greets there, and the notebook"
            f" names {variant}"
        )


def _of_other_numbers(
    master: Master, cells: list[dict], names: set[str], variant: str, key: str
) -> Iterator[str]:
    """Outputs of numbers() that show somebody else's than those of these names, or of nobody. Only
    where this course's key is known to have drawn them, and where this course draws such numbers.
    """
    if not variant or not key or key_with_id(key) is None:
        return
    found = []
    for cell in cells:
        drawn = DRAWS.match(_plain(cell))
        shown = next(
            (
                as_shown(output)
                for output in _outputs(cell)
                if output.get("output_type") == "execute_result"
            ),
            "",
        )
        if not drawn or not shown or len(shown) > MOST_SHOWN:
            continue
        try:
            question = find(drawn[3])
        except KeyError:
            continue
        if question.chapter != master.chapter or question.show or not question.space:
            continue
        used = key if key != course_key_id() else ""
        own = {repr(numbers_for(question, student, used)) for student in {*names, ""}}
        if shown.strip() not in own and _can_be_drawn(question, shown):
            found.append(question.id)
    if found:
        yield f"the outputs show somebody else's numbers of {_listed(found)}"


def _can_be_drawn(question, shown: str) -> bool:
    """Whether a text shows numbers that some student has."""
    lines = re.sub(r",\n +", ", ", shown.strip()).split("\n")
    if question.draws:
        named = [line.split(": ", 1) for line in lines]
        if [line[0] for line in named] != list(question.draws):
            return False
        lines = [line[1] for line in named if len(line) == 2]
    sets = [_fields(line) for line in lines]
    space = question.space
    wanted = [{name: each[name] for name in space} for each in question.all_numbers()]
    return len(sets) == max(1, len(question.draws)) and all(
        numbers is not None and {name: numbers.get(name) for name in space} in wanted
        for numbers in sets
    )


def _fields(line: str) -> dict | None:
    """{"brokers": 2} from "brokers = 2"; None for a text that is nothing such."""
    parts = FIELD.split(line)
    try:
        values = [ast.literal_eval(text) for text in parts[2::2]]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return dict(zip(parts[1::2], values)) if parts[0] == "" else None


def _without_numbers(master: Master, cells: list[dict]) -> Iterator[str]:
    """Numbers that are written out where the notebook asked for them."""
    asked = {
        found[3]: found[1]
        for cell in _given(master)
        if cell["cell_type"] == "code"
        for found in DRAWS.finditer(text_of(cell))
    }
    code = [_plain(cell) for cell in cells if cell.get("cell_type") == "code"]
    for question, name in asked.items():
        calls = re.compile(rf"""numbers\(\s*["']{re.escape(question)}["']""")
        if any(calls.search(text) for text in code):
            continue
        if any(re.search(rf"(?m)^{name} = (\{{|dict\(|Numbers\()", text) for text in code):
            yield f'the numbers of {question} are written out in place of numbers("{question}")'


def _redefined(cells: list[dict]) -> Iterator[str]:
    """`require` belongs to the locked cells; a notebook that binds it again answers for them."""
    for cell in cells:
        text = _plain(cell)
        if cell.get("cell_type") != "code" or "require" not in text or len(text) > LONGEST_CELL:
            continue
        try:
            tree = ast.parse(re.sub(r"(?m)^[ \t]*[%!].*$", "", text))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if any(_binds_require(node) for node in ast.walk(tree)):
            yield "`require`, which the locked cells call, was given another meaning"
            return


def _binds_require(node: ast.AST) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name == "require"
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder"):
        return any(each.asname == "require" and each.name != "require" for each in node.names)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return any((each.asname or each.name) == "require" for each in node.names)
    return isinstance(node, ast.Name) and node.id == "require" and isinstance(node.ctx, ast.Store)


def _given(master: Master) -> list[dict]:
    return _read(master.path, master.digest)


@lru_cache(maxsize=32)
def _read(path: Path, digest: str) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def _outputs(cell: dict) -> list[dict]:
    outputs = cell.get("outputs")
    return [each for each in outputs if isinstance(each, dict)] if isinstance(outputs, list) else []


def _printed(cell: dict) -> str:
    return "\n".join(as_shown(output) for output in _outputs(cell) if "text" in output)


def _plain(cell: dict) -> str:
    return _without_edges(text_of(cell))


@lru_cache(maxsize=2048)  # a class hands in the same given cells again and again
def _without_edges(text: str) -> str:
    return "\n".join(line.rstrip() for line in without_odd_letters(text).splitlines()).strip()


def _text(value) -> str:
    return value if isinstance(value, str) else ""


def _dict(value) -> dict:
    return value if isinstance(value, dict) else {}


def _cells(grade_ids: list[str]) -> str:
    names = dict.fromkeys(question_of(each) or each for each in grade_ids)
    return f"the cell{'s' if len(names) > 1 else ''} of {_listed(list(names))}"


def _listed(names: list[str]) -> str:
    names = list(names)
    shown = names if len(names) < 5 else [*names[:3], f"{len(names) - 3} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
