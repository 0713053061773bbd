"""Runs, pauses and ends the processes of a lab: applications and client loops, exactly one at a
time.

Three kinds of callers wait in a lab. All of them wait on a `Signal`:
 - the front: the notebook's own cell. While it waits it steps the clock.
 - an app (`Lab.spawn`): a plain blocking function on a stack of its own, a greenlet. A waiting call
   switches back to the code that steps the clock. The awaited event switches to the app again.
   No thread is involved. So nothing runs by chance, and a process may fork. A stack that waits
   keeps all that it refers to, its lab with it, until the lab is closed.
 - a loop: a client's background thread (the producer's Sender), written as a generator that yields
   how long it may sleep.

Each wait has a number. A wake-up carries the number of its wait. It has no effect when that wait is
over.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from greenlet import getcurrent, greenlet

from kafkalab.sim.scheduler import Scheduler
from kafkalab.sim.timer import Timer

FOREVER_MS = 1 << 62
LONGEST_GIVEN_MS = 366 * 24 * 3_600_000
"""A year, the longest timeout that counts as given. A longer one means: as long as it takes."""
PATIENCE_MS = 3_600_000
"""How long a call waits that waits as long as it takes: an hour of the lab's time, a few seconds
of ours when all brokers are down."""
LAST_WAITS = 20
"""How many waits of an app that is to end raise at once: more than its `finally` blocks have."""


class Signal:
    """A flag that wakes a waiting caller. The sender sets it, the receiver clears it.

    To set it twice has the same effect as to set it once.
    """

    __slots__ = ("_waiters", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self._waiters: list[tuple[Callable[..., object], tuple[object, ...]]] = []

    def set(self) -> None:
        if not self.is_set:
            self.is_set = True
            if self._waiters:
                waiters, self._waiters = self._waiters, []
                for wake, args in waiters:
                    wake(*args)

    def clear(self) -> None:
        self.is_set = False

    def tell(self, wake: Callable[..., object], *args: object) -> None:
        """Call wake(*args) once, when the signal is next set."""
        self._waiters.append((wake, args))

    def forget(self, wake: Callable[..., object], *args: object) -> None:
        if self._waiters and (wake, args) in self._waiters:
            self._waiters.remove((wake, args))


class AppEnded(BaseException):
    """Ends an app: its waiting call raises this when the lab closes or the app is killed.

    It is no Exception, so that an app does not catch it.
    """


class App:
    """A spawned function and its process. The loops that it starts belong to it.

    done    it has returned, or was ended; `result` and `error` hold what it returned or raised
    ending  its next waiting call raises AppEnded, and so do those in its `finally` blocks
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
        self._wait = 0
        self._last_waits = 0

    def pause(self, ms: int) -> None:
        """Pause the process for `ms` milliseconds, as a long garbage collection does.

        Neither the function nor its loops run. Messages that arrive in this time wait. A function
        that is only busy calls `Lab.sleep` instead.
        """
        self.not_before_ms = max(self.not_before_ms, self._clock.now_ms + ms)

    def park(self, signal: Signal, deadline_ms: int) -> None:
        """Suspend this app until `signal` is set or the clock reaches `deadline_ms`.

        Raises AppEnded in an app that is to end.
        """
        if self.ending and self._last_waits < LAST_WAITS:
            # A call in a `finally`. Nobody would wake it, and a stack that waits keeps its lab for
            # ever. One that catches everything and waits again is suspended after some times.
            self._last_waits += 1
            raise AppEnded(self.name)
        clock, wait = self._clock, self._wait
        signal.tell(self._wake, wait)
        timer = clock.at(deadline_ms, self._resume, wait) if deadline_ms < FOREVER_MS else None
        cause = clock.cause
        assert self.stack is not None and self.stack.parent is not None, "an app waits on its stack"
        self.stack.parent.switch()
        if timer is not None:
            timer[0] = None  # cancelled
        if signal._waiters:
            signal.forget(self._wake, wait)
        self._wait = wait + 1
        if self.ending:
            raise AppEnded(self.name)
        clock.cause = cause

    def run(self) -> None:
        """Run until it waits again or ends."""
        if not self.done:
            assert self.stack is not None, "an app gets its stack when it is spawned"
            self.stack.parent = getcurrent()
            clock = self._clock
            before, clock.thread = clock.thread, self
            self.stack.switch()
            clock.thread = before

    def _wake(self, wait: int) -> None:
        clock = self._clock
        # A thread that works is ahead of the clock, and so is what it does.
        clock.post(clock.thread_ms, self._resume, wait)

    def _resume(self, wait: int) -> None:
        if wait == self._wait:
            # a long pause of the process: nothing of it runs
            if self._clock.now_ms < self.not_before_ms:
                self._clock.at(self.not_before_ms, self._resume, wait)
            else:
                self._wait = wait + 1
                self.run()

    def __repr__(self) -> str:
        return f"App({self.name!r}, {'ended' if self.done else 'running'})"


class Loop:
    """A client's background thread, written as a generator that yields until when it may sleep.

    It continues at that time, or as soon as its signal is set. It belongs to the app that started
    it, as a thread belongs to its process, and pauses with it.

    killed  its process is gone: it never runs again
    """

    __slots__ = (
        "_clock",
        "_is_listening",
        "_is_running",
        "_next",
        "_process",
        "_signal",
        "_timer",
        "_wait",
        "killed",
    )

    def __init__(
        self,
        clock: Scheduler,
        generator: Generator[int, None, None],
        signal: Signal,
        process: App | None,
    ) -> None:
        self._clock = clock
        self._next = generator.__next__
        self._signal = signal
        self._process = process
        self._timer: Timer | None = None
        self._wait = 0
        self._is_listening = self._is_running = False
        self.killed = False

    def resume(self) -> None:
        if self.killed:
            return
        clock, process = self._clock, self._process
        if process is not None and clock.now_ms < process.not_before_ms:
            clock.at(process.not_before_ms, self.resume)
            return
        if self._timer is not None:
            self._timer[0] = None  # cancelled
            self._timer = None
        self._is_running = True
        before, clock.thread = clock.thread, self
        try:
            deadline_ms = self._next()
        except StopIteration:
            return
        finally:
            clock.thread = before
        self._is_running = False
        if self._signal.is_set:
            clock.post(clock.now_ms, self.resume)
            return
        if not self._is_listening:  # else the signal has not been set since it was told
            self._is_listening = True
            self._signal.tell(self._wake)
        if deadline_ms < FOREVER_MS:
            self._timer = clock.at(deadline_ms, self._go_on, self._wait)

    def _wake(self) -> None:
        self._is_listening = False
        if not self._is_running:
            clock = self._clock
            clock.post(clock.thread_ms, self._go_on, self._wait)

    def _go_on(self, wait: int) -> None:
        if wait == self._wait:
            self._wait = wait + 1
            self.resume()


def given_up(what: str) -> Exception:
    """The error of a call that waited in vain, where nobody knows more."""
    return RuntimeError(f"{what} does not come")


class Stage:
    """Runs the front, the apps and the loops of one lab, exactly one at a time.

    given_up  what was waited for -> the error of a call that waited for it in vain
    """

    def __init__(self, clock: Scheduler, given_up: Callable[[str], Exception] = given_up) -> None:
        self.clock = clock
        self.given_up = given_up
        self.apps: list[App] = []
        self._failed: list[App] = []
        self._loops: dict[str, list[Loop]] = {}

    def wait(self, signal: Signal, deadline_ms: int) -> bool:
        """Block the caller until `signal` is set or the clock reaches `deadline_ms`.

        Returns whether the signal was set.

        A deadline more than a year away is none: the wait ends as `wait_for` does.
        """
        if signal.is_set:
            return True
        if deadline_ms - self.clock.now_ms > LONGEST_GIVEN_MS:
            self.wait_for(signal, "what this call waits for")
            return True
        app = current_app()
        if app is None:
            self._step_until_set(signal, deadline_ms)
            self._raise_failure()
        else:
            app.park(signal, deadline_ms)
        return signal.is_set

    def wait_for(self, signal: Signal, what: str, besides_ms: int = 0) -> None:
        """Block the caller until `signal` is set, as long as it takes.

        In virtual time nothing may run for ever. Raises `given_up(what)` after an hour and
        `besides_ms`, and at once where the front waits and nothing is left to happen.
        """
        clock = self.clock
        ended = current_app() is None and clock.next_at_ms() is None
        if not signal.is_set and (
            ended
            or not self.wait(
                signal, clock.now_ms + PATIENCE_MS + min(besides_ms, LONGEST_GIVEN_MS - PATIENCE_MS)
            )
        ):
            raise self.given_up(what)

    def deadline_after(self, timeout_ms: int) -> int:
        """When a call with that timeout ends at the latest:
        one of more than a year ends after an hour."""
        return self.clock.now_ms + (timeout_ms if timeout_ms <= LONGEST_GIVEN_MS else PATIENCE_MS)

    def _step_until_set(self, signal: Signal, deadline_ms: int) -> None:
        clock, halted = self.clock, True
        halt = clock.halt if clock.work is None else self._halt_in_time
        while halted and not signal.is_set and not self._failed:
            signal.tell(halt)
            halted = clock.run(deadline_ms)
            signal.forget(halt)

    def _halt_in_time(self) -> None:
        """Stop the clock when it has reached the thread that has set the signal."""
        self.clock.post(self.clock.thread_ms, self.clock.halt)

    def run_until(self, done: Callable[[], bool], deadline_ms: int) -> bool:
        """Step the clock for the front. Raises what an app raised during these steps."""
        reached = self.clock.run_until(lambda: bool(self._failed) or done(), deadline_ms)
        self._raise_failure()
        return reached

    def spawn(self, name: str, function: Callable[..., object], *args: object) -> App:
        """Run function(*args) concurrently, from the next step on."""
        app = App(name, self.clock)

        def body() -> None:
            try:
                if not app.ending:
                    app.result = function(*args)
            except AppEnded:
                pass
            except BaseException as error:  # surfaces at the front, where the learner is
                if not app.ending:  # a killed process runs no `finally`: nothing fails in it
                    app.error = error
                    self._failed.append(app)
                    self.clock.halt()
            app.done = True

        self.apps.append(app)
        app.stack = greenlet(body)
        app.stack.app = app  # a greenlet that knows whose stack it is
        work = self.clock.work
        self.clock.post(self.clock.now_ms if work is None else work.fork(app, name, False), app.run)
        return app

    def end(self, app: App) -> None:
        """Stop the app: its waiting call raises AppEnded."""
        if not app.done:
            app.ending = True
            app.run()

    def close(self) -> None:
        for app in self.apps:
            self.end(app)

    def kill(self, owner: str) -> None:
        """Kill the process `owner` as `kill -9` does. Its apps stop and its loops never run again.

        An app that kills its own process gets AppEnded here.
        """
        for loop in self._loops.get(owner, ()):
            loop.killed = True
        here = current_app()
        for app in self.apps:
            if app.name == owner and app is not here:
                self.end(app)
        if here is not None and here.name == owner:
            raise AppEnded(owner)

    def loop(
        self,
        generator: Generator[int, None, None],
        signal: Signal,
        owner: str = "",
        told: bool = False,
    ) -> None:
        """Drive a loop of the calling app; see Loop. `kill(owner)` ends the loop.

        told: its first line has just been written by its starter.
        """
        loop = Loop(self.clock, generator, signal, current_app())
        self._loops.setdefault(owner, []).append(loop)
        work = self.clock.work
        self.clock.post(
            self.clock.now_ms if work is None else work.fork(loop, owner, told), loop.resume
        )

    def _raise_failure(self) -> None:
        if self._failed and current_app() is None:
            error = self._failed.pop(0).error
            assert error is not None, "an app is kept here for what it raised"
            raise error


def current_app() -> App | None:
    """The app whose code is running; None at the front."""
    return getattr(getcurrent(), "app", None)
