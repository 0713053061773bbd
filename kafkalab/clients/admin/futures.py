"""KafkaFuture: an outcome that may not be known yet (org.apache.kafka.common.KafkaFuture), and
several of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Any

from kafkalab.errors import KafkaException, TimeoutException
from kafkalab.sim.apps import Signal


class KafkaFuture:
    """The outcome of one admin call: `get()` waits for it, `done()` says whether it is known.

    `get()` raises the error of the call. Java wraps that into an ExecutionException; here it is
    raised itself.
    """

    def __init__(self, wait: Callable[[Signal, int | None], bool]) -> None:
        self._wait, self._signal = wait, Signal()
        self._value: Any = None
        self._error: BaseException | None = None
        self._then: list[Callable[[], None]] = []

    def done(self) -> bool:
        return self._signal.is_set

    def get(self, timeout_ms: int | None = None) -> Any:
        """Wait for the outcome. Raises TimeoutException when it is not known within `timeout_ms`
        (None: as long as it takes)."""
        if not self._wait(self._signal, timeout_ms):
            raise TimeoutException(f"Timeout after waiting for {timeout_ms} ms.")
        if self._error is not None:
            raise self._error
        return self._value

    @property
    def error(self) -> BaseException | None:
        """The error, None while there is none."""
        return self._error

    def complete(self, value: Any = None) -> None:
        self._end(value, None)

    def fail(self, error: BaseException) -> None:
        self._end(None, error)

    def _end(self, value: Any, error: BaseException | None) -> None:
        if not self.done():
            self._value, self._error = value, error
            self._signal.set()
            then, self._then = self._then, []
            for call in then:
                call()

    def then(self, call: Callable[[], None]) -> None:
        """Run call() as soon as the outcome is known."""
        if self.done():
            call()
        else:
            self._then.append(call)

    def apply(self, what: Callable[[Any], Any]) -> KafkaFuture:
        """A future of what(value) (thenApply)."""
        derived = KafkaFuture(self._wait)

        def follow() -> None:
            if self._error is not None:
                derived.fail(self._error)
            else:
                try:
                    derived.complete(what(self._value))
                except KafkaException as error:
                    derived.fail(error)

        self.then(follow)
        return derived

    def __repr__(self) -> str:
        outcome = "waiting" if not self.done() else repr(self._error or self._value)
        return f"KafkaFuture({outcome})"


def all_of(
    futures: Mapping[Hashable, KafkaFuture], wait: Callable[[Signal, int | None], bool]
) -> KafkaFuture:
    """A future of {key: value}; it fails as soon as one of them has failed (KafkaFuture.allOf)."""
    whole = KafkaFuture(wait)
    waiting = len(futures)

    def one_ended(future: KafkaFuture) -> None:
        nonlocal waiting
        waiting -= 1
        if future.error is not None:
            whole.fail(future.error)
        elif waiting == 0:
            whole.complete({key: one.get() for key, one in futures.items()})

    for future in futures.values():
        future.then(partial(one_ended, future))
    if not futures:
        whole.complete({})
    return whole


class Outcomes:
    """Futures for the things that one call asked for. Each admin method's result says under which
    names it shows them."""

    def __init__(
        self, keys: Iterable[Hashable], wait: Callable[[Signal, int | None], bool]
    ) -> None:
        self._wait = wait
        self.futures: dict[Any, KafkaFuture] = {key: KafkaFuture(wait) for key in keys}

    def values(self) -> dict[Any, KafkaFuture]:
        """A future for each of them."""
        return dict(self.futures)

    def all(self) -> KafkaFuture:
        """One future of {key: value}, which fails when one of them does."""
        return all_of(self.futures, self._wait)

    def fail_rest(self, error: BaseException) -> None:
        """Every future without an outcome gets this error."""
        for future in self.futures.values():
            future.fail(error)

    def __getitem__(self, key: Hashable) -> KafkaFuture:
        return self.futures[key]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.futures!r})"
