"""Writes the report on a log as JSON for programs: tables and oddities, with times as in the
lines.
"""

import dataclasses
import json
from datetime import datetime
from typing import Any

import pandas as pd

from kafkalab.logsets.explain.log_report import LogReport
from kafkalab.logsets.explain.oddities import printed_time

TABLES = [part.name for part in dataclasses.fields(LogReport) if part.type == "pd.DataFrame"]


def json_report(story: LogReport) -> str:
    """A JSON object: `reading`, `oddities`, and a list of rows for each table of the LogReport."""
    tables = {
        name: [_row(row) for row in getattr(story, name).to_dict("records")] for name in TABLES
    }
    reading = dataclasses.asdict(story.reading)
    reading = (
        reading.pop("counts") | reading.pop("repairs") | reading | {"enough": story.reading.enough}
    )
    absences = [
        _row(dataclasses.asdict(each) | {"clients": sorted(each.clients)})
        for each in story.absences
    ]
    oddities = [dataclasses.asdict(oddity) for oddity in story.oddities]
    return (
        json.dumps(
            {"reading": reading, "absences": absences, "oddities": oddities, **tables},
            indent=1,
            ensure_ascii=False,
        )
        + "\n"
    )


def json_rows(rows: pd.DataFrame) -> str:
    """The rows of one table as a JSON list, with times as in the lines."""
    written = ",\n ".join(json.dumps(_row(row)) for row in rows.to_dict("records"))
    return f"[\n {written}\n]\n" if written else "[]\n"


def _row(row: dict) -> dict:
    return {name: _value(value) for name, value in row.items()}


def _value(value: Any) -> Any:
    if hasattr(value, "tolist") and getattr(value, "ndim", False):
        return [_value(item) for item in value.tolist()]
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    if isinstance(value, dict):  # a line that is cited
        return _row(value)
    if value is None or value is pd.NaT or pd.isna(value):
        return None
    if isinstance(value, datetime):
        return printed_time(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.item() if hasattr(value, "item") else value
