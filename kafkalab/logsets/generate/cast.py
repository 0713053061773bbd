"""Chooses the copies of played stories in a log set, with the start and the client names of each.

The random numbers of a client depend only on the set's seed and the client's number.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kafkalab.logsets.generate import names
from kafkalab.logsets.generate.manifest import Manifest, Wanted
from kafkalab.logsets.generate.stories import PlayedStory


@dataclass(frozen=True)
class Copy:
    """A copy of a played story.

    story      its index among all played stories
    starts_ms  its start after the set's start
    numbers    the numbers of its clients in the set
    """

    story: int
    starts_ms: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Client:
    """One client of the set: the `member`-th of a copy."""

    number: int
    client_id: str
    group_id: str
    copy: int
    member: int
    script: int


def cast(
    manifest: Manifest, told: Sequence[Sequence[PlayedStory]]
) -> tuple[list[PlayedStory], list[Copy], list[Client]]:
    """All stories in one list, their copies, and the clients by number.

    `told` has the variants of each `Wanted` of the manifest.
    """
    stories = [story for variants in told for story in variants]
    first = np.concatenate([[0], np.cumsum([len(variants) for variants in told])])
    wanted = manifest.wanted
    parts = [
        (which, nth, member)
        for which, want in enumerate(wanted)
        for nth in range(want.copies)
        for member in range(len(told[which][0].members))
    ]
    # Shuffled, so that a client's number gives no hint of its story.
    order = sorted(range(len(parts)), key=lambda place: draw(manifest.seed, place, "order"))
    numbers = {parts[place]: number for number, place in enumerate(order)}
    scripts = np.concatenate([[0], np.cumsum([len(story.members) for story in stories])])
    copies: list[Copy] = []
    clients: dict[int, Client] = {}
    for which, want in enumerate(wanted):
        for nth in range(want.copies):
            story = int(first[which]) + nth % len(told[which])
            own = tuple(
                numbers[which, nth, member] for member in range(len(stories[story].members))
            )
            for member, number in enumerate(own):
                printed = numbers[which, 0, member] if want.shares_id else number
                name = names.client_id(
                    stories[story].members[member].kind, printed, manifest.client_room
                )
                group = names.group_id(own[0], manifest.client_room)
                clients[number] = Client(
                    number, name, group, len(copies), member, int(scripts[story]) + member
                )
            copies.append(
                Copy(story, starts_of(manifest, want, nth, own[0], stories[story].lasts_ms), own)
            )
    return stories, copies, [clients[number] for number in range(len(parts))]


def starts_of(manifest: Manifest, want: Wanted, nth: int, number: int, lasts_ms: int) -> int:
    """The start of a copy: the manifest's time if given.

    Else an incident starts anywhere within the set, and other clients in the first `spread_ms`.
    """
    if want.at_ms is not None:
        return want.at_ms
    room_ms = manifest.duration_ms - lasts_ms if want.is_incident else manifest.spread_ms
    return draw(manifest.seed, number, "start") % (max(room_ms, 0) + 1)


def identities(manifest: Manifest, copy: Copy, count: int) -> list[str]:
    """The UUIDs of a copy: member ids and the like, which no other copy has."""
    return [
        str(
            uuid.UUID(
                int=draw(manifest.seed, copy.numbers[0], f"identity{n}/high") << 64
                | draw(manifest.seed, copy.numbers[0], f"identity{n}"),
                version=4,
            )
        )
        for n in range(count)
    ]


def draw(seed: int, number: int, what: str) -> int:
    """A large number that depends on these arguments only."""
    return int.from_bytes(
        hashlib.blake2b(f"{seed}/{number}/{what}".encode(), digest_size=8).digest(), "big"
    )
