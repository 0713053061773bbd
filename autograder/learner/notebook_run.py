"""Runs a learner's own notebook from the top and says what each of its tests says.

    python -m autograder check 03

It works on a copy, in a new kernel: the notebook, its outputs and the progress stay as they are.
A test is a locked cell with `require`. It says the same as check(), on the public cases.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from autograder.cell.course_folder import question_of, release_notebook
from autograder.learner.desk import mine

LONGEST_CELL_S = 600
NOT_YET = "NotYet"  # what `require` raises


class CellTest(NamedTuple):
    """What became of one question's test; `sentence` is "" where it is right."""

    question: str
    right: bool
    sentence: str


def tests_of(chapter: str) -> list[CellTest]:
    """Run the learner's notebook of a chapter; the tests in their order. FileNotFoundError where
    the learner has no copy, ValueError where it has no tests or cannot be run."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    name = release_notebook(chapter).stem
    own = mine() / name
    if not (own / f"{name}.ipynb").is_file():
        raise FileNotFoundError(
            2, "There is no such notebook; `python -m autograder lab` makes your copy", str(own)
        )
    with tempfile.TemporaryDirectory(prefix="check") as folder:
        copied = Path(shutil.copytree(own, Path(folder, name)))
        notebook = nbformat.read(copied / f"{name}.ipynb", as_version=4)
        client = NotebookClient(
            notebook,
            timeout=LONGEST_CELL_S,
            kernel_name="python3",
            allow_errors=True,
            resources={"metadata": {"path": str(copied)}},
            # a kernel warns that other users of the machine could listen to it
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
        )
        try:
            client.execute()
        except CellTimeoutError:
            raise ValueError(
                f"A cell of chapter {chapter} ran longer than {LONGEST_CELL_S // 60} minutes. Look"
                " for a loop that does not end."
            ) from None
        except DeadKernelError:
            raise ValueError(
                f"The kernel ended while a cell of chapter {chapter} ran. Run the notebook in"
                " JupyterLab to see which one."
            ) from None
    found = list(_tests_in(notebook))
    if not found:
        raise ValueError(f"Chapter {chapter} has no tests, so there is nothing to check.")
    return found


def _tests_in(notebook: dict) -> Iterator[CellTest]:
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        question = question_of(marks.get("grade_id", ""))
        if not question or not marks.get("grade") or marks.get("solution"):
            continue  # an open answer is graded in its own cell, by a person
        failed = [each for each in cell["outputs"] if each["output_type"] == "error"]
        if not failed:
            yield CellTest(question, True, "")
            continue
        ename, value = failed[-1]["ename"], failed[-1]["evalue"]
        said = value.removeprefix(f"{question}: ") if ename == NOT_YET else f"{ename}: {value}"
        yield CellTest(question, False, said)
