"""The hostile corpus against the sandbox: a fixed share of it here,
all of it in `make test-all` and `make redteam`."""

import re

import pytest

from autograder.cell.course_folder import released
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.course.references import references
from autograder.proving.redteam import FLAGGED_SHARE, RedTeam, Watched
from autograder.sandbox.outside import parent as sandbox
from autograder.sandbox.outside.signs import in_answers, in_heard
from autograder.tests.hostile import FAMILIES, Attack, attacks

SHARE = 40  # every fortieth, and the first of each family


@pytest.fixture(scope="module")
def team():
    """One sandbox at this machine's best level, with the grounds round it."""
    with RedTeam() as opened:
        if opened.level == "L1":
            pytest.skip(f"attacks at level L1 would hurt this machine: {opened.why}")
        yield opened


def chosen() -> list[Attack]:
    """The share of `make test`: quick ones first of all, for a bomb takes its whole limit."""
    first = [
        next(attack for attack in attacks((family,)))
        for family in FAMILIES
        if family != "resources"
    ]
    return first + [
        attack
        for attack in attacks()[::SHARE]
        if attack not in first and attack.family not in ("resources", "parent")
    ]


def test_the_corpus_covers_every_family():
    everything = attacks()
    assert len(everything) >= 60 and {attack.family for attack in everything} == set(FAMILIES)
    assert len({(attack.family, attack.name) for attack in everything}) == len(everything)
    assert all(attack.tries and attack.chapter in released() for attack in everything)


@pytest.mark.parametrize("attack", chosen(), ids=lambda attack: f"{attack.family}, {attack.name}")
def test_nothing_comes_through(team, attack):
    outcome = team.run(attack)
    assert outcome.through == [], outcome.reason


@pytest.mark.slow
@pytest.mark.parametrize("level", ["L3", "L2"])
def test_nothing_at_all_comes_through(level):
    from autograder.proving.redteam import redteam

    report = redteam(level, attacks(), say=lambda text: None)
    if report.level != level:
        pytest.skip(f"level {level} is not to be had here: {report.why}")
    assert (
        not any(outcome.through for outcome in report.outcomes)
        and not report.left_behind
        and not report.false_flags
    ), str(report)
    assert report.flagged_share >= FLAGGED_SHARE, str(report)


QUICK_BOMBS = {
    "20 GB at once": "it asked for more than 2,048 MB of memory",
    "a sparse file of 1 TB": "a file may be 16 MB large",
    "sleeping threads": (
        "no more than 64 processes and threads may run|it started more than 64 processes and "
        "threads"
    ),
    "a pipe full of noise": "its answers were longer than 4,000,000 bytes",
}
FORK_BOMB = (
    "the fork bomb",
    "it started more than 64 processes and threads|the time was up|no answer after [24] s|"
    "it used more than 2,048 MB of memory",  # which limit it meets first is the machine's affair
)
# 2 s of processor time, or 4 s by the clock on a machine that has too much to do
SLOW_BOMBS = {
    "a loop that cannot be interrupted": "no answer after [24] s",
    "a plain loop": "no answer after [24] s",
    "memory, page by page": "memory|no answer|the time was up",
    "memory of many": "it used more than 2,048 MB of memory|the time was up",
    "/dev/shm": "all files together may be 64 MB large|a file may be 16 MB large",
    "1 GB of answer": "longer|memory|no answer|the time was up",
    "deep data": "lists inside lists",
    "descriptors": "Too many open files",
}


@pytest.mark.parametrize(
    "name, said",
    [
        *QUICK_BOMBS.items(),
        pytest.param(*FORK_BOMB, marks=pytest.mark.corpus),
        *(pytest.param(*bomb, marks=pytest.mark.slow) for bomb in SLOW_BOMBS.items()),
    ],
)
def test_a_bomb_ends_at_its_limit_and_says_which(team, name, said):
    """What was won before it stays won, its neighbour notices nothing, no process is left,
    and the sentence names the limit."""
    bomb = next(attack for attack in attacks(("resources",)) if attack.name == name)
    outcome = team.run(bomb)
    assert outcome.through == []
    assert re.search(said, f"{outcome.reason} {outcome.sentence}"), (
        outcome.reason,
        outcome.sentence,
    )


def test_honest_answers_are_not_pointed_at():
    """Right answers, and the wrong ones people give."""
    for chapter in ("02", "03"):
        right = references(chapter)
        assert in_answers(right) == []
        for question in right:
            if "open" not in question:
                assert [
                    in_answers({question: wrong.source})
                    for wrong in judge_of(question).wrong_answers
                    if in_answers({question: wrong.source})
                ] == []
        assert (
            in_answers(
                {},
                tuple(
                    cell.source
                    for cell in master(chapter).cells
                    if cell.kind == "code"
                    and "numbers" not in cell.source
                    and "import json, pathlib" not in cell.source
                ),
            )
            == []
        )


@pytest.mark.parametrize(
    "honest",
    [
        "import os\nprint(os.getcwd(), os.listdir('.'))\nopened = 4",
        "import matplotlib.pyplot as plt\nplt.rcParams['figure.figsize'] = (8, 4)\nopened = 4",
        "import pandas as pd\npd.options.display.max_rows = 10\nopened = 4",
        "import sys\nprint(sys.version)\nsys.exit()",
        "%matplotlib inline\n!pip install kafka-python\nopened = 4",
        "with open('/data/ada/kafka/data.txt') as file:\n    opened = len(file.read())",
        (
            "class Counter:\n    def __init__(self):\n        self.count = 0\n"
            "    def __repr__(self):\n        return str(self.count)\nopened = 4"
        ),
        "import re\npattern = re.compile(r'id: (-?\\d+)')\nopened = 4",
        (
            "from autograder import check, numbers\n"
            "import threading, time, json, math, collections, pathlib\nopened = 4"
        ),
        (
            "import os\nos.environ['JAVA_HOME'] = '/usr/lib/jvm/java-17'\n"
            "opened = int(os.environ.get('X', 4))"
        ),
        (
            "requests = [1, 2]\nsockets = lab.sockets()\nsecret = 'no'\n"
            "opened = type(sockets).__name__"
        ),
        (
            "class Shelf:\n    def __init__(self):\n        self._rows = []\n"
            "    def add(self, other):\n        self._rows += other._rows\nopened = 4"
        ),
        (
            "from collections import namedtuple\nPair = namedtuple('Pair', 'left right')\n"
            "opened = Pair(1, 2)._replace(left=4)._asdict()['left']"
        ),
        (
            "def rule(name):\n    rule._seen = getattr(rule, '_seen', 0) + 1\n"
            "    return rule._seen\nfrom kafkalab.lines import layout\nopened = 4"
        ),
        "'''I looked at /proc and in gradebook.db first, but that is not needed.'''\nopened = 4",
    ],
)
def test_what_honest_people_write_is_no_sign(honest):
    assert in_answers({"02.2": honest}) == []


def test_a_sign_is_told_in_words_a_teacher_can_check():
    told = in_answers(
        {"02.2": "import ctypes, os\nos._exit(0)", "02.3": "x = __import__('o' + 's')"},
        ("import gc",),
    )
    assert told == [
        "worth a look: the answer to 02.2 imports ctypes, uses os._exit",
        "worth a look: the answer to 02.3 calls __import__",
        "worth a look: a cell that was added imports gc",
    ]
    assert in_heard({"signs": ["process", "made up", "process"], "noise": 3}) == [
        "worth a look: while it ran, it started or ended processes",
        "worth a look: something other than answers was written into the grading's pipe",
    ]
    assert in_answers(
        {
            "06.5": "if producer._death: pass",
            "07.2": (
                "from kafkalab.clients.network.node import Node\nimport kafkalab\nx ="
                " kafkalab.broker"
            ),
        }
    ) == [
        "worth a look: the answer to 06.5 reaches into _death",
        (
            "worth a look: the answer to 07.2 imports kafkalab.clients.network.node, uses"
            " kafkalab.broker"
        ),
    ]
    assert in_answers({"02.2": "(" * 50_000}) == [] and in_heard({}) == []


def test_what_hides_from_the_text_is_heard(team):
    """Three getattr and a joined name: nothing stands in the text,
    and the interpreter says what was done."""
    hidden = (
        "loader = getattr(globals()['__buil' + 'tins__'], '__imp' + 'ort__', None) or "
        "globals()['__buil' + 'tins__']['__imp' + 'ort__']\n"
        "still_open = getattr(loader('o' + 's'), 'sys' + 'tem')('true')"
    )
    assert in_answers({"02.1": hidden}) == []
    heard = team.sandbox.run(
        [{"source": hidden, "question": "x", "cases": [{}], "read": ["still_open"]}], {}
    )
    assert "process" in heard["signs"]


def test_reaching_into_java_is_pointed_out():
    """The text says so; ordinary Spark is not pointed out."""
    for attack in attacks(("spark",)):
        said = in_answers({attack.question: attack.source})
        assert said if attack.tampers and attack.name != "without a word" else True, attack.name
    honest = (
        "from pyspark.sql import functions as F, Window\nfrom kafkalab import logsets\n"
        "spark = logsets.session()\n"
        "spark.conf.set('spark.sql.shuffle.partitions', '4')\n"
        "found = spark.sql('select reflected(x) from t')\n"
    )
    own = {"02.6": references("02")["02.6"], "11.6": references("11")["11.6"]}
    assert in_answers({"02.5": honest, **own}) == []


@pytest.mark.slow
def test_the_red_team_sees_a_hole(monkeypatch):
    """Were hidden cases told with the public ones, or a level believed that leaks,
    the numbers would say so."""
    by_name = {attack.name: attack for attack in attacks(("secrets",))}
    told_at_once = Watched.run

    def careless(self, steps, numbers, spark=False):
        return told_at_once(
            self,
            [
                {**step, "cases": step.get("cases", []) + step.get("hidden", []), "hidden": []}
                for step in steps
            ],
            numbers,
            spark,
        )

    monkeypatch.setattr(Watched, "run", careless)
    with RedTeam() as open_one:
        assert any(
            "hidden case" in words for words in open_one.run(by_name["the frames above"]).through
        )


@pytest.mark.corpus
def test_the_grounds_see_packets(monkeypatch):
    """A wall with a gap: the network is shared, and the probe is told to be silent."""
    from autograder.sandbox.outside import bubble

    if bubble.found() is None:
        pytest.skip("there is no bubblewrap here")
    true = bubble.command

    def with_a_gap(program, uid, readable, hidden, environment, lent):
        return [
            word
            for word in true(program, uid, readable, hidden, environment, lent)
            if word != "--unshare-net"
        ]

    monkeypatch.setattr(bubble, "command", with_a_gap)
    monkeypatch.setattr(sandbox.Probe, "judge", lambda self, heard: [])
    by_name = {attack.name: attack for attack in attacks(("network",))}
    with RedTeam() as open_one:
        assert any(
            "packets" in words for words in open_one.run(by_name["TCP to the machine"]).through
        )


def test_attempts_at_cheating_are_flagged_by_their_text_alone():
    """Without running anything: most of what tries to cheat can be seen in the answer."""
    attempts = [
        attack
        for attack in attacks(("forge", "leave", "secrets", "unpickle"))
        if attack.tampers and attack.source
    ]
    seen = [attack for attack in attempts if in_answers({attack.question: attack.source})]
    assert len(seen) >= FLAGGED_SHARE * len(attempts), [
        attack.name for attack in attempts if attack not in seen
    ]


def test_nothing_of_a_learners_speaks_to_a_terminal(tmp_path):
    """Escape codes, line ends and directions: in what a sentence repeats, in the name of a file,
    in that of a file in a zip."""
    import zipfile

    from autograder.cell.numbers import numbers_for
    from autograder.cell.question import find
    from autograder.grading.verdict import all_cases, mark
    from autograder.handed_in.submission import read

    loud = "\x1b[2J\x1b]0;owned\x07\u202e2 fo 2\r\n"
    for question in (find("02.7"), find("03.3"), find("08.1")):
        case = all_cases(question, dict(numbers_for(question, "mallory")))[0]
        for data in (loud, [loud], dict.fromkeys(question.answers, loud)):
            heard = {"replies": {question.id: [{"data": data}]}, "ended": "", "broken": {}}
            assert mark(question, 2, [case], heard).sentence.isprintable(), question.id
    with zipfile.ZipFile(tmp_path / "mallory\x1b[2J\n.zip", "w") as archive:
        for name in ("one.ipynb", f"two{loud}.ipynb"):
            archive.writestr(name, master("02").path.read_text())
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / f"{loud}.ipynb".replace("/", "")).symlink_to("/etc/passwd")
    for path in tmp_path.iterdir():
        (submission,) = read(path)
        assert (
            submission.reason.isprintable() and submission.name.isprintable() and submission.reason
        )
