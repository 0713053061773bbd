"""Makes a wrong answer of the right one, where its cell only names the lines that differ.

    # %% wrong="an alarm for nothing"
    # You raise an alarm where everything is read. Nothing can be lost there.
    # -     if start > 0 and here < end and here - start < 100:
    # +     if start > 0 and here - start < 100:

`# - ` and a line that goes, `# + ` and a line that comes in its place. The lines that go stand once
in the solution, below the change before.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

CHANGE = re.compile(r"# [-+](?: .*)?")
CHANGES = re.compile(r"((?:# -(?: .*)?\n)*)((?:# \+(?: .*)?\n)*)")


def changed(solution: str, comment: Iterable[str]) -> str:
    """The solution with the changes that a comment names, without its docstrings, which decide
    nothing; ValueError, with a sentence, where it does not have such lines once."""
    lines, below = _without_docstrings(solution), 0
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


def _without_docstrings(solution: str) -> list[str]:
    described = [
        node.body[0]
        for node in ast.walk(ast.parse(solution))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None
    ]
    gone = {at for each in described for at in range(each.lineno, (each.end_lineno or 0) + 1)}
    return [line for at, line in enumerate(solution.splitlines(), 1) if at not in gone]
