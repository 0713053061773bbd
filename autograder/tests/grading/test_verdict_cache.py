"""Official grading looks a public answer up in the sealed verdicts;
where they are of another text it asks the judge."""

import os
from contextlib import contextmanager

import pytest

from autograder.cell import sealed
from autograder.cell.question import find, of_chapter
from autograder.cell.reply import insert_values
from autograder.course import seals
from autograder.course.fingerprint import origin
from autograder.course.judge import Verdict, judge_of
from autograder.grade import grade_class
from autograder.grading import verdict
from autograder.grading.verdict_cache import foreseen


def told(data, question_id="90.3"):
    question = find(question_id)
    case = question.cases(question.all_numbers()[0])[0]
    return foreseen(question, judge_of(question_id), case, data)


def test_no_lab_is_played_for_an_answer_that_was_foreseen(demo, monkeypatch):
    question = find("90.3")
    case = question.cases(question.all_numbers()[0])[0]
    judge = judge_of("90.3")
    right = judge.truth(case)
    monkeypatch.setattr(verdict, "decided", None)
    assert told(right) == Verdict(True, insert_values(judge.right, case, "90.3", right), 1.0)
    assert not told({"total": -7}).ok and told({"total": -7}).names == ()
    assert verdict._verdict(question, judge, case, False, {"data": right}).ok


def test_a_wrong_answer_keeps_its_name(demo):
    question = find("90.3")
    case = question.cases(question.all_numbers()[0])[0]
    judge = judge_of("90.3")
    for wrong in judge.wrong_answers:
        said = verdict.said_by_wrong(question, wrong, case)
        assert wrong.name in told(said).names and told(said) == verdict.decided(
            question, judge, case, said
        )


def test_a_box_that_does_not_open_is_no_verdict(demo, monkeypatch):
    """Whoever finds data with the tag of the right answer (it has 48 bits) cannot open its box."""
    question = find("90.3")
    case = question.cases(question.all_numbers()[0])[0]
    right = judge_of("90.3").truth(case)
    tag = sealed._tag
    monkeypatch.setattr(
        sealed,
        "_tag",
        lambda salt, bare, data: tag(salt, bare, right if data == {"total": -7} else data),
    )
    assert not told({"total": -7}).ok and told(right).ok
    assert not verdict._verdict(question, judge_of("90.3"), case, False, {"data": {"total": -7}}).ok


@contextmanager
def edited(path):
    """The text of a file, and a function that writes another one until the block ends."""
    text, times = path.read_text(encoding="utf-8"), path.stat()
    try:
        yield text, lambda words: path.write_text(words, encoding="utf-8")
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.fixture
def judges_file(demo_folder, demo):
    return demo_folder / "judges" / "ch90.py"


@pytest.mark.slow
def test_a_judge_who_was_rewritten_is_asked_again(judges_file, hand_in, tmp_path):
    assert told({"total": -7}) is not None
    hand_in("ada", student="ada", folder=tmp_path / "class")
    with edited(judges_file) as (text, write):
        write(text + "\nANOTHER_WORD = 1\n")
        assert told({"total": -7}) is None
        said = []
        grade_class(tmp_path / "class", tmp_path / "out", say=said.append)
        assert (
            said[0].startswith("Edited since sealed: 90.1, ") and "autograder seal 90.1 " in said[0]
        )
    assert told({"total": -7}) is not None


def test_one_question_can_be_corrected_without_the_others(judges_file):
    before = {
        question.id: origin(question.id) for question in of_chapter("90") if question.kind != "open"
    }
    with edited(judges_file) as (text, write):
        write(text.replace('Judge("90.3",', 'Judge("90.3", right="another word.",', 1))
        assert [question for question, digest in before.items() if origin(question) != digest] == [
            "90.3"
        ]
        write(text + "\nSHARED = 1\n")
        assert [
            question for question, digest in before.items() if origin(question) != digest
        ] == list(before)


def test_a_release_seals_what_was_edited_after_its_digest_was_noted(judges_file):
    boxes = sealed.folder() / "ch90.json"
    noted = seals.seals_file()
    with edited(boxes) as (kept, _), edited(judges_file) as (text, write):
        seals.note("90")
        try:
            heard = []
            seals.renew("90", heard.append)
            assert heard == [] and boxes.read_text(encoding="utf-8") == kept
            write(text.replace('Judge("90.3",', 'Judge("90.3", right="another word.",', 1))
            assert told({"total": -7}) is None
            seals.renew("90", heard.append)
            assert heard[0] == "sealed 90.3 (1 of 1)" and told({"total": -7}) is not None
        finally:
            noted.unlink()


def test_a_file_of_autograder_may_move_and_a_comment_may_change(judges_file):
    before = origin("90.1")
    with edited(judges_file) as (text, write):
        write(
            '"""Says what the file is."""\n'
            + text.replace("from autograder.course.judge", "from autograder.elsewhere")
            + "\n\n# another word\n"
        )
        assert origin("90.1") == before
        write("import json\n" + text)
        assert origin("90.1") != before, "what is imported from elsewhere belongs to the text"
