"""A course folder as nbgrader's own commands want it, filled with this course's chapters and some
submissions.

Nothing of ours runs here but the notebooks' cells: `autograder` is imported in the kernel, as on a
learner's machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.cell.course_folder import HOME, notebooks
from autograder.course.masters import Master


class PlainCourse:
    """A folder with nbgrader_config.py, source/ and submitted/, and nbgrader's commands in it."""

    def __init__(self, folder: Path, config: Path | None = None):
        self.folder = folder
        folder.mkdir(parents=True)
        shutil.copyfile(
            config or HOME / "notebooks" / "nbgrader_config.py", folder / "nbgrader_config.py"
        )

    def take(self, own: Master, source: dict) -> None:
        """Put a chapter's source notebook in and have nbgrader make the release of it."""
        path = self.folder / "source" / own.name / f"{own.name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(source), encoding="utf-8")
        self.run("generate_assignment", own.name, "--create")

    def hand_in(self, own: Master, student: str, notebook: dict) -> None:
        """A student's notebook, under the name nbgrader looks for."""
        path = self.folder / "submitted" / student / own.name / f"{own.name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")

    def run(self, *words: str) -> str:
        """One nbgrader command; what it said."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        environment = {**os.environ, "PYTHONPATH": str(HOME), "PATH": path}
        ended = subprocess.run(
            [sys.executable, "-m", "nbgrader", *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        if ended.returncode != 0:
            raise RuntimeError(
                f"nbgrader {' '.join(words)} ended with {ended.returncode}: {ended.stderr[-1500:]}"
            )
        return ended.stdout + ended.stderr

    def points(self, own: Master) -> dict[str, dict[str, float]]:
        """{student: {question: points}} of the locked cells, from nbgrader's gradebook."""
        from nbgrader.api import Gradebook

        found = {}
        with Gradebook(
            f"sqlite:///{self.folder / 'gradebook.db'}", course_id="kafka-opened-up"
        ) as book:
            for handed_in in book.assignment_submissions(own.name):
                grades = [grade for sheet in handed_in.notebooks for grade in sheet.grades]
                found[handed_in.student.id] = {
                    question.id: next(
                        (
                            grade.auto_score
                            for grade in grades
                            if grade.name == f"{question.grade_id}-test"
                        ),
                        None,
                    )
                    for question in own.questions
                    if question.kind != "open"
                }
        return found


def source_of(own: Master) -> dict:
    """A chapter's source notebook: as its author wrote it, or, for a course without source_py,
    as it was handed out."""
    from autograder.course import sources

    if not (notebooks() / "source_py" / f"{own.name}.py").exists():
        return own.notebook()
    return json.loads(json.dumps(sources.author_notebook(own.name)))
