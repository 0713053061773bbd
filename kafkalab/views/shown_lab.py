"""Says what a view reads of a lab. A view looks at a lab and never touches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas

    from kafkalab.reading.sockets import Socket
    from kafkalab.sim.journal import Journal


class ShownLab(Protocol):
    """The part of a Lab that views use. Each member means what it means in Lab."""

    @property
    def now_ms(self) -> int: ...

    @property
    def journal(self) -> Journal: ...

    def table(self, kind: str | None = None) -> pandas.DataFrame: ...

    def at(self, ms: int) -> dict[str, Any]: ...

    def sockets(self, client: str | None = None) -> list[Socket]: ...

    def check_client(self, client: str) -> None: ...


def has_journal(lab: ShownLab) -> bool:
    """Whether a lab keeps a journal of what happened. A real one has the lines of its clients
    only, and says so."""
    return not getattr(lab, "knows_lines_only", False)
