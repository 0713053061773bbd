"""Plays the stories of a log set, several at a time where that is worth it.

A simulator uses one core, so each process has one. A process gets the manifest and then one story
after the other at its stdin. It answers each with the played story, or with the error, at its
stdout. Both sides use pickle. It is no process of `multiprocessing`, for those run the script of
the user once more.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from kafkalab.logsets.generate.manifest import Manifest, Wanted
from kafkalab.logsets.generate.stories import PlayedStory, play_story

# A process starts in one to two seconds. In that time a client plays some ten minutes.
WORTH_A_PROCESS_MS = 30 * 60_000
# Each holds a whole story, mostly below 0.5 GB.
MOST_PROCESSES = 4
PACKAGES = Path(__file__).absolute().parents[3]
SERVE = "from kafkalab.logsets.generate.story_processes import serve; serve()"


def play_stories(plan: Manifest, say: Callable[[str], None]) -> list[list[PlayedStory]]:
    """The variants of each story and version of the manifest, in its order.

    `say` is called with the progress. The result does not depend on the number of processes.
    Raises ManifestError for an unknown story, and OSError when a process ends by itself.
    """
    tasks = [(want, variant) for want in plan.wanted for variant in range(want.variants)]
    count = processes_for(plan, len(tasks))
    with contextlib.ExitStack() as stack:
        if count > 1:
            play = stack.enter_context(_Processes(plan, tasks, count)).played
        else:

            def play(want: Wanted, variant: int) -> PlayedStory:
                return play_story(plan, want, variant)

        found = []
        for number, want in enumerate(plan.wanted, 1):
            story = want.story.replace("_", " ")
            say(f"story {number} of {len(plan.wanted)}: {story}, {want.version}")
            found.append([play(want, variant) for variant in range(want.variants)])
    return found


def processes_for(plan: Manifest, stories: int) -> int:
    """How many processes play so many stories of this length; 1 means this process alone."""
    worth = stories * plan.duration_ms // WORTH_A_PROCESS_MS
    return max(1, min(_cores(), MOST_PROCESSES, stories, worth))


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Processes:
    """Processes that play these stories in order, as soon as one is free, inside a `with` block."""

    def __init__(self, plan: Manifest, tasks: list[tuple[Wanted, int]], count: int) -> None:
        self.plan, self.tasks, self.count = plan, tasks, count

    def __enter__(self) -> _Processes:
        self.all = [_Process(self.plan) for _ in range(self.count)]
        self.free: SimpleQueue[_Process] = SimpleQueue()
        for process in self.all:
            self.free.put(process)
        self.threads = ThreadPoolExecutor(self.count)
        self.coming = {task: self.threads.submit(self._play, *task) for task in self.tasks}
        return self

    def __exit__(self, *_: object) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)
        for process in self.all:
            process.end()

    def played(self, want: Wanted, variant: int) -> PlayedStory:
        """This story, when its process is done."""
        return self.coming.pop((want, variant)).result()

    def _play(self, want: Wanted, variant: int) -> PlayedStory:
        process = self.free.get()
        try:
            return process.play(want, variant)
        finally:
            self.free.put(process)


class _Process:
    """One process that plays stories of a manifest."""

    def __init__(self, plan: Manifest) -> None:
        path = os.pathsep.join(filter(None, [str(PACKAGES), os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            # -P: a file of the user's folder is no module of ours
            [sys.executable, "-P", "-c", SERVE],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.plan: Manifest | None = plan

    def play(self, want: Wanted, variant: int) -> PlayedStory:
        assert self.process.stdin and self.process.stdout, "both are pipes"
        try:
            if self.plan is not None:
                pickle.dump(self.plan, self.process.stdin)
                self.plan = None
            pickle.dump((want, variant), self.process.stdin)
            self.process.stdin.flush()
            result = pickle.load(self.process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise OSError(
                f"The process that played the story {want.story!r} ended by itself, with code "
                f"{self.process.wait()}. If the machine ran out of memory, make fewer stories."
            ) from None
        if isinstance(result, Exception):
            raise result
        return result

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def serve() -> None:
    """Plays what comes at stdin, until it ends. This is all that such a process does."""
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # a print of a simulator is no answer
    plan = pickle.load(sys.stdin.buffer)
    while True:
        try:
            want, variant = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        result: Any
        try:
            result = play_story(plan, want, variant)
        except Exception as error:
            error.add_note(traceback.format_exc())
            result = error
        pickle.dump(result, answers)
        answers.flush()
