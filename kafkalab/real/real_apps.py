"""RealApp: a function that runs beside the cell, in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from kafkalab.sim.apps import AppEnded

_HERE = threading.local()
SLICE_S = 0.05
"""How soon a sleeping app learns that it is to end."""


class RealApp:
    """A spawned function.

    done   it has returned, or was killed; `result` and `error` hold what it returned or raised
    """

    def __init__(self, name: str, function: Callable[..., object], *args: object) -> None:
        self.name = name
        self.done = self.ending = False
        self.result: object = None
        self.error: BaseException | None = None
        self.told = False
        self._thread = threading.Thread(
            target=self._run, args=(function, *args), name=name, daemon=True
        )

    def start(self) -> RealApp:
        """Let it run, and return it."""
        self._thread.start()
        return self

    def end(self) -> None:
        """Let its next call into the lab or a client raise AppEnded."""
        self.ending = True

    def join(self, seconds: float) -> None:
        """Wait for its end, at most so long."""
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def _run(self, function: Callable[..., object], *args: object) -> None:
        _HERE.app = self
        try:
            self.result = function(*args)
        except AppEnded:
            pass
        except BaseException as error:  # surfaces at the front, where the learner is
            if not self.ending:
                self.error = error
        self.done = True

    def __repr__(self) -> str:
        return f"RealApp({self.name!r}, {'ended' if self.done else 'running'})"


def real_app() -> RealApp | None:
    """The app whose thread this is; None in the cell's own."""
    found: RealApp | None = getattr(_HERE, "app", None)
    return found


def end_if_asked() -> None:
    """Raise AppEnded in an app that is to end."""
    app = real_app()
    if app is not None and app.ending:
        raise AppEnded(app.name)


def sleep_real(ms: int) -> None:
    """Let real time pass; an app that is to end raises AppEnded."""
    until = time.monotonic() + ms / 1000
    while (left := until - time.monotonic()) > 0:
        end_if_asked()
        time.sleep(min(SLICE_S, left))
    end_if_asked()
