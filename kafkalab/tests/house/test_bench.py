"""Checks that the lab clock of bench/ counts every second in which a lab runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
from bench import _lab_clock
from kafkalab import KafkaConsumer, Lab, TopicPartition

def polls(lab):
    consumer = KafkaConsumer(lab, {})
    consumer.assign([TopicPartition("t", 0)])
    while True:
        consumer.poll(timeout_ms=1_000)

def play():
    lab = Lab(brokers=1)
    lab.create_topic("t")
    lab.spawn(polls)
    lab.run_for(ms=2_000)
    return lab

_lab_clock.watch()
labs = [play()]
first = _lab_clock.seconds_spent()
labs.append(play())
second = _lab_clock.seconds_spent()
labs[0].step()
assert 0 < first < second < _lab_clock.seconds_spent(), (first, second)
"""


def test_a_lab_is_timed_while_apps_of_another_lab_wait():
    """An app's call that waits does not return as long as its lab stands still."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
