"""Would a broker like this client's metrics? Refused,
3.9 asks again in five minutes and 4.0 never."""

import pytest

from kafkalab.clients.network.telemetry import (
    MOVES,
    NEVER_MS,
    TelemetryReporter,
    TelemetryState,
)
from kafkalab.releases import PROFILES


def reporter(after_refusal_ms):
    said = []
    return TelemetryReporter(
        lambda name, **values: said.append((name, values)), after_refusal_ms, 1_000_000
    ), said


def test_the_first_question_is_due_at_once():
    assert reporter(300_000)[0].time_to_next_update(0, 30_000) == 0


@pytest.mark.parametrize(
    ("version", "waits_ms"), [("3.9", 300_000), ("4.0", NEVER_MS), ("4.4", NEVER_MS)]
)
def test_its_two_fates(version, waits_ms):
    telemetry, said = reporter(PROFILES[version].connecting.telemetry_after_refusal_ms)
    telemetry.begin_request()
    assert telemetry.time_to_next_update(10, 30_000) == 30_000, (
        "while the answer is awaited, the request's time-out counts"
    )
    telemetry.refused(10)
    assert telemetry.time_to_next_update(10, 30_000) == waits_ms
    later_ms = telemetry.time_to_next_update(10 + 299_999, 30_000)
    assert later_ms == (1 if waits_ms == 300_000 else NEVER_MS)
    assert ("TELEMETRY_INTERVAL", {"interval_ms": waits_ms, "last_request_ms": 1_000_010}) in said


@pytest.mark.parametrize("version", ["2.1", "2.2", "2.3", "2.8", "3.6"])
def test_before_3_7_there_was_none(version):
    assert PROFILES[version].connecting.telemetry_after_refusal_ms is None


def test_closed_it_asks_no_more():
    telemetry, _ = reporter(300_000)
    telemetry.initiate_close()
    telemetry.stop()
    telemetry.stop()
    assert telemetry.state is TelemetryState.TERMINATED
    assert telemetry.time_to_next_update(10**9, 30_000) == NEVER_MS


def test_a_question_while_one_is_under_way_is_not_in_the_table():
    telemetry, _ = reporter(300_000)
    telemetry.begin_request()
    with pytest.raises(AssertionError):
        telemetry.begin_request()
    assert telemetry.state is TelemetryState.SUBSCRIPTION_IN_PROGRESS
    assert MOVES[TelemetryState.TERMINATED] == set()
