"""Acknowledgements: what an application says of the records of one partition
(internals.Acknowledgements, AcknowledgeType).

They travel as batches of neighbouring offsets: one type for all where they are equal, else one type
for each offset.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping

from kafkalab.protocol.messages import AcknowledgementBatch
from kafkalab.protocol.share_messages import ACCEPT, GAP, REJECT, RELEASE, RENEW


class AcknowledgeType(enum.Enum):
    """What an application says of a record (clients.consumer.AcknowledgeType). The value is the
    number on the wire."""

    ACCEPT = ACCEPT
    """It is processed and is not delivered again."""
    RELEASE = RELEASE
    """It is not processed; any member may get it again."""
    REJECT = REJECT
    """It cannot be processed and is not delivered again."""
    RENEW = RENEW
    """It needs more time: its lock begins again (KIP-1222, 4.2)."""


Acknowledgements = Mapping[int, AcknowledgeType | None]
"""Offset -> what was said of it; None for an offset without a record."""


def acknowledgement_batches(acknowledgements: Acknowledgements) -> tuple[AcknowledgementBatch, ...]:
    """The acknowledgements as they travel (Acknowledgements.getAcknowledgementBatches)."""
    return tuple(
        AcknowledgementBatch(
            first_offset=first,
            last_offset=first + len(types) - 1,
            acknowledge_types=types[:1] if len(set(types)) == 1 else types,
        )
        for first, types in _runs(acknowledgements)
    )


def _runs(acknowledgements: Acknowledgements) -> Iterator[tuple[int, tuple[int, ...]]]:
    first, types = 0, list[int]()
    for offset, said in sorted(acknowledgements.items()):
        kind = GAP if said is None else said.value
        if types and offset == first + len(types):
            types.append(kind)
            continue
        if types:
            yield first, tuple(types)
        first, types = offset, [kind]
    if types:
        yield first, tuple(types)


def acknowledgements_text(acknowledgements: Acknowledgements) -> str:
    """The text of Java's class."""
    said = ", ".join(
        f"{offset}={'gap' if kind is None else kind.name.lower()}"
        for offset, kind in sorted(acknowledgements.items())
    )
    return f"Acknowledgements({{{said}}}, acknowledgeException=null, completed=false)"
