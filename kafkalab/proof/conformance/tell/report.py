"""Replays the recordings of a folder and says how well a classifier tells the replays from them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kafkalab.lines.gap_import import CountedGaps
from kafkalab.lines.layout import read, rows_of
from kafkalab.lines.recorded_gaps import GapRow, RecordedGaps
from kafkalab.proof.conformance.seeds import logs_in
from kafkalab.proof.conformance.tell.giveaways import gap_texts, pair_texts
from kafkalab.proof.conformance.tell.halves import HALVINGS, ToldLog, shares_told
from kafkalab.proof.conformance.tell.traits import VIEWS, Traits, traits_of
from kafkalab.releases import lineage

SEEDS = 64

Say = Callable[[str], None]


@dataclass(frozen=True)
class RecordedScenario:
    """What a folder holds: the traits of each client's log, and the gaps of all of them."""

    name: str
    folder: Path
    clients: Mapping[str, Mapping[str, Traits]]
    gaps: CountedGaps


def recorded_scenario(name: str, folder: Path) -> RecordedScenario:
    """The recording in `folder`."""
    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    release = ".".join(scenario["client_version"].split(".")[:2])
    clients, gaps = {}, CountedGaps()
    for client, path in logs_in(folder).items():
        rows = list(read(path))
        clients[client] = traits_of(rows)
        if release in lineage.CLIENT_NAMES:
            gaps.add(rows, release)
    return RecordedScenario(name, folder, clients, gaps)


def replayed(name: str, folder: Path) -> dict[str, Mapping[str, Traits]] | str:
    """The traits of each client's log in our replay, or why there is none. The name gives the
    seed, so that no seed stands for ours; `use_gaps` says how long its work takes."""
    from kafkalab.proof.replay import replay  # Traits can be read without the simulator.

    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    try:
        played = replay(scenario, zlib.crc32(name.encode()) % SEEDS, gaps=_GAPS[-1])
    except Exception as error:
        # A scenario that cannot be played is a result, as it is for the marks.
        return f"{type(error).__name__}: {error}"
    return {
        client: traits_of(rows_of(text.removesuffix("\n").split("\n")))
        for client, text in played.items()
    }


_GAPS: list[RecordedGaps] = []
"""The table of this process, read once for all its replays."""


def use_gaps(rows: Sequence[GapRow]) -> None:
    """From now on the replays of this process draw from these rows."""
    _GAPS[:] = [RecordedGaps(rows)]


def told_shares(
    folders: Mapping[str, Path],
    jobs: int | None,
    say: Say = lambda text: None,
    halvings: int = HALVINGS,
) -> tuple[dict[str, float], list[ToldLog]]:
    """View -> the share told right, and kept-back logs of both sides; see `shares_told`.

    jobs: so many processes replay at a time.
    """
    recorded = [recorded_scenario(name, folder) for name, folder in folders.items()]
    done = 0

    def logs_of(learned: set[str]) -> list[ToldLog]:
        nonlocal done
        done += 1
        say(f"half {done} of {2 * halvings}: {len(recorded)} replays")
        gaps = CountedGaps.of(one.gaps for one in recorded if one.folder.name in learned)
        found = []
        with ProcessPoolExecutor(jobs, initializer=use_gaps, initargs=(gaps.rows(),)) as pool:
            played = pool.map(replayed, folders, folders.values())
            for one, ours in zip(recorded, played):
                if isinstance(ours, str):
                    say(f"{one.name}: {ours}")
                    continue
                for client in sorted(one.clients.keys() & ours.keys()):
                    found.append(ToldLog(one.folder.name, True, one.clients[client]))
                    found.append(ToldLog(one.folder.name, False, ours[client]))
        return found

    return shares_told([one.folder.name for one in recorded], logs_of, halvings)


def telling_texts(shares: Mapping[str, float], logs: Sequence[ToldLog]) -> Iterator[str]:
    """What is printed: a share for each view beside 50 %, then what gives us away most."""
    scenarios = len({log.scenario for log in logs})
    yield f"{len(logs) // 2} real logs and their replays, {scenarios} scenarios; 50 % is chance"
    for view in VIEWS:
        yield f"told right by {view:5}  {shares[view]:6.1%}"
    yield "\npairs of lines, one right after the other:"
    yield from pair_texts(logs)
    yield "\ngaps between two lines, and the pairs whose gaps differ most:"
    yield from gap_texts(logs)
