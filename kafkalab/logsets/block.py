"""Parses a block of log text into columns: time, level, prefix, message, logger and trace.

It takes no Python step per line. The layout is `[%d] %p %m (%c:%L)%n` (kafkalab.lines.layout). Its
head has fixed offsets, so it is read as an array of bytes, all lines at once. Its tail and its
prefix have few values in a block. They are found by position, made into an Arrow dictionary, and
parsed once for each value. Everything is lazy: a query for two columns computes two.

A line that does not start with a time belongs to the line before. It continues the message until a
logger ends it. After the logger it is part of the stack trace, if it looks like one. Any other line
is foreign: it gets its own row and a reason. What a file's first lines have left of a record in an
older file is one such row.
"""

import codecs
import re
from functools import cached_property, lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets import schema

HEAD = len("[2026-01-05 09:00:00,000] ")
WINDOW = 40  # Bytes read from each line's start. The level ends within them.
HEAD_MARKS = {0: "[", 5: "-", 8: "-", 11: " ", 14: ":", 17: ":", 20: ",", 24: "]", 25: " "}
HEAD_DIGITS = (1, 2, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 23)
HEAD_PATTERN = re.compile(rb"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] ")
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
DAYS_IN_MONTH = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], np.int64)

TAIL_PATTERN = re.compile(r"([A-Za-z_$][\w$]*(?:\.[\w$]+)*)(?::(\d+|\?))?")
LONGEST_TAIL = 200
BLANKS = np.frombuffer(b" \n", np.uint8)
LONG_NUMBER = 10  # Digits that no source line has.
PREFIX_PATTERN = re.compile(r"\[(Consumer|Producer|AdminClient|ShareConsumer) ((?:\w+=[^\]]*))\]")
KINDS = {
    "Consumer": "consumer",
    "Producer": "producer",
    "AdminClient": "admin",
    "ShareConsumer": "consumer",
}
# The form of a line of a stack trace, as an RE2 expression.
TRACE_PATTERN = (
    r"^(\s|at [\w.$]+\(|Caused by: |Suppressed: |\.\.\. \d+ (more|common frames)"
    r"|[a-z]\w*(\.[\w$]+)+(:|$)|[\w.$]+(Exception|Error|Throwable)\b)"
)

# A setting, the class behind the last one, or a line of a stack trace. Before the first head it
# goes on with a record that began in an older file.
GOES_ON = re.compile(
    r"^\s+(?:[\w.\-]+ =(?:\s|$)|\([\w.$]+(?::\d+)?\)$|at [\w.$/]+\(|\.\.\. \d+ more)"
)


def _same_length(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError), "this is for reading bytes"
    return "?" * (error.end - error.start), error.end


codecs.register_error("kafkalab.same_length", _same_length)


Places = tuple[np.ndarray, np.ndarray]


class Block:
    """Whole lines of one file.

    `text` starts with a line's first byte, `offset` is its place in the file. places: where each
    line of the text begins in it and in the file, if the text is not the file's own.
    """

    tail_code: np.ndarray | None
    opening = r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) "

    def __init__(self, text: bytes, file: str = "", offset: int = 0, places: Places | None = None):
        self.file, self.offset, self.places = file, offset, places
        self.damaged = None  # Byte for byte: whether it was not UTF-8.
        try:
            text.decode()
        except UnicodeDecodeError:
            readable = text.decode(errors="kafkalab.same_length").encode()
            self.damaged = np.frombuffer(text, np.uint8) != np.frombuffer(readable, np.uint8)
            text = readable
        self.has_zeros = b"\0" in text
        self.size = len(text)
        # Room to look ahead at the end.
        self.bytes = np.frombuffer(text + b"\n" * WINDOW, np.uint8)
        self.buffer = pa.py_buffer(self.bytes)
        self._cut_into_rows()

    # -- which text is a row -----------------------------------------------------------------------

    def _cut_into_rows(self) -> None:
        """Set for each row: `start`, `head_ok`, `tail_open`, `tail_close`, `end`.

        The tail is `(logger)`; -1 where there is none.
        """
        starts, ends = self.line_spans()
        heads = np.lib.stride_tricks.sliding_window_view(self.bytes, WINDOW)[starts]
        is_head = _looks_like_head(heads)
        tail_open, tail_code = self._tails(starts, ends)

        head_lines = np.flatnonzero(is_head)
        tail_lines = np.flatnonzero(tail_open >= 0)
        after = np.append(head_lines[1:], len(starts))  # The line of the next head.
        nearest = np.append(tail_lines, len(starts))[np.searchsorted(tail_lines, head_lines)]
        has_tail = nearest < after
        closing = np.where(has_tail, nearest, after - 1)  # The line where the message ends.

        foreign = self._foreign(starts, ends, is_head, head_lines, closing, after)
        row_lines = np.union1d(head_lines, foreign) if len(foreign) else head_lines
        self.start = starts[row_lines]
        self.head_ok = is_head[row_lines]
        last = self._filled(starts, ends, np.append(row_lines[1:], len(starts)) - 1)
        self.end = ends[last]
        self.tail_open = np.full(len(row_lines), -1)
        self.tail_close = np.full(len(row_lines), -1)
        place = np.searchsorted(row_lines, head_lines[has_tail])
        self.tail_open[place] = tail_open[closing[has_tail]]
        self.tail_close[place] = ends[closing[has_tail]] - 1
        self.tail_code = np.full(len(row_lines), -1)
        self.tail_code[place] = tail_code[closing[has_tail]]
        self.heads = heads[row_lines]
        self.rows = len(row_lines)

    @property
    def may_be_torn(self) -> bool:
        """Whether a record may begin amid a line: its bytes are there more often than lines."""
        text = self.bytes[: self.size].tobytes()
        return text.count(b"[2") > text.count(b"\n[2") + text.startswith(b"[2")

    def line_spans(self) -> tuple[np.ndarray, np.ndarray]:
        """Where each line of text starts and ends, its break left out."""
        breaks = np.flatnonzero(self.bytes[: self.size] == 10)
        if not len(breaks) or breaks[-1] != self.size - 1:
            breaks = np.append(breaks, self.size)  # The last line has no break.
        starts = np.concatenate([np.array([0], np.int64), breaks[:-1] + 1])[: len(breaks)]
        # Windows ends lines with \r\n.
        return starts, breaks - ((breaks > starts) & (self.bytes[breaks - 1] == 13))

    @staticmethod
    def _filled(starts: np.ndarray, ends: np.ndarray, lines: np.ndarray) -> np.ndarray:
        """The last line that is not empty, up to each of these lines."""
        filled = np.flatnonzero(ends > starts)
        if not len(filled):
            return lines
        return filled[np.maximum(np.searchsorted(filled, lines, side="right") - 1, 0)]

    def _tails(self, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each line of text the place of its ` (logger)` and its index in `self.tail_texts`,
        else -1.
        """
        found, code, self.tail_texts = np.full(len(starts), -1), np.full(len(starts), -1), []
        parens = np.flatnonzero(self.bytes[: self.size] == 40)
        if not len(parens):
            return found, code
        closed = np.flatnonzero((ends > starts) & (self.bytes[ends - 1] == 41))
        at = np.searchsorted(parens, ends[closed]) - 1
        opening = parens[at]
        fits = (at >= 0) & (opening > starts[closed]) & (ends[closed] - opening <= LONGEST_TAIL)
        fits &= self.bytes[opening - 1] == 32
        closed, opening = closed[fits], opening[fits]
        texts = self.texts(opening + 1, ends[closed] - 1).dictionary_encode()
        self.tail_texts = texts.dictionary.to_pylist()
        known = np.array([_place(text) is not None for text in self.tail_texts], bool)
        number = texts.indices.to_numpy(zero_copy_only=False)
        fits = known[number] if len(closed) else np.array([], bool)
        found[closed[fits]], code[closed[fits]] = opening[fits], number[fits]
        return found, code

    def _foreign(
        self,
        starts: np.ndarray,
        ends: np.ndarray,
        is_head: np.ndarray,
        head_lines: np.ndarray,
        closing: np.ndarray,
        after: np.ndarray,
    ) -> np.ndarray:
        """The foreign lines: before the first head, or after a message without being a stack
        trace.
        """
        owner = np.cumsum(is_head) - 1
        numbers = np.arange(len(starts))
        outside = ~is_head & ((owner < 0) | (numbers > (closing[owner] if len(closing) else -1)))
        # An empty line belongs to the line before.
        outside[self._going_on(starts, ends, is_head)] = False
        loose = np.flatnonzero(outside & (ends > starts))
        if not len(loose):
            return loose
        traced = pc.match_substring_regex(self.texts(starts[loose], ends[loose]), TRACE_PATTERN)
        traced = as_mask(traced) & (owner[loose] >= 0)
        first_foreign = np.full(len(head_lines) + 1, len(starts))
        np.minimum.at(first_foreign, owner[loose[~traced]] + 1, loose[~traced])
        return loose[~traced | (loose > first_foreign[owner[loose] + 1])]

    def _going_on(self, starts: np.ndarray, ends: np.ndarray, is_head: np.ndarray) -> np.ndarray:
        """The lines before the first head that go on with the line before them: none where two are
        the same, as in a text that was sorted."""
        first = int(is_head.argmax()) if is_head.any() else len(starts)
        texts = self.texts(starts[1:first], ends[1:first])
        form = as_mask(pc.match_substring_regex(texts, GOES_ON.pattern))
        found = texts.filter(pa.array(form))
        return np.flatnonzero(form) + 1 if len(found.unique()) == len(found) else np.array([], int)

    @property
    def offsets(self) -> np.ndarray:
        """Where each row begins in the file."""
        if self.places is None:
            return self.start + self.offset
        starts, places = self.places
        return places[np.searchsorted(starts, self.start, side="right") - 1] + self.offset

    # -- the head ----------------------------------------------------------------------------------

    @cached_property
    def _clock(self) -> tuple[np.ndarray, np.ndarray]:
        """Microseconds since 1970 and whether there is such a time, for each row."""
        digits = np.ascontiguousarray(self.heads[:, :HEAD].T).astype(np.int64) - 48

        def number(*places: int) -> np.ndarray:
            value = digits[places[0]]
            for place in places[1:]:
                value = value * 10 + digits[place]
            return value

        year, month, day = number(1, 2, 3, 4), number(6, 7), number(9, 10)
        hour = number(12, 13)
        minute = number(15, 16)
        second = number(18, 19)
        milli = number(21, 22, 23)
        exists = (
            self.head_ok
            & (year < 2200)
            & (month >= 1)
            & (month <= 12)
            & (hour < 24)
            & (minute < 60)
            & (second < 60)
        )
        leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
        exists &= (
            (day >= 1)
            & (day <= DAYS_IN_MONTH[np.where(exists, month, 0)])
            & ((month != 2) | (day < 29) | leap)
        )
        days = days_since_1970(year, month, day)
        return (((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milli) * 1000, exists

    @cached_property
    def time(self) -> pa.Array:
        micros, exists = self._clock
        return pa.array(micros, pa.timestamp("us", tz="UTC"), mask=~exists)

    @cached_property
    def _level(self) -> tuple[np.ndarray, np.ndarray]:
        """The number of each row's level in LEVELS (-1 without one) and where its message starts,
        prefix included."""
        code = np.full(self.rows, -1, np.int8)
        length = np.zeros(self.rows, np.int64)
        first = self.heads[:, HEAD]
        for number, name in enumerate(LEVELS):
            rows = np.flatnonzero((first == ord(name[0])) & self.head_ok)
            word = self.heads[rows, HEAD : HEAD + len(name) + 1]
            rows = rows[(word == np.frombuffer(name.encode() + b" ", np.uint8)).all(axis=1)]
            code[rows] = number
            # `%-5p` pads INFO and WARN to five letters.
            length[rows] = (
                len(name)
                + 1
                + ((self.heads[rows, HEAD + len(name) + 1] == 32) if len(name) == 4 else 0)
            )
        return code, self.start + np.where(
            code >= 0, HEAD + length, np.where(self.head_ok, HEAD, 0)
        )

    @property
    def level_code(self) -> np.ndarray:
        return self._level[0]

    @cached_property
    def level(self) -> pa.Array:
        code = self._level[0]
        return pa.array(LEVELS).take(pa.array(code, mask=code < 0))

    # -- the prefix --------------------------------------------------------------------------------

    @cached_property
    def _prefix(
        self,
    ) -> tuple[np.ndarray, list[tuple[str, str | None, str | None] | None], np.ndarray]:
        """For each row the number of its prefix (-1 without), the prefixes' meanings,
        and where the message proper starts."""
        begin = self._level[1]
        code = np.full(self.rows, -1)
        rows = np.flatnonzero(self.head_ok & self._has_level & (self.bytes[begin] == 91))
        text = self.bytes[: self.size]
        brackets = np.flatnonzero(text == 93)
        # A tool may have taken off the blank at the end of a line.
        brackets = brackets[np.isin(self.bytes[brackets + 1], BLANKS)]
        at = np.searchsorted(brackets, begin[rows])
        rows, at = rows[at < len(brackets)], at[at < len(brackets)]
        close = brackets[at]
        rows, close = rows[close < self.end[rows]], close[close < self.end[rows]]
        texts = self.texts(begin[rows], close + 1).dictionary_encode()
        different = texts.dictionary.to_pylist()
        meanings = [_meaning(text) for text in different]
        self._prefix_texts = [text for text, meaning in zip(different, meanings) if meaning]
        known = np.array([meaning is not None for meaning in meanings], bool)
        number = texts.indices.to_numpy(zero_copy_only=False)
        keep = known[number] if len(rows) else np.array([], bool)
        code[rows[keep]] = number[keep]
        message = begin.copy()
        message[rows[keep]] = close[keep] + 1 + (self.bytes[close[keep] + 1] == 32)
        return code, meanings, message

    def prefixes(self) -> list[str]:
        """The different prefixes of its lines, as they are printed."""
        self._prefix  # noqa: B018  It finds them.
        return self._prefix_texts

    def _of_prefix(self, place: int) -> pa.Array:
        code, meanings, _ = self._prefix
        values = pa.array([meaning and meaning[place] for meaning in meanings], pa.string())
        return values.take(pa.array(code, mask=code < 0))

    @cached_property
    def kind(self) -> pa.Array:
        return self._of_prefix(0)

    @cached_property
    def client_id(self) -> pa.Array:
        return self._of_prefix(1)

    @cached_property
    def group_id(self) -> pa.Array:
        return self._of_prefix(2)

    # -- the tail ----------------------------------------------------------------------------------

    @cached_property
    def tail(self) -> tuple[np.ndarray, list[tuple[str | None, int | None]]]:
        """For each row the number of its tail (-1 without), and what the tails say:
        (logger, line or None)."""
        assert self.tail_code is not None, "only another layout has no codes, and its own tail"
        return self.tail_code, [_place(text) or (None, None) for text in self.tail_texts]

    def _of_tail(self, place: int, kind: pa.DataType) -> pa.Array:
        code, meanings = self.tail
        return pa.array([meaning[place] for meaning in meanings], kind).take(
            pa.array(code, mask=code < 0)
        )

    @cached_property
    def logger(self) -> pa.Array:
        return self._of_tail(0, pa.string())

    @cached_property
    def line(self) -> pa.Array:
        return self._of_tail(1, pa.int32())

    @cached_property
    def thread(self) -> pa.Array:
        return pa.nulls(self.rows, pa.string())

    # -- the message -------------------------------------------------------------------------------

    @cached_property
    def message_span(self) -> tuple[np.ndarray, np.ndarray]:
        """Where each row's message starts and ends; of a row with a problem, all of its text."""
        begin = np.where(self._readable, self._prefix[2], self.start)
        return begin, np.maximum(np.where(self._readable, self.tail_open - 1, self.end), begin)

    @cached_property
    def message(self) -> pa.Array:
        return self.texts(*self.message_span)

    @cached_property
    def trace(self) -> pa.Array:
        begin = self.tail_close + 1
        begin += self.bytes[begin] == 13
        follows = np.flatnonzero(self._readable & (self.end > begin))
        place = np.full(self.rows, -1)
        place[follows] = np.arange(len(follows))
        return self.texts(begin[follows] + 1, self.end[follows]).take(
            pa.array(place, mask=place < 0)
        )

    @cached_property
    def _readable(self) -> np.ndarray:
        return self.head_ok & (self.tail_open >= 0) & self._has_level & self._clock[1]

    @cached_property
    def _has_level(self) -> np.ndarray:
        return self._level[0] >= 0

    @cached_property
    def problem(self) -> pa.Array:
        reasons = pa.array(
            [
                schema.FOREIGN,
                schema.NO_SUCH_TIME,
                schema.NO_LEVEL,
                schema.NO_LOGGER,
                schema.NOT_UTF8,
                schema.ZEROS,
            ]
        )
        code = np.select(
            [~self.head_ok, ~self._clock[1], ~self._has_level, self.tail_open < 0], [0, 1, 2, 3], -1
        )
        if self.damaged is not None:
            until = np.concatenate([[0], np.cumsum(self.damaged)])
            code = np.where((code < 0) & (until[self.end] > until[self.start]), 4, code)
        if self.has_zeros:
            until = np.concatenate([[0], np.cumsum(self.bytes[: self.size] == 0)])
            code = np.where((code < 0) & (until[self.end] > until[self.start]), 5, code)
        return reasons.take(pa.array(code, mask=code < 0))

    def texts(self, begin: np.ndarray, end: np.ndarray) -> pa.Array:
        """The text of each span, in one copy. Spans must be in order and may not overlap."""
        # In Arrow the end of one text is the start of the next. So the gaps become texts too, and
        # only every other text is taken.
        edges = np.empty(2 * len(begin) + 1, np.int32)
        edges[0:-1:2] = begin
        edges[1::2] = end
        edges[-1] = self.size
        everything = pa.Array.from_buffers(
            pa.string(), 2 * len(begin), [None, pa.py_buffer(edges), self.buffer]
        )
        return everything.take(pa.array(np.arange(0, 2 * len(begin), 2)))


def as_mask(mask: pa.Array) -> np.ndarray:
    """Arrow's truth values as numpy's; null is false."""
    return pc.fill_null(mask, False).to_numpy(zero_copy_only=False)


def days_since_1970(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """By Howard Hinnant's days_from_civil: years begin in March, so that leap days come last."""
    march_year = year - (month <= 2)
    era, year_of_era = march_year // 400, march_year % 400
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return (
        era * 146097
        + year_of_era * 365
        + year_of_era // 4
        - year_of_era // 100
        + day_of_year
        - 719468
    )


def _looks_like_head(heads: np.ndarray) -> np.ndarray:
    """Which lines start as the layout does: `[dddd-dd-dd dd:dd:dd,ddd] `."""
    fits = heads[:, 0] == ord("[")
    candidates = np.flatnonzero(fits)
    columns = np.ascontiguousarray(heads[candidates, :HEAD].T)
    good = np.ones(len(candidates), bool)
    for place, mark in HEAD_MARKS.items():
        good &= columns[place] == ord(mark)
    for place in HEAD_DIGITS:
        # Unsigned: a byte below "0" wraps to above 9.
        good &= (columns[place] - np.uint8(48)) <= 9
    fits[candidates] = good
    return fits


@lru_cache(maxsize=1 << 16)
def _place(tail: str) -> tuple[str, int | None] | None:
    """(logger, line or None) of `org.apache.kafka.clients.NetworkClient:944`;
    None when it is no such tail."""
    found = TAIL_PATTERN.fullmatch(tail)
    if not found:
        return None
    logger, line = found.groups()
    return logger, int(line) if line and line != "?" and len(line) < LONG_NUMBER else None


@lru_cache(maxsize=1 << 18)
def _meaning(prefix: str) -> tuple[str, str | None, str | None] | None:
    """(kind, client id, group id) of `[Consumer clientId=c, groupId=g]`;
    None when it is no such prefix."""
    match = PREFIX_PATTERN.fullmatch(prefix)
    if not match:
        return None
    fields = dict(field.partition("=")[::2] for field in match[2].split(", "))
    group = fields.get("groupId")
    return KINDS[match[1]], fields.get("clientId"), None if group == "null" else group
