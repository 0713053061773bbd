"""Nothing gives a solution or a hidden case away:
what is planted is found, and what is built is clean."""

import json
import shutil
from dataclasses import replace

import pytest

from autograder.cell.course_folder import HOME, released
from autograder.cell.question import asked_chapters, of_chapter
from autograder.course import build, leaks
from autograder.course.judge import judge_of
from autograder.course.leaks import Leak, Secrets, given, learners_half, readable
from autograder.course.masters import master
from autograder.course.references import reference
from autograder.course.release import learners
from autograder.course.secret import DEMO_SECRET
from kafkalab.tests.shares import few

HIDDEN = [
    {
        "nodes": [{"id": 7, "state": "ready", "in_flight": 41}],
        "name": "eight brokers, one of them is asleep",
    }
]


@pytest.mark.corpus
def test_the_release_of_every_chapter_is_clean():
    with_questions = [chapter for chapter in released() if chapter in asked_chapters()]
    kept = Secrets(with_questions, given(with_questions, learners_half(with_questions)))
    for chapter in with_questions:
        for path in (master(chapter).path, *learners_half([chapter])):
            assert kept.found_in(readable(path)) is None, path
        for question in of_chapter(chapter):  # what a sealed box says in plain words
            if question.kind != "open":
                said = json.dumps(judge_of(question.id).otherwise, ensure_ascii=False)
                assert kept.found_in(said, chapter) is None, question.id


@pytest.fixture
def own_course(demo, tmp_path, monkeypatch):
    """A copy of the demo course that may be spoiled."""
    folder = tmp_path / "course"
    shutil.copytree(demo, folder)
    (folder / "notebooks" / "source_py").mkdir(exist_ok=True)
    (folder / "notebooks" / "source_py" / "90_demo.py").write_text(
        "\n".join(cell.source for cell in master("90").cells), encoding="utf-8"
    )
    monkeypatch.setenv("AUTOGRADER_COURSE", str(folder))
    return folder


@pytest.mark.parametrize("where", few(["source", "output"], 1, 1))
def test_a_planted_solution_fails_the_build(own_course, where):
    build.look_for_leaks("90_demo")
    path = own_course / "notebooks" / "release" / "90_demo" / "90_demo.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    words = f"# {reference('90.2').splitlines()[-1].strip()}"
    if where == "source":
        cell["source"] += f"\n{words}"
    else:
        cell["outputs"] = [
            {
                "output_type": "execute_result",
                "data": {"text/plain": [words]},
                "metadata": {},
                "execution_count": 1,
            }
        ]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(Leak, match="of 90.2"):
        build.look_for_leaks("90_demo")
    assert not path.exists(), "what leaks is not left lying about"


@pytest.mark.corpus
def test_what_somebody_tried_beside_the_notebook_is_left_alone(own_course):
    tried = own_course / "notebooks" / "release" / "90_demo" / "progress.json"
    tried.write_text(json.dumps({"answer": reference("90.2")}), encoding="utf-8")
    build.look_for_leaks("90_demo")
    assert tried.exists(), "a learner's progress is theirs, and was never built"


@pytest.mark.parametrize(
    "text",
    few(
        [
            repr(HIDDEN[0]),
            json.dumps(HIDDEN),
            "# one of them is asleep, eight brokers, one of them",
        ],
        1,
        2,
    ),
)
def test_a_hidden_case_is_known_in_every_form(demo, monkeypatch, text):
    real = judge_of
    monkeypatch.setattr(
        leaks,
        "judge_of",
        lambda id: replace(real(id), hidden_cases=lambda rng: HIDDEN) if id == "90.2" else real(id),
    )
    kept = Secrets(["90"], given(["90"]))
    assert (
        kept.found_in("Nothing to see here: count the sockets, and think of eight brokers.") is None
    )
    assert "of a hidden case of 90.2" in kept.found_in(f"Some words.\n{text}\nMore words.")
    assert kept.found_in(f"the key is {DEMO_SECRET}") == "the course secret"


@pytest.mark.slow
@pytest.mark.parametrize("chapter", [each for each in released() if each in asked_chapters()])
def test_the_learners_half_of_each_chapter_goes_out_alone(chapter):
    """A package of one week holds one chapter, so no other chapter shows what it keeps."""
    code = [HOME / "autograder" / name for name in learners() if name.endswith((".py", ".toml"))]
    kept = Secrets([chapter], given([chapter], code))
    (half,) = learners_half([chapter])
    assert kept.found_in(half.read_text(encoding="utf-8"), chapter) is None
