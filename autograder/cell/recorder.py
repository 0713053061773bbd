"""Records the calls that a learner's functions make on things of a lab, and makes them again.

In the sandbox the functions are given stand-ins, and each call on a stand-in is written down in
plain data. At home a judge makes the written calls on the things of a lab of its own. A `Recorder`
does both. It says which calls there are and how one is written; plays.py has one for loops, and
replay.py one for any functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from autograder.cell.data import NotAsAsked, canonical


class Unplayable(ValueError):
    """The calls do not fit the run: they were not made in it."""


class Recorder:
    """The calls of one run. Subclasses say what `noted` and `understood` do, and what is allowed.

    most_calls    of all functions together; a judge makes them all again
    longest_call  characters of a call's arguments
    too_many      what a learner is told whose functions make more calls
    survives      what a call may raise that is made again, and be followed by the next call
    """

    most_calls = 0
    longest_call = 0
    too_many = ""
    survives: tuple[type[BaseException], ...] = (Exception,)

    def __init__(self):
        self.results: list[Any] = []  # of all calls, in their order
        self.count = 0

    # What a subclass says.

    def calls_of(self, real) -> tuple[str, ...]:
        """The names of the calls on a thing that are made again."""
        raise NotImplementedError

    def noted(self, real, name: str, args: list, named: dict) -> tuple[list, dict]:
        """Write a call down, and return the arguments for the thing itself."""
        raise NotImplementedError

    def understood(self, written) -> tuple[Any, str, list, dict, int]:
        """A written call as (thing, name, args, named, how many times in a row). Unplayable for
        anything that nobody could have written."""
        raise NotImplementedError

    def seen(self, real, name: str):
        """An attribute of a thing that is no call."""
        return getattr(real, name)

    def put(self, real, name: str, value) -> None:
        """Set an attribute of a thing."""
        setattr(real, name, value)

    def met(self, name: str, result) -> None:
        """Look at the result of a call that was made again."""

    def stand_in(self, real):
        """The thing as the learner's function gets it."""
        return StandIn(self, real)

    # What is the same for all.

    def one_more(self) -> None:
        """Count a call. NotAsAsked where there are too many."""
        self.count += 1
        if self.count > self.most_calls:
            raise NotAsAsked(self.too_many)

    def act(self, real, name: str, real_call: Callable, args, named):
        """Make a call of the learner's on the thing itself, and write it down."""
        self.one_more()
        args, named = self.noted(real, name, list(args), named)
        number = len(self.results)
        self.results.append(None)
        self.results[number] = result = real_call(*args, **named)
        return self.handed_back(result)

    def handed_back(self, result):
        """The result of a call as the learner's function gets it."""
        return result

    def make(self, calls) -> BaseException | None:
        """Make written calls. Each may fail, as it may have the first time; returns the last
        failure."""
        last: BaseException | None = None
        for real, name, args, named in self._one_by_one(calls):
            self.one_more()
            number = len(self.results)
            self.results.append(None)
            try:
                self.results[number] = result = getattr(real, name)(*args, **named)
            except (Unplayable, KeyboardInterrupt, SystemExit):
                raise
            except self.survives as error:
                last = error
                continue
            self.met(name, result)
        return last

    def held(self, name: str, written) -> None:
        """Unplayable where a call's written arguments are too long."""
        if len(canonical(written)) > self.longest_call:
            raise Unplayable(f"{name} with more than {self.longest_call:,} characters of arguments")

    def _one_by_one(self, calls) -> Iterator[tuple[Any, str, list, dict]]:
        for written in calls:
            real, name, args, named, times = self.understood(written)
            if self.count + times > self.most_calls:
                raise Unplayable("more calls than may be made")
            for _ in range(times):
                yield real, name, args, named


class StandIn:
    """A thing as the learner's function sees it. No name of it leads to the thing behind it, and
    nothing of that thing is to be had whose name begins with an underscore: a program that could
    ask its producer when it will die would know what no program knows."""

    __slots__ = ("__weakref__", "_behind")

    def __init__(self, recorder: Recorder, real):
        _behind.__set__(self, (recorder, real))

    def __getattr__(self, name: str):
        recorder, real = _behind.__get__(self)
        if name.startswith("_"):
            raise AttributeError(f"a {type(real).__name__} has no {name} here")
        if name not in recorder.calls_of(real):
            return recorder.seen(real, name)
        found = getattr(real, name)

        @functools.wraps(found)
        def call(*args, **named):
            return recorder.act(real, name, found, args, named)

        return call

    def __setattr__(self, name: str, value) -> None:
        if name.startswith("_"):
            raise AttributeError(f"{name} is not to be changed here")
        recorder, real = _behind.__get__(self)
        recorder.put(real, name, value)

    def __repr__(self) -> str:
        return repr(behind(self))


# (recorder, real) of each stand-in. A table beside the stand-ins, with weak keys, would keep every
# lab for ever: a thing often leads back to its stand-in, by an error's frames or a callback.
_behind = StandIn.__dict__["_behind"]
del StandIn._behind


def behind(stand_in: StandIn):
    """The thing that a stand-in stands for."""
    return _behind.__get__(stand_in)[1]
