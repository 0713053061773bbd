"""Draws a cluster at one moment: brokers as boxes, clients beside them, and their connections.

A broker's box has the partitions that it holds: a star marks a leader, brackets a replica that is
not in sync. A grey box is a broker that is down. A line is an open connection with its node id. Its
words are the requests that wait for an answer, or that the client sent last. All is read from
`lab.at`. Of a real lab it is read from an admin client and the clients' lines, without requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .argument_check import ONE, draws
from .picture import Picture, columns
from .sheet import LEFT, Field, Paper, Sheet
from .shown_lab import ShownLab, has_journal, state_at
from .style import ALERT, FONT_PT, INK, LOOKS, QUIET, SMALL_PT, clock, look_of

BROKER_X, CLIENT_X = 0.60, 0.20
UP, DOWN = "#e9f4ef", "#dddddd"
RECENT_MS = 100
"""How long a request is written on its connection after it was sent."""
MOST_PARTITIONS = 8


@dataclass(frozen=True)
class OpenConnection:
    """An open connection of a client, with its class and the requests on it.

    broker is None where nobody at the address is known.
    """

    client: str
    node: str
    broker: int | None
    role: str
    requests: tuple[str, ...]


def _lines(lab: ShownLab, state: Mapping[str, Any], at_ms: int) -> list[OpenConnection]:
    """The open connections of all clients at a time, with the requests of the last 100 ms."""
    addresses = {each["address"]: broker for broker, each in state["brokers"].items()}
    recent: dict[int, list[str]] = {}
    for event in lab.journal.of("request.sent") if has_journal(lab) else ():
        if at_ms - RECENT_MS <= event.at_ms <= at_ms:
            recent.setdefault(event.socket, []).append(event.api)
    found = []
    for name, client in state["clients"].items():
        waiting: dict[int, list[str]] = {}
        for each in client.get("in_flight", ()):
            waiting.setdefault(each["socket"], []).append(each["api"])
        for number, socket in client.get("sockets", {}).items():
            broker = socket["broker"]
            if broker is None:
                broker = addresses.get(socket["address"])
            apis = [f"{api} …" for api in waiting.get(number, ())]
            apis += [api for api in recent.get(number, ()) if f"{api} …" not in apis]
            found.append(
                OpenConnection(
                    name, socket["node_id"], broker, socket["role"], tuple(dict.fromkeys(apis))
                )
            )
    return found


@draws(ONE)
def cluster_map(
    lab: ShownLab,
    at_ms: int | None = None,
    *,
    title: str | None = None,
    words: str = "",
    room_for: int = 0,
) -> Picture:
    """Draw the brokers, the clients and their connections at a time of the lab (default: now).

    words: a line under the heading
    room_for: the least number of connections that have room, so that pictures of one story are
    equally high
    """
    state = state_at(lab, at_ms)
    at_ms = lab.now_ms if at_ms is None else at_ms
    brokers, clients = list(state["brokers"]), list(state["clients"])
    found = _lines(lab, state, at_ms)
    # A place for each line at its client, and for each broker.
    rows = max(2.0, 1.25 * len(brokers), 0.55 * max(len(found), room_for) + 0.5 * len(clients))
    sheet = Sheet(title or f"the cluster at {clock(at_ms)}", 0.95 + 0.62 * rows)
    if words:
        sheet.note(words, 0.36, size=SMALL_PT + 1, colour=INK)
    field = sheet.field(0, 1, 0, 0.85)
    field.limits((0, 1), (rows, 0))
    field.bare()
    broker_y = {broker: (place + 0.5) * rows / len(brokers) for place, broker in enumerate(brokers)}
    half = min(0.55, 0.42 * rows / len(brokers))
    for broker in brokers:
        _broker(field, state, broker, broker_y[broker], half)
    shares = [1 + sum(line.client == name for line in found) for name in clients]
    top = 0.0
    for name, share in zip(clients, shares):
        height = rows * share / sum(shares)
        mine = [line for line in found if line.client == name]
        mine.sort(key=lambda line: broker_y.get(-1 if line.broker is None else line.broker, 0))
        _client(field, name, state["clients"][name], top, height)
        at_broker: dict[int | None, int] = {}
        for place, line in enumerate(mine):
            y = top + height * (place + 1) / (len(mine) + 1)
            nth = at_broker.get(line.broker, 0)
            at_broker[line.broker] = nth + 1
            end = broker_y.get(-1 if line.broker is None else line.broker)
            _line(field, line, y, y if end is None else end + half * (0.35 * nth - 0.35))
        top += height
    for role, look in LOOKS.items():
        if role in {line.role for line in found}:
            sheet.key_line(look.name, look.colour, line=look.line, pen=2.2)
    sheet.key_mark("★ leads   ( ) not in sync   … no answer yet", "")
    sheet.legend(0.56, colour=QUIET, long=2.6)
    return sheet.told(f"Cluster map: {sheet.title}. {words}".strip(), _text(state, found))


def _places(state: Mapping[str, Any], broker: int) -> list[str]:
    """The partitions of a broker, as its box names them; Kafka's own topics are left out."""
    found = []
    for name, place in state["partitions"].items():
        if name.startswith("__") or broker not in place["replicas"]:
            continue
        if place["leader"] == broker:
            found.append(f"★{name}")
        else:
            found.append(name if broker in place["isr"] else f"({name})")
    return found


def _broker(field: Field, state: Mapping[str, Any], broker: int, y: float, half: float) -> None:
    alive = state["brokers"][broker]["alive"]
    ink = INK if alive else ALERT
    field.block(BROKER_X, y, 0.385, 2 * half, colour=UP if alive else DOWN, edge=ink,
                hatch="" if alive else "xx", pen=1.2, layer=3)  # fmt: skip
    held = _places(state, broker)
    shown = held[:MOST_PARTITIONS] + (["…"] if len(held) > MOST_PARTITIONS else [])
    name = f"broker {broker}  {state['brokers'][broker]['address']}"
    name += "" if alive else "  is down"
    left, paper = BROKER_X + 0.012, None if alive else Paper(DOWN, 1.5)
    field.words(left, y - 0.42 * half, name, "left", size=FONT_PT, bold=True, colour=ink,
                paper=paper, layer=5)  # fmt: skip
    field.words(left, y + 0.42 * half, "  ".join(shown), "left", paper=paper, layer=5)


def _client(field: Field, name: str, client: Mapping[str, Any], top: float, height: float) -> None:
    words = [name]
    if client.get("closed"):
        words.append("closed")
    if client.get("assignment"):
        words.append("reads " + ", ".join(client["assignment"][:3]))
    member = client.get("member") or {}
    if member.get("state") and not client.get("closed"):
        words.append(str(member["state"]).lower().replace("_", " "))
    said = ", ".join(words[:2]) if height < 0.8 else "\n".join(words[:3])
    middle = top + height / 2
    field.block(LEFT, middle, CLIENT_X - LEFT, height - 0.16, colour="#eef3fa", pen=1.0, layer=3)
    field.words(CLIENT_X / 2, middle, said, size=SMALL_PT + 0.5, layer=5)


def _line(field: Field, line: OpenConnection, start: float, end: float) -> None:
    look = look_of(line.role)
    stop = BROKER_X if line.broker is not None else CLIENT_X + 0.12
    field.line([CLIENT_X, stop], [start, end], look.colour, line=look.line, pen=2.4)
    words = f"{line.node}: {', '.join(line.requests[:2])}" if line.requests else line.node
    share = 0.04  # beside the client lines do not cross yet
    field.words(
        CLIENT_X + share * (stop - CLIENT_X),
        start + share * (end - start),
        words,
        "left",
        colour=INK if line.requests else QUIET,
        paper=Paper(),
        layer=4,
    )


def _text(state: Mapping[str, Any], found: list[OpenConnection]) -> str:
    rows = [
        (
            f"broker {broker}",
            "up" if each["alive"] else "down",
            each["address"],
            " ".join(_places(state, broker)) or "-",
        )
        for broker, each in state["brokers"].items()
    ]
    rows += [
        (
            line.client,
            line.role,
            f"node {line.node} to broker {'-' if line.broker is None else line.broker}",
            ", ".join(line.requests) or "-",
        )
        for line in found
    ]
    return columns(rows, ("who", "what", "where", "holds, or asks"))
