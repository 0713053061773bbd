"""Folds sequences so that differences of order and number by chance disappear."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

AGAIN = "again and again"
Item = TypeVar("Item", bound=Hashable)
MANY = 3  # Three stands for three or more: retries are counted by time, not by us.


def squeeze(items: Iterable[Item]) -> list[Item | str]:
    """A block of one to three items that comes three times or more in a row is kept once,
    with AGAIN behind it."""
    sequence: list[Item | str] = list(items)
    for size in (1, 2, 3):
        sequence = _squeeze_blocks(sequence, size)
    return sequence


def _squeeze_blocks(sequence: list[Item | str], size: int) -> list[Item | str]:
    kept: list[Item | str] = []
    at = 0
    while at < len(sequence):
        block = sequence[at : at + size]
        end = at + size
        while sequence[end : end + size] == block:
            end += size
        if end - at >= MANY * size:
            kept += [*block, AGAIN]
            at = end
        else:
            kept.append(sequence[at])
            at += 1
    return kept


def fold_leaders(order: Iterable[Hashable]) -> list[Hashable]:
    """Neighbouring broker ids become one run without order, as the sockets of the leaders come out
    of a hash map.

    `order` holds node keys (see client_log.node_key); a node tried more often than MANY in a run
    counts MANY.
    """
    folded: list[Hashable] = []
    for is_run, nodes in groupby(
        squeeze(order), key=lambda node: isinstance(node, int) and node >= 0
    ):
        if is_run:
            folded.append(
                tuple(
                    node
                    for node, count in sorted(Counter(nodes).items())
                    for _ in range(min(count, MANY))
                )
            )
        else:
            folded += nodes
    return folded


def likeness(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """1 for equal sequences, 0 for sequences that share nothing
    (difflib's ratio over whole items)."""
    if not a and not b:
        return 1.0
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()


def changed(name: str, real: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """A sentence for each item of `real` that `other` misses, and for each it has too much."""
    for change in difflib.unified_diff(real, other, lineterm="", n=0):
        if change[0] in "+-" and change[:3] not in ("+++", "---"):
            yield f"{name}: {'missing' if change[0] == '-' else 'too much'}: {change[1:]}"
