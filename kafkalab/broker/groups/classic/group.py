"""ClassicGroup: one group of the classic protocol and its members, as its coordinator keeps them.

Kafka's classes are ClassicGroup and ClassicGroupMember. The decisions are in `membership` and
`join_phase`.
"""

from __future__ import annotations

from typing import Any

from kafkalab.broker.effects import Caller, Note
from kafkalab.broker.groups.any_group import LOCALHOST, AnyGroup
from kafkalab.broker.groups.classic.group_state import ClassicGroupState
from kafkalab.broker.steps import Refusal
from kafkalab.errors import Errors
from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.protocol.messages import JoinGroupRequestProtocol, JoinGroupResponseMember

NO_GENERATION = -1
NEW_MEMBER_TIMEOUT_MS = 300_000
"""How long a new member that waits for its first join answer may be silent
(GroupCoordinator.NewMemberJoinTimeoutMs)."""


class ClassicGroupMember:
    """A member of a classic group, and its parked request, if it has one.

    instance_id: group.instance.id of a static member (KIP-345), else None.
    deadline_ms: when its session ends unless it sends a request before.
    is_new: it has not yet had an answer to its first join.
    client_id, client_host: the client that joined, as DESCRIBE_GROUPS shows it.
    """

    __slots__ = (
        "assignment",
        "client_host",
        "client_id",
        "deadline_ms",
        "id",
        "instance_id",
        "is_new",
        "parked_join",
        "parked_sync",
        "protocol_type",
        "protocols",
        "rebalance_timeout_ms",
        "session_timeout_ms",
    )

    def __init__(
        self,
        id: str,
        instance_id: str | None,
        session_timeout_ms: int,
        rebalance_timeout_ms: int,
        protocol_type: str,
        protocols: tuple[JoinGroupRequestProtocol, ...],
        client_id: str = "",
        client_host: str = LOCALHOST,
    ) -> None:
        self.id, self.instance_id = id, instance_id
        self.client_id, self.client_host = client_id, client_host
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.protocol_type, self.protocols = protocol_type, protocols
        self.assignment = b""
        self.parked_join: Caller | None = None
        self.parked_sync: Caller | None = None
        self.deadline_ms = 0
        self.is_new = True

    @property
    def is_static(self) -> bool:
        return self.instance_id is not None

    def metadata_for(self, protocol: str | None) -> bytes:
        """The member's metadata for the leader under that assignor; empty where the member does not
        support it."""
        return next(
            (offered.metadata for offered in self.protocols if offered.name == protocol), b""
        )

    def __repr__(self) -> str:
        return f"Member({self.id})"


class ClassicGroup(AnyGroup):
    """One classic group: state, generation, members and committed offsets.

    leader: the member that computes the assignment; None without members.
    protocol: the assignor chosen for this generation; None before the first.
    in_state_since_ms: when it came into its present state.
    to_join: members whose JOIN_GROUP has not come; to_sync: members that joined this generation and
        have not fetched their assignment.
    pending: ids that were given out with MEMBER_ID_REQUIRED and have not joined yet, in order.
        news: notes about members that came and left, which the coordinator passes to the journal.
    """

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.state = ClassicGroupState.EMPTY
        self.generation = 0
        self.leader: str | None = None
        self.protocol_type: str | None = None
        self.protocol: str | None = None
        self.members: dict[str, ClassicGroupMember] = {}
        self.static_members: dict[str, str] = {}
        self.pending: dict[str, None] = {}
        self.in_state_since_ms = 0
        self.to_join: dict[str, None] = {}
        self.to_sync: dict[str, None] = {}
        self._supporters: dict[str, int] = {}
        self.news: list[Note] = []
        self.came_from_empty = False
        self.somebody_joined_meanwhile = False
        self.initial_delay_left_ms = 0

    @property
    def is_vacant(self) -> bool:
        return not self.members and not self.pending

    def is_leader(self, member: ClassicGroupMember) -> bool:
        return self.leader == member.id

    @property
    def everybody_joined(self) -> bool:
        """Whether every member has joined, and every pending id."""
        return not self.pending and not self.to_join

    @property
    def longest_rebalance_timeout_ms(self) -> int:
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def supports(self, protocol_type: str, protocols: tuple[JoinGroupRequestProtocol, ...]) -> bool:
        """Whether the new member and all members support a common assignor. A group without members
        supports any."""
        if not protocols or not protocol_type:
            return False
        if not self.members:
            return True
        everybody = len(self.members)
        return protocol_type == self.protocol_type and any(
            self._supporters.get(offered.name) == everybody for offered in protocols
        )

    def park_join(self, member: ClassicGroupMember, caller: Caller) -> None:
        """Park a member's JOIN_GROUP until the others have joined."""
        member.parked_join = caller
        self.to_join.pop(member.id, None)

    def take_join(self, member: ClassicGroupMember) -> Caller:
        """Take the parked JOIN_GROUP of a member, to answer it."""
        caller, member.parked_join = member.parked_join, None
        assert caller is not None, "only a join that waits is answered"
        self.to_join[member.id] = None
        return caller

    def change_protocols(
        self, member: ClassicGroupMember, protocols: tuple[JoinGroupRequestProtocol, ...]
    ) -> None:
        if protocols is not member.protocols:
            self._count(member, -1)
            member.protocols = protocols
            self._count(member, +1)

    def elect_protocol(self) -> str:
        """The assignor with the most votes: each member votes for the first of its own that all
        members support.

        With equal votes the first in the iteration order of Java's hash map wins, as in Kafka.
        """
        candidates = self._known_to_all()
        votes: dict[str, int] = {}
        for member in self.members.values():
            choice = next(
                offered.name for offered in member.protocols if offered.name in candidates
            )
            votes[choice] = votes.get(choice, 0) + 1
        return max(hash_map_order(votes, java_string_hash), key=votes.__getitem__)

    def described_members(self) -> tuple[JoinGroupResponseMember, ...]:
        """The members as the JOIN_GROUP answer names them to the leader."""
        return tuple(
            JoinGroupResponseMember(
                member_id=member.id,
                group_instance_id=member.instance_id,
                metadata=member.metadata_for(self.protocol),
            )
            for member in self.members.values()
        )

    def add(self, member: ClassicGroupMember) -> None:
        """Add a member; the first becomes the leader and sets the protocol type."""
        if not self.members:
            self.protocol_type = member.protocol_type
        if self.leader is None:
            self.leader = member.id
        self.members[member.id] = member
        self._count(member, +1)
        if member.parked_join is None:
            self.to_join[member.id] = None
        self.pending.pop(member.id, None)
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.id
        self.news.append(Note.of("group.member", group=self.id, **classic_member_fields(member)))

    def remove(self, member: ClassicGroupMember) -> None:
        """Remove a member; the member that has been in the group longest becomes the leader, if it
        led."""
        del self.members[member.id]
        self._count(member, -1)
        self.to_join.pop(member.id, None)
        self.to_sync.pop(member.id, None)
        if (
            member.instance_id is not None
            and self.static_members.get(member.instance_id) == member.id
        ):
            del self.static_members[member.instance_id]
        if self.leader == member.id:
            self.leader = next(iter(self.members), None)
        self.news.append(Note.of("group.left", group=self.id, member=member.id))

    def rename(self, member: ClassicGroupMember, new_id: str) -> None:
        """Give a static member that came back its new id; it keeps its place and assignment
        (KIP-345)."""
        assert member.instance_id is not None, "only a static member comes back under a new id"
        old_id = member.id
        member.id = new_id
        self.members = {
            new_id if known == old_id else known: one for known, one in self.members.items()
        }
        for waited_for in (self.to_join, self.to_sync):
            if old_id in waited_for:
                del waited_for[old_id]
                waited_for[new_id] = None
        self.static_members[member.instance_id] = new_id
        if self.leader == old_id:
            self.leader = new_id
        self.news.append(Note.of("group.renamed", group=self.id, before=old_id, member=new_id))

    def _known_to_all(self) -> frozenset[str]:
        everybody = len(self.members)
        return frozenset(
            name for name, supporters in self._supporters.items() if supporters == everybody
        )

    def _count(self, member: ClassicGroupMember, step: int) -> None:
        """Count the members that support each assignor; the count is kept because every join needs
        it."""
        for name in {offered.name: None for offered in member.protocols}:
            self._supporters[name] = self._supporters.get(name, 0) + step


def classic_member_fields(member: ClassicGroupMember) -> dict[str, Any]:
    """A member as fields of a journal event; subscription and assignment are the members' bytes."""
    return {
        "member": member.id,
        "instance_id": member.instance_id,
        "client_id": member.client_id,
        "host": member.client_host,
        "session_timeout_ms": member.session_timeout_ms,
        "rebalance_timeout_ms": member.rebalance_timeout_ms,
        "protocols": {offered.name: offered.metadata for offered in member.protocols},
        "assignment": member.assignment,
    }


def check_member(group: ClassicGroup, member_id: str, instance_id: str | None) -> None:
    """Refuse an unknown id with UNKNOWN_MEMBER_ID, and with FENCED_INSTANCE_ID where another member
    has the instance id now (KIP-345)."""
    if instance_id is not None and group.static_members.get(instance_id, member_id) != member_id:
        raise Refusal(Errors.FENCED_INSTANCE_ID)
    if member_id not in group.members:
        raise Refusal(Errors.UNKNOWN_MEMBER_ID)
