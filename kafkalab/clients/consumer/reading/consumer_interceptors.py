"""ConsumerInterceptors: calls interceptors before records are returned and after commits
(internals.ConsumerInterceptors, KIP-42).

An interceptor is any object with `on_consume(records) -> records`, `on_commit(offsets)` and
`close()`; methods it lacks are skipped (ConsumerInterceptor). They are called in a row: each gets
the result of the one before it. An error that one of them raises is dropped, as Java only logs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafkalab.errors import ConfigException
from kafkalab.records import ConsumerRecords, OffsetAndMetadata, TopicPartition

HOOKS = ("on_consume", "on_commit")


class ConsumerInterceptors:
    """given: classes or objects, as interceptor.classes names them.
    Raises ConfigException for anything else."""

    def __init__(self, given: Iterable[Any]) -> None:
        self._row = [_made(one) for one in given]

    def on_consume(self, records: ConsumerRecords) -> ConsumerRecords:
        """The records that poll() returns, after all interceptors."""
        for one in self._row:
            if hasattr(one, "on_consume"):
                try:
                    records = ConsumerRecords(one.on_consume(records))
                except Exception:
                    pass
        return records

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """The coordinator has stored these offsets."""
        self._tell("on_commit", dict(offsets))

    def close(self) -> None:
        self._tell("close")

    def _tell(self, hook: str, *args: Any) -> None:
        for one in self._row:
            if hasattr(one, hook):
                try:
                    getattr(one, hook)(*args)
                except Exception:
                    pass


def _made(given: Any) -> Any:
    if isinstance(given, type):
        given = given()
    if isinstance(given, str) or not any(hasattr(given, hook) for hook in HOOKS):
        raise ConfigException(
            f"Invalid value {given!r} for configuration interceptor.classes: give Python classes "
            "or objects with on_consume(records) and on_commit(offsets)"
        )
    return given
