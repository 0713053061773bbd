"""Draws one consumer's time since its last poll() against max.poll.interval.ms, and its heartbeats.

The line rises while the application is busy and drops to zero with each poll(). Where it crosses
the limit the client leaves its group by itself (KIP-62), and its heartbeats stop. They were in time
until then.

Under the heartbeats is the member's session, as its coordinator counts it: a bar from the last
heartbeat to the next one, where that is long. A cross at its end is the moment at which the
coordinator took the member out. A peak just below the limit has its distance from it in
milliseconds. Where all gaps are far below the limit the axis leaves it out.

The gap begins when poll() returns its records. Java's begins with the coordinator's poll inside
poll(), which is at most a few milliseconds earlier.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Field, Sheet
from .shown_lab import ShownLab, settings_of_consumers
from .style import ALERT, axis_unit, clock

BUSY, BEAT, LATE = "#0072B2", "#009E73", "#f6c9c0"
NEAR = 0.01
"""A gap within this share of the limit, and not above it, has its distance in words."""


@dataclass(frozen=True)
class Gap:
    """A period without poll(): from its return to the next call, or until now.

    `records` is the number of records that the poll() before it returned.
    """

    from_ms: int
    to_ms: int
    records: int

    @property
    def length_ms(self) -> int:
        return self.to_ms - self.from_ms


def poll_gaps(lab: ShownLab, client: str) -> list[Gap]:
    """The periods in which a consumer did not poll, without those of length 0.

    Raises IllegalArgumentException for a client that never polled.
    """
    calls = [
        (event.at_ms, int(event.args["timeout_ms"]))
        for event in lab.journal.of("call")
        if event.who == client and event.name == "poll"
    ]
    if not calls:
        raise IllegalArgumentException(f"No consumer {client} has polled in this lab.")
    delivered = [event.at_ms for event in lab.journal.of("record.delivered") if event.who == client]
    found = []
    for (at_ms, timeout_ms), (next_ms, _) in zip(calls, [*calls[1:], (lab.now_ms, 0)]):
        mine = delivered[bisect_right(delivered, at_ms - 1) : bisect_right(delivered, next_ms)]
        mine = [moment for moment in mine if moment == mine[0]]
        returned_ms = mine[0] if mine else min(at_ms + timeout_ms, next_ms)
        if next_ms > returned_ms:
            found.append(Gap(returned_ms, next_ms, len(mine)))
    return found


def heartbeat_times(lab: ShownLab, client: str) -> list[int]:
    """The times at which a consumer's heartbeats were answered, in either protocol."""
    return [
        event.at_ms
        for event in lab.journal.of("response.received")
        if event.who == client and event.api in ("HEARTBEAT", "CONSUMER_GROUP_HEARTBEAT")
    ]


def evictions(lab: ShownLab, client: str) -> list[int]:
    """The times at which a consumer left its group because it had not polled."""
    return [
        event.at_ms
        for event in lab.journal.of("line")
        if event.who == client
        and event.fields["level"] == "WARN"
        and "poll timeout has expired" in event.fields["message"]
    ]


@dataclass(frozen=True)
class Session:
    """A silence of a member at its coordinator: from its last heartbeat to the next one.

    `ran_out`: the coordinator took the member out at to_ms.
    """

    from_ms: int
    to_ms: int
    ran_out: bool


def sessions(lab: ShownLab, client: str) -> list[Session]:
    """The silences of a member that lasted more than half of its session, or that ended it."""
    beats = [
        event.at_ms
        for event in lab.journal.of("request.received")
        if event.client == client
        and event.api in ("HEARTBEAT", "CONSUMER_GROUP_HEARTBEAT", "JOIN_GROUP", "SYNC_GROUP")
    ]
    own: dict[str, int] = {}
    found = []
    for event in lab.journal.of("group.member", "state"):
        if event.kind == "group.member":
            if event.client_id == client:
                own[event.member] = int(event.fields.get("session_timeout_ms") or 0)
            continue
        reason = str(event.fields.get("reason", ""))
        member = next((each for each in own if each in reason), None)
        if member is not None and "session" in reason and "expired" in reason:
            last = max((at_ms for at_ms in beats if at_ms < event.at_ms), default=event.at_ms)
            found.append(Session(last, event.at_ms, ran_out=True))
    limit_ms = max(own.values(), default=0)
    ended = {each.from_ms for each in found}
    if limit_ms:
        found += [
            Session(begin, end, ran_out=False)
            for begin, end in pairwise(beats)
            if end - begin > limit_ms / 2 and begin not in ended
        ]
    return sorted(found, key=lambda each: each.from_ms)


@draws(ONE)
def poll_gap(
    lab: ShownLab,
    client: str,
    *,
    from_ms: int = 0,
    to_ms: int | None = None,
    title: str | None = None,
    limit: bool | None = None,
) -> Picture:
    """Draw one consumer's time since its last poll() between two times of the
    lab (default: from the start until now).

    limit: whether the axis goes up to max.poll.interval.ms (default: where a gap is longer than a
    quarter of it)
    """
    to_ms = lab.now_ms if to_ms is None else to_ms
    shown = [gap for gap in poll_gaps(lab, client) if gap.from_ms < to_ms and gap.to_ms > from_ms]
    limit_ms = _limit_ms(lab, client)
    beats = [at_ms for at_ms in heartbeat_times(lab, client) if from_ms <= at_ms <= to_ms]
    left = [at_ms for at_ms in evictions(lab, client) if from_ms <= at_ms <= to_ms]
    clocks = [each for each in sessions(lab, client) if each.from_ms < to_ms]
    clocks = [each for each in clocks if each.to_ms > from_ms]
    longest_ms = max([min(gap.to_ms, to_ms) - gap.from_ms for gap in shown], default=0)
    shows_limit = longest_ms > 0.25 * limit_ms or not shown if limit is None else limit
    high_ms = (max(limit_ms, longest_ms) if shows_limit else max(longest_ms, 1_000)) * 1.22
    tall_ms, tall = axis_unit(high_ms)
    low_in = 0.4 if clocks else 0
    height_in = 3.45 + low_in
    heading = title or f"{client}: time since the last poll"
    sheet = Sheet(heading, height_in, down_in=0.12)
    sheet.note(
        f"{'- - -  ' if shows_limit else ''}max.poll.interval.ms is {clock(limit_ms)}"
        + ("      X  gives up its membership" if left else ""),
        0.38,
        left=0.97,
        align="right",
        colour=ALERT,
    )
    field = sheet.field(0.13, 0.84, 1.0 + low_in, high_in=height_in - 1.60 - low_in)
    below = sheet.field(0.13, 0.84, 0.5, high_in=0.36 + low_in)
    for each in (field, below):
        each.clock(from_ms, to_ms)
    for gap in shown:
        _climb(field, gap, min(gap.to_ms, to_ms), limit_ms, tall_ms)
        short_ms = limit_ms - gap.length_ms
        if gap.to_ms <= to_ms and 0 <= short_ms <= NEAR * limit_ms:
            field.near(gap.to_ms, gap.length_ms / tall_ms, f"{short_ms:,} ms left", (0, 5),
                       align="center", level="bottom", colour=ALERT)  # fmt: skip
    if shows_limit:
        field.along(limit_ms / tall_ms, ALERT, line="--")
    field.marks(left, limit_ms / tall_ms, "X", ALERT, 9, layer=5)
    field.limits(y=(0, high_ms / tall_ms))
    field.height_axis(f"since the last poll, {tall}")
    below.limits(y=(-3.4 if clocks else -1, 1))
    below.marks(beats, 0, "|", BEAT, 12, pen=1.1)
    below.marks(left, 0, "X", ALERT, 9)
    below.beside(0, "heartbeats", colour=BEAT, bold=True)
    _clock(below, clocks, from_ms, to_ms)
    below.time_axis(edges=("left", "bottom"))
    rows = [
        (
            clock(gap.from_ms),
            clock(gap.to_ms),
            clock(gap.length_ms),
            str(gap.records),
            "over the limit" if gap.length_ms > limit_ms else "",
        )
        for gap in shown
    ]
    said = f"\n{len(beats)} heartbeats answered" + "".join(
        f"; gave up its membership at {clock(at_ms)}" for at_ms in left
    )
    said += "".join(
        f"; no heartbeat from {clock(each.from_ms)} on, "
        + (f"taken out at {clock(each.to_ms)}" if each.ran_out else f"until {clock(each.to_ms)}")
        for each in clocks
    )
    times = f"{len(left)} time{'' if len(left) == 1 else 's'}"
    return sheet.picture(
        "Poll gap",
        rows,
        ("poll returned", "next poll", "gap", "records", f"limit {clock(limit_ms)}"),
        more=f"; {len(beats)} heartbeats, gave up its membership {times}",
        below=said,
    )


def _limit_ms(lab: ShownLab, client: str) -> int:
    return int(settings_of_consumers(lab)[client].get("max.poll.interval.ms", 300_000))


def _climb(field: Field, gap: Gap, until_ms: int, limit_ms: int, tall_ms: float) -> None:
    """Draw a gap as a slope. The part above the limit is filled and hatched."""
    begin_ms, top = gap.from_ms, (until_ms - gap.from_ms) / tall_ms
    field.area([begin_ms, until_ms], [0, top], [0, 0], colour=BUSY, edge=BUSY, alpha=0.18)
    foot = 0 if until_ms == gap.to_ms else top
    field.line([begin_ms, until_ms, until_ms], [0, top, foot], BUSY)
    if until_ms - begin_ms > limit_ms:
        limit = limit_ms / tall_ms
        field.area([begin_ms + limit_ms, until_ms], [limit, limit], [limit, top], colour=LATE,
                   edge=ALERT, hatch="////")  # fmt: skip


def _clock(below: Field, clocks: list[Session], from_ms: int, to_ms: int) -> None:
    """Draw the silences under the heartbeats, with a cross where the coordinator ended one."""
    for each in clocks:
        begin, end = max(each.from_ms, from_ms), min(each.to_ms, to_ms)
        colour = LATE if each.ran_out else "#ffffff"
        below.span(begin, end, -2.3, 1.4, colour=colour, edge=ALERT, pen=0.8)
        if each.ran_out and each.to_ms <= to_ms:
            below.marks([end], -2.3, "x", ALERT, 8, pen=2, cut=False)
        words = f"{(each.to_ms - each.from_ms) / 1_000:.1f} s silent" + (
            ", then taken out" if each.ran_out else ""
        )
        is_late = end - from_ms > 0.7 * (to_ms - from_ms)
        below.near(begin if is_late else end, -2.3, words, (-8 if is_late else 8, 0),
                   align="right" if is_late else "left", colour=ALERT)  # fmt: skip
    if clocks:
        below.near(-0.01, 0.22, "session", (0, 0), of_edges="xy", align="right", bold=True,
                   colour=ALERT)  # fmt: skip
