"""Draws a state machine as a diagram from the table of transitions that the machine itself uses.

States are on an oval, clockwise in the order of the source. A transition is an arrow. Two states
with transitions in both directions have two arrows. The transitions of a run may be given: they are
drawn thick, with their number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .picture import Picture, columns
from .sheet import Field, Paper, Sheet
from .style import INK, LOOKS, PAPER, QUIET, SMALL_PT, WIDTH_IN

if TYPE_CHECKING:
    from kafkalab.reading.states import StateTable

HEIGHT_IN = 5.6
BOX_HALF_HEIGHT = 0.052  # of the drawing's height
MADE = LOOKS["data"].colour


def state_diagram(
    table: StateTable, made: Iterable[tuple[str, str]] = (), title: str | None = None
) -> Picture:
    """Draw a StateTable (`kafkalab.reading.states.states("group")`).

    :param table: has `name`, `moves` (state -> states) and `kafka_class`
    :param made: (before, after) of moves that happened, in order; they are drawn thick and counted
    :param title: heading; default: the machine's name and Kafka's class
    """
    counts = Counter(made)
    names = list(table.moves)
    moves = [
        (before, after)
        for before, afters in table.moves.items()
        for after in afters
        if after != before
    ]
    heading = title or f"{table.name}: {len(names)} states, {len(moves)} moves"
    sheet = Sheet(heading, HEIGHT_IN, down_in=0.14)
    sheet.note(_subtitle(table, counts), 0.42, size=SMALL_PT)
    field = sheet.field(0, 1, 0, high_in=HEIGHT_IN * 0.90)
    width = WIDTH_IN / (HEIGHT_IN * 0.90)
    field.limits((0, width), (0, 1))
    field.bare()
    places = _places(names, width)
    widths = {name: 0.030 + 0.0105 * max(len(name), 6) for name in names}
    for before, after in moves:
        _arrow(field, places, widths, before, after, counts[before, after])
    for name, (x, y) in places.items():
        seen = any(name in move for move in counts)
        field.round_block(x, y, 2 * widths[name], 2 * BOX_HALF_HEIGHT, name, colour=PAPER,
                          edge=MADE if seen else INK, pen=2.2 if seen else 1.2)  # fmt: skip
    ways = "; ".join(
        f"{before} to {', '.join(a for a in afters if a != before) or 'nothing'}"
        for before, afters in table.moves.items()
    )
    return sheet.told(f"State diagram of {heading}. {ways}.", _text(table, counts))


def _subtitle(table: StateTable, counts: Counter[tuple[str, str]]) -> str:
    told = table.kafka_class
    return f"{told}; green: moves of this run, and how often" if counts else told


def _places(names: list[str], width: float) -> dict[str, tuple[float, float]]:
    """Places on an oval, clockwise, beginning at the left above the middle."""
    found = {}
    for number, name in enumerate(names):
        angle = math.pi * 0.80 - 2 * math.pi * number / len(names)
        found[name] = (width / 2 + width * 0.37 * math.cos(angle), 0.48 + 0.36 * math.sin(angle))
    return found


def _arrow(
    field: Field,
    places: Mapping[str, tuple[float, float]],
    widths: Mapping[str, float],
    before: str,
    after: str,
    count: int,
) -> None:
    """Draw an arrow from border to border.

    It bends to its left, so that both directions are visible.
    """
    x0, y0 = _edge(places[before], places[after], widths[before])
    x1, y1 = _edge(places[after], places[before], widths[after])
    field.arrow((x0, y0), (x1, y1), MADE if count else QUIET, pen=2.4 if count else 1.0,
                head_pt=13, bend=0.14, gap_pt=2)  # fmt: skip
    if count:
        x, y = (x0 + x1) / 2 + 0.105 * (y1 - y0), (y0 + y1) / 2 - 0.105 * (x1 - x0)
        field.words(x, y, f"{count}×", bold=True, paper=Paper(PAPER, 1.2), layer=5)


def _edge(
    here: tuple[float, float], there: tuple[float, float], half_width: float
) -> tuple[float, float]:
    """The point at which the line from here to there leaves the box around here."""
    dx, dy = there[0] - here[0], there[1] - here[1]
    reach = min(
        half_width / abs(dx) if dx else math.inf, BOX_HALF_HEIGHT / abs(dy) if dy else math.inf, 1
    )
    return here[0] + dx * reach, here[1] + dy * reach


def _text(table: StateTable, counts: Counter[tuple[str, str]]) -> str:
    rows = [
        (before, after, str(counts[before, after] or ""))
        for before, afters in table.moves.items()
        for after in afters
    ]
    return columns(rows, ("from", "to", "made" if counts else ""))
