"""A moving picture of a broker: its requests go from station to station (chapter 15).

The function returns a `kafkalab.views.Moving`. The last line of a cell shows it.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

from kafkalab.stories.broker import broker_lab, order, requests_since, till, tills
from kafkalab.views import Moving, Picture, moving, request_stations
from kafkalab.views.request_stations import station_of

QUEUE, NETWORK_THREADS, WORK_MS, STOPS_MS = 4, 2, 20, 120
STEP_MS, END_MS = 4, 200
THREADS = {1: "one I/O thread", 2: "two I/O threads", 8: "eight I/O threads"}


@lru_cache(maxsize=8)
def _rush(io_threads: int) -> tuple[int, list[dict[str, Any]]]:
    """(begin, the requests) of eight tills with acks=all and a kiosk with acks=1.

    The only follower stops for a time. An order keeps an I/O thread for 20 ms.
    """
    lab = broker_lab(
        brokers=2,
        num_io_threads=io_threads,
        queued_max_requests=QUEUE,
        num_network_threads=NETWORK_THREADS,
    )
    waiting, kiosk = tills(lab, 8, acks="all"), till(lab, "kiosk")
    lab.run_for(ms=1_000)
    lab.broker(0).keep_busy("PRODUCE", ms=WORK_MS)
    lab.broker(1).pause(STOPS_MS)
    begin_ms = lab.now_ms
    for one in (*waiting[:4], kiosk, *waiting[4:]):
        order(one)
    lab.run_for(ms=2_000)
    return begin_ms, requests_since(lab, begin_ms, "PRODUCE")


def requests_over_time() -> Moving:
    """Nine orders in a broker, every few ms, with one, two or eight I/O threads."""

    def draw(after_ms: int, io_threads: int) -> Picture:
        begin_ms, rows = _rush(io_threads)
        at_ms = begin_ms + after_ms
        count = Counter(station_of(row, at_ms)[0] for row in rows)
        words = (
            f"after {after_ms} ms: at work {count['I/O thread']}, in the purgatory "
            f"{count['purgatory']}, answered {count['answered']}"
        )
        places = {
            "network thread": NETWORK_THREADS,
            "request queue": QUEUE,
            "I/O thread": io_threads,
        }
        return request_stations(rows, at_ms, title=words, places=places, tallest=len(rows))

    return moving(
        draw,
        at={ms: f"{ms} ms" for ms in range(STEP_MS, END_MS + 1, STEP_MS)},
        still=48,
        called="time",
        io_threads=THREADS,
    )
