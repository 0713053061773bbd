"""Gives the lines of a simulated client the order and the times that a real client's work gives.

A simulated step takes no time, and its lines come one after the other in one millisecond. Real
threads take time between two lines, and write into one log as chance has it. `in_real_pace` moves
lines by what recordings show (`recorded_gaps`). It moves nothing else: no request, no timer and no
count changes. A line never comes before its simulated time, but for those of a constructor, which
end at that time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from kafkalab.lines.layout import Row
from kafkalab.lines.recorded_gaps import LONGEST_MS, SHORT_MS, RecordedGaps, names_in

LATEST_MS = 40
"""A line that would be so much too late follows the one before it at once."""
REACH = 12
"""So many lines a line may move, at most."""
FIRST_USE_MS = 700
"""What is done for the first time takes no longer. A simulated client waits for it in one place."""
AT_ONCE_MS = 5
"""Lines so near to each other may have been written in another order."""
FREE = frozenset(
    {
        "AUTO_COMMIT_ASYNC_COMPLETED",
        "HEARTBEAT_THREAD_STARTED",
        "KAFKA_VERSION",
        "POLLING_FOR_FETCHES",
        "PRODUCER_STARTED",
    }
)
"""Lines that tell of no request and no socket, and that another thread or a later pass of the same
one may write."""
STARTED = "KAFKA_COMMIT_ID"


def in_real_pace(
    rows: Sequence[Row], release: str, gaps: RecordedGaps, rng: random.Random
) -> list[Row]:
    """The rows of one client's log in another order and at later times, as drawn from `rng`."""
    if not rows:
        return []
    names = names_in(rows, release)
    order = _drawn_order(rows, names, release, gaps, rng)
    # A line that came forward keeps the time of its new place.
    at_ms = sorted([row.at_ms for row in rows])
    drawn = _drawn_times(at_ms, [names[index] for index in order], release, gaps, rng)
    return [
        Row(at_ms, row.level, row.message, row.logger, row.line, row.trace)
        for row, at_ms in zip([rows[index] for index in order], drawn)
    ]


def _drawn_order(
    rows: Sequence[Row],
    names: Sequence[str],
    release: str,
    gaps: RecordedGaps,
    rng: random.Random,
) -> list[int]:
    """The indexes of the rows in the order drawn. Only FREE lines move, each among its neighbours
    and as likely as recorded pairs make each place."""
    order = list(range(len(rows)))
    for index, name in enumerate(names):
        if name not in FREE:
            continue
        at = order.index(index, max(index - REACH, 0))
        del order[at]
        places = _places(rows, names, order, at, index)
        weights = [
            _weight([names[other] for other in order[place - 1 : place + 1]], name, release, gaps)
            for place in places
        ]
        order.insert(rng.choices(places, weights)[0], index)
    return order


def _places(
    rows: Sequence[Row], names: Sequence[str], order: Sequence[int], at: int, index: int
) -> list[int]:
    """Where this line may stand among the others: near enough, and not across its like."""
    places = [at]
    for step in (-1, 1):
        place = at
        while abs(place + step - at) <= REACH:
            crossed = place - 1 if step < 0 else place
            if not 0 < crossed < len(order):
                break
            other = order[crossed]
            if (
                abs(rows[other].at_ms - rows[index].at_ms) > AT_ONCE_MS
                or names[other] == names[index]
            ):
                break
            place += step
            places.append(place)
    return places


def _weight(around: Sequence[str], name: str, release: str, gaps: RecordedGaps) -> float:
    """How likely the line is between these one or two, beside the pair without it."""
    chances = gaps.likelihood(release, around[0], name)
    for after in around[1:]:
        chances *= gaps.likelihood(release, name, after)
        chances /= gaps.likelihood(release, around[0], after)
    return chances


def _drawn_times(
    at_ms: Sequence[int],
    names: Sequence[str],
    release: str,
    gaps: RecordedGaps,
    rng: random.Random,
) -> list[int]:
    """The times of lines that have these simulated times and names; they never decrease."""
    ends = _next_waits(at_ms)
    known: set[tuple[str, str]] = set()
    last = _end_of_constructor(at_ms, names)
    told = [at_ms[0]]
    most_ms = SHORT_MS
    busiest: int | None = (
        0  # The line before which most time has passed since the last wait, or the first.
    )
    for number, pair in enumerate(pairwise(names), 1):
        again = pair in known
        known.add(pair)
        waits = at_ms[number] - at_ms[number - 1] > SHORT_MS
        gap_ms = gaps.draw(rng, release, pair, again, short=again or waits)
        if number > last:
            if gap_ms > SHORT_MS and told[-1] + gap_ms > ends[number]:
                gap_ms = gaps.draw(rng, release, pair, again, short=True)
            if told[-1] + gap_ms > _latest(at_ms[number], ends[number]):
                gap_ms = 0
            spare_ms = at_ms[number] - told[-1] - gap_ms
            if (
                waits
                and busiest is not None
                and 0 < spare_ms <= FIRST_USE_MS
                and not again
                and not gaps.waits(release, pair)
            ):
                told[busiest:] = [before_ms + spare_ms for before_ms in told[busiest:]]
        told.append(told[-1] + gap_ms if number <= last else max(at_ms[number], told[-1] + gap_ms))
        if number == last:
            told = [before_ms - (told[-1] - at_ms[0]) for before_ms in told]
        if waits:
            busiest, most_ms = None, SHORT_MS
        elif busiest != 0 and gap_ms > most_ms:
            busiest, most_ms = number, gap_ms
    return told


def _next_waits(at_ms: Sequence[int]) -> list[float]:
    """For each line the time at which the next wait after it ends: work may take so long."""
    ends: list[float] = [float("inf")] * len(at_ms)
    for number in range(len(at_ms) - 2, -1, -1):
        waits = at_ms[number + 1] - at_ms[number] > SHORT_MS
        ends[number] = at_ms[number + 1] if waits else ends[number + 1]
    return ends


def _latest(at_ms: int, end_ms: float) -> float:
    """When a line of this simulated time may be written at the latest: before the next wait ends,
    or soon where no wait is near."""
    return end_ms + LATEST_MS if end_ms - at_ms <= LONGEST_MS else at_ms + LATEST_MS


def _end_of_constructor(at_ms: Sequence[int], names: Sequence[str]) -> int:
    """The number of the line that names the client's commit; 0 where it is not of the first
    moment."""
    number = names.index(STARTED) if STARTED in names else 0
    return number if at_ms[number] == at_ms[0] else 0
