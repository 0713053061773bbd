"""Chooses which of a student's files of one chapter counts, by the policy of the course
(gradebook/late.py)."""

from __future__ import annotations

from pathlib import Path

from autograder.course.masters import master
from autograder.gradebook import late
from autograder.grading import results
from autograder.grading.open_marks import marks_of, settle
from autograder.handed_in.classlist import Roster
from autograder.handed_in.receipts import Receipts
from autograder.handed_in.submission import Submission


class Choice:
    """Which of a student's files of one chapter counts, by the course's policy (late.COUNTS).

    Of several that say they are somebody's those are looked at whose file bears the name; anybody
    can write another's into a notebook.
    """

    def __init__(
        self, out: Path, receipts: Receipts, roster: Roster, calibrations, keys: dict[tuple, str]
    ):
        self._out = out
        self._receipts = receipts
        self._roster = roster
        self._calibrations = calibrations
        self._keys = keys
        self._lost, self._rule = late.lateness(out), late.policy().counts

    def of(self, found) -> dict[tuple[str, str], Submission]:
        """(student, chapter) -> the submission that counts. A late file that is not graded yet is
        taken to be worth more."""
        several: dict[tuple[str, str], list[Submission]] = {}
        for each in sorted((each for each in found if each.can_run), key=self._receipts.number):
            several.setdefault((each.student, each.chapter), []).append(each)
        return {
            who: self._best([each for each in files if bears(self._roster, each)] or files)
            for who, files in several.items()
        }

    def lost(self, submission: Submission) -> float:
        """The share of its points that a submission loses by lateness."""
        return self._lost(
            submission.student, master(submission.chapter).name, self._receipts.at(submission)
        )

    def _best(self, files: list[Submission]) -> Submission:
        in_time = [each for each in files if not self.lost(each)]
        if self._rule == "last" or len(files) == 1 or len(in_time) == len(files):
            return files[-1]
        if self._rule == "in time":
            return (in_time or files)[-1]
        base = in_time[-1] if in_time else files[0]
        best = base
        for each in files:
            if (
                self._receipts.number(each) > self._receipts.number(base)
                and self.lost(each)
                and self._worth(each) > self._worth(best) + 1e-9
            ):
                best = each
        return best

    def _worth(self, submission: Submission) -> float:
        """The points of a submission after the penalty; of an open answer that waits, those that
        the rubric suggests."""
        known = results.read(self._out / "results", self._keys[identity_of(submission)])
        if known is None:
            return float("inf") if self.lost(submission) else 0.0
        return sum(
            (mark.suggested or 0.0) if mark.waits else mark.score
            for mark in marks_of(settle(known, self._calibrations)).values()
        ) * (1 - self.lost(submission))


def identity_of(submission: Submission) -> tuple:
    return submission.name, submission.sha256, submission.chapter


def bears(roster: Roster, submission: Submission) -> bool:
    return roster.bears(submission.path, submission.student)


def told_of_lateness(choice: Choice, new: list[Submission], too_late: list[str]) -> list[str]:
    """What a teacher should hear about the late ones of this run."""
    lines = []
    if too_late:
        lines.append(
            f"Handed in again late, and the file before counts: {', '.join(sorted(set(too_late)))}."
        )
    ran = [each for each in new if each.can_run]
    if len(ran) > 2 and all(choice.lost(each) for each in ran):
        lines.append(
            f"All {len(ran)} new submissions are late by the moment of this run. Did they hand in"
            " earlier? Then name the list of that assignment with --roster: Moodle's has a column"
            ' "Last modified (submission)", and those moments will count. For a folder that'
            " `nbgrader collect` made, give `receive DIR --out OUT --times nbgrader`, then `grade`"
            " again: the exchange's moments will count."
        )
    return lines
