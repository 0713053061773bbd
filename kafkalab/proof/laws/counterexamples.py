"""Shows why the laws name limits. For each limit it holds a story that leaves it, and finds the
first seed on which the law breaks.

    python -c "from kafkalab.proof.laws.counterexamples import show; show('acks=1')"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kafkalab.proof.laws.faults import Menu
from kafkalab.proof.laws.hasty_writer import HASTY, hasty_writers
from kafkalab.proof.laws.shrink import shrink
from kafkalab.proof.laws.stories import StoryKind, writers
from kafkalab.proof.laws.trial import Trial, report, try_run, try_seed

BROKER_FAULTS = ("crash", "crash", "island", "island", "freeze")


@dataclass(frozen=True, slots=True)
class Beyond:
    """A limit of a law and a story that leaves it.

    story  one whose Scope claims more than it keeps
    law    the one that breaks, as a Breach names it
    kept   the same story with the limit kept, where a newer protocol keeps it: no law breaks
    """

    limit: str
    story: StoryKind
    law: str
    kept: StoryKind | None = None


BEYOND: Mapping[str, Beyond] = MappingProxyType(
    {
        "acks=1": Beyond(
            "the leader alone answers; whoever leads next has never had the record, and the old "
            "leader cuts it off (KIP-101)",
            StoryKind("acks=1", Menu(BROKER_FAULTS, ("writer-0",)), writers, acks=("1",)),
            "what was acknowledged stays",
        ),
        "unclean election": Beyond(
            "unclean.leader.election.enable=true: a replica that was not in sync leads, and what "
            "it lacks is gone",
            StoryKind(
                "unclean election",
                Menu(("crash",), ("writer-0",), down_at_once=3, most=8, longest_ms=2_000),
                writers,
                settings=(("unclean.leader.election.enable", True), ("min.insync.replicas", 1)),
            ),
            "what was acknowledged stays",
        ),
        "late PRODUCE": Beyond(
            "before transaction.version 2 a PRODUCE that outlives its END_TXN becomes part of the "
            "next transaction of its producer (KIP-890)",
            StoryKind(
                "late PRODUCE",
                Menu(("strand",), (HASTY,)),
                hasty_writers,
                broker_versions=("2.3",),
                versions=("2.3",),
            ),
            "read_committed returns no aborted data",
            StoryKind(
                "late PRODUCE",
                Menu(("strand",), (HASTY,)),
                hasty_writers,
                broker_versions=("4.4",),
                versions=("4.0", "4.4"),
            ),
        ),
    }
)


def first_breach(name: str, seeds: int = 500) -> Trial | None:
    """The first seed on which the law breaks beyond that limit,
    with as few faults as still break it. None where none does."""
    beyond = BEYOND[name]

    def breaks(trial: Trial) -> bool:
        return any(breach.law == beyond.law for breach in trial.found)

    for seed in range(seeds):
        trial = try_seed(seed, [beyond.story])
        if breaks(trial):
            return try_run(shrink(trial.run, lambda run: breaks(try_run(run))))
    return None


def show(name: str) -> None:
    """Print what happens beyond a limit: the seed, the faults, the moment."""
    trial = first_breach(name)
    print(f"{name}: {BEYOND[name].limit}")
    print(report(trial) if trial else "no seed shows it")


__all__ = ["BEYOND", "Beyond", "first_breach", "show"]
