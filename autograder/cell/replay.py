"""Records the calls that a learner's functions make in a lab, and repeats them in the judge's lab.

Some questions have no one right answer: the probe lets the learner's functions act in a lab, and
what became of it is looked at. Beside the learner's code that lab, the probe and what they say can
be changed at will. So the sandbox's word is not enough: the functions are given stand-ins that
write down every call (`watched`), and before points are given the judge runs the same probe at home
with functions that only make those calls again (`played`). What comes out has to be what was said.

Calls are kept by the order in which things happen: the n-th time a function is asked it makes its
n-th list of calls. A thing is known by the order in which it was first handed over, a result by the
number of its call. Reading (`done`, `position`, attributes) is a call like any other, or not noted
at all where it changes nothing. The writing down and the making again are recorder.py's.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from autograder.cell.data import MOST_BYTES, NotPlain, canonical, plain
from autograder.cell.question import Question, find
from autograder.cell.recorder import Recorder, StandIn, Unplayable, behind

# of all functions together; the longest honest run makes some hundreds, and a judge makes them all
# again
MOST_CALLS = 4_000
LONGEST_CALL = 20_000  # characters of a call's arguments
# of one call; nobody waits longer in an exercise, and a judge must not wait for ever,
LONGEST_WAIT_MS = 600_000
MOST_WAITING_MS = 3_600_000  # nor of all polls together

_SENDS = tuple(
    (
        "send flush close partitions_for init_transactions begin_transaction commit_transaction "
        "abort_transaction send_offsets_to_transaction"
    ).split()
)
_READS = tuple(
    (
        "poll commit_sync commit_async seek seek_to_beginning seek_to_end pause resume subscribe "
        "unsubscribe assign position committed assignment group_metadata wakeup close"
    ).split()
)
CALLS = {
    "KafkaProducer": _SENDS,
    "Mortal": _SENDS,
    "KafkaConsumer": _READS,
    "FutureRecordMetadata": ("get", "done"),
    "Store": ("insert", "set_offset", "commit", "offset_of"),
}
"""The things that functions act on, by class, and the calls that are made again. What else a
class has can be read, and is not noted."""


def needs_calls(question: Question) -> bool:
    """Whether points for this question rest on what became of a lab beside the learner's code:
    no play (kinds.Function), and no truth."""
    return (
        question.public_judge is not None
        and question.probe is not None
        and getattr(question, "play", None) is None
    )


def watched(question: Question, namespace: Mapping) -> tuple[dict, list]:
    """(the names for a probe, the list in which it will stand
    what the functions among them did)."""
    calls: list = []
    cast = _Cast()
    return {
        **namespace,
        **{
            name: cast.watching(name, namespace[name], calls)
            for name in question.answers
            if callable(namespace[name])
        },
    }, calls


def fits(question: Question, case: Mapping, data, calls) -> bool:
    """Whether the run, played again by these calls, comes out as `data` says.
    Never raises: `calls` may be anything."""
    try:
        made = canonical(calls)
        return len(made) <= MOST_BYTES and _comes_out(
            question.id, canonical(dict(case)), made
        ) == canonical(data)
    except (TypeError, ValueError, RecursionError):  # nan, or lists inside lists without end
        return False


def played(question: Question, case: Mapping, calls: list):
    """What the probe gives when functions make these calls. Unplayable, or whatever else a run
    can stumble over that never was."""
    cast = _Cast()
    ahead = {name: iter([each for each in calls if each[0] == name]) for name in question.answers}
    data = question.run_probe(
        {name: cast.again(name, ahead[name]) for name in question.answers}, dict(case)
    )
    if any(next(left, None) is not None for left in ahead.values()):
        raise Unplayable("more was done than the run asks for")
    return data


@lru_cache(maxsize=512)
def _comes_out(question_id: str, case: str, calls: str) -> str | None:
    """The canonical text of what comes out; None where the calls do not fit. Most of a class
    solves it alike, so it is kept for a while."""
    try:
        return canonical(played(find(question_id), json.loads(case), json.loads(calls)))
    except Exception:
        # calls that were never made in this run can break it in any way
        return None


class _Cast(Recorder):
    """The things of one run, in the order in which the functions met them,
    and the results of their calls."""

    most_calls = MOST_CALLS
    longest_call = LONGEST_CALL
    too_many = f"what you wrote made more than {MOST_CALLS:,} calls; nothing here needs so many"
    # even where the process was to die in it
    survives = (BaseException,)

    def __init__(self):
        super().__init__()
        self.things: list[Any] = []
        self.current: list = []  # where the next call is written down
        self.waiting_ms = 0

    def thing(self, real) -> int:
        for place, known in enumerate(self.things):
            if known is real:
                return place
        self.things.append(real)
        return len(self.things) - 1

    def calls_of(self, real) -> tuple[str, ...]:
        return CALLS.get(type(real).__name__, ())

    # In the sandbox: the learner's function, and what it does.

    def watching(self, name: str, function: Callable, calls: list) -> Callable:
        """The function with its calls noted. A partitioner may be a class, or an object,
        with a method of that name."""
        if callable(getattr(function, "partition", None)):
            function = (function() if isinstance(function, type) else function).partition

        @functools.wraps(function)
        def asked(*things, **named):
            outer, own = self.current, []
            entry = [name, own, None, False]
            calls.append(entry)
            self.current = own
            try:
                gave = function(
                    *map(self.stand_in, things),
                    **{key: self.stand_in(each) for key, each in named.items()},
                )
            except BaseException:
                entry[3] = True
                raise
            finally:
                self.current = outer
            entry[2] = _written(gave)
            return gave

        return asked

    def stand_in(self, real):
        """The thing with its calls noted; anything that nobody acts on as it is."""
        if not _acts(real):
            return real
        self.thing(real)
        return super().stand_in(real)

    def handed_back(self, result):
        return self.stand_in(result)

    def noted(self, real, name: str, args: list, named: dict) -> tuple[list, dict]:
        args = [
            list(each) if type(each).__name__ in ("generator", "map") else each for each in args
        ]
        written: list = [self.thing(real), name, [], {}]
        args = [self.handed(each, written[2].append) for each in args]
        named = {
            key: self.handed(each, functools.partial(written[3].__setitem__, key))
            for key, each in named.items()
        }
        self.current.append(written)
        return args, named

    def handed(self, value, keep: Callable):
        """The argument itself, written down by `keep`; a callback is handed over as one that
        notes what it does each time."""
        if callable(value) and not isinstance(value, (StandIn, type)):
            times: list = []
            keep({"called": times})

            @functools.wraps(value)
            def told(*words):
                times.append([])
                outer, self.current = self.current, times[-1]
                try:
                    return value(*words)
                finally:
                    self.current = outer

            return told
        keep(self.write(value))
        return behind(value) if isinstance(value, StandIn) else value

    # At home: the same calls, and no function.

    def again(self, name: str, ahead) -> Callable:
        def asked(*things, **named):
            for each in (*things, *named.values()):
                if _acts(each):
                    self.thing(each)
            entry = next(ahead, None)
            if entry is None or len(entry) != 4:
                raise Unplayable(f"{name} is asked more often than it was")
            failure = self.make(entry[1])
            if entry[3] and failure is not None:
                raise failure  # the function did not catch it
            return entry[2]["value"] if isinstance(entry[2], dict) and "value" in entry[2] else None

        return asked

    def understood(self, written) -> tuple[Any, str, list, dict, int]:
        target, method, args, named = written
        real = self.things[target]
        if method not in self.calls_of(real):
            raise Unplayable(f"a {type(real).__name__} has no {method} here")
        self.held(method, [args, named])
        given = [self.read(each) for each in args]
        named = {key: self.read(each) for key, each in named.items()}
        self.waiting_ms += sum(
            each for each in (*given, *named.values()) if type(each) is int and method == "poll"
        )
        if self.waiting_ms > MOST_WAITING_MS:
            raise Unplayable("nobody polls for so long")
        return real, method, given, named, 1

    def met(self, name: str, result) -> None:
        if _acts(result):
            self.thing(result)

    def write(self, value):
        """An argument in plain data."""
        if isinstance(value, StandIn):
            return {"thing": self.thing(behind(value))}
        kind = type(value).__name__
        if kind == "TopicPartition":
            return {"partition": [value.topic, value.partition]}
        if kind == "OffsetAndMetadata":
            return {"offset": [value.offset, value.leader_epoch, value.metadata]}
        if kind == "ProducerRecord":
            return {
                "record": [
                    _bare(each)
                    for each in (
                        value.topic,
                        value.value,
                        value.key,
                        value.partition,
                        value.timestamp_ms,
                    )
                ]
            }
        if isinstance(value, Mapping):
            return {"pairs": [[self.write(key), self.write(each)] for key, each in value.items()]}
        if isinstance(value, (list, tuple, set, frozenset)) or kind in (
            "dict_keys",
            "dict_values",
            "generator",
            "map",
        ):
            return [self.write(each) for each in value]
        heard_before = [place for place, result in enumerate(self.results) if result is value]
        return _written(value) or (
            {"result": heard_before[0]} if heard_before else {"strange": kind}
        )

    def read(self, written):
        """What `write` wrote."""
        from kafkalab import OffsetAndMetadata, ProducerRecord, TopicPartition

        if isinstance(written, list):
            return [self.read(each) for each in written]
        ((kind, what),) = written.items()
        if kind == "thing":
            return self.things[what]
        if kind == "result":
            return self.results[what]
        if kind == "partition":
            return TopicPartition(*what)
        if kind == "offset":
            return OffsetAndMetadata(*what)
        if kind == "record":
            return ProducerRecord(
                **dict(
                    zip(("topic", "value", "key", "partition", "timestamp_ms"), what, strict=True)
                )
            )
        if kind == "pairs":
            return {self.read(key): self.read(each) for key, each in what}
        if kind == "called":
            ahead = iter(what)
            return lambda *told: self.make(next(ahead, [])) and None
        if kind == "value":
            return min(what, LONGEST_WAIT_MS) if type(what) in (int, float) else what
        raise Unplayable(f"{kind} is nothing that can be handed over again")


def _acts(value) -> bool:
    kind = type(value)
    return kind.__name__ in CALLS and kind.__module__.startswith(
        ("kafkalab.", "autograder.cell.questions.")
    )


def _bare(value):
    return value if value is None or type(value) in (int, str) else str(value)


def _written(value) -> dict | None:
    """A plain value; None for anything else."""
    try:
        return {"value": plain(value)}
    except NotPlain:
        return None
