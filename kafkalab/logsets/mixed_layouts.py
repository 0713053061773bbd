"""Reads the lines of a block that were written in another layout than the others.

An application may print its first lines in one layout and the others in another, or two of its
loggers share a file. Such lines are foreign to the block. When several of them begin as records do,
they are read as a log of their own: its wrapping and its layout are found by its first lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kafkalab.logsets.block import Block, Places
from kafkalab.logsets.infer_layout import guess
from kafkalab.logsets.layouts import OPENING
from kafkalab.logsets.wrapped_lines import JSON, JSON_LAYOUT, Lines, unwrapped, wrapping_of

LEAST = 3  # So many foreign lines must begin as records do, and so many must then be read.
DEPTH = 4  # The most layouts in one block.
SAMPLE = 1 << 16

Build = Callable[[bytes, Places, str], Block]
"""Makes a block of a text, of where its lines begin in it and in the file, and of its layout."""


def in_their_layouts(block: Block, build: Build, layout: str, depth: int = 1) -> Iterator[Block]:
    """The block, or where it has lines of another layout two blocks or more."""
    foreign = np.flatnonzero(~block.head_ok)
    if len(foreign) < LEAST or depth > DEPTH:
        yield block
        return
    text, places = _rows(block, foreign)
    begun = len(OPENING.findall(text))
    if begun < LEAST:
        yield block
        return
    wrapping = wrapping_of(text[:SAMPLE])
    if wrapping:
        text, places = _unwrapped(unwrapped([text], wrapping), places)
    other = JSON_LAYOUT if JSON in wrapping else guess(text[:SAMPLE])
    again = build(text, places, other)
    if np.count_nonzero(again.head_ok) < max(LEAST, begun // 2):
        yield block
        return
    own = np.flatnonzero(block.head_ok)
    if len(own):
        yield build(*_rows(block, own), layout)
    yield from in_their_layouts(again, build, other, depth + 1)


def _rows(block: Block, rows: np.ndarray) -> tuple[bytes, Places]:
    """The text of these rows, one after the other, and where each begins in it and in the file."""
    ends = np.append(block.start[1:], block.size)[rows]
    starts = block.start[rows]
    whole = block.bytes.tobytes()
    text = b"".join(whole[start:end] for start, end in zip(starts.tolist(), ends.tolist()))
    return text, (np.cumsum(np.append(0, ends - starts))[:-1], block.offsets[rows])


def _unwrapped(lines: Lines, places: Places) -> tuple[bytes, Places]:
    """Lines that were taken out of their wrapping, with the places of the rows they come from."""
    found = list(lines)
    ends = np.cumsum([len(line) + 1 for _, line, _ in found])
    begun = np.array([at for at, _, _ in found], np.int64)
    starts, offsets = places
    row = np.searchsorted(starts, begun, side="right") - 1
    return (
        b"".join(line + b"\n" for _, line, _ in found),
        (np.append(0, ends)[:-1], offsets[row] + begun - starts[row]),
    )
