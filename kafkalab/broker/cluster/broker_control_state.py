"""BrokerControlState: the states of a broker's registration at its controller, and their order.

Kafka's class is BrokerControlState (KRaft). Under ZooKeeper the same follows from the broker's
session: it is there, it is stopping in an orderly way, or its znode is gone. Kafka's SHUTDOWN_NOW,
the moment between, takes no time here.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping


class BrokerControlState(enum.Enum):
    """Each member says what the controller does with such a broker, and what ends it."""

    UNFENCED = "UNFENCED"
    """It works.

    action: name it in METADATA; let it lead what it is in sync with; admit it to ISRs
    transition: no sign of life for the length of its session => FENCED; it asks to stop =>
        CONTROLLED_SHUTDOWN
    """

    FENCED = "FENCED"
    """It is not there, or not yet.

    action: name it to nobody; let it lead nothing; keep it out of every ISR
    transition: it registers, or is heard again => UNFENCED
    """

    CONTROLLED_SHUTDOWN = "CONTROLLED_SHUTDOWN"
    """It wants to stop.

    action: move what it leads to others that are in sync; take it out of ISRs
    transition: its process ends, or it dies meanwhile => FENCED
    """


MOVES: Mapping[BrokerControlState, tuple[BrokerControlState, ...]] = {
    BrokerControlState.UNFENCED: (
        BrokerControlState.FENCED,
        BrokerControlState.CONTROLLED_SHUTDOWN,
    ),
    BrokerControlState.FENCED: (BrokerControlState.UNFENCED,),
    BrokerControlState.CONTROLLED_SHUTDOWN: (BrokerControlState.FENCED,),
}
