"""`python -m kafkalab source-lines DIR`: imports the line numbers of a release's Java source from
recordings.

DIR holds recorded scenarios: `scenario.json`, which names the client's release, and NAME.log or
NAME.log.gz beside it, written with the layout `%d %p %m (%c:%L)`. Each line that the catalogue
knows
gives its entry a row in `kafkalab/releases/source_lines`. What the recordings do not show stays as
it is.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from kafkalab.command_line import CommandParser, called_as
from kafkalab.lines.catalog import matches
from kafkalab.lines.layout import read
from kafkalab.releases import lineage, source_lines
from kafkalab.releases.source_lines import SourceLine

FOLDER = Path(source_lines.__file__).parent


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0; 2 when there is nothing to read."""
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} source-lines",
        description="Import the line numbers of the clients' Java sources from recordings.",
        example="data/recordings",
    )
    parser.add_argument(
        "dir",
        type=Path,
        help="a folder with recordings: scenario.json with NAME.log or NAME.log.gz beside it",
    )
    found = recorded_numbers(parser.parse_args(argv).dir)
    if not found:
        print(
            "no scenario.json with a log of a release of the lineage: is this the folder of "
            "recordings?",
            file=sys.stderr,
        )
        return 2
    for release, rows in found.items():
        before = source_lines.line_table(release)
        merged = {**before, **rows}
        print(
            f"{release}: {len(rows)} numbers recorded, "
            f"{sum(before.get(name) != row for name, row in rows.items())} new or changed"
        )
        source_lines.write_table(FOLDER, release, merged.values())
    return 0


def recorded_numbers(folder: Path) -> dict[str, dict[str, SourceLine]]:
    """Release -> name -> row, for every line below `folder` that the catalogue knows.

    A text that several statements of the source write keeps the number that its table has, where
    the
    recordings show that, too; else the one that is seen most often.
    """
    seen: defaultdict[str, defaultdict[str, Counter[SourceLine]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for scenario in sorted(folder.rglob("scenario.json")):
        release = ".".join(
            json.loads(scenario.read_text(encoding="utf-8"))["client_version"].split(".")[:2]
        )
        if release in lineage.CLIENT_NAMES:
            for log in sorted(scenario.parent.glob("*.log*")):
                _read(log, release, seen[release])
    return {
        release: {name: _chosen(release, name, rows) for name, rows in names.items()}
        for release, names in sorted(seen.items())
        if names
    }


def _read(log: Path, release: str, seen: defaultdict[str, Counter[SourceLine]]) -> None:
    for row in read(log, foreign=[]):
        if row.line is not None:
            for name, _ in matches(release, row.logger, row.level, row.text):
                seen[name][SourceLine(name, row.level, row.logger, row.line)] += 1


def _chosen(release: str, name: str, rows: Counter[SourceLine]) -> SourceLine:
    kept = source_lines.line_table(release).get(name)
    return (
        kept
        if kept is not None and kept in rows
        else min(rows, key=lambda row: (-rows[row], row.line))
    )
