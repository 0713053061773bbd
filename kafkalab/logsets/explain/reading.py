"""Says how much of a log could be read, before anything is said about what it tells.

A report on lines that were misread is worse than none. So the share that was read comes first, with
the commonest shapes of what was not, and what the log's levels cannot show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.logsets.engine import F
from kafkalab.logsets.first_lines import ENOUGH, PREFIX
from kafkalab.logsets.templates import classes_of_clients

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SHAPES = 3
SHAPE_LETTERS = 60
NAMED_FILES = 5
FEW = 10  # So few lines of clients tell nothing about a layout.


@dataclass(frozen=True)
class LinesRead:
    """What could be read of a log.

    lines, read   rows of the log, and those of them without a problem
    shapes        of what could not be read the commonest: count, example, problem
    debug         whether there are DEBUG or TRACE lines: only they show sockets and requests
    dated         whether the layout has a date; without one times count from 1970-01-01
    timed         whether any line has a time
    doubts        sentences on files whose times are not read in full
    leveled       read lines with a level
    known         read lines that the catalogue knows
    unread_files  files of which no line could be read
    left_out      files in the folders and archives whose names are no logs'
    hidden        read lines with a client's prefix inside of the message, so that it begins there
    of_clients, unknown   read lines with a client's prefix, and those the catalogue does not know
    """

    lines: int
    read: int
    shapes: tuple[tuple[int, str, str], ...]
    debug: bool
    dated: bool
    unread_files: tuple[str, ...]
    left_out: tuple[str, ...]
    hidden: int = 0
    of_clients: int = 0
    unknown: int = 0
    timed: bool = True
    doubts: tuple[str, ...] = ()
    leveled: int = 0
    known: int = 0

    @property
    def enough(self) -> bool:
        doubtful = self.misplaced or self.foreign_words or self.nothing_known or self.doubts
        return self._mostly_read and not doubtful

    @property
    def nothing_known(self) -> bool:
        """Whether Kafka may have written none of the lines, or none was understood."""
        return self.read >= FEW and not self.known

    @property
    def _mostly_read(self) -> bool:
        return self.read >= ENOUGH * self.lines

    @property
    def misplaced(self) -> bool:
        """Whether messages begin elsewhere than this layout says."""
        return self.hidden > (1 - ENOUGH) * (self.hidden + self.of_clients)

    @property
    def foreign_words(self) -> bool:
        """Whether the catalogue knows too few of the clients' lines."""
        return self.of_clients >= FEW and self.unknown > (1 - ENOUGH) * self.of_clients

    def sentences(self) -> Iterator[str]:
        """What a reader has to know before the report; nothing where all was read."""
        unread = self.lines - self.read
        if unread:
            warning = "" if self._mostly_read else "Do not trust this report: "
            yield (
                f"{warning}{unread:,} of {self.lines:,} lines ({unread / self.lines:.0%}) could "
                "not be read. --layout names the log's pattern. The commonest:"
            )
            for count, example, problem in self.shapes:
                yield f"  {count:,} × {example!r} ({problem})"
        if self.misplaced:
            yield (
                f"Do not trust this report: in {self.hidden:,} lines the message begins at another "
                "place than was found. --layout names the log's pattern."
            )
        elif self.foreign_words:
            yield (
                f"Do not trust this report: {self.unknown:,} of {self.of_clients:,} lines of Kafka "
                "clients are not in the catalogue. The layout is another one, and --layout names "
                "it, or the release is none of 2.1 to 4.4."
            )
        if self.nothing_known and not self.misplaced and not self.foreign_words:
            yield (
                f"None of the {self.read:,} lines that were read is in the catalogue of Kafka's "
                "lines: no client or broker wrote them, or the layout is another one."
            )
        for doubt in self.doubts[:NAMED_FILES]:
            yield f"Do not trust the times in this report. {doubt}"
        for name in self.unread_files[:NAMED_FILES]:
            yield f"No line of {name} could be read."
        if self.left_out:
            more = len(self.left_out) - NAMED_FILES
            yield (
                f"Not read, for the name is no log's: {', '.join(self.left_out[:NAMED_FILES])}"
                + (f" and {more} more." if more > 0 else ".")
            )
        if self.leveled < ENOUGH * self.read:
            yield (
                f"{self.read - self.leveled:,} of the lines that were read have no level that is "
                "known: warnings and errors among them are not told apart."
            )
        if self.read and not self.timed and not self.doubts:
            yield (
                "The lines have no time: nothing can be said of how long anything took, and what "
                "is told by order may be wrong."
            )
        elif self.read and self.timed and not self.dated:
            yield "The lines have no year, or no date: their times count from 1970-01-01."
        if self.leveled and not self.debug:
            yield (
                "There are no DEBUG lines: sockets, requests, heartbeats and fetches are not "
                "visible here."
            )

    def nothing_odd(self) -> str:
        """What to say where nothing is odd: only what the lines that were read can show."""
        if not self.read:
            return "Nothing can be said: no line could be read."
        if self.misplaced or self.foreign_words or self.nothing_known:
            return "Nothing can be said: the lines were not understood."
        what = (
            "no lost connections, no refused commits, no eviction"
            if self.debug
            else "no refused commits, no eviction"
        )
        of = "" if self.read == self.lines else f" in the {self.read:,} lines that were read"
        return f"Nothing odd{of}: {what}."


def reading_of(
    lines: DataFrame,
    left_out: list[str],
    as_written: DataFrame | None = None,
    doubts: Iterable[str] = (),
) -> LinesRead:
    """Count what could be read of these lines (all columns of schema.py).

    as_written: the lines with the client of their own prefix only. doubts: what their first lines
    tell (first_lines.py).
    """
    as_written = lines if as_written is None else as_written
    read = F.col("problem").isNull()
    own = read & (F.col("client_id").isNotNull() | F.col("logger").isin(*classes_of_clients()))
    counted = as_written.agg(
        F.count("*").alias("lines"),
        F.count_if(read).alias("read"),
        F.count_if(read & F.col("level").isin("DEBUG", "TRACE")).alias("debug"),
        F.count_if(read & F.col("level").isNotNull()).alias("leveled"),
        F.max("time").alias("last"),
        F.count_if(own).alias("of_clients"),
        F.count_if(read & F.col("event").isNotNull()).alias("known"),
        F.count_if(own & F.col("event").isNull()).alias("unknown"),
        F.count_if(read & F.col("client_id").isNull() & F.col("message").rlike(PREFIX)).alias(
            "hidden"
        ),
    ).collect()[0]
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
        lines=counted["lines"],
        read=counted["read"],
        shapes=tuple(shapes),
        debug=counted["debug"] > 0,
        dated=last is None or last.year > 1970,
        timed=last is not None,
        unread_files=tuple(unread_files),
        left_out=tuple(left_out),
        hidden=counted["hidden"],
        of_clients=counted["of_clients"],
        unknown=counted["unknown"],
        doubts=tuple(doubts),
        leveled=counted["leveled"],
        known=counted["known"],
    )
