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

from .picture import Picture, blank_figure, columns
from .style import INK, LOOKS, PAPER, QUIET, SMALL_PT, WIDTH_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    figure = blank_figure(WIDTH_IN, HEIGHT_IN)
    heading = title or f"{table.name}: {len(names)} states, {len(moves)} moves"
    figure.text(0.012, 0.975, heading, fontsize=12, weight="bold", va="top")
    figure.text(0.012, 0.925, _subtitle(table, counts), fontsize=SMALL_PT, color=QUIET, va="top")
    axes = figure.add_axes((0, 0, 1, 0.90))
    axes.set(xlim=(0, WIDTH_IN / (HEIGHT_IN * 0.90)), ylim=(0, 1))
    axes.axis("off")
    places = _places(names, axes.get_xlim()[1])
    widths = {name: 0.030 + 0.0105 * max(len(name), 6) for name in names}
    for before, after in moves:
        _arrow(axes, places, widths, before, after, counts[before, after])
    for name, (x, y) in places.items():
        _box(axes, name, x, y, widths[name], visited=any(name in move for move in counts))
    return Picture(
        figure,
        _text(table, counts),
        f"State diagram of {heading}. "
        + "; ".join(
            f"{before} to {', '.join(a for a in afters if a != before) or 'nothing'}"
            for before, afters in table.moves.items()
        )
        + ".",
    )


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


def _box(axes: Axes, name: str, x: float, y: float, half_width: float, visited: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (x - half_width, y - BOX_HALF_HEIGHT),
            2 * half_width,
            2 * BOX_HALF_HEIGHT,
            zorder=3,
            facecolor=PAPER,
            boxstyle="round,pad=0,rounding_size=0.03",
            edgecolor=MADE if visited else INK,
            linewidth=2.2 if visited else 1.2,
        )
    )
    axes.text(x, y, name, ha="center", va="center", fontsize=9.5, zorder=4, color=INK)


def _arrow(
    axes: Axes,
    places: Mapping[str, tuple[float, float]],
    widths: Mapping[str, float],
    before: str,
    after: str,
    count: int,
) -> None:
    """Draw an arrow from border to border.

    It bends to its left, so that both directions are visible.
    """
    start, end = (
        _edge(places[before], places[after], widths[before]),
        _edge(places[after], places[before], widths[after]),
    )
    axes.annotate(
        "",
        xy=end,
        xytext=start,
        zorder=2,
        arrowprops=dict(
            arrowstyle="-|>",
            mutation_scale=13,
            color=MADE if count else QUIET,
            linewidth=2.4 if count else 1.0,
            connectionstyle="arc3,rad=0.14",
            shrinkA=2,
            shrinkB=2,
        ),
    )
    if count:
        (x0, y0), (x1, y1) = start, end
        x, y = (x0 + x1) / 2 + 0.105 * (y1 - y0), (y0 + y1) / 2 - 0.105 * (x1 - x0)
        axes.text(
            x,
            y,
            f"{count}×",
            ha="center",
            va="center",
            fontsize=SMALL_PT,
            weight="bold",
            color=INK,
            zorder=5,
            bbox=dict(facecolor=PAPER, edgecolor="none", pad=1.2),
        )


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
