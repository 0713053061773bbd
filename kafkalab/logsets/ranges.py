"""Splits log files into byte ranges for Spark's workers, and each range into blocks of whole
records.

A worker reads the records that begin in its range. A packed file has no random access, so it is one
range. The file's layout determines where a record begins.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from kafkalab.logsets import layouts
from kafkalab.logsets.block import HEAD_PATTERN, Block, Places
from kafkalab.logsets.files import PACKED, LogFile, open_plain, unpacking
from kafkalab.logsets.layout_block import LaidOutBlock
from kafkalab.logsets.mixed_layouts import in_their_layouts
from kafkalab.logsets.needles import finder
from kafkalab.logsets.question import LineQuestion
from kafkalab.logsets.settings_dumps import with_whole_dumps
from kafkalab.logsets.wrapped_lines import Lines, unwrapped

# The unpacked bytes of one task: some seconds of work at most, and many tasks in a large set.
TASK_BYTES = 32 << 20
# Of a very large set each task has more: Spark's driver plans and starts some hundred a second.
MOST_TASKS = 10_000
UNPACKED = 10  # The usual ratio of unpacked to packed size for lines of clients.
OPENING = 256 << 10  # The cost to open a file, as the bytes that could be read in the same time.
# The bytes parsed at once: small enough for the processor's cache, large enough for few calls.
BLOCK_BYTES = 8 << 20
LONGEST_BEGINNING = 512
# The bytes searched at once for a narrow question, and those that show how much it would find.
SEARCHED_BYTES, SAMPLE = 512 << 10, 1 << 20
# Where more records than one in so many bytes would be found, all of the text is parsed: that is
# faster than cutting it up.
BYTES_FOR_EACH = 1_000
OF_SOURCE = "#"  # all.log#shop-1: the lines of one container in a file of several.


class FileChanged(ValueError):
    """A file was removed or cut between the look at its size and the reading of its text."""


@dataclass(frozen=True)
class Range:
    """The records of `file` that begin at a byte in [start, stop). stop None: all of a file that
    is packed or wrapped.

    exact     start and stop are already at the begin of records, so no search is needed
    wrapping  what its lines are wrapped in (wrapped_lines.py)
    log       the name that its rows get as their file, `file` without one
    before    the bytes of the log's older files: its rows' offsets go on after them
    others    whether lines of other layouts are read too (mixed_layouts.py)
    """

    file: str
    start: int
    stop: int | None
    layout: str = layouts.KAFKA
    exact: bool = False
    size: int = 0
    wrapping: tuple[str, ...] = ()
    log: str = ""
    before: int = 0
    others: bool = True

    @property
    def cost(self) -> int:
        """The cost to read it, in bytes."""
        return OPENING + (
            self.stop - self.start
            if self.stop is not None
            else self.size * (UNPACKED if self.file.endswith(PACKED) else 1)
        )

    def blocks(self, question: LineQuestion | None = None) -> Iterator[Block]:
        """Its rows in blocks. question: only rows that may answer it, and perhaps others."""
        needles = question.needles(self.layout) if question and not self.wrapping else ()
        if needles and not self._is_full_of(needles):
            yield from self._holding(needles)
            return
        for text in blocks_of(self):
            yield from self.read(*text)

    def _holding(self, needles: tuple[bytes, ...]) -> Iterator[Block]:
        """The records that hold one of these bytes, gathered from all of it."""
        begins = _Begins(self.layout)
        records: list[bytes] = []
        places: list[int] = []
        size = 0
        for text, offset, *_ in blocks_of(self, SEARCHED_BYTES):
            for start, end in begins.holding(text, needles):
                records.append(text[start:end])
                places.append(offset + start)
                size += end - start
            if size > BLOCK_BYTES:
                yield from self._gathered(records, places)
                records, places, size = [], [], 0
        yield from self._gathered(records, places)

    def _gathered(self, records: list[bytes], places: list[int]) -> Iterator[Block]:
        starts = np.cumsum([0, *map(len, records)])[:-1]
        return self.read(b"".join(records), 0, (starts, np.array(places, np.int64)))

    def _is_full_of(self, needles: tuple[bytes, ...]) -> bool:
        """Whether so many records hold these bytes that it is faster to parse all of them."""
        if self.stop is None:
            with unpacking(self.file) as stream:
                sample = stream.read(SAMPLE)
        else:
            with open_plain(self.file) as file:
                file.seek(self.start)
                sample = file.read(min(SAMPLE, self.stop - self.start))
        return sum(map(sample.count, needles)) * BYTES_FOR_EACH > len(sample) > BYTES_FOR_EACH

    def read(
        self, text: bytes, offset: int, places: Places | None, source: str = ""
    ) -> Iterator[Block]:
        """What blocks_of found of it, ready to be taken apart, each layout in a block of its
        own."""
        name = f"{self.log or self.file}{OF_SOURCE}{source}" if source else self.log or self.file

        def build(text: bytes, places: Places | None, layout: str, offset: int = 0) -> Block:
            if layout in layouts.KAFKAS_OWN:
                return Block(text, name, offset, places)
            return LaidOutBlock(text, layouts.layout(layout), name, offset, places)

        text, places = with_whole_dumps(text, places)
        block = build(text, places, self.layout, offset + self.before)
        yield from in_their_layouts(block, build, self.layout) if self.others else (block,)


def ranges_of(
    file: LogFile,
    layout: str,
    wrapping: tuple[str, ...] = (),
    others: bool = True,
    size: int = TASK_BYTES,
) -> Iterator[Range]:
    """A file in pieces that one task can read, of so many bytes."""
    whole = Range(
        file.name, 0, None, layout, False, file.size, wrapping, file.log, file.before, others
    )
    if file.packed or wrapping:
        yield whole
        return
    for at in range(0, file.size, size):
        yield replace(whole, start=at, stop=min(at + size, file.size))


def text_expected(files: Iterable[LogFile]) -> int:
    """The bytes of text in these files, those of packed ones estimated."""
    return sum(file.size * (UNPACKED if file.packed else 1) for file in files)


def task_size(files: Iterable[LogFile]) -> int:
    """The bytes of a task where these files are read."""
    return max(TASK_BYTES, sum(file.size for file in files) // MOST_TASKS)


def tasks_of(pieces: Iterator[Range], size: int = TASK_BYTES) -> list[tuple[Range, ...]]:
    """Neighbouring ranges, joined until they are large enough for a task of so many bytes."""
    tasks: list[tuple[Range, ...]] = []
    held: list[Range] = []
    cost = 0
    for piece in pieces:
        if held and cost + piece.cost > size + OPENING:
            tasks.append(tuple(held))
            held, cost = [], 0
        held.append(piece)
        cost += piece.cost
    return [*tasks, tuple(held)] if held else tasks


Text = tuple[bytes, int, Places | None, str]
"""Whole records: their text, its offset, the places of its lines if the text is not the file's, and
the container, pod or host that wrote it, if the file says so."""


def blocks_of(piece: Range, size: int | None = None) -> Iterator[Text]:
    """The text of a piece in blocks of whole records. size: of a block, in bytes."""
    begins = _Begins(piece.layout)
    if piece.stop is None:
        with unpacking(piece.file) as stream:
            if piece.wrapping:
                pieces = iter(lambda: stream.read(BLOCK_BYTES), b"")
                yield from _cut_lines(unwrapped(pieces, piece.wrapping), begins)
            else:
                yield from _cut(stream.read, 0, None, begins, size or BLOCK_BYTES)
        return
    with open_plain(piece.file) as file:
        start, stop = piece.start, piece.stop
        there = file.size() if isinstance(file, pa.NativeFile) else os.fstat(file.fileno()).st_size
        if there < stop:
            raise FileChanged(
                f"{piece.file} was cut while it was read: of at least {stop:,} bytes {there:,} are "
                "left."
            )
        if not piece.exact:
            start, stop = begins.at_or_after(file, start), begins.at_or_after(file, stop)
        file.seek(start)
        yield from _cut(file.read, start, stop, begins, size or BLOCK_BYTES)


class _Begins:
    """Finds the begin of records in a layout."""

    def __init__(self, layout: str):
        own = layout in layouts.KAFKAS_OWN
        self.pattern = HEAD_PATTERN if own else layouts.layout(layout).begins()
        self.mark = b"\n[" if own else b"\n"

    def last(self, text: bytes, before: int | None = None) -> int:
        """Where the last record of a text starts; 0 when it is the only one."""
        at = len(text) if before is None else before
        while (at := text.rfind(self.mark, 0, at)) >= 0:
            if self.pattern.match(text, at + 1):
                return at + 1
        return 0

    def holding(self, text: bytes, needles: tuple[bytes, ...]) -> list[tuple[int, int]]:
        """Begin and end of the records that hold one of these bytes, in their order."""
        spans: list[tuple[int, int]] = []
        end = 0
        for at in finder(needles)(text):
            if at >= end:  # Else it is in the record that was found last.
                end = self._end(text, at)
                spans.append((self.last(text, at), end))
        return spans

    def _end(self, text: bytes, at: int) -> int:
        """Where the record ends that holds this place."""
        found = text.find(self.mark, at)
        while found >= 0:
            if self.pattern.match(text, found + 1):
                return found + 1
            found = text.find(self.mark, found + 1)
        return len(text)

    def at_or_after(self, file: io.FileIO | pa.NativeFile, start: int) -> int:
        """The first byte >= start where a record begins:
        0, right after a line break, or the end of the file."""
        if start == 0:
            return 0
        at, text = start - 1, b""
        file.seek(at)
        while fresh := file.read(1 << 16):
            text += fresh
            # Near the end of what was read so far a record's begin may be cut.
            if (end := self._end(text, 0)) + LONGEST_BEGINNING <= len(text):
                return at + end
        return at + self._end(text, 0)


def last_record(text: bytes, layout: str) -> int:
    """Where the last record of a text starts; 0 when it is the only one."""
    return _Begins(layout).last(text)


def blocks_from(piece: Range, take: Callable[[int], bytes]) -> Iterator[Block]:
    """The rows of a piece whose text somebody else reads. take: gives the next bytes of it."""
    for text in _cut(take, piece.start, piece.stop, _Begins(piece.layout), BLOCK_BYTES):
        yield from piece.read(*text)


def _cut(
    take: Callable[[int], bytes], offset: int, stop: int | None, begins: _Begins, size: int
) -> Iterator[Text]:
    def more() -> bytes:
        room = size if stop is None else min(size, stop - offset - len(text))
        return take(room) if room > 0 else b""

    text = b""
    text = more()
    while text:
        following = more()
        end = begins.last(text) if following else len(text)
        if end:
            yield text[:end], offset, None, ""
        offset, text = offset + end, text[end:] + following


def _cut_lines(lines: Lines, begins: _Begins) -> Iterator[Text]:
    """Lines that were wrapped, in blocks of whole records. Each source has blocks of its own: the
    lines of two containers come in turn, also amid a stack trace."""
    kept: dict[str, list[tuple[int, bytes]]] = {}
    sizes: dict[str, int] = {}
    for place, line, source in lines:
        held = kept.setdefault(source, [])
        if sizes.get(source, 0) > BLOCK_BYTES and begins.pattern.match(line):
            yield _block_of(held, source)
            held = kept[source] = []
            sizes[source] = 0
        held.append((place, line))
        sizes[source] = sizes.get(source, 0) + len(line) + 1
    for source, held in kept.items():
        yield _block_of(held, source)


def _block_of(lines: list[tuple[int, bytes]], source: str) -> Text:
    ends = np.cumsum([len(line) + 1 for _, line in lines])
    starts = np.concatenate([[0], ends[:-1]])
    return (
        b"".join(line + b"\n" for _, line in lines),
        0,
        (starts, np.array([at for at, _ in lines])),
        source,
    )
