"""Applies journal events to the state of the cluster: brokers, topics, partitions and their logs.

    partitions["t4-0"] = {"leader": 0, "leader_epoch": 0, "replicas": [0, 1], "isr": [0, 1], "elr":
                          [], "last_known_elr": [], "log_start_offset": 0, "log_end_offset": 7,
                          "high_watermark": 7, "last_stable_offset": 7, "logs": {0: {...the same
                          four at broker 0...}, 1: {...}}}

The four offsets of a partition are its leader's; without a leader they are those of the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkalab.sim.journal import Event

ENDS = ("log_start_offset", "log_end_offset", "high_watermark", "last_stable_offset")
PLACE = ("leader", "leader_epoch", "replicas", "isr", "elr", "last_known_elr")


def _cluster(state: dict[str, Any], event: Event) -> None:
    state["cluster_id"], state["controller"] = event.cluster_id, event.controller
    state["brokers"] = {
        id: {"address": address, "alive": True} for id, address in event.brokers.items()
    }


def _topic_created(state: dict[str, Any], event: Event) -> None:
    state["topics"][event.topic] = {"topic_id": event.topic_id, "partitions": len(event.partitions)}
    for index, place in enumerate(event.partitions):
        _place(state, event.topic, index, place)


def _topic_deleted(state: dict[str, Any], event: Event) -> None:
    gone = state["topics"].pop(event.topic, {"partitions": 0})
    for index in range(gone["partitions"]):
        state["partitions"].pop(f"{event.topic}-{index}", None)


def _partition_changed(state: dict[str, Any], event: Event) -> None:
    topic = state["topics"].setdefault(event.topic, {"topic_id": None, "partitions": 0})
    topic["partitions"] = max(topic["partitions"], event.partition + 1)
    _place(state, event.topic, event.partition, event.fields)


def _place(state: dict[str, Any], topic: str, index: int, place: Mapping[str, Any]) -> None:
    partition = state["partitions"].setdefault(
        f"{topic}-{index}", {**dict.fromkeys(PLACE), **dict.fromkeys(ENDS, 0), "logs": {}}
    )
    partition.update({name: place[name] for name in PLACE if name in place})
    _show_leaders_log(partition)


def _log_ends(state: dict[str, Any], event: Event) -> None:
    partition = state["partitions"].get(f"{event.topic}-{event.partition}")
    if partition is None:
        return
    partition["logs"][_broker(event)] = {
        name: event.fields[name] for name in (*ENDS, "size_bytes") if name in event.fields
    }
    _show_leaders_log(partition)


def _follower_moved(state: dict[str, Any], event: Event) -> None:
    """Move a follower's log: it fetched, truncated its log, or learned a higher high watermark.

    Fields that only a leader uses are not kept for a follower.
    """
    partition = state["partitions"].get(f"{event.topic}-{event.partition}")
    if partition is None:
        return
    log = partition["logs"].get(_broker(event), {})
    end = event.fields.get("log_end_offset", log.get("log_end_offset", 0))
    watermark = min(end, max(log.get("high_watermark", 0), event.fields.get("high_watermark", 0)))
    partition["logs"][_broker(event)] = {
        "log_start_offset": log.get("log_start_offset", 0),
        "log_end_offset": end,
        "high_watermark": watermark,
    }


def _appended(state: dict[str, Any], event: Event) -> None:
    """Move the leader's log end offset for a batch. Its other offsets move later."""
    partition = state["partitions"].get(f"{event.topic}-{event.partition}")
    if partition is not None:
        log = partition["logs"].setdefault(_broker(event), dict.fromkeys(ENDS, 0))
        log["log_end_offset"] = event.last_offset + 1
        _show_leaders_log(partition)


def _show_leaders_log(partition: dict[str, Any]) -> None:
    partition.update(
        {
            name: end
            for name, end in partition["logs"].get(partition["leader"], {}).items()
            if name in ENDS
        }
    )
    # A new leader has no event with its last stable offset yet. The high watermark is the upper
    # bound.
    partition["last_stable_offset"] = min(
        partition["last_stable_offset"], partition["high_watermark"]
    )


def _broker_up(state: dict[str, Any], event: Event) -> None:
    state["brokers"][_broker(event)]["alive"] = True


def _broker_down(state: dict[str, Any], event: Event) -> None:
    state["brokers"][_broker(event)]["alive"] = False


def _controller(state: dict[str, Any], event: Event) -> None:
    state["controller"] = event.controller


def _broker(event: Event) -> int:
    return int(event.who.rpartition("-")[2])


CLUSTER_EVENTS = {
    "cluster": _cluster,
    "controller.changed": _controller,
    "topic.created": _topic_created,
    "topic.deleted": _topic_deleted,
    "partition.changed": _partition_changed,
    "record.appended": _appended,
    "log.ends": _log_ends,
    "replica.fetched": _follower_moved,
    "replica.watermark": _follower_moved,
    "replica.truncated": _follower_moved,
    "broker.up": _broker_up,
    "broker.down": _broker_down,
}
