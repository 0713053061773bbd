"""Which of the notebook's cells an answer needs.

A chapter's notebook draws pictures and plays long experiments; an answer seldom reads any of that. Running only what an
answer reads makes grading fast without asking authors to mark cells. The names are taken from the compiled cell, so a loop's
own variable is not mistaken for one of the notebook's.

The rule: going upward from the answer, a cell is needed when it binds a name that is needed, or when it only mentions one
that it may have changed in place (`lab.run_for(ms=500)`); names of imports and functions cannot be changed by being
mentioned. What a needed cell reads is needed too.
"""
from __future__ import annotations

import ast
import builtins
import dis
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

from IPython.core.inputtransformer2 import TransformerManager

EVERYTHING = "*"


@dataclass(frozen=True)
class Names:
    """What a cell does with the notebook's names."""

    reads: frozenset[str]        # looked up before the cell itself has bound them
    binds: frozenset[str]
    fixed: frozenset[str]        # those of `binds` that come from an import, a def or a class


def as_python(source: str) -> str:
    """A cell as plain Python: magics become calls of get_ipython()."""
    return TransformerManager().transform_cell(source)


@lru_cache(maxsize=4096)
def names_of(source: str) -> Names:
    """The names of a cell; none when it is not Python."""
    try:
        code = compile(as_python(source), "<cell>", "exec")
    except (SyntaxError, ValueError):
        return Names(frozenset(), frozenset(), frozenset())
    reads, binds, fixed, before = set(), set(), set(), ""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and step.argval not in binds:
            reads.add(step.argval)
        elif step.opname in ("STORE_NAME", "STORE_GLOBAL"):
            binds.add(step.argval)
            if before in ("IMPORT_NAME", "IMPORT_FROM", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE"):
                fixed.add(step.argval)
        elif step.opname == "IMPORT_STAR" or step.argrepr == "INTRINSIC_IMPORT_STAR":
            binds.add(EVERYTHING)
        if step.opname not in ("CACHE", "EXTENDED_ARG"):
            before = step.opname
    for inner in _inside(code):
        reads |= {step.argval for step in dis.get_instructions(inner) if step.opname == "LOAD_GLOBAL"} - binds
    return Names(frozenset(reads), frozenset(binds), frozenset(fixed))


def needed(sources: list[str], target: int) -> set[int]:
    """The indices of the cells above `target` that must run before it."""
    above = [names_of(source) for source in sources[:target]]
    fixed = frozenset(dir(builtins)).union(*(names.fixed for names in above))
    wanted, found = set(names_of(sources[target]).reads), set()
    for index in range(target - 1, -1, -1):
        names = above[index]
        touched = names.reads & wanted - fixed
        if names.binds & wanted or touched or (EVERYTHING in names.binds and wanted):
            found.add(index)
            wanted |= names.reads
    return found


def imported_by(source: str) -> list[str]:
    """The modules a cell imports, by their full names."""
    try:
        tree = ast.parse(as_python(source))
    except (SyntaxError, ValueError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append(node.module)
    return found


def _inside(code: CodeType):
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)
