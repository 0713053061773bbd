"""Draws the sequence diagram of one client: its connects, requests and answers, in their order.

Time runs down. One lane is the client, and each broker has a lane. A request is an arrow that
slants down to its broker, an answer one that slants back. The slant is the time on the way. The
clock is not to scale (most of a first poll happens in a few ms, then nothing for 3 s). Gaps are
stretched until labels can be read, and shortened where nothing happens. The times are at the left.
A second or more without a message is a break with its length: which answer a broker holds back,
and which other members' requests for the same group wait with it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture, columns
from .sheet import Field, Sheet
from .shown_lab import ShownLab
from .style import INK, LOOKS, MONO, QUIET, RULE, SMALL_PT, clock, look_of

ROW_IN = 0.22  # height of one labelled event
FLIGHT_ROWS = 0.35  # least height of a step that has no label of its own
LONGEST_GAP_ROWS = 1.6  # a silence is never drawn higher than this
ROWS_PER_MS = 0.08
LONG_WAIT_MS = 1_000
BREAK_ROWS = 2.6  # a longer wait is a break of this height, with its length in words


@dataclass(frozen=True)
class Arrow:
    """One message or one connect, from the client (lane "client") to a broker or back.
    Times in ms of the lab."""

    kind: str  # "connect" | "request" | "answer"
    broker: int | None
    role: str
    node: str
    what: str
    left_ms: int
    arrived_ms: int | None
    left_id: int  # journal ids: they order what happened in the same millisecond
    arrived_id: int | None


@dataclass(frozen=True)
class Break:
    """A long wait between two events that are drawn, by their journal ids, with its words."""

    before_id: int
    after_id: int
    words: tuple[str, ...]


def arrows(lab: ShownLab, client: str, from_ms: int = 0, to_ms: int | None = None) -> list[Arrow]:
    """Every connect, request and answer of one client between two times, sorted by sending."""
    to_ms = lab.now_ms if to_ms is None else to_ms
    journal = lab.table().to_dict("records")
    events = [event for event in journal if from_ms <= event["at_ms"] <= to_ms]
    sockets = {s.event_id: s for s in lab.sockets(client)}
    openings = [
        event for event in journal if event["kind"] == "socket.opening" and event["id"] in sockets
    ]
    of_socket = {event["socket"]: sockets[event["id"]] for event in openings}
    leads_to = _far_ends(journal, client)
    ends = _ends(events, client)
    found = []
    for event in events:
        if event["who"] != client and event.get("client") != client:
            continue
        if event["kind"] == "socket.opening" and event["id"] in sockets:
            s = sockets[event["id"]]
            whom = (leads_to.get(event["socket"], s.broker), s.role, str(s.node_id))
            found.append(
                Arrow(
                    "connect",
                    *whom,
                    f"connect to node {s.node_id}",
                    event["at_ms"],
                    None,
                    event["id"],
                    None,
                )
            )
        elif event["kind"] == "request.sent" and event["who"] == client:
            if event["socket"] not in of_socket:
                continue
            s = of_socket[event["socket"]]
            number = int(event["correlation_id"])
            whom = (leads_to.get(event["socket"], s.broker), s.role, str(s.node_id))
            what = f"{event['api']} (id {number})"
            start = Arrow("request", *whom, what, event["at_ms"], None, event["id"], None)
            end = ends.get(("request.received", number))
            found.append(
                start
                if end is None
                else replace(start, arrived_ms=end["at_ms"], arrived_id=end["id"])
            )
            left = ends.get(("response.sent", number))
            back = ends.get(("response.received", number))
            if left is not None and back is not None:
                found.append(
                    Arrow(
                        "answer",
                        *whom,
                        f"answer to {what}",
                        left["at_ms"],
                        back["at_ms"],
                        left["id"],
                        back["id"],
                    )
                )
    return sorted(found, key=lambda arrow: arrow.left_id)


def _far_ends(journal: list[dict[Hashable, Any]], client: str) -> dict[object, int]:
    """Socket -> its broker. Only the broker's own events name the broker of a bootstrap address."""
    sent = [
        event for event in journal if event["kind"] == "request.sent" and event["who"] == client
    ]
    socket_of = {int(event["correlation_id"]): event["socket"] for event in sent}
    return {
        socket_of[int(event["correlation_id"])]: int(str(event["who"]).rpartition("-")[2])
        for event in journal
        if event["kind"] == "request.received"
        and event.get("client") == client
        and int(event["correlation_id"]) in socket_of
    }


def _ends(
    events: list[dict[Hashable, Any]], client: str
) -> dict[tuple[str, int], dict[Hashable, Any]]:
    """(kind, correlation id) -> event, for the three later events of a request.

    Each id is used once.
    """
    ends = {}
    for event in events:
        if (
            event["kind"] in ("request.received", "response.sent") and event.get("client") == client
        ) or (event["kind"] == "response.received" and event["who"] == client):
            ends[event["kind"], int(event["correlation_id"])] = event
    return ends


@draws(ONE)
def sequence(
    lab: ShownLab,
    client: str | None = None,
    *,
    from_ms: int = 0,
    to_ms: int | None = None,
    apis: tuple[str, ...] | None = None,
    most: int = 18,
) -> Picture:
    """Draw the conversation of one client with the brokers.

    :param client: its name in the lab; may be left out when there is only one
    :param apis: only these requests, for example ("METADATA", "FIND_COORDINATOR"); connects are
    always drawn :param most: the most connects and requests that are drawn; the heading has the
    number of the others
    """
    client = client or _only_client(lab)
    found = arrows(lab, client, from_ms, to_ms)
    hidden: list[str] = []
    if apis is not None:
        every = found
        found = [
            arrow
            for arrow in found
            if arrow.kind == "connect" or any(f" {api} " in f" {arrow.what} " for api in apis)
        ]
        kept = {arrow.left_id for arrow in found}
        hidden = [
            arrow.what.split()[0]
            for arrow in every
            if arrow.kind == "request" and arrow.left_id not in kept
        ]
    starts = [arrow for arrow in found if arrow.kind != "answer"]
    if len(starts) > most:
        end_id = starts[most].left_id
        found = [arrow for arrow in found if arrow.left_id < end_id]
    cut = max(0, len(starts) - most)
    places = _places(found)
    breaks = _breaks(lab, client, found)
    depth = max(places.values(), default=1.0) + 0.9
    left_out = ""
    if hidden:
        kinds = ", ".join(dict.fromkeys(hidden))
        left_out = f"Not drawn: {len(hidden)} requests, {kinds}, and their answers."
    below_in = 0.32 if hidden else 0.1
    high_in = ROW_IN * (depth + 1.7)
    heading = (
        f"{client}: {sum(a.kind == 'connect' for a in found)} connects, "
        f"{sum(a.kind == 'request' for a in found)} requests"
    )
    heading += f" (and {cut} more, not drawn)" if cut else ""
    height_in = 0.85 + below_in + high_in
    sheet = Sheet(heading, height_in, down_in=0.12)
    if hidden:
        sheet.note(left_out, height_in - 0.1, level="baseline", size=SMALL_PT)
    field = sheet.field(0.41, 0.57, below_in, high_in=high_in)
    brokers = sorted({arrow.broker for arrow in found if arrow.broker is not None})
    for lane, name in enumerate([client, *(f"broker {broker}" for broker in brokers)]):
        field.across(lane, RULE, pen=2, layer=0)
        field.plate(lane, -1.0, name)
    field.limits((-0.05, max(1, len(brokers)) + 0.25), (depth, -1.7))
    field.bare()
    for arrow in found:
        _draw_arrow(field, arrow, brokers, places)
    for each in breaks:
        _draw_break(field, each, places, len(brokers))
    for role, look in LOOKS.items():
        if role in {arrow.role for arrow in found}:
            sheet.key_line(f"{look.name}: {look.meaning}", look.colour, line=look.line, pen=2.2)
    sheet.key_mark("a connection is opened", "D", "white", edge=INK, size=7)
    sheet.legend(0.42, ncols=4, long=3.2, apart=1.6)
    return sheet.told(
        f"Sequence diagram of {heading}. Time runs down, not to scale.",
        _text(found, breaks) + (f"\n{left_out}" if hidden else ""),
    )


def _only_client(lab: ShownLab) -> str:
    names = sorted({s.client for s in lab.sockets()})
    if len(names) != 1:
        known = ", ".join(names) or "none"
        raise IllegalArgumentException(
            f"this lab has {len(names)} clients with connections ({known}): name one, "
            "sequence(lab, client=...)"
        )
    return names[0]


def _places(found: list[Arrow]) -> dict[int, float]:
    """Journal id -> height in rows, downwards. A labelled event gets a row of its own;
    order is the journal's."""
    moments: dict[int, tuple[int, bool]] = {}
    for arrow in found:
        moments[arrow.left_id] = (arrow.left_ms, arrow.kind != "answer")
        if arrow.arrived_id is not None and arrow.arrived_ms is not None:
            moments[arrow.arrived_id] = (arrow.arrived_ms, arrow.kind == "answer")
    places, y, before = {}, 0.0, None
    for event_id, (at_ms, labelled) in sorted(moments.items()):
        if before is not None:
            least = 1.0 if labelled else FLIGHT_ROWS
            gap_ms = at_ms - before
            y += (
                BREAK_ROWS
                if gap_ms >= LONG_WAIT_MS
                else min(max(least, gap_ms * ROWS_PER_MS), LONGEST_GAP_ROWS)
            )
        places[event_id], before = y, at_ms
    return places


def _breaks(lab: ShownLab, client: str, found: list[Arrow]) -> list[Break]:
    """The waits of LONG_WAIT_MS or more among the events that are drawn."""
    moments: dict[int, int] = {}
    for arrow in found:
        moments[arrow.left_id] = arrow.left_ms
        if arrow.arrived_id is not None and arrow.arrived_ms is not None:
            moments[arrow.arrived_id] = arrow.arrived_ms
    order = sorted(moments)
    answered = {
        (arrow.node, arrow.what.removeprefix("answer to ")): arrow
        for arrow in found
        if arrow.kind == "answer"
    }
    breaks = []
    for before, after in pairwise(order):
        if moments[after] - moments[before] < LONG_WAIT_MS:
            continue
        held = next(
            (
                arrow
                for arrow in found
                if arrow.kind == "request"
                and arrow.left_id <= before
                and (arrow.node, arrow.what) in answered
                and answered[arrow.node, arrow.what].left_id > before
            ),
            None,
        )
        lasts = f"{clock(moments[after] - moments[before])} without a message"
        words = [f"{lasts} that is drawn here"]
        if held is not None:
            api = held.what.split()[0]
            words = [f"{lasts}: broker {held.broker} holds the answer to {api} back"]
            words += _others(lab, client, held, before, after)
        breaks.append(Break(before, after, tuple(words)))
    return breaks


def _others(lab: ShownLab, client: str, held: Arrow, before: int, after: int) -> list[str]:
    """The same request of other members at the same broker, held back in the same wait, in
    words."""
    api, broker = held.what.split()[0], f"broker-{held.broker}"
    answered = {
        (event["client"], event["correlation_id"]): event["id"]
        for event in lab.table("response.sent").to_dict("records")
        if event["who"] == broker
    }
    words = [
        f"{api} of {event['client']} from {int(event['at_ms']):,} ms on"
        for event in lab.table("request.received").to_dict("records")
        if event["api"] == api
        and event["who"] == broker
        and event["client"] != client
        and event["id"] < after
        and answered.get((event["client"], event["correlation_id"]), after) > before
    ]
    return [f"and {', '.join(words[:3])}"] if words else []


def _draw_break(field: Field, each: Break, places: dict[int, float], brokers: int) -> None:
    """Draw a break as a grey band with its words; its edges are dashed."""
    top, bottom = places[each.before_id] + 0.35, places[each.after_id] - 0.35
    sides = [-0.05, max(1, brokers) + 0.25]
    field.area(sides, [top] * 2, [bottom] * 2, colour="#f2f2f2", edge="#f2f2f2", pen=1, layer=3.5)
    for y in (top, bottom):
        field.line(sides, [y, y], QUIET, pen=1.5, line=(0, (4, 3)), layer=3.6)
    field.words(sum(sides) / 2, (top + bottom) / 2, "\n".join(each.words), layer=6)


def _draw_arrow(field: Field, arrow: Arrow, brokers: list[int], places: dict[int, float]) -> None:
    look = look_of(arrow.role)
    # No broker answered there: a stub.
    lane = brokers.index(arrow.broker) + 1 if arrow.broker is not None else 0.4
    start = places[arrow.left_id]
    end = start + 0.5 if arrow.arrived_id is None else places[arrow.arrived_id]
    if arrow.kind == "connect":
        field.marks([0], start, "D", look.colour, 7, edge=INK, layer=5, cut=False)
        field.line([0, lane], [start, start], look.colour, pen=3.0, line=look.line, alpha=0.9,
                   layer=1)  # fmt: skip
    elif arrow.kind == "request":
        field.arrow((0, start), (lane, end), look.colour, line=look.line, layer=3)
    else:
        field.arrow((lane, start), (0, end), look.colour, line=look.line, layer=3)
    at_ms, y, colour = arrow.left_ms, start, INK
    label = f"{arrow.what} to {arrow.node}" if arrow.kind == "request" else arrow.what
    if arrow.kind == "answer":
        assert arrow.arrived_ms is not None, "an answer is drawn when it has arrived"
        at_ms, y, colour = arrow.arrived_ms, end, QUIET
    field.near(0, y, f"{at_ms:>8,} ms  {label}", (-286, 0), font=MONO, size=SMALL_PT - 0.5,
               colour=colour, bold=arrow.kind == "connect")  # fmt: skip


def _text(found: list[Arrow], breaks: list[Break]) -> str:
    body = [
        (
            f"{arrow.left_ms:,} ms",
            "-" if arrow.arrived_ms is None else f"{arrow.arrived_ms:,} ms",
            "broker -> client" if arrow.kind == "answer" else "client -> broker",
            "-" if arrow.broker is None else str(arrow.broker),
            arrow.role,
            arrow.what,
        )
        for arrow in found
    ]
    waits = "".join(f"\n{'; '.join(each.words)}" for each in breaks)
    return columns(body, ("left", "arrived", "direction", "broker", "class", "what")) + waits
