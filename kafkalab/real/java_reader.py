"""JavaReader: what a real consumer and a real share consumer have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab.errors import IllegalArgumentException
from kafkalab.real.java_client import STRINGS, JavaClient
from kafkalab.real.java_process import items_of
from kafkalab.records import ConsumerRecord, ConsumerRecords


class JavaReader(JavaClient):
    """A Java client that subscribes, polls and closes."""

    defaults = {
        "key.deserializer": f"{STRINGS}Deserializer",
        "value.deserializer": f"{STRINGS}Deserializer",
    }

    def subscription(self) -> list[str]:
        """The topics it has subscribed to; empty with assign()."""
        return self._call(lambda: [str(one) for one in items_of(self._object.subscription())])

    def wakeup(self) -> None:
        """Called by another app: the call that waits in this client, or its next one, raises
        WakeupException."""
        self._call(self._object.wakeup)

    def _polled(
        self, timeout_ms: int, record_from: Callable[[Any], ConsumerRecord]
    ) -> ConsumerRecords:
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException(
                f"poll() waits a whole number of milliseconds, not negative: {timeout_ms!r} is none"
            )

        def into_java() -> ConsumerRecords:
            found = self._object.poll(self.java.duration(timeout_ms))
            return ConsumerRecords(record_from(one) for one in items_of(found))

        return self._call(into_java)

    def _close(self, timeout_ms: int) -> None:
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException("The timeout cannot be negative.")
        super()._close(timeout_ms)
