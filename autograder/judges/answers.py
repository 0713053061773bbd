"""How answer cells are written down that have an entry for each of a student's sets of numbers."""
from __future__ import annotations


def each(names: str, *expressions: str, before: str = "") -> str:
    """An answer cell that gives each name, "opened kept", a dict: the set's name -> an expression of its numbers x.

    `before` is put in front of it: imports and helpers that the expressions use."""
    lines = [f"{name} = {{a: {expression} for a, x in n.items()}}" for name, expression in zip(names.split(), expressions, strict=True)]
    return (before + "\n" if before else "") + "\n".join(lines)
