"""Finds the seed with which a simulated client equals the recorded one. A scenario is replayed
until each of its clients is equal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kafkalab.proof.conformance.broker_log import ServerConformance, conform_servers
from kafkalab.proof.conformance.client_log import Observed
from kafkalab.proof.conformance.marks import MARKS, differences, equal, marks_of

SEEDS = range(64)

Replay = Callable[[Mapping[str, Any], "int | Mapping[str, int]"], Mapping[str, str]]


@dataclass(frozen=True)
class ClientConformance:
    """The marks of one client of one scenario. `seed` made it equal; it is 0 where none did."""

    equal: bool
    seed: int
    marks: Mapping[str, float]
    differences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conformance:
    """The marks of one scenario. `error` says why it could not be played; its marks are then 0.

    servers: the marks of the brokers whose logs were recorded.
    """

    scenario: str
    clients: Mapping[str, ClientConformance]
    error: str | None = None
    replays: int = 0
    servers: Mapping[int, ServerConformance] = field(default_factory=dict)

    def mean(self, mark: str) -> float:
        return sum(client.marks[mark] for client in self.clients.values()) / len(self.clients)


@dataclass
class _Search:
    """The replays made so far: which client was equal with which seed."""

    real: Mapping[str, Observed]
    replay: Callable[[int | Mapping[str, int]], Mapping[str, Observed]]
    found: dict[str, int] = field(default_factory=dict)
    played: dict[str, Mapping[str, Observed]] = field(default_factory=dict)

    def play(self, seed: int | dict[str, int]) -> Mapping[str, Observed]:
        key = json.dumps(seed, sort_keys=True)
        if key not in self.played:
            self.played[key] = self.replay(seed)
        return self.played[key]

    def try_seed(self, seed: int) -> None:
        for name, other in self.play(seed).items():
            if name in self.real and name not in self.found and equal(self.real[name], other):
                self.found[name] = seed

    def run(self, seeds: Sequence[int]) -> None:
        for seed in seeds:
            if len(self.found) == len(self.real):
                return
            self.try_seed(seed)

    def chosen(self) -> int | dict[str, int]:
        """Each client's lowest equal seed; one number where they agree. Each client has its own
        stream of chance, so they may differ."""
        seeds = {name: self.found.get(name, 0) for name in self.real}
        distinct = set(seeds.values())
        return distinct.pop() if len(distinct) == 1 else seeds


def logs_in(folder: Path) -> dict[str, Path]:
    """Client name -> its log in a scenario folder, plain or packed;
    the brokers' logs are not clients'."""
    return {
        path.name.split(".log")[0]: path
        for path in sorted(folder.glob("*.log*"))
        if not path.name.startswith("broker-")
    }


def conform(
    folder: Path,
    seeds: Sequence[int] = SEEDS,
    replay: Replay | None = None,
    name: str | None = None,
    on_replay: Callable[[], None] = lambda: None,
    pace: bool = False,
) -> Conformance:
    """Replay the scenario of `folder` with each of `seeds` until every client is equal to its
    recording, then mark it.

    `replay(scenario, seed)` returns client name -> text of its log; the default is the simulator's.
    With `pace` its clients take the time for their work that recordings show; without, none, as in
    a lesson's lab.
    `on_replay` is called after each replay.
    """
    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    real = {client: Observed.of_file(path) for client, path in logs_in(folder).items()}
    simulates, replay = replay is None, replay or partial(_simulate, pace=pace)

    def observe(seed: int | Mapping[str, int]) -> dict[str, Observed]:
        observed = {
            client: Observed.of_text(text) for client, text in replay(scenario, seed).items()
        }
        on_replay()
        return observed

    search = _Search(real, observe)
    name = name or folder.name
    try:
        search.run(seeds)
        chosen = search.play(search.chosen())
        servers = conform_servers(folder, search.chosen()) if simulates else {}
    except Exception as error:
        # A scenario the simulator cannot play is a result, not the end of the run.
        return not_played(name, folder, f"{type(error).__name__}: {error}")
    return Conformance(
        name,
        {client: _marked(search, client, chosen.get(client)) for client in real},
        replays=len(search.played),
        servers=servers,
    )


def not_played(name: str, folder: Path, error: str) -> Conformance:
    """The result of a scenario that gave no logs."""
    nothing = ClientConformance(False, 0, dict.fromkeys(MARKS, 0.0), (f"not played: {error}",))
    return Conformance(name, dict.fromkeys(logs_in(folder), nothing), error)


def _marked(search: _Search, client: str, other: Observed | None) -> ClientConformance:
    if other is None:
        return ClientConformance(False, 0, dict.fromkeys(MARKS, 0.0), ("no log",))
    real = search.real[client]
    return ClientConformance(
        client in search.found,
        search.found.get(client, 0),
        marks_of(real, other),
        tuple(differences(real, other)),
    )


def _simulate(
    scenario: Mapping[str, Any], seed: int | Mapping[str, int], pace: bool
) -> Mapping[str, str]:
    from kafkalab.proof.replay import replay  # The marks can be used without the simulator.

    return replay(dict(scenario), seed, real_pace=pace)
