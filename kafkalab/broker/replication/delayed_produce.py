"""DelayedProduces: keeps PRODUCE with acks=all until every replica in sync has the records.

Kafka's classes are DelayedProduce and the purgatory that holds it. A produce waits for each of its
partitions until the high watermark has passed its records, the leader has changed, or the request's
timeout.ms has passed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from kafkalab.broker.effects import Caller, CancelTimer, Effect, SetTimer, TimerKey
from kafkalab.broker.log.partition_log import PartitionKey
from kafkalab.broker.steps import Refusal, Resume, Step, Wait
from kafkalab.errors import Errors, error_for
from kafkalab.protocol.messages import PartitionProduceResponse


class WaitingAppend:
    """An append that waits in the purgatory for its replicas (DelayedOperation).

    required   partition -> the offset that its high watermark has to reach
    answers    partition -> its answer so far
    caller     the client that waits for a PRODUCE; None for a coordinator's own append
    resume     lets the step go on with the answers
    """

    __slots__ = ("answers", "caller", "required", "resume")

    def __init__(
        self,
        required: dict[PartitionKey, int],
        answers: dict[PartitionKey, PartitionProduceResponse],
        caller: Caller | None,
        resume: Resume,
    ) -> None:
        self.required, self.answers = required, answers
        self.caller, self.resume = caller, resume


class DelayedProduces:
    """All waiting appends of one broker (DelayedOperationPurgatory).

    verdict: verdict(key, required offset) gives the partition's answer, None while it has to wait.
    rule: rule(required) of a learner decides about a client's PRODUCE that waits for a partition;
    None for Kafka's own.
    """

    def __init__(self, verdict: Callable[[PartitionKey, int], Errors | None]) -> None:
        self._verdict = verdict
        self.rule: Callable[[Mapping[PartitionKey, int]], bool] | None = None
        self._waiting: dict[int, WaitingAppend] = {}
        self._watchers: dict[PartitionKey, dict[int, None]] = {}
        self._count = 0

    @property
    def waiting(self) -> tuple[WaitingAppend, ...]:
        """The purgatory, oldest first."""
        return tuple(self._waiting.values())

    def until(
        self,
        required: dict[PartitionKey, int],
        answers: dict[PartitionKey, PartitionProduceResponse],
        deadline_ms: int,
        caller: Caller | None = None,
    ) -> Wait:
        """Wait for the replicas; gives the answers, in which what failed has its error."""
        return Wait(
            lambda resume: self._add(WaitingAppend(required, answers, caller, resume), deadline_ms)
        )

    def replicated(
        self, key: PartitionKey, offset: int, deadline_ms: int, caller: Caller | None = None
    ) -> Step[None]:
        """Wait until the replicas of one partition have the records before `offset`."""
        answers = {key: PartitionProduceResponse(index=key[1])}
        final = yield self.until({key: offset}, answers, deadline_ms, caller)
        error = error_for(final[key].error_code)
        if error is not Errors.NONE:
            raise Refusal(error)

    def _add(self, produce: WaitingAppend, deadline_ms: int) -> list[Effect]:
        """Park an append; its step goes on at once where it has nothing to wait for."""
        self._settle(produce, list(produce.required))
        if not produce.required:
            return produce.resume(produce.answers)
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
                effects += [CancelTimer(("produce", number)), *produce.resume(produce.answers)]
        return effects

    def on_timer(self, key: TimerKey, now_ms: int) -> list[Effect]:
        """The request's timeout.ms has passed: answer REQUEST_TIMED_OUT. The appended records
        stay."""
        produce = self._take(key[1])
        for late in produce.required:
            produce.answers[late] = replace(
                produce.answers[late], error_code=Errors.REQUEST_TIMED_OUT.code
            )
        return produce.resume(produce.answers)

    def abandon(self, connection_id: str) -> list[Effect]:
        """Drop the produces of a closed connection; their records stay."""
        gone = [
            number
            for number, produce in self._waiting.items()
            if produce.caller is not None and produce.caller.connection_id == connection_id
        ]
        for number in gone:
            self._take(number)
        return [CancelTimer(("produce", number)) for number in gone]

    def forget(self) -> None:
        """Drop everything: the process has died."""
        self._waiting.clear()
        self._watchers.clear()

    def _settle(self, produce: WaitingAppend, keys: list[PartitionKey]) -> None:
        # what failed everywhere is answered at once (ReplicaManager.delayedProduceRequestRequired)
        if self.rule is not None and produce.caller is not None and produce.required:
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

    def _take(self, number: int) -> WaitingAppend:
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
