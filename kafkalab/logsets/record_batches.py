"""Makes Arrow record batches of blocks of lines.

Both readers of the data source `kafkalab` use it: the one for files that stand (source.py), and the
one for files that grow (stream_reader.py). So does the loader of small logs (line_loader.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets import layouts, recognition, schema, templates
from kafkalab.logsets.block import LEVELS, Block, as_mask
from kafkalab.logsets.files import LogFile, beginning
from kafkalab.logsets.infer_layout import guess, known_lines
from kafkalab.logsets.learned_frames import frame_before_times
from kafkalab.logsets.question import LineQuestion
from kafkalab.logsets.wrapped_lines import JSON, JSON_LAYOUT, inner_text, timed, wrapping_of

SHORTEST_CUT, LEAST_CUT, ENDING = 60, 3, 8
LONG = 1000  # Bytes of a row that may hold several records.
MOST_DAMAGED = 0.5  # The share of records that damage changes without a sign of its own.
# What rows are not trusted to say that hold parts of two records.
MIXED = (schema.TORN, schema.DAMAGED)
OF_ONE_RECORD = {"event", "kind", "client_id", "group_id", "broker", *templates.FIELDS}
KAFKAS = ("kafka.", "org.apache.kafka.")
# A tool's mark for what it cut off: `...TRUNCATED...`, ` [truncated]`.
SHORTENED = r"(?:\.\.\.|[\[<(])(?:truncated|TRUNCATED)(?:\.\.\.|[\]>)])$"
# What no line of a stack trace holds: the begin of a record, behind what a tool put before it.
RECORD_WITHIN = (
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{3}[^\n]{0,80}"
    rf"\b(?:{'|'.join(LEVELS)})\b"
)
# A client's prefix that ends too early.
PART_OF_PREFIX = r"^\[(?:Consumer|Producer|AdminClient|ShareConsumer) [^\]]*$"
# A row with a client's settings, and the name of each. A client prints each once, in one record.
DUMP, VALUES = r"\n[\t ]+[\w.\-]+ =(?:\s|$)| values:\s*$", " values:"
SETTING = re.compile(r"\n[\t ]+([\w.\-]+) =(?:\s|$)")
LOOKED_AT = 8  # So many rows of each template show whether lines were cut.
# A client on so few rows may be a usual one whose name is damaged.
SELDOM, USUAL, ALIKE, MOST_USUAL = 2, 10, 0.7, 20


@lru_cache(maxsize=1 << 10)
def how_written(file: LogFile, layout: str | None = None) -> tuple[str, tuple[str, ...], bool]:
    """The layout of a file's lines, what they are wrapped in, and whether other layouts are looked
    for, by its first lines.

    layout: the one that was asked for: then no other is. Records of JSON have their own.
    """
    return written_as(beginning(file), layout)


def written_as(first: bytes, layout: str | None = None) -> tuple[str, tuple[str, ...], bool]:
    """As how_written, of a file's first bytes."""
    wrapping = wrapping_of(first)
    if JSON in wrapping:
        return JSON_LAYOUT, wrapping, layout is None
    if layout is not None:
        return layout, wrapping, False
    text = inner_text(first, wrapping)
    found = guess(text)
    if frame := frame_before_times(text.splitlines()):
        within = inner_text(first, (*wrapping, frame))
        other = guess(within)
        known, of_found = known_lines(other, within), known_lines(found, text)
        is_usual = other in layouts.USUAL and found not in layouts.USUAL
        if known > of_found or (is_usual and known == of_found > 0):
            found, wrapping = other, (*wrapping, frame)
    around = timed(wrapping, found)
    return (*around, True) if around else (found, wrapping, True)


def _problem(block: Block, known: recognition.Recognised | None) -> pa.Array:
    """Why each row cannot be trusted. To the block's own reasons come lines that were cut, and
    those in which another record begins."""
    known = known or recognition.Recognised(block)
    problem = block.problem
    if block.may_be_torn:
        torn = pc.or_(
            pc.match_substring_regex(block.message, block.opening),
            pc.fill_null(pc.match_substring_regex(block.trace, RECORD_WITHIN), False),
        )
        torn = pc.and_(torn, pc.and_(pc.is_null(problem), pa.array(_wrote_kafka(block))))
        problem = pc.if_else(torn, schema.TORN, problem)
    mixed = _has_mixed_settings(block) & ~as_mask(pc.equal(problem, schema.FOREIGN))
    problem = pc.if_else(pa.array(mixed | _holds_records(block)), schema.TORN, problem)
    cut = pc.and_(pa.array(_is_cut(block, known) | _is_shortened(block)), pc.is_null(problem))
    problem = pc.if_else(cut, schema.CUT, problem)
    unknown = _unknown_of_clients(block, known) | _has_part_of_prefix(block)
    damaged = _is_damaged(block, problem) or _are_cut_short(block, unknown).any()
    if not damaged and known.is_whole(LOOKED_AT).all():
        return problem
    doubtful = unknown | ~known.is_whole() | _has_odd_client(block)
    doubtful &= as_mask(pc.is_null(problem))
    if np.count_nonzero(doubtful) > MOST_DAMAGED * block.rows:
        return problem  # the layout is another one
    return pc.if_else(pa.array(doubtful), schema.DAMAGED, problem)


def _holds_records(block: Block) -> np.ndarray:
    """Which long rows hold several records of Kafka's own layout, which some tool has joined."""
    found = np.zeros(block.rows, bool)
    rows = np.flatnonzero(block.end - block.start > LONG)
    texts = block.message.take(pa.array(rows))
    found[rows] = as_mask(pc.greater(pc.count_substring_regex(texts, Block.opening), 1))
    return found


def _has_mixed_settings(block: Block) -> np.ndarray:
    """Which rows have settings of another record, or lost theirs to one: two processes printed
    theirs at once. Where this is so, a dump that is shorter than others of its class is cut."""
    found = np.zeros(block.rows, bool)
    if VALUES.encode() not in block.bytes.tobytes():  # faster than a regular expression
        return found
    rows = np.flatnonzero(as_mask(pc.match_substring_regex(block.message, DUMP)))
    rows = rows[_wrote_kafka(block)[rows]]
    texts = block.message.take(pa.array(rows)).to_pylist()
    heads = [text.partition("\n")[0] for text in texts]
    names = [SETTING.findall(text) for text in texts]
    mixed = [
        VALUES not in head or len({*each}) < max(len(each), 1) for head, each in zip(heads, names)
    ]
    if any(mixed):
        most: dict[str, int] = {}
        for head, each in zip(heads, names):
            most[head] = max(most.get(head, 0), len({*each}))
        found[rows] = [
            is_mixed or len(each) < most[head] for is_mixed, head, each in zip(mixed, heads, names)
        ]
    return found


def _is_shortened(block: Block) -> np.ndarray:
    """Which rows a tool has shortened: they end in a mark of it, or several of the longest messages
    have one length and end in dots."""
    lengths = pc.fill_null(pc.utf8_length(block.message), 0).to_numpy()
    longest = lengths.max(initial=0)
    rows = np.flatnonzero(lengths == longest)
    mask = np.zeros(block.rows, bool)
    if longest >= SHORTEST_CUT and len(rows) >= LEAST_CUT:
        texts = block.message.take(pa.array(rows))
        dots = as_mask(pc.match_substring_regex(texts, r"(?:\.\.\.|…)$"))
        mask[rows] = dots & (len(texts.unique()) >= LEAST_CUT)
    text = block.bytes.tobytes()  # faster than a regular expression
    if b"truncated" in text or b"TRUNCATED" in text:
        mask |= as_mask(pc.match_substring_regex(block.message, SHORTENED))
    return mask


def _is_damaged(block: Block, problem: pa.Array) -> bool:
    """Whether the text of some record was cut, torn or overwritten. The first may begin before the
    text, and the last may go on behind it."""
    problem = problem.slice(1, max(len(problem) - 2, 0))
    foreign = pc.equal(problem, schema.FOREIGN)
    if pc.any(pc.invert(foreign)).as_py():
        return True
    loose = block.message.slice(1).take(pc.indices_nonzero(pc.fill_null(foreign, False)))
    return bool(pc.any(pc.match_substring_regex(loose, schema.PIECE)).as_py())


def _unknown_of_clients(block: Block, known: recognition.Recognised) -> np.ndarray:
    """Which rows Kafka's clients wrote in words that the catalogue does not know."""
    of_client = pc.or_(
        pc.is_valid(block.client_id),
        pc.is_in(block.logger, pa.array(templates.classes_of_clients())),
    )
    return as_mask(of_client) & (known.code < 0)


def _has_part_of_prefix(block: Block) -> np.ndarray:
    """Which rows of the clients' classes begin as their prefix does, and have none."""
    begins = pc.match_substring_regex(block.message, PART_OF_PREFIX)
    of_client = pc.is_in(block.logger, pa.array(templates.classes_of_clients()))
    return as_mask(pc.and_(of_client, begins)) & as_mask(pc.is_null(block.client_id))


def _are_cut_short(block: Block, unknown: np.ndarray) -> np.ndarray:
    """Which of the rows that are not known end within the begin of a line of their class, or within
    a client's prefix."""
    rows = pa.array(np.flatnonzero(unknown))
    texts, loggers = block.message.take(rows).to_pylist(), block.logger.take(rows).to_pylist()
    cut = [
        bool(text)
        and (
            bool(re.match(PART_OF_PREFIX, text))
            or any(
                len(text) < len(pattern.head) and pattern.head.startswith(text.encode())
                for pattern in templates.by_logger().get(logger or "", ())
            )
        )
        for text, logger in zip(texts, loggers)
    ]
    return np.array(cut, bool)


def _has_odd_client(block: Block) -> np.ndarray:
    """Which rows name a client that seldom occurs, and whose name is nearly that of a usual one."""
    coded = pc.fill_null(block.client_id, "").dictionary_encode()
    names = coded.dictionary.to_pylist()
    counts = np.bincount(coded.indices.to_numpy(), minlength=len(names)).tolist()
    usual = [name for name, count in zip(names, counts) if name and count >= USUAL][:MOST_USUAL]
    odd = [
        bool(name)
        and count <= SELDOM
        and any(SequenceMatcher(None, name, each).ratio() > ALIKE for each in usual)
        for name, count in zip(names, counts)
    ]
    return np.array(odd, bool)[coded.indices.to_numpy()]


def _wrote_kafka(block: Block) -> np.ndarray:
    """Which rows are of a class of Kafka's, or of none that is known."""
    loggers = pc.fill_null(block.logger, "").dictionary_encode()
    known = [
        not name or name.startswith(KAFKAS) or templates.is_known(name)
        for name in loggers.dictionary.to_pylist()
    ]
    return np.array(known, bool)[loggers.indices.to_numpy()] if block.rows else np.zeros(0, bool)


def _is_cut(block: Block, known: recognition.Recognised) -> np.ndarray:
    """Which rows were cut.

    Where several of the longest lines, or messages, are equally long, end in different ways, and
    are not known to the catalogue although its classes wrote them, something cut them there.
    """
    mask = np.zeros(block.rows, bool)
    if not block.rows:
        return mask
    unknown = as_mask(pc.is_null(known.event)) & _wrote_kafka(block)
    starts, ends = block.line_spans()
    row_of = np.searchsorted(block.start, starts, side="right") - 1
    of_record = (row_of >= 0) & block.head_ok[row_of]
    for begin, end, row in (
        (starts[of_record], ends[of_record], row_of[of_record]),
        (*block.message_span, np.arange(block.rows)),
    ):
        lengths = end - begin
        longest = lengths.max(initial=0)
        cut = np.flatnonzero(lengths == longest)
        if longest < SHORTEST_CUT or len(cut) < LEAST_CUT:
            continue
        endings = block.texts(end[cut] - ENDING, end[cut])
        rows = np.unique(row[cut])
        if len(endings.unique()) >= LEAST_CUT <= np.count_nonzero(unknown[rows]):
            mask[rows] = True
    return mask


def record_batches_of(
    blocks: Iterable[Block], names: Iterable[str], question: LineQuestion | None = None
) -> Iterator[pa.RecordBatch]:
    """The named columns of each block that has rows."""
    names = tuple(names)
    return (record_batch_of(block, names, question) for block in blocks if block.rows)


def record_batch_of(
    block: Block, names: Iterable[str], question: LineQuestion | None = None
) -> pa.RecordBatch:
    """The named columns of a block, in this order. question: of the rows that answer it."""
    names = tuple(names)
    known: recognition.Recognised | None = None
    fields: dict[str, pa.Array] = {}
    wanted = {name for name in names if name in templates.FIELDS} | (
        {"node_id"} if "broker" in names else set()
    )
    if wanted or "event" in names or (question and question.events):
        known = recognition.Recognised(block)
        fields = known.fields(wanted)
    problem = _problem(block, known) if "problem" in names else None
    mixed = pc.is_in(problem, pa.array(MIXED)) if problem is not None else None
    columns: list[pa.Array] = []
    for name in names:
        if name == "file":
            columns.append(pa.repeat(pa.scalar(block.file), block.rows))
        elif name == "file_offset":
            columns.append(pa.array(block.offsets, pa.int64()))
        elif name == "event":
            assert known is not None
            columns.append(known.event)
        elif name == "problem":
            columns.append(problem)
        elif name == "broker":
            columns.append(recognition.broker_of(fields["node_id"]))
        else:
            columns.append(fields[name] if name in fields else getattr(block, name))
        if name in OF_ONE_RECORD and mixed is not None and mixed.true_count:
            columns[-1] = pc.if_else(mixed, pa.scalar(None, columns[-1].type), columns[-1])
    batch = pa.RecordBatch.from_arrays(columns, names=list(names))
    mask = question.mask(block, known) if question else None
    return batch if mask is None else batch.filter(pa.array(mask))
