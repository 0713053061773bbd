"""Counts the seconds in which the clock of a lab runs, in the process that calls `watch`.

Only the code that steps a clock is timed. An app waits in calls of its own, which may never
return, and its steps are within those of the code that steps the clock.

This file's text also runs where `bench` cannot be imported, in the sandbox: see bench/grading.py.
"""

import time

SPENT = {"depth": 0, "seconds": 0.0}


def watch() -> None:
    """Time every call that steps a clock, from now on."""
    from kafkalab.sim.scheduler import Scheduler

    for name in ("run", "run_until", "step"):
        setattr(Scheduler, name, _timed(getattr(Scheduler, name)))


def seconds_spent() -> float:
    """The seconds counted so far."""
    return SPENT["seconds"]


def _timed(method):
    """The method, with its time added where no other timed one has called it."""
    from kafkalab.sim.apps import current_app

    def timed(*args):
        if current_app() is not None or SPENT["depth"]:
            return method(*args)
        SPENT["depth"] = 1
        started = time.perf_counter()
        try:
            return method(*args)
        finally:
            SPENT["depth"] = 0
            SPENT["seconds"] += time.perf_counter() - started

    return timed
