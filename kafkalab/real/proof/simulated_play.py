"""Plays a story on the simulator, with a few seeds, or with more where they differ."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafkalab.real.proof.sides import SimulatedSide

if TYPE_CHECKING:
    from kafkalab.real.proof.claim import RealStory

FEW_SEEDS = 5
RUNS_OF_CHANCE = 10
"""A story whose values differ by seed is played so often, and is run so often on real Kafka."""


@dataclass(frozen=True)
class SimulatedPlay:
    """What a story gives on the simulator with one client release.

    values   a dict for each seed: claim -> its value
    problem  why a seed gave no values, "" where all gave some
    """

    values: tuple[dict[str, Any], ...]
    problem: str = ""

    def of(self, claim: str) -> list[Any]:
        """The values of a claim, one for each seed."""
        return [each[claim] for each in self.values if claim in each]

    @property
    def differs(self) -> bool:
        """Whether a claim of this story is a matter of chance."""
        return any(each != self.values[0] for each in self.values)


def play_simulated(story: RealStory, release: str) -> SimulatedPlay:
    """Play a story with five seeds, and with ten where these differ."""
    values: list[dict[str, Any]] = []
    try:
        for seed in range(RUNS_OF_CHANCE):
            if seed == FEW_SEEDS and not SimulatedPlay(tuple(values)).differs:
                break
            values.append(plain(story.play(SimulatedSide(story, release, seed))))
    except Exception as error:
        return SimulatedPlay(tuple(values), f"the simulator: {type(error).__name__}: {error}")
    return SimulatedPlay(tuple(values))


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values as they come back from a file of JSON."""
    found: dict[str, Any] = json.loads(json.dumps(values))
    return found
