"""Membership: a member's state and its generation (AbstractCoordinator.MemberState and
AbstractCoordinator.Generation).

The four states of a member are an enum, the ways between them a table, and `transition_to` is the
only method that changes the state. The parts that talk to the coordinator (join, heartbeat, commit)
report the meaning of an answer to the Membership; the next poll asks it whether to join again. A
static member (group.instance.id, KIP-345) has a name that outlives its process: it never sends
LEAVE_GROUP.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from kafkalab.clients.network.log_context import LogContext
from kafkalab.errors import Errors
from kafkalab.lines.java_values import value_text
from kafkalab.moves import moves_of
from kafkalab.protocol.frozen import record

if TYPE_CHECKING:
    from kafkalab.releases import Profile


class ClassicMemberState(enum.Enum):
    """The states of a classic member (AbstractCoordinator.MemberState)."""

    UNJOINED = "UNJOINED"
    """Not a member. Next: PREPARING_REBALANCE when it asks to join."""
    PREPARING_REBALANCE = "PREPARING_REBALANCE"
    """JoinGroup is under way. Next: COMPLETING_REBALANCE with a generation, UNJOINED when
    refused."""
    COMPLETING_REBALANCE = "COMPLETING_REBALANCE"
    """SyncGroup is under way. Next: STABLE with an assignment, UNJOINED when refused."""
    STABLE = "STABLE"
    """A member with an assignment; heartbeats run. Next: PREPARING_REBALANCE to rejoin, UNJOINED
    when it leaves or is expelled."""


MOVES = moves_of(
    ClassicMemberState,
    "UNJOINED -> UNJOINED PREPARING_REBALANCE",
    "PREPARING_REBALANCE -> UNJOINED COMPLETING_REBALANCE",
    "COMPLETING_REBALANCE -> UNJOINED PREPARING_REBALANCE STABLE",
    "STABLE -> UNJOINED PREPARING_REBALANCE",
)

WITHOUT_HEARTBEATS = (ClassicMemberState.UNJOINED, ClassicMemberState.PREPARING_REBALANCE)
"""States in which a member sends no heartbeat: it has not joined, or it waits for the others to
join."""


@record
class Generation:
    """One round of the group as this member knows it: its number, the member id, the
    assignor."""

    id: int = -1
    member_id: str = ""
    protocol: str | None = None

    def __str__(self) -> str:
        # Java puts quotes round a null, too.
        protocol = "null" if self.protocol is None else self.protocol
        return (
            f"Generation{{generationId={self.id}, memberId='{self.member_id}', "
            f"protocol='{protocol}'}}"
        )


NO_GENERATION = Generation()


class Membership:
    """One consumer's membership of its group.

    rejoin_needed  the next poll sends JoinGroup; true from the start
    rejoin_reason  the reason in that JoinGroup (KIP-800); empty for none
    instance_id    group.instance.id, None for a dynamic member
    """

    def __init__(
        self, group_id: str, instance_id: str | None, profile: Profile, log: LogContext
    ) -> None:
        self.group_id, self.instance_id = group_id, instance_id
        self.state = ClassicMemberState.UNJOINED
        self.generation = NO_GENERATION
        self.rejoin_needed = True
        self.rejoin_reason = ""
        self._profile, self._log = profile, log

    @property
    def member_id(self) -> str:
        return self.generation.member_id

    @property
    def owes_heartbeats(self) -> bool:
        return self.state not in WITHOUT_HEARTBEATS

    @property
    def is_rebalancing(self) -> bool:
        return self.state in (
            ClassicMemberState.PREPARING_REBALANCE,
            ClassicMemberState.COMPLETING_REBALANCE,
        )

    @property
    def generation_as_member(self) -> Generation:
        """The generation, or none for a consumer that is no member (AbstractCoordinator.generation
        and related methods)."""
        return NO_GENERATION if self.state is ClassicMemberState.UNJOINED else self.generation

    def transition_to(self, after: ClassicMemberState) -> None:
        if after is self.state:
            return
        machine = f"member of {self.group_id}"
        MOVES.step(self.state, after, machine)
        self._log.note_state(machine, self.state, after)
        self.state = after

    def request_rejoin(self, reason: str, in_full: str | None = None) -> None:
        """Joins again in the next poll, and gives the reason; `in_full` is the reason in the line,
        which is longer than the request's (KIP-800)."""
        self._log("REQUEST_JOINING", reason=in_full or reason)
        self.rejoin_reason = reason
        self.rejoin_needed = True

    def expelled(self) -> None:
        """This consumer left, or the coordinator does not know it any more: it joins again, without
        a member id."""
        self.generation = NO_GENERATION
        self.rejoin_needed = True
        self.transition_to(ClassicMemberState.UNJOINED)

    def refused(self, api: str, error: Errors) -> None:
        """An answer to `api` says that this consumer is no member, or not of this generation: it
        joins again (resetStateOnResponseError).

        ILLEGAL_GENERATION leaves the id valid: 3.6 keeps it, 2.8 and older forget it too, and the
        group waits for the member with that id.
        """
        keeps_id = (
            self._profile.group.keeps_id_of_old_generation and error is Errors.ILLEGAL_GENERATION
        )
        self._log(
            "RESET_GENERATION_KEEPING_ID" if keeps_id else "RESET_GENERATION",
            error=error.name,
            api=api,
        )
        if self._profile.group.states_rejoin_reason:
            self.request_rejoin(f"encountered {error.name} from {api} response")
        member_id = self.generation.member_id
        self.expelled()
        if keeps_id:
            self.generation = Generation(-1, member_id, None)

    def settled(self) -> None:
        """SyncGroup brought an assignment."""
        self.transition_to(ClassicMemberState.STABLE)
        self.rejoin_needed = False
        self.rejoin_reason = ""

    def generation_text(self) -> str:
        """The generation as this version prints it in "Successfully joined group"."""
        return (
            str(self.generation)
            if self._profile.printing.prints_generation_object
            else value_text(self.generation.id)
        )
