"""What a topic and a static member may be called (Topic.detectInvalidTopic)."""

import re

LONGEST_NAME = 249
LEGAL = "ASCII alphanumerics, '.', '_' and '-'"
_LEGAL_NAME = re.compile(r"[a-zA-Z0-9._-]+")


def fault_of_name(name: str) -> str | None:
    """Why a name is not allowed, as Kafka 3.0 and later say it; None where it is."""
    if not name:
        return "the empty string is not allowed"
    if name in (".", ".."):
        return f"'{name}' is not allowed"
    if len(name) > LONGEST_NAME:
        return f"the length of '{name}' is longer than the max allowed length {LONGEST_NAME}"
    if _LEGAL_NAME.fullmatch(name) is None:
        return f"'{name}' contains one or more characters other than {LEGAL}"
    return None
