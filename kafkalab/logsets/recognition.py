"""Finds the statement of the Java client that wrote each message, and reads the gaps of its
template.

It works on all rows of a block at once. Logger, source line and first eight bytes distinguish most
templates, and they have few values in a block. For each such key the candidates are looked up once
(templates.py). Then all rows compare a few 64-bit words of their message's begin and end with those
of their candidates. Where two templates still match (`Found least loaded node {node}` and `… {node}
connected with …`), the source line decides. Without a source line the whole template decides, as a
regular expression.

The gaps are read with one regular expression for each template, on its own rows only. Lines repeat,
so each different text is read once.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets import schema, templates
from kafkalab.logsets.block import LEVELS, Block, as_mask
from kafkalab.logsets.templates import LARGE_NUMBERS, WHOLE_NUMBERS, Pattern

HEAD_WORDS, TAIL_WORDS = 4, 2  # 64-bit words of a message that are compared.
EXCERPT = 240  # Most gaps with a column end within it. The other texts are read again in full.
SAMPLE = 64  # The number of texts that show whether texts repeat.
FEW = 48
STRONG = 8  # So many literal bytes do not match by chance.
LEVEL_NAMES = (*LEVELS, None)  # -1 stands for no level.
MIXER = np.uint64(0x9E3779B97F4A7C15)
# The classes of members of KIP-848, of producers and of share consumers. Some of their lines have
# the words of another client's class.
WRITERS = (
    r"\.(?:AsyncKafkaConsumer|Consumer(?:Membership|HeartbeatRequest)Manager"
    r"|(?:Commit|Offsets)RequestManager)$",
    r"\.clients\.producer\.",
    r"\.Share\w+$",
)


class Recognised:
    """The events of a block's rows, and the fields of their gaps."""

    def __init__(self, block: Block):
        self.block = block
        begin, end = block.message_span
        tail, tails = block.tail
        self.rows = np.flatnonzero(tail >= 0)
        self.code = np.full(block.rows, -1, np.int16)  # The number of each row's pattern.
        if len(self.rows):
            place = tail[self.rows] * len(LEVEL_NAMES) + block.level_code[self.rows] % len(
                LEVEL_NAMES
            )
            self.code[self.rows] = _decided(block, tails, place, begin[self.rows], end[self.rows])
        if any(logger is None for logger, _ in tails):
            self._tell_twins_apart()

    def _tell_twins_apart(self) -> None:
        """Give lines without a class, whose words two kinds of clients write, to the kind that
        wrote the other lines of their client; those of no client to the kind of all clients."""
        writer, alike = _twins()
        names = self.block.client_id.dictionary_encode().indices
        clients = pc.fill_null(names, -1).to_numpy(zero_copy_only=False)
        sure = (self.code >= 0) & (alike.min(axis=0) == alike.max(axis=0))[self.code]
        for number, twin in enumerate(alike, -1):
            found = {*clients[sure & (writer[self.code] == number)].tolist()}
            if found and {*clients.tolist()} - {-1} <= found:
                found.add(-1)
            rows = (self.code >= 0) & (np.isin(clients, [*found]) | (number < 0))
            self.code[rows] = twin[self.code[rows]]

    @cached_property
    def found(self) -> list[tuple[Pattern, np.ndarray]]:
        """Each pattern that a row has, with its rows in their order."""
        order = np.argsort(self.code, kind="stable")
        numbers, starts = np.unique(self.code[order], return_index=True)
        pieces = np.split(order, starts[1:])
        return [
            (templates.all_patterns()[number], rows)
            for number, rows in zip(numbers.tolist(), pieces)
            if number >= 0
        ]

    def is_whole(self, most: int | None = None) -> np.ndarray:
        """Which rows have the whole text of their template, or none. most: only so many rows of
        each template are looked at."""
        whole = np.ones(self.block.rows, bool)
        begin, end = self.block.message_span
        for pattern, rows in self.found:
            rows = rows[:most]
            texts = self.block.texts(begin[rows], end[rows])
            fits = pc.match_substring_regex(texts, pattern.exact)
            if fits.false_count:  # a collector may take off a blank at the end
                longer = pc.binary_join_element_wise(texts, " ", "")
                fits = pc.or_(fits, pc.match_substring_regex(longer, pattern.exact))
            whole[rows] = as_mask(fits)
        return whole

    @property
    def event(self) -> pa.Array:
        names = pa.array([pattern.event for pattern in templates.all_patterns()])
        return names.take(pa.array(self.code, mask=self.code < 0))

    def fields(self, wanted: set[str]) -> dict[str, pa.Array]:
        """The wanted ones of FIELDS, each a column of the block."""
        begin, end = self.block.message_span
        pieces: dict[str, list[tuple[np.ndarray, pa.Array]]] = {name: [] for name in wanted}
        asked = [(pattern, rows) for pattern, rows in self.found if wanted & set(pattern.fields)]
        self._add_few(
            [(pattern, rows) for pattern, rows in asked if len(rows) <= FEW], wanted, pieces
        )
        for pattern, rows in asked:
            if len(rows) > FEW:
                values = _extract(self.block, pattern, begin[rows], end[rows])
                for name in wanted & set(pattern.fields):
                    pieces[name].append((rows, pc.struct_field(values, name)))
        return {name: self._column(name, found) for name, found in pieces.items()}

    def _add_few(
        self,
        asked: list[tuple[Pattern, np.ndarray]],
        wanted: set[str],
        pieces: dict[str, list[tuple[np.ndarray, pa.Array]]],
    ) -> None:
        """The fields of templates with a few rows each.

        Arrow compiles a regular expression in each call. For a few texts a compiled one is faster.
        """
        if not asked:
            return
        begin, end = self.block.message_span
        every = np.sort(np.concatenate([rows for _, rows in asked]))
        texts = dict(zip(every.tolist(), self.block.texts(begin[every], end[every]).to_pylist()))
        places: dict[str, tuple[list[int], list[str]]] = {name: ([], []) for name in wanted}
        for pattern, rows in asked:
            fits, names = _ready(pattern.gaps).match, wanted & set(pattern.fields)
            for row in rows.tolist():
                if found := fits(texts[row]):
                    for name in names:
                        places[name][0].append(row)
                        places[name][1].append(found[name] or "")
        for name, (numbers, values) in places.items():
            if numbers:
                pieces[name].append((np.array(numbers), pa.array(values, pa.string())))

    def _column(self, name: str, pieces: list[tuple[np.ndarray, pa.Array]]) -> pa.Array:
        kind = (
            pa.int32()
            if name in WHOLE_NUMBERS
            else pa.int64()
            if name in LARGE_NUMBERS
            else pa.string()
        )
        if not pieces:
            return pa.nulls(self.block.rows, kind)
        place = np.full(self.block.rows, -1, np.int32)
        rows = np.concatenate([rows for rows, _ in pieces])
        place[rows] = np.arange(len(rows))
        values = pa.concat_arrays([values for _, values in pieces])
        if name != "reason":
            # A group without a match.
            values = pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
        if kind != pa.string():
            values = _as_numbers(values, kind)
        return values.take(pa.array(place, mask=place < 0))


def broker_of(node_id: pa.Array) -> pa.Array:
    """The broker of each node id. `2`, `+2` and 2147483645 are broker 2.

    Bootstrap servers (-1, -2, …) are no broker yet.
    """
    nodes = node_id.dictionary_encode()
    brokers = pa.array([decode_broker(text) for text in nodes.dictionary.to_pylist()], pa.int32())
    return brokers.take(nodes.indices)


def decode_broker(node_id: str) -> int | None:
    """As `broker_of`, for one text."""
    number = int(node_id)
    if not 0 <= number <= schema.COORDINATOR_ID_BASE:
        return None
    return schema.COORDINATOR_ID_BASE - number if number > schema.COORDINATOR_ID_LOWEST else number


def _as_numbers(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Texts of whole numbers as numbers; null where one is too large for its column."""
    try:
        return pc.cast(values, kind)
    except pa.ArrowInvalid:
        most = 2 ** (kind.bit_width - 1)
        return pa.array(
            [
                None if text is None or not -most <= int(text) < most else int(text)
                for text in values.to_pylist()
            ],
            kind,
        )


# -- which template --------------------------------------------------------------------------------


class _Table:
    """The literal bytes of all patterns as numbers, one row a pattern.

    A row has value and mask of each word, and the least length of a message.
    """

    def __init__(self) -> None:
        patterns = templates.all_patterns()
        words = HEAD_WORDS + TAIL_WORDS
        self.value = np.zeros((words, len(patterns)), np.uint64)
        self.mask = np.zeros((words, len(patterns)), np.uint64)
        self.shortest = np.zeros(len(patterns), np.int64)
        # `[GroupCoordinator 1]: ` begins many lines of a broker, so these are matched as a whole.
        self.strong = np.array(
            [len(p.head) + len(p.tail) >= STRONG and not p.of_broker for p in patterns]
        )
        for number, pattern in enumerate(patterns):
            head, tail = pattern.head[: 8 * HEAD_WORDS], pattern.tail[-8 * TAIL_WORDS :]
            self.shortest[number] = max(len(head), len(tail))
            for word in range(HEAD_WORDS):
                self._put(word, number, head[8 * word : 8 * word + 8], 0)
            for word in range(TAIL_WORDS):
                part = tail[max(0, len(tail) - 8 * word - 8) : max(0, len(tail) - 8 * word)]
                self._put(HEAD_WORDS + word, number, part, 8 - len(part))
        self.most_words = [
            max(bool(self.mask[word, number]) * (word + 1) for word in range(words))
            for number in range(len(patterns))
        ]

    def _put(self, word: int, number: int, part: bytes, empty: int) -> None:
        self.value[word, number] = int.from_bytes(b"\0" * empty + part, "little")
        self.mask[word, number] = int.from_bytes(b"\0" * empty + b"\xff" * len(part), "little")


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table()


@lru_cache(maxsize=1)
def _numbers() -> dict[int, int]:
    return {id(pattern): number for number, pattern in enumerate(templates.all_patterns())}


@lru_cache(maxsize=1)
def _twins() -> tuple[np.ndarray, np.ndarray]:
    """The place in WRITERS of each pattern's class, -1 for another; and for -1 and each place, the
    pattern that this kind of clients writes in the words of each pattern."""
    names = [name for name, patterns in templates.by_logger().items() for _ in patterns]
    writer = np.array(
        [next((n for n, form in enumerate(WRITERS) if re.search(form, name)), -1) for name in names]
    )
    alike = np.tile(np.arange(len(names), dtype=np.int16), (1 + len(WRITERS), 1))
    of_words: dict[tuple[str, ...], list[tuple[int, Pattern]]] = {}
    for number, pattern in enumerate(templates.all_patterns()):
        of_words.setdefault(pattern.words, []).append((number, pattern))
    for found in of_words.values():
        for (one, pattern), (other, twin) in permutations(found, 2):
            if writer[one] != writer[other] and pattern.levels & twin.levels:
                alike[1 + writer[one], other] = one
    return writer, alike


@lru_cache(maxsize=1 << 16)
def _candidates(
    logger: str | None, line: int | None, level: str | None, first_word: int
) -> tuple[tuple[int, ...], int]:
    """The patterns (by number) that can begin with these eight bytes, and a count.

    Those of this source line are first, and the count is theirs.
    """
    table = _table()
    fitting = [
        (pattern, _numbers()[id(pattern)])
        for pattern in templates.patterns_of(logger)
        if first_word & int(table.mask[0, _numbers()[id(pattern)]])
        == int(table.value[0, _numbers()[id(pattern)]])
    ]
    # Two events may have equal words and different levels. An unknown version may use another
    # level.
    if on_level := [(pattern, number) for pattern, number in fitting if level in pattern.levels]:
        fitting = on_level
    elif level is None:  # the level would tell it from its twin
        fitting = [
            (pattern, number)
            for pattern, number in fitting
            if line in pattern.lines
            or all(
                pattern.levels & other.levels
                for other, _ in fitting
                if other.whole == pattern.whole and other.event != pattern.event
            )
        ]
    here = [number for pattern, number in fitting if line in pattern.lines]
    return (*here, *(number for _, number in fitting if number not in here)), len(here)


def _decided(
    block: Block,
    tails: list[tuple[str | None, int | None]],
    place: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
) -> np.ndarray:
    """The number of the pattern of each of these rows, -1 for none."""
    words, length = _words(block.bytes), end - begin
    first = words[begin] & _UP_TO[np.minimum(length, 8)]
    keys = pa.array(first ^ (place.astype(np.uint64) * MIXER)).dictionary_encode()
    key = keys.indices.to_numpy()
    example = np.empty(len(keys.dictionary), np.int64)
    example[key[::-1]] = np.arange(len(key))[::-1]
    found = [
        _candidates(*tails[where // len(LEVEL_NAMES)], LEVEL_NAMES[where % len(LEVEL_NAMES)], word)
        for where, word in zip(place[example].tolist(), first[example].tolist())
    ]
    most = max((len(candidates) for candidates, _ in found), default=0)
    if not most:
        return np.full(len(begin), -1, np.int16)
    candidates = np.full((most, len(found)), -1, np.int16)
    for number, (patterns, _) in enumerate(found):
        candidates[: len(patterns), number] = patterns
    here = np.array([how_many for _, how_many in found], np.int16)[key]

    table, chosen = _table(), np.full(len(begin), -1, np.int16)
    fits_here, fits_at_all = np.zeros(len(begin), np.int8), np.zeros(len(begin), np.int8)
    fit: list[tuple[np.ndarray, np.ndarray]] = []
    for slot in range(most):
        # A match with a pattern of this source line needs no check of the others.
        rows = np.flatnonzero((candidates[slot] >= 0)[key] & ((slot < here) | (fits_here == 0)))
        pattern = candidates[slot][key[rows]]
        good = length[rows] >= table.shortest[pattern]
        for word in range(HEAD_WORDS + TAIL_WORDS):
            if not table.mask[word, np.unique(candidates[slot])].any():
                continue
            at = (
                begin[rows] + 8 * word
                if word < HEAD_WORDS
                else end[rows] - 8 * (word - HEAD_WORDS + 1)
            )
            text = words[np.clip(at, 0, len(words) - 1)]
            good &= (text & table.mask[word, pattern]) == table.value[word, pattern]
        rows, pattern = rows[good], pattern[good]
        certain = (slot < here[rows]) | table.strong[pattern]
        fresh = fits_at_all[rows] == 0
        chosen[rows[fresh & certain]] = pattern[fresh & certain]
        fits_at_all[rows] += 1 + ~certain  # A weak match counts twice, so that it is checked.
        fits_here[rows] += slot < here[rows]
        fit.append((rows, pattern))

    unsure = np.where(fits_here > 0, fits_here > 1, fits_at_all > 1)
    if unsure.any():
        chosen[unsure] = -1
        _look_closer(block, begin, end, unsure, fit, chosen)
    return chosen


def _look_closer(
    block: Block,
    begin: np.ndarray,
    end: np.ndarray,
    unsure: np.ndarray,
    fit: list[tuple[np.ndarray, np.ndarray]],
    chosen: np.ndarray,
) -> None:
    """Set `chosen` for the unsure rows: the pattern that matches as a whole.

    Where several match, it is the pattern with most literal text.
    """
    rows = np.concatenate([rows for rows, _ in fit])
    pattern = np.concatenate([pattern for _, pattern in fit])
    rows, pattern = rows[unsure[rows]], pattern[unsure[rows]]
    by_weight = sorted(
        np.unique(pattern).tolist(), key=lambda number: -templates.all_patterns()[number].weight
    )
    for number in by_weight:
        candidates = np.sort(rows[pattern == number])
        candidates = candidates[chosen[candidates] < 0]
        if len(candidates):
            texts = block.texts(begin[candidates], end[candidates])
            whole = pc.match_substring_regex(texts, templates.all_patterns()[number].whole)
            chosen[candidates[as_mask(whole)]] = number


# The mask of a word of which a message has so many bytes.
_UP_TO = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)


def _words(data: np.ndarray) -> np.ndarray:
    """At each position the eight bytes that start there, as one number."""
    return np.ndarray((len(data) - 7,), "<u8", data.data, 0, (1,))


# -- what is in the gaps ---------------------------------------------------------------------------


def _extract(block: Block, pattern: Pattern, begin: np.ndarray, end: np.ndarray) -> pa.StructArray:
    """The named groups of each span.

    An excerpt is read first: it is enough for most long answers.
    """
    if pattern.to_the_end:
        return _groups_of(block.texts(begin, end), pattern)
    values = _groups_of(block.texts(begin, np.minimum(end, begin + EXCERPT)), pattern)
    again = (
        np.flatnonzero(as_mask(pc.is_null(values)) & (end > begin + EXCERPT))
        if values.null_count
        else ()
    )
    if not len(again):
        return values
    place = np.arange(len(begin))
    place[again] = len(begin) + np.arange(len(again))
    return pa.concat_arrays(
        [values, _groups_of(block.texts(begin[again], end[again]), pattern)]
    ).take(pa.array(place))


def _groups_of(texts: pa.Array, pattern: Pattern) -> pa.StructArray:
    """The named groups of each text, null where the pattern does not match.

    Equal texts are read once.
    """
    if len(texts[:SAMPLE].dictionary_encode().dictionary) > SAMPLE // 2:
        return pc.extract_regex(texts, pattern.gaps)
    coded = texts.dictionary_encode()
    if len(coded.dictionary) <= FEW:
        return _groups_of_few(coded.dictionary, pattern).take(coded.indices)
    return pc.extract_regex(coded.dictionary, pattern.gaps).take(coded.indices)


def _groups_of_few(texts: pa.Array, pattern: Pattern) -> pa.StructArray:
    found = [_ready(pattern.gaps).match(text) for text in texts.to_pylist()]
    groups = [
        pa.array([match and (match[name] or "") for match in found], pa.string())
        for name in pattern.fields
    ]
    return pa.StructArray.from_arrays(
        groups, list(pattern.fields), mask=pa.array([match is None for match in found], pa.bool_())
    )


@lru_cache(maxsize=1 << 12)
def _ready(expression: str) -> re.Pattern[str]:
    return re.compile(
        expression.removesuffix("$") + r"\Z" if expression.endswith("$") else expression
    )
