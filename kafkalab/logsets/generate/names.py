"""Which names does a copy fill in? Clients and groups stand in a story as single characters that no
client writes.

Unicode's private use area has them: one for the group, one for each client of a story. Every name
of one sort is equally long in a set, so that a copy's text is the story's with some bytes replaced.
"""

GROUP = "\ue001"
_CLIENTS = 0xE100
CLIENT_MARKS = "\ue100-\ue1ff"  # As a regular expression's class has it.


def client_mark(number: int) -> str:
    """What stands for the client id of a story's client of that number."""
    return chr(_CLIENTS + number)


def number_of(mark: str) -> int:
    """The client's number that a mark stands for."""
    return ord(mark) - _CLIENTS


def client_id(kind: str, number: int, clients: int) -> str:
    """consumer-0042; both kinds' names are nine letters and the number."""
    return f"{kind}-{number:0{digits(clients)}d}"


def group_id(number: int, clients: int) -> str:
    return f"group-{number:0{digits(clients)}d}"


def digits(clients: int) -> int:
    """How many digits the numbers of so many clients have; at least four."""
    return max(4, len(str(max(clients - 1, 0))))
