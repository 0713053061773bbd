"""Gives the peers our reader's table: for each place in Kafka's source, the line's template.

A peer may trust the place (logger and line): for these lines it is enough, and it need not look at
the words, as ours does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from kafkalab.logsets import schema, templates

COLUMNS = schema.NAMES
NUMBERS = {
    **dict.fromkeys(templates.WHOLE_NUMBERS, 32),
    **dict.fromkeys(templates.LARGE_NUMBERS, 64),
}
PREFIX = (
    r"(?:\[(?:Share)?(Consumer|Producer) (?:instanceId=[^,\]]*, )?clientId=([^,\]]*)"
    r"(?:, groupId=([^,\]]*)|, transactionalId=[^,\]]*)?\] )?"
)
"""Who a line is of, at its beginning."""
COORDINATOR_BASE, COORDINATOR_LOWEST = schema.COORDINATOR_ID_BASE, schema.COORDINATOR_ID_LOWEST


@dataclass(frozen=True)
class Site:
    """A place in Kafka's source and what it writes: `pattern` numbers the template."""

    logger: str
    line: int
    pattern: int
    event: str


@lru_cache(maxsize=1)
def sites() -> tuple[list[Site], list[Site]]:
    """(places with one template, the others: those need the whole
    template as a regular expression)."""
    numbers = {id(pattern): number for number, pattern in enumerate(templates.all_patterns())}
    found: dict[tuple[str, int], list[Site]] = {}
    for logger, patterns in templates.by_logger().items():
        for pattern in patterns:
            for line in pattern.lines:
                found.setdefault((logger, line), []).append(
                    Site(logger, line, numbers[id(pattern)], pattern.event)
                )
    return [site for alike in found.values() if len(alike) == 1 for site in alike], [
        site for alike in found.values() if len(alike) > 1 for site in alike
    ]


def gaps() -> dict[int, templates.Pattern]:
    """Pattern number -> the pattern, for those that fill columns."""
    return {
        number: pattern for number, pattern in enumerate(templates.all_patterns()) if pattern.gaps
    }
