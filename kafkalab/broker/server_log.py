"""ServerLog: keeps the lines that one broker writes into its server.log.

A machine names an entry of the catalogue and gives values, as a client's machine does with its
LogContext. The lines are kept beside the journal and not in it: they change no event's number, and
nothing in a lab reads them. Kafka's class is Logging (2.3), and org.slf4j.Logger in 4.x.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from kafkalab.lines.catalog import SERVER_CATALOG
from kafkalab.lines.layout import Row
from kafkalab.sim.scheduler import Scheduler


class ServerLine(NamedTuple):
    """One line of a broker's log.

    cause   the id of the journal's event that caused it, None for none
    name    the entry of SERVER_CATALOG
    trace   the exception that log4j prints below the line, None for none
    """

    at_ms: int
    cause: int | None
    name: str
    level: str
    logger: str
    message: str
    trace: str | None

    def row(self, epoch_ms: int) -> Row:
        """The line as a row of the layout `[%d] %p %m (%c)`."""
        return Row(epoch_ms + self.at_ms, self.level, self.message, self.logger, trace=self.trace)


class ServerLog:
    """The server.log of one broker.

    release  the broker's release; a line that it does not have is not written
    """

    __slots__ = ("_broker_id", "_clock", "_kept", "release")

    def __init__(self, clock: Scheduler | None, broker_id: int, release: str) -> None:
        self._clock, self._broker_id, self.release = clock, broker_id, release
        self._kept: list[tuple[int, int | None, str, dict[str, Any]]] = []

    def __call__(self, name: str, /, **values: Any) -> None:
        """Write the line `name`, where the release has it. `trace` is the exception below it.

        Raises KeyError for a name that is not in the catalogue.
        """
        if self._clock is None or SERVER_CATALOG[name].wording(self.release) is None:
            return
        values["broker_id"] = self._broker_id
        self._kept.append((self._clock.now_ms, self._clock.cause, name, values))

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def now_ms(self) -> int:
        """The time of a line that is written now; 0 in a log that keeps nothing."""
        return 0 if self._clock is None else self._clock.now_ms

    def take_back(self, since: int) -> None:
        """Forget the lines from number `since` on: the step that wrote them was not taken."""
        del self._kept[since:]

    def lines(self) -> Iterator[ServerLine]:
        """Every line, oldest first. Raises KeyError where a value that the wording needs is
        missing."""
        for at_ms, cause, name, values in self._kept:
            wording = SERVER_CATALOG[name].wording(self.release)
            assert wording is not None, "only a line that the release has is kept"
            message = wording.template.format_map(values)
            trace = values.get("trace")
            yield ServerLine(at_ms, cause, name, wording.level, wording.logger, message, trace)


def silent_log(release: str) -> ServerLog:
    """The log of a machine without a broker: it keeps nothing."""
    return ServerLog(None, 0, release)
