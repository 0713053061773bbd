"""Draws the pictures of the page from the report's tables: sockets, rebalances and commits."""

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kafkalab.logsets.explain.log_report import LogReport
from kafkalab.views.picture import Picture, blank_figure
from kafkalab.views.style import ALERT, INK, QUIET, RULE, SMALL_PT, WIDTH_IN, look_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

BARS = 60  # The most sockets in one picture.
ENDS = {"idle": "o", "peer": "X", "failed": "x", "self": "s", "close": "|"}
MEANINGS = {
    "idle": "idle limit",
    "peer": "the broker hung up",
    "failed": "never stood",
    "self": "the client gave up",
    "close": "close()",
}
WEIGHTS = {3: ALERT, 2: "#E69F00", 1: QUIET, 0: QUIET}
ROW_IN = 0.19
LABELS = 0.3  # The share of the width for the rows' names.
FITTING = 42  # The most characters of a name in that width.
ROOM = 0.2  # The share of a picture's width that a cause's words may take.


def pictures(story: LogReport) -> list[tuple[str, Picture]]:
    """(title, picture) for each table with enough rows."""
    if pd.isna(story.begins):
        return []  # lines without times have no clock to be drawn on
    found = [
        ("When it happened", clock_of_findings(story)),
        ("Sockets: what for, from when to when, and who ended them", socket_bars(story)),
        ("Open sockets per broker", open_sockets(story)),
        ("Rebalances: who stood still, and why", rounds(story)),
        ("Committed offsets", committed(story)),
    ]
    return [(title, picture) for title, picture in found if picture is not None]


def svg(picture: Picture) -> str:
    """A picture's SVG, the same bytes every time, without the XML declaration."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({"svg.hashsalt": "kafkalab", "svg.fonttype": "path"}):
        picture.figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _plain_axes(height_in: float, foot_in: float, both_in: float) -> tuple[Figure, Axes]:
    """Axes with room for the rows' names, below them, and above and below."""
    figure = blank_figure(WIDTH_IN, height_in)
    height_in = figure.get_figheight()
    axes = figure.add_axes((LABELS, foot_in / height_in, 0.97 - LABELS, 1 - both_in / height_in))
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=SMALL_PT, colors=INK)
    return figure, axes


def _axes(rows: int, story: LogReport, height_in: float | None = None) -> tuple[Figure, Axes, int]:
    """Axes whose x is the time of the log, and the seconds of a unit there."""
    figure, axes = _plain_axes(height_in or 0.9 + ROW_IN * max(rows, 4), 0.6, 0.95)
    axes.grid(axis="x", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    ends = max(_seconds(story, story.ends), 0.001)
    unit, name = (1, "s") if ends <= 300 else (60, "min") if ends <= 3 * 3600 else (3600, "h")
    axes.set_xlim(-0.01 * ends / unit, 1.01 * ends / unit)
    axes.set_xlabel(
        f"{name} after {story.begins:%Y-%m-%d %H:%M:%S} UTC", fontsize=SMALL_PT, color=QUIET
    )
    return figure, axes, unit


def _seconds(story: LogReport, moment: pd.Timestamp) -> float:
    return (moment - story.begins).total_seconds()


def socket_bars(story: LogReport) -> Picture | None:
    rows = (
        story.sockets.sort_values(["client_id", "opened_at"], kind="stable")
        .head(BARS)
        .reset_index(drop=True)
    )
    if rows.empty:
        return None
    figure, axes, unit = _axes(len(rows), story)
    for place, row in enumerate(rows.itertuples()):
        look = look_of(rows["class"][place])
        begin = _seconds(story, row.opened_at) / unit
        end = _seconds(story, story.ends if pd.isna(row.closed_at) else row.closed_at) / unit
        axes.barh(
            place,
            max(end - begin, 0),
            left=begin,
            height=0.62,
            color=look.colour,
            hatch=look.hatch,
            edgecolor="white",
            linewidth=0,
        )
        axes.plot([begin], [place], marker=".", color=look.colour, markersize=4)
        if row.how in ENDS:
            axes.plot(
                [end],
                [place],
                marker=ENDS[row.how],
                color=ALERT if row.how in ("peer", "failed", "self") else INK,
                markersize=5,
                linestyle="",
            )
    names = [
        (
            f"{row.client_id}  "
            f"{row.node_id}{'' if pd.isna(row.broker) else f' = broker {int(row.broker)}'}"
        )
        for row in rows.itertuples()
    ]
    axes.set_yticks(range(len(rows)), [_fitting(name) for name in names])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    seen = [how for how in ENDS if how in set(rows["how"])]
    _key(
        axes,
        [(look_of(role).colour, "s", role) for role in rows["class"].unique()]
        + [(INK, ENDS[how], MEANINGS[how]) for how in seen],
    )
    left = f" The first {BARS} of them are drawn." if len(story.sockets) > BARS else ""
    text = "\n".join(
        f"{name}: {row.how or 'still open'}" for name, row in zip(names, rows.itertuples())
    )
    return Picture(
        figure,
        text,
        f"{len(story.sockets)} socket{'' if len(story.sockets) == 1 else 's'}, a bar each from "
        f"opening to end.{left}",
    )


def open_sockets(story: LogReport) -> Picture | None:
    stood = story.sockets[story.sockets["how"].fillna("") != "failed"]
    if stood.empty:
        return None
    figure, axes, unit = _axes(0, story, 2.6)
    colours = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
    texts = []
    for place, (broker, of_broker) in enumerate(
        stood.groupby(
            stood["broker"].map(
                lambda broker: "unknown" if pd.isna(broker) else f"broker {int(broker)}"
            )
        )
    ):
        steps = (
            pd.concat(
                [
                    pd.Series(1, of_broker["opened_at"]),
                    pd.Series(-1, of_broker["closed_at"].dropna()),
                ]
            )
            .sort_index(kind="stable")
            .cumsum()
        )
        times = [_seconds(story, moment) / unit for moment in steps.index]
        end = _seconds(story, story.ends) / unit
        axes.step(
            [0, *times, end],
            [0, *steps, steps.iloc[-1]],
            where="post",
            color=colours[place % len(colours)],
            linewidth=1.6,
            label=broker,
        )
        texts.append(f"{broker}: at most {steps.max()}, {steps.iloc[-1]} at the end")
    axes.yaxis.set_major_locator(_whole())
    axes.set_ylim(bottom=0)
    axes.legend(
        fontsize=SMALL_PT, frameon=False, loc="upper left", ncols=6, bbox_to_anchor=(0, 1.18)
    )
    return Picture(
        figure,
        "\n".join(texts),
        f"How many sockets were open at each moment, by broker: {'; '.join(texts)}.",
    )


def clock_of_findings(story: LogReport) -> Picture | None:
    """Each finding on one clock, from its first sign to its last."""
    dated = [oddity for oddity in story.oddities if oddity.first]
    if not dated or pd.isna(story.begins):
        return None
    figure, axes, unit = _axes(len(dated) * 2, story)
    for place, oddity in enumerate(dated):
        begin = _seconds(story, _moment(oddity.first)) / unit
        end = _seconds(story, _moment(oddity.last or oddity.first)) / unit
        colour = WEIGHTS[oddity.weight]
        axes.plot([begin, end], [place, place], color=colour, linewidth=5, solid_capstyle="butt")
        axes.plot([begin], [place], marker="o", color=colour, markersize=6)
        is_late = begin > sum(axes.get_xlim()) / 2
        _word(axes, oddity.first[11:], (begin, place - 0.3), is_late)
    axes.set_yticks(range(len(dated)), [textwrap.fill(oddity.what, FITTING) for oddity in dated])
    axes.set_ylim(len(dated) - 0.4, -0.9)
    words = {ALERT: "costs data or time", "#E69F00": "look at it", QUIET: "good to know"}
    _key(axes, [(colour, "s", text) for colour, text in words.items()])
    text = "\n".join(
        f"{oddity.first}{f' to {oddity.last}' if oddity.last else ''}: {oddity.what}"
        for oddity in dated
    )
    return Picture(
        figure, text, "The findings on one clock: a dot is the first sign, a bar ends at the last."
    )


def _moment(printed: str) -> pd.Timestamp:
    return pd.Timestamp(printed.replace(",", "."))


def rounds(story: LogReport) -> Picture | None:
    rows = story.rebalances.dropna(subset=["began_at", "resumed_at"])
    if rows.empty:
        return None
    clients = list(dict.fromkeys(rows["client_id"]))[:BARS]
    figure, axes, unit = _axes(len(clients) * 2, story)
    causes: dict[int, list[tuple[float, str]]] = {}
    for row in rows[rows["client_id"].isin(clients)].itertuples():
        place = clients.index(row.client_id)
        begin = _seconds(story, row.began_at) / unit
        end = _seconds(story, row.resumed_at) / unit
        (bar,) = axes.barh(place, end - begin, left=begin, height=0.5, color="#F0E442")
        bar.set(edgecolor=INK, linewidth=0.4)
        if pd.notna(row.stopped_at):
            stopped = _seconds(story, row.stopped_at) / unit
            axes.barh(place, end - stopped, left=stopped, height=0.5, color=ALERT, linewidth=0)
        causes.setdefault(place, []).append((begin, str(row.cause or "")))
    whole = _seconds(story, story.ends) / unit
    for place, told in causes.items():
        for begin, words in _without_overlaps(told, whole):
            _word(axes, words, (begin, place - 0.34), begin > whole * (1 - ROOM))
    axes.set_yticks(range(len(clients)), [_fitting(name) for name in clients])
    axes.set_ylim(len(clients) - 0.4, -0.9)
    _key(
        axes,
        [
            ("#F0E442", "s", "rebalance, from its first line to the new partitions"),
            (ALERT, "s", "standing still without its partitions"),
        ],
    )
    text = "\n".join(
        f"{row.client_id} {row.began_at:%H:%M:%S}: {row.cause}, {row.stopped_ms} ms"
        for row in rows.itertuples()
    )
    return Picture(
        figure,
        text,
        f"{len(rows)} rebalance{'' if len(rows) == 1 else 's'}; red is time in which a member had "
        "given its partitions up and read nothing.",
    )


def _without_overlaps(told: list[tuple[float, str]], whole: float) -> list[tuple[float, str]]:
    """Words beside a bar, each at its time. Those of bars near each other are joined."""
    found: list[tuple[float, str]] = []
    for begin, words in sorted(told):
        if found and begin - found[-1][0] < ROOM * whole:
            if words not in found[-1][1]:
                found[-1] = found[-1][0], f"{found[-1][1]}, {words}"
        else:
            found.append((begin, words))
    return found


def committed(story: LogReport) -> Picture | None:
    rows = story.commits
    if rows.empty or (rows["to_offset"] == rows["from_offset"]).all():
        return None
    rows = rows.head(BARS).reset_index(drop=True)
    figure, axes = _plain_axes(0.8 + ROW_IN * max(len(rows), 4), 0.5, 0.6)
    widths = rows["to_offset"] - rows["from_offset"]
    axes.barh(np.arange(len(rows)), widths, left=rows["from_offset"], height=0.6, color="#56B4E9")
    whose = (
        rows["client_id"]
        + "  "
        + rows["topic"]
        + "-"
        + rows["partition"].astype("int64").astype(str)
    )
    axes.set_yticks(range(len(rows)), [_fitting(name) for name in whose])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.xaxis.set_major_locator(_whole())
    axes.set_xlabel("offsets, from the first commit to the last", fontsize=SMALL_PT, color=QUIET)
    text = "\n".join(
        f"{row.client_id} {row.topic}-{int(row.partition)}: {row.from_offset} to {row.to_offset}"
        for row in rows.itertuples()
    )
    return Picture(figure, text, f"How far the commits of {len(rows)} partitions went.")


def _whole() -> MaxNLocator:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True, nbins=8)


def _word(axes: Axes, words: str, at: tuple[float, float], is_late: bool) -> None:
    """Words at a place; late ones end there."""
    side = "right" if is_late else "left"
    axes.annotate(words, at, fontsize=SMALL_PT - 1.5, color=INK, va="bottom", ha=side)


def _key(axes: Axes, entries: list[tuple[str, str, str]]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=marker, linestyle="", markersize=6, label=label)
        for colour, marker, label in entries
    ]
    figure = axes.get_figure(root=True)
    assert figure is not None, "these axes lie in a figure"
    height = figure.get_figheight() * axes.get_position().height
    axes.legend(
        handles=handles,
        fontsize=SMALL_PT,
        frameon=False,
        loc="lower left",
        ncols=8,
        bbox_to_anchor=(-0.01, 1 + 0.02 / height),
        columnspacing=1.2,
        handletextpad=0.2,
    )


def _fitting(name: str) -> str:
    """A row's name, shortened to the space left of the axis.

    It keeps the end, because ids differ there.
    """
    return name if len(name) <= FITTING else "…" + name[1 - FITTING :]
