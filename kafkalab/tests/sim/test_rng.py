"""Chance by name: a client's luck is its own."""

import os
import subprocess
import sys

from kafkalab.sim.rng import Streams


def draws(streams, name, count=5):
    return [streams.stream(name).randrange(1_000_000) for _ in range(count)]


def test_a_stream_is_the_same_whoever_else_draws():
    alone, busy = Streams(7), Streams(7)
    draws(busy, "inv-2/least loaded", 100)
    assert draws(alone, "inv-1/least loaded") == draws(busy, "inv-1/least loaded")


def test_two_names_two_streams():
    streams = Streams(7)
    assert draws(streams, "inv-1/backoff") != draws(streams, "inv-1/metadata")
    assert draws(streams, "inv-1/backoff") != draws(streams, "inv-2/backoff")


def test_asking_twice_goes_on_and_does_not_begin_anew():
    once, twice = Streams(7), Streams(7)
    assert draws(once, "a/b", 6) == draws(twice, "a/b", 3) + draws(twice, "a/b", 3)


def test_a_seed_for_one_client_leaves_the_others_where_they_were():
    before, after = Streams({"inv-1": 1}), Streams({"inv-1": 2})
    assert draws(before, "inv-1/backoff") != draws(after, "inv-1/backoff")
    assert draws(before, "inv-2/backoff") == draws(after, "inv-2/backoff")


def test_who_is_not_named_takes_the_seed_of_everything_else():
    assert draws(Streams({"inv-1": 1, "": 9}), "inv-2/x") == draws(Streams(9), "inv-2/x")
    assert draws(Streams({"inv-1": 1}), "inv-2/x") == draws(Streams(0), "inv-2/x")


def test_another_process_with_other_hashes_draws_the_same():
    story = (
        "from kafkalab.sim.rng import Streams; s = Streams({'inv-1': 7}).stream('inv-1/least "
        "loaded'); print([s.randrange(10**9) for _ in range(8)])"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", story],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert told[0] == told[1] != ""
