"""Writes the truth of a log set, as the simulator knows it, to score the reading of its lines.

It has the sockets of every client, the rebalances of every group, the time and the clients of every
incident, and the open sockets at each broker at the begin of each minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from kafkalab.logsets.generate.cast import Client, Copy
from kafkalab.logsets.generate.manifest import Manifest
from kafkalab.logsets.generate.scenes import AnswerKey
from kafkalab.logsets.generate.stories import Member, PlayedStory, StorySocket

MINUTE_MS = 60_000
ZOMBIES = ("zombie_consumer", "zombie_producer")
ZOMBIE_MS = 9 * MINUTE_MS  # The default of connections.max.idle.ms.


def truth_of(
    manifest: Manifest,
    stories: Sequence[PlayedStory],
    copies: Sequence[Copy],
    clients: Sequence[Client],
    epoch_ms: int,
) -> dict:
    """Clients by id, live_per_minute, rebalances, incidents.

    Clients that share an id are `id`, `id#2`, …
    """
    live: Counter[tuple[int, int]] = Counter()
    minutes = range(-epoch_ms % MINUTE_MS, manifest.duration_ms + 1, MINUTE_MS)
    people: dict[str, dict] = {}
    for client in clients:
        copy = copies[client.copy]
        story = stories[copy.story]
        member = story.members[client.member]
        sockets = within(manifest, copy.starts_ms, member.sockets)
        stood = [socket for socket in sockets if socket.how != "failed"]
        for socket in stood:
            end_ms, broker = socket.closed_at_ms, socket.broker
            end_ms = manifest.duration_ms + 1 if end_ms is None else end_ms
            assert broker is not None, "the simulator knows where an established socket leads"
            live.update(
                (at_ms, broker) for at_ms in minutes if socket.opened_at_ms <= at_ms < end_ms
            )
        name, again = client.client_id, 1
        while name in people:
            again += 1
            name = f"{client.client_id}#{again}"
        people[name] = _person(manifest, client, story, member, sockets, stood)
    return {
        "clients": people,
        "live_per_minute": [
            {"minute": printed(manifest, at_ms)[:16], "broker": broker, "live": count}
            for (at_ms, broker), count in sorted(live.items())
        ],
        "rebalances": _rebalances(manifest, stories, copies, clients),
        "incidents": _incidents(manifest, stories, copies, clients),
    }


def within(manifest: Manifest, starts_ms: int, sockets: Sequence[StorySocket]) -> list[StorySocket]:
    """The sockets at the set's times, up to the end of the set."""
    found = []
    for socket in sockets:
        opened = starts_ms + socket.opened_at_ms
        closed = socket.closed_at_ms and starts_ms + socket.closed_at_ms
        if opened > manifest.duration_ms:
            continue
        ended = closed is not None and closed <= manifest.duration_ms
        closed, how = (closed, socket.how) if ended else (None, None)
        found.append(replace(socket, opened_at_ms=opened, closed_at_ms=closed, how=how))
    return found


def _person(
    manifest: Manifest,
    client: Client,
    story: PlayedStory,
    member: Member,
    sockets: Sequence[StorySocket],
    stood: Sequence[StorySocket],
) -> dict:
    opened = Counter(socket.role for socket in stood)
    # The sockets of a client of its kind without trouble: each leader, the coordinator, one
    # bootstrap.
    usual = {"bootstrap": 1, "data": manifest.brokers} | (
        {"coordinator": 1} if member.kind == "consumer" else {}
    )
    return {
        "kind": member.kind,
        "version": member.version,
        "group_id": client.group_id if member.in_group else None,
        "story": story.name,
        "zombie": story.name in ZOMBIES,
        "deviates": dict(opened) != usual or len(stood) < len(sockets),
        "opened": len(stood),
        "kept": sum(socket.closed_at_ms is None for socket in stood),
        "failed": len(sockets) - len(stood),
        "by_class": dict(sorted(opened.items())),
        "sockets": [
            {
                "node_id": socket.node_id, "broker": socket.broker, "class": socket.role,
                "opened_at": printed(manifest, socket.opened_at_ms),
                "closed_at": None
                if socket.closed_at_ms is None else printed(manifest, socket.closed_at_ms),
                "how": socket.how,
            }
            for socket in sockets
        ],
    }  # fmt: skip


def _rebalances(
    manifest: Manifest,
    stories: Sequence[PlayedStory],
    copies: Sequence[Copy],
    clients: Sequence[Client],
) -> list[dict]:
    """The rebalances by group and generation.

    `because`: the members that joined or left before it.
    """
    found = []
    for copy in copies:
        for generation in stories[copy.story].generations:
            at_ms = copy.starts_ms + generation.at_ms
            if at_ms <= manifest.duration_ms:
                because = [
                    f"{clients[copy.numbers[number]].client_id} {what}"
                    for what, number in generation.because
                ]
                group = clients[copy.numbers[0]].group_id
                found.append(
                    {
                        "group_id": group,
                        "generation": generation.number,
                        "at": printed(manifest, at_ms),
                        "because": because,
                    }
                )
    return sorted(found, key=lambda row: (row["at"], row["group_id"], row["generation"]))


def _incidents(
    manifest: Manifest,
    stories: Sequence[PlayedStory],
    copies: Sequence[Copy],
    clients: Sequence[Client],
) -> list[dict]:
    """kind, clients, group_id, first and last (as lines print times), and the cause.

    The zombie sockets of stories without an incident are included.
    """
    found = []
    for copy in copies:
        story = stories[copy.story]
        keys = list(story.keys)
        if story.name in ZOMBIES:
            sockets = story.members[0].sockets
            opened = min(each.opened_at_ms for each in sockets if each.role == "bootstrap")
            told, last_ms = "connections.max.idle.ms is -1", manifest.duration_ms
            keys.append(AnswerKey("zombie sockets", (0,), opened + ZOMBIE_MS, last_ms, told))
        for key in keys:
            first_ms = copy.starts_ms + key.first_ms
            last_ms = min(copy.starts_ms + key.last_ms, manifest.duration_ms)
            if first_ms < last_ms:
                group = (
                    clients[copy.numbers[0]].group_id
                    if any(story.members[number].in_group for number in key.clients)
                    else None
                )
                own = {clients[copy.numbers[number]].client_id for number in key.clients}
                found.append(
                    _SetIncident(key.kind, own, group, first_ms, last_ms, [key.told], key.broker)
                )
    rows = [
        {
            "kind": row.kind, "clients": sorted(row.clients), "group_id": row.group_id,
            "first": printed(manifest, row.first_ms), "last": printed(manifest, row.last_ms),
            "told": "; ".join(row.told),
        }
        for row in _joined(found)
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row["first"], row["kind"], row["clients"]))


@dataclass
class _SetIncident:
    """An incident of the set; times in milliseconds after its start."""

    kind: str
    clients: set[str]
    group_id: str | None
    first_ms: int
    last_ms: int
    told: list[str]
    broker: int | None


def _joined(found: Sequence[_SetIncident]) -> list[_SetIncident]:
    """Join incidents of one broker at one time: they affect the same clients and look like one."""
    last: dict[tuple[str, int], _SetIncident] = {}
    kept = []
    for row in sorted(found, key=lambda row: row.first_ms):
        before = last.get((row.kind, row.broker)) if row.broker is not None else None
        if before is not None and row.first_ms <= before.last_ms + MINUTE_MS:
            before.clients |= row.clients
            before.last_ms = max(before.last_ms, row.last_ms)
            before.told += row.told
            continue
        kept.append(row)
        if row.broker is not None:
            last[row.kind, row.broker] = row
    return kept


def printed(manifest: Manifest, at_ms: int) -> str:
    """A time of the set as lines print it."""
    time = datetime.fromisoformat(manifest.start) + timedelta(milliseconds=at_ms)
    return f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03d}"
