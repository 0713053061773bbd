"""Puts a dump of settings together again where another thread wrote into it.

A client prints its settings as one record of a hundred lines. A print of the application, or a
record of another process, may come amid them. These lines move in front of the record.
"""

from __future__ import annotations

import re

import numpy as np

VALUES = b" values:"
BEGIN = re.compile(VALUES + rb" ?\r?\n")
SETTING = re.compile(rb"\s+[\w.\-]+ =(?:\s|$)")  # behind an empty value the blank may be lost
MOST = 20  # So many lines may be amid a dump, one after the other.

Places = tuple[np.ndarray, np.ndarray]
Span = tuple[int, int]


def with_whole_dumps(text: bytes, places: Places | None) -> tuple[bytes, Places | None]:
    """The text with whole dumps, and the places of its lines (ranges.py), if they have moved."""
    order: list[Span] = []
    done = 0
    at = -1
    while (at := text.find(VALUES, at + 1)) >= 0:  # faster than a regular expression
        found = BEGIN.match(text, at)
        begin = text.rfind(b"\n", 0, at) + 1
        if found is None or begin < done:
            continue
        own, others = _parted(text, found.end())
        if others:
            order += [(done, begin), *others, (begin, found.end()), *own]
            done = own[-1][1]
    if not order:
        return text, places
    order.append((done, len(text)))
    starts, offsets = places or _places(text)
    moved: list[np.ndarray] = []
    at = 0
    for start, end in order:
        lines = slice(*np.searchsorted(starts, (start, end)))
        moved.append(np.stack([starts[lines] - start + at, offsets[lines]]))
        at += end - start
    new = np.concatenate(moved, axis=1)
    return b"".join(text[start:end] for start, end in order), (new[0], new[1])


def _parted(text: bytes, at: int) -> tuple[list[Span], list[Span]]:
    """The lines from a place on that are settings, and those amid them that are none."""
    own: list[Span] = []
    others: list[Span] = []
    held: list[Span] = []
    while at < len(text) and len(held) <= MOST:
        end = text.find(b"\n", at) + 1 or len(text)
        if SETTING.match(text, at, end):
            others += held
            own.append((at, end))
            held = []
        elif BEGIN.search(text, at, end):
            break
        else:
            held.append((at, end))
        at = end
    return own, others


def _places(text: bytes) -> Places:
    breaks = np.flatnonzero(np.frombuffer(text, np.uint8) == 10)
    starts = np.append(0, breaks + 1)
    starts = starts[starts < len(text)]
    return starts, starts
