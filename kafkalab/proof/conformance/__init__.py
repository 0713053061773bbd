"""Measures how much the simulator's clients resemble recorded Java clients. Each client of a
scenario gets six marks, each 0..1.

    connections  the same sockets opened, node by node, in the same order
    closes       the same nodes reported as disconnected, as often
    requests     the likeness of what was sent to each node
    story        the likeness of the INFO, WARN and ERROR lines
    rhythm       what is done again and again, or after a while, has the same period and number
    vocabulary   the same DEBUG and TRACE templates (F1)

A client is *equal* when its connections and closes are. Chance decides for the real client, and for
ours too: it counts as equal when some seed in 0..63 makes it so. The lowest such seed is used for
its other marks, or seed 0 where there is none.

The modules in the order of use: `masks` (removes chance from a text), `sequences` (removes chance
from order and number), `client_log` (one log as the six marks see it), `marks` (compares two logs),
`seeds` (replays a scenario until it is equal), `workers` (many scenarios at a time), `table` (what
the repository promises), `command` (all scenarios of a folder).
"""

from __future__ import annotations

from kafkalab.proof.conformance.client_log import Observed
from kafkalab.proof.conformance.command import main
from kafkalab.proof.conformance.marks import MARKS, differences, marks_of
from kafkalab.proof.conformance.seeds import Conformance, conform

__all__ = ["MARKS", "Conformance", "Observed", "conform", "differences", "main", "marks_of"]
