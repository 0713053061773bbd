"""Says how much of a log could be read, before anything is said about what it tells.

A report on lines that were misread is worse than none. So the share that was read comes first, with
the commonest shapes of what was not, and what the log's levels cannot show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.logsets import schema
from kafkalab.logsets.engine import F
from kafkalab.logsets.first_lines import ENOUGH, NAMED, PREFIX, RELEASES, LineCounts, damaged_text
from kafkalab.logsets.line_repairs import NO_REPAIRS, LineRepairs
from kafkalab.logsets.templates import by_logger, classes_of_clients

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHAPES = 3
SHAPE_LETTERS = 60
NAMED_FILES = 5


@dataclass(frozen=True)
class LinesRead:
    """What could be read of a log.

    counts        how many lines were understood
    shapes        of what could not be read the commonest: count, example, problem
    debug         whether there are DEBUG or TRACE lines: only they show sockets and requests
    dated         whether the layout has a date; without one times count from 1970-01-01
    timed         whether any line has a time
    doubts        sentences on files whose first lines are not understood (first_lines.py)
    leveled       read lines with a level
    repairs       what was put right: lines that were written twice, or mixed up
    unread_files  files of which no line could be read
    left_out      files in the folders and archives whose names are no logs'
    contradicted  sentences on clocks that were set (set_clocks.py), and on lines that are missing
                  (missing_lines.py)
    """

    counts: LineCounts
    shapes: tuple[tuple[int, str, str], ...]
    debug: bool
    dated: bool
    unread_files: tuple[str, ...]
    left_out: tuple[str, ...]
    timed: bool = True
    doubts: tuple[str, ...] = ()
    leveled: int = 0
    repairs: LineRepairs = NO_REPAIRS
    contradicted: tuple[str, ...] = ()

    @property
    def enough(self) -> bool:
        wrong = self.doubts or self.repairs.run_back or self.contradicted
        return self.counts.understood and not wrong

    def warnings(self) -> Iterator[str]:
        """Why this reading is not to be trusted; nothing where it is."""
        for doubt in self.doubts[:NAMED_FILES]:
            yield f"Do not trust this report. {doubt}"
        # What the first lines showed is said already.
        if not self.doubts and (said := self._not_understood()):
            yield f"Do not trust this report: {said}"

    def sentences(self) -> Iterator[str]:
        """What a reader has to know before the report; nothing where all was read."""
        counts = self.counts
        yield from self.warnings()
        if counts.lines > counts.read:
            yield f"{self._unread()} The commonest:"
            for count, example, problem in self.shapes:
                yield f"  {count:,} × {example!r} ({problem})"
        yield from self.repairs.sentences()
        yield from self.contradicted
        for name in self.unread_files[:NAMED_FILES]:
            yield f"No line of {name} could be read."
        if self.left_out:
            more = len(self.left_out) - NAMED_FILES
            yield (
                f"Not read, for the name is no log's: {', '.join(self.left_out[:NAMED_FILES])}"
                + (f" and {more} more." if more > 0 else ".")
            )
        if self.leveled < ENOUGH * counts.read:
            yield (
                f"{counts.read - self.leveled:,} of the lines that were read have no level that is "
                "known: warnings and errors among them are not told apart."
            )
        if counts.read and not self.timed and not self.doubts:
            yield (
                "The lines have no time: nothing can be said of how long anything took, and what "
                "is told by order may be wrong."
            )
        elif counts.read and self.timed and not self.dated:
            yield "The lines have no year, or no date: their times count from 1970-01-01."
        if self.leveled and not self.debug:
            yield (
                "There are no DEBUG lines: sockets, requests, heartbeats and fetches are not "
                "visible here."
            )

    def _unread(self) -> str:
        unread, lines = self.counts.lines - self.counts.read, self.counts.lines
        return f"{unread:,} of {lines:,} lines ({unread / lines:.0%}) could not be read."

    def _not_understood(self) -> str:
        counts = self.counts
        if counts.unread_for_damage:
            return damaged_text(counts)
        if not counts.mostly_read:
            return f"{self._unread()} --layout names the log's pattern."
        if not counts.mostly_whole:
            return damaged_text(counts)
        if counts.misplaced:
            return (
                f"in {max(counts.hidden, counts.tailed):,} lines the message begins at another "
                "place than was found, or ends at another. --layout names the log's pattern."
            )
        if counts.foreign_words or counts.foreign_words_of_others:
            who, unknown, of = (
                ("clients", counts.unknown, counts.of_clients)
                if counts.foreign_words
                else ("classes", counts.unknown_of_others, counts.of_others)
            )
            return (
                f"{unknown:,} of {of:,} lines of Kafka's {who} are not in the catalogue. The "
                f"layout is another one, and --layout names it, or {RELEASES}."
            )
        if counts.nothing_known:
            return counts.why_nothing_known()
        return ""

    def nothing_odd(self) -> str:
        """What to say where nothing is odd: only what the lines that were read can show."""
        counts = self.counts
        if not counts.read:
            return "Nothing can be said: no line could be read."
        if not self.enough:
            return "Nothing can be said: the lines were not understood."
        what = (
            "no lost connections, no refused commits, no eviction"
            if self.debug
            else "no refused commits, no eviction"
        )
        whole = counts.read == counts.lines
        of = "" if whole else f" in the {counts.read:,} lines that were read"
        return f"Nothing odd{of}: {what}."


def reading_of(
    lines: DataFrame,
    left_out: list[str],
    as_written: DataFrame | None = None,
    doubts: Iterable[str] = (),
    repairs: LineRepairs = NO_REPAIRS,
    contradicted: Iterable[str] = (),
) -> LinesRead:
    """Count what could be read of these lines (all columns of schema.py).

    as_written: the lines with the client of their own prefix only. doubts: what their first lines
    tell (first_lines.py).
    """
    as_written = lines if as_written is None else as_written
    read = F.col("problem").isNull()
    own = read & (F.col("client_id").isNotNull() | F.col("logger").isin(*classes_of_clients()))
    nameless = F.col("logger").isNull() & F.col("message").rlike(NAMED)
    of_catalog = F.coalesce(F.col("logger").isin(*by_logger()), F.lit(False))
    others = read & ~F.coalesce(own, F.lit(False)) & (of_catalog | nameless)
    damaged = F.col("problem").isNotNull() & (
        (F.col("problem") != schema.FOREIGN) | F.col("message").rlike(schema.DAMAGED_LINE)
    )
    of_an_end = (F.col("problem") != schema.TORN) & ~F.col("message").rlike(schema.HOLE)
    inside = F.col("client_id").isNull() & F.col("message").rlike(PREFIX)
    unnamed = F.col("logger").isNull() & F.col("message").rlike(schema.CLASS_AT_END)
    of_kafka = read & F.col("logger").rlike(schema.OWN_CLASS)
    counted = as_written.agg(
        F.count("*").alias("lines"),
        F.count_if(read).alias("read"),
        F.count_if(read & F.col("level").isin("DEBUG", "TRACE")).alias("debug"),
        F.count_if(read & F.col("level").isNotNull()).alias("leveled"),
        F.max("time").alias("last"),
        F.count_if(own).alias("of_clients"),
        F.count_if(read & F.col("event").isNotNull()).alias("known"),
        F.count_if(own & F.col("event").isNull()).alias("unknown"),
        F.count_if(others).alias("of_others"),
        F.count_if(others & F.col("event").isNull()).alias("unknown_of_others"),
        F.count_if(read & (inside | unnamed)).alias("hidden"),
        F.count_if(damaged).alias("damaged"),
        F.count_if(of_kafka).alias("of_kafka"),
        F.count_if(of_kafka & F.col("message").rlike(schema.CONTEXT_AT_END)).alias("tailed"),
    ).collect()[0]
    counts = {each.name: counted[each.name] for each in fields(LineCounts)}
    if counts["damaged"]:  # not those at the ends of a file
        place = F.when(damaged & of_an_end, F.col("file_offset"))
        ends = as_written.groupBy("file").agg(
            (F.max(place) == F.max("file_offset")).alias("last"),
            (F.min(place) == F.min("file_offset")).alias("first"),
        )
        counts["damaged"] -= ends.where("last").count() + ends.where("first").count()
    shapes: list = []
    unread_files: list[str] = []
    if counted["lines"] > counted["read"]:
        start = F.substring("message", 1, SHAPE_LETTERS)
        shape = F.regexp_replace(F.regexp_replace(start, r"\p{L}+", "a"), r"\d+", "0")
        found = (
            lines.where(~read)
            .groupBy(shape.alias("shape"), "problem")
            .agg(F.count("*").alias("count"), F.min(start).alias("example"))
            .orderBy(F.desc("count"), "shape")
            .limit(SHAPES)
        )
        shapes = [(row["count"], row["example"], row["problem"]) for row in found.collect()]
        files: pd.DataFrame = (
            lines.groupBy("file").agg(F.count_if(read).alias("read")).where("read = 0").toPandas()
        )
        unread_files = sorted(files["file"])
    last = counted["last"]
    return LinesRead(
        counts=LineCounts(**counts),
        shapes=tuple(shapes),
        debug=counted["debug"] > 0,
        dated=last is None or last.year > 1970,
        timed=last is not None,
        unread_files=tuple(unread_files),
        left_out=tuple(left_out),
        doubts=tuple(doubts),
        leveled=counted["leveled"],
        repairs=repairs,
        contradicted=tuple(contradicted),
    )
