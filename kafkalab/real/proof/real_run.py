"""RealRun: what one story gave on real Kafka, once, with one client release.

The runs are kept in the file proof.jsonl of the real lab's folder, a line for each. So a proof that
was stopped goes on where it stopped. What the simulator gave is not kept: it plays again each time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkalab.real.home import private_folder, real_home

if TYPE_CHECKING:
    from kafkalab.real.proof.claim import RealStory


@dataclass(frozen=True)
class RealRun:
    """What a story gave on real Kafka with one release, on one day.

    digest   RealStory.digest of the story that ran
    values   claim -> its value
    problem  why there is no value, "" where there is one
    """

    story: str
    release: str
    digest: str
    date: str
    values: dict[str, Any] = field(default_factory=dict)
    problem: str = ""


def runs_of(story: RealStory, release: str, runs: Iterable[RealRun]) -> list[RealRun]:
    """The runs of a story as it is now, oldest first. Runs with a problem are left out where
    another run had none."""
    own = [
        each
        for each in runs
        if (each.story, each.release, each.digest) == (story.id, release, story.digest)
    ]
    return [each for each in own if not each.problem] or own[-1:]


def kept_runs() -> list[RealRun]:
    """All runs that are kept, oldest first."""
    if not _file().exists():
        return []
    lines = _file().read_text(encoding="utf-8").splitlines()
    return [RealRun(**json.loads(line)) for line in lines]


def keep_run(run: RealRun) -> None:
    """Add a run to the file."""
    private_folder(real_home())
    with open(_file(), "a", encoding="utf-8") as file:
        file.write(_line(run))


def keep_only(runs: Iterable[RealRun]) -> None:
    """Write the file again, with these runs only."""
    private_folder(real_home())
    new = _file().with_suffix(".new")
    new.write_text("".join(map(_line, runs)), encoding="utf-8", newline="\n")
    new.replace(_file())


def _line(run: RealRun) -> str:
    return json.dumps(asdict(run), ensure_ascii=False) + "\n"


def _file() -> Path:
    return real_home() / "proof.jsonl"
