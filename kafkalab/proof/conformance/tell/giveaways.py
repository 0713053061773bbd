"""Names what tells simulated logs from real ones most: pairs of source lines, and gaps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from kafkalab.proof.conformance.tell.halves import ToldLog, by_pair
from kafkalab.proof.conformance.tell.traits import ANY, GAP_FROM_MS

SHOWN = 12
AT_LEAST = 4  # A pair in fewer logs tells of these logs, and not of the simulator.


def pair_texts(logs: Sequence[ToldLog], shown: int = SHOWN) -> Iterator[str]:
    """The pairs whose share of logs differs most between real and simulated ones."""
    real, ours = (
        Counter(pair for log in logs if log.is_real is side for pair in log.views["order"])
        for side in (True, False)
    )
    many = max(sum(log.is_real for log in logs), 1)
    pairs = sorted(real | ours, key=lambda pair: (-abs(real[pair] - ours[pair]), pair))
    for pair in pairs[:shown]:
        yield f"{real[pair] / many:4.0%} of real logs, {ours[pair] / many:4.0%} of ours: {pair}"


def gap_texts(logs: Sequence[ToldLog], shown: int = SHOWN) -> Iterator[str]:
    """The share of each length of gap, then the pairs whose gaps differ most."""
    shares: dict[bool, dict[str, dict[str, list[float]]]] = {True: {}, False: {}}
    for log in logs:
        for pair, gaps in by_pair(log.views["times"]).items():
            found = shares[log.is_real].setdefault(pair, defaultdict(list))
            found["logs"].append(1)
            for gap, share in gaps.items():
                found[gap].append(share)

    def mean(is_real: bool, pair: str, gap: str) -> float:
        found = shares[is_real].get(pair, {})
        return sum(found.get(gap, [])) / max(len(found.get("logs", [])), 1)

    lengths = [f"{begin} ms" for begin in GAP_FROM_MS]
    for gap in lengths:
        real, ours = mean(True, ANY, gap), mean(False, ANY, gap)
        yield f"{real:4.0%} of real gaps, {ours:4.0%} of ours: {gap}"
    both = {
        pair
        for pair in shares[True].keys() & shares[False].keys()
        if min(len(shares[side][pair]["logs"]) for side in (True, False)) >= AT_LEAST
    }

    def weight(pair: str) -> float:
        often = min(len(shares[side][pair]["logs"]) for side in (True, False))
        return often * sum(abs(mean(True, pair, gap) - mean(False, pair, gap)) for gap in lengths)

    for pair in sorted(both - {ANY}, key=lambda pair: (-weight(pair), pair))[:shown]:
        gap = max(lengths, key=lambda gap: abs(mean(True, pair, gap) - mean(False, pair, gap)))
        yield (
            f"{mean(True, pair, gap):4.0%} of real gaps, {mean(False, pair, gap):4.0%} of ours: "
            f"{pair}, {gap}"
        )
