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
from functools import cache
from types import ModuleType
from typing import Any


class Stack:
    """A stack of calls. `switch` suspends the caller's stack and resumes this one (greenlet).

    A stack that has come to its end resumes its parent. number: its name in JavaScript.
    """

    now: Stack
    made = 0

    def __init__(self, run: Callable[[], object] | None = None) -> None:
        self.run, self.parent = run, getattr(Stack, "now", None)
        self.number, Stack.made = Stack.made, Stack.made + 1
        self._has_begun = run is None

    def switch(self) -> None:
        here, Stack.now = Stack.now, self
        if not self._has_begun:
            self._has_begun = True
            _of_page("beginStack")(self._main)
            _wait(_of_page("waitForTurn")(here.number))
        else:
            _wait(_of_page("passTurn")(here.number, self.number))

    def _main(self) -> None:
        assert self.run is not None, "only the first stack has no function"
        self.run()
        assert self.parent is not None, "a stack is made by another one"
        Stack.now = self.parent
        _of_page("giveTurn")(self.parent.number)


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


@cache
def _of_page(name: str) -> Any:
    """A function of `page/worker.js`."""
    import js

    return getattr(js, name)


def _wait(promise: Any) -> None:
    """Suspend this stack until the promise is kept."""
    from pyodide.ffi import run_sync

    run_sync(promise)
