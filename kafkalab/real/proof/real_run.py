"""RealRun: what one story gave on real Kafka, once, with one client release.

The runs are kept in the file proof.jsonl of the real lab's folder, a line for each. So a proof that
was stopped goes on where it stopped. The runs that the page PROOF.md shows lie beside it, in
proof_runs.jsonl. So a page can be written again where only some stories have run. What the
simulator gave is not kept: it plays again each time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
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


def shown_runs(
    stories: Iterable[RealStory], own: Sequence[RealRun], before: Sequence[RealRun]
) -> list[RealRun]:
    """The runs that a page shows of the stories as they are now: those of this machine, and those
    that the page had before where this machine has none that worked."""
    found: list[RealRun] = []
    for story in stories:
        for release in story.releases:
            mine, earlier = runs_of(story, release, own), runs_of(story, release, before)
            worked = any(not each.problem for each in mine)
            found += mine if worked or not earlier else earlier
    return found


def kept_runs() -> list[RealRun]:
    """All runs that this machine keeps, oldest first."""
    return read_runs(_file())


def read_runs(path: Path) -> list[RealRun]:
    """The runs in a file, oldest first; none where there is no file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [RealRun(**json.loads(line)) for line in lines]


def write_runs(runs: Iterable[RealRun], path: Path) -> None:
    """Write a file with these runs only."""
    new = path.with_suffix(".new")
    new.write_text("".join(map(_line, runs)), encoding="utf-8", newline="\n")
    new.replace(path)


def keep_run(run: RealRun) -> None:
    """Add a run to the file."""
    private_folder(real_home())
    with open(_file(), "a", encoding="utf-8") as file:
        file.write(_line(run))


def keep_only(runs: Iterable[RealRun]) -> None:
    """Write the file of this machine again, with these runs only."""
    private_folder(real_home())
    write_runs(runs, _file())


def _line(run: RealRun) -> str:
    return json.dumps(asdict(run), ensure_ascii=False) + "\n"


def _file() -> Path:
    return real_home() / "proof.jsonl"
