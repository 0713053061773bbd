"""Draws where the requests of a broker are at one moment: a column a station, a box a request.

A request goes from left to right, from its socket to its answer. The oldest one is on top. A stage
has the colour that `request_gantt` gives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kafkalab.errors import IllegalArgumentException

from .picture import Picture
from .request_gantt import STAGES
from .sheet import Dash, Field, Paper, Sheet
from .style import BLACK, INK, QUIET, RULE

STATIONS: Mapping[str, str] = {
    "socket": "socket",
    "network thread": "request queue",
    "request queue": "request queue",
    "I/O thread": "local",
    "purgatory": "remote",
    "response queue": "response queue",
    "answered": "send",
}
"""Station -> the stage whose colour it has, in the order that a request passes them."""
BoxLook = tuple[str, str, str, Dash]
"""Colour, hatch, and the colour and line of the edge."""
FREE: BoxLook = ("#ffffff", "", QUIET, ":")
ANSWERED: BoxLook = ("#e9eef3", "", INK, "-")


def station_of(row: Mapping[str, Any], at_ms: float) -> tuple[str, int | None]:
    """Where a request of `request_times()` is at that moment: a station, and which thread of it.

    The thread is None where a station has none. The station is "" before the request arrives.
    """
    read_ms = row["read_at_ms"]
    ends_ms = {"": read_ms - row["socket_ms"], "socket": read_ms}
    ends_ms["network thread"] = read_ms + row["blocked_ms"]
    ends_ms["request queue"] = read_ms + row["request_queue_ms"]
    ends_ms["I/O thread"] = ends_ms["request queue"] + row["local_ms"]
    ends_ms["purgatory"] = ends_ms["I/O thread"] + row["remote_ms"]
    ends_ms["response queue"] = ends_ms["purgatory"] + row["response_queue_ms"] + row["send_ms"]
    station = next((name for name, end_ms in ends_ms.items() if at_ms < end_ms), "answered")
    threads = {
        "network thread": row["network_thread"],
        "I/O thread": row["io_thread"],
        "response queue": row["network_thread"],
    }
    return station, threads.get(station)


def request_stations(
    requests: Sequence[Mapping[str, Any]],
    at_ms: float,
    *,
    title: str,
    places: Mapping[str, int] | None = None,
    tallest: int = 0,
) -> Picture:
    """Draw rows of `lab.broker(0).request_times()` at a moment of the lab.

    places: station -> how many places it has, {"request queue": 4, "I/O thread": 2}; free ones are
    empty boxes. tallest: the requests of the fullest station, so that pictures of several moments
    have one size.

    Raises IllegalArgumentException where there is no request at all, and for an unknown station.
    """
    places = places or {}
    if not requests:
        raise IllegalArgumentException(
            "request_stations() draws at least one request; take rows of "
            "lab.broker(0).request_times()"
        )
    for stranger in set(places) - set(STATIONS):
        raise IllegalArgumentException(
            f"a broker has no station {stranger!r}; it has {', '.join(STATIONS)}"
        )
    at: dict[str, list[tuple[float, str, int | None]]] = {name: [] for name in STATIONS}
    for row in requests:
        station, thread = station_of(row, at_ms)
        if station:
            at[station].append((row["read_at_ms"], str(row["client"]), thread))
    tallest = max(tallest, *places.values(), *(len(found) for found in at.values()))
    sheet = Sheet(title, 0.75 + 0.27 * tallest, down_in=0.08)
    field = sheet.field(0.012, 0.976, 0.05, 0.37)
    told = []
    for column, (station, stage) in enumerate(STATIONS.items()):
        field.words(column + 0.5, -0.75, station, level="baseline", bold=True,
                    colour=BLACK)  # fmt: skip
        if column:
            field.line([column, column], [-1.2, tallest - 0.3], RULE, pen=0.8)
        by_thread = station.endswith("thread")
        for place in range(places.get(station, 0)):
            _box(field, column, place, str(place) if by_thread else "", FREE)
        _, colour, hatch = STAGES[stage]
        look = ANSWERED if station == "answered" else (colour, hatch, INK, "-")
        for row_number, (_, client, thread) in enumerate(sorted(at[station])):
            place = thread if by_thread and thread is not None else row_number
            words = client if thread is None else f"{thread}: {client}"
            _box(field, column, place, words, look)
            told.append((station, "" if thread is None else str(thread), client))
    field.limits((0, len(STATIONS)), (tallest - 0.4, -1.3))
    field.bare()
    head = ("station", "thread", "request of")
    return sheet.picture("Requests in a broker by station", told, head)


def _box(field: Field, column: int, row: int, words: str, look: BoxLook) -> None:
    """Draw a request, or with FREE a place without one."""
    colour, hatch, edge, line = look
    paper = None if look is FREE else Paper()
    field.block(column + 0.07, row, 0.86, 0.78, words, colour=colour, edge=edge, hatch=hatch,
                pen=0.6, line=line, ink=edge, paper=paper)  # fmt: skip
