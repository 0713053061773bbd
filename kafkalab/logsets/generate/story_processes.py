"""Plays the stories of a log set, several at a time where that is worth it.

A simulator uses one core, so each process has one of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from joblib import Parallel, delayed

from kafkalab.logsets.generate.manifest import Manifest
from kafkalab.logsets.generate.stories import PlayedStory, play_story

# A process starts in one to two seconds. In that time a client plays some ten minutes.
WORTH_A_PROCESS_MS = 30 * 60_000
# Each holds a whole story, mostly below 0.5 GB.
MOST_PROCESSES = 4
IDLE_S = 5


def play_stories(plan: Manifest, say: Callable[[str], None]) -> list[list[PlayedStory]]:
    """The variants of each story and version of the manifest, in its order.

    `say` is called with the progress. The result does not depend on the number of processes.
    Raises ManifestError for an unknown story, and OSError when a process ends by itself.
    """
    tasks = [(want, variant) for want in plan.wanted for variant in range(want.variants)]
    found = []
    # joblib starts processes that do not run the user's script once more. They end when idle.
    with Parallel(
        processes_for(plan, len(tasks)),
        return_as="generator",
        batch_size=1,
        idle_worker_timeout=IDLE_S,
    ) as parallel:
        played: Iterator[PlayedStory] = parallel(delayed(play_story)(plan, *task) for task in tasks)
        for number, want in enumerate(plan.wanted, 1):
            # without its name: who looks for an incident must not read it here
            say(f"story {number} of {len(plan.wanted)}, with clients {want.version}")
            try:
                found.append(list(islice(played, want.variants)))
            except BrokenProcessPool:
                raise OSError(
                    f"The process that played the story {want.story!r} ended by itself. If the"
                    " machine ran out of memory, make fewer stories."
                ) from None
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
