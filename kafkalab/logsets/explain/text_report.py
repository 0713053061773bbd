"""Writes the report on a log as text for a terminal: clients, oddities, then the tables.

The tables are sockets, requests, rebalances and commits.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import PurePath

import numpy as np
import pandas as pd

from kafkalab.logsets.explain.log_report import LogReport
from kafkalab.logsets.explain.oddities import clock_of, printed_time
from kafkalab.logsets.explain.two_sides import speakers

ROWS = 15  # Rows of a table. The page has more.
WIDTH, INDENT = 110, "     "
SIDE, SIDE_WIDTH = 40, 180  # Where the clients' side begins, and where lines are cut.
WIDEST = 60  # The letters of a cell.
CITED = 180  # The letters of a cited line.
MARKS = {3: "!!", 2: "! ", 1: "  ", 0: "  "}


def text_report(story: LogReport) -> str:
    """The whole report as text."""
    parts = [*first_words(story), _heading(story), _oddities(story), *_tables(story)]
    return "\n\n".join(part for part in parts if part) + "\n"


def first_words(story: LogReport) -> tuple[str, ...]:
    """What a report begins with: who was away, what could not be read, and whose clock differs."""
    away = "\n".join(absence.sentence() for absence in story.absences[:ROWS])
    read = "\n".join(story.reading.sentences())
    return *((away, read) if story.reading.enough else (read, away)), _clocks(story)


def _clocks(story: LogReport) -> str:
    if story.clock_shift is None:
        return ""
    ahead = story.clock_shift > pd.Timedelta(0)
    return (
        f"The brokers' clocks are {_span(abs(story.clock_shift))} "
        f"{'behind' if ahead else 'ahead of'} the clients'. Here all lines have the clients' time."
    )


def _heading(story: LogReport) -> str:
    files, lines = story.files, int(story.files["lines"].sum())
    unknown = int(files["not_in_catalogue"].sum())
    span = (
        f", {_time(story.begins)} to {_time(story.ends)} ({_span(story.ends - story.begins)})"
        if pd.notna(story.begins)
        else ""
    )
    said = f"{lines:,} lines in {_count(len(files), 'file')}{span}"
    own = int(story.subjects["lines"].sum())
    others = unknown - own
    if others:
        said += f"; {others:,} {'is' if others == 1 else 'are'} not Kafka's."
    else:
        said += ": every one is known." if story.reading.counts.read == lines and not own else "."
    if own:
        told = ", ".join(f"{row.subject} {row.lines:,}" for row in story.subjects.itertuples())
        text = f"{own:,} are Kafka's own in words that the catalogue does not hold: {told}."
        said += f"\n{textwrap.fill(text, WIDTH, initial_indent='  ', subsequent_indent='    ')}"
    for client in story.clients.head(ROWS).itertuples():
        group = f" of group {client.group_id}" if isinstance(client.group_id, str) else ""
        version = (
            f", Kafka {client.version}"
            if isinstance(client.version, str) and client.version
            else ""
        )
        said += (
            f"\n  {client.kind} {client.client_id}{group}{version}: {client.lines:,} lines, "
            f"{_count(client.warnings, 'warning')}"
        )
    said += _more(len(story.clients))
    if story.clients.empty and story.servers.empty and unknown < lines:
        said += (
            "\n  No line names its client: nothing can be told of rebalances, sockets and commits "
            "client by client."
        )
    for server in story.servers.head(ROWS).itertuples():
        name = (
            f"a {server.role}" if pd.isna(server.broker) else f"{server.role} {server.broker:.0f}"
        )
        if pd.isna(server.broker) and (story.servers["file"] == server.file).sum() > 1:
            name = "lines that name no broker"
        if (story.servers["broker"] == server.broker).sum() > 1:
            name += f", {PurePath(server.file).name}"
        said += f"\n  {name}: {server.lines:,} lines, {_count(server.warnings, 'warning')}"
    return said + _more(len(story.servers))


def _oddities(story: LogReport) -> str:
    if not story.oddities:
        return story.reading.nothing_odd()
    texts = ["What stands out"]
    for oddity in story.oddities:
        who = f" ({', '.join(oddity.clients)})" if oddity.clients else ""
        when = oddity.when and f"\n{INDENT}{oddity.when}"
        lines = "".join(
            f"\n     > {line.splitlines()[0][:CITED]}" for line in oddity.evidence if line
        )
        values = "".join(f"\n     = {text}" for text in oddity.settings)
        words = "".join(
            f"\n{textwrap.fill(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)}"
            for text in (oddity.means, oddity.do)
        )
        title = f"{MARKS[oddity.weight]} {oddity.what}: {oddity.count:,}{who}{when}"
        texts.append(f"{title}{words}{values}{lines}")
    return "\n".join(texts)


def _both_sides(story: LogReport) -> str:
    """Each rebalance and fencing with two columns: what the broker wrote, and what clients did."""
    if story.sides.empty:
        return ""
    texts = ["Both sides: what the brokers wrote, and what the clients did"]
    for what, rows in list(story.sides.groupby("what", sort=False))[:ROWS]:
        texts.append(f"  {what}")
        for at, broker, client in zip(rows["at"], *speakers(rows), strict=True):
            said = broker or f"{'':{SIDE}}{client}"
            texts.append(f"    {clock_of(at)}  {said}"[:SIDE_WIDTH])
    return "\n".join(texts) + _more(story.sides["what"].nunique())


def _tables(story: LogReport) -> Iterator[str]:
    yield _both_sides(story)
    if story.sides.empty:
        steps = "at broker group_id generation transactional_id says"
        yield _table("What coordinators wrote", _told(story.coordinators, "at", steps))
    if len(story.held):
        held = story.held.assign(how=story.held["how"].fillna("still open"))
        counted = held.pivot_table(
            index=["client_id", "class"], columns="how", values="sockets", aggfunc="sum",
            fill_value=0,
        )  # fmt: skip
        yield _table("Sockets: what for, and who ended them", counted.reset_index())
    yield _table("Requests", story.requests)
    yield _table("Brokers: how long they took to answer", story.brokers)
    members = "at group_id generation leader members came gone"
    yield _table("Groups: who came, and who went", _told(story.members, "assigned_at", members))
    rounds = "at client_id group_id generation cause waited_ms stopped_ms partitions"
    yield _table("Rebalances", _told(story.rebalances, "began_at", rounds))
    at_last = story.commits["last_at"].map(clock_of)
    yield _table("Commits", story.commits.assign(last_at=at_last).drop(columns="group_id"))
    done = story.transactions.assign(how=story.transactions["how"].fillna("open"))
    ended = "began_at client_id transactional_id how took_ms partitions"
    yield _table("Transactions", _told(done, "began_at", ended))
    if len(story.lag):
        yield _table("Lag, in records", story.lag[story.lag["most_lag"] > 0])
    yield _table("Producers", story.producers)
    yield _table("Lines that the catalogue does not know", story.unknown)


def _told(rows: pd.DataFrame, at: str, names: str) -> pd.DataFrame:
    """These columns of a table, the first with the clock of `at`."""
    chosen = names.split()
    return rows if rows.empty else rows.assign(**{chosen[0]: rows[at].map(clock_of)})[chosen]


def _table(title: str, rows: pd.DataFrame) -> str:
    if rows.empty:
        return ""
    text = printed_table(rows, ROWS)
    return f"{title}\n" + "\n".join(f"  {line}" for line in text.splitlines())


def printed_table(rows: pd.DataFrame, most: int, widest: int = WIDEST) -> str:
    """The first rows of a table as text, and how many more there are.

    widest: the letters of a cell; longer texts are cut.
    """
    text = rows.head(most).map(_printed).to_string(index=False, max_colwidth=widest)
    return text + _more(len(rows), most)


def _printed(value: object) -> object:
    if isinstance(value, pd.Timestamp):
        return printed_time(value)
    if isinstance(value, np.ndarray | list | tuple):
        return ", ".join(str(item) for item in value)
    if value is None or pd.isna(value):
        return ""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _more(count: int, most: int = ROWS) -> str:
    return f"\n… and {count - most} more" if count > most else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _time(moment: pd.Timestamp) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _span(length: pd.Timedelta) -> str:
    # rounded first: a second less than two hours is 2.0 h, not 120.0 min
    seconds = round(length.total_seconds(), 1)
    minutes = round(seconds / 60, 1)
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{minutes:.1f} min" if minutes < 120 else f"{seconds / 3600:.1f} h"
