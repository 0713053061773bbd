"""Draws the frames of log sets: each picture takes a small aggregated pandas frame.

Each has the same content as text.

    from kafkalab.logsets import pictures
    pictures.draw_sockets(logsets.live_per_minute(lines).toPandas())
    pictures.draw_incidents(logsets.incidents(lines).toPandas())

Frames of more than MOST_ROWS rows are refused: aggregate them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pandas

from kafkalab.views.picture import Picture, blank_figure, columns
from kafkalab.views.style import ALERT, INK, QUIET, RULE, SMALL_PT, WIDTH_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ROWS, MOST_LABELS, MOST_TOLD = 5_000, 24, 40
# Okabe and Ito's, and a grey.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
DASHES = ("-", "--", "-.", ":")
HOW = {"committed": COLOURS[2], "aborted": COLOURS[1], "failed": ALERT, None: QUIET}


def draw_sockets(live: pandas.DataFrame) -> Picture:
    """Draw logsets.live_per_minute: a curve for each broker."""
    labelled = live.assign(
        label="broker "
        + live["broker"].map(lambda broker: "?" if pandas.isna(broker) else str(int(broker)))
    )
    return _curves(
        labelled,
        "minute",
        "live",
        "open sockets as each minute began",
        "sockets",
        ("minute", "label", "live"),
        steps=True,
    )


def draw_rebalances(grouped: pandas.DataFrame) -> Picture:
    """Draw logsets.group_rebalances: the times in which each group could not read, and the
    causes.
    """
    rows = grouped.assign(
        label=grouped["group_id"], end=grouped["resumed_at"], begin=grouped["began_at"]
    )
    return _bars(
        rows,
        "rebalances of each group",
        ("group_id", "generation", "began_at", "stopped_ms", "cause"),
        lambda row: _of(row.cause, causes(rows)),
        legend=causes(rows),
    )


def causes(rows: pandas.DataFrame) -> list:
    return sorted(rows["cause"].dropna().unique())


def draw_commits(committed: pandas.DataFrame) -> Picture:
    """Draw logsets.commits: the offset of each partition over time."""
    return _curves(
        _labelled(committed),
        "committed_at",
        "offset",
        "committed offsets",
        "offset",
        ("committed_at", "label", "offset", "gap_ms"),
        steps=True,
    )


def draw_lag(by_minute: pandas.DataFrame) -> Picture:
    """Draw logsets.lag_per_minute: the largest lag of each partition in each minute."""
    return _curves(
        _labelled(by_minute),
        "minute",
        "lag",
        "largest lag in each minute",
        "records",
        ("minute", "label", "lag", "lead"),
    )


def draw_producers(packed: pandas.DataFrame) -> Picture:
    """Draw logsets.producers: each producer's bytes by partition, and the size of its batches."""
    _small(packed)
    packed = packed.sort_values(["client_id", "topic", "partition"])
    named = list(dict.fromkeys(zip(packed["client_id"], packed["topic"])))[:MOST_LABELS]
    height_in = 1.1 + 0.34 * len(named)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.22, 0.5 / height_in, 0.74, 1 - 1.0 / height_in))
    for place, (client, topic) in enumerate(named):
        left = 0.0
        for number, row in enumerate(
            packed[(packed["client_id"] == client) & (packed["topic"] == topic)].itertuples()
        ):
            share = 0.0 if pandas.isna(row.share) else row.share
            axes.barh(
                [-place],
                [share],
                left=left,
                height=0.6,
                color=COLOURS[number % len(COLOURS)],
                edgecolor=INK,
                linewidth=0.5,
            )
            if share > 0.07:
                axes.text(
                    left + share / 2,
                    -place,
                    str(row.partition),
                    ha="center",
                    va="center",
                    fontsize=SMALL_PT,
                    color=INK,
                )
            left += share
    _labels(axes, [f"{client} {topic}" for client, topic in named])
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the bytes, by partition", fontsize=SMALL_PT)
    names = (
        "client_id",
        "topic",
        "partition",
        "records",
        "batches",
        "records_per_batch",
        "size_bytes",
        "retries",
        "share",
    )
    return _finished(figure, height_in, "how producers spread their records", packed, names)


def draw_transactions(ended: pandas.DataFrame) -> Picture:
    """Draw logsets.transactions: the duration and the result of each."""
    last = ended["ended_at"].max()
    rows = ended.assign(
        label=ended["transactional_id"], begin=ended["began_at"], end=ended["ended_at"].fillna(last)
    )
    ways = [how for how in HOW if how in set(ended["how"].where(ended["how"].notna(), None))]
    return _bars(rows, "transactions", ("transactional_id", "began_at", "took_ms", "how"),
                 lambda row: HOW.get(row.how if isinstance(row.how, str) else None, QUIET),
                 legend=[how or "not over" for how in ways],
                 colours=[HOW[how] for how in ways])  # fmt: skip


def draw_incidents(found: pandas.DataFrame) -> Picture:
    """Draw logsets.incidents: from the first to the last sign of each."""
    rows = found.sort_values(["first", "kind"]).assign(begin=found["first"], end=found["last"])
    whose = rows["group_id"].where(
        rows["group_id"].notna(), rows["clients"].map(lambda clients: ", ".join(list(clients)[:2]))
    )
    rows = rows.assign(label=rows["kind"] + ": " + whose.astype(str), whose=whose)
    kinds = sorted(rows["kind"].unique())
    return _bars(
        rows,
        "incidents",
        ("kind", "whose", "first", "last", "cause"),
        lambda row: _of(row.kind, kinds),
        wide=0.30,
    )


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
    lanes_alone = _finished(figure, height_in, title, known, ("finding", "first", "last"))
    curves = [
        (str(group), f"{minute:%H:%M}", f"{records:.0f}")
        for group in largest
        for minute, records in lag[group].dropna().items()
    ][:MOST_TOLD]
    text = columns(curves, ("group", "minute", "lag"))
    if len(known):
        text += f"\n\n{lanes_alone.text}"
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


def _labelled(rows: pandas.DataFrame) -> pandas.DataFrame:
    """The rows with a label: whose partition it is, a group's or else a client's."""
    owner = rows["group_id"].where(rows["group_id"].notna(), rows["client_id"]).astype(str)
    return rows.assign(label=owner + " " + rows["topic"] + "-" + rows["partition"].astype(str))


def _of(name: str, names: list) -> str:
    return COLOURS[names.index(name) % len(COLOURS)] if name in names else QUIET


def _small(rows: pandas.DataFrame) -> None:
    if len(rows) > MOST_ROWS:
        raise ValueError(
            f"{len(rows):,} rows are too many for a picture; aggregate them or take one "
            f"group's (at most {MOST_ROWS:,})."
        )


def _curves(
    rows: pandas.DataFrame,
    x: str,
    y: str,
    title: str,
    unit: str,
    told: tuple[str, ...],
    steps: bool = False,
) -> Picture:
    """A curve for each label, the largest first. Labels without space are only counted."""
    _small(rows)
    rows = rows.sort_values(["label", x])
    largest = (
        rows.groupby("label")[y]
        .max()
        .sort_values(ascending=False, kind="stable")
        .index[: len(COLOURS)]
    )
    height_in = 3.2
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.08, 0.16, 0.66, 0.70))
    for number, label in enumerate(largest):
        mine = rows[rows["label"] == label]
        axes.plot(mine[x], mine[y], color=COLOURS[number], linestyle=DASHES[number % len(DASHES)],
                  drawstyle="steps-post" if steps else "default",
                  marker="." if len(mine) < 60 else None, label=label)  # fmt: skip
    axes.set_ylim(bottom=0)
    axes.set_ylabel(unit, fontsize=SMALL_PT)
    _time_axis(axes)
    if len(largest):
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=SMALL_PT, frameon=False)
    more = rows["label"].nunique() - len(largest)
    return _finished(
        figure,
        height_in,
        title + (f" (the {len(largest)} largest; {more} more are not drawn)" if more > 0 else ""),
        rows,
        told,
    )


def _bars(
    rows: pandas.DataFrame,
    title: str,
    told: tuple[str, ...],
    colour: Callable,
    legend: Iterable = (),
    colours: Iterable | None = None,
    wide: float = 0.2,
) -> Picture:
    """A row for each label, a bar from begin to end for each of its rows.
    Bars too short to be seen get a tick's width."""
    _small(rows)
    named = list(dict.fromkeys(rows["label"].astype(str)))
    height_in = 1.2 + 0.30 * min(len(named), MOST_LABELS)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes(
        (wide, 0.5 / height_in, 0.97 - wide - (0.16 if legend else 0), 1 - 1.05 / height_in)
    )
    span = (rows["end"].max() - rows["begin"].min()) if len(rows) else pandas.Timedelta(0)
    least = max(span / 300, pandas.Timedelta("1ms"))
    for row in rows.itertuples():
        place = named.index(str(row.label))
        if place < MOST_LABELS:
            axes.barh(
                [-place],
                [max(row.end - row.begin, least)],
                left=[row.begin],
                height=0.6,
                color=colour(row),
                edgecolor=INK,
                linewidth=0.4,
            )
    _labels(axes, named[:MOST_LABELS])
    _time_axis(axes)
    if legend:
        from matplotlib.patches import Patch

        shades = colours or [COLOURS[number % len(COLOURS)] for number in range(len(list(legend)))]
        axes.legend([Patch(facecolor=shade, edgecolor=INK, linewidth=0.4) for shade in shades],
                    list(legend), loc="upper left",
                    bbox_to_anchor=(1.01, 1.0), fontsize=SMALL_PT, frameon=False)  # fmt: skip
    more = len(named) - MOST_LABELS
    return _finished(
        figure,
        height_in,
        title + (f" (the first {MOST_LABELS} of {len(named)})" if more > 0 else ""),
        rows,
        told,
    )


def _labels(axes: Axes, names: list[str]) -> None:
    axes.set_yticks([-place for place in range(len(names))], names, fontsize=SMALL_PT)
    axes.set_ylim(-len(names) + 0.4, 0.6)


def _time_axis(axes: Axes) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def _finished(
    figure: Figure, height_in: float, title: str, rows: pandas.DataFrame, told: tuple[str, ...]
) -> Picture:
    for axes in figure.axes:
        axes.tick_params(labelsize=SMALL_PT)
        axes.grid(axis="x", color=RULE, linewidth=0.5)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.text(0.012, 1 - 0.10 / height_in, title, fontsize=12, weight="bold", va="top")
    shown = [
        tuple(_text(value) for value in row)
        for row in rows[list(told)].head(MOST_TOLD).itertuples(index=False)
    ]
    text = columns(shown, told) + (
        f"\n… and {len(rows) - MOST_TOLD} more" if len(rows) > MOST_TOLD else ""
    )
    return Picture(figure, text, f"{title[0].upper()}{title[1:]}: {len(rows)} rows.")


def _text(value: Any) -> str:
    if value is None or (not isinstance(value, (list, tuple)) and pandas.isna(value)):
        return "-"
    if isinstance(value, pandas.Timestamp):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
