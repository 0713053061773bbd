"""Makes a wrong answer of the right one, where its cell only names the lines that differ.

    # %% wrong="an alarm for nothing"
    # You raise an alarm where everything is read. Nothing can be lost there.
    # -     if start > 0 and here < end and here - start < 100:
    # +     if start > 0 and here - start < 100:

`# - ` and a line that goes, `# + ` and a line that comes in its place. The lines that go stand once
in the solution, below the change before.

After a cell `# %% begin solution` each wrong answer begins with the whole of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

CHANGE = re.compile(r"# [-+](?: .*)?")
CHANGES = re.compile(r"((?:# -(?: .*)?\n)*)((?:# \+(?: .*)?\n)*)")


def changed(solution: str, comment: Iterable[str]) -> str:
    """The bare solution with the changes that a comment names; ValueError, with a sentence, where
    it does not have such lines once."""
    lines, below = bare(solution).splitlines(), 0
    parts = [found.groups() for found in CHANGES.finditer("\n".join([*comment, ""])) if found[0]]
    if not parts:
        raise ValueError("a wrong answer has code, or names lines of the solution that it changes")
    for gone, come in (
        [[line[4:] for line in part.splitlines()] for part in each] for each in parts
    ):
        last = len(lines) - len(gone)
        places = [at for at in range(below, last + 1) if lines[at : at + len(gone)] == gone]
        if not gone or len(places) != 1:
            raise ValueError(
                "a change names lines that the solution has once below the change before; it has "
                f"{gone} {len(places) if gone else 0} times"
            )
        lines[places[0] : places[0] + len(gone)] = come
        below = places[0] + len(come)
    return "\n".join(lines)


def bare(solution: str) -> str:
    """A solution without what decides nothing: blanks and docstrings."""
    source = without_blanks(solution)
    described = [
        node.body[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None
    ]
    gone = {at for each in described for at in range(each.lineno, (each.end_lineno or 0) + 1)}
    return "\n".join(line for at, line in enumerate(source.splitlines(), 1) if at not in gone)


@lru_cache(maxsize=512)
def without_blanks(source: str) -> str:
    """A solved cell without the blanks that the learner's cell has above the answer: `name = ...`
    and `name = {"A": ..., "B": ...}` where the name gets its value further down."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return source.strip("\n")
    blank = [statement for statement in body if _is_blank(statement, body)]
    lines = source.splitlines()
    for statement in reversed(blank):
        del lines[statement.lineno - 1 : statement.end_lineno]
    return "\n".join(lines).strip("\n")


def _is_blank(statement: ast.stmt, body: list[ast.stmt]) -> bool:
    """Whether a statement only makes room for an answer that a later one gives."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    parts = list(ast.walk(statement.value))
    only_blanks = any(getattr(part, "value", None) is ... for part in parts) and all(
        isinstance(part, (ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.Load)) for part in parts
    )
    name = ast.unparse(statement.targets[0])
    later = body[body.index(statement) + 1 :]
    stores = {
        each.id
        for after in later
        for each in ast.walk(after)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return only_blanks and (isinstance(statement.value, ast.Constant) or name in stores)
