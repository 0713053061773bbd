"""Transactional ids at their coordinators, and what leaders know of producers.

transactions["copier"] = {"state": "Ongoing", "producer_id": 1000, "epoch": 0, ...}
producers[1000] = {"epoch": 0, "records": 12, "partitions": ["t4-0"]}
"""

from __future__ import annotations

from typing import Any

from kafkalab.sim.journal import Event

NO_PRODUCER_ID = -1
OF_THE_EVENT = ("machine", "of", "before", "after", "reason")


def _moved(state: dict[str, Any], event: Event) -> None:
    """A transition of a transactional id; everything the coordinator says with it is shown."""
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
    """A coordinator has read the id's record in the log, which may be a step ahead of what its
    predecessor had come to say."""
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
