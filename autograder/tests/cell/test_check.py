"""What a learner reads under a cell: one sentence a case,
silence from a locked cell that is content, guesses that stay."""

import json
import re
import sys

import pytest

from autograder.cell import brake, course_at_hand, progress, reply
from autograder.course.references import reference

# the name autograder.cell.check is the function that cells call
words = sys.modules["autograder.cell.check"]
NUMBERS = {"brokers": 2, "partitions": 5}


@pytest.fixture
def cell(demo, capsys):
    """cell(source) runs a cell in one notebook's namespace and returns what it printed."""
    namespace = {"__name__": "__main__"}
    exec(
        "from autograder import check, hint, me, numbers, predict, require, reveal, truth\nme('')",
        namespace,
    )
    capsys.readouterr()

    def run(source: str) -> str:
        exec(source, namespace)
        out, err = capsys.readouterr()
        assert err == "", "a word on stderr costs all points in nbgrader"
        return out

    return run


def test_a_blank_answer_is_told_so(cell):
    assert (
        cell('check("90.1")').splitlines()[0] == "90.1 ✗ `opened` and `kept` are not written yet."
    )
    assert "not written yet" in cell(
        'def node_id(broker):\n    "Java\'s largest int"\ncheck("90.2")'
    )


def test_a_right_answer_says_why_it_is_right(cell):
    cell('n = numbers("90.1")\n' + reference("90.1"))
    assert cell('check("90.1")') == "90.1 ✓ one to ask, 2 leaders, one coordinator.\n"


def test_a_named_wrong_answer_has_its_own_sentence(cell):
    assert "You counted one for each of the 5 partitions." in cell(
        'opened = kept = 5\ncheck("90.1")'
    )
    assert "not 2 brokers' worth of sockets." in cell('opened = kept = 77\ncheck("90.1")')


def test_a_right_answer_in_other_letters_is_told_so(cell):
    cell('n = numbers("90.1")\n' + reference("90.1"))
    assert "write a number without quotation marks" in cell('opened = f" {opened}"\ncheck("90.1")')
    assert "quotation marks" not in cell('opened = "77"\ncheck("90.1")'), (
        "only where it is right but for that"
    )


def test_one_sentence_for_each_case(cell):
    said = cell("def node_id(broker):\n    return 2147483647\ncheck('90.2')")
    assert [line[:15] for line in said.splitlines()[:2]] == ["90.2 ✗ broker 2", "90.2 ✓ broker 0"]


def test_check_needs_no_judges_and_says_what_the_judge_says(cell, monkeypatch):
    """The released package has no judges; with them out of reach the
    sealed verdicts give the same sentences."""
    answers = [
        "opened, kept = 4, 3",
        "opened = kept = 5",
        "opened, kept = 3, 2",
        "opened, kept = 9, 9",
        "opened, kept = 4, 4.0",
        "opened = kept = 4",
    ]
    from autograder.cell.question import find
    from autograder.course.judge import judge_of, verdict_of
    from autograder.course.rehearsal import said_by_wrong

    question, judge = find("90.1"), judge_of("90.1")
    for answer in answers:
        names = {}
        exec(answer, names)
        official = verdict_of(
            question,
            judge,
            NUMBERS,
            question.run_probe(names, NUMBERS),
            lambda wrong: said_by_wrong(question, wrong, NUMBERS),
        )
        monkeypatch.setattr(words, "course", course_at_hand.HandedOut)
        assert (
            cell(f'{answer}\ncheck("90.1")').splitlines()[0]
            == f"90.1 {'✓' if official.ok else '✗'} {official.sentence}"
        )


def test_the_sealed_file_shows_neither_answers_nor_sentences(demo):
    sealed = (demo / "questions" / "sealed" / "ch90.json").read_text()
    assert (
        "2147483645" not in sealed and "one for each" not in sealed and "coordinator" not in sealed
    )


def test_require_is_silent_or_raises_the_sentence_of_check(cell):
    with pytest.raises(words.NotYet, match="90.3: `total` is not written yet."):
        cell('require("90.3")')
    assert cell('seen = [1, 2, 3]\ntotal = 6\nassert require("90.3") is None') == ""


def test_what_an_answer_prints_or_warns_stays_inside(cell):
    assert (
        cell(
            "import sys, warnings, os\ndef node_id(broker):\n"
            "    print('x'); warnings.warn('y'); os.write(2, b'z'); return 2**31 - 1 - broker\n"
            "require('90.2')"
        )
        == ""
    )


def test_an_answer_that_breaks_is_a_sentence_not_a_traceback(cell):
    assert (
        "your code stopped with ZeroDivisionError in line 2 of the answer: division by zero."
        in cell("def node_id(broker):\n    return 1 / 0\ncheck('90.2')")
    )


def test_hints_climb_and_stay_on_the_last_step(cell):
    assert "Hint 1 of 2: One leader" in cell('hint("90.1")')
    assert "Hint 2 of 2: Who asks" in cell('check("90.1", hint=True)')
    assert "Hint 2 of 2" in cell('hint("90.1")')


def test_the_answer_opens_after_passing_or_giving_up_and_it_is_noted(cell, tmp_path):
    assert "opens once check" in cell('reveal("90.3")')
    assert "total = sum(seen)" in cell('reveal("90.3", give_up=True)')
    cell('total = 6\ncheck("90.3")')
    assert "total = sum(seen)" in cell('reveal("90.3")')
    entry = json.loads((tmp_path / "progress.json").read_text())["questions"]["90.3"]
    assert entry["tries"] == 1 and entry["revealed"] == "after passing"


def test_an_open_question_names_its_good_answer_where_there_is_one(cell, monkeypatch):

    here = cell('check("90.open")')
    assert "is read by a person" in here
    assert ('reveal("90.open", give_up=True) shows a good answer' in here) == (
        "with your teacher" not in cell('reveal("90.open", give_up=True)')
    )
    monkeypatch.setattr("autograder.cell.check.course", course_at_hand.HandedOut)
    assert "reveal(" not in cell('check("90.open")')


def test_the_first_guess_stays_beside_the_truth(cell):
    assert "Guess first" in cell('predict("consumer", opened=None, kept=3)')
    assert (
        cell('predict("consumer", opened=6, kept=3)')
        == "Locked in: opened = 6, kept = 3. Now run the experiment.\n"
    )
    assert "opened = 6, kept = 3. The first one counts." in cell(
        'predict("consumer", opened=4, kept=3)'
    )
    table = cell('truth("consumer", opened=4, kept=3)')
    assert table.splitlines()[1].split() == ["opened", "6", "4", "a", "surprise"]
    assert table.splitlines()[2].split() == ["kept", "3", "3", "as", "you", "said"]
    assert progress.read()["guesses"]["consumer"]["truth"] == {"opened": 4, "kept": 3}


def test_a_guess_off_by_a_tenth_is_close_and_a_small_count_is_not(cell):
    cell('predict("answers", fetch_ms=500, sockets=4, who="client")')
    rows = cell('truth("answers", fetch_ms=504, sockets=5, who="broker")').splitlines()
    assert [row.split()[3:] for row in rows[1:]] == [
        ["close"],
        ["a", "surprise"],
        ["a", "surprise"],
    ]


def test_numbers_are_a_students_own_and_the_same_tomorrow(cell):
    cell('me("s123")\nmine = numbers("90.1")')
    cell('assert numbers("90.1") == mine and mine.brokers == mine["brokers"]')
    assert cell('me("")').startswith("No id given")
    cell('assert dict(numbers("90.1")) == {"brokers": 2, "partitions": 5}')


def test_a_class_has_many_different_numbers(demo):
    from autograder.cell.numbers import numbers_for

    different = {tuple(numbers_for("90.1", f"s{number}").values()) for number in range(300)}
    assert len(different) == 13, "all sets of this question's numbers are in use"


def test_an_impossible_name_or_question_is_one_sentence(cell):
    with pytest.raises(ValueError, match="takes your student id"):
        cell('me("../../etc")')
    with pytest.raises(ValueError, match="chapter 90 has 90.1, 90.2, 90.3, 90.open"):
        cell('check("90.9")')


def test_a_check_that_is_not_right_yet_shows_its_sentence_and_no_traceback():
    assert words.NotYet("02.1: not yet.")._render_traceback_() == ["NotYet: 02.1: not yet."]


def test_an_answer_of_a_hundred_thousand_entries_is_told_by_its_last_ones():
    assert (
        reply.insert_values("you said {said}.", {}, "90.1", [7] * 100_000)
        == f"you said ... {', '.join(['7'] * 27)}."
    )
    assert (
        reply.insert_values("you said {said}.", {}, "90.1", ["IDLE", "READY"])
        == "you said IDLE, READY."
    )
    assert (
        reply.insert_values("you said {said}.", {}, "90.1", ["x" * 500, "y" * 500])
        == f"you said ... {'y' * 80}."
    )


def test_a_pass_says_that_grading_asks_more_cases_where_it_does(cell, monkeypatch):
    more = "   Grading also asks cases that are not shown here."
    right = cell(reference("90.2") + '\ncheck("90.2")')
    assert right.splitlines()[-1] == more and right.count(more) == 1
    assert more not in cell('def node_id(broker):\n    return 1\ncheck("90.2")')
    assert more not in cell('seen = [1, 2, 3]\ntotal = 6\ncheck("90.3")'), "it has none"
    before = course_at_hand.use(course_at_hand.HandedOut())
    try:
        assert cell(reference("90.2") + '\ncheck("90.2")') == right
    finally:
        course_at_hand.use(before)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is told to go on."""
    from types import SimpleNamespace

    moment = SimpleNamespace(now=1_000_000.0)
    monkeypatch.setattr(brake.time, "time", lambda: moment.now)
    return moment


@pytest.mark.parametrize("ask", ["check", "require"])
def test_nobody_finds_an_answer_by_trying_sixty_values_in_a_minute(cell, clock, ask):
    passed = 0
    for value in range(60, 0, -1):
        said = cell(
            f"total = {value}\nsaid = ''\ntry:\n    {ask}('90.3')\nexcept AssertionError as why:\n"
            "    said = str(why)\nprint(said)"
        )
        passed += "right" in said or said.strip() == ""
        clock.now += 1
    assert passed == 0 and "this one is looked at after" in said


def test_the_pause_grows_and_ends(cell, clock):
    def seconds_after(value) -> int:
        said = cell(f'total = {value}\ncheck("90.3")')
        found = re.search(r"looked at after (\d+) s", said)
        return int(found[1]) if found else 0

    assert [seconds_after(value) for value in range(10, 16)] == [0] * brake.FREE
    assert seconds_after(16) == 10
    clock.now += 10
    assert seconds_after(16) == 0 and seconds_after(17) == 20
    assert seconds_after(16) == 0, "what was answered before may be asked again"
    clock.now += brake.WINDOW_SECONDS
    assert seconds_after(18) == 0
    assert cell('total = 6\ncheck("90.3")').startswith("90.3 ✓")
    assert [seconds_after(value) for value in range(20, 40)] == [0] * 20, "it is passed"


def test_who_does_not_guess_never_waits(cell, clock, monkeypatch):
    """Errors and blanks are no answers, and a notebook may be run again and again."""
    for _ in range(20):
        assert "not written yet" in cell('total = ...\ncheck("90.3")')
        assert "ZeroDivisionError" in cell("def node_id(broker):\n    return 1 / 0\ncheck('90.2')")
        assert "looked at" not in cell('total = 5\ncheck("90.3")')
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    for value in range(10, 30):
        assert "looked at" not in cell(f'total = {value}\ncheck("90.3")'), "in grading nobody waits"


@pytest.mark.parametrize("kept", ["often", [1, 2], [["a", "b"]], [[True, "x"]], None])
def test_a_broken_note_of_wrong_answers_stops_nothing(cell, kept):
    progress.change(lambda entries: progress.question(entries, "90.3").update(lately_wrong=kept))
    assert cell('total = 6\ncheck("90.3")').startswith("90.3 ✓")


def test_a_check_leaves_the_learner_who_it_was(tmp_path, monkeypatch, capsys):
    """In a checkout the judge runs wrong answers in the same process, with the chapter's cells
    before them. One of these says `me("")`."""
    import autograder

    monkeypatch.chdir(tmp_path)
    autograder.me("s001")
    cell = {"m": autograder.numbers("03.5"), "check": autograder.check}
    before = dict(cell["m"])
    try:
        exec(f'{reference("03.5")}\ncheck("03.5")', cell)
        assert autograder.numbers("03.5") == before
        assert progress.read()["student"] == "s001"
    finally:
        autograder.me()
    assert "03.5 ✓" in capsys.readouterr().out
