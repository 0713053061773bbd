"""Do threads that take time stand where their work puts them, and wake each other in time?"""

import random

from kafkalab.sim.apps import FOREVER_MS, Signal, Stage
from kafkalab.sim.scheduler import Scheduler
from kafkalab.sim.work_time import THREAD_STARTS_MS, WorkTime

WORK_MS = 10


class WorkingLab:
    """A clock and a stage whose threads work WORK_MS between two lines."""

    def __init__(self) -> None:
        self.clock, self.kept = Scheduler(), []
        luck = random.Random(1)
        self.clock.work = self.work = WorkTime(
            self.clock,
            self.kept,
            lambda who, before, after, left_ms: min(WORK_MS, left_ms),
            lambda name: luck,
        )
        self.stage = Stage(self.clock)

    def tell(self, text: str, who: str = "client") -> None:
        self.work.write((self.clock.now_ms, text, who, None, {}))

    def sleep(self, ms: int) -> None:
        self.stage.wait(Signal(), self.clock.now_ms + ms)

    def told(self) -> list[tuple[int, str]]:
        order = sorted(range(len(self.kept)), key=self.work.moment_of)
        return [self.kept[number][:2] for number in order]


def test_a_thread_is_ahead_of_the_clock_while_it_works():
    lab = WorkingLab()
    for text in "abc":
        lab.tell(text)
    assert lab.told() == [(0, "a"), (10, "b"), (20, "c")]
    assert lab.clock.now_ms == 0 and lab.clock.thread_ms == 20


def test_a_thread_that_has_waited_writes_at_once():
    lab = WorkingLab()
    lab.tell("a")
    lab.sleep(50)
    lab.tell("b")
    assert lab.told() == [(0, "a"), (50, "b")]


def test_two_threads_of_a_client_take_turns_by_their_work():
    lab = WorkingLab()

    def app(name: str, begins_ms: int) -> None:
        lab.sleep(begins_ms)
        lab.tell(f"{name}1")
        lab.tell(f"{name}2")

    lab.stage.spawn("a", app, "a", 5)
    lab.stage.spawn("b", app, "b", 8)
    lab.stage.run_until(lambda: False, 100)
    assert lab.told() == [(5, "a1"), (8, "b1"), (15, "a2"), (18, "b2")]


def test_what_a_working_thread_sets_wakes_others_when_it_has_come_so_far():
    lab, signal = WorkingLab(), Signal()

    def waits() -> None:
        lab.stage.wait(signal, FOREVER_MS)
        lab.tell("woken")

    def works() -> None:
        lab.tell("begins")
        lab.tell("is done")
        signal.set()

    lab.stage.spawn("one", waits)
    lab.stage.spawn("other", works)
    lab.stage.run_until(lambda: False, 100)
    assert lab.told() == [(0, "begins"), (10, "is done"), (20, "woken")]


def test_the_front_waits_for_a_working_thread_too():
    lab, signal = WorkingLab(), Signal()

    def works() -> None:
        lab.tell("begins")
        lab.tell("is done")
        signal.set()

    lab.stage.spawn("other", works)
    assert lab.stage.wait(signal, 100) and lab.clock.now_ms == 10


def test_a_thread_begins_where_its_starter_is():
    lab, signal = WorkingLab(), Signal()

    def loop():
        lab.tell("second")
        yield FOREVER_MS

    lab.tell("starter")
    lab.tell("first")
    lab.stage.loop(loop(), signal, "client", told=True)
    lab.tell("goes on")
    lab.stage.run_until(lambda: False, 100)
    told = {text: at_ms for at_ms, text in lab.told()}
    assert WORK_MS <= told["first"] <= WORK_MS + THREAD_STARTS_MS
    assert told["second"] == told["first"] + WORK_MS
    assert told["goes on"] == 2 * WORK_MS


def test_clients_do_not_wait_for_each_other_s_lines():
    lab = WorkingLab()

    def app(name: str) -> None:
        lab.tell(name, who=name)

    lab.stage.spawn("a", app, "a")
    lab.stage.spawn("b", app, "b")
    lab.stage.run_until(lambda: False, 10)
    assert [at_ms for at_ms, _ in lab.told()] == [0, 0]


def test_work_ends_in_time_where_its_end_is_known():
    lab = WorkingLab()
    lab.work.end_by(14)
    for text in "abc":
        lab.tell(text)
    lab.work.end_by(FOREVER_MS)
    lab.tell("d")
    assert lab.told() == [(0, "a"), (10, "b"), (14, "c"), (24, "d")]


def test_a_client_on_a_fast_machine_works_no_longer_than_that():
    lab = WorkingLab()
    lab.work.is_fast("quick", 3)
    for who in ("quick", "client"):
        lab.stage.spawn(who, lambda: [lab.tell(f"{who}{n}", who) for n in (1, 2)])
        lab.stage.run_until(lambda: False, lab.clock.now_ms + 50)
    assert lab.told() == [(0, "quick1"), (3, "quick2"), (50, "client1"), (60, "client2")]
