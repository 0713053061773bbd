"""Keeper: starts processes that end with this one, and cleans up what an earlier one left.

The work is done by the script reaper.py, one process for each lab.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kafkalab.real import reaper
from kafkalab.real.home import runs_folder

END_WITHIN_S = 20


class KeptProcessError(RuntimeError):
    """A process could not be started, or the reaper that keeps it is gone."""


class Keeper:
    """The parent's end of a reaper. Every process started here ends with this Python process.

    folder  the lab's folder; it is deleted at the end
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._reaper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(reaper.__file__)), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def start(self, name: str, args: Sequence[str], out: Path) -> int:
        """Start a process under a name and return its id. Its output goes to the file `out`.

        Raises KeptProcessError where it cannot be started.
        """
        answer = self._ask(do="start", name=name, args=list(args), out=str(out))
        return int(answer["pid"])

    def signal(self, name: str, number: int) -> bool:
        """Send a signal to a process; False where it has ended."""
        return bool(self._ask(do="signal", name=name, number=int(number))["sent"])

    def code(self, name: str) -> int | None:
        """The exit code of a process, None while it runs."""
        found = self._ask(do="look", name=name)["code"]
        return None if found is None else int(found)

    def kill(self, name: str) -> None:
        """`kill -9`, and wait until the process is gone."""
        self.signal(name, signal.SIGKILL)
        self.wait(name)

    def wait(self, name: str, seconds: float = END_WITHIN_S) -> None:
        """Wait until a process has ended. Raises KeptProcessError after `seconds`."""
        until = time.monotonic() + seconds
        while self.code(name) is None:
            if time.monotonic() > until:
                raise KeptProcessError(f"{name} has not ended within {seconds:.0f} s")
            time.sleep(0.02)

    def close(self) -> None:
        """End every process and delete the folder. A second call does nothing."""
        for pipe in (self._reaper.stdin, self._reaper.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._reaper.wait()

    def _ask(self, **order: Any) -> dict[str, Any]:
        with self._lock:
            stdin, stdout = self._reaper.stdin, self._reaper.stdout
            assert stdin is not None and stdout is not None, "both were asked for as pipes"
            try:
                stdin.write(json.dumps(order).encode() + b"\n")
                stdin.flush()
                line = stdout.readline()
            except (OSError, ValueError):
                line = b""
        if not line:
            raise KeptProcessError("This lab has ended: make a new one.")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise KeptProcessError(answer["error"])
        return answer


def is_kept(folder: Path) -> bool:
    """Whether the reaper of a lab's folder lives."""
    try:
        with open(folder / "lock", "r+", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def kept_folders() -> list[Path]:
    """The folders of the labs that run now, oldest first."""
    runs = runs_folder()
    return sorted(path for path in runs.glob("*") if is_kept(path)) if runs.is_dir() else []


def sweep(older_than_s: float = 60) -> list[Path]:
    """Delete the folders of labs whose reaper was killed, with the processes that it left. Returns
    the folders.

    older_than_s: a younger folder may belong to a lab whose reaper is just starting.
    """
    runs, swept = runs_folder(), []
    for folder in sorted(runs.glob("*")) if runs.is_dir() else []:
        with contextlib.suppress(OSError):
            if is_kept(folder) or time.time() - folder.stat().st_mtime < older_than_s:
                continue
            _kill_left(folder)
            shutil.rmtree(folder, ignore_errors=True)
            swept.append(folder)
    return swept


def _kill_left(folder: Path) -> None:
    """Kill the processes that a folder's file names. Each has the folder in its command line, so
    that no other process with the same number is hit."""
    listed = folder / "processes"
    if not listed.is_file():
        return
    for line in listed.read_text(encoding="utf-8").split():
        with contextlib.suppress(OSError):
            asked = ["ps", "-p", line, "-o", "args=", "-ww"]
            if str(folder) in subprocess.run(asked, capture_output=True, text=True).stdout:
                os.kill(int(line), signal.SIGKILL)
