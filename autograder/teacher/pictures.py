"""Two pictures of a class: how the questions did, and the map of misconceptions.
Their text twins are the tables of report.py."""

from __future__ import annotations

import base64
import io
import textwrap

from autograder.teacher.report import Chapter
from kafkalab.views import style

MOST_WRONG = 24  # rows of the map; the table has all
WELL, HALF, POORLY = "#009E73", "#E69F00", "#D55E00"
ROW_IN = 0.34
EDGE = {"edgecolor": style.INK, "linewidth": 0.5}


def questions_picture(chapter: Chapter) -> bytes:
    """How each question did: the share of full marks as a bar, the mean as a line across it, and
    how well it tells apart beside it. PNG."""
    shown = [item for item in chapter.items if item.full is not None]
    figure, (bars, apart) = _figure(
        max(3, len(shown)), chapter.name + ": how the questions did", (3, 1)
    )
    for row, item in enumerate(shown):
        bars.barh(row, 100 * item.full, height=0.62, color=_by_share(item.full), **EDGE)
        bars.plot([100 * item.mean] * 2, [row - 0.4, row + 0.4], color=style.INK, linewidth=2)
        _say(bars, 100 * max(item.full, item.mean) + 1.5, row, f"{item.full:.0%}")
        if item.tells_apart is not None:
            apart.plot([0, item.tells_apart], [row, row], color=style.QUIET, linewidth=1)
            apart.plot(
                item.tells_apart,
                row,
                "o",
                color=style.ALERT if item.tells_apart < 0.1 else style.INK,
                markersize=6,
            )
        else:
            _say(apart, 0, row, "cannot be told", color=style.QUIET)
    labels = [
        f"{item.question}  {textwrap.shorten(item.title, 34, placeholder='…')}" for item in shown
    ]
    bars.set_yticks(range(len(shown)), labels, fontsize=style.SMALL_PT)
    bars.set_xlim(0, 112)
    bars.set_xlabel(
        "% of students with full marks; the line: the mean of the points", fontsize=style.SMALL_PT
    )
    apart.set_xticks([0, 0.5, 1])
    apart.set_xlim(
        min(-0.2, *(item.tells_apart or 0 for item in shown)) - 0.05 if shown else -0.25, 1
    )
    apart.axvline(0, color=style.RULE, linewidth=1)
    apart.set_yticks([])
    apart.set_xlabel("discrimination (-1 to 1); red: look at the question", fontsize=style.SMALL_PT)
    return _png(figure, (bars, apart), len(shown))


def misconceptions_picture(chapter: Chapter) -> bytes | None:
    """The map: a row for each named wrong answer, grouped by question, how many gave it and what
    it means. PNG; None without any."""
    shown = sorted(
        chapter.misconceptions[:MOST_WRONG],
        key=lambda wrong: (wrong.question, -wrong.students, wrong.name),
    )
    if not shown:
        return None
    figure, (bars, words) = _figure(
        1.55 * len(shown), chapter.name + ": which wrong answer means what", (1, 1.7)
    )
    questions = list(dict.fromkeys(wrong.question for wrong in shown))
    most = max(wrong.students for wrong in shown)
    for row, wrong in enumerate(shown):
        if questions.index(wrong.question) % 2 == 0:
            for axes in (bars, words):
                axes.axhspan(row - 0.5, row + 0.5, color="#f3f3f3", zorder=0)
        bars.barh(row, wrong.students, height=0.6, color="#56B4E9", **EDGE, zorder=2)
        _say(bars, wrong.students + most * 0.02, row, f"{wrong.students}")
        said = "\n".join([*_lines(wrong.sentence, 2), *_lines(wrong.example, 1)])
        _say(words, 0.01, row, said.replace("$", r"\$"), linespacing=1.25)
    bars.set_yticks(
        range(len(shown)),
        [
            f"{wrong.question}  {textwrap.shorten(wrong.name, 38, placeholder='…')}".replace(
                "$", r"\$"
            )
            for wrong in shown
        ],
        fontsize=style.SMALL_PT,
    )
    bars.set_xlim(0, most * 1.15)
    bars.set_xlabel("students who gave it", fontsize=style.SMALL_PT)
    _count_in_whole(bars.xaxis)
    words.set_xlim(0, 1)
    words.set_xticks([])
    words.set_yticks([])
    return _png(figure, (bars, words), len(shown))


def scores_picture(chapter: Chapter) -> bytes:
    """How many students have how many points, in ten steps. PNG."""
    figure, (bars,) = _figure(8, chapter.name + ": how many have how many points", (1,))
    most = max((sheet.max for sheet in chapter.sheets), default=1) or 1
    steps = [0] * 10
    for sheet in chapter.sheets:
        steps[min(9, int(10 * sheet.score / most))] += 1
    colors = [_by_share((step + 0.5) / 10) for step in range(10)]
    bars.bar(range(10), steps, width=0.9, color=colors, **EDGE)
    for step, count in enumerate(steps):
        if count:
            bars.text(step, count, f"{count}", ha="center", va="bottom", fontsize=style.SMALL_PT)
    bars.set_xticks(
        range(10),
        [f"{most * step / 10:g}–{most * (step + 1) / 10:g}" for step in range(10)],
        fontsize=style.SMALL_PT,
    )
    bars.set_xlabel(
        f"points of {most:g}, open answers that wait counted as 0", fontsize=style.SMALL_PT
    )
    bars.set_ylabel("students", fontsize=style.SMALL_PT)
    _count_in_whole(bars.yaxis)
    return _png(figure, (bars,))


def _say(axes, across: float, row: float, text: str, **look) -> None:
    look = {"color": style.INK, **look}
    axes.text(across, row, text, va="center", fontsize=style.SMALL_PT, **look)


def _count_in_whole(axis) -> None:
    """There are no half students."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def as_data_address(png: bytes) -> str:
    """A picture as the address of an <img> that needs nothing from anywhere."""
    return "data:image/png;base64," + base64.b64encode(png).decode()


def _figure(rows: float, title: str, widths: tuple[float, ...]):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(
        figsize=(style.WIDTH_IN * 1.25, 1.1 + ROW_IN * rows),
        dpi=style.DPI,
        facecolor=style.PAPER,
        layout="constrained",
    )
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
    figure.suptitle(
        title, x=0.01, ha="left", fontsize=style.FONT_PT + 2, fontfamily=style.FONT, color=style.INK
    )
    return figure, axes


def _png(figure, axes, rows: int = 0) -> bytes:
    for one in axes:
        for side in ("top", "right"):
            one.spines[side].set_visible(False)
        one.tick_params(length=0, colors=style.INK)
        one.tick_params(labelsize=style.SMALL_PT)
        if rows:
            one.set_ylim(rows - 0.4, -0.6)
    written = io.BytesIO()
    figure.savefig(written, format="png", metadata={"Software": None})
    return written.getvalue()


def _lines(text: str, most: int) -> list[str]:
    """A text in at most so many lines, with dots where it is cut."""
    return textwrap.wrap(text, 96, max_lines=most, placeholder=" ...")


def _by_share(share: float) -> str:
    return WELL if share >= 0.7 else HALF if share >= 0.4 else POORLY
