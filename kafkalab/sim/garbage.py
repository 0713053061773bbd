"""When is garbage looked for that refers to itself? Not while a clock runs, and not among what a
run has left.

A journal only grows, and hardly anything a run makes is garbage of that kind. Python would look
through all of it, again and again: a tenth of a run's time, and a third where the simulator is
compiled. So its collector rests while a clock runs. What the run has made goes to the oldest
generation at once, where Python looks only when much has been added by others. A lab is a web of
references that all die together; whether one has died is looked for when another begins and as much
has been made since the last look as there was then. Whoever has switched the collector off is left
alone.
"""

from __future__ import annotations

import gc

MUCH = 1_000_000
"""So many objects may be made before it is looked for dead labs at all:
about a hundred megabytes."""


class Collector:
    """Python's collector of this process. made: objects that runs have left since the last look;
    there: how many there were then."""

    def __init__(self) -> None:
        self.made, self.there = 0, MUCH

    def rest(self) -> bool:
        """A clock begins to run. Says whether `resume` is to be called when it stands:
        not inside another run."""
        works = gc.isenabled()
        if works:
            gc.disable()
        return works

    def resume(self) -> None:
        """The clock stands."""
        self.made += gc.get_count()[0]
        gc.freeze()
        gc.unfreeze()  # all that is young is old now
        gc.enable()

    def look_for_dead_labs(self) -> None:
        """A lab begins: have others died?"""
        if self.made > self.there and gc.isenabled():
            gc.collect()
            self.made, self.there = 0, max(MUCH, len(gc.get_objects()))


COLLECTOR = Collector()
