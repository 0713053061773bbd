"""Reads exercise files: one file in percent format holds all that an exercise is made of.

`notebooks/exercises/03/03_1_count_them.py` is exercise 03.1. Its cells, from the top:

    # %% [markdown]                what the learner reads; any number of cells, which go into the
    # %%                           notebook as they are: text, `n = numbers("03.1")`, `spark=true`
    # %% answer                    the answer cell (`long=true`: a right one may play labs in a
                                   loop); the part between ### BEGIN SOLUTION and
                                   ### END SOLUTION is taken out
    # %% question                  the learner's half: helpers, then `Value(...)` or another kind
    # %% judge                     the judge's half: helpers, then `Judge(...)`
    # %% wrong="all are kept"      a wrong answer, an answer cell that runs; its first comment is
                                   its sentence. Or, below the sentence, only the lines of the
                                   solution that it changes (changes.py)
    # %% says                      what the wrong answer above gives to a case, where running it
                                   takes Spark: `lambda case: {...}`
    # %% begin                     code that each wrong answer below begins with; `begin solution`:
                                   the solution
    # %% equivalent                a comment, `old -> new`: why that change of the right answer
                                   is right, too (autograder/proving/survivors.py)
    # %% hint                      a comment; the first says where to look, the second nearly how

An open question has its model answer in `# %% [markdown] answer`, no judge, and `# %% rubric` at
the end. The builder writes id, hints, wrong answers and the text of an open question itself. What
the exercises of a chapter share is in `shared.py` beside them, in cells `question`, `judge` and
`rubric`, so that nothing of the judge's reaches a learner.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from autograder.cell.course_folder import notebooks
from autograder.course.changes import CHANGE, bare, changed

ROLES = ("answer", "question", "judge", "wrong", "says", "begin", "equivalent", "hint", "rubric")
SHARED = "shared"
# What every exercise with a judge has at least; `python -m autograder exercise` and the tests of
# the chapters ask for it.
LEAST_HINTS = 2
LEAST_WRONG = 3
LINE = '# %% exercise="{}"'
"""What a chapter says to have an exercise in this place."""
NOT_NAMED = "# %% [markdown]\n# The chapter does not name the exercise below."
"""What `python -m autograder exercise` puts above an exercise that has no place yet."""
SOLUTION = re.compile(r"(?s)[ \t]*### BEGIN SOLUTION.*?### END SOLUTION[ \t]*\n?")
MARKS = re.compile(r"^[ \t]*### (BEGIN|END) SOLUTION[ \t]*\n?", re.MULTILINE)
CHECKED = '# %%{spark}\ncheck("{id}")\n\n# %% test="{id}"{spark}\nrequire("{id}")\n'


class Unbuildable(ValueError):
    """A source contradicts itself or another one; the message names the file and the line."""


@dataclass(frozen=True)
class ExerciseCell:
    """A cell of an exercise file. `line` is where its `# %%` is, `first` where its body begins."""

    path: Path
    line: int
    head: str
    role: str
    name: str
    first: int
    body: str

    @property
    def is_text(self) -> bool:
        """Whether it is Markdown."""
        return "[markdown]" in self.head

    def told(self) -> str:
        """The comment that the cell begins with, on one line."""
        lines = [line for line in self.comment() if not CHANGE.fullmatch(line)]
        return " ".join(" ".join(line.lstrip("# ") for line in lines).split())

    def code(self) -> str:
        """The cell's code without the comment it begins with."""
        return "\n".join(self.body.splitlines()[len(self.comment()) :]).strip("\n")

    def comment(self) -> list[str]:
        """The lines of the comment that the cell begins with."""
        lines = self.body.splitlines()
        return lines[: next((i for i, line in enumerate(lines) if line[:1] != "#"), len(lines))]

    def problem(self, sentence: str, line: int = 0) -> Unbuildable:
        """The error that says this of the cell, with its place."""
        return Unbuildable(f"{place(self.path, line or self.line)}: {sentence}")


@dataclass(frozen=True)
class Exercise:
    """An exercise as its file says it: an id such as "03.1", and its cells."""

    id: str
    path: Path
    cells: tuple[ExerciseCell, ...]

    @property
    def is_open(self) -> bool:
        """Whether a person marks it: its answer is text."""
        return self.one("answer").is_text

    def of(self, role: str) -> tuple[ExerciseCell, ...]:
        """The cells with this role, from the top."""
        return tuple(cell for cell in self.cells if cell.role == role)

    def one(self, role: str) -> ExerciseCell:
        """The only cell with this role; Unbuildable where there is none."""
        found = self.of(role)
        if len(found) != 1:
            raise Unbuildable(
                f"{place(self.path, found[1].line if found else 1)}: an exercise has one cell "
                f"`# %% {role}`, and here are {len(found)}"
            )
        return found[0]

    def shown(self) -> tuple[ExerciseCell, ...]:
        """The cells that a learner reads above the answer."""
        return tuple(cell for cell in self.cells if not cell.role)

    def hints(self) -> tuple[str, ...]:
        """The hints' texts."""
        return tuple(cell.told() for cell in self.of("hint"))

    def wrong(self) -> tuple[tuple[ExerciseCell, str, ExerciseCell | None], ...]:
        """(cell, the source of the answer, its `says` cell) of each named wrong answer."""
        found, start = [], ""
        for cell, following in zip(self.cells, (*self.cells[1:], None), strict=True):
            if cell.role == "begin":
                starts = "solution" in cell.head.split()
                start = bare(self.solution()) if starts else cell.body
            if cell.role == "wrong":
                says = following if following is not None and following.role == "says" else None
                source = self._wrong(cell)
                source = f"{start}\n{source}" if start else source
                found.append((cell, source, says))
        return tuple(found)

    def _wrong(self, cell: ExerciseCell) -> str:
        """The source of a wrong answer, as its cell has it or as a change of the solution."""
        if code := cell.code():
            return code
        try:
            return changed(self.solution(), cell.comment())
        except ValueError as problem:
            raise cell.problem(str(problem)) from None

    def asked(self) -> str:
        """The text right above the answer on one line, without headings."""
        texts = [cell for cell in self.shown() if cell.is_text]
        if not texts:
            raise Unbuildable(f"{place(self.path, 1)}: the file begins with `# %% [markdown]`")
        lines = uncommented(texts[-1].body).splitlines()
        return " ".join(" ".join(line for line in lines if line[:1] != "#").split())

    def solution(self) -> str:
        """The answer as its author solved it; of an open question the model answer."""
        cell = self.one("answer")
        return uncommented(cell.body) if cell.is_text else MARKS.sub("", cell.body)

    def page(self) -> str:
        """The exercise's cells of the notebook, in percent format."""
        answer = self.one("answer")
        key = "open" if answer.is_text else "answer"
        head = re.sub(r"\banswer\b", f'{key}="{self.id}"', answer.head, count=1)
        cells = [*self.shown(), replace(answer, head=head)]
        text = "\n".join(f"{cell.head}\n{cell.body}\n" for cell in cells)
        if answer.is_text:
            return text
        # what asks an answer that needs Spark starts Spark, too
        spark = " spark=true" if "spark=true" in answer.head.split() else ""
        return f"{text}\n{CHECKED.format(id=self.id, spark=spark)}"


def folder(chapter: str) -> Path:
    """Where the exercises of a chapter ("03") are."""
    return notebooks() / "exercises" / chapter


def files(chapter: str) -> dict[str, Path]:
    """id -> file of a chapter's exercises."""
    found: dict[str, Path] = {}
    for path in sorted(folder(chapter).glob("*.py")):
        if path.stem == SHARED:
            continue
        named = re.fullmatch(rf"{chapter}_([A-Za-z0-9]+)_\w+", path.stem)
        if not named:
            raise Unbuildable(
                f"{place(path, 1)}: an exercise's file is named after its id, "
                f"{chapter}_9_a_few_words.py; what exercises share is in {SHARED}.py"
            )
        id = f"{chapter}.{named[1]}"
        if id in found:
            raise Unbuildable(f"{place(path, 1)}: {found[id].name} is exercise {id} too")
        found[id] = path
    return found


def find(id: str) -> Exercise:
    """The exercise with this id; KeyError, with a sentence, when there is none."""
    known = files(id[:2])
    if id not in known:
        raise KeyError(
            f"There is no exercise {id} in {_name(folder(id[:2]))}; `python -m autograder new {id} "
            '"A few words"` begins one.'
        )
    return read(id, known[id])


def shared(chapter: str) -> Exercise | None:
    """What the exercises of a chapter share; None where they share nothing."""
    path = folder(chapter) / f"{SHARED}.py"
    return read(f"{chapter}.{SHARED}", path) if path.is_file() else None


def read(id: str, path: Path) -> Exercise:
    """The exercise in this file; Unbuildable where its cells make none."""
    return _read(id, path, path.stat().st_mtime_ns)


def place(path: Path, line: int) -> str:
    """How errors name a line."""
    return f"{_name(path)}, line {line}"


def _name(path: Path) -> str:
    """A file's name from the course's folder on."""
    home = notebooks().parent
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else str(path)


@lru_cache(maxsize=512)
def _read(id: str, path: Path, changed_ns: int) -> Exercise:
    exercise = Exercise(id, path, tuple(cells_of(path, path.read_text(encoding="utf-8"))))
    _look_through(exercise)
    return exercise


def cells_of(path: Path, text: str) -> list[ExerciseCell]:
    """The cells of a text in percent format."""
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if re.match(r"# %%( |$)", line)]
    before = [number for number, line in enumerate(lines[: (starts or [len(lines)])[0]]) if line]
    if before:
        raise Unbuildable(f"{place(path, before[0] + 1)}: a file begins with a `# %%` line")
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        inside = lines[start + 1 : end]
        blank = next((number for number, line in enumerate(inside) if line.strip()), len(inside))
        role, name = _role(path, start + 1, lines[start])
        body = "\n".join(inside[blank:]).rstrip()
        found.append(
            ExerciseCell(path, start + 1, lines[start], role, name, start + 2 + blank, body)
        )
    return found


def _role(path: Path, line: int, head: str) -> tuple[str, str]:
    """What a `# %%` line says the cell is, and the name it gives."""
    rest = head.removeprefix("# %%").replace("[markdown]", "").strip()
    word = re.match(r'(\w+)(?:="([^"]*)")?', rest)
    if not word or word[1] in ("items", "spark", "fold"):
        return "", ""
    role, name = word[1], word[2] or ""
    if role not in ROLES:
        raise Unbuildable(
            f"{place(path, line)}: `{role}` is no kind of cell; there are {', '.join(ROLES)}"
        )
    if (role == "wrong") != bool(name):
        raise Unbuildable(
            f'{place(path, line)}: a wrong answer has a name, `# %% wrong="all are kept"`, and '
            "no other cell has one"
        )
    return role, name


def _look_through(exercise: Exercise) -> None:
    """Raise Unbuildable for a cell that cannot be what it says it is."""
    names: dict[str, int] = {}
    for number, cell in enumerate(exercise.cells):
        above = exercise.cells[number - 1].role if number else ""
        if cell.role and cell.is_text and cell.role != "answer":
            raise cell.problem(f"`{cell.role}` is code, not [markdown]")
        if cell.role == "rubric" and exercise.of("answer") and not exercise.is_open:
            raise cell.problem("a rubric is for an open question, `# %% [markdown] answer`")
        if not cell.role and exercise.of("answer") and cell.line > exercise.of("answer")[0].line:
            raise cell.problem("what the learner reads is above the answer; name the kind of cell")
        if cell.role == "says" and above != "wrong":
            raise cell.problem("`says` belongs right under a wrong answer")
        if cell.role in ("wrong", "hint", "equivalent") and not cell.told():
            raise cell.problem(f"a {cell.role} cell begins with a comment, its sentence")
        if cell.role == "wrong":
            if cell.name in names:
                raise cell.problem(f'line {names[cell.name]} is "{cell.name}" too')
            names[cell.name] = cell.line
        body = tree(cell).body if cell.role and not cell.is_text else []
        if cell.role == "says" and (len(body) != 1 or not isinstance(body[0], ast.Expr)):
            raise cell.problem("`says` is one expression, `lambda case: {...}`")


def tree(cell: ExerciseCell) -> ast.Module:
    """A cell's code as a tree whose line numbers are the file's."""
    try:
        parsed = ast.parse(cell.body, str(cell.path))
    except SyntaxError as wrong:
        line = cell.first + (wrong.lineno or 1) - 1
        raise cell.problem(f"this is not Python: {wrong.msg}", line) from None
    return ast.increment_lineno(parsed, cell.first - 1)


def uncommented(body: str) -> str:
    """The text of a Markdown cell."""
    return "\n".join(re.sub(r"^# ?", "", line) for line in body.splitlines())
