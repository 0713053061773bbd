"""Being late: nbgrader's due dates and extensions, the course's policy,
and the moment of our own receipt."""

from datetime import UTC, datetime, timedelta

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.gradebook import late
from autograder.gradebook.byhand import ByHand, Entry
from autograder.gradebook.late import Policy, lateness_text, parse_moment, settle_penalties
from autograder.gradebook.late_plugin import LatePenalty
from autograder.gradebook.read import sheets
from autograder.tests.conftest import writer_of
from autograder.written.answers import read_results

pytestmark = pytest.mark.usefixtures("kept_staff")

DAY_S = 86_400
COSTS = Policy(0.10, 0.50, 15)


def two(home):
    """Two of a class, handed in now; ada's folder claims a year ago."""
    hand_in = writer_of(home / "class")
    hand_in("90_demo", student="ada", folder=home / "class" / "ada")
    (home / "class" / "ada" / "timestamp.txt").write_text(
        "2025-01-01 00:00:00 UTC", encoding="utf-8"
    )
    hand_in("bo", {"90.3": "total = 0"}, student="bo")
    grade_class(home / "class", home / "out", say=lambda text: None)


@pytest.fixture
def out(demo, made_once, tmp_path, monkeypatch):
    monkeypatch.setattr(late, "policy", lambda: COSTS)
    made_once(two, tmp_path)
    return tmp_path / "out"


def marks(out):
    return {sheet.student: (sheet.earned, sheet.late_penalty, sheet.score) for sheet in sheets(out)}


def ago(**time) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat(timespec="seconds")


@pytest.mark.parametrize(
    "seconds, penalty", [(0, 0), (900, 0), (901, 1), (DAY_S, 1), (DAY_S + 1, 2), (30 * DAY_S, 5)]
)
def test_a_day_begun_costs_a_tenth_up_to_a_half_after_some_grace(seconds, penalty):
    assert COSTS.penalty(10, seconds) == penalty
    assert COSTS.penalty(0, seconds) == 0 and Policy().penalty(10, seconds) == 0
    assert LatePenalty(per_day=0.10, cap=0.50, grace_minutes=15).late_submission_penalty(
        "ada", 10, seconds
    ) == (penalty or None)


def test_due_dates_extensions_and_what_they_cost(out, capsys):
    assert marks(out) == {"ada": (6, 0, 6), "bo": (5, 0, 5)}, "nothing is due"
    assert main(["due", str(out), "90", ago(days=1, hours=12)]) == 0
    assert "Penalties changed: 2" in capsys.readouterr().out
    assert marks(out) == {"ada": (6, 1.2, 4.8), "bo": (5, 1.0, 4.0)}, (
        "the receipt counts, not ada's timestamp.txt"
    )
    assert main(["due", str(out), "90", ago(hours=2), "--student", "bo"]) == 0
    assert marks(out)["bo"] == (5, 0.5, 4.5)
    assert main(["due", str(out)]) == 0 and "bo has until" in capsys.readouterr().out
    main(["due", str(out), "90", "none", "--student", "bo"])
    assert marks(out)["bo"] == (5, 1.0, 4.0)
    main(["due", str(out), "90", "none"])
    assert marks(out) == {"ada": (6, 0, 6), "bo": (5, 0, 5)}


@pytest.mark.corpus
def test_an_extension_may_come_before_the_submission(out, hand_in, tmp_path):
    main(["due", str(out), "90", ago(days=2, hours=12)])
    main(["due", str(out), "90", ago(days=-1), "--student", "cy"])
    hand_in("cy", student="cy", folder=tmp_path / "class")
    grade_class(tmp_path / "class", out, say=lambda text: None)
    settle_penalties(out)
    assert marks(out)["cy"] == (6, 0, 6) and marks(out)["bo"][1] == 1.5


@pytest.mark.corpus
def test_what_was_received_in_time_may_be_graded_later(out, hand_in, tmp_path, capsys):
    main(["due", str(out), "90", ago(hours=3)])
    hand_in("di", student="di", folder=tmp_path / "class")
    assert main(["receive", str(tmp_path / "class"), "--out", str(out), "--at", ago(hours=4)]) == 0
    assert "1 new submission was received" in capsys.readouterr().out
    grade_class(tmp_path / "class", out, say=lambda text: None)
    assert marks(out)["di"] == (6, 0, 6) and marks(out)["ada"][1] > 0
    assert (
        main(["receive", "nowhere", "--out", str(out)]) == 2
        and "There is no folder" in capsys.readouterr().err
    )


def test_a_persons_mark_changes_the_penalty_with_it_and_nbgrader_agrees(out):
    from nbgrader.api import Gradebook

    main(["due", str(out), "90", ago(hours=5)])
    with ByHand(out) as hand:
        hand.enter("bo", "90_demo", "90.open", Entry(4.0, False))
    assert (
        settle_penalties(out) == 1
        and marks(out)["bo"] == (9, 0.9, 8.1)
        and settle_penalties(out) == 0
    )
    with Gradebook(f"sqlite:///{out / 'gradebook.db'}") as book:
        found = book.find_submission("90_demo", "bo")
        assert (
            found.score == 8.1
            and not found.late_submission_penalty
            and found.total_seconds_late > 4 * 3600
        )


def test_the_student_reads_it_and_the_export_has_it(out, capsys):
    main(["due", str(out), "90", ago(days=2, hours=3, minutes=30)])
    main(["feedback", str(out)])
    page = (out / "feedback" / "ada" / "90_demo.html").read_text(encoding="utf-8")
    assert (
        "came 2 days and 3 hours late; 1.8 of the 6 points earned are taken off (10% of the points "
        "earned for each day begun"
    ) in page
    capsys.readouterr()
    main(["export", str(out)])
    assert "4.2,10,1.8,yes" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, told_",
    [
        (["90"], "Say when it is due"),
        (["90", "soon"], "'soon' is no moment"),
        (["90", ago(days=9), "--student", "bo"], "an extension ends later"),
    ],
)
def test_unusable_dates_are_told_in_one_sentence(out, capsys, words, told_):
    main(["due", str(out), "90", ago(days=1)])
    capsys.readouterr()
    assert main(["due", str(out), *words]) == 2
    err = capsys.readouterr().err
    assert told_ in err and err.count("\n") == 1


def test_the_courses_policy_is_read_and_checked(tmp_path, monkeypatch):
    monkeypatch.setattr(late, "notebooks", lambda: tmp_path)
    assert late.policy() == Policy()
    config = tmp_path / "nbgrader_config.py"
    config.write_text("c = get_config()\nc.LatePenalty.per_day = 0.2\n", encoding="utf-8")
    assert late.policy() == Policy(0.2) and "20% of the points earned" in str(late.policy())
    for wrong in ("per_day = 20", "per_day = 'much'", "per_week = 1"):
        config.write_text(f"c = get_config()\nc.LatePenalty.{wrong}\n", encoding="utf-8")
        with pytest.raises(ValueError, match="LatePenalty"):
            late.policy()


def test_moments_and_spans_in_words():
    assert parse_moment("2026-11-30T23:59+01:00") == datetime(2026, 11, 30, 22, 59, tzinfo=UTC)
    assert (
        parse_moment("2026-11-30 23:59") == parse_moment("2026-11-30 23:59 UTC")
        and parse_moment("none") is None
    )
    assert (lateness_text(30), lateness_text(3_600), lateness_text(90_061)) == (
        "less than a minute",
        "1 hour",
        "1 day and 1 hour",
    )


def names_of(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("The mark of ")]


def test_a_mark_that_falls_with_a_date_is_named_with_both_marks(out, capsys, tmp_path):
    assert main(["due", str(out), "90", ago(days=1, hours=12)]) == 0
    first, second = names_of(capsys.readouterr().out)
    assert first.startswith("The mark of ada in 90_demo falls from 6 to 4.8: 1.2 points are taken")
    assert second.startswith("The mark of bo in 90_demo falls from 5 to 4: 1 points are taken")
    (tmp_path / "dates.csv").write_text(f"chapter,until\n90,{ago(days=9)}\n")
    assert main(["due", str(out), "--list", str(tmp_path / "dates.csv")]) == 0
    assert len(names_of(capsys.readouterr().out)) == 2
    assert main(["due", str(out), "90", "none"]) == 0
    assert names_of(capsys.readouterr().out) == []


@pytest.mark.slow
def test_a_late_version_in_the_place_of_another_takes_no_points(out, hand_in, tmp_path, capsys):
    """Ada's file is replaced after the date, in her own folder, by one that is worth less."""
    main(["due", str(out), "90", ago(hours=-1)])
    home = tmp_path / "class" / "ada"
    hand_in("90_demo", {"90.1": "opened = kept = 0"}, student="ada", folder=home)
    late_by = ["--at", ago(hours=-30)]
    assert main(["receive", str(tmp_path / "class"), "--out", str(out), *late_by]) == 0
    for _ in range(2):
        capsys.readouterr()
        main(["grade", str(tmp_path / "class"), "--out", str(out)])
        assert marks(out)["ada"] == (6, 0, 6)
        said = capsys.readouterr().err
        assert names_of(said) == [] and "the file before counts: ada." in said
    shown = read_results(out)
    (old,) = [name for name in shown if name.startswith("ada (received ")]
    assert shown[old]["counted"] and not shown["ada"]["counted"]
    assert f"{old} came before it and counts" in shown["ada"]["reason"]
    main(["due", str(out), "90", ago(hours=-40)])
    main(["grade", str(tmp_path / "class"), "--out", str(out)])
    assert names_of(capsys.readouterr().err) == [
        "The mark of ada in 90_demo falls from 6 to 4: ada counts now, and"
        f" {old} counted before; 90.1 has 0 of 2 and had 2."
    ]
    assert set(read_results(out)) == {"ada", "bo.ipynb"}


@pytest.mark.corpus
def test_a_run_that_was_killed_does_not_hide_a_mark_that_fell(out, hand_in, tmp_path, capsys):
    class Killed(BaseException):
        pass

    def kill(text):
        if text.startswith("Graded in"):
            raise Killed

    hand_in("bo", {"90.1": "opened = kept = 0", "90.3": "total = 0"}, "bo", tmp_path / "class")
    with pytest.raises(Killed):
        grade_class(tmp_path / "class", out, say=kill)
    main(["grade", str(tmp_path / "class"), "--out", str(out)])
    assert names_of(capsys.readouterr().err) == [
        "The mark of bo in 90_demo falls from 5 to 3: 90.1 has 0 of 2 and had 2."
    ]
