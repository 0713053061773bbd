"""Runs `python -m kafkalab seeds N`: checks every law on N seeds, on all processors.

Each worker is a process with a PYTHONHASHSEED of its own. Some seeds are played by two of them, and
their journals compared byte by byte: what a set's order decides shows only between two processes.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kafkalab.command_line import CommandParser, called_as
from kafkalab.proof.laws.trial import report, try_seed

STORIES_A_SWEEP = 40
LOOK_EVERY_S = 0.2
FIRST_WORD_S = 2
"""A sweep shorter than this says nothing before its end."""
BROKEN = re.compile(rb'\{"seed": (\d+),.*"broken": true')
TOLD_IN_FULL = 3
"""So many broken seeds are told in full; of the others only the numbers are printed."""


def main(argv: Sequence[str]) -> int:
    """Returns 0 when every law held on every seed, 1 when one was broken."""
    options = _parser().parse_args(argv)
    if options.worker is not None:
        return _work(options)
    if options.only is not None:
        trial = try_seed(options.only)
        print(f"seed {options.only}, a story of {trial.run.story.name}")
        for fault in trial.run.faults:
            print(f"  {fault}")
        print("every law held" if trial.held else report(trial))
        return 0 if trial.held else 1
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        verdicts = list(_verdicts(options, Path(folder)))
    took_s = time.monotonic() - began
    stories = Counter(verdict["story"] for verdict in verdicts if verdict["checked"])
    broken = [verdict["seed"] for verdict in verdicts if verdict["broken"]]
    digests: dict[int, set[str]] = {}
    for verdict in verdicts:
        if verdict["digest"]:
            digests.setdefault(verdict["seed"], set()).add(verdict["digest"])
    torn = sorted(seed for seed, found in digests.items() if len(found) > 1)
    for seed in broken[:TOLD_IN_FULL]:
        print(report(try_seed(seed)), end="\n\n")
    if broken[TOLD_IN_FULL:]:
        print(f"broken as well: seeds {', '.join(map(str, broken[TOLD_IN_FULL:]))}\n")
    for seed in torn:
        print(
            f"seed {seed}: same seed, same bytes: two processes with other PYTHONHASHSEEDs wrote "
            "different journals\n"
        )
    played = ", ".join(f"{count} of {name}" for name, count in sorted(stories.items()))
    fallen = len(broken) + len(torn)
    print(
        f"{sum(stories.values())} seeds ({played}) in {took_s:.0f} s, {len(digests)} of them in two"
        f" processes: {f'{fallen} broke a law' if fallen else 'every law held'}"
    )
    return 1 if fallen else 0


def _parser() -> CommandParser:
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} seeds",
        description="Hold many small stories full of faults against the laws.",
        example="1000 --first 5000",
    )
    parser.add_argument(
        "seeds", type=int, nargs="?", default=1_000, help="how many (default: 1000)"
    )
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--only", type=int, help="tell this one seed")
    parser.add_argument(
        "--jobs",
        type=int,
        default=max(2, os.cpu_count() or 2),
        help="how many processes (default: one a core, two at least)",
    )
    parser.add_argument(
        "--twice",
        type=int,
        default=4,
        metavar="N",
        help="every N-th seed is played in two processes and compared (default: 4)",
    )
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    return parser


def _verdicts(options: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """What all workers found, by seed. They write it into the folder."""
    root = str(Path(__file__).resolve().parents[3])
    workers: list[subprocess.Popen[bytes]] = []
    answers: list[Path] = []
    for number in range(options.jobs):
        shares = [f"--{name}={getattr(options, name)}" for name in ("first", "jobs", "twice")]
        command = [sys.executable, "-m", "kafkalab", "seeds", str(options.seeds)]
        command += [*shares, f"--worker={number}"]
        search = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
        environment = {**os.environ, "PYTHONHASHSEED": str(number + 1), "PYTHONPATH": search}
        # A full pipe without a reader would stop its writer.
        answers.append(folder / f"{number}.jsonl")
        with answers[-1].open("wb") as answer:
            workers.append(subprocess.Popen(command, env=environment, stdout=answer))
    _show_progress(workers, answers, options.seeds)
    found: list[dict[str, Any]] = []
    for worker, path in zip(workers, answers):
        if worker.wait():
            raise RuntimeError(
                f"a worker ended with code {worker.returncode}; what it said is above"
            )
        found += map(json.loads, path.read_text(encoding="utf-8").splitlines())
    yield from sorted(found, key=lambda verdict: (verdict["seed"], not verdict["checked"]))


def _show_progress(
    workers: Sequence[subprocess.Popen[bytes]], answers: Sequence[Path], seeds: int
) -> None:
    """Until the workers end, write how many seeds have been checked, and which broke a law."""
    began, told = time.monotonic(), set()
    while any(worker.poll() is None for worker in workers):
        time.sleep(LOOK_EVERY_S)
        said = b"".join(answer.read_bytes() for answer in answers)
        for seed in map(int, BROKEN.findall(said)):
            if seed not in told:
                told.add(seed)
                print(f"seed {seed} broke a law; what it did is told at the end", file=sys.stderr)
        if (took_s := time.monotonic() - began) > FIRST_WORD_S:
            checked = said.count(b'"checked": true')
            print(f"{checked} of {seeds} seeds, {took_s:.0f} s", end="\r", file=sys.stderr)
    print(" " * 40, end="\r", file=sys.stderr)


def _work(options: argparse.Namespace) -> int:
    """One worker's share: every jobs-th seed held against the laws;
    of its neighbour's share some for the bytes alone."""
    # A lab's objects refer to one another and become garbage together; one collection after each
    # story is enough.
    gc.disable()
    for seed in range(options.first, options.first + options.seeds):
        turn = seed % options.jobs
        echoed = options.twice > 0 and seed // options.jobs % options.twice == 0
        own = turn == options.worker
        neighbours = echoed and (turn + 1) % options.jobs == options.worker
        if own or neighbours:
            trial = try_seed(seed)
            verdict = {
                "seed": seed,
                "story": trial.run.story.name,
                "checked": own,
                "broken": own and not trial.held,
                "digest": trial.digest if echoed else "",
            }
            print(json.dumps(verdict), flush=True)
            del trial
            if seed % STORIES_A_SWEEP < options.jobs:
                gc.collect()
    return 0
