"""What is a callback that waits, and how does one call it off?"""

from __future__ import annotations

from typing import Any


class Timer(list[Any]):
    """A callback that waits in its queue: [callback, arguments, cause].
    `cancel()` makes it never happen; twice is harmless."""

    __slots__ = ()

    def cancel(self) -> None:
        self[0] = None

    @property
    def pending(self) -> bool:
        return self[0] is not None
