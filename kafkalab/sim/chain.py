"""Lays out a chain of causes, as `Lab.why` returns it; `Journal.why` walks it."""

from __future__ import annotations

import textwrap
from typing import Any

STEPS_SHOWN = 12
"""A printed chain indents this many events, one column each. Later events keep the last indent."""
COLUMNS = 96
"""A printed event is broken at this column: JupyterLab's page has room for it on a laptop."""
WHERE_IT_GOES_ON = " " * 16
"""The indent of the later lines of an event, so that only a first line begins with a time."""


class Chain(list[Any]):
    """A list of events, each the cause of the next, oldest first.

    It prints with growing indents.
    """

    def __repr__(self) -> str:
        return "\n".join(_printed(depth, repr(event)) for depth, event in enumerate(self))


def _printed(depth: int, event: str) -> str:
    """One step of the chain, in as many lines as it needs."""
    indent = " " * min(depth, STEPS_SHOWN)
    return textwrap.fill(
        event,
        COLUMNS,
        initial_indent=indent + ("-> " if depth else "   "),
        subsequent_indent=indent + WHERE_IT_GOES_ON,
        break_long_words=False,
        break_on_hyphens=False,
    )
