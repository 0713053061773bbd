"""Lists what a run has to do: submissions without a result, and results the gradebook lacks."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose
from pathlib import Path

from autograder.course.masters import master
from autograder.gradebook.write import points_to_enter, recorded, written
from autograder.grading import out_folder, results
from autograder.grading.open_marks import marks_of, settle
from autograder.handed_in.receipts import Receipts
from autograder.handed_in.submission import Submission


@dataclass(frozen=True)
class WorkItem:
    """One submission and what is to be done with it.

    Its answers are not kept here: they are read again from the copy when its turn comes.
    """

    submission: Submission
    key: str
    counts: bool  # the student's last one, which the gradebook shows
    received: str
    known: dict | None = None  # its result, when only the gradebook is behind

    @property
    def kind(self) -> str:
        """Submissions of one kind take about the same time."""
        return (
            "nothing to run"
            if self.known is not None or not self.submission.can_run
            else self.submission.chapter
        )


def works(keyed: list[tuple[Submission, str]], counts: dict, receipts: Receipts) -> list[WorkItem]:
    return [
        WorkItem(
            each,
            key,
            counts.get((each.student, each.chapter)) is each,
            receipts.at(each).isoformat(),
        )
        for each, key in keyed
    ]


def standing(
    older: list[out_folder.GradedFile], found: list[Submission], receipts: Receipts
) -> list[out_folder.GradedFile]:
    """Those of earlier runs that are still shown. What could not be read is forgotten once the
    same student has handed in anything since."""
    newest: dict[str, int] = {}
    older = [entry for entry in older if receipts.knows(entry.submission)]
    for each in (*found, *(entry.submission for entry in older)):
        newest[each.student] = max(newest.get(each.student, 0), receipts.number(each))
    return [
        entry
        for entry in older
        if entry.submission.can_run
        or receipts.number(entry.submission) == newest[entry.submission.student]
    ]


def still_to_do(work: list[WorkItem], out: Path, calibrations, force: bool) -> list[WorkItem]:
    """What has no result yet; and what has one that the gradebook must be told of again: it counts
    since another one went, or the teacher has calibrated a question since, or its notebook was
    lost. One that no longer counts is marked so here, before anything takes its place."""
    todo, kept, in_gradebook = [], out / "results", recorded(out)
    for each in work:
        known = None if force else results.read(kept, each.key)
        if known is None or known.get("lost"):
            todo.append(each)
        elif each.counts and (
            not known["counted"]
            or settle(known, calibrations) != known
            or not _shown(out, each.submission, known, in_gradebook)
        ):
            todo.append(WorkItem(each.submission, each.key, each.counts, each.received, known))
        elif known["counted"] and not each.counts:
            results.keep(kept, each.key, {**known, "counted": False})
    return todo


def _shown(
    out: Path, submission: Submission, known: dict, in_gradebook: dict[tuple[str, str], float]
) -> bool:
    own = master(submission.chapter)
    points = sum(points_to_enter(mark) or 0.0 for mark in marks_of(known).values())
    return isclose(
        in_gradebook.get((submission.student, own.name), -1.0), points, abs_tol=1e-6
    ) and written(out, own, submission.student)
