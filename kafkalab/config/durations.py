"""Reads durations as Java writes them, such as PT1H or P1DT12H (java.time.Duration)."""

from __future__ import annotations

import re

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,9})?)S)?)?")


def duration_ms(text: str) -> int | None:
    """Whole milliseconds of `P1DT2H30M0.5S`; None where this is no duration, or a negative one."""
    found = _DURATION.fullmatch(text)
    if found is None or not any(found.groups()):
        return None
    days, hours, minutes, seconds = found.groups()
    whole_minutes = (int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)
    return whole_minutes * 60_000 + int(float(seconds or 0) * 1000)
