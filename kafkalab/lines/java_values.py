"""How Java prints plain values: null, true, lists, optional numbers."""

from collections.abc import Iterable, Mapping
from typing import Any


def value_text(value: object) -> str:
    """None, booleans, numbers and texts as Java's String.valueOf gives them."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def list_text(items: Iterable[object], separator: str = ", ") -> str:
    """`[a, b]`."""
    return f"[{separator.join(str(item) for item in items)}]"


def optional_text(number: int) -> str:
    """A number as Java's Optional prints it; a negative one stands for none."""
    return "Optional.empty" if number < 0 else f"Optional[{number}]"


def offset_text(offset) -> str:
    """An OffsetAndMetadata."""
    return (
        f"OffsetAndMetadata{{offset={offset.offset}, "
        f"leaderEpoch={value_text(offset.leader_epoch)}, metadata='{offset.metadata}'}}"
    )


def offsets_text(offsets: Mapping[Any, object]) -> str:
    """A map of partitions to OffsetAndMetadata."""
    return f"{{{', '.join(f'{partition}={offset_text(offset)}' for partition, offset in offsets.items())}}}"  # noqa: E501
