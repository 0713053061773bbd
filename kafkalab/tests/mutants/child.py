"""A mutant in a process of its own: whatever the bug does, it ends with the child, and it cannot
eat the machine.

A planted bug may make a client spin without the clock moving, and a journal then grows until the
memory is gone. So the child may take so much memory and so many seconds of processor time, and what
it saw comes back through a pipe. Forked, not started: nothing is imported again, and the
monkeypatch is the child's alone.
"""

from __future__ import annotations

import os
import resource
import traceback
from pathlib import Path

import pytest

from kafkalab.tests.mutants.mutant import Mutant

MEMORY_BYTES = 1 << 30
"""More than the child has when it begins."""
CPU_SECONDS = 120


def catch_in_child(mutant: Mutant) -> str:
    """Plant the bug, let its catcher look; returns what was seen, "" where nothing was.
    AssertionError when the child fell."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status = 1
        try:
            _limit()
            mutant.plant(pytest.MonkeyPatch())
            seen, status = mutant.caught_by.catch(), 0
        except MemoryError:
            seen = f"it took more than {MEMORY_BYTES >> 20} MB: something in it never ends"
        except BaseException:
            seen = traceback.format_exc()
        try:
            os.write(writer, seen.encode("utf-8")[:60_000])
        finally:
            os._exit(status)  # no pytest, no atexit in the child
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        seen = pipe.read().decode("utf-8")
    _, status = os.waitpid(child, 0)
    assert status == 0, (
        f"{mutant.name}: "
        f"{seen or f'ended by signal {status & 127}, after more than {CPU_SECONDS} s perhaps'}"
    )
    return seen


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    # elsewhere than on Linux there is no such file, and no such limit either
    statm = Path("/proc/self/statm")
    if statm.exists():
        now = int(statm.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY_BYTES, now + MEMORY_BYTES))
