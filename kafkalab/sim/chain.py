"""What led to what? Events in the order of their causes, as `Lab.why` returns them."""

from __future__ import annotations

from typing import Any

STEPS_SHOWN = 12
"""A printed chain moves this many steps to the right, and then straight down:
a page is only so wide."""


class Chain(list[Any]):
    """Events, each the cause of the next, oldest first; it prints as a staircase."""

    def __repr__(self) -> str:
        return "\n".join(
            f"{'  ' * min(depth, STEPS_SHOWN)}{'-> ' if depth else ''}{event!r}"
            for depth, event in enumerate(self)
        )
