"""Collects the source of a function with all helpers of the proof's modules that it uses."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

ROOM = "kafkalab.real.proof"


class _Module(NamedTuple):
    """The top of one module.

    parts    name -> the source of what has this name, with the names that it uses
    imports  name -> the module of the proof that it comes from, and its name there
    """

    parts: dict[str, tuple[str, frozenset[str]]]
    imports: dict[str, tuple[str, str]]


def reached_source(function: Callable[..., Any]) -> str:
    """The source of a function of a module, then that of the functions, classes and constants it
    reaches: in its own module, and in those of kafkalab.real.proof. Decorators and annotations are
    left out, since they change nothing that a story does."""
    found: dict[tuple[str, str], str] = {}
    waiting = [(function.__module__, function.__name__)]
    while waiting:
        place = waiting.pop()
        module, name = place
        if place in found:
            continue
        top = _module(module)
        if name in top.imports:
            waiting.append(top.imports[name])
        elif name in top.parts:
            found[place], used = top.parts[name]
            waiting += [(module, each) for each in used]
    first = (function.__module__, function.__name__)
    return "\n".join([found.pop(first), *(found[place] for place in sorted(found))])


@cache
def _module(name: str) -> _Module:
    source = inspect.getsource(sys.modules[name])
    parts: dict[str, tuple[str, frozenset[str]]] = {}
    imports: dict[str, tuple[str, str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(ROOM):
            imports |= {
                each.asname or each.name: (str(node.module), each.name) for each in node.names
            }
        for own in _names(node):
            parts[own] = (
                ast.get_source_segment(source, node) or "",
                frozenset(_used(node)),
            )
    return _Module(parts, imports)


def _names(node: ast.stmt) -> list[str]:
    """What a statement at the top of a module gives a name to."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _used(node: ast.AST) -> Iterator[str]:
    """The names that run when this runs."""
    if isinstance(node, ast.Name):
        yield node.id
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from _used(each)
