"""Shows an author all rules for one exercise on one screen, each with `ok` or with what to do.

The chapter is built in a folder of its own, where the exercise is sealed and really run. Nothing of
the course is changed, so it may be half written.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.cell import sealed
from autograder.cell.course_folder import notebooks
from autograder.cell.numbers import numbers_for
from autograder.cell.outcome import Outcome
from autograder.cell.question import Question
from autograder.cell.question import find as question_of
from autograder.course import build, halves
from autograder.course.exercises import (
    LEAST_HINTS,
    LEAST_WRONG,
    LINE,
    Exercise,
    ExerciseCell,
    Unbuildable,
    find,
    folder,
    place,
)
from autograder.course.judge import Judge, judge_of
from autograder.course.leaks import Leak
from autograder.course.masters import master
from autograder.course.references import reference, references
from autograder.course.rehearsal import reply_of_wrong
from autograder.course.sealing import Unsealable, seal_question, write_boxes
from autograder.course.sources import exercises_of, name_of
from autograder.grading.lanes.submission_run import hear
from autograder.grading.verdict import all_cases, mark
from autograder.handed_in.submission import Submission
from autograder.proving.drawn import drawn
from autograder.proving.survivors import survivors
from autograder.sandbox.outside.parent import Sandbox
from autograder.written.rubrics import RubricMissing, suggest

BLANK = "___"
"""What `new` writes where the author is to write something."""
STUDENTS = ("", "s001", "s002", "s003")
LEAST_FOR_MODEL = 3
SAMPLED = 60
"""Students whose answers are compared."""
IN_BRACES = re.compile(r"\{[a-z_]+(![rsa]|:[^{}]*)?\}")
ALL_WELL, TO_DO = 0, 3


class Unruly(ValueError):
    """A rule is broken; the message says what to do, and where."""


@dataclass(frozen=True)
class Looked:
    """What the rules look at: the exercise, its question and its judge."""

    exercise: Exercise
    question: Question
    judge: Judge

    def wrong(self, name: str) -> ExerciseCell:
        """The cell of a named wrong answer."""
        return next(cell for cell, _, _ in self.exercise.wrong() if cell.name == name)


def print_rules(id: str) -> int:
    """Print the rules for an exercise; 0 where all are kept, 3 where something is to be done."""
    find(id)
    with tempfile.TemporaryDirectory(prefix="exercise") as home:
        copy_sources(id, Path(home))
        done = subprocess.run(
            [sys.executable, "-m", "autograder.proving.exercise_rules", id],
            env={**os.environ, "AUTOGRADER_COURSE": home},
            check=False,
        )
    return done.returncode


def main(words: list[str]) -> int:
    """Look at the exercise in the course that AUTOGRADER_COURSE names."""
    (id,) = words
    broken = 0
    print(f"exercise {id} · {place(find(id).path, 1)}")
    for name, (well, said) in _looked_at(id):
        broken += not well
        print(f"  {'ok' if well else 'TO DO':6} {name:14} {said}", flush=True)
    if not broken:
        sealing = "" if find(id).is_open else f", then `python -m autograder seal {id}`,"
        print(f"All is well. `python -m autograder course --prose {id[:2]}`{sealing} builds it.")
    return TO_DO if broken else ALL_WELL


def copy_sources(id: str, home: Path) -> None:
    """Copy a chapter's sources into a course folder of their own; a chapter that does not name the
    exercise yet names it there."""
    name = name_of(id[:2])
    there = home / "notebooks"
    (there / "source_py").mkdir(parents=True)
    text = (notebooks() / "source_py" / f"{name}.py").read_text(encoding="utf-8")
    if LINE.format(id) not in text.splitlines():
        text += f"\n{NOT_NAMED}\n\n{LINE.format(id)}\n"
    (there / "source_py" / f"{name}.py").write_text(text, encoding="utf-8")
    shutil.copytree(folder(id[:2]), there / "exercises" / id[:2])
    shutil.copyfile(notebooks() / "nbgrader_config.py", there / "nbgrader_config.py")


NOT_NAMED = "# %% [markdown]\n# The chapter does not name the exercise below."


def _looked_at(id: str) -> Iterator[tuple[str, tuple[bool, str]]]:
    """(the rule's name, (is it kept, what is said)) of each rule, in the order of the screen."""
    exercise = find(id)
    for name, rule in (("blanks", _blanks), ("chapter", _chapter), ("build", _build)):
        yield name, (found := _kept(rule, exercise))
        if not found[0] and name != "chapter":
            return
    looked = Looked(exercise, question_of(id), judge_of(id))
    for name, rule in OPEN_RULES if exercise.is_open else RULES:
        yield name, _kept(rule, looked)


def _kept(rule: Callable, about) -> tuple[bool, str]:
    try:
        return True, rule(about)
    except (Unruly, Unbuildable, Unsealable, Leak) as broken:
        return False, str(broken)
    except Exception as failed:
        id = (about if isinstance(about, Exercise) else about.exercise).id
        built = halves.halves(id[:2], exercises_of(id[:2])).values()
        where = next(filter(None, (half.blamed(failed) for half in built)), None)
        said = " ".join(f"{type(failed).__name__}: {failed}".split())
        return False, f"{where or place(find(id).path, 1)}: {said}"


def _blanks(exercise: Exercise) -> str:
    for number, line in enumerate(exercise.path.read_text(encoding="utf-8").splitlines(), 1):
        if BLANK in line:
            raise Unruly(f"{place(exercise.path, number)}: fill in the blank")
    return "none is left"


def _chapter(exercise: Exercise) -> str:
    name = name_of(exercise.id[:2])
    path = notebooks() / "source_py" / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    if NOT_NAMED in text:
        raise Unruly(
            f"add the line `{LINE.format(exercise.id)}` to notebooks/source_py/{name}.py, where "
            "the exercise belongs"
        )
    return place(path, text.splitlines().index(LINE.format(exercise.id)) + 1)


def _build(exercise: Exercise) -> str:
    build.build(exercise.id[:2])
    question = question_of(exercise.id)
    return f"{question.kind}, {question.points:g} points: {question.title}"


def _hints(looked: Looked) -> str:
    if len(looked.question.hints) < LEAST_HINTS:
        raise Unruly(
            f"{place(looked.exercise.path, 1)}: {len(looked.question.hints)} of {LEAST_HINTS}; "
            "`# %% hint` says where to look, a second one nearly how"
        )
    return f"{len(looked.question.hints)}"


def _reference(looked: Looked) -> str:
    for student in STUDENTS:
        given = _graded(looked.question, reference(looked.question.id), student)
        if given.outcome != Outcome.RIGHT:
            raise Unruly(
                f"{_line_of(looked, 'answer')}: the solution gets {given.score:g} of "
                f"{given.max:g} as student {student or 'nobody'}: {given.sentence}"
            )
    return f"{given.max:g} of {given.max:g} points for {len(STUDENTS)} students"


def _blank(looked: Looked) -> str:
    id = looked.question.id
    given = _graded(looked.question, master(id[:2]).answer_cell(id).source, STUDENTS[1])
    if given.outcome != Outcome.BLANK:
        raise Unruly(
            f"{_line_of(looked, 'answer')}: the empty answer is {given.outcome}, "
            f'"{given.sentence}"; leave each of `answers` as `...` above the solution'
        )
    return f"0 points: {given.sentence}"


def _wrong(looked: Looked) -> str:
    named = looked.judge.wrong_answers
    if len(named) < LEAST_WRONG:
        raise Unruly(
            f"{place(looked.exercise.path, 1)}: {len(named)} of {LEAST_WRONG}; "
            '`# %% wrong="all are kept"` holds an answer people give, under its sentence'
        )
    for wrong in named:
        where = place(looked.exercise.path, looked.wrong(wrong.name).line)
        for student in STUDENTS:
            cases = all_cases(looked.question, dict(numbers_for(looked.question, student)))
            replies = [reply_of_wrong(looked.question, wrong, case) for case, _ in cases]
            heard = {"replies": {looked.question.id: replies}, "ended": "", "broken": {}}
            given = mark(looked.question, 1.0, cases, heard)
            whose = f"as student {student or 'nobody'}"
            if given.outcome == Outcome.RIGHT:
                raise Unruly(f"{where}: it is right {whose}; keep such numbers out with `where`")
            if given.misconception != wrong.name:
                raise Unruly(f'{where}: {whose} it gets another sentence: "{given.sentence}"')
            if IN_BRACES.search(given.sentence):
                raise Unruly(f"{where}: no case has this name: {given.sentence}")
    return f"{len(named)}, each gets its own sentence"


def _sealed(looked: Looked) -> str:
    started = time.monotonic()
    try:
        boxes = seal_question(looked.question)
    except Unsealable as unsealable:
        if unsealable.wrong is None:
            raise
        line = looked.wrong(unsealable.wrong).line
        raise Unruly(f"{place(looked.exercise.path, line)}: {unsealable}") from None
    write_boxes(looked.question.chapter, {looked.question.id: boxes})
    verdicts = sum(len(of_case) for of_case in boxes["cases"].values())
    seconds = time.monotonic() - started
    return f"{verdicts} verdicts on {len(boxes['cases'])} cases, {seconds:.0f} s"


def _numbers(looked: Looked) -> str:
    if not looked.question.space:
        return "everybody gets the same; half of a chapter's exercises have a `space`"
    if looked.judge.truth is None:
        return "the judge has no `truth` to compare students' answers by"
    found = drawn(looked.question, SAMPLED)
    if found.wrong:
        raise Unruly(f"{_line_of(looked, 'question')}: {'; '.join(found.wrong)}")
    return (
        f"{found.sets} sets; {found.different:.0%} of students have numbers of their own, and a "
        f"neighbour's answer earns {found.neighbour:.0%}"
    )


def _changes(looked: Looked) -> str:
    found = survivors(looked.question.id)
    if found.survivors:
        told = "; ".join(map(str, found.survivors))
        raise Unruly(
            f"{_line_of(looked, 'answer')}: these changes of the solution get all points: {told}. "
            "Add a case in which each fails, or a line in a cell `# %% equivalent` that says why "
            "it is right"
        )
    if found.stale:
        raise Unruly(
            f"{place(looked.exercise.path, looked.exercise.of('equivalent')[0].line)}: no such "
            f"change gets all points: {'; '.join(found.stale)}"
        )
    hidden = f", {len(found.unseen)} of them by hidden cases only" * bool(found.unseen)
    return (
        f"{found.changes} changes of the solution, {found.changes - len(found.answered)} fail"
        f"{hidden}; {len(found.answered)} are right, too"
    )


def _leaks(looked: Looked) -> str:
    boxes = sealed.folder() / f"ch{looked.question.chapter}.json"
    if not boxes.is_file() and not looked.exercise.is_open:
        raise Unruly("looked for once it can be sealed")
    build.look_for_leaks(name_of(looked.question.chapter))
    return "none in the notebook, the learner's half and the sealed verdicts"


def _text(looked: Looked) -> str:
    words = len(looked.exercise.asked().split())
    answer = len(looked.exercise.solution().split())
    if not answer:
        raise Unruly(f"{_line_of(looked, 'answer')}: write a model answer")
    return f"{words} words; the model answer has {answer}"


def _rubric(looked: Looked) -> str:
    model = " ".join(looked.exercise.solution().split())
    try:
        found = suggest(looked.question.id, model)
    except RubricMissing:
        return "none: each answer waits for a person without a suggestion"
    if found.mark < LEAST_FOR_MODEL:
        raise Unruly(
            f"{_line_of(looked, 'rubric')}: for the model answer it says: {found.sentence}"
        )
    return f"it suggests {found.mark} of 4 for the model answer"


def _line_of(looked: Looked, role: str) -> str:
    return place(looked.exercise.path, looked.exercise.one(role).line)


def _graded(question: Question, source: str, student: str):
    """The mark of an answer that runs in the sandbox; the cells above it are solved."""
    own = master(question.chapter)
    answers = {**references(question.chapter), question.id: source}
    submission = Submission(
        "tried.ipynb", own.path, "", student, student, question.chapter, answers
    )
    with Sandbox() as sandbox:
        asked, heard = hear(submission, sandbox, {question.id})
    return mark(question, own.points(question), asked[question.id], heard)


RULES = (
    ("hints", _hints),
    ("solution", _reference),
    ("empty answer", _blank),
    ("wrong answers", _wrong),
    ("sealing", _sealed),
    ("numbers", _numbers),
    ("changes", _changes),
    ("leaks", _leaks),
)
OPEN_RULES = (("text", _text), ("rubric", _rubric), ("leaks", _leaks))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
