"""`python -m kafkalab line-gaps DIR`: imports how long real clients take between two lines.

DIR holds recorded scenarios: `scenario.json`, which names the client's release, and NAME.log or
NAME.log.gz beside it. The table that replays and generated sets draw from is made anew.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from kafkalab.command_line import CommandParser, called_as
from kafkalab.lines import recorded_gaps
from kafkalab.lines.layout import read
from kafkalab.lines.recorded_gaps import LONGEST_MS, SHORT_MS, GapRow, names_in, table_text
from kafkalab.releases import lineage

SCENARIO = "scenario.json"

Key = tuple[str, str, str, bool]


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0; 2 when there is nothing to read."""
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} line-gaps",
        description="Import how long real clients take from one line to the next.",
        example="data/recordings",
    )
    parser.add_argument(
        "dirs",
        type=Path,
        nargs="+",
        metavar="dir",
        help="a folder with recordings: scenario.json with NAME.log or NAME.log.gz beside it",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(recorded_gaps.__file__).with_name(recorded_gaps.FILE),
        metavar="FILE",
        help="where to write the table; default: where replays look",
    )
    options = parser.parse_args(argv)
    rows = gaps_below(*options.dirs)
    if not rows:
        print(
            "no scenario.json with a log of a release of the lineage: is this the folder of "
            "recordings?",
            file=sys.stderr,
        )
        return 2
    options.out.write_text(table_text(rows), encoding="utf-8", newline="\n")
    print(f"{len(rows):,} rows -> {options.out}")
    return 0


def gaps_below(*folders: Path) -> list[GapRow]:
    """The rows of the table, from each client's log below `folders`.

    A recording that two of them hold counts once: its broker, client and scenario name it.
    """
    scenarios = {file.parts[-4:]: file for folder in folders for file in folder.rglob(SCENARIO)}
    seen: defaultdict[Key, Counter[int]] = defaultdict(Counter)
    for _, scenario in sorted(scenarios.items()):
        version = json.loads(scenario.read_text(encoding="utf-8"))["client_version"]
        release = ".".join(version.split(".")[:2])
        if release in lineage.CLIENT_NAMES:
            for log in sorted(scenario.parent.glob("*.log*")):
                if not log.name.startswith("broker-"):
                    _count(log, release, seen)
    return [GapRow(*key, tuple(sorted(gaps.items()))) for key, gaps in sorted(seen.items())]


def _count(log: Path, release: str, seen: defaultdict[Key, Counter[int]]) -> None:
    rows = list(read(log))
    known: set[tuple[str, str]] = set()
    for pair, (before, after) in zip(pairwise(names_in(rows, release)), pairwise(rows)):
        gap_ms = _rounded(max(after.at_ms - before.at_ms, 0))
        seen[release, *pair, pair in known][gap_ms] += 1
        known.add(pair)


def _rounded(gap_ms: int) -> int:
    """Two digits of a long gap are enough, and all waits are one."""
    if gap_ms > LONGEST_MS:
        return LONGEST_MS + 1
    step = 1 if gap_ms <= SHORT_MS else 5 if gap_ms <= 10 * SHORT_MS else 20
    return gap_ms - gap_ms % step
