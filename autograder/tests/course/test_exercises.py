"""An exercise is one file: what is built of it is the same each time, keeps nothing back that it
should give and gives nothing that it should keep; what is wrong in it is told with its line."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import jupytext
import pytest

from autograder.cell import questions, sealed
from autograder.cell.course_folder import HOME
from autograder.cell.question import find
from autograder.course import build, exercises, halves, judges, seals, sources, topics
from autograder.course.changes import changed
from autograder.course.judge import judge_of
from autograder.proving import exercise_rules, exercise_screen
from kafkalab.tests.shares import few, share

CHAPTERS = [name[:2] for name in sources.chapters() if sources.exercises_of(name)]
EVERY = [exercises.find(id) for chapter in CHAPTERS for id in sources.exercises_of(chapter)]


def statements(code: str) -> set[str]:
    """Every statement of a code that says something, in one form however its lines are broken."""
    return {ast.unparse(node) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.stmt)}


def definitions(code: str) -> set[str]:
    """The statements of a code's top, without its imports."""
    imports = (ast.Import, ast.ImportFrom)
    return {ast.unparse(node) for node in ast.parse(code).body if not isinstance(node, imports)}


def built(chapter: str) -> dict[str, halves.Half]:
    return halves.halves(chapter, sources.exercises_of(chapter))


def test_git_keeps_nothing_that_is_built():
    """The installation builds the halves, and `release` the boxes; git has their digests."""
    named = subprocess.run(
        ["git", "-C", str(HOME), "ls-files", "autograder"], capture_output=True, text=True
    )
    if named.returncode:
        pytest.skip("there is no git here to ask")
    built_files = re.compile(r"/(questions|judges|rubrics)/(ch\d\d\.py|sealed/)")
    assert [path for path in named.stdout.splitlines() if built_files.search(path)] == [], (
        "take it out again: git rm --cached"
    )


@pytest.fixture
def pulled(tmp_path, monkeypatch):
    """A checkout with chapter 03 and its built halves, committed and clean."""
    home = tmp_path / "checkout"
    exercise_screen.copy_sources("03.1", home, HOME / "notebooks")
    packages = {half: home / half for half in halves.PACKAGES}
    monkeypatch.setattr(halves, "notebooks", lambda: home / "notebooks")
    for module in (sources, exercises):
        monkeypatch.setattr(module, "notebooks", lambda: home / "notebooks")
    monkeypatch.setattr(halves, "path_of", lambda chapter, half: packages[half] / "ch03.py")
    for words in (["init", "--quiet"], ["add", "notebooks"], ["commit", "--quiet", "-m", "Begin"]):
        git = ["git", "-C", str(home), "-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run([*git, *words], check=True)
    halves.write_all()
    return home


def test_what_git_pulls_is_built_and_what_was_edited_here_waits_for_its_tests(pulled):
    path = next((pulled / "notebooks" / "exercises" / "03").glob("03_2_*.py"))
    half, told = pulled / halves.QUESTION / "ch03.py", []
    before = half.read_text(encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("\n# %% hint\n# ", "\n# %% hint\n# Renewed. ", 1), encoding="utf-8"
    )
    os.utime(path, ns=(2**62, 2**62))
    halves.refresh(told.append)
    assert half.read_text(encoding="utf-8") == before and "course 03" in told.pop()
    git = ["git", "-C", str(pulled), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "commit", "--quiet", "-am", "Pull"], check=True)
    halves.refresh(told.append)
    assert "Renewed. " in half.read_text(encoding="utf-8") and told == []
    half.unlink()
    halves.refresh(told.append)
    assert half.is_file() and told == []


@pytest.mark.parametrize("chapter", few(CHAPTERS, 2))
def test_the_halves_hold_no_solution_and_the_learners_half_nothing_of_the_judge(chapter):
    both = {name: half.text for name, half in built(chapter).items()}
    shared = exercises.shared(chapter)
    for exercise in map(exercises.find, sources.exercises_of(chapter)):
        if exercise.is_open:
            assert exercise.solution().splitlines()[0] not in both[halves.QUESTION]
            continue
        solved = "\n".join(
            textwrap.dedent(block.rpartition("\n")[0])
            for block in re.findall(
                r"### BEGIN SOLUTION\n(.*?)### END", exercise.one("answer").body, re.DOTALL
            )
        )
        given_away = statements(solved) & statements(both[halves.QUESTION])
        assert [each for each in given_away if len(each) > 25] == [], exercise.id
        assert len(solved) < 25 or solved.strip() not in both[halves.JUDGE], exercise.id
        asked = definitions(both[halves.QUESTION])
        for each in [exercise, *([shared] if shared else [])]:
            for judging in each.of("judge"):
                assert definitions(judging.body) & asked == set(), exercise.id
        for wrong, source, _ in exercise.wrong():
            assert wrong.told() not in both[halves.QUESTION]
            assert definitions(source) & asked == set(), (exercise.id, wrong.name)


@pytest.mark.parametrize("exercise", few(EVERY, 12), ids=lambda exercise: exercise.id)
def test_jupytext_reads_the_cells_that_the_builder_reads(exercise):
    """So an editor shows a notebook of them."""
    text = exercise.path.read_text(encoding="utf-8")
    assert [cell.source.strip() for cell in jupytext.reads(text, fmt="py:percent").cells] == [
        exercises.uncommented(cell.body).strip() if cell.is_text else cell.body.strip()
        for cell in exercise.cells
    ], "a comment line of one word and `?` is a command to jupytext: break the line elsewhere"


def test_what_asks_an_answer_with_spark_starts_spark_too():
    """Graders and a run without Spark leave such cells out, all three of them."""
    cells = [
        cell
        for cell in sources.author_notebook("02").cells
        if re.search(r"q-02-6(-test)?$", cell.metadata.get("nbgrader", {}).get("grade_id", ""))
        or cell.source == 'check("02.6")'
    ]
    assert len(cells) == 3
    assert all(cell.metadata["autograder"]["spark"] for cell in cells)
    checks = [
        cell for cell in sources.author_notebook("03").cells if cell.source == 'check("03.6")'
    ]
    assert [cell.metadata.get("autograder", {}).get("spark") for cell in checks] == [None]


@pytest.mark.parametrize("exercise", EVERY, ids=lambda exercise: exercise.id)
def test_every_exercise_has_what_its_rules_ask_for(exercise):
    if not exercise.is_open:
        assert len(exercise.hints()) >= exercise_rules.LEAST_HINTS
        assert len(exercise.wrong()) >= exercise_rules.LEAST_WRONG
    assert exercise_rules.BLANK not in exercise.path.read_text(encoding="utf-8")


COUNTED = """
# %% [markdown]
# ### Exercise 91.1 · Count
#
# How many connections?

# %%
n = numbers("91.1")

# %% answer
opened = ...
### BEGIN SOLUTION
opened = n.brokers + 1
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

MOST = 9
Value(title="count", points=1, answers=("opened",), space={"brokers": range(MOST)})

# %% judge
from autograder.course.judge import Judge

Judge(truth=lambda case: {"opened": min(case["brokers"], MOST) + 1}, otherwise="no.")

# %% wrong="none"
# You forgot the first.
opened = n.brokers

# %% hint
# Look.
""".strip()


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A course of one chapter, 91, whose only exercise is the text given to small(text)."""

    def write(text=COUNTED, page='# %%\nfrom autograder import numbers\n\n# %% exercise="91.1"\n'):
        folder = tmp_path / "notebooks" / "exercises" / "91"
        for path, said in (
            (folder / "91_1_count.py", text),
            (folder.parents[1] / "source_py" / "91_small.py", page),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(said, encoding="utf-8")
        return folder

    monkeypatch.setenv("AUTOGRADER_COURSE", str(tmp_path))
    for package, room in ((questions, "questions"), (judges, "judges")):
        monkeypatch.setattr(package, "__path__", [str(tmp_path / room), *package.__path__])
    yield write
    for package in halves.PACKAGES.values():
        sys.modules.pop(f"{package}.ch91", None)


def test_a_small_exercise_is_built(small):
    small()
    halves.write("91", ("91.1",))
    question, judge = find("91.1"), judge_of("91.1")
    assert (question.hints, question.points) == (("Look.",), 1)
    assert [(each.name, each.sentence, each.source) for each in judge.wrong_answers] == [
        ("none", "You forgot the first.", "opened = n.brokers")
    ]
    assert judge.truth({"brokers": 4}) == {"opened": 5}, "it may use what the question defines"
    assert [
        dict(cell.metadata.get("nbgrader", {})).get("grade_id")
        for cell in sources.author_notebook("91").cells
    ] == [None, None, None, "q-91-1", None, "q-91-1-test"]


def test_a_wrong_answer_may_name_the_line_of_the_solution_that_it_changes(small):
    small(COUNTED.replace("opened = n.brokers\n\n# %% hint", "# - opened = n.brokers + 1\n"
                          "# + opened = n.brokers\n\n# %% hint"))  # fmt: skip
    halves.write("91", ("91.1",))
    (wrong,) = judge_of("91.1").wrong_answers
    assert wrong.sentence == "You forgot the first."
    assert wrong.source == "opened = n.brokers"


def test_wrong_answers_may_begin_with_the_solution(small):
    small(COUNTED.replace("# %% wrong", "# %% begin solution\n\n# %% wrong"))
    halves.write("91", ("91.1",))
    (wrong,) = judge_of("91.1").wrong_answers
    assert wrong.source == "opened = n.brokers + 1\nopened = n.brokers"


SOLVED = """
def watch(log):
    \"\"\"What to say.

    Nobody needs it.
    \"\"\"
    if log.end:
        return 1
    if log.start:
        return 1
    return 0
""".strip()


@pytest.mark.parametrize(
    "comment, source",
    [
        (["# Words.", "# -     if log.end:", "# +     if not log.end:"], "if not log.end:"),
        (["# -     if log.start:", "# -         return 1"], "return 1\n    return 0"),
        (["# -     return 0", "# +     say()", "# +", "# +     return 0"], "say()\n\n    return 0"),
        (["# -     if log.end:", "# +     if x:", "# -     return 0", "# +     return"], "if x:"),
    ],
)
def test_a_change_goes_to_the_lines_that_it_names(comment, source):
    got = changed(SOLVED, comment)
    assert source in got and '"""' not in got
    compile(got, "answer", "exec")


@pytest.mark.parametrize(
    "comment, told",
    [
        (["# Only words, and -1."], "has code, or names lines"),
        (["# +     return 2"], "0 times"),
        (["# -     return 3"], "0 times"),
        (["# -         return 1", "# +         return 2"], "2 times"),
        (["# -     return 0", "# +     return 1", "# -     if log.end:"], "0 times"),
    ],
)
def test_a_change_that_fits_no_place_or_two_is_refused(comment, told):
    with pytest.raises(ValueError, match=told):
        changed(SOLVED, comment)


REFUSED = (
    ("MOST) + 1", "MOST) + 2", "the judge refuses the reference"),
    ('min(case["brokers"], MOST)', 'case["nobody"]', "KeyError"),
    ("MOST = 9", "MOST = 9 / 0", "ZeroDivisionError"),
)


@pytest.mark.corpus
@pytest.mark.parametrize("right, wrong, told", share(REFUSED, 3, id=lambda each: each[2]))
def test_a_build_that_is_refused_leaves_the_judge_as_it_was(
    small, tmp_path, monkeypatch, capsys, right, wrong, told
):
    """What `regrade` and `grade` judge by is not what was just found to be wrong."""
    monkeypatch.setattr(topics, "write_map", lambda: None)
    # the build after it comes in the same second, when compiled code looks fresh
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(Path, "touch", lambda path: os.utime(path, (2e9, 2e9)))
    small()
    shutil.copy(HOME / "notebooks" / "nbgrader_config.py", tmp_path / "notebooks")
    assert build.main(["91"]) == 0, capsys.readouterr().err

    def made() -> dict:
        return {
            path.relative_to(tmp_path): (path.read_bytes(), path.stat().st_mtime_ns)
            for room in ("questions", "judges", "rubrics", "notebooks/release")
            for path in sorted((tmp_path / room).rglob("*"))
            if path.is_file() and path.suffix != ".pyc"
        }

    before = made()
    names = {path.name for path in before}
    assert {"ch91.py", "ch91.json", "91_small.ipynb"} <= names
    assert right in COUNTED
    small(COUNTED.replace(right, wrong, 1))
    try:
        assert build.main(["91"]) == 2 and told in capsys.readouterr().err
    except KeyError:
        assert told == "KeyError"
    assert made() == before
    assert judge_of("91.1").truth({"brokers": 4}) == {"opened": 5}


SPOILED = (
    ("opened = n.brokers\n\n# %% hint", "\n# %% hint", "line 26: a wrong answer has code, or"),
    ("# %% answer", "# %% anser", "line 9: `anser` is no kind of cell"),
    ("opened = n.brokers\n", "opened = = 1\n", "line 28: this is not Python"),
    ("# You forgot the first.\n", "", "line 26: a wrong cell begins with a comment"),
    ('# %% wrong="none"', "# %% wrong", "line 26: a wrong answer has a name"),
    ("min(case", "least(case", "line 24: nothing in this file or in shared.py defines `least`"),
    ("Judge(truth", 'Judge("91.1", truth', "line 24: the cell ends with `Judge("),
    ('title="count"', 'title="count", hints=()', "line 19: the builder writes `hints`"),
    (
        "import Judge\n",
        "import Judge\nfrom autograder.cell.questions.ch91 import MOST\n",
        "line 23: this module is built from the exercises: leave the import out",
    ),
    (
        "import Judge\n",
        "import Judge\nfrom autograder.cell.questions import ch91\n",
        "line 23: this module is built",
    ),
    ("points=1", "worth=1", "line 19: TypeError"),
    ("MOST = 9", "MOST = 9 / 0", "line 18: ZeroDivisionError"),
    ("otherwise=", "otherways=", "line 24: TypeError"),
    ("# %% question", "# %% judge", "an exercise has one cell `# %%"),
    ("# %% hint", "# %%", "line 30: what the learner reads is above the answer"),
    ("# %% hint", "# %% says", "line 30: `says` is one expression"),
)


@pytest.mark.parametrize("right, wrong, told", SPOILED, ids=[told for _, _, told in SPOILED])
def test_what_is_wrong_is_told_with_its_file_and_line(small, right, wrong, told):
    assert right in COUNTED
    small(COUNTED.replace(right, wrong, 1))
    with pytest.raises(exercises.Unbuildable) as error:
        halves.write("91", ("91.1",))
    assert str(error.value).startswith("notebooks/exercises/91/91_1_count.py, line ")
    assert told in str(error.value)


def test_an_exercise_and_its_chapter_name_each_other(small):
    folder = small(page='# %%\n1\n\n# %% exercise="91.2"\n')
    with pytest.raises(exercises.Unbuildable, match=r"source_py/91_small.py, line 4: there is no"):
        sources.exercises_of("91")
    small(page="# %%\n1\n")
    with pytest.raises(exercises.Unbuildable, match=r"91_1_count.py, line 1: no chapter names"):
        sources.exercises_of("91")
    small(page='# %% exercise="91.1"\nprint(1)\n')
    with pytest.raises(exercises.Unbuildable, match=r"91_small.py, line 2: the exercise's cells"):
        sources.exercises_of("91")
    small()
    (folder / "91_2_more.py").write_text(COUNTED.replace("91.1", "91.2"), encoding="utf-8")
    with pytest.raises(exercises.Unbuildable, match=r"91_2_more.py, line 18: `MOST` is defined in"):
        halves.halves("91", ("91.1", "91.2"))


ADDED = """# %% [markdown]
# ### Exercise 03.9 · Count the replicas
#
# Cluster A has `r.A.brokers` brokers and one topic of `r.A.partitions` partitions, each with three
# replicas. How many replicas does the cluster keep of the topic, in all?

# %%
r = numbers("03.9")
r

# %% answer
replicas = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
replicas = {name: 3 * cluster.partitions for name, cluster in r.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="replicas of a topic",
    points=2,
    answers=("replicas",),
    draws=CLUSTERS,
    space={"brokers": range(4, 14), "partitions": range(5, 41)},
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"replicas": sum(3 for _ in range(case["partitions"]))},
    right="right: three of each partition, wherever they are.",
    otherwise="not yet. How many copies are there of each partition?",
)

# %% wrong="copies besides the leader's"
# You counted the followers only. The leader's copy of each of the {partitions} partitions is a
# replica too.
replicas = {name: 2 * cluster.partitions for name, cluster in r.items()}

# %% wrong="a copy on each broker"
# You put a copy on each of the {brokers} brokers. There are three of each partition.
replicas = {name: cluster.brokers * cluster.partitions for name, cluster in r.items()}

# %% wrong="one of each"
# You counted the partitions. Each of the {partitions} has three replicas.
replicas = {name: cluster.partitions for name, cluster in r.items()}

# %% hint
# How many partitions are there, and how many copies of each?

# %% hint
# Three times the number of partitions; the number of brokers does not count.
"""


@pytest.fixture(scope="module")
def copy_with_03_9(tmp_path_factory):
    """(course folder, run): a copy of chapter 03 to which exercise 03.9 was added with the
    commands that an author gives."""
    home = tmp_path_factory.mktemp("course")
    exercise_screen.copy_sources("03.1", home, HOME / "notebooks")
    page = home / "notebooks" / "source_py" / f"{sources.name_of('03')}.py"
    seals.renew("03", print)
    boxes = home / "questions" / "sealed" / "ch03.json"
    boxes.parent.mkdir(parents=True)
    boxes.write_bytes((sealed.folder() / "ch03.json").read_bytes())
    (home / "notebooks" / "topics.csv").write_bytes(
        (HOME / "notebooks" / "topics.csv").read_bytes()
    )

    def run(*words):
        done = subprocess.run(
            [sys.executable, *(() if words[0] == "-c" else ("-m", "autograder")), *map(str, words)],
            env={**os.environ, "AUTOGRADER_COURSE": str(home), "PYTHONPATH": str(HOME)},
            cwd=home,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr

    code, said = run("new", "03.9", "Count the replicas")
    (path,) = (home / "notebooks" / "exercises" / "03").glob("03_9_*.py")
    assert code == 0 and '# %% exercise="03.9"' in said and path.name in said
    code, said = run("exercise", "03.9")
    assert code == 3 and f"{path.name}, line 4: fill in the blank" in said
    assert len(ADDED.splitlines()) <= 60
    path.write_text(ADDED, encoding="utf-8")
    code, said = run("exercise", "03.9")
    assert code == 3 and said.count("TO DO") == 1, said
    assert 'add the line `# %% exercise="03.9"`' in said
    text = page.read_text(encoding="utf-8")
    page.write_text(text + '\n# %% exercise="03.9"\n', encoding="utf-8")
    code, said = run("exercise", "03.9")
    assert code == 3 and re.search(r"TO DO +minutes .*the longest may take 50", said), said
    page.write_text(
        text.replace('# %% exercise="03.2"\n', '# %% exercise="03.2"\n\n# %% exercise="03.9"\n')
    )
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    code, said = run("exercise", "03.9")
    assert code == 0 and "TO DO" not in said, said
    assert before == {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    for words in (("course", "--prose", "03"), ("seal", "03.9")):
        code, said = run(*words)
        assert code == 0, said
    return home, run


@pytest.mark.slow
def test_an_exercise_is_added_with_one_file_and_one_line(copy_with_03_9, tmp_path):
    home, run = copy_with_03_9
    (release,) = (home / "notebooks" / "release").rglob("*.ipynb")
    lines = {
        "right": "replicas = {name: 3 * x.partitions for name, x in r.items()}",
        "wrong": "replicas = {name: 2 * x.partitions for name, x in r.items()}",
        "every": "replicas = {name: x.brokers * x.partitions for name, x in r.items()}",
        "blank": None,
    }
    for name, line in lines.items():
        notebook = json.loads(release.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if line and cell["metadata"].get("nbgrader", {}).get("grade_id") == "q-03-9":
                cell["source"] = line
        (tmp_path / name).mkdir()
        (tmp_path / name / release.name).write_text(json.dumps(notebook), encoding="utf-8")
    graded = run(
        "-c",
        "import json, sys; from autograder.grade import grade\n"
        "print(json.dumps([grade('03', each)['cells']['03.9'] for each in sys.argv[1:]]))",
        *(tmp_path / name / release.name for name in lines),
    )
    assert graded[0] == 0, graded[1]
    told = dict(zip(lines, json.loads(graded[1]), strict=True))
    assert {name: cell["score"] for name, cell in told.items()} == {
        "right": 2, "wrong": 0, "every": 0, "blank": 0
    }  # fmt: skip
    assert "three of each partition, wherever they are" in told["right"]["sentence"]
    assert "You counted the followers only" in told["wrong"]["sentence"]
    assert re.search(r"a copy on each of the \d+ brokers", told["every"]["sentence"])
    assert told["blank"]["sentence"] == "`replicas` is not written yet."


@pytest.mark.slow
def test_a_new_exercise_leaves_the_seals_of_the_others_alone(copy_with_03_9):
    home, _ = copy_with_03_9
    now = json.loads((home / "questions" / "sealed" / "ch03.json").read_text(encoding="utf-8"))
    before = sealed.read("03")
    assert list(now) == [*before, "03.9"][: len(now)] or set(now) == {*before, "03.9"}
    assert {id: boxes for id, boxes in now.items() if id != "03.9"} == before


@pytest.mark.slow
def test_every_wrong_answer_and_each_number_is_looked_at(copy_with_03_9):
    """What the screen says of an exercise with one hint, a wrong answer that is right, and answers
    that are alike."""
    home, run = copy_with_03_9
    (path,) = (home / "notebooks" / "exercises" / "03").glob("03_9_*.py")
    spoiled = (
        ("2 * cluster", "3 * cluster"),
        ("range(5, 41)", "range(5, 6)"),
        ("# %% hint\n# Three", "# Three"),
    )
    text = ADDED
    for right, wrong in spoiled:
        assert right in text
        text = text.replace(right, wrong, 1)
    try:
        path.write_text(text, encoding="utf-8")
        code, said = run("exercise", "03.9")
        assert code == 3
        assert re.search(r"TO DO +hints +\S+03_9\S+, line 1: 1 of 2", said), said
        assert re.search(r"TO DO +wrong answers +\S+03_9\S+, line 37: it is right", said), said
        assert re.search(r"TO DO +sealing +\S+, line 37: .*no case tells copies", said), said
        assert re.search(r"TO DO +numbers +\S+, line 17: .*a neighbour's answer earns 100%", said)
    finally:
        path.write_text(ADDED, encoding="utf-8")


def test_two_wrong_answers_are_too_few():
    """The number is that of the chapters' tests, in one place."""
    few = (None,) * (exercises.LEAST_WRONG - 1)
    looked = SimpleNamespace(
        judge=SimpleNamespace(wrong_answers=few), exercise=SimpleNamespace(path=HOME / "03_9.py")
    )
    with pytest.raises(exercise_rules.Unruly, match="2 of 3"):
        exercise_rules._wrong(looked)


@pytest.mark.slow
def test_a_sentence_that_speaks_of_what_no_case_has_is_a_broken_rule(copy_with_03_9):
    home, run = copy_with_03_9
    (path,) = (home / "notebooks" / "exercises" / "03").glob("03_9_*.py")
    try:
        path.write_text(ADDED.replace("{brokers} brokers", "{nobodys} brokers"), encoding="utf-8")
        said = run("exercise", "03.9")[1]
        assert re.search(r"line 42: no case has this name: .*\{nobodys\}", said), said
    finally:
        path.write_text(ADDED, encoding="utf-8")
