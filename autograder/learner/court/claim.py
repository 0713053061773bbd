"""A claim of the myth court, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kafkalab import PROFILES

VERSIONS = tuple(PROFILES)


@dataclass(frozen=True)
class Claim:
    """Describes one claim of the myth court.

    It holds what people say, what to measure, the court's own experiment, for which measured
    values the claim holds, what the verdict follows from, and a question for a learner who comes
    to another answer.
    """

    number: int
    says: str
    measures: str
    experiment: Callable[[str], object]
    holds: Callable[[object], bool]
    because: str
    ask: str
    versions: tuple[str, ...] = VERSIONS
