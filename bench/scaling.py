"""Measures the cost of a client among ten and among ten thousand, its memory, and the import.

Clients are consumers without a group at a topic where nothing comes: two fetches a virtual second
each, their answers, their passes, their lines. The cost of one client for one virtual second is put
beside that of the same client among ten; straight would be 1. `scaling.png` beside this file draws
it. Memory is what tracemalloc saw come: with all that the journal has kept of two seconds, and
without. Import time is that of a process of its own whose byte code is on disk.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path

import matplotlib

from bench import Row
from bench._labs import alone, told_since
from bench.simulator import seconds

CLIENTS = (10, 100, 1_000, 10_000)
WARM_MS, MEASURED_MS = 2_000, 1_000
IDLE_CLIENTS = 200
ALLOWED_IMPORT_S = 0.1
PICTURE = Path(__file__).with_name("scaling.png")
IMPORT = (
    "import sys, time; began = time.perf_counter(); import kafkalab; took = time.perf_counter() - "
    "began; print(took, *(name for name in ('pandas', 'matplotlib', 'pyspark') if name in "
    "sys.modules))"
)


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


def import_seconds() -> float:
    """The best of five; RuntimeError when it brought a library along
    that only a picture or a table needs."""
    best = float("inf")
    for _ in range(5):
        took, *heavy = subprocess.run(
            [sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True
        ).stdout.split()
        if heavy:
            raise RuntimeError(f"import kafkalab loads {', '.join(heavy)}")
        best = min(best, float(took))
    return best


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
        Row(
            name=(
                f"a client's virtual second among {clients:,}, {request_us:.0f} µs a request / "
                f"among {CLIENTS[0]} (less is better)"
            ),
            ours=each_ms,
            peer=ten_ms,
            ratio=each_ms / ten_ms,
            unit="ms",
        )
        for clients, (each_ms, request_us) in costs.items()
    ]
    whole, bare = bytes_of_a_client()
    rows.append(
        Row(
            name=(
                "memory of an idle client with two seconds of its journal / without (less is "
                "better)"
            ),
            ours=whole / 1_024,
            peer=bare / 1_024,
            ratio=whole / bare,
            unit="KiB",
        )
    )
    took_s = import_seconds()
    rows.append(
        Row(
            name="import kafkalab / the tenth of a second allowed (less is better)",
            ours=took_s,
            peer=ALLOWED_IMPORT_S,
            ratio=took_s / ALLOWED_IMPORT_S,
            unit="s",
        )
    )
    return rows
