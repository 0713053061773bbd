"""Runs every story on both labs and writes the table notebooks/PROOF.md.

What was run is kept in the file proof.jsonl of the real lab's folder, a line for each story and
release. So a run that was stopped goes on where it stopped, and a story runs again only when its
source has changed.

The simulator plays each story with several seeds. Where they differ, the value is a matter of
chance, and the real one must be one of them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kafkalab.course_folder import course_folder
from kafkalab.errors import IllegalArgumentException
from kafkalab.real.home import private_folder, real_home
from kafkalab.real.jar_sets import NotSetUp, broker_set, client_set
from kafkalab.real.proof import (
    batch_stories,
    connection_stories,
    error_stories,
    group_stories,
    offset_stories,
    replica_stories,
)
from kafkalab.real.proof.claim import RealStory
from kafkalab.real.proof.outcome import RealOutcome
from kafkalab.real.proof.proof_page import proof_rows, proof_text
from kafkalab.real.proof.sides import RealSide, SimulatedSide
from kafkalab.releases.lineage import NEWEST_BROKER

SEEDS = 5
ROOMS = (
    connection_stories,
    batch_stories,
    replica_stories,
    group_stories,
    offset_stories,
    error_stories,
)


def all_stories() -> list[RealStory]:
    """Every story, by chapter."""
    found = [each for room in ROOMS for each in vars(room).values() if isinstance(each, RealStory)]
    return sorted(found, key=lambda each: each.id)


def prove(chapters: Sequence[str], again: bool, show: Callable[[str], None]) -> int:
    """Run the stories of these chapters, of all where none is named, and write the page.

    Returns 0 where all agree. Raises NotSetUp, IllegalArgumentException for a chapter without
    stories.
    """
    stories = all_stories()
    strangers = set(chapters) - {each.chapter for each in stories}
    if strangers:
        known = ", ".join(sorted({each.chapter for each in stories}))
        raise IllegalArgumentException(
            f"no story proves chapter {sorted(strangers)[0]!r}; there are stories for {known}"
        )
    broker_set(NEWEST_BROKER).class_path()
    kept = {(each.story, each.release): each for each in _kept()}
    wanted = [
        (each, release)
        for each in sorted(
            stories, key=lambda each: (each.brokers, str(each.broker_config), each.id)
        )
        if not chapters or each.chapter in chapters
        for release in each.releases
    ]
    fresh = [
        (each, release)
        for each, release in wanted
        if again or not _is_known(kept.get((each.id, release)), each)
    ]
    for _, release in fresh:
        client_set(release).class_path()
    real = RealSide()
    began = time.monotonic()
    try:
        for number, (each, release) in enumerate(fresh, 1):
            took = time.monotonic() - began
            show(f"{number} of {len(fresh)}: {each.id}, {release}; {took:.0f} s so far")
            kept[each.id, release] = outcome = run_story(each, release, real)
            _keep(outcome)
    finally:
        real.close()
        page = course_folder() / "notebooks" / "PROOF.md"
        page.write_text(proof_text(stories, list(kept.values())), encoding="utf-8", newline="\n")
    show("")
    rows = proof_rows(stories, kept.values())
    differ = sum(not row.agrees for row in rows)
    print(f"{len(fresh)} stories run; {len(rows)} rows, {differ} of them differ: {page}")
    return 0 if not differ else 1


def run_story(story: RealStory, release: str, real: RealSide) -> RealOutcome:
    """Play a story on both labs with one client release."""
    date = time.strftime("%Y-%m-%d")
    simulated: dict[str, list[Any]] = {}
    values: dict[str, Any] = {}
    problem = ""
    try:
        for seed in range(SEEDS):
            played = plain(story.play(SimulatedSide(story, release, seed)))
            for claim, value in played.items():
                found = simulated.setdefault(claim, [])
                if value not in found:
                    found.append(value)
    except Exception as error:
        problem = f"the simulator: {type(error).__name__}: {error}"
    try:
        values = plain(story.play(real.serve(story, release)))
    except NotSetUp:
        raise
    except Exception as error:
        problem = f"real Kafka: {type(error).__name__}: {error}"
    return RealOutcome(story.id, release, story.digest, date, simulated, values, problem)


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values as they come back from a file of JSON."""
    found: dict[str, Any] = json.loads(json.dumps(values))
    return found


def _is_known(outcome: RealOutcome | None, story: RealStory) -> bool:
    return outcome is not None and outcome.digest == story.digest and not outcome.problem


def _file() -> Path:
    return real_home() / "proof.jsonl"


def _kept() -> Iterator[RealOutcome]:
    if _file().exists():
        for line in _file().read_text(encoding="utf-8").splitlines():
            yield RealOutcome(**json.loads(line))


def _keep(outcome: RealOutcome) -> None:
    private_folder(real_home())
    with open(_file(), "a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
