"""Whoever lacks an extra reads one sentence with its command, and the rest works."""

from __future__ import annotations

import ast
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.__main__ import EXTRAS as BENCH
from bench.__main__ import comparisons
from kafkalab import extras
from kafkalab.extras import PACKAGES
from kafkalab.tests.shares import few

ROOT = Path(__file__).resolve().parents[3]
WITHOUT = """
import sys
from kafkalab.extras import PACKAGES
for extra in sys.argv.pop(1).split(","):
    for package in PACKAGES[extra].split():
        sys.modules[package] = None
"""
ALL = ",".join(PACKAGES)
RUN = "import runpy\nmodule = sys.argv[1]\nsys.argv[:] = sys.argv[1:]\nrunpy.run_module(module, run_name='__main__')"  # noqa: E501
LAB = """
from kafkalab import KafkaConsumer, Lab
from kafkalab.views import timeline
lab = Lab(brokers=3, seed=7)
lab.create_topic("t")
consumer = KafkaConsumer(lab, {"group.id": "g"}, version="2.3")
consumer.subscribe(["t"])
consumer.poll(timeout_ms=20_000)
print(len(lab.sockets()), len(lab.lines()), len(timeline(lab).png()) > 1_000)
"""


def without(missing: str, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT + program, missing, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_the_base_plays_a_lab_and_draws_it():
    done = without(ALL, LAB)
    assert done.returncode == 0, done.stderr
    sockets, lines, drawn = done.stdout.split()
    assert int(sockets) > 2 and int(lines) > 20 and drawn == "True"


@pytest.mark.parametrize(
    ("words", "named"),
    few(
        [
            (("kafkalab", "logsets", "explain", "data/samples/tiny/lines"), "logs"),
            (("kafkalab.logsets", "lag", "data/samples/tiny/lines"), "logs"),
            (("kafkalab", "real", "status"), "spark"),
            (("autograder.learner.lab",), "learn"),
            (("autograder", "open"), "learn"),
            (("autograder", "check", "03"), "learn"),
            (("autograder", "minutes", "03"), "teach"),
            (("autograder", "grade", "data", "--out", "/dev/null/out"), "spark teach"),
            (("kafkalab.logsets", "generate", "trouble", "--out", "/dev/null/out"), "spark"),
            (("autograder", "browser", "02"), "spark teach learn dev"),
            (("autograder", "book", "01"), "spark teach learn book logs clients"),
            (("bench", "simulator"), "bench"),
            (("bench", "reading"), "spark logs bench"),
            (("bench",), "spark teach learn logs bench"),
        ],
        4,
    ),
    ids=lambda each: each if isinstance(each, str) else " ".join(each[:2]),
)
def test_a_base_alone_names_all_that_a_command_needs_in_one_sentence(words, named):
    done = without(ALL, RUN, *words)
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    installed = re.search(r"pip install .*\[(.*)\]", done.stderr)
    assert installed and installed[1].split(",") == named.split()


def test_a_command_names_only_what_is_missing():
    done = without("bench,book", RUN, "bench", "reading")
    assert done.returncode == 2 and "which the extra `bench` brings" in done.stderr


def test_no_command_brings_the_judges_into_the_environment_of_students(tmp_path, monkeypatch):
    """A teacher types a command of a checkout on a hub, whose Python has the students' package."""
    monkeypatch.setattr(extras.sysconfig, "get_path", lambda name: str(tmp_path))
    before = extras.install_command("teach")
    assert before.startswith(f"{sys.executable} -m pip")
    (tmp_path / "autograder" / "cell").mkdir(parents=True)
    own = f"{ROOT}/.venv"
    told = extras.install_command("teach")
    assert told.startswith(f"python3 -m venv {own} && {own}/bin/python -m pip install")
    assert told.endswith(f"-e '{ROOT}[teach]'")
    (tmp_path / "autograder" / "course").mkdir()  # a teacher's own environment
    assert extras.install_command("teach") == before


def test_the_error_arrives_whole_from_another_process():
    error = extras.MissingExtra({"bench": "simpy", "spark": "pyspark"})
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.packages == error.packages
    assert "pyspark and simpy are not installed" in str(again)


def test_a_comparison_names_the_extras_of_what_it_imports():
    """bench/__main__.py has them as a table, for it must know them before it imports anything."""
    assert sorted(BENCH) == comparisons()
    for name, named in BENCH.items():
        for what, one_of in needed_by(f"bench.{name}"):
            assert one_of & set(named.split()), f"bench/__main__.py: {name} imports {what}"


def needed_by(module: str) -> Iterator[tuple[str, set[str]]]:
    """What a file of bench/ imports, and the extras of which one brings it."""
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, *others = name.split(".")
            if first == "autograder":
                yield name, {"teach"}
            elif name.startswith("kafkalab.logsets"):
                yield name, {"spark"}
            elif first == "bench" and (ROOT / "bench" / f"{others[0]}.py").is_file():
                yield from needed_by(f"bench.{others[0]}")
            else:
                bringing = {extra for extra in PACKAGES if first in PACKAGES[extra].split()}
                yield from [(name, bringing)] if bringing else []


def test_a_name_of_the_log_sets_asks_for_spark_and_java_is_found_without_it():
    program = """
from kafkalab.logsets.java import find_java
print(callable(find_java))
from kafkalab.logsets import session
"""
    done = without("spark", program)
    assert done.stdout == "True\n"
    assert done.stderr.splitlines()[-1].startswith("kafkalab.extras.MissingExtra: py")


def test_chapter_00_says_that_spark_is_missing():
    done = without("spark", "from autograder.learner.machine import machine\nprint(machine())")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()][:3] == ["Python", "Java", "Spark"]


def test_the_command_never_asks_the_index_for_kafkalab(tmp_path, monkeypatch):
    """The name on a package index is not ours: a checkout is installed again as it lies there,
    and pip takes a kafkalab that is installed as it is."""
    assert f"-e {ROOT}[spark]" in extras.install_command("spark").replace("'", "")
    monkeypatch.setattr(extras, "HOME", tmp_path)
    assert extras.install_command("spark").endswith('-m pip install "kafkalab[spark]"')


@pytest.mark.corpus
def test_a_moving_picture_without_widgets_is_its_still():
    program = """
from kafkalab import Lab
from kafkalab.extras import MissingExtra
from kafkalab.views import cluster_map, moving
lab = Lab(brokers=1)
picture = moving(lambda at_ms: cluster_map(lab, at_ms), at=range(0, 3))
print(len(picture.still.text) > 20)
try:
    picture.widget()
except MissingExtra as missing:
    print(missing)
"""
    done = without("learn", program)
    still, sentence = done.stdout.splitlines()
    assert still == "True" and sentence.startswith("ipywidgets is not installed"), done.stderr
