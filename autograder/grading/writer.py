"""The one writer: `python -m autograder.grading.writer OUT` owns gradebook.db and what is kept
beside it.

A result arrives with its submission. It is written in this order: what was heard, the gradebook's
rows (one transaction), the notebook for formgrader, and last the kept result, in one move. Only
that last move says "done": killed before it, the submission is graded once more and the same rows
get the same values again; killed after it, nothing is left to do.

Nobody else writes while this process lives: it holds OUT/.writer. The writer of a run that was
killed ends by itself as soon as it has written what it has in hand, and the next one waits for
that.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from datetime import datetime
from pathlib import Path

from autograder.course.masters import master
from autograder.gradebook.files import WRITER_SECONDS, holding
from autograder.grading import results
from autograder.grading.open_marks import marks_of
from autograder.grading.replies import keep as keep_heard
from autograder.handed_in.classlist import Roster
from autograder.handed_in.submission import Submission


class Writer:
    """What the process does, as an object, for those who have no process to spare. It has spent
    `seconds` on the gradebook so far, and those of `beside` on the files beside it."""

    def __init__(self, out: Path):
        # nbgrader takes a second to import
        from autograder.gradebook.write import Gradebook

        self.out, self.seconds, self.beside = out, 0.0, 0.0
        self._book = Gradebook(out).__enter__()

    def write(
        self,
        key: str,
        submission: Submission,
        result: dict,
        received: datetime,
        row: dict,
        asked=None,
        heard=None,
    ) -> None:
        """Keep a result; into the gradebook too, when it counts.
        `row` is the student's of the class list."""
        begun, gradebook = time.perf_counter(), self.seconds
        if heard is not None:
            keep_heard(self.out, key, asked, heard)
        if result["counted"] and submission.can_run:
            told = master(submission.chapter), submission, marks_of(result), received
            self._book.roster, started = Roster({submission.student: row}), time.perf_counter()
            self._book.write(*told)
            self.seconds += time.perf_counter() - started
            self._book.show(*told)
        results.keep(self.out / "results", key, result)
        self.beside += time.perf_counter() - begun - (self.seconds - gradebook)

    def close(self) -> None:
        """A class of nobody has a gradebook too."""
        self._book.__exit__()


def _serve(out: Path) -> None:
    from autograder.grading.child_process import serve

    def answer(question: dict) -> dict:
        if question["do"] == "close":
            writer.close()
            return {"seconds": round(writer.seconds, 3), "beside": round(writer.beside, 3)}
        writer.write(
            question["key"],
            Submission.from_plain(question["submission"]),
            question["result"],
            datetime.fromisoformat(question["received"]),
            question["row"],
            question["asked"],
            question["heard"],
        )
        return {}

    os.umask(0o077)  # the gradebook and its journals are the teacher's
    with holding(
        out / ".writer",
        WRITER_SECONDS,
        "another run is still writing there; wait for it to end, or end it",
    ):
        try:
            writer = Writer(out)
        except Exception as failed:
            # no gradebook can be made there: said when the first result comes
            answer = _unable(failed)
        serve(answer)


def _unable(why: Exception):
    def answer(question: dict) -> dict:
        raise why

    return answer


def _tables_alone() -> None:
    """Import nbgrader without its front door, which opens the pages of its server: half of what
    the import takes, and the writer wants its tables."""
    spec = importlib.util.find_spec("nbgrader")
    if spec is not None:
        sys.modules["nbgrader"] = importlib.util.module_from_spec(spec)


if __name__ == "__main__":
    # jsonschema tries this checker of web addresses, which no notebook needs and whose import takes
    # two seconds.
    sys.modules.setdefault("rfc3987_syntax", None)
    _tables_alone()
    _serve(Path(sys.argv[1]))
    # all is written; taking nbgrader's modules apart would take a third of a second
    sys.stderr.flush()
    os._exit(0)
