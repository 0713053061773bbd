"""Scores the incidents found in the lines against the simulator's truth: precision and recall by
kind.

A found incident matches one of the truth under three conditions. It has the same kind. It has a
client or the group in common. Their spans, from first to last sign, overlap or are less than
SLACK_S apart. Each is paired with at most one of the other side. So two found as one count as one
found and one missed, and one found as two counts as one found and one wrong.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

SLACK_S = 60


@dataclass(frozen=True)
class IncidentSpan:
    """An incident of either side: kind, clients, group, first and last sign."""

    kind: str
    clients: frozenset[str]
    group_id: str | None
    first: datetime
    last: datetime

    def is_like(self, other: "IncidentSpan") -> bool:
        slack = timedelta(seconds=SLACK_S)
        same = bool(self.clients & other.clients) or (
            self.group_id is not None and self.group_id == other.group_id
        )
        return (
            self.kind == other.kind
            and same
            and self.first <= other.last + slack
            and other.first <= self.last + slack
        )


@dataclass(frozen=True)
class Score:
    """The score of one kind: the incidents of the truth, those found, and the pairs.

    Rates are 1 where the denominator is 0.
    """

    kind: str
    there: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.there if self.there else 1.0


def spans_of_truth(truth: Mapping) -> list[IncidentSpan]:
    """The incidents of a truth.json."""
    return [
        IncidentSpan(
            row["kind"],
            frozenset(row["clients"]),
            row["group_id"],
            _time(row["first"]),
            _time(row["last"]),
        )
        for row in truth["incidents"]
    ]


def spans_of_rows(rows: Iterable) -> list[IncidentSpan]:
    """The rows of `logsets.incidents(lines).toPandas().itertuples()`."""
    return [
        IncidentSpan(
            row.kind,
            frozenset(row.clients),
            row.group_id if isinstance(row.group_id, str) else None,
            _naive(row.first),
            _naive(row.last),
        )
        for row in rows
    ]


def scores(found: Sequence[IncidentSpan], truth: Sequence[IncidentSpan]) -> list[Score]:
    """One Score for each kind of either side."""
    rated = []
    for kind in sorted({span.kind for span in [*found, *truth]}):
        there, here = ([span for span in side if span.kind == kind] for side in (truth, found))
        rated.append(Score(kind, len(there), len(here), pairs(there, here)))
    return rated


def pairs(there: Sequence[IncidentSpan], found: Sequence[IncidentSpan]) -> int:
    """The most pairs of matching incidents (found by augmenting paths)."""
    like = [[number for number, other in enumerate(found) if span.is_like(other)] for span in there]
    owner: dict[int, int] = {}

    def paired(span: int, tried: set[int]) -> bool:
        for number in like[span]:
            if number not in tried:
                tried.add(number)
                if number not in owner or paired(owner[number], tried):
                    owner[number] = span
                    return True
        return False

    return sum(paired(span, set()) for span in range(len(there)))


def score_table(rated: Sequence[Score]) -> str:
    """The scores as text."""
    head = f"{'incident':26}{'there':>7}{'found':>7}{'precision':>11}{'recall':>8}"
    return "\n".join(
        [
            head,
            *(
                f"{s.kind:26}{s.there:7d}{s.found:7d}{s.precision:11.2f}{s.recall:8.2f}"
                for s in rated
            ),
        ]
    )


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S,%f")


def _naive(time: datetime) -> datetime:
    """Spark's timestamps come to pandas without a zone, in UTC."""
    return time.to_pydatetime() if hasattr(time, "to_pydatetime") else time
