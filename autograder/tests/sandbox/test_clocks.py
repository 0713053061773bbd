"""Checks that a machine with too much to do takes no points: an answer has processor time, and far
behind it a clock on the wall for what sleeps."""

import contextlib
import multiprocessing
import os
import threading
import time
from types import SimpleNamespace

import psutil
import pytest

from autograder.cell import reply as asked
from autograder.cell.reply import PROCESSOR, WALL, answer_in_time, complaint
from autograder.sandbox.inside.worker import SLACK_SECONDS, Patience
from autograder.sandbox.outside.parent import Limits, Sandbox
from kafkalab.tests.shares import few

WORKS = (  # for so many seconds of processor time, however long that takes
    "import os\nstart = sum(os.times()[:2])\n"
    "while sum(os.times()[:2]) < start + {seconds}: pass\ntotal = 6"
)
CATCHES = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
SLEEPS = "import time\nwhile True: time.sleep(0.1)"
OTHERS = {"source": "total = 6", "question": "90.2", "cases": [{}], "read": ["total"]}


@pytest.fixture(scope="module")
def sandbox(demo_folder):
    with Sandbox() as opened:
        yield opened


def reply(sandbox, source: str, **limits) -> dict:
    """What is heard of an answer; the question below it is always answered."""
    sandbox.limits = Limits(**limits)
    heard = sandbox.run([{"source": source, "question": "90.3", "cases": [{}]}, OTHERS], {})
    assert heard["replies"]["90.2"] == [{"data": {"total": 6}}] and heard["ended"] == "", heard
    return heard["replies"]["90.3"][0]


@contextlib.contextmanager
def four_busy_loops():
    loops = [multiprocessing.get_context("spawn").Process(target=spin) for _ in range(4)]
    for each in loops:
        each.start()
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.join()


def spin() -> None:
    while True:
        pass


@pytest.mark.slow
def test_work_beside_four_busy_loops_keeps_its_points(demo, sandbox):
    """Sixty of a hundred parts of its processor time, on cores that others share."""
    with four_busy_loops():
        said = reply(sandbox, WORKS.format(seconds=1.2), cell_seconds=2, cell_wall_seconds=300)
    assert said == {"data": {"total": 6}}


@pytest.mark.corpus
def test_an_answer_that_has_to_wait_for_the_processor_keeps_its_points(demo, sandbox):
    """It is stopped for three times its limit while it works, and goes on."""
    sandbox.limits = Limits()
    sandbox.run([OTHERS], {})  # the worker is there
    before, stopped, done = family(), [], threading.Event()

    def stop_for_a_while():
        while not done.is_set() and not stopped:
            for each in family() - before:
                with contextlib.suppress(psutil.Error):
                    if each.cpu_times().user > 0.1 and not each.children():
                        each.suspend()
                        stopped.append(each)
                        time.sleep(3)
                        each.resume()
                        break
            time.sleep(0.01)

    thread = threading.Thread(target=stop_for_a_while)
    thread.start()
    try:
        said = reply(sandbox, WORKS.format(seconds=0.6), cell_seconds=1, cell_wall_seconds=300)
    finally:
        done.set()
        thread.join()
    assert stopped and said == {"data": {"total": 6}}


def family() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


@pytest.mark.parametrize("catches", few([False, True]))
def test_an_endless_loop_ends_by_processor_time(demo, sandbox, catches):
    loop = "while True: pass"
    if catches:
        loop = CATCHES
    said = reply(sandbox, loop, cell_seconds=1, cell_wall_seconds=300)
    assert said["raised"] == "TimeUp" and complaint(said) == (
        "there was no answer after 1 s of processor time; look for a loop that never ends."
    )


def test_an_answer_that_may_play_long_has_a_time_of_its_own(demo, sandbox):
    """11.3 asks for a loop over labs: who begins at one minute plays for twenty seconds."""
    step = {"source": WORKS.format(seconds=5), "question": "90.3", "cases": [{}]}
    sandbox.limits = Limits(
        cell_seconds=1, cell_wall_seconds=300, cpu_seconds=4, long_cell_seconds=30
    )
    late = sandbox.run([step], {})["replies"]["90.3"][0]
    assert late["raised"] == "TimeUp"
    heard = sandbox.run([{**step, "long": True}, OTHERS], {})
    assert "data" in heard["replies"]["90.3"][0] and "data" in heard["replies"]["90.2"][0]


@pytest.mark.corpus
@pytest.mark.parametrize(
    "how",
    [*(pytest.param(how, marks=pytest.mark.slow) for how in ("functions", "catching")), "cells"],
)
def test_each_endless_loop_of_a_notebook_has_less_time_than_the_one_before(demo, sandbox, how):
    """Ten of them at ten seconds each would keep a lane for minutes."""
    loop = {
        "cells": "while True: pass",
        "functions": "def node_id(broker):\n    while True: pass",
        "catching": CATCHES,
    }[how]
    sandbox.limits = Limits(cell_seconds=2, cell_wall_seconds=300)
    case = {"case": "broker 2", "broker": 2}
    steps = [
        {"source": loop, "question": question, "cases": [case, case]}
        for question in ("90.2", "90.1", "90.3")
    ]
    if how == "functions":
        steps[1:] = [{**steps[0], "question": "90.3", "source": "while True: pass"}]
    heard = sandbox.run([*steps, {**OTHERS, "question": "other"}], {})
    said = [reply for replies in heard["replies"].values() for reply in replies]
    assert sorted({each["seconds"] for each in said if "raised" in each})[-2:] == [1, 2], heard
    assert heard["replies"]["other"] == [{"data": {"total": 6}}] and heard["ended"] == ""


@pytest.mark.slow
@pytest.mark.parametrize("catches", [False, True])
def test_an_endless_sleep_ends_by_the_clock_on_the_wall(demo, sandbox, catches):
    sleep = SLEEPS
    if catches:
        sleep = (
            "import time\nwhile True:\n    try:\n        while True: time.sleep(0.1)\n"
            "    except BaseException: pass"
        )
    said = reply(sandbox, sleep, cell_seconds=100, cell_wall_seconds=2)
    assert said["raised"] == "TimeUp" and complaint(said) == (
        "there was no answer after 2 s; look for a wait that never ends."
    )


@pytest.mark.slow
def test_work_in_a_child_is_counted(demo, sandbox):
    """The clock of a process does not count its children; the keeper's watch does."""
    loop = "import os\nif os.fork() == 0:\n    while True: pass\nos.wait()"
    said = reply(sandbox, loop, cell_seconds=1, cell_wall_seconds=300)
    assert (said["raised"], said["clock"]) == ("TimeUp", PROCESSOR)


@pytest.mark.slow
def test_many_endless_loops_leave_the_others_their_answer(demo, sandbox):
    """Together they take more than one submission may; what is below is asked without them."""
    sandbox.limits = Limits(cell_seconds=1, cpu_seconds=2)
    loops = [
        {"source": f"while {number}: pass", "question": None, "cases": []} for number in range(1, 4)
    ]
    heard = sandbox.run([*loops, OTHERS], {})
    assert heard["replies"]["90.2"] == [{"data": {"total": 6}}] and heard["ended"] == ""


class Clock:
    """Time that passes when the test says so."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def patience(spent: float = 0.0):
    clock, watch = Clock(), SimpleNamespace(spent=spent)
    step = {"seconds": 10, "wall_seconds": 120}
    job = {"steps": [step, step], "seconds": 600, "cpu_seconds": 60}
    return Patience(job, watch, clock), watch, clock


def test_a_step_has_its_time_from_where_it_begins():
    own, watch, clock = patience(spent=30)
    clock.now = 100
    assert own.begins(1) and not own.begins(2) and not own.begins(True) and own.end() is None
    watch.spent = 30 + 10 + SLACK_SECONDS - 0.1
    clock.now = 100 + 120 + SLACK_SECONDS - 0.1
    assert own.end() is None
    watch.spent += 0.2
    assert (own.end().words, own.end().clock) == (
        "no answer after 10 s of processor time",
        PROCESSOR,
    )
    watch.spent -= 0.2
    clock.now += 0.2
    assert (own.end().words, own.end().clock) == ("no answer after 120 s", WALL)


def test_a_submission_has_its_time_whatever_its_steps_say():
    own, watch, clock = patience()
    watch.spent = 60
    assert own.end().words == "the time was up: 60 s of processor time"
    watch.spent, clock.now = 0, 599.9
    assert own.end() is None
    clock.now = 600
    assert own.end().words == "the time was up: 600 s"


def test_a_notebook_has_the_same_two_clocks(monkeypatch):
    """`check` says what grading says."""

    def work():
        while True:
            pass

    monkeypatch.setattr(asked, "SECONDS", 0.2)
    assert answer_in_time(work)["clock"] == PROCESSOR
    assert answer_in_time(lambda: time.sleep(0.3) or {"data": 1}) == {"data": 1}
    monkeypatch.setattr(asked, "WALL_SECONDS", 0.3)
    assert answer_in_time(lambda: time.sleep(600))["clock"] == WALL


def test_where_no_clock_can_interrupt_both_are_looked_at_afterwards(monkeypatch):
    monkeypatch.setattr(asked, "SECONDS", 0.05)
    monkeypatch.setattr(asked, "WALL_SECONDS", 0.1)
    found = []

    def work():
        start = sum(os.times()[:2])
        while sum(os.times()[:2]) < start + 0.1:
            pass

    def in_a_thread():
        found.append(answer_in_time(lambda: time.sleep(0.2)))
        monkeypatch.setattr(asked, "WALL_SECONDS", 600)
        found.append(answer_in_time(work))

    thread = threading.Thread(target=in_a_thread)
    thread.start()
    thread.join()
    assert [each["clock"] for each in found] == [WALL, PROCESSOR]
