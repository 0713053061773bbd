"""A partition's log, what its leader remembers of producers,
and PRODUCE and LIST_OFFSETS in front of them."""

from functools import partial

import pytest

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.effects import Appended, Note
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.broker.log.producer_state import ProducerState
from kafkalab.broker.replication.offset_requests import OffsetRequests
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.steps import answers
from kafkalab.errors import Errors
from kafkalab.protocol.messages import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
    ProducePartitionData,
    ProduceRequest,
    ProduceResponse,
    RecordBatch,
    TopicProduceData,
    WireRecord,
)
from kafkalab.releases import broker_profile
from kafkalab.tests.broker.driver import NAME_OF, ByHand, a_cluster

PRODUCE = answers(ProduceResponse)(ReplicaManager.produce)


def a_batch(count=1, size_bytes=100, producer=-1, epoch=-1, sequence=-1, timestamp_ms=0):
    records = tuple(WireRecord(f"key{n}", f"value{n}", timestamp_ms + n) for n in range(count))
    return RecordBatch(
        records=records,
        size_bytes=size_bytes,
        producer_id=producer,
        producer_epoch=epoch,
        base_sequence=sequence,
    )


def a_log(*counts):
    log = PartitionLog("orders", 0)
    for count in counts:
        log.append(a_batch(count), leader_epoch=0)
    return log


def test_a_log_hands_out_offsets_in_order():
    log = a_log(3, 1, 2)
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark, log.size_bytes) == (
        0,
        6,
        0,
        300,
    ), "safe is what others have"
    assert [batch.base_offset for batch in log.read(0, 1_000)] == [0, 3, 4]


@pytest.mark.parametrize(
    ("offset", "max_bytes", "bases"),
    [
        (0, 300, [0, 3, 4]),
        (0, 299, [0, 3]),
        (1, 1_000, [0, 3, 4]),
        (3, 1_000, [3, 4]),
        (5, 1_000, [4]),
        (6, 1_000, []),
        (0, 99, []),
    ],
)
def test_reading_brings_whole_batches_from_the_one_that_holds_the_offset(offset, max_bytes, bases):
    assert [batch.base_offset for batch in a_log(3, 1, 2).read(offset, max_bytes)] == bases
    assert a_log(3, 1, 2).bytes_from(offset, 1_000) == 100 * len(a_log(3, 1, 2).read(offset, 1_000))


def test_a_batch_larger_than_the_reader_asked_for_comes_when_it_is_the_first():
    assert [batch.base_offset for batch in a_log(3, 1).read(0, 10, at_least_one=True)] == [0]


def test_a_log_knows_where_each_leader_epoch_ended():
    log = PartitionLog("orders", 0)
    for epoch, count in ((0, 3), (0, 2), (2, 4)):
        log.append(a_batch(count), leader_epoch=epoch)
    assert log.end_of_epoch(0) == (0, 5)
    assert log.end_of_epoch(1) == (0, 5), (
        "nothing was written in epoch 1: the last one before it counts"
    )
    assert log.end_of_epoch(2) == (2, 9)
    assert [log.epoch_at(offset) for offset in (0, 4, 5, 9)] == [0, 0, 2, 2]


def test_a_log_finds_the_first_record_that_is_not_older():
    log = PartitionLog("orders", 0)
    log.append(a_batch(3, timestamp_ms=100), 0)
    log.append(a_batch(2, timestamp_ms=500), 0)
    assert log.offset_for_timestamp(101) == (1, 101)
    assert log.offset_for_timestamp(103) == (3, 500)
    assert log.offset_for_timestamp(502) is None


def test_a_log_finds_no_record_before_its_start():
    log = PartitionLog("orders", 0)
    log.append(a_batch(3, timestamp_ms=100), 0)
    log.log_start_offset = 2
    assert log.offset_for_timestamp(100) == (2, 102), "the batch still holds records 0 and 1"


def remembered(epoch, *batches):
    state = ProducerState()
    for first, last in batches:
        state.remember(a_batch(last - first + 1, producer=1, epoch=epoch, sequence=first))
    return state


FIVE = ((2, 2), (3, 3), (4, 4), (5, 5), (6, 8))


@pytest.mark.parametrize(
    ("state", "epoch", "first", "last", "unknown_ok", "verdict"),
    [
        (remembered(0, (0, 0)), 0, 1, 1, True, "append"),
        (remembered(0, (0, 0), (1, 1)), 0, 5, 5, True, "OUT_OF_ORDER_SEQUENCE_NUMBER"),
        (remembered(0, (0, 0), (1, 1)), 1, 0, 0, True, "append"),
        (remembered(0, (0, 0)), 1, 3, 3, True, "OUT_OF_ORDER_SEQUENCE_NUMBER"),
        (remembered(1, (0, 0)), 0, 1, 1, True, "INVALID_PRODUCER_EPOCH"),
        (remembered(0, *FIVE), 0, 6, 8, True, "duplicate"),
        (remembered(0, *FIVE), 0, 2, 2, True, "duplicate"),
        # only five batches are remembered
        (remembered(0, (1, 1), *FIVE), 0, 1, 1, True, "OUT_OF_ORDER_SEQUENCE_NUMBER"),
        # part of a batch is no duplicate
        (remembered(0, *FIVE), 0, 7, 8, True, "OUT_OF_ORDER_SEQUENCE_NUMBER"),
        (remembered(0, *FIVE), 0, 9, 9, True, "append"),
        (remembered(15, (2**31 - 1, 2**31 - 1)), 15, 0, 0, True, "append"),  # sequences wrap
        (remembered(0), 0, 17, 17, True, "append"),
        (remembered(0), 0, 17, 17, False, "UNKNOWN_PRODUCER_ID"),
        (remembered(0), 0, 0, 0, False, "append"),
    ],
)
def test_the_leader_knows_new_batches_from_repeated_and_early_ones(
    state, epoch, first, last, unknown_ok, verdict
):
    error, duplicate_of = state.judge(
        a_batch(last - first + 1, producer=1, epoch=epoch, sequence=first),
        accepts_unknown=unknown_ok,
    )
    assert (
        "duplicate" if duplicate_of else "append" if error is Errors.NONE else error.name
    ) == verdict


def test_a_new_epoch_forgets_the_batches_of_the_old_one():
    state = remembered(0, *FIVE)
    state.remember(a_batch(producer=1, epoch=1, sequence=0))
    assert [tuple(batch)[:2] for batch in state.entries[1].batches] == [(0, 0)]


class LeaderByHand(ByHand):
    def __init__(self, release="4.4", brokers=1, **config):
        self.cluster = a_cluster(brokers)
        self.replicas = ReplicaManager(
            0, broker_profile(release), self.cluster, BrokerConfig(**config)
        )
        super().__init__(None)

    def produce(self, *batches, acks=-1, partition=0, topic="orders", version=11, topic_id=None):
        names = {"name": topic} if topic_id is None else {"topic_id": topic_id}
        self.machine = partial(PRODUCE, self.replicas)
        return self.ask(
            ProduceRequest(
                acks=acks,
                topic_data=(
                    TopicProduceData(
                        partition_data=(ProducePartitionData(index=partition, records=batches),),
                        **names,
                    ),
                ),
            ),
            version=version,
        )

    def list_offset(self, timestamp, partition=0, epoch=-1):
        self.machine = OffsetRequests(self.replicas).list_offsets
        answer = self.ask(
            ListOffsetsRequest(
                topics=(
                    ListOffsetsTopic(
                        name="orders",
                        partitions=(
                            ListOffsetsPartition(
                                partition_index=partition,
                                timestamp=timestamp,
                                current_leader_epoch=epoch,
                            ),
                        ),
                    ),
                )
            )
        )
        return answer.topics[0].partitions[0]


def only_part(response):
    return response.responses[0].partition_responses[0]


def test_producing_appends_answers_with_the_offset_and_wakes_readers():
    leader = LeaderByHand()
    assert only_part(leader.produce(a_batch(3))).base_offset == 0
    assert only_part(leader.produce(a_batch(2))).base_offset == 3
    assert leader.others == [Appended("orders", 0)] * 2
    assert [(fields["base_offset"], fields["last_offset"]) for _, kind, fields in leader.notes] == [
        (0, 2),
        (3, 4),
    ]


def test_the_journal_has_what_an_append_did_before_the_answer_to_it(monkeypatch):
    order = []
    monkeypatch.setattr(LeaderByHand, "do", lambda self, effects: order.extend(effects))
    leader = LeaderByHand(log_segment_bytes=1_048_576)
    for _ in range(2):
        order.clear()
        leader.produce(a_batch(size_bytes=700_000))
    told = [one.kind if isinstance(one, Note) else type(one).__name__ for one in order]
    assert told[:4] == ["record.appended", "log.rolled", "Respond", "Appended"]


def test_acks_0_is_answered_with_nothing_but_written_all_the_same():
    leader = LeaderByHand()
    assert leader.produce(a_batch(), acks=0) is None
    assert leader.answers[0][1] is None, "the request has ended all the same"
    assert leader.replicas.led_replica("orders", 0)[0].log.log_end_offset == 1


def test_a_retried_batch_gets_the_old_answer_and_is_not_written_twice():
    leader = LeaderByHand()
    for _ in range(2):
        assert (
            only_part(leader.produce(a_batch(2, producer=7, epoch=0, sequence=0))).base_offset == 0
        )
    assert leader.replicas.led_replica("orders", 0)[0].log.log_end_offset == 2
    assert [
        (kind, fields.get("why"), fields.get("duplicate_of")) for _, kind, fields in leader.notes
    ] == [("record.appended", None, None), ("batch.not.appended", "DUPLICATE", 0)]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        (dict(topic="nowhere"), "UNKNOWN_TOPIC_OR_PARTITION"),
        (dict(partition=4), "UNKNOWN_TOPIC_OR_PARTITION"),
        (dict(partition=1), "NOT_LEADER_OR_FOLLOWER"),
        (dict(acks=2), "INVALID_REQUIRED_ACKS"),
        (dict(topic_id="never seen", version=13), "UNKNOWN_TOPIC_ID"),
    ],
)
def test_what_a_leader_refuses(what, expected):
    answer = only_part(LeaderByHand(brokers=2).produce(a_batch(), **what))
    assert (NAME_OF[answer.error_code], answer.base_offset, answer.log_start_offset) == (
        expected,
        -1,
        -1,
    )


def test_a_batch_above_message_max_bytes_is_refused_and_the_limit_itself_is_not():
    leader = LeaderByHand()
    assert NAME_OF[only_part(leader.produce(a_batch(size_bytes=1_048_588))).error_code] == "NONE"
    assert (
        NAME_OF[only_part(leader.produce(a_batch(size_bytes=1_048_589))).error_code]
        == "MESSAGE_TOO_LARGE"
    )


@pytest.mark.parametrize(
    ("release", "version", "hinted"), [("2.3", 7, -1), ("4.4", 9, -1), ("4.4", 10, 1)]
)
def test_a_refusal_names_the_leader_where_broker_and_version_can(release, version, hinted):
    answer = LeaderByHand(release, brokers=2).produce(a_batch(), partition=1, version=version)
    assert only_part(answer).current_leader.leader_id == hinted
    assert [node.port for node in answer.node_endpoints] == ([9093] if hinted == 1 else [])


def test_topics_are_answered_in_the_words_of_the_version():
    leader = LeaderByHand()
    topic_id = leader.cluster.topics["orders"].topic_id
    by_name = leader.produce(a_batch(), version=12).responses[0]
    by_id = leader.produce(a_batch(), version=13, topic_id=topic_id).responses[0]
    assert (by_name.name, by_id.name, by_id.topic_id) == ("orders", "", topic_id)
    assert only_part(leader.produce(a_batch(), version=13, topic_id=topic_id)).base_offset == 2


def test_where_does_a_partition_begin_and_end():
    leader = LeaderByHand()
    leader.produce(a_batch(3, timestamp_ms=1_000))
    assert (leader.list_offset(-1).offset, leader.list_offset(-2).offset) == (3, 0)
    asked = leader.list_offset(1_002)
    assert (asked.offset, asked.timestamp) == (2, 1_002)
    assert leader.list_offset(2_000).offset == -1, "nothing is that young"
    assert (
        leader.list_offset(-1, partition=1).offset,
        leader.list_offset(-1, partition=1).leader_epoch,
    ) == (0, 0)


def test_a_caller_that_believes_in_another_leader_epoch_is_told():
    leader = LeaderByHand()
    leader.cluster.set_leader("orders", 0, 0)  # elected again: epoch 1
    assert NAME_OF[leader.list_offset(-1, epoch=0).error_code] == "FENCED_LEADER_EPOCH"
    assert NAME_OF[leader.list_offset(-1, epoch=1).error_code] == "NONE"
    assert NAME_OF[leader.list_offset(-1, epoch=2).error_code] == "UNKNOWN_LEADER_EPOCH"


def test_a_consumer_asks_where_the_epoch_of_its_committed_offset_ended():
    leader = LeaderByHand(brokers=2)
    leader.produce(a_batch(3))
    leader.machine = OffsetRequests(leader.replicas).offset_for_leader_epoch
    answer = leader.ask(
        OffsetForLeaderEpochRequest(
            topics=(
                OffsetForLeaderTopic(
                    topic="orders",
                    partitions=tuple(
                        OffsetForLeaderPartition(partition=number, leader_epoch=0)
                        for number in (0, 1)
                    ),
                ),
            )
        )
    )
    mine, strangers = answer.topics[0].partitions
    assert (mine.leader_epoch, mine.end_offset) == (0, 3)
    assert NAME_OF[strangers.error_code] == "NOT_LEADER_OR_FOLLOWER"
