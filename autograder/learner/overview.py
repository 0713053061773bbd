"""Shows how far a learner is, chapter by chapter, and the five things most worth repeating.

Everything comes from the learner's own progress.json; nothing is sent. First comes what was looked
up and not solved, then what is open after three tries or every hint, then each guess that the lab
contradicted, then what was solved with many tries. Of two alike the later chapter comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.cell import progress
from autograder.cell.course_folder import notebooks, released
from autograder.cell.guesses import guess_fits
from autograder.cell.question import asked_chapters, of_chapter

MANY_TRIES = 3
ALL_HINTS = 2
SURPRISE = "a surprise"
MOST_LINES = 5
"""So many things to repeat are listed; more nobody repeats."""
LOOKED_UP, OPEN, GUESSED, SOLVED = range(4)
"""Kinds of what is worth repeating, the most pressing first."""


@dataclass(frozen=True)
class Overview:
    """Holds what `python -m autograder progress` prints.

    That is rows of (chapter, solved, asked, hints, numbers guessed right or close, numbers
    guessed), what to repeat (the most pressing first), and what is next.
    """

    rows: tuple[tuple[str, int, int, int, int, int], ...]
    repeat: tuple[str, ...]
    following: str | None

    def __str__(self) -> str:
        lines = [f"{'chapter':28} {'solved':>8} {'hints':>6} {'guessed close':>14}"]
        for name, solved, asked, hints, right, guessed in self.rows:
            lines.append(
                f"{name:28} {f'{solved} of {asked}' if asked else '-':>8} {hints or '-':>6} "
                f"{f'{right} of {guessed}' if guessed else '-':>14}"
            )
        if self.repeat:
            lines += ["", "Worth repeating:", *(f"  {line}" for line in self.repeat[:MOST_LINES])]
        if (more := len(self.repeat) - MOST_LINES) > 0:
            lines.append(f"  and {more} more: python -m autograder progress --all")
        lines += (
            ["", f"Next: {self.following}"] if self.following else ["", "Every exercise is solved."]
        )
        return "\n".join(lines)

    __repr__ = __str__  # the last line of a cell shows it


def overview(path: Path | None = None) -> Overview:
    """The overview of `path`, a progress.json; by default the learner's own,
    found from the current folder."""
    kept = progress.read(path)
    rows, following = [], None
    ranked: list[tuple[int, int, str]] = []
    for chapter in asked_chapters():
        if chapter not in released():
            continue
        asked = [question for question in of_chapter(chapter) if question.kind != "open"]
        entries = {question.id: _entry(kept["questions"], question.id) for question in asked}
        guesses = {
            name: entry
            for name, entry in kept["guesses"].items()
            if name.startswith(f"{chapter} ") and isinstance(entry, dict) and "truth" in entry
        }
        how = {name: guess_fits(name, entry) for name, entry in guesses.items()}
        wrong = {name: guesses[name] for name, fit in how.items() if SURPRISE in fit.values()}
        numbers = [fit for each in how.values() for fit in each.values()]
        rows.append(
            (
                _folder(chapter),
                sum(bool(entry.get("passed_at")) for entry in entries.values()),
                len(asked),
                sum(entry["hints"] for entry in entries.values()),
                sum(fit != SURPRISE for fit in numbers),
                len(numbers),
            )
        )
        for question in asked:
            if why := _why(entries[question.id]):
                line = f"{question.id}  {question.title}: {why}"
                ranked.append((_kind(entries[question.id]), -int(chapter), line))
        for name, entry in wrong.items():
            said, was = _said(entry.get("guess")), _said(entry["truth"])
            line = f'guess "{name}": you said {said}, it was {was}'
            ranked.append((GUESSED, -int(chapter), line))
        open_yet = [question for question in asked if not entries[question.id].get("passed_at")]
        if following is None and open_yet:
            following = f"{open_yet[0].id} · {open_yet[0].title}"
    repeat = tuple(line for *_, line in sorted(ranked, key=lambda each: each[:2]))
    return Overview(tuple(rows), repeat, following)


def details(path: Path | None = None) -> str:
    """One line for each question and each guess: everything progress.json remembers."""
    kept = progress.read(path)
    lines = [f"{'question':10} {'tries':>5} {'hints':>5}  state"]
    for chapter in asked_chapters():
        for question in of_chapter(chapter) if chapter in released() else ():
            entry = _entry(kept["questions"], question.id)
            state = (
                "passed"
                if entry.get("passed_at")
                else "read by a person"
                if question.kind == "open"
                else "open"
            )
            looked = f", answer shown {entry['revealed']}" if entry.get("revealed") else ""
            lines.append(f"{question.id:10} {entry['tries']:5} {entry['hints']:5}  {state}{looked}")
    for name, entry in kept["guesses"].items():
        if isinstance(entry, dict):
            lines.append(
                f'guess "{name}": {_said(entry.get("guess"))}'
                + (f"; it was {_said(entry['truth'])}" if "truth" in entry else "")
            )
    return "\n".join(lines)


def _entry(questions: dict, question_id: str) -> dict:
    """One question's entry, with numbers where numbers belong:
    the file is the learner's and may have been edited."""
    entry = questions.get(question_id)
    entry = dict(entry) if isinstance(entry, dict) else {}
    return {
        **entry,
        **{name: entry[name] if type(entry.get(name)) is int else 0 for name in ("tries", "hints")},
    }


def _kind(entry: dict) -> int:
    """How pressing it is to repeat an exercise."""
    if entry.get("passed_at"):
        return SOLVED
    return LOOKED_UP if entry.get("revealed") else OPEN


def _why(entry: dict) -> str:
    """Why an exercise is worth repeating; "" where it is not, or not yet."""
    if entry.get("revealed") and not entry.get("passed_at"):
        return "you looked it up; now solve it"
    reasons = [f"{entry['tries']} tries"] * (entry["tries"] >= MANY_TRIES) + [
        f"{entry['hints']} hints"
    ] * (entry["hints"] >= ALL_HINTS)
    if not reasons:
        return ""
    return (
        f"solved with {' and '.join(reasons)}"
        if entry.get("passed_at")
        else f"open after {' and '.join(reasons)}"
    )


def _said(values) -> str:
    """A guess's numbers as the learner wrote them: opened=4, kept=3."""
    return (
        ", ".join(f"{name}={value!r}" for name, value in values.items())
        if isinstance(values, dict)
        else repr(values)
    )


def _folder(chapter: str) -> str:
    return next(
        (path.name for path in sorted((notebooks() / "release").glob(f"{chapter}_*"))), chapter
    )
