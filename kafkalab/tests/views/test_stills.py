"""Checks what the pictures show besides bars: addresses, waits, ends, ghosts, fates, sessions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import IllegalArgumentException
from kafkalab.stories import lag as story_of_lag
from kafkalab.stories.batches import with_slow_broker
from kafkalab.stories.group_states import restart
from kafkalab.tests.views.fake_lab import FakeLab
from kafkalab.tests.views.test_views import assert_texts_inside_and_apart, small_group
from kafkalab.views import (
    bookmarks,
    group_timeline,
    key_moves,
    lag_and_lead,
    offset_paths,
    offset_ruler,
    ownership,
    poll_gap,
    readers,
    replica_ladder,
    sequence,
    sequence_ladder,
    timeline,
    transaction_timeline,
    waiting_records,
)
from kafkalab.views.connections import rows
from kafkalab.views.group_timeline import ghosts, member_ends, member_spans
from kafkalab.views.lag_and_lead import deaths, losses
from kafkalab.views.ownership import holdings, unread
from kafkalab.views.poll_gap import sessions
from kafkalab.views.versions import differing
from kafkalab.views.waiting_records import waiting


def member(lab, name, until_ms=None, work_ms=0, **config):
    """Poll until a time, or for ever, with work between two polls; close at the end."""
    reader = KafkaConsumer(
        lab,
        {"group.id": "billing", "client.id": name, "session.timeout.ms": 10_000, **config},
        name=name,
    )
    reader.subscribe(["orders"])
    while until_ms is None or lab.now_ms < until_ms:
        reader.poll(timeout_ms=500)
        lab.sleep(work_ms)
    reader.close()


@pytest.fixture(scope="module")
def story() -> Lab:
    """Three members; cyd closes at 20 s, bob is killed at 40 s."""
    lab = Lab(brokers=3, seed=1, version="3.9")
    lab.create_topic("orders", partitions=4)
    for name, until_ms in (("ann", None), ("bob", None), ("cyd", 20_000)):
        lab.spawn(member, name, until_ms, name=name)
    lab.run_for(ms=40_000)
    lab.kill("bob")
    lab.run_for(ms=20_000)
    return lab


@pytest.mark.corpus
def test_a_bootstrap_row_has_its_address_and_a_tick_its_api_and_cause(story):
    picture = timeline(story, "ann")
    assert rows(story, "ann")[0].label == "node -1 → localhost:9092 (bootstrap)"
    html = picture._repr_mimebundle_()[0]["text/html"]
    assert "METADATA, after the answer to API_VERSIONS" in html and 'class="hover"' in html
    assert all(0 <= each.left <= 1 and 0 <= each.top <= 1 for each in picture.hovers)
    assert "bob: kill -9" in picture.text


def test_a_pause_and_its_end_are_marked():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders")
    reader = KafkaConsumer(lab, {}, name="reader")
    reader.assign([TopicPartition("orders", 0)])
    reader.poll(timeout_ms=5_000)
    reader.pause(reader.assignment())
    reader.poll(timeout_ms=5_000)
    reader.resume(reader.assignment())
    reader.poll(timeout_ms=5_000)
    picture = timeline(lab)
    assert "5.0 s: pause()" in picture.text and "10.0 s: resume()" in picture.text
    assert_texts_inside_and_apart(picture)


def test_the_row_without_a_partner_of_its_id_is_the_one_that_differs():
    """-2 is on both sides, so -3 and -1 are what only the left side has."""
    left, right = FakeLab(), FakeLab()
    for at_ms, node in enumerate((-2, -3, -1)):
        left.open("p", node, None, "bootstrap", at_ms)
    right.open("p", -2, None, "bootstrap", 0)
    assert differing(rows(left), rows(right)) == (frozenset({1, 2}), frozenset())
    alone = [replace(rows(right)[0], node="-1")]
    assert differing(alone, rows(right)) == (frozenset(), frozenset())


@pytest.mark.corpus
def test_a_long_wait_is_a_break_that_says_who_waits(story):
    picture = sequence(story, "ann", apis=("JOIN_GROUP", "SYNC_GROUP"), to_ms=10_000)
    coordinator = story.coordinator_of("billing")
    assert f"6.0 s without a message: broker {coordinator} holds the answer to" in picture.text
    assert "JOIN_GROUP of bob from" in picture.text and "JOIN_GROUP of cyd from" in picture.text
    assert "Not drawn: " in picture.text and "API_VERSIONS" in picture.text
    assert_texts_inside_and_apart(picture)


def test_a_dead_member_is_a_ghost_until_its_session_is_over(story):
    (ghost,) = ghosts(story, "billing")
    assert (ghost.row, ghost.from_ms) == ("bob", 40_000)
    assert ghost.to_ms - ghost.last_beat_ms in range(10_000, 10_100)
    assert member_ends(story, member_spans(story, "billing")) == {"bob": "killed", "cyd": "closed"}
    picture = group_timeline(story, "billing", beats=True)
    assert "a ghost" in picture.text
    assert_texts_inside_and_apart(picture)


@pytest.mark.corpus
def test_a_killed_program_is_a_ghost_in_its_own_row_though_its_restart_has_its_client_id():
    (ghost,) = ghosts(restart("kill -9"), "inventory")
    assert (ghost.row, ghost.from_ms) == ("bob/1", 40_000)
    assert ghost.last_beat_ms in range(39_000, 39_100)
    assert ghost.to_ms - ghost.last_beat_ms in range(45_000, 45_100)
    (static,) = ghosts(restart("kill -9", **{"group.instance.id": "{name}"}), "inventory")
    assert (static.row, static.from_ms) == ("bob/1", 40_000)
    assert static.to_ms in range(41_500, 41_700), "bob/2 takes over the membership"


def test_an_empty_replica_shows_its_role_and_an_open_bookmark_is_in_memory():
    lab = small_group()
    before = replica_ladder(lab, "orders-0", {0: "no record yet"}, tallest=5)
    assert "in sync" in before.text and before.figure.axes[0].get_ylim()[1] > 5
    auditor = KafkaConsumer(lab, {}, name="auditor")
    auditor.assign([TopicPartition("orders", 0)])
    auditor.seek(TopicPartition("orders", 0), 2)
    assert "auditor, in memory" in bookmarks(lab, "orders-0").text


def test_a_ruler_takes_offsets_of_its_own():
    picture = offset_ruler(
        small_group(), "orders-0", "inventory", more={"finished up to": 3}, only=["committed"]
    )
    assert [line.split() for line in picture.text.splitlines()[1:]] == [
        ["finished", "up", "to", "3"],
        ["committed", "5"],
    ]


def test_an_owner_that_works_does_not_read():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders")

    def sell(lab):
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        while True:
            producer.send(ProducerRecord("orders", value="tea"))
            lab.sleep(500)

    lab.spawn(sell, name="shop")
    lab.spawn(member, "slow", None, 5_000, name="slow")
    lab.run_for(ms=30_000)
    picture = ownership(lab, "billing")
    assert "owned and not read for" in picture.alt and "owned, not read" in picture.text
    spans = unread(lab, holdings(lab, "billing"))["orders-0"]
    assert spans and all(1_000 < end - begin <= 6_000 for begin, end in spans)


def test_the_session_and_the_death_of_a_member_are_drawn(story):
    (silence,) = [each for each in sessions(story, "bob") if each.ran_out]
    assert silence.to_ms - silence.from_ms in range(10_000, 10_100)
    assert deaths({"one": story}, "billing") == [(40_000, "bob")]
    assert "bob dies at 40.0 s" in lag_and_lead({"one": story}, "billing").text
    picture = poll_gap(story, "bob")
    assert f"taken out at {silence.to_ms / 1_000:.1f} s" in picture.text
    assert_texts_inside_and_apart(picture)
    assert "given to" not in offset_paths(story, "orders-0", "billing").text


def test_records_of_an_aborted_and_of_an_open_transaction_are_told_apart():
    lab = Lab(brokers=1, seed=6, version="3.9")
    lab.create_topic("orders")
    till = KafkaProducer(lab, {"transactional.id": "till", "linger.ms": 0}, name="till")
    till.init_transactions()
    for number in range(3):
        till.begin_transaction()
        till.send(ProducerRecord("orders", key=f"order {number}", value="tea")).get()
        if number < 2:
            till.commit_transaction() if number else till.abort_transaction()
    picture = sequence_ladder(lab, "orders-0", keys=True)
    fates = {
        line.split("order ")[1][0]: line
        for line in picture.text.splitlines()[1:]
        if "order" in line
    }
    assert fates["0"].endswith("aborted") and fates["2"].endswith("not readable yet")
    assert "aborted" not in fates["1"]
    assert_texts_inside_and_apart(picture)
    shown = transaction_timeline(lab, "till", paused={"till": (0, 50)})
    assert "paused" in shown.text


def test_a_loss_is_counted_at_the_moment_of_the_jump():
    """A reader that jumps in one minute and polls again in the next one: what retention deletes in
    between was skipped, not deleted."""
    lab, shop, member = story_of_lag.begin(keep=10, reset="latest")
    for minute in range(1, 41):
        lab.run_for(ms=story_of_lag.in_ms(minute) - lab.now_ms)
        story_of_lag.write(shop, 30)
        for _ in range(2):
            member.poll(timeout_ms=500)
        member.commit_sync()
    (loss,) = losses({"latest": lab}, "billing")
    taken = story_of_lag.first_loss(lab)
    assert (loss.deleted, loss.skipped) == (taken["deleted"], taken["skipped"]) == (30, 330)
    assert loss.at_ms // story_of_lag.in_ms(1) == story_of_lag.first_reset(lab) == 35
    said = lag_and_lead({"one": lab, "again": lab}, "billing").text
    assert "orders-0 at 35 min 0.0 s: again, never read: 30 deleted, 330 skipped" in said


def test_each_crash_and_start_is_named_although_they_are_near_one_another():
    """Four lines within a third of the axis had one name among them."""
    lab = Lab(brokers=2, seed=3)
    lab.create_topic("orders", partitions=2)
    KafkaProducer(lab, {"client.id": "shop"}, name="shop")
    lab.run_for(ms=20_000)
    for broker in (0, 1):
        lab.broker(broker).crash()
        lab.run_for(ms=5_000)
        lab.broker(broker).restart()
        lab.run_for(ms=5_000)
    picture = timeline(lab)
    words = {text.get_text() for text in picture.figure.axes[0].texts}
    assert {f"broker-{broker}: {what}" for broker in (0, 1) for what in ("crash", "start")} <= words
    assert_texts_inside_and_apart(picture)


def test_keys_that_move_are_counted_by_old_and_new_partition():
    homes = {"a": (0, 0), "b": (0, 2), "c": (1, 2), "d": (1, 0), "e": (1, 2)}
    picture = key_moves(homes, before=2, after=3)
    assert [line.split()[-3:] for line in picture.text.splitlines()[1:3]] == [
        ["1", "0", "1"],
        ["1", "0", "2"],
    ]
    assert picture.text.endswith("of 5 keys 4 moved and 1 stayed (hatched)")
    assert_texts_inside_and_apart(picture)
    with pytest.raises(IllegalArgumentException, match="c goes from partition 1 to 2; there are 1"):
        key_moves({"c": (1, 2)}, before=1, after=3)


def test_records_wait_from_send_to_answer():
    lab = with_slow_broker("2.8")
    found = waiting(lab, "orders")
    assert list(found) == ["orders-0", "orders-1", "orders-2"]
    assert all(points[-1].records == 0 for points in found.values())
    most = {name: max(point.records for point in points) for name, points in found.items()}
    assert most["orders-2"] > 10 * max(most["orders-0"], most["orders-1"])
    picture = waiting_records({"client 2.8": lab}, "orders")
    assert str(most["orders-2"]) in picture.text.splitlines()[-1]
    assert_texts_inside_and_apart(picture)
    with pytest.raises(IllegalArgumentException, match="No record of a topic tea"):
        waiting_records({"client 2.8": lab}, "tea")


@pytest.mark.corpus
def test_each_group_has_an_owner_for_each_partition():
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders", partitions=2)
    for group, name in (("billing", "m1"), ("billing", "m2"), ("billing", "m3"), ("search", "s1")):
        settings = {"group.id": group}
        lab.spawn(lambda lab, name, own: member(lab, name, **own), name, settings, name=name)
    with pytest.raises(IllegalArgumentException, match="No consumer group reads the topic orders"):
        readers(lab, "orders")
    lab.run_for(ms=10_000)
    picture = readers(lab, "orders")
    assert [line.split() for line in picture.text.splitlines()[1:]] == [
        ["orders-0", "0", "m1", "s1"],
        ["orders-1", "0", "m2", "s1"],
        ["no", "partition", "m3", "-"],
    ]
    assert_texts_inside_and_apart(picture)
    with pytest.raises(IllegalArgumentException, match="no topic tea; make it with"):
        readers(lab, "tea")
