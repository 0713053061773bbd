"""Lists the releases of clients and brokers that are simulated, oldest first.

Every table that is keyed by a release follows this order: a release is as the one before, unless
its page says otherwise. Code outside this package never compares two releases; a row of data may
say `since("3.6")`, `until("2.8")` or `between("2.3", "2.8")`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from kafkalab.errors import IllegalArgumentException

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Release:
    """One release, by the name that Lab(version=...) takes.

    name        the minor version
    recorded    the patch release whose recordings it follows; for a broker the one that clients
                were recorded with
    commit_id   what AppInfoParser prints; "" for a broker
    """

    name: str
    recorded: str
    commit_id: str = ""


CLIENTS = (
    Release("2.1", "2.1.1", "21234bee31165527"),
    Release("2.2", "2.2.2", "1d348535a0a747d1"),
    Release("2.3", "2.3.0", "fc1aaa116b661c8a"),
    Release("2.8", "2.8.2", "3146c6ff4a24cc24"),
    Release("3.6", "3.6.2", "c4deed513057c94e"),
    Release("3.9", "3.9.2", "5e9866f43ab8e7e4"),
    Release("4.0", "4.0.2", "5d0fe56677f97d95"),
    Release("4.4", "4.4.0", "1156b2752aaa28ea"),
)
BROKERS = (
    Release("2.3", "2.3.1"),
    Release("4.4", "4.4.0"),
)

CLIENT_NAMES = tuple(release.name for release in CLIENTS)
BROKER_NAMES = tuple(release.name for release in BROKERS)
NEWEST_BROKER = BROKER_NAMES[-1]
DEFAULT_CLIENT, DEFAULT_BROKER = "3.9", "4.4"
"""The client and broker releases of a lab that names none."""


class UnknownRelease(IllegalArgumentException):
    """The error for a name that is no simulated release; the message names the simulated ones."""


class ByRelease(dict[str, T], Generic[T]):
    """A table with a value for every release of one lineage; asking for another release raises
    UnknownRelease."""

    def __init__(self, values: dict[str, T], what: str = "client") -> None:
        super().__init__(values)
        self._what = what

    def __missing__(self, name: str) -> T:
        raise unknown(name, self._what)


def unknown(name: object, what: str = "client") -> UnknownRelease:
    """The error for a release that is not simulated; `what` is "client" or "broker"."""
    names = CLIENT_NAMES if what == "client" else BROKER_NAMES
    return UnknownRelease(
        f"there is no {what} version {name!r} here; choose one of {', '.join(names)}"
    )


def _place(name: str) -> int:
    if name not in CLIENT_NAMES:
        raise unknown(name)
    return CLIENT_NAMES.index(name)


def since(name: str) -> tuple[str, ...]:
    """The client releases from this one on. Raises UnknownRelease."""
    return CLIENT_NAMES[_place(name) :]


def until(name: str) -> tuple[str, ...]:
    """The client releases up to this one, itself included. Raises UnknownRelease."""
    return CLIENT_NAMES[: _place(name) + 1]


def between(first: str, last: str) -> tuple[str, ...]:
    """The client releases from `first` to `last`, both included. Raises UnknownRelease, ValueError
    where `last` is older."""
    found = CLIENT_NAMES[_place(first) : _place(last) + 1]
    if not found:
        raise ValueError(f"client {last} is older than client {first}: name the older one first")
    return found


def newest() -> str:
    """The newest client release."""
    return CLIENT_NAMES[-1]
