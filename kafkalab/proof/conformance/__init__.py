"""How like the real clients is the simulator? Six marks for each client of a recorded scenario,
each 0..1.

    connections  the same sockets opened, node by node, in the same order
    closes       the same nodes reported as disconnected, as often
    requests     the likeness of what was sent to each node
    story        the likeness of the INFO, WARN and ERROR lines
    rhythm       what is done again and again, or after a while, has the same period and number
    vocabulary   the same DEBUG and TRACE templates (F1)

A client is *equal* when its connections and closes are. The real client throws dice, and so does
ours: it counts as equal when some seed in 0..63 makes it so, and the lowest such seed is used for
its other marks; seed 0 where there is none.

A walk through the modules, in the order of use: `masks` (what of a text is chance), `sequences`
(which differences of order and number are chance), `observed` (one log, seen by the six marks),
`marks` (two logs compared), `seeds` (a scenario replayed until it is equal), `workers` (many of
them at a time), `table` (what the repository promises), `command` (all scenarios of a folder).
"""

from __future__ import annotations

from kafkalab.proof.conformance.command import main
from kafkalab.proof.conformance.marks import MARKS, compare, differences
from kafkalab.proof.conformance.observed import Observed
from kafkalab.proof.conformance.seeds import Conformance, conform

__all__ = ["MARKS", "Conformance", "Observed", "compare", "conform", "differences", "main"]
