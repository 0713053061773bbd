"""Tests the labs of chapters 03, 04 and 05: each tells the story that its chapter tells."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kafkalab.stories import batches, committed, consumer_connections


def test_a_group_member_drops_idle_connections_between_its_polls():
    """Given a limit of 20 s, when a member stops polling, its heartbeat thread closes them."""
    lab, consumer = consumer_connections.reader(**{"connections.max.idle.ms": 20_000})
    consumer.subscribe(["t4"])
    consumer_connections.poll_for(consumer, lab, ms=6_000)
    assert consumer_connections.open_now(lab) == 5
    lab.run_for(ms=60_000)
    assert consumer_connections.open_now(lab) < 5


def test_client_2_2_opens_one_connection_more_than_2_3():
    opened = [len(consumer_connections.two_addresses(v).sockets()) for v in ("2.2", "2.3")]
    assert opened == [5, 4]


@pytest.mark.corpus
def test_a_group_with_latest_skips_what_a_new_partition_got_first():
    assert batches.grow("latest") == (21, 1)
    assert batches.grow("earliest") == (21, 21)


def test_the_topics_codec_makes_the_broker_compress_again():
    kept, changed = batches.work_on("gzip", "producer"), batches.work_on("gzip", "zstd")
    assert "recompress" not in set(kept.work)
    assert list(changed[changed.work == "recompress"].codec) == ["zstd"]


@pytest.mark.slow
@dataclass(frozen=True)
class OddOne:
    producer: int = 3
    batch_size: int = 180
    seed: int = 7


def test_the_odd_producer_of_eight_sends_most_requests(tmp_path):
    batches.write_logs(tmp_path, OddOne())
    requests = {
        path.stem: path.read_text(encoding="utf-8").count("Sending PRODUCE")
        for path in tmp_path.glob("*.log")
    }
    assert len(requests) == 8
    assert max(requests, key=requests.__getitem__) == "producer-3"


def test_below_the_floor_a_new_broker_shows_nothing_to_consumers():
    assert committed.alone(acks="1", broker_version="2.3") == (5, 5, 5)
    assert committed.alone(acks="1", broker_version="4.4") == (5, 0, 5)
    assert committed.alone(acks="all", broker_version="4.4")[0] == 0


def test_two_refused_batches_change_places():
    lab = committed.refused_at_first(**{"enable.idempotence": False})
    told = committed.tries(lab)
    assert list(told.records.head(5)) == ["0", "0", "1 to 5", "1 to 5", "0"]
    assert list(told.answer.head(5)) == ["refused"] * 3 + ["written"] * 2
    assert committed.order_in_the_log(lab)[:7] == [1, 2, 3, 4, 5, 0, 6]


def test_the_delivery_timeout_ends_the_trying():
    seconds, times, error = committed.hang(3_000, 10_000)
    assert (seconds, times) == (10, 4)
    assert error is not None


def test_a_set_survives_one_crash_more_than_a_majority_and_waits_for_its_slowest():
    assert [committed.writable(crashed, min_insync=1) for crashed in (0, 1, 2)] == [True] * 3
    assert [committed.writable(crashed, min_insync=2) for crashed in (1, 2)] == [True, False]
    assert committed.answered_after("all", away_ms=200) > 400
    assert committed.answered_after("1", away_ms=200) < 20
