"""Draws a group's position and committed offset in one partition over time.

One line is the position of the group's members, in a colour for each member. The other is the
committed offset. The records between them are delivered again after a crash. Where a member dies,
this gap is a bar with its number of records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .argument_check import EITHER, draws
from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab
from .style import ALERT, INK, QUIET, RULE, SMALL_PT, WIDTH_IN, axis_unit, clock

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMMITTED = "#D55E00"
MEMBERS = (("#0072B2", "-"), ("#009E73", "-."), ("#8a4f7d", ":"), ("#595959", (0, (5, 1))))
"""Colour and line of the members, in the order of their first record."""


@dataclass(frozen=True)
class Path:
    """Both lines as (time, offset), and each death of a member as (time, name, position,
    committed). `readers` has the member of each point of `given`.
    """

    given: tuple[tuple[int, int], ...]
    committed: tuple[tuple[int, int], ...]
    deaths: tuple[tuple[int, str, int, int], ...]
    readers: tuple[str, ...] = ()


def path_of(lab: ShownLab, partition: str, group: str) -> Path:
    """A group's path in a partition ("orders-0"): position, committed offset, and killed
    members.
    """
    given: list[tuple[int, int]] = []
    committed: list[tuple[int, int]] = []
    readers: list[str] = []
    deaths: list[tuple[int, str, int, int]] = []
    members: set[str] = set()
    at: dict[str, int] = {}
    for event in lab.journal.of("call", "record.delivered", "commit", "fault"):
        tells = event.fields
        if (
            event.kind == "call"
            and tells["name"] == "new KafkaConsumer"
            and tells["args"].get("group.id") == group
        ):
            members.add(event.who)
        elif (
            event.kind == "record.delivered"
            and event.who in members
            and tells["partition"] == partition
        ):
            at[event.who] = tells["offset"] + 1
            given.append((event.at_ms, at[event.who]))
            readers.append(event.who)
        elif (
            event.kind == "commit"
            and "offset" in tells
            and tells["group"] == group
            and f"{tells['topic']}-{tells['partition']}" == partition
        ):
            committed.append((event.at_ms, tells["offset"]))
        elif event.kind == "fault" and tells["what"] == "kill -9" and event.who in members:
            deaths.append(
                (event.at_ms, event.who, at.get(event.who, 0), committed[-1][1] if committed else 0)
            )
    return Path(tuple(given), tuple(committed), tuple(deaths), tuple(readers))


@draws(EITHER)
def offset_paths(
    labs: Mapping[str, ShownLab] | ShownLab, partition: str, group: str, *, title: str | None = None
) -> Picture:
    """Draw the path of a group in one lab, or in several labs, one below the other with their
    names.
    """
    labs = labs if isinstance(labs, Mapping) else {"": labs}
    paths = {name: path_of(lab, partition, group) for name, lab in labs.items()}
    span_ms = max(lab.now_ms for lab in labs.values())
    top = max([offset for path in paths.values() for _, offset in path.given] + [1]) * 1.24
    unit_ms, unit = axis_unit(span_ms)
    each_in, above_in, below_in = 1.85, 0.42, 0.5
    height_in = above_in + each_in * len(paths) + below_in
    figure = blank_figure(WIDTH_IN, height_in)
    members = list(dict.fromkeys(who for path in paths.values() for who in path.readers))
    for row, (name, path) in enumerate(paths.items()):
        bottom_in = below_in + each_in * (len(paths) - 1 - row)
        axes = figure.add_axes((0.07, bottom_in / height_in, 0.90, (each_in - 0.45) / height_in))
        _panel(axes, name, path, members, unit_ms, labs[name].now_ms, span_ms / unit_ms, top)
        axes.set_xlim(0, span_ms / unit_ms)
        axes.set_ylim(0, top)
        if row < len(paths) - 1:
            axes.set_xticklabels([])
        else:
            axes.set_xlabel(f"time of the lab, {unit}", fontsize=SMALL_PT)
    heading = title or f"{partition}, group {group}"
    figure.text(0.012, 1 - 0.10 / height_in, heading, fontsize=12, weight="bold", va="top")
    named = {
        label: handle
        for axes in figure.axes
        for handle, label in zip(*axes.get_legend_handles_labels())
    }
    figure.legend(
        named.values(),
        named.keys(),
        fontsize=SMALL_PT,
        loc="upper right",
        bbox_to_anchor=(0.98, 1 - 0.06 / height_in),
        ncols=5,
        frameon=False,
        labelcolor=QUIET,
    )
    rows = [
        (
            name or "run",
            str(len(path.committed)),
            str(path.given[-1][1] if path.given else 0),
            str(path.committed[-1][1] if path.committed else 0),
            "; ".join(
                f"{who} at {clock(at_ms)}: position {position}, committed {done}"
                for at_ms, who, position, done in path.deaths
            )
            or "-",
        )
        for name, path in paths.items()
    ]
    return Picture(
        figure,
        columns(rows, ("run", "commits", "position", "committed", "killed")),
        f"Paths of position and committed offset: {heading}.",
    )


def _panel(
    axes: Axes,
    name: str,
    path: Path,
    members: list[str],
    unit_ms: float,
    end_ms: int,
    span: float,
    top: float,
) -> None:
    """Draw one lab's lines, a dot for each commit, and a bar where a member died."""
    gone_ms = {who: at_ms for at_ms, who, _, _ in path.deaths}
    for who in dict.fromkeys(path.readers):
        colour, line = MEMBERS[members.index(who) % len(MEMBERS)]
        points = [point for point, reader in zip(path.given, path.readers) if reader == who]
        _steps(
            axes,
            [(points[0][0], points[0][1] - 1), *points],
            gone_ms.get(who, end_ms),
            unit_ms,
            color=colour,
            linestyle=line,
            label=f"given to {who}",
        )
    _steps(
        axes,
        [(0, 0), *path.committed],
        end_ms,
        unit_ms,
        color=COMMITTED,
        linestyle="--",
        label="committed",
    )
    axes.plot(
        [at_ms / unit_ms for at_ms, _ in path.committed],
        [offset for _, offset in path.committed],
        linestyle="",
        marker="o",
        markersize=4.5,
        color=COMMITTED,
    )
    for place, (at_ms, who, position, done) in enumerate(path.deaths):
        axes.vlines(
            [at_ms / unit_ms],
            done,
            max(position, done + 1),
            color=ALERT,
            linewidth=5,
            alpha=0.55,
            label="dies: not committed" if place == 0 else "",
        )
        _say_beside(
            axes,
            f"{who} dies, {position - done} not committed",
            at_ms / unit_ms,
            done,
            position,
            span,
            top,
        )
    if name:
        axes.text(
            0,
            1.04,
            name,
            transform=axes.transAxes,
            fontsize=SMALL_PT + 1,
            weight="bold",
            color=INK,
            va="bottom",
        )
    axes.tick_params(labelsize=SMALL_PT)
    axes.set_ylabel("offset", fontsize=SMALL_PT)
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _steps(
    axes: Axes, points: list[tuple[int, int]], end_ms: int, unit_ms: float, **how: Any
) -> None:
    """Draw steps through (time, offset), and on to the end."""
    times = [at_ms / unit_ms for at_ms, _ in points]
    offsets = [offset for _, offset in points]
    axes.step(
        [*times, max(times[-1], end_ms / unit_ms)],
        [*offsets, offsets[-1]],
        where="post",
        linewidth=1.8,
        **how,
    )


def _say_beside(
    axes: Axes, text: str, x: float, done: int, position: int, span: float, top: float
) -> None:
    """Write words right of a bar, or left of it in the last quarter.

    They are between the two lines if there is room, else under or above both.
    """
    if position - done > 0.12 * top:
        y, below_pt, va = (done + position) / 2, 0, "center"
    elif done > 0.2 * top:
        y, below_pt, va = done, -5, "top"
    else:
        y, below_pt, va = position, 5, "bottom"
    is_late = x > 0.75 * span
    axes.annotate(
        text,
        (x, y),
        xytext=(-7 if is_late else 7, below_pt),
        textcoords="offset points",
        ha="right" if is_late else "left",
        va=va,
        fontsize=SMALL_PT + 0.5,
        color=ALERT,
    )
