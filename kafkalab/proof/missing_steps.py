"""Adds the steps of a recorded program that its scenario does not name. Some recordings were made
before a step had a name.

They are derived from the steps that are there, never from their results:

    a consumer subscribes, and next closes, is killed or stops polling:
        it polled in a loop in between
    it subscribes, and polls have neither a time-out nor a duration:
        a loop noted them, and the commitAsync of the same moment
    a client made only a producer, and ends with a record it sent:
        the producer was closed after it
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LOOP = "poll in a loop until told otherwise"
LOOP_TIMEOUT_MS = 100
ENDS_A_LOOP = ("close", "kill -9", "works without polling")
NO_STEPS = ("assignment",)

Event = Mapping[str, Any]


def with_missing_steps(events: list[Event]) -> list[Event]:
    """The events, with what is missing put in its place and what a loop noted marked `by_loop`."""
    if not all(
        isinstance(event.get("client", ""), str) and isinstance(event.get("do"), str)
        for event in events
    ):
        return events  # The reader refuses such a scenario with a sentence.
    steps: dict[str | None, list[Event]] = {}
    for event in events:
        if event.get("do") not in NO_STEPS:
            steps.setdefault(event.get("client"), []).append(event)
    done: dict[str | None, int] = dict.fromkeys(steps, 0)
    noted: dict[str | None, Any] = {}
    out: list[Event] = []
    for event in events:
        client = event.get("client")
        if event.get("do") in NO_STEPS:
            out.append(event)
            continue
        own, done[client] = steps[client], done[client] + 1
        bare = _was_noted(event, own[: done[client] - 1])
        if bare:
            noted[client] = event.get("at_ms")
        looped = bare or (
            event.get("do") == "commitAsync"
            and client in noted
            and noted[client] == event.get("at_ms")
        )
        out.append({**event, "by_loop": True} if looped else event)
        if event.get("do") == "subscribe" and not any(one.get("do") == LOOP for one in own):
            out += _missing_loop(event, own[done[client] :])
        if done[client] == len(own):
            out += _missing_close(event, own)
    return out


def _was_noted(event: Event, before: list[Event]) -> bool:
    bare = event.get("do") == "poll" and not {"timeout_ms", "for_ms"} & event.keys()
    return bare and any(one.get("do") == "subscribe" for one in before)


def _missing_loop(subscribe: Event, later: list[Event]) -> list[Event]:
    if not later or not (_was_noted(later[0], [subscribe]) or later[0].get("do") in ENDS_A_LOOP):
        return []
    noted_at = {one.get("at_ms") for one in later if _was_noted(one, [subscribe])}
    commits = any(one.get("do") == "commitAsync" and one.get("at_ms") in noted_at for one in later)
    return [
        {
            "at_ms": subscribe.get("at_ms"),
            "client": subscribe.get("client"),
            "do": LOOP,
            "timeout_ms": LOOP_TIMEOUT_MS,
            "then": "commitAsync" if commits else None,
        }
    ]


def _missing_close(last: Event, own: list[Event]) -> list[Event]:
    made = [one.get("do") for one in own if str(one.get("do")).startswith("new ")]
    if made != ["new KafkaProducer"] or last.get("do") != "send":
        return []
    return [{"at_ms": last.get("at_ms"), "client": last.get("client"), "do": "close"}]
