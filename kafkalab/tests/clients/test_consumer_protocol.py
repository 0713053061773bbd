"""group.protocol=consumer (KIP-848): a background thread keeps the membership, the broker divides,
nobody stops for anybody."""

import itertools
import re

import pytest

from kafkalab import KafkaAdminClient, KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.broker.steps import run
from kafkalab.clients.consumer.modern.async_kafka_consumer import AsyncKafkaConsumer
from kafkalab.clients.consumer.modern.membership_manager import MOVES, MemberState
from kafkalab.errors import (
    CommitFailedException,
    ConfigException,
    IllegalArgumentException,
    IllegalStateException,
    KafkaException,
    OffsetMetadataTooLarge,
    TimeoutException,
    UnreleasedInstanceIdException,
    UnsupportedVersionException,
    WakeupException,
)
from kafkalab.records import OffsetAndMetadata, TopicPartition
from kafkalab.tests.shares import few

BOTH = pytest.mark.parametrize("version", ["4.0", "4.4"])


def cluster(version="4.4", partitions=4, **settings):
    lab = Lab(brokers=3, seed=5, version=version, broker_version="4.4", **settings)
    lab.create_topic("orders", partitions=partitions)
    return lab


def a_consumer(lab, name="one", **config):
    dotted = {key.replace("_", "."): value for key, value in config.items()}
    return KafkaConsumer(
        lab, {"client.id": name, "group.id": "shop", "group.protocol": "consumer", **dotted}
    )


def polling(lab, name, **config):
    """An app that polls for ever; its consumer is the first entry of the list that is returned,
    once it runs."""
    held = []

    def app(lab, name):
        held.append(a_consumer(lab, name, **config))
        held[0].subscribe(["orders"])
        while True:
            held[0].poll(timeout_ms=100)

    held.append(lab.spawn(app, name))
    app, held[:] = held[0], []
    return app, held


def poll_for(lab, consumer, ms):
    until_ms = lab.now_ms + ms
    records = []
    while lab.now_ms < until_ms:
        records += consumer.poll(timeout_ms=min(100, until_ms - lab.now_ms))
    return records


def numbers(consumer):
    return [tp.partition for tp in consumer.assignment()]


def states_of(lab, who):
    return [
        event.after
        for event in lab.journal.events
        if event.kind == "state" and event.who == who and event.machine.startswith("member of")
    ]


def sent(lab, who, api="CONSUMER_GROUP_HEARTBEAT"):
    return [
        event.at_ms
        for event in lab.journal.events
        if event.kind == "request.sent" and event.who == who and event.api == api
    ]


@BOTH
def test_it_asks_for_the_coordinator_before_anybody_polls(version):
    lab = cluster(version)
    consumer = a_consumer(lab)
    assert isinstance(consumer, KafkaConsumer) and isinstance(
        consumer._delegate, AsyncKafkaConsumer
    )
    lab.run_for(ms=1_000)
    assert len(sent(lab, "one", "FIND_COORDINATOR")) == 1 and not sent(lab, "one")


@BOTH
def test_the_first_member_has_everything_without_an_initial_delay(version):
    lab = cluster(version)
    consumer = a_consumer(lab)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 600)
    assert numbers(consumer) == [0, 1, 2, 3]
    assert states_of(lab, "one") == ["JOINING", "RECONCILING", "ACKNOWLEDGING", "STABLE"]


@BOTH
def test_a_second_member_takes_over_without_stopping_the_first(version):
    lab = cluster(version)
    first = a_consumer(lab, "one")
    first.subscribe(["orders"])
    poll_for(lab, first, 2_000)
    app, held = polling(lab, "two")
    poll_for(lab, first, 12_000)
    assert numbers(first) == [0, 1] and numbers(held[0]) == [2, 3]
    assert "JOINING" not in states_of(lab, "one")[1:]  # it never joined anew
    lab.stage.end(app)


def test_heartbeats_follow_the_brokers_interval():
    lab = cluster()
    consumer = a_consumer(lab)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 21_000)
    beats = sent(lab, "one")[2:]
    assert all(4_990 <= after - before <= 5_110 for before, after in itertools.pairwise(beats)), (
        beats
    )


@BOTH
def test_closing_commits_and_says_goodbye_so_the_others_need_no_session_timeout(version):
    lab = cluster(version)
    first, (app, held) = a_consumer(lab, "one"), polling(lab, "two")
    first.subscribe(["orders"])
    poll_for(lab, first, 15_000)
    assert len(numbers(first)) == len(numbers(held[0])) == 2
    first.close()
    assert states_of(lab, "one")[-3:] == ["PREPARE_LEAVING", "LEAVING", "UNSUBSCRIBED"]
    lab.run_for(ms=7_000)
    assert numbers(held[0]) == [0, 1, 2, 3]
    lab.stage.end(app)


def test_a_killed_member_is_missed_after_its_session_of_45_s():
    lab = cluster()
    first = a_consumer(lab, "one")
    polling(lab, "two")
    first.subscribe(["orders"])
    poll_for(lab, first, 15_000)
    lab.stage.kill("two")
    poll_for(lab, first, 40_000)
    assert len(numbers(first)) == 2
    poll_for(lab, first, 13_000)
    assert numbers(first) == [0, 1, 2, 3]


class Listener:
    def __init__(self):
        self.heard = []

    def on_partitions_assigned(self, partitions):
        self.heard.append(("assigned", [tp.partition for tp in partitions]))

    def on_partitions_revoked(self, partitions):
        self.heard.append(("revoked", [tp.partition for tp in partitions]))

    def on_partitions_lost(self, partitions):
        self.heard.append(("lost", [tp.partition for tp in partitions]))


@BOTH
def test_a_listener_hears_only_what_changes(version):
    lab, listener = cluster(version), Listener()
    first = a_consumer(lab, "one")
    first.subscribe(["orders"], listener)
    poll_for(lab, first, 2_000)
    app, _held = polling(lab, "two")
    poll_for(lab, first, 12_000)
    first.close()
    assert listener.heard == [
        ("assigned", [0, 1, 2, 3]),
        ("revoked", [2, 3]),
        ("assigned", []),
        ("revoked", [0, 1]),
    ]
    lab.stage.end(app)


def test_who_does_not_poll_for_max_poll_interval_leaves_and_comes_back_with_the_next_poll():
    lab, listener = cluster(), Listener()
    consumer = a_consumer(lab, max_poll_interval_ms=6_000)
    consumer.subscribe(["orders"], listener)
    poll_for(lab, consumer, 2_000)
    # noticed with the next heartbeat at the latest
    lab.sleep(12_000)
    assert states_of(lab, "one")[-1] == "STALE"
    poll_for(lab, consumer, 3_000)
    assert listener.heard[1:] == [("lost", [0, 1, 2, 3]), ("assigned", [0, 1, 2, 3])]
    assert numbers(consumer) == [0, 1, 2, 3]


def test_records_flow_and_offsets_survive_the_member():
    lab = cluster(partitions=1)
    producer = KafkaProducer(lab, {"client.id": "feeder"})
    first = a_consumer(lab, "one", auto_offset_reset="earliest", enable_auto_commit=False)
    first.subscribe(["orders"])
    for n in range(5):
        producer.send(ProducerRecord("orders", value=f"v{n}")).get()
    assert [r.value for r in poll_for(lab, first, 2_000)] == ["v0", "v1", "v2", "v3", "v4"]
    first.commit_sync({TopicPartition("orders", 0): OffsetAndMetadata(3)})
    assert first.committed([TopicPartition("orders", 0)])[TopicPartition("orders", 0)].offset == 3
    first.close()
    second = a_consumer(lab, "two")
    second.subscribe(["orders"])
    assert [r.value for r in poll_for(lab, second, 2_000)] == ["v3", "v4"]


def test_asynchronous_commits_tell_their_callback_in_a_later_poll():
    lab, told = cluster(), []
    consumer = a_consumer(lab, enable_auto_commit=False)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 1_000)
    consumer.commit_async(callback=lambda offsets, error: told.append((len(offsets), error)))
    assert told == []
    poll_for(lab, consumer, 500)
    assert told == [(4, None)]


def test_a_commit_after_the_broker_forgot_the_member_fails():
    lab = cluster()
    consumer = a_consumer(lab, enable_auto_commit=False)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 1_000)
    coordinator = lab.broker(lab.coordinator_of("shop")).machine.coordinator.modern
    group = coordinator.groups["shop"]
    member = next(iter(group.members.values()))
    run(coordinator._remove(group, member, "fenced by the test", lab.now_ms))
    with pytest.raises(CommitFailedException) as refused:
        consumer.commit_sync()
    assert str(refused.value) == (
        "OffsetCommit failed with unknown member ID. The coordinator is not aware of this member."
    )
    assert "OffsetCommit failed with UNKNOWN_MEMBER_ID" in lab.log_text(consumer.name)


def test_a_commit_of_an_epoch_that_is_over_fails_in_its_own_words(monkeypatch):
    lab, told = cluster(), []
    consumer = a_consumer(lab, enable_auto_commit=False)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 1_000)
    epoch = consumer.group_metadata().generation_id
    consumer._delegate._group.commits._epoch = epoch - 1
    with pytest.raises(
        CommitFailedException,
        match="^OffsetCommit failed with stale member epoch. The member epoch is stale.",
    ):
        consumer.commit_sync()
    consumer.commit_async(callback=lambda offsets, error: told.append(type(error).__name__))
    poll_for(lab, consumer, 500)
    assert told == ["StaleMemberEpochException"]
    assert f" with stale member epoch error. Last epoch sent: {epoch - 1}" in lab.log_text(
        consumer.name
    )


def test_a_fenced_member_loses_everything_and_joins_anew():
    lab, listener = cluster(), Listener()
    consumer = a_consumer(lab)
    consumer.subscribe(["orders"], listener)
    poll_for(lab, consumer, 1_000)
    coordinator = lab.broker(lab.coordinator_of("shop")).machine.coordinator.modern
    group = coordinator.groups["shop"]
    member = next(iter(group.members.values()))
    run(coordinator._remove(group, member, "fenced by the test", lab.now_ms))
    poll_for(lab, consumer, 8_000)
    assert "FENCED" in states_of(lab, "one")
    assert listener.heard == [
        ("assigned", [0, 1, 2, 3]),
        ("lost", [0, 1, 2, 3]),
        ("assigned", [0, 1, 2, 3]),
    ]


def test_without_group_management_it_reads_what_it_is_told_to():
    lab = cluster()
    producer = KafkaProducer(lab, {"client.id": "feeder"})
    producer.send(ProducerRecord("orders", value="tea", partition=2)).get()
    consumer = KafkaConsumer(
        lab, {"client.id": "one", "group.protocol": "consumer", "auto.offset.reset": "earliest"}
    )
    consumer.assign([TopicPartition("orders", 2)])
    assert [r.value for r in poll_for(lab, consumer, 1_000)] == ["tea"]
    assert consumer.position(TopicPartition("orders", 2)) == 1
    assert consumer.end_offsets([TopicPartition("orders", 2)]) == {TopicPartition("orders", 2): 1}
    consumer.close()


def test_wakeup_ends_a_poll():
    lab = cluster()
    consumer = a_consumer(lab)
    consumer.subscribe(["orders"])
    consumer.wakeup()
    with pytest.raises(WakeupException):
        consumer.poll(timeout_ms=1_000)
    assert consumer.poll(timeout_ms=100).count() == 0


def test_an_old_broker_does_not_know_the_protocol():
    lab = Lab(brokers=1, seed=1, version="4.4", broker_version="2.3")
    lab.create_topic("orders", partitions=1)
    with pytest.raises(UnsupportedVersionException):
        consumer = a_consumer(lab)
        consumer.subscribe(["orders"])
        poll_for(lab, consumer, 2_000)


@pytest.mark.parametrize(
    "version,config,sentence",
    [
        (
            "4.4",
            {"session.timeout.ms": 10_000},
            "session.timeout.ms cannot be set when group.protocol=CONSUMER",
        ),
        (
            "4.4",
            {"heartbeat.interval.ms": 1_000, "partition.assignment.strategy": "RangeAssignor"},
            (
                "partition.assignment.strategy, heartbeat.interval.ms cannot be set when "
                "group.protocol=CONSUMER"
            ),
        ),
        (
            "4.4",
            {"group.protocol": "classic", "group.remote.assignor": "range"},
            "group.remote.assignor cannot be set when group.protocol=CLASSIC",
        ),
        ("4.4", {"group.protocol": "newest"}, "String must be one of"),
        ("3.9", {}, "cannot be played with client 3.9"),
    ],
)
def test_what_belongs_to_the_other_protocol_cannot_be_set(version, config, sentence):
    with pytest.raises(ConfigException, match=sentence):
        KafkaConsumer(
            cluster(version), {"group.id": "shop", "group.protocol": "consumer", **config}
        )


def test_the_brokers_range_assignor_can_be_asked_for():
    lab = cluster()
    consumer = a_consumer(lab, group_remote_assignor="range")
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 1_000)
    assert numbers(consumer) == [0, 1, 2, 3]


def test_two_runs_of_a_rebalance_are_the_same_to_the_line():
    def run():
        lab = cluster()
        first = a_consumer(lab, "one")
        first.subscribe(["orders"])
        app, _ = polling(lab, "two")
        poll_for(lab, first, 8_000)
        first.close()
        lab.stage.end(app)
        return list(lab.lines()["text"])

    assert run() == run()


def test_every_state_can_be_reached_and_left_but_the_last():
    reached = {after for moves in MOVES.values() for after in moves}
    assert reached == set(MemberState)
    assert [state for state, moves in MOVES.items() if not moves] == [MemberState.FATAL]


@pytest.mark.parametrize("how", ["crash", "stop"])
def test_the_group_and_its_offsets_outlive_their_coordinator(how):
    lab = cluster()
    consumer = a_consumer(lab, enable_auto_commit="false")
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 3_000)
    place, epoch, first = (
        TopicPartition("orders", 0),
        consumer.group_metadata().generation_id,
        lab.coordinator_of("shop"),
    )
    consumer.commit_sync({place: OffsetAndMetadata(7)})
    getattr(lab.broker(first), how)()
    poll_for(lab, consumer, 20_000)
    assert lab.coordinator_of("shop") != first
    assert consumer.group_metadata().generation_id == epoch and numbers(consumer) == [0, 1, 2, 3]
    assert consumer.committed([place])[place].offset == 7


@BOTH
def test_a_transaction_moves_the_group_unless_the_partition_has_gone(version):
    lab = cluster(version)
    consumer = a_consumer(lab, enable_auto_commit="false")
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 1_000)
    producer = KafkaProducer(lab, {"transactional.id": "tx"})
    producer.init_transactions()
    place, member = TopicPartition("orders", 0), consumer.group_metadata()
    for commits in (False, True):
        producer.begin_transaction()
        producer.send_offsets_to_transaction({place: OffsetAndMetadata(3)}, member)
        producer.commit_transaction() if commits else producer.abort_transaction()
        poll_for(lab, consumer, 500)
        found = consumer.committed([place])[place]
        assert (None if found is None else found.offset) == (3 if commits else None)
    polling(lab, "two")
    poll_for(lab, consumer, 12_000)
    assert consumer.group_metadata().generation_id > member.generation_id
    kept, gone = numbers(consumer)[0], min({0, 1, 2, 3} - set(numbers(consumer)))
    producer.begin_transaction()
    # KIP-1251
    producer.send_offsets_to_transaction(
        {TopicPartition("orders", kept): OffsetAndMetadata(4)}, member
    )
    with pytest.raises(CommitFailedException):
        producer.send_offsets_to_transaction(
            {TopicPartition("orders", gone): OffsetAndMetadata(4)}, member
        )


def test_offsets_of_a_topic_that_is_read_stay_and_go_with_the_group():
    lab = cluster()
    lab.create_topic("old", partitions=1)
    consumer, admin = a_consumer(lab, enable_auto_commit="false"), KafkaAdminClient(lab)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 1_000)
    read, unread = TopicPartition("orders", 0), TopicPartition("old", 0)
    consumer.commit_sync({read: OffsetAndMetadata(1), unread: OffsetAndMetadata(2)})
    verdicts = admin.delete_consumer_group_offsets("shop", [read, unread])
    with pytest.raises(KafkaException):
        verdicts.partition_result(read).get()
    verdicts.partition_result(unread).get()
    assert (
        set(consumer.committed([read, unread])) == {read}
        or consumer.committed([unread])[unread] is None
    )
    consumer.close()
    admin.delete_consumer_groups(["shop"]).all().get()
    coordinator = lab.coordinator_of("shop")
    lab.broker(coordinator).crash()
    lab.run_for(12_000)
    again = a_consumer(lab, "again")
    assert again.committed([read])[read] is None


@BOTH
def test_a_pattern_finds_topics_that_come_later(version):
    lab = cluster(version)
    lab.create_topic("returns-eu", partitions=2)
    consumer = a_consumer(lab, metadata_max_age_ms=5_000)
    consumer.subscribe(re.compile("returns-.*"))
    poll_for(lab, consumer, 8_000)
    assert [str(tp) for tp in consumer.assignment()] == ["returns-eu-0", "returns-eu-1"]
    lab.create_topic("returns-us", partitions=1)
    poll_for(lab, consumer, 15_000)
    assert [str(tp) for tp in consumer.assignment()] == [
        "returns-eu-0",
        "returns-eu-1",
        "returns-us-0",
    ]
    with pytest.raises(IllegalStateException, match="mutually exclusive"):
        consumer.subscribe(["orders"])
    consumer.unsubscribe()
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 8_000)
    assert {tp.topic for tp in consumer.assignment()} == {"orders"}


def test_a_pattern_that_matches_nothing_is_a_membership_all_the_same():
    lab = cluster()
    consumer = a_consumer(lab)
    consumer.subscribe(re.compile("nothing.*"))
    poll_for(lab, consumer, 2_000)
    assert consumer.assignment() == [] and consumer.group_metadata().generation_id > 0
    consumer.close()


@BOTH
def test_a_coordinator_lost_while_it_looks_up_offsets_is_no_error(version):
    lab = cluster(version)
    consumer, coordinator = a_consumer(lab), lab.coordinator_of("shop")
    consumer.subscribe(["orders"])
    lab.broker(coordinator).delay("OFFSET_FETCH", 60_000)
    poll_for(lab, consumer, 8_000)
    assert numbers(consumer) == [0, 1, 2, 3] and not consumer._subscriptions.has_all_positions()
    lab.broker(coordinator).delay("OFFSET_FETCH", 0)
    lab.broker(coordinator).crash()
    poll_for(lab, consumer, 12_000)
    lab.broker(coordinator).restart()
    poll_for(lab, consumer, 10_000)
    assert numbers(consumer) == [0, 1, 2, 3] and consumer._subscriptions.has_all_positions()


def test_a_late_answer_makes_those_behind_it_late():
    lab = cluster()
    consumer = a_consumer(lab)
    consumer.subscribe(["orders"])
    lab.broker(lab.coordinator_of("shop")).delay("OFFSET_FETCH", 1_000)
    poll_for(lab, consumer, 8_000)
    assert consumer._subscriptions.has_all_positions()


@BOTH
def test_a_member_that_polls_too_late_says_so_twice(version):
    """Recorded with 4.4.0: a warning when the time is up, and one when the application is back;
    what was owned is given up at once."""
    lab = cluster(version)
    consumer = a_consumer(lab, **{"max.poll.interval.ms": 4_000})
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 3_000)
    lab.run_for(ms=8_000)
    away = lab.log_text("one")
    assert (
        "WARN" in away
        and "Consumer poll timeout has expired." in away
        and "It will remain in STALE state" in away
    )
    assert "exceeded approximately by" not in away and not consumer.assignment()
    poll_for(lab, consumer, 2_000)
    assert re.search(
        r"WARN .*exceeded approximately by [34]\d\d\d ms\. Member \S+ will rejoin the group now\.",
        lab.log_text("one"),
    )
    assert consumer.assignment()


@BOTH
def test_an_auto_commit_that_fails_at_close_is_written_and_not_raised(version):
    """AsyncKafkaConsumer.commitSyncAllConsumed: nobody asked for this commit,
    so nobody is to catch its error."""
    lab = cluster(version)
    consumer = a_consumer(lab)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 2_000)
    consumer.seek(TopicPartition("orders", 0), 0)
    coordinator = lab.broker(lab.coordinator_of("shop")).machine.coordinator.modern
    group = coordinator.groups["shop"]
    member = next(iter(group.members.values()))
    run(coordinator._remove(group, member, "fenced by the test", lab.now_ms))
    consumer.close()
    (line,) = (
        event
        for event in lab.journal.of("line")
        if event.fields["message"].endswith("Synchronous auto-commit failed")
    )
    assert (line.level, line.line) == ("WARN", {"4.0": 1457, "4.4": 1778}[version])
    assert line.trace.startswith("org.apache.kafka.clients.consumer.CommitFailedException")
    assert "Kafka consumer has been closed" in lab.log_text("one")


def test_who_cannot_leave_in_time_says_so_and_closes():
    lab = cluster()
    consumer = a_consumer(lab, enable_auto_commit=False)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 2_000)
    lab.link(lab.coordinator_of("shop"), "one").set_latency(3_000)
    consumer.close(timeout_ms=500)
    text = lab.log_text("one")
    assert (
        "Consumer attempted to leave the group but couldn't complete it within 500 ms. It will "
        "proceed to close."
    ) in text
    assert "Completed leaving the group" not in text and "Kafka consumer has been closed" in text


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.parametrize("timeout_ms", [-1, 1.5])
def test_neither_consumer_closes_within_a_negative_time(protocol, timeout_ms):
    consumer = KafkaConsumer(cluster(), {"group.id": "shop", "group.protocol": protocol})
    with pytest.raises(IllegalArgumentException, match="The timeout cannot be negative."):
        consumer.close(timeout_ms=timeout_ms)
    consumer.close()


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_commit_refused_with_an_error_that_commits_do_not_know_says_so(protocol):
    """GROUP_ID_NOT_FOUND came with version 9;
    OffsetCommitResponseHandler has no case of its own for it."""
    lab = cluster()
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "shop",
            "group.protocol": protocol,
            "client.id": "one",
            "enable.auto.commit": False,
        },
    )
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 8_000)
    machine = lab.broker(lab.coordinator_of("shop")).machine.coordinator
    machine.table.classic.pop("shop", None), machine.table.modern.pop("shop", None)
    with pytest.raises(
        KafkaException, match="Unexpected error in commit: The group id does not exist."
    ):
        consumer.commit_sync({TopicPartition("orders", 0): OffsetAndMetadata(0)})


@pytest.mark.parametrize("seed", few(range(4)))
def test_a_paused_coordinator_that_wakes_ends_nobodys_membership(seed):
    """It still knows the group when it wakes, so a heartbeat that waited there
    is no reason for the consumer to give up."""
    lab = Lab(
        brokers=3,
        seed=seed,
        version="4.4",
        broker_version="4.4",
        broker_config={
            "broker.session.timeout.ms": 600,
            "broker.heartbeat.interval.ms": 200,
            "group.consumer.session.timeout.ms": 5_000,
            "group.consumer.heartbeat.interval.ms": 300,
        },
    )
    lab.create_topic("orders", partitions=4, replication_factor=3)
    consumer = a_consumer(lab, request_timeout_ms=9_000)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 3_000)
    lab.broker(lab.coordinator_of("shop")).pause(ms=2_500)
    poll_for(lab, consumer, 8_000)
    assert numbers(consumer) == [0, 1, 2, 3] and not {"FENCED", "FATAL"} & set(
        states_of(lab, "one")
    )


def test_a_group_is_not_lost_with_a_leader_that_never_heard_that_it_leads():
    """Nobody has noticed yet that broker 1 is down when it is made the group's coordinator;
    broker 2 leads after it."""
    lab = Lab(brokers=3, seed=5, version="4.4", broker_version="4.4")
    lab.create_topic("orders", partitions=4, replication_factor=3, leaders=[2, 2, 2, 2])
    lab.place_coordinator("shop", 0)
    consumer = a_consumer(lab)
    consumer.subscribe(["orders"])
    poll_for(lab, consumer, 3_000)
    lab.broker(1).crash()
    lab.broker(0).stop()
    lab.run_for(10)
    assert lab.coordinator_of("shop") == 1 and not lab.broker(1).is_up
    poll_for(lab, consumer, 25_000)
    assert lab.coordinator_of("shop") == 2
    assert (
        list(lab.broker(2).machine.coordinator.table.modern["shop"].members)
        and not lab.broker(0).machine.coordinator.table.modern
    )
    assert "FENCED" not in states_of(lab, "one") and numbers(consumer) == [0, 1, 2, 3]


@BOTH
def test_the_first_partition_that_is_refused_decides_which_error_a_commit_has(version):
    """As CommitRequestManager.OffsetCommitRequestState.onResponse: a missing topic is asked for
    again until the time is up, and metadata that is too long is refused at once."""
    too_long = {TopicPartition("orders", 0): OffsetAndMetadata(1, metadata="x" * 5000)}
    missing = {TopicPartition("nowhere", 0): OffsetAndMetadata(1)}
    for offsets, error in (
        (too_long | missing, OffsetMetadataTooLarge),
        (missing | too_long, TimeoutException),
    ):
        consumer = a_consumer(cluster(version))
        consumer.assign([TopicPartition("orders", 0)])
        with pytest.raises(error):
            consumer.commit_sync(offsets)


def test_a_refused_heartbeat_has_a_line_and_a_fatal_one_has_two():
    """The words are those of whole logs of clients 4.4.0."""
    lab = cluster()
    polling(lab, "owner", group_instance_id="till")
    polling(lab, "stranger")
    lab.run_for(3_000)
    later = a_consumer(lab, "later", group_instance_id="till")
    later.subscribe(["orders"])
    with pytest.raises(UnreleasedInstanceIdException):
        poll_for(lab, later, 5_000)
    told = [f"{line.level} {line.message}" for line in lab.lines("later").itertuples()]
    assert [line.partition("] ")[2][:75] for line in told if line.startswith("ERROR")] == [
        "ConsumerGroupHeartbeatRequest failed due to unreleased instance id till: St",
        f"Member {later.group_metadata().member_id} with epoch 0 transitioned to fatal state"[:75],
    ]
    for broker in range(3):
        lab.link(broker, "stranger").cut()
    lab.run_for(60_000)
    for broker in range(3):
        lab.link(broker, "stranger").heal()
    lab.run_for(5_000)
    lines = lab.lines("stranger").query("level == 'INFO'").message
    assert lines.str.contains(r"Request failed because member \S+ is unknown\. in \d+ms: Mem").sum()
