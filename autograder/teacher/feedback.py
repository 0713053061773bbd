"""What a student gets back: one page a notebook, that needs nothing from anywhere and runs nothing.

    python -m autograder feedback OUT          # OUT/feedback/STUDENT/NN_noun.html, and
                                               not_graded.html for what could not be read

Every text of a student's is escaped, and a policy in the page forbids scripts, pictures and
addresses besides. A hidden case is told by a hint, never by its input. An open answer that waits
for a person says so; the suggestion is the teacher's until the teacher has decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from autograder.cell.outcome import Outcome
from autograder.cell.question import find
from autograder.course.judge import judge_of
from autograder.course.leaks import Leak, of_feedback
from autograder.course.masters import Master, master
from autograder.gradebook import late
from autograder.gradebook.files import write_atomically
from autograder.gradebook.late import Policy, lateness_text, moment_text
from autograder.gradebook.read import GradeCell, Sheet, sheets
from autograder.grading.results import for_student
from autograder.handed_in.submission import REFUSED, UNREADABLE
from autograder.written.answers import answers_in, counted_results, read_results
from autograder.written.html_pages import pages_in

LONGEST_ANSWER = 20_000
MOST_BYTES = 300_000
NOT_GRADED = "not_graded.html"
PAGES = pages_in(Path(__file__).parent / "pages")


def write_feedback(out: Path, say=lambda text: None) -> int:
    """Write a page for each student and notebook of OUT's gradebook, and one for each student with
    a file that could not be read; returns how many. LookupError when nothing was graded, or not to
    the end, for then there are marks without a sentence. Leak where a page would give a solution or
    a hidden case away: it is not written, and all others are, for what an error of one student's
    says must not keep a class waiting."""
    results = read_results(out)
    counted = counted_results(results)
    costs, written, leaky = late.policy(), 0, []
    graded_here = {result["assignment"] for result in results.values()}
    for sheet in sheets(out):
        # an assignment of the teacher's own in the same gradebook
        if sheet.assignment not in graded_here:
            continue
        own = master(sheet.assignment[:2])
        blank = {cell.question: cell.source.strip() for cell in own.cells if cell.question}
        rebuilt = out / "autograded" / sheet.student / sheet.assignment
        answers = {
            question: text
            for question, text in answers_in(rebuilt / f"{sheet.assignment}.ipynb").items()
            if text.strip() != blank.get(question)
        }
        result = counted.get(
            (sheet.student, sheet.assignment), {"cells": {}, "reason_for_student": ""}
        )
        told, reason = sentences(result), for_student(result)
        leak = leak_in(own.chapter, [*told.values(), reason])
        if leak:
            leaky.append((sheet.student, sheet.assignment, leak))
            continue
        path = out / "feedback" / sheet.student / f"{sheet.assignment}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, feedback_page(sheet, own, answers, told, reason, costs))
        written += 1
        if written % 1000 == 0:
            say(f"{written} pages written")
    written += _write_not_graded(out / "feedback", results)
    if leaky:
        student, assignment, leak = leaky[0]
        others = (
            f" Nor was that of {', '.join(other for other, *_ in leaky[1:])}, for the like."
            if leaky[1:]
            else ""
        )
        raise Leak(
            f"The feedback of {student} on {assignment} was not written, for it would hold {leak}; "
            f"the words may be the student's own.{others} The other {written} pages are good."
        )
    return written


def _write_not_graded(folder: Path, results: dict) -> int:
    """A page for each student with a file that could not be read,
    and none any more where that is over; returns how many."""
    unread: dict[str, list[tuple[str, str]]] = {}
    chapters: dict[str, set[str]] = {}
    graded = {result["assignment"][:2] for result in results.values() if result["assignment"]}
    for name, result in results.items():
        if result["status"] in (UNREADABLE, REFUSED):
            unread.setdefault(result["student"], []).append((name, _sentence(for_student(result))))
            named = re.search(r"(?<!\d)(\d\d)_[a-z]", name)
            chapters.setdefault(result["student"], set()).update({named[1]} if named else graded)
    for path in folder.glob(f"*/{NOT_GRADED}"):
        path.unlink()
    for student, files in unread.items():
        path = folder / student / NOT_GRADED
        path.parent.mkdir(parents=True, exist_ok=True)
        # it names the chapter's number where only one can be meant
        meant = chapters[student]
        page = PAGES.get_template(NOT_GRADED).render(
            student=student, files=files, chapter=next(iter(meant)) if len(meant) == 1 else ""
        )
        write_atomically(path, page)
    return len(unread)


def sentences(result: dict) -> dict[str, str]:
    """What a student is told to each question. Where a hidden case failed it is a hint and no more:
    even the name of an error could carry the hidden input home."""
    return {
        question: _of_hidden(question, cell["misconception"])
        if cell["outcome"] == Outcome.HIDDEN
        else cell["sentence"]
        for question, cell in result["cells"].items()
    }


def leak_in(chapter: str, texts: Iterable[str]) -> str | None:
    """What these texts to a student would give away of the chapter; None, as one hopes."""
    return of_feedback(chapter).found_in("\n".join(texts))


def lateness_sentence(sheet: Sheet, costs: Policy) -> str:
    """How late it came and what that costs, after a blank; "" where neither can be said."""
    if not sheet.seconds_late:
        return f" A penalty of {sheet.late_penalty:g} is taken off." if sheet.late_penalty else ""
    taken = (
        f"{sheet.late_penalty:g} of the {sheet.earned:g} points earned are taken off"
        if sheet.late_penalty
        else "nothing is taken off"
    )
    return (
        f" It was due {_at(sheet.due)} and came {lateness_text(sheet.seconds_late)} late; {taken}"
        f" ({costs})."
    )


def feedback_page(
    sheet: Sheet,
    own: Master,
    answers: dict[str, str],
    sentences: dict[str, str],
    reason: str = "",
    costs: Policy = Policy(),
) -> str:
    """One page, of at most MOST_BYTES. `answers` are the student's texts by question;
    `sentences` ours; `reason` what was odd about the file."""
    for longest in (LONGEST_ANSWER, 6_000, 2_000, 600, 0):
        page = _page(
            sheet,
            own,
            {question: _cut(text, longest) for question, text in answers.items()},
            sentences,
            reason,
            costs,
            longest,
        )
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


def _page(
    sheet: Sheet, own: Master, answers, sentences, reason: str, costs: Policy, longest: int
) -> str:
    waiting = sum(cell.max for cell in sheet.cells if cell.waits and not cell.renewed)
    return PAGES.get_template("feedback.html").render(
        chapter=own.name,
        name=sheet.name or sheet.student,
        score=f"{sheet.score:g}",
        reached=f"{sum(cell.max for cell in sheet.cells) - waiting:g}",
        still=f"; {waiting:g} more points wait for your teacher" if waiting else "",
        handed_in=f", handed in {_at(sheet.handed_in)}" if sheet.handed_in else "",
        lateness=lateness_sentence(sheet, costs),
        reason=reason,
        questions=[
            _question(
                cell, answers.get(cell.question, ""), sentences.get(cell.question, ""), longest
            )
            for cell in sheet.cells
        ],
        student=sheet.student,
        assignment=sheet.assignment,
    )


def _at(utc: str) -> str:
    return moment_text(datetime.fromisoformat(utc))


def _of_hidden(question: str, misconception: str | None) -> str:
    """The name of what went wrong, where its sentence is the same for every case, and a hint."""
    wrong = next(
        (wrong for wrong in judge_of(question).wrong_answers if wrong.name == misconception),
        None,
    )
    why = (
        wrong.sentence
        if wrong and "{" not in wrong.sentence
        else "It holds for the cases you see, and not for all."
    )
    hints = find(question).hints
    return f"It fails on a hidden case. {why}" + (f" Hint: {hints[0]}" if hints else "")


def _question(cell: GradeCell, answer: str, sentence: str, longest: int) -> dict[str, str]:
    """What the page shows of one question."""
    if cell.waits:
        kind, mark, sentence = "waits", f"waits, of {cell.max:g}", "A person will read this answer."
        if cell.renewed:
            mark = f"{cell.score:g} of {cell.max:g}"
            sentence += " Until then the mark of your earlier answer counts."
    else:
        kind = "full" if cell.score >= cell.max else "part" if cell.score > 0 else "none"
        mark = f"{cell.score:g} of {cell.max:g}"
        if cell.by_hand:  # what the test said stays: it is why somebody looked
            tested = sentence and "open" not in cell.question
            sentence = "Your teacher gave this mark." + (
                f" The test said: {sentence}" if tested else ""
            )
    return {
        "question": cell.question,
        "title": _title(cell.question),
        "kind": kind,
        "mark": mark,
        "sentence": _sentence(sentence),
        "comment": _cut(cell.comment, max(longest, 600)) if cell.comment else "",
        "answer": answer,
    }


def _title(question: str) -> str:
    """What was asked, in a few words; an open question is a text of its own,
    which the notebook has."""
    try:
        found = find(question)
    except KeyError:
        return ""
    return "in your own words" if found.kind == "open" else found.title


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "\n(the remainder is left out here)"
