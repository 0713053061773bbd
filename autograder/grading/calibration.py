"""The calibrations of one class: for which questions, and for which rubric, the scorer may be
believed.

OUT/calibration.json, written by `python -m autograder calibrate` (calibration.py) and read by
`grade`. It names the rubric by its hash: the smallest change to a rubric, or to how rubrics are
applied, and the calibration holds no more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from autograder.grading.results import write_atomically

FILE = "calibration.json"


@dataclass(frozen=True)
class Calibration:
    """What a teacher's marks said about the scorer for one question. `decisions` are those of its
    words ("accept", "reject") that may stand without a person; none when the gate was not met."""

    question: str
    rubric: str
    decisions: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    at: str = ""

    def settles(self, suggestion: Mapping) -> bool:
        """Whether this suggestion (one of a result's `suggestions`) is a mark."""
        return (
            bool(suggestion)
            and suggestion.get("rubric_hash") == self.rubric
            and suggestion.get("decision") in self.decisions
        )


def read(out: Path) -> dict[str, Calibration]:
    """The calibrations kept in OUT by question; {} where nobody calibrated. ValueError, with a
    sentence, for a file that is broken."""
    path = out / FILE
    if not path.exists():
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return {
            question: Calibration(**{**row, "decisions": tuple(row["decisions"])})
            for question, row in rows.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError(
            f"{path} cannot be read; take it away and calibrate again (until then every open "
            "answer waits)."
        ) from None


def keep(out: Path, calibration: Calibration) -> None:
    """Keep one question's calibration in OUT, in place of the one before."""
    rows = {
        question: asdict(one)
        for question, one in {**read(out), calibration.question: calibration}.items()
    }
    write_atomically(
        out / FILE, json.dumps(dict(sorted(rows.items())), ensure_ascii=False, indent=1) + "\n"
    )
