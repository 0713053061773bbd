"""FETCH: the long poll and its sessions, by hand."""

import pytest

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.client_quotas import ClientQuotas
from kafkalab.broker.replication.fetch_requests import Fetches
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.steps import run
from kafkalab.protocol.messages import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ProducePartitionData,
    ProduceRequest,
    TopicProduceData,
)
from kafkalab.releases import broker_profile
from kafkalab.tests.broker.driver import NAME_OF, ByHand, a_caller, a_cluster
from kafkalab.tests.broker.test_records import a_batch


class ReaderByHand(ByHand):
    """A broker's logs, its purgatory, and a reader of topic orders."""

    def __init__(self, release="4.4", brokers=1, slots=1_000):
        self.cluster = a_cluster(brokers)
        self.replicas = ReplicaManager(0, broker_profile(release), self.cluster, BrokerConfig())
        self.drawn = 100
        self.fetches = Fetches(
            broker_profile(release), self.replicas, slots, False, self.draw, ClientQuotas({})
        )
        super().__init__(self.fetches.handle)

    def draw(self, caller):
        self.drawn += 1
        return self.drawn

    def fetch(
        self,
        offsets=None,
        session=0,
        epoch=0,
        client="inv-1",
        version=12,
        forget=(),
        topic_id=None,
        **options,
    ):
        """offsets: partition -> offset, or -> FetchPartition."""
        parts = tuple(
            asked
            if isinstance(asked, FetchPartition)
            else FetchPartition(partition=number, fetch_offset=asked)
            for number, asked in (offsets or {}).items()
        )
        names = {"topic": "orders"} if topic_id is None else {"topic_id": topic_id}
        topics = (FetchTopic(partitions=parts, **names),) if parts else ()
        forgotten = (ForgottenTopic(topic="orders", partitions=forget),) if forget else ()
        return self.ask(
            FetchRequest(
                session_id=session,
                session_epoch=epoch,
                topics=topics,
                forgotten_topics_data=forgotten,
                **options,
            ),
            client,
            version,
        )

    def write(self, partition, *batches):
        request = ProduceRequest(
            topic_data=(
                TopicProduceData(
                    name="orders",
                    partition_data=(ProducePartitionData(index=partition, records=batches),),
                ),
            )
        )
        self.do(run(self.replicas.produce(request, a_caller(request, "shop"), self.now_ms)))
        for appended in self.others:
            self.do(self.fetches.look_again(appended.topic, appended.partition, 0))
        self.others.clear()

    @property
    def last(self):
        return self.answers_to("inv-1")[-1]


def told(response):
    """partition -> records' offsets, or the error's name."""
    return {
        part.partition_index: NAME_OF[part.error_code]
        if part.error_code
        else [batch.base_offset + n for batch in part.records for n in range(len(batch.records))]
        for topic in response.responses
        for part in topic.partitions
    }


def test_a_fetch_of_nothing_new_waits_half_a_second_and_says_so():
    reader = ReaderByHand()
    assert reader.fetch({0: 0, 1: 0}) is None
    reader.wait(499)
    assert reader.answers == []
    reader.wait(1)
    assert told(reader.last) == {0: [], 1: []}
    assert reader.last.session_id == 101
    assert reader.last.responses[0].partitions[0].high_watermark == 0


def test_a_record_that_arrives_meanwhile_ends_the_wait_at_once():
    reader = ReaderByHand()
    reader.fetch({0: 0, 1: 0})
    reader.wait(120)
    reader.write(1, a_batch(2))
    assert told(reader.last) == {0: [], 1: [0, 1]}
    assert not any(key[0] == "fetch" for key in reader.timers) and reader.fetches.waiting == ()
    assert reader.now_ms == 120


def test_records_that_are_there_are_brought_without_waiting():
    reader = ReaderByHand()
    reader.write(0, a_batch(3))
    assert told(reader.fetch({0: 1})) == {0: [0, 1, 2]}, (
        "whole batches: the reader skips offset 0 itself"
    )


def test_min_bytes_counts_all_partitions_together():
    reader = ReaderByHand()
    reader.fetch({0: 0, 1: 0}, min_bytes=150)
    reader.write(0, a_batch(size_bytes=100))
    assert reader.answers_to("inv-1") == []
    reader.write(1, a_batch(size_bytes=50))
    assert told(reader.last) == {0: [0], 1: [0]}


def test_max_bytes_cuts_the_answer_but_never_to_nothing():
    reader = ReaderByHand()
    for partition in (0, 1):
        reader.write(partition, a_batch(size_bytes=1_000), a_batch(size_bytes=1_000))
    assert told(reader.fetch({0: 0, 1: 0}, max_bytes=2_500)) == {0: [0, 1], 1: []}
    assert told(reader.fetch({0: 0, 1: 0}, max_bytes=10)) == {0: [0], 1: []}
    small = FetchPartition(partition=0, partition_max_bytes=1_500)
    assert told(reader.fetch({0: small, 1: 0})) == {0: [0], 1: [0, 1]}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({0: 99}, "OFFSET_OUT_OF_RANGE"),
        ({1: 0}, "NOT_LEADER_OR_FOLLOWER"),
        ({9: 0}, "UNKNOWN_TOPIC_OR_PARTITION"),
        ({0: FetchPartition(partition=0, current_leader_epoch=3)}, "UNKNOWN_LEADER_EPOCH"),
    ],
)
def test_an_error_is_told_at_once_and_beside_the_other_partitions(asked, expected):
    reader = ReaderByHand(brokers=2)
    answer = reader.fetch(asked | {2: 0})
    assert told(answer) == {next(iter(asked)): expected, 2: []}
    assert answer.responses[0].partitions[0].high_watermark == -1


def test_a_waiting_fetch_learns_that_the_leader_moved_and_newer_versions_where_to():
    reader = ReaderByHand(brokers=2)
    reader.fetch({0: 0}, version=16, topic_id=reader.cluster.topics["orders"].topic_id)
    reader.cluster.set_leader("orders", 0, 1)
    reader.do(reader.fetches.look_again("orders", 0, 0))
    assert told(reader.last) == {0: "NOT_LEADER_OR_FOLLOWER"}
    hint = reader.last.responses[0].partitions[0].current_leader
    assert (hint.leader_id, hint.leader_epoch, reader.last.node_endpoints[0].port) == (1, 1, 9093)


def test_in_a_session_only_changes_travel():
    reader = ReaderByHand()
    reader.fetch({0: 0, 1: 0, 2: 0})
    reader.wait(500)
    session = reader.last.session_id
    assert reader.fetch(session=session, epoch=1) is None
    reader.wait(500)
    assert told(reader.last) == {}, "nothing changed, nothing is said"
    reader.fetch(session=session, epoch=2)
    reader.write(1, a_batch(2))
    assert told(reader.last) == {1: [0, 1]}
    reader.fetch({1: 2}, session=session, epoch=3)
    reader.wait(500)
    assert told(reader.last) == {}
    assert list(reader.fetches.sessions._sessions[session].partitions)[-1].partition == 1, (
        "who got records goes to the end"
    )


def test_a_partition_leaves_and_enters_a_session():
    reader = ReaderByHand()
    reader.write(1, a_batch())
    session = reader.fetch({0: 0, 1: 0}).session_id
    reader.fetch({3: 0}, session=session, epoch=1, forget=(1,))
    reader.wait(500)
    assert told(reader.last) == {3: []}, "new to the session: told once, even with nothing in it"
    reader.fetch(session=session, epoch=2)
    reader.write(1, a_batch())
    assert reader.fetches.waiting, "nobody reads partition 1 any more"


@pytest.mark.parametrize(
    ("session", "epoch", "expected"),
    [
        (5, 1, "FETCH_SESSION_ID_NOT_FOUND"),
        (101, 7, "INVALID_FETCH_SESSION_EPOCH"),
    ],
)
def test_a_session_that_does_not_exist_or_is_out_of_step_is_refused(session, epoch, expected):
    reader = ReaderByHand()
    reader.fetch({0: 0})
    reader.wait(500)
    answer = reader.fetch(session=session, epoch=epoch)
    assert (NAME_OF[answer.error_code], answer.session_id) == (expected, 0)


def test_the_closing_fetch_ends_the_session_and_is_answered_at_once():
    reader = ReaderByHand()
    reader.fetch({0: 0})
    reader.wait(500)
    answer = reader.fetch(session=101, epoch=-1)
    assert (answer.session_id, answer.responses, len(reader.fetches.sessions)) == (0, (), 0)


def test_a_full_fetch_replaces_the_session_it_names():
    reader = ReaderByHand()
    reader.fetch({0: 0})
    reader.wait(500)
    reader.fetch({0: 0}, session=101, epoch=0)
    reader.wait(500)
    assert (reader.last.session_id, len(reader.fetches.sessions)) == (102, 1)


def test_without_a_free_slot_there_is_no_session():
    reader = ReaderByHand(slots=0)
    reader.fetch({0: 0})
    reader.wait(500)
    assert reader.last.session_id == 0


def test_an_error_is_repeated_and_its_end_is_news():
    reader = ReaderByHand(brokers=2)
    reader.cluster.set_leader("orders", 0, 1)
    session = reader.fetch({0: 0, 2: 0}).session_id
    assert told(reader.fetch(session=session, epoch=1)) == {0: "NOT_LEADER_OR_FOLLOWER"}
    reader.cluster.set_leader("orders", 0, 0)
    reader.fetch(session=session, epoch=2)
    reader.wait(500)
    assert told(reader.last) == {0: []}


def test_topics_are_answered_in_the_words_of_the_version():
    reader = ReaderByHand()
    reader.write(0, a_batch())
    topic_id = reader.cluster.topics["orders"].topic_id
    by_name, by_id = reader.fetch({0: 0}), reader.fetch({0: 0}, version=13, topic_id=topic_id)
    assert (by_name.responses[0].topic, by_id.responses[0].topic, by_id.responses[0].topic_id) == (
        "orders",
        "",
        topic_id,
    )
    assert told(by_id) == {0: [0]}
    unknown = reader.fetch({0: 0}, version=13, topic_id="never seen")
    assert told(unknown) == {0: "UNKNOWN_TOPIC_ID"}


def test_read_committed_hears_of_aborted_transactions_even_when_there_are_none():
    reader = ReaderByHand()
    reader.write(0, a_batch())
    assert reader.fetch({0: 0}).responses[0].partitions[0].aborted_transactions is None
    assert (
        reader.fetch({0: 0}, isolation_level=1).responses[0].partitions[0].aborted_transactions
        == ()
    )


def test_a_connection_that_goes_takes_its_fetch_with_it():
    reader = ReaderByHand()
    reader.fetch({0: 0})
    reader.fetch({0: 0}, client="inv-2")
    reader.do(reader.fetches.abandon("inv-1#1"))
    reader.write(0, a_batch())
    assert reader.answers_to("inv-1") == [] and len(reader.answers_to("inv-2")) == 1
    assert not any(key[0] == "fetch" for key in reader.timers)
