"""What differs between client versions, as data: one frozen Profile each, every field with the change that made it.

Code branches on a field and never compares version numbers. To add a version, add a row. This table is the course's version
time machine. Wordings, levels and line numbers of log lines are not here but in `kafkalab.lines`; defaults of configs are in
`kafkalab.config`; versions of requests are in `kafkalab.protocol.api_versions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kafkalab.clients.network.least_loaded import Rule, fewest_unanswered, standing_then_longest_untried, standing_then_preparing
from kafkalab.errors import BufferExhaustedException, IllegalArgumentException, IllegalStateException, KafkaException, TimeoutException
from kafkalab.protocol.api_keys import ApiKeys
from kafkalab.protocol.api_versions import newest_known

TELEMETRY_NEVER_AGAIN_MS = 2_147_483_647
TOO_LARGE = ("The message is {size} bytes when serialized which is larger than {limit}, which is the value of the "
             "max.request.size configuration.")
NO_TRANSACTION_OLD = "Cannot send offsets to transaction either because the producer is not in an active transaction"
SEND_BEFORE_INIT_OLD = "Cannot perform a 'send' before completing a call to initTransactions when transactions are enabled."
FENCED_OLD = "The producer has been rejected from the broker because it tried to use an old epoch with the transactionalId"
BUFFER_EXHAUSTED = ("Failed to allocate {size} bytes within the configured max blocking time {limit_ms} ms. Total memory: {total} bytes. "
                    "Available memory: {available} bytes. Poolable size: {poolable} bytes")
BUFFER_EXHAUSTED_OLD = "Failed to allocate memory within the configured max blocking time {limit_ms} ms."
TOO_LARGE_OLD = ("The message is {size} bytes when serialized which is larger than the maximum request size you have configured "
                 "with the max.request.size configuration.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One client version.

    name, release, commit_id          the key of the other tables; the recorded patch release; what AppInfoParser prints
    node_knows_fencing                Node prints and hashes `isFenced` (4.0, KIP-1073)
    coordinator_connection            "{opposite}" is 2147483647 - id, "+{id}" from 4.4; keeps heartbeats off the data socket
    least_loaded                      see clients/network/least_loaded.py (KAFKA-8376 in 2.3, KIP-601 in 2.7)
    metadata_has_log_context          Metadata's lines carry the client's prefix (2.3)
    bootstrap_needs_update            the bootstrap cluster asks for a refresh at once (2.2, KAFKA-7567); before, the first send did
    exponential_refresh_backoff       100, 200, ... 1000 ms between fruitless refreshes (3.7, KIP-580); before, 100 ms flat
    jitter_inside_cap                 backoff is capped after the random factor, not before (3.7, KIP-580)
    names_idle_closes                 an idle close has a line of its own (3.9)
    warns_of_bootstrap_disconnect     "Bootstrap broker ... disconnected" after a refused connect (2.3; not seen in 2.1)
    telemetry_after_refusal_ms        asks brokers for a metrics subscription (3.7, KIP-714) and, when refused, again after this long
    cluster_check                     ApiVersions carries the expected cluster and node (4.4, KIP-1242)
    client_ids                        default client.id of a consumer without and with group; `consumer-<group>-N` (2.4, KAFKA-9033)
    awaits_join_in_poll               poll() waits for JoinGroup within its timeout (until 2.5, KIP-266); later it goes on fetching
    prepares_with_async_commit        auto commit before a rebalance is asynchronous and awaited (3.3, KAFKA-13310)
    revokes_even_nothing              "Revoking previously assigned partitions []" and its callback even at the first join (until 2.3)
    raises_listener_errors            what a rebalance listener raises ends the poll (2.4, KAFKA-8421); before, it was only written down
    revokes_on_close                  close() calls onPartitionsRevoked (2.4, KAFKA-8421)
    join_disables_heartbeats          the heartbeat thread is switched off while joining (until 2.3)
    heartbeats_from_join              heartbeats begin after the JoinGroup answer, not after SyncGroup's (2.7)
    states_rejoin_reason              "Request joining group due to: ..." (3.0)
    member_id_required_is_failure     a member that is handed its id says that its join has failed, too (KIP-800; no more in 3.9)
    eager_unassigns_at_prepare        an eager member owns nothing while it joins
    tells_owned_partitions            the subscription lists owned partitions (2.4, KIP-429)
    requires_stable_offsets           OffsetFetch waits for open transactions (2.5, KIP-447)
    validates_positions               asks the leader where an epoch ended before it trusts a position (2.3, KIP-320)
    validates_all_at_each_leader      each leader is asked about all waiting partitions, not only its own; the strangers are refused (2.3)
    resets_unknown_ends               a leader that does not know the epoch makes the position follow auto.offset.reset (2.6);
                                      2.3 takes the answer's -1 for an offset
    truncation_text                   what LogTruncationException says: {truncations} or {divergent} offsets; 2.3 knew only {offsets}
    prints_epoch_end_object           the line about a truncation without a reset policy shows the broker's answer, not offset and epoch (2.3)
    notes_epoch_before_setting        a committed offset's epoch is compared with the metadata's before the position is set (2.4)
    reset_strategy                    how the policy prints when one seeks to it
    prints_ids_of_changes             lines name what a fetch session alters and forgets with its topic id (3.1, KIP-516)
    enforces_rebalances               has enforceRebalance (2.6, KIP-568)
    tells_current_lag                 has currentLag (3.0, KIP-695)
    tells_commits_of_rebalances       a commit during a rebalance raises RebalanceInProgressException (2.5, KIP-447); before, CommitFailed
    tells_cancelled_by_itself         a socket that the client closes itself has a line for each request that goes with it; seen in 2.8's source, not in 2.3's
    keeps_answered_lookup             an answered FIND_COORDINATOR counts until the application's thread has looked at it, and the heartbeat thread asks beside it
                                      (2.8, KAFKA-10793)
    rests_after_lookup                the heartbeat thread waits retry.backoff.ms between asking and asking anew (3.x; seen in 3.6's source, not in 2.8's)
    leave_reason_in_full              LeaveGroup's line repeats the whole poll time-out sentence (2.8)
    assigns_static_first              range and roundrobin sort static members by instance id, before the others (2.4, KAFKA-8558)
    assigns_by_rack                   range and sticky look at racks (3.5, KIP-881)
    sticky_knows_generations          of two claims the newer counts; user data carries the generation (2.3, KIP-341)
    sticky_fast_path                  for members that want the same topics: "" none, "capacity" (2.6, KAFKA-9987), "quota" (3.0,
                                      KAFKA-12464)
    sticky_takes_from_the_fullest     partitions are looked at in the order in which the fullest members would lose them (until 2.5)
    sticky_moves_new_first            balances first with the partitions that had no reader (2.6, KAFKA-9987)
    sticky_reads_user_data_once       members looked at before the general algorithm began have lost their past (2.4 to 3.3)
    sticky_takes_numbers_on_trust     a claim of a partition number that does not exist is kept (3.0)
    sticky_balance_margin             nobody moves for a difference of one (3.6, KAFKA-15106)
    sticky_sorts_owned                owners keep their lowest partitions, and may get back what they gave up (3.8, KAFKA-16277, KAFKA-15170)
    position_style                    how a FetchPosition prints
    list_offsets_with_epoch           LIST_OFFSETS carries the leader epoch (2.3, KIP-320)
    fetches_with_epoch                FETCH carries the leader epoch (2.3, KIP-320)
    keeps_leader_of_position          a position remembers its leader even when METADATA has forgotten it (2.8)
    keeps_paused_data                 data of a paused partition is kept (2.4, KAFKA-7548)
    rotates_partitions                a partition just read moves to the end of the order of fetching
    closes_fetch_sessions             close() ends its fetch sessions at the brokers (3.6, KAFKA-14694)
    isolation_in_lower_case           lines say read_uncommitted, not READ_UNCOMMITTED (3.9)
    prints_generation_object          "generation Generation{...}" instead of the number (2.7)
    prints_assignment_in_hash_order   lists of new and revoked partitions as a hash map gives them (until 2.8)
    brackets_partitions               lists of partitions are printed in [...] (4.4)
    transmits_after_assign            a poll without group management still sends what is queued (3.x)
    starting_ms                       a constructor in a JVM just started, median of the recordings
    first_use_ms                      how long the first request of a kind takes to build, the first of all to write, the first
                                      ApiVersions answer to read,
                                      lowest and highest; tenth and ninetieth percentile of the recordings
    partitioner                       for records without a key: see clients/producer/partitioner.py
    batches_wait_for_leader_change    ProducerBatch writes what it knows of the leader (3.6, KAFKA-15415)
    ready_in_hash_order               ready() walks partitions in hash order (until 2.8), by number later
    queues_init_producer_id           INIT_PRODUCER_ID is a queued transactional request; until 2.3 the Sender waited for it alone
    await_ready_polls_first           awaitReady polls before it connects, so the metadata's own pick may connect first (2.8)
    sends_request_topic_updates       waiting for a topic asks for that topic's update (2.5, KIP-526), before for a full one
    headers_read_only                 whether the printed record's headers are closed already (until 2.8)
    too_large_text                    what RecordTooLargeException says
    mentions_empty_fetches            a fetch without records gets its "Returning" line too
    returns_when_position_moved       poll() comes back without records, too, when a position moved over markers or aborted records (3.2)
    names_partition_count             a time-out for a partition out of range names the count (3.9)
    counts_polls_and_rebalances       time between polls and rebalances are among the metrics (KIP-517, KIP-429; 2.4)
    names_both_threads                a consumer used by two threads at once names them (seen from 3.6 on)
    partitioner_classes               which of Kafka's own classes partitioner.class may name
    round_robin_skips                 RoundRobinPartitioner is asked twice for a record that opens a batch (2.4 until KAFKA-17632)
    asks_partitioner_again            which partitioners are asked again before a batch is opened: "any" (2.4, KIP-480), "custom" ones
                                      (3.3, KIP-794), "" none (4.0, KAFKA-18295)
    cluster_in_hash_order             lists of partitions in Cluster come out of a hash map (2.2)
    drain_index_by_node               each broker's partitions have their own place where filling a request begins (3.x)
    batches_follow_leader             a batch does not wait out its backoff when its partition has a new leader (3.6, KAFKA-15415)
    keeps_id_of_old_generation        a member told ILLEGAL_GENERATION joins again under the id it has (sources of 3.6; those of 2.8 forget it)
    spares_buffered_nodes             no fetch to a node of which records wait in the buffer (4.0, KAFKA-17182)
    learns_leaders                    an answer that refuses a request may name the new leader, and is believed (3.7, KIP-951)
    halves_split_batches              a batch that is still too large after splitting is halved (KAFKA-8350)
    names_partition_of_buffer         "Allocating a new ..." names the partition even where the built-in rule chose it (3.9)
    has_buffer_exhausted_exception    BufferExhaustedException is a TimeoutException, raised when memory ran out (2.7, KAFKA-3720)
    buffer_exhausted_text             what it says
    names_lost_node                   errors of requests that were lost name the node (2.8)
    tells_timed_out_requests          PRODUCE that timed out is REQUEST_TIMED_OUT, not NETWORK_EXCEPTION (3.x)
    fills_metadata_of_failed_send     a callback of a send that failed at once gets metadata without an offset, not None (3.x)
    flush_in_callback_fails           flush() inside a callback is refused (4.4, KAFKA-10790)
    admin_lacks                       admin methods this version does not have yet: name -> what brought them
    bumps_idempotent_epoch            a producer raises its own epoch after a gap, and may ask the coordinator for the next (2.5, KIP-360)
    speaks_transaction_v2             partitions and groups join by being written to, each transaction has its epoch (4.0, KIP-890)
    offsets_carry_member              offsets in a transaction name the member and its generation (2.5, KIP-447)
    awaits_topic_ids_of_offsets       offsets in a transaction name topics by id, so the producer asks for their metadata (4.4)
    partition_joins_before_append     "Begin adding new partition" comes before the record is appended (until 2.3)
    tells_failure_first               a failed batch is told to its records before the transaction hears of it (3.x)
    aborts_when_closed                close() aborts a transaction that is still open (2.3, KAFKA-6635)
    limits_transactional_calls        commit and abort wait at most max.block.ms (2.3, KAFKA-6446)
    refuses_calls_after_error         send() and initTransactions() say why the producer is in error (3.x)
    wrong_state_is_illegal            a call that does not fit the state is an IllegalStateException, not a KafkaException (3.x)
    names_pending_call                other calls are refused while one that timed out was not repeated (3.x)
    no_transaction_for_offsets_text, send_before_init_text, send_outside_text, fenced_text, old_epoch_text, awaited_too_long_text
                                      the sentences of those errors; "" where the version wraps the error instead
    transactional_connecting_ms       the first connection of a transactional producer in a JVM just started, lowest and highest recorded
    heartbeat_state_class             as the new protocol's heartbeats call their RequestState
    assigns_in_poll                   with group.protocol=consumer a poll is one event that nobody waits for, and a new assignment waits for
                                      the next poll (4.4); 4.0.2 waits for its events, and changes the assignment in the background
    classic_banner                    the note that KIP-848 is ready (4.4)
    """

    name: str
    release: str
    commit_id: str
    node_knows_fencing: bool = False
    coordinator_connection: str = "{opposite}"
    least_loaded: Rule = standing_then_longest_untried
    metadata_has_log_context: bool = True
    bootstrap_needs_update: bool = True
    exponential_refresh_backoff: bool = False
    jitter_inside_cap: bool = False
    names_idle_closes: bool = False
    warns_of_bootstrap_disconnect: bool = True
    telemetry_after_refusal_ms: int | None = None
    cluster_check: bool = False
    client_id_without_group: str = "consumer-null-{n}"
    client_id_with_group: str = "consumer-{group}-{n}"
    awaits_join_in_poll: bool = False
    prepares_with_async_commit: bool = True
    revokes_even_nothing: bool = False
    raises_listener_errors: bool = True
    revokes_on_close: bool = True
    join_disables_heartbeats: bool = False
    heartbeats_from_join: bool = True
    states_rejoin_reason: bool = True
    member_id_required_is_failure: bool = False
    eager_unassigns_at_prepare: bool = True
    tells_owned_partitions: bool = True
    requires_stable_offsets: bool = True
    validates_positions: bool = True
    validates_all_at_each_leader: bool = False
    resets_unknown_ends: bool = True
    truncation_text: str = "Truncated partitions detected with divergent offsets {divergent}"
    prints_epoch_end_object: bool = False
    notes_epoch_before_setting: bool = True
    reset_strategy: str = "AutoOffsetResetStrategy{{type={name}}}"
    prints_ids_of_changes: bool = True
    enforces_rebalances: bool = True
    tells_current_lag: bool = True
    tells_commits_of_rebalances: bool = True
    tells_cancelled_by_itself: bool = True
    keeps_answered_lookup: bool = True
    rests_after_lookup: bool = True
    leave_reason_in_full: bool = False
    assigns_static_first: bool = True
    assigns_by_rack: bool = True
    sticky_knows_generations: bool = True
    sticky_fast_path: str = "quota"
    sticky_takes_from_the_fullest: bool = False
    sticky_moves_new_first: bool = True
    sticky_reads_user_data_once: bool = False
    sticky_takes_numbers_on_trust: bool = True
    sticky_balance_margin: int = 1
    sticky_sorts_owned: bool = True
    position_style: str = "optional"
    list_offsets_with_epoch: bool = True
    fetches_with_epoch: bool = True
    keeps_leader_of_position: bool = True
    keeps_paused_data: bool = True
    rotates_partitions: bool = True
    closes_fetch_sessions: bool = True
    isolation_in_lower_case: bool = True
    prints_generation_object: bool = True
    prints_assignment_in_hash_order: bool = False
    brackets_partitions: bool = False
    transmits_after_assign: bool = True
    partitioner: str = "adaptive"
    starting_ms: int = 450
    first_use_ms: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    ready_in_hash_order: bool = False
    queues_init_producer_id: bool = True
    await_ready_polls_first: bool = True
    sends_request_topic_updates: bool = True
    headers_read_only: bool = False
    too_large_text: str = TOO_LARGE
    names_partition_count: bool = True
    mentions_empty_fetches: bool = True
    returns_when_position_moved: bool = True
    heartbeat_state_class: str = "AbstractHeartbeatRequestManager$HeartbeatRequestState"
    assigns_in_poll: bool = False
    classic_banner: bool = False
    transactional_connecting_ms: tuple[int, int] = (210, 235)
    partitioner_classes: tuple[str, ...] = ("RoundRobinPartitioner",)
    round_robin_skips: bool = False
    asks_partitioner_again: str = ""
    cluster_in_hash_order: bool = True
    drain_index_by_node: bool = True
    batches_follow_leader: bool = True
    learns_leaders: bool = True
    spares_buffered_nodes: bool = True
    keeps_id_of_old_generation: bool = True
    halves_split_batches: bool = False
    names_partition_of_buffer: bool = True
    has_buffer_exhausted_exception: bool = True
    buffer_exhausted_text: str = BUFFER_EXHAUSTED
    names_lost_node: bool = True
    tells_timed_out_requests: bool = True
    fills_metadata_of_failed_send: bool = True
    flush_in_callback_fails: bool = False
    bumps_idempotent_epoch: bool = True
    speaks_transaction_v2: bool = False
    offsets_carry_member: bool = True
    awaits_topic_ids_of_offsets: bool = False
    partition_joins_before_append: bool = False
    tells_failure_first: bool = True
    aborts_when_closed: bool = True
    limits_transactional_calls: bool = True
    refuses_calls_after_error: bool = True
    wrong_state_is_illegal: bool = True
    names_pending_call: bool = True
    no_transaction_for_offsets_text: str = "Cannot send offsets if a transaction is not in progress (currentState= {state})"
    send_before_init_text: str = "Cannot add partition {partition} to transaction before completing a call to initTransactions"
    send_outside_text: str = "Cannot add partition {partition} to transaction while in state  {state}"
    fenced_text: str = ("Producer with transactionalId '{transactional_id}' and {producer} has been fenced by another producer with the "
                        "same transactionalId")
    old_epoch_text: str = "Producer with transactionalId '{transactional_id}' and {producer} attempted to produce with an old epoch"
    awaited_too_long_text: str = "Timeout expired after {limit_ms}ms while awaiting {operation}"
    counts_polls_and_rebalances: bool = True
    names_both_threads: bool = True
    admin_lacks: Mapping[str, str] = field(default_factory=dict)

    @property
    def wrong_state(self) -> type[Exception]:
        """What a call raises that does not fit the state of the transaction."""
        return IllegalStateException if self.wrong_state_is_illegal else KafkaException

    @property
    def chooses_while_appending(self) -> bool:
        """Is the partition of a record without a key chosen by the accumulator (3.3, KIP-794)?"""
        return self.partitioner == "adaptive"

    def asks_again_for_new_batch(self, is_custom: bool) -> bool:
        """Is the partitioner asked a second time for a record that opens a batch?"""
        return self.asks_partitioner_again == "any" or is_custom and self.asks_partitioner_again == "custom"

    def buffer_exhausted(self, **numbers: int) -> TimeoutException:
        """What send() fails with when there was no memory within max.block.ms: size, limit_ms, total, available, poolable."""
        kind = BufferExhaustedException if self.has_buffer_exhausted_exception else TimeoutException
        return kind(self.buffer_exhausted_text.format(**numbers))

    @property
    def api_versions_version(self) -> int:
        """The version of the first ApiVersions request on a connection, before anything is known of the broker."""
        return newest_known(self.name, ApiKeys.API_VERSIONS)

    def latest(self, api: ApiKeys) -> int:
        return newest_known(self.name, api)

    def latest_version(self, api: str, usable: Mapping[ApiKeys, int] | None) -> int:
        """The version a request to this connection will have; before ApiVersions has answered, the client's newest."""
        return usable[ApiKeys[api]] if usable and ApiKeys[api] in usable else newest_known(self.name, ApiKeys[api])

    def reset_strategy_text(self, name: str) -> str:
        """earliest or latest as this version prints it."""
        return self.reset_strategy.format(name=name, upper=name.upper())

    def missing_topic_text(self, topic: str, partition: int | None, count: int | None, limit_ms: int) -> str:
        """What send() says when the metadata does not come in time."""
        if self.names_partition_count and partition is not None and count is not None:
            return f"Partition {partition} of topic {topic} with partition count {count} is not present in metadata after {limit_ms} ms."
        return f"Topic {topic} not present in metadata after {limit_ms} ms."

    def out_of_range_text(self, partition, position) -> str:
        if self.position_style == "plain":
            return f"Offsets out of range with no configured reset policy for partitions: {{{partition}={position.offset}}}"
        return f"Fetch position {position.text(self.position_style)} is out of range for partition {partition}"


V4_4 = Profile(
    name="4.4", release="4.4.0", commit_id="1156b2752aaa28ea", node_knows_fencing=True, coordinator_connection="+{id}",
    exponential_refresh_backoff=True, jitter_inside_cap=True, names_idle_closes=True, telemetry_after_refusal_ms=TELEMETRY_NEVER_AGAIN_MS,
    halves_split_batches=True, flush_in_callback_fails=True,
    cluster_check=True, brackets_partitions=True, assigns_in_poll=True, classic_banner=True, speaks_transaction_v2=True, awaits_topic_ids_of_offsets=True,
    heartbeat_state_class="HeartbeatRequestState",
    starting_ms=600,
    first_use_ms={
        "background thread": (620, 1500), "consumer connecting": (200, 600), "producer connecting": (13, 380), "API_VERSIONS": (22, 50),
        "reading API_VERSIONS": (51, 129), "METADATA": (1, 4), "FIND_COORDINATOR": (0, 9), "OFFSET_FETCH": (5, 20),
        "FETCH": (13, 72), "HEARTBEAT": (3, 9), "OFFSET_COMMIT": (6, 17), "PRODUCE": (6, 14), "INIT_PRODUCER_ID": (2, 10),
    },
)
V4_0 = replace(V4_4, name="4.0", release="4.0.2", commit_id="5d0fe56677f97d95", coordinator_connection="{opposite}", cluster_check=False,
               halves_split_batches=False, flush_in_callback_fails=False,
               brackets_partitions=False, assigns_in_poll=False, classic_banner=False, awaits_topic_ids_of_offsets=False,
               heartbeat_state_class="AbstractHeartbeatRequestManager$HeartbeatRequestState")
V3_9 = replace(
    V4_0, name="3.9", spares_buffered_nodes=False, reset_strategy="{name}", asks_partitioner_again="custom",
    partitioner_classes=("RoundRobinPartitioner", "UniformStickyPartitioner", "DefaultPartitioner"),
    release="3.9.2", commit_id="5e9866f43ab8e7e4", node_knows_fencing=False, telemetry_after_refusal_ms=300_000,
    speaks_transaction_v2=False, transactional_connecting_ms=(165, 185),
    starting_ms=500,
    first_use_ms={
        "consumer connecting": (200, 450), "producer connecting": (11, 305), "API_VERSIONS": (13, 29),
        "reading API_VERSIONS": (44, 108), "METADATA": (1, 2), "FIND_COORDINATOR": (0, 2), "OFFSET_FETCH": (1, 3), "FETCH": (1, 3),
        "PRODUCE": (2, 6), "INIT_PRODUCER_ID": (0, 4), "SYNC_GROUP": (1, 3), "LEAVE_GROUP": (1, 3),
    },
)
V3_6 = replace(V3_9, name="3.6", truncation_text="Detected truncated partitions: {truncations}", round_robin_skips=True, learns_leaders=False, names_partition_of_buffer=False,
               release="3.6.2", commit_id="c4deed513057c94e", telemetry_after_refusal_ms=None,
               exponential_refresh_backoff=False, jitter_inside_cap=False,
               names_idle_closes=False, isolation_in_lower_case=False, member_id_required_is_failure=True, sticky_sorts_owned=False)
V2_8 = replace(V3_6, name="2.8", tells_current_lag=False, keeps_id_of_old_generation=False, member_id_required_is_failure=False, reset_strategy="{upper}", returns_when_position_moved=False, prints_ids_of_changes=False,
               asks_partitioner_again="any", drain_index_by_node=False, batches_follow_leader=False,
               buffer_exhausted_text=BUFFER_EXHAUSTED_OLD, tells_timed_out_requests=False, fills_metadata_of_failed_send=False,
               names_partition_of_buffer=True, release="2.8.2", commit_id="3146c6ff4a24cc24", prepares_with_async_commit=False,
               states_rejoin_reason=False, rests_after_lookup=False, leave_reason_in_full=True, closes_fetch_sessions=False,
               names_both_threads=False, prints_assignment_in_hash_order=True, headers_read_only=True,
               assigns_by_rack=False, sticky_fast_path="capacity", sticky_reads_user_data_once=True, sticky_takes_numbers_on_trust=False,
               sticky_balance_margin=0, partitioner="sticky", transmits_after_assign=True, ready_in_hash_order=True, names_partition_count=False,
               first_use_ms={**V3_9.first_use_ms, "API_VERSIONS": (12, 17), "reading API_VERSIONS": (38, 69)},
               transactional_connecting_ms=(125, 142), tells_failure_first=False, refuses_calls_after_error=False, wrong_state_is_illegal=False, names_pending_call=False,
               no_transaction_for_offsets_text=NO_TRANSACTION_OLD, send_before_init_text=SEND_BEFORE_INIT_OLD,
               send_outside_text="Cannot call send in state {state}", fenced_text=FENCED_OLD,
               old_epoch_text="Producer attempted to produce with an old epoch {producer}",
               awaited_too_long_text="Timeout expired after {limit_ms} milliseconds while awaiting {operation}")
V2_3 = replace(
    V2_8, name="2.3", tells_cancelled_by_itself=False, keeps_answered_lookup=False, asks_partitioner_again="", round_robin_skips=False, partitioner_classes=("DefaultPartitioner",),
    has_buffer_exhausted_exception=False, names_lost_node=False,
    release="2.3.0", commit_id="fc1aaa116b661c8a", least_loaded=standing_then_preparing,
    client_id_without_group="consumer-{n}", client_id_with_group="consumer-{n}", awaits_join_in_poll=True, revokes_even_nothing=True,
    assigns_static_first=False, sticky_fast_path="", sticky_takes_from_the_fullest=True, sticky_moves_new_first=False,
    sticky_reads_user_data_once=False, revokes_on_close=False, raises_listener_errors=False, enforces_rebalances=False, tells_commits_of_rebalances=False,
    join_disables_heartbeats=True, heartbeats_from_join=False, eager_unassigns_at_prepare=False,
    tells_owned_partitions=False, requires_stable_offsets=False, leave_reason_in_full=False, position_style="plain",
    keeps_leader_of_position=False, keeps_paused_data=False, prints_generation_object=False,
    starting_ms=430,
    first_use_ms={
        "consumer connecting": (95, 220), "producer connecting": (110, 250), "API_VERSIONS": (1, 3),
        "reading API_VERSIONS": (2, 5), "FIND_COORDINATOR": (1, 3), "OFFSET_FETCH": (1, 4), "LIST_OFFSETS": (0, 3),
        "PRODUCE": (1, 3), "OFFSET_COMMIT": (0, 3), "writing": (3, 8),
    },
    validates_all_at_each_leader=True, notes_epoch_before_setting=False, resets_unknown_ends=False, prints_epoch_end_object=True,
    truncation_text="Offsets out of range with no configured reset policy for partitions: {offsets}",
    transmits_after_assign=False, mentions_empty_fetches=False, partitioner="round robin", queues_init_producer_id=False,
    await_ready_polls_first=False, sends_request_topic_updates=False, too_large_text=TOO_LARGE_OLD, bumps_idempotent_epoch=False,
    transactional_connecting_ms=(95, 118), offsets_carry_member=False, partition_joins_before_append=True, old_epoch_text="",
    awaited_too_long_text="Timeout expired after {limit_ms}milliseconds while awaiting {operation}",
    counts_polls_and_rebalances=False,
    admin_lacks={"alter_consumer_group_offsets": "KIP-396 (2.5)", "list_offsets": "KIP-396 (2.5)",
                 "delete_consumer_group_offsets": "KIP-496 (2.4)", "elect_leaders": "KIP-460 (2.4)"},
)
V2_2 = replace(V2_3, name="2.2", release="2.2.2", commit_id="1d348535a0a747d1", least_loaded=fewest_unanswered,
               transactional_connecting_ms=(165, 205), aborts_when_closed=False, limits_transactional_calls=False, fenced_text="",
               awaited_too_long_text="Timeout expired while initializing transactional state in {limit_ms}ms.",
               metadata_has_log_context=False, validates_positions=False, list_offsets_with_epoch=False, fetches_with_epoch=False, mentions_empty_fetches=True,
               sticky_knows_generations=False)
V2_1 = replace(V2_2, name="2.1", release="2.1.1", commit_id="21234bee31165527", cluster_in_hash_order=False,
               brackets_partitions=True, bootstrap_needs_update=False,
               warns_of_bootstrap_disconnect=False)

PROFILES: Mapping[str, Profile] = {p.name: p for p in (V2_1, V2_2, V2_3, V2_8, V3_6, V3_9, V4_0, V4_4)}


def profile_of(version: str) -> tuple[Profile, str | None]:
    """The Profile of a version as people write it ("3.9", "3.9.2") and, where a patch release stands for another, a note saying so.

    Raises ValueError naming the versions there are.
    """
    parts = str(version).split(".")
    profile = PROFILES.get(".".join(parts[:2]))
    if profile is None or not all(part.isdigit() for part in parts):
        raise IllegalArgumentException(f"there is no client version {version!r} here; choose one of {', '.join(PROFILES)}")
    note = None
    if len(parts) > 2 and version != profile.release:
        note = f"client {version} is played as {profile.release}, the recorded release of {profile.name}"
    return profile, note
