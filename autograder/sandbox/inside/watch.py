"""What a running submission uses, all its processes together, and the sentence when it is too much.

The kernel's own limits count each process for itself: sixty processes of three gigabytes each would
be within them. So the keeper looks at the whole family, with psutil, a few times a second.
"""

import os
import time

import psutil

EVERY_SECONDS = 0.05
# the kernel's own limit is a little above the watch's, which speaks first; a worker's others
# count too
ABOVE_PROCESSES = 16


class Watch:
    """Asked by the keeper between two looks at the pipe."""

    def __init__(self, memory_bytes: int, processes: int, walled: bool = False):
        self._most = memory_bytes, processes
        self._keeper = psutil.Process()
        self._cpu: dict[int, float] = {}
        self._walled = walled
        # who was there before, and Spark's helpers
        self._others = sum(name.isdigit() for name in os.listdir("/proc")) if walled else 0
        # what every fork begins with, and shares until it writes
        self._inherited = _private(self._keeper.memory_info())
        self._next, self.pause = time.monotonic() + EVERY_SECONDS, EVERY_SECONDS

    def complaint(self, deadline: float = float("inf")) -> str | None:
        """The limit that was passed, in words; None while all is well. Looks seldom when looking
        is slow, and not beyond the `deadline`."""
        if time.monotonic() < self._next:
            return None
        # its own work: on a busy machine the clock on the wall would make it look away
        spent = time.process_time()
        try:
            return self._look(*self._most, deadline)
        except (psutil.Error, OSError, ValueError):
            # a process that ended, or named itself strangely, while it was looked at
            return None
        finally:
            self.pause = max(EVERY_SECONDS, 10 * (time.process_time() - spent))
            self._next = time.monotonic() + self.pause

    @property
    def spent(self) -> float:
        """Seconds of processor time that the family had used at the last look, on all processors
        together."""
        return sum(self._cpu.values())

    def _look(self, memory_bytes: int, processes: int, deadline: float) -> str | None:
        # sixty that spin leave little time for looking at each
        if self._crowded(processes):
            return f"it started more than {processes} processes and threads"
        family = self._keeper.children(recursive=True)
        if len(family) > processes:
            return f"it started more than {processes} processes and threads"
        threads = private = own = 0
        for each in family:
            if time.monotonic() > deadline:
                return None
            try:
                with each.oneshot():
                    threads += each.num_threads()
                    used = _private(each.memory_info())
                    private, own = private + used, own + max(0, used - self._inherited)
                    spent = each.cpu_times()
                    self._cpu[each.pid] = spent.user + spent.system
            except psutil.Error:  # it has just ended
                continue
        if threads > processes:
            return f"it started more than {processes} processes and threads"
        if own > memory_bytes or (
            private > memory_bytes and _shared_once(family, deadline) > memory_bytes
        ):
            return f"it used more than {memory_bytes >> 20:,} MB of memory"
        return None

    def _crowded(self, processes: int) -> bool:
        """Behind walls /proc shows the worker's processes only,
        so one look at its names tells a bomb."""
        return (
            self._walled
            and sum(name.isdigit() for name in os.listdir("/proc")) > processes + self._others
        )


def _private(used) -> int:
    return used.rss - getattr(used, "shared", 0)


def threads_of(uid: int) -> int:
    """How many processes and threads a user has on this machine. RLIMIT_NPROC counts them all, a
    desktop's too; only what the submission adds is its own affair."""
    threads = 0
    for each in psutil.process_iter():
        try:
            if each.uids().real == uid:
                threads += each.num_threads()
        except psutil.Error:  # it has just ended
            continue
    return threads


def end_all() -> None:
    """End every descendant of this process. First all are stopped,
    so that a family that grows cannot outrun its end."""
    while True:
        family = psutil.Process().children(recursive=True)
        if not family:
            return
        for end in (psutil.Process.suspend, psutil.Process.kill):
            for each in family:
                try:
                    end(each)
                except psutil.Error:
                    continue
        _reap()


def _reap() -> None:
    for _ in range(50):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _shared_once(family, deadline: float) -> int:
    """Memory in bytes, with a page that several processes share counted once; 0 when the deadline
    comes first. While a process forks, nobody can count its pages: a fork bomb keeps the watch
    waiting, and its time is up all the same."""
    total = 0
    for each in family:
        if time.monotonic() > deadline:
            return 0
        try:
            total += each.memory_full_info().pss
        except (psutil.Error, AttributeError):  # gone, or a system that does not tell
            try:
                total += each.memory_info().rss
            except psutil.Error:
                continue
    return total
