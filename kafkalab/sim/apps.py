"""Who may run? Blocking code beside other blocking code, one at a time.

Three kinds of callers wait in a lab, and all wait on a `Signal`:
 - the front: the notebook's own cell. While it waits it steps the clock.
 - an app (`Lab.spawn`): a plain blocking function on a stack of its own, a greenlet. A waiting call switches back to whoever
   steps the clock; the event it waits for switches in again. No thread is involved, so nothing runs by chance, a process may
   fork, and an app that nobody holds any more is simply collected.
 - a loop: a client's background thread (the producer's Sender), written as a generator that yields how long it may sleep.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from greenlet import getcurrent, greenlet

from kafkalab.sim.scheduler import Scheduler

FOREVER_MS = 1 << 62


class Signal:
    """Set by whoever has news, cleared by whoever waits. Setting it twice is setting it once."""

    __slots__ = ("is_set", "_waiters")

    def __init__(self) -> None:
        self.is_set = False
        self._waiters: list[Callable[[], None]] = []

    def set(self) -> None:
        if not self.is_set:
            self.is_set = True
            waiters, self._waiters = self._waiters, []
            for wake in waiters:
                wake()

    def clear(self) -> None:
        self.is_set = False

    def tell(self, wake: Callable[[], None]) -> None:
        """Call `wake` once, when the signal is next set."""
        self._waiters.append(wake)

    def forget(self, wake: Callable[[], None]) -> None:
        if wake in self._waiters:
            self._waiters.remove(wake)


class AppEnded(BaseException):
    """Raised inside an app's waiting call when the lab closes or the app is killed. Not an Exception: apps should not catch it."""


class App:
    """A spawned function, and the process it stands for: the loops it has started belong to it.

    done    it has returned, or was ended; `result` and `error` hold what it returned or raised
    ending  its next waiting call raises AppEnded
    """

    def __init__(self, name: str, clock: Scheduler) -> None:
        self.name = name
        self._clock = clock
        self.done = False
        self.error: BaseException | None = None
        self.result: object = None
        self.ending = False
        self.not_before_ms = 0
        self.stack: greenlet | None = None

    def pause(self, ms: int) -> None:
        """The process stands still for `ms` milliseconds, as in a long garbage collection: neither the function nor the loops it
        has started run. What the network brings meanwhile waits. (A function that is merely busy calls `Lab.sleep`.)"""
        self.not_before_ms = max(self.not_before_ms, self._clock.now_ms + ms)

    def __repr__(self) -> str:
        return f"App({self.name!r}, {'ended' if self.done else 'running'})"


class Stage:
    """Runs the front, the apps and the loops of one lab, exactly one at a time."""

    def __init__(self, clock: Scheduler) -> None:
        self.clock = clock
        self.apps: list[App] = []
        self._failed: list[App] = []
        self._killed: set[str] = set()

    def wait(self, signal: Signal, deadline_ms: int) -> bool:
        """Block the caller until `signal` is set or the clock stands at `deadline_ms`; says whether it was set."""
        if signal.is_set:
            return True
        app = _running()
        if app is None:
            self.clock.run_until(lambda: signal.is_set or bool(self._failed), deadline_ms)
            self._raise_failure()
            return signal.is_set
        self._park(app, signal, deadline_ms)
        return signal.is_set

    def run_until(self, done: Callable[[], bool], deadline_ms: int) -> bool:
        """The front's own stepping. Raises what an app raised meanwhile."""
        reached = self.clock.run_until(lambda: bool(self._failed) or done(), deadline_ms)
        self._raise_failure()
        return reached

    def spawn(self, name: str, function: Callable[..., object], *args: object) -> App:
        """Run function(*args) beside everything else, from the next step on."""
        app = App(name, self.clock)

        def body() -> None:
            try:
                if not app.ending:
                    app.result = function(*args)
            except AppEnded:
                pass
            except BaseException as error:  # surfaces at the front, where the learner is
                app.error = error
                self._failed.append(app)
            app.done = True

        self.apps.append(app)
        app.stack = _Stack(body)
        app.stack.app = app
        self.clock.after(0, lambda: self._hand_over(app))
        return app

    def end(self, app: App) -> None:
        """The app stops where it stands: its waiting call raises AppEnded."""
        if not app.done:
            app.ending = True
            self._hand_over(app)

    def close(self) -> None:
        for app in self.apps:
            self.end(app)

    def kill(self, owner: str) -> None:
        """`kill -9` of the process `owner`: its apps stop where they stand, and its loops never run again.

        An app that kills its own process gets AppEnded here.
        """
        self._killed.add(owner)
        here = _running()
        for app in self.apps:
            if app.name == owner and app is not here:
                self.end(app)
        if here is not None and here.name == owner:
            raise AppEnded(owner)

    def loop(self, generator: Generator[int, None, None], signal: Signal, owner: str = "") -> None:
        """Drive a loop: it yields the time until which it may sleep; it goes on then, or as soon as `signal` is set.

        It belongs to the app that calls, as a thread belongs to its process, and pauses with it; `owner` names the process that
        `kill` ends it with.
        """
        clock, process = self.clock, _running()
        timer = None

        def resume() -> None:
            nonlocal timer
            if owner in self._killed:
                return
            if process is not None and clock.now_ms < process.not_before_ms:
                clock.at(process.not_before_ms, resume)
                return
            if timer is not None:
                timer.cancel()
                timer = None
            try:
                deadline_ms = next(generator)
            except StopIteration:
                return
            if signal.is_set:
                clock.after(0, resume)
                return
            fired = False

            def go_on() -> None:
                nonlocal fired
                if not fired:
                    fired = True
                    resume()

            def wake() -> None:
                clock.after(0, go_on)

            def time_is_up() -> None:
                if not fired:
                    signal.forget(wake)
                    go_on()

            signal.tell(wake)
            if deadline_ms < FOREVER_MS:
                timer = clock.at(deadline_ms, time_is_up)

        clock.after(0, resume)

    def _park(self, app: App, signal: Signal, deadline_ms: int) -> None:
        clock, parked = self.clock, True

        def resume() -> None:
            nonlocal parked
            if parked and clock.now_ms < app.not_before_ms:  # a long pause of the process: nothing of it runs
                clock.at(app.not_before_ms, resume)
            elif parked:
                parked = False
                self._hand_over(app)

        def wake() -> None:
            clock.after(0, resume)

        signal.tell(wake)
        timer = clock.at(deadline_ms, resume) if deadline_ms < FOREVER_MS else None
        cause = clock.cause
        app.stack.parent.switch()
        if timer is not None:
            timer.cancel()
        signal.forget(wake)
        parked = False
        if app.ending:
            raise AppEnded(app.name)
        clock.cause = cause

    def _hand_over(self, app: App) -> None:
        """Run `app` until it waits again or ends."""
        if not app.done:
            app.stack.parent = getcurrent()
            app.stack.switch()

    def _raise_failure(self) -> None:
        if self._failed and _running() is None:
            raise self._failed.pop(0).error


class _Stack(greenlet):
    """A greenlet that knows whose stack it is."""

    app: App


def _running() -> App | None:
    """The app whose code is running; None at the front."""
    return getattr(getcurrent(), "app", None)
