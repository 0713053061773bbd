"""A judge has its time by its own processor clock, and is replaced when it has grown too large."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from autograder.grading import child_process
from autograder.grading.child_process import Colleague, Lost

ECHO = """
import tempfile

from autograder.grading.child_process import serve


def answer(question):
    while question["for ever"]:
        pass
    return question


tempfile.mkdtemp()
serve(answer)
"""


@pytest.fixture
def echo(tmp_path, monkeypatch):
    """A child that answers what it is asked, or never."""
    (tmp_path / "echo_of_a_test.py").write_text(ECHO, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(child_process, "LOOK_SECONDS", 0.05)
    opened = Colleague("echo_of_a_test")
    assert opened.ask({"for ever": False}) == {"for ever": False}
    yield opened
    opened.stop()
    opened.close()


def test_one_that_is_killed_leaves_no_file(echo):
    place = Path(echo._scratch.name)
    assert list(place.iterdir()) != []
    echo.stop()
    echo.close()
    assert not place.exists()


@pytest.mark.corpus
def test_one_that_works_for_ever_is_lost(echo):
    echo.seconds = 0.5
    with pytest.raises(Lost, match="echo_of_a_test ended"):
        echo.ask({"for ever": True})


def test_one_that_the_machine_keeps_waiting_answers_later(echo):
    echo.seconds, pid = 0.5, echo._process.pid
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(3 * echo.seconds, os.kill, (pid, signal.SIGCONT)).start()
    begun = time.monotonic()
    assert echo.ask({"for ever": False}) == {"for ever": False}
    assert time.monotonic() - begun > echo.seconds and echo._process.pid == pid


def test_one_that_waits_for_ever_is_lost_too(echo, monkeypatch):
    monkeypatch.setattr(child_process, "TRIES", 1)
    echo.seconds = 0.02
    os.kill(echo._process.pid, signal.SIGSTOP)
    with pytest.raises(Lost):
        echo.ask({"for ever": False})


def test_one_that_has_grown_too_large_is_replaced_after_its_answer(echo):
    pid = echo._process.pid
    echo.largest = 1 << 40
    assert echo.ask({"for ever": False}) == {"for ever": False} and echo._process.pid == pid
    echo.largest = 1
    assert echo.ask({"for ever": False}) == {"for ever": False}
    echo.largest = None
    assert echo.ask({"for ever": False}) == {"for ever": False} and echo._process.pid != pid
