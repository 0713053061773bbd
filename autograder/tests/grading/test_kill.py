"""A grading run is killed, and the next one goes on: nothing lost, nothing doubled, the same marks
to the byte.

The class has been graded once and its open answers marked by hand; then more is handed in, among it
a second version. While that is graded somebody pulls the plug, on everything, on the parent alone,
or on one of its helpers.
"""

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from autograder.__main__ import main
from autograder.cell.course_folder import HOME
from autograder.grade import grade_class
from autograder.gradebook.files import holding
from autograder.grading import child_process

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="finds the processes in /proc"
)
WORKERS = 2
EVERYTHING, PARENT, WORKER, JUDGE, WRITER, CTRL_C = (
    "everything",
    "the parent",
    "a worker",
    "a judge",
    "the writer",
    "Ctrl-C",
)
HELPERS = {
    WORKER: b"launch.py",
    JUDGE: b"autograder.grading.verdict",
    WRITER: b"autograder.grading.writer",
}
KINDS = (EVERYTHING, PARENT, WORKER, JUDGE, WRITER, CTRL_C)
DRIVER = """
import sys
from autograder.__main__ import main
from autograder.grading.lanes import lane
hear = lane.hear
def told(submission, sandbox):
    with open(sys.argv[1], "a", encoding="utf-8") as runs:
        runs.write(submission.name + "\\n")
    return hear(submission, sandbox)
lane.hear = told
sys.exit(main(sys.argv[2:]))
"""
SCORES = """select student_id, base_cell.name, auto_score, manual_score, extra_credit, needs_manual_grade from grade
    join base_cell on base_cell.id = grade.cell_id join submitted_notebook on submitted_notebook.id = grade.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id order by 1, 2"""  # noqa: E501
COMMENTS = """select student_id, base_cell.name, auto_comment, manual_comment from comment
    join base_cell on base_cell.id = comment.cell_id join submitted_notebook on submitted_notebook.id = comment.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id order by 1, 2"""  # noqa: E501


class Class:
    """A folder of submissions, and what a grading nobody disturbed makes of it."""

    def __init__(self, folder: Path, course: Path, hand_in):
        self.folder, self.box, self.marked, self.count = (
            folder,
            folder / "box",
            folder / "marked",
            0,
        )
        self.environment = {**os.environ, "AUTOGRADER_COURSE": str(course), "PYTHONPATH": str(HOME)}
        for number in range(4):
            hand_in(
                f"early{number}",
                {"90.open": f"Because {number} heartbeats must not wait."},
                student=f"s{number}",
                folder=self.box,
            )
        self.finish(self.marked)
        with sqlite3.connect(self.marked / "gradebook.db") as database:
            database.execute(
                "update grade set manual_score = 3.5, needs_manual_grade = 0 where cell_id = "
                "(select id from base_cell where name = 'q-90-open' and type = 'GradeCell')"
            )
            database.execute("update comment set manual_comment = 'Well said.'")
        slow = "import time\ntime.sleep(0.15)\ntotal = 6"
        for number in range(4, 10):
            hand_in(
                f"late{number}",
                {"90.3": slow, "90.1": "opened = kept = n.partitions"},
                student=f"s{number}",
                folder=self.box,
            )
        hand_in(
            "late-again",
            {"90.3": "total = 5", "90.open": "Because 0 heartbeats must not wait."},
            student="s0",
            folder=self.box,
        )
        (self.box / "zz.ipynb").write_text("{")
        whole = self.fresh()
        started = time.monotonic()
        self.finish(whole)
        self.seconds = time.monotonic() - started
        self.expected = self.state(whole)

    def fresh(self) -> Path:
        """A new OUT in which the first part is graded and marked."""
        self.count += 1
        return Path(shutil.copytree(self.marked, self.folder / f"out{self.count}"))

    def start(self, out: Path) -> subprocess.Popen:
        words = [
            "grade",
            str(self.box),
            "--out",
            str(out),
            "--json",
            str(out / "RESULTS.json"),
            "--workers",
            str(WORKERS),
        ]
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(out.with_suffix(".runs")), *words],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=open(out.with_suffix(".said"), "w"),
            start_new_session=True,
        )

    def finish(self, out: Path) -> None:
        run = self.start(out)
        assert run.wait(300) in (0, 3), out.with_suffix(".said").read_text()

    def runs(self, out: Path) -> list[str]:
        path = out.with_suffix(".runs")
        return path.read_text().split() if path.exists() else []

    @staticmethod
    def state(out: Path) -> tuple:
        """All that must be the same: the results without what a clock said,
        the gradebook's scores and comments."""
        with sqlite3.connect(out / "gradebook.db") as database:
            return (
                {
                    name: {key: value for key, value in result.items() if key != "seconds"}
                    for name, result in json.loads((out / "RESULTS.json").read_text()).items()
                },
                database.execute(SCORES).fetchall(),
                database.execute(COMMENTS).fetchall(),
            )

    def check(self, out: Path, kills: int) -> None:
        """Everything is as if nothing had happened."""
        assert self.state(out) == self.expected
        _, scores, comments = self.state(out)
        assert [row[3] for row in scores if row[1] == "q-90-open"].count(3.5) == 4, (
            "marks given by hand"
        )
        assert {row[3] for row in comments if row[0] in ("s0", "s1", "s2", "s3")} == {"Well said."}
        receipts = [json.loads(line) for line in (out / "receipts.jsonl").read_text().splitlines()]
        assert (
            len(receipts) == len({(each["submission"], each["sha256"]) for each in receipts}) == 12
        )
        for each in receipts:
            copy = out / "received" / each["sha256"][:2] / each["sha256"] / each["submission"]
            assert hashlib.sha256(copy.read_bytes()).hexdigest() == each["sha256"]
        assert len(self.runs(out)) <= 7 + WORKERS * kills, "more was done twice than was in hand"


def family(pid: int) -> dict[int, bytes]:
    """The processes that descend from one, each with its command line."""
    parents, words = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(name)] = int(
                Path(f"/proc/{name}/stat").read_text(errors="replace").rpartition(")")[2].split()[1]
            )
            words[int(name)] = Path(f"/proc/{name}/cmdline").read_bytes()
        except (OSError, IndexError):
            continue
    found, more = {}, [pid]
    while more:
        above = more.pop()
        for each, parent in parents.items():
            if parent == above:
                found[each] = words.get(each, b"")
                more.append(each)
    return found


def strike(run: subprocess.Popen, kind: str, luck: Random) -> bool:
    """Kill; True if the run goes on by itself afterwards."""
    others = family(run.pid)
    if kind in HELPERS:
        known = sorted(pid for pid, words in others.items() if HELPERS[kind] in words)
        if known:
            _kill(luck.choice(known))
        return True
    if kind == CTRL_C:
        run.send_signal(signal.SIGINT)
        run.wait(600)
    else:
        _kill(run.pid)
        for pid in others if kind == EVERYTHING else ():
            _kill(pid)
        run.wait(600)
    deadline = time.monotonic() + 600
    while any(os.path.exists(f"/proc/{pid}") and _is(pid, words) for pid, words in others.items()):
        assert time.monotonic() < deadline, "an orphan lives on"
        time.sleep(0.05)
    return False


def _is(pid: int, words: bytes) -> bool:
    """Whether it is still that process, and not one that has ended and waits to be buried."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() == words != b""
    except OSError:
        return False


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


@pytest.fixture(scope="module")
def class_of_twelve(demo_folder, tmp_path_factory):
    from autograder.tests.conftest import writer_of

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_COURSE", str(demo_folder))
        patch.delenv("AUTOGRADER_SECRET", raising=False)
        folder = tmp_path_factory.mktemp("kills")
        return Class(folder, demo_folder, writer_of(folder))


@pytest.mark.slow
@pytest.mark.parametrize("kind, after", [(EVERYTHING, 2), (WRITER, 3), (CTRL_C, 1)])
def test_killed_once(class_of_twelve, kind, after):
    """The plug is pulled when so many submissions have been begun."""
    room, luck = class_of_twelve, Random(after)
    out = room.fresh()
    run = room.start(out)
    while len(room.runs(out)) < after and run.poll() is None:
        time.sleep(0.01)
    if strike(run, kind, luck):
        assert run.wait(300) == 3, out.with_suffix(".said").read_text()
    else:
        room.finish(out)
    room.check(out, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_killed_at_ten_moments(class_of_twelve, seed):
    """A run is killed again and again, each time at another moment, until one gets through;
    then the next class."""
    room, luck, since = class_of_twelve, Random(seed), 0
    out = room.fresh()
    for kill in range(10):
        run = room.start(out)
        since += 1
        try:
            run.wait(luck.uniform(0, room.seconds))
        except subprocess.TimeoutExpired:
            if strike(run, KINDS[(seed + kill) % len(KINDS)], luck):
                assert run.wait(300) == 3, out.with_suffix(".said").read_text()
        if run.poll() == 3:
            room.check(out, since)
            out, since = room.fresh(), 0
    room.finish(out)
    room.check(out, since)


@pytest.mark.slow
def test_nobody_is_replaced_where_nobody_died(class_of_twelve, monkeypatch):
    """A helper lives as long as the class, and not as long as the one of
    its threads that happened to start it."""
    asked_again = []
    once = child_process.Colleague._answer_to

    def told(self, line):
        answer = once(self, line)
        if answer is None:
            asked_again.append(self.module)
        return answer

    monkeypatch.setattr(child_process.Colleague, "_answer_to", told)
    for name, value in class_of_twelve.environment.items():
        monkeypatch.setenv(name, value)
    for _ in range(3):
        grade_class(
            class_of_twelve.box, class_of_twelve.fresh(), workers=WORKERS, say=lambda text: None
        )
    assert asked_again == []


@pytest.mark.slow
def test_a_torn_receipt_is_written_again(class_of_twelve):
    """The power went while a line was written: what is whole stands,
    what is torn is received anew and not glued to the next."""
    room = class_of_twelve
    out = room.fresh()
    path = out / "receipts.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    for torn in list((out / "results").iterdir())[:2]:
        torn.write_bytes(torn.read_bytes()[:40])
    (out / "results" / ".draftxyz").write_text("{")
    room.finish(out)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == 12 and path.read_bytes().startswith(
        whole[: whole.rstrip().rfind(b"\n") + 1]
    )
    assert room.state(out) == room.expected


def test_two_runs_do_not_write_into_one_folder(hand_in, tmp_path, capsys):
    """A lock held by this process is one that another holds: each opens the file anew."""
    hand_in("ada", student="ada", folder=tmp_path / "box")
    (tmp_path / "out").mkdir()
    with holding(tmp_path / "out" / ".grading", 0, "busy"):
        assert main(["grade", str(tmp_path / "box"), "--out", str(tmp_path / "out")]) == 2
    assert "another run is grading into this folder" in capsys.readouterr().err
