"""The administrator's client (org.apache.kafka.clients.admin.KafkaAdminClient).

    admin = KafkaAdminClient(lab)
    admin.create_topics([NewTopic("orders", 3, 2)]).all().get()
    admin.describe_consumer_groups(["shop"]).described_groups()["shop"].get()

Every method sends requests over connections of this client's own and returns futures at once. The
controller creates topics, coordinators describe groups, leaders list offsets; each call finds them
first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from kafkalab.clients.admin import group_plans, log_plans, results, topic_plans
from kafkalab.clients.admin.admin_loop import AdminLoop
from kafkalab.clients.admin.calls import Plan
from kafkalab.clients.admin.futures import Outcomes
from kafkalab.clients.admin.values import (
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    RecordsToDelete,
)
from kafkalab.clients.network import app_info, arguments
from kafkalab.clients.network.client_setup import ClientSetup
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.config import AdminClientConfig
from kafkalab.errors import (
    IllegalArgumentException,
    IllegalStateException,
    TimeoutException,
    UnsupportedVersionException,
)
from kafkalab.records import OffsetAndMetadata, TopicPartition
from kafkalab.sim.apps import FOREVER_MS, LONGEST_GIVEN_MS, PATIENCE_MS

if TYPE_CHECKING:
    from kafkalab.clients.network.client_lab import ClientLab
    from kafkalab.sim.apps import Signal

MAX_IN_FLIGHT = 1
"""An admin client has one unanswered request on a connection (KafkaAdminClient.createInternal)."""

Found = TypeVar("Found", bound=Outcomes)


class KafkaAdminClient:
    """An administrator of `lab`'s cluster.

    config   dotted keys as in Java; `bootstrap.servers` defaults to the lab's first broker
    version  the client version to be ("2.3"); the lab's when left out
    name     the client's name in the journal; client.id when left out
             (with a number while an open client of its kind has that name)

    A method that its version does not have yet raises UnsupportedVersionException; after close()
    every method raises IllegalStateException. Calls end with TimeoutException after
    default.api.timeout.ms (until 2.4 request.timeout.ms), or `timeout_ms`.
    """

    def __init__(
        self,
        lab: ClientLab,
        config: Mapping[str, Any] | None = None,
        *,
        version: str | None = None,
        name: str | None = None,
    ) -> None:
        arguments.lab("KafkaAdminClient", lab)
        arguments.config_mapping("KafkaAdminClient", config)
        self._lab = lab
        self.profile = profile = lab.profile(version)
        given = {"bootstrap.servers": lab.first_address, **(config or {})}
        self.config = AdminClientConfig.for_version(profile.name, given)
        self.client_id = (
            self.config["client.id"] or f"adminclient-{lab.next_number('adminclient', name)}"
        )
        self.name = lab.client_name("admin", name, self.client_id)
        self.is_closed = False
        self._longest_ms = 0  # the longest timeout that a call was given
        with lab.journal.because(lab.call(self.name, "new KafkaAdminClient", given)):
            setup = ClientSetup(lab, "admin", self.name, self.client_id, profile, self.config)
            self._log = log = setup.prefixed_log(f"[AdminClient clientId={self.client_id}] ")
            self._client = client = NetworkClient(setup, log, tuple, MAX_IN_FLIGHT)
            client.bootstrap(self.config["bootstrap.servers"])
            client.metadata.request_update()
            self._loop = AdminLoop(client, self.config)
            lab.stage.loop(self._loop.run(), client.selector.signal, self.name)
            setup.register(log)
        lab.add_client("admin", self.name, lambda: self.is_closed)

    # topics and the cluster

    def create_topics(
        self,
        topics: Iterable[NewTopic],
        *,
        validate_only: bool = False,
        timeout_ms: int | None = None,
    ) -> results.CreateTopicsResult:
        """Raises through the futures TopicExistsException, InvalidReplicationFactorException,
        InvalidPartitionsException, InvalidTopicException, InvalidReplicaAssignmentException,
        InvalidConfigurationException."""
        topics = arguments.listed(
            "create_topics",
            topics,
            NewTopic,
            "topics, such as create_topics([NewTopic('orders', 3)])",
        )
        outcomes = self._outcomes(results.CreateTopicsResult, [topic.name for topic in topics])
        return self._start(
            "create_topics",
            outcomes,
            timeout_ms,
            topics=[topic.name for topic in topics],
            plan=lambda ms: topic_plans.create_topics(topics, outcomes, validate_only, ms),
        )

    def delete_topics(
        self, topics: Iterable[str], *, timeout_ms: int | None = None
    ) -> results.DeleteTopicsResult:
        """UnknownTopicOrPartitionException for a topic that does not exist."""
        outcomes = self._outcomes(results.DeleteTopicsResult, topics)
        return self._start(
            "delete_topics",
            outcomes,
            timeout_ms,
            plan=lambda ms: topic_plans.delete_topics(outcomes, ms),
        )

    def create_partitions(
        self,
        new_partitions: Mapping[str, NewPartitions],
        *,
        validate_only: bool = False,
        timeout_ms: int | None = None,
    ) -> results.CreatePartitionsResult:
        """InvalidPartitionsException unless there are more than before."""
        new_partitions = arguments.mapped(
            "create_partitions",
            new_partitions,
            NewPartitions,
            "the new number for each topic, such as {'orders': NewPartitions.increase_to(6)}",
            keys=str,
        )
        outcomes = self._outcomes(results.CreatePartitionsResult, new_partitions)
        return self._start(
            "create_partitions",
            outcomes,
            timeout_ms,
            plan=lambda ms: topic_plans.create_partitions(
                new_partitions, outcomes, validate_only, ms
            ),
        )

    def list_topics(
        self, *, list_internal: bool = False, timeout_ms: int | None = None
    ) -> results.ListTopicsResult:
        outcomes = self._outcomes(results.ListTopicsResult, ["topics"])
        return self._start(
            "list_topics",
            outcomes,
            timeout_ms,
            plan=lambda ms: topic_plans.list_topics(outcomes, list_internal),
        )

    def describe_topics(
        self, topics: Iterable[str], *, timeout_ms: int | None = None
    ) -> results.DescribeTopicsResult:
        """Leader, replicas and in-sync replicas of every partition;
        UnknownTopicOrPartitionException, InvalidTopicException."""
        outcomes = self._outcomes(results.DescribeTopicsResult, topics)
        return self._start(
            "describe_topics",
            outcomes,
            timeout_ms,
            plan=lambda ms: topic_plans.describe_topics(outcomes, self._client.node_of),
        )

    def describe_cluster(self, *, timeout_ms: int | None = None) -> results.DescribeClusterResult:
        outcomes = self._outcomes(results.DescribeClusterResult, ["cluster"])
        return self._start(
            "describe_cluster",
            outcomes,
            timeout_ms,
            plan=lambda ms: topic_plans.describe_cluster(outcomes, self._client.node_of),
        )

    def elect_leaders(
        self,
        election_type: str,
        partitions: Iterable[TopicPartition] | None = None,
        *,
        timeout_ms: int | None = None,
    ) -> results.ElectLeadersResult:
        """election_type: "preferred", or "unclean" for partitions without a leader, which may lose
        records (KIP-460). partitions: None for all.

        ElectionNotNeededException, PreferredLeaderNotAvailableException,
        EligibleLeadersNotAvailableException for single partitions.
        """
        if election_type not in ("preferred", "unclean"):
            raise IllegalArgumentException(
                f'an election is "preferred" or "unclean", not {election_type!r}'
            )
        chosen = None if partitions is None else list(partitions)
        outcomes = self._outcomes(results.ElectLeadersResult, ["partitions"])
        return self._start(
            "elect_leaders",
            outcomes,
            timeout_ms,
            election_type=election_type,
            plan=lambda ms: topic_plans.elect_leaders(
                outcomes, election_type == "unclean", chosen, ms
            ),
        )

    def describe_configs(
        self, resources: Iterable[ConfigResource], *, timeout_ms: int | None = None
    ) -> results.DescribeConfigsResult:
        """The settings of topics and brokers that the lab models, each with its source."""
        resources = arguments.listed(
            "describe_configs",
            resources,
            ConfigResource,
            "resources, such as describe_configs([ConfigResource('topic', 'orders')])",
        )
        outcomes = self._outcomes(results.DescribeConfigsResult, resources)
        for resource in outcomes.futures:
            if resource.type not in topic_plans.RESOURCE_TYPES:
                raise IllegalArgumentException(
                    'the lab describes the settings of a "topic" or a "broker", not of a '
                    f"{resource.type!r}"
                )
            if resource.type == "broker" and resource.name and not resource.name.isdecimal():
                raise IllegalArgumentException(f'For input string: "{resource.name}"')
        return self._start(
            "describe_configs",
            outcomes,
            timeout_ms,
            plan=lambda ms: topic_plans.describe_configs(outcomes),
        )

    # groups

    def list_consumer_groups(
        self,
        *,
        states: Iterable[str] = (),
        types: Iterable[str] = (),
        timeout_ms: int | None = None,
    ) -> results.ListConsumerGroupsResult:
        """The groups of consumers on all brokers, with a state (KIP-518) and a type (KIP-848) where
        client and broker know these."""
        outcomes = self._outcomes(results.ListConsumerGroupsResult, ["groups"])
        return self._start(
            "list_consumer_groups",
            outcomes,
            timeout_ms,
            plan=lambda ms: group_plans.list_groups(outcomes, states, types),
        )

    def describe_consumer_groups(
        self, group_ids: Iterable[str], *, timeout_ms: int | None = None
    ) -> results.DescribeConsumerGroupsResult:
        outcomes = self._outcomes(results.DescribeConsumerGroupsResult, group_ids)
        return self._start_each(
            "describe_consumer_groups",
            outcomes,
            timeout_ms,
            lambda group: group_plans.describe_group(group, outcomes, self._client.node_of),
        )

    def list_consumer_group_offsets(
        self,
        group_id: str,
        *,
        partitions: Iterable[TopicPartition] | None = None,
        require_stable: bool = False,
        timeout_ms: int | None = None,
    ) -> results.ListConsumerGroupOffsetsResult:
        """What the group has committed. A partition without a commit is in the answer only when it
        was asked for."""
        outcomes = self._outcomes(results.ListConsumerGroupOffsetsResult, [group_id])
        chosen = None if partitions is None else list(partitions)
        return self._start_each(
            "list_consumer_group_offsets",
            outcomes,
            timeout_ms,
            lambda group: group_plans.list_group_offsets(group, chosen, outcomes, require_stable),
        )

    def alter_consumer_group_offsets(
        self,
        group_id: str,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        *,
        timeout_ms: int | None = None,
    ) -> results.AlterConsumerGroupOffsetsResult:
        """UnknownMemberIdException while the group has members."""
        offsets = arguments.offsets("alter_consumer_group_offsets", offsets)
        outcomes = self._outcomes(results.AlterConsumerGroupOffsetsResult, offsets)
        return self._start(
            "alter_consumer_group_offsets",
            outcomes,
            timeout_ms,
            group=group_id,
            plan=lambda ms: group_plans.alter_offsets(group_id, offsets, outcomes),
        )

    def delete_consumer_groups(
        self, group_ids: Iterable[str], *, timeout_ms: int | None = None
    ) -> results.DeleteConsumerGroupsResult:
        """GroupNotEmptyException, GroupIdNotFoundException."""
        outcomes = self._outcomes(results.DeleteConsumerGroupsResult, group_ids)
        return self._start_each(
            "delete_consumer_groups",
            outcomes,
            timeout_ms,
            lambda group: group_plans.delete_group(group, outcomes),
        )

    def delete_consumer_group_offsets(
        self, group_id: str, partitions: Iterable[TopicPartition], *, timeout_ms: int | None = None
    ) -> results.DeleteConsumerGroupOffsetsResult:
        """GroupSubscribedToTopicException for a topic that a member reads."""
        outcomes = self._outcomes(
            results.DeleteConsumerGroupOffsetsResult,
            arguments.partitions("delete_consumer_group_offsets", partitions),
        )
        return self._start(
            "delete_consumer_group_offsets",
            outcomes,
            timeout_ms,
            group=group_id,
            plan=lambda ms: group_plans.delete_offsets(group_id, outcomes),
        )

    # logs

    def list_offsets(
        self,
        specs: Mapping[TopicPartition, OffsetSpec],
        *,
        isolation_level: str = "read_uncommitted",
        timeout_ms: int | None = None,
    ) -> results.ListOffsetsResult:
        """Where logs begin, end, or reach a time. With read_committed the end is the last stable
        offset."""
        if isolation_level not in log_plans.ISOLATION:
            raise IllegalArgumentException(
                f"isolation_level is read_uncommitted or read_committed, not {isolation_level!r}"
            )
        specs = arguments.mapped(
            "list_offsets",
            specs,
            OffsetSpec,
            "a place for each TopicPartition, such as {TopicPartition('t', 0): "
            "OffsetSpec.latest()}",
            keys=TopicPartition,
        )
        outcomes = self._outcomes(results.ListOffsetsResult, specs)
        return self._start(
            "list_offsets",
            outcomes,
            timeout_ms,
            plan=lambda ms: log_plans.list_offsets(specs, outcomes, isolation_level),
        )

    def delete_records(
        self,
        records_to_delete: Mapping[TopicPartition, RecordsToDelete],
        *,
        timeout_ms: int | None = None,
    ) -> results.DeleteRecordsResult:
        """Everything before an offset becomes unreadable;
        OffsetOutOfRangeException beyond the high watermark."""
        records_to_delete = arguments.mapped(
            "delete_records",
            records_to_delete,
            RecordsToDelete,
            "an offset for each TopicPartition, such as {TopicPartition('t', 0): "
            "RecordsToDelete(5)}",
            keys=TopicPartition,
        )
        outcomes = self._outcomes(results.DeleteRecordsResult, records_to_delete)
        return self._start(
            "delete_records",
            outcomes,
            timeout_ms,
            plan=lambda ms: log_plans.delete_records(
                records_to_delete,
                outcomes,
                ms,
                awaits_leaders=self.profile.connecting.admin_awaits_leaders,
            ),
        )

    # closing

    def close(self, timeout_ms: int = FOREVER_MS - 1) -> None:
        """Waits for the calls under way, at most for `timeout_ms`, then closes all sockets. A
        second call does nothing."""
        if self.is_closed:
            return
        lab = self._lab
        with lab.journal.because(lab.call(self.name, "close", {})):
            self.is_closed = True
            self._loop.close(abort=timeout_ms == 0)
            limit_ms = (
                timeout_ms if timeout_ms <= LONGEST_GIVEN_MS else self._longest_ms + PATIENCE_MS
            )
            if not lab.stage.wait(self._loop.finished, lab.now_ms + limit_ms):
                self._loop.close(abort=True)
                lab.stage.wait_for(self._loop.finished, "the end of this admin client")
            app_info.unregister(self._log, "admin.client")
            lab.journal.append("closed", self.name)

    # helpers

    def _outcomes(self, kind: type[Found], keys: Iterable[Any]) -> Found:
        if isinstance(keys, str):
            raise IllegalArgumentException(f"an admin client takes several at once: [{keys!r}]")
        return kind(keys, self._wait)

    def _start(
        self,
        method: str,
        outcomes: Found,
        timeout_ms: int | None,
        *,
        plan: Callable[[int], Plan],
        **args: Any,
    ) -> Found:
        """plan: makes the plan to carry out from the time it has in ms."""
        limit_ms = self._check(method, timeout_ms)
        if self._refuses(outcomes):
            return outcomes
        args = args or {"of": [str(key) for key in outcomes.futures]}
        with self._lab.journal.because(self._lab.call(self.name, method, args)):
            self._loop.start(plan(limit_ms), self._lab.now_ms + limit_ms)
        return outcomes

    def _start_each(
        self, method: str, outcomes: Found, timeout_ms: int | None, plan_of: Callable[[Any], Plan]
    ) -> Found:
        """A plan for each key, side by side."""
        limit_ms = self._check(method, timeout_ms)
        if self._refuses(outcomes):
            return outcomes
        with self._lab.journal.because(
            self._lab.call(self.name, method, {"of": [str(key) for key in outcomes.futures]})
        ):
            for key in outcomes.futures:
                self._loop.start(plan_of(key), self._lab.now_ms + limit_ms)
        return outcomes

    def _refuses(self, outcomes: Outcomes) -> bool:
        """Whether this client is closed. The call returns, and its futures tell of it
        (AdminClientRunnable.call)."""
        if self.is_closed:
            outcomes.fail_rest(
                IllegalStateException("Cannot accept new calls when AdminClient is closing.")
                if self.profile.connecting.closed_admin_is_illegal
                else TimeoutException("The AdminClient thread is not accepting new calls.")
            )
        return self.is_closed

    def _check(self, method: str, timeout_ms: int | None) -> int:
        """Checks that this method may be called; returns the time it has, in ms."""
        since = self.profile.admin_lacks.get(method)
        if since is not None:
            raise UnsupportedVersionException(
                f"The admin client of {self.profile.release} has no {method}: it came with {since}."
            )
        default_ms = self.config.get("default.api.timeout.ms", self.config["request.timeout.ms"])
        limit_ms = default_ms if timeout_ms is None else timeout_ms
        if not isinstance(limit_ms, int) or limit_ms < 0:
            raise IllegalArgumentException(
                f"timeout_ms is a whole number of milliseconds, not negative: {limit_ms!r} is none"
            )
        if limit_ms <= LONGEST_GIVEN_MS:
            self._longest_ms = max(self._longest_ms, limit_ms)
        return limit_ms

    def _wait(self, signal: Signal, timeout_ms: int | None) -> bool:
        if timeout_ms is not None:
            return self._lab.stage.wait(signal, self._lab.now_ms + timeout_ms)
        self._lab.stage.wait_for(
            signal, "the outcome of an admin client's call", besides_ms=self._longest_ms
        )
        return True

    def __repr__(self) -> str:
        return f"KafkaAdminClient({self.client_id!r}, {self.profile.release})"
