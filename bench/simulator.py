"""Measures the protocol requests that the simulator moves in a second, against bare skeletons.

A request here is a pair: sent by a client, served by a broker, answered, and the answer taken by
the client. It includes all that a lab does: the client's passes and timers, the broker's
machines, every event of the journal and every line of the clients. Lines are kept as what they
tell; none is read here, so none is made text. Ours is measured on four warm labs (`_labs`) in a
process of its own; the peers move as many messages for as many clients on the same machine
(`_skeleton`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from bench import Row, compared
from bench._skeleton import move_on_a_bare_heap, move_with_simpy

CLIENTS = 10
SHORTEST = 5_000
"""The peers move at least so many requests: what they are measured by should last."""


def seconds(work: Callable[[], object]) -> float:
    """Processor time of `work`, in seconds: what a core needs for it."""
    started = time.process_time()
    work()
    return time.process_time() - started


def run() -> list[Row]:
    """Rows of requests a second, ours beside each peer's, for each lab and for all together."""
    labs = _measured_by(["-m", "bench._labs"])
    rows: list[Row] = []
    took_s, sums = 0.0, (0, 0, 0)
    for name, figures in labs.items():
        own_s, requests, lines, others = figures
        took_s, sums = took_s + own_s, (sums[0] + requests, sums[1] + lines, sums[2] + others)
        rows += _against(f"lab {name}", *figures)
    return rows + _against("the four labs together", took_s, *sums)


def _measured_by(program: list[str]) -> Any:
    """What a process of its own measures and prints as JSON."""
    done = subprocess.run([sys.executable, *program], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _against(name: str, took_s: float, requests: int, lines: int, others: int) -> list[Row]:
    each = (round(lines / requests), round(others / requests))
    ours = requests / took_s
    repeated = max(requests, SHORTEST)
    writing = [
        "-c",
        f"from bench._skeleton import move_and_write; from bench.simulator import seconds; "
        f"print(seconds(lambda: move_and_write({repeated}, {CLIENTS}, {each[0]}, {each[1]})))",
    ]
    peers = {
        "a bare heap, two hops, frozen messages": lambda: seconds(
            lambda: move_on_a_bare_heap(repeated, CLIENTS)
        ),
        f"the same keeping {each[0]} lines and {each[1]} other events": lambda: _measured_by(
            writing
        ),
        "SimPy": lambda: seconds(lambda: move_with_simpy(repeated, CLIENTS)),
    }
    rows = []
    for peer, measure in peers.items():
        theirs = repeated / min(measure() for _ in range(2))
        rows.append(compared(f"{name} / {peer}", ours, theirs, "requests/s and core"))
    return rows
