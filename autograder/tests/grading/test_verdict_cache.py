"""Official grading looks a public answer up in the sealed verdicts;
where they are of another text it asks the judge."""

import os

import pytest

from autograder.cell import sealed
from autograder.cell.course_folder import released
from autograder.cell.question import asked_chapters, find, of_chapter
from autograder.cell.reply import insert_values
from autograder.course.fingerprint import origin
from autograder.course.judge import Verdict, judge_of
from autograder.grade import grade_class
from autograder.grading import verdict
from autograder.grading.verdict_cache import foreseen, stale


def told(data, question_id="90.3"):
    question = find(question_id)
    case = question.cases(question.all_numbers()[0])[0]
    return foreseen(question, judge_of(question_id), case, data)


@pytest.mark.parametrize(
    "chapter", [chapter for chapter in released() if chapter in asked_chapters()]
)
def test_every_verdict_is_sealed_from_the_questions_and_judges_of_today(chapter):
    old = stale(chapter)
    assert not old, (
        f"{', '.join(old)}: edited since it was sealed; `python -m autograder seal "
        f"{' '.join(old)}`, and commit"
    )


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


@pytest.mark.slow
def test_a_judge_who_was_rewritten_is_asked_again(demo_folder, demo, hand_in, tmp_path):
    assert told({"total": -7}) is not None
    hand_in("ada", student="ada", folder=tmp_path / "class")
    path = demo_folder / "judges" / "ch90.py"
    text, times = path.read_text(encoding="utf-8"), path.stat()
    try:
        path.write_text(text + "\nANOTHER_WORD = 1\n", encoding="utf-8")
        assert told({"total": -7}) is None
        said = []
        grade_class(tmp_path / "class", tmp_path / "out", say=said.append)
        assert (
            said[0].startswith("Edited since sealed: 90.1, ") and "autograder seal 90.1 " in said[0]
        )
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert told({"total": -7}) is not None


def test_one_question_can_be_corrected_without_the_others(demo_folder, demo):
    path = demo_folder / "judges" / "ch90.py"
    text, times = path.read_text(encoding="utf-8"), path.stat()
    before = {
        question.id: origin(question.id) for question in of_chapter("90") if question.kind != "open"
    }
    try:
        path.write_text(
            text.replace('Judge("90.3",', 'Judge("90.3", right="another word.",', 1),
            encoding="utf-8",
        )
        assert [question for question, digest in before.items() if origin(question) != digest] == [
            "90.3"
        ]
        path.write_text(text + "\nSHARED = 1\n", encoding="utf-8")
        assert [
            question for question, digest in before.items() if origin(question) != digest
        ] == list(before)
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_a_file_of_autograder_may_move_and_a_comment_may_change(demo_folder, demo):
    path = demo_folder / "judges" / "ch90.py"
    text, times = path.read_text(encoding="utf-8"), path.stat()
    before = origin("90.1")
    try:
        path.write_text(
            '"""Says what the file is."""\n'
            + text.replace("from autograder.course.judge", "from autograder.elsewhere")
            + "\n\n# another word\n",
            encoding="utf-8",
        )
        assert origin("90.1") == before
        path.write_text("import json\n" + text, encoding="utf-8")
        assert origin("90.1") != before, "what is imported from elsewhere belongs to the text"
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
