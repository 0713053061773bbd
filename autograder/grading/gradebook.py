"""The one writer into nbgrader's gradebook.db, so that formgrader opens on our results.

Each submission is one transaction. Scores and comments go where nbgrader keeps the autograder's own (`auto_score`,
`auto_comment`); what a person has entered (`manual_score`, `manual_comment`, extra credit) is never touched. An open answer
that waits for a person has what the rubric suggests as its auto_score, and the reasons as its comment. A mark a person gave
stays given, unless the student's text has changed since: then nbgrader asks to look again.
"""
from __future__ import annotations

import contextlib
import html
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from pathlib import Path

from autograder.grading.enrolled import WAIT_SECONDS, names
from autograder.grading.marking import WAITS, Mark
from autograder.grading.results import write_atomically
from autograder.handed_in.assignment import rebuild
from autograder.handed_in.classlist import Roster
from autograder.handed_in.submission import Submission
from autograder.masters import Master, question_of, text_of

COURSE_ID = "kafka"
CONFIG = '''"""Written by autograder.grade: `jupyter lab` in this folder opens formgrader on these results."""
from pathlib import Path

here = str(Path(__file__).resolve().parent)      # a copy of this folder has a gradebook of its own
c = get_config()  # noqa: F821
c.CourseDirectory.root = here
c.CourseDirectory.course_id = {course!r}
c.CourseDirectory.db_url = "sqlite:///" + here + "/gradebook.db"
c.ServerApp.default_url = "/lab"
'''

# What nbgrader's tables are asked for by one column alone, and have no index for: without these SQLite reads the whole table for every
# submission that is written, and formgrader's list of 8,000 submissions takes half a minute.
INDEXES = (("grade", "notebook_id"), ("comment", "notebook_id"), ("submitted_notebook", "assignment_id"))

Cells = tuple[tuple[str, str], ...]      # a cell's id in the gradebook, and its question


@dataclass(frozen=True)
class Rows:
    """A master's ids in the gradebook. With them a submission is a few statements on nbgrader's tables; to have its objects made and
    compared for each submission took twice as long."""

    assignment: str
    notebook: str
    graded: Cells
    answered: Cells


class Gradebook:
    """nbgrader's gradebook in a folder OUT, with autograded/ and the masters in source/ beside it. Use it in a `with`.

    Opening it imports nbgrader, which takes a second or two: the writer does it while the workers start.
    """

    def __init__(self, out: Path, roster: Roster = Roster()):
        self.out, self.roster, self.db = out, roster, None
        self._known: dict[str, Rows] = {}

    def __enter__(self):
        self._open()                                     # an empty class has a gradebook too
        return self

    def __exit__(self, *exception):
        self.connection.close()
        self.db.commit()
        with contextlib.suppress(Exception):             # somebody has formgrader open: then it stays two files until they close it
            self.db.connection().exec_driver_sql("PRAGMA journal_mode=DELETE")    # one file again, which can be copied
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
        self._book.engine.dispose()                      # the first connection was made before anybody listened
        self.db = self._book.db
        self.connection = self._book.engine.connect()    # for submissions: a session's own work for each would take as long again
        self.db.autoflush = False                        # half-made rows must not be sent before they are whole
        write_atomically(self.out / "nbgrader_config.py", CONFIG.format(course=COURSE_ID))

    def write(self, master: Master, submission: Submission, marks: dict[str, Mark], received: datetime) -> None:
        """Record one submission: its rows, in one transaction. Its notebook in autograded/ is made afterwards (`show`): until then it is the
        one that a person's marks are for."""
        self._open()
        api, rows = self.api, self._rows(master)
        try:
            self._student(submission.student)
            handed_in, _ = self._row(api.SubmittedAssignment, {"assignment_id": rows.assignment, "student_id": submission.student},
                                     timestamp=received.astimezone(timezone.utc).replace(tzinfo=None))
            sheet, new = self._row(api.SubmittedNotebook, {"assignment_id": handed_in, "notebook_id": rows.notebook})
            self._grades(sheet, new, rows.graded, marks, lambda: _rewritten(_autograded(self.out, master, submission.student), master, submission))
            self._comments(sheet, new, rows.answered, marks)
            self.connection.commit()
        except BaseException:
            self.connection.rollback()
            raise

    def show(self, master: Master, submission: Submission, marks: dict[str, Mark], received: datetime) -> None:
        """Make the notebook in autograded/ that formgrader shows, and nbgrader's file of the moment beside it."""
        path = _autograded(self.out, master, submission.student)
        write_atomically(path, json.dumps(shown(master, submission, marks), ensure_ascii=False), wait=False)
        write_atomically(path.with_name("timestamp.txt"), received.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC"), wait=False)

    def expect(self, master: Master) -> None:
        """Make the assignment's rows before anybody has handed in, so that it can have a due date."""
        self._rows(master)

    def _grades(self, sheet: str, new: bool, cells: Cells, marks: dict[str, Mark], rewritten: Callable[[], set[str]]) -> None:
        table = self.api.Grade.__table__
        given = {} if new else self._given(table, sheet)
        rows = []
        for cell, question in cells:
            mark, before = marks.get(question), given.get(cell)
            if mark is not None and _waits(mark):
                unread = before is None or before.manual_score is None or bool(before.needs_manual_grade) or question in rewritten()
                rows.append({"cell_id": cell, "auto_score": told(mark), "needs_manual_grade": unread})
            else:
                rows.append({"cell_id": cell, "auto_score": told(mark) if mark else 0.0, "needs_manual_grade": False})
        self._put(table, sheet, given, rows)

    def _comments(self, sheet: str, new: bool, cells: Cells, marks: dict[str, Mark]) -> None:
        table = self.api.Comment.__table__
        given = {} if new else self._given(table, sheet)
        self._put(table, sheet, given, [{"cell_id": cell, "auto_comment": marks[question].sentence if question in marks else None} for cell, question in cells])

    def _given(self, table, sheet: str) -> dict:
        """The rows of a submitted notebook, by their cell."""
        return {row.cell_id: row for row in self.connection.execute(_select(table, "notebook_id"), {"notebook_id": sheet})}

    def _put(self, table, sheet: str, given: dict, rows: list[dict]) -> None:
        """Rows of a submitted notebook, told apart by their cell: new ones are added, of the others only the columns named here change."""
        if new := [{"notebook_id": sheet, **row} for row in rows if row["cell_id"] not in given]:
            self.connection.execute(_insert(table), new)
        if known := [{"which": given[row["cell_id"]].id, **{name: value for name, value in row.items() if name != "cell_id"}}
                     for row in rows if row["cell_id"] in given]:  # fmt: skip
            self.connection.execute(_update(table), known)

    def _row(self, kind, where: dict[str, str], **values) -> tuple[str, bool]:
        """The id of the one row with these values, and whether it is a new one; `values` are what else it is to have."""
        table = kind.__table__
        found = self.connection.execute(_select(table, *where), where).scalar()
        if found is None:
            return self.connection.execute(_insert(table), {**where, **values}).inserted_primary_key[0], True
        if values:
            self.connection.execute(_update(table), {"which": found, **values})
        return found, False

    def _student(self, student_id: str) -> None:
        """A row for a student who has none."""
        first, last, email = names(self.roster.rows.get(student_id, {}))
        self.connection.execute(_insert_if_new(self.api.Student.__table__), {"id": student_id, "first_name": first, "last_name": last, "email": email})

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
        """The master's rows: assignment, notebook, cells with their points. Points follow the master."""
        api = self.api
        assignment = self.db.query(api.Assignment).filter_by(name=master.name).one_or_none()
        if assignment is None:
            assignment = api.Assignment(master.name, course_id=COURSE_ID)
            self.db.add(assignment)
        notebook = next((found for found in assignment.notebooks if found.name == master.name), None)
        if notebook is None:
            notebook = api.Notebook(name=master.name, assignment=assignment,
                                    kernelspec=json.dumps(master.notebook()["metadata"].get("kernelspec", {})))
            self.db.add(notebook)
        known = {(type(cell), cell.name): cell for cell in (*notebook.grade_cells, *notebook.solution_cells)}
        sources = {cell.name: cell for cell in notebook.source_cells}
        for cell in master.cells:
            kind = "markdown" if cell.kind == "open" else "code"
            if cell.kind in ("test", "open"):
                row = known.get((api.GradeCell, cell.grade_id))
                if row is None:
                    row = api.GradeCell(name=cell.grade_id, notebook=notebook, max_score=cell.points, cell_type=kind)
                    self.db.add(row)
                row.max_score = cell.points
            if cell.kind in ("answer", "open") and (api.SolutionCell, cell.grade_id) not in known:
                self.db.add(api.SolutionCell(name=cell.grade_id, notebook=notebook))
            if cell.kind in ("test", "open", "answer"):
                row = sources.get(cell.grade_id)
                if row is None:
                    row = api.SourceCell(name=cell.grade_id, notebook=notebook, cell_type=kind, locked=cell.kind == "test")
                    self.db.add(row)
                row.source = cell.source
        self.db.commit()
        source = self.out / "source" / master.name               # formgrader lists assignments by this folder
        source.mkdir(parents=True, exist_ok=True)
        write_atomically(source / f"{master.name}.ipynb", master.path.read_text(encoding="utf-8"))
        return notebook


def told(mark: Mark) -> float | None:
    """The points that the gradebook is told: what the rubric suggests, if anything, for an answer that waits for a person."""
    return mark.suggested if _waits(mark) else mark.score


def recorded(out: Path) -> dict[tuple[str, str], float]:
    """The points, without a person's, that OUT's gradebook has of every notebook, by (student, assignment): it can have been taken away, an
    older copy put back, or a power cut can have taken the last it was told. Empty where there is none; sqlite3.DatabaseError where the file
    is no gradebook."""
    if not (out / "gradebook.db").is_file():
        return {}
    with contextlib.closing(sqlite3.connect(out / "gradebook.db", timeout=WAIT_SECONDS)) as book:
        if not book.execute("SELECT 1 FROM sqlite_master WHERE name = 'submitted_notebook'").fetchone():
            return {}
        rows = book.execute("""SELECT h.student_id, a.name, sum(g.auto_score) FROM submitted_notebook s JOIN submitted_assignment h ON h.id = s.assignment_id
                               JOIN assignment a ON a.id = h.assignment_id LEFT JOIN grade g ON g.notebook_id = s.id GROUP BY s.id""")
        return {(student, assignment): points or 0.0 for student, assignment, points in rows}


def written(out: Path, master: Master, student: str) -> bool:
    """Whether the notebook that formgrader shows is there; a power cut can have taken it."""
    path = _autograded(out, master, student)
    return path.exists() and path.stat().st_size > 0


def _autograded(out: Path, master: Master, student: str) -> Path:
    return out / "autograded" / student / master.name / f"{master.name}.ipynb"


def _waits(mark: Mark) -> bool:
    return mark.kind == "open" and mark.sentence.startswith(WAITS)


@cache
def _select(table, *columns: str):
    """The rows with these values in these columns. Statements are made once: to make one costs as much as to run it."""
    from sqlalchemy import bindparam

    return table.select().where(*(table.c[column] == bindparam(column) for column in columns))


@cache
def _insert(table):
    return table.insert()


@cache
def _insert_if_new(table):
    from sqlalchemy.dialects.sqlite import insert

    return insert(table).on_conflict_do_nothing()


@cache
def _update(table):
    """The row whose id is `which`; the other values are what changes."""
    from sqlalchemy import bindparam

    return table.update().where(table.c.id == bindparam("which"))


def _as_we_write(connection, record) -> None:
    """Readers beside us, patience with formgrader when it writes, and no wait for the disk at each commit: a commit outlives any kill, and
    what a power cut takes of the last ones the next run sees (`recorded`) and writes again. 64 MB of pages and long stretches between
    their writing back: a row's place in nbgrader's indexes is a random one, so every page of them is wanted again soon."""
    for setting in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=60000", "wal_autocheckpoint=10000", "cache_size=-64000"):
        connection.execute(f"PRAGMA {setting}").close()


def _tables(api, url: str) -> None:
    """nbgrader's tables in a new file, with the version its `nbgrader db upgrade` looks for, and our indexes in any file. nbgrader itself
    starts the program `alembic` for that, which takes seconds and may not be on the PATH."""
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR
    from sqlalchemy import create_engine, inspect, text

    engine = create_engine(url)
    if not inspect(engine).get_table_names():
        api.Base.metadata.create_all(bind=engine)
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
            connection.execute(text("INSERT INTO alembic_version (version_num) VALUES (:head)"),
                               {"head": ScriptDirectory(ALEMBIC_DIR).get_current_head()})
    with engine.begin() as connection:
        for table, column in INDEXES:
            connection.execute(text(f"CREATE INDEX IF NOT EXISTS ix_{table}_{column} ON {table} ({column})"))
    engine.dispose()


def _rewritten(path: Path, master: Master, submission: Submission) -> set[str]:
    """The open questions whose text is not the one of the notebook a person has marked; all, where that cannot be read."""
    asked = {cell.question for cell in master.cells if cell.kind == "open"}
    try:
        before = {question_of(cell["metadata"].get("nbgrader", {}).get("grade_id", "")): text_of(cell)
                  for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}
    except (OSError, ValueError, KeyError, TypeError):
        return asked
    blank = {cell.question: cell.source for cell in master.cells if cell.kind == "open"}
    return {question for question in asked
            if html.unescape(before.get(question) or "") != html.unescape(html.escape(submission.answers.get(question, blank[question]), quote=False))}


def shown(master: Master, submission: Submission, marks: dict[str, Mark]) -> dict:
    """The rebuilt notebook as a teacher reads it: each locked cell with its sentence as output, the student's markdown without
    active content (formgrader renders HTML in it as it comes)."""
    answers = {cell.question: html.escape(submission.answers[cell.question], quote=False) if cell.kind == "open"
               else submission.answers[cell.question] for cell in master.cells if cell.question in submission.answers}
    notebook = rebuild(master, answers, submission.extras)
    notebook["metadata"]["autograder"] = {**notebook["metadata"].get("autograder", {}), "student": submission.student}
    tests = {cell.grade_id for cell in master.cells if cell.kind == "test"}
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        mark = marks.get(question_of(grade_id)) if grade_id in tests else None
        if mark:
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": f"{mark.score:g} of {mark.max:g}: {mark.sentence}\n"}]
    return notebook
