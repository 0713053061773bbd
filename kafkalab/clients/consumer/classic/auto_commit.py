"""AutoCommit: commits positions without a call of the application
(ConsumerCoordinator.maybeAutoCommitOffsetsAsync and related methods).

With enable.auto.commit the positions are committed every auto.commit.interval.ms, but only inside
poll(), before a rebalance revokes partitions, and at close. The records of one poll() are committed
by the next one: by then the application is supposed to have processed them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients.consumer.classic.committed_offsets import CommittedOffsets
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.commit_offsets import Offsets
from kafkalab.clients.consumer.reading.request_future import RequestFuture
from kafkalab.clients.consumer.reading.subscription_state import SubscriptionState
from kafkalab.clients.network.log_context import LogContext
from kafkalab.errors import KafkaException, RetriableCommitFailedException, WakeupException
from kafkalab.lines.java_values import offsets_text
from kafkalab.sim.apps import FOREVER_MS
from kafkalab.sim.scheduler import Scheduler


class AutoCommit:
    """The timer, and two ways to commit: without waiting, and waiting.

    enabled  enable.auto.commit; hurry: a pass of the network that does not wait
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        offsets: CommittedOffsets,
        subscriptions: SubscriptionState,
        log: LogContext,
        clock: Scheduler,
        hurry: Callable[[], None],
    ) -> None:
        self.enabled = config["enable.auto.commit"]
        self._interval_ms = config["auto.commit.interval.ms"]
        self._retry_backoff_ms = config["retry.backoff.ms"]
        self._offsets = offsets
        self._subscriptions = subscriptions
        self._log = log
        self._clock = clock
        self._due_ms, self._hurry = 0, hurry
        self.restart()

    def restart(self) -> None:
        """The next commit is due a whole interval from now."""
        self._due_ms = self._clock.now_ms + self._interval_ms

    def time_to_next_ms(self) -> int:
        return max(0, self._due_ms - self._clock.now_ms) if self.enabled else FOREVER_MS

    def commit_if_due(self) -> None:
        if self.enabled and self._clock.now_ms >= self._due_ms:
            self.restart()
            self.commit_async()

    def commit_async(self) -> RequestFuture:
        """Commits the positions without waiting; after a retriable failure it commits again after
        retry.backoff.ms."""
        offsets = self._subscriptions.all_consumed()
        self._log("AUTO_COMMIT_ASYNC", offsets=offsets_text(offsets))
        commit = self._offsets.commit_async(offsets, self._ended)
        if self._clock.work is not None:
            # Java polls once, so that the request leaves now. A lesson's lab does so with the next
            # pass; it takes no time there, and its lines keep their order.
            self._hurry()
        return commit

    def commit_sync(self, timer: CallTimer) -> None:
        """Commits the positions and waits. A failure is written as a line and not raised, because
        the application did not call this commit (ConsumerCoordinator.maybeAutoCommitOffsetsSync).
        """
        offsets = self._subscriptions.all_consumed()
        self._log("AUTO_COMMIT_SYNC", offsets=offsets_text(offsets))
        try:
            self._offsets.commit_sync(offsets, timer)
        except WakeupException:
            raise
        except KafkaException as error:
            self._log("AUTO_COMMIT_SYNC_FAILED", offsets=offsets_text(offsets), error=error)

    def _ended(self, offsets: Offsets, error: BaseException | None) -> None:
        if error is None:
            self._log("AUTO_COMMIT_COMPLETED", offsets=offsets_text(offsets))
        elif isinstance(error, RetriableCommitFailedException):
            self._log(
                "AUTO_COMMIT_FAILED_RETRIABLE",
                offsets=offsets_text(offsets),
                error=error,
                trace=error.java_text(),
            )
            self._due_ms = min(self._due_ms, self._clock.now_ms + self._retry_backoff_ms)
        else:
            self._log("AUTO_COMMIT_FAILED", offsets=offsets_text(offsets), error=error)
