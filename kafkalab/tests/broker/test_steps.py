"""The engine of steps, and the rooms in which nothing waits or refuses in another way."""

import ast
from pathlib import Path

import pytest

from kafkalab.broker.effects import AskBroker, CancelTimer, Respond, SetTimer
from kafkalab.broker.steps import (
    PARKED,
    Afterwards,
    Refusal,
    Wait,
    Waits,
    answers,
    coded,
    run,
    together,
    unheard,
)
from kafkalab.errors import Errors
from kafkalab.protocol.messages import EndTxnRequest, EndTxnResponse
from kafkalab.tests.broker.driver import a_caller
from kafkalab.tests.ways import INSTEAD, found_in, old_ways, step_names

BROKER = Path(__file__).parents[2] / "broker"


def alarm(name):
    return SetTimer((name,), 1)


class Bell:
    """A place where steps wait until somebody rings."""

    def __init__(self):
        self.resumes = []

    def wait(self):
        return Wait(lambda resume: self.resumes.append(resume) or [alarm("parked")])

    def ring(self, value):
        return self.resumes.pop(0)(value)


def test_a_step_stops_at_a_wait_and_goes_on_with_what_came():
    bell, heard = Bell(), []

    def story():
        yield alarm("before")
        heard.append((yield bell.wait()))
        yield alarm("between")
        heard.append((yield bell.wait()))
        yield alarm("after")

    assert run(story()) == [alarm("before"), alarm("parked")]
    assert bell.ring("first") == [alarm("between"), alarm("parked")]
    assert bell.ring("second") == [alarm("after")]
    assert heard == ["first", "second"]


def test_a_wait_with_nothing_to_wait_for_goes_on_at_once():
    def story():
        yield alarm("before")
        assert (yield Wait(lambda resume: [*resume("here")])) == "here"
        yield alarm("after")

    assert run(story()) == [alarm("before"), alarm("after")]


def test_what_comes_later_follows_the_answer_and_the_parking():
    bell = Bell()

    def story():
        yield Afterwards([alarm("later")])
        yield bell.wait()
        yield Afterwards([alarm("last")])
        yield alarm("answer")

    assert run(story()) == [alarm("parked"), alarm("later")]
    assert bell.ring(None) == [alarm("answer"), alarm("last")]


class Machine:
    def __init__(self):
        self.bell = Bell()

    @answers(EndTxnResponse)
    def waits(self, request, caller, now_ms):
        yield alarm("begun")
        error = yield self.bell.wait()
        if error is not Errors.NONE:
            raise Refusal(error)
        return EndTxnResponse(producer_id=7)

    @answers(EndTxnResponse)
    def plain(self, request, caller, now_ms):
        if not request.committed:
            raise Refusal(Errors.INVALID_TXN_STATE)
        return EndTxnResponse(producer_id=7)

    @answers(EndTxnResponse, lambda request, caller, refusal: (request, caller, refusal.message))
    def words(self, request, caller, now_ms):
        raise Refusal.with_message(Errors.INVALID_TXN_STATE)

    @answers(EndTxnResponse)
    def parks(self, request, caller, now_ms):
        yield alarm("parked by hand")
        return PARKED


def ask(method, committed=True):
    request = EndTxnRequest(
        transactional_id="tx", producer_id=7, producer_epoch=0, committed=committed
    )
    caller = a_caller(request, version=4)
    return request, caller, method(request, caller, 0)


@pytest.mark.parametrize(
    ("came", "answer"),
    [
        (Errors.NONE, EndTxnResponse(producer_id=7)),
        (
            Errors.NOT_COORDINATOR,
            EndTxnResponse(error_code=Errors.NOT_COORDINATOR.code),
        ),
    ],
)
def test_the_answer_or_the_refusal_goes_to_the_caller_after_the_wait(came, answer):
    machine = Machine()
    _, caller, effects = ask(machine.waits)
    assert effects == [alarm("begun"), alarm("parked")]
    assert machine.bell.ring(came) == [Respond(caller, answer)]


def test_a_handler_without_a_wait_is_a_plain_method():
    machine = Machine()
    _, caller, effects = ask(machine.plain)
    assert effects == [Respond(caller, EndTxnResponse(producer_id=7))]
    request, caller, effects = ask(machine.plain, committed=False)
    refused = coded(EndTxnResponse)(request, caller, Refusal(Errors.INVALID_TXN_STATE))
    assert effects == [Respond(caller, refused)]
    assert refused.error_code == Errors.INVALID_TXN_STATE.code


def test_a_handler_may_make_its_own_answer_to_a_refusal():
    request, caller, effects = ask(Machine().words)
    assert effects == [Respond(caller, (request, caller, Errors.INVALID_TXN_STATE.message))]


def test_a_parked_request_gets_no_answer_yet():
    _, _, effects = ask(Machine().parks)
    assert effects == [alarm("parked by hand")]


def test_a_refusal_that_nobody_answers_is_an_error_of_the_machine():
    def story():
        yield alarm("begun")
        raise Refusal(Errors.NOT_COORDINATOR)

    with pytest.raises(Refusal, match="NOT_COORDINATOR"):
        run(story())
    assert unheard(story()) == [alarm("begun")]


def test_steps_that_begin_together_end_when_the_last_one_has_ended():
    bells = [Bell(), Bell(), Bell()]

    def one(bell):
        return (yield bell.wait())

    def story():
        found = yield from together([one(bell) for bell in bells])
        yield CancelTimer(tuple(found))

    assert run(story()) == [alarm("parked")] * 3
    assert bells[2].ring("c") == []
    assert bells[0].ring("a") == []
    assert bells[1].ring("b") == [CancelTimer(("a", "b", "c"))]


def test_no_steps_at_all_end_at_once():
    def story():
        assert (yield from together([])) == []
        yield alarm("after")

    assert run(story()) == [alarm("after")]


def test_a_step_waits_for_another_broker_and_for_a_time():
    waits = Waits("verification")

    def story(now_ms):
        response, now_ms = yield waits.reply(2, "may I?")
        _, now_ms = yield waits.until(now_ms + 20)
        yield CancelTimer((response, now_ms))

    (asked,) = run(story(100))
    assert asked == AskBroker(2, "may I?", ("verification", 1))
    (timer,) = waits.on_reply(asked.tag, "yes", 105)
    assert timer == SetTimer(("verification", 2), 125)
    assert waits.on_reply(asked.tag, "yes", 106) == [], "an answer counts once"
    assert waits.on_timer(timer.key, 125) == [CancelTimer(("yes", 125))]


def test_a_step_from_before_the_process_died_does_not_go_on():
    waits, ended = Waits("verification"), []

    def story():
        try:
            yield waits.until(20)
            ended.append("went on")
        finally:
            ended.append("closed")

    (timer,) = run(story())
    waits.forget()
    assert waits.on_timer(timer.key, 20) == []
    assert ended == ["closed"]


def test_a_broker_waits_and_refuses_by_steps_only():
    found = [
        f"kafkalab/broker/{path.relative_to(BROKER)}:{line} has a {way}: {INSTEAD[way]}"
        for path, line, way in found_in(BROKER)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "way"),
    [
        ("def write(self, then: Callable[[int], list[Effect]]): ...", "callback"),
        ("def f(self):\n    def done(error) -> list[Effect]: ...", "callback"),
        ("def f(self, out: list[Effect]):\n    out.append(1)", "list to fill"),
        ("def f(self, more: list[Effect]):\n    more += self.g()", "list to fill"),
        ("def f(self) -> tuple[Errors, list[Effect]]: ...", "effects in a pair"),
        ("def _join_error(self) -> Errors | None: ...", "error as a value"),
        ("def after(self) -> Metadata | Errors: ...", "error as a value"),
        ("class JoinRefused(Exception): ...", "exception of its own"),
        ("def f(self):\n    return [Respond(caller, 1)]", "answer by hand"),
        ("def g(self) -> Step[None]: ...\ndef f(self):\n    self.g()", "step that nobody runs"),
    ],
)
def test_an_old_way_is_found_wherever_it_comes_back(source, way):
    tree = ast.parse(source)
    assert way in [found for _, found in old_ways(tree, step_names([tree]))]


@pytest.mark.parametrize(
    "source",
    [
        "def __init__(self, write: Callable[[int], list[Effect]]): ...",
        "def do(self, effects: list[Effect]):\n    for one in effects: one()",
        "def g(self) -> Step[None]: ...\ndef f(self):\n    yield from self.g()",
        "def judge(self) -> Errors: ...",
    ],
)
def test_what_is_wired_once_or_only_read_is_no_old_way(source):
    tree = ast.parse(source)
    assert list(old_ways(tree, step_names([tree]))) == []
