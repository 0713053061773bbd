"""A class graded by `autograder.grade`, sandbox on, and the same files graded by
`nbgrader autograde`.

The chapters are sealed first, as a release seals them. Both get the same submissions: the
reference, a blank one, one with the first named wrong answer of every question, and ordinary ones
between. Cells that start Spark are taken out of both, so that starting a JVM is not what is
compared; another row has them in. nbgrader runs every cell of a notebook, as it is made to; we run
the cells that the answers need, and ask each answer its hidden cases too. Both figures are wall
clock, from the start of the program to the last score in the gradebook, and both end with the same
scores on every submission that has no answer learned by heart from the examples.

The last row says which share of running and judging a few of them passes while a lab's clock runs,
in the worker and in the judge; its `peer` is the whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from autograder.cell.course_folder import HOME
from autograder.course import seals
from autograder.course.masters import Master, master
from autograder.grading.lanes.submission_run import hear
from autograder.grading.verdict import judge
from autograder.handed_in.submission import read
from autograder.proving.classroom import make_class
from autograder.sandbox.outside.parent import Sandbox, Worker
from bench import Row, _lab_clock, compared

CHAPTERS = ("02", "03")
STUDENTS = 15
STUDENTS_WITH_SPARK = 2
COPIES = 4  # of that class, to compare workers
HONEST = ("reference", "blank", "ordinary")
IN_LABS = 4  # so many of each chapter are run and judged to see how long labs run
ANSWER_SECONDS = 60  # for the cells of the clock
# of the time a class takes, writing the gradebook may take this much
WRITING_SHARE = 0.05
SPENT = re.compile(
    r"Graded in ([\d.]+) s; writing the gradebook took ([\d.]+) s of that, the files beside it "
    r"([\d.]+) s"
)


class Spent(NamedTuple):
    """Seconds of a run of `grade`, and the seconds for the gradebook and the files beside it."""

    whole: float
    gradebook: float
    beside: float


def spent_in(said: str) -> Spent:
    """What `grade` said of its time."""
    found = SPENT.search(said)
    if found is None:
        raise RuntimeError(f"grade did not say how long it took: {said[-600:]}")
    return Spent(*map(float, found.groups()))


def run() -> list[Row]:
    """Notebooks graded in a minute: against nbgrader, the same with Spark cells, with two
    workers against one; and what writing takes."""
    masters = [master(chapter) for chapter in CHAPTERS]
    for chapter in CHAPTERS:
        seals.renew(chapter, print)  # as `release` does before a class gets its notebooks
    rows = []
    for students, spark in ((STUDENTS, False), (STUDENTS_WITH_SPARK, True)):
        with tempfile.TemporaryDirectory(prefix="bench-grading-") as folder:
            here = Path(folder)
            made = _class_of(here, masters, students, spark)
            seconds, ours, said = _ours(here, "ours")
            peer_seconds, peer = _peer(here, masters, made, spark)
            different = {
                name: (ours[name], peer[name]) for name in ours if ours[name] != peer[name]
            }
            if different:
                raise AssertionError(f"the two graders disagree: {different}")
            what = (
                f"grading {len(made)} notebooks of chapters "
                f"{', '.join(CHAPTERS)}{', Spark cells too' if spark else ''}"
            )
            rows.append(
                _row(f"{what}, against nbgrader autograde", len(made), seconds, peer_seconds)
            )
            if not spark:
                many = _copied(here, COPIES)
                both, _, said = _ours(here, "both", "--workers", "2", box="many")
                alone, _, _ = _ours(here, "alone", "--workers", "1", box="many")
                rows.append(
                    _row(
                        f"grading {many} such notebooks, two workers against one", many, both, alone
                    )
                )
                spent = spent_in(said)
                rows.append(
                    Row(
                        name=(
                            "the gradebook's share of that time, against 5 % (the files beside "
                            f"it: {spent.beside / spent.whole:.1%})"
                        ),
                        ours=100 * spent.gradebook / spent.whole,
                        peer=100 * WRITING_SHARE,
                        ratio=WRITING_SHARE * spent.whole / spent.gradebook,
                        unit="%",
                    )
                )
                rows.append(_in_labs(here / "submitted"))
    return rows


def _in_labs(folder: Path) -> Row:
    """The seconds in labs of a few submissions against all that the worker and the judge take for
    them. The judge is this process, and knows nothing when it begins, as in a class."""
    found = {path.name: path for path in sorted(folder.iterdir())}
    few = [
        path
        for chapter in CHAPTERS
        for path in [path for name, path in found.items() if f"_{chapter}" in name][:IN_LABS]
    ]
    _lab_clock.watch()
    inside, whole = -_lab_clock.seconds_spent(), 0.0
    with Sandbox() as sandbox:
        sandbox.reached()  # its probe gives up at the first wall, before the clock is read
        with _clock_in_workers() as heard:
            for path in few:
                (submission,) = read(path)
                started = time.perf_counter()
                judge(submission, *hear(submission, sandbox))
                whole += time.perf_counter() - started
    inside += _lab_clock.seconds_spent() + sum(heard)
    return compared(f"of running and judging {len(few)} of them, in labs", inside, whole, "s")


@contextlib.contextmanager
def _clock_in_workers() -> Iterator[list[float]]:
    """Have each run in a worker watch its labs; the list gets the seconds of each run.

    The lab clock goes in as the first cell of the run, and its seconds come back as the value of
    the last.
    """
    ask, heard = Worker.ask, []
    text = Path(_lab_clock.__file__).read_text(encoding="utf-8")
    first = {
        "source": f"lab_clock = {{}}\nexec({text!r}, lab_clock)\nlab_clock['watch']()",
        "question": None,
        "seconds": ANSWER_SECONDS,
        "wall_seconds": ANSWER_SECONDS,
    }
    last = {
        "source": "lab_seconds = lab_clock['seconds_spent']()",
        "question": "lab seconds",
        "read": ["lab_seconds"],
        "cases": [None],
        "seconds": ANSWER_SECONDS,
        "wall_seconds": ANSWER_SECONDS,
    }

    def ask_and_count(worker: Worker, job: dict) -> dict:
        answer = ask(worker, {**job, "steps": [first, *job["steps"], last]})
        (reply,) = answer["replies"].pop(last["question"])
        heard.append(reply["data"]["lab_seconds"])
        return answer

    with mock.patch.object(Worker, "ask", ask_and_count):
        yield heard


def _row(name: str, notebooks: int, seconds: float, peer_seconds: float) -> Row:
    done = 60 * notebooks
    return compared(name, done / seconds, done / peer_seconds, "notebooks/min")


def _class_of(
    here: Path, masters: list[Master], students: int, spark: bool
) -> dict[str, tuple[str, str]]:
    """Make whole, honest submissions; the roles meant to be broken are left to the tests."""
    made = make_class(here / "made", students + 40, masters)
    (here / "submitted").mkdir()
    kept: dict[str, tuple[str, str]] = {}
    for own in masters:
        honest = [
            name
            for name, (chapter, role) in made.items()
            if chapter == own.chapter and role in HONEST
        ][:students]
        for name in honest:
            notebook = json.loads((here / "made" / name).read_text(encoding="utf-8"))
            notebook["cells"] = _cells(notebook, spark)
            (here / "submitted" / name).write_text(json.dumps(notebook), encoding="utf-8")
            kept[name] = made[name]
    return kept


def _copied(here: Path, copies: int) -> int:
    """The same class several times over, each time of other students, in `many`: starting the
    workers weighs less in it. How many there are."""
    (here / "many").mkdir()
    for path in (here / "submitted").iterdir():
        text = path.read_text(encoding="utf-8")
        for number in range(copies):
            other = f"{chr(ord('a') + number)}{path.name.split('_')[0]}"
            (here / "many" / f"{other}_{path.name.split('_', 1)[1]}").write_text(
                text.replace(path.name.split("_")[0], other), encoding="utf-8"
            )
    return sum(1 for _ in (here / "many").iterdir())


def _cells(notebook: dict, spark: bool) -> list[dict]:
    return [
        cell
        for cell in notebook["cells"]
        if spark or not cell["metadata"].get("autograder", {}).get("spark")
    ]


def _ours(
    here: Path, out: str, *words: str, box: str = "submitted"
) -> tuple[float, dict[str, float], str]:
    given = (box, "--out", out, "--json", f"{out}.json")
    started = time.perf_counter()
    ended = subprocess.run(
        [sys.executable, "-m", "autograder", "grade", *given, *words],
        cwd=here,
        env=_environment(),
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - started
    # 3: a notebook without its Spark cells is not whole
    if ended.returncode not in (0, 3):
        raise RuntimeError(ended.stderr[-600:])
    results = json.loads((here / f"{out}.json").read_text(encoding="utf-8"))
    comparable = {
        name: result
        for name, result in results.items()
        if not any(cell["outcome"] == "hidden" for cell in result["cells"].values())
    }
    return seconds, {name: result["score"] for name, result in comparable.items()}, ended.stderr


def _peer(here: Path, masters: list[Master], made, spark: bool) -> tuple[float, dict[str, float]]:
    """nbgrader on the same files, laid out as it wants them; only `autograde` is timed."""
    course = here / "nbgrader"
    course.mkdir()
    config = (
        "c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"
        "c.ExecutePreprocessor.timeout = 60\n"
    )
    (course / "nbgrader_config.py").write_text(config, encoding="utf-8")
    for own in masters:
        folder = course / "source" / own.name
        folder.mkdir(parents=True)
        notebook = own.notebook()
        notebook["cells"] = _cells(notebook, spark)
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
        return {
            name: book.find_submission(names[chapter], name.split("_")[0]).code_score
            for name, (chapter, _) in made.items()
        }


def _nbgrader(course: Path, *words: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words],
        cwd=course,
        env=_environment(),
        capture_output=True,
        text=True,
    )
    if ended.returncode != 0:
        raise RuntimeError(
            f"nbgrader {' '.join(words)} ended with {ended.returncode}: {ended.stderr[-600:]}"
        )


def _environment() -> dict[str, str]:
    """Both graders run this checkout and this Python, wherever they are started."""
    return {
        **os.environ,
        "PYTHONPATH": str(HOME),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
    }
