"""How many protocol requests does the simulator move in a second of real time, and what does knowing Kafka cost?

A request here is a pair: sent by a client, served by a broker, answered, and the answer taken by the client. Around it stands all
that a lab does: the client's passes and timers, the broker's machines, every event of the journal and every line of the clients.
Lines are kept as what they tell; none is read here, so none is made text. Ours is measured on four warm labs (`_labs`); each time
the peers move as many messages for as many clients on the same machine (`_skeleton`).
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bench import Row
from bench._labs import LABS, told_since
from bench._skeleton import move_on_a_bare_heap, move_with_simpy

PIECES = 4
"""A lab is measured in so many pieces, and the best counts: the others were disturbed."""

CLIENTS = 10


def seconds(work: Callable[[], object]) -> float:
    """Processor time of `work`, in seconds: what a core needs for it."""
    started = time.process_time()
    work()
    return time.process_time() - started


def run() -> list[Row]:
    rows, all_requests, all_seconds = [], 0, 0.0
    for make, (warm_ms, measured_ms) in LABS.items():
        lab = make()
        lab.run_for(ms=warm_ms)
        best, story = None, None
        for _ in range(PIECES):
            first = len(lab.journal.events)
            took_s = seconds(lambda: lab.run_for(ms=measured_ms // PIECES))
            told = told_since(lab, first)
            if best is None or took_s / told.requests < best:
                best, story = took_s / told.requests, told
        all_requests, all_seconds = all_requests + story.requests, all_seconds + best * story.requests
        name = f"lab {make.__name__}, {story.lines / story.requests:.0f} lines and {story.others / story.requests:.0f} other events a request"
        rows += _against(name, 1 / best, story.requests)
    return rows + _against("the four labs together", all_requests / all_seconds, all_requests)


def _against(name: str, ours: float, requests: int) -> list[Row]:
    rows = []
    for peer, move in (("a bare heap, two hops, frozen messages", move_on_a_bare_heap), ("SimPy", move_with_simpy)):
        repeated = max(requests, 5_000)
        theirs = repeated / min(seconds(lambda: move(repeated, CLIENTS)) for _ in range(2))
        rows.append(Row(name=f"{name} / {peer}", ours=ours, peer=theirs, ratio=ours / theirs, unit="requests/s and core"))
    return rows
