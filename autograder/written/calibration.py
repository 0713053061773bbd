"""Compares the scorer with a teacher's own marks for one question, in a table with a gate.

    python -m autograder calibrate 03.open marks.csv             # id, answer, mark (0 to 4)
    python -m autograder calibrate 03.open OUT                   # the marks given in formgrader or
                                                                 in the review queue

The scorer reads each answer afresh, with the rubric of this moment. Only when the gate is met, and
only for this rubric, does `grade` settle what the scorer calls clear; everything else stays a
suggestion. The result is kept in OUT/calibration.json.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote

from autograder.grading import calibration
from autograder.grading.calibration import Calibration
from autograder.grading.scoring import decide
from autograder.written.agreement import (
    HIGHEST,
    kappa_at_least,
    mean_error,
    quadratic_weighted_kappa,
    share_at_most,
)
from autograder.written.answers import open_answers, out_of_four
from autograder.written.rubrics import suggest
from autograder.written.scorer import Suggestion

PASS_MARK = 3
LEAST_KAPPA, MOST_WRONG, MOST_REVIEW = 0.80, 0.02, 0.50
LEAST_ANSWERS, LEAST_EACH = 40, 10
"""Fewer answers than LEAST_ANSWERS, or fewer than LEAST_EACH of either kind,
say too little about the next three hundred."""

WANTED = (
    'wanted: columns id, answer, mark (0 to 4), or [{"id": ..., "answer": "...", "mark": 3}, ...]'
)


@dataclass(frozen=True)
class Marked:
    """An answer with a teacher's mark, 0 to 4. `gaming`: the teacher calls it no honest answer."""

    id: str
    answer: str
    mark: int
    gaming: bool = False


@dataclass(frozen=True)
class Trial:
    """The scorer beside the teacher, on one question. Pairs are (teacher's mark, scorer's)."""

    question: str
    rubric: str
    rows: tuple[tuple[Marked, Suggestion, str], ...]

    @property
    def decided(self) -> list[tuple[int, int]]:
        """The pairs of what the scorer would not send to a person."""
        return [
            (one.mark, suggestion.mark)
            for one, suggestion, decision in self.rows
            if decision != "review"
        ]

    def those(self, decision: str, passed: bool) -> list[Marked]:
        """The answers the scorer called this and the teacher passed, or did not."""
        return [
            one
            for one, _, said in self.rows
            if said == decision and (one.mark >= PASS_MARK) is passed
        ]

    def with_teachers(self, passed: bool) -> int:
        """How many answers the teacher passed, or failed."""
        return sum((one.mark >= PASS_MARK) is passed for one, _, _ in self.rows)

    @property
    def gamed(self) -> list[Marked]:
        """Accepted answers that the teacher calls gaming, or gave nothing at all."""
        return [
            one
            for one, _, decision in self.rows
            if decision == "accept" and (one.gaming or one.mark == 0)
        ]

    @property
    def review_share(self) -> float:
        """The share of answers left to a person."""
        return sum(decision == "review" for _, _, decision in self.rows) / max(1, len(self.rows))

    def conditions(self) -> list[tuple[str, str, str, bool]]:
        """The gate: (what, what was found, what is wanted, is it met)."""
        kappa, passes, fails = (
            quadratic_weighted_kappa(self.decided),
            self.with_teachers(True),
            self.with_teachers(False),
        )
        wrong = len(self.those("accept", passed=False))
        return [
            (
                "agreement beyond chance (QWK)",
                "cannot be told" if kappa is None else f"{kappa:.2f}",
                f"at least {LEAST_KAPPA:.2f}",
                kappa is not None and kappa >= LEAST_KAPPA,
            ),
            (
                "wrong answers passed",
                f"{wrong} of the {fails} you failed",
                f"at most {MOST_WRONG:.0%}",
                fails > 0 and wrong / fails <= MOST_WRONG,
            ),
            ("nonsense passed", f"{len(self.gamed)}", "none", not self.gamed),
            (
                "left to a person",
                f"{self.review_share:.0%}",
                f"at most {MOST_REVIEW:.0%}",
                self.review_share <= MOST_REVIEW,
            ),
            (
                "answers you marked",
                f"{len(self.rows)}: {passes} passed, {fails} failed",
                f"{LEAST_ANSWERS}, {LEAST_EACH} of each",
                len(self.rows) >= LEAST_ANSWERS and min(passes, fails) >= LEAST_EACH,
            ),
        ]

    @property
    def met(self) -> bool:
        """Whether every condition of the gate holds."""
        return all(met for *_, met in self.conditions())

    @property
    def wrong_rejects(self) -> float:
        """The share of the answers the teacher passed that the scorer would fail."""
        return len(self.those("reject", passed=True)) / max(1, self.with_teachers(True))

    def calibration(self, at: str = "") -> Calibration:
        """What is kept of it. A clear fail counts without a person only where the scorer fails no
        more good answers than it may pass bad ones."""
        decisions = (
            ()
            if not self.met
            else ("accept", "reject")
            if self.wrong_rejects <= MOST_WRONG
            else ("accept",)
        )
        fails = self.with_teachers(False)
        figures = {
            "answers": len(self.rows),
            "passed": self.with_teachers(True),
            "failed": fails,
            "kappa": quadratic_weighted_kappa(self.decided),
            "mean_error": mean_error(self.decided),
            "wrong_accepts": len(self.those("accept", passed=False)),
            "gaming_accepts": len(self.gamed),
            "wrong_rejects": len(self.those("reject", passed=True)),
            "review_share": self.review_share,
        }
        return Calibration(self.question, self.rubric, decisions, figures, at)


def trial(question: str, marked: Sequence[Marked], say=lambda text: None) -> Trial:
    """Score each marked answer. RubricMissing where the question has no rubric here."""
    rows = []
    for number, one in enumerate(marked, 1):
        suggestion = suggest(question, one.answer)
        rows.append((one, suggestion, decide(suggestion)))
        if number % 100 == 0:
            say(f"{number} of {len(marked)} answers read")
    return Trial(
        question, rows[0][1].rubric_hash if rows else suggest(question, "").rubric_hash, tuple(rows)
    )


def calibrate(
    question: str, source: Path, out: Path | None = None, say=lambda text: None
) -> tuple[str, bool]:
    """(the table as text, is the gate met). `source` is an OUT folder or a file of marks; the
    calibration is kept in `out`, or in `source` when that is the folder. ValueError or LookupError,
    with a sentence, for marks that cannot be used."""
    out = source if source.is_dir() else out
    if out is not None and not (out / "gradebook.db").is_file():
        raise LookupError(
            f"There is no gradebook in {out}; `python -m autograder grade DIR --out {out}` makes "
            "it."
        )
    marked = (
        from_gradebook(question, source)
        if source.is_dir()
        else from_file(question, source, out, say)
    )
    if not marked:
        raise ValueError(
            f"Nobody has marked an answer to {question} in {source} yet; "
            f"`python -m autograder review {quote(str(source))} {question}` is a quick way to mark "
            f"{LEAST_ANSWERS}."
        )
    found = trial(question, marked, say)
    believed = (
        out is not None
        and question in (before := calibration.read(out))
        and bool(before[question].decisions)
    )
    if out is not None:
        calibration.keep(out, found.calibration(datetime.now(UTC).isoformat(timespec="seconds")))
    return as_text(found, out, believed) + (
        _seen(source, question) if source.is_dir() else ""
    ), found.met


def _seen(out: Path, question: str) -> str:
    """How fair the marks of the gradebook are as a measure:
    who has the suggestion before their eyes leans towards it."""
    from autograder.written.queue import first_marks

    blind, all_ = first_marks(out, question)
    if all_ and blind >= all_ / 2:
        return ""
    return (
        "\n\nThese marks were given with the suggestion in sight, which makes any scorer look "
        f"better than it is; `python -m autograder review {quote(str(out))} {question} --blind` "
        "keeps it back."
    )


def from_gradebook(question: str, out: Path) -> list[Marked]:
    """A person's marks in OUT for the texts that stand there now."""
    return [
        Marked(answer.student, answer.text, out_of_four(answer.manual, answer.max))
        for answer in open_answers(out, question)
        if answer.manual is not None and not answer.waits
    ]


def from_file(
    question: str, path: Path, out: Path | None = None, say=lambda text: None
) -> list[Marked]:
    """The marks of a CSV or JSON file. An entry without its answer is looked up in OUT by its id;
    one without a mark is left out, and `say` tells how many. ValueError, with a sentence, for a
    file that is no such list."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not written in UTF-8; save it so and run the same command again."
        ) from None
    if path.suffix.lower() == ".json" or text.lstrip()[:1] in ("[", "{"):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as broken:
            raise ValueError(f"{path} is not JSON ({broken}); {WANTED}.") from None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError(f"{path} holds no list of marks; {WANTED}.")
    else:
        rows = _table(path, text)
    unmarked = [
        row
        for row in rows
        if str(row.get("mark") if row.get("mark") is not None else "").strip() == ""
    ]
    if unmarked and len(unmarked) < len(rows):
        say(f"{len(unmarked)} of {len(rows)} entries of {path} have no mark yet and are left out")
        rows = [row for row in rows if row not in unmarked]
    known = (
        {answer.student: answer.text for answer in open_answers(out, question)}
        if out is not None
        else {}
    )
    return [_marked(path, number, row, known) for number, row in enumerate(rows, 1)]


def _table(path: Path, text: str) -> list[dict]:
    """The rows of a table as a spreadsheet saves it: commas, semicolons or tabs between,
    whichever the first line has most of."""
    first = text.lstrip().partition("\n")[0]
    between = max(",;\t", key=first.count)
    table = csv.DictReader(io.StringIO(text, newline=""), delimiter=between, strict=True)
    try:
        rows = [
            {(name or "").strip().lower(): value for name, value in row.items()} for row in table
        ]
    except csv.Error:
        raise ValueError(
            f"{path}: by line {table.line_num} its quotation marks do not pair up, so answers "
            "would be lost; mend that and try again."
        ) from None
    if rows and "mark" not in rows[0]:
        raise ValueError(
            f"{path} has no column called mark, only {', '.join(filter(None, rows[0]))}; {WANTED}."
        )
    return rows


def as_text(found: Trial, out: Path | None, believed: bool = False) -> str:
    """The table, and what follows from it, in words."""
    lines = [f"{found.question}, rubric {found.rubric}: the scorer beside your marks", ""]
    for what, figure, wanted, met in found.conditions():
        lines.append(
            f"  {what:20} {figure:32} {'wanted: ' + wanted:28} {'met' if met else 'NOT MET'}"
        )
    decided, fails = found.decided, found.with_teachers(False)
    lines += [
        f"  {'mean error':20} {mean_error(decided):.2f} of {HIGHEST} marks, where no person reads",
        (
            f"  {'wrong rejects':20} {len(found.those('reject', passed=True))} of the "
            f"{found.with_teachers(True)} you passed"
        ),
        "",
        "How sure is this?",
    ]
    low = kappa_at_least(decided, found.question)
    if low is not None:
        lines.append(
            "  With other answers of the same kind the agreement can be as low as "
            f"{low:.2f}; in 95 of 100 such tries it is higher."
        )
    if fails:
        most = share_at_most(len(found.those("accept", passed=False)), fails)
        lines.append(
            (
                f"  {fails} failed answers cannot show more than this: of a hundred wrong answers "
                f"up to {100 * most:.0f} might be accepted"
            )
            + (
                "."
                if most <= 0.05
                else (
                    f"; to bring that below 5, mark {_more(found)} more wrong answers without one "
                    "being accepted."
                )
            )
        )
    unlike = sorted(
        (
            row
            for row in found.rows
            if (row[0].mark >= PASS_MARK) != row[1].passed and row[2] != "review"
        ),
        key=lambda row: (-abs(row[0].mark - row[1].mark), row[0].id),
    )
    if unlike:
        lines += ["", "Where you and the scorer differ, the largest difference first:"]
        lines += [
            f"  {one.id}: you {one.mark}, the scorer {suggestion.mark}. {suggestion.sentence}"
            for one, suggestion, _ in unlike[:10]
        ]
    return "\n".join([*lines, "", _follows(found, out, believed)])


def _follows(found: Trial, out: Path | None, believed: bool) -> str:
    if not found.met:
        kept = (
            f" An earlier calibration of {found.question} in {out} is no longer valid."
            if believed
            else ""
        )
        return (
            "The gate is not met: `grade` only suggests marks, and a person decides every answer "
            f"to {found.question}.{kept}"
        )
    stands = found.calibration().decisions
    what = (
        "clear passes and clear fails"
        if "reject" in stands
        else (
            "clear passes; clear fails stay with you, because the scorer would fail some answers "
            "that you passed"
        )
    )
    then = (
        f"The next `grade` into {out} settles {what}."
        if out is not None
        else f"Nothing was kept: with --out OUT the next `grade` into OUT would settle {what}."
    )
    return f"The gate is met. {then} If the rubric changes, its marks are suggestions again."


def _more(found: Trial) -> int:
    """Wrong answers still to be marked, none of them accepted, until the bound falls below 5 %."""
    wrong, fails = len(found.those("accept", passed=False)), found.with_teachers(False)
    return next(more for more in range(1, 10_000) if share_at_most(wrong, fails + more) <= 0.05)


def _marked(path: Path, number: int, row: dict, known: dict[str, str]) -> Marked:
    id = str(row.get("id") or row.get("student") or number)
    answer = row.get("answer") if row.get("answer") is not None else known.get(id)
    if not isinstance(answer, str):
        raise ValueError(
            f"Entry {number} of {path} has no answer, and {id} has none to this question in the "
            f"class; {WANTED}."
        )
    try:
        mark = float(str(row["mark"]).replace(",", "."))  # 3,5 in half of Europe
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"Entry {number} of {path} has no mark; {WANTED}.") from None
    if not (0 <= mark <= HIGHEST):
        raise ValueError(
            f"Entry {number} of {path} has the mark {mark:g}; marks are 0 to {HIGHEST}."
        )
    gaming = str(row.get("gaming") or row.get("kind") or "").strip().lower() in (
        "1",
        "true",
        "yes",
        "gaming",
    )
    return Marked(id, answer, int(mark + 0.5), gaming)
