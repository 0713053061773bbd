"""What a notebook cell calls. Every word here prints sentences and returns None: nbgrader gives
full marks to a graded cell that ends in a value, whatever the value says.

`check` and `require` judge public cases only. They open sealed verdicts (sealed.py), so they speak
as the official judge does, and no judge needs to be on the learner's machine.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from autograder.cell import brake, progress
from autograder.cell import guesses as guessing
from autograder.cell.course_at_hand import course
from autograder.cell.data import plain
from autograder.cell.numbers import Numbers, course_key_id, numbers_for
from autograder.cell.question import Question, find
from autograder.cell.reply import answer_in_time, ask, quiet
from autograder.cell.sentences import agree, together
from autograder.cell.verdict import Verdict, public_word, verdict_on

WAIT = "Many answers in a short time: this one is looked at after {} s. Think, or ask for a hint."
MORE_CASES = "   Grading also asks cases that are not shown here."
_student = ""
_revealing = {False: "after passing", True: "after giving up"}


class NotYet(AssertionError):
    """A locked cell asked for an answer that is not right yet. The message is what check() says."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a traceback: the sentence alone,
        for there is no mistake in the code to look for."""
        return [f"{type(self).__name__}: {self}"]


def me(student: str = "") -> None:
    """Say who you are: your numbers follow from it, and your teacher finds your work by it. "" is
    nobody, with the first set of numbers."""
    global _student
    if not isinstance(student, str) or not re.fullmatch(r"([^\W_][\w.@-]{0,63})?", student):
        raise ValueError(
            'me("s123") takes your student id: letters, digits, and . _ - @ within; not '
            f"{student!r}"
        )
    _student = student
    progress.change(lambda entries: entries.update(student=student))
    print(
        f"Hello, {student}. The numbers in the exercises are yours. Course key: {course_key_id()}."
        if student
        else ('No id given: you get the first set of numbers. me("s123") gives your own.')
    )


@contextmanager
def introduced() -> Iterator[None]:
    """Within this block cells may say `me`; afterwards the learner is who it was before."""
    global _student
    before = _student
    try:
        yield
    finally:
        _student = before


def numbers(question_id: str) -> Numbers:
    """Your numbers for a question."""
    question = _question(question_id)
    return question.shown(numbers_for(question, _student))


def predict(name: str, **guesses) -> None:
    """Lock in a guess before the experiment runs. The first one counts; it stays visible beside the
    truth.

    A guess that is still None, or that cannot mean anything, is not locked in.
    """
    missing = [guess for guess, value in guesses.items() if value is None or value is ...]
    entry = progress.read()["guesses"].get(name)
    if entry is None:
        if missing:
            return print(
                f"Guess first: write a value for {', '.join(missing)}, then run this cell. Wrong "
                "guesses teach most."
            )
        try:
            entry = {"guess": guessing.read(name, guesses), "at": progress.now()}
        except guessing.RefusedGuess as why:
            return print(f"Not locked in yet. {_capital(str(why))}.")
        progress.change(lambda entries: entries["guesses"].setdefault(name, entry))
        return print(f"Locked in: {_listed(entry['guess'])}. Now run the experiment.")
    print(
        f"Your guess is locked in: {_listed(entry['guess'])}."
        + ("" if missing or _is_the_same(name, guesses, entry) else " The first one counts.")
    )


def truth(name: str, **values) -> None:
    """Show what happened beside the guess, value by value, and keep both."""
    values = plain(values)
    guess = progress.read()["guesses"].get(name, {}).get("guess", {})
    if guess:
        progress.change(lambda entries: entries["guesses"][name].update(truth=values))
    width = max((len(str(value)) for value in values), default=0)
    column = max([len(str(value)) for value in guess.values()] + [5])
    print(f"{'':{width}}  {'guess':>{column}}  truth")
    for value, happened in values.items():
        told = guessing.fit(name, value, guess[value], happened) if value in guess else ""
        mark = f"  {told}" if told else ""
        print(f"{value:{width}}  {guess.get(value, '-')!s:>{column}}  {happened}{mark}")


def check(question_id: str, hint: bool = False) -> None:
    """Judge the answer on the public cases, one sentence each;
    with `hint=True` give the next hint too."""
    question, replies = _question(question_id), []
    verdicts = judge_openly(question, _callers_names(), replies)
    passed = bool(verdicts) and all(verdict.ok for verdict in verdicts)
    if seconds := brake.seconds_to_wait(question.id, replies, passed):
        print(f"{question.id} · {WAIT.format(seconds)}")
        return give_hint(question) if hint else None
    for verdict in worth_telling(question, verdicts):
        print(
            f"{question.id} {'·' if question.kind == 'open' else '✓' if verdict.ok else '✗'} "
            f"{verdict.sentence}"
        )
        for row in verdict.proof:
            print(f"   {row}")
    if passed and course().has_hidden_cases(question):
        print(MORE_CASES)
    if question.kind != "open":
        progress.change(lambda entries: _note_try(progress.question(entries, question.id), passed))
    if hint:
        give_hint(question)
    elif question.hints and not passed and question.kind != "open":
        print(f'   A hint: check("{question.id}", hint=True)')


def hint(question_id: str) -> None:
    """The next hint of a question: first where to look, then nearly how."""
    give_hint(_question(question_id))


def require(question_id: str) -> None:
    """For locked cells: raise NotYet with the sentences of check(), or return None in silence."""
    question, replies = _question(question_id), []
    verdicts = judge_openly(question, _callers_names(), replies)
    passed = all(verdict.ok for verdict in verdicts)
    if seconds := brake.seconds_to_wait(question.id, replies, passed):
        raise NotYet(f"{question.id}: {WAIT.format(seconds)}")
    if passed:
        return
    wrong = [each.sentence for each in worth_telling(question, verdicts) if not each.ok]
    raise NotYet(f"{question.id}: " + " | ".join(wrong))


def reveal(question_id: str, give_up: bool = False) -> None:
    """Show the reference answer, after passing or after giving up,
    and say so in the progress file."""
    question = _question(question_id)
    answer = course().reference(question.id)
    if not answer:
        return print(
            f"The answer to {question.id} is with your teacher: it does not travel with this "
            "package. Ask for it."
        )
    passed = bool(progress.read()["questions"].get(question.id, {}).get("passed_at"))
    if not (passed or give_up):
        return print(
            f'The answer opens once check("{question.id}") passes, or with reveal("{question.id}", '
            "give_up=True)."
        )
    progress.change(
        lambda entries: progress.question(entries, question.id).update(
            revealed=_revealing[not passed]
        )
    )
    print(answer)


class Spoken(NamedTuple):
    """What is said of one case.

    proof   rows that prove it, where there are any
    title   the case's name
    own     whether the sentence follows from the case, and not from the exercise
    quiet   whether no wrong answer fails here: that it went well says nothing
    """

    ok: bool
    sentence: str
    proof: tuple[str, ...] = ()
    title: str = ""
    own: bool = False
    quiet: bool = False


def judge_openly(
    question: Question, namespace: Mapping, replies: list[dict] | None = None
) -> list[Spoken]:
    """The verdicts on the public cases. Blank answers get one sentence in all,
    and so does a fault that every case has. `replies` gets what the answer said to each case."""
    if question.kind == "open":
        said = "is read by a person. Write whole sentences: what happens, and why."
        if course().reference(question.id):
            said += f' Then reveal("{question.id}", give_up=True) shows a good answer.'
        return [Spoken(True, said)]
    spoken, complaints = [], []
    for case in question.cases(numbers_for(question, _student)):
        with quiet():
            reply = answer_in_time(
                lambda case=case: ask(question, namespace, case), question.kind == "spark"
            )
            verdict = verdict_on(question, reply, partial(_word, question, case))
        if replies is not None:
            replies.append(reply)
        if (verdict.blank and question.unanswered(namespace)) or (
            question.kind == "function" and verdict.blank
        ):
            return [Spoken(False, verdict.sentence)]
        said = Spoken(
            verdict.ok, verdict.sentence, verdict.proof, case.get("case", ""), verdict.own
        )
        spoken.append((said, case))
        complaints.append(None if "data" in reply else verdict.sentence)
        if reply.get("raised") == "TimeUp":
            break  # the other cases would take as long
    if len(complaints) > 1 and complaints[0] and len(set(complaints)) == 1:
        return [Spoken(False, complaints[0])]
    return _with_quiet_ones(question, spoken)


def worth_telling(question: Question, verdicts: list[Spoken]) -> list[Spoken]:
    """What is said of all cases: each sentence once, with the cases it is said of. Of a question
    with dozens of cases the first that is not right, or one word for all.

    Where something is wrong nothing is praised that was not done: the exercise's own word for a
    right answer waits until all cases are right. A case in which no wrong answer fails is not told.
    """
    wrong = [verdict for verdict in verdicts if not verdict.ok]
    if question.first_only and len(verdicts) > 1:
        cases = "walks" if question.kind == "machine" else "cases"
        return _agreed(wrong[:1], 0) or [Spoken(True, f"all {len(verdicts)} {cases} are right.")]
    told = [verdict for verdict in verdicts if not (verdict.ok and verdict.quiet)] or verdicts
    if wrong:
        told = [
            verdict._replace(sentence="right.", proof=())
            if verdict.ok and not verdict.own
            else verdict
            for verdict in told
        ]
    return _agreed(told, len(verdicts if wrong else told))


def _agreed(verdicts: list[Spoken], of: int) -> list[Spoken]:
    """One for each sentence, in the order of the cases."""
    groups: list[list[Spoken]] = []
    for verdict in verdicts:
        for group in groups:
            if group[0].ok == verdict.ok and agree(group[0].sentence, verdict.sentence):
                group.append(verdict)
                break
        else:
            groups.append([verdict])
    return [
        group[0]._replace(
            title="", sentence=together([(each.title, each.sentence) for each in group], of)
        )
        for group in groups
    ]


def give_hint(question: Question) -> None:
    """Print the next step of the ladder and count it; the last step stays."""
    if not question.hints:
        return print(f"   {question.id} has no hints.")
    entry = progress.question(
        progress.change(lambda entries: _note_hint(question, entries)), question.id
    )
    step = max(1, entry["hints"])
    print(f"   Hint {step} of {len(question.hints)}: {question.hints[step - 1]}")


def _word(question: Question, case: Mapping, data) -> Verdict:
    """What is said of plain data."""
    return (
        course().judged(question, case, data)
        or public_word(question, case, data)
        or Verdict(
            False, "this question was not sealed, so nothing here can judge it; tell your teacher."
        )
    )


def _with_quiet_ones(question: Question, spoken: list[tuple[Spoken, Mapping]]) -> list[Spoken]:
    """The same with `quiet` where it matters: to know it may take labs. It does not matter where
    all that went well is told in one sentence."""
    verdicts = [verdict for verdict, _ in spoken]
    if len({(verdict.ok, verdict.sentence) for verdict in verdicts}) <= 1:
        return verdicts
    return [
        verdict._replace(quiet=verdict.ok and course().is_quiet(question, case))
        for verdict, case in spoken
    ]


def _note_try(entry: dict, passed: bool) -> None:
    entry["tries"] += 1
    if passed:
        entry.setdefault("passed_at", progress.now())


def _note_hint(question, entries) -> None:
    entry = progress.question(entries, question.id)
    entry["hints"] = min(len(question.hints), entry["hints"] + 1)


def _callers_names() -> dict:
    """The names of the cell that called: its module's globals, the same in Jupyter,
    in plain Python and in the sandbox."""
    return sys._getframe(2).f_globals


def _question(question_id) -> Question:
    try:
        return find(question_id)
    except KeyError as unknown:
        raise ValueError(unknown.args[0]) from None


def _is_the_same(name: str, guesses: dict, entry: dict) -> bool:
    try:
        return guessing.read(name, guesses) == entry["guess"]
    except guessing.RefusedGuess:
        return False


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _listed(values: dict) -> str:
    return ", ".join(f"{name} = {value!r}" for name, value in values.items())


__all__ = [
    "NotYet",
    "check",
    "hint",
    "judge_openly",
    "me",
    "numbers",
    "predict",
    "require",
    "reveal",
    "truth",
]
