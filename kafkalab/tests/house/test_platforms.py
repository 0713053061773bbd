"""A machine like Windows, made here: no module and no call that only Unix has.

The simulator, the learner's half, the log sets and the reading of what was handed in run there.
Grading and real brokers say in one sentence what they need.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
RECORDING = "data/recordings/4.4.0/4.4.0/producer_keyed/client.log.gz"
WITHOUT = """
import os, sys
for name in ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "syslog"):
    sys.modules[name] = None
for name in ("getuid", "geteuid", "getgid", "getegid", "fork", "pread", "killpg", "setsid"):
    if hasattr(os, name):
        delattr(os, name)
"""
ROOMS = """
import importlib, pkgutil
rooms = ["kafkalab", "autograder.cell", "autograder.learner", "autograder.handed_in"]
for room in rooms:
    found = pkgutil.walk_packages(importlib.import_module(room).__path__, room + ".")
    for module in [each.name for each in found if ".tests" not in each.name]:
        if not module.startswith("kafkalab.real."):
            importlib.import_module(module)
print(len(sys.modules))
"""
LAB = """
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
lab = Lab(brokers=3, seed=7)
lab.create_topic("orders", partitions=3)
producer = KafkaProducer(lab, {"client.id": "shop"})
producer.send(ProducerRecord("orders", key="alice", value="tea")).get()
consumer = KafkaConsumer(lab, {"group.id": "g", "auto.offset.reset": "earliest"})
consumer.subscribe(["orders"])
records = [record.value for poll in range(10) for record in consumer.poll(timeout_ms=1_000)]
print(records, len(lab.sockets()))
"""
TEXT = """
from kafkalab.logsets.block import Block
from kafkalab.logsets.files import files_of
from kafkalab.logsets.ranges import ranges_of, tasks_of
from kafkalab.logsets.record_batches import record_batch_of
from kafkalab.lines.layout import read
rows = list(read(sys.argv[1]))
print(len(rows), sum(row.line is not None for row in rows), [file.name for file in files_of(sys.argv[1])])
"""  # noqa: E501


def like_windows(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + program, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(ROOT)},
    )


def test_a_lab_and_a_text_are_read_without_unix():
    done = like_windows(LAB + TEXT, RECORDING)
    assert done.returncode == 0, done.stderr
    played, read = done.stdout.splitlines()
    assert played.startswith("['tea'] ")
    rows, with_line, names = read.split(maxsplit=2)
    assert int(rows) == int(with_line) > 100 and "client.log.gz" in names


def test_real_brokers_say_in_one_sentence_what_they_need():
    done = like_windows(
        "from kafkalab.__main__ import main\nraise SystemExit(main(['real', 'status']))"
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("`real` needs Linux, macOS, or WSL2 on Windows")


@pytest.mark.slow
def test_every_room_but_grading_and_real_brokers_is_imported_without_unix():
    done = like_windows(ROOMS)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_log_is_explained_without_unix():
    program = "from kafkalab.__main__ import main\nsys.exit(main(['logsets', *sys.argv[1:]]))"
    done = like_windows(program, "explain", RECORDING)
    assert done.returncode == 0, done.stderr
    assert "producer" in done.stdout


@pytest.mark.parametrize("words", [("doctor",), ("grade", "notebooks/release", "--json", "-")])
def test_grading_says_what_it_needs(words):
    program = "from autograder.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    done = like_windows(program, *words)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "needs Linux, macOS, or WSL2" in done.stderr
