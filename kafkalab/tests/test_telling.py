"""Does the classifier of `conformance --tell` find what tells two sorts of logs apart, and nothing
where there is nothing?"""

import random

import pytest

from kafkalab.lines.layout import Row
from kafkalab.proof.conformance.command import main, scenarios
from kafkalab.proof.conformance.table import RECORDINGS
from kafkalab.proof.conformance.tell.giveaways import gap_texts, pair_texts
from kafkalab.proof.conformance.tell.halves import ToldLog, halves_of, shares_told
from kafkalab.proof.conformance.tell.report import (
    recorded_scenario,
    replayed,
    telling_texts,
    told_shares,
    use_gaps,
)
from kafkalab.proof.conformance.tell.traits import gap_name, traits_of


def rows(*told: tuple[int, str, str]) -> list[Row]:
    """(ms, class, words)s as lines; the length of the class's name is its line number."""
    return [Row(at, "INFO", text, f"org.{name}", len(name)) for at, name, text in told]


def log(scenario: str, is_real: bool, luck: random.Random, like_real: bool) -> ToldLog:
    """Four lines. Real ones, and ours that are like them, end with Ab, and take their time."""
    first, second = ("Sender", "Ab") if like_real else ("Ab", "Sender")
    gap = luck.choice((1, 2)) if like_real else 0
    told = rows(
        (0, "Metadata", "Cluster ID"),
        (luck.randrange(3), "Client", "new socket"),
        (5, first, "takes its time"),
        (5 + gap, second, "takes its time"),
    )
    return ToldLog(scenario, is_real, traits_of(told))


def both(like_real: bool) -> list[ToldLog]:
    luck = random.Random(7)
    return [
        log(f"scenario {number % 20}", is_real, luck, is_real or like_real)
        for number in range(40)
        for is_real in (True, False)
    ]


def test_a_gap_has_a_name_by_its_length():
    assert [gap_name(ms) for ms in (-3, 0, 1, 4, 49, 1_000, 99_999)] == [
        "0 ms", "0 ms", "1 ms", "3 ms", "20 ms", "1000 ms", "1000 ms",
    ]  # fmt: skip


def test_the_traits_of_three_lines():
    told = rows((0, "Ab", "a new socket"), (0, "Abc", "a socket"), (7, "Ab", "new"))
    traits = traits_of(told)
    assert traits["words"] == {"new": 0.5, "socket": 0.5}
    assert set(traits["lines"]) == {"Ab:2", "Abc:3"}
    assert set(traits["order"]) == {"Ab:2 -> Abc:3", "Abc:3 -> Ab:2"}
    assert traits["times"]["any line, 0 ms"] == 0.5
    assert traits["times"]["Abc:3 -> Ab:2, 5 ms"] == 1


def test_the_takes_of_a_scenario_stay_on_one_side():
    names = ["a", "b", "c", "d"] * 3
    for one, other in halves_of(names):
        assert one | other == set("abcd") and not one & other and len(one) == 2


def shares(like_real: bool) -> dict[str, float]:
    logs = both(like_real)
    return shares_told([one.scenario for one in logs], lambda learned: logs, halvings=1)[0]


def test_order_and_times_tell_where_they_differ_and_words_do_not():
    told = shares(like_real=False)
    assert told["order"] == 1 and told["times"] > 0.95
    assert told["words"] < 0.6 and told["lines"] < 0.6


def test_logs_that_differ_by_chance_cannot_be_told():
    told = shares(like_real=True)
    assert all(0.3 < share < 0.7 for share in told.values()), told


def test_kept_back_logs_are_judged_with_what_the_other_half_gave():
    """Each half is learned once, and all of the other one's logs come back."""
    logs, halves = both(like_real=True), []

    def logs_of(learned):
        halves.append(learned)
        return logs

    _, asked = shares_told([one.scenario for one in logs], logs_of, halvings=1)
    assert len(halves) == 2 and not halves[0] & halves[1] and len(asked) == len(logs)
    assert {one.scenario for one in asked[: len(logs) // 2]} <= halves[1]


def test_replays_draw_from_the_gaps_they_are_given():
    name, folder = (
        "one",
        dict(scenarios(RECORDINGS))["2.3.1/2.2.2/producer_created_three_bootstrap"],
    )
    found = recorded_scenario(name, folder)
    use_gaps(found.gaps.rows())
    own = replayed(name, folder)
    use_gaps([])
    other = replayed(name, folder)
    assert own.keys() == other.keys() == found.clients.keys()
    assert own["client"]["times"]["any line, 0 ms"] < other["client"]["times"]["any line, 0 ms"]


def test_what_gives_us_away_is_named_with_its_shares():
    logs = both(like_real=False)
    assert next(pair_texts(logs)) == "  0% of real logs, 100% of ours: Ab:2 -> Sender:6"
    shares = next(gap_texts(logs)).split(" of real gaps, ")
    assert int(shares[0].rstrip("%")) < 20 < int(shares[1].split("%")[0])


def test_one_scenario_is_too_few(capsys):
    folder = dict(scenarios(RECORDINGS))["2.3.1/2.2.2/producer_created_three_bootstrap"]
    assert main([str(folder), "--tell", "--jobs", "1"]) == 2
    assert "it takes two scenarios" in capsys.readouterr().err


@pytest.mark.slow
def test_the_whole_folder_is_told_the_same_twice():
    folders = dict(scenarios(RECORDINGS, versions=("2.2", "2.3")))
    once, again = (list(telling_texts(*told_shares(folders, 2, halvings=1))) for _ in range(2))
    assert once == again and sum("told right by" in text for text in once) == 4
