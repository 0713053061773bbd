"""Writes and reads log lines in the layout of Kafka's log4j.

It is `[%d] %p %m (%c:%L)%n`, or `[%d] %p %m (%c)%n` without the line number; times are in UTC.

    [2026-11-21 01:58:27,954] DEBUG Initiating connection to node ...
    (org.apache.kafka.clients.NetworkClient:944)

A message may have several lines: it ends where a line ends in ` (logger:line)`. What follows, up to
the next line that starts with a time and a level, is the stack trace of the row's exception.
`parse(text_of(row)) == row` for every row whose message holds no such end and no such start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR")

HEAD = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\] (TRACE|DEBUG|INFO|WARN|ERROR) ?")
TAIL = re.compile(r" \(([\w.$]+)(?::(\d+))?\)$")
PREFIX = re.compile(r"\[(?:Consumer|Producer|AdminClient|ShareConsumer) [^\]]*\] ")


@dataclass(frozen=True, slots=True)
class Row:
    """One line, typed. `at_ms` is epoch milliseconds; `line` is None in the layout without %L;
    `trace` has no last line break."""

    at_ms: int
    level: str
    message: str
    logger: str
    line: int | None = None
    trace: str | None = None

    @property
    def text(self) -> str:
        """The message without `[Consumer clientId=c, groupId=g] ` or its like."""
        return (
            PREFIX.sub("", self.message, count=1) if self.message.startswith("[") else self.message
        )

    @property
    def logger_name(self) -> str:
        """The class without its package."""
        return self.logger.rsplit(".", 1)[-1]


def text_of(row: Row) -> str:
    """The row as log4j writes it, line break and stack trace included."""
    place = row.logger if row.line is None else f"{row.logger}:{row.line}"
    text = f"[{time_text(row.at_ms)}] {row.level} {row.message} ({place})\n"
    return text if row.trace is None else f"{text}{row.trace}\n"


def parse(text: str) -> Row:
    """The one row that `text` holds. Raises ValueError where it holds none, or more."""
    foreign: list[str] = []
    rows = list(rows_of(text.removesuffix("\n").split("\n"), foreign))
    if len(rows) != 1 or foreign:
        raise ValueError(f"not one line of the layout: {text!r}")
    return rows[0]


def read(path: Path | str, foreign: list[str] | None = None) -> Iterator[Row]:
    """The rows of a file, plain or .gz; see rows_of."""
    import gzip  # Here and not above, so that `import kafkalab` stays light.

    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
        yield from rows_of(lines, foreign)


def rows_of(lines: Iterable[str], foreign: list[str] | None = None) -> Iterator[Row]:
    """Typed rows of lines of text. Text before the first head, and messages that never end,
    go to `foreign` if it is given."""
    foreign = [] if foreign is None else foreign
    head: re.Match[str] | None = None
    message: list[str] = []
    place: tuple[str, int | None] | None = None
    trace: list[str] = []
    for raw in lines:
        text = raw.rstrip("\n")
        found = HEAD.match(text)
        if found:
            if head is not None and place is not None:
                yield _row(head, message, place, trace)
            elif head is not None:
                foreign += [head[0] + message[0], *message[1:]]
            head, message, place, trace = found, [], None, []
            text = text[found.end() :]
        elif head is None:
            foreign.append(text)
            continue
        elif place is not None:
            trace.append(text)
            continue
        tail = TAIL.search(text)
        if tail:
            place = tail[1], int(tail[2]) if tail[2] else None
            text = text[: tail.start()]
        message.append(text)
    if head is not None and place is not None:
        yield _row(head, message, place, trace)
    elif head is not None:
        foreign += [head[0] + message[0], *message[1:]]


def _row(
    head: re.Match[str], message: list[str], place: tuple[str, int | None], trace: list[str]
) -> Row:
    at_ms = _second(head[1]) + int(head[2])
    return Row(
        at_ms, head[3], "\n".join(message), *place, trace="\n".join(trace) if trace else None
    )


def time_text(at_ms: int) -> str:
    """`2026-11-21 01:58:27,954` of epoch milliseconds, in UTC."""
    return f"{_second_text(at_ms // 1000)},{at_ms % 1000:03d}"


@lru_cache(maxsize=4096)  # The lines of one second are neighbours.
def _second_text(epoch_s: int) -> str:
    return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S")


@lru_cache(maxsize=4096)
def _second(text: str) -> int:
    at = datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    return int(at.timestamp()) * 1000
