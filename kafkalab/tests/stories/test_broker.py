"""Tests the labs of chapter 15: threads, queues, the purgatory, and the request log."""

from __future__ import annotations

import json

import pytest

from kafkalab.stories.broker import (
    BATCH_BYTES,
    CAUSES,
    KINDS,
    STAGES,
    audits,
    broker_lab,
    burst,
    cause_of,
    four_writes,
    harm,
    kafkas_night,
    order,
    p99,
    percentile,
    places,
    real_requests,
    request_log,
    requests_since,
    saturation,
    seen_at_night,
    slow_day,
    slow_follower,
    slowest_till_ms,
    survive,
    three_in_flight,
    tills,
    waiting_night,
    with_threads,
)
from kafkalab.tests.shares import few, share


def kafkas(request, state):
    """DelayedProduce.tryComplete and DelayedFetch.tryComplete."""
    if not all(partition.is_leader for partition in state.values()):
        return True
    if request.kind == "PRODUCE":
        return all(state[name].high_watermark >= end for name, end in request.needs.items())
    return sum(partition.bytes_readable for partition in state.values()) >= request.min_bytes


@pytest.mark.corpus
def test_three_network_threads_read_for_twelve_tills():
    lab = broker_lab()
    selling, begin_ms = tills(lab, 12), lab.now_ms
    for one in selling:
        order(one)
    lab.run_for(ms=100)
    rows = requests_since(lab, begin_ms, "PRODUCE")
    assert len(rows) == 12 and {row["network_thread"] for row in rows} == {0, 1, 2}


def test_acks_all_waits_without_a_thread():
    lab, begin_ms, kiosk_ms = slow_follower(io_threads=1)
    assert places(lab) == {"produce purgatory": 5} and kiosk_ms < 10
    lab.run_for(ms=1_500)
    rows = requests_since(lab, begin_ms, "PRODUCE")
    waited = [row for row in rows if row["client"] != "kiosk"]
    assert min(row["remote_ms"] for row in waited) > 700
    assert max(row["worked_ms"] for row in rows) < 1


@pytest.mark.parametrize("io_threads", [2, 8])
def test_slow_requests_delay_others_from_the_moment_all_threads_are_taken(io_threads):
    assert audits(io_threads - 1, io_threads)[2] < 10
    assert audits(io_threads, io_threads)[2] > 150


@pytest.mark.corpus
def test_the_queue_grows_before_the_threads_are_full():
    table = saturation((5, 18, 40))
    queue = list(table["queue p99 ms"])
    assert queue == sorted(queue) and queue[1] > 3 * queue[0] and queue[2] > 100
    assert set(table["local p99 ms"]) == {5.0}
    assert max(table["orders a second"]) <= 200


def test_a_burst_goes_to_threads_then_the_queue_then_waits_outside():
    lab, _ = burst(clients=12, io_threads=1, queue=4, network_threads=3, work_ms=20)
    assert places(lab) == {
        "I/O threads": 1,
        "request queue": 4,
        "network threads": 3,
        "socket": 4,
    }


def test_more_threads_cure_the_queue_and_not_the_follower():
    assert with_threads("slow audits", 4) > 10 * with_threads("slow audits", 16)
    assert with_threads("slow follower", 4) == with_threads("slow follower", 32) > 50


def test_a_connection_has_one_request_in_the_broker():
    lab, begin_ms = three_in_flight()
    assert places(lab) == {"produce purgatory": 1, "socket": 2}
    lab.run_for(ms=1_500)
    numbers = [row["correlation_id"] for row in requests_since(lab, begin_ms, "PRODUCE")]
    assert numbers == sorted(numbers)


def test_a_fetch_counts_the_bytes_of_its_own_partitions():
    lab, number = four_writes(2 * BATCH_BYTES, 450, (0, 2, 1, 0))
    assert number == 3
    log = lab.broker(0).machine.replicas.log_of("orders", 0)
    assert [batch.size_bytes for batch in log.batches()][1:] == [BATCH_BYTES, BATCH_BYTES]
    assert four_writes(2 * BATCH_BYTES, 150, (0, 1, 1, 0))[1] == 0


@pytest.mark.parametrize("kind", few(KINDS, 2))
def test_kafkas_rule_does_no_harm(kind):
    for seed in range(3):
        night = seen_at_night(waiting_night(kafkas, kind, seed))
        assert harm(night, kafkas_night(kind, seed)) is None and night.told_ms


@pytest.mark.slow
def test_a_rule_that_answers_at_once_does_harm_in_each_night():
    table = survive(lambda request, state: True, seeds=2)
    assert list(table["with harm"]) == [2] * len(KINDS)
    assert list(survive(kafkas, seeds=1)["with harm"]) == [0] * len(KINDS)


def test_the_request_log_says_what_the_table_says():
    lab = slow_day(3)
    lines = request_log(lab).splitlines()
    told = [json.loads(line[line.index("{") : line.rindex("}") + 1]) for line in lines]
    rows = lab.broker(0).request_times()
    assert [one["totalTimeMs"] for one in told] == [row["total_ms"] for row in rows]
    assert lines[0].endswith("(kafka.request.logger)")


def test_the_names_in_the_request_log_are_those_of_a_real_broker():
    real = broker_line("4.4")
    played = broker_line_of(request_log(slow_day(3)).splitlines()[0])
    times = {name for name in played if name.endswith("Ms")}
    assert times == {name for name in real if name.endswith("Ms")}
    assert set(played) <= set(real) and set(played["requestHeader"]) <= set(real["requestHeader"])


def broker_line(release):
    from kafkalab.stories.broker import real_request_lines

    return broker_line_of(real_request_lines(release)[0])


def broker_line_of(line):
    return json.loads(line[line.index("{") : line.rindex("}") + 1])


def test_a_real_broker_waits_without_a_thread_too():
    for release in ("2.3", "4.4"):
        table = real_requests(release)
        waited = table[(table.client == "shop") & (table.RemoteTimeMs > 700)]
        assert len(waited) == 1 and waited.LocalTimeMs.max() < 5
        assert table[table.client == "kiosk"].RemoteTimeMs.max() == 0


@pytest.mark.parametrize("day", share([1, 2, 6, 10, 20], 4))
def test_a_slow_day_is_slow_in_its_stage(day):
    times = p99(requests_since(slow_day(day), 0, "PRODUCE"))
    slowest = max((STAGES[cause] for cause in CAUSES), key=times.__getitem__)
    assert slowest == STAGES[cause_of(day)]


@pytest.mark.parametrize("day", share([3, 13, 23, 37], 2))
def test_the_averages_of_a_slow_day_name_another_stage(day):
    orders = requests_since(slow_day(day), 0, "PRODUCE")
    totals = {cause: sum(row[cause] for row in orders) for cause in CAUSES}
    assert max(CAUSES, key=totals.__getitem__) == "remote_ms" != cause_of(day)


def test_the_percentile_is_a_value_that_was_measured():
    assert percentile(range(1, 101), 0.99) == 99 and percentile([7], 0.99) == 7


def test_what_the_slowest_till_waits_for():
    assert slowest_till_ms("1", 1) < 20 < 700 < slowest_till_ms("all", 8)
