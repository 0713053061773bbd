"""Names the metrics of a client (MetricName) in the order in which it removes them.

Clients with telemetry (KIP-714, from 3.7 on) write a line "removing kafka metric : MetricName
[...]" for each metric that leaves: at close, and when a partition leaves the assignment. The lab
measures nothing; these names are here so that the lines are complete. Some sensors of a 4.4
consumer leave in the order of a hash map of their names; ours leave in the order of these tables.
Read off clients 3.9.2, 4.0.2 and 4.4.0.
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

COMMITS = """
commit-latency-avg              The average time taken for a commit request
commit-latency-max              The max time taken for a commit request
commit-total                    The total number of commit calls
commit-rate                     The number of commit calls per second
assigned-partitions             The number of partitions currently assigned to this consumer
"""
"""What a member of the classic protocol counts of its commits and its assignment. A member of the
KIP-848 protocol leaves these behind."""

LISTENER = """
partition-revoked-latency-avg   The average time taken for a partition-revoked rebalance listener callback
partition-revoked-latency-max   The max time taken for a partition-revoked rebalance listener callback
partition-assigned-latency-avg  The average time taken for a partition-assigned rebalance listener callback
partition-assigned-latency-max  The max time taken for a partition-assigned rebalance listener callback
partition-lost-latency-avg      The average time taken for a partition-lost rebalance listener callback
partition-lost-latency-max      The max time taken for a partition-lost rebalance listener callback
"""
"""What a member counts of its listener's calls."""

QUEUES = """
time-between-network-thread-poll-avg         The average time taken, in milliseconds, between each poll in the network thread.
time-between-network-thread-poll-max         The maximum time taken, in milliseconds, between each poll in the network thread.
application-event-queue-size                 The current number of events in the queue to send from the application thread to the background thread.
application-event-queue-time-avg             The average time, in milliseconds, that application events are taking to be dequeued.
application-event-queue-time-max             The maximum time, in milliseconds, that an application event took to be dequeued.
application-event-queue-processing-time-avg  The average time, in milliseconds, that the background thread takes to process all available application events.
application-event-queue-processing-time-max  The maximum time, in milliseconds, that the background thread took to process all available application events.
application-events-expired-count             The current number of expired application events.
background-event-queue-size                  The current number of events in the queue to send from the background thread to the application thread.
background-event-queue-time-avg              The average time, in milliseconds, that background events are taking to be dequeued.
background-event-queue-time-max              The maximum time, in milliseconds, that background events are taking to be dequeued.
background-event-queue-processing-time-avg   The average time, in milliseconds, that the consumer took to process all available background events.
background-event-queue-processing-time-max   The maximum time, in milliseconds, that the consumer took to process all available background events.
unsent-requests-queue-size                   The current number of unsent requests in the background thread.
unsent-requests-queue-time-avg               The average time, in milliseconds, that requests are taking to be sent in the background thread.
unsent-requests-queue-time-max               The maximum time, in milliseconds, that a request remained unsent in the background thread.
"""
"""What a consumer with a background thread counts of the queues between its threads
(AsyncConsumerMetrics)."""

SHARE_POLL = """
time-between-poll-avg  The average delay between invocations of poll() in milliseconds.
time-between-poll-max  The max delay between invocations of poll() in milliseconds.
poll-idle-ratio-avg    The average fraction of time the consumer's poll() is idle as opposed to waiting for the user code to process records.
last-poll-seconds-ago  The number of seconds since the last poll() invocation.
"""
"""What a share consumer counts of its own calls (KafkaShareConsumerMetrics)."""

SHARE_FETCH = """
acknowledgements-error-total  The total number of record acknowledgements that resulted in errors.
acknowledgements-error-rate   The average number of record acknowledgements that resulted in errors per second.
acknowledgements-send-total   The total number of record acknowledgements sent.
acknowledgements-send-rate    The average number of record acknowledgements sent per second.
fetch-throttle-time-avg       The average throttle time in ms
fetch-throttle-time-max       The maximum throttle time in ms
records-per-request-avg       The average number of records in each request
records-per-request-max       The maximum number of records in a request.
records-consumed-total        The total number of records consumed
records-consumed-rate         The average number of records consumed per second
fetch-size-avg                The average number of bytes fetched per request
fetch-size-max                The maximum number of bytes fetched per request
bytes-consumed-total          The total number of bytes consumed
bytes-consumed-rate           The average number of bytes consumed per second
fetch-latency-avg             The average time taken for a fetch request.
fetch-latency-max             The max time taken for any fetch request.
fetch-total                   The total number of fetch requests.
fetch-rate                    The number of fetch requests per second.
"""
"""... and of its fetches and acknowledgements (ShareFetchMetricsManager)."""

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
"""
"""... of one partition, from its first answer on."""

READ_REPLICA = """
preferred-read-replica  The current read replica for the partition, or -1 if reading from leader.
"""
"""... and of each assigned one."""

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

    group    what a member counts of its group, removed with its coordinator; what a share consumer
             counts of its fetches, removed with its managers
    own      what the client counts of its calls and its fetches
    network  what the network layer counts, removed when the sockets are closed
    app      the version of the program, removed last
    """

    group: list[str]
    own: list[str]
    network: list[str]
    app: list[str]


FETCHES = "consumer-fetch-manager-metrics"


def removed_at_close(
    version: str,
    kind: str,
    client_id: str,
    *,
    nodes: Sequence[str | int] = (),
    fetched_from: Iterable[str | int] = (),
    topics: Iterable[str] = (),
    partitions: Mapping[tuple[str, int], tuple[bool, bool]] | None = None,
    in_group: bool = True,
    network_first: bool = False,
) -> RemovedMetrics:
    """`MetricName [name=..., group=..., description=..., tags={...}]` for each metric that leaves
    when a client closes.

    kind: "consumer" or "producer". nodes: connections in the order they were first tried, as they
    are printed (-1, 0, "+2"). fetched_from: those of them that answered a FETCH. topics: fetched
    ones. partitions: each with whether it was fetched and whether it is assigned. in_group: has a
    coordinator. network_first: a background thread closes the network before the client's own
    metrics leave. Empty for versions without telemetry.
    """
    habit = PROFILES[version].printing
    if not habit.names_removed_metrics:
        return RemovedMetrics([], [], [], [])
    removed = RemovedMetrics([], [], [], [])
    own, client = removed.own, {"client-id": client_id}
    early = tuple(fetched_from) if habit.removes_fetch_sensors and not network_first else ()
    if kind == "consumer":
        own += _named(version, "consumer-metrics", POLL, client)
        if network_first:
            queues = _named(version, "consumer-metrics", QUEUES, client)
            own[:] = [*own, *queues] if habit.removes_fetch_sensors else [*queues, *own]
        if habit.removes_fetch_sensors:
            if in_group:
                counted = LISTENER if network_first else COMMITS + LISTENER
                removed.group.extend(
                    _named(version, "consumer-coordinator-metrics", counted, client)
                )
            own += _named(version, FETCHES, FETCH, client)
            for topic in topics:
                own += _named(version, FETCHES, FETCH_TOPIC, {**client, "topic": topic})
            for place, (fetched, assigned) in (partitions or {}).items():
                own += _of_partition(version, client_id, place, fetched, assigned)
            for node in early:
                own += _latencies(version, "consumer", client_id, node)
    else:
        own += _named(version, "producer-metrics", PRODUCER, client)
    removed.network.extend(_of_network(version, kind, client_id, nodes, early))
    removed.app.extend(_named(version, "app-info", APP_INFO, client))
    return removed


def removed_at_share_close(
    version: str,
    client_id: str,
    *,
    nodes: Sequence[str | int] = (),
    fetched_from: Iterable[str | int] = (),
) -> RemovedMetrics:
    """The same for a share consumer: what it counts of its fetches leaves with its managers. Read
    off client 4.4.0."""
    client, early = {"client-id": client_id}, tuple(fetched_from)
    fetches = _named(version, "consumer-share-fetch-manager-metrics", SHARE_FETCH, client)
    for node in early:
        fetches += _latencies(version, "consumer", client_id, node)
    return RemovedMetrics(
        group=fetches,
        own=_named(version, "consumer-share-metrics", SHARE_POLL + QUEUES, client),
        network=_of_network(version, "consumer", client_id, nodes, early),
        app=_named(version, "app-info", APP_INFO, client),
    )


def removed_with_partition(
    version: str, client_id: str, place: tuple[str, int], fetched: bool
) -> list[str]:
    """The metrics of a partition that is no longer assigned
    (FetchMetricsManager.maybeUpdateAssignment). Empty for versions without telemetry."""
    if not PROFILES[version].printing.names_removed_metrics:
        return []
    return _of_partition(version, client_id, place, fetched, assigned=True)


def _of_partition(
    version: str, client_id: str, place: tuple[str, int], fetched: bool, assigned: bool
) -> list[str]:
    tags = {"client-id": client_id, "topic": place[0], "partition": place[1]}
    table = (FETCH_PARTITION if fetched else "") + (READ_REPLICA if assigned else "")
    return _named(version, FETCHES, table, tags)


def _latencies(version: str, kind: str, client_id: str, node: str | int) -> list[str]:
    tags = {"client-id": client_id, "node-id": f"node-{node}"}
    return _named(version, f"{kind}-node-metrics", NODE_LATENCY, tags)


def _of_network(
    version: str,
    kind: str,
    client_id: str,
    nodes: Sequence[str | int],
    early: Sequence[str | int],
) -> list[str]:
    """early: nodes whose latencies have left before."""
    deprecated = PROFILES[version].printing.deprecated_io_times
    io_times = IO_TIMES_WITH_DEPRECATED if deprecated else IO_TIMES
    found = _named(version, f"{kind}-metrics", NETWORK + io_times, {"client-id": client_id})
    for node in nodes:
        tags = {"client-id": client_id, "node-id": f"node-{node}"}
        found += _named(version, f"{kind}-node-metrics", NODE, tags)
        if node not in early:
            found += _latencies(version, kind, client_id, node)
    return found


def _named(version: str, group: str, table: str, tags: Mapping[str, object]) -> list[str]:
    """Each metric of the table that the version has, as Java prints its name."""
    habit = PROFILES[version].printing
    of_topic = "topic" in tags
    found = []
    for name, description in _table(table):
        if name not in habit.metrics_without:
            if of_topic:
                description = (
                    description + PERIODS_NOTE
                    if habit.removes_fetch_sensors
                    else description.removesuffix(".")
                )
            found.append(_metric_name(name, group, description, tags))
    return found


def _table(text: str) -> Iterator[tuple[str, str]]:
    for row in filter(None, text.splitlines()):
        name, _, description = row.partition(" ")
        yield name, description.strip()


def _metric_name(name: str, group: str, description: str, tags: Mapping[str, object]) -> str:
    shown = ", ".join(f"{tag}={value}" for tag, value in tags.items())
    return f"MetricName [name={name}, group={group}, description={description}, tags={{{shown}}}]"
