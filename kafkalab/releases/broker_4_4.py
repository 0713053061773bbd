"""Broker 4.4: what differs from 2.3."""

from __future__ import annotations

from kafkalab.errors import Errors
from kafkalab.protocol.messages import FinalizedFeatureKey, SupportedFeatureKey
from kafkalab.releases.broker_profile import FROM_EMPTY, BrokerChange, BrokerPage, ControllerWords, Tools
from kafkalab.releases.page import GONE

OFFERS = {
    "Produce": (0, 13), "Fetch": (4, 18), "ListOffsets": (1, 11), "Metadata": (0, 13), "OffsetCommit": (2,
    10), "OffsetFetch": (1, 10), "FindCoordinator": (0, 6), "JoinGroup": (0, 9), "Heartbeat": (0, 4),
    "LeaveGroup": (0, 5), "SyncGroup": (0, 5), "DescribeGroups": (0, 6), "ListGroups": (0, 5),
    "ApiVersions": (0, 5), "CreateTopics": (2, 7), "DeleteTopics": (1, 6), "DeleteRecords": (0, 2),
    "InitProducerId": (0, 5), "OffsetForLeaderEpoch": (2, 4), "AddPartitionsToTxn": (0, 5),
    "AddOffsetsToTxn": (0, 4), "EndTxn": (0, 5), "WriteTxnMarkers": (1, 2), "TxnOffsetCommit": (0, 6),
    "DescribeAcls": (1, 3), "CreateAcls": (1, 3), "DeleteAcls": (1, 3), "DescribeConfigs": (1, 4),
    "AlterConfigs": (0, 2), "AlterReplicaLogDirs": (1, 2), "DescribeLogDirs": (1, 5), "SaslAuthenticate":
    (0, 2), "CreatePartitions": (0, 3), "CreateDelegationToken": (1, 3), "RenewDelegationToken": (1, 2),
    "ExpireDelegationToken": (1, 2), "DescribeDelegationToken": (1, 3), "DeleteGroups": (0, 3),
    "ElectLeaders": (0, 2), "IncrementalAlterConfigs": (0, 1), "AlterPartitionReassignments": (0, 1),
    "ListPartitionReassignments": (0, 0), "OffsetDelete": (0, 0), "DescribeClientQuotas": (0, 1),
    "AlterClientQuotas": (0, 1), "DescribeUserScramCredentials": (0, 0), "AlterUserScramCredentials": (0,
    0), "DescribeQuorum": (0, 2), "UpdateFeatures": (0, 2), "DescribeCluster": (0, 2), "DescribeProducers":
    (0, 0), "UnregisterBroker": (0, 0), "DescribeTransactions": (0, 0), "ListTransactions": (0, 2),
    "ConsumerGroupHeartbeat": (0, 1), "ConsumerGroupDescribe": (0, 1), "ListClientMetricsResources": (0, 1),
    "DescribeTopicPartitions": (0, 0), "ShareGroupHeartbeat": (1, 1), "ShareGroupDescribe": (1, 1),
    "ShareFetch": (1, 2), "ShareAcknowledge": (1, 2), "AddRaftVoter": (0, 1), "RemoveRaftVoter": (0, 0),
    "InitializeShareGroupState": (0, 0), "ReadShareGroupState": (0, 0), "WriteShareGroupState": (0, 1),
    "DeleteShareGroupState": (0, 0), "ReadShareGroupStateSummary": (0, 1), "StreamsGroupHeartbeat": (0, 1),
    "StreamsGroupDescribe": (0, 1), "DescribeShareGroupOffsets": (0, 1), "AlterShareGroupOffsets": (0, 0),
    "DeleteShareGroupOffsets": (0, 0), "StreamsGroupTopologyDescriptionUpdate": (0, 0),
    "UnregisterController": (0, 0),
    "LeaderAndIsr": GONE, "StopReplica": GONE, "UpdateMetadata": GONE, "ControlledShutdown": GONE,
}
SUPPORTED = tuple(SupportedFeatureKey(name=name, min_version=low, max_version=high) for name, low, high in (
    ("group.version", 0, 1), ("kraft.version", 0, 1), ("metadata.version", 7, 33), ("share.version", 0, 2),
    ("streams.version", 0, 1), ("transaction.version", 0, 2), ("eligible.leader.replicas.version", 0, 1)))
FINALIZED = tuple(FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level) for name, level in (
    ("group.version", 1), ("streams.version", 1), ("transaction.version", 2),
    ("eligible.leader.replicas.version", 1), ("share.version", 2), ("metadata.version", 33)))
CONTROLLER_WORDS = ControllerWords(
    illegal_name="since 3.0",
    collision="Topic '{topic}' collides with existing topic: {other}",
    no_replicas="Replication factor must be larger than 0, or -1 to use the default value.",
    no_partitions="Number of partitions was set to an invalid non-positive value.",
    too_many_replicas="Unable to replicate the partition {replicas} time(s): The target replication factor of {replicas} cannot be reached "
                      "because only {brokers} broker(s) are registered or some brokers have all their log directories cordoned.",
    duplicate_replica="The manual partition assignment includes the broker more than once.",
    unknown_replica="The manual partition assignment includes broker {broker}, but no such broker is registered.",
    no_such_topic="This server does not host this topic-partition.",
    same_partitions="Topic already has {before} partition(s).",
    fewer_partitions="The topic {topic} currently has {before} partition(s); {count} would not be an increase.",
)
TOOLS = Tools(
    members="with epochs",
    state="with epochs",
    tells_epoch=True,
    by_number=False,
    lists_states=True,
    says_not_found="Error: Executing consumer group command failed due to "
                   "org.apache.kafka.common.errors.GroupIdNotFoundException: Group {group} not found.",
    delete_cause="{error}",
    resets_as_named=False,
    topic_line="Topic: {name}\tTopicId: {id}\tPartitionCount: {partitions}\tReplicationFactor: {replicas}\tConfigs: {configs}\n",
    tells_elr=True,
    sets_min_isr=True,
    says_created="Created topic {topic}.\n",
    offsets_as_text=True,
    no_topic="Could not match any topic-partitions with the specified filters",
    log_dirs_first=False,
    dump_first="Log starting offset",
    dump_horizon=" deleteHorizonMs: OptionalLong.empty",
    dump_no_compression="none",
    dump_key_size="keySize",
    dump_value_size="valueSize",
    tells_transactions=True,
)
BROKER_OTHER = {
    "listeners": ("PLAINTEXT://:9092",), "message.max.bytes": 1048588, "metric.reporters":
    ("org.apache.kafka.common.metrics.JmxReporter",), "num.recovery.threads.per.data.dir": 2,
    "replica.lag.time.max.ms": 30000, "transaction.abort.timed.out.transaction.cleanup.interval.ms": 10000,
}
BROKER_NEW = {
    "add.partitions.to.txn.retry.backoff.max.ms": 100, "add.partitions.to.txn.retry.backoff.ms": 20,
    "broker.heartbeat.interval.ms": 2000, "broker.session.timeout.ms": 9000, "compression.gzip.level": -1,
    "compression.lz4.level": 9, "compression.zstd.level": 3, "config.providers": (),
    "controller.listener.names": None, "controller.performance.always.log.threshold.ms": 2000,
    "controller.performance.sample.period.ms": 60000, "controller.quorum.append.linger.ms": 25,
    "controller.quorum.auto.join.enable": False, "controller.quorum.bootstrap.servers": (),
    "controller.quorum.election.backoff.max.ms": 1000, "controller.quorum.election.timeout.ms": 1000,
    "controller.quorum.fetch.max.bytes": 1048576, "controller.quorum.fetch.snapshot.max.bytes": 1048576,
    "controller.quorum.fetch.timeout.ms": 2000, "controller.quorum.request.timeout.ms": 2000,
    "controller.quorum.retry.backoff.ms": 20, "controller.quorum.voters": (), "controller.quota.window.num":
    11, "controller.quota.window.size.seconds": 1, "cordoned.log.dirs": (),
    "errors.deadletterqueue.auto.create.topics.enable": False, "errors.deadletterqueue.topic.name.prefix":
    "dlq.", "fetch.max.bytes": 57671680, "follower.fetch.last.tiered.offset.enable": False,
    "group.consumer.assignment.interval.ms": 1000, "group.consumer.assignor.offload.enable": True,
    "group.consumer.assignors": ("uniform", "range"), "group.consumer.heartbeat.interval.ms": 5000,
    "group.consumer.max.assignment.interval.ms": 15000, "group.consumer.max.heartbeat.interval.ms": 15000,
    "group.consumer.max.session.timeout.ms": 60000, "group.consumer.max.size": 2147483647,
    "group.consumer.migration.policy": "bidirectional", "group.consumer.min.assignment.interval.ms": 0,
    "group.consumer.min.heartbeat.interval.ms": 5000, "group.consumer.min.session.timeout.ms": 45000,
    "group.consumer.regex.refresh.interval.ms": 600000, "group.consumer.session.timeout.ms": 45000,
    "group.coordinator.append.linger.ms": -1, "group.coordinator.background.threads": 2,
    "group.coordinator.cached.buffer.max.bytes": 1048588, "group.coordinator.rebalance.protocols": ("classic",
    "consumer", "streams"), "group.coordinator.threads": 4, "group.share.assignment.interval.ms": 1000,
    "group.share.assignor.offload.enable": True, "group.share.assignors": ("simple",),
    "group.share.delivery.count.limit": 5, "group.share.dlq.manager.class.name":
    "org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager", "group.share.heartbeat.interval.ms":
    5000, "group.share.initialize.retry.interval.ms": 30000, "group.share.max.assignment.interval.ms": 15000,
    "group.share.max.delivery.count.limit": 10, "group.share.max.heartbeat.interval.ms": 15000,
    "group.share.max.partition.max.record.locks": 4000, "group.share.max.record.lock.duration.ms": 60000,
    "group.share.max.session.timeout.ms": 60000, "group.share.max.share.sessions": 2000,
    "group.share.max.size": 200, "group.share.min.assignment.interval.ms": 0,
    "group.share.min.delivery.count.limit": 2, "group.share.min.heartbeat.interval.ms": 5000,
    "group.share.min.partition.max.record.locks": 100, "group.share.min.record.lock.duration.ms": 15000,
    "group.share.min.session.timeout.ms": 45000, "group.share.partition.max.record.locks": 2000,
    "group.share.persister.class.name": "org.apache.kafka.server.share.persister.DefaultStatePersister",
    "group.share.record.lock.duration.ms": 30000, "group.share.session.timeout.ms": 45000,
    "group.streams.acceptable.recovery.lag": 10000, "group.streams.assignment.interval.ms": 1000,
    "group.streams.assignor.offload.enable": True, "group.streams.assignors": ("sticky",),
    "group.streams.heartbeat.interval.ms": 5000, "group.streams.initial.rebalance.delay.ms": 3000,
    "group.streams.max.assignment.interval.ms": 15000, "group.streams.max.heartbeat.interval.ms": 15000,
    "group.streams.max.session.timeout.ms": 60000, "group.streams.max.size": 2147483647,
    "group.streams.max.standby.replicas": 2, "group.streams.max.warmup.replicas": 20,
    "group.streams.min.assignment.interval.ms": 0, "group.streams.min.heartbeat.interval.ms": 5000,
    "group.streams.min.session.timeout.ms": 45000, "group.streams.min.task.offset.interval.ms": 15000,
    "group.streams.num.standby.replicas": 0, "group.streams.num.warmup.replicas": 2,
    "group.streams.rack.aware.assignment.tags": (), "group.streams.session.timeout.ms": 45000,
    "group.streams.task.offset.interval.ms": 60000, "group.streams.topology.description.plugin.class": None,
    "initial.broker.registration.timeout.ms": 60000, "internal.metadata.delete.delay.millis": 60000,
    "internal.metadata.log.segment.bytes": None, "internal.metadata.max.batch.size.in.bytes": 8388608,
    "log.dir.failure.timeout.ms": 30000, "log.initial.task.delay.ms": 30000, "log.local.retention.bytes": -2,
    "log.local.retention.ms": -2, "log.message.timestamp.after.max.ms": 3600000,
    "log.message.timestamp.before.max.ms": 9223372036854775807, "log.remote.copy.lag.bytes": -1,
    "log.remote.copy.lag.ms": 0, "max.connection.creation.rate": 2147483647, "max.decompressed.message.bytes":
    2147483639, "max.request.partition.size.limit": 2000, "metadata.log.dir": None,
    "metadata.log.max.record.bytes.between.snapshots": 20971520, "metadata.log.max.snapshot.interval.ms":
    3600000, "metadata.log.segment.bytes": 1073741824, "metadata.log.segment.ms": 604800000,
    "metadata.max.idle.interval.ms": 500, "metadata.max.retention.bytes": 104857600,
    "metadata.max.retention.ms": 604800000, "node.id": None, "process.roles": None,
    "producer.id.expiration.check.interval.ms": 600000, "producer.id.expiration.ms": 86400000,
    "remote.fetch.max.wait.ms": 500, "remote.list.offsets.request.timeout.ms": 30000,
    "remote.log.index.file.cache.total.size.bytes": 1073741824, "remote.log.index.file.cache.ttl.ms": 900000,
    "remote.log.manager.copier.thread.pool.size": 10, "remote.log.manager.copy.max.bytes.per.second":
    9223372036854775807, "remote.log.manager.copy.quota.window.num": 11,
    "remote.log.manager.copy.quota.window.size.seconds": 1, "remote.log.manager.expiration.thread.pool.size":
    10, "remote.log.manager.fetch.max.bytes.per.second": 9223372036854775807,
    "remote.log.manager.fetch.quota.window.num": 11, "remote.log.manager.fetch.quota.window.size.seconds": 1,
    "remote.log.manager.follower.thread.pool.size": 2, "remote.log.manager.task.interval.ms": 30000,
    "remote.log.manager.task.retry.backoff.max.ms": 30000, "remote.log.manager.task.retry.backoff.ms": 500,
    "remote.log.manager.task.retry.jitter": 0.2, "remote.log.manager.thread.pool.size": 2,
    "remote.log.metadata.custom.metadata.max.bytes": 128, "remote.log.metadata.manager.class.name":
    "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager",
    "remote.log.metadata.manager.class.path": None, "remote.log.metadata.manager.impl.prefix": "rlmm.config.",
    "remote.log.metadata.manager.listener.name": None, "remote.log.reader.max.pending.tasks": 100,
    "remote.log.reader.threads": 10, "remote.log.storage.manager.class.name": None,
    "remote.log.storage.manager.class.path": None, "remote.log.storage.manager.impl.prefix": "rsm.config.",
    "remote.log.storage.system.enable": False, "replica.selector.class": None, "server.max.startup.time.ms":
    9223372036854775807, "share.coordinator.append.linger.ms": -1,
    "share.coordinator.cached.buffer.max.bytes": 1048588,
    "share.coordinator.cold.partition.snapshot.interval.ms": 300000, "share.coordinator.load.buffer.size":
    5242880, "share.coordinator.snapshot.update.records.per.snapshot": 500,
    "share.coordinator.state.topic.compression.codec": 0, "share.coordinator.state.topic.min.isr": 2,
    "share.coordinator.state.topic.num.partitions": 50, "share.coordinator.state.topic.prune.interval.ms":
    300000, "share.coordinator.state.topic.replication.factor": 3,
    "share.coordinator.state.topic.segment.bytes": 104857600, "share.coordinator.threads": 1,
    "share.coordinator.write.timeout.ms": 5000, "share.fetch.purgatory.purge.interval.requests": 1000,
    "socket.connection.setup.timeout.max.ms": 30000, "socket.connection.setup.timeout.ms": 10000,
    "socket.listen.backlog.size": 50, "telemetry.max.bytes": 1048576,
    "transaction.partition.verification.enable": True, "transaction.two.phase.commit.enable": False,
    "unclean.leader.election.interval.ms": 300000, "unstable.api.versions.enable": False,
    "unstable.feature.versions.enable": False,
}
BROKER_GONE = {
    "advertised.host.name": GONE, "advertised.port": GONE, "broker.id.generation.enable": GONE,
    "control.plane.listener.name": GONE, "controlled.shutdown.max.retries": GONE,
    "controlled.shutdown.retry.backoff.ms": GONE, "host.name": GONE, "inter.broker.protocol.version": GONE,
    "leader.imbalance.per.broker.percentage": GONE, "log.message.downconversion.enable": GONE,
    "log.message.format.version": GONE, "log.message.timestamp.difference.max.ms": GONE,
    "offsets.commit.required.acks": GONE, "port": GONE, "quota.consumer.default": GONE,
    "quota.producer.default": GONE, "reserved.broker.max.id": GONE, "zookeeper.connect": GONE,
    "zookeeper.connection.timeout.ms": GONE, "zookeeper.max.in.flight.requests": GONE,
    "zookeeper.session.timeout.ms": GONE, "zookeeper.sync.time.ms": GONE,
}
TOPIC_OTHER = {
    "max.message.bytes": 1048588,
}
TOPIC_NEW = {
    "compression.gzip.level": -1, "compression.lz4.level": 9, "compression.zstd.level": 3,
    "errors.deadletterqueue.group.enable": False, "internal.segment.bytes": None, "local.retention.bytes": -2,
    "local.retention.ms": -2, "max.decompressed.message.bytes": 2147483639, "message.timestamp.after.max.ms":
    3600000, "message.timestamp.before.max.ms": 9223372036854775807, "remote.copy.lag.bytes": -1,
    "remote.copy.lag.ms": 0, "remote.log.copy.disable": False, "remote.log.delete.on.disable": False,
    "remote.storage.enable": False,
}
TOPIC_GONE = {
    "message.downconversion.enable": GONE, "message.format.version": GONE,
    "message.timestamp.difference.max.ms": GONE,
}

PAGE = BrokerPage("4.4", (
    # The cluster
    BrokerChange("KIP-500", "Brokers beat to a controller quorum, which fences them; before, each held a session of ZooKeeper.",
                 {"is_kraft": True, "noticed_late_ms": (0, 800), "unfenced_after_ms": (60, 150), "catches_up_ms": (0, 20)}),
    BrokerChange("recordings", "A broker takes longer to start.", {"starting_ms": (2_400, 4_900)}),
    BrokerChange("recordings", "METADATA sorts brokers and partitions by number, and has another error without a leader.",
                 {"lists_in_scala_map_order": False, "leaderless_error": Errors.LEADER_NOT_AVAILABLE}),
    BrokerChange("KIP-590 (2.8)", "A broker passes an administrator's wishes on to the controller.", {"forwards_to_controller": True}),
    BrokerChange("recordings", "The controller refuses in other words.", {"controller_words": CONTROLLER_WORDS}),
    BrokerChange("KIP-966 (4.0)", "A replica that leaves a small ISR may still be elected; the high watermark waits for a large enough ISR.",
                 {"eligible_leader_replicas": True, "watermark_waits_for_min_isr": True, "min_isr_is_effective": True}),
    BrokerChange("KAFKA-15021 (3.6)", "The leader epoch is not raised where the ISR shrinks.", {"shrink_raises_epoch": False}),
    BrokerChange("KIP-584 (2.7)", "The cluster has features, each at a level of its own.",
                 {"supported_features": SUPPORTED, "finalized_features": FINALIZED, "finalized_features_epoch": 500}),
    # Replication and logs
    BrokerChange("KIP-537 (2.5)", "A follower may lag for thirty seconds.", {"replica_lag_time_max_ms": 30_000}),
    BrokerChange("KIP-595 (2.7)", "A fetch carries the last epoch, and its answer says where the logs part.", {"asks_for_epochs": False}),
    BrokerChange("KIP-951 (3.7)", "Errors about leadership name the new leader and its address.", {"hints_new_leader": True}),
    BrokerChange("KIP-1030 (4.0)", "A segment has at least one MiB.", {"smallest_segment_bytes": 1_048_576}),
    BrokerChange("KIP-534 (3.1)", "Compaction notes in a batch until when its tombstones stay.", {"stamps_delete_horizon": True}),
    BrokerChange("KIP-467 (2.5)", "A record without a key on a compacted topic gets an error of its own.",
                 {"keyless_error": Errors.INVALID_RECORD}),
    # Groups
    BrokerChange("KAFKA-10122 (2.7)", "A heartbeat before the leader's assignment is answered with NONE.",
                 {"heartbeat_while_completing": Errors.NONE}),
    BrokerChange("KIP-848 (4.0)", "The group coordinator is written anew: its initial delay is extended whenever the group was empty.",
                 {"initial_delay_extends": FROM_EMPTY, "no_error_message": ""}),
    BrokerChange("KAFKA-12890 (3.0)", "A member that joined but does not sync is dropped.", {"drops_members_without_sync": True}),
    BrokerChange("KIP-496 (2.4)", "A group at work loses old offsets of topics nobody in it reads any more.",
                 {"expires_unsubscribed_topics": True}),
    # Producers and transactions
    BrokerChange("KIP-360 (2.5)", "A producer nobody remembers may begin with any sequence number.", {"accepts_unknown_producer": True}),
    BrokerChange("KIP-854 (3.4)", "An idle producer's sequences are remembered for a day.", {"producer_ids_expire_apart": True}),
    BrokerChange("KIP-730", "Producer ids come in blocks from the controller, asked for in the background.",
                 {"fetches_producer_ids_late": True}),
    BrokerChange("KAFKA-9144 (2.5)", "Transactions that took too long are looked for every ten seconds.",
                 {"aborts_timed_out_every_ms": 10_000}),
    BrokerChange("KIP-588 (2.7)", "PRODUCER_FENCED tells a fenced producer from one that can mend its epoch.", {"fences_by_name": True}),
    BrokerChange("KIP-890 (3.6, 4.0)", "A leader asks the coordinator before it takes a transaction's first batch; every transaction "
                                       "ends with a new epoch.",
                 {"verifies_transactions": True, "transaction_version": 2}),
    # Requests, tools, configuration
    BrokerChange("KIP-511 (2.4)", "An ApiVersions request in an unknown version is refused with the range of known ones.",
                 {"names_own_range": True}),
    BrokerChange("recordings", "The ranges of its ApiVersions answer.", offers=OFFERS),
    BrokerChange("recordings", "The tools print other tables and sentences.", {"tools": TOOLS}),
    BrokerChange("KafkaConfig of 4.4.0", "Other defaults.", config=BROKER_OTHER, topic_config=TOPIC_OTHER),
    BrokerChange("KafkaConfig of 4.4.0", "New keys.", config=BROKER_NEW, topic_config=TOPIC_NEW),
    BrokerChange("KafkaConfig of 4.4.0", "Keys that are gone.", config=BROKER_GONE, topic_config=TOPIC_GONE),
))
