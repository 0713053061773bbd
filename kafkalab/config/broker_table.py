"""The table of broker settings (KafkaConfig, LogConfig) without encryption and login. A row holds
the key, its type, its default, and in brackets the values that it may have.

The default is that of release 2.3, `-` where 2.3 does not know the key; other defaults are on the
page of their release. The source is KafkaConfig and LogConfig of 2.3.1 and 4.4.0.
`kafkalab.broker.broker_config` says which of them the lab's brokers act on.
"""

BROKER_TABLE = """
add.partitions.to.txn.retry.backoff.max.ms                  INT      -  [0..]
add.partitions.to.txn.retry.backoff.ms                      INT      -  [1..]
advertised.host.name                                        STRING   null
advertised.listeners                                        LIST     null
advertised.port                                             INT      null
alter.config.policy.class.name                              CLASS    null
alter.log.dirs.replication.quota.window.num                 INT      11  [1..]
alter.log.dirs.replication.quota.window.size.seconds        INT      1  [1..]
auto.create.topics.enable                                   BOOLEAN  true
auto.leader.rebalance.enable                                BOOLEAN  true
background.threads                                          INT      10  [1..]
broker.heartbeat.interval.ms                                INT      -
broker.id                                                   INT      -1
broker.id.generation.enable                                 BOOLEAN  true
broker.rack                                                 STRING   null
broker.session.timeout.ms                                   INT      -
client.quota.callback.class                                 CLASS    null
compression.gzip.level                                      INT      -  [gzip]
compression.lz4.level                                       INT      -  [1..17]
compression.type                                            STRING   producer  [uncompressed|zstd|lz4|snappy|gzip|producer]
compression.zstd.level                                      INT      -  [-131072..22]
config.providers                                            LIST     -
connection.failed.authentication.delay.ms                   INT      100  [0..]
connections.max.idle.ms                                     LONG     600000
connections.max.reauth.ms                                   LONG     0
control.plane.listener.name                                 STRING   null
controlled.shutdown.enable                                  BOOLEAN  true
controlled.shutdown.max.retries                             INT      3
controlled.shutdown.retry.backoff.ms                        LONG     5000
controller.listener.names                                   LIST     -
controller.performance.always.log.threshold.ms              LONG     -  [0..]
controller.performance.sample.period.ms                     LONG     -  [100..]
controller.quorum.append.linger.ms                          INT      -  [0..]
controller.quorum.auto.join.enable                          BOOLEAN  -
controller.quorum.bootstrap.servers                         LIST     -
controller.quorum.election.backoff.max.ms                   INT      -  [0..]
controller.quorum.election.timeout.ms                       INT      -  [0..]
controller.quorum.fetch.max.bytes                           INT      -  [1..]
controller.quorum.fetch.snapshot.max.bytes                  INT      -  [1..]
controller.quorum.fetch.timeout.ms                          INT      -  [0..]
controller.quorum.request.timeout.ms                        INT      -  [0..]
controller.quorum.retry.backoff.ms                          INT      -  [0..]
controller.quorum.voters                                    LIST     -
controller.quota.window.num                                 INT      -  [1..]
controller.quota.window.size.seconds                        INT      -  [1..]
controller.socket.timeout.ms                                INT      30000
cordoned.log.dirs                                           LIST     -
create.topic.policy.class.name                              CLASS    null
default.replication.factor                                  INT      1
delete.records.purgatory.purge.interval.requests            INT      1
delete.topic.enable                                         BOOLEAN  true
errors.deadletterqueue.auto.create.topics.enable            BOOLEAN  -
errors.deadletterqueue.topic.name.prefix                    STRING   -
fetch.max.bytes                                             INT      -  [1024..]
fetch.purgatory.purge.interval.requests                     INT      1000
follower.fetch.last.tiered.offset.enable                    BOOLEAN  -
group.consumer.assignment.interval.ms                       INT      -  [0..]
group.consumer.assignor.offload.enable                      BOOLEAN  -
group.consumer.assignors                                    LIST     -
group.consumer.heartbeat.interval.ms                        INT      -  [1..]
group.consumer.max.assignment.interval.ms                   INT      -  [0..]
group.consumer.max.heartbeat.interval.ms                    INT      -  [1..]
group.consumer.max.session.timeout.ms                       INT      -  [1..]
group.consumer.max.size                                     INT      -  [1..]
group.consumer.migration.policy                             STRING   -  [disabled|downgrade|upgrade|bidirectional|DISABLED|DOWNGRADE|UPGRADE|BIDIRECTIONAL]
group.consumer.min.assignment.interval.ms                   INT      -  [0..]
group.consumer.min.heartbeat.interval.ms                    INT      -  [1..]
group.consumer.min.session.timeout.ms                       INT      -  [1..]
group.consumer.regex.refresh.interval.ms                    INT      -  [10000..]
group.consumer.session.timeout.ms                           INT      -  [1..]
group.coordinator.append.linger.ms                          INT      -  [-1..]
group.coordinator.background.threads                        INT      -  [1..]
group.coordinator.cached.buffer.max.bytes                   INT      -  [524288..]
group.coordinator.rebalance.protocols                       LIST     -  [consumer|classic|share|streams]
group.coordinator.threads                                   INT      -  [1..]
group.initial.rebalance.delay.ms                            INT      3000
group.max.session.timeout.ms                                INT      1800000
group.max.size                                              INT      2147483647  [1..]
group.min.session.timeout.ms                                INT      6000
group.share.assignment.interval.ms                          INT      -  [0..]
group.share.assignor.offload.enable                         BOOLEAN  -
group.share.assignors                                       LIST     -
group.share.delivery.count.limit                            INT      -  [2..10]
group.share.dlq.manager.class.name                          STRING   -
group.share.heartbeat.interval.ms                           INT      -  [1..]
group.share.initialize.retry.interval.ms                    INT      -  [1..]
group.share.max.assignment.interval.ms                      INT      -  [0..]
group.share.max.delivery.count.limit                        INT      -  [5..25]
group.share.max.heartbeat.interval.ms                       INT      -  [1..]
group.share.max.partition.max.record.locks                  INT      -  [2000..10000]
group.share.max.record.lock.duration.ms                     INT      -  [30000..3600000]
group.share.max.session.timeout.ms                          INT      -  [1..]
group.share.max.share.sessions                              INT      -  [1..]
group.share.max.size                                        INT      -  [1..1000]
group.share.min.assignment.interval.ms                      INT      -  [0..]
group.share.min.delivery.count.limit                        INT      -  [2..5]
group.share.min.heartbeat.interval.ms                       INT      -  [1..]
group.share.min.partition.max.record.locks                  INT      -  [100..2000]
group.share.min.record.lock.duration.ms                     INT      -  [1000..30000]
group.share.min.session.timeout.ms                          INT      -  [1..]
group.share.partition.max.record.locks                      INT      -  [100..10000]
group.share.persister.class.name                            STRING   -
group.share.record.lock.duration.ms                         INT      -  [1000..3600000]
group.share.session.timeout.ms                              INT      -  [1..]
group.streams.acceptable.recovery.lag                       LONG     -  [0..]
group.streams.assignment.interval.ms                        INT      -  [0..]
group.streams.assignor.offload.enable                       BOOLEAN  -
group.streams.assignors                                     LIST     -
group.streams.heartbeat.interval.ms                         INT      -  [1..]
group.streams.initial.rebalance.delay.ms                    INT      -  [0..]
group.streams.max.assignment.interval.ms                    INT      -  [0..]
group.streams.max.heartbeat.interval.ms                     INT      -  [1..]
group.streams.max.session.timeout.ms                        INT      -  [1..]
group.streams.max.size                                      INT      -  [1..]
group.streams.max.standby.replicas                          INT      -  [0..]
group.streams.max.warmup.replicas                           INT      -  [0..]
group.streams.min.assignment.interval.ms                    INT      -  [0..]
group.streams.min.heartbeat.interval.ms                     INT      -  [1..]
group.streams.min.session.timeout.ms                        INT      -  [1..]
group.streams.min.task.offset.interval.ms                   INT      -  [1..]
group.streams.num.standby.replicas                          INT      -  [0..]
group.streams.num.warmup.replicas                           INT      -  [0..]
group.streams.rack.aware.assignment.tags                    LIST     -
group.streams.session.timeout.ms                            INT      -  [1..]
group.streams.task.offset.interval.ms                       INT      -  [1..]
group.streams.topology.description.plugin.class             CLASS    -
host.name                                                   STRING   ""
initial.broker.registration.timeout.ms                      INT      -
inter.broker.listener.name                                  STRING   null
inter.broker.protocol.version                               STRING   2.3-IV1
internal.metadata.delete.delay.millis                       LONG     -
internal.metadata.log.segment.bytes                         INT      -
internal.metadata.max.batch.size.in.bytes                   INT      -
leader.imbalance.check.interval.seconds                     LONG     300  [1..]
leader.imbalance.per.broker.percentage                      INT      10
listeners                                                   LIST     null
log.cleaner.backoff.ms                                      LONG     15000  [0..]
log.cleaner.dedupe.buffer.size                              LONG     134217728
log.cleaner.delete.retention.ms                             LONG     86400000  [0..]
log.cleaner.enable                                          BOOLEAN  true
log.cleaner.io.buffer.load.factor                           DOUBLE   0.9
log.cleaner.io.buffer.size                                  INT      524288  [0..]
log.cleaner.io.max.bytes.per.second                         DOUBLE   1.7976931348623157E308
log.cleaner.max.compaction.lag.ms                           LONG     9223372036854775807  [1..]
log.cleaner.min.cleanable.ratio                             DOUBLE   0.5  [0..1]
log.cleaner.min.compaction.lag.ms                           LONG     0  [0..]
log.cleaner.threads                                         INT      1  [0..]
log.cleanup.policy                                          LIST     delete  [compact|delete]
log.dir                                                     LIST     /tmp/kafka-logs
log.dir.failure.timeout.ms                                  LONG     -  [1..]
log.dirs                                                    LIST     null
log.flush.interval.messages                                 LONG     9223372036854775807  [1..]
log.flush.interval.ms                                       LONG     null
log.flush.offset.checkpoint.interval.ms                     INT      60000  [0..]
log.flush.scheduler.interval.ms                             LONG     9223372036854775807
log.flush.start.offset.checkpoint.interval.ms               INT      60000  [0..]
log.index.interval.bytes                                    INT      4096  [0..]
log.index.size.max.bytes                                    INT      10485760  [4..]
log.initial.task.delay.ms                                   LONG     -  [0..]
log.local.retention.bytes                                   LONG     -  [-2..]
log.local.retention.ms                                      LONG     -  [-2..]
log.message.downconversion.enable                           BOOLEAN  true
log.message.format.version                                  STRING   2.3-IV1
log.message.timestamp.after.max.ms                          LONG     -  [0..]
log.message.timestamp.before.max.ms                         LONG     -  [0..]
log.message.timestamp.difference.max.ms                     LONG     9223372036854775807
log.message.timestamp.type                                  STRING   CreateTime  [CreateTime|LogAppendTime]
log.preallocate                                             BOOLEAN  false
log.remote.copy.lag.bytes                                   LONG     -  [-1..]
log.remote.copy.lag.ms                                      LONG     -  [-1..]
log.retention.bytes                                         LONG     -1
log.retention.check.interval.ms                             LONG     300000  [1..]
log.retention.hours                                         INT      168
log.retention.minutes                                       INT      null
log.retention.ms                                            LONG     null
log.roll.hours                                              INT      168  [1..]
log.roll.jitter.hours                                       INT      0  [0..]
log.roll.jitter.ms                                          LONG     null
log.roll.ms                                                 LONG     null
log.segment.bytes                                           INT      1073741824  [1048576..]
log.segment.delete.delay.ms                                 LONG     60000  [0..]
max.connection.creation.rate                                INT      -  [0..]
max.connections                                             INT      2147483647  [0..]
max.connections.per.ip                                      INT      2147483647  [0..]
max.connections.per.ip.overrides                            STRING   ""
max.decompressed.message.bytes                              INT      -  [1..2147483639]
max.incremental.fetch.session.cache.slots                   INT      1000  [0..]
max.request.partition.size.limit                            INT      -  [1..]
message.max.bytes                                           INT      1000012  [0..]
metadata.log.dir                                            STRING   -
metadata.log.max.record.bytes.between.snapshots             LONG     -  [1..]
metadata.log.max.snapshot.interval.ms                       LONG     -  [0..]
metadata.log.segment.bytes                                  INT      -  [8388608..]
metadata.log.segment.ms                                     LONG     -
metadata.max.idle.interval.ms                               INT      -  [0..]
metadata.max.retention.bytes                                LONG     -
metadata.max.retention.ms                                   LONG     -
metric.reporters                                            LIST     ""
metrics.num.samples                                         INT      2  [1..]
metrics.recording.level                                     STRING   INFO
metrics.sample.window.ms                                    LONG     30000  [1..]
min.insync.replicas                                         INT      1  [1..]
node.id                                                     INT      -  [0..]
num.io.threads                                              INT      8  [1..]
num.network.threads                                         INT      3  [1..]
num.partitions                                              INT      1  [1..]
num.recovery.threads.per.data.dir                           INT      1  [1..]
num.replica.alter.log.dirs.threads                          INT      null
num.replica.fetchers                                        INT      1  [1..]
offset.metadata.max.bytes                                   INT      4096
offsets.commit.required.acks                                SHORT    -1
offsets.commit.timeout.ms                                   INT      5000  [1..]
offsets.load.buffer.size                                    INT      5242880  [1..]
offsets.retention.check.interval.ms                         LONG     600000  [1..]
offsets.retention.minutes                                   INT      10080  [1..]
offsets.topic.compression.codec                             INT      0
offsets.topic.num.partitions                                INT      50  [1..]
offsets.topic.replication.factor                            SHORT    3  [1..]
offsets.topic.segment.bytes                                 INT      104857600  [1..]
port                                                        INT      9092
process.roles                                               LIST     -  [broker|controller]
producer.id.expiration.check.interval.ms                    INT      -  [1..]
producer.id.expiration.ms                                   INT      -  [1..]
producer.purgatory.purge.interval.requests                  INT      1000
queued.max.request.bytes                                    LONG     -1
queued.max.requests                                         INT      500  [1..]
quota.consumer.default                                      LONG     9223372036854775807  [1..]
quota.producer.default                                      LONG     9223372036854775807  [1..]
quota.window.num                                            INT      11  [1..]
quota.window.size.seconds                                   INT      1  [1..]
remote.fetch.max.wait.ms                                    INT      -  [1..]
remote.list.offsets.request.timeout.ms                      LONG     -  [1..]
remote.log.index.file.cache.total.size.bytes                LONG     -  [1..]
remote.log.index.file.cache.ttl.ms                          LONG     -  [-1..]
remote.log.manager.copier.thread.pool.size                  INT      -  [1..]
remote.log.manager.copy.max.bytes.per.second                LONG     -  [1..]
remote.log.manager.copy.quota.window.num                    INT      -  [1..]
remote.log.manager.copy.quota.window.size.seconds           INT      -  [1..]
remote.log.manager.expiration.thread.pool.size              INT      -  [1..]
remote.log.manager.fetch.max.bytes.per.second               LONG     -  [1..]
remote.log.manager.fetch.quota.window.num                   INT      -  [1..]
remote.log.manager.fetch.quota.window.size.seconds          INT      -  [1..]
remote.log.manager.follower.thread.pool.size                INT      -  [1..]
remote.log.manager.task.interval.ms                         LONG     -  [1..]
remote.log.manager.task.retry.backoff.max.ms                LONG     -  [1..]
remote.log.manager.task.retry.backoff.ms                    LONG     -  [1..]
remote.log.manager.task.retry.jitter                        DOUBLE   -  [0..0.5]
remote.log.manager.thread.pool.size                         INT      -  [1..]
remote.log.metadata.custom.metadata.max.bytes               INT      -  [0..]
remote.log.metadata.manager.class.name                      STRING   -
remote.log.metadata.manager.class.path                      STRING   -
remote.log.metadata.manager.impl.prefix                     STRING   -
remote.log.metadata.manager.listener.name                   STRING   -
remote.log.reader.max.pending.tasks                         INT      -  [1..]
remote.log.reader.threads                                   INT      -  [1..]
remote.log.storage.manager.class.name                       STRING   -
remote.log.storage.manager.class.path                       STRING   -
remote.log.storage.manager.impl.prefix                      STRING   -
remote.log.storage.system.enable                            BOOLEAN  -
replica.fetch.backoff.ms                                    INT      1000  [0..]
replica.fetch.max.bytes                                     INT      1048576  [0..]
replica.fetch.min.bytes                                     INT      1
replica.fetch.response.max.bytes                            INT      10485760  [0..]
replica.fetch.wait.max.ms                                   INT      500
replica.high.watermark.checkpoint.interval.ms               LONG     5000
replica.lag.time.max.ms                                     LONG     10000
replica.selector.class                                      STRING   -
replica.socket.receive.buffer.bytes                         INT      65536
replica.socket.timeout.ms                                   INT      30000
replication.quota.window.num                                INT      11  [1..]
replication.quota.window.size.seconds                       INT      1  [1..]
request.timeout.ms                                          INT      30000
reserved.broker.max.id                                      INT      1000  [0..]
server.max.startup.time.ms                                  LONG     -  [0..]
share.coordinator.append.linger.ms                          INT      -  [-1..]
share.coordinator.cached.buffer.max.bytes                   INT      -  [524288..]
share.coordinator.cold.partition.snapshot.interval.ms       INT      -  [1..]
share.coordinator.load.buffer.size                          INT      -  [1..]
share.coordinator.snapshot.update.records.per.snapshot      INT      -  [0..500]
share.coordinator.state.topic.compression.codec             INT      -
share.coordinator.state.topic.min.isr                       SHORT    -  [1..]
share.coordinator.state.topic.num.partitions                INT      -  [1..]
share.coordinator.state.topic.prune.interval.ms             INT      -  [1..]
share.coordinator.state.topic.replication.factor            SHORT    -  [1..]
share.coordinator.state.topic.segment.bytes                 INT      -  [1..]
share.coordinator.threads                                   INT      -  [1..]
share.coordinator.write.timeout.ms                          INT      -  [1..]
share.fetch.purgatory.purge.interval.requests               INT      -
socket.connection.setup.timeout.max.ms                      LONG     -
socket.connection.setup.timeout.ms                          LONG     -
socket.listen.backlog.size                                  INT      -  [1..]
socket.receive.buffer.bytes                                 INT      102400
socket.request.max.bytes                                    INT      104857600  [1..]
socket.send.buffer.bytes                                    INT      102400
telemetry.max.bytes                                         INT      -  [1..]
transaction.abort.timed.out.transaction.cleanup.interval.ms INT      60000  [1..]
transaction.max.timeout.ms                                  INT      900000  [1..]
transaction.partition.verification.enable                   BOOLEAN  -
transaction.remove.expired.transaction.cleanup.interval.ms  INT      3600000  [1..]
transaction.state.log.load.buffer.size                      INT      5242880  [1..]
transaction.state.log.min.isr                               INT      2  [1..]
transaction.state.log.num.partitions                        INT      50  [1..]
transaction.state.log.replication.factor                    SHORT    3  [1..]
transaction.state.log.segment.bytes                         INT      104857600  [1..]
transaction.two.phase.commit.enable                         BOOLEAN  -
transactional.id.expiration.ms                              INT      604800000  [1..]
unclean.leader.election.enable                              BOOLEAN  false
unclean.leader.election.interval.ms                         LONG     -  [1..]
unstable.api.versions.enable                                BOOLEAN  -
unstable.feature.versions.enable                            BOOLEAN  -
zookeeper.connect                                           STRING   required
zookeeper.connection.timeout.ms                             INT      null
zookeeper.max.in.flight.requests                            INT      10  [1..]
zookeeper.session.timeout.ms                                INT      6000
zookeeper.sync.time.ms                                      INT      2000
"""

TOPIC_TABLE = """
cleanup.policy                          LIST     delete  [compact|delete]
compression.gzip.level                  INT      -  [gzip]
compression.lz4.level                   INT      -  [1..17]
compression.type                        STRING   producer  [uncompressed|zstd|lz4|snappy|gzip|producer]
compression.zstd.level                  INT      -  [-131072..22]
delete.retention.ms                     LONG     86400000  [0..]
errors.deadletterqueue.group.enable     BOOLEAN  -
file.delete.delay.ms                    LONG     60000  [0..]
flush.messages                          LONG     9223372036854775807  [1..]
flush.ms                                LONG     9223372036854775807  [0..]
follower.replication.throttled.replicas LIST     ""
index.interval.bytes                    INT      4096  [0..]
internal.segment.bytes                  INT      -
leader.replication.throttled.replicas   LIST     ""
local.retention.bytes                   LONG     -  [-2..]
local.retention.ms                      LONG     -  [-2..]
max.compaction.lag.ms                   LONG     9223372036854775807  [1..]
max.decompressed.message.bytes          INT      -  [1..2147483639]
max.message.bytes                       INT      1000012  [0..]
message.downconversion.enable           BOOLEAN  true
message.format.version                  STRING   2.3-IV1
message.timestamp.after.max.ms          LONG     -  [0..]
message.timestamp.before.max.ms         LONG     -  [0..]
message.timestamp.difference.max.ms     LONG     9223372036854775807  [0..]
message.timestamp.type                  STRING   CreateTime  [CreateTime|LogAppendTime]
min.cleanable.dirty.ratio               DOUBLE   0.5  [0..1]
min.compaction.lag.ms                   LONG     0  [0..]
min.insync.replicas                     INT      1  [1..]
preallocate                             BOOLEAN  false
remote.copy.lag.bytes                   LONG     -  [-1..]
remote.copy.lag.ms                      LONG     -  [-1..]
remote.log.copy.disable                 BOOLEAN  -
remote.log.delete.on.disable            BOOLEAN  -
remote.storage.enable                   BOOLEAN  -
retention.bytes                         LONG     -1
retention.ms                            LONG     604800000  [-1..]
segment.bytes                           INT      1073741824  [1048576..]
segment.index.bytes                     INT      10485760  [4..]
segment.jitter.ms                       LONG     0  [0..]
segment.ms                              LONG     604800000  [1..]
unclean.leader.election.enable          BOOLEAN  false
"""

SECURITY_NAMES = """
authorizer.class.name delegation.token.expiry.check.interval.ms delegation.token.expiry.time.ms delegation.token.master.key
delegation.token.max.lifetime.ms delegation.token.secret.key early.start.listeners kafka.metrics.polling.interval.secs
kafka.metrics.reporters listener.security.protocol.map password.encoder.cipher.algorithm password.encoder.iterations
password.encoder.key.length password.encoder.keyfactory.algorithm password.encoder.old.secret password.encoder.secret
principal.builder.class sasl.client.callback.handler.class sasl.enabled.mechanisms sasl.jaas.config sasl.kerberos.kinit.cmd
sasl.kerberos.min.time.before.relogin sasl.kerberos.principal.to.local.rules sasl.kerberos.service.name sasl.kerberos.ticket.renew.jitter
sasl.kerberos.ticket.renew.window.factor sasl.login.callback.handler.class sasl.login.class sasl.login.connect.timeout.ms
sasl.login.read.timeout.ms sasl.login.refresh.buffer.seconds sasl.login.refresh.min.period.seconds sasl.login.refresh.window.factor
sasl.login.refresh.window.jitter sasl.login.retry.backoff.max.ms sasl.login.retry.backoff.ms sasl.mechanism.controller.protocol
sasl.mechanism.inter.broker.protocol sasl.oauthbearer.allow.unverified.audience sasl.oauthbearer.allow.unverified.issuer
sasl.oauthbearer.assertion.algorithm sasl.oauthbearer.assertion.claim.aud sasl.oauthbearer.assertion.claim.exp.seconds
sasl.oauthbearer.assertion.claim.iss sasl.oauthbearer.assertion.claim.jti.include sasl.oauthbearer.assertion.claim.nbf.seconds
sasl.oauthbearer.assertion.claim.sub sasl.oauthbearer.assertion.file sasl.oauthbearer.assertion.private.key.file
sasl.oauthbearer.assertion.private.key.passphrase sasl.oauthbearer.assertion.template.file sasl.oauthbearer.client.credentials.client.id
sasl.oauthbearer.client.credentials.client.secret sasl.oauthbearer.clock.skew.seconds sasl.oauthbearer.expected.audience
sasl.oauthbearer.expected.issuer sasl.oauthbearer.jwks.endpoint.refresh.ms sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms sasl.oauthbearer.jwks.endpoint.url sasl.oauthbearer.jwt.retriever.class
sasl.oauthbearer.jwt.validator.class sasl.oauthbearer.scope sasl.oauthbearer.scope.claim.name sasl.oauthbearer.sub.claim.name
sasl.oauthbearer.token.endpoint.url sasl.server.callback.handler.class sasl.server.max.receive.size security.inter.broker.protocol
security.providers ssl.allow.dn.changes ssl.allow.san.changes ssl.cipher.suites ssl.client.auth ssl.enabled.protocols
ssl.endpoint.identification.algorithm ssl.engine.factory.class ssl.key.password ssl.keymanager.algorithm ssl.keystore.certificate.chain
ssl.keystore.key ssl.keystore.location ssl.keystore.password ssl.keystore.type ssl.principal.mapping.rules ssl.protocol ssl.provider
ssl.secure.random.implementation ssl.trustmanager.algorithm ssl.truststore.certificates ssl.truststore.location ssl.truststore.password
ssl.truststore.type zookeeper.set.acl
"""
"""Settings for encryption and login, and of plugins that check them:
known, and not part of the lab."""
