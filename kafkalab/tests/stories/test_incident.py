"""The stories of chapter 17: one night, and its incidents once more with another setting."""

import re
from dataclasses import replace

import pytest

from kafkalab.logsets.generate import manifest
from kafkalab.stories.incident import BROKERS, PARTS, build, night, played, told
from kafkalab.tests.shares import share

NUMBERS = {"seed": 101, "version": "3.9"}
OWN_NAME = {"group.instance.id": "worker-{number}"}


def count(lines, words):
    return sum(words in line for line in lines)


def generations(part, **settings):
    lab, _ = played(part, NUMBERS, **settings)
    last = max(event.fields["generation"] for event in lab.journal.of("group.assigned"))
    lab.close()
    return last


@pytest.mark.corpus
@pytest.mark.parametrize(
    "part, sign, settings",
    share(
        [
            (1, "poll timeout has expired", {"consumer": {"max.poll.interval.ms": 20_000}}),
            (3, "is out of range", {"topic": {"retention.ms": 100_000}}),
            (5, "NOT_ENOUGH_REPLICAS", {"broker": {"replica.lag.time.max.ms": 30_000}}),
        ],
        3,
        id=lambda each: str(each[0]),
    ),
)
def test_one_setting_would_have_prevented_it(part, sign, settings):
    assert count(told(part, NUMBERS), sign) > 0
    assert count(told(part, NUMBERS, **settings), sign) == 0


@pytest.mark.slow
def test_a_longer_session_changes_nothing_for_the_late_group():
    late = "poll timeout has expired"
    longer = told(1, NUMBERS, consumer={"session.timeout.ms": 60_000})
    assert count(longer, late) == count(told(1, NUMBERS), late)


@pytest.mark.corpus
def test_static_members_end_the_storm_unless_their_session_is_short():
    static = generations(2, consumer=OWN_NAME)
    short = generations(2, consumer={**OWN_NAME, "session.timeout.ms": 6_000})
    assert static == 3 < short < generations(2)


def test_a_story_that_is_played_alone_has_the_clock_of_the_night_and_plain_names():
    lines = told(1, NUMBERS)
    assert lines[0].startswith("[2026-01-05 03:11:00,000] ")
    assert {"worker-0", "team"} <= set(re.findall(r"worker-\d|team", "".join(lines[:200])))
    assert not re.search("[\ue001\ue100-\ue1ff]", "".join(lines))


def test_settings_of_nobody_are_refused_with_a_sentence():
    with pytest.raises(ValueError, match="not to client: say for instance"):
        told(1, NUMBERS, client={"max.poll.interval.ms": 1})


def test_both_sizes_of_the_night_have_the_same_stories_at_the_same_times():
    numbers = {part: {"seed": 100 + part, "version": "3.9"} for part in (1, 2, 3, 4)}
    small, large = night(numbers), night(numbers, large=True)
    assert small.incidents == large.incidents
    assert {what["kind"] for what in small.incidents} > {part.scene for part in PARTS.values()}
    assert [what["seed"] for what in small.incidents if "seed" in what] == [101, 102, 103, 104, 103]


def test_a_story_alone_has_the_brokers_of_the_night():
    assert manifest("night").brokers == BROKERS


@pytest.mark.corpus
def test_a_learners_night_does_not_hold_the_answers(tmp_path, monkeypatch, capsys):
    (tmp_path / "data" / "recordings").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    numbers = {part: {"seed": 100 + part, "version": "3.9"} for part in (1, 2, 3, 4)}
    plan = night(numbers)
    few = replace(plan, clients={"producer": {"3.9": 1}}, incidents=plan.incidents[:1], hours=0.45)
    folder = build(few)
    assert {path.name for path in folder.iterdir()} == {"lines", "parquet", "DONE"}
    kinds = {what["kind"] for what in plan.incidents}
    beside = [path for path in folder.parent.rglob("*") if path.suffix not in (".log", ".parquet")]
    text = "".join(path.read_text(encoding="utf-8") for path in beside if path.is_file())
    assert text and not any(kind in text for kind in kinds)

    capsys.readouterr()
    build(few)
    assert capsys.readouterr().out == f"{folder} is there already.\n"
    build(replace(few, seed=few.seed + 1))
    assert "lines of" in capsys.readouterr().out
