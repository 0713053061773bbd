"""RealOutcome: what one story gave on both labs with one client release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RealOutcome:
    """What a story gave on both labs with one release, on one day.

    simulated  claim -> its values, one for each seed that differs
    real       claim -> its value
    problem    why there is no value, "" where there is one
    """

    story: str
    release: str
    digest: str
    date: str
    simulated: dict[str, list[Any]]
    real: dict[str, Any]
    problem: str = ""
