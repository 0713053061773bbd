"""Stories that several processes play are those that one plays, and what goes wrong there is said
here."""

import os
from dataclasses import replace

import pytest

from kafkalab.logsets.generate import ManifestError, generate, story_processes
from kafkalab.logsets.generate.story_processes import play_stories, processes_for
from kafkalab.tests.logsets.test_generate import FEW, silently

TWO_KINDS = replace(FEW, incidents=({"kind": "slow_member", "version": "4.4", "at_s": 2},))


@pytest.fixture
def two_processes(monkeypatch):
    monkeypatch.setattr(story_processes, "WORTH_A_PROCESS_MS", 1)
    monkeypatch.setattr(story_processes, "_cores", lambda: 2)


def dies(*_):
    os._exit(7)


@pytest.mark.slow
@pytest.mark.usefixtures("two_processes")
def test_two_processes_make_the_set_that_one_makes(tmp_path, monkeypatch):
    heard: list[str] = []
    both = generate(None, TWO_KINDS, tmp_path / "two", say=heard.append)
    monkeypatch.setattr(story_processes, "_cores", lambda: 1)
    again: list[str] = []
    alone = generate(None, TWO_KINDS, tmp_path / "one", say=again.append)
    assert both == alone and both["lines"] > 1_000
    assert heard[:-1] == again[:-1]
    assert heard[:2] == ["story 1 of 5, with clients 2.3", "story 2 of 5, with clients 4.4"]


@pytest.mark.slow
@pytest.mark.usefixtures("two_processes")
def test_an_error_of_a_process_is_raised_here():
    unknown = replace(FEW, clients={"heroic_consumer": {"2.3": 1, "4.4": 1}})
    with pytest.raises(ManifestError, match="There is no story heroic_consumer"):
        play_stories(unknown, silently)


@pytest.mark.usefixtures("two_processes")
def test_a_process_that_dies_is_told(monkeypatch):
    monkeypatch.setattr(story_processes, "play_story", dies)
    with pytest.raises(OSError, match="story 'consumer' ended by itself"):
        play_stories(FEW, silently)


def test_short_sets_and_single_cores_need_no_other_process(monkeypatch):
    monkeypatch.setattr(story_processes, "_cores", lambda: 64)
    hour = replace(FEW, duration_ms=3_600_000)
    assert processes_for(FEW, 4) == 1
    assert processes_for(hour, 1) == 1
    assert processes_for(hour, 14) == story_processes.MOST_PROCESSES
    monkeypatch.setattr(story_processes, "_cores", lambda: 1)
    assert processes_for(hour, 14) == 1
