"""Draws the outcomes of experiments as a table: one row a story, one column a setting.

A cell has the outcome of the records in a word and a number. Its colour and its hatch show how bad
the outcome is, so that a picture printed in grey still shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .picture import Picture, blank_figure, columns
from .style import INK, SMALL_PT, WIDTH_IN

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
    height_in = 1.15 + 0.52 * len(stories)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.26, 0.04 / height_in, 0.73, 1 - 0.85 / height_in))
    for (story, setting), outcome in outcomes.items():
        x, y = settings.index(setting), stories.index(story)
        colour, hatch = LOOKS[outcome.kind]
        axes.barh(
            [y],
            [0.94],
            left=x + 0.03,
            height=0.86,
            color=colour,
            edgecolor="#ffffff",
            hatch=hatch,
            linewidth=0,
        )
        axes.text(
            x + 0.5,
            y,
            outcome.words.replace(", ", ",\n"),
            ha="center",
            va="center",
            fontsize=SMALL_PT + (1.5 if len(outcome.words) <= WORDS_FIT else 0),
            color=INK,
            bbox={"facecolor": colour, "edgecolor": "none", "pad": 1.5},
        )
    axes.set_xlim(0, len(settings))
    axes.set_ylim(len(stories) - 0.5, -0.5)
    axes.set_yticks(range(len(stories)), stories, fontsize=SMALL_PT + 1)
    axes.set_xticks(
        [number + 0.5 for number in range(len(settings))], settings, fontsize=SMALL_PT + 1
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    figure.text(0.012, 1 - 0.10 / height_in, title, fontsize=12, weight="bold", va="top")
    rows = [
        (
            story,
            *(
                outcomes[story, setting].words if (story, setting) in outcomes else "-"
                for setting in settings
            ),
        )
        for story in stories
    ]
    return Picture(figure, columns(rows, ("story", *settings)), f"Outcomes: {title}.")
