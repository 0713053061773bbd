"""Grades ten thousand submissions in the sandbox; measures memory, time, the gradebook's share.

They are honest notebooks of a tiny chapter (autograder/tests/demo), so that the grading's own work
is what is measured and not the simulator's: no chapter of the course gives the gradebook a larger
share. The peers are the goals, 500 MB and 5 %. `python -m bench.ten_thousand 1000` measures fewer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.cell.course_folder import HOME
from bench import Row
from bench.grading import WRITING_SHARE, spent_in

SUBMISSIONS = 10_000
MOST_BYTES = 500_000_000


def run(submissions: int = SUBMISSIONS) -> list[Row]:
    """The parent's peak of resident memory, and the gradebook's share of the time."""
    with tempfile.TemporaryDirectory(prefix="bench-many-") as folder:
        here = Path(folder)
        environment = {
            **os.environ,
            "PYTHONPATH": str(HOME),
            "AUTOGRADER_COURSE": str(here / "course"),
        }
        subprocess.run(
            [sys.executable, "-m", "bench.ten_thousand", "make", str(here), str(submissions)],
            env=environment,
            check=True,
        )
        started = time.perf_counter()
        grading = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "autograder",
                "grade",
                str(here / "box"),
                "--out",
                str(here / "out"),
                "--json",
                str(here / "all.json"),
            ],
            env=environment,
            stderr=open(here / "said.txt", "w", encoding="utf-8"),
        )
        peak = 0
        while grading.poll() is None:
            peak = max(peak, _peak_bytes(grading.pid))
            time.sleep(0.05)
        seconds = time.perf_counter() - started
        results = json.loads((here / "all.json").read_text(encoding="utf-8"))
        if len(results) != submissions or grading.returncode != 0:
            raise AssertionError(
                f"{len(results)} results of {submissions}, exit code {grading.returncode}"
            )
        spent = spent_in((here / "said.txt").read_text(encoding="utf-8"))
    return [
        Row(
            name=(
                f"{submissions} submissions unattended in {seconds / 60:.1f} min: the parent's "
                "memory, against 500 MB"
            ),
            ours=peak / 1e6,
            peer=MOST_BYTES / 1e6,
            ratio=MOST_BYTES / peak,
            unit="MB",
        ),
        Row(
            name=(
                "... the gradebook's share of that time, against 5 % (the files beside it: "
                f"{spent.beside / spent.whole:.1%})"
            ),
            ours=100 * spent.gradebook / spent.whole,
            peer=100 * WRITING_SHARE,
            ratio=WRITING_SHARE * spent.whole / spent.gradebook,
            unit="%",
        ),
    ]


def _peak_bytes(pid: int) -> int:
    """The most memory a process has had resident so far; 0 when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        return 0


def _make(here: Path, submissions: int) -> None:
    """The course's folder is made first, by the caller's environment; then the box."""
    from autograder.course.seals import seal
    from autograder.tests.honest import notebooks

    seal("90", print)
    kinds = [
        json.dumps(each.notebook).replace(each.student, "STUDENT") for each in notebooks("90", 200)
    ]
    (here / "box").mkdir()
    for number in range(submissions):
        (here / "box" / f"s{number:05}.ipynb").write_text(
            kinds[number % 200].replace("STUDENT", f"s{number:05}"), encoding="utf-8"
        )


if __name__ == "__main__":
    if sys.argv[1] == "make":
        from autograder.tests.demo.build import build

        home = Path(sys.argv[2])
        build(home / "course")
        _make(home, int(sys.argv[3]))
    else:
        print(*run(int(sys.argv[1])), sep="\n")
