"""Puts a learner's own rule in the place of the Sender's choice of batches
(RecordAccumulator.ready and drain).

KafkaProducer(lab, {...}, next_request=rule) asks the rule for each leader that has waiting batches
and an open connection, in each pass of the Sender. The version's own walk decides the order in
which the rule sees the partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kafkalab.protocol.frozen import record


@record
class QueueView:
    """What a learner's rule knows of one partition with waiting batches.

    partition  its number
    topic      its topic
    bytes      the size of the batch that waits longest
    batches    how many batches wait
    is_full    the first batch takes no more records
    waited_ms  how long the first batch has waited
    muted      a batch of this partition is on its way, and order is kept: the others wait
    backs_off  the first batch has failed, and its retry.backoff.ms is not over
    """

    partition: int
    topic: str
    bytes: int
    batches: int
    is_full: bool
    waited_ms: int
    muted: bool
    backs_off: bool


@record
class DrainLimits:
    """The settings that count: max.request.size, linger.ms and
    max.in.flight.requests.per.connection."""

    max_request_size: int
    linger_ms: int
    max_in_flight: int


NextRequest = Callable[[Sequence[QueueView], int, DrainLimits], Iterable[object]]
"""(waiting, requests in flight to the node, limits) -> the partitions whose first batch goes."""


def chosen_numbers(answer: object, waiting: Sequence[QueueView]) -> list[int]:
    """Places in `waiting` of what a rule returned: views or partition numbers, in its order. Raises
    ValueError for anything else."""
    if not isinstance(answer, (list, tuple)):
        raise ValueError(f"next_request returned {answer!r}; it returns a list, [] for no request")
    places = {view.partition: place for place, view in enumerate(waiting)}
    found = []
    for each in answer:
        number = getattr(each, "partition", each)
        if isinstance(number, bool) or number not in places or places[number] in found:
            raise ValueError(
                f"next_request returned {each!r}, which is none of the partitions it was given, or "
                "is there twice"
            )
        found.append(places[number])
    return found
