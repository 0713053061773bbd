"""Reads the log files of real clients into the frame that the simulator's `lab.lines()` gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kafkalab.lines.layout import Row, read, text_of, time_text

if TYPE_CHECKING:
    import pandas

COLUMNS = "at_ms time client client_id level logger line message text".split()
CLIENT_ID = re.compile(
    r"^\[(?:Consumer|Producer|AdminClient|ShareConsumer) [^\]]*?clientId=([^,\]]+)"
)
SENT = re.compile(r"^Sending (\w+) .*to node ([+-]?\d+)", re.DOTALL)
"""Releases word the middle differently."""
CLIENT_LOG = """log4j.rootLogger=WARN, f
log4j.logger.org.apache.kafka=DEBUG
log4j.logger.org.apache.kafka.clients=TRACE
log4j.logger.org.apache.kafka.common.metrics=WARN
log4j.logger.org.apache.kafka.common.utils=INFO
log4j.appender.f=org.apache.log4j.FileAppender
log4j.appender.f.File={file}
log4j.appender.f.layout=org.apache.log4j.PatternLayout
log4j.appender.f.layout.ConversionPattern=[%d] %p %m (%c:%L)%n
"""
"""What a client writes: the same classes and levels as in the recordings that the simulator
follows."""


class ClientLog(NamedTuple):
    """The log file of one client."""

    client: str
    client_id: str
    path: Path


def logging_options(log: Path) -> list[str]:
    """The options of a JVM that writes a client's lines into the file `log`."""
    config = log.with_suffix(".log4j.properties")
    config.write_text(CLIENT_LOG.format(file=log), encoding="utf-8")
    return [f"-Dlog4j.configuration=file:{config}"]


def rows_in(file: ClientLog) -> Iterator[Row]:
    """The lines that a client has written so far; none where it has not begun."""
    if file.path.exists():
        yield from read(file.path)


def lines_frame(files: Iterable[ClientLog], epoch_ms: int) -> pandas.DataFrame:
    """A row for each line, in the order of time: COLUMNS."""
    from kafkalab.reading.line_table import LineTable

    rows = [
        (
            row.at_ms - epoch_ms,
            time_text(row.at_ms),
            file.client,
            _client_id(row) or file.client_id,
            row.level,
            row.logger,
            row.line,
            row.message,
            text_of(row),
        )
        for file in files
        for row in rows_in(file)
    ]
    rows.sort(key=lambda row: row[0])  # stable: each client's own order stays
    return LineTable(rows, columns=COLUMNS)


def requests_frame(files: Iterable[ClientLog], epoch_ms: int) -> pandas.DataFrame:
    """A row for each request that a client's lines tell of: at_ms, who, node_id, api. The
    simulator's `lab.table("request.sent")` has these columns, too."""
    import pandas

    rows = [
        (row.at_ms - epoch_ms, file.client, found[2], found[1])
        for file in files
        for row in rows_in(file)
        if (found := SENT.match(row.text))
    ]
    rows.sort(key=lambda row: row[0])
    return pandas.DataFrame(rows, columns=["at_ms", "who", "node_id", "api"])


def _client_id(row: Row) -> str | None:
    found = CLIENT_ID.match(row.message)
    return found[1] if found else None
