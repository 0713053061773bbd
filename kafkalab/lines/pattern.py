"""Makes the regular expression that finds the values in a line of a known template."""

from __future__ import annotations

import re
import string
from functools import cache

ANYTHING = r"(?s:.*?)"
NUMBER = r"-?\d+"
NODE = r"\S+:\d+ \(id: [+-]?\d+ rack: [^)]*\)"  # localhost:9092 (id: -1 rack: null isFenced: false)

# Values whose form is known; all others may be any text.
FORMS = {
    "node": NODE,
    "node_id": r"[+-]?\d+",
    "host": r"\S+",
    "topic": r"\S+",
    "api": r"[A-Z_]+",
    "partition": r"\S+",
    "member_id": r"\S*",
    "state_from": r"\w+",
    "state_to": r"\w+",
    "instance": r"\S+",
    "old_topic_id": r"[\w-]{22}",  # a topic without an id before is `null`
    "error": r"[^\n]*?",
    "implied": r"(?:, implied=\(.*?\)|\(.*?\))?",
    **dict.fromkeys(
        (
            "correlation_id",
            "api_version",
            "timeout_ms",
            "interval_ms",
            "remaining_ms",
            "size",
            "offset",
            "sequence",
            "count",
            "port",
            "producer_id",
            "producer_epoch",
            "in_flight",
            "throttle",
            "start_ms",
            "last_request_ms",
            "broker_id",
            "index",
        ),
        NUMBER,
    ),
}


@cache
def pattern(template: str) -> re.Pattern[str]:
    """A pattern for fullmatch() with one named group a placeholder;
    a name that comes again must have the same value."""
    parts, seen = [], set()
    for literal, name, _, _ in string.Formatter().parse(template):
        parts.append(re.escape(literal))
        if name is not None:
            parts.append(
                f"(?P={name})" if name in seen else f"(?P<{name}>{FORMS.get(name, ANYTHING)})"
            )
            seen.add(name)
    return re.compile("".join(parts))
