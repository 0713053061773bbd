"""A class graded by `autograder.grade`, sandbox on, and the same files graded by `nbgrader autograde`.

Both get the same submissions of the same chapters: the reference, a blank one, one with the first named wrong answer of every
question, and ordinary ones between. Cells that start Spark are taken out of both, so that starting a JVM is not what is
compared. nbgrader runs every cell of a notebook, as it is made to; we run the cells that the answers need, and ask each
answer its hidden cases too. Both figures are wall clock, from the start of the program to the last score in the gradebook,
and both end with the same scores on every submission that has no answer learned by heart from the examples.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.classroom import make_class
from autograder.marking import UNSEEN
from autograder.masters import HOME, Master, master, released
from autograder.questions import chapters
from bench import Row

STUDENTS = 15
HONEST = ("reference", "blank", "ordinary")


def run() -> list[Row]:
    """One row: submissions graded in a minute."""
    masters = [master(chapter) for chapter in released() if chapter in chapters() and master(chapter).answer_cells]
    with tempfile.TemporaryDirectory(prefix="bench-grading-") as folder:
        here = Path(folder)
        made = _class_of(here, masters)
        ours_seconds, ours = _ours(here)
        peer_seconds, peer = _peer(here, masters, made)
    different = {name: (ours[name], peer[name]) for name in ours if ours[name] != peer[name]}
    if different:
        raise AssertionError(f"the two graders disagree: {different}")
    rates = 60 * len(made) / ours_seconds, 60 * len(made) / peer_seconds
    return [Row(name=f"grading {len(made)} notebooks of chapters {', '.join(each.chapter for each in masters)}, against nbgrader autograde",
                ours=rates[0], peer=rates[1], ratio=rates[0] / rates[1], unit="notebooks/min")]


def _class_of(here: Path, masters: list[Master]) -> dict[str, tuple[str, str]]:
    """Make whole, honest submissions; the roles meant to be broken are left to the tests."""
    made = make_class(here / "made", STUDENTS + 20, masters)
    (here / "submitted").mkdir()
    kept: dict[str, tuple[str, str]] = {}
    for own in masters:
        honest = [name for name, (chapter, role) in made.items() if chapter == own.chapter and role in HONEST][:STUDENTS]
        for name in honest:
            notebook = json.loads((here / "made" / name).read_text(encoding="utf-8"))
            notebook["cells"] = [cell for cell in notebook["cells"] if not cell["metadata"].get("autograder", {}).get("spark")]
            (here / "submitted" / name).write_text(json.dumps(notebook), encoding="utf-8")
            kept[name] = made[name]
    return kept


def _ours(here: Path) -> tuple[float, dict[str, float]]:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "autograder", "grade", "submitted", "--out", "ours", "--json", "ours.json"],
                   cwd=here, env=_environment(), check=True, capture_output=True)
    seconds = time.perf_counter() - started
    results = json.loads((here / "ours.json").read_text(encoding="utf-8"))
    comparable = {name: result for name, result in results.items()
                  if not any(UNSEEN in cell["sentence"] for cell in result["cells"].values())}
    return seconds, {name: result["score"] for name, result in comparable.items()}


def _peer(here: Path, masters: list[Master], made) -> tuple[float, dict[str, float]]:
    """nbgrader on the same files, laid out as it wants them; only `autograde` is timed."""
    course = here / "nbgrader"
    course.mkdir()
    config = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\nc.ExecutePreprocessor.timeout = 60\n"
    (course / "nbgrader_config.py").write_text(config, encoding="utf-8")
    for own in masters:
        folder = course / "source" / own.name
        folder.mkdir(parents=True)
        notebook = own.notebook()
        notebook["cells"] = [cell for cell in notebook["cells"] if not cell["metadata"].get("autograder", {}).get("spark")]
        (folder / f"{own.name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        _nbgrader(course, "generate_assignment", own.name, "--create")
    names = {own.chapter: own.name for own in masters}
    for name, (chapter, _) in made.items():
        folder = course / "submitted" / name.split("_")[0] / names[chapter]
        folder.mkdir(parents=True)
        shutil.copyfile(here / "submitted" / name, folder / f"{names[chapter]}.ipynb")
    started = time.perf_counter()
    for own in masters:
        _nbgrader(course, "autograde", own.name, "--create")
    return time.perf_counter() - started, _scores(course, names, made)


def _scores(course: Path, names: dict[str, str], made) -> dict[str, float]:
    """The points of the locked cells in nbgrader's gradebook, by submission."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", course_id="bench") as book:
        return {name: book.find_submission(names[chapter], name.split("_")[0]).code_score for name, (chapter, _) in made.items()}


def _nbgrader(course: Path, *words: str) -> None:
    ended = subprocess.run([sys.executable, "-m", "nbgrader", *words], cwd=course, env=_environment(), capture_output=True, text=True)
    if ended.returncode != 0:
        raise RuntimeError(f"nbgrader {' '.join(words)} ended with {ended.returncode}: {ended.stderr[-600:]}")


def _environment() -> dict[str, str]:
    """Both graders run this checkout and this Python, wherever they are started."""
    return {**os.environ, "PYTHONPATH": str(HOME), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
