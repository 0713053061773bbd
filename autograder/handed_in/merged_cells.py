"""Cells that were merged, by hand or by a tool that writes a notebook as one text, taken apart
again.

They are cut where the notebook's own cells stand in them, word for word. So an answer is a cell
again, between the cells it stood between, and a text that was written under a question is no longer
part of the question.
"""

from __future__ import annotations

import re

from autograder.cell.course_folder import text_of
from autograder.course.masters import Master

SHORTEST_TEXT = 20  # characters of a given text that nobody writes by chance
# given cells of code in one cell; an answer with the two below it is still one answer
FEWEST_MERGED = 3
MOST_PIECES = 1_000
LONGEST = 400_000  # characters of a cell that is looked through


def taken_apart(master: Master, cells: list[dict]) -> tuple[list[dict], int]:
    """The cells, and how many cells of code had been merged;
    a note under a given text is nothing to talk about."""
    given = {
        kind: _any_of(
            [
                cell.source
                for cell in master.cells
                if cell.kind in kinds and len(cell.source.strip()) >= least
            ]
        )
        for kind, kinds, least in (
            ("code", ("code", "test"), 1),
            ("markdown", ("text",), SHORTEST_TEXT),
        )
    }
    found, merged = [], 0
    for cell in cells:
        pieces = _pieces(cell, given.get(cell.get("cell_type")))
        found += pieces
        merged += len(pieces) > 1 and cell["cell_type"] == "code"
    return found, merged


def _any_of(sources: list[str]) -> re.Pattern | None:
    texts = {_plain(source) for source in sources}
    return (
        re.compile(
            "|".join(rf"^{re.escape(text)}$" for text in sorted(texts, key=len, reverse=True)),
            re.MULTILINE,
        )
        if texts
        else None
    )


def _pieces(cell: dict, given: re.Pattern | None) -> list[dict]:
    text = _plain(text_of(cell))
    if given is None or len(text) > LONGEST:
        return [cell]
    places = list(given.finditer(text))
    fewest = FEWEST_MERGED if cell["cell_type"] == "code" else 1
    if not fewest <= len(places) <= MOST_PIECES or places[0][0] == text:
        return [cell]
    pieces, done = [], 0
    for place in (*places, None):
        own = text[done : place.start() if place else len(text)].strip("\n")
        if own.strip():
            pieces.append({**cell, "source": own})
        if place:
            pieces.append({**cell, "metadata": {}, "source": place[0]})
            done = place.end()
    marked = (
        next((piece for piece in pieces if piece["metadata"]), None)
        if isinstance(cell.get("metadata"), dict)
        else None
    )
    return [piece if piece is marked else {**piece, "metadata": {}} for piece in pieces]


def _plain(text: str) -> str:
    """Without what editors change by themselves: the ends of lines, empty lines around."""
    return "\n".join(
        line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ).strip("\n")
