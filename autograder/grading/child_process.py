"""Runs a child process of the grading parent that does one thing: a judge, or the writer.

Questions go to its stdin and answers come from its stdout, one line of JSON each. It ends when its
stdin ends, so it never outlives a parent that was killed by more than what it has in hand; Ctrl-C
in the terminal is the parent's business and does not reach it. One that dies or takes too long is
replaced and asked again: what it is asked to do may be done twice. Its time is processor time,
which a busy machine does not take from it. One that has grown too large is replaced after its
answer.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

TRIES = 2
LOOK_SECONDS = 2.0  # how often it is looked how much a child has worked
# one that waits for ever works no second: so many times its seconds end it on the wall's clock
WALL_TIMES = 10


class Lost(RuntimeError):
    """The child process died or was silent, and so did its replacement;
    the message says what it said last."""


class Unable(RuntimeError):
    """The child process is well but could not do this one thing.
    `kind` is the class of what went wrong."""

    def __init__(self, kind: str, says: str):
        super().__init__(f"{kind}: {says}")
        self.kind = kind


class Colleague:
    """One such process, started with the first question.
    Threads may share it: they wait for each other. largest: its bytes, after which it is
    replaced."""

    def __init__(
        self,
        module: str,
        words: tuple[str, ...] = (),
        seconds: float | None = None,
        largest: int | None = None,
    ):
        self.module, self.words, self.seconds, self.largest = module, words, seconds, largest
        self._process: subprocess.Popen | None = None
        self._said = tempfile.TemporaryFile()
        self._lock = threading.Lock()
        self._rest = b""
        self._stopped = False

    def ask(self, question: dict) -> dict:
        """The answer; Unable when it says that it cannot,
        Lost when nobody answers (each try may take `seconds` of processor time)."""
        line = json.dumps(question).encode() + b"\n"
        with self._lock:
            for _ in range(TRIES):
                answer = None if self._stopped else self._answer_to(line)
                if answer is not None:
                    break
                self._end()
            else:
                raise Lost(f"{self.module} ended: {self._last_words()}")
            if self.largest is not None and _bytes_of(self._process.pid) > self.largest:
                self._end()
        if "unable" in answer:
            raise Unable(*answer["unable"])
        return answer["answer"]

    def start(self) -> None:
        """Have it begin to import what it needs, before anybody asks."""
        with self._lock:
            self._started()

    def stop(self) -> None:
        """End it at once. Callers that wait for an answer are told that it is lost."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Let it finish what it has in hand, and end."""
        with self._lock:
            if self._process is not None:
                try:
                    self._process.stdin.close()
                except OSError:  # it is gone already
                    pass
                self._process.wait()
            self._end()

    def _started(self) -> subprocess.Popen:
        if self._process is None:
            # this very package, wherever the caller stands
            home = str(Path(__file__).resolve().parents[2])
            path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
            # one that is killed removes nothing of its own
            self._scratch = tempfile.TemporaryDirectory(prefix="autograder-")
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.module, *self.words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env={**os.environ, "PYTHONPATH": path, "TMPDIR": self._scratch.name},
                start_new_session=True,
            )
            self._rest = b""
        return self._process

    def _answer_to(self, line: bytes) -> dict | None:
        process = self._started()
        out_of_time = self._limit(process.pid)
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except OSError:
            return None
        pieces = [self._rest]
        while b"\n" not in pieces[-1]:
            if not select.select([process.stdout], [], [], LOOK_SECONDS)[0]:
                if out_of_time():
                    return None
                continue
            pieces.append(os.read(process.stdout.fileno(), 1 << 16))
            if not pieces[-1]:
                return None
        whole, _, self._rest = b"".join(pieces).partition(b"\n")
        return json.loads(whole)

    def _limit(self, pid: int) -> Callable[[], bool]:
        """Asks whether the process has had its time from now on."""
        if self.seconds is None:
            return lambda: False
        most, wall = self.seconds, time.monotonic() + WALL_TIMES * self.seconds
        before = _processor_seconds(pid)
        return lambda: _processor_seconds(pid) - before > most or time.monotonic() > wall

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                try:
                    pipe.close()
                except OSError:
                    # a question half written to one that is gone
                    continue
            self._process = None
            self._scratch.cleanup()

    def _last_words(self) -> str:
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip().splitlines()
        self._said.seek(0, os.SEEK_END)
        return said[-1] if said else "without a word"


def _processor_seconds(pid: int) -> float:
    """What a process has worked so far; 0.0 of one that is gone, whose pipe says so."""
    import psutil

    try:
        spent = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return spent.user + spent.system


def _bytes_of(pid: int) -> int:
    """What a process holds in memory; 0 of one that is gone."""
    import psutil

    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0


def serve(answer: Callable[[dict], dict]) -> None:
    """The other side: answer every question on stdin until it ends.
    What our own code prints goes to stderr."""
    mouth = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        try:
            said = {"answer": answer(json.loads(line))}
        except Exception as error:
            traceback.print_exc()
            # `orig`: what sqlite said
            said = {
                "unable": [
                    type(error).__name__,
                    str(getattr(error, "orig", error)).partition("\n")[0][:500],
                ]
            }
        try:
            mouth.write(json.dumps(said).encode() + b"\n")
            mouth.flush()
        except OSError:
            # the parent was killed before the answer; what was asked is done
            return
