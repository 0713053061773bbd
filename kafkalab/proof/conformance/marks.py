"""Compares two logs of one client: the six marks, and the differences behind them in words."""

from __future__ import annotations

from collections.abc import Iterator

from kafkalab.proof.conformance.client_log import Observed
from kafkalab.proof.conformance.sequences import changed, likeness

MARKS = ("connections", "closes", "requests", "story", "rhythm", "vocabulary")

GAP_MS, GAP_SHARE = 60, 1 / 10  # A period is the same within 60 ms or a tenth,
COUNT, COUNT_SHARE = 2, 1 / 5  # a number of times within two or a fifth.


def marks_of(real: Observed, other: Observed) -> dict[str, float]:
    """The marks of `other`, by name, each in 0..1."""
    return {
        "connections": float(real.connections == other.connections),
        "closes": float(real.closes == other.closes),
        "requests": _requests(real, other),
        "story": likeness(real.story, other.story),
        "rhythm": _rhythm(real.beats, other.beats),
        "vocabulary": _f1(real.vocabulary, other.vocabulary),
    }


def equal(real: Observed, other: Observed) -> bool:
    """The same sockets opened and closed."""
    return real.connections == other.connections and real.closes == other.closes


def _requests(real: Observed, other: Observed) -> float:
    nodes = real.requests.keys() | other.requests.keys()
    if not nodes:
        return 1.0
    return sum(
        likeness(real.requests.get(node, []), other.requests.get(node, [])) for node in nodes
    ) / len(nodes)


def _rhythm(real: dict[str, tuple[int, int]], other: dict[str, tuple[int, int]]) -> float:
    """Half a point for each beat's period and half for its number.
    Beats that only `other` has cost nothing here."""
    if not real:
        return 1.0
    return sum(_same_beat(beat, other.get(name)) for name, beat in real.items()) / len(real)


def _same_beat(real: tuple[int, int], other: tuple[int, int] | None) -> float:
    if other is None:
        return 0.0
    (gap, count), (other_gap, other_count) = real, other
    return (abs(gap - other_gap) <= max(GAP_MS, gap * GAP_SHARE)) / 2 + (
        abs(count - other_count) <= max(COUNT, count * COUNT_SHARE)
    ) / 2


def _f1(real: frozenset[str], other: frozenset[str]) -> float:
    if not real and not other:
        return 1.0
    return 2 * len(real & other) / (len(real) + len(other))


def differences(real: Observed, other: Observed) -> Iterator[str]:
    """What costs marks, a sentence each."""
    for name in ("connections", "closes"):
        if getattr(real, name) != getattr(other, name):
            yield f"{name}: real {getattr(real, name)} here {getattr(other, name)}"
    for node in sorted(real.requests.keys() | other.requests.keys(), key=str):
        if real.requests.get(node, []) != other.requests.get(node, []):
            yield (
                f"requests to {node}: real {real.requests.get(node, [])} here "
                f"{other.requests.get(node, [])}"
            )
    yield from changed("story", real.story, other.story)
    for name, beat in real.beats.items():
        if _same_beat(beat, other.beats.get(name)) < 1:
            yield f"rhythm of {name}: real {beat} here {other.beats.get(name)} (ms, times)"
    for said in sorted(real.vocabulary - other.vocabulary):
        yield f"never written: {said}"
    for said in sorted(other.vocabulary - real.vocabulary):
        yield f"not a line of the real client here: {said}"
