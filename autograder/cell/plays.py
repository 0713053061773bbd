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

from collections.abc import Callable
from typing import Any

from autograder.cell.data import NotAsAsked, NotPlain, canonical, plain
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
    "resume",
    "subscribe",
    "assign",
    "position",
    "committed",
    "assignment",
    "close",
)


class Unplayable(ValueError):
    """The decisions do not fit the play: they were not made in it."""


class Rule:
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
            decided = self._function(*asked)
            self.decisions.append(plain(getattr(decided, "id", decided)))
            return decided
        self._asked += 1
        if self._asked > len(self.decisions):
            raise Unplayable("the play asks more often than there are answers")
        return self.decisions[self._asked - 1]

    def is_over(self) -> bool:
        """Whether every decision was asked for."""
        return self._function is not None or self._asked == len(self.decisions)


class Loop:
    """A part that acts: a function of a consumer and of `finish`, which it calls with each record
    it has done its work on.

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
        if self._function is not None:
            watched = Watched(lab, consumer, self.decisions.setdefault(consumer.name, []), work_ms)
            self._function(watched, watched.finish)
        else:
            _again(lab, consumer, self.decisions.get(consumer.name, []), work_ms)

    def is_over(self) -> bool:
        """Whether the decisions are of this play: nobody is said to have acted who is not in it."""
        return self._function is not None or set(self.decisions) <= self._played


class Crew(Loop):
    """A loop that does not do the work itself: a function of a consumer and of a pool
    (kafkalab.WorkerPool), to which it submits records.

    The play gives the pool its work, which says `done` for each record: nobody else can.
    `decisions` are the calls on both.
    """

    def __call__(self, lab, consumer, pool) -> None:
        self._played.add(consumer.name)
        if self._function is not None:
            watched = Watched(lab, consumer, self.decisions.setdefault(consumer.name, []))
            self._function(watched, WatchedPool(pool, watched))
        else:
            _again(lab, consumer, self.decisions.get(consumer.name, []), pool=pool)


class Watched:
    """A consumer as the learner's loop sees it: KafkaConsumer's own methods,
    each call written down."""

    def __init__(self, lab, consumer, calls: list, work_ms: int = 0):
        self._lab, self._consumer, self._calls, self._count, self._work_ms = (
            lab,
            consumer,
            calls,
            0,
            work_ms,
        )
        self.name = consumer.name

    def finish(self, record) -> None:
        """Say that the work on a record is done."""
        self._note("finish", [f"{record.topic}-{record.partition}", record.offset])
        _work(self._lab, self._work_ms)
        done(self._lab, self._consumer.name, record)

    def __getattr__(self, name: str):
        if name not in CALLS:
            raise AttributeError(
                f"a consumer in this exercise has {', '.join(CALLS)}; there is no {name}"
            )

        def call(*args, **named):
            args = [*args, *named.values()]
            self._note(name, [_as_plain(arg) for arg in args if not callable(arg)])
            return (
                getattr(self._consumer, name)(*args)
                if name != "poll"
                else self._consumer.poll(timeout_ms=int(args[0]) if args else 0)
            )

        return call

    def _note(self, name: str, args: list) -> None:
        self.count()
        if self._calls and self._calls[-1][:2] == [name, args]:
            self._calls[-1][2] += 1
        else:
            self._calls.append([name, args, 1])

    def count(self) -> None:
        """One call more. NotAsAsked where a loop makes so many that it will never wait."""
        self._count += 1
        if self._count > MOST_CALLS:
            raise NotAsAsked(
                f"your loop made more than {MOST_CALLS:,} calls; give poll a timeout, so that it "
                "waits"
            )


class WatchedPool:
    """A pool of workers as the learner's loop sees it."""

    def __init__(self, pool, watched: Watched):
        self._pool, self._watched = pool, watched

    def submit(self, record) -> None:
        self._watched._note("submit", [f"{record.topic}-{record.partition}", record.offset])
        self._pool.submit(record)

    def finished(self) -> list:
        # it only looks, so it need not be played again
        self._watched.count()
        return self._pool.finished()

    def wait(self) -> None:
        self._watched._note("wait", [])
        self._pool.wait()

    def __getattr__(self, name: str):
        raise AttributeError(
            f"a pool in this exercise has submit, finished and wait; there is no {name}"
        )


def _work(lab, ms: int) -> None:
    if ms:
        lab.sleep(ms)


def _again(lab, consumer, calls, work_ms: int = 0, pool=None) -> None:
    """Make the same calls once more. What Kafka answers to them may fail,
    as it may have the first time."""
    given: dict[tuple[str, int], Any] = {}
    total = 0
    for entry in calls:
        name, args, times = _checked(entry, ("finish",) if pool is None else ("submit", "wait"))
        total += times
        if total > MOST_CALLS:
            raise Unplayable("more calls than a loop may make")
        for _ in range(times):
            if name in ("finish", "submit"):
                if tuple(args) not in given:
                    raise Unplayable(
                        f"{name} of {args}, and {consumer.name} had never been given it"
                    )
                if name == "submit":
                    pool.submit(given[tuple(args)])
                else:
                    _work(lab, work_ms)
                    done(lab, consumer.name, given[tuple(args)])
                continue
            if name == "wait":
                pool.wait()
                continue
            try:
                if name == "poll":
                    given.update(
                        {
                            (f"{record.topic}-{record.partition}", record.offset): record
                            for record in consumer.poll(*args)
                        }
                    )
                else:
                    getattr(consumer, name)(*map(_from_plain, args))
            except KafkaException:
                continue


def _checked(entry, own: tuple[str, ...]) -> tuple[str, list, int]:
    """A call of KafkaConsumer's or one of `own`. Unplayable for anything else."""
    if not (
        isinstance(entry, list)
        and len(entry) == 3
        and entry[0] in (*CALLS, *own)
        and isinstance(entry[1], list)
        and type(entry[2]) is int
        and entry[2] > 0
    ):
        raise Unplayable("a call is a name, its arguments and how often")
    if len(canonical(entry[1])) > LONGEST_CALL:
        raise Unplayable(f"{entry[0]} with more than {LONGEST_CALL:,} characters of arguments")
    if entry[0] in ("finish", "submit") and [type(arg) for arg in entry[1]] != [str, int]:
        raise Unplayable(f"{entry[0]} takes a partition and an offset")
    return entry[0], entry[1], entry[2]


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
