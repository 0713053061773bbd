"""RequestFuture: the result of a request, which may not be known yet
(org.apache.kafka.clients.consumer.internals.RequestFuture).

A client waits for results in stories: generators that yield a future and go on with its value.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from kafkalab.clients.network.requests import ClientResponse
from kafkalab.errors import (
    DisconnectException,
    KafkaException,
    RetriableException,
    UnsupportedVersionException,
)
from kafkalab.protocol.api_keys import api_of
from kafkalab.sim.apps import Signal


class RequestFuture:
    """A result that is not known yet. Done once, with a value or an error; listeners run at that
    moment, in the order they were added."""

    __slots__ = ("_listeners", "error", "is_done", "value")

    def __init__(self) -> None:
        self.is_done = False
        self.value: Any = None
        self.error: BaseException | None = None
        self._listeners: list[Callable[[RequestFuture], object]] = []

    @classmethod
    def completed_with(cls, value: Any) -> RequestFuture:
        """A future that is done already."""
        future = cls()
        future.complete(value)
        return future

    @classmethod
    def failed_with(cls, error: BaseException) -> RequestFuture:
        """A future that has failed already."""
        future = cls()
        future.fail(error)
        return future

    def end_with(self, response: ClientResponse) -> None:
        """Complete it with an answer, or fail it where there is none."""
        if response.disconnected:
            self.fail(DisconnectException())
        elif response.version_mismatch:
            api = api_of(response.request.message).name
            self.fail(UnsupportedVersionException(f"The node does not support {api}"))
        else:
            self.complete(response)

    @property
    def succeeded(self) -> bool:
        return self.is_done and self.error is None

    @property
    def failed(self) -> bool:
        return self.error is not None

    @property
    def failure(self) -> BaseException:
        """The error of a future that has failed."""
        assert self.error is not None, "this future has no error"
        return self.error

    @property
    def is_retriable(self) -> bool:
        return isinstance(self.error, RetriableException)

    def complete(self, value: Any = None) -> None:
        self._finish(value, None)

    def fail(self, error: BaseException) -> None:
        self._finish(None, error)

    def wakes(self, signal: Signal) -> None:
        """A thread waits for this signal: it is set when the result is known."""
        self._on_done(lambda _: signal.set())

    def _on_done(self, listener: Callable[[RequestFuture], object]) -> None:
        if self.is_done:
            listener(self)
        else:
            self._listeners.append(listener)

    def _finish(self, value: Any, error: BaseException | None) -> None:
        if self.is_done:
            return
        self.is_done, self.value, self.error = True, value, error
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener(self)


Story = Generator[RequestFuture, Any, Any]
"""Several requests as one story. Where it waits it yields a future, and gets its value there or has
its error raised."""

_BEGUN = RequestFuture.completed_with(None)


def begin(story: Story) -> None:
    """Begin a story whose end nobody waits for. An error that it does not catch surfaces where it
    goes on."""

    def go_on(done: RequestFuture) -> None:
        try:
            waited = story.send(done.value) if done.error is None else story.throw(done.error)
        except StopIteration:
            return
        waited._on_done(go_on)

    go_on(_BEGUN)


def task(story: Story) -> RequestFuture:
    """Begin a story; returns the future of what it returns, or of the KafkaException that it
    raises."""
    ended = RequestFuture()
    begin(_ending(story, ended))
    return ended


def _ending(story: Story, ended: RequestFuture) -> Story:
    try:
        value = yield from story
    except KafkaException as error:
        ended.fail(error)
    else:
        ended.complete(value)
