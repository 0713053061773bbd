"""How answer cells are written down that have an entry for each of a student's sets of numbers."""

from __future__ import annotations


def each(names: str, *expressions: str, numbers: str = "n", before: str = "") -> str:
    """An answer cell that gives each name, "opened kept", a dict: the set's name -> an expression
    of its numbers x.

    numbers: what the notebook calls them. before: put in front of it, imports and helpers that the
    expressions use. ValueError where names and expressions are not equally many."""
    lines = [
        f"{name} = {{a: {expression} for a, x in {numbers}.items()}}"
        for name, expression in zip(names.split(), expressions, strict=True)
    ]
    return (before + "\n" if before else "") + "\n".join(lines)
