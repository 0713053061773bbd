"""Applies journal events to the state of transactional ids at coordinators and of producers at
leaders.

transactions["copier"] = {"state": "Ongoing", "producer_id": 1000, "epoch": 0, ...}
producers[1000] = {"epoch": 0, "records": 12, "partitions": ["t4-0"]}
"""

from __future__ import annotations

from typing import Any

from kafkalab.sim.journal import Event

NO_PRODUCER_ID = -1
OF_THE_EVENT = ("machine", "of", "before", "after", "reason")


def _moved(state: dict[str, Any], event: Event) -> None:
    """Apply a transition of a transactional id, with all fields of the coordinator's event."""
    if event.fields.get("machine") != "transaction":
        return
    entry = state["transactions"].setdefault(event.of, {})
    entry["state"] = event.after
    entry.update(
        {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in event.fields.items()
            if name not in OF_THE_EVENT
        }
    )


def _loaded(state: dict[str, Any], event: Event) -> None:
    """Apply the id's record that a coordinator has read from the log.

    The record may be one step ahead of the previous coordinator's last event.
    """
    fields = dict(event.fields)
    entry = state["transactions"].setdefault(fields.pop("of"), {})
    entry.update(
        {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
    )


def _appended(state: dict[str, Any], event: Event) -> None:
    producer_id = event.fields.get("producer_id", NO_PRODUCER_ID)
    if producer_id == NO_PRODUCER_ID:
        return
    producer = state["producers"].setdefault(
        producer_id, {"epoch": 0, "records": 0, "partitions": []}
    )
    producer["epoch"] = event.fields.get("producer_epoch", producer["epoch"])
    producer["records"] += event.records if isinstance(event.records, int) else len(event.records)
    partition = f"{event.topic}-{event.partition}"
    if partition not in producer["partitions"]:
        producer["partitions"] = sorted([*producer["partitions"], partition])


TRANSACTION_EVENTS = {
    "state": _moved,
    "transaction.loaded": _loaded,
    "record.appended": _appended,
}
