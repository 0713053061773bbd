"""BrokerControlState: the states of a broker's registration at its controller, and their order.

Kafka's class is BrokerControlState (KRaft). Under ZooKeeper the broker's session gives the same
three states: the broker is registered, it stops in an orderly way, or its znode is gone. Kafka's
SHUTDOWN_NOW, between the last two, takes no time here.
"""

from __future__ import annotations

import enum

from kafkalab.moves import moves_of


class BrokerControlState(enum.Enum):
    """The state of a broker at its controller. Each member names the controller's actions in it and
    the moves out of it."""

    UNFENCED = "UNFENCED"
    """The broker is registered and works.

    action: name it in METADATA; let it lead what it is in sync with; admit it to ISRs
    transition: no heartbeat for the length of its session => FENCED; it asks to stop =>
    CONTROLLED_SHUTDOWN
    """

    FENCED = "FENCED"
    """The broker is not registered, or it is registered and not ready yet.

    action: leave it out of METADATA; let it lead nothing; keep it out of every ISR
    transition: it registers, or sends heartbeats again => UNFENCED
    """

    CONTROLLED_SHUTDOWN = "CONTROLLED_SHUTDOWN"
    """The broker has asked to stop.

    action: move what it leads to others that are in sync; take it out of ISRs
    transition: its process ends, in the orderly way or not => FENCED
    """


MOVES = moves_of(
    BrokerControlState,
    "UNFENCED -> FENCED CONTROLLED_SHUTDOWN",
    "FENCED -> UNFENCED",
    "CONTROLLED_SHUTDOWN -> FENCED",
)
