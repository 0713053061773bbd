"""Brings a classic consumer group into one of its five states by requests of two members.

The members are `alice` and `bob`. Kafka's class of the states is ClassicGroupState.
"""

from __future__ import annotations

from kafkalab.broker.groups.classic.group import ClassicGroup
from kafkalab.errors import Errors, error_for
from kafkalab.lab import Lab
from kafkalab.protocol import messages as m
from kafkalab.stories.raw_client import RawClient

GROUP = "inventory"
SESSION_MS, REBALANCE_MS = 10_000, 60_000
JOINS_WITHOUT_ID = 3
"""The last JOIN_GROUP version that admits a new member at once.

From version 4 on the coordinator first assigns it a member id (KIP-394).
"""


class GroupCase:
    """A lab with one broker and one group, for requests that a real consumer would not send.

    ids: name -> the member id that the coordinator assigned; also of former members.
    """

    def __init__(self, broker_version: str, settings: dict[str, object] | None = None) -> None:
        self.lab = Lab(brokers=1, broker_version=broker_version, broker_config=settings)
        self.lab.network.latency_ms = self.lab.network.jitter_ms = 0
        self.lab.create_topic("orders")
        self.ids: dict[str, str] = {}
        self._clients: dict[str, RawClient] = {}

    def client(self, name: str) -> RawClient:
        if name not in self._clients:
            self._clients[name] = RawClient(self.lab, name)
        return self._clients[name]

    @property
    def group(self) -> ClassicGroup:
        """Raises KeyError before anybody has joined."""
        return self.lab.broker(0).machine.coordinator.table.classic[GROUP]

    @property
    def has_group(self) -> bool:
        return GROUP in self.lab.broker(0).machine.coordinator.table.classic

    @property
    def state(self) -> str:
        return self.group.state.value

    def bring_to(self, state: str, instance: str | None = None) -> GroupCase:
        """Bring the group to Empty, PreparingRebalance, CompletingRebalance, Stable or Dead.

        alice is the member in the states that have one.

        Raises ValueError for any other state.
        """
        self.join("alice", instance=instance)
        self.lab.run_until(lambda: bool(self.client("alice").answers), timeout_ms=60_000)
        self.ids["alice"] = self.client("alice").answers[-1].member_id
        if state in ("Stable", "PreparingRebalance"):
            self.sync("alice")
        if state == "PreparingRebalance":
            self.join("bob")
        if state == "Empty":
            self.leave("alice")
        if state == "Dead":
            machine = self.lab.broker(0).machine
            machine.coordinator.retire(GROUP, self.lab.now_ms)
        if self.state != state:
            raise ValueError(
                "a group is Empty, PreparingRebalance, CompletingRebalance, Stable or Dead, not "
                f"{state!r}"
            )
        return self

    def join(
        self,
        name: str,
        member_id: str = "",
        instance: str | None = None,
        version: int | None = None,
        session_timeout_ms: int = SESSION_MS,
        metadata: bytes = b"",
        rebalance_timeout_ms: int = REBALANCE_MS,
    ) -> m.JoinGroupResponse | None:
        """Send JOIN_GROUP and return the response; None while the coordinator holds it back."""
        if version is None:
            version = JOINS_WITHOUT_ID if instance is None else None
        request = m.JoinGroupRequest(
            group_id=GROUP,
            session_timeout_ms=session_timeout_ms,
            rebalance_timeout_ms=rebalance_timeout_ms,
            member_id=member_id,
            group_instance_id=instance,
            protocols=(m.JoinGroupRequestProtocol(name="range", metadata=metadata),),
        )
        answer: m.JoinGroupResponse | None = self.client(name).ask(request, version=version)
        return answer

    def leave(self, name: str) -> None:
        self.client(name).ask(
            m.LeaveGroupRequest(group_id=GROUP, member_id=self.ids[name]), version=2
        )

    def sync(self, name: str, generation: int | None = None) -> Errors | None:
        """Send SYNC_GROUP and return its error; None while the coordinator holds the response
        back.
        """
        generation = self.group.generation if generation is None else generation
        answer = self.client(name).ask(
            m.SyncGroupRequest(group_id=GROUP, generation_id=generation, member_id=self.ids[name])
        )
        return None if answer is None else error_for(answer.error_code)

    def beat(
        self, member_id: str, generation: int | None = None, instance: str | None = None
    ) -> Errors:
        generation = self.group.generation if generation is None else generation
        return error_for(
            self.client("somebody")
            .ask(
                m.HeartbeatRequest(
                    group_id=GROUP,
                    generation_id=generation,
                    member_id=member_id,
                    group_instance_id=instance,
                )
            )
            .error_code
        )

    def commit(self, member_id: str, generation: int) -> Errors:
        answer = self.client("somebody").ask(
            m.OffsetCommitRequest(
                group_id=GROUP,
                generation_id_or_member_epoch=generation,
                member_id=member_id,
                topics=(
                    m.OffsetCommitRequestTopic(
                        name="orders",
                        partitions=(
                            m.OffsetCommitRequestPartition(partition_index=0, committed_offset=1),
                        ),
                    ),
                ),
            )
        )
        return error_for(answer.topics[0].partitions[0].error_code)
