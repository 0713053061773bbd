"""A client waits in stories: the engine of them, and the rooms in which nothing waits otherwise."""

import ast
from pathlib import Path

import pytest

from kafkalab.clients.consumer.reading.request_future import RequestFuture, begin, task
from kafkalab.errors import DisconnectException, KafkaException
from kafkalab.sim.apps import Signal
from kafkalab.tests.ways import INSTEAD, found_in, old_ways

CLIENTS = Path(__file__).parents[2] / "clients"


def test_a_story_stops_at_each_future_and_goes_on_with_its_value():
    first, second, heard = RequestFuture(), RequestFuture.completed_with("known"), []

    def story():
        heard.append((yield first))
        heard.append((yield second))
        return "the end"

    ended = task(story())
    assert heard == [] and not ended.is_done
    first.complete("late")
    assert heard == ["late", "known"]
    assert ended.value == "the end"


def test_a_story_hears_the_error_of_the_future_and_may_go_on():
    lost, again = RequestFuture(), RequestFuture()

    def story():
        try:
            yield lost
        except DisconnectException:
            return (yield again)

    ended = task(story())
    lost.fail(DisconnectException())
    again.complete("second try")
    assert ended.succeeded and ended.value == "second try"


def test_the_exception_of_a_task_goes_to_its_future():
    asked, refused = RequestFuture(), KafkaException("refused")

    def story():
        yield asked
        raise refused

    ended = task(story())
    asked.complete()
    assert ended.failed and ended.error is refused


@pytest.mark.parametrize(
    ("start", "fault"),
    [(begin, KafkaException("nobody waits")), (begin, AssertionError()), (task, AssertionError())],
)
def test_an_error_that_nobody_can_receive_surfaces_where_the_story_goes_on(start, fault):
    asked = RequestFuture()

    def story():
        yield asked
        raise fault

    start(story())
    with pytest.raises(type(fault)):
        asked.complete()


def test_stories_that_wait_for_one_future_go_on_in_the_order_in_which_they_came():
    asked, heard = RequestFuture(), []

    def story(name):
        yield asked
        heard.append(name)

    for name in ("ada", "bo", "cy"):
        begin(story(name))
    asked.complete()
    assert heard == ["ada", "bo", "cy"]


@pytest.mark.parametrize("end", [RequestFuture.complete, lambda f: f.fail(KafkaException())])
def test_a_future_wakes_a_thread_however_it_ends(end):
    future, signal = RequestFuture(), Signal()
    future.wakes(signal)
    assert not signal.is_set
    end(future)
    assert signal.is_set


def test_a_client_waits_by_stories_only():
    found = [
        f"kafkalab/clients/{path.relative_to(CLIENTS)}:{line} has a {way}: {INSTEAD[way]}"
        for path, line, way in found_in(CLIENTS)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "way"),
    [
        ("self._client.send(node, request).on_done(self._answered)", "listener"),
        ("future._on_done(lambda _: done.set())", "listener"),
        ("def ask(self) -> Story: ...\ndef f(self):\n    self.ask()", "story that nobody begins"),
    ],
)
def test_an_old_way_is_found_wherever_it_comes_back(source, way):
    assert way in [found for _, found in old_ways(ast.parse(source), set())]


@pytest.mark.parametrize("call", ["begin(self.ask())", "yield from self.ask()"])
def test_a_story_that_is_begun_is_no_old_way(call):
    tree = ast.parse(f"def ask(self) -> Story: ...\ndef f(self):\n    {call}")
    assert list(old_ways(tree, set())) == []
