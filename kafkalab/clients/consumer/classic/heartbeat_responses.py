"""Chooses what a member does on each answer to its heartbeat; `heartbeat_thread` does it
(AbstractCoordinator.HeartbeatResponseHandler).

An error of the answer leads to one of six actions. Java's choice is `javas_choice`; a learner may
write another, as a function of the error's name, and the heartbeat thread then does what that
function returns.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.errors import COORDINATOR_LOST, Errors

ALIVE = "alive"
REJOIN = "rejoin"
START_OVER = "start over"
FIND_COORDINATOR = "find coordinator"
TRY_LATER = "try later"
STOP = "stop"
ACTIONS = (ALIVE, REJOIN, START_OVER, FIND_COORDINATOR, TRY_LATER, STOP)
"""
alive             the coordinator received the heartbeat; go on
rejoin            as alive, and send JoinGroup with the next poll
start over        this consumer is no member any more: forget generation and member id, and join as
                  a new member
find coordinator  another broker coordinates the group; look it up, stay a member
try later         the error says nothing of the membership; send the next heartbeat after a short
                  wait
stop              another member has this one's group.instance.id: the application's next poll
                  raises"""

Choice = Callable[[str], str]
"""Error's name, "NONE" for none -> one of ACTIONS."""


def javas_choice(error: str) -> str:
    """What the Java client does."""
    if error == Errors.NONE.name:
        return ALIVE
    if error == Errors.REBALANCE_IN_PROGRESS.name:
        return REJOIN
    if error in (Errors.ILLEGAL_GENERATION.name, Errors.UNKNOWN_MEMBER_ID.name):
        return START_OVER
    if error == Errors.FENCED_INSTANCE_ID.name:
        return STOP
    return FIND_COORDINATOR if error in [lost.name for lost in COORDINATOR_LOST] else TRY_LATER


def learners_choice(function: Choice) -> Choice:
    """A learner's function, limited to the six actions. ValueError for any other result."""

    def choice(error: str) -> str:
        chosen = function(error)
        if chosen not in ACTIONS:
            raise ValueError(
                f"on_heartbeat gave {chosen!r} for {error}; it returns one of {', '.join(ACTIONS)}"
            )
        return chosen

    return choice
