"""Holds Picture, which every view returns: a figure and the same content as text.

The text is for a screen reader, a terminal, a test or a grader. A notebook shows a framed image
with its alternative text, and the text folded under it. JupyterLab shows a bare image/png without
any alternative text, whatever its metadata say.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from .style import DPI, FONT, FONT_PT, INK, PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The frame separates the white picture from a dark page. There the picture is also dimmed.
PAGE_STYLE = (
    ".kafkalab-picture{margin:6px 0}"
    ".kafkalab-picture .paper{display:inline-block;box-sizing:border-box;max-width:100%;"
    "background:#fff;border:1px solid #d5d5d5;border-radius:6px;padding:6px}"
    ".kafkalab-picture .drawn{position:relative;display:block}.kafkalab-picture "
    "img{display:block;max-width:100%}.kafkalab-picture .hover{position:absolute}"
    ".kafkalab-picture "
    "summary{cursor:pointer;font-size:12px;margin-top:2px;opacity:.75}.kafkalab-picture "
    "pre{overflow-x:auto;white-space:pre;margin:4px 0}[data-jp-theme-light=false] "
    ".kafkalab-picture .paper{filter:brightness(.86);border-color:#888}"
)


@dataclass(frozen=True)
class Hover:
    """Words that a page shows while the mouse is over a part of a picture.

    The part is a rectangle: left, top, width and height as shares of the picture, from its top
    left corner.
    """

    left: float
    top: float
    width: float
    height: float
    words: str


@dataclass(frozen=True, eq=False)
class Picture:
    """A finished figure with the same content as text, and one sentence that describes it.

    A page shows the words of `hovers` under the mouse.
    """

    figure: Figure = field(repr=False)
    text: str
    alt: str
    hovers: tuple[Hover, ...] = field(default=(), repr=False)

    def png(self) -> bytes:
        """The PNG's bytes, without time stamp and version. The same run gives the same bytes."""
        buffer = io.BytesIO()
        self.figure.savefig(
            buffer, format="png", dpi=DPI, facecolor=PAPER, metadata={"Software": None}
        )
        return buffer.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write the picture as PNG and return where it is."""
        path = Path(path)
        path.write_bytes(self.png())
        return path

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, str | bytes], dict[str, dict[str, str]]]:
        png = self.png()
        metadata = {"image/png": {"alt": self.alt}}
        return {
            "text/html": self._html(png),
            "image/png": png,
            "text/plain": f"{self.alt}\n\n{self.text}",
        }, metadata

    @property
    def html(self) -> str:
        """The picture as a piece of a page: the image with its words under it."""
        return self._html(self.png())

    def _html(self, png: bytes) -> str:
        hovers = "".join(
            f'<span class="hover" title="{escape(each.words)}" style="left:{each.left:.2%};'
            f'top:{each.top:.2%};width:{each.width:.2%};height:{each.height:.2%}"></span>'
            for each in self.hovers
        )
        return (
            f'<figure class="kafkalab-picture"><style>{PAGE_STYLE}</style>'
            f'<div class="paper"><div class="drawn"><img alt="{escape(self.alt)}" '
            f'src="data:image/png;base64,{base64.b64encode(png).decode()}">{hovers}</div></div>'
            f"<details><summary>In words</summary><pre>{escape(self.text)}</pre></details></figure>"
        )

    def __str__(self) -> str:
        return self.text


def blank_figure(width_in: float, height_in: float) -> Figure:
    """An empty figure that needs no display. pyplot does not keep it, so no cell shows it twice."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(
        {"font.family": FONT, "font.size": FONT_PT, "text.color": INK, "hatch.linewidth": 0.6}
    ):
        figure = Figure(figsize=(width_in, height_in), facecolor=PAPER)
        FigureCanvasAgg(figure)
    return figure


def columns(rows: Sequence[tuple[str, ...]], head: tuple[str, ...]) -> str:
    """Rows as aligned plain text under a heading."""
    table = [head, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table
    )
