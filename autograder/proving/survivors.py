"""Finds wrong answers that get all points: each single change of a right answer is graded.

A change of a right answer that gets all points means the same, or the exercise lets an error
through. The author says in a cell `# %% equivalent` of the exercise why a change means the same:

    # %% equivalent
    # `number < 0` -> `number <= 0`, `number < 1`: no node has the id 0 in this exercise.
    # `Lab(brokers=3, seed=7)` changed: the lab only shows what is asked.

The second form is for every change within what the answer only looks with. Every other change has
to fail. It is asked all cases, as in grading, in a process of its own that is ended when it runs
too long. A change that gets all points only with some students' numbers survives, too: an
exercise's numbers always hold its edges.
"""

from __future__ import annotations

import math
import os
import re
import select
import signal
import tempfile
import time
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from autograder.cell.data import canonical
from autograder.cell.numbers import numbers_for, pretending
from autograder.cell.question import Question
from autograder.cell.question import find as question_of
from autograder.cell.replay import fits, needs_calls
from autograder.cell.reply import TimeUp, ask, quiet
from autograder.cell.verdict import STUMBLES, Verdict, verdict_on
from autograder.course import exercises
from autograder.course.judge import Judge, judge_of, verdict_of
from autograder.course.masters import master
from autograder.course.references import reference, references
from autograder.course.rehearsal import Nowhere
from autograder.grading.verdict import all_cases
from autograder.handed_in.assignment import Step, steps
from autograder.handed_in.needs import as_python
from autograder.proving.mutations import Mutation, mutations

BEGINS = r"`[^`]+` (?:->|left out|without|ends|changed)"
ENTRY = re.compile(rf"({BEGINS}(?:`[^`]*`|[^`:])*): ((?:(?!{BEGINS}).)+)")
"""Changes, and why they mean the same."""
LEAST_STUDENTS, MOST_STUDENTS = 3, 16
SECONDS_FOR_STUDENTS = 0.2
"""Processor time for the right answer of all students; more than the fewest are only asked within
it."""
TIMES_LONGER, SECONDS_MORE = 4, 1
"""What a change may take: so many times as long as the right answer, and so many seconds."""
WALL_SECONDS = 120
RIGHT, SEEN, UNSEEN, BROKEN = "right", "seen", "unseen", "broken"
"""What becomes of a change with one student's numbers: all points; a case that everybody sees
fails, or only a hidden one; it stops with an error, or runs without end."""
HEAD = f"{'exercise':10}{'changes':>8}{'unseen':>8}{'answered':>10}{'survivors':>11}"


@dataclass(frozen=True)
class Survivor:
    """A change that gets all points with the numbers of `right` of `asked` students."""

    told: str
    right: int
    asked: int

    def __str__(self) -> str:
        some = f" (passes for {self.right} of {self.asked} ids)" if self.right < self.asked else ""
        return f"{self.told}{some}"


@dataclass(frozen=True)
class Mutated:
    """Lists what became of all changes of one exercise. `unseen` fail in hidden cases only;
    `stale` are lines of the author about changes that do not survive; `left` changes were not
    looked at."""

    id: str
    changes: int = 0
    survivors: tuple[Survivor, ...] = ()
    answered: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    left: int = 0

    def __str__(self) -> str:
        return (
            f"{self.id:10}{self.changes:>8}{len(self.unseen):>8}{len(self.answered):>10}"
            f"{len(self.survivors):>11}"
        )

    def lines(self) -> list[str]:
        """What is to be done."""
        return [f"gets all points: {each}" for each in self.survivors] + [
            f"no such change gets all points: {each}" for each in self.stale
        ]


@dataclass
class _Student:
    """One student's numbers, and the cases they make."""

    numbers: dict
    cases: list[tuple[dict, bool]]
    before: dict = field(default_factory=dict)
    """The names that the cells above the answer leave."""
    seconds: float = 0.0
    """Processor time that the right answer takes with these numbers."""


def survivors(id: str, seconds: float = math.inf) -> Mutated:
    """Grade every change of an exercise's right answer. No change is begun after so many seconds;
    `left` says how many then are not looked at."""
    question = question_of(id)
    ground = _Ground(question)
    source = reference(id)
    changed = mutations(source, ground.first_numbers)
    reasons = equivalent(id)
    found: list[Survivor] = []
    answered, unseen, used = [], [], set()
    looked_at, until = 0, time.monotonic() + seconds
    with ground:
        for change in changed:
            if time.monotonic() > until:
                break
            looked_at += 1
            came = ground.outcomes(change.source)
            right = came.count(RIGHT)
            if change.is_number and right < len(came):
                # who has the same numbers may write them
                right = 0
            if right and (reason := _reason(change, reasons)) is not None:
                answered.append(change.told)
                used.add(reason)
            elif right:
                found.append(Survivor(change.told, right, len(came)))
            elif SEEN not in came and UNSEEN in came:
                unseen.append(change.told)
    left = len(changed) - looked_at
    stale = () if left else tuple(told for told in reasons if told not in used)
    return Mutated(id, looked_at, tuple(found), tuple(answered), tuple(unseen), stale, left)


def equivalent(id: str) -> dict[str, str]:
    """change -> why it means the same, as the exercise's file says it."""
    told = " ".join(
        " ".join(line.lstrip("# ") for line in cell.body.splitlines())
        for cell in exercises.find(id).of("equivalent")
    )
    return {
        each: why.strip()
        for changes, why in ENTRY.findall(" ".join(told.split()))
        for each in _each_change(changes)
    }


def _each_change(changes: str) -> list[str]:
    """`old` -> `new`, `newer` are two changes."""
    old, arrow, news = changes.partition(" -> ")
    if not arrow:
        return [changes]
    return [f"{old} -> {new}" for new in re.findall(r"`[^`]*`", news)]


def _reason(change: Mutation, reasons: Container[str]) -> str | None:
    """Which of these answers is about a change."""
    wide = (f"`{part}` changed" for part in change.inside)
    return next((each for each in (change.told, *wide) if each in reasons), None)


class _Ground:
    """Holds what an exercise's answers are asked with: students' numbers, the names that the cells
    above leave, and every truth."""

    def __init__(self, question: Question):
        self.question = question
        self.judge = _remembering(question)
        self.students: list[_Student] = []
        self.seconds = 0.0

    @cached_property
    def first_numbers(self) -> dict[str, object]:
        """The numbers of the first student by name; of several sets the first."""
        if not self.question.space:
            return {}
        numbers = dict(numbers_for(self.question, "s001"))
        first = numbers[self.question.draws[0]] if self.question.draws else numbers
        return {name: first[name] for name in self.question.space}

    def __enter__(self) -> _Ground:
        """Run the cells above the answer and the right answer for as many students as there is
        time for."""
        source = reference(self.question.id)
        if self.is_spark:
            _start_spark()
        for number in range(MOST_STUDENTS if self.question.space else 1):
            own = dict(numbers_for(self.question, f"s{number + 1:03}"))
            student = _Student(own, all_cases(self.question, own))
            student.before = self._before(student)
            started = time.process_time()
            came = self.outcome(source, student)
            student.seconds = time.process_time() - started
            self.seconds += student.seconds
            if came != RIGHT:
                raise ValueError(f"{self.question.id}: the right answer is {came}")
            # the right answer may have changed what the cells above it made
            student.before = self._before(student)
            self.students.append(student)
            enough = self.seconds > SECONDS_FOR_STUDENTS
            if enough and len(self.students) >= LEAST_STUDENTS:
                break
        return self

    def __exit__(self, *error) -> None:
        self.students.clear()

    @property
    def is_spark(self) -> bool:
        """Whether the answer needs Spark, which no copy of a process can share."""
        return self.question.kind == "spark"

    def outcomes(self, source: str) -> list[str]:
        """What becomes of a source with each student's numbers."""
        if self.is_spark:
            return [self.outcome(source, student) for student in self.students]
        came = list(
            _apart(
                (partial(self.outcome, source, each), TIMES_LONGER * each.seconds + SECONDS_MORE)
                for each in self.students
            )
        )
        return came + [BROKEN] * (len(self.students) - len(came))

    def outcome(self, source: str, student: _Student) -> str:
        """What becomes of a source with one student's numbers."""
        namespace = dict(student.before)
        try:
            with pretending({self.question.id: student.numbers}), quiet():
                exec(compile(as_python(source), "<answer>", "exec"), namespace)
                for case, hidden in student.cases:
                    reply = ask(self.question, namespace, case)
                    if "data" not in reply and not hidden:
                        return BROKEN
                    if not self._is_right(case, hidden, reply):
                        return UNSEEN if hidden else SEEN
        except (Exception, TimeUp, SystemExit):
            return BROKEN
        return RIGHT

    def _before(self, student: _Student) -> dict:
        """The names after the cells above the answer."""
        namespace = {
            "__name__": "__main__",
            "get_ipython": Nowhere,
            "display": lambda *things, **options: None,
        }
        with pretending({self.question.id: student.numbers}), quiet():
            for step in self._steps_above:
                exec(compile(as_python(step.source), "<cell>", "exec"), namespace)
        return namespace

    @cached_property
    def _steps_above(self) -> list[Step]:
        chapter = self.question.chapter
        found = steps(master(chapter), references(chapter), only={self.question.id})
        return found[: next(i for i, step in enumerate(found) if step.question == self.question.id)]

    def _is_right(self, case: dict, hidden: bool, reply: dict) -> bool:
        """Whether grading gives the points of a case: its word without a sentence."""

        def word(data) -> Verdict:
            try:
                return verdict_of(self.question, self.judge, case, data, None, hidden)
            except STUMBLES:
                return Verdict(False, "")

        return verdict_on(self.question, reply, word, hidden).ok and (
            not needs_calls(self.question)
            or fits(self.question, case, reply["data"], reply.get("calls"))
        )


def _remembering(question: Question) -> Judge:
    """The question's judge, which works out each truth only once."""
    judge, known = judge_of(question.id), {}
    if judge.truth is None:
        return judge

    def truth(case: dict):
        key = canonical(question.sealed_form(case))
        if key not in known:
            known[key] = judge.truth(case)
        return known[key]

    return replace(judge, truth=truth)


def _apart(asks: Iterable[tuple[Callable[[], str], float]]) -> Iterator[str]:
    """The words that these give one after another in a copy of this process, until one of them has
    used more than its seconds of processor time."""
    import resource  # not on Windows, where nothing is graded

    reads, writes = os.pipe()
    scratch = tempfile.TemporaryDirectory(prefix="survivors-")
    child = os.fork()
    if not child:
        try:
            tempfile.tempdir = scratch.name  # this process is killed, and removes nothing
            os.close(reads)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            _, most = resource.getrlimit(resource.RLIMIT_CPU)
            for ask_one, seconds in asks:
                # the limit counts from the start of the copy
                until = math.ceil(time.process_time() + seconds)
                resource.setrlimit(resource.RLIMIT_CPU, (until, most))
                os.write(writes, f"{ask_one()}\n".encode())
        finally:
            os._exit(0)
    os.close(writes)
    deadline, heard = time.monotonic() + WALL_SECONDS, b""
    try:
        while (left := deadline - time.monotonic()) > 0 and select.select([reads], [], [], left)[0]:
            told = os.read(reads, 65_536)
            if not told:
                break
            heard += told
            deadline = time.monotonic() + WALL_SECONDS
    finally:
        os.close(reads)
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(child, 0)
        scratch.cleanup()
    yield from heard.decode().split()


def _start_spark() -> None:
    from kafkalab.logsets import session

    session()
