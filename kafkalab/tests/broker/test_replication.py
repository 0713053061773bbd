"""Stories of replication: what acks=all is worth, what an unclean election costs,
and what a leader that was cut off loses."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import KafkaException

RELEASES = ("2.3", "4.4")

SESSION = {"2.3": "zookeeper.session.timeout.ms", "4.4": "broker.session.timeout.ms"}


class Story:
    """Three brokers, one partition led by broker 0, and a shop that sends to it."""

    def __init__(self, release, acks="all", seed=3, topic=None, brokers=3, **config):
        self.lab = Lab(
            brokers,
            seed,
            version="2.3" if release == "2.3" else "3.9",
            broker_version=release,
            broker_config=topic,
        )
        self.lab.create_topic("orders", replication_factor=brokers, leaders=[0], config=config)
        self.shop = KafkaProducer(
            self.lab,
            {
                "acks": acks,
                "enable.idempotence": False,
                "request.timeout.ms": 5_000,
                "delivery.timeout.ms": 40_000,
                "linger.ms": 0,
                "retries": 2**31 - 1,
            },
            name="shop",
        )

    def send(self, *values):
        return [
            self.shop.send(ProducerRecord("orders", value=value)).get().offset for value in values
        ]

    def error_of(self, value):
        try:
            self.send(value)
        except KafkaException as error:
            return type(error).__name__

    def log(self, broker):
        return self.lab.broker(broker).machine.replicas.replica(("orders", 0)).log

    def values(self, broker):
        return [record.value for batch in self.log(broker).batches() for record in batch.records]

    def ends(self):
        return [
            (self.log(broker).log_end_offset, self.log(broker).high_watermark)
            for broker in self.lab.cluster.brokers
        ]

    @property
    def partition(self):
        return self.lab.cluster.partition("orders", 0)

    def until_led_by(self, broker):
        assert self.lab.run_until(lambda: self.partition.leader == broker, timeout_ms=60_000)

    def back(self, broker):
        self.lab.broker(broker).restart()
        assert self.lab.run_until(lambda: broker in self.partition.isr, timeout_ms=60_000)
        self.lab.run_for(2_000)


@pytest.mark.parametrize("release", RELEASES)
def test_followers_copy_at_once_and_learn_the_high_watermark_with_their_next_fetch(release):
    story = Story(release)
    story.send("tea", "milk")
    assert [end for end, _ in story.ends()] == [2, 2, 2] and story.ends()[0] == (2, 2)
    story.lab.run_for(1_100)
    assert story.ends() == [(2, 2)] * 3


@pytest.mark.parametrize("release", RELEASES)
def test_an_idle_lab_with_replicas_costs_nothing(release):
    story = Story(release)
    story.send("tea")
    story.shop.close()
    story.lab.run_for(31_000)  # the look after laggards ends, too
    before = story.lab.clock.scheduled
    story.lab.run_for(250_000)
    assert story.lab.clock.scheduled - before <= 2


@pytest.mark.parametrize("release", RELEASES)
def test_a_record_acknowledged_by_all_survives_its_leader(release):
    story = Story(release)
    story.send("tea")
    story.lab.broker(0).crash()
    story.until_led_by(1)
    assert story.partition.isr == (1, 2) and story.partition.leader_epoch == 1
    story.send("milk")
    story.back(0)
    assert [story.values(broker) for broker in (0, 1, 2)] == [["tea", "milk"]] * 3


@pytest.mark.parametrize(
    ("release", "earliest_ms", "latest_ms"), [("2.3", 4_000, 6_600), ("4.4", 7_000, 9_900)]
)
def test_how_long_a_dead_broker_goes_unnoticed_is_as_recorded(release, earliest_ms, latest_ms):
    noticed = []
    for seed in range(8):
        story = Story(release, seed=seed)
        story.lab.run_for(10_000)
        story.lab.broker(0).crash()
        story.until_led_by(1)
        noticed.append(story.lab.now_ms - 10_000)
    assert earliest_ms <= min(noticed) < max(noticed) <= latest_ms and len(set(noticed)) > 4


@pytest.mark.parametrize("release", RELEASES)
def test_what_only_the_leader_acknowledged_is_cut_off_when_it_comes_back(release):
    story = Story(release, acks="1")
    story.send("tea")
    story.lab.run_for(1_000)
    for follower in (1, 2):
        story.lab.link(0, f"broker-{follower}").cut()
    story.send("lost")
    assert story.values(0) == ["tea", "lost"]
    story.lab.broker(0).crash()
    for follower in (1, 2):
        story.lab.link(0, f"broker-{follower}").heal()
    story.until_led_by(1)
    story.send("milk")
    story.back(0)
    assert [story.values(broker) for broker in (0, 1, 2)] == [["tea", "milk"]] * 3
    cut = next(story.lab.journal.of("replica.truncated"))
    assert (cut.who, cut.from_offset, cut.log_end_offset) == ("broker-0", 2, 1)


@pytest.mark.parametrize("release", RELEASES)
def test_a_leader_that_is_cut_off_goes_on_believing_and_what_it_took_is_lost(release):
    story = Story(release, acks="1")
    story.send("tea")
    story.lab.run_for(1_000)
    story.lab.partition([0], [1, 2])
    story.send("lost")
    story.until_led_by(1)
    assert story.lab.broker(0).machine.metadata.partition("orders", 0).leader == 0, (
        "it has not heard of its successor"
    )
    story.lab.heal()
    assert story.lab.run_until(lambda: 0 in story.partition.isr, timeout_ms=60_000)
    assert story.values(0) == story.values(1) == ["tea"]


@pytest.mark.parametrize("release", RELEASES)
def test_a_leader_that_is_cut_off_cannot_acknowledge_for_all(release):
    story = Story(release)
    story.send("tea")
    story.lab.partition([0], [1, 2])
    story.shop.send(ProducerRecord("orders", value="milk"))
    story.lab.run_for(3_000)
    assert story.ends()[0] == (2, 1)
    story.lab.heal()


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("unclean", "leader", "left"), [(False, -1, ["tea", "kept"]), (True, 2, ["tea"])]
)
def test_an_unclean_election_loses_what_only_the_isr_had(release, unclean, leader, left):
    story = Story(release, acks="all", **{"unclean.leader.election.enable": unclean})
    story.send("tea")
    story.lab.broker(2).crash()
    assert story.lab.run_until(lambda: story.partition.isr == (0, 1))
    story.lab.broker(1).crash()
    assert story.lab.run_until(lambda: story.partition.isr == (0,))
    story.send("kept")
    story.lab.broker(0).crash()
    assert story.lab.run_until(lambda: story.partition.leader == -1)
    story.lab.broker(2).restart()
    story.lab.run_for(5_000)
    assert story.partition.leader == leader
    story.lab.broker(0).restart()
    story.lab.run_for(15_000)
    assert story.partition.leader >= 0 and story.values(0) == left
    if unclean:
        assert any(event.unclean for event in story.lab.journal.of("election"))


@pytest.mark.parametrize("release", RELEASES)
def test_with_too_few_in_sync_nothing_is_appended(release):
    story = Story(release, **{"min.insync.replicas": 2})
    story.send("tea")
    for broker in (1, 2):
        story.lab.broker(broker).stop()
        story.lab.run_for(1_000)
    assert story.partition.isr == (0,)
    story.shop.send(ProducerRecord("orders", value="milk"))
    story.lab.run_for(2_000)
    assert story.values(0) == ["tea"]


@pytest.mark.parametrize(("release", "lag_ms"), [("2.3", 10_000), ("4.4", 30_000)])
def test_a_follower_that_stands_still_leaves_the_isr_by_time_and_comes_back(release, lag_ms):
    story = Story(release, acks="1", topic={SESSION[release]: 100_000})
    story.send("tea")
    story.lab.run_for(1_000)
    story.lab.broker(1).pause(80_000)
    began_ms = story.lab.now_ms
    story.send("milk")
    assert story.lab.run_until(lambda: 1 not in story.partition.isr)
    assert lag_ms < story.lab.now_ms - began_ms + 510 <= 1.5 * lag_ms + 600
    assert story.lab.run_until(lambda: 1 in story.partition.isr)
    assert story.lab.now_ms >= began_ms + 80_000 and story.values(1) == ["tea", "milk"]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("stopped", [1, 0])
def test_nobody_waits_for_a_broker_that_was_stopped(release, stopped):
    """It fetched to the end a moment before, and its controller has let it go
    (Partition.isReplicaIsrEligible)."""
    story = Story(release)
    story.send("tea")
    story.lab.run_for(3_000)
    story.lab.broker(stopped).stop()
    story.lab.run_for(100)
    began_ms = story.lab.now_ms
    story.send("milk")
    # a moved leader may cost a refused send and its back-off
    assert story.lab.now_ms - began_ms < 300
    assert len(story.partition.isr) == 2 and stopped not in story.partition.isr
    story.back(stopped)
    assert story.values(stopped) == ["tea", "milk"]


@pytest.mark.parametrize("release", RELEASES)
def test_an_orderly_stop_moves_leaders_first_and_they_return_to_the_preferred(release):
    story = Story(release)
    story.send("tea")
    began_ms = story.lab.now_ms
    story.lab.broker(0).stop()
    story.until_led_by(1)
    assert story.lab.now_ms - began_ms < 100, "nobody has to miss it first"
    story.send("milk")
    story.back(0)
    assert story.partition.leader == 1
    story.lab.run_for(300_000)
    assert story.partition.leader == 0 and story.values(0) == ["tea", "milk"]


def test_an_eligible_replica_leads_again_where_the_isr_is_gone():
    """KIP-966: out of the ISR below min.insync.replicas the high watermark stands still,
    so it lacks nothing."""
    story = Story("4.4", **{"min.insync.replicas": 2})
    story.send("tea")
    for broker in (0, 1):
        story.lab.broker(broker).stop()
        story.lab.run_for(1_000)
    assert (story.partition.leader, story.partition.isr, story.partition.elr) == (2, (2,), (1,))
    story.lab.broker(2).crash()
    assert story.lab.run_until(lambda: story.partition.leader == -1)
    assert story.partition.isr == () and set(story.partition.elr) == {1, 2}
    story.lab.broker(1).restart()
    story.until_led_by(1)
    assert not next(
        event
        for event in story.lab.journal.of("election")
        if event.leader == 1 and event.before == -1
    ).unclean


@pytest.mark.parametrize("release", RELEASES)
def test_a_group_goes_where_its_partition_of_the_offsets_topic_goes(release):
    from kafkalab import KafkaConsumer

    story = Story(release)
    story.send("tea", "milk")
    story.lab.place_coordinator("inventory", 0)
    reader = KafkaConsumer(
        story.lab,
        {"group.id": "inventory", "auto.offset.reset": "earliest", "enable.auto.commit": False},
    )
    reader.subscribe(["orders"])
    read = [record.value for _ in range(8) for record in reader.poll(1_000)]
    assert read == ["tea", "milk"]
    reader.commit_sync()
    story.lab.broker(0).crash()
    assert story.lab.run_until(lambda: story.lab.coordinator_of("inventory") == 1)
    story.send("bread")
    assert [record.value for _ in range(20) for record in reader.poll(1_000)] == ["bread"]
    reader.commit_sync()


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("full", [0, 1])
def test_a_broker_whose_disk_is_full_halts_at_its_first_write_and_others_go_on(release, full):
    story = Story(release)
    story.send("tea")
    story.lab.broker(full).fill_disk()
    story.send("milk")
    assert not story.lab.broker(full).is_up and story.partition.leader != full
    down = next(
        event for event in story.lab.journal.of("broker.down") if event.who == f"broker-{full}"
    )
    assert down.how == "halt: all log directories have failed"
    story.lab.broker(full).free_disk()
    story.back(full)
    assert {tuple(dict.fromkeys(story.values(broker))) for broker in (0, 1, 2)} == {("tea", "milk")}


@pytest.mark.parametrize("release", RELEASES)
def test_a_new_leader_first_finds_out_how_far_it_is_safe_before_it_says_where_the_log_ends(release):
    """KIP-207: followers hear of the high watermark late,
    so a new leader may know a lower one than readers have seen."""
    story = Story(release)
    story.send("tea")
    story.lab.broker(0).crash()
    story.until_led_by(1)
    replica = story.lab.broker(1).machine.replicas.replica(("orders", 0))
    assert (replica.log.high_watermark, replica.epoch_start, replica.knows_watermark) == (
        0,
        1,
        False,
    )
    assert (
        story.lab.run_until(lambda: replica.knows_watermark, timeout_ms=2_000)
        and replica.log.high_watermark == 1
    )


@pytest.mark.parametrize("release", RELEASES)
def test_nobody_follows_a_leader_that_has_slept_through_its_succession(release):
    story = Story(release, acks="1")
    story.lab.broker(0).pause(20_000)
    story.shop.send(ProducerRecord("orders", value="lost"))
    story.until_led_by(1)
    assert story.lab.run_until(lambda: story.log(0).log_end_offset == 1), (
        "it wakes, and takes what has waited"
    )
    assert story.lab.run_until(lambda: len(story.partition.isr) == 3)
    story.send("tea")
    story.lab.run_for(2_000)
    assert (
        len({tuple(story.values(broker)) for broker in (0, 1, 2)}) == 1
        and story.partition.isr != ()
    )


@pytest.mark.parametrize("release", RELEASES)
def test_a_topic_that_is_deleted_and_made_again_is_copied_like_any_other(release):
    """A follower that had nothing left to copy from this leader begins a new conversation,
    which does not drop the new topic."""
    story = Story(release)
    for round_ in range(3):
        story.send("tea", "milk")
        story.lab.cluster.delete_topic("orders")
        story.lab.run_for(1_000 * round_)
        story.lab.create_topic(
            "orders", replication_factor=3, leaders=[0], config={"min.insync.replicas": 3}
        )
    story.send("bread")
    story.lab.run_for(1_000)
    assert story.partition.isr == (0, 1, 2)
    assert {tuple(story.values(broker)) for broker in (0, 1, 2)} == {("bread",)}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("made_again", [False, True])
@pytest.mark.parametrize("away", ["pause", "island"])
def test_a_broker_that_was_away_hears_that_a_topic_was_deleted(release, made_again, away):
    story = Story(release)
    story.send("tea", "milk")
    machine = story.lab.broker(2).machine
    if away == "pause":
        story.lab.broker(2).pause(3_000)
    else:
        story.lab.partition([0, 1], [2])
    story.lab.cluster.delete_topic("orders")
    if made_again:
        story.lab.create_topic("orders", replication_factor=3, leaders=[0])
    assert machine.replicas.found(("orders", 0)) is not None, "it has heard of nothing yet"
    story.lab.run_for(2_000)
    if away == "island":
        story.lab.heal()
    story.lab.run_for(2_000)
    left = machine.replicas.found(("orders", 0))
    assert left is None or left.log.log_end_offset == 0
    if made_again:
        story.send("bread")
        story.lab.run_for(1_000)
        assert story.values(2) == ["bread"]


@pytest.mark.parametrize("release", RELEASES)
def test_a_full_disk_takes_no_committed_offset_either(release):
    """KAFKA_STORAGE_ERROR ends the process; the member looks for the
    next coordinator (NOT_COORDINATOR)."""
    story = Story(release)
    story.send("tea")
    story.lab.place_coordinator("shop", 1)
    reader = KafkaConsumer(
        story.lab,
        {"group.id": "shop", "auto.offset.reset": "earliest", "enable.auto.commit": False},
        name="reader",
    )
    reader.assign([TopicPartition("orders", 0)])
    while not reader.poll(1_000):
        pass
    story.lab.broker(1).fill_disk()
    reader.commit_sync()
    assert not story.lab.broker(1).is_up and story.lab.coordinator_of("shop") != 1
    assert reader.committed([TopicPartition("orders", 0)])[TopicPartition("orders", 0)].offset == 1


@pytest.mark.parametrize(
    ("rule", "read"),
    [
        (lambda ends, in_sync: min(ends[broker] for broker in in_sync), []),
        (lambda ends, in_sync: max(ends.values()), ["tea", "milk"]),
    ],
)
def test_a_watermark_by_the_leaders_end_shows_records_that_vanish(rule, read):
    story = Story("4.4", acks="1")
    for broker in range(3):
        story.lab.broker(broker).move_watermark(rule)
    story.lab.partition([0], [1, 2])
    story.send("tea", "milk")
    reader = KafkaConsumer(story.lab, {"auto.offset.reset": "earliest"}, name="reader")
    reader.assign([TopicPartition("orders", 0)])
    seen = [record.value for record in reader.poll(timeout_ms=3_000)]
    story.lab.broker(0).crash()
    story.lab.heal()
    story.lab.run_for(40_000)
    log = story.lab.at(story.lab.now_ms)["partitions"]["orders-0"]
    assert (seen, log["log_end_offset"]) == (read, 0)


def test_a_watermark_beyond_the_log_is_refused():
    story = Story("4.4", acks="1")
    story.lab.broker(0).move_watermark(lambda ends, in_sync: ends[0] + 1)
    with pytest.raises(ValueError, match="a whole number from 0 to"):
        story.send("tea")


@pytest.mark.parametrize(("release", "least_ms", "most_ms"), [("2.3", 0, 0), ("4.4", 9_000, 9_900)])
def test_who_has_stopped_is_registered_again_when_its_old_session_has_ended(
    release, least_ms, most_ms
):
    """Recorded with 4.4.0: three brokers were refused for 9.0, 9.6 and 10.1 s after the heartbeat
    that let them stop (DUPLICATE_BROKER_REGISTRATION). ZooKeeper's session ends with the stop."""
    story = Story(release)
    story.lab.broker(0).stop()
    assert story.lab.run_until(lambda: not story.lab.broker(0).is_up)
    stopped_ms = story.lab.now_ms
    story.lab.broker(0).restart()
    assert story.lab.run_until(lambda: story.lab.broker(0).is_up)
    assert least_ms <= story.lab.now_ms - stopped_ms <= most_ms


def test_who_comes_back_after_its_old_session_is_registered_at_once():
    story = Story("4.4")
    story.lab.broker(0).stop()
    story.lab.run_for(12_000)
    story.lab.broker(0).restart()
    assert story.lab.broker(0).is_up


@pytest.mark.parametrize(("release", "lag_ms"), [("2.3", 10_000), ("4.4", 30_000)])
@pytest.mark.parametrize("fault", ["cut", "pause"])
def test_a_follower_fetched_an_empty_partition_too_until_the_fault(release, lag_ms, fault):
    story = Story(release, acks="1", topic={SESSION[release]: 200_000})
    story.lab.run_for(60_000)
    link, began_ms = story.lab.link(0, "broker-1"), story.lab.now_ms
    if fault == "cut":
        link.cut()
    else:
        story.lab.broker(1).pause(60_000)
    story.lab.run_for(3_000)
    story.send("tea")
    assert story.lab.run_until(lambda: 1 not in story.partition.isr)
    assert lag_ms < story.lab.now_ms - began_ms + 510 <= 1.5 * lag_ms + 600
    if fault == "cut":
        link.heal()
    assert story.lab.run_until(lambda: 1 in story.partition.isr)
    assert story.values(1) == ["tea"]
