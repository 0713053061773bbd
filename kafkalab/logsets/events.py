"""Reads the lines of one event into typed columns, one for each gap of its wording.

It also covers gaps that have no column in schema.py.

    fields(lines, "FETCH_BUILT_INCREMENTAL")     # …, node_id, session_id, session_epoch, added,
                                                 altered, removed, replaced, out_of
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kafkalab.lines.catalog import CATALOG, SERVER_CATALOG
from kafkalab.lines.pattern import FORMS, NUMBER
from kafkalab.logsets import schema
from kafkalab.logsets.engine import F
from kafkalab.logsets.templates import literals_and_names

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ANYTHING = r"[\s\S]*?"
NUMBERS = {name for name, form in FORMS.items() if form == NUMBER} | {
    "at_ms", "attempts", "elapsed_created", "elapsed_sent", "epoch", "expiry_ms", "last_offset",
    "late_ms", "length", "new_epoch",
    "new_offset", "session_epoch", "session_id",
}  # fmt: skip


def fields(lines: DataFrame, event: str) -> DataFrame:
    """The lines of this event with a column for each placeholder of its wordings, whichever version
    wrote it.

    Whole numbers are bigint (null where the line prints a word such as `INVALID`), all others
    string. A gap with a name of schema.py keeps that column if `lines` has it (`node_id`, `topic`).
    Any other gap becomes a new column. `lines` needs the columns event and message. Raises KeyError
    for an event that is not in the catalogue.
    """
    names = (name for template in _templates(event) for name in _pattern(template)[1])
    found = {
        name: _typed(name, _gap(event, name))
        for name in dict.fromkeys(names)
        if name not in lines.columns
    }
    return lines.where(F.col("event") == event).withColumns(found)


def gap_of(events: Iterable[str], name: str) -> Column:
    """What the lines of these events print in the gap `name`; null where a wording has none."""
    found = F.lit(None).cast("string")
    for event in events:
        if any(name in _pattern(template)[1] for template in _templates(event)):
            found = F.when(F.col("event") == event, _gap(event, name)).otherwise(found)
    return found


def _templates(event: str) -> list[str]:
    """The different wordings of an event, of all versions."""
    entry = CATALOG.get(event) or SERVER_CATALOG[event]
    return sorted({wording.template for wording in entry.wordings})


def _gap(event: str, name: str) -> Column:
    """What a line of this event prints in a gap, whichever wording it has."""
    texts = [
        F.nullif(F.regexp_extract("message", pattern, names.index(name) + 1), F.lit(""))
        for pattern, names in map(_pattern, _templates(event))
        if name in names
    ]
    return F.coalesce(*texts)


def _typed(name: str, text: Column) -> Column:
    if name not in NUMBERS or name in schema.NAMES:
        return text
    return F.when(text.rlike(r"^-?\d{1,18}$"), text).cast("bigint")


def _pattern(template: str) -> tuple[str, list[str]]:
    """A template as a Java regular expression, with one group for each gap."""
    literals, names = literals_and_names(template)
    pattern = "".join(
        _quoted(literal) + (f"({ANYTHING})" if place < len(names) else "")
        for place, literal in enumerate(literals)
    )
    return f"^{pattern}$", names


def _quoted(literal: str) -> str:
    return rf"\Q{literal}\E" if literal else ""
