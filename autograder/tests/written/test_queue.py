"""The queue of open answers: nobody's name, like ones together, resumable at any moment,
and the teacher's mark always wins."""

import io
import re
import subprocess
import sys
import unicodedata

import pytest

from autograder.__main__ import main
from autograder.cell.course_folder import HOME
from autograder.course.references import references
from autograder.grade import grade_class
from autograder.gradebook.byhand import ByHand, Entry
from autograder.grading.calibration import Calibration, keep
from autograder.tests.teaching import GOOD, POOR, book, teach, use_rubric
from autograder.written import queue_log
from autograder.written.answers import OpenAnswer, open_answers
from autograder.written.groups import groups
from autograder.written.queue import MarkedByAnother, Queue
from autograder.written.queue_log import read_log
from autograder.written.screens import (
    BOLD,
    PLAIN,
    _wrapped,
    act,
    answer_page,
    farewell,
    in_notebook,
    in_terminal,
    screen,
)

pytestmark = pytest.mark.usefixtures("kept_staff")


@pytest.fixture
def out(hand_in, tmp_path, monkeypatch):
    """Eight graded submissions, two of them word for word the same;
    one is hostile to terminals and browsers."""
    use_rubric(monkeypatch)
    return teach(
        hand_in,
        tmp_path,
        (*GOOD, *POOR, GOOD[0], "<script>alert(1)</script> \x1b[2J sockets \u202e fetch"),
    )


def entered(out):
    """What a person entered: the mark, whether to look again, and the comment."""
    return {student: row[1:] for student, row in book(out).items()}


def keys(*pressed):
    """Somebody at the keyboard; who stops when there is nothing more to press."""
    left = list(pressed)
    return lambda: left.pop(0) if left else ""


@pytest.mark.corpus
def test_the_model_answer_is_called_so(hand_in, tmp_path, monkeypatch):
    use_rubric(monkeypatch)
    model = references("90")["90.open"]
    out = teach(hand_in, tmp_path, (*GOOD[:2], f"{model.upper()} \n"))
    with Queue(out, "90.open", twice=0) as queue:
        called = []
        for _ in range(3):
            text = "word for word" in screen(queue), "word for word" in answer_page(queue)
            called.append((queue.current.answer.text.isupper(), *text))
            queue.mark(2)
    assert sorted(called) == [(False, False, False), (False, False, False), (True, True, True)]


def test_one_key_a_mark_lands_in_the_gradebook_as_nbgraders_own(out):
    text = []
    assert in_terminal(out, "90.open", keys(*"4444444"), text.append, twice=0) == 0, (
        "seven keys for eight answers: two are the same"
    )
    assert all(row[1:3] == (4.0, 0) for row in book(out).values())
    assert (
        "90.open, 0 of 8 marked, group 1 of" in text[0]
        and "Suggested" in text[0]
        and "0-4 the mark" in text[0]
    )


@pytest.mark.corpus
def test_a_gradebook_that_was_lost_gets_the_marks_of_the_queue_again(out, capsys):
    """Also to the one of two equal answers that was not shown;
    not to a text that has changed, nor what was taken back."""
    with Queue(out, "90.open", twice=0) as queue:
        queue.comment("Say why.")
        while queue.current is not None:
            queue.mark(3)
        queue.undo()
    before, box = book(out), out.with_name("class")
    given = sum(row[1] == 3.0 for row in before.values())
    (out / "gradebook.db").unlink()
    grade_class(box, out, say=print)
    assert book(out) == before and 6 <= given < 8
    assert (
        f"{given} marks of `review` that the gradebook had lost are in it again."
        in capsys.readouterr().out
    )
    grade_class(box, out, say=print)
    assert "of `review`" not in capsys.readouterr().out


def test_no_name_is_shown_and_nothing_active(out):
    with Queue(out, "90.open", twice=0) as queue:
        while queue.current is not None:
            shown, drawn = screen(queue), answer_page(queue)
            assert not any(f"s{number:02}" in shown + drawn for number in range(1, 9))
            assert "\x1b" not in shown and "\u202e" not in shown + drawn and "<script" not in drawn
            queue.mark(2)


def test_stop_and_go_on_and_take_back_on_another_day(out):
    with Queue(out, "90.open", twice=0) as queue:
        first = queue.current.answer
        queue.comment("Say why.")
        queue.mark(1)
        second = queue.current.answer
        queue.skip()
        assert queue.current.answer.token not in (first.token, second.token)
    with Queue(out, "90.open", twice=0) as queue:
        assert queue.current.answer.token not in (first.token, second.token), (
            "what was skipped comes last"
        )
        assert book(out)[first.student][1:] == (1.0, 0, "Say why.") and queue.bank() == ["Say why."]
        assert queue.undo() and queue.current.answer.token == second.token, "the skip"
        assert queue.undo() and queue.current.answer.token == first.token, "the mark"
        assert book(out)[first.student][1:] == (None, 1, "Say why.")
        assert queue.undo() and not queue.undo()
        assert book(out)[first.student][1:] == (None, 1, None)


@pytest.mark.slow
def test_the_teachers_mark_wins_and_survives_three_runs(out, tmp_path):
    with Queue(out, "90.open", twice=0) as queue:
        while queue.current is not None:
            queue.mark(3 if queue.current.answer.suggestion["mark"] == 4 else 4)
    given = entered(out)
    keep(
        out,
        Calibration(
            "90.open", next(iter(open_answers(out))).suggestion["rubric_hash"], ("accept", "reject")
        ),
    )
    for _ in range(3):
        grade_class(tmp_path / "class", out, force=True, say=lambda text: None)
    assert entered(out) == given
    assert all(mark is not None and not asks for mark, asks, _ in given.values())


@pytest.mark.corpus
def test_who_hands_in_another_text_is_read_again(out, tmp_path, hand_in):
    with Queue(out, "90.open", twice=0) as queue:
        while queue.current is not None:
            queue.mark(2)
    hand_in("s02 again", {"90.open": POOR[0]}, student="s02", folder=tmp_path / "class")
    hand_in(
        "s03 again",
        {"90.open": GOOD[2], "90.3": "total = 0"},
        student="s03",
        folder=tmp_path / "class",
    )
    grade_class(tmp_path / "class", out, say=lambda text: None)
    assert {student: row[1:3] for student, row in book(out).items() if row[2]} == {"s02": (2.0, 1)}
    with Queue(out, "90.open", twice=0) as queue:
        assert queue.current.answer.student == "s02" and queue.left["first"] == 1


def test_a_share_is_read_twice_blind_and_the_agreement_is_told(out):
    with Queue(out, "90.open", twice=1) as queue:
        seen = 0
        while queue.current is not None and queue.current.kind == "first":
            queue.mark(4 if queue.current.answer.text in GOOD else 0)
        while queue.current is not None and queue.current.kind == "second":
            shown = screen(queue)
            assert "Suggested" not in shown and "so far" not in shown and "blind" in shown
            queue.mark(
                3
                if queue.current.answer.text == GOOD[1]
                else 4
                if queue.current.answer.text in GOOD
                else 0
            )
            seen += 1
        assert (
            seen == 8
            and queue.current.kind == "decide"
            and "Marked twice: 4, later 3" in screen(queue)
        )
        assert book(out)["s02"][1] == 4, "until it is decided the first mark stands"
        queue.mark(3)
        assert queue.current is None and book(out)["s02"][1] == 3
        found = queue.agreement()["you"]
        assert (found["pairs"], found["equal"], found["near"]) == (8, 7, 8) and found["kappa"] > 0.9


@pytest.mark.corpus
def test_settled_answers_are_looked_at_too(out, tmp_path):
    keep(
        out,
        Calibration(
            "90.open", next(iter(open_answers(out))).suggestion["rubric_hash"], ("accept", "reject")
        ),
    )
    grade_class(tmp_path / "class", out, say=lambda text: None)
    with Queue(out, "90.open", twice=1) as queue:
        checks = [item for item in queue._all() if item.kind == "check"]
        assert checks and all(not item.answer.waits for item in checks)
        while queue.current.kind != "check":
            queue.mark(1)
        student = queue.current.answer.student
        assert "Suggested" not in screen(queue)
        queue.mark(2)
        assert book(out)[student][1] == 2.0 and queue.agreement()["scorer"]["pairs"] == 1
    before = book(out)
    (out / "gradebook.db").unlink()
    grade_class(tmp_path / "class", out, say=lambda text: None)
    assert book(out) == before, (
        "a person's mark stands above the settled one, also in a gradebook that was lost"
    )


def test_the_keys(out):
    with Queue(out, "90.open", twice=0, blind=True) as queue:
        assert "kept back" in screen(queue)
        act(queue, "h")
        assert "Suggested" in screen(queue)
        first = queue.current.answer.token
        act(queue, "n")
        assert queue.current.answer.token != first
        act(queue, "p")
        assert queue.current.answer.token == first
        assert act(queue, "c").startswith("No comment") and act(
            queue, "c Look at <b>this</b>."
        ).startswith("The comment is kept")
        assert act(queue, "c", lambda prompt: "1").startswith("The comment") and queue.bank() == [
            "Look at <b>this</b>."
        ]
        assert act(queue, "x").startswith("Keys:") and act(queue, "7").startswith("Keys:")
        assert act(queue, "²").startswith("Keys:") and act(queue, "c ²").startswith("The comment")
    assert [done["act"] for done in read_log(out)] == ["comment"] * 3


def test_like_answers_meet_and_the_order_is_the_seeds():
    def answer(number, text):
        return OpenAnswer(f"s{number}", "90_demo", "90.open", text, 4, None, True, "", {})

    texts = [text + tail for text in (*GOOD, *POOR) for tail in ("", " Yes.", " That is all.")]
    answers = [answer(number, text) for number, text in enumerate(texts)]
    found = groups(answers, 1)
    place = {one.text: number for number, group in enumerate(found) for one in group}
    assert all(
        len({place[text] for text in texts[start : start + 3]}) == 1
        for start in range(0, len(texts), 3)
    )
    assert 2 <= len(found) <= 6 and groups(answers[::-1], 1) == found
    assert [group[0].token for group in groups(answers, 2)] != [group[0].token for group in found]


def test_the_command_and_the_notebook(out, capsys, tmp_path, monkeypatch):
    assert main(["review", str(out)]) == 0
    assert "90.open: 8 of 8 answers wait" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("3\nq\n"))
    assert main(["review", str(out), "90.open"]) == 0
    assert "answers have a mark" in capsys.readouterr().out
    asked = iter(["2", "q"])
    in_notebook(out, "90.open", lambda prompt: next(asked))
    assert sum(row[1] is not None for row in book(out).values()) >= 2
    assert (
        main(["review", str(out), "90.1"]) == 2 and main(["review", str(tmp_path), "90.open"]) == 2
    )
    told = capsys.readouterr().err
    assert "it has 90.open" in told and "There is no gradebook" in told


def test_a_line_of_two_scripts_uses_the_whole_width():
    line = (
        '  + Found: "后发先至", which is a retry that comes after later ones. [有: '
        "重试的提交可能乱序到达, 旧位移覆盖新位移]"
    )
    rows = _wrapped(line, 40, "    ")
    wide = [
        sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in row)
        for row in rows
    ]
    assert (
        max(wide) <= 40
        and min(wide[:-1]) > 28
        and "".join(rows).replace(" ", "") == line.replace(" ", "")
    )
    assert [
        row.replace("\x1b[1m", "") for row in _wrapped("重" * 10 + "\x1b[1m" + "试" * 15, 40)
    ] == ["重" * 10 + "试" * 10, "试" * 5]


@pytest.mark.corpus
def test_the_first_mark_takes_no_longer_than_the_next(hand_in, tmp_path):
    """Marking loads none of nbgrader's classes, which takes a second or two: keys pressed in such a
    pause are for no answer in sight, and dropped."""
    out = teach(hand_in, tmp_path, GOOD[:1])
    marked = (
        "import sys; from pathlib import Path; from autograder.written.queue import Queue\n"
        "with Queue(Path(sys.argv[1]), '90.open') as queue: print(len(queue.mark(3)))\n"
        "print('nbgrader.api' in sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", marked, str(out)], capture_output=True, text=True, cwd=HOME
        ).stdout
        == "1\nFalse\n"
    )


def test_two_who_mark_at_once_never_have_the_same_answer(out, capsys):
    """Each begins at another group, no mark is written over in silence, and who is second hears of
    it."""
    with (
        Queue(out, "90.open", marker="tom", twice=0) as tom,
        Queue(out, "90.open", marker="eva", twice=0) as eva,
    ):
        assert tom.current.group != eva.current.group and eva.others == ["tom"]
        seen = {"tom": set(), "eva": set()}
        while tom.current is not None or eva.current is not None:
            for queue in (tom, eva):
                if queue.current is not None:
                    assert queue.current.answer.text not in seen["tom"] | seen["eva"]
                    assert (
                        tom.current is None
                        or eva.current is None
                        or tom.current.answer.text != eva.current.answer.text
                    )
                    seen[queue.marker].add(queue.current.answer.text)
                    queue.mark(3 if queue is tom else 1)
        assert len(seen["tom"]) + len(seen["eva"]) == 7 and min(map(len, seen.values())) >= 3
    given = [row[1] for row in book(out).values()]
    assert set(given) == {3.0, 1.0} and len(given) == 8


def test_a_mark_given_meanwhile_is_told_and_stays(out, monkeypatch):
    """Tom leaves his screen for an hour; Eva is shown his answer then."""
    with Queue(out, "90.open", marker="tom", twice=0) as tom:
        answer = tom.current.answer
        monkeypatch.setattr(queue_log, "RESERVED", -queue_log.RESERVED)
        with Queue(out, "90.open", marker="eva", twice=0) as eva:
            while eva.current.answer.token != answer.token:
                eva.next()
            eva.mark(1)
            assert (
                act(tom, "3")
                == "eva gave this answer 1 of 4 points before you. That mark stays, and yours was "
                "not written; p goes back to it."
            )
            assert book(out)[answer.student][1] == 1.0 and tom.current.answer.token != answer.token
            act(tom, "p")
            assert "so far: 1 of 4" in screen(tom)
            act(tom, "3")
            assert book(out)[answer.student][1] == 3.0, "knowingly"
            assert "that mark stays" in act(eva, "u") and book(out)[answer.student][1] == 3.0


def test_a_mark_from_formgrader_is_not_written_over_either(out):
    with Queue(out, "90.open", twice=0) as queue:
        student = queue.current.answer.student
        with ByHand(out) as hand:
            hand.enter(student, "90_demo", "90.open", Entry(2.5, False))
        with pytest.raises(MarkedByAnother, match="Somebody else gave this answer 2.5 of 4"):
            queue.mark(0)
        assert book(out)[student][1] == 2.5


def test_shares_meet_nowhere_and_are_everything(out, capsys):
    with (
        Queue(out, "90.open", share=(1, 2), twice=0) as one,
        Queue(out, "90.open", share=(2, 2), twice=0) as two,
    ):
        first, second = ({item.answer.token for item in queue._all()} for queue in (one, two))
        assert first and second and not first & second and len(first | second) == 8
        assert "0 of 8 answers have a mark" in farewell(one)
        assert " of share 1/2 " in farewell(one) and " of share 2/2 " in farewell(two)
    for wrong in ("3/2", "x", "0/2", "1"):
        assert (
            main(["review", str(out), "90.open", "--share", wrong]) == 2
            and "--share is written like 1/2" in capsys.readouterr().err
        )


def test_an_underlined_word_takes_no_more_room_than_a_plain_one():
    plain = "four connections are opened and three of them are kept open"
    marked = plain.replace("three", f"{BOLD}three{PLAIN}")
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in _wrapped(marked, 30)]
    assert bare == _wrapped(plain, 30)
