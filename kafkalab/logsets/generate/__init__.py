"""Generates a log set with its truth from a manifest: DIR/lines, DIR/parquet, DIR/truth.json,
DIR/DONE. The brokers' logs are DIR/broker-0 and so on, where they are wanted.

Each copy of a story has brokers of its own. A broker's log has what the brokers of that id wrote in
all copies.

The simulator plays the stories and gives their truth (stories.py, scenes.py), on several cores
(story_processes.py). cast.py and scripts.py copy them with other names and times. Spark, or this
process, writes many copies (sheets.py, part_writer.py). DONE is written last, and without it a
folder is no set. An interrupted run continues if its manifest and the simulator are unchanged, else
it starts again. The text does not depend on the machine or the number of workers: its checksum is
the manifest's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from kafkalab.logsets.generate import sheets as pages
from kafkalab.logsets.generate.cast import Copy, cast, identities
from kafkalab.logsets.generate.manifest import Manifest, ManifestError, manifest, manifest_of
from kafkalab.logsets.generate.part_writer import RECEIPTS, keep, receipts, write_parts
from kafkalab.logsets.generate.place import Place
from kafkalab.logsets.generate.scripts import tables
from kafkalab.logsets.generate.sheets import Library, Roles, roles_of, roles_of_broker
from kafkalab.logsets.generate.stories import PlayedStory
from kafkalab.logsets.generate.story_processes import play_stories
from kafkalab.logsets.generate.truth import truth_of

__all__ = ["Manifest", "ManifestError", "generate", "manifest", "manifest_of"]

OURS = re.compile(r"lines|parquet|truth\.json|\.making|DONE|broker-\d+")
PLAN = ".making/plan.json"
CLIENTS, BROKER = "lines", "broker-"


def generate(
    spark: SparkSession | None,
    wanted: Manifest | str | Path,
    out: str | os.PathLike,
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr),
) -> dict:
    """Make the log set of a manifest (or of its name or file) in the folder `out` (or at that URL),
    and return its truth.

    spark: writes the parts, many at a time; None: this process writes one after the other, which
    is faster for a set of one or two million lines, because no Spark has to start.
    An existing set is not changed. `say` is called with the progress. Raises ManifestError, and
    FileExistsError when `out` holds something that is no log set.
    """
    plan = wanted if isinstance(wanted, Manifest) else manifest(wanted)
    place = Place.of(out)
    there = place.names()
    if "DONE" in there:
        truth = (place / "truth.json").read_json()
        if truth["manifest"] == _inputs(plan):
            say(f"{out} is there already: {truth['lines']:,} lines.")
            return truth
    elif not all(map(OURS.fullmatch, there)):
        raise FileExistsError(f"{out} holds something else than a log set; name another folder.")
    for name in ("DONE", "truth.json"):
        (place / name).remove()

    stories, copies, clients = cast(plan, play_stories(plan, say))
    epoch_ms = int(datetime.fromisoformat(plan.start).replace(tzinfo=UTC).timestamp() * 1000)
    scripts = [member.script for story in stories for member in story.members]
    scripts += [told for story in stories for told in story.brokers]
    lines, gaps, begins = tables(scripts)
    roles = roles_of(
        clients, [copy.starts_ms for copy in copies], [copy.numbers for copy in copies],
        [identities(plan, copy, stories[copy.story].identities) for copy in copies],
        _skews(plan, len(clients)),
    )  # fmt: skip
    logs = {CLIENTS: roles, **_roles_of_brokers(stories, copies, roles)}
    sheets = [
        sheet
        for log, parts in logs.items()
        for sheet in Library.of(lines, gaps, begins, parts, epoch_ms, plan.duration_ms).sheets(
            pages.PART_LINES, log
        )
    ]
    checksum, done = _resumed(place, plan, lines, gaps, begins, logs, epoch_ms, say)
    say(
        f"{len(clients):,} clients, {sum(sheet.rows for sheet in sheets):,} lines: writing "
        f"{len(sheets)} part{'s' if len(sheets) > 1 else ''}"
    )
    write_parts(
        spark,
        place,
        checksum,
        [sheet for sheet in sheets if sheet.name not in done],
        plan.packed,
        plan.parquet,
        say,
        len(done),
    )

    parts = receipts(place)
    if len(parts) != len(sheets):
        raise OSError(
            f"{len(sheets) - len(parts)} parts of {out} were not written; the same command goes on "
            "where it was."
        )
    total = hashlib.sha256(
        "".join(parts[sheet.name]["checksum"] + "\n" for sheet in sheets).encode()
    ).hexdigest()
    truth = {"manifest": _inputs(plan)} | truth_of(plan, stories, copies, clients, epoch_ms)
    if plan.broker_logs:
        truth["broker_lines"] = {
            log: sum(sheet.rows for sheet in sheets if sheet.log == log)
            for log in logs
            if log != CLIENTS
        }
    truth |= {
        "lines": sum(part["lines"] for part in parts.values()),
        "bytes": sum(part["bytes"] for part in parts.values()),
        "checksum": total,
    }
    (place / "truth.json").write_json(truth)
    (place / ".making").remove()
    (place / "DONE").write((total + "\n").encode())
    if plan.checksum not in (None, total):
        say(
            "The checksum is not the manifest's: the simulator tells its stories in other words "
            f"now. Make {plan.name} known as {total}."
        )
    say(f"{truth['lines']:,} lines of {len(clients):,} clients -> {out}")
    return truth


def _resumed(
    place: Place,
    plan: Manifest,
    lines: pa.Table,
    gaps: pa.Table,
    begins: np.ndarray,
    logs: dict[str, Roles],
    epoch_ms: int,
    say: Callable[[str], None],
) -> tuple[str, set[str]]:
    """Write the workers' input.

    Returns its checksum and the parts that an earlier equal run wrote.
    """
    before = (place / PLAN).read_json() if (place / PLAN).exists() else None
    checksum = keep(place, lines, gaps, begins, logs, epoch_ms, plan.duration_ms)
    now = {"manifest": _inputs(plan), "stories": checksum, "part_lines": pages.PART_LINES}
    if before == now:
        done = set(receipts(place))
        say(f"going on: {len(done)} parts are there")
        return checksum, done
    brokers = {name for name in place.names() if name.startswith(BROKER)}
    for name in (CLIENTS, "parquet", RECEIPTS, *brokers):
        (place / name).remove()
    for name in (*logs, RECEIPTS, *(["parquet"] if plan.parquet else [])):
        (place / name).make()
    (place / PLAN).write_json(now)
    return checksum, set()


def _roles_of_brokers(
    stories: list[PlayedStory], copies: list[Copy], clients: Roles
) -> dict[str, Roles]:
    """The roles of each broker, by its folder. Their scripts follow the clients'."""
    first = sum(len(story.members) for story in stories)
    begins = [first, *(len(story.brokers) for story in stories)]
    begins = np.cumsum(begins).tolist()
    found = {}
    for broker in range(max(len(story.brokers) for story in stories)):
        scripts_of = [
            begins[copy.story] + broker if broker < len(stories[copy.story].brokers) else None
            for copy in copies
        ]
        numbers = [copy.numbers for copy in copies]
        found[f"{BROKER}{broker}"] = roles_of_broker(clients, numbers, scripts_of)
    return found


def _skews(plan: Manifest, count: int) -> dict[str, np.ndarray]:
    """The faults of clients' clocks and appenders. Every n-th client has one."""
    numbers = np.arange(count)
    steps = np.zeros(count, np.int64)
    at = np.zeros(count, np.int64)
    flush = np.ones(count, np.int64)
    for skew in plan.skew:
        mine = numbers % int(skew.get("every", 1)) == 0
        if "clock_step_ms" in skew:
            steps[mine] = int(skew["clock_step_ms"])
            at[mine] = round(float(skew.get("at_s", 0)) * 1_000)
        if "flush_ms" in skew:
            flush[mine] = int(skew["flush_ms"])
    return {"step_ms": steps, "step_at_ms": at, "flush_ms": flush}


def _inputs(plan: Manifest) -> dict:
    inputs = json.loads(json.dumps(asdict(replace(plan, lines=None, checksum=None))))
    # Sets of earlier releases have no such entries.
    later = {name for name in ("broker_logs", "pace") if not inputs[name]}
    return {name: value for name, value in inputs.items() if name not in later}
