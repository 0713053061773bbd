"""Holds chapter 10's stories: who leaves when, and what a real consumer did in the same program."""

import json

import pytest

from kafkalab import CommitFailedException, Lab, OffsetAndMetadata, TopicPartition
from kafkalab.course_folder import course_folder
from kafkalab.stories import slow_consumers as story

RECORDING = course_folder() / "data/recordings/programs/works_too_long_4.4.0_3.9.2"


def rounds(seed: int, version: str) -> list[list[str]]:
    """What each poll with records returned in the recorded program, played in a lab."""
    config = {
        "max.poll.records": 5,
        "max.poll.interval.ms": 3_000,
        "connections.max.idle.ms": 5_400,
        "metadata.max.age.ms": 3_000,
    }
    lab = Lab(
        seed=seed,
        version=version,
        broker_config={"connections.max.idle.ms": 6_000, "group.initial.rebalance.delay.ms": 3_000},
    )
    lab.create_topic("orders", partitions=2)
    story.shop(lab, 40)
    found: list[list[str]] = []

    def program(lab, name):
        consumer = story.subscribed(lab, name, **config)
        while True:
            records = [f"{x.topic}-{x.partition}@{x.offset}" for x in consumer.poll(timeout_ms=500)]
            if records:
                found.append(records)
                lab.sleep(10_000)
                with pytest.raises(CommitFailedException):
                    consumer.commit_sync()

    for name in ("ada", "bo"):
        lab.spawn(program, name, name=name)
    lab.run_for(ms=130_000)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.3", "2.8", "3.9", "4.4"])
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_a_member_that_worked_too_long_begins_at_the_committed_offset(seed, version):
    """Also after its sockets were closed as idle: what it fetched as a member is not handed out."""
    found = rounds(seed, version)
    assert len(found) > 12
    assert {records[0].split("@")[1] for records in found} == {"0"}


def test_so_did_the_real_consumer():
    events = json.loads((RECORDING / "program.json").read_text())["events"]
    polled = [event["result"]["offsets"] for event in events if event["do"] == "poll"]
    polled = [offsets for offsets in polled if offsets]
    assert len(polled) == 8
    for offsets in polled:
        assert [offset.split("@")[1] for offset in offsets] == ["0", "1", "2", "3", "4"]
    commits = [event for event in events if event["do"] == "commitSync"]
    assert {event["error"]["class"].rsplit(".", 1)[-1] for event in commits} == {
        "CommitFailedException"
    }


def test_a_static_member_waits_for_its_session_timeout_as_well():
    assert story.group_empty_after_s() == 10
    short = {"group.instance.id": "ada", "session.timeout.ms": 20_000}
    assert 27 <= story.group_empty_after_s(**short) <= 30


def commit(consumer, record):
    consumer.commit_sync()


def commit_named(consumer, record):
    partition = TopicPartition(record.topic, record.partition)
    consumer.commit_sync({partition: OffsetAndMetadata(record.offset + 1)})


@pytest.mark.parametrize(
    ("config", "how", "expected"),
    [
        ({}, commit, ("CommitFailedException", 0, 0)),
        ({"joined_by_another": True}, commit_named, ("CommitFailedException", 0, 0)),
        ({"group.protocol": "consumer"}, commit, ("no error", 0, 0)),
        ({"group.protocol": "consumer"}, commit_named, ("no error", 1, 1)),
        (
            {"group.protocol": "consumer", "joined_by_another": True},
            commit_named,
            ("CommitFailedException", 1, 0),
        ),
    ],
)
def test_late_commits_of_client_4_4(config, how, expected):
    lab, result = story.late_member(how, version="4.4", **config)
    assert (result, story.commits_sent(lab, "ada"), story.committed_orders(lab)) == expected


def commits_what_it_polled(consumer, pool):
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
        consumer.commit_sync()


def test_survive_names_the_first_day_on_which_an_order_is_lost():
    assert "orders are lost" in story.survive(commits_what_it_polled, days=5)


@pytest.mark.parametrize(
    ("version", "config", "levels"),
    [
        ("2.3", {}, ["WARN"]),
        ("2.8", {}, ["INFO"]),
        ("2.8", {"group.instance.id": "ada"}, []),
        ("3.9", {"group.instance.id": "ada"}, ["WARN"]),
        ("4.4", {}, ["WARN", "INFO"]),
        ("4.4", {"group.protocol": "consumer"}, ["WARN"]),
    ],
)
def test_which_members_write_that_the_poll_timeout_has_expired(version, config, levels):
    lab, _ = story.late_member(lambda consumer, record: None, version=version, **config)
    lines = lab.lines("ada").query("level in ('INFO', 'WARN')")
    assert list(lines[lines.message.str.contains(story.EXPIRED)].level) == levels
    assert (story.poll_too_late(lab) is None) == ("WARN" not in levels)


@pytest.mark.slow
def test_a_listener_that_waits_and_commits_saves_the_next_owner_from_work_done():
    class Handover:
        def __init__(self, consumer, pool, commit):
            self.pool, self.commit = pool, commit

        def on_partitions_revoked(self, partitions):
            self.pool.wait()
            self.commit()

        def on_partitions_assigned(self, partitions):
            """Nothing to do."""

    assert story.joined_in_the_middle(None) > 10
    assert story.joined_in_the_middle(Handover) == 0
