"""The accumulator alone: which batches are ready, which leave, in which order,
and who waits how long."""

import random

import pytest

from kafkalab.clients.network.metadata import ClusterView, PartitionView
from kafkalab.clients.network.node import Node
from kafkalab.clients.producer.accumulator import Append, RecordAccumulator
from kafkalab.clients.producer.partition_choice import PartitionChooser
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.clients.producer.producer_batch import FinalState, ProducerBatch
from kafkalab.clients.producer.record_send import Send
from kafkalab.config import ProducerConfig
from kafkalab.errors import KafkaException
from kafkalab.protocol.messages import WireRecord
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.releases import PROFILES

NODE = Node(0, 0, "0", "localhost", 9092, None, "localhost:9092 (id: 0 rack: null)")


def silent(name, **values):
    """No line is looked at here."""


def accumulator(version="3.9", **config):
    settings = ProducerConfig.for_version(version, {"enable.idempotence": False, **config})
    profile = PROFILES[version]
    chooser = PartitionChooser(settings, profile, random.Random(1), silent)
    return RecordAccumulator(settings, profile, silent, silent, random.Random(2), chooser)


def view(count, leader=0):
    """Topic t with `count` partitions, all led by broker 0."""
    parts = tuple(PartitionView("t", n, leader, 0, (0,), (0,)) for n in range(count))
    return ClusterView(
        "lab",
        (NODE,),
        {TopicPartition("t", p.partition): p for p in parts},
        {"t": parts},
        {0: NODE},
    )


def sent(partition, value, outcome=lambda offset, error: None):
    record, wire = ProducerRecord("t", partition=partition, value=value), WireRecord(None, value, 0)
    return Send(record, wire, lambda tp: outcome, "null", 0, partition)


def add(acc, partition, value="x" * 100, now_ms=0):
    """One more record; the batch it is in."""
    send = sent(partition, value)
    if acc.append(send, None, now_ms) is Append.NO_ROOM:
        buffer_bytes = acc.buffer_bytes_for(send.wire)
        acc.pool.allocate(buffer_bytes)
        assert acc.append(send, None, now_ms, buffer_bytes) is Append.OPENED
    return acc.batches[send.where][-1]


def drain(acc, cluster, now_ms=0, max_bytes=1_000_000):
    """The numbers of the partitions that leave in one request."""
    taken = acc.drain(
        cluster, Cluster(cluster, in_hash_order=False), [NODE], now_ms, max_bytes, None
    ).get(NODE, [])
    return [batch.partition.partition for batch in taken]


@pytest.mark.parametrize(("version", "linger_ms"), [("2.1", 0), ("3.9", 0), ("4.0", 5), ("4.4", 5)])
def test_how_long_a_lonely_record_waits(version, linger_ms):
    """KIP-1030: linger.ms is 5 from 4.0 on."""
    acc = accumulator(version)
    add(acc, 0)
    assert bool(acc.ready(view(1), 0).nodes) == (linger_ms == 0)
    assert acc.ready(view(1), linger_ms).nodes == {0: NODE}


@pytest.mark.parametrize("why", ["full", "two batches", "flush", "close", "no memory"])
def test_what_ends_lingering(why):
    acc = accumulator(**{"linger.ms": 1_000, "batch.size": 400, "buffer.memory": 2_000})
    add(acc, 0)
    found = acc.ready(view(1), 10)
    assert not found.nodes and found.delay_ms == 990
    if why == "full":
        add(acc, 0, "x" * 250)
    elif why == "two batches":
        add(acc, 0, "x" * 380)
    elif why == "flush":
        acc.flushing += 1
    elif why == "close":
        acc.closed = True
    else:
        assert acc.pool.allocate(1_900) is not None, "somebody waits"
    assert acc.ready(view(1), 10).nodes == {0: NODE}


def test_a_batch_for_nobody_asks_for_metadata():
    acc = accumulator()
    add(acc, 0)
    found = acc.ready(view(1, leader=None), 0)
    assert found.leaderless == {"t": None} and not found.nodes


@pytest.mark.parametrize(("version", "starts"), [("2.8", [0, 0, 0, 0]), ("3.9", [0, 3, 2, 1])])
def test_where_filling_a_request_begins(version, starts):
    """A request that takes all ends where it began. The older client goes on at the next partition,
    so at the same one; the newer one notes the last it looked at, so it steps back by one each
    time."""
    acc = accumulator(version)
    begun = []
    for _ in range(4):
        for partition in range(4):
            add(acc, partition)
        begun.append(drain(acc, view(4))[0])
    assert begun == starts


def test_a_request_that_is_full_goes_on_where_it_broke_off():
    acc = accumulator("3.9", **{"batch.size": 200})
    for partition in range(4):
        add(acc, partition)
    assert [drain(acc, view(4), max_bytes=400) for _ in range(2)] == [[0, 1], [2, 3]]


def test_a_muted_partition_waits_for_its_answer():
    """max.in.flight.requests.per.connection=1: the Sender mutes what it has sent."""
    acc = accumulator()
    for partition in (0, 1):
        add(acc, partition)
    acc.muted.add(TopicPartition("t", 0))
    assert drain(acc, view(2)) == [1]
    assert not acc.ready(view(2), 0).nodes
    acc.muted.clear()
    assert drain(acc, view(2)) == [0]


def test_a_batch_that_failed_waits_unless_it_has_a_new_leader():
    """KAFKA-15415, 3.6."""
    for version, leaves in (("2.8", False), ("3.9", True)):
        acc, cluster = accumulator(version), view(1)
        batch = add(acc, 0)
        assert drain(acc, cluster) == [0]
        acc.reenqueue(batch, 10)
        assert drain(acc, cluster, now_ms=20) == []
        part = PartitionView("t", 0, 0, 1, (0,), (0,))
        elected = ClusterView(
            "lab", (NODE,), {TopicPartition("t", 0): part}, {"t": (part,)}, {0: NODE}
        )
        assert drain(acc, elected, now_ms=20) == ([0] if leaves else [])


def test_numbered_batches_go_back_to_their_place():
    acc = accumulator()
    batches = []
    for sequence in (0, 5, 10):
        batch = add(acc, 0)
        drain(acc, view(1))
        batch.base_sequence = sequence
        batches.append(batch)
    for batch in (batches[1], batches[2], batches[0]):
        acc.reenqueue(batch, 0)
    assert list(acc.batches[TopicPartition("t", 0)]) == batches


def test_unnumbered_batches_go_to_the_front_and_may_change_places():
    acc = accumulator()
    first, second = (add(acc, 0), drain(acc, view(1)))[0], (add(acc, 0), drain(acc, view(1)))[0]
    for batch in (first, second):
        acc.reenqueue(batch, 0)
    assert list(acc.batches[TopicPartition("t", 0)]) == [second, first]


def test_memory_is_free_again_when_the_outcome_is_known():
    acc = accumulator(**{"batch.size": 500})
    batch = add(acc, 0)
    assert acc.pool.total_bytes - acc.pool.available_bytes == 500
    assert acc.finish(batch, FinalState.SUCCEEDED, 0, None) and not acc.finish(
        batch, FinalState.FAILED, -1, None
    )
    assert acc.pool.available_bytes == acc.pool.total_bytes and not acc.incomplete


def test_after_a_close_by_force_nothing_is_taken():
    acc = accumulator()
    told = []
    send = sent(0, "x", lambda offset, error: told.append(str(error)))
    acc.append(send, None, 0, 16_384)
    acc.abort_incomplete()
    assert told == ["Producer is closed forcefully."]
    with pytest.raises(KafkaException, match="Producer closed while send in progress"):
        acc.append(send, None, 0)


def test_a_split_batch_keeps_records_numbers_and_age():
    outcomes = []
    batch = ProducerBatch(TopicPartition("t", 0), created_ms=7, write_limit_bytes=10_000)
    for n in range(10):
        batch.append(
            WireRecord(None, "x" * 100, 0), lambda offset, error, n=n: outcomes.append((n, offset))
        )
    batch.base_sequence, batch.producer_id, batch.producer_epoch = 2**31 - 4, 5, 0
    parts = batch.split(500)
    assert [len(part.records) for part in parts] == [4, 4, 2]
    assert [part.base_sequence for part in parts] == [2**31 - 4, 0, 4], (
        "numbers go on from 0 after 2**31 - 1"
    )
    assert {part.created_ms for part in parts} == {7}
    for offset, part in zip((0, 4, 8), parts):
        part.finish(FinalState.SUCCEEDED, offset, None)
    assert outcomes == [(n, n) for n in range(10)]
