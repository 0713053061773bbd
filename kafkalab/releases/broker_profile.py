"""BrokerProfile: what one release of the broker does, each field with the change that made it.

Code asks a profile's field and never compares releases. The broker's `wire_changes` hold what the
version of a *request* changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from kafkalab.errors import Errors
from kafkalab.protocol.frozen import message, record
from kafkalab.protocol.messages import ApiVersion, FinalizedFeatureKey, SupportedFeatureKey
from kafkalab.releases.api_names import API_NUMBERS
from kafkalab.releases.page_text import GONE, Change, Makers, read_page, settings_of

FIRST_GENERATION = "before the first generation"


@message
class ControllerWords:
    """The sentences with which a controller refuses; the names in braces are filled in.

    Seen on 2.3.1 and 4.4.0 with kafka-topics; those a tool's own check hides are from AdminUtils,
    AdminZkClient
    and ReplicationControlManager.
    """

    illegal_name: str
    """The sentences for a bad topic name: a name in the broker's admin_texts."""
    collision: str
    no_replicas: str
    no_partitions: str
    too_many_replicas: str
    empty_assignment: str
    duplicate_replica: str
    unknown_replica: str
    no_such_topic: str
    same_partitions: str
    fewer_partitions: str


@message
class Tools:
    """What the command-line tools of a release print, read off the real tools' output.

    Those of 2.3.1 were run on a 2.3.1 broker, those of 4.1.0 on a 4.4.0 broker.
    """

    members: str
    """The layout of --members: a name in tools/group_tables.py."""
    state: str
    """The layout of --state: a name in tools/group_tables.py."""
    tells_epoch: bool
    """--offsets --verbose has leader epochs."""
    by_number: bool
    """A member's partitions are in ascending order."""
    lists_states: bool
    """--list knows --state and --type (KIP-518, KIP-848)."""
    says_not_found: str
    """The text for an unknown group."""
    delete_cause: str
    """How a refused deletion names its cause."""
    resets_as_named: bool
    """A reset lists partitions as they were named, not in a hash map's order."""
    topic_line: str
    """kafka-topics' line about a topic."""
    tells_elr: bool
    """It prints the eligible leader replicas of each partition (KIP-966)."""
    sets_min_isr: bool
    """The cluster sets min.insync.replicas for every topic (KIP-966)."""
    topics_names_missing: bool
    """kafka-topics --describe names a topic that does not exist; it takes --if-not-exists."""
    topics_exists: str
    """Its text for --create of a topic that exists."""
    says_created: str
    """What follows --create."""
    offsets_as_text: bool
    """kafka-get-offsets sorts its lines as text."""
    offsets_unknown: bool
    """kafka-get-offsets prints a line for a partition without such an offset."""
    no_topic: str
    """The text for a topic that has no offsets."""
    log_dirs_first: bool
    """A log dir's JSON begins with its name, the whole with a version."""
    dump_first: str
    """kafka-dump-log: the first offset."""
    dump_horizon: bool
    """kafka-dump-log prints the delete horizon."""
    dump_tombstone_key: bool
    """kafka-dump-log prints the key of a record without a value."""
    dump_no_compression: str
    """kafka-dump-log: no compression."""
    dump_key_size: str
    """kafka-dump-log: a key's size."""
    dump_value_size: str
    """kafka-dump-log: a value's size."""
    tells_transactions: bool
    """Brokers can be asked for transactions (KIP-664)."""
    tells_share_groups: bool
    """There is a kafka-share-groups (KIP-932)."""
    console_acks: str
    """kafka-console-producer's acks."""
    console_prompts: bool
    """kafka-console-producer prints a > before each line, also where no person types."""
    console_no_key: str
    """Its text for a line without a key."""
    console_null_marker: bool
    """It knows null.marker (KIP-810)."""
    console_renames: bool
    """--property is called --reader-property and --formatter-property now (KIP-1147, 4.2)."""
    console_parts: tuple[str, ...]
    """What kafka-console-consumer can print of a record besides key and value."""
    console_says_timeout: bool
    """It reports the end of --timeout-ms as an error."""
    configs_heading: str
    """kafka-configs' text before a topic's settings."""
    configs_with_synonyms: bool
    """It prints a setting a line, each with its synonyms (KIP-226)."""
    configs_unknown: str
    """Its text for an unknown topic."""
    configs_altered: str
    """Its text after --alter."""


@message
class BrokerProfile:
    """One release of the broker; `name` is what Lab(broker_version=...) takes."""

    name: str
    lists_in_scala_map_order: bool
    """METADATA lists brokers and partitions in the order of Scala's LongMap (MetadataCache of the
    ZooKeeper era); a KRaft broker sorts them by number. Seen in every recorded answer."""
    no_error_message: str
    """ErrorMessage of a FindCoordinator answer that carries no error."""
    created_topic_error: Errors
    """What METADATA says of a topic that it has just made the controller create
    (AutoTopicCreationManager; before KIP-590 the broker created it)."""
    leaderless_error: Errors
    """METADATA's error for a partition whose leader is gone. Recorded: 72 on 2.3.1, 5 on 4.4.0."""
    heartbeat_while_completing: Errors
    """Answer to a HEARTBEAT between the end of the join phase and the leader's assignment.
    Heartbeats used
    to begin after the sync; clients that begin right after the join need NONE (KAFKA-10134)."""
    initial_delay_extends: str
    """In which state a member that joins during the initial delay extends it: FIRST_GENERATION in
    the Scala coordinator, whenever the group was empty in the one rewritten for KIP-848."""
    drops_members_without_sync: bool
    """A member that joined but does not sync within the rebalance timeout is dropped (3.0,
    KAFKA-12890)."""
    expires_unsubscribed_topics: bool
    """An active group loses old offsets of topics that no member reads any more (KIP-496, 2.4)."""
    accepts_unknown_producer: bool
    """An unknown producer may begin with any sequence number (KIP-360, 2.5); before, the answer was
    UNKNOWN_PRODUCER_ID."""
    producer_ids_expire_apart: bool
    """An idle producer's sequences are remembered for producer.id.expiration.ms, a day (3.4,
    KIP-854);
    before for transactional.id.expiration.ms, seven days."""
    fetches_producer_ids_late: bool
    """Producer ids come in blocks from the controller and are asked for in the background, so a
    broker
    without a block answers its first INIT_PRODUCER_ID with COORDINATOR_LOAD_IN_PROGRESS
    (KIP-730)."""
    fences_by_name: bool
    """The transaction coordinator answers PRODUCER_FENCED to a fenced producer, and
    INVALID_PRODUCER_EPOCH for what a producer can repair by itself (KIP-588, 2.7)."""
    verifies_transactions: bool
    """A partition's leader asks the coordinator before it takes a transaction's first batch
    (KIP-890,
    3.6)."""
    transaction_version: int
    """The finalized level of that feature; from 2 on every transaction ends with a new epoch, and
    partitions and groups join it by being written to (KIP-890, 4.0)."""
    names_own_range: bool
    """An ApiVersions request in an unknown version is refused together with the range of versions
    the
    broker does know (KIP-511, 2.4); before, with an empty list."""
    hints_new_leader: bool
    """Errors about leadership name the new leader and its address (KIP-951, 3.7)."""
    forwards_to_controller: bool
    """A broker forwards an administrator's requests to the controller (KIP-590, 2.8); before, it
    sent the client there with NOT_CONTROLLER."""
    asks_for_epochs: bool
    """A follower asks where its last epoch ended before it fetches (KIP-101); since 2.7 the fetch
    itself carries the epoch, and the answer says where the logs diverge (KIP-595)."""
    watermark_waits_for_min_isr: bool
    """The high watermark does not move while the ISR is smaller than min.insync.replicas
    (KIP-966)."""
    serves_from_followers: bool
    """A follower answers a consumer that fetches with version 11 or later, and a leader may name a
    follower to read from (KIP-392, 2.4)."""
    caps_fetches_by_quota: bool
    """A fetch brings no more than what a reader's quota allows in ten seconds (KAFKA-9677, 2.5)."""
    min_isr_is_effective: bool
    """Min.insync.replicas counts as no more than there are replicas."""
    smallest_segment_bytes: int
    """The least that segment.bytes may be; a MiB since 4.0 (KIP-1030)."""
    stamps_delete_horizon: bool
    """Compaction notes in a batch until when its tombstones stay (KIP-534, 3.1); before, a
    segment's age
    counted."""
    keyless_error: Errors
    """The error of a record without a key on a compacted topic (KIP-467, 2.5)."""
    timestamp_ahead_max_ms: int
    """How far a record's time may be ahead of the broker's (message.timestamp.after.max.ms of
    KIP-937); an hour since 4.0 (KIP-1030)."""
    operations_not_asked_for: int
    """What METADATA and DESCRIBE_GROUPS tell of authorized operations when nobody asks for them
    (KIP-430). Recorded: 0 on 2.3.1, the lowest int on 4.4.0."""
    describes_assignment_twice: bool
    """DESCRIBE_GROUPS gives a member's assignment in the place of its metadata as well. Recorded on
    2.3.1, and in the class files of its KafkaApis."""
    is_kraft: bool
    """Brokers send heartbeats to a controller quorum (KIP-500), which fences them; before, each
    holds a session of ZooKeeper."""
    eligible_leader_replicas: bool
    """A replica that leaves an ISR below min.insync.replicas may still be elected (KIP-966)."""
    shrink_raises_epoch: bool
    """A replica that the controller takes out of the ISR raises the leader epoch (until 3.6,
    KAFKA-15021)."""
    noticed_late_ms: tuple[int, int]
    """From the end of a broker's session to its loss being known everywhere, shortest and longest:
    ZooKeeper rounds sessions up to its tick, the quorum looks for stale brokers at intervals. With
    the session's length and the age of the last sign of life this gives 4.9-6.4 s (2.3.1) and
    7.5-9.8 s (4.4.0), as recorded."""
    isr_change_ms: int
    """How long it takes to have an ISR confirmed (ZooKeeper's write; ALTER_PARTITION since 2.7,
    KIP-497)."""
    move_ms: int
    """How long the controller takes to elect and to make it known."""
    starting_ms: tuple[int, int]
    """From the start of the process to an open port, shortest and longest seen in recordings."""
    unfenced_after_ms: tuple[int, int]
    """From the open port until the controller lets the broker lead again, and from then until the
    broker
    itself has heard of it: until then it refuses what others already send to it. Seen in
    recordings: 42 refused fetches in 0.22 s (2.3.1), 36 in 0.09 s (4.4.0)."""
    catches_up_ms: tuple[int, int]
    """From the open port until the controller lets the broker lead again, and from then until the
    broker
    itself has heard of it: until then it refuses what others already send to it. Seen in
    recordings: 42 refused fetches in 0.22 s (2.3.1), 36 in 0.09 s (4.4.0)."""
    finalized_features_epoch: int
    """What ApiVersions v3 and later reports (KIP-584); -1 where there are no features."""
    apis: tuple[ApiVersion, ...]
    """The ranges that it answers to ApiVersions, by number; read off real brokers."""
    supported_features: tuple[SupportedFeatureKey, ...]
    """The features it supports, in the order in which it lists them (KIP-584)."""
    finalized_features: tuple[FinalizedFeatureKey, ...]
    """The features that are finalized, in the order in which it lists them (KIP-584)."""
    controller_words: ControllerWords
    """The words of its controller's refusals."""
    rebalance_reasons: Mapping[str, str]
    """Why a rebalance begins -> what its line says in brackets; the names in braces are filled
    in."""
    tools: Tools
    """The texts of the tools of its release."""
    config: Mapping[str, Mapping[str, object]]
    """Kind ("broker", "topic") -> key -> the default, where it is not that of 2.3."""


def ranges(offered: Mapping[str, tuple[int, int]]) -> tuple[ApiVersion, ...]:
    """API -> oldest and newest version, as an ApiVersions answer lists them."""
    return tuple(
        ApiVersion(api_key=API_NUMBERS[api], min_version=low, max_version=high)
        for api, (low, high) in sorted(offered.items(), key=lambda row: API_NUMBERS[row[0]])
    )


FIELDS = {each.name: "sets" for each in fields(BrokerProfile)}
MAKERS: Makers = {
    "tools": lambda given: Tools(**given),
    "controller_words": lambda given: ControllerWords(**given),
    "created_topic_error": Errors.__getitem__,
    "leaderless_error": Errors.__getitem__,
    "keyless_error": Errors.__getitem__,
    "heartbeat_while_completing": Errors.__getitem__,
    "supported_features": lambda rows: tuple(
        SupportedFeatureKey(name=name, min_version=low, max_version=high)
        for name, low, high in rows
    ),
    "finalized_features": lambda rows: tuple(
        FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level)
        for name, level in rows
    ),
}


def broker_page(release: str, file: str, text: str) -> BrokerPage:
    """The page of a broker release, read from the text of its file."""
    return BrokerPage(release, read_page(file, text, FIELDS, MAKERS))


@record
class BrokerPage:
    """The changes between `release` and the broker release before it.

    Their sections are "sets" (fields of BrokerProfile), "offers" (API -> oldest and newest
    version), "config" and "topic_config" (key -> default). GONE: there is none any more.
    """

    release: str
    changes: tuple[Change, ...]

    def applied_to(self, before: BrokerProfile) -> BrokerProfile:
        """The profile of `release`. Raises ValueError where two changes set the same."""
        numbers = {number: api for api, number in API_NUMBERS.items()}
        found: dict[str, dict[str, Any]] = {
            "sets": {"name": self.release},
            "offers": {
                numbers[span.api_key]: (span.min_version, span.max_version) for span in before.apis
            },
            "config": dict(before.config["broker"]),
            "topic_config": dict(before.config["topic"]),
        }
        for (section, name), value in settings_of(self.release, self.changes).items():
            found[section][name] = value
        return replace(
            before,
            **found["sets"],
            apis=ranges({api: span for api, span in found["offers"].items() if span is not GONE}),
            config={"broker": found["config"], "topic": found["topic_config"]},
        )
