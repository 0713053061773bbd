"""One clock, one heap: what happens when, in which order, and in whose name."""

from kafkalab.sim.scheduler import Scheduler


def test_the_earlier_comes_first_whoever_was_scheduled_first():
    clock, said = Scheduler(), []
    clock.at(20, lambda: said.append(("late", clock.now_ms)))
    clock.at(10, lambda: said.append(("early", clock.now_ms)))
    clock.run_until(lambda: False, 100)
    assert said == [("early", 10), ("late", 20)]


def test_at_the_same_millisecond_the_order_of_scheduling_decides():
    clock, said = Scheduler(), []
    for name in "abcdef":
        clock.at(5, lambda name=name: said.append(name))
    clock.run_until(lambda: False, 5)
    assert "".join(said) == "abcdef"


def test_what_is_scheduled_for_now_comes_after_what_is_due_now():
    clock, said = Scheduler(), []

    def first():
        said.append("first")
        clock.after(0, lambda: said.append("asked for by first"))

    clock.at(5, first)
    clock.at(5, lambda: said.append("second"))
    clock.run_until(lambda: False, 5)
    assert said == ["first", "second", "asked for by first"]


def test_a_time_in_the_past_means_now():
    clock, seen = Scheduler(), []
    clock.run_until(lambda: False, 50)
    clock.at(10, lambda: seen.append(clock.now_ms))
    clock.step()
    assert seen == [50]


def test_a_cancelled_timer_never_fires_and_moves_no_clock():
    clock, said = Scheduler(), []
    timer = clock.at(10, lambda: said.append("never"))
    assert timer.pending
    timer.cancel()
    timer.cancel()
    assert not timer.pending
    assert clock.next_at_ms() is None
    assert clock.step() is False
    assert (said, clock.now_ms) == ([], 0)


def test_the_clock_stands_at_the_deadline_and_what_is_due_later_waits():
    clock, said = Scheduler(), []
    clock.at(30, lambda: said.append("on time"))
    clock.at(31, lambda: said.append("too late"))
    assert clock.run_until(lambda: False, 30) is False
    assert (said, clock.now_ms) == (["on time"], 30)
    assert clock.next_at_ms() == 31


def test_the_clock_stops_where_the_wish_came_true():
    clock, said = Scheduler(), []
    clock.at(10, lambda: said.append(1))
    clock.at(20, lambda: said.append(2))
    assert clock.run_until(lambda: said == [1], 1_000) is True
    assert clock.now_ms == 10


def test_an_empty_heap_still_lets_time_pass():
    clock = Scheduler()
    clock.run_until(lambda: False, 540_000)
    assert clock.now_ms == 540_000


def test_a_callback_runs_in_the_name_of_who_scheduled_it():
    clock, causes = Scheduler(), []
    clock.cause = 7
    clock.at(10, lambda: causes.append(clock.cause))
    clock.cause = 8
    clock.at(5, lambda: causes.append(clock.cause))
    clock.cause = 9
    clock.run_until(lambda: False, 10)
    assert causes == [8, 7]
    assert clock.cause == 9, "what others did meanwhile was not done in the caller's name"


def test_the_cause_comes_back_even_when_a_callback_fails():
    clock = Scheduler()
    clock.cause = 3

    def fail():
        clock.cause = 99
        raise RuntimeError("a broker's mistake")

    clock.at(1, fail)
    try:
        clock.run_until(lambda: False, 10)
    except RuntimeError:
        pass
    assert clock.cause == 3
