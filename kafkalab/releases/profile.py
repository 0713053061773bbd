"""Profile: what one release of the Java client does, in six parts. Each field says what it means
and which change made it.

Code branches on a field and never compares releases. A new difference is a field here, its value in
`client_2_1`, and a change on the page of each release that has another value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kafkalab.errors import (
    BufferExhaustedException,
    Errors,
    IllegalStateException,
    KafkaException,
    KnownError,
    TimeoutException,
)
from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.consumer_protocol import ProtocolStyle
from kafkalab.protocol.frozen import message


class PrintablePosition(Protocol):
    """What a profile needs of SubscriptionState.FetchPosition: its offset and its printed form."""

    @property
    def offset(self) -> int: ...

    def text(self, style: str, /) -> str:
        """The position as a release of that style prints it."""


@message
class Connecting:
    """Sockets, metadata, telemetry, and how long a JVM takes (NetworkClient, Metadata)."""

    coordinator_connection: str
    """How the connection to a coordinator is numbered: "{opposite}" is 2147483647 - id, "+{id}"
    from 4.4.
    A number of its own keeps heartbeats off the data socket."""
    least_loaded: str
    """The rule for a request that any broker can answer: a name in clients/least_loaded.py
    (KAFKA-8376, KIP-601)."""
    bootstrap_needs_update: bool
    """The bootstrap cluster asks for a refresh at once (KAFKA-7567); before, the first send did."""
    exponential_refresh_backoff: bool
    """100, 200, ... 1000 ms between fruitless refreshes (KIP-580); before, 100 ms each time."""
    jitter_inside_cap: bool
    """The backoff is capped after the random factor, not before (KIP-580)."""
    admin_awaits_leaders: bool
    """deleteRecords() waits for the leader of a partition that METADATA does not name (seen in
    3.6's source); before, it failed at once."""
    closed_admin_is_illegal: bool
    """A call of a closed admin client is an IllegalStateException (3.9's source); before, it timed
    out at once."""
    names_timed_out_calls: bool
    """The error of an admin client's call that took too long names it (seen in 2.8's source)."""
    names_idle_closes: bool
    """The close of an idle connection has a line of its own."""
    warns_of_bootstrap_disconnect: bool
    """"Bootstrap broker ... disconnected" follows a refused connect."""
    telemetry_after_refusal_ms: int | None
    """A client asks brokers for a metrics subscription and, when refused, again after this time
    (KIP-714); None: never."""
    cluster_check: bool
    """ApiVersions carries the expected cluster and node (KIP-1242)."""
    tells_cancelled_by_itself: bool
    """A socket that the client closes itself has a line for each request that goes with it (seen in
    2.8's source)."""
    await_ready_polls_first: bool
    """awaitReady polls before it connects, so the metadata's own pick may connect first."""
    learns_leaders: bool
    """An answer that refuses a request may name the new leader, and is believed (KIP-951)."""
    cluster_in_hash_order: bool
    """Lists of partitions in Cluster come out of a hash map."""
    older_errors: Mapping[str, KnownError]
    """Errors that this release knows under another name, class or sentence: name in Errors -> that
    (KIP-392, KIP-588)."""
    starting_ms: int
    """A constructor in a JVM just started takes so long: the median of the recordings."""
    first_use_ms: Mapping[str, tuple[int, int]]
    """How long the first request of a kind takes to build, the first of all to write, the first
    ApiVersions
    answer to read: tenth and ninetieth percentile of the recordings."""

    def known(self, error: Errors) -> KnownError:
        """The name, exception and sentence that this release has for an error code."""
        return self.older_errors.get(error.name) or KnownError(
            error.name, error.raises, error.message
        )


@message
class Group:
    """Members of consumer groups: joining, assignors, heartbeats, commits (ConsumerCoordinator and
    its like)."""

    client_id_without_group: str
    """The default client.id of a consumer without a group (KAFKA-9033)."""
    client_id_with_group: str
    """The default client.id of a consumer with a group (KAFKA-9033)."""
    takes_empty_group: bool
    """group.id may be an empty text; later releases refuse it, and a blank one (KIP-289)."""
    awaits_join_in_poll: bool
    """poll() waits for JoinGroup within its timeout; since KAFKA-8421 it goes on fetching."""
    prepares_with_async_commit: bool
    """The auto commit before a rebalance is asynchronous and awaited (KAFKA-13310)."""
    revokes_even_nothing: bool
    """"Revoking previously assigned partitions []" and its callback come even at the first join."""
    tells_revoked_pauses: bool
    """A line names the revoked partitions that were paused (seen in 3.6's source)."""
    raises_listener_errors: bool
    """What a rebalance listener raises ends the poll (KIP-429); before, it was only logged."""
    revokes_on_close: bool
    """close() calls onPartitionsRevoked (KIP-429)."""
    join_disables_heartbeats: bool
    """The heartbeat thread is switched off during a join."""
    heartbeats_from_join: bool
    """Heartbeats begin after the JoinGroup answer, not after SyncGroup's (KAFKA-10134)."""
    states_rejoin_reason: bool
    """"Request joining group due to: ..." names the reason (KIP-800)."""
    member_id_required_is_failure: bool
    """A member that is handed its id says that its join has failed, too (KIP-800)."""
    joins_again_when_overtaken: bool
    """A join that is answered with REBALANCE_IN_PROGRESS is tried again (KAFKA-10870)."""
    eager_unassigns_at_prepare: bool
    """An eager member owns nothing while it joins (KIP-429)."""
    tells_owned_partitions: bool
    """The subscription lists owned partitions (KIP-429)."""
    requires_stable_offsets: bool
    """OffsetFetch waits for open transactions (KIP-447)."""
    enforces_rebalances: bool
    """The consumer has enforceRebalance (KIP-568)."""
    tells_commits_of_rebalances: bool
    """A commit during a rebalance raises RebalanceInProgressException (KIP-447); before,
    CommitFailedException."""
    keeps_answered_lookup: bool
    """An answered FIND_COORDINATOR counts until the application's thread has looked at it, and the
    heartbeat
    thread asks beside it (KAFKA-10793)."""
    rests_after_lookup: bool
    """The heartbeat thread waits retry.backoff.ms before it asks for the coordinator again (seen in
    3.6's source)."""
    stays_member_when_fenced: bool
    """A static member whose place another one took keeps its generation and its id; later ones
    forget them (seen in 2.8's source)."""
    leave_reason_in_full: bool
    """LeaveGroup's line repeats the whole sentence about the poll time-out."""
    keeps_id_of_old_generation: bool
    """A member told ILLEGAL_GENERATION joins again under the id it has (sources of 3.6; those of
    2.8 forget it)."""
    asks_committed_of_many: bool
    """committed() takes several partitions (KIP-520), and commitSync() names the offsets that it
    could not commit in time."""
    commit_failed_text: str
    """What commit_sync() says when the member has been left out of its group."""
    assignors: tuple[str, ...]
    """The assignors that partition.assignment.strategy may name, by protocol (KIP-429)."""
    assigns_static_first: bool
    """range and roundrobin sort static members by instance id, before the others (KAFKA-8355)."""
    assigns_by_rack: bool
    """range and sticky look at racks (KIP-881)."""
    sticky_knows_generations: bool
    """Of two claims the newer counts; user data carries the generation (KIP-341)."""
    sticky_fast_path: str
    """For members that want the same topics: "" none, "capacity" (KAFKA-9987), "quota"
    (KAFKA-12464)."""
    sticky_takes_from_the_fullest: bool
    """Partitions are looked at in the order in which the fullest members would lose them
    (KAFKA-9987 ended it)."""
    sticky_moves_new_first: bool
    """The balance begins with the partitions that had no reader (KAFKA-9987)."""
    sticky_reads_user_data_once: bool
    """Members looked at before the general algorithm began have lost their past (2.4 to 3.3)."""
    sticky_takes_numbers_on_trust: bool
    """A claim of a partition number that does not exist is kept (3.0)."""
    sticky_balance_margin: int
    """A member holds so many partitions more than another before one is moved (KAFKA-15106)."""
    sticky_sorts_owned: bool
    """Owners keep their lowest partitions, and may get back what they gave up (KAFKA-16277,
    KAFKA-15170)."""
    subscription_style: ProtocolStyle
    """How a member writes its subscription: version of the schema (KIP-429, KIP-792, KIP-881),
    absent user data."""
    plays_consumer_protocol: bool
    """group.protocol=consumer can be played: the new protocol is no preview any more (KIP-848)."""
    has_early_share_consumer: bool
    """The jar has a KafkaShareConsumer that brokers of today do not understand (KIP-932)."""
    assigns_in_poll: bool
    """With group.protocol=consumer a poll is one event that nobody waits for, and a new assignment
    waits for the
    next poll; before, a poll waits for its events, and the background thread changes the assignment
    (KIP-848)."""
    heartbeat_state_class: str
    """How the new protocol's heartbeats call their RequestState (KIP-848)."""
    classic_banner: bool
    """A member of a classic group logs that KIP-848 is ready."""


@message
class Fetching:
    """Positions, fetches and what poll() returns (Fetcher, FetchCollector, SubscriptionState)."""

    validates_positions: bool
    """The client asks the leader where an epoch ended before it trusts a position (KIP-320)."""
    validates_all_at_each_leader: bool
    """Each leader is asked about all waiting partitions, not only its own; it refuses the
    others."""
    resets_unknown_ends: bool
    """A leader that does not know the epoch makes the position follow auto.offset.reset (2.6);
    before, the answer's -1
    was taken for an offset."""
    truncation_text: str
    """What LogTruncationException says: {truncations} or {divergent} offsets; before, only
    {offsets}."""
    prints_epoch_end_object: bool
    """The line about a truncation without a reset policy shows the broker's answer, not offset and
    epoch."""
    notes_epoch_before_setting: bool
    """A committed offset's epoch is compared with the metadata's before the position is set."""
    position_style: str
    """How a FetchPosition prints: "plain" or "optional"."""
    list_offsets_with_epoch: bool
    """LIST_OFFSETS carries the leader epoch (KIP-320)."""
    fetches_with_epoch: bool
    """FETCH carries the leader epoch (KIP-320)."""
    leaves_lost_replica: bool
    """A follower that cannot be reached, or answers with an error, is not read any more until the
    leader names it again (KAFKA-14379, 3.4)."""
    keeps_leader_of_position: bool
    """A position remembers its leader even when METADATA has forgotten it."""
    keeps_paused_data: bool
    """Data of a paused partition is kept (KAFKA-7548)."""
    rotates_partitions: bool
    """A partition just read moves to the end of the order of fetching."""
    closes_fetch_sessions: bool
    """close() ends its fetch sessions at the brokers (KAFKA-7109)."""
    mentions_empty_fetches: bool
    """A fetch without records gets its "Returning" line too."""
    returns_when_position_moved: bool
    """poll() returns without records, too, when a position moved over markers or aborted
    records."""
    spares_buffered_nodes: bool
    """No fetch goes to a node of which records wait in the buffer (KAFKA-17182)."""
    transmits_after_assign: bool
    """A poll without group management still sends what is queued."""
    counts_polls_and_rebalances: bool
    """Time between polls and rebalances are among the metrics (KIP-517, KIP-429)."""
    tells_current_lag: bool
    """The consumer has currentLag (KIP-695)."""
    names_both_threads: bool
    """A consumer used by two threads at once names them."""
    names_seek_in_error: bool
    """The error about a negative offset says that seek() was given it."""
    bad_record_tells: str
    """What the error about an unreadable record tells besides its text: "" nothing, "place" its
    partition and offset (KIP-334), "all" also its bytes and time (KIP-1036)."""

    def out_of_range_text(self, partition: object, position: PrintablePosition) -> str:
        """What the consumer says of a position that the log does not have, without a reset
        policy."""
        if self.position_style == "plain":
            return (
                "Offsets out of range with no configured reset policy for partitions: "
                f"{{{partition}={position.offset}}}"
            )
        return (
            f"Fetch position {position.text(self.position_style)} is out of range for partition "
            f"{partition}"
        )


@message
class Producing:
    """Partitioners, batches and the errors of send() (KafkaProducer, RecordAccumulator, Sender)."""

    partitioner: str
    """For records without a key: "round robin", "sticky" (KIP-480) or "adaptive" (KIP-794);
    clients/producer/partitioner.py."""
    partitioner_classes: tuple[str, ...]
    """Which of Kafka's own classes partitioner.class may name."""
    asks_partitioner_again: str
    """Which partitioners are asked again before a batch is opened: "any" (KIP-480), "custom" ones
    (KIP-794), "" none."""
    round_robin_skips: bool
    """RoundRobinPartitioner is asked twice for a record that opens a batch (until KAFKA-17632)."""
    ready_in_hash_order: bool
    """ready() walks partitions in hash order; later releases by number."""
    drain_index_by_node: bool
    """Each broker's partitions have their own place where filling a request begins."""
    batches_follow_leader: bool
    """A batch does not wait for the end of its backoff when its partition has a new leader
    (KAFKA-15415)."""
    halves_split_batches: bool
    """A batch that is still too large after splitting is halved (KAFKA-8350)."""
    names_partition_of_buffer: bool
    """"Allocating a new ..." names the partition even where the built-in rule chose it."""
    sends_request_topic_updates: bool
    """Waiting for a topic asks for that topic's update (KIP-526); before, for a full one."""
    names_partition_count: bool
    """A time-out for a partition out of range names the count."""
    headers_read_only: bool
    """The printed record's headers are closed already."""
    has_buffer_exhausted_exception: bool
    """BufferExhaustedException is a TimeoutException, raised when memory ran out (KAFKA-3720)."""
    buffer_exhausted_text: str
    """What that exception says."""
    too_large_text: str
    """What RecordTooLargeException says."""
    names_lost_node: bool
    """Errors of requests that were lost name the node."""
    tells_timed_out_requests: bool
    """PRODUCE that timed out is REQUEST_TIMED_OUT, not NETWORK_EXCEPTION."""
    fills_metadata_of_failed_send: bool
    """A callback of a send that failed at once gets metadata without an offset, not None."""
    flush_in_callback_fails: bool
    """flush() inside a callback is refused (KIP-1118)."""
    refuses_more_in_flight: bool
    """More than five requests in flight are an error even where idempotence is only the default."""

    @property
    def chooses_while_appending(self) -> bool:
        """Whether the accumulator chooses the partition of a record without a key (KIP-794)."""
        return self.partitioner == "adaptive"

    def asks_again_for_new_batch(self, is_custom: bool) -> bool:
        """Whether the partitioner is asked a second time for a record that opens a batch."""
        return self.asks_partitioner_again == "any" or (
            is_custom and self.asks_partitioner_again == "custom"
        )

    def buffer_exhausted(self, **numbers: int) -> KafkaException:
        """What send() fails with when there was no memory within max.block.ms: size, limit_ms,
        total, available, poolable."""
        kind: type[KafkaException] = (
            BufferExhaustedException if self.has_buffer_exhausted_exception else TimeoutException
        )
        return kind(self.buffer_exhausted_text.format(**numbers))

    def missing_topic_text(
        self, topic: str, partition: int | None, count: int | None, limit_ms: int
    ) -> str:
        """What send() says when the metadata does not come in time."""
        if self.names_partition_count and partition is not None and count is not None:
            return (
                f"Partition {partition} of topic {topic} with partition count {count} is not "
                f"present in metadata after {limit_ms} ms."
            )
        return f"Topic {topic} not present in metadata after {limit_ms} ms."


@message
class Transacting:
    """Idempotent and transactional producers (TransactionManager)."""

    client_id_with_own: str
    """The default client.id of a producer with a transactional.id (KAFKA-9033)."""
    queues_init_producer_id: bool
    """INIT_PRODUCER_ID is a queued transactional request; before, the Sender waited for it
    alone."""
    bumps_idempotent_epoch: bool
    """A producer raises its own epoch after a gap, and may ask the coordinator for the next
    (KIP-360)."""
    speaks_transaction_v2: bool
    """A write adds a partition or group to the transaction; each transaction has its epoch
    (KIP-890)."""
    offsets_carry_member: bool
    """Offsets in a transaction name the member and its generation (KIP-447)."""
    takes_group_id_for_offsets: bool
    """sendOffsetsToTransaction() has a form with the group id alone, a text (removed by
    KAFKA-12690)."""
    awaits_topic_ids_of_offsets: bool
    """Offsets in a transaction name topics by id, so the producer asks for their metadata."""
    partition_joins_before_append: bool
    """"Begin adding new partition" comes before the record is appended."""
    tells_failure_first: bool
    """The records of a failed batch get its error before the transaction does."""
    aborts_when_closed: bool
    """close() aborts a transaction that is still open (KAFKA-6635)."""
    limits_transactional_calls: bool
    """commit and abort wait at most max.block.ms (KAFKA-7763)."""
    refuses_calls_after_error: bool
    """send() and initTransactions() say why the producer is in error."""
    wrong_state_is_illegal: bool
    """A call that does not fit the state is an IllegalStateException, not a KafkaException."""
    names_pending_call: bool
    """Other calls are refused while one that timed out was not repeated."""
    no_transaction_for_offsets_text: str
    """The error of sendOffsetsToTransaction() without a transaction."""
    send_before_init_text: str
    """The error of send() before initTransactions()."""
    send_outside_text: str
    """The error of send() outside a transaction."""
    fenced_text: str
    """The error of a producer that a newer one has fenced; "" where the release wraps the error."""
    old_epoch_text: str
    """The error of a batch with an old epoch; "" where the release wraps the error."""
    awaited_too_long_text: str
    """The error of a transactional call that took longer than max.block.ms."""
    transactional_connecting_ms: tuple[int, int]
    """The first connection of a transactional producer in a JVM just started: lowest and highest
    recorded."""

    @property
    def wrong_state(self) -> type[Exception]:
        """What a call raises that does not fit the state of the transaction."""
        return IllegalStateException if self.wrong_state_is_illegal else KafkaException


@message
class Printing:
    """How values and messages are written in lines; the wordings themselves are in
    `kafkalab.lines`."""

    node_knows_fencing: bool
    """Node prints and hashes `isFenced` (KIP-1073)."""
    reset_strategy: str
    """How the reset policy prints when one seeks to it."""
    prints_ids_of_changes: bool
    """Lines name what a fetch session alters and forgets with its topic id (KIP-516)."""
    isolation_in_lower_case: bool
    """Lines say read_uncommitted, not READ_UNCOMMITTED."""
    prints_generation_object: bool
    """"generation Generation{...}" instead of the number."""
    prints_assignment_in_hash_order: bool
    """Lists of new and revoked partitions are as a hash map gives them."""
    brackets_partitions: bool
    """Lists of partitions are printed in [...]."""
    prints_given_client_id: bool
    """The configuration prints client.id as it was given, not as the client is called
    (KAFKA-9033)."""
    prints_acks_as_given: bool
    """The configuration prints acks and enable.idempotence before they are settled. The constructor
    settles them, with the other settings that depend on each other (KAFKA-8928, KAFKA-9344)."""
    wire_as_struct: bool
    """"Sending FETCH {replica_id=-1,...}" instead of "...: FetchRequestData(replicaId=-1, ...)"
    (KAFKA-7609)."""
    struct_names: str
    """Which field names such a struct has: "hand-written" or "generated" (KAFKA-7609)."""
    old_objects: frozenset[str]
    """Names of the message classes whose toString was still written by hand (KAFKA-7609)."""
    null_in_quotes: bool
    """A missing text prints as 'null' with its quotes: a slip of the first generated classes."""
    header_version: bool
    """RequestHeader names its own version."""
    timed_out: bool
    """ClientResponse says whether the request timed out."""
    cluster: str
    """What metadata is called: "Cluster", "MetadataCache of Cluster", "MetadataCache",
    "MetadataSnapshot"."""
    features: bool
    """Recorded API versions come with the cluster's features (KIP-584)."""
    zk_migration: bool
    """... and with the flag of the migration from ZooKeeper (KIP-866)."""
    fetched_as_data: bool
    """"returned fetch data" prints the answer's own class instead of a hand-made summary."""
    fetched_replica: bool
    """That summary knows the preferred replica (KIP-392)."""
    fetched_divergence: bool
    """That summary knows the diverging epoch (KIP-595)."""
    auto_create: bool
    """The hand-written MetadataRequest tells whether topics may be created."""
    subscription: str
    """What a subscription prints of itself: its "topics", nothing but its "identity", or "all" it
    holds."""
    names_removed_metrics: bool
    """Telemetry names each metric that leaves when a client closes (KIP-714)."""
    removes_fetch_sensors: bool
    """A closing consumer also names its group's and its fetches' metrics."""
    metrics_without: frozenset[str]
    """Names of metrics that this release does not have yet."""
    deprecated_io_times: bool
    """The network thread has its old metrics beside the new ones (KIP-773)."""

    def reset_strategy_text(self, name: str) -> str:
        """earliest or latest as this release prints it."""
        return self.reset_strategy.format(name=name, upper=name.upper())


UNSEEN = 1_000
"""A client's newest version of an API that no recorded broker offered it; some number above every
broker's."""


@message
class Apis:
    """What a release of the client knows of the APIs (NodeApiVersions).

    names         number -> name as this release prints it
    newest        printed name -> newest version it knows; UNSEEN where no recorded broker offered
                  it
    below_newest  printed name -> the newest version that a classic client uses, where that is an
                  older one
    """

    names: Mapping[int, str]
    newest: Mapping[str, int]
    below_newest: Mapping[str, int]


@message
class Profile:
    """One release of the Java client.

    name, release  the name that Lab(version=...) takes; the recorded patch release
    commit_id      what AppInfoParser prints
    admin_lacks    methods that the admin client does not have yet: name -> the change that brought
                   them
    config         kind ("client", "producer", "consumer", "admin") -> key -> the default, where it
                   is not that of 2.1
    checks         key -> the name of the check of its values (`kafkalab.config.client_keys`), where
                   it is not that of 2.1
    """

    name: str
    release: str
    commit_id: str
    connecting: Connecting
    group: Group
    fetching: Fetching
    producing: Producing
    transacting: Transacting
    printing: Printing
    apis: Apis
    admin_lacks: Mapping[str, str]
    config: Mapping[str, Mapping[str, object]]
    checks: Mapping[str, str]

    @property
    def api_versions_version(self) -> int:
        """The version of the first ApiVersions request on a connection, before anything is known of
        the broker."""
        return self.latest(ApiKeys.API_VERSIONS)

    def knows(self, api: ApiKeys) -> bool:
        """Whether this release knows the API."""
        return api.id in self.apis.names

    def latest(self, api: ApiKeys) -> int:
        """The newest version that this release knows of an API. Raises KeyError where it does not
        know the API."""
        return self.apis.newest[self.apis.names[api.id]]

    def latest_version(self, api: str, usable: Mapping[ApiKeys, int] | None) -> int:
        """The version that a request to a connection will have; before ApiVersions has answered,
        the client's newest."""
        return (
            usable[ApiKeys[api]] if usable and ApiKeys[api] in usable else self.latest(ApiKeys[api])
        )
