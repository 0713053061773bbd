"""The parent's side of the sandbox: what the worker may see, how it is started, asked and replaced.

Levels, stored with every result, best first:
  L3  bubblewrap: namespaces for files, processes, network, users; inside, a second such wall round
      each submission
  L2  the second wall alone, made by the worker itself. Linux, as root or where user namespaces are
      on
  L1  limits only: time, memory, files, another user id when started as root. The learner's code can
      read what that user can

Which one a machine has is found out by doing it: a worker is started, and a probe inside tries to
get out (wall_probe.py). A worker that dies is replaced, and the submission that killed it gets an
end like any other.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import re
import select
import shutil
import subprocess
import sys
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from autograder.cell import questions
from autograder.cell.course_folder import HOME, released
from autograder.cell.reply import (
    SECONDS,
    SPARK_SECONDS,
    SPARK_WALL_SECONDS,
    WALL_SECONDS,
    shortened,
    too_late,
)
from autograder.course.masters import master
from autograder.handed_in.needs import imported_by, needed
from autograder.sandbox.outside import bubble, cgroup, spark_archive
from autograder.sandbox.outside.temp_folder import Lodging
from autograder.sandbox.outside.wall_probe import Probe

# What of this package a worker sees: all Python of these folders. Sealed verdicts are no Python and
# stay out, for a fork could try all small numbers.
SHOWN = ("cell", "sandbox/inside")
# What of `data` a learner's package has, and given cells read.
DATA = ("manifests", "recordings", "samples", "tools")
WARM = (
    *(f"autograder.cell.{part}" for part in ("check", "kinds", "plays", "runs")),
    "kafkalab.reading.line_table",
    "kafkalab.views",
    "matplotlib.backends.backend_agg",
    "matplotlib.pyplot",  # for the pictures that the cells before an answer draw
    "numpy",
    "pandas",
    "pyspark.sql.functions",  # what a chapter with one Spark exercise imports for all of them
)
# A lab is played once, too: what it looks up of releases and settings is then known to every fork.
WARM_CELL = """
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord

for version in ("2.3", "4.4"):
    lab = Lab(brokers=2, version=version, broker_version=version)
    lab.create_topic("orders", partitions=2)
    producer = KafkaProducer(lab, {}, name="shop")
    producer.send(ProducerRecord("orders", "one", partition=0)).get()
    consumer = KafkaConsumer(lab, {"group.id": "billing"}, name="bill")
    consumer.subscribe(["orders"])
    consumer.poll(10_000)
    lab.close()
"""
LEVELS = ("L3", "L2", "L1")
# how a submission ends whose worker dies, and the next one too
LOST = "the sandbox's worker was lost"
OFFICIAL = ("L3", "L2")  # marks that count are given at these


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    # Each cell, and each case a probe asks: processor time of all its processes, which a busy
    # machine does not take from it; and by the clock on the wall, for what sleeps.
    cell_seconds: int = SECONDS
    cell_wall_seconds: int = WALL_SECONDS
    seconds: int = 600  # all of it, by the clock on the wall
    cpu_seconds: int = 60  # all of it, on all processors together
    # An answer that may play labs in a loop; the whole has so much more.
    long_cell_seconds: int = 60
    # all its processes together; each one's address space too, but for Spark's JVM
    memory_bytes: int = 3 << 30
    file_bytes: int = 64 << 20  # each file it writes
    scratch_bytes: int = 256 << 20  # its folders in memory, all together
    open_files: int = 512  # each process
    processes: int = 64  # threads count too

    # The same for a submission that needs Spark, its JVM included.
    spark_start_seconds: int = 240  # the JVM's start, before the first step that uses Spark
    spark_cell_seconds: int = SPARK_SECONDS
    spark_cell_wall_seconds: int = SPARK_WALL_SECONDS
    spark_seconds: int = 1_200  # the start included
    spark_cpu_seconds: int = 360
    spark_memory_bytes: int = 5 << 30
    spark_file_bytes: int = 192 << 20  # the text of chapter 17's night has 111 MB
    spark_scratch_bytes: int = 768 << 20
    spark_open_files: int = 4_096
    spark_processes: int = 1024


class SandboxFailed(RuntimeError):
    """The worker could not be started or did not answer; the message says what it said last."""


class Unofficial(ValueError):
    """This machine's sandbox is too weak for marks that count; the message says what to do."""


class Sandbox:
    """The view, in memory where that has room, and workers started on it. Use it in a `with`; each
    thread keeps a worker of its own.

    `level` is the best one to try; a machine that has less gives what it has (`reached` says what,
    and `demand_official` raises where that is too little for marks that count).
    """

    def __init__(self, level: str = "L3", limits: Limits = Limits()):
        if level not in LEVELS:
            raise ValueError(f"There is no sandbox level {level!r}; there are {', '.join(LEVELS)}.")
        self.level, self.limits = level, limits
        self._lodging, self._shown = Lodging(), Lodging(in_memory=True)
        self.folder = self._lodging.folder
        self.view = build_view(self._shown.folder / "view")
        self._workers: list[Worker] = []
        self._own = threading.local()
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._jvms, self._archiving = 0, threading.Lock()
        self._why: list[str] = []
        # started to find the level, not yet some thread's
        self._spare: Worker | None = None
        self._tried, self._stopped = False, threading.Event()
        self._begun: list[threading.Thread] = []
        self._coming: list[Future[Worker]] = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()
        for thread in self._begun:
            thread.join()
        self._shown.leave()
        self._lodging.leave()

    def begin(self, workers: int) -> None:
        """Begin to start so many workers, and return at once. The first threads that ask get
        them; what kept one from starting is told to the thread that would have got it."""
        for number in range(workers):
            coming: Future[Worker] = Future()
            own = coming, number == 0
            thread = threading.Thread(target=self._start_ahead, args=own, daemon=True)
            self._begun.append(thread)
            self._coming.append(coming)
            thread.start()

    def demand_official(self) -> None:
        """Raise Unofficial where this machine's sandbox is too weak for marks that count."""
        level, why = self.reached()
        if level not in OFFICIAL:
            raise Unofficial(
                f"Marks that count need sandbox level L2, and this machine reaches {level} "
                f"({why}): `python -m autograder doctor` says what mends it, and --allow-unsafe "
                "grades all the same, for answers you trust."
            )

    def run(self, steps: list[dict], numbers: dict[str, dict], spark: bool = False) -> dict:
        """Run one submission's steps ({source, question, cases, hidden, given}) and return
        {replies, broken, ended, noise, signs, seconds, level}. `ended` says what cut the run off;
        it is "" where all cells ran. Where that is the sandbox's own fault, `lost` is there and
        true. `broken` has the reply of each given cell that failed, by the text of its number.

        The replies are the worker's: to `cases`, then to `hidden`. Hidden cases are asked in a
        second run, in a new process, and only where all of `cases` were answered: nothing
        that could carry them home is listened to after they are told. `replies` holds whatever the
        learner's process sent for each question and is not to be trusted further than as an answer;
        `noise` counts the lines that were none, `signs` are what its process was heard doing
        (signs.py).
        """
        told = [
            {
                name: step[name]
                for name in ("source", "question", "cases", "read", "spark", "long", "given")
                if name in step
            }
            for step in steps
        ]
        heard = self._ask_all(told, numbers, spark, 0.0)
        again = _second_run(steps, heard["replies"])
        if again:
            unseen = self._ask_all(again, numbers, spark, heard["seconds"], _late_in(heard))
            for step in steps:
                if step.get("hidden") and step["question"] in unseen["replies"]:
                    heard["replies"][step["question"]] = (
                        heard["replies"][step["question"]] + unseen["replies"][step["question"]]
                    )
            ended = heard["ended"] or unseen["ended"]
            heard = {**_both(heard, {**unseen, "replies": {}}), "ended": ended}
        return heard

    def stop(self) -> None:
        """End all workers at once; who waits for one is told that it was lost,
        and no other is started."""
        self._stopped.set()
        for worker in self._workers:
            worker.stop()

    def reached(self) -> tuple[str, str]:
        """The level a worker really has on this machine, and why it is not more ("" when it is)."""
        return self._first().level, ", ".join(self._why)

    def pieces(self) -> dict[str, bool]:
        """Which optional pieces a worker has: `filter` of system calls,
        `group` (a control group of its own)."""
        worker = self._first()
        return {"filter": worker.has_filter, "group": worker.group is not None}

    def workers(self) -> list[Worker]:
        """The workers that run."""
        return [worker for worker in self._workers if worker.runs]

    @property
    def uids(self) -> set[int]:
        """The users that learners' processes run as, when this one is root."""
        return {worker.uid for worker in self._workers}

    def _ask_all(self, steps, numbers, spark: bool, spent: float, late: int = 0) -> dict:
        """Ask, and where a step never ended ask the others without it, in a new process: an
        endless loop costs its own question only."""
        heard = self._ask(steps, numbers, spark, spent, late)
        hung = heard.pop("hung", None)
        while hung is not None:
            number, late = hung["step"], too_late(hung["clock"], hung["seconds"])
            stuck = steps[number]
            if stuck["question"] is not None:
                heard["replies"].setdefault(stuck["question"], [late] * len(stuck["cases"]))
            elif stuck.get("given") is not None:
                heard["broken"].setdefault(str(stuck["given"]), late)
            steps = _left_of(steps[:number] + steps[number + 1 :], heard["replies"])
            if not steps:
                heard["ended"] = ""
                break
            more = self._ask(steps, numbers, spark, spent + heard["seconds"], _late_in(heard))
            hung = more.pop("hung", None)
            heard = _both(heard, more)
        return heard

    def _seconds_of(self, step: dict, spark: bool) -> tuple[int, int]:
        """What one step may take: processor time, time by the clock on the wall. Beside Spark only
        the cells that use it, and the given ones, have Spark's time."""
        limits = self.limits
        if spark and (step.get("spark", True) or step["question"] is None):
            return limits.spark_cell_seconds, limits.spark_cell_wall_seconds
        if step.get("long"):
            return limits.long_cell_seconds, limits.spark_cell_wall_seconds
        return limits.cell_seconds, limits.cell_wall_seconds

    def _ask(self, steps, numbers, spark: bool, spent: float, late: int) -> dict:
        steps = [
            {
                **step,
                "seconds": shortened(seconds, late),
                "wall_seconds": shortened(wall_seconds, late),
            }
            for step in steps
            for seconds, wall_seconds in [self._seconds_of(step, spark)]
        ]
        limits = self.limits
        if spark and any(step.get("spark", True) for step in steps):
            self._expect_jvm()
        seconds = limits.spark_seconds if spark else limits.seconds
        cell_wall_seconds = limits.spark_cell_wall_seconds if spark else limits.cell_wall_seconds
        least = cell_wall_seconds + 2 + (limits.spark_start_seconds if spark else 0)
        job = {
            "steps": steps,
            "numbers": numbers,
            "spark": spark,
            "start_seconds": limits.spark_start_seconds,
            "seconds": min(seconds, max(least, round(seconds - spent))) if spent else seconds,
            "cpu_seconds": (limits.spark_cpu_seconds if spark else limits.cpu_seconds)
            + limits.long_cell_seconds * sum(bool(step.get("long")) for step in steps),
            "memory_bytes": None if spark else limits.memory_bytes,
            "watched_bytes": limits.spark_memory_bytes if spark else limits.memory_bytes,
            "file_bytes": limits.spark_file_bytes if spark else limits.file_bytes,
            "scratch_bytes": limits.spark_scratch_bytes if spark else limits.scratch_bytes,
            "open_files": limits.spark_open_files if spark else limits.open_files,
            "processes": limits.spark_processes if spark else limits.processes,
        }
        # a worker may be lost by the machine's fault; twice is the submission's
        for _ in range(2):
            if self._stopped.is_set():
                break
            worker = self._worker()
            try:
                return worker.ask(job)
            except SandboxFailed:
                worker.stop()
                self._own.worker = None
        return {
            "replies": {},
            "broken": {},
            "ended": LOST,
            "lost": True,
            "noise": 0,
            "signs": [],
            "seconds": 0.0,
            "level": self.level,
        }

    def _expect_jvm(self) -> None:
        """Show workers the archive of Spark's classes: the kept one before the first JVM, else one
        made once it is worth its cost. One lane makes it, and the others go on."""
        from kafkalab.logsets import class_archive  # a course without Spark needs none

        self._jvms += 1
        number = self._jvms
        if number not in (1, spark_archive.WORTH_IT_AFTER) or not self._archiving.acquire(False):
            return
        try:
            archive = class_archive.archive_file()
            if archive is None or (self.view / spark_archive.ARCHIVE).exists():
                return
            if archive.exists() or (number > 1 and class_archive.make_archive(archive)):
                spark_archive.show(archive, self.view)
        finally:
            self._archiving.release()

    def _worker(self) -> Worker:
        """This thread's worker."""
        if getattr(self._own, "worker", None) is None:
            with self._lock:
                coming = self._coming.pop(0) if self._coming else None
            self._own.worker = self._new_worker() if coming is None else coming.result()
        return self._own.worker

    def _new_worker(self) -> Worker:
        """The one with which the level was found, or another one of that level."""
        self._first()
        with self._lock:
            spare, self._spare = self._spare, None
        return spare or self._start(self.level)

    def _hopeful_worker(self) -> Worker:
        """One of the wanted level, started while the first one is still tried; another one where
        that turns out to be too much to hope for."""
        try:
            worker = self._start(self.level)
        except SandboxFailed:
            return self._new_worker()
        if self._first().level == worker.level:
            return worker
        worker.stop()
        return self._new_worker()

    def _start_ahead(self, coming: Future[Worker], first: bool) -> None:
        try:
            coming.set_result(self._new_worker() if first else self._hopeful_worker())
        except BaseException as failed:
            coming.set_exception(failed)
        # a process dies with the thread that started it (prctl(2))
        self._stopped.wait()

    def _first(self) -> Worker:
        """The first worker, with which the level was found."""
        with self._lock:
            if not self._tried:
                self._spare, self._tried = self._find_level(), True
                self.level = self._spare.level
                self._known = self._spare
            return self._known

    def _find_level(self) -> Worker:
        """Go down from the wanted level to the first whose worker starts
        and whose walls hold against the probe."""
        for level in LEVELS[LEVELS.index(self.level) :]:
            try:
                worker = self._start(level)
            except SandboxFailed as failed:
                if level == "L1":
                    raise
                self._why.append(f"{level}: {failed}")
                continue
            came_through = [worker.why] if worker.level != level else []
            if level != "L1" and not came_through:
                with Probe() as probe:
                    came_through = probe.judge(worker.ask(probe.job(self.limits)))
            if not came_through:
                return worker
            worker.stop()
            self._why.append(f"{level}: {', '.join(came_through)}")
        raise SandboxFailed("no worker could be started")

    def _start(self, level: str) -> Worker:
        worker = Worker(self, level, next(self._numbers))
        self._workers.append(worker)
        if self._stopped.is_set():  # while it was being started
            worker.stop()
        return worker


class Worker:
    """One warm process (worker.py), asked one job at a time."""

    def __init__(self, sandbox: Sandbox, level: str, number: int):
        folder, view = sandbox.folder, sandbox.view
        home = view / "autograder"
        scratch = folder / f"scratch{number}"
        scratch.mkdir()
        scratch.chmod(0o711)
        # processes are counted by user: each worker has its own
        uid = 60_000 + (os.getpid() + number) % 5_000
        readable = _readable(view) | _names(folder, uid)
        setup = {
            "level": level,
            "why": "",
            "view": str(view),
            "hide": [
                f"{home}/sandbox/inside",
                str(HOME),
                os.getcwd(),
                "/course/autograder/sandbox/inside",
                "",
            ],
            "scratch": str(scratch),
            "uid": uid,
            "warm": _warm(),
            "warm_cell": WARM_CELL,
            "environment": _environment(),
        }
        program = [sys.executable, "-I", "-B", str(home / "sandbox" / "inside" / "worker.py")]
        as_root = sys.platform.startswith("linux") and os.geteuid() == 0
        lent = {}
        if level == "L3":
            if bubble.found() is None:
                raise SandboxFailed("bubblewrap is not installed")
            if as_root:
                lent = {
                    outside: f"{bubble.LENT}/{index}"
                    for index, outside in enumerate([*readable.values(), *bubble.home()])
                }
            program = bubble.command(
                [sys.executable, "-I", "-B", "/course/autograder/sandbox/inside/worker.py"],
                uid,
                readable,
                _hidden(),
                _environment(),
                lent,
            )
        elif level == "L2":
            root = folder / f"root{number}"
            root.mkdir()
            setup.update(root=str(root), plan=bubble.plan(readable, _hidden()))
        self.group = cgroup.make_group(f"{folder.name}-{number}")
        orders = {
            "groups": [str(each) for each in self.group.folders] if self.group else [],
            "command": program,
            "uid": uid if level == "L3" and as_root else None,
            "lent": {place: outside for outside, place in lent.items()},
        }
        self._words = open(folder / f"worker{number}.txt", "w+", encoding="utf-8", errors="replace")
        self._ending = threading.Lock()
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-S",
                "-B",
                str(home / "sandbox" / "inside" / "launch.py"),
                json.dumps(orders),
            ],
            env=_environment(),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            start_new_session=True,
        )
        try:
            hello = self._exchange(setup)
        except SandboxFailed:
            self.stop()
            raise
        self.pid, self.uid = self._process.pid, uid
        self.level, self.why, self.has_filter = hello["level"], hello["why"], hello["filter"]

    def ask(self, job: dict) -> dict:
        """Send a job, wait for its result. The worker holds the clock;
        SandboxFailed when it is gone."""
        if self.group is not None:
            self.group.allow(job["watched_bytes"], job["processes"])
        return self._exchange(job)

    @property
    def runs(self) -> bool:
        """Whether it has not been stopped."""
        return not self._process.stdin.closed

    def stop(self) -> None:
        """End it; its forks are bound to it and end too, and are waited for."""
        # Ctrl-C and the thread whose worker it ends may both come here
        with self._ending:
            if self._process.stdin.closed:
                return
            self._process.kill()
            self._process.wait()
            pipe = self._process.stdout
            while select.select([pipe], [], [], 5)[0] and pipe.read1(1 << 16):
                # it ends when the last process behind the walls has let go of it
                pass
            for each in (self._process.stdin, pipe, self._words):
                try:
                    each.close()
                except OSError:
                    # a job half written to a worker that is gone
                    continue
            if self.group is not None:
                self.group.remove()

    def _exchange(self, line: dict) -> dict:
        try:
            self._process.stdin.write(json.dumps(line).encode() + b"\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except (OSError, ValueError) as gone:  # ValueError: stopped while somebody waited
            raise SandboxFailed(str(gone)) from None
        if not answer.endswith(b"\n"):
            self._words.flush()
            self._words.seek(0)
            said = self._words.read().strip().splitlines()
            raise SandboxFailed(
                said[-1][:300] if said else "the sandbox's worker ended without a word"
            )
        return json.loads(_without_lone_surrogates(answer))


def build_view(folder: Path) -> Path:
    """Copy the learner's side into `folder`: probes, the simulator, no judges.
    This is all of the course a worker sees."""
    here, package = HOME / "autograder", folder / "autograder"
    files = [here / "__init__.py", here / "sandbox" / "__init__.py"]
    for room in SHOWN:
        files += sorted((here / room).rglob("*.py"))
    for path in files:
        _copy_module(path, (package / path.relative_to(here)).parent)
    for place in map(Path, reversed(questions.__path__)):
        # a course of one's own has its questions elsewhere, and its own are the last word
        for path in sorted(place.glob("*.py")):
            _copy_module(path, package / "cell" / "questions")
    simulator = importlib.util.find_spec("kafkalab")
    if simulator is not None and simulator.submodule_search_locations:
        shutil.copytree(
            next(iter(simulator.submodule_search_locations)),
            folder / "kafkalab",
            ignore=shutil.ignore_patterns("tests"),
        )
    for part in DATA:
        if (HOME / "data" / part).is_dir():
            # what judges ask
            shutil.copytree(
                HOME / "data" / part,
                folder / "data" / part,
                ignore=shutil.ignore_patterns("truth*.json"),
            )
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.chmod(0o755)
    return folder


def _copy_module(path: Path, folder: Path) -> None:
    """A module, and its bytecode where there is some,
    so that not every worker has to compile it."""
    folder.mkdir(parents=True, exist_ok=True)
    # with its time, by which Python knows whether the bytecode is its
    shutil.copy2(path, folder / path.name)
    compiled = Path(importlib.util.cache_from_source(str(path)))
    if compiled.is_file():
        (folder / "__pycache__").mkdir(exist_ok=True)
        shutil.copy2(compiled, folder / "__pycache__" / compiled.name)


def _second_run(steps: list[dict], replies: dict) -> list[dict]:
    """The steps that ask the hidden cases of questions whose other cases were all answered with
    data; [] when none is left."""
    again = []
    for index, step in enumerate(steps):
        heard = replies.get(step["question"]) if step.get("hidden") else None
        if heard and all(isinstance(reply, dict) and "data" in reply for reply in heard):
            again.append(index)
    if not again:
        return []
    return [
        {
            "source": steps[index]["source"],
            "question": steps[index]["question"] if index in again else None,
            "spark": steps[index].get("spark", True),
            "long": steps[index].get("long", False),
            "given": steps[index].get("given"),
            "cases": steps[index]["hidden"] if index in again else [],
        }
        for index in sorted(_with_needed(steps, again))
    ]


def _left_of(steps: list[dict], replies: dict) -> list[dict]:
    """The steps of questions that have no reply yet, with the cells that they need; [] when none is
    left."""
    open_ = [
        index
        for index, step in enumerate(steps)
        if step["question"] is not None and step["question"] not in replies
    ]
    wanted = _with_needed(steps, open_)
    return [
        steps[index] if index in open_ else {**steps[index], "question": None, "cases": []}
        for index in sorted(wanted)
    ]


def _with_needed(steps: list[dict], aims: list[int]) -> set[int]:
    """These steps, by their index, and those that they need."""
    sources = [step["source"] for step in steps]
    given = {index for index, step in enumerate(steps) if step.get("given") is not None}
    return set(aims).union(*(needed(sources, index, given) for index in aims))


def _late_in(heard: dict) -> int:
    """How many steps were heard never to end: answers, and given cells."""
    said = [*heard["replies"].values(), *([reply] for reply in heard["broken"].values())]
    return sum(
        any(reply.get("raised") == "TimeUp" for reply in each if isinstance(reply, dict))
        for each in said
    )


def _both(first: dict, then: dict) -> dict:
    """What two runs of one submission were heard saying; it ended as the second did."""
    lost = first.get("lost") or then.get("lost")
    return {
        **first,
        "replies": {**first["replies"], **then["replies"]},
        "broken": {**first["broken"], **then["broken"]},
        "ended": then["ended"],
        "noise": first["noise"] + then["noise"],
        "signs": sorted({*first["signs"], *then["signs"]}),
        "seconds": round(first["seconds"] + then["seconds"], 3),
        **({"lost": True} if lost else {}),
    }


def _without_lone_surrogates(line: bytes) -> str:
    """JSON text that can be written in UTF-8 again: half a character, which only JSON's escapes
    can spell, becomes a question mark."""
    text = line.decode("ascii")
    if "\\ud" not in text.lower():
        return text
    halves = (
        r"(?<!\\)((?:\\\\)*)(?:(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2})"
    )
    return re.sub(halves, lambda found: found[1] + (found[2] or "?"), text, flags=re.IGNORECASE)


def _hidden() -> list[str]:
    """Places that must not be seen even if they lie inside something that is shown: a package
    installed beside numpy, a checkout under /usr."""
    checkout = (HOME / "pyproject.toml").exists()
    return [
        str(HOME if checkout else HOME / "autograder"),
        *filter(None, [os.environ.get("AUTOGRADER_COURSE")]),
    ]


def _warm() -> list[str]:
    """The modules a worker imports before its first submission:
    those that the course's own cells import."""
    named = list(WARM)
    for chapter in released():
        named.append(f"{questions.__name__}.ch{chapter}")
        for cell in master(chapter).cells:
            if cell.kind == "code":
                named += imported_by(cell.source)
    return list(dict.fromkeys(named))


def _readable(view: Path) -> dict[str, str]:
    """What the new root shows beside the system's programs:
    this Python, and the view as /course."""
    places = {os.path.realpath(sys.base_prefix), sys.prefix, sys.base_prefix}
    outside_system = {place for place in places if not place.startswith("/usr")}
    return {place: place for place in outside_system} | {"/course": str(view)}


def _names(folder: Path, uid: int) -> dict[str, str]:
    """Two small files that a JVM reads: who the user is, and where localhost is."""
    names = {
        "passwd": (
            f"root:x:0:0::/scratch:/bin/sh\nlearner:x:{uid}:{bubble.NOBODY}::/scratch:/bin/sh\n"
        ),
        "hosts": "127.0.0.1 localhost\n",
    }
    for name, text in names.items():
        (folder / f"{name}-{uid}").write_text(text, encoding="utf-8")
    return {f"/etc/{name}": str(folder / f"{name}-{uid}") for name in names}


def _environment() -> dict[str, str]:
    """The environment of learners' code: one thread a library, no display,
    nothing of the teacher's."""
    return {
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
