"""Measures the cost of a client among ten and among ten thousand, its memory, and the import.

Clients are consumers without a group at a topic where nothing comes: two fetches a virtual second
each, their answers, their passes, their lines. The cost of one client for one virtual second is put
beside that of the same client among ten; straight would be 1. `scaling.png` beside this file draws
it. Memory is what tracemalloc saw come: with all that the journal has kept of two seconds, and
without. Import time is the processor time of a process whose byte code is on disk.
"""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import tracemalloc
from pathlib import Path

import matplotlib

from bench import Row, compared
from bench._labs import alone, told_since
from bench.simulator import seconds

CLIENTS = (10, 100, 1_000, 10_000)
WARM_MS, MEASURED_MS = 2_000, 1_000
IDLE_CLIENTS = 200
PICTURE = Path(__file__).with_name("scaling.png")
OURS, PEERS = "from kafkalab import Lab, KafkaConsumer", "import pandas"
TRIES = 10


def cost_ms(clients: int) -> tuple[float, float]:
    """Milliseconds of processor time for one client and one virtual second,
    and microseconds for one request."""
    lab = alone(clients)
    lab.run_for(ms=WARM_MS)
    first = len(lab.journal.events)
    took_s = seconds(lambda: lab.run_for(ms=MEASURED_MS))
    return took_s * 1_000 / clients / (MEASURED_MS / 1_000), took_s * 1e6 / told_since(
        lab, first
    ).requests


def bytes_of_a_client() -> tuple[float, float]:
    """What each of IDLE_CLIENTS more clients adds after WARM_MS:
    with its part of the journal, and without."""
    tracemalloc.start()
    one = _traced(1)
    many = _traced(1 + IDLE_CLIENTS)
    tracemalloc.stop()
    with_journal, without = ((after - before) / IDLE_CLIENTS for before, after in zip(one, many))
    return with_journal, without


def _traced(clients: int) -> tuple[int, int]:
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    lab = alone(clients)
    lab.run_for(ms=WARM_MS)
    gc.collect()
    whole = tracemalloc.get_traced_memory()[0] - before
    lab.journal.kept.clear()
    gc.collect()
    return whole, tracemalloc.get_traced_memory()[0] - before


def import_seconds(*lines: str) -> list[float]:
    """Processor time of each line in a process of its own, without Python's start: the least of
    TRIES, taken in turn."""
    took: dict[str, list[float]] = {line: [] for line in ("pass", *lines)}
    for _ in range(TRIES):
        for line, times in took.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", line], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return [min(took[line]) - min(took["pass"]) for line in lines]


def draw(costs: dict[int, tuple[float, float]]) -> None:
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5.5, 3.2), layout="constrained")
    clients = list(costs)
    axes.loglog(
        clients,
        [each * count / 1_000 for count, (each, _) in costs.items()],
        "o-",
        label="measured",
    )
    axes.loglog(
        clients,
        [costs[clients[0]][0] * count / 1_000 for count in clients],
        ":",
        color="gray",
        label="as among ten",
    )
    axes.set(
        xlabel="clients", ylabel="seconds for a virtual second", title="A lab's cost by its clients"
    )
    axes.legend()
    figure.savefig(PICTURE, dpi=80)
    pyplot.close(figure)


def run() -> list[Row]:
    costs = {
        clients: min(cost_ms(clients) for _ in range(3 if clients < 1_000 else 1))
        for clients in CLIENTS
    }
    draw(costs)
    ten_ms, _ = costs[CLIENTS[0]]
    rows = [
        compared(
            f"a client's virtual second among {clients:,}, {request_us:.0f} µs a request / "
            f"among {CLIENTS[0]} (less is better)",
            each_ms,
            ten_ms,
            "ms",
        )
        for clients, (each_ms, request_us) in costs.items()
    ]
    whole, bare = bytes_of_a_client()
    name = "memory of an idle client with two seconds of its journal / without (less is better)"
    ours_s, peers_s = import_seconds(OURS, PEERS)
    return [
        *rows,
        compared(name, whole / 1_024, bare / 1_024, "KiB"),
        compared(f"{OURS} / {PEERS} (less is better)", ours_s, peers_s, "s"),
    ]
