"""Draws a night of consumer groups: the lag of each by minute, and below it what was found.

It takes small pandas frames of the log sets, and has the same content as text.

    from kafkalab.logsets.pictures import draw_night
    draw_night(logsets.lag_per_minute(lines).toPandas(), findings)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas

from kafkalab.views.picture import Picture, blank_figure, columns
from kafkalab.views.style import INK, QUIET, RULE, SMALL_PT, WIDTH_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TOLD = 40
# Okabe and Ito's, and a grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
DASHES = ("-", "--", "-.")
TOLD = ("finding", "first", "last")


def night_lag(by_minute: pandas.DataFrame) -> pandas.DataFrame:
    """The lag of each group, a row for each minute: the sum over its partitions.

    by_minute is a frame of logsets.lag_per_minute.
    """
    grouped = by_minute.dropna(subset=["group_id"]).groupby(["group_id", "minute"])["lag"].sum()
    return grouped.unstack("group_id")


def draw_night(
    by_minute: pandas.DataFrame,
    findings: pandas.DataFrame,
    *,
    until: pandas.Timestamp | None = None,
    title: str = "",
) -> Picture:
    """Draw the lag of each group by minute, and below it one lane for each finding.

    by_minute is a frame of logsets.lag_per_minute. findings has the columns finding, first and
    last. With a column group_id a lane has the colour of its group's curve. The three groups with
    the largest lag are named. until: draw only what was known then, on the scale of the whole
    night; the lag of a minute is known when the minute is over.
    """
    lag = night_lag(by_minute)
    largest = list(lag.max().sort_values(ascending=False, kind="stable").index[:3])
    span, most_lag = (lag.index.min(), lag.index.max()), lag.max().max()
    known = findings
    if until is not None:
        span = min(span[0], *findings["first"]), max(span[1], *findings["last"])
        lag = lag[lag.index + pandas.Timedelta(minutes=1) <= until]
        known = findings[findings["first"] <= until]
        known = known.assign(last=known["last"].where(known["last"] <= until, until))
    lanes = 0.30 * len(findings)
    height_in = 3.1 + lanes
    figure = blank_figure(WIDTH_IN, height_in)
    low = 0.45 / height_in
    lane_axes = figure.add_axes((0.20, low, 0.64, max(lanes, 0.01) / height_in))
    axes = figure.add_axes(
        (0.20, low + (lanes + 0.35) / height_in, 0.64, 1.8 / height_in), sharex=lane_axes
    )
    for group in lag.columns:
        if group not in largest:
            axes.plot(lag.index, lag[group], color=QUIET, linewidth=0.8)
    for number, group in enumerate(largest):
        axes.plot(lag.index, lag[group], color=COLOURS[number], linestyle=DASHES[number],
                  marker=".", label=group)  # fmt: skip
    if len(lag.columns) > len(largest):
        axes.plot([], [], color=QUIET, linewidth=0.8, label="other groups")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("lag, records", fontsize=SMALL_PT)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=SMALL_PT, frameon=False)
    least = (span[1] - span[0]) / 200
    places = {name: place for place, name in enumerate(findings["finding"])}
    colours = _lane_colours(findings, largest)
    for row in known.itertuples():
        place, wide = places[row.finding], max(row.last - row.first, least)
        lane_axes.barh([-place], [wide], left=[row.first], height=0.6, color=colours[place],
                       edgecolor=INK, linewidth=0.4)  # fmt: skip
        axes.axvspan(row.first, row.first + wide, color=colours[place], alpha=0.15, linewidth=0)
    if until is not None:
        axes.set_ylim(0, 1.05 * most_lag)
        lane_axes.set_xlim(span[0] - 4 * least, span[1] + 4 * least)
        for each in (axes, lane_axes):
            each.axvline(until, color=INK, linewidth=1.2)
    _labels(lane_axes, list(findings["finding"].astype(str)))
    _time_axis(lane_axes)
    axes.tick_params(labelbottom=False)
    lane_axes.tick_params(left=bool(lanes))
    lane_axes.spines["left"].set_visible(bool(lanes))
    title = title or "the lag of each group" + (
        ", and one lane for each finding" if len(findings) else ""
    )
    for each in figure.axes:
        _styled(each)
    figure.text(0.012, 1 - 0.10 / height_in, title, fontsize=12, weight="bold", va="top")
    curves = [
        (str(group), f"{minute:%H:%M}", f"{records:.0f}")
        for group in largest
        for minute, records in lag[group].dropna().items()
    ][:MOST_TOLD]
    text = columns(curves, ("group", "minute", "lag"))
    if len(known):
        text += f"\n\n{_told(known)}"
    highest = lag.max().dropna()
    most = "none"
    if len(highest):
        most = f"the largest is {highest.max():.0f} records, of {highest.idxmax()}"
    return Picture(figure, text, f"{title[0].upper()}{title[1:]}: {most}.")


def _lane_colours(findings: pandas.DataFrame, largest: list) -> list[str]:
    """A colour for each finding: that of its group's curve, or one that no curve has."""
    curves = dict(zip(largest, COLOURS))
    others = iter(COLOURS[len(largest) :] * len(findings))
    groups = findings.get("group_id", [None] * len(findings))
    return [curves.get(group) or next(others) for group in groups]


def _labels(axes: Axes, names: list[str]) -> None:
    axes.set_yticks([-place for place in range(len(names))], names, fontsize=SMALL_PT)
    axes.set_ylim(-len(names) + 0.4, 0.6)


def _time_axis(axes: Axes) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def _styled(axes: Axes) -> None:
    axes.tick_params(labelsize=SMALL_PT)
    axes.grid(axis="x", color=RULE, linewidth=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _told(rows: pandas.DataFrame) -> str:
    """The findings as a table, and how many more there are."""
    shown = [
        tuple(map(_text, row)) for row in rows[list(TOLD)].head(MOST_TOLD).itertuples(index=False)
    ]
    more = len(rows) - MOST_TOLD
    return columns(shown, TOLD) + (f"\n… and {more} more" if more > 0 else "")


def _text(value: Any) -> str:
    if pandas.isna(value):
        return "-"
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, pandas.Timestamp) else str(value)
