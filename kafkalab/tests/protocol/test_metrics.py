"""A client with telemetry names its metrics one by one as it closes.
Counts and orders are those of recorded closes."""

from kafkalab.lines.metrics import (
    RemovedMetrics,
    removed_at_share_close,
    removed_with_partition,
)
from kafkalab.lines.metrics import removed_at_close as removed_by_part


def removed_at_close(*words, **more):
    """All of them, in the order of a consumer that closes its own network."""
    return all_of(removed_by_part(*words, **more))


def all_of(removed: RemovedMetrics):
    return [text for part in removed for text in part]


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
        topics=["t4"],
        partitions={("t4", partition): (True, True) for partition in range(3)},
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
    told = {"nodes": [-1, 1, "+2", 0], "fetched_from": [0, 1], "topics": ["t4"]}
    removed = removed_by_part("4.4", "consumer", "inv-2", **told, network_first=True)
    assert sum("node-metrics" in text for text in removed.network) == 48


def test_a_member_of_the_kip_848_protocol_names_its_queues_and_its_listener():
    """group_consumer_protocol, inv-2: 109 lines on four connections with 4.0; 151 with 4.4, which
    names the fetches of two partitions and six metrics of the listener, too."""
    told = {"nodes": [-1, 1, 2147483645, 0], "network_first": True}
    removed = removed_by_part("4.0", "consumer", "inv-2", **told)
    assert len(all_of(removed)) == 109
    assert names(removed.own)[0] == "time-between-network-thread-poll-avg"
    assert names(removed.own)[-1] == "committed-time-ns-total"
    told |= {"topics": ["orders"], "partitions": {("orders", 2): (True, True)}}
    told["partitions"]["orders", 3] = True, True
    removed = removed_by_part("4.4", "consumer", "inv-2", **told)
    assert len(all_of(removed)) == 151
    assert len(removed.group) == 6 and "commit-total" not in names(removed.group)


def test_a_partition_without_records_has_only_a_read_replica():
    """group_join_and_leave: a partition that came back is not fetched again before the close."""
    parts = {("orders", 0): (True, True), ("orders", 1): (False, True)}
    lines = removed_at_close("4.4", "consumer", "inv-1", topics=["orders"], partitions=parts)
    assert len([line for line in lines if "partition=0" in line]) == 7
    assert names(line for line in lines if "partition=1" in line) == ["preferred-read-replica"]


def test_a_partition_that_is_given_up_takes_seven_metrics_with_it():
    """group_sticky with 3.9 and 4.4."""
    lines = removed_with_partition("3.9", "inv-1", ("orders", 0), fetched=True)
    assert len(lines) == 7
    assert lines[0] == (
        "MetricName [name=records-lag, group=consumer-fetch-manager-metrics, description=The "
        "latest lag of the partition, tags={client-id=inv-1, topic=orders, partition=0}]"
    )
    assert (
        "partition. Note: For topic names"
        in removed_with_partition("4.4", "inv-1", ("orders", 0), fetched=True)[0]
    )
    assert len(removed_with_partition("4.4", "inv-1", ("orders", 0), fetched=False)) == 1
    assert removed_with_partition("2.8", "inv-1", ("orders", 0), fetched=True) == []


def test_a_share_consumer_lets_113_metrics_go():
    """share_one_batch: 18 of its fetches and the latencies of their broker leave first."""
    removed = removed_at_share_close("4.4", "worker-1", nodes=[-1, "+0", 0], fetched_from=[0])
    assert len(all_of(removed)) == 113
