"""Replays the recordings of a folder and says how well a classifier tells the replays from them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kafkalab.lines.layout import read, rows_of
from kafkalab.proof.conformance.seeds import logs_in
from kafkalab.proof.conformance.tell.giveaways import gap_texts, pair_texts
from kafkalab.proof.conformance.tell.halves import ToldLog, shares_told
from kafkalab.proof.conformance.tell.traits import VIEWS, traits_of

SEEDS = 64


@dataclass(frozen=True)
class ReplayedFolder:
    """The logs of one recording and of our replay of it. `error` says why there are none."""

    logs: Sequence[ToldLog] = ()
    error: str = ""


def told_logs(
    folders: Mapping[str, Path], jobs: int | None, say: Callable[[str], None] = lambda text: None
) -> Iterator[ReplayedFolder]:
    """A ReplayedFolder for each (name, folder), in their order; `jobs` processes work at a time."""
    with ProcessPoolExecutor(jobs) as pool:
        for done, (name, found) in enumerate(
            zip(folders, pool.map(replayed_folder, folders, folders.values())), 1
        ):
            say(f"{done} of {len(folders)}: {name}" + (f": {found.error}" if found.error else ""))
            yield found


def replayed_folder(name: str, folder: Path) -> ReplayedFolder:
    """Both sides of a recording. Its name gives the seed, so that no seed stands for ours."""
    from kafkalab.proof.replay import replay  # Traits can be read without the simulator.

    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    try:
        played = replay(scenario, zlib.crc32(name.encode()) % SEEDS)
    except Exception as error:
        # A scenario that cannot be played is a result, as it is for the marks.
        return ReplayedFolder(error=f"{type(error).__name__}: {error}")
    told = partial(ToldLog, folder.name)
    return ReplayedFolder(
        [
            log
            for client, path in logs_in(folder).items()
            if client in played
            for log in (
                told(True, traits_of(read(path))),
                told(False, traits_of(rows_of(played[client].removesuffix("\n").split("\n")))),
            )
        ]
    )


def telling_texts(logs: Sequence[ToldLog]) -> Iterator[str]:
    """What is printed: a share for each view beside 50 %, then what gives us away most.

    Raises MissingExtra and ValueError as `shares_told` does.
    """
    scenarios = len({log.scenario for log in logs})
    yield f"{len(logs) // 2} real logs and their replays, {scenarios} scenarios; 50 % is chance"
    shares = shares_told(logs)
    for view in VIEWS:
        yield f"told right by {view:5}  {shares[view]:6.1%}"
    yield "\npairs of lines, one right after the other:"
    yield from pair_texts(logs)
    yield "\ngaps between two lines, and the pairs whose gaps differ most:"
    yield from gap_texts(logs)
