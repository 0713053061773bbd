"""Draws the owner of each partition over time: one lane a partition, a gap where it has no owner.

The gaps are the cost of a rebalance: no consumer reads a partition without an owner. A bar begins
where the consumer takes the partition over, and ends where it gives it up. Both times are the
consumer's, not the coordinator's. An owner is not always a reader: a bar is hatched where records
wait in the partition and its owner gets none for more than a second. A tick at the bar's foot is a
poll() of its owner, where the owner polls seldom.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .assignment_matrix import COLOURS
from .picture import Picture
from .sheet import Paper, Sheet
from .shown_lab import ShownLab, ToldLab, has_journal, topic_and_number
from .style import ALERT, QUIET, SMALL_PT, clock

IDLE_MS = 1_000
"""Records that wait longer than this with an owner count as owned and not read."""
CHANGED = re.compile(
    r"(Adding|Setting|Revoke|Revoking|Lost) (?:newly|previously) assigned partitions:? ?\[?([^\]]*)"
)
TAKEN = ("Adding", "Setting")
"""The words of a consumer's line when it takes partitions; with the others it gives them up."""
MOST_POLLS = 40
"""A member with more polls in the picture has no ticks: it polls all the time."""


@dataclass(frozen=True)
class Holding:
    """A period in which `who` owned a partition."""

    partition: str
    who: str
    from_ms: int
    to_ms: int


def holdings(lab: ShownLab, group: str) -> list[Holding]:
    """The periods in which each consumer of a group owned a partition, sorted by their
    beginning.
    """
    if not has_journal(lab):
        return _held_by_lines(lab, group)
    clients = lab.at(lab.now_ms)["clients"]
    members = {who for who, client in clients.items() if client["config"].get("group.id") == group}
    open_: dict[tuple[str, str], int] = {}
    found: list[Holding] = []
    for event in lab.journal.of("assigned", "fault"):
        if event.who not in members or (event.kind == "fault" and event.what != "kill -9"):
            continue
        has = set(event.partitions) if event.kind == "assigned" else set()
        for who, tp in [key for key in open_ if key[0] == event.who and key[1] not in has]:
            found.append(Holding(tp, who, open_.pop((who, tp)), event.at_ms))
        for tp in has:
            open_.setdefault((event.who, tp), event.at_ms)
    return _with_those_open(found, open_, lab.now_ms)


def _with_those_open(
    found: list[Holding], open_: dict[tuple[str, str], int], now_ms: int
) -> list[Holding]:
    found += [Holding(tp, who, begun_ms, now_ms) for (who, tp), begun_ms in open_.items()]
    return sorted(
        found, key=lambda each: (each.from_ms, topic_and_number(each.partition), each.who)
    )


def _held_by_lines(lab: ShownLab, group: str) -> list[Holding]:
    """The same for a lab that knows only what its clients and its user say."""
    kills = lab.table("fault").query("what == 'kill -9'")
    told = [(int(row.at_ms), str(row.who), "end", "") for row in kills.itertuples()]
    own: set[str] = set()
    for row in cast(ToldLab, lab).lines().itertuples():
        change = CHANGED.search(row.message)
        if change and f"groupId={group}]" in row.message:
            told.append((int(row.at_ms), str(row.client), change[1], change[2]))
            own.add(str(row.client))
    open_: dict[tuple[str, str], int] = {}
    found: list[Holding] = []
    for at_ms, who, what, names in sorted(told, key=lambda each: each[0]):
        places = [name.strip() for name in names.split(",") if name.strip()]
        if what == "end":
            places = [tp for owner, tp in open_ if owner == who]
        for tp in places:
            if what in TAKEN:
                open_.setdefault((who, tp), at_ms)
            elif (who, tp) in open_:
                found.append(Holding(tp, who, open_.pop((who, tp)), at_ms))
    return _with_those_open(found, open_, lab.now_ms)


def gaps(found: list[Holding], from_ms: int, to_ms: int) -> dict[str, list[tuple[int, int]]]:
    """partition -> the periods between two times without an owner, after its first owner."""
    missing: dict[str, list[tuple[int, int]]] = {}
    for tp in sorted({each.partition for each in found}, key=topic_and_number):
        held = sorted((each.from_ms, each.to_ms) for each in found if each.partition == tp)
        end_ms, missing[tp] = held[0][1], []
        for begin, end in [*held[1:], (to_ms, to_ms)]:
            if begin > end_ms and min(begin, to_ms) > max(end_ms, from_ms):
                missing[tp].append((max(end_ms, from_ms), min(begin, to_ms)))
            end_ms = max(end_ms, end)
    return missing


def unread(lab: ShownLab, found: list[Holding]) -> dict[str, list[tuple[int, int]]]:
    """partition -> the periods in which it had an owner and records for it, and nobody read them.

    Periods of IDLE_MS or less are left out. The marker that ends a transaction is no record.
    """
    if not has_journal(lab):  # lines do not tell which records are read
        return {each.partition: [] for each in found}
    steps: dict[str, list[tuple[int, str, int, str]]] = {each.partition: [] for each in found}
    markers = {
        (f"{event.topic}-{event.partition}", event.base_offset)
        for event in lab.journal.of("record.appended")
        if "control" in event.fields
    }
    for event in lab.journal.of("log.ends", "record.delivered"):
        if event.kind == "log.ends":
            tp = f"{event.topic}-{event.partition}"
            if tp in steps:
                end = event.high_watermark
                while (tp, end - 1) in markers:
                    end -= 1
                steps[tp].append((event.at_ms, "end", end, ""))
        elif event.partition in steps:
            steps[event.partition].append((event.at_ms, "read", event.offset + 1, event.who))
    waits: dict[str, list[tuple[int, int]]] = {tp: [] for tp in steps}
    for holding in found:
        end, position, since = 0, None, None
        for at_ms, what, offset, who in steps[holding.partition]:
            if at_ms > holding.to_ms:
                break
            if what == "end":
                end = offset
            else:
                position = offset
            if at_ms < holding.from_ms:
                continue
            begins = max(at_ms, holding.from_ms)
            if what == "read" and who == holding.who:
                if since is not None and begins - since > IDLE_MS:
                    waits[holding.partition].append((since, begins))
                since = begins if end > offset else None
            elif since is None and end > (position or 0):
                since = begins
        if since is not None and holding.to_ms - since > IDLE_MS:
            waits[holding.partition].append((since, holding.to_ms))
    return waits


def polls(lab: ShownLab, members: list[str], from_ms: int, to_ms: int) -> dict[str, list[int]]:
    """Member -> the times of its calls of poll() between two times, for one that polls seldom."""
    times: dict[str, list[int]] = {who: [] for who in members}
    if not has_journal(lab):
        return {}
    for event in lab.journal.of("call"):
        if event.name == "poll" and event.who in times and from_ms <= event.at_ms <= to_ms:
            times[event.who].append(event.at_ms)
    return {who: found for who, found in times.items() if len(found) <= MOST_POLLS}


@draws(ONE)
def ownership(
    lab: ShownLab,
    group: str,
    from_ms: int = 0,
    to_ms: int | None = None,
    title: str | None = None,
    *,
    room_to_ms: int | None = None,
) -> Picture:
    """Draw a group's partitions between two times of the lab (default: from the start until now).

    room_to_ms: the end of the time axis, where it is later than to_ms; a line then marks to_ms

    Raises IllegalArgumentException where no consumer has owned a partition.
    """
    to_ms = lab.now_ms if to_ms is None else to_ms
    found = holdings(lab, group)
    if not found:
        raise IllegalArgumentException(f"no consumer of a group {group!r} has owned partitions yet")
    missing = gaps(found, from_ms, to_ms)
    idle = {
        tp: [
            (max(begin, from_ms), min(end, to_ms))
            for begin, end in spans
            if end > from_ms and begin < to_ms
        ]
        for tp, spans in unread(lab, found).items()
    }
    rows, members = list(missing), sorted({each.who for each in found})
    lost_ms = sum(end - begin for spans in missing.values() for begin, end in spans)
    cost = f"all partitions together were without an owner for {clock(lost_ms)} (crossed out)"
    idle_ms = sum(end - begin for spans in idle.values() for begin, end in spans)
    if idle_ms:
        cost += f"; owned and not read for {clock(idle_ms)} (hatched)"
    seldom = polls(lab, members, from_ms, to_ms)
    ticked = ", ".join(sorted(who for who, times in seldom.items() if times))
    heading = title or f"group {group}: who has which partition"
    sheet = Sheet(heading, 1.42 + 0.30 * len(rows))
    sheet.note(f"{cost}; ticks: poll() of {ticked}" if ticked else cost, 0.40)
    field = sheet.field(0.11, 0.87, 0.56, high_in=0.30 * len(rows))
    field.clock(from_ms, to_ms, room_to_ms=room_to_ms)
    field.limits(y=(len(rows) - 0.5, -0.5))
    for each in found:
        colour = COLOURS[members.index(each.who) % len(COLOURS)]
        field.span(
            each.from_ms,
            each.to_ms,
            rows.index(each.partition),
            0.8,
            each.who,
            needs=0.0135 * len(each.who),
            colour=colour,
            pen=0.5,
            paper=Paper(colour, 0.8, 0.85),
        )
    for each in found:
        own = [at for at in seldom.get(each.who, ()) if each.from_ms <= at <= each.to_ms]
        field.ticks(own, rows.index(each.partition) + 0.26, 0.28, pen=1.6)
    for y, tp in enumerate(rows):
        for begin, end in idle[tp]:
            field.span(begin, end, y, 0.8, colour="none", edge=QUIET, hatch="///", pen=0,
                       layer=1.5)  # fmt: skip
        for begin, end in missing[tp]:
            field.span(begin, end, y, 0.8, colour="#ffffff", edge=ALERT, hatch="xxx", pen=0)
    field.time_axis()
    field.row_names(rows, SMALL_PT + 0.5)
    told = [(each.partition, each.from_ms, each.to_ms, each.who) for each in found]
    for words, spans in (("nobody", missing), ("owned, not read", idle)):
        told += [(tp, begin, end, words) for tp, own in spans.items() for begin, end in own]
    told.sort(key=lambda span: (topic_and_number(span[0]), span[1], span[3]))
    return sheet.picture(
        "Ownership",
        [(tp, clock(begin), clock(end), who) for tp, begin, end, who in told],
        ("partition", "from", "to", "whose"),
        more=f"; {cost}",
    )
