"""Draws each batch that reached a partition's leader, with its result and the last stable offset.

One row is one batch. A written batch is a box at its offsets, with its sequence numbers. A marker
that ends a transaction is a dark box, because it also takes an offset. A duplicate is a dashed box
around the batch that the leader had written. A refused batch is a word at the left. A box that is
struck through is a record of an aborted transaction. A grey frame is not readable yet: it lies
behind the last stable offset at the end. The line that
runs down through the rows is the last stable offset: a read_committed consumer gets the records
left of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkalab.errors import IllegalArgumentException
from kafkalab.records import key_text

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Field, Paper, Sheet
from .shown_lab import ShownLab
from .style import ALERT, INK, QUIET, RULE, SMALL_PT, clock

COLOURS = ("#cfe8f7", "#f6dc8f", "#bfe3d0", "#ecc9dd", "#dddddd")
HATCHES = ("", "///", "...", "\\\\\\", "xx")
STABLE = "#D55E00"
NO_IDENTITY = -1


@dataclass(frozen=True)
class Arrival:
    """A batch, or a marker, at its leader.

    sequences  (first, last); None for a marker, and for a batch of a producer without a producer id
    outcome    "appended", "COMMIT", "ABORT", "DUPLICATE", or the name of the error
    keys       of its records; "" for a record without one
    offsets    (first, last) in the log: its own, or those of the batch that it duplicates; None
               where it was refused
    stable     the last stable offset after it; None until there is one
    """

    at_ms: int
    producer_id: int
    epoch: int
    sequences: tuple[int, int] | None
    outcome: str
    keys: tuple[str, ...]
    offsets: tuple[int, int] | None
    stable: int | None

    @property
    def whose(self) -> str:
        return (
            "no producer id"
            if self.producer_id == NO_IDENTITY
            else f"id {self.producer_id}, epoch {self.epoch}"
        )

    @property
    def sequence_text(self) -> str:
        if self.sequences is None:
            return ""
        first, last = self.sequences
        return str(first) if first == last else f"{first}-{last}"


def arrivals(lab: ShownLab, partition: str) -> list[Arrival]:
    """The batches and markers that reached the leader of a partition ("orders-0"), oldest first.

    Raises IllegalArgumentException for an unknown partition.
    """
    known = lab.at(lab.now_ms)["partitions"]
    if partition not in known:
        raise IllegalArgumentException(
            f"There is no partition {partition}; there are {', '.join(sorted(known))}."
        )
    topic, _, number = partition.rpartition("-")
    found: list[Arrival] = []
    for event in lab.journal.of("record.appended", "batch.not.appended", "log.ends"):
        if event.topic != topic or event.partition != int(number):
            continue
        if event.kind == "log.ends":
            if found:
                found[-1] = Arrival(**{**vars(found[-1]), "stable": event.last_stable_offset})
            continue
        stable = found[-1].stable if found else None
        first, count = event.fields.get("base_sequence", NO_IDENTITY), len(event.records)
        sequences = (first, first + count - 1) if first >= 0 and count else None
        if event.kind == "record.appended":
            outcome = event.fields.get("control", "appended")
            offsets: tuple[int, int] | None = (event.base_offset, event.last_offset)
        else:
            outcome = event.why
            offsets = (
                (event.duplicate_of, event.duplicate_of + count - 1)
                if event.duplicate_of >= 0
                else None
            )
        keys = tuple(key_text(record.key) or "" for record in event.records)
        found.append(
            Arrival(
                event.at_ms,
                event.producer_id,
                event.producer_epoch,
                sequences,
                outcome,
                keys,
                offsets,
                stable,
            )
        )
    return found


@draws(ONE)
def sequence_ladder(
    lab: ShownLab,
    partition: str,
    *,
    title: str | None = None,
    keys: bool = False,
    stable_line: bool | None = None,
) -> Picture:
    """Draw what reached the leader of a partition.

    keys: write the records' keys into the boxes, not their sequence numbers
    stable_line: the line of the last stable offset (default: where a transaction ended)
    """
    found = arrivals(lab, partition)
    producers = list(dict.fromkeys(arrival.whose for arrival in found))
    end = max([arrival.offsets[1] + 1 for arrival in found if arrival.offsets] + [1])
    if stable_line is None:
        stable_line = any(arrival.outcome in ("COMMIT", "ABORT") for arrival in found)
    fates = _fates(found) if stable_line else {}
    heading = title or f"what reached the leader of {partition}"
    sheet = Sheet(heading, 0.98 + 0.34 * max(1, len(found)))
    field = sheet.field(0.36, 0.62, 0.42, 0.44)
    field.limits((-0.02 * end, end * 1.02), (len(found) - 0.4, -0.6))
    for row, arrival in enumerate(found):
        field.along(row, RULE, pen=0.5, layer=0)
        field.beside(row, clock(arrival.at_ms), at=-0.56, align="left", colour=QUIET)
        field.beside(row, arrival.whose, at=-0.41, align="left", colour=INK)
        _box(field, row, arrival, producers.index(arrival.whose), keys, fates.get(row, ""))
        if arrival.offsets is None or arrival.outcome == "DUPLICATE":
            words = "known already" if arrival.outcome == "DUPLICATE" else _short(arrival.outcome)
            if arrival.offsets is None and keys and arrival.keys:
                # It is not in the log.
                words = f"{', '.join(arrival.keys)}: {words}"
            field.beside(row, words, at=-0.012, colour=ALERT, bold=True)
    if stable_line and found:
        steps = [
            (arrival.stable, row) for row, arrival in enumerate(found) if arrival.stable is not None
        ]
        xs = [x for stable, _ in steps for x in (stable, stable)]
        ys = [y for _, row in steps for y in (row - 0.5, row + 0.5)]
        field.line(xs, ys, STABLE, pen=2.2, line="--", layer=5)
        sheet.key_line("last stable offset", STABLE, line="--", pen=2.2)
        if ABORTED in fates.values():
            sheet.key_mark("aborted: not read", "x", ALERT)
        if WAITING in fates.values():
            sheet.key_block(WAITING, "#e4e4e4", edge=QUIET)
        sheet.legend(0.04, left=0.985, corner="upper right", ncols=3, colour=INK)
    field.scale(
        "offset in the log" if keys else "offset in the log; the number in a box is the sequence"
    )
    offsets = range(0, end, max(1, -(-end // 24)))
    field.column_names([offset + 0.5 for offset in offsets], list(map(str, offsets)))
    rows = [
        (
            clock(a.at_ms),
            a.whose,
            a.sequence_text or "-",
            ", ".join(a.keys) or "-",
            a.outcome,
            "-" if a.offsets is None else str(a.offsets[0]),
            "-" if a.stable is None else str(a.stable),
            fates.get(row, ""),
        )
        for row, a in enumerate(found)
    ]
    head = ("time", "producer", "sequence", "keys", "outcome", "offset", "last stable", "fate")
    return sheet.picture("Sequence ladder", rows, head, more=f", {len(found)} arrivals")


ABORTED, WAITING = "aborted", "not readable yet"


def _fates(found: list[Arrival]) -> dict[int, str]:
    """Row -> "aborted", or "not readable yet" for a batch behind the last stable offset.

    A record is aborted where the next marker of its producer id is an ABORT. All batches of such a
    producer are parts of transactions.
    """
    stable = next((each.stable for each in reversed(found) if each.stable is not None), None)
    fates: dict[int, str] = {}
    for row, arrival in enumerate(found):
        if arrival.outcome != "appended" or arrival.offsets is None:
            continue
        ends = [
            later.outcome
            for later in found[row + 1 :]
            if later.producer_id == arrival.producer_id and later.outcome in ("COMMIT", "ABORT")
        ]
        if ends[:1] == ["ABORT"]:
            fates[row] = ABORTED
        elif stable is not None and arrival.offsets[1] >= stable:
            fates[row] = WAITING
    return fates


def _box(field: Field, row: int, arrival: Arrival, producer: int, keys: bool, fate: str) -> None:
    """Draw the arrival at its offsets: full where it was written, dashed where it is a
    duplicate. The box of an aborted one is struck through, of one not readable yet is grey.
    """
    if arrival.offsets is None:
        return
    first, last = arrival.offsets
    is_marker, is_known = arrival.outcome in ("COMMIT", "ABORT"), arrival.outcome == "DUPLICATE"
    colour, edge = INK if is_marker else COLOURS[producer % len(COLOURS)], INK
    if fate == WAITING:
        colour, edge = "#e4e4e4", QUIET
    words = (
        arrival.outcome if is_marker else ", ".join(arrival.keys) if keys else arrival.sequence_text
    )
    field.block(
        first + 0.04,
        row,
        last - first + 0.92,
        0.72,
        words,
        colour="none" if is_known else colour,
        edge=ALERT if is_known else edge,
        hatch="" if is_known or is_marker else HATCHES[producer % len(HATCHES)],
        pen=0.9,
        line="--" if is_known else "-",
        layer=3,
        ink="#ffffff" if is_marker else INK,
        size=SMALL_PT - (1 if is_marker else 0),
        paper=None if is_marker else Paper("#ffffff" if is_known else colour, 1.8),
        words_layer=6,
    )
    if fate == ABORTED:
        for up in (0.36, -0.36):
            sides = [first + 0.04, last + 0.96]
            field.line(sides, [row + up, row - up], ALERT, pen=1.4, layer=5)


def _short(error: str) -> str:
    """An error's name, shortened to the space."""
    return {
        "OUT_OF_ORDER_SEQUENCE_NUMBER": "out of order",
        "INVALID_PRODUCER_EPOCH": "old epoch",
    }.get(error, error.lower().replace("_", " "))
