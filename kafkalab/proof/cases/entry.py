"""CaseEntry: one case of the file, with its input, the wanted keys and the client version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafkalab.releases import Profile, profile_of

UNSAID = "2.3"
"""The client, and the broker, of an entry that names none:
most such entries restate a test of that release."""


class CannotAnswer(Exception):
    """The error of an entry that cannot be answered; its message is one sentence."""


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """One case. ask: keys the answer must hold; version: the client version for which the entry is
    answered.

    moments: when the entry's observer looked, where only the observation says so ("p@1001:...");
    the observation itself is never read.
    """

    group: str
    input: Mapping[str, Any]
    ask: tuple[str, ...]
    version: str
    moments: tuple[int, ...] = ()

    @property
    def profile(self) -> Profile:
        return profile_of(self.version)[0]


def read_entry(meta: Mapping[str, Any], vector: Any) -> CaseEntry:
    """Raises CannotAnswer where it is no entry, or names only versions that are not simulated."""
    if not isinstance(vector, dict) or not isinstance(vector.get("input"), dict):
        raise CannotAnswer('an entry is an object with an "input" that is an object')
    ask = vector.get("ask", [])
    if not isinstance(ask, list):
        raise CannotAnswer('"ask" should be a list of keys')
    return CaseEntry(
        str(vector.get("group")),
        vector["input"],
        tuple(map(str, ask)),
        _version(meta, vector.get("versions")),
        _moments(vector.get("expected")),
    )


def _moments(expected: Any) -> tuple[int, ...]:
    polls = expected.get("polls", ()) if isinstance(expected, dict) else ()
    return tuple(int(found[1]) for poll in polls if (found := re.match(r"p@(\d+)", str(poll))))


def _version(meta: Mapping[str, Any], versions: Any) -> str:
    """The first of the entry's versions that has a profile here."""
    if versions is None:
        return UNSAID
    names = meta.get("profile_of", {})
    for said in versions:
        # "trunk 2024-10 (4.0-dev)" is the table's "trunk 2024-10", with a remark.
        name: str | None = names.get(said) or names.get(str(said).partition(" (")[0])
        if name is None:
            try:
                return profile_of(str(said))[0].name
            except ValueError:
                continue
        return name
    raise CannotAnswer(f"none of the versions {', '.join(map(str, versions))} is simulated")
