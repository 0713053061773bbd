"""The stories of the proof on the simulator, and the page that is written of them."""

from __future__ import annotations

import importlib
from collections import Counter

import pytest

from kafkalab.course_folder import course_folder
from kafkalab.real.proof.claim import on_brokers, raised_by, story
from kafkalab.real.proof.course_claims import claim_proofs
from kafkalab.real.proof.proof_page import Proof, proof_rows, proof_text, rows_text
from kafkalab.real.proof.prove import RUNS_OF_PAGE, all_stories, committed_proof, run_story
from kafkalab.real.proof.reached_source import reached_source
from kafkalab.real.proof.real_run import (
    RealRun,
    keep_only,
    keep_run,
    kept_runs,
    read_runs,
    runs_of,
    shown_runs,
    write_runs,
)
from kafkalab.real.proof.sides import SimulatedSide
from kafkalab.real.proof.simulated_play import FEW_SEEDS, plain, play_simulated

STORIES = all_stories()


def test_stories_have_names_of_their_own_and_a_sentence_for_each_claim():
    ids = [each.id for each in STORIES]
    assert len(set(ids)) == len(ids)
    for each in STORIES:
        assert each.claims and each.releases and each.brokers <= 3
        assert all(text.endswith((".", "?")) for text in each.claims.values()), each.id


@pytest.mark.slow
@pytest.mark.parametrize("each", STORIES, ids=lambda each: each.id)
def test_a_story_gives_a_value_for_each_claim_with_each_release(each):
    for release in each.releases:
        values = each.play(SimulatedSide(each, release, seed=0))
        assert set(values) == set(each.claims)
        assert plain(values) == plain(each.play(SimulatedSide(each, release, seed=0)))


def test_a_story_gives_a_value_for_each_claim():
    each = next(one for one in STORIES if one.id == "09 three numbers")
    values = each.play(SimulatedSide(each, "3.9", seed=0))
    assert values == {
        "position": 4,
        "committed_before": None,
        "committed": 4,
        "next": 4,
        "lag": 6,
    }


def test_a_release_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="unknown releases"):
        story("99 x", {}, releases=("1.0",))


@story("99 chance", claims={"drawn": "Drawn by the seed.", "same": "Always the same."})
def by_chance(side):
    return {"drawn": getattr(side, "_seed", 3) % 2, "same": "a"}


class Real:
    """A real side that draws what it is told to, one after the other."""

    def __init__(self, *drawn):
        self._left = list(drawn)

    def serve(self, story, release):
        self._seed = self._left.pop(0)
        return self


def run_often(*drawn):
    real = Real(*drawn)
    return [run_story(by_chance, "3.9", real) for _ in drawn]


def proof_of(runs, story=by_chance):
    return Proof([story], {(story.id, "3.9"): play_simulated(story, "3.9")}, runs)


def test_a_matter_of_chance_is_played_with_ten_seeds_and_its_values_are_counted():
    played = play_simulated(by_chance, "3.9")
    assert played.differs and played.of("drawn") == [0, 1] * 5
    proof = proof_of(run_often(1, 1, 0))
    assert [row.agrees for row in proof_rows(proof)] == [True, True]
    text = rows_text(proof, {})
    assert "2 rows, 2 agree (1 of them are a matter of chance), 0 do not." in text
    assert (
        "| Drawn by the seed. | 3.9 | 0 (5 times), or 1 (5 times) | 0 (once), or 1 (2 times) | "
        "chance: the same values |" in text
    )
    assert "| Always the same. | 3.9 | a | a | agreed |" in text


@pytest.mark.parametrize(
    ("drawn", "verdict"),
    [
        ((0, 0), "chance: real ones are among them"),
        ((0, 1, 2), "chance: real Kafka has more values"),
        ((1, 2), "chance: they overlap"),
        ((2, 3), "**open**: they differ"),
    ],
)
def test_the_page_says_how_the_values_of_two_sides_meet(drawn, verdict):
    runs = [run_of({"drawn": number, "same": "a"}) for number in drawn]
    assert proof_rows(proof_of(runs))[0].verdict == verdict


@story("99 fixed", claims={"same": "Always the same."})
def fixed(side):
    return {"same": "a"}


def test_what_does_not_differ_is_played_with_few_seeds():
    assert play_simulated(fixed, "3.9").of("same") == ["a"] * FEW_SEEDS


@story("99 broken", claims={"same": "Always the same."})
def broken(side):
    raise KeyError("x")


def test_a_story_that_the_simulator_cannot_play_is_open():
    run = RealRun("99 broken", "3.9", broken.digest, "2026-01-05", {"same": "a"})
    text = rows_text(proof_of([run], broken), {})
    assert "| not run | a | **open**: the simulator: KeyError: 'x' |" in text


def run_of(values, problem="", digest=None):
    return RealRun("99 chance", "3.9", digest or by_chance.digest, "2026-01-05", values, problem)


def test_what_differs_or_was_not_run_is_open():
    both = proof_of([run_of({"drawn": 7, "same": "b"})])
    text = rows_text(both, {})
    assert "| 99 | 2 | 2 | 0 | 0 | 2 | 3.9 |" in proof_text(both, {})
    assert "| Always the same. | 3.9 | a | b | **open**: they differ |" in proof_text(both, {})
    assert "| Always the same. | 3.9 | a | b | **open**: they differ |" in text
    text = rows_text(proof_of([run_of({}, "real Kafka: TimeoutException: x | y")]), {})
    assert "| not run | **open**: real Kafka: TimeoutException: x \\| y |" in text
    assert "0 agree" in text


def test_a_run_with_a_problem_gives_way_to_one_without():
    bad, good = run_of({}, "real Kafka: x"), run_of({"drawn": 0, "same": "a"})
    assert runs_of(by_chance, "3.9", [good, bad]) == [good]
    assert runs_of(by_chance, "3.9", [bad, bad]) == [bad]


def test_a_story_that_has_changed_has_no_row():
    assert proof_rows(proof_of([run_of({"drawn": 0}, digest="other")])) == []
    assert proof_rows(Proof([], {}, [run_of({"drawn": 0})])) == []


def test_runs_survive_their_file(monkeypatch, tmp_path):
    monkeypatch.setenv("KAFKALAB_REAL", str(tmp_path / "home"))
    assert kept_runs() == []
    first, second = run_of({"drawn": 0, "same": "订单"}), run_of({"drawn": 1}, "x")
    keep_run(first)
    keep_run(second)
    assert kept_runs() == [first, second]
    keep_only([second])
    assert kept_runs() == [second]


def test_a_story_that_did_not_run_here_keeps_the_runs_of_the_page(tmp_path):
    page = [run_of({"drawn": 0, "same": "page"}), run_of({}, digest="other")]
    own = [run_of({"drawn": 1, "same": "own"})]
    assert shown_runs([by_chance], [], page) == page[:1]
    assert shown_runs([by_chance], own, page) == own
    failed = [run_of({}, "real Kafka: x")]
    assert shown_runs([by_chance], failed, page) == page[:1]
    assert shown_runs([by_chance], failed, []) == failed
    write_runs(page, tmp_path / "runs.jsonl")
    assert read_runs(tmp_path / "runs.jsonl") == page
    assert read_runs(tmp_path / "none.jsonl") == []


def test_the_runs_beside_the_page_give_its_rows():
    """Nobody edits the page: it counts the runs that are committed with it."""
    runs = read_runs(course_folder() / "notebooks" / RUNS_OF_PAGE)
    page = (course_folder() / "notebooks" / "PROOF.md").read_text(encoding="utf-8")
    current = {(each.id, each.digest): each for each in STORIES}
    rows, claims = Counter(), {}
    for run in {(run.story, run.release): run for run in runs}.values():
        assert (run.story, run.digest) in current, (
            f"the story {run.story!r} has changed since it ran: `python -m kafkalab real prove "
            f"{run.story.split()[0]}` runs it again and writes the page"
        )
        played = current[run.story, run.digest]
        rows[played.chapter] += len(played.claims)
        claims.setdefault(played.chapter, set()).update(played.claims.values())
    assert f"{sum(rows.values())} rows, " in page
    for chapter, count in rows.items():
        assert f"| {chapter} | {len(claims[chapter])} | {count} | " in page


@pytest.mark.slow
def test_the_page_says_what_the_runs_and_the_simulator_give():
    page = (course_folder() / "notebooks" / "PROOF.md").read_text(encoding="utf-8")
    assert page == proof_text(committed_proof(lambda line: None), claim_proofs()), (
        "`python -m kafkalab real prove` writes it again"
    )


def source_of(text, tmp_path, monkeypatch):
    """reached_source() of the function `play` of a module with this text."""
    path = tmp_path / f"stories_{len(list(tmp_path.iterdir()))}.py"
    path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    return reached_source(importlib.import_module(path.stem).play)


PLAY = """
from kafkalab.real.proof.claim import polled

LIMIT = 5

class Helper:
    def run(self): return LIMIT

def other(): return 7

@print
def decorated(): ...

def helper(side) -> "other": return Helper().run()

def play(side):
    return {"a": helper(side), "b": polled}
"""


def test_a_storys_source_covers_the_helpers_it_reaches(tmp_path, monkeypatch):
    whole = source_of(PLAY, tmp_path, monkeypatch)
    for part in ("def play", "def helper", "class Helper", "LIMIT = 5", "def polled"):
        assert part in whole
    assert "def other" not in whole and "def settled" not in whole

    def changed(old, new):
        assert old in PLAY
        return source_of(PLAY.replace(old, new), tmp_path, monkeypatch) != whole

    assert changed("LIMIT = 5", "LIMIT = 6")
    assert changed("Helper().run()", "Helper().run() + 1")
    assert not changed("return 7", "return 8")


def test_an_error_is_a_value():
    def fails():
        raise KeyError("x")

    assert raised_by(fails) == "KeyError: 'x'" and raised_by(int) == "none"


REAL_ENDS = {"closed_0": 5, "killed_0": 5, "closed_1": 2, "killed_1": 2}
"""What real Kafka gave on 2026-11-23, with clients 2.3, 3.9 and 4.4: proof_runs.jsonl, 05."""


@pytest.mark.parametrize("release", ["2.3", "3.9", "4.4"])
def test_what_was_written_before_an_end_is_served_as_by_real_brokers(release):
    ended = next(one for one in STORIES if one.id == "05 ended before the broker reads")
    assert ended.play(SimulatedSide(ended, release, seed=0)) == REAL_ENDS


@pytest.mark.parametrize("seed", range(3))
def test_ten_records_before_a_close_arrive_with_acks_0_as_with_real_brokers(seed):
    closed = next(one for one in STORIES if one.id == "05 closed after send")
    for release in closed.releases:
        assert closed.play(SimulatedSide(closed, release, seed)) == {"left": 10}


def test_a_story_on_older_brokers_is_another_story_with_the_same_play():
    told = next(one for one in STORIES if one.id == "09 three numbers")
    then = on_brokers(told, "2.3", ("2.1",))
    assert (then.id, then.broker_version) == ("09 three numbers, brokers 2.3", "2.3")
    assert then.shape != told.shape and then.digest != told.digest
    assert (then.releases, then.play) == (("2.1",), told.play)
    assert all(text.startswith("Brokers 2.3: ") for text in then.claims.values())
    assert then.play(SimulatedSide(then, "2.1", seed=0))["committed"] == 4
