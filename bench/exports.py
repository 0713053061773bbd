"""The marks of a large class in every layout, next to nbgrader's own CSV export of a smaller one.

The gradebook is made up: so many students in so many chapters, eight questions each, with names
that are no friends of CSV. Ours exports all of it, nbgrader a share of it (it looks every
submission up by itself); compared are sheets a second, one student in one chapter each.
"""

from __future__ import annotations

import contextlib
import io
import os
import sqlite3
import tempfile
import time
from pathlib import Path

from autograder.teacher.export import LAYOUTS, export
from bench import Row, compared

STUDENTS, CHAPTERS, QUESTIONS = 10_000, 12, 8
NBGRADERS_STUDENTS = 100
NAMES = (
    ('O"Neil, Jr.', "Ann"),
    ("Жуков", "Борис"),
    ("王", "小明"),
    ("=cmd|' /C calc'!A0", "Eve"),
    ("Two\nLines", "Max"),
)


def run() -> list[Row]:
    """Sheets exported in a second, by layout."""
    with tempfile.TemporaryDirectory(prefix="bench-exports-") as folder:
        large, small = Path(folder) / "large", Path(folder) / "small"
        make_gradebook(large, STUDENTS)
        make_gradebook(small, NBGRADERS_STUDENTS)
        started = time.perf_counter()
        _nbgraders(small)
        peer = NBGRADERS_STUDENTS * CHAPTERS / (time.perf_counter() - started)
        rows = []
        for layout in LAYOUTS:
            started = time.perf_counter()
            export(large, layout)
            spent = time.perf_counter() - started
            ours = STUDENTS * CHAPTERS / spent
            name = (
                f"export: {STUDENTS:,} students x {CHAPTERS} as {layout} in {spent:.1f} s; "
                f"nbgrader's CSV of {NBGRADERS_STUDENTS}"
            )
            rows.append(compared(name, ours, peer, "sheets a second"))
        return rows


def make_gradebook(out: Path, students: int) -> None:
    """A gradebook with so many students in every chapter, written row by row past nbgrader,
    for speed."""
    from nbgrader import api

    from autograder.gradebook.write import _tables

    out.mkdir(parents=True)
    _tables(api, f"sqlite:///{out / 'gradebook.db'}")
    with contextlib.closing(sqlite3.connect(out / "gradebook.db")) as book, book:
        book.execute("INSERT OR IGNORE INTO course VALUES ('kafka')")
        book.executemany(
            "INSERT INTO student VALUES (?, ?, ?, ?, NULL)",
            (
                (
                    f"s{number:05}",
                    NAMES[number % 5][1],
                    NAMES[number % 5][0],
                    f"s{number:05}@example.org",
                )
                for number in range(students)
            ),
        )
        for chapter in range(1, CHAPTERS + 1):
            name = f"{chapter:02}_chapter"
            book.execute(
                "INSERT INTO assignment VALUES (?, ?, NULL, 'kafka')", (f"a{chapter}", name)
            )
            book.execute(
                "INSERT INTO notebook VALUES (?, ?, ?, '{}')", (f"n{chapter}", name, f"a{chapter}")
            )
            cells = [
                (
                    f"c{chapter}-{question}",
                    f"q-{chapter:02}-{question}-test",
                    f"n{chapter}",
                    "GradeCell",
                )
                for question in range(1, QUESTIONS + 1)
            ]
            book.executemany(
                "INSERT INTO base_cell (id, name, notebook_id, type) VALUES (?, ?, ?, ?)", cells
            )
            book.executemany(
                "INSERT INTO grade_cells VALUES (?, 2.0, 'code')", ((cell[0],) for cell in cells)
            )
            owned = [(f"{chapter}-{number}", f"s{number:05}") for number in range(students)]
            book.executemany(
                "INSERT INTO submitted_assignment VALUES (?, ?, ?, '2026-11-21 09:00:00.000000', "
                "NULL)",
                ((id, f"a{chapter}", student) for id, student in owned),
            )
            book.executemany(
                "INSERT INTO submitted_notebook VALUES (?, ?, ?, 0, NULL)",
                ((f"b{id}", id, f"n{chapter}") for id, _ in owned),
            )
            book.executemany(
                "INSERT INTO grade VALUES (?, ?, ?, ?, NULL, NULL, 0)",
                (
                    (f"g{id}-{cell[0]}", f"b{id}", cell[0], float(number % 3))
                    for number, (id, _) in enumerate(owned)
                    for cell in cells
                ),
            )


def _nbgraders(out: Path) -> None:
    from nbgrader.apps import ExportApp
    from traitlets.config import Config

    before = os.getcwd()
    os.chdir(out)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            config = Config(
                CourseDirectory={
                    "root": str(out),
                    "course_id": "kafka",
                    "db_url": f"sqlite:///{out / 'gradebook.db'}",
                }
            )
            app = ExportApp(config=config)
            app.initialize([])
            app.start()
    finally:
        os.chdir(before)
