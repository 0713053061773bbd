"""Heartbeat: the timers of a member's heartbeats, session and polls
(org.apache.kafka.clients.consumer.internals.Heartbeat).

Two limits apply to a member. The broker's session timeout limits the time between heartbeats, which
a thread of their own sends. The client's own max.poll.interval.ms limits the time between the
application's polls (KIP-62).
"""

from __future__ import annotations

from kafkalab.errors import KafkaException


class Heartbeat:
    """The timers. Raises KafkaException, as the consumer's constructor does, for an interval that
    is not below the session's time-out."""

    def __init__(
        self,
        session_timeout_ms: int,
        interval_ms: int,
        max_poll_interval_ms: int,
        retry_backoff_ms: int,
    ) -> None:
        if interval_ms >= session_timeout_ms:
            raise KafkaException(
                "Failed to construct kafka consumer: Heartbeat must be set lower than the session "
                f"timeout; here heartbeat.interval.ms is {interval_ms} and session.timeout.ms is "
                f"{session_timeout_ms}"
            )
        self.session_timeout_ms, self.interval_ms = session_timeout_ms, interval_ms
        self.max_poll_interval_ms, self.retry_backoff_ms = max_poll_interval_ms, retry_backoff_ms
        self._due_ms = self._session_ends_ms = self._poll_ends_ms = 0

    def reset_timeouts(self, now_ms: int) -> None:
        self._session_ends_ms = now_ms + self.session_timeout_ms
        self._poll_ends_ms = now_ms + self.max_poll_interval_ms
        self._due_ms = now_ms + self.interval_ms

    def reset_session(self, now_ms: int) -> None:
        self._session_ends_ms = now_ms + self.session_timeout_ms

    def polled(self, now_ms: int) -> None:
        self._poll_ends_ms = now_ms + self.max_poll_interval_ms

    def sent(self, now_ms: int) -> None:
        self._due_ms = now_ms + self.interval_ms

    def failed(self, now_ms: int) -> None:
        self._due_ms = now_ms + self.retry_backoff_ms

    def received(self, now_ms: int) -> None:
        self._session_ends_ms = now_ms + self.session_timeout_ms

    def time_to_next_ms(self, now_ms: int) -> int:
        return max(0, self._due_ms - now_ms)

    def idle_ms(self, now_ms: int) -> int:
        """How long (ms) the thread waits for the next heartbeat; 0 when one is due or a time-out
        has passed."""
        return (
            self._due_ms - now_ms
            if now_ms < self._due_ms
            and now_ms < self._session_ends_ms
            and now_ms < self._poll_ends_ms
            else 0
        )

    def session_expired(self, now_ms: int) -> bool:
        return now_ms >= self._session_ends_ms

    def poll_expired(self, now_ms: int) -> bool:
        return now_ms >= self._poll_ends_ms
