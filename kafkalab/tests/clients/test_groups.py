"""Members of one group: what each gives up and keeps in a rebalance, who may return unnoticed,
who is thrown out."""

import re

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.clients.consumer.classic.membership import Generation
from kafkalab.errors import (
    CommitFailedException,
    ConfigException,
    FencedInstanceIdException,
    IllegalStateException,
    InconsistentGroupProtocolException,
    KafkaException,
    RebalanceInProgressException,
    RetriableCommitFailedException,
    UnsupportedVersionException,
    WakeupException,
)
from kafkalab.records import OffsetAndMetadata
from kafkalab.tests.clients.stories import cluster, poll_for
from kafkalab.tests.shares import share

COOPERATIVE = {
    "partition.assignment.strategy": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
}
ORDERS = [TopicPartition("orders", n) for n in range(4)]


class Listener:
    """Writes down what it hears; `on` maps a name to what is done then."""

    def __init__(self, **on):
        self.heard, self.on = [], on

    def _hear(self, what, partitions):
        self.heard.append((what, sorted(tp.partition for tp in partitions)))
        if what in self.on:
            self.on[what]()

    def on_partitions_revoked(self, partitions):
        self._hear("revoked", partitions)

    def on_partitions_assigned(self, partitions):
        self._hear("assigned", partitions)

    def on_partitions_lost(self, partitions):
        self._hear("lost", partitions)


def member(lab, name, listener=None, **config):
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "inventory",
            **{key.replace("_", "."): value for key, value in config.items()},
        },
        name=name,
    )
    consumer.subscribe(["orders"], listener)
    return consumer


def orders(version, **settings):
    lab = cluster(version, **settings)
    lab.create_topic("orders", 4)
    return lab


def polling(lab, consumer, ms):
    """An app that polls for so long; what it raised is its result."""

    def loop(lab):
        try:
            poll_for(lab, consumer, ms)
        except KafkaException as error:
            return error

    return lab.spawn(loop, name=consumer.name)


def assigned(lab, name):
    return [
        (
            event.fields["generation"],
            [int(tp.rpartition("-")[2]) for tp in event.fields["partitions"]],
        )
        for event in lab.journal.of("assignment")
        if event.who == name
    ]


@pytest.mark.parametrize("version", share(["2.8", "3.9", "4.4"], 3))
def test_a_cooperative_member_gives_up_only_what_another_gets_and_reads_the_rest_all_the_time(
    version,
):
    lab = orders(version)
    heard = Listener()
    first = member(lab, "first", heard, **COOPERATIVE)
    poll_for(lab, first, 5_000)
    second = member(lab, "second", **COOPERATIVE)
    apps = [polling(lab, first, 12_000), polling(lab, second, 12_000)]
    assert lab.run_until(lambda: all(app.done for app in apps))
    assert heard.heard == [
        ("assigned", [0, 1, 2, 3]),
        ("revoked", [2, 3]),
        ("assigned", []),
        ("assigned", []),
    ]
    assert [partitions for _, partitions in assigned(lab, "second")] == [[], [2, 3]], (
        "a partition has one owner at a time"
    )
    assert sorted(first.assignment() + second.assignment()) == ORDERS
    joins = [
        event.at_ms
        for event in lab.journal.of("request.sent")
        if event.who == "first" and event.fields["api"] == "JOIN_GROUP"
    ]
    fetches = [
        event.at_ms
        for event in lab.journal.of("request.sent")
        if event.who == "first" and event.fields["api"] == "FETCH"
    ]
    parked_until = next(
        event.at_ms
        for event in lab.journal.of("assignment")
        if event.who == "first" and event.fields["generation"] == 3
    )
    assert any(joins[-1] < at_ms < parked_until for at_ms in fetches), (
        "fetching goes on while its join is parked"
    )


def test_an_eager_member_gives_up_everything_first():
    lab = orders("3.9")
    heard = Listener()
    first = member(lab, "first", heard)
    poll_for(lab, first, 5_000)
    second = member(lab, "second")
    apps = [polling(lab, first, 8_000), polling(lab, second, 8_000)]
    assert lab.run_until(lambda: all(app.done for app in apps))
    assert heard.heard[:2] == [("assigned", [0, 1, 2, 3]), ("revoked", [0, 1, 2, 3])]
    assert heard.heard[2:] == [("assigned", [tp.partition for tp in first.assignment()])]
    assert sorted([first.assignment(), second.assignment()]) == [ORDERS[:2], ORDERS[2:]]


@pytest.mark.parametrize(
    ("version", "word"), [("2.3", "revoked"), ("2.8", "lost"), ("4.4", "lost")]
)
def test_who_was_away_too_long_has_lost_its_partitions_and_cannot_commit(version, word):
    lab = orders(version)
    heard = Listener()
    slow = member(
        lab,
        "slow",
        heard,
        max_poll_interval_ms=4_000,
        session_timeout_ms=6_000,
        enable_auto_commit=False,
    )
    poll_for(lab, slow, 4_000)
    lab.run_for(7_000)
    with pytest.raises(CommitFailedException):
        slow.commit_sync({ORDERS[0]: OffsetAndMetadata(0)})
    del heard.heard[:]
    poll_for(lab, slow, 4_000)
    assert heard.heard == [(word, [0, 1, 2, 3]), ("assigned", [0, 1, 2, 3])]


def test_a_listener_that_does_not_know_lost_partitions_hears_of_them_as_revoked():
    class Old:
        heard = []

        def on_partitions_revoked(self, partitions):
            self.heard.append(len(partitions))

    lab = orders("3.9")
    slow = member(lab, "slow", Old(), max_poll_interval_ms=4_000, session_timeout_ms=6_000)
    poll_for(lab, slow, 4_000)
    lab.run_for(7_000)
    slow.poll(1_000)
    assert Old.heard == [4]


def test_what_a_listener_raises_ends_the_poll_since_2_4():
    def fail():
        raise ZeroDivisionError("mine")

    for version, raises in (("2.3", False), ("3.9", True)):
        lab = orders(version)
        consumer = member(lab, "c", Listener(assigned=fail))
        if raises:
            with pytest.raises(
                KafkaException, match="User rebalance callback throws an error"
            ) as told:
                poll_for(lab, consumer, 5_000)
            assert isinstance(told.value.__cause__, ZeroDivisionError)
        else:
            poll_for(lab, consumer, 5_000)
        assert consumer.assignment() == ORDERS, "the rebalance itself went on"


@pytest.mark.parametrize("version", ["2.3", "2.8", "4.4"])
def test_a_static_member_comes_back_unnoticed_within_its_session(version):
    lab = orders(version)
    one, two = (
        member(lab, name, group_instance_id=name, session_timeout_ms=20_000)
        for name in ("one", "two")
    )
    apps = [polling(lab, one, 20_000), polling(lab, two, 8_000)]
    assert lab.run_until(lambda: apps[1].done)
    before = two.assignment()
    two.close()
    again = member(lab, "again", group_instance_id="two", session_timeout_ms=20_000)
    apps.append(polling(lab, again, 6_000))
    assert lab.run_until(lambda: all(app.done for app in apps))
    assert again.assignment() == before and len(before) == 2
    assert [generation for generation, _ in assigned(lab, "one")] == [1], (
        "nobody else had to rebalance"
    )
    assert all(event.fields["api"] != "LEAVE_GROUP" for event in lab.journal.of("request.sent"))


def test_two_members_with_one_static_name_the_older_is_fenced():
    lab = orders("3.9")
    older = member(lab, "older", group_instance_id="one", session_timeout_ms=20_000)
    poll_for(lab, older, 5_000)
    newer = member(lab, "newer", group_instance_id="one", session_timeout_ms=20_000)
    apps = [polling(lab, older, 8_000), polling(lab, newer, 8_000)]
    assert lab.run_until(lambda: all(app.done for app in apps))
    assert isinstance(apps[0].result, FencedInstanceIdException)
    assert newer.assignment() == ORDERS


@pytest.mark.parametrize("version", ["2.3", "3.9"])
def test_whoever_lost_its_static_name_can_still_close(version):
    """ConsumerCoordinator.maybeAutoCommitOffsetsSync writes down whatever its commit meets."""
    lab = orders(version)
    older = member(
        lab, "older", group_instance_id="one", session_timeout_ms=20_000, enable_auto_commit=True
    )
    poll_for(lab, older, 5_000)
    older.seek(ORDERS[0], 0)
    newer = member(lab, "newer", group_instance_id="one", session_timeout_ms=20_000)
    poll_for(lab, newer, 300)
    older.close()
    assert "Synchronous auto-commit of offsets" in lab.log_text(
        "older"
    ) and "Kafka consumer has been closed" in lab.log_text("older")


def test_a_killed_member_is_missed_when_its_session_ends():
    lab = orders("3.9")
    first, second = (member(lab, name, session_timeout_ms=8_000) for name in ("first", "second"))
    apps = [polling(lab, first, 25_000), polling(lab, second, 25_000)]
    lab.run_until(lambda: len(assigned(lab, "second")) == 1)
    lab.run_for(2_000)
    lab.kill("second")
    killed_at_ms = lab.now_ms
    assert lab.run_until(lambda: apps[0].done)
    assert first.assignment() == ORDERS
    took_back_ms = next(
        event.at_ms
        for event in lab.journal.of("assignment")
        if event.who == "first" and event.fields["generation"] == 2
    )
    assert 3_000 < took_back_ms - killed_at_ms < 11_100, (
        "the rest of its session, and a heartbeat of the survivor"
    )
    assert all(
        event.at_ms <= killed_at_ms
        for event in lab.journal.of("request.sent")
        if event.who == "second"
    ), "a dead process asks nothing"
    assert {socket.how for socket in lab.sockets("second")} <= {"killed", "idle"}
    with pytest.raises(IllegalStateException, match="was killed at"):
        second.poll(0)


def test_a_pattern_finds_topics_that_come_later():
    lab = cluster("3.9")
    lab.create_topic("orders-eu", 2)
    lab.create_topic("returns", 2)
    consumer = KafkaConsumer(lab, {"group.id": "g", "metadata.max.age.ms": 5_000})
    consumer.subscribe(re.compile("orders-.*"))
    poll_for(lab, consumer, 6_000)
    assert [str(tp) for tp in consumer.assignment()] == ["orders-eu-0", "orders-eu-1"]
    lab.create_topic("orders-us", 1)
    poll_for(lab, consumer, 12_000)
    assert [str(tp) for tp in consumer.assignment()] == [
        "orders-eu-0",
        "orders-eu-1",
        "orders-us-0",
    ]
    with pytest.raises(IllegalStateException, match="mutually exclusive"):
        consumer.subscribe(["returns"])
    consumer.unsubscribe()
    consumer.subscribe(["returns"])
    poll_for(lab, consumer, 6_000)
    assert {tp.topic for tp in consumer.assignment()} == {"returns"}


def test_a_commit_while_a_join_is_parked_says_that_the_group_rebalances():
    lab = orders("3.9", broker_config={"group.initial.rebalance.delay.ms": 3_000})
    consumer = member(lab, "c", enable_auto_commit=False)
    poll_for(lab, consumer, 2_000)
    with pytest.raises(RebalanceInProgressException, match="undergoing a rebalance"):
        consumer.commit_sync({ORDERS[0]: OffsetAndMetadata(1)})


def test_callbacks_of_commits_come_in_order_inside_poll():
    lab = orders("3.9")
    consumer, order = member(lab, "c", enable_auto_commit=False), []
    poll_for(lab, consumer, 5_000)
    for offset in (3, 1, 2):
        consumer.commit_async(
            {ORDERS[0]: OffsetAndMetadata(offset)},
            lambda offsets, error: order.append((offsets[ORDERS[0]].offset, error)),
        )
    lab.run_for(1_000)
    assert order == [], "on the application's own thread"
    poll_for(lab, consumer, 400)
    assert order == [(3, None), (1, None), (2, None)]
    assert consumer.committed(ORDERS[:1])[ORDERS[0]].offset == 2


def test_no_common_assignor_no_membership():
    lab = orders("3.9")
    first = member(lab, "first")
    poll_for(lab, first, 5_000)
    second = member(lab, "second", partition_assignment_strategy="RoundRobinAssignor")
    with pytest.raises(InconsistentGroupProtocolException):
        poll_for(lab, second, 3_000)


def test_a_consumer_older_than_2_4_cannot_cooperate():
    with pytest.raises(ConfigException, match="could not be found"):
        member(orders("2.3"), "old", **COOPERATIVE)


def test_a_rebalance_can_be_asked_for_since_2_6():
    lab = orders("3.9")
    consumer = member(lab, "c")
    poll_for(lab, consumer, 5_000)
    consumer.enforce_rebalance("I want to")
    poll_for(lab, consumer, 2_000)
    assert [generation for generation, _ in assigned(lab, "c")] == [1, 2]
    with pytest.raises(UnsupportedVersionException, match="KIP-568"):
        member(orders("2.3"), "old").enforce_rebalance()


@pytest.mark.parametrize("version", ["2.1", "2.3", "3.9"])
def test_a_committed_offset_is_checked_at_the_leader_before_the_first_fetch(version):
    lab = orders(version)
    producer = KafkaProducer(lab)
    producer.send(ProducerRecord("orders", value="tea", partition=0)).get()
    before = member(lab, "before", auto_offset_reset="earliest")
    assert len(poll_for(lab, before, 6_000)) == 1
    before.close()
    after = member(lab, "after", auto_offset_reset="earliest")
    assert poll_for(lab, after, 6_000) == []
    asked = [
        event.fields["api"] for event in lab.journal.of("request.sent") if event.who == "after"
    ]
    assert ("OFFSET_FOR_LEADER_EPOCH" in asked) is (version != "2.1"), "KIP-320"
    assert after.position(ORDERS[0]) == 1


def test_a_standalone_consumer_cannot_commit_beside_a_living_group():
    for version in ("2.3", "3.9"):
        lab = orders(version)
        consumer = member(lab, "member")
        poll_for(lab, consumer, 5_000)
        alone = KafkaConsumer(
            lab, {"group.id": "inventory", "enable.auto.commit": False}, name="alone"
        )
        alone.assign(ORDERS[:1])
        with pytest.raises(CommitFailedException, match="the group has already rebalanced"):
            alone.commit_sync({ORDERS[0]: OffsetAndMetadata(1)})
        consumer.close()
        alone.commit_sync({ORDERS[0]: OffsetAndMetadata(1)})
        assert alone.committed(ORDERS[:1])[ORDERS[0]].offset == 1, "nobody is left to object"


def test_a_commit_that_may_succeed_later_is_told_apart_in_its_callback():
    lab = orders("3.9")
    consumer, told = member(lab, "c", enable_auto_commit=False), []
    poll_for(lab, consumer, 5_000)
    link = lab.link(lab.coordinator_of("inventory"), "c")
    link.cut_before_reply("OFFSET_COMMIT")
    consumer.commit_async(
        {ORDERS[0]: OffsetAndMetadata(7)}, lambda offsets, error: told.append(error)
    )
    poll_for(lab, consumer, 1_000)
    assert isinstance(told[0], RetriableCommitFailedException) and "You should retry" in str(
        told[0]
    )
    consumer.commit_sync({ORDERS[0]: OffsetAndMetadata(7)})
    assert len(told) == 1


def test_a_wakeup_ends_a_poll_that_waits():
    lab = orders("3.9")
    consumer = member(lab, "c")
    poll_for(lab, consumer, 5_000)
    lab.spawn(lambda lab: (lab.sleep(500), consumer.wakeup()), name="bell")
    began_ms = lab.now_ms
    with pytest.raises(WakeupException):
        consumer.poll(60_000)
    assert lab.now_ms - began_ms < 1_000
    assert consumer.poll(0) is not None, "only once"


def test_a_newcomer_prints_the_generation_it_does_not_have_as_java_does():
    lab = cluster("3.9")
    lab.create_topic("orders", partitions=1)
    consumer = KafkaConsumer(lab, {"group.id": "g"})
    consumer.subscribe(["orders"])
    consumer.poll(timeout_ms=200)
    said = lab.lines()["message"]
    assert (
        said[said.str.contains("MEMBER_ID_REQUIRED. Will")]
        .iloc[0]
        .endswith("Sent generation was Generation{generationId=-1, memberId='', protocol='null'}")
    )


@pytest.mark.parametrize(
    "version, keeps_id", [("2.3", False), ("2.8", False), ("3.6", True), ("4.4", True)]
)
def test_a_member_of_an_old_generation_keeps_its_id_in_newer_clients(version, keeps_id):
    """ILLEGAL_GENERATION says that the generation has gone by, not the member:
    who forgets its id makes the group wait for it."""
    lab = cluster(version)
    ann = member(lab, "ann")
    poll_for(lab, ann, 6_000)
    membership = ann._delegate.coordinator._membership
    then = membership.generation
    membership.generation = Generation(then.id - 1, then.member_id, then.protocol)
    poll_for(lab, ann, 10_000)
    assert membership.generation.id > then.id and ann.assignment()
    assert (membership.member_id == then.member_id) is keeps_id
    said = lab.log_text("ann")
    assert (
        "Resetting generation due to: encountered ILLEGAL_GENERATION from HEARTBEAT response"
        in said
    ) is keeps_id


@pytest.mark.parametrize("version", ["2.8", "3.9", "4.4"])
def test_what_was_fetched_of_a_lost_partition_is_drained(version):
    """A member works too long on one of twenty records and loses its partition; its next poll says
    what becomes of the others (recording works_too_long_4.4.0_3.9.2)."""
    lab = Lab(1, seed=3, version=version, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {}, name="shop")
    for _ in range(20):
        producer.send(ProducerRecord("orders", value="tea"))
    producer.flush()

    def slow(lab):
        config = {
            "group.id": "stock",
            "auto.offset.reset": "earliest",
            "max.poll.records": 1,
            "max.poll.interval.ms": 4_000,
        }
        consumer = KafkaConsumer(lab, config, name="ada")
        consumer.subscribe(["orders"])
        while True:
            if consumer.poll(timeout_ms=500):
                lab.sleep(6_000)

    lab.spawn(slow, name="ada")
    lab.run_for(ms=8_000)
    wanted = ("Not returning fetched", "Draining fetched", "consumer poll timeout")
    told = [
        (event.name, event.level)
        for event in lab.journal.of("line")
        if event.who.startswith("ada") and any(words in event.message for words in wanted)
    ]
    drained = [("FETCH_NOT_ASSIGNED", "DEBUG"), ("FETCH_DRAINED", "TRACE")]
    assert told[-2:] == drained and "FETCH_DRAINED" not in dict(told[:-2])
    lab.close()


@pytest.mark.parametrize("version", ["2.3", "4.4"])
def test_a_leader_that_leaves_while_it_asks_for_topics_joins_again(version):
    """The group has a topic that its leader does not know: it asks for metadata between JOIN_GROUP
    and SYNC_GROUP, and unsubscribes before they are there."""
    lab = cluster(version, brokers=1)
    for topic in ("orders", "till"):
        lab.create_topic(topic)

    def other(lab):
        lab.sleep(3_000)
        consumer = member(lab, "bo")
        consumer.subscribe(["till"])
        poll_for(lab, consumer, 20_000)

    def is_between_the_two():
        *_, last = [event for event in lab.journal.of("state") if event.who.startswith("ada")]
        return last.after == "COMPLETING_REBALANCE"

    ada = member(lab, "ada")
    ada.subscribe(["orders"])
    poll_for(lab, ada, 4_000)
    lab.spawn(other, name="bo's app")
    while not is_between_the_two():
        ada.poll(timeout_ms=1)
    ada.unsubscribe()
    ada.subscribe(["orders"])
    poll_for(lab, ada, 10_000)
    assert ada.assignment() == [TopicPartition("orders", 0)]
    lab.close()
