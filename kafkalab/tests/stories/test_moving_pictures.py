"""Draws each moving picture at two moments and checks what it then says."""

from __future__ import annotations

import re

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, WorkerPool
from kafkalab.stories.moving_broker import requests_over_time
from kafkalab.stories.moving_cluster import first_poll, race, replicas_of_cells
from kafkalab.stories.moving_errors import prices_over_time
from kafkalab.stories.moving_groups import join_step_by_step, newcomer_over_time
from kafkalab.stories.moving_replicas import moment_of_the_crash
from kafkalab.stories.moving_segments import files_over_time
from kafkalab.stories.moving_share_groups import window_over_time
from kafkalab.stories.moving_work import batch_and_pace, commits_of_a_pool, moment_of_death
from kafkalab.tests.shares import few
from kafkalab.views import Outcome


def test_the_first_poll_has_three_moments():
    picture = first_poll()
    assert [picture.picture(at).alt.split(". ")[1][:1] for at in (12, 1_000)] == ["1", "2"]
    assert "3. It reads" in picture.still.alt and "node 0 to broker 0" in picture.text


def test_a_longer_delay_opens_more_connections_in_the_race():
    opened = [len(race().picture(1, delay=ms, client="2.2").text.splitlines()) for ms in (0, 10)]
    assert opened[0] < opened[1] == 6
    assert len(race().picture(1, delay=10, client="2.3").text.splitlines()) == 2


@pytest.mark.corpus
def test_the_newcomer_costs_more_as_time_passes_and_less_with_kip_848():
    picture = newcomer_over_time()
    assert "for 0 ms (crossed out)" in picture.picture(29_000).alt
    assert "for 37.2 s (crossed out)" in picture.picture(60_000, protocol="eager").alt
    assert "for 9.3 s (crossed out)" in picture.picture(60_000, protocol="KIP-848").alt
    assert "hatched" not in picture.picture(60_000, records_flow=False).alt


def test_a_join_ends_with_a_plan_for_both():
    picture = join_step_by_step()
    assert "Empty, generation" not in picture.text and "Stable, generation 1" in picture.text
    assert "orders-0, orders-1" in picture.text and "orders-2, orders-3" in picture.text
    assert "orders-0" not in picture.picture(3).text
    last = [line.split()[:2] for line in picture.text.splitlines()[-2:]]
    assert last[0] == ["★", "m2"] and last[1][0] == "m1", "the first one that was added leads"
    assert "★ m" not in picture.picture(3).text


def test_the_moment_of_death_decides_between_twice_and_never():
    picture = moment_of_death()
    assert "2 twice" in picture.picture(40).text and "3 never" in picture.picture(40).text
    first = picture.picture(0).text
    assert "twice" not in first and "dies in commit()" in first
    assert "4 never" in first, "her commit was written, so it arrives after her death"


def test_the_moment_of_the_crash_opens_where_told_kept_and_seen_differ():
    told, kept, got = map(int, re.findall(r"(?:: | got )(\d+)", moment_of_the_crash().still.alt))
    assert got <= kept < told


@pytest.mark.corpus
def test_the_newcomer_is_shown_until_the_last_handover():
    picture = newcomer_over_time()
    assert "for 27.0 s (crossed out)" in picture.picture(protocol="cooperative").alt
    assert (
        picture.picture(80_000, protocol="cooperative").alt
        != picture.picture(90_000, protocol="cooperative").alt
    )


@pytest.mark.parametrize("after_ms", few([5, 45, 85, 125], 1, 1))
@pytest.mark.parametrize("disk", [0, 70])
def test_a_crash_takes_back_what_was_told_and_not_what_was_read(after_ms, disk):
    words = moment_of_the_crash().picture(after_ms, disk=disk).alt
    told, kept, got = (int(number) for number in re.findall(r"(?:: | got )(\d+)", words)[:3])
    assert got <= kept <= told
    assert (kept < told) is (disk == 70 and after_ms > 5)


def test_files_go_as_a_whole_and_compaction_keeps_the_last_of_each_key():
    picture = files_over_time()
    ages = [
        int(re.search(r"oldest order: (\d+)", picture.picture(at).alt)[1]) for at in (50, 52, 94)
    ]
    assert ages == [50, 32, 53]
    sizes = [picture.picture(at, log="size").text.count("gone") for at in (70, 72)]
    assert sizes == [0, 1]
    left = picture.picture(120, log="compact").text.splitlines()[1:]
    assert left[0].split()[2:] == ["1", "milk", "1"] and len(left) == 7
    assert left[-1].split()[2:] == ["23", "tea", "23"]


@pytest.mark.parametrize("io_threads", [1, 8])
def test_a_request_in_the_purgatory_keeps_no_thread(io_threads):
    picture = requests_over_time()
    words = [picture.picture(ms, io_threads=io_threads).alt for ms in (100, 200)]
    waiting = {1: "at work 1, in the purgatory 3", 8: "at work 0, in the purgatory 8"}
    assert waiting[io_threads] in words[0] and "purgatory 0, answered 9" in words[1]
    full = picture.picture(48, io_threads=io_threads).text
    assert full.count("request queue") == {1: 4, 8: 0}[io_threads]
    assert (full.count("network thread") == 1) is (io_threads == 1)


def test_an_old_price_wins_behind_a_retry_topic_unless_something_prevents_it():
    picture = prices_over_time()
    assert "in the table milk 13, tea 31" in picture.picture(4_750).alt
    assert "in the table milk 10, tea 31" in picture.still.alt
    assert "in the table nothing" in picture.picture(4_750, way="stop").alt
    assert "worked on" not in picture.picture(4_750, way="stop").text
    assert picture.picture(9_000, way="park").text.count("prices-retry") == 3
    assert "10 refused" in picture.picture(9_000, way="version").text
    for way in ("stop", "park", "version"):
        assert "in the table milk 13, tea 31" in picture.picture(9_000, way=way).alt


def test_one_bad_job_holds_the_window_and_a_killed_workers_jobs_are_available():
    picture = window_over_time()
    held = [line for line in picture.text.splitlines() if " yes " in line]
    assert held[0].split() == ["@2", "yes", "Acquired", "2", "bo"] and len(held) == 9
    assert "accepted 11 of 12 jobs, archived 1" in picture.picture(8_200).alt
    assert "archived 0" in picture.picture(7_000).alt
    assert picture.picture(2_900, story="killed").text.count("Available") == 2
    assert "accepted 12" in picture.picture(8_200, story="accept").alt


@pytest.mark.corpus
def test_one_record_more_is_one_too_many():
    picture = batch_and_pace()
    assert "0 times" in picture.picture(150).alt and "0 times" not in picture.picture(151).alt


def test_an_order_behind_the_commit_may_be_lost():
    lab = Lab(brokers=1, seed=8)
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {}, name="shop")
    for _ in range(8):
        producer.send(ProducerRecord("orders", value="tea"))
    producer.close()

    def program(lab):
        reader = KafkaConsumer(
            lab, {"group.id": "stock", "auto.offset.reset": "earliest"}, name="ada"
        )
        reader.subscribe(["orders"])
        pool = WorkerPool(lab, 2, lambda record: lab.sleep(900 * (record.offset + 1)), "ada")
        while True:
            for record in reader.poll(timeout_ms=200):
                pool.submit(record)
            reader.commit_sync()

    lab.spawn(program, name="ada")
    lab.run_for(ms=9_000)
    lab.kill("ada")
    picture = commits_of_a_pool(lab)
    assert "never done; commit 8 says done: lost" in picture.still.alt
    assert "order 0: done at" in picture.picture(order=0).alt


def test_the_grid_shows_the_ladder_of_the_cell():
    labs = {}
    for setting, acks in (("acks=1", "1"), ("acks=all", "all")):
        lab = Lab(brokers=3, seed=5)
        lab.create_topic("orders", replication_factor=3, leaders=[0])
        producer = KafkaProducer(lab, {"acks": acks}, name="shop")
        producer.send(ProducerRecord("orders", value="tea")).get()
        lab.run_for(ms=1_000)
        lab.broker(0).crash()
        lab.run_for(ms=10_000)
        labs["the leader dies", setting] = lab
    picture = replicas_of_cells(labs, dict.fromkeys(labs, Outcome(1, 0, 0)))
    assert "at 1." in picture.text and "broker-0: crash" in picture.text
    assert "nothing has happened" in picture.picture(0).text
    assert "acks=all" in picture.picture(0, cell=("the leader dies", "acks=all")).alt


@pytest.mark.parametrize(
    "make",
    few(
        [
            first_poll,
            race,
            join_step_by_step,
            moment_of_death,
            prices_over_time,
            requests_over_time,
            window_over_time,
        ],
        2,
    ),
)
def test_the_same_moment_gives_the_same_bytes(make):
    assert make().still.png() == make().still.png()
