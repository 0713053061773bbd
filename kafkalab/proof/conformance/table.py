"""Reads and writes the promised marks: kafkalab/tests/conformance.json, a row for each client of
data/recordings. server_conformance.json has one for each recorded log of a broker.

    {"4.4.0/3.9.2/consumer_paused": {"client": {"equal": true, "seed": 3, "marks": {...}, "why":
    ""}}}

`marks` are cut, not rounded, to four digits. Where a client is not equal, or a mark is below 1,
`why` says what differs: by hand, or the first differences as they were found.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kafkalab.proof.conformance.broker_log import SERVER_MARKS, ServerConformance
from kafkalab.proof.conformance.marks import MARKS
from kafkalab.proof.conformance.seeds import ClientConformance, Conformance

TABLE = Path(__file__).parents[2] / "tests" / "conformance.json"
SERVER_TABLE = TABLE.with_name("server_conformance.json")
RECORDINGS = Path(__file__).parents[3] / "data" / "recordings"

FOUND = "found: "  # How a `why` begins that no person has written.
DIFFERENCES_SHOWN, SERVER_DIFFERENCES_SHOWN = 3, 6

Row = Mapping[str, Any]
Rows = Mapping[str, Mapping[str, Row]]


def load_table(path: Path = TABLE) -> dict[str, dict[str, Any]]:
    """Scenario -> client, or broker -> its row."""
    text = path.read_text(encoding="utf-8") if path.exists() else "{}"
    rows: dict[str, dict[str, Any]] = json.loads(text)
    return rows


def table_of(results: Iterable[Conformance], before: Rows) -> dict[str, dict[str, Row]]:
    """The table of `results`; a `why` that a person wrote in `before` is kept
    as long as there is something to explain."""
    return {
        result.scenario: {
            client: _row(found, before.get(result.scenario, {}).get(client, {}))
            for client, found in result.clients.items()
        }
        for result in results
    }


def save(rows: Rows, path: Path = TABLE) -> None:
    """Write a table, sorted by scenario."""
    path.write_text(
        json.dumps(dict(sorted(rows.items())), indent=1, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )


def server_row(found: ServerConformance) -> dict[str, Any]:
    """The row of a broker: the marks, and the first differences of kinds."""
    why = "; ".join(text[:120] for text in found.differences[:SERVER_DIFFERENCES_SHOWN])
    return {**_cut(found.marks, SERVER_MARKS), "why": why}


def seeds_of(name: str, rows: Rows) -> list[int]:
    """The seeds that show what the table promises of this scenario,
    so that a test need not search."""
    return sorted({row["seed"] for row in rows.get(name, {}).values()}) or [0]


def falls(result: Conformance, rows: Rows) -> Iterator[str]:
    """A sentence for each mark of `result` that is lower than promised."""
    promised = rows.get(result.scenario)
    if promised is None:
        yield (
            f"{result.scenario} has no row in {TABLE.name}: python -m kafkalab conformance "
            "data/recordings --update"
        )
        return
    for client, found in result.clients.items():
        row = promised.get(client, {"equal": True, "marks": dict.fromkeys(MARKS, 1.0)})
        if row["equal"] and not found.equal:
            yield (
                f"{result.scenario}: {client} was equal with seed {row.get('seed')} and is equal "
                "with none now"
            )
        for mark in MARKS:
            if found.marks[mark] < row["marks"][mark]:
                yield (
                    f"{result.scenario}: {client}'s {mark} fell from {row['marks'][mark]} to "
                    f"{found.marks[mark]:.4f}"
                )


def server_falls(
    scenario: str, found: Mapping[int, ServerConformance], rows: Rows
) -> Iterator[str]:
    """A sentence for each mark that is lower than promised, and for a log without a row."""
    promised = rows.get(scenario, {})
    for broker, one in found.items():
        row = promised.get(str(broker))
        if row is None:
            yield f"{scenario}: broker {broker} has no row in {SERVER_TABLE.name}"
            continue
        for name in SERVER_MARKS:
            if one.marks[name] < row[name]:
                yield (
                    f"{scenario}: {name} of broker {broker} fell from {row[name]} to "
                    f"{one.marks[name]:.4f}"
                )


def _cut(marks: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    return {name: math.floor(marks[name] * 10_000) / 10_000 for name in names}


def _row(found: ClientConformance, before: Row) -> Row:
    marks = _cut(found.marks, MARKS)
    return {
        "equal": found.equal,
        "seed": found.seed,
        "marks": marks,
        "why": _why(found, marks, before.get("why", "")),
    }


def _why(found: ClientConformance, marks: Mapping[str, float], before: str) -> str:
    if found.equal and all(mark == 1 for mark in marks.values()):
        return ""
    if before and not before.startswith(FOUND):
        return before
    return FOUND + "; ".join(
        difference[:160] for difference in found.differences[:DIFFERENCES_SHOWN]
    )
