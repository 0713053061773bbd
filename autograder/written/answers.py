"""Reads a class's open answers: the text, the rubric's suggestion, a person's decision.

Read from OUT/results.json and OUT/gradebook.db; nothing is written here. Marks are points of the
question; `out_of_four` brings them to the rubrics' scale.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.cell.course_folder import question_of, text_of
from autograder.course.masters import master
from autograder.course.references import references
from autograder.grading.results import is_old

WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class OpenAnswer:
    """One student's answer to one open question. `manual` is a person's mark in points, None before
    there is one; `waits`: a person is to read it (again); `suggestion`: what the rubric said, empty
    where there is no rubric."""

    student: str
    assignment: str
    question: str
    text: str
    max: float
    manual: float | None
    waits: bool
    comment: str
    suggestion: Mapping

    @property
    def token(self) -> str:
        """What stands for it in lists that name nobody: eight hex digits, the same in every run."""
        return token_of(self.student, self.question)

    @property
    def is_model_answer(self) -> bool:
        """Whether it is the course's model answer, word for word."""
        return is_model_answer(self.question, self.text)

    @property
    def digest(self) -> str:
        """Sixteen hex digits of the text: a mark belongs to a text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def token_of(student: str, question: str) -> str:
    """What stands for one student's answer in lists that name nobody."""
    return hashlib.sha256(f"{student}\0{question}".encode()).hexdigest()[:8]


def is_model_answer(question: str, text: str) -> bool:
    """Whether a text is the model answer of a question, blanks, signs and capitals aside."""
    model = references(question[:2]).get(question, "")
    return bool(model) and WORDS.findall(text.lower()) == WORDS.findall(model.lower())


def open_answers(out: Path, question: str | None = None) -> list[OpenAnswer]:
    """Every answer somebody wrote to an open question (or to this one), by question and student.
    LookupError, with a sentence, when nothing was graded into OUT or it has no such question."""
    results = read_results(out)
    rows = _rows(out)
    found, asked = [], set()
    for result in results.values():
        if not result.get("counted") or not result["assignment"]:
            continue
        open_ids = [cell for cell, about in result["cells"].items() if about["kind"] == "open"]
        asked.update(open_ids)
        for own in open_ids:
            about = result["suggestions"].get(own)
            if about is None or (question and own != question):
                continue
            manual, waits, comment = rows.get(
                (result["student"], result["assignment"], own), (None, True, "")
            )
            found.append(
                OpenAnswer(
                    result["student"],
                    result["assignment"],
                    own,
                    about.get("answer", ""),
                    result["cells"][own]["max"],
                    manual,
                    waits,
                    comment,
                    about if "mark" in about else {},
                )
            )
    if question and question not in asked:
        raise LookupError(
            f"{out} has no answers to {question}; it has "
            f"{', '.join(sorted(asked)) or 'no open questions'}."
        )
    return sorted(found, key=lambda answer: (answer.question, answer.student))


def read_results(out: Path) -> dict[str, dict]:
    """OUT/results.json; LookupError, with a sentence, when nothing was graded into it, or by an
    older version of this package."""
    try:
        results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    except PermissionError:
        raise  # there may be results: this account cannot say
    except (OSError, ValueError):
        done = sum(1 for _ in (out / "results").glob("*.json"))
        if done:
            raise LookupError(
                f"The grading into {out} has not come to its end: {done}"
                f" {'are' if done > 1 else 'is'} graded. The same `grade` command goes on from"
                " there."
            ) from None
        raise LookupError(
            f"There are no results in {out}; `python -m autograder grade DIR --out {out}` makes "
            "them."
        ) from None
    if any(map(is_old, results.values())):
        raise LookupError(
            f"The results in {out} were made by an older version, without outcomes. The same"
            " `grade` command makes them again from the copies it kept; marks that a person gave"
            " stay."
        )
    return results


def answers_in(path: Path) -> dict[str, str]:
    """The student's own texts, by question, from the rebuilt notebook: its answer cells."""
    if not path.is_file():
        return {}
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        about = cell.get("metadata", {}).get("nbgrader", {})
        question = question_of(about.get("grade_id", ""))
        if question and about.get("solution"):
            text = text_of(cell)
            # the gradebook's copy is escaped once
            found[question] = html.unescape(text) if cell["cell_type"] == "markdown" else text
    return found


def counted_results(results: Mapping[str, dict]) -> dict[tuple[str, str], dict]:
    """(student, assignment) -> the result that counts."""
    return {
        (result["student"], result["assignment"]): result
        for result in results.values()
        if result.get("counted") and result["assignment"]
    }


def title_of(question: str) -> str:
    """What was asked: the markdown above the answer's cell, without the answer's own text;
    "" when the chapter is not here."""
    own = master(question[:2])
    place = next(index for index, cell in enumerate(own.cells) if cell.question == question)
    above = [cell.source for cell in own.cells[:place] if cell.kind == "text"]
    return above[-1].strip() if above else ""


def out_of_four(points: float, most: float) -> int:
    """A mark in points on the rubrics' scale of 0 to 4."""
    return min(4, max(0, int(4 * points / most + 0.5))) if most else 0


def _rows(out: Path) -> dict[tuple[str, str, str], tuple[float | None, bool, str]]:
    """(student, assignment, question) -> (a person's mark, does it wait, a person's comment)."""
    from autograder.gradebook.read import sheets

    return {
        (sheet.student, sheet.assignment, cell.question): (cell.manual, cell.waits, cell.comment)
        for sheet in sheets(out)
        for cell in sheet.cells
    }
