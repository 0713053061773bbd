"""Prepares the night of chapter 17: five stories among quiet clients, and each story once more.

The night is a log set (kafkalab.logsets.generate). A story is one of its incidents: a few clients
on a Lab of their own. `retold` plays one of them again with other settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from kafkalab import Lab
from kafkalab.course_folder import course_folder
from kafkalab.logsets import session
from kafkalab.logsets.generate import Manifest, generate, manifest
from kafkalab.logsets.generate.manifest import MOST_MEMBERS
from kafkalab.logsets.generate.names import GROUP, client_mark
from kafkalab.logsets.generate.scenes import SCENES, Scene
from kafkalab.stories.log_files import write_log_files

BEGINS = "2026-01-05 02:50:00"
TOPIC = "jobs"  # of a story that is played alone
LARGE = "night-large"
BROKERS = 5  # as many as in the manifest `night`


@dataclass(frozen=True)
class NightPart:
    """One of the five stories: its scene, and its first second of the night."""

    scene: str
    at_s: int


PARTS = {
    1: NightPart("bad_deploy", 1_260),
    2: NightPart("rebalance_storm", 300),
    3: NightPart("retention_bites", 960),
    4: NightPart("auto_commit_duplicates", 700),
    5: NightPart("flapping_isr", 1_500),
}
HARMLESS = (("rolling_restart", "3.9", 540), ("long_work", "2.8", 1_080))
"""Scenes that only look like an incident: scene, release, first second."""
FEW = (
    ("consumer", "2.8", 2), ("consumer", "3.9", 3), ("consumer", "4.4", 2),
    ("closed_consumer", "3.9", 1),
    ("producer", "2.8", 2), ("producer", "3.9", 2), ("producer", "4.4", 1),
)  # fmt: skip
"""The quiet clients of the small night: story, release, number."""
NAMES = {ord(GROUP): "team"} | {
    ord(client_mark(number)): f"worker-{number}" for number in range(MOST_MEMBERS)
}
"""The names in a story that is played alone."""
MARKS = re.compile(f"[{''.join(map(chr, NAMES))}]")


def night(numbers: Mapping[int, Mapping[str, object]], large: bool = False) -> Manifest:
    """The night of a student, as a manifest: numbers[1] to numbers[4] have seed and version.

    The fifth story has the numbers of the third. Both sizes hold the same five stories at the same
    times. The small one has 37 clients and lasts 33 minutes, the large one 582 clients and an hour.
    """
    chosen = {part: numbers[part if part in numbers else 3] for part in PARTS}
    incidents = [
        {"kind": PARTS[part].scene, "version": n["version"], "seed": n["seed"],
         "at_s": PARTS[part].at_s}
        for part, n in chosen.items()
    ]  # fmt: skip
    incidents += [
        {"kind": scene, "version": version, "at_s": at_s} for scene, version, at_s in HARMLESS
    ]
    few: dict[str, dict[str, int]] = {}
    for story, version, count in FEW:
        few.setdefault(story, {})[version] = count
    usual = manifest("night")
    return replace(
        usual,
        name=LARGE if large else "night-small",
        seed=int(str(chosen[1]["seed"])),
        start=BEGINS,
        hours=1 if large else 0.55,
        spread_ms=120_000,
        clients=usual.clients if large else few,
        incidents=tuple(incidents),
    )


def build(plan: Manifest) -> Path:
    """Make the night's log set in the course folder, tell the progress, and return its folder.

    The set has no truth.json: it would name the incidents that a learner looks for. A file beside
    the folder says which plan the set was made of. The small night needs no Spark. Spark writes the
    large one, and starts for it.
    """
    folder = course_folder() / "data" / "generated" / "chapter17" / plan.name
    done, truth, made_of = folder / "DONE", folder / "truth.json", folder.with_suffix(".made_of")
    digest = sha256(json.dumps(asdict(plan), sort_keys=True).encode()).hexdigest()
    if done.exists() and made_of.exists() and made_of.read_text(encoding="utf-8") == digest:
        print(f"{folder} is there already.")
        return folder
    if not truth.exists():
        done.unlink(missing_ok=True)  # generate compares with the truth, which is not there
    generate(session() if plan.name == LARGE else None, plan, folder, say=print)
    truth.unlink()
    made_of.write_text(digest, encoding="utf-8")
    return folder


def played(
    part: int, numbers: Mapping[str, object], **settings: Mapping[str, object]
) -> tuple[Lab, Scene]:
    """A story alone, with settings of its `consumer`, `producer`, `topic` or `broker` instead.

    Raises ValueError for another word than these four.
    """
    if unknown := set(settings) - {"consumer", "producer", "topic", "broker"}:
        raise ValueError(
            f"Settings belong to a consumer, producer, topic or broker, not to "
            f"{', '.join(sorted(unknown))}: say for instance consumer={{'fetch.min.bytes': 1}}."
        )
    start = datetime.fromisoformat(BEGINS) + timedelta(seconds=PARTS[part].at_s)
    # not read from the night's manifest: where answers are graded there is no such file
    plan = Manifest(
        "alone", 0, {}, start=str(start), brokers=BROKERS, config={"incident": settings}
    )
    scene = SCENES[PARTS[part].scene](
        str(numbers["version"]), int(str(numbers["seed"])), TOPIC, plan
    )
    return scene.lab, scene


def told(part: int, numbers: Mapping[str, object], **settings: Mapping[str, object]) -> list[str]:
    """The lines of a story alone, DEBUG and above, in order of time.

    The clients are worker-0, worker-1, ...; the group is `team`. The clock is the night's.
    """
    return list(
        _told(part, json.dumps(dict(numbers), sort_keys=True), json.dumps(settings, sort_keys=True))
    )


def _name_of(mark: re.Match[str]) -> str:
    return NAMES[ord(mark[0])]


@lru_cache(maxsize=32)
def _told(part: int, numbers: str, settings: str) -> tuple[str, ...]:
    lab, scene = played(part, json.loads(numbers), **json.loads(settings))
    names = {name for lives in scene.lives.values() for name in lives}
    found = tuple(
        MARKS.sub(_name_of, lab.line_text(event))
        for event in lab.journal.of("line")
        if event.who in names and event.level != "TRACE"
    )
    lab.close()
    return found


def retold(part: int, numbers: Mapping[str, object], **settings: Mapping[str, object]) -> Path:
    """Write the lines of `told` into a folder of the course, and return the folder."""
    return write_log_files({"again": "".join(told(part, numbers, **settings))}, "chapter17/again")
