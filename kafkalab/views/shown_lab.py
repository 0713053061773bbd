"""Says what a view reads of a lab. A view looks at a lab and never touches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from kafkalab.errors import IllegalArgumentException

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


class ToldLab(ShownLab, Protocol):
    """What views use of a real lab besides: its state now, and the lines of its clients."""

    def state(self) -> dict[str, Any]: ...

    def lines(self, client: str | None = None) -> pandas.DataFrame: ...


def has_journal(lab: ShownLab) -> bool:
    """Whether a lab keeps a journal of what happened. A real one has the lines of its clients
    only, and says so."""
    return not getattr(lab, "knows_lines_only", False)


def state_at(lab: ShownLab, at_ms: int | None = None) -> dict[str, Any]:
    """The state of a lab at a time (default: now), as `Lab.at` has it. A real lab knows only of
    now. Raises IllegalArgumentException where it is asked for another time."""
    if has_journal(lab):
        return lab.at(lab.now_ms if at_ms is None else at_ms)
    if at_ms is not None:
        raise IllegalArgumentException(
            "no one keeps the past of a real cluster: a picture of it shows now, so leave at_ms out"
        )
    return cast(ToldLab, lab).state()
