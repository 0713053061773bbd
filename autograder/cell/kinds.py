"""The kinds of questions, on one page. A chapter's file makes its questions of these.

    Value         names are read: a number, a list, a dict
    LineReading   the same, about lines of a log that are the student's own
    Function      the learner's function is called; or it has a part in a play, over many seeds and
                  faults, and must keep a promise
    StateMachine  a table or a handler is walked; the first walk that goes wrong is shown
    SparkAnswer   a function of a DataFrame, run on small tables
    Open          a text that a person reads

Each has public cases, and its judge (autograder.course.judge) the hidden ones, the truth, and the
wrong answers people give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isnan

from autograder.cell.data import NotAsAsked, as_builtin, plain
from autograder.cell.question import Question
from autograder.cell.reply import said_of_caught, said_of_returned


@dataclass(frozen=True)
class Value(Question):
    """The probe reads the names in `answers`. With `space` the numbers are a student's own,
    with `draws` several sets of them."""

    kind: str = field(default="value", init=False)


@dataclass(frozen=True)
class LineReading(Question):
    """Shows lines of a log and asks which connection, reason or client they are about.

    `show` makes the lines of the numbers. Each draw is a case.
    """

    kind: str = field(default="lines", init=False)


@dataclass(frozen=True)
class Function(Question):
    """The learner writes one function or rule, named in `answers`.

    probe    calls it for cases that have a truth
    play     (case, part) -> Lab, for cases with a "seed": see plays.py
    part     plays.Rule, plays.Loop or plays.Crew: how the learner's function takes part; a text, so
             that the lab is not imported for it
    promise  anomalies (anomalies.NAMES) that the run must not have; the first one found is told,
             with the rows that prove it
    look     (case, lab) -> None, or (sentence, proof rows) for what is wrong in a way of the
             question's own
    kept     what is said of a run in which the promise was kept; or case -> sentence
    """

    kind: str = field(default="function", init=False)
    play: Callable | None = None
    part: str = "Rule"
    promise: tuple[str, ...] = ()
    look: Callable | None = None
    kept: str | Callable[[dict], str] = "right."

    def __post_init__(self):
        super().__post_init__()
        if self.part in ("Loop", "Crew") and self.promise and "unobserved" not in self.promise:
            raise ValueError(
                f"question {self.id}: whoever does nothing loses nothing; promise that nothing "
                'stays "unobserved" as well'
            )
        if self.play is not None:
            object.__setattr__(self, "public_judge", self._judge_play)

    def run_probe(self, namespace, case):
        """For a case with a seed: what the learner's function decided in the play."""
        if self.play is None or "seed" not in case:
            return super().run_probe(namespace, case)
        from autograder.cell import plays

        part = getattr(plays, self.part)(namespace[self.answers[0]])
        lab = None
        try:
            lab = self.play(dict(case), part)
        except NotAsAsked:
            raise
        except Exception as error:
            if part.error is None:
                raise NotAsAsked(said_of_returned(self.answers[0], error)) from error
        if part.error is not None and part.was_caught:
            raise NotAsAsked(said_of_caught(part.error))
        if part.error is not None:
            raise part.error
        decisions = plain(part.decisions)
        _close(lab)
        return decisions

    def _judge_play(self, case, decisions):
        """Play it again by these decisions and look at the run:
        (kept the promise, sentence, proof); None for other cases."""
        if "seed" not in case:
            return None
        from autograder.cell import plays
        from autograder.cell.anomalies import first_anomaly
        from autograder.cell.runs import run_of

        part = getattr(plays, self.part)(decisions=decisions)
        try:
            lab = self.play(dict(case), part)
            fits = part.is_over()
        except Exception:
            # decisions that were never made in this play can break it in any way
            fits = False
        if not fits:
            return False, "the run cannot be played again from what your function decided.", ()
        wrong = self.look(case, lab) if self.look else None
        if (
            wrong is None
            and self.promise
            and (
                found := first_anomaly(
                    {**run_of(lab), "tells_work": self.part in ("Loop", "Crew")}, self.promise
                )
            )
        ):
            wrong = (f"{found.sentence} This is called {found.name}.", found.proof)
        _close(lab)
        if wrong is not None:
            return False, wrong[0], tuple(wrong[1])
        return True, self.kept(case) if callable(self.kept) else self.kept, ()


def _close(lab) -> None:
    """End the apps of a lab that was looked at: one that waits would keep the lab for ever."""
    if lab is not None:
        lab.close()


@dataclass(frozen=True)
class StateMachine(Question):
    """Asks for a table {state: {event: next state}}, or a function (state, event) -> next state.

    None as the next state says: this cannot happen.

    start   where every walk begins
    states  all states, for sentences; the probe refuses others
    A case is a walk: {"walk": [event, ...]}. `walks` makes cases of walks, the short ones first,
    each after all its beginnings, so that in the first walk that fails only the last step is wrong.
    """

    kind: str = field(default="machine", init=False)
    first_only: bool = field(default=True, init=False)
    start: str = ""
    states: tuple[str, ...] = ()

    def run_probe(self, namespace, case):
        """The states a walk leads through, up to the first that cannot be."""
        machine, state, seen = namespace[self.answers[0]], self.start, []
        for event in case["walk"]:
            state = (
                machine(state, event)
                if callable(machine)
                else self._looked_up(machine, state, event)
            )
            # a member of an enum, or a text of numpy's, counts as the text that it is
            state = as_builtin(state)
            if type(state) is float and isnan(state):
                state = None  # an empty place in a table of pandas
            if state is not None and state not in self.states:
                raise NotAsAsked(
                    f"after {event} your machine is in {str(state)[:40]!r}; the states are "
                    f"{', '.join(self.states)}"
                )
            seen.append(state)
            if state is None:
                break
        return plain(seen)

    def _looked_up(self, table, state, event):
        rows = _by_text(table)
        if rows is None or not all(_by_text(row) is not None for row in rows.values()):
            raise NotAsAsked(
                f"`{self.answers[0]}` is a dict of dicts, {{state: {{event: next state}}}}, or a "
                "function of state and event"
            )
        return (_by_text(rows.get(state, {})) or {}).get(event)


def _by_text(value) -> dict | None:
    """A dict, or what counts as one, with its keys as plain texts; None for any other value."""
    value = as_builtin(value)
    return {as_builtin(key): row for key, row in value.items()} if type(value) is dict else None


def walks(paths) -> tuple[dict, ...]:
    """Cases of walks: every beginning of every path once, the short ones first."""
    beginnings = {tuple(path[:length]) for path in paths for length in range(1, len(path) + 1)}
    return tuple(
        {"case": ", ".join(walk), "walk": list(walk), "last": walk[-1]}
        for walk in sorted(beginnings, key=lambda walk: (len(walk), walk))
    )


@dataclass(frozen=True)
class SparkAnswer(Question):
    """The learner writes f(df) -> df. A case is a small table, {"rows": [...]}, and what f makes of
    it comes out as plain rows.

    schema  of the table, in Spark's own words: "client_id string, opened_at timestamp"; moments are
            written 2026-01-05 09:00:00
    gives   the columns that f must return, in any order
    """

    kind: str = field(default="spark", init=False)
    schema: str = ""
    gives: tuple[str, ...] = ()

    def run_probe(self, namespace, case):
        """Run the function on the case's table, on the Spark session that runs here."""
        from autograder.cell.spark_rows import frame_of, rows_of

        return rows_of(
            namespace[self.answers[0]](frame_of(case["rows"], self.schema)),
            self.answers[0],
            self.gives,
        )


@dataclass(frozen=True)
class Open(Question):
    """A text in a markdown cell. A rubric suggests a mark, a person gives it."""

    kind: str = field(default="open", init=False)
