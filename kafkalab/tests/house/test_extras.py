"""Whoever lacks an extra reads one sentence with its command, and the rest works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kafkalab import extras

ROOT = Path(__file__).resolve().parents[3]
WITHOUT = """
import sys
from kafkalab.extras import PACKAGES
for extra in sys.argv.pop(1).split(","):
    for package in PACKAGES[extra].split():
        sys.modules[package] = None
"""
ALL = ",".join(extras.PACKAGES)
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
    ("extra", "words"),
    [
        ("logs", ("kafkalab", "logsets", "explain", "data/samples/tiny/lines")),
        ("logs", ("kafkalab.logsets", "lag", "data/samples/tiny/lines")),
        ("learn", ("autograder.learner.lab",)),
        ("learn", ("autograder", "open")),
        ("teach", ("autograder", "minutes", "03")),
        ("teach,learn", ("autograder", "grade", "data", "--out", "/dev/null/out")),
        ("dev", ("autograder.proving.browser", "02")),
        ("dev", ("kafkalab", "conformance", "data/recordings", "--tell")),
        pytest.param(
            "book", ("autograder", "book", "01", "--out", "/dev/null/book"), marks=pytest.mark.slow
        ),
        ("bench", ("bench", "reading")),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each[:2]),
)
def test_a_missing_extra_is_one_sentence_with_its_command(extra, words):
    done = without(extra, RUN, *words)
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert done.stderr.count("\n") == 1
    assert (
        f"the extra `{extra.partition(',')[0]}` brings" in done.stderr
        and "pip install" in done.stderr
    )


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
