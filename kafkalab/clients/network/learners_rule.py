"""Puts a learner's own rule in the place of NetworkClient.leastLoadedNode.

KafkaProducer(lab, {...}, least_loaded=lambda nodes: min(nodes, key=lambda node:
node.in_flight))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kafkalab.clients.network.least_loaded import NodeLoad, Rule
from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.node import Node
from kafkalab.protocol.frozen import record


@record
class NodeView:
    """What a learner's rule knows of one node.

    id               broker id; negative for a bootstrap address
    state            "ready", "preparing" or "disconnected"
    in_flight        requests sent and not yet answered
    can_send         connected and able to take a request now
    can_connect      not connected, and its reconnect backoff has passed
    last_attempt_ms  when a connection to it was last tried; 0 means never
    """

    id: int
    state: str
    in_flight: int
    can_send: bool
    can_connect: bool
    last_attempt_ms: int

    @classmethod
    def of(cls, load: NodeLoad) -> NodeView:
        if load.is_preparing:
            state = "preparing"
        else:
            state = "ready" if load.can_send or load.in_flight else "disconnected"
        return cls(
            load.node.id,
            state,
            load.in_flight,
            load.can_send,
            load.can_connect,
            load.last_attempt_ms,
        )


def learners_rule(choose: Callable[[Sequence[NodeView]], NodeView | int | None]) -> Rule:
    """`choose` as a client takes it. It receives a view of each node and returns one of them, its
    id, or None for no node.

    The client raises ValueError when it returns anything else.
    """

    def rule(loads: list[NodeLoad], log: LogContext) -> Node | None:
        chosen = choose([NodeView.of(load) for load in loads])
        if chosen is None:
            return None
        for load in loads:
            if load.node.id == getattr(chosen, "id", chosen):
                return load.node
        raise ValueError(
            f"least_loaded returned {chosen!r}, which is none of the nodes it was given"
        )

    return rule
