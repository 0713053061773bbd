"""Takes out of a chapter the text that a learner reads, piece by piece, each with its place.

The pieces are the chapter's text, its exercises, their hints, the sentences of judges and of wrong
answers, the words a guess may be, and the comments of the code. Model answers and rubrics are read
by teachers and are left out.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.cell import sealed
from autograder.cell.course_folder import notebooks
from autograder.course.exercises import ExerciseCell, cells_of, find, uncommented
from autograder.course.sources import EXERCISE, name_of

FENCE = re.compile(r"```.*?```", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"``[^`]+``|`[^`]+`")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+", re.MULTILINE)
END = re.compile(r"(?<=[.?!])[\"»)*_]*\s+(?=[\"«(*_]*[A-Z0-9`–-])")
SHORT_FORMS = re.compile(r"\b(e\.g|i\.e|vs|etc)\.", re.IGNORECASE)
WORD_LIST = "**Words**"
FEWEST_WORDS = 4
"""A text in a judge with fewer words is a name or a value, no sentence."""


@dataclass(frozen=True)
class PageText:
    """A text a learner reads. `kind` is "text", "sentence" (a judge's or a hint), "comment" or
    "guess"; `where` is a file with a line."""

    where: str
    kind: str
    text: str


@lru_cache(maxsize=32)
def pieces(chapter: str) -> tuple[PageText, ...]:
    """All pieces of a chapter, in the order of its page."""
    path = notebooks() / "source_py" / f"{name_of(chapter)}.py"
    found: list[PageText] = []
    for line, head, body in _cells(path):
        if named := EXERCISE.match(head):
            found += _of_exercise(find(named[1]).path)
        else:
            found += _of_cell(path, line, head, body)
    shared = notebooks() / "exercises" / name_of(chapter)[:2] / "shared.py"
    if shared.is_file():
        found += _of_exercise(shared)
    return (*found, *_guesses(name_of(chapter)[:2]))


def sentences_of(markdown: str) -> list[str]:
    """The sentences of a text without its headings, code and tables' rules.

    A name in code is one word. A cell of a table is a sentence only where it ends like one.
    """
    text = LINK.sub(r"\1", TAG.sub(" ", FENCE.sub("\n\n", markdown)))
    text = SHORT_FORMS.sub(lambda found: found[1].replace(".", ""), CODE.sub("`x`", text))
    found = []
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith(WORD_LIST):
            continue
        rows = [line for line in block.splitlines() if line.lstrip().startswith("|")]
        rest = [line for line in block.splitlines() if not line.lstrip().startswith(("|", "#"))]
        parts = [cell for row in rows for cell in row.split("|")]
        parts = [cell for cell in parts if re.search(r"[.?!:]\W*$", cell)]
        parts += ITEM.split("\n".join(rest))
        for part in parts:
            found += END.split(" ".join(part.split()))
    return [each.strip(" *_") for each in found if re.search(r"[^\W\d]", each)]


def words_of(sentence: str) -> int:
    """How many words a sentence has."""
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def without_code(text: str) -> str:
    """A text without the names in it that are code."""
    return CODE.sub(" ", FENCE.sub(" ", text))


def markdown_of(chapter: str) -> str:
    """The text of a chapter and of its exercises, from the top."""
    return "\n\n".join(piece.text for piece in pieces(chapter) if piece.kind == "text")


def _cells(path: Path) -> Iterator[tuple[int, str, str]]:
    """(line, head, body) of each `# %%` cell of a chapter."""
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("# %%")]
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        yield start + 1, lines[start], "\n".join(lines[start + 1 : end])


def _of_cell(path: Path, line: int, head: str, body: str) -> Iterator[PageText]:
    where = f"{path.name}:{line}"
    if "[markdown]" in head:
        yield PageText(where, "text", uncommented(body))
    else:
        yield from _comments(path.name, line, body)


def _of_exercise(path: Path) -> Iterator[PageText]:
    for cell in cells_of(path, path.read_text(encoding="utf-8")):
        where = f"{path.name}:{cell.line}"
        if cell.role in ("hint", "wrong"):
            yield PageText(where, "sentence", cell.told())
        elif cell.role == "judge":
            yield from _said(path.name, cell)
        elif not cell.role:
            yield from _of_cell(path, cell.line, cell.head, cell.body)
        elif cell.role == "answer" and not cell.is_text:
            shown = re.sub(r"(?s)### BEGIN SOLUTION.*?### END SOLUTION", "", cell.body)
            yield from _comments(path.name, cell.line, shown)


def _said(name: str, cell: ExerciseCell) -> Iterator[PageText]:
    """The sentences in a judge's code: its longer texts, without docstrings."""
    tree = ast.parse(cell.body)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if id(node) in docs or id(node) in inside:
            continue
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                part.value if isinstance(part, ast.Constant) else "x" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        if words_of(text) >= FEWEST_WORDS and "=" not in text and "\n" not in text:
            yield PageText(f"{name}:{cell.first + node.lineno - 1}", "sentence", text)


def _comments(name: str, line: int, code: str) -> Iterator[PageText]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):  # an answer cell with blanks may be no Python
        return
    for token in tokens:
        if token.type == tokenize.COMMENT and not token.string.startswith("###"):
            yield PageText(f"{name}:{line + token.start[0]}", "comment", token.string.lstrip("# "))


def _guesses(number: str) -> Iterator[PageText]:
    path = sealed.folder().parent / "guesses.toml"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    for name, values in tomllib.loads(text).items():
        if name.split(" ")[0] == number:
            said = [text for told in values.values() if isinstance(told, list) for text in told]
            said += [
                told["say"] for told in values.values() if isinstance(told, dict) and "say" in told
            ]
            yield from (PageText(f"guesses.toml, {name!r}", "guess", text) for text in said)
