"""MyGuesses: a chapter's guesses beside what happened, for the end of the chapter.

What is shown comes from the learner's progress.json, which predict() and truth() write.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograder.cell import progress
from autograder.cell.guesses import guess_fits

SIGNS = {"as you said": "=", "close": "~", "a surprise": "!"}
NONE_YET = (
    "You have no guess of this chapter beside its truth yet. Guess before you run a cell: a wrong "
    "guess is what one remembers."
)


@dataclass(frozen=True)
class MyGuesses:
    """The guesses of one chapter: rows of (guess, value, said, happened, how it fits)."""

    rows: tuple[tuple[str, str, object, object, str], ...]

    def __repr__(self) -> str:
        if not self.rows:
            return NONE_YET
        fits = [fit for *_, fit in self.rows]
        counted = ", ".join(
            f"{fits.count(fit)} {words}"
            for fit, words in (
                ("as you said", "as you said"),
                ("close", "close"),
                ("a surprise", "surprises"),
            )
        )
        widths = [max(len(str(row[place])) for row in self.rows) for place in range(4)]
        lines = [
            f"{SIGNS[fit]} {guess:{widths[0]}}  {value:{widths[1]}}  you said {said!s:>{widths[2]}}"
            f"  it was {happened}"
            for guess, value, said, happened, fit in sorted(
                self.rows, key=lambda row: list(SIGNS)[::-1].index(row[4])
            )
        ]
        return "\n".join([f"{len(fits)} numbers and words: {counted}.", "", *lines])


def my_guesses(chapter: str) -> MyGuesses:
    """Your guesses of a chapter, "07", beside what happened; the surprises first."""
    rows = []
    for name, entry in progress.read()["guesses"].items():
        if not name.startswith(f"{chapter} ") or not isinstance(entry, dict):
            continue
        said, happened = entry.get("guess"), entry.get("truth")
        if not isinstance(said, dict) or not isinstance(happened, dict):
            continue
        fits = guess_fits(name, entry)
        rows += [
            (name.partition(" ")[2], value, said[value], happened[value], fits[value])
            for value in happened
            if value in said
        ]
    return MyGuesses(tuple(rows))
