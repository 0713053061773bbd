"""Builds the halves of a chapter's exercises: what learners have, and what judges them.

From notebooks/exercises/03/*.py come

    autograder/cell/questions/ch03.py   the `question` cells with ids, hints, an open one's text
    autograder/course/judges/ch03.py    the `judge` cells with ids and the named wrong answers
    autograder/written/rubrics/ch03.py  the `rubric` cells of open questions with ids and texts

in the order of the chapter's page. None of them is in git: the installation makes them
(`write_all`), and the commands make those again that a `git pull` has changed (`refresh`). Each
exercise is a section of its own under a line `# %% 03.1`,
with the imports it needs, so that its sealed verdicts depend on its own file and on shared.py only.
The same sources give the same bytes. No solution is in any of them.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import os
import re
import subprocess
import symtable
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from autograder.cell import sealed
from autograder.cell.course_folder import notebooks
from autograder.course.exercises import (
    Exercise,
    ExerciseCell,
    Unbuildable,
    find,
    place,
    shared,
    tree,
)
from autograder.course.fingerprint import judges_folder
from autograder.course.sources import EXERCISE, chapters, exercises_of

QUESTION, JUDGE, RUBRIC = "question", "judge", "rubric"
PACKAGES = {
    QUESTION: "autograder.cell.questions",
    JUDGE: "autograder.course.judges",
    RUBRIC: "autograder.written.rubrics",
}
BUILT = re.compile(rf"({'|'.join(map(re.escape, PACKAGES.values()))})\.ch\d\d\.")
"""How the name of a built module begins."""
EXAMPLES = {
    QUESTION: "Value(title=..., ...)",
    JUDGE: "Judge(truth=..., ...)",
    RUBRIC: "Rubric(lexicon=..., ...)",
}
HEAD = '''# Generated from notebooks/exercises/{{0}}; edit those files and run
# `python -m autograder course {{0}}`.
# fmt: off
# ruff: noqa
"""{} of chapter {{0}}'s exercises: {}."""

from __future__ import annotations
'''
HEADS = {
    QUESTION: HEAD.format("The learner's half", "what is asked, and how an answer is heard"),
    JUDGE: HEAD.format("The judge's half", "truths, hidden cases and wrong answers"),
    RUBRIC: HEAD.format("The rubrics", "by which answers to open questions are read"),
}
WRONG = "from autograder.course.judge import WrongAnswer"


@dataclass(frozen=True)
class Line:
    """A line of a half, and the line of the source that it is."""

    text: str
    path: Path | None = None
    number: int = 0


@dataclass(frozen=True)
class Half:
    """One built half of a chapter: its file and its lines."""

    path: Path
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The file's text."""
        return "\n".join(line.text for line in self.lines) + "\n"

    def blamed(self, wrong: BaseException) -> str | None:
        """The place in an exercise's file that an error came through last; None where it came
        through none."""
        for frame in reversed(traceback.extract_tb(wrong.__traceback__)):
            if Path(frame.filename) == self.path and frame.lineno:
                line = self.lines[frame.lineno - 1]
                return place(line.path, line.number) if line.path else None
        return None


def path_of(chapter: str, half: str) -> Path:
    """Where a built half of a chapter is."""
    homes = {QUESTION: sealed.folder().parent, JUDGE: judges_folder(), RUBRIC: rubrics_folder()}
    return homes[half] / f"ch{chapter}.py"


def rubrics_folder() -> Path:
    """Where the rubrics of this course are."""
    own = os.environ.get("AUTOGRADER_COURSE")
    return Path(own) / "rubrics" if own else Path(__file__).parents[1] / "written" / "rubrics"


def halves(chapter: str, ids: tuple[str, ...]) -> dict[str, Half]:
    """The halves; `ids` are the chapter's exercises in the order of its page. Without an open
    question there are no rubrics."""
    exercises = [find(id) for id in ids]
    wanted = {
        QUESTION: exercises,
        JUDGE: [exercise for exercise in exercises if not exercise.is_open],
        RUBRIC: [exercise for exercise in exercises if exercise.of(RUBRIC)],
    }
    return {
        half: _half(chapter, of_half, half)
        for half, of_half in wanted.items()
        if of_half or half != RUBRIC
    }


def write_all() -> None:
    """Write the halves of every chapter; nothing is imported, so the standard library is enough.
    Unbuildable, with the place in the exercise's file, where a chapter contradicts itself."""
    for name in chapters():
        if ids := exercises_of(name):
            _write_files(name[:2], halves(name[:2], ids))


def refresh(say: Callable[[str], None], edited: bool = False) -> None:
    """Write the halves of the chapters whose sources are newer, as after `git pull`. A chapter that
    was edited here keeps its earlier halves, and `say` hears of it: `course` tries it first.
    edited: write those too."""
    if os.environ.get("AUTOGRADER_COURSE"):
        return
    for name in chapters():
        ids = EXERCISE.findall(_source(name).read_text(encoding="utf-8"))
        if not ids or not _is_older(name):
            continue
        try:
            if not edited and path_of(name[:2], QUESTION).is_file() and _is_edited(name):
                say(
                    f"Chapter {name[:2]} was edited here and is graded as before: "
                    f"`python -m autograder course {name[:2]}` tries and builds it."
                )
            else:
                _write_files(name[:2], halves(name[:2], exercises_of(name)))
        except Unbuildable as problem:
            say(f"Chapter {name[:2]} keeps its earlier exercises: {problem}")


def _source(name: str) -> Path:
    return notebooks() / "source_py" / f"{name}.py"


def _is_older(name: str) -> bool:
    """Whether a half of a chapter is missing, or older than what it is made from."""
    folder = notebooks() / "exercises" / name[:2]
    sources = [_source(name), folder, *folder.glob("*.py"), Path(__file__)]
    built = [path_of(name[:2], half) for half in (QUESTION, JUDGE)]
    if not all(path.is_file() for path in built):
        return True
    oldest = min(path.stat().st_mtime_ns for path in built)
    return oldest < max(path.stat().st_mtime_ns for path in sources)


def _is_edited(name: str) -> bool:
    """Whether git knows the chapter's sources otherwise; True where there is no git to ask."""
    paths = [str(_source(name)), str(notebooks() / "exercises" / name[:2])]
    words = ["git", "-C", str(notebooks()), "status", "--porcelain", "--", *paths]
    try:
        told = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return True
    return told.returncode != 0 or bool(told.stdout)


def _write_files(chapter: str, built: dict[str, Half]) -> None:
    """Write the files of a chapter's halves, each in one move."""
    for name, half in built.items():
        if not half.path.is_file() or half.path.read_text(encoding="utf-8") != half.text:
            half.path.parent.mkdir(parents=True, exist_ok=True)
            draft = half.path.with_suffix(f".{os.getpid()}.draft")
            draft.write_text(half.text, encoding="utf-8", newline="\n")
            draft.replace(half.path)
            read_again(chapter, name)
        half.path.touch()  # it is of the sources of today


def read_again(chapter: str, half: str) -> None:
    """Have a half read again when it is imported next. Python takes compiled code for that of a
    file of the same second and size, so it goes, too."""
    sys.modules.pop(f"{PACKAGES[half]}.ch{chapter}", None)
    Path(cache_from_source(str(path_of(chapter, half)))).unlink(missing_ok=True)


def write(chapter: str, ids: tuple[str, ...]) -> None:
    """Write the halves where they differ from what is there, and import them; Unbuildable, with
    the place in the exercise's file, where that fails."""
    built = halves(chapter, ids)
    _write_files(chapter, built)
    importlib.invalidate_caches()
    for name, half in built.items():
        try:
            importlib.import_module(f"{PACKAGES[name]}.ch{chapter}")
        except Exception as wrong:
            said = " ".join(f"{type(wrong).__name__}: {wrong}".split())
            raise Unbuildable(f"{half.blamed(wrong) or half.path}: {said}") from wrong


def _half(chapter: str, exercises: list[Exercise], half: str) -> Half:
    common = shared(chapter)
    _refuse_names_used_twice([*([common] if common else []), *exercises], half)
    lines = _lines(HEADS[half].format(chapter))
    if common is not None and common.of(half):
        lines += _section("shared", _imports(chapter, common, None, half))
        lines += _joined([_verbatim(cell) for cell in common.of(half)])
    named = []
    for exercise in exercises:
        named.append(f"{half.upper()}_{exercise.id.replace('.', '_')}")
        lines += _section(exercise.id, _imports(chapter, exercise, common, half))
        lines += _with_own_fields(exercise, half, named[-1])
    every = "".join(f"    {name},\n" for name in named)
    lines += _section("all", f"{half.upper()}S = (\n{every})\n")
    return Half(path_of(chapter, half), tuple(lines))


def _section(name: str, text: str) -> list[Line]:
    return _lines(f"\n\n# %% {name}\n{text}")


def _lines(text: str) -> list[Line]:
    return [Line(line) for line in text.splitlines()]


def _joined(blocks: list[list[Line]]) -> list[Line]:
    return [line for block in blocks for line in (*block, Line(""), Line(""))][:-2]


def _verbatim(cell: ExerciseCell) -> list[Line]:
    lines = cell.body.splitlines()
    return [Line(text, cell.path, cell.first + number) for number, text in enumerate(lines)]


def _with_own_fields(exercise: Exercise, half: str, name: str) -> list[Line]:
    """The cell of a half, its last call bound to a name and given the fields that stand
    elsewhere in the exercise's file."""
    cell = exercise.one(half)
    body = tree(cell).body
    call = body[-1].value if body and isinstance(body[-1], ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        line = body[-1].lineno if body else cell.line
        raise cell.problem(f"the cell ends with `{EXAMPLES[half]}`, each field with its name", line)
    given = {word.arg: word.value.lineno for word in call.keywords}
    own = _own_fields(exercise, half)
    for field in own:
        if field in given:
            raise cell.problem(f"the builder writes `{field}` from the file itself", given[field])
    lines = _verbatim(cell)
    # the opening bracket: the first one behind the function's name
    row, column = call.func.end_lineno - cell.first, call.func.end_col_offset
    text = lines[row].text
    at = len(text.encode()[:column].decode()) + 1
    opened = Line(f"{name} = {text[:at]}", cell.path, cell.first + row)
    fields = [line for field, value in own.items() for line in _lines(f"    {field}={value},")]
    behind = [Line(text[at:], cell.path, cell.first + row)] if text[at:].strip() else []
    return [*lines[:row], opened, *fields, *behind, *lines[row + 1 :]]


def _own_fields(exercise: Exercise, half: str) -> dict[str, str]:
    """The fields that the builder writes, as code."""
    if half == RUBRIC:
        return {"question_id": _text(exercise.id), "question": _text(exercise.asked())}
    fields = {"id": _text(exercise.id)}
    if half == QUESTION:
        if exercise.is_open:
            fields["title"] = _text(exercise.asked())
        if exercise.hints():
            told = "".join(f"        {_text(hint)},\n" for hint in exercise.hints())
            fields["hints"] = f"(\n{told}    )"
    elif exercise.wrong():
        answers = "".join(_wrong_answer(*wrong) for wrong in exercise.wrong())
        fields["wrong_answers"] = f"(\n{answers}    )"
    return fields


def _wrong_answer(cell: ExerciseCell, source: str, says: ExerciseCell | None) -> str:
    lines = "".join(f"                {_text(line)}\n" for line in source.splitlines(True))
    heard = f"            says=(\n{says.body}\n            ),\n" if says is not None else ""
    return (
        "        WrongAnswer(\n"
        f"            name={_text(cell.name)},\n"
        f"            sentence={_text(cell.told())},\n"
        f"            source=(\n{lines}            ),\n"
        f"{heard}        ),\n"
    )


def _text(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


def _code_of(exercise: Exercise, half: str) -> tuple[ExerciseCell, ...]:
    says = exercise.of("says") if half == JUDGE else ()
    return (*exercise.of(half), *says)


def _imports(chapter: str, exercise: Exercise, common: Exercise | None, half: str) -> str:
    """The import lines that the cells of a half need beside their own: a judge may use what the
    question's cell imports and defines. Unbuildable for a name that nothing gives."""
    _refuse_built_modules(_code_of(exercise, half))
    homes = [exercise, *([common] if common else [])]
    here = {name for home in homes for name in _bound(home, half)}
    lines = [WRONG] if half == JUDGE and exercise.wrong() else []
    for name, cell in _missing(exercise, half, here):
        statement = next(
            (
                line
                for home in homes
                if half == JUDGE and (line := _bound(home, QUESTION).get(name)) is not None
            ),
            None,
        )
        if statement is None:
            line = next(
                (
                    node.lineno
                    for node in ast.walk(tree(cell))
                    if isinstance(node, ast.Name) and node.id == name
                ),
                cell.line,
            )
            raise cell.problem(f"nothing in this file or in shared.py defines `{name}`", line)
        lines.append(statement or f"from {PACKAGES[QUESTION]}.ch{chapter} import {name}")
    return "".join(f"{line}\n" for line in sorted(set(lines)))


def _refuse_built_modules(cells: tuple[ExerciseCell, ...]) -> None:
    """Raise Unbuildable where a cell imports a built half: the builder adds such lines itself."""
    for cell in cells:
        for node in ast.walk(tree(cell)):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            room = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            if any(BUILT.match(f"{room}{alias.name}.") for alias in node.names):
                raise cell.problem(
                    "this module is built from the exercises: leave the import out. A judge may "
                    "use by its name what a cell `# %% question` here or in shared.py defines",
                    node.lineno,
                )


def _missing(exercise: Exercise, half: str, here: set[str]) -> Iterator[tuple[str, ExerciseCell]]:
    """(name, cell) of every name that a half's cells use and do not have."""
    for cell in _code_of(exercise, half):
        for name in sorted(_globals(cell)):
            if name not in here and not hasattr(builtins, name):
                yield name, cell


def _globals(cell: ExerciseCell) -> set[str]:
    """The names that a cell's code takes from its module."""
    found, tables = set(), [symtable.symtable(cell.body, str(cell.path), "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        top = table.get_type() == "module"
        found |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (top or symbol.is_global())
        }
    return found - {"annotations", "__file__", "__name__"}


def _bound(exercise: Exercise, half: str) -> dict[str, str]:
    """Each name that the cells of a half define -> the import statement that gives it, or ""."""
    found: dict[str, str] = {}
    for cell in exercise.of(half):
        table = symtable.symtable(cell.body, str(cell.path), "exec")
        found |= {
            symbol.get_name(): ""
            for symbol in table.get_symbols()
            if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
        }
        for node in tree(cell).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    one = type(node)(**{**vars(node), "names": [alias]})
                    found[alias.asname or alias.name.partition(".")[0]] = ast.unparse(one)
    return found


def _refuse_names_used_twice(exercises: list[Exercise], half: str) -> None:
    """Raise Unbuildable where two files of a chapter mean two things by one name: a half is one
    module."""
    homes: dict[str, tuple[Exercise, str]] = {}
    for exercise in exercises:
        for name, statement in _bound(exercise, half).items():
            first, meant = homes.setdefault(name, (exercise, statement))
            if first is not exercise and not (statement and meant == statement):
                cell, line = next(
                    (cell, cell.first + number)
                    for cell in exercise.of(half)
                    for number, text in enumerate(cell.body.splitlines())
                    if re.search(rf"\b{name}\b", text)
                )
                raise cell.problem(
                    f"`{name}` is defined in {first.path.name} too; give it another name, or move "
                    "it to shared.py",
                    line,
                )
