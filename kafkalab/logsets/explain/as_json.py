"""The story for a program: the same tables and oddities as JSON, times as the lines print them."""

import dataclasses
import json

import pandas as pd

from kafkalab.logsets.explain.story import Story

TABLES = (
    "files",
    "clients",
    "sockets",
    "held",
    "requests",
    "rebalances",
    "commits",
    "rereads",
    "transactions",
    "lag",
    "producers",
    "unknown",
)


def as_json(story: Story) -> str:
    """An object with a list of rows for each table of the Story, and `oddities`."""
    tables = {
        name: [_row(row) for row in getattr(story, name).to_dict("records")] for name in TABLES
    }
    oddities = [dataclasses.asdict(oddity) for oddity in story.oddities]
    return json.dumps({"oddities": oddities, **tables}, indent=1, ensure_ascii=False) + "\n"


def _row(row: dict) -> dict:
    return {name: _value(value) for name, value in row.items()}


def _value(value):
    if hasattr(value, "tolist") and getattr(value, "ndim", 0):
        return [_value(item) for item in value.tolist()]
    if isinstance(value, list | tuple):
        return [_value(item) for item in value]
    if value is None or value is pd.NaT or pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d %H:%M:%S},{value.microsecond // 1000:03d}"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.item() if hasattr(value, "item") else value
