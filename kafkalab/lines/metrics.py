"""Names the metrics of a client (MetricName) in the order in which it removes them at close.

Clients with telemetry (KIP-714, from 3.7 on) write a line "removing kafka metric : MetricName
[...]" for each metric that leaves. The lab measures nothing; these names are here so that the lines
of a close are complete. The sensors of a 4.4 consumer's fetches leave in the order of a hash map of
their names; ours leave in the order of these tables. Read off clients 3.9.2, 4.0.2 and 4.4.0.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kafkalab.releases import PROFILES

POLL = """
last-poll-seconds-ago      The number of seconds since the last poll() invocation.
time-between-poll-avg      The average delay between invocations of poll() in milliseconds.
time-between-poll-max      The max delay between invocations of poll() in milliseconds.
poll-idle-ratio-avg        The average fraction of time the consumer's poll() is idle as opposed to waiting for the user code to process records.
commit-sync-time-ns-total  The total time the consumer has spent in commitSync in nanoseconds
committed-time-ns-total    The total time the consumer has spent in committed in nanoseconds
"""
"""What a consumer counts of its own calls."""

COORDINATOR = """
commit-latency-avg              The average time taken for a commit request
commit-latency-max              The max time taken for a commit request
commit-total                    The total number of commit calls
commit-rate                     The number of commit calls per second
assigned-partitions             The number of partitions currently assigned to this consumer
partition-revoked-latency-avg   The average time taken for a partition-revoked rebalance listener callback
partition-revoked-latency-max   The max time taken for a partition-revoked rebalance listener callback
partition-assigned-latency-avg  The average time taken for a partition-assigned rebalance listener callback
partition-assigned-latency-max  The max time taken for a partition-assigned rebalance listener callback
partition-lost-latency-avg      The average time taken for a partition-lost rebalance listener callback
partition-lost-latency-max      The max time taken for a partition-lost rebalance listener callback
"""
"""What a member counts of its group."""

FETCH = """
fetch-latency-avg        The average time taken for a fetch request.
fetch-latency-max        The max time taken for any fetch request.
fetch-total              The total number of fetch requests.
fetch-rate               The number of fetch requests per second.
fetch-size-avg           The average number of bytes fetched per request
fetch-size-max           The maximum number of bytes fetched per request
bytes-consumed-total     The total number of bytes consumed
bytes-consumed-rate      The average number of bytes consumed per second
records-per-request-avg  The average number of records in each request
records-consumed-total   The total number of records consumed
records-consumed-rate    The average number of records consumed per second
fetch-throttle-time-avg  The average throttle time in ms
fetch-throttle-time-max  The maximum throttle time in ms
records-lag-max          The maximum lag in terms of number of records for any partition in this window. NOTE: This is based on current offset and not committed offset
records-lead-min         The minimum lead in terms of number of records for any partition in this window
"""
"""What a consumer counts of its fetches, over all."""

FETCH_TOPIC = """
fetch-size-avg           The average number of bytes fetched per request for a topic.
fetch-size-max           The maximum number of bytes fetched per request for a topic.
bytes-consumed-total     The total number of bytes consumed for a topic.
bytes-consumed-rate      The average number of bytes consumed per second for a topic.
records-per-request-avg  The average number of records in each request for a topic.
records-consumed-total   The total number of records consumed for a topic.
records-consumed-rate    The average number of records consumed per second for a topic.
"""
"""... of one topic."""

FETCH_PARTITION = """
records-lag             The latest lag of the partition.
records-lag-max         The max lag of the partition.
records-lag-avg         The average lag of the partition.
records-lead            The latest lead of the partition.
records-lead-min        The min lead of the partition.
records-lead-avg        The average lead of the partition.
preferred-read-replica  The current read replica for the partition, or -1 if reading from leader.
"""
"""... of one partition."""

NETWORK = """
connection-count                           The current number of active connections.
connection-close-total                     The total number of connections closed
connection-close-rate                      The number of connections closed per second
connection-creation-total                  The total number of new connections established
connection-creation-rate                   The number of new connections established per second
successful-authentication-total            The total number of connections with successful authentication
successful-authentication-rate             The number of connections with successful authentication per second
successful-reauthentication-total          The total number of successful re-authentication of connections
successful-reauthentication-rate           The number of successful re-authentication of connections per second
successful-authentication-no-reauth-total  The total number of connections with successful authentication where the client does not support re-authentication
failed-authentication-total                The total number of connections with failed authentication
failed-authentication-rate                 The number of connections with failed authentication per second
failed-reauthentication-total              The total number of failed re-authentication of connections
failed-reauthentication-rate               The number of failed re-authentication of connections per second
reauthentication-latency-max               The max latency observed due to re-authentication
reauthentication-latency-avg               The average latency observed due to re-authentication
network-io-total                           The total number of network operations (reads or writes) on all connections
network-io-rate                            The number of network operations (reads or writes) on all connections per second
outgoing-byte-total                        The total number of outgoing bytes sent to all servers
outgoing-byte-rate                         The number of outgoing bytes sent to all servers per second
incoming-byte-total                        The total number of bytes read off all sockets
incoming-byte-rate                         The number of bytes read off all sockets per second
request-total                              The total number of requests sent
request-rate                               The number of requests sent per second
request-size-avg                           The average size of requests sent.
request-size-max                           The maximum size of any request sent.
response-total                             The total number of responses received
response-rate                              The number of responses received per second
select-total                               The total number of times the I/O layer checked for new I/O to perform
select-rate                                The number of times the I/O layer checked for new I/O to perform per second
"""
"""What the network layer counts, over all connections."""

IO_TIMES = """
io-wait-time-ns-avg                        The average length of time the I/O thread spent waiting for a socket ready for reads or writes in nanoseconds.
io-wait-time-ns-total                      The total time the I/O thread spent waiting
io-wait-ratio                              The fraction of time the I/O thread spent waiting
io-time-ns-avg                             The average length of time for I/O per select call in nanoseconds.
io-time-ns-total                           The total time the I/O thread spent doing I/O
io-ratio                                   The fraction of time the I/O thread spent doing I/O
"""
"""How its thread spends its time."""

IO_TIMES_WITH_DEPRECATED = """
io-wait-time-ns-avg                        The average length of time the I/O thread spent waiting for a socket ready for reads or writes in nanoseconds.
io-waittime-total                          *Deprecated* The total time the I/O thread spent waiting
io-wait-ratio                              The fraction of time the I/O thread spent waiting
io-wait-time-ns-total                      The total time the I/O thread spent waiting
io-time-ns-avg                             The average length of time for I/O per select call in nanoseconds.
iotime-total                               *Deprecated* The total time the I/O thread spent doing I/O
io-ratio                                   The fraction of time the I/O thread spent doing I/O
io-time-ns-total                           The total time the I/O thread spent doing I/O
"""
"""The same before KIP-773 was complete: the old names are still there, and the new ones follow
their ratios."""

NODE = """
request-total        The total number of requests sent
request-rate         The number of requests sent per second
request-size-avg     The average size of requests sent.
request-size-max     The maximum size of any request sent.
outgoing-byte-total  The total number of outgoing bytes
outgoing-byte-rate   The number of outgoing bytes per second
response-total       The total number of responses received
response-rate        The number of responses received per second
incoming-byte-total  The total number of incoming bytes
incoming-byte-rate   The number of incoming bytes per second
"""
"""... of one connection."""

NODE_LATENCY = """
request-latency-avg
request-latency-max
"""
"""... and how long its answers took. The descriptions are empty in Kafka, too."""

PRODUCER = """
flush-time-ns-total             Total time producer has spent in flush in nanoseconds.
txn-init-time-ns-total          Total time producer has spent in initTransactions in nanoseconds.
txn-begin-time-ns-total         Total time producer has spent in beginTransaction in nanoseconds.
txn-send-offsets-time-ns-total  Total time producer has spent in sendOffsetsToTransaction in nanoseconds.
txn-commit-time-ns-total        Total time producer has spent in commitTransaction in nanoseconds.
txn-abort-time-ns-total         Total time producer has spent in abortTransaction in nanoseconds.
txn-prepare-time-ns-total       Total time producer has spent in prepareTransaction in nanoseconds.
metadata-wait-time-ns-total     Total time producer has spent waiting on topic metadata in nanoseconds.
"""
"""What a producer counts of its own calls."""

APP_INFO = """
version        Metric indicating version
commit-id      Metric indicating commit-id
start-time-ms  Metric indicating start-time-ms
"""
"""The metrics of the program's version (AppInfoParser)."""

PERIODS_NOTE = (
    " Note: For topic names with periods (.), an additional metric with underscores is emitted. "
    "However, the periods replaced metric is deprecated. Please use the metric with actual topic "
    "name instead."
)
"""What 4.4 adds to the description of a topic's or a partition's metric (KIP-1109)."""


class RemovedMetrics(NamedTuple):
    """The texts of the metrics that leave when a client closes, by the part that removes them.

    group    what a member counts of its group, removed with its coordinator
    own      what the client counts of its calls and its fetches
    network  what the network layer counts, removed when the sockets are closed
    app      the version of the program, removed last
    """

    group: list[str]
    own: list[str]
    network: list[str]
    app: list[str]


def removed_at_close(
    version: str,
    kind: str,
    client_id: str,
    *,
    nodes: Sequence[str | int] = (),
    fetched_from: Iterable[str | int] = (),
    partitions: Sequence[tuple[str, int]] = (),
    in_group: bool = True,
    network_first: bool = False,
) -> RemovedMetrics:
    """`MetricName [name=..., group=..., description=..., tags={...}]` for each metric that leaves
    when a client closes.

    kind: "consumer" or "producer". nodes: connections in the order they were first tried, as they
    are printed (-1, 0, "+2"). fetched_from: those of them that answered a FETCH. partitions:
    fetched ones. in_group: has a coordinator. network_first: a background thread closes the network
    before the client's own metrics leave. Empty for versions without telemetry.
    """
    habit = PROFILES[version].printing
    if not habit.names_removed_metrics:
        return RemovedMetrics([], [], [], [])
    client = {"client-id": client_id}
    early = tuple(fetched_from) if habit.removes_fetch_sensors and not network_first else ()
    removed = RemovedMetrics([], [], [], [])

    def add(
        part: list[str], group: str, table: str, tags: Mapping[str, object], note: str = ""
    ) -> None:
        part.extend(
            _metric_name(name, group, description + note, tags)
            for name, description in _table(table)
            if name not in habit.metrics_without
        )

    def add_latency(part: list[str], node: str | int) -> None:
        add(part, f"{kind}-node-metrics", NODE_LATENCY, {**client, "node-id": f"node-{node}"})

    own, network = removed.own, removed.network
    if kind == "consumer":
        if habit.removes_fetch_sensors and in_group:
            add(removed.group, "consumer-coordinator-metrics", COORDINATOR, client)
        add(own, "consumer-metrics", POLL, client)
        if habit.removes_fetch_sensors:
            fetches = "consumer-fetch-manager-metrics"
            add(own, fetches, FETCH, client)
            for topic in dict.fromkeys(topic for topic, _ in partitions):
                add(own, fetches, FETCH_TOPIC, {**client, "topic": topic}, PERIODS_NOTE)
            for topic, partition in partitions:
                tags = {**client, "topic": topic, "partition": partition}
                add(own, fetches, FETCH_PARTITION, tags, PERIODS_NOTE)
            for node in early:
                add_latency(own, node)
    add(network, f"{kind}-metrics", NETWORK, client)
    io_times = IO_TIMES_WITH_DEPRECATED if habit.deprecated_io_times else IO_TIMES
    add(network, f"{kind}-metrics", io_times, client)
    for node in nodes:
        add(network, f"{kind}-node-metrics", NODE, {**client, "node-id": f"node-{node}"})
        if node not in early:
            add_latency(network, node)
    if kind == "producer":
        add(own, "producer-metrics", PRODUCER, client)
    add(removed.app, "app-info", APP_INFO, client)
    return removed


def _table(text: str) -> Iterator[tuple[str, str]]:
    for row in text.strip().splitlines():
        name, _, description = row.partition(" ")
        yield name, description.strip()


def _metric_name(name: str, group: str, description: str, tags: Mapping[str, object]) -> str:
    shown = ", ".join(f"{tag}={value}" for tag, value in tags.items())
    return f"MetricName [name={name}, group={group}, description={description}, tags={{{shown}}}]"
