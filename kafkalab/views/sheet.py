"""Holds Sheet, the paper that every view draws on, and Field, a part of it with its own axes.

A view says what is where, in its own numbers: offsets, rows, or milliseconds of the lab. Of all
views only this file and `picture` know matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .picture import Hover, Picture, blank_figure, columns
from .style import ALERT, BLACK, FONT_PT, INK, QUIET, RULE, SMALL_PT, WIDTH_IN, axis_unit

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

LEFT = 0.012
"""Where the title begins, as a share of the width."""
Dash = Literal["", "-", "--", "-.", ":"] | tuple[int, tuple[float, ...]]
"""A line's dashes: "-", "--", "-.", ":", or (offset, (drawn, left out, ...)) in points."""
Corner = Literal["upper left", "upper right", "lower right"]
Align = Literal["left", "center", "right"]
Level = Literal["top", "center", "bottom", "baseline"]


class Paper(NamedTuple):
    """A patch of colour under words, so that they can be read upon a hatch or a line.

    `pad_pt`: how far it reaches beyond the words; `alpha`: its opacity from 0 to 1.
    """

    colour: str = "#ffffff"
    pad_pt: float = 1.0
    alpha: float | None = None

    def box(self) -> dict[str, Any]:
        return {
            "facecolor": self.colour,
            "edgecolor": "none",
            "pad": self.pad_pt,
            "alpha": self.alpha,
        }


class Sheet:
    """A picture in the making: a title, fields to draw in, and a legend.

    Lengths with `_in` are inches. Every sheet is WIDTH_IN wide. `down_in` is the distance of the
    title from the upper edge.
    """

    def __init__(self, title: str, height_in: float, *, down_in: float = 0.10) -> None:
        self.title = title
        self.height_in = height_in
        self.figure = blank_figure(WIDTH_IN, height_in)
        self._keys: list[Artist] = []
        self._legends: dict[Legend, tuple[float, float]] = {}
        self._grown: list[tuple[float, float]] = []
        self.hovers: list[Hover] = []
        self.note(title, down_in, size=12, colour=BLACK, bold=True)

    def note(
        self,
        words: str,
        down_in: float,
        *,
        left: float = LEFT,
        align: Align = "left",
        level: Level = "top",
        size: float = SMALL_PT + 0.5,
        colour: str = QUIET,
        bold: bool = False,
        font: str | None = None,
    ) -> None:
        """Write words on the sheet itself: `down_in` from the upper edge, `left` a share.

        What is too long for the sheet goes on in a line below, and the sheet grows by it.
        """
        text = self.figure.text(
            left,
            1 - self._lowered(down_in) / self.height_in,
            words,
            ha=align,
            va=level,
            fontsize=size,
            color=colour,
            weight="bold" if bold else "normal",
            family=font,
        )
        room = self._right_of(text)
        if align == "left" and room < 0:
            long = self.figure.bbox.width * (1 - left)
            letters = int(len(words) * long / (long - room))
            lines = wrap(words, letters - 1)
            text.set_text("\n".join(lines))
            self._grow(down_in, 1.25 * (len(lines) - 1) * size / 72)

    def _right_of(self, drawn: Artist) -> float:
        """The room between what is drawn and the sheet's right margin; below 0 it is cut off."""
        renderer = self.figure.canvas.get_renderer()  # type: ignore[attr-defined]
        page = self.figure.bbox.width
        return float(page * (1 - LEFT / 2) - drawn.get_window_extent(renderer).x1)

    def _lowered(self, down_in: float) -> float:
        """How far down a place is, now that the sheet has grown above it."""
        return down_in + sum(by for below, by in self._grown if down_in > below)

    def _grow(self, below_in: float, by_in: float) -> None:
        """Make the sheet higher below a place. What is there already keeps its distances."""
        before = self.height_in
        edge = self._lowered(below_in)
        self._grown.append((below_in, by_in))
        self.height_in += by_in
        share = before / self.height_in

        def moved(y: float) -> float:
            is_above = (1 - y) * before <= edge + 0.001
            return 1 - (1 - y) * share if is_above else y * share

        for axes in self.figure.axes:
            left, low, wide, high = axes.get_position().bounds
            axes.set_position((left, moved(low), wide, high * share))
        for text in self.figure.texts:
            text.set_y(moved(text.get_position()[1]))
        for legend, (left, y) in self._legends.items():
            self._legends[legend] = (left, moved(y))
            legend.set_bbox_to_anchor((left, moved(y)), transform=self.figure.transFigure)
        self.hovers = [
            replace(each, top=1 - (1 - each.top) * share, height=each.height * share)
            for each in self.hovers
        ]
        self.figure.set_size_inches(WIDTH_IN, self.height_in)

    def field(
        self,
        left: float,
        wide: float,
        below_in: float,
        above_in: float = 0.0,
        *,
        high_in: float | None = None,
    ) -> Field:
        """A field between two margins in inches, or `high_in` high above the lower one.

        `left` and `wide` are shares of the width.
        """
        first_in = self.height_in - sum(by for _, by in self._grown)
        below_in += sum(by for below, by in self._grown if first_in - below_in <= below)
        share = 1 - round(below_in + self._lowered(above_in), 9) / self.height_in
        if high_in is not None:
            share = high_in / self.height_in
        return Field(self, self.figure.add_axes((left, below_in / self.height_in, wide, share)))

    def key_block(
        self, label: str, colour: str, *, edge: str = INK, hatch: str = "", pen: float | None = None
    ) -> None:
        """Add a block to the next legend."""
        from matplotlib.patches import Patch

        self._add(Patch(facecolor=colour, edgecolor=edge, hatch=hatch, linewidth=pen, label=label))

    def key_line(
        self,
        label: str,
        colour: str,
        *,
        line: Dash = "-",
        pen: float | None = None,
        sign: str = "",
    ) -> None:
        """Add a line to the next legend; with a sign at its middle if there is one."""
        self._key(label, colour, line, linewidth=pen, marker=sign)

    def key_bar(self, label: str, colour: str, *, pen: float, alpha: float) -> None:
        """Add a thick line with square ends to the next legend."""
        self._key(label, colour, "-", linewidth=pen, alpha=alpha, solid_capstyle="butt")

    def key_mark(
        self,
        label: str,
        sign: str,
        colour: str = INK,
        *,
        size: float | None = None,
        edge: str | None = None,
        inside: str | None = None,
        pen: float | None = None,
    ) -> None:
        """Add a mark to the next legend; without a sign it is words alone."""
        self._key(label, colour, "", marker=sign, markersize=size, markeredgecolor=edge,
                  markerfacecolor=inside, markeredgewidth=pen)  # fmt: skip

    def _key(self, label: str, colour: str, line: Dash, **look: Any) -> None:
        from matplotlib.lines import Line2D

        self._add(Line2D([], [], color=colour, linestyle=line, label=label, **look))

    def _add(self, key: Artist) -> None:
        """Keep a key for the next legend; one for each label."""
        if key.get_label() not in {each.get_label() for each in self._keys}:
            self._keys.append(key)

    def legend(
        self,
        down_in: float,
        *,
        left: float = 0.008,
        corner: Corner = "upper left",
        ncols: int = 5,
        colour: str | None = None,
        long: float | None = None,
        apart: float | None = None,
        **room: Any,
    ) -> None:
        """Draw the legend of the keys so far, its corner at this point, and forget them.

        `long` and `apart`: the length of a key and the gap between two, in letters. `room`: other
        distances of matplotlib's legend. Where the keys need more rows than asked for, the sheet
        grows.
        """
        keys, self._keys = self._keys, []
        if not keys:
            return
        place = (left, 1 - self._lowered(down_in) / self.height_in)
        asked = ncols = min(ncols, len(keys))
        while True:
            legend = self.figure.legend(
                handles=keys,
                fontsize=SMALL_PT,
                loc=corner,
                bbox_to_anchor=place,
                ncols=ncols,
                frameon=False,
                labelcolor=colour,
                handlelength=long,
                columnspacing=apart,
                **room,
            )
            if ncols == 1 or corner != "upper left" or self._right_of(legend) >= 0:
                break
            legend.remove()
            ncols -= 1
        self._legends[legend] = place
        rows = -(-len(keys) // ncols) - -(-len(keys) // asked)
        if rows:
            self._grow(down_in + 0.05, 1.5 * rows * SMALL_PT / 72)

    def picture(
        self,
        kind: str,
        rows: Sequence[tuple[str, ...]],
        head: tuple[str, ...],
        *,
        more: str = "",
        below: str = "",
    ) -> Picture:
        """The finished picture. Its text is a table, with `below` under it.

        The sentence that describes it is the kind, the title, and `more`.
        """
        return self.told(f"{kind}: {self.title}{more}.", columns(rows, head) + below)

    def told(self, alt: str, text: str) -> Picture:
        """The finished picture with a sentence and a text of the view's own."""
        return Picture(self.figure, text, alt, tuple(self.hovers))


class Field:
    """A part of a sheet with its own axes. y runs as `limits` say, mostly downwards by rows.

    x is a number of the view, or a time in ms of the lab after `clock`.
    """

    def __init__(self, sheet: Sheet, axes: Axes) -> None:
        self.sheet = sheet
        self._axes = axes
        self._unit_ms, self._x_name = 1.0, ""
        self._from, self._to, self._end = 0.0, 0.0, 0.0

    # ---- axes

    def limits(
        self, x: tuple[float, float] | None = None, y: tuple[float, float] | None = None
    ) -> None:
        """The numbers at the left and right edge, and at the lower and upper one."""
        if x is not None:
            self._axes.set_xlim(x[0] / self._unit_ms, x[1] / self._unit_ms)
        if y is not None:
            self._axes.set_ylim(*y)

    def bare(self) -> None:
        """Draw no axis at all."""
        self._axes.axis("off")

    def edges(self, *shown: str) -> None:
        """Draw only these edges: "left", "bottom"."""
        for side, spine in self._axes.spines.items():
            spine.set_visible(side in shown)

    def row_names(
        self, names: Sequence[str], size: float = SMALL_PT, *, colour: str = BLACK
    ) -> None:
        """Name the rows 0, 1, 2, ... at the left edge, without ticks."""
        self._axes.set_yticks(range(len(names)), list(names), fontsize=size, color=colour)
        self._axes.tick_params(axis="y", length=0)

    def column_names(
        self,
        places: Sequence[float],
        names: Sequence[str],
        size: float = SMALL_PT,
        *,
        colour: str = BLACK,
        bold: bool = False,
        ticks: bool = False,
    ) -> None:
        """Name places on the x axis at the lower edge."""
        weight = "bold" if bold else "normal"
        self._axes.set_xticks(list(places), list(names), fontsize=size, color=colour, weight=weight)
        if not ticks:
            self._axes.tick_params(axis="x", length=0)

    def table(
        self,
        rows: Sequence[str],
        heads: Sequence[str],
        size: float = SMALL_PT + 1,
        head_size: float = SMALL_PT + 1,
        *,
        colour: str = BLACK,
        bold_heads: bool = False,
    ) -> None:
        """Make the field a table: names of rows at the left, names of columns above, no lines.

        The cell (x, y) reaches from x to x + 1 and around y.
        """
        self.row_names(rows, size, colour=colour)
        middles = [x + 0.5 for x in range(len(heads))]
        self.column_names(middles, heads, head_size, bold=bold_heads)
        self._above()
        self.limits((0, len(heads)), (len(rows) - 0.5, -0.5))

    def offsets_above(self, first: int, end: int, rows: int) -> None:
        """Make the field rows of boxes, one an offset, with the offsets above."""
        offsets = range(first, end)
        middles = [offset + 0.5 for offset in offsets]
        self.column_names(middles, list(map(str, offsets)), colour=QUIET)
        self._above()
        self._axes.set_yticks([])
        self.limits((first, end), (rows - 0.45, -0.55))

    def _above(self) -> None:
        self._axes.xaxis.tick_top()
        self._axes.tick_params(length=0)
        self.edges()

    def scale(self, name: str = "") -> None:
        """Draw an x axis with ticks and numbers at the lower edge, and no other line."""
        self._axes.set_yticks([])
        self._axes.tick_params(axis="x", labelsize=SMALL_PT)
        self._axes.set_xlabel(name, fontsize=SMALL_PT)
        self.edges("bottom")

    def numbers(self, name: str, *, colour: str = BLACK) -> None:
        """Write the numbers and the name of x at the lower edge, without a line or ticks."""
        self._axes.tick_params(axis="x", length=0, labelsize=SMALL_PT)
        self._axes.set_xlabel(name, fontsize=SMALL_PT, color=colour)
        self.edges()

    def clock(
        self,
        from_ms: float,
        to_ms: float,
        *,
        room_to_ms: float | None = None,
        beyond: float = 0,
    ) -> None:
        """Count x in ms of the lab from now on; a `span` is cut off at these two times.

        room_to_ms: the end of the axis, where it is later than to_ms
        beyond: how much longer the axis is than its time, as a share
        """
        self._from, self._to, self._end = from_ms, to_ms, max(to_ms, room_to_ms or 0)
        self._unit_ms, unit = axis_unit(self._end - from_ms)
        self._x_name = f"time of the lab, {unit}"
        self.limits((from_ms, from_ms + max(1, self._end - from_ms) * (1 + beyond)))

    def time_axis(self, *, labelled: bool = True, edges: Sequence[str] = ("bottom",)) -> None:
        """Draw the axis of a clock at the lower edge, and faint lines up from its ticks.

        A line marks to_ms where the axis is longer. Without `labelled` there are no numbers.
        """
        self.scale(self._x_name if labelled else "")
        self.edges(*edges)
        self._axes.tick_params(axis="x", labelbottom=labelled)
        self._grid("x", 0.7)
        if self._end > self._to:
            self.across(self._to, ALERT, pen=1.6)

    def chart(self, y_name: str, *, labelled: bool = True, pen: float = 0.6) -> None:
        """Draw both axes with numbers, and a grid. Without `labelled` x has ticks alone."""
        self._axes.tick_params(labelsize=SMALL_PT)
        self._axes.tick_params(axis="x", labelbottom=labelled)
        self._axes.set_xlabel(self._x_name if labelled else "", fontsize=SMALL_PT)
        self._axes.set_ylabel(y_name, fontsize=SMALL_PT)
        self._grid("both", pen)
        self.edges("left", "bottom")

    def height_axis(self, y_name: str) -> None:
        """Draw an axis of heights at the left edge. x has faint lines, and no ticks."""
        self._axes.tick_params(axis="x", labelbottom=False, length=0)
        self._axes.tick_params(axis="y", labelsize=SMALL_PT)
        self._axes.set_ylabel(y_name, fontsize=SMALL_PT, color=INK)
        self._axes.spines["left"].set_color(QUIET)
        self._grid("x", 0.7)
        self.edges("left", "bottom")

    def steps_up(self, y_name: str) -> None:
        """Draw an axis of heights at the left edge, with faint lines at its numbers."""
        self._axes.tick_params(axis="y", labelsize=SMALL_PT)
        self._axes.set_ylabel(y_name, fontsize=SMALL_PT)
        self._grid("y", 0.6)
        self.edges("left", "bottom")

    def heading(
        self,
        words: str,
        *,
        align: Align = "center",
        size: float = SMALL_PT + 0.5,
        bold: bool = False,
        up_pt: float = 4,
    ) -> None:
        """Words above the field."""
        self._axes.set_title(words, loc=align, fontsize=size, pad=up_pt,
                             weight="bold" if bold else "normal")  # fmt: skip

    def fitted(self) -> tuple[float, float]:
        """The lower and upper limit of y that leave a margin around the lines drawn so far."""
        return self._axes.get_ylim()

    def _grid(self, axis: Literal["x", "y", "both"], pen: float) -> None:
        self._axes.grid(axis=axis, color=RULE, linewidth=pen)
        self._axes.set_axisbelow(True)

    # ---- what is drawn in the field

    def block(
        self,
        x: float,
        y: float,
        wide: float,
        high: float,
        words: str = "",
        *,
        colour: str,
        edge: str = INK,
        hatch: str = "",
        pen: float = 0.7,
        line: Dash = "-",
        layer: float = 1,
        alpha: float | None = None,
        ink: str = INK,
        size: float = SMALL_PT,
        paper: Paper | None = None,
        words_layer: float = 3,
    ) -> None:
        """A block from x to the right, with y at its middle, and words in it."""
        from matplotlib.patches import Rectangle

        self._axes.add_patch(
            Rectangle(
                (x / self._unit_ms, y - high / 2),
                wide / self._unit_ms,
                high,
                facecolor=colour,
                edgecolor=edge,
                hatch=hatch,
                linewidth=pen,
                linestyle=line,
                zorder=layer,
                alpha=alpha,
            )
        )
        if words:
            self.words(x + wide / 2, y, words, size=size, colour=ink, paper=paper,
                       layer=words_layer)  # fmt: skip

    def round_block(
        self,
        x: float,
        y: float,
        wide: float,
        high: float,
        words: str,
        *,
        colour: str,
        edge: str,
        pen: float,
    ) -> None:
        """A block with round corners, with (x, y) and its words at its middle."""
        from matplotlib.patches import FancyBboxPatch

        self._axes.add_patch(
            FancyBboxPatch(
                (x - wide / 2, y - high / 2),
                wide,
                high,
                boxstyle="round,pad=0,rounding_size=0.03",
                facecolor=colour,
                edgecolor=edge,
                linewidth=pen,
                zorder=3,
            )
        )
        self.words(x, y, words, size=FONT_PT, layer=4)

    def plate(self, x: float, y: float, words: str) -> None:
        """Bold words on a plate with round corners."""
        plate = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": RULE}
        self._axes.text(x, y, words, ha="center", va="center", fontsize=FONT_PT, weight="bold",
                        bbox=plate)  # fmt: skip

    def span(
        self,
        from_ms: float,
        to_ms: float,
        y: float,
        high: float,
        words: str = "",
        *,
        needs: float = 0.0,
        least: float = 0.0,
        colour: str,
        edge: str = INK,
        hatch: str | None = None,
        pen: float = 0.6,
        line: Dash = "-",
        layer: float = 1,
        ink: str = INK,
        paper: Paper | None = None,
    ) -> None:
        """A time, as a bar with y at its middle; what is outside of the field's time is cut off.

        Its words need more than this share of the axis; else they are left out. The bar is at least
        `least` wide, a share of the axis, too.
        """
        begin_ms, end_ms = max(from_ms, self._from), min(to_ms, self._to)
        end_ms = max(end_ms, begin_ms + least * max(1, self._end - self._from))
        if end_ms <= begin_ms:
            return
        self._axes.broken_barh(
            [(begin_ms / self._unit_ms, (end_ms - begin_ms) / self._unit_ms)],
            (round(y - high / 2, 9), high),
            facecolor=colour,
            edgecolor=edge,
            hatch=hatch,
            linewidth=pen,
            linestyle=line,
            zorder=layer,
        )
        if words and end_ms - begin_ms > needs * (self._end - self._from):
            self.words((begin_ms + end_ms) / 2, y, words, colour=ink, paper=paper, inside=True)

    def words(
        self,
        x: float,
        y: float,
        words: str,
        align: Align = "center",
        *,
        level: Level = "center",
        size: float = SMALL_PT,
        colour: str = INK,
        bold: bool = False,
        paper: Paper | None = None,
        layer: float = 3,
        inside: bool = False,
    ) -> None:
        """Words at a point; with `inside` they are cut off at the field's edge."""
        self._axes.text(
            x / self._unit_ms,
            y,
            words,
            ha=align,
            va=level,
            fontsize=size,
            color=colour,
            weight="bold" if bold else "normal",
            bbox=paper.box() if paper else None,
            zorder=layer,
            clip_on=inside,
        )

    def beside(
        self,
        y: float,
        words: str,
        *,
        at: float = -0.01,
        align: Align | None = None,
        size: float = SMALL_PT,
        colour: str = BLACK,
        bold: bool = False,
    ) -> None:
        """Words beside the field: `at` is a share of its width, so -0.01 is left of it."""
        self._axes.text(
            at,
            y,
            words,
            transform=self._axes.get_yaxis_transform(),
            ha=align or ("right" if at < 0 else "left"),
            va="center",
            fontsize=size,
            color=colour,
            weight="bold" if bold else "normal",
        )

    def near(
        self,
        x: float,
        y: float,
        words: str,
        by_pt: tuple[float, float],
        *,
        align: Align = "left",
        level: Level = "center",
        size: float = SMALL_PT,
        colour: str = INK,
        bold: bool = False,
        paper: Paper | None = None,
        font: str | None = None,
        pointer: float | None = None,
        of_edges: Literal["", "x", "y", "xy"] = "",
    ) -> None:
        """Words some points right of and above a point, if that is inside the field.

        pointer: the width of a thin line from the words to the point
        of_edges: which numbers are shares of the field, counted from its lower left corner
        """
        of = ["axes fraction" if axis in of_edges else "data" for axis in "xy"]
        self._axes.annotate(
            words,
            (x if "x" in of_edges else x / self._unit_ms, y),
            xycoords=(of[0], of[1]) if of_edges else "data",
            xytext=by_pt,
            textcoords="offset points",
            ha=align,
            va=level,
            fontsize=size,
            color=colour,
            weight="bold" if bold else "normal",
            family=font,
            bbox=paper.box() if paper else None,
            arrowprops=None
            if pointer is None
            else {"arrowstyle": "-", "color": QUIET, "linewidth": pointer},
        )

    def line(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        colour: str,
        *,
        pen: float = 1.6,
        line: Dash = "-",
        steps: bool = False,
        flat: bool = False,
        sign: str = "",
        layer: float = 2,
        alpha: float | None = None,
        cut: bool = True,
    ) -> None:
        """A line through points; with `steps` each y holds until the next x.

        flat: it ends at its last point, not half its width beyond
        """
        self._axes.plot(
            [x / self._unit_ms for x in xs],
            ys,
            color=colour,
            linewidth=pen,
            linestyle=line,
            drawstyle="steps-post" if steps else "default",
            solid_capstyle="butt" if flat else "projecting",
            marker=sign,
            zorder=layer,
            alpha=alpha,
            clip_on=cut,
        )

    def arrow(
        self,
        tail: tuple[float, float],
        tip: tuple[float, float],
        colour: str,
        *,
        pen: float = 1.6,
        line: Dash = "-",
        head_pt: float = 11,
        bend: float = 0,
        gap_pt: float = 0,
        layer: float = 2,
    ) -> None:
        """An arrow between two points; `bend` is its bow as a share of its length."""
        self._axes.annotate(
            "",
            xy=tip,
            xytext=tail,
            arrowprops={
                "arrowstyle": "-|>",
                "mutation_scale": head_pt,
                "color": colour,
                "linewidth": pen,
                "linestyle": line,
                "connectionstyle": f"arc3,rad={bend}",
                "shrinkA": gap_pt,
                "shrinkB": gap_pt,
            },
            zorder=layer,
        )

    def across(
        self, x: float, colour: str, *, pen: float = 1.2, line: Dash = "-", layer: float = 2
    ) -> None:
        """An upright line through the whole field."""
        self._axes.axvline(
            x / self._unit_ms, color=colour, linewidth=pen, linestyle=line, zorder=layer
        )

    def along(
        self, y: float, colour: str, *, pen: float = 1.2, line: Dash = "-", layer: float = 2
    ) -> None:
        """A level line through the whole field."""
        self._axes.axhline(y, color=colour, linewidth=pen, linestyle=line, zorder=layer)

    def area(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        others: Sequence[float],
        *,
        colour: str,
        edge: str,
        hatch: str | None = None,
        pen: float = 0,
        layer: float = 1,
        alpha: float | None = None,
    ) -> None:
        """The area between two lines over the same places."""
        self._axes.fill_between([x / self._unit_ms for x in xs], ys, others, facecolor=colour,
                                edgecolor=edge, hatch=hatch, linewidth=pen, zorder=layer,
                                alpha=alpha)  # fmt: skip

    def band(self, low: float, high: float, *, colour: str, edge: str, hatch: str) -> None:
        """A hatched band through the whole field, behind all else."""
        self._axes.axhspan(low, high, facecolor=colour, edgecolor=edge, hatch=hatch, linewidth=0,
                           zorder=0)  # fmt: skip

    def ticks(self, xs: Sequence[float], y: float, high: float, *, pen: float = 0.8) -> None:
        """Short upright lines with y at their middle."""
        if xs:
            self._axes.vlines([x / self._unit_ms for x in xs], y - high / 2, y + high / 2,
                              color=INK, linewidth=pen)  # fmt: skip

    def marks(
        self,
        xs: Sequence[float],
        y: float | Sequence[float],
        sign: str,
        colour: str,
        size: float,
        *,
        edge: str | None = None,
        inside: str | None = None,
        pen: float | None = None,
        layer: float = 2,
        cut: bool = True,
    ) -> None:
        """Signs at points, all at one height or each at its own; `cut`: only inside the field."""
        self._axes.plot(
            [x / self._unit_ms for x in xs],
            [y] * len(xs) if isinstance(y, (int, float)) else y,
            linestyle="",
            marker=sign,
            color=colour,
            markersize=size,
            markeredgecolor=edge,
            markerfacecolor=inside,
            markeredgewidth=pen,
            zorder=layer,
            clip_on=cut,
        )

    def frame(self, left: float, top: float, wide: float, high: float) -> None:
        """A frame around a row and the words beside it; left and wide are shares of the field."""
        from matplotlib.patches import Rectangle

        self._axes.add_patch(
            Rectangle(
                (left, top),
                wide,
                high,
                transform=self._axes.get_yaxis_transform(),
                fill=False,
                edgecolor=ALERT,
                linewidth=1.6,
                clip_on=False,
                zorder=5,
            )
        )

    def hover(self, words: str, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Words under the mouse over a rectangle. The limits have to be set before."""
        ends = [(each / self._unit_ms, high) for each, high in zip(x, y)]
        to_shares = self._axes.transData - self.sheet.figure.transFigure
        (x0, y0), (x1, y1) = to_shares.transform(ends)
        left, right = max(0.0, min(x0, x1)), min(1.0, max(x0, x1))
        low, high = max(0.0, min(y0, y1)), min(1.0, max(y0, y1))
        self.sheet.hovers.append(
            Hover(float(left), float(1 - high), float(right - left), float(high - low), words)
        )
