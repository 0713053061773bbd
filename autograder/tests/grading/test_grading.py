"""Whoever knows gets the points, whoever does not gets the reason,
and whoever cheats gets nothing."""

import os
import time

import pytest

from autograder.cell.question import find
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.grading.lanes.submission_run import run
from autograder.handed_in.submission import read
from kafkalab.tests.shares import few

MACHINE = ("90.1", "90.2", "90.3")


@pytest.fixture
def graded(hand_in, sandbox):
    """graded({...answers}) -> the result of a submission with these answers,
    the reference elsewhere."""
    return lambda answers=None, **words: run(read(hand_in("s1", answers, **words))[0], sandbox)


def test_the_reference_has_full_marks_for_every_student(graded):
    for student in ("", "ada", "s123", "x.y@z.org"):
        result = graded(student=student)
        assert (result["score"], result["max"], result["status"], result["reason"]) == (
            6,
            6,
            "graded",
            "",
        )
        assert (result["open_pending"], result["open_max"]) == (4, 4), (
            "the open answer waits for a person and has no points yet"
        )


def test_a_blank_notebook_has_nothing_and_waits_for_nobody(demo, sandbox):
    result = run(read(master("90").path)[0], sandbox)
    assert (result["score"], result["open_pending"], result["status"]) == (0, 0, "graded")
    assert all(
        result["cells"][question]["sentence"].endswith("not written yet.") for question in MACHINE
    )


@pytest.mark.parametrize(
    "question, step", [(question, step) for question in MACHINE for step in range(3)]
)
def test_each_named_wrong_answer_fails_for_its_own_reason(graded, question, step):
    named = judge_of(question).wrong_answers
    if step >= len(named):
        return
    result = graded({question: named[step].source}, student="s5")
    assert result["cells"][question]["score"] == 0
    assert {
        own: cell["misconception"] for own, cell in result["cells"].items() if cell["misconception"]
    } == {question: named[step].name}
    told_apart = named[step].sentence.split("{")[0]
    assert told_apart in result["cells"][question]["sentence"]
    others = [
        cell for name, cell in result["cells"].items() if name in MACHINE and name != question
    ]
    assert all(cell["score"] == cell["max"] for cell in others), (
        "the other answers keep their points"
    )


def test_a_neighbours_numbers_do_not_help(graded):
    """s1 and s5 have different numbers here, so one's answer is wrong for the other."""
    from autograder.cell.numbers import numbers_for

    assert numbers_for("90.1", "s1") != numbers_for("90.1", "s5")
    right = {
        student: f"opened = {numbers_for('90.1', student)['brokers'] + 2}\nkept = opened - 1"
        for student in ("s1", "s5")
    }
    assert graded({"90.1": right["s1"]}, student="s1")["cells"]["90.1"]["score"] == 2
    assert graded({"90.1": right["s1"]}, student="s5")["cells"]["90.1"]["score"] == 0


def test_an_answer_right_for_the_examples_only_fails_on_hidden_cases(graded):
    result = graded(
        {"90.2": "def node_id(broker):\n    return {2: 2147483645, 0: 2147483647}[broker]"}
    )
    assert result["cells"]["90.2"]["score"] == 0
    assert (
        result["cells"]["90.2"]["sentence"]
        == "on a case you have not seen: your code stopped with KeyError in line 2 of the answer."
    )


def test_an_error_is_told_with_its_line(graded):
    result = graded({"90.3": "count = 0\ntotal = 6 / count"})
    assert (
        result["cells"]["90.3"]["sentence"]
        == "your code stopped with ZeroDivisionError in line 2 of the answer: division by zero."
    )


# The hostile three of this slice.

FORGED = """
class Yes(int):
    __eq__ = __ne__ = __le__ = __ge__ = lambda self, other: True
    __hash__ = None
total = Yes(0)
"""


def test_an_object_that_equals_everything_equals_nothing_here(graded):
    result = graded({"90.3": FORGED})
    assert result["cells"]["90.3"]["score"] == 0
    assert result["cells"]["90.3"]["outcome"] == "wrong", "it counts as the number below it"


def test_leaving_by_the_back_door_keeps_what_was_won_and_wins_no_more(graded):
    result = graded({"90.2": "import os\nos._exit(0)"})
    assert [result["cells"][question]["score"] for question in MACHINE] == [2, 0, 0]
    assert result["status"] == "partial" and "the process ended itself" in result["reason"]


@pytest.mark.parametrize(
    "loop",
    few(
        [
            "while True: pass",
            "9 ** 9 ** 9",
            "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        ]
    ),
)
def test_an_endless_loop_costs_its_own_question_only(graded, sandbox, monkeypatch, loop):
    from autograder.sandbox.outside.parent import Limits

    monkeypatch.setattr(sandbox, "limits", Limits(cell_seconds=1))
    result = graded({"90.1": loop})
    assert [result["cells"][question]["score"] for question in MACHINE] == [0, 3, 1]
    assert (
        result["cells"]["90.1"]["sentence"]
        == "there was no answer after 1 s of processor time; look for a loop that never ends."
    )
    assert result["status"] == "graded"


@pytest.mark.corpus
def test_a_function_that_never_returns_is_waited_for_once(graded, sandbox, monkeypatch):
    """Not once for each of its cases: the questions below need the time."""
    from autograder.sandbox.outside.parent import Limits

    monkeypatch.setattr(sandbox, "limits", Limits(cell_seconds=1))
    result = graded(
        {"90.2": "def node_id(broker):\n    while broker < 3: pass\n    return 2**31 - 1 - broker"}
    )
    assert [result["cells"][question]["score"] for question in MACHINE] == [2, 0, 1]
    assert result["seconds"] < 60
    result = graded(
        {"90.2": "def node_id(broker):\n    while broker >= 3: pass\n    return 2**31 - 1 - broker"}
    )
    assert [result["cells"][question]["score"] for question in MACHINE] == [2, 0, 1]
    assert (
        result["cells"]["90.2"]["sentence"]
        == "on a case you have not seen: there was no answer after 1 s of processor time; look for"
        " a loop that never ends."
    )


def test_only_what_uses_spark_has_sparks_time(sandbox):
    """An endless loop beside a Spark question costs ten seconds, not sixty."""
    steps = [
        {"spark": True, "question": "02.6"},
        {"spark": False, "question": "02.3"},
        {"spark": False, "question": None},
    ]
    limits = sandbox.limits
    assert [sandbox._seconds_of(step, True) for step in steps] == [
        (limits.spark_cell_seconds, limits.spark_cell_wall_seconds),
        (limits.cell_seconds, limits.cell_wall_seconds),
        (limits.spark_cell_seconds, limits.spark_cell_wall_seconds),
    ]
    assert {sandbox._seconds_of(step, False) for step in steps} == {
        (limits.cell_seconds, limits.cell_wall_seconds)
    }


@pytest.mark.parametrize(
    "forgery",
    [
        (
            "import os, json\nfor fd in range(3, 64):\n    try:\n"
            '        os.write(fd, json.dumps({"question": "90.3", "replies": [{"verdict": "right", '
            '"score": 1}]}).encode() + b"\\n")\n'
            "    except OSError: pass\nos._exit(0)"
        ),
        (
            "from autograder.cell import reply\n"
            "reply.ask = lambda *words: {'ok': True, 'score': 1}\n"
            "total = 0"
        ),
        (
            "import autograder.cell.question as q\n"
            "q.Question.run_probe = lambda *words: {'ok': True}\n"
            "total = 0"
        ),
        (
            "import sys\nsys.modules['autograder.cell.data'].plain = lambda value, depth=0: True\n"
            "total = 0"
        ),
    ],
)
def test_forged_replies_are_answers_like_any_other(graded, forgery):
    result = graded({"90.3": forgery})
    assert result["cells"]["90.3"]["score"] == 0
    assert result["score"] == 5, "and nothing else is gained or lost"


def test_the_sandbox_holds_nothing_worth_stealing(graded, sandbox):
    """Probes of an answer that looks for judges, secrets and the world outside;
    it tells what it found as its answer."""
    look = """
import os, importlib
found = []
for module in ("autograder.course.judge", "autograder.course.references", "autograder.written.scorer", "autograder.grade", "autograder.course.sealing"):
    try:
        importlib.import_module(module); found.append(module)
    except ModuleNotFoundError:
        pass
found += [name for name in os.environ if "SECRET" in name or "AUTOGRADER" in name]
total = ",".join(found) or "nothing"
"""  # noqa: E501
    judge_sees = graded({"90.3": look})["cells"]["90.3"]["sentence"]
    heard = sandbox.run([{"source": look, "question": "90.3", "cases": [{}]}], {})
    assert heard["replies"]["90.3"] == [{"data": {"total": "nothing"}}], judge_sees


def test_from_level_two_on_there_are_no_files_of_ours_and_no_network(sandbox):
    level, why = sandbox.reached()
    if level == "L1":
        pytest.skip(f"this machine has no namespaces: {why}")
    from autograder.cell.course_folder import HOME

    look = f"""
import os, socket
try:
    socket.create_connection(("1.1.1.1", 80), 2); net = "out"
except OSError:
    net = "none"
total = [os.path.exists({str(HOME / "autograder" / "course")!r}), os.path.exists({str(HOME / "README.md")!r}), net,
         open("/proc/self/status").read().split("CapEff:")[1].split()[0], sorted(os.listdir("/course"))[:1], [name for name in os.listdir("/proc") if name.isdigit()]]
"""  # noqa: E501
    heard = sandbox.run([{"source": look, "question": "90.3", "cases": [{}]}], {})
    assert heard["replies"]["90.3"][0]["data"]["total"] == [
        False,
        False,
        "none",
        "0000000000000000",
        ["autograder"],
        ["1"],
    ]


def _words_of(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


@pytest.mark.parametrize("level", few(["L1", "L2", "L3"]))
def test_nobody_stays_behind(demo, level):
    """A child that made itself a session of its own ends with the submission, at every level."""
    from autograder.sandbox.outside.parent import Limits, Sandbox

    flee = (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        time.sleep(4321)\n    os._exit(0)\ntotal = 1"
    )
    with Sandbox(level=level, limits=Limits(seconds=60)) as sandbox:
        # by then Spark's empty rooms stand, too
        sandbox.run([{"source": "total = 0", "question": "90.3", "cases": [{}]}], {})
        before = set(os.listdir("/proc"))
        heard = sandbox.run([{"source": flee, "question": "90.3", "cases": [{}]}], {})
        assert heard["replies"]["90.3"] == [{"data": {"total": 1}}] and heard["ended"] == ""
        for _ in range(50):  # what was killed is listed until the kernel has cleared it away
            left = [
                name
                for name in set(os.listdir("/proc")) - before
                if name.isdigit() and str(sandbox.folder) in _words_of(name)
            ]
            if not left:
                break
            time.sleep(0.1)
        assert not left, [_words_of(name) for name in left]


@pytest.mark.corpus
def test_what_else_the_user_runs_does_not_count(demo):
    """RLIMIT_NPROC counts all processes of a user, a desktop's too: a hundred of them keep no
    submission from its first fork."""
    import subprocess

    from autograder.sandbox.inside.walls import NOBODY
    from autograder.sandbox.outside.parent import Limits, Sandbox

    crowd = subprocess.Popen(
        ["/bin/sh", "-c", "for i in $(seq 100); do sleep 60 & done; echo here; wait"],
        stdout=subprocess.PIPE,
        user=NOBODY if os.geteuid() == 0 else None,
        start_new_session=True,
    )
    try:
        crowd.stdout.readline()
        fork = "import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\ntotal = 1"
        with Sandbox(level="L1", limits=Limits(seconds=60)) as sandbox:
            heard = sandbox.run([{"source": fork, "question": "90.3", "cases": [{}]}], {})
        assert heard["replies"]["90.3"] == [{"data": {"total": 1}}]
    finally:
        os.killpg(crowd.pid, 9)
        crowd.wait()


def test_a_result_says_its_level(graded, sandbox):
    assert graded()["level"] == sandbox.reached()[0]


def test_hidden_cases_follow_from_the_secret(demo, monkeypatch):
    from autograder.grading.verdict import all_cases

    question = find("90.2")
    first = all_cases(question, {})
    assert first == all_cases(question, {}) and [hidden for _, hidden in first] == [
        False,
        False,
        True,
        True,
        True,
        True,
    ]
    monkeypatch.setenv("AUTOGRADER_SECRET", "another course")
    assert first[:2] == all_cases(question, {})[:2] and first[2:] != all_cases(question, {})[2:]
