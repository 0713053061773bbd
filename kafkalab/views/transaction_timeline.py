"""Draws one transactional id over time: its state at the coordinator, and one row a producer.

The strip is its state at the coordinator, with the producer epoch. An epoch that is too short for
its name has its number above the strip. A producer's row has the state
of its TransactionManager, and a mark for each batch that a leader appended for it (a triangle for
the marker that ends a transaction).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Field, Paper, Sheet
from .shown_lab import ShownLab
from .style import ALERT, BLACK, INK, QUIET, SMALL_PT, clock

# The same colour on both sides where both mean the same phase; the legend has a line for each side.
COLOURS = {
    "Empty": "#ffffff",
    "Ongoing": "#56B4E9",
    "PrepareCommit": "#F0E442",
    "PrepareAbort": "#E69F00",
    "CompleteCommit": "#009E73",
    "CompleteAbort": "#CC79A7",
    "PrepareEpochFence": "#999999",
    "UNINITIALIZED": "#999999",
    "INITIALIZING": "#d5d5d5",
    "READY": "#d3ece3",
    "IN_TRANSACTION": "#56B4E9",
    "COMMITTING_TRANSACTION": "#F0E442",
    "ABORTING_TRANSACTION": "#E69F00",
    "ABORTABLE_ERROR": "#D55E00",
    "FATAL_ERROR": "#b00020",
}
AT_COORDINATOR = "the coordinator"
ROOM_FOR_EPOCH = 0.08
"""The share of the axis that the name of an epoch takes."""
A_LINE = 1e-9
"""The share of the axis that a state takes at least: one that lasts no time is a line."""


@dataclass(frozen=True)
class Stretch:
    """A period in which `who` had the state `what`.

    note: the epoch, where the coordinator knows it. id: the event with which it began.
    """

    who: str
    from_ms: int
    to_ms: int
    what: str
    note: str = ""
    id: int = 0


def stretches(lab: ShownLab, transactional_id: str) -> list[Stretch]:
    """The states of the id at its coordinator, then those of each producer that used it."""
    users = [
        event.who
        for event in lab.journal.of("call")
        if event.name == "new KafkaProducer"
        and event.args.get("transactional.id") == transactional_id
    ]
    rows: dict[str, list[tuple[int, str, str, int]]] = {
        AT_COORDINATOR: [],
        **{who: [] for who in users},
    }
    for event in lab.journal.of("state"):
        if event.machine == "transaction" and event.of == transactional_id:
            rows[AT_COORDINATOR].append(
                (event.at_ms, event.after, f"epoch {event.epoch}", event.id)
            )
        elif event.machine == "transaction manager" and event.who in rows:
            rows[event.who].append((event.at_ms, event.after, "", event.id))
    return [
        Stretch(who, at_ms, until_ms, what, note, id)
        for who, told in rows.items()
        for (at_ms, what, note, id), until_ms in zip(
            told, [at_ms for at_ms, *_ in told[1:]] + [lab.now_ms]
        )
    ]


@draws(ONE)
def transaction_timeline(
    lab: ShownLab,
    transactional_id: str,
    *,
    title: str | None = None,
    to_ms: int | None = None,
    paused: Mapping[str, tuple[int, int]] | None = None,
) -> Picture:
    """Draw the life of a transactional id from the start until now.

    paused: the time in which a producer's process is paused, {"old": (1_000, 7_000)}, in ms of
    the lab; such a time is hatched
    """
    found = stretches(lab, transactional_id)
    whos = list(dict.fromkeys([AT_COORDINATOR, *(stretch.who for stretch in found)]))
    to_ms = lab.now_ms if to_ms is None else to_ms
    sheet = Sheet(title or f"transactional id {transactional_id}", 2.05 + 0.55 * len(whos),
                  down_in=0.12)  # fmt: skip
    field = sheet.field(0.13, 0.84, 0.56, 1.21)
    field.clock(0, to_ms)
    field.limits(y=(len(whos) - 0.5, -1.1))
    for each in found:
        colour = COLOURS.get(each.what, "#dddddd")
        field.span(each.from_ms, each.to_ms, whos.index(each.who), 0.54, each.note,
                   needs=ROOM_FOR_EPOCH, least=A_LINE, colour=colour, pen=0.7,
                   ink=BLACK)  # fmt: skip
    _epochs(field, [each for each in found if each.who == AT_COORDINATOR], to_ms)
    for who, (begin_ms, end_ms) in (paused or {}).items():
        field.span(begin_ms, end_ms, whos.index(who), 0.54, "paused", colour="none", hatch="////",
                   pen=0, paper=Paper(pad_pt=1.2))  # fmt: skip
    ends = [event for event in lab.journal.of("record.appended") if "control" in event.fields]
    for event in ends:
        colour = _marker_colour(event.control)
        field.marks([event.at_ms], -0.48, "v", colour, 7, edge=INK, layer=4, cut=False)
    for row, who in enumerate(whos):
        field.beside(row, who, bold=who == AT_COORDINATOR)
    field.time_axis()
    at_coordinator = [each.what for each in found if each.who == AT_COORDINATOR]
    of_producers = [each.what for each in found if each.who != AT_COORDINATOR]
    _legend(sheet, "coordinator", at_coordinator, {event.control for event in ends}, 0.42)
    _legend(sheet, "producers", of_producers, set(), 0.64)
    rows = [(s.who, clock(s.from_ms), clock(s.to_ms), s.what, s.note) for s in found]
    rows += [
        (who, clock(begin_ms), clock(end_ms), "paused", "")
        for who, (begin_ms, end_ms) in (paused or {}).items()
    ]
    rows += [
        (
            "the log",
            clock(event.at_ms),
            "",
            f"{event.control} marker",
            f"epoch {event.producer_epoch}",
        )
        for event in ends
    ]
    return sheet.picture("Transaction timeline", rows, ("who", "from", "to", "what", "epoch"))


def _epochs(field: Field, strip: list[Stretch], to_ms: int) -> None:
    """Write the number of each epoch that has no room for its name, above the strip."""
    room_ms = ROOM_FOR_EPOCH * to_ms
    told = {each.note for each in strip if each.note and each.to_ms - each.from_ms > room_ms}
    short: dict[str, int] = {}
    for each in strip:
        if each.note and each.note not in told:
            short.setdefault(each.note, each.from_ms)
    # Numbers of the same moment are one label.
    groups: list[tuple[int, list[str]]] = []
    for note, at_ms in short.items():
        if groups and at_ms - groups[-1][0] < 0.05 * to_ms:
            groups[-1][1].append(note.removeprefix("epoch "))
        else:
            groups.append((at_ms, [note.removeprefix("epoch ")]))
    for at_ms, numbers in groups:
        field.near(at_ms, -0.27, f"epoch {', '.join(numbers)}", (10, 17), level="bottom",
                   pointer=0.7)  # fmt: skip


def _legend(sheet: Sheet, side: str, seen: list[str], markers: set[str], down_in: float) -> None:
    """Draw one line of the legend: the states of one side, and its markers."""
    sheet.note(side, down_in + 0.02, size=SMALL_PT)
    for what in seen:
        sheet.key_block(what, COLOURS.get(what, "#dddddd"), pen=0.7)
    for control in sorted(markers):
        sheet.key_mark(f"{control} marker", "v", _marker_colour(control), edge=INK)
    sheet.legend(down_in, left=0.105, ncols=20, colour=QUIET, long=1.3, apart=0.9,
                 handletextpad=0.5, borderaxespad=0, borderpad=0.2)  # fmt: skip


def _marker_colour(control: str) -> str:
    return ALERT if control == "ABORT" else COLOURS["CompleteCommit"]
