"""Holds Timer: a scheduled callback that can be cancelled."""

from __future__ import annotations

from typing import Any


class Timer(list[Any]):
    """A scheduled callback in its queue: [callback, arguments, cause].

    After `cancel()` it never runs. A second `cancel()` has no effect.
    """

    __slots__ = ()

    def cancel(self) -> None:
        self[0] = None

    @property
    def pending(self) -> bool:
        return self[0] is not None
