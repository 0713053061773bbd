"""Applies the journal's events about share groups (KIP-932) to the state.

    share_groups["workers"] = {"epoch": 3,
                               "members": {"8JI2...": {"client_id": "worker-1",
                                                       "assignment": ["jobs-0"]}},
                               "partitions": {"jobs-0": {"start_offset": 1, "end_offset": 5,
                                              "records": {1: {"state": "Acquired",
                                                              "delivery_count": 2,
                                                              "member": "8JI2..."}}}}}

The key is there from the first share group on.
"""

from __future__ import annotations

from typing import Any

from kafkalab.sim.journal import Event


def _group(state: dict[str, Any], event: Event) -> dict[str, Any]:
    groups = state.setdefault("share_groups", {})
    group: dict[str, Any] = groups.setdefault(
        event.group, {"epoch": 1, "members": {}, "partitions": {}}
    )
    return group


def _partition(state: dict[str, Any], event: Event) -> dict[str, Any]:
    partitions = _group(state, event)["partitions"]
    found: dict[str, Any] = partitions.setdefault(
        f"{event.topic}-{event.partition}", {"start_offset": 0, "end_offset": 0, "records": {}}
    )
    return found


def _joined(state: dict[str, Any], event: Event) -> None:
    _group(state, event)["members"][event.member] = {
        "client_id": event.client_id,
        "assignment": [],
    }


def _left(state: dict[str, Any], event: Event) -> None:
    _group(state, event)["members"].pop(event.member, None)


def _assigned(state: dict[str, Any], event: Event) -> None:
    group = _group(state, event)
    group["epoch"] = event.epoch
    for member, partitions in event.assignments.items():
        if member in group["members"]:
            group["members"][member]["assignment"] = list(partitions)


def _moved(state: dict[str, Any], event: Event) -> None:
    records = _partition(state, event)["records"]
    held = event.fields["state"] == "Acquired"
    for offset in range(event.first_offset, event.last_offset + 1):
        records[offset] = {
            "state": event.fields["state"],
            "delivery_count": event.delivery_count,
            "member": event.member if held else None,
        }


def _window(state: dict[str, Any], event: Event) -> None:
    """Records before the window's start are done, and nothing is kept of them."""
    partition = _partition(state, event)
    partition["start_offset"], partition["end_offset"] = event.start_offset, event.end_offset
    partition["records"] = {
        offset: record
        for offset, record in sorted(partition["records"].items())
        if offset >= event.start_offset
    }


def _loaded(state: dict[str, Any], event: Event) -> None:
    """A leader has read the stored state: nobody holds a record any more."""
    partition = _partition(state, event)
    partition["start_offset"], partition["end_offset"] = event.start_offset, event.end_offset
    partition["records"] = {
        offset: {"state": name, "delivery_count": count, "member": None}
        for offset, (name, count) in event.records.items()
    }


SHARE_EVENTS = {
    "share_group.joined": _joined,
    "share_group.left": _left,
    "share_group.assigned": _assigned,
    "share.records": _moved,
    "share.window": _window,
    "share.loaded": _loaded,
}
