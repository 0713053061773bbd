"""FutureRecordMetadata: the outcome of one record, which may not be known yet
(internals.FutureRecordMetadata)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from kafkalab.errors import NoSuchName, TimeoutException, name_hint
from kafkalab.records import RecordMetadata
from kafkalab.sim.apps import Signal


class FutureRecordMetadata:
    """The outcome of one `send`. `done()` says whether it is known; `get()` waits for it, and
    raises the record's error."""

    def __init__(self, wait: Callable[[Signal, int | None], bool]) -> None:
        self._wait, self._signal = wait, Signal()
        self._metadata: RecordMetadata | None = None
        self._error: BaseException | None = None

    def done(self) -> bool:
        """Whether the outcome is known."""
        return self._signal.is_set

    def get(self, timeout_ms: int | None = None) -> RecordMetadata:
        """Waits for the outcome. Raises the record's error, and TimeoutException when the outcome
        is not known within `timeout_ms` milliseconds (None: as long as it takes)."""
        if not self._wait(self._signal, timeout_ms):
            raise TimeoutException(f"Timeout after waiting for {timeout_ms} ms.")
        if self._error is not None:
            raise self._error
        assert self._metadata is not None, "a known outcome has metadata or an error"
        return self._metadata

    def __getattr__(self, name: str) -> NoReturn:
        """Called only for a name that does not exist; the error lists the names that do. Raises
        NoSuchName."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in ("result", "exception"):
            raise NoSuchName(
                f"What send() returns has no {name}(): get() waits for the outcome and raises what "
                "went wrong, as Java's Future does."
            )
        raise NoSuchName(f"What send() returns has no {name!r}.{name_hint(name, ('done', 'get'))}")

    def complete(self, metadata: RecordMetadata | None, error: BaseException | None) -> None:
        self._metadata, self._error = metadata, error
        self._signal.set()

    def __repr__(self) -> str:
        outcome = "waiting" if not self.done() else repr(self._error or self._metadata)
        return f"FutureRecordMetadata({outcome})"
