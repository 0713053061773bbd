"""A play: a scenario in the lab with a part in it for the learner's code.

Two halves make a play fair. In the sandbox the learner's code plays its part, and what leaves is
only what it *decided*: what a rule returned each time it was asked (`Rule`), or which calls a loop
made on its consumers (`Loop`), and on its pool (`Crew`). Outside, the judge plays the same scenario
again, by the same seed, with these decisions in place of the code, and looks at that run. So nobody
needs to trust a journal that the learner's code could have written in, and nothing of theirs runs
where judging is done.

An author writes `play(case, part) -> Lab`. The same function serves both halves:

    def boot(case, part):
        lab = Lab(brokers=case["brokers"], seed=case["seed"])
        KafkaProducer(lab, {}, least_loaded=part)                # a rule is asked by the simulator
        lab.run_for(ms=2_000)
        return lab

    def shift(case, part):
        lab = ...
        for name in ("ada", "bo"):
            # a loop is given a consumer
            lab.spawn(part, KafkaConsumer(lab, {...}, name=name), name=name)
        lab.run_for(ms=20_000)
        lab.close()
        return lab
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from autograder.cell.data import NotPlain, plain
from autograder.cell.recorder import Recorder, Unplayable
from autograder.cell.runs import done
from kafkalab import KafkaException, OffsetAndMetadata, TopicPartition

# of one loop; what polls without end and without waiting is cut off here
MOST_CALLS = 20_000
# characters of a call's arguments; nobody subscribes to ten thousand topics, and a judge must make
# the calls, too
LONGEST_CALL = 4_000
CALLS = (
    "poll",
    "commit_sync",
    "commit_async",
    "seek",
    "seek_to_beginning",
    "seek_to_end",
    "pause",
    "paused",
    "resume",
    "subscribe",
    "assign",
    "position",
    "committed",
    "assignment",
    "close",
)
RECORDS = ("finish", "submit")  # the calls that are about a record


class Part:
    """What the learner's function has in a play, and the first error of its own.

    A scenario goes on where the simulated program would: it may catch what the function raises. A
    learner has to hear of it all the same.
    """

    error: Exception | None = None
    was_caught = False
    """Whether the learner's own code caught the error, and not the scenario."""

    def note(self, error: Exception, was_caught: bool = False) -> None:
        """Keep the first error. One that came through in the end was not caught."""
        if self.error is None or self.error is error:
            self.error, self.was_caught = error, was_caught


class Rule(Part):
    """A part that is asked and answers: a partitioner, a rule for the least loaded node, a high
    watermark.

    Made from a function, it keeps each answer in `decisions`; made from decisions, it gives them
    again, one after the other.
    """

    def __init__(self, function: Callable | None = None, decisions: list | None = None):
        self._function, self.decisions = function, [] if decisions is None else decisions
        self._asked = 0

    def __call__(self, *asked):
        if self._function is not None:
            try:
                return self._decide(*asked)
            except Exception as error:
                self.note(error)
                raise
        self._asked += 1
        if self._asked > len(self.decisions):
            raise Unplayable("the play asks more often than there are answers")
        return self.decisions[self._asked - 1]

    def _decide(self, *asked):
        decided = self._function(*asked)
        is_thing = hasattr(decided, "id")
        written = plain(decided.id if is_thing else decided)
        self.decisions.append(written)
        # a number of numpy decides here as it will when it is played again
        return decided if is_thing else written

    @property
    def is_played_again(self) -> bool:
        """Whether it gives decisions again that a function has made."""
        return self._function is None

    def is_over(self) -> bool:
        """Whether every decision was asked for."""
        return self._function is not None or self._asked == len(self.decisions)


class Loop(Part):
    """A part that acts: a function of a consumer and of `finish`.

    It calls `finish` with each record it has done its work on.

    `decisions` are, by consumer's name, the calls it made: [name, arguments, how many times in a
    row]. A play that calls `part(lab, consumer, work_ms=15)` lets the work on each record take that
    long, so that a crash can come in the middle of it.
    """

    def __init__(self, function: Callable | None = None, decisions: dict | None = None):
        self._function = function
        self.decisions = (
            {}
            if function is not None
            else decisions
            if isinstance(decisions, dict)
            else {"": "none"}
        )
        self._played: set[str] = set()

    def __call__(self, lab, consumer, work_ms: int = 0) -> None:
        self._played.add(consumer.name)
        self._take_part(_Shift(lab, consumer, Work(lab, consumer.name, work_ms), self.note))

    def _take_part(self, shift: _Shift) -> None:
        """Let the function act, or make its calls again."""
        name = shift.consumer.name
        if self._function is None:
            shift.make(self.decisions.get(name, []))
            return
        shift.calls = self.decisions.setdefault(name, [])
        helper = shift.stand_in(shift.helper)
        try:
            self._function(
                shift.stand_in(shift.consumer),
                helper.finish if isinstance(shift.helper, Work) else helper,
            )
        except KafkaException:
            raise  # the scenario says what becomes of it, and the run is judged
        except Exception as error:
            if not shift.is_killed:
                self.note(error)
            raise

    def is_over(self) -> bool:
        """Whether the decisions are of this play: nobody is said to have acted who is not in it."""
        return self._function is not None or set(self.decisions) <= self._played


class Crew(Loop):
    """A loop that gives the work to a pool: a function of a consumer and of a kafkalab.WorkerPool.

    It submits records to the pool.
    The play gives the pool its work, which says `done` for each record: nobody else can.
    `decisions` are the calls on both.
    """

    def __call__(self, lab, consumer, pool) -> None:
        self._played.add(consumer.name)
        self._take_part(_Shift(lab, consumer, pool, self.note))


class Work:
    """The work on a consumer's records, each of which takes `work_ms`."""

    def __init__(self, lab, name: str, work_ms: int):
        self._lab, self._name, self._work_ms = lab, name, work_ms

    def finish(self, record) -> None:
        """Say that the work on a record is done."""
        if self._work_ms:
            self._lab.sleep(self._work_ms)
        done(self._lab, self._name, record)


class _Shift(Recorder):
    """The calls of one loop: on its consumer, and on what helps it, its Work or its pool. `calls`
    are [name, arguments, how many times in a row]."""

    most_calls = MOST_CALLS
    longest_call = LONGEST_CALL
    too_many = (
        f"your loop made more than {MOST_CALLS:,} calls; give poll a timeout, so that it waits"
    )
    survives = (KafkaException,)

    def __init__(self, lab, consumer, helper, note: Callable):
        super().__init__()
        self.consumer, self.helper, self._note = consumer, helper, note
        self.calls: list = []
        self._given: dict[tuple[str, int], Any] = {}  # the records that polls have returned
        self._own: dict[str, Any] = {}  # what the loop keeps on its consumer
        self.is_killed = False  # its process is gone, and a call in its `finally` fails

    def calls_of(self, real) -> tuple[str, ...]:
        if real is self.consumer:
            return CALLS
        return ("finish",) if isinstance(real, Work) else ("submit", "finished", "wait")

    def seen(self, real, name: str):
        if real is self.consumer and name in self._own:
            return self._own[name]
        if real is self.consumer and name == "name":
            return real.name
        what = "consumer" if real is self.consumer else "pool"
        *others, last = self.calls_of(real)
        there = ", ".join(CALLS) if what == "consumer" else f"{', '.join(others)} and {last}"
        raise AttributeError(f"a {what} in this exercise has {there}; there is no {name}")

    def put(self, real, name: str, value) -> None:
        self._own[name] = value

    def act(self, real, name: str, real_call: Callable, args, named):
        """A call that no client would have made, such as one with a wrong argument, is the
        learner's own error, also where their code catches it."""
        try:
            return super().act(real, name, real_call, args, named)
        except self.survives:
            raise
        except Exception as error:
            if not self.is_killed:
                self._note(error, was_caught=True)
            raise
        except BaseException:
            self.is_killed = True
            raise

    def noted(self, real, name: str, args: list, named: dict) -> tuple[list, dict]:
        if named:
            args = _in_place(getattr(real, name), args, named)
        if name == "finished":
            # it only looks, so it need not be made again
            return args, {}
        if name in RECORDS and len(args) == 1:
            written = [f"{args[0].topic}-{args[0].partition}", args[0].offset]
        else:
            written = [_as_plain(arg) for arg in args if not callable(arg)]
        if self.calls and self.calls[-1][:2] == [name, written]:
            self.calls[-1][2] += 1
        else:
            self.calls.append([name, written, 1])
        return ([], {"timeout_ms": int(args[0]) if args else 0}) if name == "poll" else (args, {})

    def understood(self, written) -> tuple[Any, str, list, dict, int]:
        own = tuple(name for name in self.calls_of(self.helper) if name != "finished")
        if not (
            isinstance(written, list)
            and len(written) == 3
            and written[0] in (*CALLS, *own)
            and isinstance(written[1], list)
            and type(written[2]) is int
            and written[2] > 0
        ):
            raise Unplayable("a call is a name, its arguments and how often")
        name, args, times = written
        self.held(name, args)
        if name in RECORDS:
            if [type(arg) for arg in args] != [str, int]:
                raise Unplayable(f"{name} takes a partition and an offset")
            if tuple(args) not in self._given:
                raise Unplayable(
                    f"{name} of {args}, and {self.consumer.name} had never been given it"
                )
            return self.helper, name, [self._given[tuple(args)]], {}, times
        if name == "poll":
            return self.consumer, name, args, {}, times
        real = self.helper if name in own else self.consumer
        return real, name, [_from_plain(arg) for arg in args], {}, times

    def met(self, name: str, result) -> None:
        if name == "poll":
            self._given.update(
                {(f"{record.topic}-{record.partition}", record.offset): record for record in result}
            )


def _in_place(call: Callable, args: list, named: dict) -> list:
    """The arguments of a call, those with a name in the place that they have without it."""
    bound = inspect.signature(call).bind(*args, **named)
    last = len(bound.arguments)
    bound.apply_defaults()
    places = [name for name in bound.signature.parameters if name in bound.arguments]
    given = max(last, *(places.index(name) + 1 for name in named))
    return [bound.arguments[name] for name in places[:given]]


def _as_plain(value):
    """Partitions are written orders-0, offsets to commit as {orders-0: 5}."""
    if isinstance(value, TopicPartition):
        return {"partition": str(value)}
    if isinstance(value, OffsetAndMetadata):
        return value.offset
    if isinstance(value, dict):
        return {"offsets": {str(key): _as_plain(each) for key, each in value.items()}}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_as_plain(each) for each in value]
    try:
        return plain(value)
    except NotPlain:
        return None


def _from_plain(value):
    if isinstance(value, list):
        return [_from_plain(each) for each in value]
    if isinstance(value, dict) and set(value) == {"partition"}:
        return _partition(value["partition"])
    if isinstance(value, dict) and set(value) == {"offsets"}:
        return {_partition(key): OffsetAndMetadata(each) for key, each in value["offsets"].items()}
    return value


def _partition(text: str) -> TopicPartition:
    topic, _, number = str(text).rpartition("-")
    if not number.isdigit():
        raise Unplayable(f"{text} is no partition")
    return TopicPartition(topic, int(number))
