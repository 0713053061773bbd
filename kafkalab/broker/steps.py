"""Steps: one request's story as a generator that reads from top to bottom.

A step yields its effects. Where it has to wait it yields a `Wait`; what it said so far is carried
out, and it goes on when the write, the answer or the timer is there. `raise Refusal(error)` ends a
story, and its caller gets the error. State that others look at stays in tables, where it can be
printed; a step holds only what its own request still needs. Kafka's classes pass callbacks
(responseCallback) instead.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial, wraps
from types import GeneratorType
from typing import Any, NamedTuple, TypeVar

from kafkalab.broker.effects import AskBroker, Caller, Effect, Respond, SetTimer
from kafkalab.errors import Errors

T = TypeVar("T")
Resume = Callable[[Any], list[Effect]]
Handler = Callable[[Any, Any, Caller, int], list[Effect]]


class Wait(NamedTuple):
    """Stop here. begin(resume) gives the effects that begin to wait; resume(value) goes on, at once
    or later, and gives the effects that follow."""

    begin: Callable[[Resume], list[Effect]]


class Afterwards(NamedTuple):
    """Effects that follow when the step has answered or waits, not before."""

    effects: list[Effect]


class Parked:
    """What a story returns that is not answered now: its caller is in a table, and another
    story answers it."""


PARKED = Parked()
Step = Generator[Effect | Wait | Afterwards, Any, T]


class Refusal(Exception):
    """Ends a step. The caller gets this error, and the message where the answer has one."""

    def __init__(self, error: Errors, message: str | None = None) -> None:
        super().__init__(error.name if message is None else message)
        self.error, self.message = error, message

    @classmethod
    def with_message(cls, error: Errors) -> Refusal:
        """The refusal that has the error's own message."""
        return cls(error, error.message)


def run(step: Step[Any], value: Any = None) -> list[Effect]:
    """Let a step go on with that value; returns its effects up to its end or its next wait."""
    effects: list[Effect] = []
    later: list[Effect] = []
    try:
        while True:
            said = step.send(value)
            value = None
            if type(said) is Wait:
                return effects + said.begin(partial(run, step)) + later
            if type(said) is Afterwards:
                later += said.effects
            else:
                effects.append(said)  # type: ignore[arg-type]
    except StopIteration:
        return effects + later


def coded(response: type) -> Callable[[Any, Caller, Refusal], Any]:
    """A function that answers a refusal with the error's code."""
    return lambda request, caller, refusal: response(error_code=refusal.error.code)


def worded(response: type) -> Callable[[Any, Caller, Refusal], Any]:
    """A function that answers a refusal with the error's code and the refusal's message."""
    return lambda request, caller, refusal: response(
        error_code=refusal.error.code, error_message=refusal.message
    )


def answers(
    response: type, refused: Callable[[Any, Caller, Refusal], Any] | None = None
) -> Callable[[Callable[..., Any]], Handler]:
    """A handler of requests: what it returns is sent to the caller. It is a step, or a plain method
    where it has no effects and never waits.

    refused: refused(request, caller, refusal) makes the answer to a refusal; without it, it is the
    response with the error's code.
    """
    refuse = coded(response) if refused is None else refused

    def answered(step: Step[Any], request: Any, caller: Caller) -> Step[None]:
        try:
            answer = yield from step
        except Refusal as refusal:
            answer = refuse(request, caller, refusal)
        if answer is not PARKED:
            yield Respond(caller, answer)

    def decorate(story: Callable[..., Any]) -> Handler:
        @wraps(story)
        def handle(machine: Any, request: Any, caller: Caller, now_ms: int) -> list[Effect]:
            try:
                answer = story(machine, request, caller, now_ms)
            except Refusal as refusal:
                answer = refuse(request, caller, refusal)
            if type(answer) is GeneratorType:
                return run(answered(answer, request, caller))
            return [Respond(caller, answer)]

        return handle

    return decorate


def unheard(step: Step[Any]) -> list[Effect]:
    """Begin a story for which nobody waits, so that its refusal is dropped."""

    def alone() -> Step[None]:
        try:
            yield from step
        except Refusal:
            pass

    return run(alone())


def together(steps: Sequence[Step[T]]) -> Step[list[T]]:
    """Begin all these steps at once; returns their results when the last one has ended."""
    results: dict[int, T] = {}

    def one(place: int, step: Step[T], resume: Resume) -> Step[None]:
        results[place] = yield from step
        if len(results) == len(steps):
            yield from resume([results[index] for index in range(len(steps))])

    def begin(resume: Resume) -> list[Effect]:
        return [
            effect for place, step in enumerate(steps) for effect in run(one(place, step, resume))
        ]

    return (yield Wait(begin)) if steps else []


class Waits:
    """The steps of one machine that wait for another broker or for a timer.

    machine: the first part of the keys of its timers and of the tags of its questions.
    """

    def __init__(self, machine: str) -> None:
        self._machine = machine
        self._waiting: dict[int, Resume] = {}
        self._count = 0

    def reply(self, broker: int, request: Any) -> Wait:
        """Ask another broker; gives (its response or None, the time of the response)."""
        return Wait(lambda resume: [AskBroker(broker, request, self._keep(resume))])

    def until(self, at_ms: int) -> Wait:
        """Wait for that time; gives (None, the time)."""
        return Wait(lambda resume: [SetTimer(self._keep(resume), at_ms)])

    def on_reply(self, tag: tuple[Any, ...], response: Any, now_ms: int) -> list[Effect]:
        """Let the step go on whose answer is here. One from before the process died is gone."""
        resume = self._waiting.pop(tag[1], None)
        return [] if resume is None else resume((response, now_ms))

    def on_timer(self, key: tuple[Any, ...], now_ms: int) -> list[Effect]:
        """Let the step go on whose time has come."""
        return self.on_reply(key, None, now_ms)

    def forget(self) -> None:
        """Drop all steps: the process has died."""
        self._waiting.clear()

    def _keep(self, resume: Resume) -> tuple[str, int]:
        self._count += 1
        self._waiting[self._count] = resume
        return (self._machine, self._count)
