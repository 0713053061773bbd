"""Holds a chain of causes: the events that led to one event, as `Lab.why` returns them."""

from __future__ import annotations

from typing import Any

STEPS_SHOWN = 12
"""A printed chain indents this many events, one step each. Later events keep the last indent."""


class Chain(list[Any]):
    """A list of events, each the cause of the next, oldest first.

    It prints with growing indents.
    """

    def __repr__(self) -> str:
        return "\n".join(
            f"{'  ' * min(depth, STEPS_SHOWN)}{'-> ' if depth else ''}{event!r}"
            for depth, event in enumerate(self)
        )
