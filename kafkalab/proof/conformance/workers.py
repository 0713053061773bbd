"""Plays many scenarios at a time, each in a process. A scenario that never ends is stopped and the
others go on."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from kafkalab.proof.conformance.seeds import Conformance, conform, not_played

# A replay takes a second or two of processor time. A busy machine lengthens none of it.
REPLAY_LIMIT_S = 120


@dataclass(frozen=True)
class _Running:
    name: str
    folder: Path
    process: multiprocessing.Process
    limit_s: float


def conform_all(
    folders: Mapping[str, Path],
    seeds_of: Callable[[str], Sequence[int]],
    jobs: int,
    limit_s: float = REPLAY_LIMIT_S,
    pace: bool = False,
) -> Iterator[Conformance]:
    """A Conformance for each (name, folder), as they are done; `jobs` at a time.
    `seeds_of(name)` are the seeds to try; pace: as for `conform`. limit_s: seconds of processor
    time that one replay may take before its process is stopped."""
    waiting = list(folders.items())
    running: dict[Connection, _Running] = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, jobs):
                connection, started = _start(*waiting[0], seeds_of(waiting[0][0]), limit_s, pace)
                del waiting[0]
                running[connection] = started
            heard = wait(list(running))
            for connection in [each for each in running if each in heard]:
                one = running.pop(connection)
                yield _heard(connection, one)
    finally:
        for one in running.values():
            one.process.kill()


def _start(
    name: str, folder: Path, seeds: Sequence[int], limit_s: float, pace: bool
) -> tuple[Connection, _Running]:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(
        target=_work, args=(theirs, name, folder, seeds, limit_s, pace), daemon=True
    )
    process.start()
    theirs.close()
    return ours, _Running(name, folder, process, limit_s)


def _work(
    parent: Connection, name: str, folder: Path, seeds: Sequence[int], limit_s: float, pace: bool
) -> None:
    """Sends the result. The kernel ends this process when one replay takes more than its limit;
    Windows has no such timer, so there a replay without end is stopped by hand."""

    def begin_a_replay() -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, limit_s)

    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
    begin_a_replay()
    parent.send(conform(folder, seeds, name=name, on_replay=begin_a_replay, pace=pace))


def _heard(connection: Connection, one: _Running) -> Conformance:
    try:
        result: Conformance = connection.recv()
        one.process.join()
        return result
    except EOFError:
        one.process.join()
    why = "its process ended without a result"
    if hasattr(signal, "SIGPROF") and one.process.exitcode == -signal.SIGPROF:
        why = f"no replay ended within {one.limit_s:g} s of processor time"
    return not_played(one.name, one.folder, why)
