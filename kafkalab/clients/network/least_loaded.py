"""The rules that choose the least loaded node for requests that any broker can answer
(NetworkClient.leastLoadedNode).

There have been three rules. Each one walks the known nodes once, from a random start.

 - until 2.2 the first node that could take a request at once and has no unanswered one; else the
 node with the fewest unanswered requests, connected or not. While a metadata refresh is due no node
 counts as able, so sockets that are being set up are passed over for untouched nodes (KAFKA-8275).
 - from 2.3 a connected socket, then one being set up, then the untouched node seen last
 (KAFKA-8376).
 - from 2.7 as before, but of the untouched nodes the one whose last attempt is oldest (KIP-601).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.node import Node
from kafkalab.protocol.frozen import record

LONG_MS = 1 << 40
"""An endless wait, in practice: longer than any timeout, for a wait that only an event ends."""


@record
class NodeLoad:
    """What the rules know of one node at one moment.

    is_ready         connected, able to take a request, and no metadata refresh is due (the oldest
                     rule's condition)
    can_send         connected and able to take a request
    is_preparing     TCP or ApiVersions under way
    can_connect      not connected, and its reconnect backoff has passed
    in_flight        requests sent and not yet answered
    last_attempt_ms  when a connection to it was last tried; 0 means never
    """

    node: Node
    is_ready: bool
    can_send: bool
    is_preparing: bool
    can_connect: bool
    is_blacked_out: bool
    in_flight: int
    last_attempt_ms: int


Rule = Callable[[list[NodeLoad], LogContext], Node | None]


def fewest_unanswered(loads: list[NodeLoad], log: LogContext) -> Node | None:
    """2.2 and earlier."""
    found, fewest = None, None
    for load in loads:
        if load.in_flight == 0 and load.is_ready:
            log("LEAST_LOADED_IDLE", node=load.node)
            return load.node
        if not load.is_blacked_out and (fewest is None or load.in_flight < fewest):
            found, fewest = load.node, load.in_flight
        else:
            _say_removed(load, log)
    if found is not None:
        log("LEAST_LOADED_FOUND", node=found)
    return found


def _say_removed(load: NodeLoad, log: LogContext) -> None:
    log(
        "LEAST_LOADED_REMOVING",
        node=load.node,
        blacked_out=str(load.is_blacked_out).lower(),
        in_flight=load.in_flight,
    )


def standing_then_preparing(loads: list[NodeLoad], log: LogContext) -> Node | None:
    """2.3 to 2.6: the last untouched node seen."""
    return _standing_first(loads, log, lambda best, load: load)


def standing_then_longest_untried(loads: list[NodeLoad], log: LogContext) -> Node | None:
    """2.7 and later (KIP-601): of the untouched nodes the one whose last attempt is oldest,
    the first seen among equals."""
    return _standing_first(
        loads, log, lambda best, load: load if load.last_attempt_ms < best.last_attempt_ms else best
    )


def _standing_first(
    loads: list[NodeLoad], log: LogContext, better: Callable[[NodeLoad, NodeLoad], NodeLoad]
) -> Node | None:
    ready = preparing = untouched = None
    for load in loads:
        if load.can_send:
            if load.in_flight == 0:
                log("LEAST_LOADED_IDLE", node=load.node)
                return load.node
            if ready is None or load.in_flight < ready.in_flight:
                ready = load
        elif load.is_preparing:
            preparing = load
        elif load.can_connect:
            untouched = load if untouched is None else better(untouched, load)
        else:
            _say_removed(load, log)
    if ready is not None:
        log("LEAST_LOADED_WITH_IN_FLIGHT", node=ready.node, in_flight=ready.in_flight)
        return ready.node
    if preparing is not None:
        log("LEAST_LOADED_CONNECTING", node=preparing.node)
        return preparing.node
    if untouched is not None:
        log("LEAST_LOADED_UNCONNECTED", node=untouched.node)
        return untouched.node
    log("LEAST_LOADED_NONE")
    return None


RULES: Mapping[str, Rule] = {
    "fewest unanswered": fewest_unanswered,
    "connected, then connecting": standing_then_preparing,
    "connected, then longest untried": standing_then_longest_untried,
}
"""`Connecting.least_loaded` of a release's profile -> the rule."""
