"""Which statement of the Java client wrote this message, and what did it put into the gaps? Asked for all lines of a block at once.

Everything known about wording comes from kafkalab.lines.catalog; here its templates are turned into something fast. A message's
first bytes and last bytes are compared with those of the templates of its logger as a few 64-bit numbers, which decides nearly all
lines. Where two templates fit (`Found least loaded node {node}` and `… {node} connected with …`) the whole template decides, as a
regular expression. The gaps are then read with one regular expression for each template, only on its own lines, and only up to the
last gap we have a column for.
"""
import re
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets import schema

HEAD_WORDS, TAIL_WORDS = 4, 2  # 64-bit words of a message that are compared
EXCERPT = 240  # Gaps we have columns for mostly end within; the rest is read again in full.

NODE = r"(?P<host>[^ ]*):(?P<port>-?\d+) \(id: (?P<node_id>[-+]?\d+) rack: [^)]*\)"
HEADER = r"RequestHeader\(apiKey=(?P<api>\w+), apiVersion=(?P<api_version>-?\d+), clientId=.*?, correlationId=(?P<correlation_id>-?\d+)[^)]*\)"
ANYTHING = "(?s:.*?)"
# What a placeholder's text looks like, for those that fill a column. Others may hold anything.
GAPS = {
    "node": NODE,
    "node_id": r"(?P<node_id>[-+]?\d+)",
    "header": HEADER,
    "api": r"(?P<api>[A-Z]\w*)",
    "api_version": r"(?P<api_version>-?\d+)",
    "correlation_id": r"(?P<correlation_id>-?\d+)",
    "host": r"(?P<host>[^ /]*)",
    "port": r"(?P<port>-?\d+)",
    "topic": r"(?P<topic>[\w.\-]+)",
    "partition": r"(?P<topic>[\w.\-]+)-(?P<partition>\d+)",
}
NUMBER_OF_PARTITION = r"(?P<partition>-?\d+)"  # `partition {partition} of topic {topic}`: there it is no topic-partition.
WHOLE_NUMBERS = {"port", "api_version", "correlation_id", "partition"}
FIELDS = ("node_id", "host", "port", "api", "api_version", "correlation_id", "topic", "partition")


@dataclass(frozen=True)
class Pattern:
    """One template of the catalogue, ready to be compared: literal first and last bytes, and two regular expressions."""

    event: str
    head: bytes
    tail: bytes
    whole: str
    gaps: str | None
    fields: tuple[str, ...] = field(default=())

    @property
    def weight(self) -> int:
        """How much of it is literal: of two that fit, the one that says more is right."""
        return len(self.whole.replace(ANYTHING, ""))


@lru_cache(maxsize=1)
def patterns() -> dict[str, tuple[Pattern, ...]]:
    """logger -> its patterns, the most telling first."""
    from kafkalab.lines.catalog import CATALOG

    by_logger: dict[str, set[Pattern]] = {}
    for entry in CATALOG.values():
        for wording in entry.wordings:
            if wording.twin:  # The same statement under a second name, for the writer only.
                continue
            by_logger.setdefault(wording.logger, set()).add(compile_template(entry.name, wording.template))
    return {logger: tuple(sorted(found, key=lambda p: (-p.weight, p.event, p.whole))) for logger, found in by_logger.items()}


def compile_template(event: str, template: str) -> Pattern:
    """The Pattern of `Node {node_id} disconnected.`; `{{` and `}}` stand for braces, as in str.format."""
    pieces = [piece for piece in re.split(r"(\{\{|\}\}|\{\w*\})", template) if piece]
    literals, names = [""], []
    for piece in pieces:
        if piece in ("{{", "}}"):
            literals[-1] += piece[0]
        elif piece.startswith("{") and piece.endswith("}"):
            names.append(piece[1:-1])
            literals.append("")
        else:
            literals[-1] += piece
    whole, gaps, fields, last_field = [], [], [], 0
    for place, literal in enumerate(literals):
        whole.append(re.escape(literal))
        gaps.append(re.escape(literal))
        if place < len(names):
            gap = GAPS.get(names[place], ANYTHING)
            if names[place] == "partition" and "topic" in names:
                gap = NUMBER_OF_PARTITION
            whole.append(_without_groups(gap, re.findall(r"\?P<(\w+)>", gap)))
            gap = _without_groups(gap, fields)  # `{api} request with header {header}`: the first one fills the column.
            gaps.append(gap)
            if groups := re.findall(r"\?P<(\w+)>", gap):
                fields += groups
                last_field = len(gaps)
    return Pattern(
        event,
        literals[0].encode(),
        literals[-1].encode() if names else literals[0].encode(),
        "^" + "".join(whole) + "$",
        "^" + "".join(gaps[:last_field]) if fields else None,
        tuple(fields),
    )


def _without_groups(pattern: str, names: list[str]) -> str:
    for name in names:
        pattern = pattern.replace(f"(?P<{name}>", "(?:")
    return pattern


class Recognised:
    """The events of a block's rows, and the fields of their gaps."""

    def __init__(self, block):
        self.block = block
        begin, end = block.message_span
        tail, loggers = block.tail
        self.found: list[tuple[Pattern, np.ndarray]] = []
        self.events: list[str] = []
        self.code = np.full(block.rows, -1)
        by_logger: dict[str, list[int]] = {}
        for number, (logger, _) in enumerate(loggers):
            by_logger.setdefault(logger, []).append(number)
        for logger, numbers in by_logger.items():
            candidates = patterns().get(logger, ())
            if candidates:
                rows = np.flatnonzero(np.isin(tail, numbers))
                self._recognise(candidates, rows, begin[rows], end[rows])

    def _recognise(self, candidates, rows, begin, end) -> None:
        words = _words(self.block.bytes)
        length = end - begin
        heads = [words[np.minimum(begin + 8 * n, len(words) - 1)] for n in range(HEAD_WORDS)]
        tails = [words[np.maximum(end - 8 * (n + 1), 0)] for n in range(TAIL_WORDS)]
        fits = [_starts_with(p.head, heads, length) & _ends_with(p.tail, tails, length) for p in candidates]
        how_many = np.sum(fits, axis=0)
        taken = np.zeros(len(rows), bool)
        for pattern, mask in zip(candidates, fits):
            certain = mask & (how_many == 1) & (len(pattern.head) + len(pattern.tail) >= 8)
            unsure = np.flatnonzero(mask & ~certain & ~taken)
            if len(unsure):
                texts = self.block.texts(begin[unsure], end[unsure])
                matches = pc.match_substring_regex(texts, pattern.whole).to_numpy(zero_copy_only=False)
                certain[unsure[matches.astype(bool)]] = True
            certain &= ~taken
            taken |= certain
            chosen = rows[certain]
            if len(chosen):
                self.code[chosen] = len(self.events)
                self.events.append(pattern.event)
                self.found.append((pattern, chosen))

    @property
    def event(self) -> pa.Array:
        return pa.array(self.events, pa.string()).take(pa.array(self.code, mask=self.code < 0))

    def fields(self, wanted: set[str]) -> dict[str, pa.Array]:
        """The wanted ones of FIELDS, each a column of the block."""
        begin, end = self.block.message_span
        pieces: dict[str, list[tuple[np.ndarray, pa.Array]]] = {name: [] for name in wanted}
        for pattern, rows in self.found:
            if wanted & set(pattern.fields):
                values = _extract(self.block, pattern.gaps, begin[rows], end[rows])
                for name in wanted & set(pattern.fields):
                    pieces[name].append((rows, pc.struct_field(values, name)))
        return {name: self._column(name, found) for name, found in pieces.items()}

    def _column(self, name: str, pieces) -> pa.Array:
        kind = pa.int32() if name in WHOLE_NUMBERS else pa.string()
        if not pieces:
            return pa.nulls(self.block.rows, kind)
        place = np.full(self.block.rows, -1)
        rows = np.concatenate([rows for rows, _ in pieces])
        place[rows] = np.arange(len(rows))
        values = pa.concat_arrays([values for _, values in pieces])
        if name in WHOLE_NUMBERS:
            values = pc.cast(values, pa.int32())
        return values.take(pa.array(place, mask=place < 0))


def broker_of(node_id: pa.Array) -> pa.Array:
    """The broker behind each node id: `2` and `+2` and 2147483645 are broker 2, bootstrap servers (-1, -2, …) are no broker yet."""
    nodes = node_id.dictionary_encode()
    brokers = pa.array([decode_broker(text) for text in nodes.dictionary.to_pylist()], pa.int32())
    return brokers.take(nodes.indices)


def decode_broker(node_id: str) -> int | None:
    """As `broker_of`, for one text."""
    number = int(node_id)
    if number < 0:
        return None
    return schema.COORDINATOR_ID_BASE - number if number > schema.COORDINATOR_ID_LOWEST else number


def _extract(block, pattern: str, begin, end) -> pa.Array:
    """The named groups of each span; read from an excerpt first, because a long answer needs no second look beyond its header."""
    values = pc.extract_regex(block.texts(begin, np.minimum(end, begin + EXCERPT)), pattern)
    again = np.flatnonzero(pc.is_null(values).to_numpy(zero_copy_only=False) & (end > begin + EXCERPT))
    if not len(again):
        return values
    place = np.arange(len(begin))
    place[again] = len(begin) + np.arange(len(again))
    return pa.concat_arrays([values, pc.extract_regex(block.texts(begin[again], end[again]), pattern)]).take(pa.array(place))


def _words(data: np.ndarray) -> np.ndarray:
    """At each position the eight bytes that start there, as one number."""
    return np.ndarray((len(data) - 7,), "<u8", data.data, 0, (1,))


def _starts_with(literal: bytes, heads: list[np.ndarray], length: np.ndarray) -> np.ndarray:
    literal = literal[: 8 * HEAD_WORDS]
    fits = length >= len(literal)
    for number in range((len(literal) + 7) // 8):
        part = literal[8 * number : 8 * number + 8]
        mask = np.uint64(int.from_bytes(b"\xff" * len(part), "little"))
        fits &= (heads[number] & mask) == np.uint64(int.from_bytes(part, "little"))
    return fits


def _ends_with(literal: bytes, tails: list[np.ndarray], length: np.ndarray) -> np.ndarray:
    literal = literal[-8 * TAIL_WORDS :]
    fits = length >= len(literal)
    for number in range((len(literal) + 7) // 8):
        part = literal[max(0, len(literal) - 8 * number - 8) : len(literal) - 8 * number]
        empty = 8 - len(part)
        mask = np.uint64(int.from_bytes(b"\0" * empty + b"\xff" * len(part), "little"))
        fits &= (tails[number] & mask) == np.uint64(int.from_bytes(b"\0" * empty + part, "little"))
    return fits
