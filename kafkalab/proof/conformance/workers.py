"""Plays many scenarios at a time, each in a process. A scenario that never ends is stopped and the
others go on."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from kafkalab.proof.conformance.seeds import Conformance, conform, not_played

# A replay takes a second or two. A process that says nothing for so long is stopped.
SILENCE_S = 30


@dataclass
class _Running:
    name: str
    folder: Path
    process: multiprocessing.Process
    heard_s: float


def conform_all(
    folders: Mapping[str, Path],
    seeds_of: Callable[[str], Sequence[int]],
    jobs: int,
    silence_s: float = SILENCE_S,
    pace: bool = False,
) -> Iterator[Conformance]:
    """A Conformance for each (name, folder), as they are done; `jobs` at a time.
    `seeds_of(name)` are the seeds to try; pace: as for `conform`."""
    waiting = list(folders.items())
    running: dict[Connection, _Running] = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, jobs):
                connection, started = _start(*waiting[0], seeds_of(waiting[0][0]), pace)
                del waiting[0]
                running[connection] = started
            heard = wait(list(running), timeout=1)
            for connection in [each for each in running if each in heard]:
                running[connection].heard_s = time.monotonic()
                result = _heard(connection, running[connection])
                if result:
                    running.pop(connection).process.join()
                    yield result
            for connection, one in list(running.items()):
                if time.monotonic() - one.heard_s > silence_s:
                    one.process.kill()
                    del running[connection]
                    yield not_played(
                        one.name, one.folder, f"no replay ended within {silence_s:g} s"
                    )
    finally:
        for one in running.values():
            one.process.kill()


def _start(
    name: str, folder: Path, seeds: Sequence[int], pace: bool
) -> tuple[Connection, _Running]:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(
        target=_work, args=(theirs, name, folder, seeds, pace), daemon=True
    )
    process.start()
    theirs.close()
    return ours, _Running(name, folder, process, time.monotonic())


def _work(parent: Connection, name: str, folder: Path, seeds: Sequence[int], pace: bool) -> None:
    """Sends None after each replay, then the result."""
    parent.send(conform(folder, seeds, name=name, on_replay=lambda: parent.send(None), pace=pace))


def _heard(connection: Connection, one: _Running) -> Conformance | None:
    try:
        result: Conformance | None = connection.recv()
        return result
    except EOFError:
        return not_played(one.name, one.folder, "its process ended without a result")
