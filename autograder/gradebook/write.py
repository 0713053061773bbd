"""The one writer into nbgrader's gradebook.db, so that formgrader opens on our results.

Each submission is one transaction. Scores and comments go where nbgrader keeps the autograder's own
(`auto_score`, `auto_comment`); what a person has entered (`manual_score`, `manual_comment`, extra
credit) is never touched. An open answer that waits for a person has no score, as nbgrader's own
autograder leaves it; what the rubric suggests is in its comment. So nbgrader's sums have only what
counts. A mark a person gave stays given, unless the student's text has changed since: then nbgrader
asks to look again.
"""

from __future__ import annotations

import contextlib
import html
import json
import sqlite3
import textwrap
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from autograder.cell.course_folder import question_of, text_of
from autograder.course.masters import Master
from autograder.gradebook.database import (
    NAME,
    WAIT_SECONDS,
    changing,
    has_table,
    reading,
    text_of_moment,
)
from autograder.gradebook.files import write_atomically
from autograder.gradebook.students import names
from autograder.handed_in.assignment import rebuild
from autograder.handed_in.classlist import Roster
from autograder.handed_in.submission import Submission

COURSE_ID = "kafka"
LINE = 96
"""The columns of a page of formgrader on a laptop."""
CONFIG = '''"""Written by autograder.grade: `jupyter lab` in this folder opens formgrader on these results."""
from pathlib import Path
from typing import Protocol

here = str(Path(__file__).resolve().parent)      # a copy of this folder has a gradebook of its own
c = get_config()  # noqa: F821
c.CourseDirectory.root = here
c.CourseDirectory.course_id = {course!r}
c.CourseDirectory.db_url = "sqlite:///" + here + "/gradebook.db"
c.ServerApp.default_url = "/lab"
'''  # noqa: E501

# What nbgrader's tables are asked for by one column alone, and have no index for: without these
# SQLite reads the whole table for every submission that is written, and formgrader's list of 8,000
# submissions takes half a minute.
INDEXES = (
    ("grade", "notebook_id"),
    ("comment", "notebook_id"),
    ("submitted_notebook", "assignment_id"),
)

# A submission in nbgrader's tables. A row that is there gets the new values in the columns named
# last; what a person has entered is in other columns.
STUDENT = (
    "INSERT INTO student (id, first_name, last_name, email) VALUES (?, ?, ?, ?) ON CONFLICT (id) "
    "DO NOTHING"
)
HANDED_IN = """INSERT INTO submitted_assignment (id, assignment_id, student_id, timestamp) VALUES (?, ?, ?, ?)
    ON CONFLICT (assignment_id, student_id) DO UPDATE SET timestamp = excluded.timestamp"""  # noqa: E501
WHICH_HANDED_IN = "SELECT id FROM submitted_assignment WHERE assignment_id = ? AND student_id = ?"
SHEET = (
    "INSERT INTO submitted_notebook (id, notebook_id, assignment_id, flagged) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (notebook_id, assignment_id) DO NOTHING"
)
WHICH_SHEET = "SELECT id FROM submitted_notebook WHERE notebook_id = ? AND assignment_id = ?"
GIVEN = "SELECT cell_id, manual_score, needs_manual_grade FROM grade WHERE notebook_id = ?"
GRADE = """INSERT INTO grade (id, cell_id, notebook_id, auto_score, needs_manual_grade) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (cell_id, notebook_id) DO UPDATE SET auto_score = excluded.auto_score, needs_manual_grade = excluded.needs_manual_grade"""  # noqa: E501
COMMENT = """INSERT INTO comment (id, cell_id, notebook_id, auto_comment) VALUES (?, ?, ?, ?)
    ON CONFLICT (cell_id, notebook_id) DO UPDATE SET auto_comment = excluded.auto_comment"""

Cells = tuple[tuple[str, str], ...]  # a cell's id in the gradebook, and its question


class Given(Protocol):
    """A mark as grading gives it, as far as the gradebook looks at it."""

    @property
    def score(self) -> float: ...

    @property
    def max(self) -> float: ...

    @property
    def sentence(self) -> str: ...

    @property
    def waits(self) -> bool: ...


@dataclass(frozen=True)
class Rows:
    """A master's ids in the gradebook. With them a submission is a few statements on nbgrader's
    tables; to have its objects made and compared for each submission takes several times as long.
    """

    assignment: str
    notebook: str
    graded: Cells
    answered: Cells


class Gradebook:
    """nbgrader's gradebook in a folder OUT, with autograded/ and the masters in source/ beside it.
    Use it in a `with`.

    Opening it imports nbgrader, which takes a second or two: the writer does it while the workers
    start.
    """

    def __init__(self, out: Path, roster: Roster = Roster()):
        self.out, self.roster, self.db = out, roster, None
        self._known: dict[str, Rows] = {}

    def __enter__(self):
        self._open()  # an empty class has a gradebook too
        return self

    def __exit__(self, *exception):
        self.connection.close()
        self.db.commit()
        # somebody has formgrader open: then it stays two files until they close it
        with contextlib.suppress(Exception):
            # one file again, which can be copied
            self.db.connection().exec_driver_sql("PRAGMA journal_mode=DELETE")
        self._book.close()

    def _open(self) -> None:
        if self.db is not None:
            return
        from nbgrader import api
        from sqlalchemy import event

        self.api = api
        url = f"sqlite:///{self.out / 'gradebook.db'}"
        _tables(api, url)
        self._book = api.Gradebook(url, course_id=COURSE_ID)
        event.listen(self._book.engine, "connect", _as_we_write)
        # the first connection was made before anybody listened
        self._book.engine.dispose()
        self.db = self._book.db
        # for submissions
        self.connection = sqlite3.connect(self.out / "gradebook.db", timeout=WAIT_SECONDS)
        _as_we_write(self.connection)
        # half-made rows must not be sent before they are whole
        self.db.autoflush = False
        write_atomically(self.out / "nbgrader_config.py", CONFIG.format(course=COURSE_ID))

    def write(
        self, master: Master, submission: Submission, marks: Mapping[str, Given], received: datetime
    ) -> None:
        """Record one submission: its rows, in one transaction. Its notebook in autograded/ is made
        afterwards (`show`): until then it is the one that a person's marks are for."""
        self._open()
        rows, student = self._rows(master), submission.student
        try:
            self.connection.execute(STUDENT, (student, *names(self.roster.rows.get(student, {}))))
            handed_in, _ = self._row(
                HANDED_IN,
                WHICH_HANDED_IN,
                (rows.assignment, student),
                received.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f"),
            )
            sheet, new = self._row(SHEET, WHICH_SHEET, (rows.notebook, handed_in), False)
            given = (
                {}
                if new
                else {cell: before for cell, *before in self.connection.execute(GIVEN, (sheet,))}
            )
            self.connection.executemany(
                GRADE,
                self._grades(
                    sheet,
                    rows.graded,
                    marks,
                    given,
                    lambda: _rewritten(_autograded(self.out, master, student), master, submission),
                ),
            )
            self.connection.executemany(
                COMMENT,
                (
                    (
                        _new_id(),
                        cell,
                        sheet,
                        marks[question].sentence if question in marks else None,
                    )
                    for cell, question in rows.answered
                ),
            )
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise

    def show(
        self, master: Master, submission: Submission, marks: Mapping[str, Given], received: datetime
    ) -> None:
        """Make the notebook in autograded/ that formgrader shows,
        and nbgrader's file of the moment beside it."""
        path = _autograded(self.out, master, submission.student)
        write_atomically(
            path, json.dumps(shown(master, submission, marks), ensure_ascii=False), wait=False
        )
        write_atomically(
            path.with_name("timestamp.txt"),
            received.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
            wait=False,
        )

        # formgrader counts these folders as submissions.
        stamp = self.out / "submitted" / submission.student / master.name / "timestamp.txt"
        write_atomically(
            stamp,
            received.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC"),
            wait=False,
        )

    def expect(self, master: Master) -> None:
        """Make the assignment's rows before anybody has handed in,
        so that it can have a due date."""
        self._rows(master)

    def _row(self, add: str, which: str, where: tuple[str, str], value) -> tuple[str, bool]:
        """The id of the row with these two values, and whether it is a new one;
        `value` is for the statement's last column."""
        mine = _new_id()
        self.connection.execute(add, (mine, *where, value))
        (found,) = self.connection.execute(which, where).fetchone()
        return found, found == mine

    def _grades(
        self,
        sheet: str,
        cells: Cells,
        marks: Mapping[str, Given],
        given: dict,
        rewritten: Callable[[], set[str]],
    ):
        """The rows of GRADE. What a person has read waits again only
        where the text has changed since."""
        for cell, question in cells:
            mark, (manual, waits) = marks.get(question), given.get(cell, (None, True))
            again = (
                mark is not None
                and mark.waits
                and (manual is None or bool(waits) or question in rewritten())
            )
            yield _new_id(), cell, sheet, points_to_enter(mark) if mark else 0.0, again

    def _rows(self, master: Master) -> Rows:
        """The ids of the master's rows, looked up once."""
        if master.name not in self._known:
            notebook = self._notebook(master)
            self._known[master.name] = Rows(
                notebook.assignment.id, notebook.id,
                tuple((cell.id, question_of(cell.name)) for cell in notebook.grade_cells),
                tuple((cell.id, question_of(cell.name)) for cell in notebook.solution_cells),
            )  # fmt: skip
        return self._known[master.name]

    def _notebook(self, master: Master):
        """The master's rows: assignment, notebook, cells with their points.
        Points follow the master."""
        api = self.api
        assignment = self.db.query(api.Assignment).filter_by(name=master.name).one_or_none()
        if assignment is None:
            assignment = api.Assignment(master.name, course_id=COURSE_ID)
            self.db.add(assignment)
        notebook = next(
            (found for found in assignment.notebooks if found.name == master.name), None
        )
        if notebook is None:
            notebook = api.Notebook(
                name=master.name,
                assignment=assignment,
                kernelspec=json.dumps(master.notebook()["metadata"].get("kernelspec", {})),
            )
            self.db.add(notebook)
        known = {
            (type(cell), cell.name): cell
            for cell in (*notebook.grade_cells, *notebook.solution_cells)
        }
        sources = {cell.name: cell for cell in notebook.source_cells}
        for cell in master.cells:
            kind = "markdown" if cell.kind == "open" else "code"
            if cell.kind in ("test", "open"):
                row = known.get((api.GradeCell, cell.grade_id))
                if row is None:
                    row = api.GradeCell(
                        name=cell.grade_id, notebook=notebook, max_score=cell.points, cell_type=kind
                    )
                    self.db.add(row)
                row.max_score = cell.points
            if cell.kind in ("answer", "open") and (api.SolutionCell, cell.grade_id) not in known:
                self.db.add(api.SolutionCell(name=cell.grade_id, notebook=notebook))
            if cell.kind in ("test", "open", "answer"):
                row = sources.get(cell.grade_id)
                if row is None:
                    row = api.SourceCell(
                        name=cell.grade_id,
                        notebook=notebook,
                        cell_type=kind,
                        locked=cell.kind == "test",
                    )
                    self.db.add(row)
                row.source = cell.source
        self.db.commit()
        # formgrader lists assignments by this folder
        source = self.out / "source" / master.name
        source.mkdir(parents=True, exist_ok=True)
        write_atomically(source / f"{master.name}.ipynb", master.path.read_text(encoding="utf-8"))
        return notebook


def _in_lines(text: str) -> str:
    """A text in lines that formgrader's page has room for: it breaks none of an output."""
    return "\n".join(
        textwrap.fill(line, LINE, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )


def points_to_enter(mark: Given) -> float | None:
    """The points that the gradebook is told: none for an answer that waits for a person."""
    return None if mark.waits else mark.score


def recorded(out: Path) -> dict[tuple[str, str], float]:
    """The points, without a person's and without what lateness costs, that OUT's gradebook has of
    every notebook, by (student, assignment): it can have been taken away, an older copy put back,
    or a power cut can have taken the last it was told. Empty where there is none;
    sqlite3.DatabaseError where the file is no gradebook."""
    if not (out / NAME).is_file():
        return {}
    with reading(out) as book:
        if not has_table(book, "submitted_notebook"):
            return {}
        rows = book.execute("""SELECT h.student_id, a.name, sum(g.auto_score) FROM submitted_notebook s JOIN submitted_assignment h ON h.id = s.assignment_id
                               JOIN assignment a ON a.id = h.assignment_id LEFT JOIN grade g ON g.notebook_id = s.id AND g.cell_id IN (SELECT id FROM grade_cells) GROUP BY s.id""")  # noqa: E501
        return {(student, assignment): points or 0.0 for student, assignment, points in rows}


def restamp(out: Path, moments: Mapping[tuple[str, str], datetime]) -> int:
    """Bring the moments of handing in, by (student, assignment), up to the receipts, which a class
    list may have corrected. Returns how many changed."""
    changed = 0
    with changing(out) as book:
        for row, student, assignment, before in book.execute(
            "SELECT h.id, h.student_id, a.name, h.timestamp FROM submitted_assignment h JOIN"
            " assignment a ON a.id = h.assignment_id"
        ).fetchall():
            moment = moments.get((student, assignment))
            if moment is None:
                continue
            now = text_of_moment(moment.astimezone(UTC))
            if now != before:
                book.execute(
                    "UPDATE submitted_assignment SET timestamp = ? WHERE id = ?", (now, row)
                )
                for folder in ("autograded", "submitted"):
                    write_atomically(
                        out / folder / student / assignment / "timestamp.txt",
                        f"{now} UTC",
                        wait=False,
                    )
                changed += 1
    return changed


def written(out: Path, master: Master, student: str) -> bool:
    """Whether the notebook that formgrader shows is there; a power cut can have taken it."""
    path = _autograded(out, master, student)
    return path.exists() and path.stat().st_size > 0


def _autograded(out: Path, master: Master, student: str) -> Path:
    return out / "autograded" / student / master.name / f"{master.name}.ipynb"


def _new_id() -> str:
    """32 hex digits, as nbgrader's ids; these grow with time (as UUID 7 does),
    so new rows lie together in every index."""
    return f"{time.time_ns():016x}{uuid.uuid4().hex[:16]}"


def _as_we_write(connection: sqlite3.Connection, record=None) -> None:
    """Readers beside us, patience with formgrader when it writes, and no wait for the disk at each
    commit: a commit outlives any kill, and what a power cut takes of the last ones the next run
    sees (`recorded`) and writes again. 64 MB of pages and long stretches between their writing
    back: a row's place in nbgrader's indexes is a random one, so every page of them is wanted again
    soon."""
    for setting in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "busy_timeout=60000",
        "wal_autocheckpoint=10000",
        "cache_size=-64000",
    ):
        connection.execute(f"PRAGMA {setting}").close()


def _tables(api, url: str) -> None:
    """nbgrader's tables in a new file, with the version its `nbgrader db upgrade` looks for, and
    our indexes in any file. nbgrader itself starts the program `alembic` for that, which takes
    seconds and may not be on the PATH."""
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR
    from sqlalchemy import create_engine, inspect, text

    engine = create_engine(url)
    if not inspect(engine).get_table_names():
        api.Base.metadata.create_all(bind=engine)
        with engine.begin() as connection:
            connection.execute(
                text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
            )
            connection.execute(
                text("INSERT INTO alembic_version (version_num) VALUES (:head)"),
                {"head": ScriptDirectory(ALEMBIC_DIR).get_current_head()},
            )
    with engine.begin() as connection:
        for table, column in INDEXES:
            connection.execute(
                text(f"CREATE INDEX IF NOT EXISTS ix_{table}_{column} ON {table} ({column})")
            )
    engine.dispose()


def _rewritten(path: Path, master: Master, submission: Submission) -> set[str]:
    """The open questions whose text is not the one of the notebook a person has marked;
    all, where that cannot be read."""
    asked = {cell.question for cell in master.cells if cell.kind == "open"}
    try:
        before = {
            question_of(cell["metadata"].get("nbgrader", {}).get("grade_id", "")): text_of(cell)
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        }
    except (OSError, ValueError, KeyError, TypeError):
        return asked
    blank = {cell.question: cell.source for cell in master.cells if cell.kind == "open"}
    return {
        question
        for question in asked
        if html.unescape(before.get(question) or "")
        != html.unescape(
            html.escape(submission.answers.get(question, blank[question]), quote=False)
        )
    }


def shown(master: Master, submission: Submission, marks: Mapping[str, Given]) -> dict:
    """The rebuilt notebook as a teacher reads it: each locked cell with its sentence as output, the
    student's markdown without active content (formgrader renders HTML in it as it comes)."""
    answers = {
        cell.question: html.escape(submission.answers[cell.question], quote=False)
        if cell.kind == "open"
        else submission.answers[cell.question]
        for cell in master.cells
        if cell.question in submission.answers
    }
    notebook = rebuild(master, answers, submission.extras)
    notebook["metadata"]["autograder"] = {
        **notebook["metadata"].get("autograder", {}),
        "student": submission.student,
    }
    tests = {cell.grade_id for cell in master.cells if cell.kind == "test"}
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        mark = marks.get(question_of(grade_id)) if grade_id in tests else None
        if mark:
            cell["outputs"] = [
                {
                    "output_type": "stream",
                    "name": "stdout",
                    "text": _in_lines(f"{mark.score:g} of {mark.max:g}: {mark.sentence}") + "\n",
                }
            ]
    return notebook
