"""One planted bug, and what catches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Catcher(Protocol):
    def catch(self) -> str:
        """What was seen of the bug, "" where nothing was."""
        ...


@dataclass(frozen=True, slots=True)
class Mutant:
    """plant(monkeypatch) puts the bug in; it goes with the monkeypatch.
    quick: cheap enough for every `make test`."""

    name: str
    breaks: str
    plant: Callable[..., None]
    caught_by: Catcher
    quick: bool = True
