"""DelayedProduces: keeps PRODUCE with acks=all until every replica in sync has the records.

Kafka's classes are DelayedProduce and the purgatory that holds it. A produce waits for each of its
partitions until the high watermark has passed its records, the leader has changed, or the request's
timeout.ms has passed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kafkalab.broker.effects import Caller, CancelTimer, Effect, Respond, SetTimer, TimerKey
from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.errors import Errors, error_for
from kafkalab.protocol.messages import PartitionProduceResponse


class PurgatoryEntry(ABC):
    """An append that waits in the produce purgatory for its replicas (DelayedOperation).

    required   partition -> the offset that its high watermark has to reach
    answers    partition -> its answer so far
    """

    __slots__ = ("answers", "required")

    def __init__(
        self,
        required: dict[PartitionKey, int],
        answers: dict[PartitionKey, PartitionProduceResponse],
    ) -> None:
        self.required, self.answers = required, answers

    @property
    @abstractmethod
    def connection_id(self) -> str | None:
        """The connection that ends the wait when it closes; None where there is none."""

    @abstractmethod
    def finish(self) -> list[Effect]:
        """What follows when no partition has to be waited for any more."""


class WaitingProduce(PurgatoryEntry):
    """A client's PRODUCE that waits for its replicas (DelayedProduce).

    complete: complete(answers) makes the response.
    """

    __slots__ = ("caller", "complete")

    def __init__(
        self,
        caller: Caller,
        required: dict[PartitionKey, int],
        answers: dict[PartitionKey, PartitionProduceResponse],
        complete: Callable[[dict[PartitionKey, PartitionProduceResponse]], Any],
    ) -> None:
        super().__init__(required, answers)
        self.caller, self.complete = caller, complete

    @property
    def connection_id(self) -> str | None:
        return self.caller.connection_id

    def finish(self) -> list[Effect]:
        return [Respond(self.caller, self.complete(self.answers))]


class WaitingAppend(PurgatoryEntry):
    """A coordinator's own append that waits for its replicas; no client's connection ends it.

    then: then(error) gives what follows.
    """

    __slots__ = ("key", "then")

    def __init__(
        self, key: PartitionKey, required: int, then: Callable[[Errors], list[Effect]]
    ) -> None:
        super().__init__({key: required}, {key: PartitionProduceResponse(index=key[1])})
        self.key, self.then = key, then

    @property
    def connection_id(self) -> str | None:
        return None

    def finish(self) -> list[Effect]:
        return self.then(error_for(self.answers[self.key].error_code))


class DelayedProduces:
    """All waiting appends of one broker (DelayedOperationPurgatory).

    verdict: verdict(key, required offset) gives the partition's answer, None while it has to wait.
    rule: rule(required) of a learner decides about a client's PRODUCE; None for Kafka's own.
    """

    def __init__(self, verdict: Callable[[PartitionKey, int], Errors | None]) -> None:
        self._verdict = verdict
        self.rule: Callable[[Mapping[PartitionKey, int]], bool] | None = None
        self._waiting: dict[int, PurgatoryEntry] = {}
        self._watchers: dict[PartitionKey, dict[int, None]] = {}
        self._count = 0

    @property
    def waiting(self) -> tuple[PurgatoryEntry, ...]:
        """The purgatory, oldest first."""
        return tuple(self._waiting.values())

    def add(self, produce: PurgatoryEntry, deadline_ms: int) -> list[Effect]:
        """Park an append; it is finished at once where it has nothing to wait for."""
        self._settle(produce, list(produce.required))
        if not produce.required:
            return produce.finish()
        self._count += 1
        self._waiting[self._count] = produce
        for key in produce.required:
            self._watchers.setdefault(key, {})[self._count] = None
        return [SetTimer(("produce", self._count), deadline_ms)]

    def look_again(self, key: PartitionKey) -> list[Effect]:
        """Check the waiting appends after the partition's high watermark or leader has changed."""
        effects: list[Effect] = []
        for number in list(self._watchers.get(key, ())):
            produce = self._waiting.get(number)
            if produce is None:
                continue  # finishing another one has finished this one, too
            before = list(produce.required)
            self._settle(produce, [key])
            for settled in before:
                if settled not in produce.required:
                    self._unwatch(settled, number)
            if not produce.required:
                del self._waiting[number]
                effects += [CancelTimer(("produce", number)), *produce.finish()]
        return effects

    def on_timer(self, key: TimerKey, now_ms: int) -> list[Effect]:
        """The request's timeout.ms has passed: answer REQUEST_TIMED_OUT. The appended records
        stay."""
        produce = self._take(key[1])
        for late in produce.required:
            produce.answers[late] = replace(
                produce.answers[late], error_code=Errors.REQUEST_TIMED_OUT.code
            )
        return produce.finish()

    def abandon(self, connection_id: str) -> list[Effect]:
        """Drop the produces of a closed connection; their records stay."""
        gone = [
            number
            for number, produce in self._waiting.items()
            if produce.connection_id == connection_id
        ]
        for number in gone:
            self._take(number)
        return [CancelTimer(("produce", number)) for number in gone]

    def forget(self) -> None:
        """Drop everything: the process has died."""
        self._waiting.clear()
        self._watchers.clear()

    def _settle(self, produce: PurgatoryEntry, keys: list[PartitionKey]) -> None:
        if self.rule is not None and isinstance(produce, WaitingProduce):
            if not self.rule(produce.required):
                return
            for key, offset in list(produce.required.items()):
                known = self._verdict(key, offset) or Errors.NONE
                del produce.required[key]
                if known is not Errors.NONE:
                    produce.answers[key] = replace(produce.answers[key], error_code=known.code)
            return
        for key in keys:
            error = self._verdict(key, produce.required[key])
            if error is not None:
                del produce.required[key]
                if error is not Errors.NONE:
                    produce.answers[key] = replace(produce.answers[key], error_code=error.code)

    def _take(self, number: int) -> PurgatoryEntry:
        produce = self._waiting.pop(number)
        for key in produce.required:
            self._unwatch(key, number)
        return produce

    def _unwatch(self, key: PartitionKey, number: int) -> None:
        watchers = self._watchers.get(key)
        if watchers is None:
            return
        watchers.pop(number, None)
        if not watchers:
            del self._watchers[key]
