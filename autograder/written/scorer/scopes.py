"""Decides which of two compared things a clause is about.

"The order is kept" is right of one design and wrong of the other.

A lexicon may name scopes ({"pool": "pattern of its mentions"}). A clause that mentions one scope is
about it; a clause that mentions none goes on about the last one mentioned; in a clause with two,
each is in force from where it stands. Before the first mention nothing is in force.
"""

from __future__ import annotations

import re

from autograder.written.scorer.patterns import Hit, Lexicon
from autograder.written.scorer.text import SENTENCE_END, Reading

_BREAKS = frozenset(
    {
        SENTENCE_END,
        ",",
        ";",
        ":",
        "(",
        ")",
        "-",
        "but",
        "while",
        "whereas",
        "versus",
        "vs",
        "vs.",
        "however",
        "但",
        "而",
        "却",
        "->",
    }
)
_WANTED = re.compile(r"^@(\w+)(!?) ")


def wanted(way: str) -> tuple[tuple[str, bool], str]:
    """((scope, for certain), the way without it); an empty scope is every scope."""
    found = _WANTED.match(way)
    return ((found[1], bool(found[2])), way[found.end() :]) if found else (("", False), way)


def in_scope(of: tuple[str, bool], lexicon: Lexicon, reading: Reading, hit: Hit) -> bool:
    """Whether a hit is said of the scope."""
    scope, certain = of
    if not scope:
        return True
    said_of = in_force(lexicon, reading)[hit.first]
    return said_of == scope or (not certain and said_of == "")


_LAST: list[tuple[int, str, tuple[str, ...]]] = []


def in_force(lexicon: Lexicon, reading: Reading) -> tuple[str, ...]:
    """For each token the scope it is said of, or nothing."""
    if not _LAST or _LAST[0][:2] != (id(lexicon), reading.line):
        _LAST[:] = [(id(lexicon), reading.line, _in_force(lexicon, reading))]
    return _LAST[0][2]


def _in_force(lexicon: Lexicon, reading: Reading) -> tuple[str, ...]:
    mentions = sorted(
        (hit.first, name)
        for name, pattern in sorted(lexicon.scopes.items())
        for hit in lexicon.find(pattern, reading)
    )
    row, now = [], ""
    for first, last in _clauses(reading):
        inside = [(place, name) for place, name in mentions if first <= place < last]
        if inside:
            now = inside[0][1]
        for index in range(first, last):
            now = next((name for place, name in reversed(inside) if place <= index), now)
            row.append(now)
    return tuple(row)


def _clauses(reading: Reading) -> list[tuple[int, int]]:
    found, first = [], 0
    for index, token in enumerate(reading.tokens):
        if token.text in _BREAKS:
            found.append((first, index + 1))
            first = index + 1
    return [*found, (first, len(reading.tokens))]
