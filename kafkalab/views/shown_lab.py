"""Says what a view reads of a lab. A view looks at a lab and never touches it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def happened(lab: ShownLab, kind: str) -> Iterator[dict[str, Any]]:
    """The events of one kind in order, each a dict of its id, time, owner, cause and fields."""
    if not has_journal(lab):
        yield from lab.table(kind).to_dict("records")
        return
    for event in lab.journal.of(kind):
        yield {
            "id": event.id,
            "at_ms": event.at_ms,
            "kind": kind,
            "who": event.who,
            "cause": event.cause,
            **event.fields,
        }


def topic_and_number(partition: str) -> tuple[str, int]:
    """Topic and number of "orders-0", by which partitions are sorted."""
    topic, _, number = partition.rpartition("-")
    return topic, int(number)


def settings_of_consumers(lab: ShownLab) -> dict[str, Mapping[str, Any]]:
    """Consumer -> the settings with which a program made it."""
    calls = lab.journal.of("call")
    return {event.who: event.args for event in calls if event.name == "new KafkaConsumer"}


def members_of(lab: ShownLab, group: str) -> set[str]:
    """The consumers that a program has made for a group."""
    made = settings_of_consumers(lab).items()
    return {who for who, settings in made if settings.get("group.id") == group}


def share_members(lab: ShownLab) -> dict[str, str]:
    """Member id -> client id, of everybody who has joined a share group."""
    return {event.member: event.client_id for event in lab.journal.of("share_group.joined")}


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
