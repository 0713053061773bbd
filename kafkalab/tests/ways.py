"""The ways in which a machine or a client may not wait or refuse, found in its source.

`python -m kafkalab.tests.ways kafkalab/broker` counts them, by way and by room.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

INSTEAD = {
    "callback": "yield a Wait, and write what follows in the next line of the step",
    "list to fill": "yield the effects: the caller says `yield from`",
    "effects in a pair": "yield the effects, and return the value alone",
    "error as a value": "raise Refusal(error), which the engine answers",
    "exception of its own": "raise Refusal(error, message)",
    "answer by hand": "put @answers(Response) above the method, and return the response",
    "step that nobody runs": "write `yield from`, or run() where no step is around it",
    "listener": (
        "yield the future in a story, and write what follows in the next line; begin(story) starts "
        "it, task(story) where somebody waits for its end, future.wakes(signal) wakes a thread"
    ),
    "story that nobody begins": "write `yield from`, or begin() or task() around it",
}
"""A way that is gone, and what is written instead (kafkalab/broker/steps.py for machines,
kafkalab/clients/consumer/reading/request_future.py for clients)."""

ENGINES = ("kafkalab/broker/steps.py", "kafkalab/clients/consumer/reading/request_future.py")


def step_names(trees: Iterable[ast.Module], kind: str = "Step[") -> set[str]:
    """The names of all methods that are steps; those that a list has, too, say nothing. kind: how
    the type that they return begins."""
    names = {
        one.name
        for tree in trees
        for one in functions(tree)
        if text(one.returns).startswith(kind) and not one.decorator_list
    }
    return names - set(dir(list)) - set(dir(dict))


def old_ways(tree: ast.Module, steps: set[str]) -> Iterator[tuple[int, str]]:
    """(line, way) for each place that waits or refuses in another way than a step does.

    steps: the names of the methods that are steps, in all modules (`step_names`); a private one
    counts in its own module only.
    """
    steps = {name for name in steps if name[0] != "_"} | step_names([tree])
    stories = step_names([tree], "Story")
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and re.search(
            r"Refus(ed|al)\(.*Exception", f"{node.name}({', '.join(map(text, node.bases))})"
        ):
            yield node.lineno, "exception of its own"
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            name = getattr(called, "attr", getattr(called, "id", ""))
            if name in steps:
                yield node.lineno, "step that nobody runs"
            elif name in stories:
                yield node.lineno, "story that nobody begins"
        elif isinstance(node, ast.Attribute) and re.fullmatch("_?on_done", node.attr):
            yield node.lineno, "listener"
        elif isinstance(node, ast.Return) and re.match(r"\[Respond\(", text(node.value)):
            yield node.lineno, "answer by hand"
    for one in functions(tree):
        yield from ((one.lineno, way) for way in ways_of(one))


def ways_of(one: ast.FunctionDef) -> Iterator[str]:
    """The ways of one function, by its signature and by what it does with its parameters."""
    returns = text(one.returns)
    filled = {
        text(node.func.value) if isinstance(node, ast.Call) else text(node.target)
        for node in ast.walk(one)
        if (isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add))
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("append", "extend")
        )
    }
    for parameter in (*one.args.args, *one.args.kwonlyargs):
        kind = text(parameter.annotation)
        if re.search(r"Callable\[.*list\[Effect\]\]$", kind) and one.name != "__init__":
            yield "callback"
        if kind == "list[Effect]" and parameter.arg in filled:
            yield "list to fill"
    for inner in ast.walk(one):
        is_inner = isinstance(inner, ast.FunctionDef) and inner is not one
        if is_inner and text(inner.returns) == "list[Effect]":
            yield "callback"
    if re.match(r"tuple\[.*list\[Effect\]\]$", returns):
        yield "effects in a pair"
    if re.search(r"\| Errors$|^tuple\[Errors, ", returns) or (
        returns in ("Errors", "Errors | None") and one.name.endswith("_error")
    ):
        yield "error as a value"


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Every function and method of a module."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def text(node: ast.AST | None) -> str:
    """The source of an expression, in one line; nothing for None."""
    return "" if node is None else ast.unparse(node)


def found_in(folder: Path) -> Iterator[tuple[Path, int, str]]:
    """(file, line, way) for each such place below a folder; the engines are left out."""
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.py"))
        if not path.as_posix().endswith(ENGINES)
    }
    steps = step_names(trees.values())
    for path, tree in trees.items():
        for line, way in old_ways(tree, steps):
            yield path, line, way


def main(folder: Path) -> None:
    """Print the count of each way, with its rooms."""
    places = list(found_in(folder))
    for way in INSTEAD:
        rooms = Counter(
            str(path.parent.relative_to(folder)) for path, _, its in places if its == way
        )
        where = ", ".join(f"{room} {number}" for room, number in sorted(rooms.items()))
        print(f"{way:24} {rooms.total():4}  {where}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
