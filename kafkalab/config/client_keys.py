"""The keys of producers, consumers and admin clients besides security, with their defaults in client 2.1.

Defaults are those the recorded clients printed when they started. A later default, and a key that is
LATER, stands on the page of its release (`kafkalab.releases`).
"""
from kafkalab.config.keys import LATER, Type, at_least, between, fixed, gzip_level, inert, key, keys_of, not_empty, one_of, one_of_any_case

MAX_INT = 2_147_483_647
SERIALIZATION = "org.apache.kafka.common.serialization."
CONSUMER = "org.apache.kafka.clients.consumer."
ASSIGNOR_PROTOCOLS = {
    CONSUMER + "RangeAssignor": "range",
    CONSUMER + "RoundRobinAssignor": "roundrobin",
    CONSUMER + "StickyAssignor": "sticky",
    CONSUMER + "CooperativeStickyAssignor": "cooperative-sticky",
}
"""Class of an assignor -> the name it has among the protocols of a JoinGroup request."""

METRICS = "the lab counts what it counts at every level, and nobody reads it from outside"
SETUP = "a connection of the lab is made or refused within a moment; the time-out of KIP-601 is not simulated"
ONE_ADDRESS = "the lab's hosts have one address each, so there is nothing to choose"

DNS_LOOKUPS = one_of("default", "use_all_dns_ips", "resolve_canonical_bootstrap_servers_only")
RECORDING_LEVELS = one_of("INFO", "DEBUG")

# fmt: off
SHARED_KEYS = keys_of("client",
    key("bootstrap.servers", Type.LIST, (), "host:port of one or more brokers to ask about the cluster first"),
    key("client.id", Type.STRING, "", "how this client is named in its lines; left out, it is named and numbered by itself"),
    key("connections.max.idle.ms", Type.LONG, 540_000, "a connection unused for this long is closed, whichever it is"),
    key("metadata.max.age.ms", Type.LONG, 300_000, "how old the picture of the cluster may get before it is asked for anew",
        at_least(0)),
    key("reconnect.backoff.ms", Type.LONG, 50, "the first pause before a broker that was lost is connected again", at_least(0)),
    key("reconnect.backoff.max.ms", Type.LONG, 1_000, "the longest such pause; it doubles with every failure", at_least(0)),
    key("request.timeout.ms", Type.INT, 30_000, "how long an answer is awaited before the connection is given up", at_least(0)),
    key("retry.backoff.ms", Type.LONG, 100, "the pause before a failed request is sent again", at_least(0)),
    key("retry.backoff.max.ms", Type.LONG, LATER, "the longest such pause; it doubles (KIP-580)", at_least(0)),
    key("send.buffer.bytes", Type.INT, 131_072, "SO_SNDBUF; the lab only prints it", at_least(-1)),
    key("enable.metrics.push", Type.BOOLEAN, LATER, "ask brokers for a metrics subscription (KIP-714)"),
    key("metadata.cluster.check.enable", Type.BOOLEAN, LATER, "tell each broker whom one believes to talk to (KIP-1242)"),
    inert("bootstrap.resolve.timeout.ms", Type.LONG, LATER, "the lab's host names always resolve", at_least(0)),
    inert("client.dns.lookup", Type.STRING, "default", ONE_ADDRESS + " (KIP-602)", DNS_LOOKUPS),
    key("socket.connection.setup.timeout.ms", Type.LONG, LATER,
          "how long a connection may take to stand (KIP-601)"),
    key("socket.connection.setup.timeout.max.ms", Type.LONG, LATER,
          "the longest such time; it doubles with every failure"),
    key("metadata.recovery.strategy", Type.STRING, LATER,
        "rebootstrap: begin again with bootstrap.servers when no known broker can be asked (KIP-899)",
        one_of_any_case("REBOOTSTRAP", "NONE")),
    key("metadata.recovery.rebootstrap.trigger.ms", Type.LONG, LATER,
        "... or when nobody has answered a question for metadata for this long (KIP-1102)", at_least(0)),
    fixed("metric.reporters", Type.LIST, (), METRICS),
    inert("auto.include.jmx.reporter", Type.BOOLEAN, LATER, METRICS + " (KIP-830)"),
    key("metrics.num.samples", Type.INT, 2, "over how many windows rates and averages look back", at_least(1)),
    inert("metrics.recording.level", Type.STRING, "INFO", METRICS, RECORDING_LEVELS),
    key("metrics.sample.window.ms", Type.LONG, 30_000, "how long such a window is", at_least(0)),
    fixed("config.providers", Type.LIST, LATER, "values are given to the lab as they are"),
    key("interceptor.classes", Type.PLUGINS, (), "objects that see records and commits pass by (KIP-42)"),
)

PRODUCER_KEYS = keys_of("producer",
    key("acks", Type.STRING, "1",
        "who must have a record before the answer: 0 nobody, 1 the leader, all (-1) the in-sync replicas (KIP-679)",
        one_of("all", "-1", "0", "1")),
    key("batch.size", Type.INT, 16_384, "bytes a batch of one partition may grow to", at_least(0)),
    key("delivery.timeout.ms", Type.INT, 120_000, "from send() to success or failure, retries included (KIP-91)", at_least(0)),
    key("enable.idempotence", Type.BOOLEAN, False,
        "number the batches, so that a retry is written once (KIP-98, default since KIP-679)"),
    key("linger.ms", Type.LONG, 0, "how long a batch waits for company (KIP-1030)", at_least(0)),
    key("max.block.ms", Type.LONG, 60_000, "how long send() and partitions_for() wait for metadata", at_least(0)),
    key("max.in.flight.requests.per.connection", Type.INT, 5, "unanswered requests on one connection", at_least(1)),
    key("max.request.size", Type.INT, 1_048_576, "bytes; a larger record is refused by the producer itself", at_least(0)),
    key("retries", Type.INT, MAX_INT, "how often a failed batch is sent again, within delivery.timeout.ms", between(0, MAX_INT)),
    key("receive.buffer.bytes", Type.INT, 32_768, "SO_RCVBUF; the lab only prints it", at_least(-1)),
    fixed("key.serializer", Type.CLASS, SERIALIZATION + "StringSerializer", "keys of the lab are text"),
    fixed("value.serializer", Type.CLASS, SERIALIZATION + "StringSerializer", "values of the lab are text"),
    key("buffer.memory", Type.LONG, 33_554_432, "bytes all waiting batches may take together; then send() waits", at_least(0)),
    fixed("buffer.memory.allocation.strategy", Type.STRING, LATER, "a batch takes batch.size at once; growing by pieces is not simulated"),
    fixed("client.rack", Type.STRING, LATER, "racks are not simulated"),
    key("compression.type", Type.STRING, "none", "how whole batches are compressed before they leave (sizes and costs are estimated)",
        one_of("none", "gzip", "snappy", "lz4", "zstd")),
    key("compression.gzip.level", Type.INT, LATER, "1 to 9, or -1 for its default, 6 (KIP-390)", gzip_level),
    key("compression.lz4.level", Type.INT, LATER, "1 to 17; 9 is the fast compressor (KIP-390)", between(1, 17)),
    key("compression.zstd.level", Type.INT, LATER, "up to 22 (KIP-390)", between(-131_072, 22)),
    fixed("internal.auto.downgrade.txn.commit", Type.BOOLEAN, LATER, "brokers too old for it are not simulated"),
    key("metadata.max.idle.ms", Type.LONG, LATER, "a topic nothing was sent to for this long is forgotten (KIP-526)",
        at_least(5_000)),
    key("partitioner.class", Type.PLUGIN,
        "org.apache.kafka.clients.producer.internals.DefaultPartitioner",
        "who chooses a record's partition: a class name of Kafka's, or a Python class, object or function"),
    key("partitioner.adaptive.partitioning.enable", Type.BOOLEAN, LATER,
        "partitions with long queues are chosen less often (KIP-794)"),
    key("partitioner.availability.timeout.ms", Type.LONG, LATER,
        "partitions whose leader could not take data for this long are not chosen; 0: never (KIP-794)", at_least(0)),
    key("partitioner.ignore.keys", Type.BOOLEAN, LATER, "keys do not decide where a record goes (KIP-794)"),
    fixed("partitioner.rack.aware", Type.BOOLEAN, LATER, "racks are not simulated (KIP-1123)"),
    key("transaction.timeout.ms", Type.INT, 60_000, "after this long the coordinator aborts a transaction by itself (KIP-98)"),
    fixed("transaction.two.phase.commit.enable", Type.BOOLEAN, LATER, "outside coordinators are not simulated (KIP-939)"),
    key("transactional.id", Type.STRING, None, "who this producer is across its restarts: the older one is fenced (KIP-98)",
        not_empty),
)

CONSUMER_KEYS = keys_of("consumer",
    key("allow.auto.create.topics", Type.BOOLEAN, LATER, "may asking about a topic create it (KIP-361)?"),
    key("auto.commit.interval.ms", Type.INT, 5_000, "how often poll() commits by itself", at_least(0)),
    key("auto.offset.reset", Type.STRING, "latest", "where to begin without a committed offset", one_of("latest", "earliest", "none")),
    key("default.api.timeout.ms", Type.INT, 60_000, "how long a blocking call waits when it is not told otherwise (KIP-266)", at_least(0)),
    key("enable.auto.commit", Type.BOOLEAN, True, "does poll() commit what it handed out before?"),
    key("fetch.max.bytes", Type.INT, 52_428_800, "bytes one FETCH answer may hold", at_least(0)),
    key("fetch.max.wait.ms", Type.INT, 500, "how long a broker holds a FETCH it has nothing for", at_least(0)),
    key("fetch.min.bytes", Type.INT, 1, "bytes that end such a wait", at_least(0)),
    key("group.id", Type.STRING, "", "the group that shares the work; without one, no coordinator (KIP-289)"),
    key("group.instance.id", Type.STRING, LATER, "the name of a static member (KIP-345)", not_empty),
    key("heartbeat.interval.ms", Type.INT, 3_000, "how often a member shows that it lives"),
    key("isolation.level", Type.STRING, "read_uncommitted", "does a reader wait for open transactions (KIP-98)?",
        one_of("read_committed", "read_uncommitted")),
    key("max.partition.fetch.bytes", Type.INT, 1_048_576, "bytes of one partition in a FETCH answer", at_least(0)),
    key("max.poll.interval.ms", Type.INT, 300_000, "a member that does not poll for this long leaves its group (KIP-62)", at_least(1)),
    key("max.poll.records", Type.INT, 500, "records poll() hands out at once", at_least(1)),
    key("partition.assignment.strategy", Type.CLASSES,
        (CONSUMER + "RangeAssignor",),
        "who divides the partitions, in order of liking (KIP-429; two by default since KAFKA-12477)"),
    key("receive.buffer.bytes", Type.INT, 65_536, "SO_RCVBUF; the lab only prints it", at_least(-1)),
    key("session.timeout.ms", Type.INT, 10_000,
        "how long the coordinator waits for a sign of life (KIP-735)"),
    fixed("key.deserializer", Type.CLASS, SERIALIZATION + "StringDeserializer", "keys of the lab are text"),
    fixed("value.deserializer", Type.CLASS, SERIALIZATION + "StringDeserializer", "values of the lab are text"),
    fixed("client.rack", Type.STRING, LATER, "reading from a near replica is not simulated (KIP-392)"),
    key("group.protocol", Type.STRING, LATER, "who divides the partitions: classic, a member; consumer, the broker (KIP-848)",
        one_of_any_case("CONSUMER", "CLASSIC")),
    key("group.remote.assignor", Type.STRING, LATER, "the broker's assignor a member of the new protocol prefers: uniform, range"),
    fixed("internal.leave.group.on.close", Type.BOOLEAN, True, "an internal switch of Kafka Streams"),
    fixed("internal.throw.on.fetch.stable.offset.unsupported", Type.BOOLEAN, LATER, "an internal switch of Kafka Streams"),
    inert("check.crcs", Type.BOOLEAN, True, "no record of the lab is ever corrupt"),
    key("exclude.internal.topics", Type.BOOLEAN, True, "a subscription by pattern leaves out internal topics"),
    fixed("share.acknowledgement.mode", Type.STRING, LATER, "for share consumers only (KIP-932)"),
    fixed("share.acquire.mode", Type.STRING, LATER, "for share consumers only (KIP-932)"),
)

ADMIN_KEYS = keys_of("admin",
    key("connections.max.idle.ms", Type.LONG, 300_000, "a connection unused for this long is closed, whichever it is"),
    key("default.api.timeout.ms", Type.INT, LATER, "how long a call may take when it is not told otherwise (KIP-533)", at_least(0)),
    key("enable.metrics.push", Type.BOOLEAN, LATER, "ask brokers for a metrics subscription (KIP-714)"),
    key("receive.buffer.bytes", Type.INT, 65_536, "SO_RCVBUF; the lab only prints it", at_least(-1)),
    key("request.timeout.ms", Type.INT, 120_000, "how long an answer is awaited before the connection is given up (KIP-533)",
        at_least(0)),
    key("retries", Type.INT, 5, "how often a call is tried again, within its time (KIP-533)", between(0, MAX_INT)),
    fixed("bootstrap.controllers", Type.LIST, LATER, "controllers are not asked directly in the lab (KIP-919)"),
)
# fmt: on
NOT_FOR_ADMINS = ("interceptor.classes",)
"""Shared keys that an admin client does not know."""
