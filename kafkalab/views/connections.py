"""Draws the connections of clients over time as a Gantt chart.

One row is one TCP connection of a client (one entry of Kafka's ``Selector``). The bar is its life,
the ticks under the bar are its requests, the cross is its end. A number beside a tick counts
requests that are too near to be drawn apart. A dotted line is a call of pause() or resume(), or a
fault. Rows are sorted by the time of opening. The data come from ``lab.sockets()``. This file only
draws them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .argument_check import ONE, draws
from .picture import Picture, columns
from .sheet import Field, Sheet
from .shown_lab import ShownLab, happened, has_journal
from .style import ALERT, LOOKS, QUIET, SMALL_PT, clock, look_of

if TYPE_CHECKING:
    from kafkalab.reading.sockets import Socket

ENDINGS = {
    "idle": "closed, idle",
    "peer": "closed by the broker",
    "close": "closed by close()",
    "self": "closed by the client",
    "failed": "refused",
    "killed": "reset: the process was killed",
}
MARKED_CALLS = ("pause", "resume")
SETTINGS = ("advertise", "delay", "keep_busy", "judge_batches", "move_watermark", "complete_by")
"""Faults that are a setting of a broker, and no moment of the story."""
FAULT_KINDS = ("fault", "broker.down", "broker.starting")
"""The kinds of events that are faults; a real lab has the first one only."""
CAUSES = ("call", "response.received", "socket.connected", "socket.opening")
"""The kinds of events that are named as the cause of a request."""
MOMENT_ROWS = 3
"""Rows above the picture for the names of moments."""
MOMENT_ROW_PT = 13.0
ROWS_AT = (0.32, 0.395)
"""Where the bars begin and how wide they are, as shares of the width. Names are left of them."""
RIGHT_EDGE = 1.68
"""Where the picture ends, as a share of the axis: a name above may reach beyond the axis."""
LETTER = 0.0195
"""The width of a letter of such a name, as a share of the axis."""
NEAR = 0.006
"""Requests nearer than this share of the axis are one tick with their number."""


@dataclass(frozen=True)
class Request:
    """A request of a connection: when it was sent, its API, and what made the client send it.

    id: its event in the journal, None where there is no journal
    """

    at_ms: int
    api: str
    why: str
    id: int | None = None


@dataclass(frozen=True)
class Moment:
    """A moment of the whole picture: a call of pause() or resume(), or a fault.

    id: its event in the journal, or in the table of a real lab
    """

    at_ms: int
    name: str
    id: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ConnectionRow:
    """One connection in the picture.

    Times in ms of the lab; ``closed_at_ms`` is None while open. ``address`` is what the client
    connected to. ``id`` is the event of its opening, None where there is no journal.
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
    address: str = ""
    requests: tuple[Request, ...] = ()
    id: int | None = None

    @property
    def label(self) -> str:
        """The row's name, as the client's lines write it: the node id, and where it leads.

        A bootstrap connection leads to an address. The client does not know which broker is there.
        """
        where = self.address or "no address" if self.broker is None else f"broker {self.broker}"
        kind = "telemetry" if self.purpose == "telemetry" else self.role
        return f"node {self.node} \N{RIGHTWARDS ARROW} {where} ({kind})"

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
    if not has_journal(lab):
        return _rows_of_lines(lab, client)
    openings = {event["id"]: event for event in happened(lab, "socket.opening")}
    requests = _requests(lab)
    return [
        _row(
            socket,
            requests.get(openings[socket.event_id]["socket"], ()),
            "{host}:{port}".format_map(openings[socket.event_id]),
            socket.event_id,
        )
        for socket in _by_opening(lab, client)
    ]


def _rows_of_lines(lab: ShownLab, client: str | None) -> list[ConnectionRow]:
    """The same for a lab that knows only the lines of its clients. A request belongs to the
    connection that was open then under its node id."""
    sent = list(lab.table("request.sent").itertuples())
    found = []
    for socket in _by_opening(lab, client):
        end_ms = lab.now_ms if socket.closed_at_ms is None else socket.closed_at_ms
        own = [
            Request(int(each.at_ms), str(each.api), "")
            for each in sent
            if (each.who, str(each.node_id)) == (socket.client, str(socket.node_id))
            and socket.opened_at_ms <= each.at_ms <= end_ms
        ]
        found.append(_row(socket, own, "a bootstrap address"))
    return found


def _by_opening(lab: ShownLab, client: str | None) -> list[Socket]:
    return sorted(lab.sockets(client), key=lambda each: (each.opened_at_ms, each.event_id))


def _row(
    socket: Socket, requests: Iterable[Request], address: str, id: int | None = None
) -> ConnectionRow:
    sent = tuple(requests)
    return ConnectionRow(
        socket.client,
        str(socket.node_id),
        socket.role,
        socket.broker,
        socket.purpose,
        socket.opened_at_ms,
        socket.closed_at_ms,
        socket.how,
        tuple(each.at_ms for each in sent),
        address,
        sent,
        id,
    )


def _requests(lab: ShownLab) -> dict[int, list[Request]]:
    """Socket -> its requests, oldest first."""
    sent = list(happened(lab, "request.sent"))
    causes = {event["cause"] for event in sent}
    words = {
        event["id"]: _cause_words(event)
        for kind in CAUSES
        for event in happened(lab, kind)
        if event["id"] in causes
    }
    found: dict[int, list[Request]] = {}
    for event in sent:
        request = Request(event["at_ms"], event["api"], words.get(event["cause"], ""), event["id"])
        found.setdefault(event["socket"], []).append(request)
    return found


def _cause_words(event: Mapping[str, Any]) -> str:
    """Why a request was sent, in a few words, from the event that caused it."""
    match event["kind"]:
        case "call":
            return f"because of {event['name']}()"
        case "response.received":
            return f"after the answer to {event['api']}"
        case "socket.connected" | "socket.opening":
            return "first on a new connection"
        case _:
            return ""


def marked_moments(lab: ShownLab, client: str | None = None) -> list[Moment]:
    """The calls of pause() and resume() of one client (or of all), and the faults of the lab. The
    lines of real clients tell of no calls."""
    if not has_journal(lab):
        return faults(lab)
    found = [
        Moment(int(event["at_ms"]), f"{event['name']}()", event["id"])
        for event in happened(lab, "call")
        if event["name"] in MARKED_CALLS and client in (None, event["who"])
    ]
    return sorted(
        dict.fromkeys([*found, *faults(lab)]), key=lambda moment: (moment.at_ms, moment.name)
    )


def faults(lab: ShownLab) -> list[Moment]:
    """What was done to brokers, clients and links: crashes, starts, kills, pauses, cuts."""
    events = [
        event
        for kind in (FAULT_KINDS if has_journal(lab) else FAULT_KINDS[:1])
        for event in happened(lab, kind)
        if event.get("what") not in SETTINGS
    ]
    found = []
    for event in sorted(events, key=lambda event: event["id"]):
        who, what = event["who"], event.get("what") or event.get("how") or "start"
        # lab.partition() tells for itself; what it does to each link of two brokers is left out.
        if who.startswith("broker-") and what in ("cut", "heal"):
            continue
        found.append(Moment(int(event["at_ms"]), f"{who}: {what}", event["id"]))
    return found


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


@draws(ONE)
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
    marked = [each for each in marked_moments(lab, client) if from_ms <= each.at_ms <= to_ms]
    places = _places(marked, from_ms, to_ms)
    above_in = 0.20 * (1 + max((place.row for place in places), default=-1))
    heading = title or connection_counts(found, to_ms, "connection")
    sheet = Sheet(heading, 1.55 + above_in + 0.40 * max(1, len(found)), down_in=0.12)
    field = sheet.field(*ROWS_AT, 0.62, 0.78 + above_in)
    draw_rows(field, found, from_ms, to_ms)
    _draw_moments(field, marked, places)
    draw_legend(sheet, {row.role for row in found}, 0.46)
    said = "".join(f"\n{clock(each.at_ms)}: {each.name}" for each in marked)
    return sheet.told(f"Connection Gantt: {heading}.", table_text(found) + said)


def connection_counts(found: list[ConnectionRow], to_ms: int, called: str = "") -> str:
    """How many connections were opened and are open. A try that was refused is none of them."""
    refused = sum(row.how == "failed" for row in found)
    opened = len(found) - refused
    open_now = sum(row.closed_at_ms is None or row.closed_at_ms > to_ms for row in found)
    name = f" {called}{'' if opened == 1 else 's'}" if called else ""
    tries = f", {refused} refused" if refused else ""
    return f"{opened}{name} opened{tries}, {open_now} open at {clock(to_ms)}"


@dataclass(frozen=True)
class MomentName:
    """Says where the name of a moment is drawn.

    ``left`` is its left end as a share of the axis. ``row`` counts the rows above the picture from
    0, the lowest.
    """

    moment: Moment
    left: float
    row: int


def _places(marked: list[Moment], from_ms: int, to_ms: int) -> list[MomentName]:
    """A place for the name of each moment that finds room in one of the rows above the picture."""
    found, free_from = [], [-1.0] * MOMENT_ROWS
    for each in marked:
        share = (each.at_ms - from_ms) / max(1, to_ms - from_ms)
        width = LETTER * len(each.name)
        left = min(share, RIGHT_EDGE - width)
        row = next((row for row, free in enumerate(free_from) if free <= left), None)
        if row is not None:
            found.append(MomentName(each, left, row))
            free_from[row] = left + width
    return found


def _draw_moments(field: Field, marked: list[Moment], places: list[MomentName]) -> None:
    """Draw a dotted line for each moment. Its name is above, where there is room for it."""
    for each in marked:
        field.across(each.at_ms, ALERT, pen=1.3, line=":", layer=1)
    for place in places:
        field.near(place.left, 1, place.moment.name, (0, MOMENT_ROW_PT * place.row), of_edges="xy",
                   level="bottom", colour=ALERT)  # fmt: skip


def draw_rows(
    field: Field,
    found: list[ConnectionRow],
    from_ms: int,
    to_ms: int,
    boxed: frozenset[int] = frozenset(),
    *,
    labelled: bool = True,
) -> None:
    """Draw the rows of a Gantt, with the words of each request for the mouse.

    Rows whose number is in `boxed` get a frame: these rows differ. With `labelled` the time axis
    has its numbers.
    """
    several = len({row.client for row in found}) > 1
    field.clock(from_ms, to_ms, beyond=0.005)
    field.limits(y=(max(1, len(found)) - 0.5, -0.5))
    for y, row in enumerate(found):
        look = look_of(row.role)
        until_ms = to_ms if row.closed_at_ms is None else row.closed_at_ms
        field.span(row.opened_at_ms, until_ms, y - 0.13, 0.46, least=0.004, colour=look.colour,
                   hatch=look.hatch, pen=0.8)  # fmt: skip
        shown = [each for each in row.requests if from_ms <= each.at_ms <= to_ms]
        field.ticks([each.at_ms for each in shown], y + 0.23, 0.16)
        if shown:
            _ticks(field, y, shown, max(1, to_ms - from_ms))
        if row.closed_at_ms is not None and row.closed_at_ms <= to_ms:
            field.marks([until_ms], y - 0.13, "x", ALERT, 8, pen=2, layer=4, cut=False)
        name = f"{row.client}: {row.label}" if several else row.label
        field.beside(y - 0.1, name, at=-0.015)
        note = f"{clock(row.opened_at_ms)} to {row.until}"
        field.beside(y - 0.1, note, at=1.015, colour=QUIET)
        if y in boxed:
            field.frame(-0.79, y - 0.46, 2.49, 0.87)
    field.time_axis(labelled=labelled)


def _ticks(field: Field, y: int, shown: list[Request], span_ms: float) -> None:
    """Write the number of requests beside a tick that is several, and keep each tick's words."""
    groups: list[list[Request]] = []
    for each in shown:
        if groups and each.at_ms - groups[-1][-1].at_ms <= NEAR * span_ms:
            groups[-1].append(each)
        else:
            groups.append([each])
    ends = [group[0].at_ms for group in groups[1:]] + [float("inf")]
    for group, next_ms in zip(groups, ends):
        begin, end = group[0].at_ms, group[-1].at_ms
        # A long row of ticks is not a tick with a number; the text has its count.
        is_one_tick = end - begin <= 3 * NEAR * span_ms
        if len(group) > 1 and is_one_tick and next_ms - end > 0.03 * span_ms:
            field.words(end + 0.005 * span_ms, y + 0.245, str(len(group)), "left",
                        size=SMALL_PT - 1, inside=True)  # fmt: skip
        margin = 0.5 * NEAR * span_ms
        field.hover(_tick_words(group), (begin - margin, end + margin), (y + 0.10, y + 0.36))


def _tick_words(group: list[Request]) -> str:
    """What a tick is: each request with its time and its cause, or how many of each API."""
    if len(group) <= 6:
        return "\n".join(
            f"{each.at_ms:,} ms {each.api}" + (f", {each.why}" if each.why else "")
            for each in group
        )
    counts = Counter(each.api for each in group)
    return f"{clock(group[0].at_ms)} to {clock(group[-1].at_ms)}: " + ", ".join(
        f"{number} {api}" for api, number in counts.most_common()
    )


def draw_legend(sheet: Sheet, roles: set[str], down_in: float) -> None:
    """Name each class of connection that is in the picture, and the two signs."""
    for role, look in LOOKS.items():
        if role in roles:
            sheet.key_block(f"{look.name}: {look.meaning}", look.colour, hatch=look.hatch)
    sheet.key_mark("a request (2: two)", "|")
    sheet.key_mark("closed", "x", ALERT, pen=2)
    sheet.legend(down_in, long=2.2, apart=1.4)
