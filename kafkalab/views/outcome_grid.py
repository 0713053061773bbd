"""Draws the outcomes of experiments as a table: one row a story, one column a setting.

A cell has the outcome of the records in a word and a number. Its colour and its hatch show how bad
the outcome is, so that a picture printed in grey still shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .picture import Picture
from .sheet import Paper, Sheet
from .style import SMALL_PT

LOOKS = {
    "safe": ("#9fd8c1", ""),
    "repeated": ("#e3b7d3", "\\\\\\"),
    "refused": ("#f6dc8f", "..."),
    "waiting": ("#dddddd", "///"),
    "lost": ("#f0a58f", "xxx"),
}
WORDS_FIT = 21
"""Words up to this length fit into one of four cells in the usual size."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run: numbers of records, and whether the partition is readable.

    acknowledged  records that the producer reported as written
    lost          acknowledged records that no consumer can read in the end
    refused       records that the producer reported as failed
    readable      whether the partition has a leader in the end
    repeated      records that a consumer reads more than once
    """

    acknowledged: int
    lost: int
    refused: int
    readable: bool = True
    repeated: int = 0

    @property
    def kind(self) -> str:
        """ "lost", "waiting" (nobody leads, so nobody knows), "repeated", "refused" or "safe":
        the worst that is true of it."""
        if not self.readable:
            return "waiting"
        return (
            "lost"
            if self.lost
            else "repeated"
            if self.repeated
            else "refused"
            if self.refused
            else "safe"
        )

    @property
    def words(self) -> str:
        counts = {
            "lost": self.lost,
            "waiting": self.acknowledged,
            "repeated": self.repeated,
            "refused": self.refused,
            "safe": self.acknowledged,
        }
        no_leader = "no leader, " if self.kind == "waiting" else ""
        return f"{no_leader}{counts[self.kind]} {self.kind}"


def outcome_grid(outcomes: Mapping[tuple[str, str], Outcome], *, title: str) -> Picture:
    """Draw outcomes by (story, setting). Rows and columns have the order of their first use."""
    stories, settings = (list(dict.fromkeys(key[place] for key in outcomes)) for place in (0, 1))
    sheet = Sheet(title, 1.15 + 0.52 * len(stories))
    field = sheet.field(0.24, 0.755, 0.04, 0.81)
    for (story, setting), outcome in outcomes.items():
        colour, hatch = LOOKS[outcome.kind]
        field.block(
            settings.index(setting) + 0.03,
            stories.index(story),
            0.94,
            0.86,
            outcome.words.replace(", ", ",\n"),
            colour=colour,
            edge="#ffffff",
            hatch=hatch,
            pen=0,
            size=SMALL_PT + (1.5 if len(outcome.words) <= WORDS_FIT else 0),
            paper=Paper(colour, 1.5),
        )
    field.table(stories, settings)
    told = {key: outcome.words for key, outcome in outcomes.items()}
    rows = [
        (story, *(told.get((story, setting), "-") for setting in settings)) for story in stories
    ]
    return sheet.picture("Outcomes", rows, ("story", *settings))
