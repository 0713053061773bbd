"""A client with telemetry names its metrics one by one as it closes.
Counts and orders are those of recorded closes."""

from kafkalab.lines.metrics import removed_at_close as removed_by_part


def removed_at_close(*words, **more):
    """All of them, in the order of a consumer that closes its own network."""
    return [text for part in removed_by_part(*words, **more) for text in part]


def names(lines):
    return [line.split("name=")[1].split(",")[0] for line in lines]


def test_clients_without_telemetry_say_nothing():
    assert removed_at_close("2.3", "consumer", "consumer-1", nodes=[-1, 0]) == []


def test_a_3_9_consumer_with_five_connections_lets_107_metrics_go():
    """consumer_first_poll_3_brokers: 6 of its calls, 38 of the network, 12 a connection,
    3 of the program."""
    lines = removed_at_close("3.9", "consumer", "consumer-test-1", nodes=[-1, 1, 2147483645, 0, 2])
    assert len(lines) == 107
    assert names(lines)[:2] == ["last-poll-seconds-ago", "time-between-poll-avg"]
    assert lines[44] == (
        "MetricName [name=request-total, group=consumer-node-metrics, description=The total number "
        "of requests sent, tags={client-id=consumer-test-1, node-id=node--1}]"
    )
    assert names(lines)[-3:] == ["version", "commit-id", "start-time-ms"]


def test_4_0_has_two_names_less():
    """consumer_first_poll_3_brokers: the deprecated io-waittime-total and iotime-total are gone."""
    lines = removed_at_close("4.0", "consumer", "consumer-test-1", nodes=[-1, 1, 2147483645, 0, 2])
    assert len(lines) == 105
    assert not {"io-waittime-total", "iotime-total"} & set(names(lines))


def test_a_4_4_consumer_names_what_it_counted_of_its_fetches():
    """consumer_first_poll_3_brokers, 159 lines: 11 of the group, 15 of all fetches, 7 of t4,
    7 a partition on top."""
    lines = removed_at_close(
        "4.4",
        "consumer",
        "consumer-test-1",
        nodes=[-1, 1, "+2", 0, 2],
        fetched_from=[2, 0, 1],
        partitions=[("t4", 0), ("t4", 1), ("t4", 2)],
    )
    alone = removed_at_close(
        "4.4", "consumer", "consumer-test-1", nodes=[-1, 1, "+2", 0, 2], in_group=False
    )
    assert len(lines) == 11 + 6 + 15 + 7 + 3 * 7 + 36 + 5 * 12 + 3
    assert len(lines) - len(alone) == 11 + 7 + 3 * 7
    assert names(lines)[0] == "commit-latency-avg" and names(alone)[0] == "last-poll-seconds-ago"


def test_a_producer_lets_84_metrics_go():
    lines = removed_at_close("3.9", "producer", "producer-1", nodes=[-1, 0, 1])
    assert len(lines) == 84  # producer_idle_close
    assert "txn-prepare-time-ns-total" not in names(lines)
    assert "txn-prepare-time-ns-total" in names(removed_at_close("4.4", "producer", "producer-1"))


def test_the_network_the_client_and_the_version_leave_apart():
    """producer_one_partition: 74 leave with the sockets, 7 with the producer, 3 with its
    version."""
    removed = removed_by_part("3.9", "producer", "producer-1", nodes=[-1, 0, 1])
    assert (len(removed.network), len(removed.own), len(removed.app)) == (74, 7, 3)
    assert names(removed.app) == ["version", "commit-id", "start-time-ms"]


def test_latencies_leave_with_the_network_where_a_background_thread_closes_it():
    """group_consumer_protocol with 4.4: 48 metrics of four connections leave first."""
    told = {"nodes": [-1, 1, "+2", 0], "fetched_from": [0, 1], "partitions": [("t4", 0)]}
    removed = removed_by_part("4.4", "consumer", "inv-2", **told, network_first=True)
    assert sum("node-metrics" in text for text in removed.network) == 48
