"""What a student gets back: one page a notebook, that needs nothing from anywhere and runs nothing.

    python -m autograder feedback OUT          # OUT/feedback/STUDENT/NN_noun.html, and
                                               not_graded.html for what could not be read

Every text of a student's is escaped, and a policy in the page forbids scripts, pictures and
addresses besides. A hidden case is told by a hint, never by its input. An open answer that waits
for a person says so; the suggestion is the teacher's until the teacher has decided.
"""

from __future__ import annotations

import html
import json
import re
from datetime import datetime
from pathlib import Path

from autograder.cell.course_folder import question_of, text_of
from autograder.cell.outcome import Outcome
from autograder.cell.question import find
from autograder.course.judge import judge_of
from autograder.course.leaks import Leak, of_feedback
from autograder.course.masters import Master, master
from autograder.gradebook import late
from autograder.gradebook.late import Policy, shown
from autograder.gradebook.late import told as told_late
from autograder.gradebook.read import Cell, Sheet, sheets
from autograder.grading.results import write_atomically
from autograder.handed_in.submission import REFUSED, UNREADABLE
from autograder.written.answers import read_results

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
LONGEST_ANSWER = 20_000
MOST_BYTES = 300_000
NOT_GRADED = "not_graded.html"
HAND_IN_AGAIN = """<p class=said>Open the chapter in JupyterLab, look whether your answers are there, and save.
<code>python -m autograder pack {chapter}</code>{which} makes the file to hand in.
If a page of this chapter lies beside this one, another file of yours was graded.</p>"""  # noqa: E501
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.4rem } h2 { font-size: 1.05rem; margin: 2rem 0 .3rem } .mark { float: right; font-weight: 600; margin-left: 1rem }
.title { font-weight: 400; margin-left: .6rem }
.full { color: #00694d } .part { color: #8a5a00 } .none { color: #a3001d } .waits { color: #555 }
pre { background: #f5f5f5; padding: .7rem; overflow-x: auto; font-size: 14px; white-space: pre-wrap; overflow-wrap: anywhere }
p { margin: .3rem 0 } .said { border-left: 3px solid #56B4E9; padding-left: .7rem } footer { margin-top: 3rem; color: #555; font-size: 14px }
"""  # noqa: E501


def write_feedback(out: Path, say=lambda text: None) -> int:
    """Write a page for each student and notebook of OUT's gradebook, and one for each student with
    a file that could not be read; returns how many. LookupError when nothing was graded, or not to
    the end, for then there are marks without a sentence. Leak where a page would give a solution or
    a hidden case away: it is not written, and all others are, for what an error of one student's
    says must not keep a class waiting."""
    results = read_results(out)
    counted = {
        (result["student"], result["assignment"]): result
        for result in results.values()
        if result.get("counted")
    }
    costs, written, leaky = late.policy(), 0, []
    graded_here = {result["assignment"] for result in results.values()}
    for sheet in sheets(out):
        # an assignment of the teacher's own in the same gradebook
        if sheet.assignment not in graded_here:
            continue
        own = master(sheet.assignment[:2])
        blank = {cell.question: cell.source.strip() for cell in own.cells if cell.question}
        answers = _answers(
            out / "autograded" / sheet.student / sheet.assignment / f"{sheet.assignment}.ipynb"
        )
        answers = {
            question: text
            for question, text in answers.items()
            if text.strip() != blank.get(question)
        }
        result = counted.get(
            (sheet.student, sheet.assignment), {"cells": {}, "reason_for_student": ""}
        )
        told = sentences(result)
        leak = of_feedback(own.chapter).found_in(
            "\n".join([*told.values(), result["reason_for_student"]])
        )
        if leak:
            leaky.append((sheet.student, sheet.assignment, leak))
            continue
        path = out / "feedback" / sheet.student / f"{sheet.assignment}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(
            path, feedback_page(sheet, own, answers, told, result["reason_for_student"], costs)
        )
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
    unread: dict[str, list[str]] = {}
    chapters: dict[str, set[str]] = {}
    graded = {result["assignment"][:2] for result in results.values() if result["assignment"]}
    for name, result in results.items():
        if result["status"] in (UNREADABLE, REFUSED):
            unread.setdefault(result["student"], []).append(
                f"<h2>{_text(name)}</h2><p>{_text(_sentence(result['reason_for_student']))}</p>"
            )
            named = re.search(r"(?<!\d)(\d\d)_[a-z]", name)
            chapters.setdefault(result["student"], set()).update({named[1]} if named else graded)
    for path in folder.glob(f"*/{NOT_GRADED}"):
        path.unlink()
    for student, files in unread.items():
        path = folder / student / NOT_GRADED
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(
            path,
            _whole(
                f"Not graded: {student}",
                [
                    "<h1>Not graded, for it could not be read</h1>",
                    *files,
                    _hand_in_again(chapters[student]),
                ],
            ),
        )
    return len(unread)


def _hand_in_again(chapters: set[str]) -> str:
    """What to do now; the chapter's number stands in it where only one can be meant."""
    if len(chapters) == 1:
        return HAND_IN_AGAIN.format(chapter=next(iter(chapters)), which="")
    return HAND_IN_AGAIN.format(
        chapter="NN", which=", with the number of your chapter in place of NN,"
    )


def sentences(result: dict) -> dict[str, str]:
    """What a student is told to each question. Where a hidden case failed it is a hint and no more:
    even the name of an error could carry the hidden input home."""
    return {
        question: _of_hidden(question, cell["misconception"])
        if cell["outcome"] == Outcome.HIDDEN
        else cell["sentence"]
        for question, cell in result["cells"].items()
    }


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
    name = f"{sheet.first_name} {sheet.last_name}".strip() or sheet.student
    waiting = sum(cell.max for cell in sheet.cells if cell.waits)
    reached = sum(cell.max for cell in sheet.cells) - waiting
    still = f"; {waiting:g} more points wait for your teacher" if waiting else ""
    parts = [
        f"<h1>{_text(own.name)}: {sheet.score:g} of {reached:g} points{still}</h1>",
        (
            f"<p>{_text(name)}{', handed in ' + _at(sheet.handed_in) if sheet.handed_in else ''}.{_lateness(sheet, costs)}</p>"  # noqa: E501
        ),
    ]
    if reason:
        parts.append(f"<p class=said>About the file: {_text(reason)}</p>")
    parts += [
        _question(cell, answers.get(cell.question, ""), sentences.get(cell.question, ""), longest)
        for cell in sheet.cells
    ]
    parts.append(
        "<footer>Words of yours stand here as you wrote them. Hidden cases are named, not shown. "
        "Something looks wrong? Tell your teacher the question and this line: "
        f"{_text(sheet.student)}, {_text(sheet.assignment)}.</footer>"
    )
    return _whole(f"{own.name}, {name}", parts)


def _whole(title: str, parts: list[str]) -> str:
    return (
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta '
            f'http-equiv="Content-Security-Policy" content="{POLICY}"><meta name="viewport" '
            f'content="width=device-width"><title>{_text(title)}</title><style>{STYLE}</style></'
            "head>"
            f"<body>\n"
        )
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _lateness(sheet: Sheet, costs: Policy) -> str:
    if not sheet.seconds_late:
        return f" A penalty of {sheet.late_penalty:g} is taken off." if sheet.late_penalty else ""
    taken = (
        f"{sheet.late_penalty:g} of the {sheet.earned:g} points earned are taken off"
        if sheet.late_penalty
        else "nothing is taken off"
    )
    return (
        f" It was due {_at(sheet.due)} and came {told_late(sheet.seconds_late)} late; {taken}"
        f" ({costs})."
    )


def _at(utc: str) -> str:
    return shown(datetime.fromisoformat(utc))


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


def _question(cell: Cell, answer: str, sentence: str, longest: int) -> str:
    if cell.waits:
        kind, mark, sentence = "waits", f"waits, of {cell.max:g}", "A person will read this answer."
    else:
        kind = "full" if cell.score >= cell.max else "part" if cell.score > 0 else "none"
        mark = f"{cell.score:g} of {cell.max:g}"
        if cell.by_hand:  # what the test said stays: it is why somebody looked
            tested = sentence and "open" not in cell.question
            sentence = "Your teacher gave this mark." + (
                f" The test said: {sentence}" if tested else ""
            )
    said = (
        f"<p class=said>Your teacher: {_text(_cut(cell.comment, max(longest, 600)))}</p>"
        if cell.comment
        else ""
    )
    return (
        "<h2><span class='mark "
        f"{kind}'>{mark}</span>{_text(cell.question)}{_title(cell.question)}</h2><p>{_text(_sentence(sentence))}</p>{said}"
    ) + (
        f"<pre>{_text(answer)}</pre>"
        if answer.strip()
        else "<p class=waits>Nothing was written here.</p>"
    )


def _title(question: str) -> str:
    """What was asked, in a few words; an open question is a text of its own,
    which the notebook has."""
    try:
        found = find(question)
    except KeyError:
        return ""
    return (
        "<span "
        f"class=title>{_text('in your own words' if found.kind == 'open' else found.title)}</span>"
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "\n(the rest is left out here)"


def _answers(path: Path) -> dict[str, str]:
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


def _text(text: str) -> str:
    return html.escape(CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))
