"""Draws a group's position and committed offset in one partition over time.

One line is the position of the group's members, in a colour for each member. The other is the
committed offset. The records between them are delivered again after a crash. Where a member dies,
this gap is a bar with its number of records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .argument_check import EITHER, draws
from .picture import Picture
from .sheet import Dash, Field, Level, Paper, Sheet
from .shown_lab import ShownLab, members_of
from .style import ALERT, QUIET, SMALL_PT, clock

COMMITTED = "#D55E00"
MEMBERS: tuple[tuple[str, Dash], ...] = (
    ("#0072B2", "-"),
    ("#009E73", "-."),
    ("#8a4f7d", ":"),
    ("#595959", (0, (5, 1))),
)
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
    members = members_of(lab, group)
    at: dict[str, int] = {}
    for event in lab.journal.of("record.delivered", "commit", "fault"):
        tells = event.fields
        if (
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
    each_in, above_in, below_in = 1.85, 0.62, 0.5
    height_in = above_in + each_in * len(paths) + below_in
    sheet = Sheet(title or f"{partition}, group {group}", height_in)
    members = list(dict.fromkeys(who for path in paths.values() for who in path.readers))
    for row, (name, path) in enumerate(paths.items()):
        low_in = below_in + each_in * (len(paths) - 1 - row)
        field = sheet.field(0.07, 0.90, low_in, high_in=each_in - 0.45)
        field.clock(0, span_ms)
        field.limits(y=(0, top))
        _panel(field, path, members, labs[name].now_ms, span_ms, top)
        if name:
            field.near(0, 1.04, name, (0, 0), of_edges="xy", level="bottom", size=SMALL_PT + 1,
                       bold=True)  # fmt: skip
        field.chart("offset", labelled=row == len(paths) - 1)
    sheet.legend(0.30, left=0.98, corner="upper right", colour=QUIET)
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
    return sheet.picture(
        "Paths of position and committed offset",
        rows,
        ("run", "commits", "position", "committed", "killed"),
    )


def _panel(
    field: Field, path: Path, members: list[str], end_ms: int, span_ms: int, top: float
) -> None:
    """Draw one lab's lines, a dot for each commit, and a bar where a member died."""

    def steps(
        points: list[tuple[int, int]], until_ms: int, label: str, colour: str, line: Dash
    ) -> None:
        """Draw steps through (time, offset), and on to the end."""
        times, offsets = [at_ms for at_ms, _ in points], [offset for _, offset in points]
        field.line([*times, max(times[-1], until_ms)], [*offsets, offsets[-1]], colour, pen=1.8,
                   line=line, steps=True)  # fmt: skip
        field.sheet.key_line(label, colour, line=line, pen=1.8)

    gone_ms = {who: at_ms for at_ms, who, _, _ in path.deaths}
    for who in dict.fromkeys(path.readers):
        points = [point for point, reader in zip(path.given, path.readers) if reader == who]
        before = (points[0][0], points[0][1] - 1)
        look = MEMBERS[members.index(who) % len(MEMBERS)]
        steps([before, *points], gone_ms.get(who, end_ms), f"given to {who}", *look)
    steps([(0, 0), *path.committed], end_ms, "committed", COMMITTED, "--")
    times, offsets = [at_ms for at_ms, _ in path.committed], [done for _, done in path.committed]
    field.marks(times, offsets, "o", COMMITTED, 4.5)
    for at_ms, who, position, done in path.deaths:
        high = max(position, done + 1)
        field.line([at_ms] * 2, [done, high], ALERT, pen=5, alpha=0.55, flat=True)
        field.sheet.key_bar("dies: not committed", ALERT, pen=5, alpha=0.55)
        words = f"{who} dies, {position - done} not committed"
        _say_beside(field, words, at_ms, done, position, at_ms > 0.75 * span_ms, top)


def _say_beside(
    field: Field, words: str, at_ms: int, done: int, position: int, is_late: bool, top: float
) -> None:
    """Write words right of a bar, or left of one that is late.

    They are between the two lines if there is room, else under or above both.
    """
    place: tuple[float, float, Level]
    if position - done > 0.12 * top:
        place = (done + position) / 2, 0, "center"
    elif done > 0.2 * top:
        place = done, -5, "top"
    else:
        place = position, 5, "bottom"
    y, up_pt, level = place
    field.near(
        at_ms,
        y,
        words,
        (-7 if is_late else 7, up_pt),
        align="right" if is_late else "left",
        level=level,
        size=SMALL_PT + 0.5,
        colour=ALERT,
        paper=Paper(),
    )
