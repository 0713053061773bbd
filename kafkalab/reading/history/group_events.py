"""Applies coordinators' journal events to the state of groups: members and committed offsets.

    groups["test"] = {"coordinator": 2, "type": "classic", "state": "Stable", "generation": 1,
                      "protocol_type": "consumer", "protocol": "range", "leader": "c-1-...",
                      "members": {"c-1-...": {"instance_id": None, "client_id": "c-1", "host":
                      "/127.0.0.1",
                                              "subscription": ["t4"], "assignment": ["t4-0",
                                              "t4-1"], ...}},
                      "offsets": {"t4-0": {"offset": 3, "leader_epoch": 0, "metadata": "",
                      "committed_at_ms": 5012}}}

Subscriptions and assignments are bytes that the coordinator does not decode. They are decoded here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.hashing import coordinator_partition
from kafkalab.protocol.consumer_protocol import parse_assignment, parse_subscription
from kafkalab.sim.journal import Event

OFFSETS_TOPIC = "__consumer_offsets"
TYPES = {"group": "classic", "consumer group": "consumer"}
"""The name of a group's state machine in the journal -> the group type that Kafka's tools print."""


def _group(state: dict[str, Any], event: Event) -> dict[str, Any]:
    group: dict[str, Any] = state["groups"].setdefault(
        event.group,
        {
            "coordinator": None,
            "type": "classic",
            "state": "Empty",
            "generation": 0,
            "protocol_type": None,
            "protocol": None,
            "leader": None,
            "members": {},
            "offsets": {},
        },
    )
    return group


def _moved(state: dict[str, Any], event: Event) -> None:
    """Apply a transition. A dead group is removed, unless another coordinator has loaded it."""
    if event.fields.get("machine") not in TYPES:
        return
    if event.after == "Dead":
        state["groups"].pop(event.group, None)
        return
    group = _group(state, event)
    group["state"], group["type"] = event.after, TYPES[event.machine]
    if group["type"] == "consumer":
        group["protocol_type"] = "consumer"
    group.update(
        {
            name: event.fields[name]
            for name in ("type", "generation", "protocol_type", "protocol", "leader")
            if name in event.fields
        }
    )


def _member(state: dict[str, Any], event: Event) -> None:
    group = _group(state, event)
    group["members"][event.member] = _shown(event.fields)
    if "group_epoch" in event.fields:
        group["type"] = "consumer"
        group["generation"] = event.group_epoch
        group["target_epoch"] = event.target_epoch
        group["protocol"] = event.protocol


def _shown(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "instance_id": told.get("instance_id"),
        "client_id": told.get("client_id", ""),
        "host": told.get("host", ""),
        "session_timeout_ms": told.get("session_timeout_ms"),
        "rebalance_timeout_ms": told.get("rebalance_timeout_ms"),
        "subscription": _topics(told),
        "assignment": _partitions(told.get("assignment", b"")),
        **_of_the_new_protocol(told),
    }


def _of_the_new_protocol(told: Mapping[str, Any]) -> dict[str, Any]:
    return (
        {"member_epoch": told["member_epoch"], "target": _partitions(told["target"])}
        if "member_epoch" in told
        else {}
    )


def _topics(told: Mapping[str, Any]) -> list[str]:
    """A member's subscribed topics: as names (KIP-848), or in the bytes of its first protocol."""
    if "subscription" in told:
        return list(told["subscription"])
    metadata = next(iter(told.get("protocols", {}).values()), b"")
    try:
        return list(parse_subscription(metadata).topics)
    except struct.error:
        return []


def _partitions(assignment: bytes | Mapping[str, Any]) -> list[str]:
    try:
        found = assignment if isinstance(assignment, Mapping) else parse_assignment(assignment)
    except struct.error:
        return []
    return [f"{topic}-{number}" for topic in sorted(found) for number in sorted(found[topic])]


def _subscribed(state: dict[str, Any], event: Event) -> None:
    member = _group(state, event)["members"].get(event.member)
    if member is not None:
        member["subscription"] = _topics(event.fields)


def _left(state: dict[str, Any], event: Event) -> None:
    """Remove a member. If it was the leader, the member with the longest membership leads next."""
    group = _group(state, event)
    group["members"].pop(event.member, None)
    if group["leader"] == event.member:
        group["leader"] = next(iter(group["members"]), None)


def _renamed(state: dict[str, Any], event: Event) -> None:
    group = _group(state, event)
    group["members"] = {
        event.member if id == event.before else id: member
        for id, member in group["members"].items()
    }
    if group["leader"] == event.before:
        group["leader"] = event.member


def _assigned(state: dict[str, Any], event: Event) -> None:
    members = _group(state, event)["members"]
    for member, assignment in event.assignments.items():
        if member in members:
            members[member]["assignment"] = _partitions(assignment)


def _loaded(state: dict[str, Any], event: Event) -> None:
    group = _group(state, event)
    group.update(
        {
            name: event.fields[name]
            for name in ("type", "state", "generation", "protocol_type", "protocol", "leader")
            if name in event.fields
        }
    )
    group["members"] = {told["member"]: _shown(told) for told in event.members}
    group["offsets"] = {
        f"{kept['topic']}-{kept['partition']}": {
            name: kept[name] for name in ("offset", "leader_epoch", "metadata", "committed_at_ms")
        }
        for kept in event.offsets
    }


def _committed(state: dict[str, Any], event: Event) -> None:
    """Apply a commit that the coordinator stored. Clients' own commit events have no result yet."""
    if "partition" not in event.fields:
        return
    _group(state, event)["offsets"][f"{event.topic}-{event.partition}"] = {
        "offset": event.offset,
        "leader_epoch": event.fields.get("leader_epoch", -1),
        "metadata": event.fields.get("metadata", ""),
        "committed_at_ms": event.at_ms,
    }


def _offset_removed(state: dict[str, Any], event: Event) -> None:
    _group(state, event)["offsets"].pop(f"{event.topic}-{event.partition}", None)


def _removed(state: dict[str, Any], event: Event) -> None:
    state["groups"].pop(event.group, None)


def coordinators(state: dict[str, Any]) -> None:
    """Set each group's coordinator: the leader of the group's partition of the offsets topic."""
    for name, group in state["groups"].items():
        place = _place_of(state, name)
        if place is not None:
            group["coordinator"] = place["leader"]


def _place_of(state: dict[str, Any], group: str) -> dict[str, Any] | None:
    """The group's partition of the offsets topic; None while there is no such topic."""
    topic = state["topics"].get(OFFSETS_TOPIC)
    return (
        None
        if topic is None
        else state["partitions"][
            f"{OFFSETS_TOPIC}-{coordinator_partition(group, topic['partitions'])}"
        ]
    )


def _moved_away(state: dict[str, Any], event: Event) -> None:
    """Clear the classic groups of an offsets partition: its new leader has not loaded them yet."""
    if event.topic != OFFSETS_TOPIC:
        return
    place = state["partitions"][f"{event.topic}-{event.partition}"]
    before = state["_coordinators"].get(event.partition)
    state["_coordinators"][event.partition] = place["leader"]
    if place["leader"] < 0 or before in (None, place["leader"]):
        return
    for name in [
        name
        for name, group in state["groups"].items()
        if group["type"] == "classic" and _place_of(state, name) is place
    ]:
        del state["groups"][name]


def _by_coordinator(
    fold: Callable[[dict[str, Any], Event], None],
) -> Callable[[dict[str, Any], Event], None]:
    """Apply `fold` only to events of the group's coordinator.

    A broker that was cut off still writes events of groups that it no longer coordinates.
    """

    def checked(state: dict[str, Any], event: Event) -> None:
        group = event.fields.get("group")
        place = (
            _place_of(state, group)
            if group is not None and event.who.startswith("broker-")
            else None
        )
        if place is None or place["leader"] < 0 or event.who == f"broker-{place['leader']}":
            fold(state, event)

    return checked


OF_COORDINATORS: dict[str, Callable[[dict[str, Any], Event], None]] = {
    "state": _moved,
    "group.member": _member,
    "group.subscribed": _subscribed,
    "group.left": _left,
    "group.renamed": _renamed,
    "group.assigned": _assigned,
    "group.loaded": _loaded,
    "group.removed": _removed,
    "commit": _committed,
    "offset.removed": _offset_removed,
}
GROUP_EVENTS = {kind: _by_coordinator(fold) for kind, fold in OF_COORDINATORS.items()} | {
    "partition.changed": _moved_away
}
