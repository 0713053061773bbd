"""What does the picture in the README show? Ten minutes of one consumer, drawn by the simulator it
stands for.

`python -m kafkalab picture [FILE]` draws it again into data/picture.png. It is also the shortest
complete use of the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kafkalab import KafkaConsumer, Lab
from kafkalab.views import Picture, timeline

COMMITTED = Path(__file__).resolve().parents[2] / "data" / "picture.png"


def draw() -> Picture:
    """A consumer of version 2.3 polls a topic of three partitions, each led by another broker."""
    lab = Lab(brokers=3, seed=7)
    lab.create_topic("t4", partitions=3, leaders=[0, 1, 2])
    lab.place_coordinator("test", broker=2)
    consumer = KafkaConsumer(
        lab, {"bootstrap.servers": "localhost:9092", "group.id": "test"}, version="2.3"
    )
    consumer.subscribe(["t4"])
    # Ten minutes: one more than an idle connection is kept (connections.max.idle.ms).
    consumer.poll(timeout_ms=600_000)
    return timeline(lab)


def main(argv: Sequence[str]) -> int:
    """Draw into the file that `argv` names, else into the committed one, and print which."""
    print(draw().save(argv[0] if argv else COMMITTED))
    return 0
