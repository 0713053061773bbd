"""The controller's error messages about the name of a topic (Topic, ReplicationControlManager).

The other messages are on the page of the broker's release, as ControllerWords.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from kafkalab.config.names import LEGAL, LONGEST_NAME, fault_of_name


def _illegal_since_3(name: str) -> str:
    """Topic.detectInvalidTopic."""
    return f"Topic name is invalid: {fault_of_name(name)}"


def _illegal_before_3(name: str) -> str:
    """Topic.validate of 2.x."""
    if not name:
        return "Topic name is illegal, it can't be empty"
    if name in (".", ".."):
        return 'Topic name cannot be "." or ".."'
    if len(name) > LONGEST_NAME:
        return (
            f"Topic name is illegal, it can't be longer than {LONGEST_NAME} characters, topic "
            f"name: {name}"
        )
    return f'Topic name "{name}" is illegal, it contains a character other than {LEGAL}'


GAP_IN_ASSIGNMENT = "partitions should be a consecutive 0-based integer sequence"

ILLEGAL_NAMES: Mapping[str, Callable[[str], str]] = {
    "before 3.0": _illegal_before_3,
    "since 3.0": _illegal_since_3,
}
"""`ControllerWords.illegal_name` -> the message of such a controller about a name that is not
allowed."""


def colliding(name: str, topics: Collection[str]) -> str | None:
    """An existing topic whose metrics would have the names of the new one's: a metric's name has
    '_' for '.'."""
    flat = name.replace(".", "_")
    return next(
        (other for other in topics if other != name and other.replace(".", "_") == flat), None
    )
