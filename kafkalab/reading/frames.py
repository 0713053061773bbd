"""Lays out what a lab's journal says as pandas frames: lines, events, groups, topics.

Each function takes a journal, or a state that `History.at` folded from it, and asks no machine.
pandas is imported in the functions, so that `import kafkalab` stays light.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.errors import IllegalArgumentException, name_hint
from kafkalab.lines.layout import Row, text_of, time_text
from kafkalab.reading.history.group_rows import offset_rows
from kafkalab.sim.event_kinds import KINDS
from kafkalab.sim.journal import Event, Journal

if TYPE_CHECKING:
    import pandas

LINE_COLUMNS = "at_ms time client client_id level logger line message text".split()
SERVER_COLUMNS = "at_ms time level logger event message text cause".split()
GROUP_COLUMNS = (
    "topic partition current_offset log_end_offset lag consumer_id host client_id".split()
)
TOPIC_COLUMNS = (
    "leader leader_epoch replicas isr "
    "log_start_offset log_end_offset high_watermark last_stable_offset"
).split()


def line_text(event: Event, epoch_ms: int) -> str:
    """An event of kind "line" as log4j would have written it; epoch_ms as for `line_row`."""
    return text_of(line_row(event, epoch_ms))


def line_row(event: Event, epoch_ms: int) -> Row:
    """An event of kind "line" as a typed row.

    epoch_ms: what the clock of the lines shows at virtual time 0, milliseconds since 1970.
    """
    fields = event.fields
    return Row(
        epoch_ms + event.at_ms,
        fields["level"],
        fields["message"],
        fields["logger"],
        fields["line"],
        fields["trace"],
    )


def lines(told: Iterable[Event], epoch_ms: int) -> pandas.DataFrame:
    """A row for each event of kind "line": LINE_COLUMNS."""
    from kafkalab.reading.line_table import LineTable

    rows = [
        (
            event.at_ms,
            time_text(epoch_ms + event.at_ms),
            event.who,
            *(event.fields[name] for name in ("client_id", "level", "logger", "line", "message")),
            line_text(event, epoch_ms),
        )
        for event in told
    ]
    return LineTable(rows, columns=LINE_COLUMNS)


def server_lines(told: Iterable[tuple[str, int | None, Row]], epoch_ms: int) -> pandas.DataFrame:
    """A row for each line of a broker's server.log: SERVER_COLUMNS.

    told: the name, the cause and the row of each line.
    """
    from kafkalab.reading.line_table import LineTable

    rows = [
        (
            row.at_ms - epoch_ms,
            time_text(row.at_ms),
            row.level,
            row.logger,
            name,
            row.message,
            text_of(row),
            cause,
        )
        for name, cause, row in told
    ]
    return LineTable(rows, columns=SERVER_COLUMNS)


def events(journal: Journal, kind: str | None) -> pandas.DataFrame:
    """A row for each event of one kind, or of all: id, at_ms, kind, who, cause, its own fields.

    Raises IllegalArgumentException for a kind that no journal has.
    """
    import pandas

    found = journal.events if kind is None else list(journal.of(kind))
    if kind is not None and not found and kind not in KINDS:
        raise IllegalArgumentException(
            f"no journal has events of kind {kind!r}.{name_hint(kind, sorted(KINDS))}"
        )
    rows = [
        {
            "id": event.id,
            "at_ms": event.at_ms,
            "kind": event.kind,
            "who": event.who,
            "cause": event.cause,
            **event.fields,
        }
        for event in found
    ]
    return pandas.DataFrame(rows)


def group(state: Mapping[str, Any], name: str) -> pandas.DataFrame:
    """A row for each partition of a group in a state: GROUP_COLUMNS.

    Raises IllegalArgumentException for a group that the state does not have.
    """
    import pandas

    if name not in state["groups"]:
        raise IllegalArgumentException(
            f"there is no group {name!r} at {state['at_ms']} ms; there are: "
            f"{', '.join(sorted(state['groups'])) or 'none'}"
        )
    rows = [
        (
            row.topic,
            row.partition,
            row.current_offset,
            row.log_end_offset,
            row.lag,
            row.consumer,
            row.host,
            row.client,
        )
        for row in offset_rows(state, state["groups"][name])
    ]
    return pandas.DataFrame(rows, columns=GROUP_COLUMNS)


def topic(state: Mapping[str, Any], name: str) -> pandas.DataFrame:
    """A row for each partition of a topic in a state: its number and TOPIC_COLUMNS.

    Raises IllegalArgumentException for a topic that the state does not have.
    """
    import pandas

    if name not in state["topics"]:
        raise IllegalArgumentException(
            f"there is no topic {name!r} at {state['at_ms']} ms; there are: "
            f"{', '.join(sorted(state['topics'])) or 'none'}"
        )
    rows = [
        {
            "partition": number,
            **{column: state["partitions"][f"{name}-{number}"][column] for column in TOPIC_COLUMNS},
        }
        for number in range(state["topics"][name]["partitions"])
    ]
    return pandas.DataFrame(rows, columns=["partition", *TOPIC_COLUMNS])
