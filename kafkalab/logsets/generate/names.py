"""Defines the marks for client ids and groups in a story, and the names that replace them in a
copy.

A mark is one character of Unicode's private use area, which no Kafka client writes: one for the
group, one for each client of a story. All names of one sort have one length in a set. So a copy's
text is the story's with some bytes replaced.
"""

from collections.abc import Mapping

GROUP = "\ue001"
_CLIENTS = 0xE100
CLIENT_MARKS = "\ue100-\ue1ff"  # As a regular expression's class has it.


def client_mark(number: int) -> str:
    """The mark of the client id of a story's client with that number."""
    return chr(_CLIENTS + number)


def number_of(mark: str) -> int:
    """The number of the client with this mark."""
    return ord(mark) - _CLIENTS


def client_id(kind: str, number: int, clients: int) -> str:
    """A name such as consumer-0042. Both kinds have nine characters before the number."""
    return f"{kind}-{number:0{digits(clients)}d}"


def group_id(number: int, clients: int) -> str:
    return f"group-{number:0{digits(clients)}d}"


def with_dots(settings: Mapping[str, object]) -> dict[str, object]:
    """Kafka's names of settings: `client_id` is `client.id`."""
    return {name.replace("_", "."): value for name, value in settings.items()}


def digits(clients: int) -> int:
    """The digits of a client's number in a set with so many clients; at least four."""
    return max(4, len(str(max(clients - 1, 0))))
