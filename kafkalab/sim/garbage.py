"""Pauses Python's garbage collector while a lab's clock runs, and collects dead labs between runs.

A journal only grows, and a run makes hardly any reference cycles. The collector would search all of
its objects again and again: a tenth of a run's time, and a third where the simulator is compiled.
So the collector is off while a clock runs. The objects of the run then move to the oldest
generation at once. Python searches that generation only after other code has added many objects. A
lab is one web of references that becomes garbage as a whole. So a new lab starts a search for dead
labs, once as many objects have been made since the last search as existed then. Where a program has
switched the collector off, it stays off.
"""

from __future__ import annotations

import gc

MUCH = 1_000_000
"""The number of new objects before the first search for dead labs: about a hundred megabytes."""


class Collector:
    """Controls Python's garbage collector in this process.

    made   objects that runs have left since the last search
    there  objects that existed at the last search
    """

    def __init__(self) -> None:
        self.made, self.there = 0, MUCH

    def rest(self) -> bool:
        """Switch the collector off because a clock begins to run.

        Returns whether the caller has to call `resume` at the end: not inside another run.
        """
        works = gc.isenabled()
        if works:
            gc.disable()
        return works

    def resume(self) -> None:
        """Switch the collector on because the clock has stopped."""
        self.made += gc.get_count()[0]
        gc.freeze()
        gc.unfreeze()  # All young objects are in the oldest generation now.
        gc.enable()

    def look_for_dead_labs(self) -> None:
        """Search for dead labs because a new lab begins."""
        if self.made > self.there and gc.isenabled():
            gc.collect()
            self.made, self.there = 0, max(MUCH, len(gc.get_objects()))


COLLECTOR = Collector()
