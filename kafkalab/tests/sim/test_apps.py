"""Blocking code beside blocking code: one baton, so that threads bring no chance into a run."""

import threading

import pytest

from kafkalab.sim.apps import FOREVER_MS, LAST_WAITS, AppEnded, Signal, Stage
from kafkalab.sim.scheduler import Scheduler


def stage():
    clock = Scheduler()
    return clock, Stage(clock)


def sleep(stage, ms):
    stage.wait(Signal(), stage.clock.now_ms + ms)


def test_two_blocking_apps_take_turns():
    clock, here = stage()
    said = []

    def work(name, ms):
        for _ in range(3):
            sleep(here, ms)
            said.append((clock.now_ms, name))

    here.spawn("slow", work, "slow", 20)
    here.spawn("fast", work, "fast", 15)
    here.run_until(lambda: False, 100)
    assert said == [
        (15, "fast"),
        (20, "slow"),
        (30, "fast"),
        (40, "slow"),
        (45, "fast"),
        (60, "slow"),
    ]
    assert all(app.done for app in here.apps)


def test_the_same_moment_goes_to_who_began_to_wait_first_every_time():
    def once():
        _clock, here = stage()
        said = []

        def work(name):
            for _ in range(20):
                sleep(here, 5)
                said.append(name)

        for name in "abc":
            here.spawn(name, work, name)
        here.run_until(lambda: False, 1_000)
        return said

    assert once() == list("abc") * 20
    assert all(once() == once() for _ in range(5))


def test_one_app_wakes_another():
    clock, here = stage()
    letter, said = Signal(), []

    def reads():
        said.append(here.wait(letter, 1_000))
        said.append(clock.now_ms)

    def writes():
        sleep(here, 30)
        letter.set()

    here.spawn("reads", reads)
    here.spawn("writes", writes)
    here.run_until(lambda: False, 100)
    assert said == [True, 30]


def test_the_front_waits_for_a_signal_or_for_the_deadline():
    clock, here = stage()
    letter = Signal()
    clock.at(40, letter.set)
    assert here.wait(letter, 30) is False
    assert clock.now_ms == 30
    assert here.wait(letter, 100) is True
    assert clock.now_ms == 40


def test_a_result_is_kept():
    _, here = stage()
    app = here.spawn("adds", lambda a, b: a + b, 2, 3)
    here.run_until(lambda: app.done, 10)
    assert (app.result, app.error) == (5, None)


def test_an_exception_surfaces_at_the_front_once():
    clock, here = stage()

    def breaks():
        sleep(here, 10)
        raise ValueError("five apples, four pears")

    app = here.spawn("breaks", breaks)
    with pytest.raises(ValueError, match="five apples"):
        here.run_until(lambda: False, 100)
    assert app.done and isinstance(app.error, ValueError)
    assert clock.now_ms == 10, "the front stops where it happened"
    here.run_until(lambda: False, 100)
    assert clock.now_ms == 100


def test_it_also_surfaces_while_the_front_waits_for_something_else():
    _, here = stage()
    here.spawn("breaks", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        here.wait(Signal(), 100)


def test_two_exceptions_surface_one_after_the_other():
    _, here = stage()
    for text in ("one", "two"):
        here.spawn(text, lambda text=text: (_ for _ in ()).throw(ValueError(text)))
    for text in ("one", "two"):
        with pytest.raises(ValueError, match=text):
            here.run_until(lambda: False, 100)


def test_a_closed_stage_leaves_nothing_running():
    threads = threading.active_count()
    _clock, here = stage()
    left = []

    def waits(name):
        try:
            here.wait(Signal(), FOREVER_MS)
        finally:
            left.append(name)

    for name in "abcde":
        here.spawn(name, waits, name)
    here.run_until(lambda: False, 10)
    assert not any(app.done for app in here.apps)
    here.close()
    here.close()
    assert left == list("abcde")
    assert all(app.done and app.error is None for app in here.apps)
    assert threading.active_count() == threads


def test_an_app_that_never_began_ends_too():
    _, here = stage()
    app = here.spawn("never", lambda: pytest.fail("it must not run"))
    here.close()
    assert app.done and app.error is None


def test_an_ended_app_may_clean_up_but_not_go_on():
    _, here = stage()
    said = []

    def works():
        try:
            here.wait(Signal(), FOREVER_MS)
            said.append("went on")
        finally:
            said.append("cleaned up")

    app = here.spawn("works", works)
    here.run_until(lambda: False, 10)
    here.end(app)
    assert said == ["cleaned up"]
    assert app.error is None


def test_a_wait_in_a_finally_ends_too():
    _, here = stage()

    def works():
        try:
            sleep(here, 1_000)
        finally:
            try:
                sleep(here, 20)
            finally:
                here.wait(Signal(), FOREVER_MS)

    app = here.spawn("works", works)
    here.run_until(lambda: False, 10)
    here.end(app)
    assert app.done and app.error is None


def test_an_app_that_catches_everything_does_not_hold_up_who_ends_it():
    _, here = stage()
    caught = []

    def works():
        while True:
            try:
                sleep(here, 1_000)
            except BaseException as error:
                caught.append(type(error))

    app = here.spawn("works", works)
    here.run_until(lambda: False, 10)
    here.end(app)
    assert not app.done and caught == [AppEnded] * (1 + LAST_WAITS)


def test_an_app_keeps_its_cause_while_others_run():
    clock, here = stage()
    seen = {}

    def works(name, cause):
        clock.cause = cause
        sleep(here, 10)
        seen[name] = clock.cause

    here.spawn("a", works, "a", 11)
    here.spawn("b", works, "b", 22)
    here.run_until(lambda: False, 100)
    assert seen == {"a": 11, "b": 22}


# loops: generators that yield until when they may sleep


def test_a_loop_wakes_at_its_deadline():
    clock, here = stage()
    woke = []

    def loop():
        while len(woke) < 3:
            yield clock.now_ms + 25
            woke.append(clock.now_ms)

    here.loop(loop(), Signal())
    here.run_until(lambda: False, 1_000)
    assert woke == [25, 50, 75]


def test_a_loop_wakes_on_its_signal_before_its_deadline():
    clock, here = stage()
    bell, woke = Signal(), []

    def loop():
        while True:
            yield clock.now_ms + 100
            woke.append((clock.now_ms, bell.is_set))
            bell.clear()

    here.loop(loop(), bell)
    clock.at(30, bell.set)
    here.run_until(lambda: False, 200)
    assert woke == [(30, True), (130, False)], "the old deadline of 100 is forgotten"


def test_a_loop_without_a_deadline_sleeps_until_the_bell():
    clock, here = stage()
    bell, woke = Signal(), []

    def loop():
        yield FOREVER_MS
        woke.append(clock.now_ms)

    here.loop(loop(), bell)
    here.run_until(lambda: False, 10_000)
    assert woke == []
    bell.set()
    here.run_until(lambda: False, 10_001)
    assert woke == [10_000]


def test_a_bell_rung_twice_at_the_deadline_wakes_once():
    clock, here = stage()
    bell, woke = Signal(), []

    def loop():
        while True:
            yield clock.now_ms + 50
            woke.append(clock.now_ms)
            bell.clear()

    here.loop(loop(), bell)
    clock.at(50, bell.set)
    clock.at(50, bell.set)
    here.run_until(lambda: False, 99)
    assert woke == [50]
