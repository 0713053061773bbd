"""The parent's side of the sandbox: what the worker may see, how it is started, asked and replaced, and the doctor.

Levels, stored with every result:
  L2  namespaces: own file system, network, processes; limits; nobody's user id. Linux, as root or where user namespaces are on
  L1  limits only: time, memory, files, another user id when started as root. The learner's code can read what that user can

A worker that dies is replaced, and the submission that killed it gets an end like any other.
"""
from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from autograder import questions
from autograder.masters import HOME, master, released
from autograder.needs import imported_by

# The learner's side of this package: all that a probe needs. Sealed verdicts stay out, for a fork could try all small numbers.
LEARNERS_FILES = ("__init__.py", "plain.py", "asking.py", "variants.py", "sealed.py", "progress.py", "check.py")
WORKERS_FILES = ("worker.py", "walls.py")
WARM = ("autograder.check", "numpy", "pandas")


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    cell_seconds: int = 10             # each cell, and each case a probe asks
    seconds: int = 60                  # all of it, by the wall clock
    memory_bytes: int = 3 << 30        # address space; left alone when a needed cell starts Spark's JVM
    file_bytes: int = 64 << 20         # each file it writes
    scratch_bytes: int = 256 << 20     # its folders in memory, all together
    processes: int = 64                # threads count too

    spark_cell_seconds: int = 60
    spark_seconds: int = 180
    spark_processes: int = 1024


class SandboxFailed(RuntimeError):
    """The worker could not be started or did not answer; the message says what it said last."""


class Sandbox:
    """A folder with the view, and workers started on it. Use it in a `with`; each thread keeps a worker of its own."""

    def __init__(self, level: str = "L2", limits: Limits = Limits()):
        self.level, self.limits = level, limits
        self.folder = Path(tempfile.mkdtemp(prefix="autograder-"))
        self.folder.chmod(0o755)
        self.view = build_view(self.folder / "view")
        self._workers: list[Worker] = []
        self._own = threading.local()
        self._lock = threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, steps: list[dict], numbers: dict[str, dict], spark: bool = False) -> dict:
        """Run one submission's steps ({source, question, cases}) and return {replies, ended, seconds, level}.

        The answer is the worker's; `replies` holds whatever the learner's process sent for each question and is not to be
        trusted further than as an answer.
        """
        limits = self.limits
        job = {
            "steps": steps, "numbers": numbers,
            "cell_seconds": limits.spark_cell_seconds if spark else limits.cell_seconds,
            "seconds": limits.spark_seconds if spark else limits.seconds,
            "memory_bytes": None if spark else limits.memory_bytes,
            "processes": limits.spark_processes if spark else limits.processes,
        }
        for _ in range(2):                               # a worker may be lost by the machine's fault; twice is the submission's
            worker = self._worker()
            try:
                return worker.ask(job)
            except SandboxFailed:
                worker.stop()
                self._own.worker = None
        return {"replies": {}, "ended": "the sandbox's worker was lost", "seconds": 0.0, "level": self.level}

    def stop(self) -> None:
        """End all workers at once; who waits for one is told that it was lost."""
        for worker in self._workers:
            worker.stop()

    def reached(self) -> tuple[str, str]:
        """The level a worker really has on this machine, and why it is not more ("" when it is)."""
        worker = self._worker()
        return worker.level, worker.why

    def _worker(self) -> Worker:
        if getattr(self._own, "worker", None) is None:
            with self._lock:
                number = len(self._workers)
                self._own.worker = Worker(self, number)
                self._workers.append(self._own.worker)
        return self._own.worker


class Worker:
    """One warm process (worker.py), asked one job at a time."""

    def __init__(self, sandbox: Sandbox, number: int):
        home = sandbox.view / "autograder"
        root, scratch = sandbox.folder / f"root{number}", sandbox.folder / f"scratch{number}"
        root.mkdir()
        scratch.mkdir()
        scratch.chmod(0o711)
        setup = {
            "level": sandbox.level, "view": str(sandbox.view), "hide": [str(home), str(HOME), os.getcwd(), ""],
            "root": str(root), "scratch": str(scratch), "readable": _readable(sandbox.view),
            "scratch_bytes": sandbox.limits.scratch_bytes, "file_bytes": sandbox.limits.file_bytes,
            "uid": 60_000 + (os.getpid() + number) % 5_000,      # processes are counted by user: each worker has its own
            "warm": _warm(), "environment": _environment(),
        }
        self._words = open(sandbox.folder / f"worker{number}.txt", "w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", str(home / "worker.py"), json.dumps(setup)], env=_environment(), cwd=sandbox.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, text=True, encoding="utf-8", start_new_session=True)
        hello = self._read()
        self.level, self.why = hello["level"], hello["why"]

    def ask(self, job: dict) -> dict:
        """Send a job, wait for its result. The worker holds the clock; SandboxFailed when it is gone."""
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
        except OSError as gone:
            raise SandboxFailed(str(gone)) from None
        return self._read()

    def stop(self) -> None:
        """End it; its forks are bound to it and end too."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._words):
            try:
                pipe.close()
            except OSError:                              # a job half written to a worker that is gone
                continue

    def _read(self) -> dict:
        line = self._process.stdout.readline()
        if not line:
            self._words.flush()
            self._words.seek(0)
            said = self._words.read().strip().splitlines()
            raise SandboxFailed(f"the sandbox's worker ended: {said[-1] if said else 'without a word'}")
        return json.loads(line)


def build_view(folder: Path) -> Path:
    """Copy the learner's side into `folder`: probes, the simulator, no judges. This is all of the course a worker sees."""
    here = Path(__file__).parent
    package = folder / "autograder"
    (package / "questions").mkdir(parents=True)
    for name in LEARNERS_FILES + WORKERS_FILES:
        shutil.copyfile(here / name, package / name)
    for place in map(Path, questions.__path__):
        for path in sorted(place.glob("*.py")):
            shutil.copyfile(path, package / "questions" / path.name)
    simulator = importlib.util.find_spec("kafkalab")
    if simulator is not None and simulator.submodule_search_locations:
        shutil.copytree(next(iter(simulator.submodule_search_locations)), folder / "kafkalab",
                        ignore=shutil.ignore_patterns("__pycache__", "tests"))
    for part in ("recordings", "samples"):
        if (HOME / "data" / part).is_dir():
            shutil.copytree(HOME / "data" / part, folder / "data" / part)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.chmod(0o755)
    return folder


def doctor() -> list[str]:
    """Which level this machine reaches, what is missing, and the one command that mends it; one sentence a line."""
    with Sandbox() as sandbox:
        level, why = sandbox.reached()
    from autograder.judges.secret import is_demo

    lines = [f"Sandbox level {level}: " + ("own file system, network and processes, with limits." if level == "L2" else
                                           "limits only; learners' code can read what its user can.")]
    if level != "L2":
        lines.append(f"Namespaces are not to be had here ({why}).")
        flag = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
        if not sys.platform.startswith("linux"):
            lines.append("They are Linux's; grade in a Linux machine or container for level L2.")
        elif flag.exists() and flag.read_text(encoding="utf-8").strip() == "1":
            lines.append("Ubuntu forbids them to ordinary users: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0")
        else:
            lines.append("Run the grading as root, or in a container started with: "
                         "docker run --security-opt seccomp=unconfined --cap-add SYS_ADMIN")
    if is_demo():
        lines.append("The course secret is the demo one, which everybody knows: set AUTOGRADER_SECRET before you hand out a course.")
    return lines


def _warm() -> list[str]:
    """The modules a worker imports before its first submission: those that the course's own cells import."""
    named = list(WARM)
    for chapter in released():
        for cell in master(chapter).cells:
            if cell.kind == "code":
                named += imported_by(cell.source)
    return list(dict.fromkeys(named))


def _readable(view: Path) -> dict[str, str]:
    """What the new root shows beside the system's programs: this Python, and the view as /course."""
    places = {os.path.realpath(sys.base_prefix), sys.prefix, sys.base_prefix}
    outside_system = {place for place in places if not place.startswith("/usr")}
    return {place: place for place in outside_system} | {"/course": str(view)}


def _environment() -> dict[str, str]:
    """The environment of learners' code: one thread a library, no display, nothing of the teacher's."""
    return {"MPLBACKEND": "Agg", "MPLCONFIGDIR": "/tmp/matplotlib", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8", "TZ": "UTC"}
