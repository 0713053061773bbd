"""Draws a consumer group over time: its state at the coordinator, and one row a member.

A full bar is a member that owns partitions and reads. An open bar is a member that has joined and
waits for the others, or owns nothing. A gap is a member outside the group. The strip above is the
group's state at its coordinator, in either protocol. On request each member's heartbeats are under
its bar. Those whose answer is REBALANCE_IN_PROGRESS have another mark.

The end of a row is a square where close() ended it, a cross where the process was killed, and an
open circle where the program goes on outside the group. A crossed bar is a ghost: the coordinator
still counts a member that is dead, or that came back under another member id. The line above it is
its session, from its last heartbeat until the coordinator takes it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Field, Sheet
from .shown_lab import ShownLab, settings_of_consumers
from .style import ALERT, BLACK, INK, QUIET, clock

if TYPE_CHECKING:
    from kafkalab.sim.journal import Event

READS, WAITS, IDLE, GHOST = "reads", "joins", "owns nothing", "ghost"
CLOSED, KILLED, OUTSIDE = "closed", "killed", "outside the group, alive"
# marker, size, colour, colour of the inside
ENDS = {
    CLOSED: ("s", 7, INK, INK),
    KILLED: ("x", 8, ALERT, ALERT),
    OUTSIDE: ("o", 7, ALERT, "#ffffff"),
}
STATE_COLOURS = {
    "Empty": "#ffffff",
    "PreparingRebalance": "#E69F00",
    "CompletingRebalance": "#F0E442",
    "Assigning": "#E69F00",
    "Reconciling": "#F0E442",
    "Stable": "#009E73",
    "Dead": "#999999",
}
STATE_HATCHES = {
    "PreparingRebalance": "....",
    "CompletingRebalance": "xxxx",
    "Assigning": "....",
    "Reconciling": "\\\\\\\\",
    "Dead": "----",
}
MEMBER_COLOURS = {READS: "#56B4E9", WAITS: "#ffffff", IDLE: "#ffffff"}
GHOST_LOOK: dict[str, Any] = {"colour": "#ffffff", "edge": ALERT, "hatch": "xxx"}


@dataclass(frozen=True)
class Span:
    """A period with one state: `what` is a group's state, or READS, WAITS or IDLE of a
    member."""

    from_ms: int
    to_ms: int
    what: str
    note: str = ""


@dataclass(frozen=True)
class Beat:
    """A heartbeat that a member sent. `told`: the answer was to join again."""

    at_ms: int
    told: bool = False


def group_states(lab: ShownLab, group: str) -> list[Span]:
    """The states of a group at its coordinator, each with its next generation (KIP-848: epoch)."""
    words = {"group": "generation", "consumer group": "epoch"}
    found = [
        event
        for event in lab.journal.of("state")
        if event.fields.get("machine") in words and event.fields.get("group") == group
    ]
    ends = [event.at_ms for event in found[1:]] + [lab.now_ms]
    return [
        Span(event.at_ms, until_ms, event.after, f"{words[event.machine]} {event.generation}")
        for event, until_ms in zip(found, ends)
    ]


def heartbeats(lab: ShownLab, members: Iterable[str]) -> dict[str, list[Beat]]:
    """Member -> its heartbeats.

    `told` is set where the member then writes that the group rebalances.
    """
    sent: dict[str, list[Beat]] = {who: [] for who in members}
    for event in lab.journal.of("request.sent", "line"):
        if event.who not in sent:
            continue
        if event.kind == "request.sent" and event.api in ("HEARTBEAT", "CONSUMER_GROUP_HEARTBEAT"):
            sent[event.who].append(Beat(event.at_ms))
        elif event.kind == "line" and sent[event.who] and _tells_to_join(event):
            sent[event.who][-1] = Beat(sent[event.who][-1].at_ms, told=True)
    return sent


def _tells_to_join(line: Event) -> bool:
    """Whether a line says that the answer to a heartbeat was to join again.

    Up to 2.8 the line says that the heartbeat failed because the group is rebalancing. Later lines
    give this as the reason of the join.
    """
    if line.name == "REQUEST_JOINING":
        return str(line.message).endswith("group is already rebalancing")
    return bool(line.name == "HEARTBEAT_REBALANCING")


def member_spans(lab: ShownLab, group: str) -> dict[str, list[Span]]:
    """Member -> its periods: joining, or reading with its partitions. A gap means no membership."""
    spans: dict[str, list[Span]] = {}
    open_: dict[str, tuple[int, str, str]] = {}

    def change(who: str, at_ms: int, what: str, note: str = "") -> None:
        before = open_.pop(who, None)
        if before and at_ms > before[0]:
            spans.setdefault(who, []).append(Span(before[0], at_ms, before[1], before[2]))
        spans.setdefault(who, [])
        if what:
            open_[who] = (at_ms, what, note)

    newer: set[str] = set()
    for event in lab.journal.of("state", "assignment", "assigned", "fault"):
        if event.kind == "assigned":
            if event.who in newer and event.who in open_:
                change(
                    event.who,
                    event.at_ms,
                    READS if event.partitions else IDLE,
                    ", ".join(event.partitions),
                )
        elif event.kind == "assignment" and event.group == group:
            owns = ", ".join(event.partitions)
            change(event.who, event.at_ms, READS if owns else IDLE, owns)
        elif event.kind == "state" and event.fields.get("machine") == f"member of {group}":
            if event.after in ("JOINING", "UNSUBSCRIBED", "FENCED"):
                newer.add(event.who)
                change(event.who, event.at_ms, WAITS if event.after == "JOINING" else "")
            elif event.after == "UNJOINED":
                change(event.who, event.at_ms, "")
            elif event.after == "PREPARING_REBALANCE":
                change(event.who, event.at_ms, WAITS)
        elif event.kind == "fault" and event.who in open_ and event.fields.get("what") == "kill -9":
            change(event.who, event.at_ms, "")
    for who in list(open_):
        change(who, lab.now_ms, "")
    return dict(sorted(spans.items()))


@dataclass(frozen=True)
class Ghost:
    """A membership that the coordinator keeps after its program has died or has come back.

    row          the picture's row: the program's, or one of its own for an old member id
    last_beat_ms its last heartbeat at the coordinator; its session begins here
    """

    row: str
    from_ms: int
    to_ms: int
    last_beat_ms: int


@dataclass
class _Membership:
    client: str
    instance: str | None
    joined_ms: int
    left_ms: int


def ghosts(lab: ShownLab, group: str) -> list[Ghost]:
    """The memberships of dead programs, and of old member ids, until the coordinator ends them."""
    known: dict[str, _Membership] = {}
    for event in lab.journal.of("group.member", "group.left"):
        if event.group != group:
            continue
        if event.kind == "group.left":
            if event.member in known:
                known[event.member].left_ms = event.at_ms
        elif event.member not in known:
            instance = event.fields.get("instance_id")
            known[event.member] = _Membership(event.client_id, instance, event.at_ms, lab.now_ms)
    died = _deaths_by_client_id(lab)
    found = []
    for member in known.values():
        later = [
            other.joined_ms
            for other in known.values()
            if other.client == member.client and member.joined_ms < other.joined_ms < member.left_ms
        ]
        dead = [
            (at_ms, program)
            for at_ms, program in died.get(member.client, ())
            if member.joined_ms <= at_ms < min([member.left_ms, *later])
        ]
        if not dead and not later:
            continue
        from_ms, row = dead[0] if dead else (min(later), f"{member.client}, old id")
        beats = _beats_at_coordinator(lab, row if dead else member.client, member, from_ms)
        to_ms = min([member.left_ms, *(_returns(lab, member, from_ms) if dead else ())])
        found.append(Ghost(row, from_ms, to_ms, max(beats, default=from_ms)))
    return found


def _returns(lab: ShownLab, member: _Membership, dead_ms: int) -> list[int]:
    """When a program of the same group.instance.id got partitions: it takes over the membership."""
    if member.instance is None:
        return []
    made = settings_of_consumers(lab).items()
    programs = {who for who, own in made if own.get("group.instance.id") == member.instance}
    return [
        event.at_ms
        for event in lab.journal.of("assigned")
        if event.who in programs and event.at_ms > dead_ms and event.partitions
    ]


def _deaths_by_client_id(lab: ShownLab) -> dict[str, list[tuple[int, str]]]:
    """Client id -> (time, program) for each killed program; a restart has the old client id."""
    made = settings_of_consumers(lab).items()
    clients = {who: settings.get("client.id") or who for who, settings in made}
    died: dict[str, list[tuple[int, str]]] = {}
    for event in lab.journal.of("fault"):
        if event.what == "kill -9":
            died.setdefault(clients.get(event.who, event.who), []).append((event.at_ms, event.who))
    return died


def _beats_at_coordinator(
    lab: ShownLab, program: str, member: _Membership, until_ms: int
) -> list[int]:
    """When requests that keep a session reached the coordinator, from joining until a time."""
    keeps = ("HEARTBEAT", "CONSUMER_GROUP_HEARTBEAT", "SYNC_GROUP", "JOIN_GROUP", "OFFSET_COMMIT")
    return [
        event.at_ms
        for event in lab.journal.of("request.received")
        if event.client == program
        and event.api in keeps
        and member.joined_ms <= event.at_ms <= until_ms
    ]


def member_ends(lab: ShownLab, members: dict[str, list[Span]]) -> dict[str, str]:
    """Member -> how its last period ended: CLOSED, KILLED or OUTSIDE."""
    calls: dict[str, str] = {}
    for event in lab.journal.of("call", "fault"):
        if event.kind == "call" and event.name == "close":
            calls.setdefault(event.who, CLOSED)
        elif event.kind == "fault" and event.what == "kill -9":
            calls[event.who] = KILLED
    return {
        who: calls.get(who, OUTSIDE)
        for who, spans in members.items()
        if spans and spans[-1].to_ms < lab.now_ms
    }


@draws(ONE)
def group_timeline(
    lab: ShownLab,
    group: str,
    *,
    from_ms: int = 0,
    to_ms: int | None = None,
    title: str | None = None,
    beats: bool = False,
) -> Picture:
    """Draw a group between two times of the lab (default: from the start until now).

    With `beats` it also draws the members' heartbeats.
    """
    to_ms = lab.now_ms if to_ms is None else to_ms
    members, states = member_spans(lab, group), group_states(lab, group)
    sent = heartbeats(lab, members) if beats else {}
    haunted = [each for each in ghosts(lab, group) if each.from_ms < to_ms and each.to_ms > from_ms]
    shown = {**members, **{each.row: members.get(each.row, []) for each in haunted}}
    ends = member_ends(lab, members)
    rebalances = sum(span.what == "PreparingRebalance" for span in states)
    counted = f", {rebalances} rebalance{'' if rebalances == 1 else 's'}" if rebalances else ""
    heading = title or f"group {group}: {len(members)} members{counted}"
    sheet = Sheet(heading, 1.97 + 0.42 * max(1, len(shown)), down_in=0.12)
    left = min(0.30, max(0.13, 0.02 + 0.0085 * max(map(len, shown), default=0)))
    field = sheet.field(left, 0.97 - left, 0.62, 1.02)
    field.clock(from_ms, to_ms)
    field.limits(y=(max(1, len(shown)) - 0.5, -1.6))
    _strip(field, -1, states, STATE_COLOURS)
    field.beside(-1, "the group", bold=True)
    for row, (who, spans) in enumerate(shown.items()):
        _strip(field, row, spans, MEMBER_COLOURS)
        field.beside(row, who)
        for told, sign, size, colour in ((False, "o", 3, QUIET), (True, "^", 8, ALERT)):
            own = [beat.at_ms for beat in sent.get(who, ()) if beat.told is told]
            at_ms = [each for each in own if from_ms <= each <= to_ms]
            field.marks(at_ms, row + 0.40, sign, colour, size, layer=5, cut=False)
        for each in haunted:
            if each.row == who:
                _ghost(field, row, each, max(each.last_beat_ms, from_ms), min(each.to_ms, to_ms))
        if who in ends and from_ms <= spans[-1].to_ms < to_ms:
            sign, size, colour, inside = ENDS[ends[who]]
            field.marks([spans[-1].to_ms], row, sign, colour, size, inside=inside, pen=2, layer=6)
    field.time_axis()
    answered = [
        beat.told for own in sent.values() for beat in own if from_ms <= beat.at_ms <= to_ms
    ]
    seen = {span.what for span in states if span.to_ms > from_ms and span.from_ms < to_ms}
    seen |= {ends[who] for who in ends if from_ms <= members[who][-1].to_ms < to_ms}
    _legend(sheet, seen | ({GHOST} if haunted else set()), answered)
    rows = _rows(states, members, sent, haunted, ends)
    return sheet.picture("Group timeline", rows, ("who", "from", "to", "what", "which"))


def _ghost(field: Field, row: float, each: Ghost, begin_ms: int, end_ms: int) -> None:
    """Draw a crossed bar until the coordinator ends the membership, and the session above it."""
    field.span(each.from_ms, each.to_ms, row, 0.6, **GHOST_LOOK)
    field.line([begin_ms, end_ms], [row - 0.4] * 2, ALERT, pen=2.0, sign="|", layer=5)


def _strip(field: Field, row: float, spans: list[Span], colours: dict[str, str]) -> None:
    for span in spans:
        field.span(
            span.from_ms,
            span.to_ms,
            row,
            0.6,
            span.note if span.what in (READS, "Stable") else "",
            needs=0.0135 * len(span.note),
            colour=colours.get(span.what, "#dddddd"),
            hatch="////" if span.what in (WAITS, IDLE) else STATE_HATCHES.get(span.what, ""),
            ink=BLACK,
        )


def _legend(sheet: Sheet, seen: set[str], answered: list[bool]) -> None:
    for state, colour in STATE_COLOURS.items():
        if state in seen:
            sheet.key_block(state, colour, hatch=STATE_HATCHES.get(state, ""))
    sheet.key_block("a member reads", MEMBER_COLOURS[READS])
    sheet.key_block("joins and waits, or owns nothing", MEMBER_COLOURS[WAITS], hatch="////")
    if False in answered:
        sheet.key_mark("heartbeat", "o", QUIET, size=3)
    if True in answered:
        sheet.key_mark("told to join", "^", ALERT, size=7)
    if GHOST in seen:
        sheet.key_block("gone, still counted", **GHOST_LOOK)
        sheet.key_line("its session", ALERT, pen=2, sign="|")
    for end, (sign, size, colour, inside) in ENDS.items():
        if end in seen:
            sheet.key_mark(end, sign, colour, size=size - 1, inside=inside, pen=1.6)
    sheet.legend(0.44, ncols=6, colour=QUIET, long=1.8, apart=1.0)


def _rows(
    states: list[Span],
    members: dict[str, list[Span]],
    sent: dict[str, list[Beat]],
    haunted: list[Ghost],
    ends: dict[str, str],
) -> list[tuple[str, str, str, str, str]]:
    strips = {"the group": states, **members}
    rows = [
        (who, clock(span.from_ms), clock(span.to_ms), span.what, span.note)
        for who, spans in strips.items()
        for span in spans
    ]
    rows += [
        (each.row, clock(each.from_ms), clock(each.to_ms), "counted by the coordinator", "a ghost")
        for each in haunted
    ]
    rows += [(who, clock(members[who][-1].to_ms), "", end, "") for who, end in ends.items()]
    rows += [
        (who, clock(beat.at_ms), "", "heartbeat", "answer: join again" if beat.told else "")
        for who, own in sent.items()
        for beat in own
    ]
    return rows
