"""Finds the ideas of a rubric in an answer, and the false claims that contradict them.

A way is written in one line: patterns joined by ` & ` must stand in one sentence; after ` ! ` comes
what must not stand there, and after ` ^ ` what must not stand between its own first and last word.
A way that begins with `~` holds whatever the polarity ("heartbeats are not stuck behind a fetch"
and "would be stuck behind a fetch" say the same thing); one that begins with `¬` only when denied
("it is wrong that reading removes a record"); all others fail when denied. `@pool` in front of a
way asks that it is said of what the lexicon's scope `pool` names, or of nothing named yet; `@pool!`
asks that it is said of that for certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from autograder.written.scorer import scopes
from autograder.written.scorer.opinions import set_aside
from autograder.written.scorer.patterns import Hit, Lexicon, denied_from, is_hypothetical, negations
from autograder.written.scorer.text import Reading


class Status(str, Enum):
    """What became of a concept in an answer."""

    PRESENT = "present"
    MISSING = "missing"
    CONTRADICTED = "contradicted"  # said, and denied elsewhere in the same answer
    WRONG = "wrong"  # only the opposite was said
    UNSOUGHT = "unsought"  # nobody looked: the text is no answer


@dataclass(frozen=True)
class Concept:
    """One idea the answer should hold. `name` is the one in the course's list of open questions.

    `says` completes "The answer says ..."; `gloss` is the same in a few Chinese words. `near` names
    words that show the learner is at least talking about it: present without a way, they lower the
    confidence in "missing".
    """

    name: str
    says: str
    gloss: str
    ways: tuple[str, ...]
    against: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class Blunder:
    """A claim that turns the whole answer: with it the mark is at most 1.
    `flag` is central_claim_wrong or direction_reversed."""

    flag: str
    sentence: str
    gloss: str
    ways: tuple[str, ...]
    # "otherwise fetches would wait for heartbeats" is as reversed as saying that they do
    even_supposed: bool = False
    forgiven_by: tuple[str, ...] = ()  # said anywhere, these show that the claim was qualified


def hits(way: str, lexicon: Lexicon, reading: Reading) -> Iterator[Hit]:
    """Places where a way holds; each hit spans all its patterns.
    Opinions the answer reports and refuses do not count."""
    of, polarity, patterns, between, unwanted = _parsed(way)
    for hit in lexicon.find(patterns[0], reading):
        if not _holds(polarity, patterns[0], lexicon, reading, hit):
            continue
        first, last = reading.sentence_of(hit.first)
        whole: Hit | None = hit
        for pattern in patterns[1:]:
            other = _within(pattern, lexicon, reading, first, last, polarity != "")
            whole = (
                other and whole and Hit(min(whole.first, other.first), max(whole.last, other.last))
            )
        if not whole or any(
            _within(pattern, lexicon, reading, first, last, True) for pattern in unwanted
        ):
            continue
        if any(
            _within(pattern, lexicon, reading, whole.first, whole.last, True) for pattern in between
        ):
            continue
        if scopes.in_scope(of, lexicon, reading, whole) and not _refused(reading, whole):
            yield whole


def _holds(polarity: str, pattern: str, lexicon: Lexicon, reading: Reading, hit: Hit) -> bool:
    if polarity == "~":
        return denied_from(reading, hit) is None
    return negations(lexicon, pattern, reading, hit) % 2 == (polarity == "¬")


@cache
def _parsed(
    way: str,
) -> tuple[tuple[str, bool], str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """A way's (scope, "~" for any polarity, "¬" for a denied one, patterns of one sentence, what
    must not stand between, nor in the sentence)."""
    of, rest = scopes.wanted(way)
    wanted, *unwanted = rest.lstrip("~¬").split(" ! ")
    wanted, *between = wanted.split(" ^ ")
    return (
        of,
        rest[0] if rest[0] in "~¬" else "",
        tuple(wanted.split(" & ")),
        tuple(between),
        tuple(unwanted),
    )


def first_pattern(way: str) -> str:
    """The pattern that a way looks for first."""
    return _parsed(way)[2][0]


def _refused(reading: Reading, hit: Hit) -> bool:
    return any(
        first <= hit.first and hit.last <= last for first, last in _set_aside(reading.line, reading)
    )


_LAST_LINE: list[tuple[str, list[tuple[int, int]]]] = []


def _set_aside(line: str, reading: Reading) -> list[tuple[int, int]]:
    if not _LAST_LINE or _LAST_LINE[0][0] != line:
        _LAST_LINE[:] = [(line, set_aside(reading))]
    return _LAST_LINE[0][1]


def _within(
    pattern: str, lexicon: Lexicon, reading: Reading, first: int, last: int, any_polarity: bool
) -> Hit | None:
    for hit in lexicon.find(pattern, reading):
        if (
            first <= hit.first
            and hit.last <= last
            and (any_polarity or negations(lexicon, pattern, reading, hit) % 2 == 0)
        ):
            return hit
    return None


def said(ways: tuple[str, ...], lexicon: Lexicon, reading: Reading) -> list[Hit]:
    """The first hit of every way that holds."""
    return [found for way in ways if (found := next(hits(way, lexicon, reading), None))]


def denied(ways: tuple[str, ...], lexicon: Lexicon, reading: Reading) -> list[Hit]:
    """What a statement says that is denied as a whole: "it is not true that ..."."""
    for way in ways:
        _, polarity, patterns, *_ = _parsed(way)
        if polarity == "¬":
            continue
        for hit in lexicon.find(patterns[0], reading):
            if denied_from(reading, hit) is not None and not _refused(reading, hit):
                return [hit]
    return []


def claimed(
    ways: tuple[str, ...], lexicon: Lexicon, reading: Reading, even_supposed: bool = False
) -> list[Hit]:
    """Like `said`, for false claims: what is only supposed,
    asked or quoted from others is not claimed."""
    found = []
    for way in ways:
        for hit in hits(way, lexicon, reading):
            if not is_hypothetical(reading, hit, even_supposed):
                found.append(hit)
                break
    return found
