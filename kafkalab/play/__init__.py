"""Plays a story told in plain settings: in a cell, and in a reader's browser.

    from kafkalab.play import tell

    told = tell(client="2.3", members=2, faults=["20 crash 1 10"])
    told.lab.lines("member-1")

The page of this room sends the same settings to the same function. Its Python is Pyodide's.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkalab.play.program import Told, tell
    from kafkalab.play.story import Story, Unreadable

HOMES = {"tell": "program", "Told": "program", "Story": "story", "Unreadable": "story"}
"""Public name -> its module. It is loaded when it is asked for: in a browser `stacks` is first."""
__all__ = ["Story", "Told", "Unreadable", "tell"]


def __getattr__(name: str) -> object:
    if name not in HOMES:
        raise AttributeError(f"module 'kafkalab.play' has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"kafkalab.play.{HOMES[name]}"), name)
