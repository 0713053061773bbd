"""How far is a connection? Every step of the table, and none that is not in it."""

import itertools
import random

import pytest

from kafkalab.clients.network.connection_states import (
    MOVES,
    ClusterConnectionStates,
    ConnectionState,
    exponential_ms,
)
from kafkalab.sim.journal import Journal
from kafkalab.sim.scheduler import Scheduler

CONNECTING, CHECKING, READY, DISCONNECTED = ConnectionState


def states(backoff_ms=50, backoff_max_ms=1_000, jitter_inside_cap=False):
    return ClusterConnectionStates(
        {"reconnect.backoff.ms": backoff_ms, "reconnect.backoff.max.ms": backoff_max_ms},
        jitter_inside_cap,
        random.Random(7),
        random.Random(8),
        Journal(Scheduler()),
        "shop",
    )


WALKS = {
    None: (),
    CONNECTING: ("connecting",),
    CHECKING: ("connecting", "checking"),
    READY: ("connecting", "checking", "ready"),
    DISCONNECTED: ("connecting", "disconnected"),
}
STEPS = {
    "connecting": (CONNECTING, lambda s: s.connecting("0", 10)),
    "checking": (CHECKING, lambda s: s.checking_api_versions("0")),
    "ready": (READY, lambda s: s.ready("0")),
    "disconnected": (DISCONNECTED, lambda s: s.disconnected("0", 10)),
}


def walked(names):
    found = states()
    for name in names:
        STEPS[name][1](found)
    return found


@pytest.mark.parametrize(("before", "step"), list(itertools.product(WALKS, STEPS)))
def test_every_step_from_every_state(before, step):
    here = walked(WALKS[before])
    after, walk = STEPS[step]
    assert here.state("0") is before
    if after in MOVES[before] or (before is after is DISCONNECTED):
        walk(here)
        assert here.state("0") is after
    else:
        with pytest.raises((AssertionError, KeyError)):
            walk(here)
        assert here.state("0") is before, "an illegal step raises and changes nothing"


def test_each_step_is_journalled_with_what_was_before():
    here = walked(("connecting", "checking", "ready", "disconnected", "connecting"))
    told = [(event.before, event.after) for event in here._journal.of("state")]
    assert told == [
        (None, "CONNECTING"),
        ("CONNECTING", "CHECKING_API_VERSIONS"),
        ("CHECKING_API_VERSIONS", "READY"),
        ("READY", "DISCONNECTED"),
        ("DISCONNECTED", "CONNECTING"),
    ]


def test_an_untouched_node_may_be_tried_at_once():
    here = states()
    assert here.can_connect("0", 0)
    assert here.delay_ms("0", 0) == 0
    assert not here.is_blacked_out("0", 0)


def test_after_a_failure_the_node_is_left_alone_until_its_backoff_has_passed():
    here = walked(("connecting", "disconnected"))
    backoff_ms = here.nodes["0"].backoff_ms
    assert 40 <= backoff_ms <= 60
    last, first = 10 + backoff_ms - 1, 10 + backoff_ms
    assert (
        here.is_blacked_out("0", last)
        and not here.can_connect("0", last)
        and here.delay_ms("0", last) == 1
    )
    assert (
        here.can_connect("0", first)
        and not here.is_blacked_out("0", first)
        and here.delay_ms("0", first) == 0
    )


def test_while_a_connection_is_up_only_an_event_can_change_it():
    assert walked(WALKS[CONNECTING]).delay_ms("0", 99) is None
    assert walked(WALKS[READY]).delay_ms("0", 99) is None


def test_success_forgets_the_failures():
    here = states()
    for _ in range(4):
        here.connecting("0", 0)
        here.disconnected("0", 0)
    assert here.nodes["0"].backoff_ms > 300
    here.connecting("0", 5_000)
    here.checking_api_versions("0")
    here.ready("0")
    here.disconnected("0", 6_000)
    assert here.nodes["0"].backoff_ms <= 60


@pytest.mark.parametrize("attempts", [0, 1, 2, 3, 4, 5, 20, 2_000])
def test_backoff_doubles_and_is_capped_with_a_fifth_of_chance_either_way(attempts):
    wanted_ms = min(50 * 2**attempts, 1_000)
    drawn = [
        exponential_ms(random.Random(seed), 50, 1_000, attempts, jitter_inside_cap=False)
        for seed in range(200)
    ]
    assert 0.8 * wanted_ms - 1 <= min(drawn) < max(drawn) <= 1.2 * wanted_ms


def test_from_3_7_the_cap_comes_last():
    """KIP-580: before it, the chance could lift a capped backoff to 1200 ms."""
    old = [
        exponential_ms(random.Random(seed), 50, 1_000, 10, jitter_inside_cap=False)
        for seed in range(200)
    ]
    new = [
        exponential_ms(random.Random(seed), 50, 1_000, 10, jitter_inside_cap=True)
        for seed in range(200)
    ]
    assert max(old) > 1_000
    assert set(new) == {1_000}
