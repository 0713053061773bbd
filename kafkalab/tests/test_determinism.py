"""Is a run a function of its seed and nothing else?

Python shuffles its hashes anew in each process (PYTHONHASHSEED), so a set whose order reaches a
line shows only between two processes. Each run here is a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab
from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.tests.shares import few

ROOT = Path(__file__).resolve().parents[2]

# Two consumers of one group, a producer, and perhaps a stranger; {names} in braces are filled in by
# `run`.
STORY = """
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord

lab = Lab(brokers=3, seed={seed})
lab.create_topic("orders", partitions=4)
lab.create_topic("audit", partitions=3)

def read(lab, name, group):
    consumer = KafkaConsumer(lab, {{"bootstrap.servers": "localhost:9092", "group.id": group}}, name=name)
    consumer.subscribe(["orders", "audit"])
    while True:
        consumer.poll(timeout_ms=100)

for name, group in {readers}:
    lab.spawn(read, name, group)
producer = KafkaProducer(lab, {{"bootstrap.servers": "localhost:9092,localhost:9093"}}, name="till")
for number in range(20):
    producer.send(ProducerRecord("orders", key=str(number), value="tea"))
lab.run_for(ms=8_000)
producer.close()
if {client} is None:
    print(*lab.journal.events, sep="\\n")
print(*lab.lines({client})["text"], sep="\\n")
"""  # noqa: E501
GROUP = [("inv-1", "shop"), ("inv-2", "shop")]


def run(
    seed: object,
    *,
    hash_seed: str = "1",
    client: str | None = None,
    readers: list[tuple[str, str]] = GROUP,
) -> str:
    """The journal and all lines of the story, or one client's lines,
    told by a process whose hashes are `hash_seed`'s."""
    story = STORY.format(seed=repr(seed), client=repr(client), readers=repr(readers))
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", story],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("seed", few([7, {"inv-1": 3, "till": 5}]))
def test_two_processes_with_other_hashes_write_the_same_bytes(seed):
    first, second = run(seed, hash_seed="1"), run(seed, hash_seed="2")
    assert first == second
    assert first.count("\n") > 1_000, "the story should be long enough to go wrong"


@pytest.mark.slow
def test_another_seed_is_another_run():
    assert run(0) != run(1)


@pytest.mark.corpus
def test_a_stranger_leaves_a_clients_luck_alone():
    """A consumer of another group draws from streams of its own,
    so the producer writes what it would have written."""
    assert run(7, client="till") == run(
        7, client="till", readers=[*GROUP, ("passer-by", "elsewhere")]
    )


def test_a_learners_own_function_is_told_by_its_name():
    """Python would print its address, which is another one in each process."""
    lab = Lab(brokers=1)

    class Watcher:
        def on_send(self, record):
            return record

        def on_acknowledgement(self, metadata, error):
            pass

    def deal(partitions, members):
        return {}

    KafkaConsumer(lab, {"group.id": "g", "partition.assignment.strategy": [deal]}, name="ada")
    KafkaProducer(
        lab,
        {"partitioner.class": lambda *asked: 0, "interceptor.classes": [Watcher()], "acks": "all"},
        name="shop",
    )
    told = "".join(map(repr, lab.journal.events))
    assert "deal" in told and "Watcher" in told and "'acks': 'all'" in told and " at 0x" not in told


def test_keys_of_a_hash_map_have_an_order_of_their_own():
    with pytest.raises(AssertionError, match="the order in which they were put"):
        hash_map_order({"orders", "returns"}, java_string_hash)
    same_bucket = ["returns", "orders"]
    assert hash_map_order(same_bucket, java_string_hash) == same_bucket
    assert hash_map_order(same_bucket[::-1], java_string_hash) == same_bucket[::-1]
