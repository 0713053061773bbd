"""The rules for an exercise: each says that it is kept, or what to do and where.

exercise_screen.py looks at them in a folder of their own, where the chapter is built and the
exercise is sealed and really run.
"""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import jupytext

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
    NOT_NAMED,
    Exercise,
    ExerciseCell,
    Unbuildable,
    find,
    place,
    uncommented,
)
from autograder.course.judge import Judge, judge_of
from autograder.course.leaks import Leak
from autograder.course.masters import master
from autograder.course.plain_words import problems_of_words
from autograder.course.reading_time import in_short, problem_of_sittings, sittings
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
SECONDS_FOR_CHANGES = 3
"""Changes of the solution are looked at for so long: an author waits for the answer."""
IN_BRACES = re.compile(r"\{[a-z_]+(![rsa]|:[^{}]*)?\}")
UNFILLED = re.compile(r"\{[a-z_]+\}")
"""A name in braces that nothing has taken the place of."""


class Unruly(ValueError):
    """A rule is broken; the message says what to do, and where."""


@dataclass(frozen=True)
class Looked:
    """What the rules look at: the exercise, its question and its judge."""

    exercise: Exercise
    question: Question
    judge: Judge

    @property
    def students(self) -> tuple[str, ...]:
        """Who answers: one where all have the same numbers."""
        return STUDENTS if self.question.space else STUDENTS[:1]

    def wrong(self, name: str) -> ExerciseCell:
        """The cell of a named wrong answer."""
        return next(cell for cell, _, _ in self.exercise.wrong() if cell.name == name)


LOOKING = 2
"""Processes that look at the same time."""


def looked_at(id: str) -> Iterator[tuple[str, bool, str]]:
    """(the rule's name, is it kept, what is said) of each rule, in the order of the screen."""
    exercise = find(id)
    for name, rule in FIRST_RULES:
        kept, said = _kept(rule, exercise)
        yield name, kept, said
        if not kept and name not in ("chapter", "form"):
            return
    rules = OPEN_RULES if exercise.is_open else RULES
    forked = multiprocessing.get_context("fork")  # so each has what was built and imported
    with ProcessPoolExecutor(LOOKING, mp_context=forked) as pool:
        # what takes long begins first
        begun = {
            name: pool.submit(_look, id, rule)
            for name, rule in sorted(rules, key=lambda row: row[0] not in LONG)
        }
        for name, _ in rules:
            yield name, *begun[name].result()
    yield "leaks", *_look(id, _leaks)


def _look(id: str, rule: Callable) -> tuple[bool, str]:
    return _kept(rule, Looked(find(id), question_of(id), judge_of(id)))


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


def _form(exercise: Exercise) -> str:
    text = exercise.path.read_text(encoding="utf-8")
    read = [cell.source.strip() for cell in jupytext.reads(text, fmt="py:percent").cells]
    for cell, source in zip(exercise.cells, read):
        if source != (uncommented(cell.body) if cell.is_text else cell.body).strip():
            raise Unruly(
                f"{place(exercise.path, cell.line)}: jupytext reads this cell otherwise; a comment "
                "line of one word and `?` is a command to it"
            )
    return f"{len(exercise.cells)} cells, and jupytext reads the same"


def _sittings(looked: Looked) -> str:
    chapter = name_of(looked.exercise.id[:2])
    if NOT_NAMED in (notebooks() / "source_py" / f"{chapter}.py").read_text(encoding="utf-8"):
        return "measured once the chapter names the exercise"
    said = problem_of_sittings(chapter)
    if said:
        raise Unruly(said)
    minutes = " + ".join(f"{each.minutes:.0f}" for each in sittings(chapter))
    return f"the chapter takes {minutes} minutes and says {in_short(chapter)}"


def _words(looked: Looked) -> str:
    said = problems_of_words(name_of(looked.exercise.id[:2]))
    if said:
        raise Unruly("; ".join(said))
    return "plain words, short sentences and short cells"


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


def _solution(looked: Looked) -> str:
    """The solution as several students, and the empty answer, graded by one sandbox."""
    id = looked.question.id
    solved = reference(id)
    with Sandbox() as sandbox:
        for student in looked.students:
            given = _graded(looked.question, solved, student, sandbox)
            if given.outcome != Outcome.RIGHT:
                raise Unruly(
                    f"{_line_of(looked, 'answer')}: the solution gets {given.score:g} of "
                    f"{given.max:g} as student {student or 'nobody'}: {given.sentence}"
                )
            if name := UNFILLED.search(given.sentence):
                raise Unruly(
                    f"{_line_of(looked, 'judge')}: the sentence for a right answer says {name[0]}, "
                    "and the question has no number of this name: write `right=lambda case: ...`"
                )
        empty = master(id[:2]).answer_cell(id).source
        blank = _graded(looked.question, empty, looked.students[-1], sandbox)
    if blank.outcome != Outcome.BLANK:
        raise Unruly(
            f"{_line_of(looked, 'answer')}: the empty answer is {blank.outcome}, "
            f'"{blank.sentence}"; leave each of `answers` as `...` above the solution'
        )
    for_whom = "everybody" if len(looked.students) == 1 else f"{len(looked.students)} students"
    return f"{given.max:g} of {given.max:g} points for {for_whom}; the empty answer has none"


def _wrong(looked: Looked) -> str:
    named = looked.judge.wrong_answers
    if len(named) < LEAST_WRONG:
        raise Unruly(
            f"{place(looked.exercise.path, 1)}: {len(named)} of {LEAST_WRONG}; "
            '`# %% wrong="all are kept"` holds an answer people give, under its sentence'
        )
    for wrong in named:
        where = place(looked.exercise.path, looked.wrong(wrong.name).line)
        for student in looked.students:
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
    all_of_them = f"`python -m autograder mutations {looked.question.id}` looks at"
    if looked.question.kind == "spark":
        return f"not looked at, for each takes Spark; {all_of_them} them"
    found = survivors(looked.question.id, SECONDS_FOR_CHANGES)
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
    more = f"; {all_of_them} {found.left} more" * bool(found.left)
    return (
        f"{found.changes} changes of the solution, {found.changes - len(found.answered)} fail"
        f"{hidden}; {len(found.answered)} are right, too{more}"
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


def _graded(question: Question, source: str, student: str, sandbox: Sandbox):
    """The mark of an answer that runs in the sandbox; the cells above it are solved."""
    own = master(question.chapter)
    answers = {**references(question.chapter), question.id: source}
    submission = Submission(
        "tried.ipynb", own.path, "", student, student, question.chapter, answers
    )
    asked, heard = hear(submission, sandbox, {question.id})
    return mark(question, own.points(question), asked[question.id], heard)


FIRST_RULES = (("blanks", _blanks), ("form", _form), ("chapter", _chapter), ("build", _build))
RULES = (
    ("minutes", _sittings),
    ("words", _words),
    ("hints", _hints),
    ("solution", _solution),
    ("wrong answers", _wrong),
    ("sealing", _sealed),
    ("numbers", _numbers),
    ("changes", _changes),
)
OPEN_RULES = (("minutes", _sittings), ("words", _words), ("text", _text), ("rubric", _rubric))
LONG = ("solution", "sealing")
