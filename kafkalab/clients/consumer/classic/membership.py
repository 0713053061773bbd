"""Am I a member, and of which generation? (AbstractCoordinator.MemberState and
AbstractCoordinator.Generation)

The four states of a member are an enum, the ways between them a table, and `transition_to` is the
one place that walks it. Whoever talks to the coordinator (join, heartbeat, commit) tells the
Membership what the answer means; the next poll asks it whether to join again. A static member
(group.instance.id, KIP-345) has a name that outlives its process: it never says goodbye.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from kafkalab.clients.network.log_context import LogContext
from kafkalab.errors import Errors
from kafkalab.lines.java_values import value_text
from kafkalab.protocol.frozen import record

if TYPE_CHECKING:
    from kafkalab.releases import Profile


class ClassicMemberState(enum.Enum):
    UNJOINED = "UNJOINED"
    """Not a member. Next: PREPARING_REBALANCE when it asks to join."""
    PREPARING_REBALANCE = "PREPARING_REBALANCE"
    """JoinGroup is on its way. Next: COMPLETING_REBALANCE with a generation,
    UNJOINED when refused."""
    COMPLETING_REBALANCE = "COMPLETING_REBALANCE"
    """SyncGroup is on its way. Next: STABLE with an assignment, UNJOINED when refused."""
    STABLE = "STABLE"
    """A member with an assignment; heartbeats run. Next: PREPARING_REBALANCE to rejoin, UNJOINED
    when it leaves or is expelled."""


TRANSITIONS = {
    ClassicMemberState.UNJOINED: {
        ClassicMemberState.PREPARING_REBALANCE,
        ClassicMemberState.UNJOINED,
    },
    ClassicMemberState.PREPARING_REBALANCE: {
        ClassicMemberState.COMPLETING_REBALANCE,
        ClassicMemberState.UNJOINED,
    },
    ClassicMemberState.COMPLETING_REBALANCE: {
        ClassicMemberState.STABLE,
        ClassicMemberState.UNJOINED,
        ClassicMemberState.PREPARING_REBALANCE,
    },
    ClassicMemberState.STABLE: {
        ClassicMemberState.PREPARING_REBALANCE,
        ClassicMemberState.UNJOINED,
    },
}

WITHOUT_HEARTBEATS = (ClassicMemberState.UNJOINED, ClassicMemberState.PREPARING_REBALANCE)
"""Who has asked for nothing, or waits for the others to join, owes the coordinator no heartbeat."""


@record
class Generation:
    """One round of the group as this member knows it: its number, who the member is in it,
    and the assignor agreed on."""

    id: int = -1
    member_id: str = ""
    protocol: str | None = None

    def __str__(self) -> str:
        # Java puts quotes round a null as well.
        protocol = "null" if self.protocol is None else self.protocol
        return (
            f"Generation{{generationId={self.id}, memberId='{self.member_id}', "
            f"protocol='{protocol}'}}"
        )


NO_GENERATION = Generation()


class Membership:
    """One consumer's standing in its group.

    rejoin_needed  the next poll sends JoinGroup; true from the start
    rejoin_reason  what that JoinGroup gives as its reason (KIP-800); empty for none
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
        """The generation, or none for somebody who is no member
        (AbstractCoordinator.generation and its neighbours)."""
        return NO_GENERATION if self.state is ClassicMemberState.UNJOINED else self.generation

    def transition_to(self, after: ClassicMemberState) -> None:
        if after is self.state:
            return
        assert after in TRANSITIONS[self.state], (
            f"member of {self.group_id}: {self.state} -> {after} is not in the table"
        )
        self._log.journal.append(
            "state",
            self._log.who,
            machine=f"member of {self.group_id}",
            before=self.state.value,
            after=after.value,
        )
        self.state = after

    def request_rejoin(self, reason: str, in_full: str | None = None) -> None:
        """Join again in the next poll, and say why; `in_full` is what the line says and the
        request does not (KIP-800)."""
        self._log("REQUEST_JOINING", reason=in_full or reason)
        self.rejoin_reason = reason
        self.rejoin_needed = True

    def expelled(self) -> None:
        """We left, or the coordinator does not know us any more: join anew, as nobody."""
        self.generation = NO_GENERATION
        self.rejoin_needed = True
        self.transition_to(ClassicMemberState.UNJOINED)

    def refused(self, api: str, error: Errors) -> None:
        """An answer to `api` says that this member is none, or none of this generation: join anew
        (resetStateOnResponseError).

        ILLEGAL_GENERATION leaves the id good: 3.6 keeps it, 2.8 and older forget it too, and the
        group waits for the one it was.
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
