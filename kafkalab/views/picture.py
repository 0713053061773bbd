"""A picture and what it says in words.

Every view returns a Picture: the figure for the eye, and its text twin for a screen reader, a terminal, a test or a
grader. In a notebook it shows itself once, as a PNG whose plain-text form is the twin.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .style import DPI, FONT, FONT_PT, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Picture:
    """A finished figure with its text twin and one sentence that says what it shows."""

    figure: Figure = field(repr=False)
    text: str
    alt: str

    def png(self) -> bytes:
        """The picture's bytes. No time stamp and no version inside: the same run gives the same bytes."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=DPI, facecolor=PAPER, metadata={"Software": None})
        return buffer.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write the picture as PNG and return where it is."""
        path = Path(path)
        path.write_bytes(self.png())
        return path

    def _repr_mimebundle_(self, include=None, exclude=None):
        metadata = {"image/png": {"alt": self.alt}}
        return {"image/png": self.png(), "text/plain": f"{self.alt}\n\n{self.text}"}, metadata

    def __str__(self) -> str:
        return self.text


def blank_figure(width_in: float, height_in: float) -> Figure:
    """An empty figure that needs no display and that pyplot does not keep (so no cell shows it twice)."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"font.family": FONT, "font.size": FONT_PT, "text.color": INK, "hatch.linewidth": 0.6}):
        figure = Figure(figsize=(width_in, height_in), facecolor=PAPER)
        FigureCanvasAgg(figure)
    return figure


def columns(rows: list[tuple[str, ...]], head: tuple[str, ...]) -> str:
    """Rows as aligned plain text under a heading; the shape of most text twins."""
    table = [head, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table)
