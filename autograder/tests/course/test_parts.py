"""Does every chapter have all that a chapter has? Read off its source and its questions, nothing is
run.

`print(table())` shows it chapter by chapter; a failing test says which part is missing and what to
do about it.
"""

import re
from collections import Counter
from random import Random

import pytest

from autograder.cell.course_folder import notebooks
from autograder.cell.question import asked_chapters, find, of_chapter
from autograder.course import sources
from autograder.course.judge import judge_of as judge_of

CHAPTERS = [name for name in sources.chapters() if name[:2] in asked_chapters()]
# The learner's half is usually played (kinds.Function.play). Where the probe itself runs a lab with
# the learner's code in it, it is named here.
HALVES_RUN_BY_A_PROBE = {"04": "04.5", "05": "05.3", "11": "11.4"}
# A post-mortem has no half for the simulator to run. The learner writes a detector instead, and
# the judge runs it over lines of stories that it plays anew.
DETECTORS = {"17": "17.5"}


def source_of(chapter: str) -> str:
    return sources.text_of_chapter(chapter)


def prose_of(chapter: str) -> str:
    """The text of the markdown cells, each paragraph's lines joined."""
    cells = re.split(r"^# %%", source_of(chapter), flags=re.MULTILINE)
    told = [cell.split("\n", 1)[1] for cell in cells if cell.lstrip().startswith("[markdown]")]
    return "\n".join(re.sub(r"^# ?", "", text, flags=re.MULTILINE) for text in told)


def graded(chapter: str) -> list:
    return [question for question in of_chapter(chapter[:2]) if question.kind != "open"]


def of_ones_own(question) -> bool:
    """Whether two students get different numbers."""
    return bool(question.space)


def half(chapter: str) -> str | None:
    """The exercise in which the simulator runs the learner's code, over seeds and faults."""
    played = [
        question.id for question in graded(chapter) if getattr(question, "play", None) is not None
    ]
    return HALVES_RUN_BY_A_PROBE.get(chapter[:2], played[0] if played else None)


def hunt(chapter: str) -> str | None:
    """The exercise in which a planted bug is hunted by its lines."""
    hunted = [question.id for question in graded(chapter) if question.title.startswith("bug hunt")]
    return hunted[0] if hunted else None


def table() -> str:
    """The parts of all chapters, one row each."""
    rows = [
        ("chapter", "exercises", "own numbers", "half", "hunt", "open", "Spark", "words", "recall")
    ]
    for chapter in CHAPTERS:
        asked, prose = graded(chapter), prose_of(chapter)
        rows.append(
            (
                chapter[:2],
                len(asked),
                sum(map(of_ones_own, asked)),
                half(chapter),
                hunt(chapter),
                sum(question.kind == "open" for question in of_chapter(chapter[:2])),
                source_of(chapter).count("spark=true"),
                len(words_of(prose)),
                len(recalled(prose)),
            )
        )
    return "\n".join("  ".join(f"{cell!s:>11}" for cell in row) for row in rows)


def words_of(prose: str) -> dict[str, str]:
    """The glossary line: word -> Chinese term."""
    paragraph = re.search(r"^\*\*Words\*\*:\s(.*?)(?=\n\n|\Z)", prose, re.MULTILINE | re.DOTALL)
    found = {}
    for entry in on_one_line(paragraph[1] if paragraph else "").split(" · "):
        split = re.match(r"(.+?) ([\u4e00-\u9fff].*)$", entry)
        if split:
            found[split[1].strip()] = split[2]
    return found


def promised_words(prose: str) -> list[str]:
    """The words that the chapter's head says one will get."""
    head = re.search(r"\*\*You\s+get\*\*(.*?)(\*\*Time\*\*|\n\n)", prose, re.DOTALL)
    return re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", on_one_line(head[1])) if head else []


def on_one_line(text: str) -> str:
    """A paragraph without its line breaks, which mean nothing in Markdown."""
    return " ".join(text.split())


def recalled(prose: str) -> list[str]:
    """The questions of the retrieval quiz, as they stand."""
    quiz = prose.split("### Do you remember", 1)
    if len(quiz) != 2:
        return []
    return re.findall(r"<summary>(.*?)</summary> ?(?!</details>)", on_one_line(quiz[1]))


@pytest.mark.corpus
@pytest.mark.parametrize("detector", DETECTORS.values(), ids=str)
def test_a_detector_is_run_over_three_stories_played_anew(detector):
    cases = judge_of(detector).hidden_cases(Random(1))
    other = judge_of(detector).hidden_cases(Random(2))
    told = [case["rows"] for case in cases]
    assert len(told) >= 3 and all(len(rows) >= 10 for rows in told), (
        f"{detector} tries a detector on fewer than three stories of ten lines: play more"
    )
    assert told != [case["rows"] for case in other], (
        f"{detector} tries a detector on the same lines each time: draw the seed of the story"
    )


@pytest.mark.parametrize(
    "chapter", [chapter for chapter in CHAPTERS if chapter[:2] not in DETECTORS]
)
def test_the_simulator_runs_the_learners_half_under_faults_and_seeds(chapter):
    name = half(chapter)
    assert name, (
        f"{chapter} has no missing half: give a Function a `play` that puts the learner's code "
        "into a lab (see 02.3 or 03.4)"
    )
    cases = [case for case in find(name).public_cases if "seed" in case]
    assert len({case["seed"] for case in cases}) >= 3, (
        f"{name} is played with fewer than three seeds: add cases"
    )
    faults = [
        case
        for case in cases
        if any(
            word in str(case)
            for word in ("crash", "kill", "die", "break", "down", "slow", "leave", "lost", "True")
        )
    ]
    assert faults, (
        f"{name} is never played with a fault: let a broker crash, a link break or a member die in "
        "one of its cases"
    )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_planted_bug_is_hunted_by_its_lines(chapter):
    assert hunt(chapter), (
        f"{chapter} has no bug to hunt: plant one, show its lines, and begin the question's title "
        'with "bug hunt: "'
    )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_three_exercises_have_numbers_of_ones_own(chapter):
    """A function or a loop of the learner's own is the same for all; a judge tries it on cases that
    nobody has seen."""
    asked = graded(chapter)
    same = [question.id for question in asked if not of_ones_own(question)]
    assert len(asked) - len(same) >= 3, (
        f"the same for everybody: {', '.join(same)} of {len(asked)}; give one of them a `space`"
    )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_exercises_hints_and_an_open_question(chapter):
    asked = of_chapter(chapter[:2])
    kinds = Counter(question.kind == "open" for question in asked)
    assert kinds[True] >= 1, f"{chapter} has no open question"
    practice = [
        question
        for question in graded(chapter)
        if not question.title.startswith(("bug hunt", "Spark"))
    ]
    assert 3 <= len(practice) <= 7, (  # 02 has three sittings; each is at most 50 minutes
        f"{chapter} has {len(practice)} exercises besides its hunt and its Spark lab; a chapter "
        "has three to seven"
    )
    for question in graded(chapter):
        assert len(question.hints) == 2, (
            f"{question.id} needs two hints: where to look, then nearly how"
        )
        assert len(judge_of(question.id).wrong_answers) >= 3, (
            f"{question.id} needs a sentence for three wrong answers that people give"
        )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_spark_lab_is_asked_about(chapter):
    assert "spark=true" in source_of(chapter), f"{chapter} has no Spark lab"
    assert any("Spark" in question.title for question in graded(chapter)), (
        f"no question of {chapter} asks what Spark found"
    )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_new_word_has_its_line_and_its_chinese_term(chapter):
    prose = prose_of(chapter)
    words, promised = words_of(prose), promised_words(prose)
    assert len(promised) >= 3, (
        f"{chapter} says in its head which words one gets: **You get** ... *word*, *word*"
    )
    missing = [word for word in promised if word.lower() not in {each.lower() for each in words}]
    assert missing == [], (
        f"{chapter} promises {', '.join(missing)}: add each to the line **Words** at its end, with "
        "its Chinese term"
    )
    assert all(re.search(r"[\u4e00-\u9fff]", term) for term in words.values())


COUNTED = "zero one two three four five six seven eight nine ten".split()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_head_of_a_chapter_agrees_with_itself_and_with_the_table(chapter):
    """The chapters that it needs, and as many words as it promises, the same in both."""
    prose = prose_of(chapter)
    head = re.search(r"\*\*You need\*\*(.*?)\*\*You\s+get\*\*(.*?)\*\*Time\*\*", prose, re.DOTALL)
    assert head, f"{chapter} says in its head **You need**, **You get** and **Time**, in this order"
    table = (notebooks() / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| \[{chapter[:2]} .*\|$", table, re.MULTILINE)
    assert row, f"{chapter} has no row in notebooks/README.md"
    _, _, words, _, needs = (cell.strip() for cell in row[0].strip("| ").split(" | "))
    # what stands behind a semicolon helps, and is not needed
    needed = sorted(set(re.findall(r"\b\d\d\b", head[1].split(";")[0])))
    assert ", ".join(needed) == needs, f"{chapter} needs {needed}, and the table says {needs}"
    promised = promised_words(prose)
    said = re.search(r"(\w+)\s+words", head[2])
    assert said and COUNTED.index(said[1]) == len(promised), (
        f"{chapter} promises {said and said[1]} words and names {len(promised)}"
    )
    assert set(promised) == set(words.split(", ")), f"{chapter} and the table name other words"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_three_questions_go_back_to_earlier_chapters(chapter):
    prose = prose_of(chapter)
    questions_back = recalled(prose)
    assert len(questions_back) == 3, (
        f'{chapter} asks {len(questions_back)} questions under "Do you remember"; three, each with '
        "its answer"
    )
    named = [
        int(number)
        for text in (prose.split("### Do you remember", 1)[1],)
        for number in re.findall(r"[Cc]hapter (\d\d)", text)
    ]
    assert named and all(number < int(chapter[:2]) for number in named), (
        f"{chapter} must name the earlier chapters it asks about"
    )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_then_and_now_with_something_to_run(chapter):
    prose = prose_of(chapter)
    assert re.search(r"Then and now", prose) and "| Then | Now |" in prose, (
        f"{chapter} has no table | Then | Now | ..."
    )
    versions = set(re.findall(r"\"(\d\.\d)\"", source_of(chapter)))
    assert len(versions) >= 2, (
        f"the lab of {chapter} is run with {sorted(versions)}; then and now are two versions one "
        "can run"
    )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_real_thing_stands_beside_the_simulated_one(chapter):
    source = source_of(chapter)
    shown = any(f"{call}(" in source for call in ("recorded", "recorded_output", "real_requests"))
    assert shown, (
        f"{chapter} shows no recording beside the simulator: kafkalab.stories.recorded gives one"
    )


def test_the_list_of_chapters_names_every_chapter():
    page = (notebooks() / "README.md").read_text(encoding="utf-8")
    missing = [name for name in sources.chapters() if f"release/{name}/{name}.ipynb" not in page]
    assert missing == [], "add a row for each to notebooks/README.md"


def test_a_shown_answer_has_no_empty_scaffold():
    from autograder.course.changes import without_blanks

    cell = (
        'a = ...\nb = {\n    "A": ...,\n    "B": ...,\n}\nwidth: int = 3\n'
        '# the answer\na = 1\nb = {"A": a}\n'
        "def f():\n    ...\nkept = {'A': ...}\n"
    )
    assert without_blanks(cell) == (
        "width: int = 3\n# the answer\na = 1\nb = {\"A\": a}\ndef f():\n    ...\nkept = {'A': ...}"
    )
