"""Gives the browser's Python the two calls of greenlet that the simulator's apps use.

A stack that waits is a promise. Pyodide's `run_sync` suspends the stack until the promise is kept
(JavaScript Promise Integration). So the switch from one stack to another keeps the promise of the
other and waits for its own. `install` comes before the first import of `kafkalab.sim.apps`.

Python's garbage collector is off from then on: in Pyodide 314.0.7 it destroys the memory when it
runs while a stack waits. `kafkalab.play.door` collects when no stack does.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


class Stack:
    """A stack of calls. `switch` suspends the caller's stack and resumes this one (greenlet).

    A stack that has come to its end resumes its parent.
    """

    now: Stack

    def __init__(self, run: Callable[[], object] | None = None) -> None:
        self.run, self.parent = run, getattr(Stack, "now", None)
        self._go_on: Callable[[], object] | None = None

    def switch(self) -> None:
        from pyodide.ffi import run_sync

        before = Stack.now
        turn = _turn()
        before._go_on = turn.keep
        Stack.now = self
        if self._go_on is None:
            _start(self._main)
        else:
            self._go_on()
        run_sync(turn.promise)

    def _main(self) -> None:
        assert self.run is not None, "only the first stack has no function"
        self.run()
        assert self.parent is not None, "a stack is made by another one"
        Stack.now = self.parent
        assert self.parent._go_on is not None, "who starts a stack waits for it"
        self.parent._go_on()


def can_switch() -> bool:
    """Whether this browser suspends a stack of calls."""
    from pyodide.ffi import can_run_sync

    return bool(can_run_sync())


def install() -> None:
    """Put these stacks in the place of greenlet, and switch the collector off."""
    gc.disable()
    Stack.now = Stack()
    module: Any = ModuleType("greenlet")
    module.greenlet, module.getcurrent = Stack, lambda: Stack.now
    sys.modules["greenlet"] = module


def _turn() -> Any:
    """A promise, and the function `keep` that keeps it."""
    import js

    return js.newTurn()


def _start(function: Callable[[], None]) -> None:
    """Begin a stack of its own with this function."""
    import js

    js.beginStack(function)
