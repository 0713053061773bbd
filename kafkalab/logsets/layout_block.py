"""Parses a block of log text in any log4j layout into columns, as block.py does for Kafka's own.

It is slower, because it uses a regular expression. A line that does not begin a record belongs to
the record before, as in log4j. Two kinds of lines are foreign: those before the first record, and
those with a time where records have it, but in another layout: no record swallows them.

Where a layout has a part after the message (` (%c)`), the message ends with it, and a stack trace
may follow. Without such a part the trace begins at the first line that looks like one.
"""

from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets import templates
from kafkalab.logsets.block import LEVELS, LONG_NUMBER, TRACE_PATTERN, Block, Places, as_mask
from kafkalab.logsets.layouts import (
    ANY_OPENING,
    LEVEL_LETTERS,
    LEVEL_OF,
    TRACE_START,
    Layout,
    micros_of,
)

NAMES_OF_LEVELS = LEVEL_OF | LEVEL_LETTERS
LEVEL_WORDS = list(NAMES_OF_LEVELS)
LEVEL_NUMBERS = np.array(
    [*(LEVELS.index(level) for level in NAMES_OF_LEVELS.values()), -1], np.int8
)
LONGEST_HEAD = 400  # The most bytes before a message.
LONGEST_TAIL = 300
NONE = "-"  # What stands for the class or level of a record that names none (json_records.py).


OF_A_MESSAGE = np.frombuffer(b"\t *", np.uint8)
CLIENT_PREFIX = r"\[(Consumer|Producer|AdminClient|ShareConsumer) \w+="


class LaidOutBlock(Block):
    """Whole lines of one file in some layout."""

    def __init__(
        self,
        text: bytes,
        layout: Layout,
        file: str = "",
        offset: int = 0,
        places: Places | None = None,
    ):
        self.layout, self.opening = layout, layout.head
        super().__init__(text, file, offset, places)

    @property
    def may_be_torn(self) -> bool:
        return True

    def _cut_into_rows(self) -> None:
        starts, ends = self.line_spans()
        fronts = self.texts(starts, np.minimum(ends, starts + LONGEST_HEAD))
        found = pc.extract_regex(fronts, f"^(?P<front>{self.layout.head})")
        is_head = as_mask(pc.is_valid(found))
        head_lines = np.flatnonzero(is_head)
        first = head_lines[0] if len(head_lines) else len(starts)
        foreign = (np.arange(len(starts)) < first) & (ends > starts)
        foreign[self._going_on(starts, ends, is_head)] = False
        if self.layout.opening:
            opened = pc.match_substring_regex(fronts, f"^{self.layout.opening}")
            foreign |= as_mask(opened) & ~is_head
        # Most continuations begin with a tab; a record of no layout does.
        others = np.flatnonzero(~is_head & (ends > starts) & (self.bytes[starts] != 9))
        opened = pc.match_substring_regex(fronts.take(pa.array(others)), ANY_OPENING)
        foreign[others[as_mask(opened)]] = True
        foreign[self._loose(starts, ends, is_head, foreign, found)] = True
        rows = np.flatnonzero(is_head | foreign)
        self.rows, self.start, self.heads = len(rows), starts[rows], None
        next_row = np.append(rows[1:], len(starts))
        last = self._filled(starts, ends, next_row - 1)
        self.end = ends[last] if len(rows) else starts[:0]
        self.head_ok = is_head[rows]
        self._head = found.take(pa.array(np.where(self.head_ok, rows, -1), mask=~self.head_ok))
        after = next_row[self.head_ok]
        closing = self._closing(starts, ends, head_lines, after)
        self.tail_open, self.tail_close = np.full(len(rows), -1), np.full(len(rows), -1)
        self._tail = self.tail_code = None
        whole = np.flatnonzero(closing >= 0)
        at, place = closing[whole], np.flatnonzero(self.head_ok)[whole]
        self.tail_close[place] = ends[at] - 1
        if not self.layout.tail:
            self.tail_open[place] = ends[at] + 1
            return
        begin = np.maximum(starts[at], ends[at] - LONGEST_TAIL)
        last = pc.extract_regex(self.texts(begin, ends[at]), f"(?P<back>{self.layout.tail})$")
        self.tail_open[place] = (
            ends[at] - pc.binary_length(pc.struct_field(last, "back")).to_numpy() + 1
        )
        where = np.full(len(rows), -1)
        where[place] = np.arange(len(place))
        self._tail = last.take(pa.array(where, mask=where < 0))

    def _loose(
        self,
        starts: np.ndarray,
        ends: np.ndarray,
        is_head: np.ndarray,
        foreign: np.ndarray,
        found: pa.Array,
    ) -> np.ndarray:
        """The lines that belong to no record: they follow one of Kafka's clients, whose messages
        are one line. Settings and lists follow a colon, or begin with a blank or a star."""
        heads = np.flatnonzero(is_head | foreign)
        lines = np.flatnonzero(~is_head & ~foreign & (ends > starts))
        lines = lines[~np.isin(self.bytes[starts[lines]], OF_A_MESSAGE)]
        if not len(lines) or not len(heads):
            return lines[:0]
        owner = heads[np.maximum(np.searchsorted(heads, lines) - 1, 0)]
        lines, owner = lines[is_head[owner]], owner[is_head[owner]]
        last = ends[owner] - 1
        last -= self.bytes[last] == 32
        lines, owner = lines[self.bytes[last] != 58], owner[self.bytes[last] != 58]
        names = [field.name for field in found.type]
        if "logger" in names:
            loggers = pc.struct_field(found.take(pa.array(owner)), "logger").dictionary_encode()
            known = [templates.is_known(name) for name in loggers.dictionary.to_pylist()]
            mine = np.array(known, bool)[loggers.indices.to_numpy()] if len(owner) else owner > 0
        else:
            owners, place = np.unique(owner, return_inverse=True)
            prefixed = pc.match_substring_regex(
                self.texts(starts[owners], ends[owners]), CLIENT_PREFIX
            )
            mine = as_mask(prefixed)[place]
        lines = lines[mine]
        traced = pc.match_substring_regex(self.texts(starts[lines], ends[lines]), TRACE_PATTERN)
        return lines[~as_mask(traced)]

    def _closing(
        self, starts: np.ndarray, ends: np.ndarray, head_lines: np.ndarray, after: np.ndarray
    ) -> np.ndarray:
        """The line of text where each record's message ends, -1 where it does not end."""
        numbers = np.arange(len(starts))
        if self.layout.tail:
            backs = self.texts(np.maximum(starts, ends - LONGEST_TAIL), ends)
            lines = np.flatnonzero(as_mask(pc.match_substring_regex(backs, f"{self.layout.tail}$")))
            nearest = np.append(lines, len(starts))[np.searchsorted(lines, head_lines)]
            return np.where(nearest < after, nearest, -1)
        more = np.setdiff1d(numbers, head_lines)
        texts = self.texts(starts[more], ends[more])
        traced = more[as_mask(pc.match_substring_regex(texts, TRACE_START))]
        nearest = np.append(traced, len(starts))[np.searchsorted(traced, head_lines)]
        closing = np.minimum(nearest, after) - 1
        # Blank lines between records are nobody's; a settings' dump ends with one of its own.
        filled = self._filled(starts, ends, closing)
        return np.where(filled == head_lines, filled, closing)

    def _part(self, name: str) -> pa.Array:
        """The texts of a part of the layout, null where there are none."""
        for found in (self._head, self._tail):
            if found is not None and name in [field.name for field in found.type]:
                return pc.struct_field(found, name)
        return pa.nulls(self.rows, pa.string())

    def heads_of_rows(self) -> list[tuple[str, str]]:
        """The text before the message of each record, and the time in it, its zone included."""
        rows = pa.array(np.flatnonzero(self.head_ok))
        fronts = pc.struct_field(self._head, "front").take(rows)
        times, zones = (pc.fill_null(self._part(name).take(rows), "") for name in ("time", "zone"))
        whole = pc.binary_join_element_wise(times, zones, "")
        return list(zip(fronts.to_pylist(), whole.to_pylist(), strict=True))

    @cached_property
    def _clock(self) -> tuple[np.ndarray, np.ndarray]:
        micros = np.zeros(self.rows, np.int64)
        if self.layout.clock is None:
            return micros, np.ones(self.rows, bool)
        rows = np.flatnonzero(self.head_ok)
        zones = self._part("zone").take(pa.array(rows)) if self.layout.clock.zoned else None
        exists = np.zeros(self.rows, bool)
        micros[rows], exists[rows] = micros_of(
            self.layout.clock, self._part("time").take(pa.array(rows)), zones
        )
        return micros, exists

    @cached_property
    def time(self) -> pa.Array:
        return (
            super().time if self.layout.clock else pa.nulls(self.rows, pa.timestamp("us", tz="UTC"))
        )

    @cached_property
    def _level(self) -> tuple[np.ndarray, np.ndarray]:
        words = pc.fill_null(pc.index_in(self._part("level"), pa.array(LEVEL_WORDS)), -1)
        levels = LEVEL_NUMBERS[words.to_numpy(zero_copy_only=False)]
        front = pc.fill_null(pc.binary_length(pc.struct_field(self._head, "front")), 0).to_numpy(
            zero_copy_only=False
        )
        return levels, self.start + front

    @cached_property
    def tail(self) -> tuple[np.ndarray, list[tuple[str | None, int | None]]]:
        logger, line = pc.fill_null(self._part("logger"), ""), pc.fill_null(self._part("line"), "")
        places = pc.binary_join_element_wise(logger, line, ":").dictionary_encode()
        code = np.where(self._readable, places.indices.to_numpy(), -1)
        meanings = []
        for text in places.dictionary.to_pylist():
            printed, _, number = text.rpartition(":")
            meanings.append(
                (
                    None if printed == NONE else templates.in_full(printed) or None,
                    int(number) if number.isdigit() and len(number) < LONG_NUMBER else None,
                )
            )
        return code, meanings

    @cached_property
    def thread(self) -> pa.Array:
        return pc.utf8_trim(self._part("thread"), " ")  # `%15.15t` pads

    @cached_property
    def _has_level(self) -> np.ndarray:
        if "level" not in self.layout.parts:
            return np.ones(self.rows, bool)
        return (self._level[0] >= 0) | as_mask(pc.equal(self._part("level"), NONE))
