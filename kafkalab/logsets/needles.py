"""Finds the places of a text where one of several byte strings stands.

The package ahocorasick_rs looks for all of them in one pass. An executor of Spark that does not
have it looks for one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

try:
    from ahocorasick_rs import BytesAhoCorasick, MatchKind

    IN_ONE_PASS = True
except ImportError:
    IN_ONE_PASS = False

# Bytes that no log in UTF-8 holds. With fewer than four different rare bytes among its patterns
# the package looks for those bytes alone, at a thirtieth of the speed.
NEVER = tuple(bytes([byte]) * 12 for byte in (0xFF, 0xFE, 0xFD, 0xFC))


@lru_cache(maxsize=64)
def finder(needles: tuple[bytes, ...]) -> Callable[[bytes], Iterable[int]]:
    """Gives where these byte strings stand in a text, in order. Of two that overlap it may give
    one."""
    if not IN_ONE_PASS:
        return lambda text: one_after_the_other(text, needles)
    search = BytesAhoCorasick((*needles, *NEVER), MatchKind.LeftmostFirst)
    return lambda text: [start for _, start, _ in search.find_matches_as_indexes(text)]


def one_after_the_other(text: bytes, needles: tuple[bytes, ...]) -> list[int]:
    """The same without the package: all places, also of those that overlap."""
    found = []
    for needle in needles:
        at = text.find(needle)
        while at >= 0:
            found.append(at)
            at = text.find(needle, at + len(needle))
    return sorted(found)
