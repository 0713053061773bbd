"""Garbage that refers to itself: who looks for it, and when?"""

from __future__ import annotations

import gc
import weakref

import pytest

from kafkalab import KafkaConsumer, Lab
from kafkalab.records import TopicPartition
from kafkalab.sim import garbage
from kafkalab.sim.scheduler import Scheduler


@pytest.fixture
def collector(monkeypatch):
    """A collector of our own, patient from the start."""
    monkeypatch.setattr(garbage.COLLECTOR, "made", 0)
    monkeypatch.setattr(garbage.COLLECTOR, "there", garbage.MUCH)
    return garbage.COLLECTOR


def test_the_collector_rests_while_a_clock_runs_and_only_then():
    clock, seen = Scheduler(), []
    clock.after(1, lambda: seen.append(gc.isenabled()))
    clock.after(2, lambda: clock.run_until(lambda: False, 3) or seen.append(gc.isenabled()))
    clock.run_until(lambda: False, 10)
    assert seen == [False, False], "a run inside a run does not wake it"
    assert gc.isenabled()


def test_whoever_has_switched_it_off_finds_it_off():
    gc.disable()
    try:
        Scheduler().run_until(lambda: False, 10)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_error_in_a_callback_wakes_it():
    clock = Scheduler()
    clock.after(1, lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        clock.run_until(lambda: False, 10)
    assert gc.isenabled()


def a_reader() -> Lab:
    lab = Lab(brokers=1)
    lab.create_topic("orders")

    def read(lab: Lab) -> None:
        consumer = KafkaConsumer(lab, {"group.id": "shop"}, name="reader")
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=1_000)

    lab.spawn(read)
    return lab


@pytest.mark.slow
def test_a_client_at_work_leaves_no_garbage_that_refers_to_itself():
    """A request that is done must not hold who waited for it, nor the other way round."""
    lab = a_reader()
    lab.run_for(ms=10_000)
    gc.collect()
    gc.disable()
    try:
        lab.run_for(ms=20_000)
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.slow
def test_a_dead_lab_goes_when_another_begins_and_much_was_made(collector):
    lab = a_reader()
    dead = weakref.ref(lab)
    lab.run_for(ms=1_000)
    lab.close()
    del lab
    collector.made = garbage.MUCH + 1
    Lab(brokers=1)
    assert dead() is None and collector.made == 0 and collector.there >= garbage.MUCH


def test_a_lone_reader_costs_no_look(collector, monkeypatch):
    monkeypatch.setattr(gc, "collect", lambda: pytest.fail("nothing much was made"))
    lab = Lab(brokers=1)
    lab.create_topic("orders")
    reader = KafkaConsumer(lab, name="reader")
    reader.assign([TopicPartition("orders", 0)])
    reader.poll(timeout_ms=2_000)
    Lab(brokers=1)
