"""Draws one transactional id over time: its state at the coordinator, and one row a producer.

The strip is its state at the coordinator, with the producer epoch. An epoch that is too short for
its name has its number above the strip. A producer's row has the state
of its TransactionManager, and a mark for each batch that a leader appended for it (a triangle for
the marker that ends a transaction).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .argument_check import ONE, draws
from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab
from .style import ALERT, BLACK, INK, QUIET, SMALL_PT, WIDTH_IN, axis_unit, clock
from .time_axis import draw_time_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The same colour on both sides where both mean the same phase; the legend has a line for each side.
COLOURS = {
    "Empty": "#ffffff",
    "Ongoing": "#56B4E9",
    "PrepareCommit": "#F0E442",
    "PrepareAbort": "#E69F00",
    "CompleteCommit": "#009E73",
    "CompleteAbort": "#CC79A7",
    "PrepareEpochFence": "#999999",
    "UNINITIALIZED": "#999999",
    "INITIALIZING": "#d5d5d5",
    "READY": "#d3ece3",
    "IN_TRANSACTION": "#56B4E9",
    "COMMITTING_TRANSACTION": "#F0E442",
    "ABORTING_TRANSACTION": "#E69F00",
    "ABORTABLE_ERROR": "#D55E00",
    "FATAL_ERROR": "#b00020",
}
AT_COORDINATOR = "the coordinator"


@dataclass(frozen=True)
class Stretch:
    """A period in which `who` had the state `what`.

    note: the epoch, where the coordinator knows it.
    """

    who: str
    from_ms: int
    to_ms: int
    what: str
    note: str = ""


def stretches(lab: ShownLab, transactional_id: str) -> list[Stretch]:
    """The states of the id at its coordinator, then those of each producer that used it."""
    users = [
        event.who
        for event in lab.journal.of("call")
        if event.name == "new KafkaProducer"
        and event.args.get("transactional.id") == transactional_id
    ]
    rows: dict[str, list[tuple[int, str, str]]] = {AT_COORDINATOR: [], **{who: [] for who in users}}
    for event in lab.journal.of("state"):
        if event.machine == "transaction" and event.of == transactional_id:
            rows[AT_COORDINATOR].append((event.at_ms, event.after, f"epoch {event.epoch}"))
        elif event.machine == "transaction manager" and event.who in rows:
            rows[event.who].append((event.at_ms, event.after, ""))
    return [
        Stretch(who, at_ms, until_ms, what, note)
        for who, told in rows.items()
        for (at_ms, what, note), until_ms in zip(
            told, [at_ms for at_ms, *_ in told[1:]] + [lab.now_ms]
        )
    ]


@draws(ONE)
def transaction_timeline(
    lab: ShownLab,
    transactional_id: str,
    *,
    title: str | None = None,
    to_ms: int | None = None,
    paused: Mapping[str, tuple[int, int]] | None = None,
) -> Picture:
    """Draw the life of a transactional id from the start until now.

    paused: the time in which a producer's process is paused, {"old": (1_000, 7_000)}, in ms of
    the lab; such a time is hatched
    """
    found = stretches(lab, transactional_id)
    whos = list(dict.fromkeys([AT_COORDINATOR, *(stretch.who for stretch in found)]))
    to_ms = lab.now_ms if to_ms is None else to_ms
    unit_ms, unit = axis_unit(to_ms)
    height_in = 2.05 + 0.55 * len(whos)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.13, 0.56 / height_in, 0.84, 1 - 1.77 / height_in))
    for stretch in found:
        row = whos.index(stretch.who)
        axes.broken_barh(
            [(stretch.from_ms / unit_ms, (stretch.to_ms - stretch.from_ms) / unit_ms)],
            (row - 0.27, 0.54),
            linewidth=0.7,
            facecolor=COLOURS.get(stretch.what, "#dddddd"),
            edgecolor=INK,
        )
        if stretch.note and stretch.to_ms - stretch.from_ms > 0.08 * to_ms:
            axes.text(
                (stretch.from_ms + stretch.to_ms) / 2 / unit_ms,
                row,
                stretch.note,
                ha="center",
                va="center",
                fontsize=SMALL_PT,
                color=BLACK,
            )
    _epochs(axes, [each for each in found if each.who == AT_COORDINATOR], to_ms, unit_ms)
    for who, (begin_ms, end_ms) in (paused or {}).items():
        row = whos.index(who)
        axes.broken_barh(
            [(begin_ms / unit_ms, (end_ms - begin_ms) / unit_ms)],
            (row - 0.27, 0.54),
            facecolor="none",
            edgecolor=INK,
            hatch="////",
            linewidth=0,
        )
        axes.text(
            (begin_ms + end_ms) / 2 / unit_ms,
            row,
            "paused",
            ha="center",
            va="center",
            fontsize=SMALL_PT,
            color=INK,
            bbox={"facecolor": "#ffffff", "edgecolor": "none", "pad": 1.2},
        )
    ends = [event for event in lab.journal.of("record.appended") if "control" in event.fields]
    for event in ends:
        axes.plot(
            [event.at_ms / unit_ms],
            [-0.48],
            marker="v",
            color=_marker_colour(event.control),
            markeredgecolor=INK,
            markersize=7,
            clip_on=False,
            zorder=4,
        )
    for row, who in enumerate(whos):
        axes.text(
            -0.01,
            row,
            who,
            transform=axes.get_yaxis_transform(),
            ha="right",
            va="center",
            fontsize=SMALL_PT,
            weight="bold" if who == AT_COORDINATOR else "normal",
        )
    axes.set_xlim(0, to_ms / unit_ms)
    axes.set_ylim(len(whos) - 0.5, -1.1)
    draw_time_axis(axes, unit)
    heading = title or f"transactional id {transactional_id}"
    figure.text(0.012, 1 - 0.12 / height_in, heading, fontsize=12, weight="bold", va="top")
    at_coordinator = dict.fromkeys(
        stretch.what for stretch in found if stretch.who == AT_COORDINATOR
    )
    of_producers = dict.fromkeys(stretch.what for stretch in found if stretch.who != AT_COORDINATOR)
    _legend(
        figure, "coordinator", at_coordinator, {event.control for event in ends}, height_in, 0.42
    )
    _legend(figure, "producers", of_producers, set(), height_in, 0.64)
    rows = [(s.who, clock(s.from_ms), clock(s.to_ms), s.what, s.note) for s in found]
    rows += [
        (who, clock(begin_ms), clock(end_ms), "paused", "")
        for who, (begin_ms, end_ms) in (paused or {}).items()
    ]
    rows += [
        (
            "the log",
            clock(event.at_ms),
            "",
            f"{event.control} marker",
            f"epoch {event.producer_epoch}",
        )
        for event in ends
    ]
    return Picture(
        figure,
        columns(rows, ("who", "from", "to", "what", "epoch")),
        f"Transaction timeline: {heading}.",
    )


def _epochs(axes: Axes, strip: list[Stretch], to_ms: int, unit_ms: float) -> None:
    """Write the number of each epoch that has no room for its name, above the strip."""
    told = {each.note for each in strip if each.note and each.to_ms - each.from_ms > 0.08 * to_ms}
    short: dict[str, int] = {}
    for each in strip:
        if each.note and each.note not in told:
            short.setdefault(each.note, each.from_ms)
    # Numbers of the same moment are one label.
    groups: list[tuple[int, list[str]]] = []
    for note, at_ms in short.items():
        if groups and at_ms - groups[-1][0] < 0.05 * to_ms:
            groups[-1][1].append(note.removeprefix("epoch "))
        else:
            groups.append((at_ms, [note.removeprefix("epoch ")]))
    for at_ms, numbers in groups:
        axes.annotate(
            f"epoch {', '.join(numbers)}",
            (at_ms / unit_ms, -0.27),
            xytext=(10, 17),
            textcoords="offset points",
            ha="left",
            va="bottom",
            fontsize=SMALL_PT,
            color=INK,
            arrowprops={"arrowstyle": "-", "color": QUIET, "linewidth": 0.7},
        )


def _legend(
    figure: Figure,
    side: str,
    seen: dict[str, None],
    markers: set[str],
    height_in: float,
    down_in: float,
) -> None:
    """Draw one line of the legend: the states of one side, and its markers."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = [
        Patch(facecolor=COLOURS.get(what, "#dddddd"), edgecolor=INK, linewidth=0.7, label=what)
        for what in seen
    ]
    handles += [
        Line2D(
            [],
            [],
            color=_marker_colour(control),
            marker="v",
            markeredgecolor=INK,
            linestyle="",
            label=f"{control} marker",
        )
        for control in sorted(markers)
    ]
    y = 1 - down_in / height_in
    figure.text(0.012, y - 0.02 / height_in, side, fontsize=SMALL_PT, va="top", color=QUIET)
    figure.legend(
        handles=handles,
        fontsize=SMALL_PT,
        loc="upper left",
        bbox_to_anchor=(0.084, y),
        ncols=max(1, len(handles)),
        frameon=False,
        handlelength=1.3,
        handletextpad=0.5,
        columnspacing=0.9,
        labelcolor=QUIET,
        borderaxespad=0,
        borderpad=0.2,
    )


def _marker_colour(control: str) -> str:
    return ALERT if control == "ABORT" else COLOURS["CompleteCommit"]
