"""Judges by the first lines of each file whether a log was understood, for all commands and Spark.

A narrow question looks at few lines (question.py). Where the layout is wrong it finds none, and an
empty answer would be wrong without a word. `read` and `explain` count all lines as well
(LineCounts), and hold them to the same limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets import schema
from kafkalab.logsets.block import Block
from kafkalab.logsets.files import LogFile, beginning
from kafkalab.logsets.layout_block import LaidOutBlock
from kafkalab.logsets.layouts import OPENING, ZONE_FORM, ZONES_APART, Clock
from kafkalab.logsets.ranges import Range, text_expected
from kafkalab.logsets.record_batches import how_written, record_batch_of
from kafkalab.logsets.templates import by_logger, classes_of_clients
from kafkalab.logsets.wrapped_lines import JSON, RECORDS, unwrapped

WHOLE = 0.99  # The share of records that must be whole.
ENOUGH = 0.9  # The share of lines that must be read for a log to be understood.
FEW = 10  # So few lines tell nothing about a layout.
MANY = 50  # So many lines do not all have one time.
# Where all of the first lines have one time, or few are in the catalogue, so many bytes are looked
# at.
FIRST_BYTES, MORE_BYTES, MUCH = 1 << 16, 1 << 20, 8 << 20
NARROW_LOOK = 4 << 20  # The bytes of all files together that a narrow question has judged.
# A client's prefix. Where it is inside of messages, they begin at another place.
PREFIX = r"\[(Consumer|Producer|AdminClient|ShareConsumer) [^\]]*clientId="
MOST_FILES, FEW_FILES = 50, 4
TURNED = {"newest first", "document"}  # Wrappings of which the first bytes may be the last records.
COLUMNS = ("time", "client_id", "logger", "event", "message", "problem")
# How Kafka's parts name themselves before a message: `[Consumer clientId=c, …] `. Where no class is
# there and the catalogue knows no such line, its letters were misread.
NAMED = r"^\[\w+ \w+=[^\]]*\] "
RELEASES = "the release is none of 2.1 to 4.4"


@dataclass(frozen=True)
class LineCounts:
    """How many lines of a log were understood.

    lines, read   rows, and those of them without a problem
    known         read rows that the catalogue knows
    of_clients, unknown   read rows of Kafka's clients, and those the catalogue does not know
    of_others, unknown_of_others   likewise, of the catalogue's other classes, or named as theirs
    hidden        read rows with a client's prefix inside of the message, so that it begins there,
                  or with a class of Kafka's at its end that is part of the layout
    damaged       rows that were cut, torn or overwritten, and pieces of such; not the first
                  and the last one of a file where a rotation or its writer may have cut them
    of_kafka      read rows of any class of Kafka's, also of those that the catalogue does not have
    tailed        those of them that end with a level or `name=value`, as few of Kafka's messages do
    """

    lines: int = 0
    read: int = 0
    known: int = 0
    of_clients: int = 0
    unknown: int = 0
    of_others: int = 0
    unknown_of_others: int = 0
    hidden: int = 0
    damaged: int = 0
    of_kafka: int = 0
    tailed: int = 0

    def __add__(self, other: LineCounts) -> LineCounts:
        return LineCounts(*(one + two for one, two in zip(astuple(self), astuple(other))))

    @property
    def mostly_read(self) -> bool:
        return self.read >= ENOUGH * self.lines

    @property
    def mostly_whole(self) -> bool:
        """Whether next to no record is damaged: one, or one in a hundred."""
        return self.damaged <= max(1, (1 - WHOLE) * (self.read + self.damaged))

    @property
    def unread_for_damage(self) -> bool:
        """Whether most of what could not be read is damaged, and not of another layout."""
        unread = self.lines - self.read
        return not self.mostly_whole and self.read > unread and 2 * self.damaged > unread

    @property
    def misplaced(self) -> bool:
        """Whether messages begin or end elsewhere than this layout says."""
        hidden = self.hidden > (1 - ENOUGH) * (self.hidden + self.of_clients + self.of_others)
        return hidden or (self.tailed >= FEW and self.tailed > ENOUGH * self.of_kafka)

    @property
    def foreign_words(self) -> bool:
        """Whether the catalogue knows too few of the clients' lines."""
        return self.unknown >= FEW and self.unknown > (1 - ENOUGH) * self.of_clients

    @property
    def foreign_words_of_others(self) -> bool:
        """Whether the catalogue knows next to none of these lines. It never has all of a
        broker's."""
        return self.of_others >= FEW and self.unknown_of_others > ENOUGH * self.of_others

    @property
    def nothing_known(self) -> bool:
        """Whether Kafka may have written none of the lines, or none was understood."""
        return self.read >= FEW and not self.known

    def why_nothing_known(self) -> str:
        """What to say where nothing is known: of Kafka's own lines, and of others."""
        if 2 * self.of_kafka > self.read:
            return (
                f"Kafka's own classes wrote the {self.read:,} lines that were read, and the "
                "catalogue holds none of their words. They are read right, and nothing is told of "
                "them."
            )
        return (
            f"none of the {self.read:,} lines that were read is in the catalogue of Kafka's "
            "lines. Another program wrote them, or the layout is another one."
        )

    @property
    def understood(self) -> bool:
        return (
            self.mostly_read
            and self.mostly_whole
            and not (
                self.misplaced
                or self.foreign_words
                or self.foreign_words_of_others
                or self.nothing_known
            )
        )


# What a time that was not understood looks like, in the head of a line.
SOME_TIME = re.compile(r"(?<![=\w])\d[\d.:,/_+\-T]{3,}\d")
SOME_DAY = re.compile(r"\S*\d\S{0,9}[^\w\]]{0,3}$")
SOME_REST = re.compile(r"[^\s\w\])|;,\"'>}\-][\d:]+| ?'?\d{3}(?=\s)")
SOME_DATE = re.compile(
    r"(?<![\w.\-])(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d[-/.]\d{2,4})(?![\w.])"
)
# Names of several zones, words that may be one, and places: which one is meant cannot be told, or
# is not read. Likewise a zone in brackets, or before the time.
SOME_ZONE = re.compile(
    rf" ?(?:[(\[](?!(?:UTC|GMT|Z|[+-]00:?00)[)\]])(?:{ZONE_FORM})[)\]]"
    r"|[(\[]?(?:IST|CST|BST|AST|AMT|GST|SST|ART|CAT|EAT|WAT|WIT|ICT|PHT|HST|NST|CLT|COT|PET|IDT"
    r"|ACST|ACDT|YEKT|[A-Z][a-z]+/[A-Z][\w/]+)\b[)\]]?)"
)
ZONE_BEFORE = re.compile(r"(?<![\w.:\-])[+-](?:0\d|1[0-4]):?[0134][05]\W{1,3}$")
SOME_JSON = re.compile(rb'[\s\[]*\{\s*"')
START_MS = r"^Kafka startTimeMs: (?P<ms>\d{13})$"


def doubts(files: list[LogFile], layout: str | None = None, narrow: bool = False) -> Iterator[str]:
    """A sentence for each file whose first lines are not understood, of the first MOST_FILES.

    narrow: nothing else looks at all lines, so more of them are judged: all of a small log.
    """
    total = LineCounts()
    doubted = False
    size = FIRST_BYTES
    if narrow:
        small = text_expected(files) <= NARROW_LOOK
        size = NARROW_LOOK if small else max(size, NARROW_LOOK // len(files))
    for file in files[:MOST_FILES]:
        counts, said = _judged(file, layout, size)
        total += counts
        if said:
            doubted = True
            yield said
    if doubted or total.understood:
        return
    if total.nothing_known:
        more = (batch for file in files[:FEW_FILES] for batch in _batches(file, layout, MUCH))
        total = next((found for batch in more if (found := counts_of(batch)).known), total)
    elif total.foreign_words_of_others:  # a broker's first minute has few lines that are known
        more = (batch for file in files[:FEW_FILES] for batch in _batches(file, layout, MORE_BYTES))
        total = sum(map(counts_of, more), LineCounts())
    names = ", ".join(file.name for file in files[:2]) + (", …" if len(files) > 2 else "")
    if not total.mostly_whole:
        yield f"{names}: {damaged_text(total)}"
    elif total.nothing_known:
        yield f"{names}: {total.why_nothing_known()}"
    elif total.foreign_words_of_others:
        yield (
            f"{names}: {total.unknown_of_others:,} of the first {total.of_others:,} lines of "
            f"Kafka's classes are not in the catalogue. The layout is another one, or {RELEASES}."
        )


@lru_cache(maxsize=256)
def _judged(file: LogFile, layout: str | None, size: int) -> tuple[LineCounts, str | None]:
    """The counts of the lines in a file's first bytes, and what is wrong with them."""
    blocks = list(_blocks(file, layout, size))
    batches = [record_batch_of(block, COLUMNS) for block in blocks]
    counts = sum(map(counts_of, batches), LineCounts())
    what = _wrong(file, layout, blocks, batches, counts)
    return counts, f"{file.name}: {what}" if what else None


def _wrong(
    file: LogFile,
    layout: str | None,
    blocks: list[Block],
    batches: list[pa.RecordBatch],
    counts: LineCounts,
) -> str | None:
    remedy = remedy_for(how_written(file, layout)[1])
    for block in blocks:
        if isinstance(block, LaidOutBlock) and (text := _unread_time(block)):
            return f"its times are not read in full, see {text!r}. {remedy}"
    if counts.unread_for_damage:
        return damaged_text(counts)
    if not counts.mostly_read:
        return (
            f"{counts.lines - counts.read:,} of its first {counts.lines:,} lines cannot be read. "
            f"{remedy}"
        )
    if not counts.mostly_whole:
        return damaged_text(counts)
    if counts.misplaced:
        return f"the messages begin at another place than was found, or end at another. {remedy}"
    if counts.foreign_words:
        return (
            f"{counts.unknown:,} of its first {counts.of_clients:,} lines of Kafka's clients are "
            f"not in the catalogue. The layout is another one, or {RELEASES}. {remedy}"
        )
    if _stands_still(batches):
        more = list(_batches(file, layout, MORE_BYTES, ("time",)))
        if _stands_still(more):
            time = pc.drop_null(more[0]["time"])[0].as_py()
            return (
                f"nearly all of its lines have one time, {time:%Y-%m-%d %H:%M:%S}. It is another "
                "time than that of the lines."
            )
    if text := _started_at_another_time(batches):
        return f"its times are misread: {text}. {remedy}"
    return None


def damaged_text(counts: LineCounts) -> str:
    """What to say where too many records are damaged."""
    return (
        f"{counts.damaged:,} of {counts.read + counts.damaged:,} records are cut, torn, "
        "overwritten, struck out or not UTF-8, and what they told is missing here. Get the log "
        "again from where it was written; `iconv -f CP1252 -t UTF-8` mends letters."
    )


def remedy_for(wrapping: tuple[str, ...], text: bytes = b"") -> str:
    """What helps where lines are misread: a pattern says nothing about records. text: the first
    bytes, where these tell."""
    kind = next((RECORDS[name] for name in wrapping if name in RECORDS), None)
    kind = kind or (RECORDS[JSON] if SOME_JSON.match(text) else None)
    return (
        f"They are {kind}: keep the time, the level, the class and the message in fields of "
        "their own, or read the log that they were made of."
        if kind
        else "--layout names the log's pattern."
    )


def _batches(
    file: LogFile, layout: str | None, size: int, names: tuple[str, ...] = COLUMNS
) -> Iterator[pa.RecordBatch]:
    return (record_batch_of(block, names) for block in _blocks(file, layout, size))


def _stands_still(batches: list[pa.RecordBatch]) -> bool:
    times = pa.chunked_array([batch["time"] for batch in batches], pa.timestamp("us", tz="UTC"))
    times = pc.drop_null(times)
    if len(times) < MANY:
        return False
    most = pc.max(pc.struct_field(pc.value_counts(times), "counts")).as_py()
    return most > ENOUGH * len(times)


def _started_at_another_time(batches: list[pa.RecordBatch]) -> str | None:
    """What a client's line says of its start, where the time of that line is another one."""
    for batch in batches:
        found = pc.extract_regex(pc.fill_null(batch["message"], ""), START_MS)
        for row in pc.drop_null(pc.indices_nonzero(pc.is_valid(found))).to_pylist():
            time = batch["time"][row].as_py()
            said = datetime.fromtimestamp(int(found[row].as_py()["ms"]) / 1000, UTC)
            if time is not None and time.year > 1970 and abs(time - said) > ZONES_APART:
                return (
                    f"a client says that it started at {said:%Y-%m-%d %H:%M:%S}, in a line with "
                    f"the time {time:%Y-%m-%d %H:%M:%S}"
                )
    return None


def counts_of(rows: pa.RecordBatch) -> LineCounts:
    """The counts of a batch with the columns COLUMNS."""
    read = rows.filter(pc.is_null(rows["problem"]))
    of_client = pc.or_(
        pc.is_valid(read["client_id"]), pc.is_in(read["logger"], pa.array(classes_of_clients()))
    )
    nameless = pc.and_(pc.is_null(read["logger"]), pc.match_substring_regex(read["message"], NAMED))
    of_other = pc.and_not(
        pc.or_(pc.is_in(read["logger"], pa.array(list(by_logger()))), nameless), of_client
    )
    unknown = pc.is_null(read["event"])
    inside = pc.and_(
        pc.is_null(read["client_id"]), pc.match_substring_regex(read["message"], PREFIX)
    )
    unnamed = pc.and_(
        pc.is_null(read["logger"]), pc.match_substring_regex(read["message"], schema.CLASS_AT_END)
    )
    of_kafka = pc.fill_null(pc.match_substring_regex(read["logger"], schema.OWN_CLASS), False)
    ends = pc.is_in(pa.array(range(rows.num_rows)), pa.array([0, rows.num_rows - 1]))
    torn = pc.or_(  # which no rotation does
        pc.fill_null(pc.equal(rows["problem"], schema.TORN), False),
        pc.match_substring_regex(rows["message"], schema.HOLE),
    )
    unread = rows.filter(pc.and_(pc.is_valid(rows["problem"]), pc.or_(pc.invert(ends), torn)))
    damaged = pc.or_(
        pc.not_equal(unread["problem"], schema.FOREIGN),
        pc.match_substring_regex(unread["message"], schema.DAMAGED_LINE),
    )
    return LineCounts(
        rows.num_rows,
        read.num_rows,
        read.num_rows - read["event"].null_count,
        *(
            pc.sum(mask).as_py() or 0
            for mask in (
                of_client,
                pc.and_(of_client, unknown),
                of_other,
                pc.and_(of_other, unknown),
                pc.or_(inside, unnamed),
                damaged,
                of_kafka,
                pc.and_(of_kafka, pc.match_substring_regex(read["message"], schema.CONTEXT_AT_END)),
            )
        ),
    )


def _unread_time(block: LaidOutBlock) -> str | None:
    """An example of a time of which a part is passed over; None where there is none."""
    heads = block.heads_of_rows()
    found = [text for head, time in heads if (text := _passed_over(head, time, block.layout.clock))]
    dated = bool(found and (block.layout.clock or SOME_DATE.search(found[0])))
    return found[0] if (dated or len(set(found)) > 1) and 2 * len(found) > len(heads) > 1 else None


def _passed_over(head: str, time: str, clock: Clock | None) -> str | None:
    if clock is None:
        if day := SOME_DATE.search(head):
            return head[day.start() :].split(" [")[0]
        return " ".join(SOME_TIME.findall(head)) or None
    before, _, after = head.partition(time)
    if rest := SOME_REST.match(after) or SOME_ZONE.match(after):
        return time + rest[0]
    if zone := ZONE_BEFORE.search(before):
        return zone[0] + time
    if not clock.dated and (day := SOME_DAY.search(before)):
        return day[0] + time
    if not clock.dated and (day := SOME_DATE.search(before) or SOME_DATE.search(after)):
        return f"{day[0]} {time}"
    return None


def _blocks(file: LogFile, layout: str | None, size: int) -> Iterator[Block]:
    found, wrapping, others = how_written(file, layout)
    texts: dict[str, list[bytes]] = {}
    first = beginning(file, size)
    for _, line, source in unwrapped([first], wrapping):
        texts.setdefault(source, []).append(line)
    for text in map(b"\n".join, texts.values()):
        # What is left of a line may be cut here, or, where this is all of the file, by its writer.
        whole = text if len(first) < size else text[: text.rfind(b"\n") + 1] or text
        # The newest records come first: so a piece may begin amid one.
        if not TURNED.isdisjoint(wrapping) and (begin := OPENING.search(whole)):
            whole = whole[begin.start() :]
        yield from Range(file.name, 0, None, found, others=others).read(whole, 0, None)
