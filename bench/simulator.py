"""How many protocol requests does the simulator move in a second of real time, and what does knowing Kafka cost?

A request here is a pair: sent by a client, served by a broker, answered, and the answer taken by the client. Around it stands all
that a lab does: the client's passes and timers, the broker's machines, every event of the journal and every line of the clients.
Lines are kept as what they tell; none is read here, so none is made text. Ours is measured on four warm labs (`_labs`), in a process
that runs it as Python and, where `make fast` was here, in one that runs it as machine code; each time the peers move as many messages
for as many clients on the same machine (`_skeleton`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

from bench import Row
from bench._skeleton import move_and_write, move_on_a_bare_heap, move_with_simpy
from kafkalab import machine_code

CLIENTS = 10
SHORTEST = 5_000
"""The peers move at least so many requests: what they are measured by should last."""


def seconds(work: Callable[[], object]) -> float:
    """Processor time of `work`, in seconds: what a core needs for it."""
    started = time.process_time()
    work()
    return time.process_time() - started


def run() -> list[Row]:
    ways = {"Python": "1"} | ({"machine code": ""} if machine_code.fits() else {})
    return [row for way, python_only in ways.items() for row in _rows(way, python_only)]


def _rows(way: str, python_only: str) -> list[Row]:
    labs = json.loads(subprocess.run([sys.executable, "-m", "bench._labs"], stdout=subprocess.PIPE, text=True, check=True,
                                     env={**os.environ, "KAFKALAB_PYTHON_ONLY": python_only}).stdout)
    rows, sums = [], [0.0, 0, 0, 0]
    for name, figures in labs.items():
        sums = [one + other for one, other in zip(sums, figures)]
        rows += _against(f"lab {name} as {way}", *figures)
    return rows + _against(f"the four labs together as {way}", *sums)


def _against(name: str, took_s: float, requests: int, lines: int, others: int) -> list[Row]:
    each, ours, repeated = (round(lines / requests), round(others / requests)), requests / took_s, max(requests, SHORTEST)
    peers = {"a bare heap, two hops, frozen messages": lambda: move_on_a_bare_heap(repeated, CLIENTS),
             f"the same keeping {each[0]} lines and {each[1]} other events": lambda: move_and_write(repeated, CLIENTS, *each),
             "SimPy": lambda: move_with_simpy(repeated, CLIENTS)}
    rows = []
    for peer, move in peers.items():
        theirs = repeated / min(seconds(move) for _ in range(2))
        rows.append(Row(name=f"{name} / {peer}", ours=ours, peer=theirs, ratio=ours / theirs, unit="requests/s and core"))
    return rows
