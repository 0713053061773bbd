"""Draws the connections of clients over time as a Gantt chart.

One row is one TCP connection of a client (one entry of Kafka's ``Selector``). The bar is its life,
the ticks under the bar are its requests, the cross is its end. Rows are sorted by the time of
opening. The data come from ``lab.sockets()``. This file only draws them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab
from .style import ALERT, INK, LOOKS, QUIET, SMALL_PT, WIDTH_IN, axis_unit, clock, look_of
from .time_axis import draw_time_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = {
    "idle": "closed, idle",
    "peer": "closed by the broker",
    "close": "closed by close()",
    "self": "closed by the client",
    "failed": "refused",
    "killed": "reset: the process was killed",
}


@dataclass(frozen=True)
class ConnectionRow:
    """One connection in the picture.

    Times in ms of the lab; ``closed_at_ms`` is None while open.
    """

    client: str
    node: str
    role: str
    broker: int | None
    purpose: str
    opened_at_ms: int
    closed_at_ms: int | None
    how: str | None
    requests_at_ms: tuple[int, ...]

    @property
    def label(self) -> str:
        """The row's name, as the client's lines write it: the node id, and where it leads."""
        where = "unknown" if self.broker is None else f"broker {self.broker}"
        extra = ", telemetry" if self.purpose == "telemetry" else ""
        return f"node {self.node} \N{RIGHTWARDS ARROW} {where} ({self.role}{extra})"

    @property
    def until(self) -> str:
        """The end of the row as the picture's margin says it."""
        return (
            "now: still open"
            if self.closed_at_ms is None
            else f"{clock(self.closed_at_ms)}: {self.how}"
        )

    @property
    def ending(self) -> str:
        """How the connection ended, in words."""
        if self.closed_at_ms is None:
            return "still open"
        return f"{ENDINGS.get(self.how or '', 'closed')} at {clock(self.closed_at_ms)}"


def rows(lab: ShownLab, client: str | None = None) -> list[ConnectionRow]:
    """The connections of one client (or of all), sorted by the time of opening."""
    opening, sent = lab.table("socket.opening"), lab.table("request.sent")
    socket_of = dict(zip(opening.get("id", ()), opening.get("socket", ())))
    requests: dict[object, list[int]] = {}
    for socket, at_ms in zip(sent.get("socket", ()), sent.get("at_ms", ())):
        requests.setdefault(socket, []).append(int(at_ms))
    return [
        ConnectionRow(
            s.client,
            str(s.node_id),
            s.role,
            s.broker,
            s.purpose,
            s.opened_at_ms,
            s.closed_at_ms,
            s.how,
            tuple(requests.get(socket_of.get(s.event_id), ())),
        )
        for s in sorted(lab.sockets(client), key=lambda s: (s.opened_at_ms, s.event_id))
    ]


def table_text(found: list[ConnectionRow]) -> str:
    """The text twin of a Gantt: one line a connection."""
    body = [
        (
            row.client,
            f"node {row.node}",
            row.role,
            "-" if row.broker is None else str(row.broker),
            clock(row.opened_at_ms),
            row.ending,
            str(len(row.requests_at_ms)),
        )
        for row in found
    ]
    return columns(body, ("client", "connection", "class", "broker", "opened", "end", "requests"))


def timeline(
    lab: ShownLab,
    client: str | None = None,
    *,
    from_ms: int = 0,
    to_ms: int | None = None,
    title: str | None = None,
) -> Picture:
    """Draw the life of every connection between two times of the lab
    (default: from the start until now)."""
    to_ms = lab.now_ms if to_ms is None else to_ms
    found = [
        row
        for row in rows(lab, client)
        if row.opened_at_ms <= to_ms and (row.closed_at_ms is None or row.closed_at_ms >= from_ms)
    ]
    height_in = 1.55 + 0.40 * max(1, len(found))
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.27, 0.62 / height_in, 0.50, 1 - 1.40 / height_in))
    draw_rows(axes, found, from_ms, to_ms)
    open_now = sum(row.closed_at_ms is None or row.closed_at_ms > to_ms for row in found)
    heading = title or (
        f"{len(found)} connection{'' if len(found) == 1 else 's'} opened, {open_now} open at "
        f"{clock(to_ms)}"
    )
    figure.text(0.012, 1 - 0.12 / height_in, heading, fontsize=12, weight="bold", va="top")
    draw_legend(figure, {row.role for row in found}, 1 - 0.46 / height_in)
    return Picture(figure, table_text(found), f"Connection Gantt: {heading}.")


def draw_rows(
    axes: Axes,
    found: list[ConnectionRow],
    from_ms: int,
    to_ms: int,
    boxed: frozenset[int] = frozenset(),
) -> None:
    """Draw the rows of a Gantt into `axes`; rows whose number is in `boxed` get a frame."""
    unit_ms, unit = axis_unit(to_ms - from_ms)
    span = max(1, to_ms - from_ms) / unit_ms
    several = len({row.client for row in found}) > 1
    for y, row in enumerate(found):
        look = look_of(row.role)
        closed_at_ms = to_ms if row.closed_at_ms is None else row.closed_at_ms
        start, end = max(row.opened_at_ms, from_ms) / unit_ms, min(closed_at_ms, to_ms) / unit_ms
        bar = (start, max(end - start, span * 0.004))
        axes.broken_barh(
            [bar],
            (y - 0.36, 0.46),
            facecolor=look.colour,
            edgecolor=INK,
            hatch=look.hatch,
            linewidth=0.8,
        )
        ticks = [at_ms / unit_ms for at_ms in row.requests_at_ms if from_ms <= at_ms <= to_ms]
        if ticks:
            axes.eventplot(
                ticks, lineoffsets=y + 0.23, linelengths=0.16, linewidths=0.8, colors=INK
            )
        if row.closed_at_ms is not None and row.closed_at_ms <= to_ms:
            axes.plot(
                [end],
                [y - 0.13],
                marker="x",
                color=ALERT,
                markersize=8,
                markeredgewidth=2,
                clip_on=False,
                zorder=4,
            )
        name = f"{row.client}: {row.label}" if several else row.label
        axes.text(
            -0.015,
            y - 0.1,
            name,
            transform=axes.get_yaxis_transform(),
            ha="right",
            va="center",
            fontsize=SMALL_PT,
        )
        note = f"{clock(row.opened_at_ms)} to {row.until}"
        axes.text(
            1.015,
            y - 0.1,
            note,
            transform=axes.get_yaxis_transform(),
            ha="left",
            va="center",
            fontsize=SMALL_PT,
            color=QUIET,
        )
        if y in boxed:
            frame(axes, y)
    axes.set_xlim(from_ms / unit_ms, from_ms / unit_ms + span * 1.005)
    axes.set_ylim(max(1, len(found)) - 0.5, -0.5)
    draw_time_axis(axes, unit)


def frame(axes: Axes, y: int) -> None:
    """Draw a box around one row and its label: this row differs."""
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle(
            (-0.525, y - 0.46),
            1.965,
            0.87,
            transform=axes.get_yaxis_transform(),
            fill=False,
            edgecolor=ALERT,
            linewidth=1.6,
            clip_on=False,
            zorder=5,
        )
    )


def draw_legend(figure: Figure, roles: set[str], y: float) -> None:
    """Name each class of connection that is in the picture, and the two signs."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    known = [look for role, look in LOOKS.items() if role in roles]
    handles: list[Artist] = [
        Patch(
            facecolor=look.colour,
            edgecolor=INK,
            hatch=look.hatch,
            label=f"{look.name}: {look.meaning}",
        )
        for look in known
    ]
    handles.append(Line2D([], [], color=INK, marker="|", linestyle="", label="a request"))
    handles.append(
        Line2D([], [], color=ALERT, marker="x", markeredgewidth=2, linestyle="", label="closed")
    )
    figure.legend(
        handles=handles,
        fontsize=SMALL_PT,
        handlelength=2.2,
        columnspacing=1.4,
        loc="upper left",
        bbox_to_anchor=(0.008, y),
        ncols=5,
        frameon=False,
    )
