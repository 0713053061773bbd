"""Draws the picture in the README: the connections of one KafkaConsumer in ten minutes.

`python -m kafkalab picture [FILE]` draws it again into data/picture.png. This file is also the
shortest complete program with the package.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from kafkalab import KafkaConsumer, Lab
from kafkalab.command_line import CommandParser, called_as
from kafkalab.views import Picture, timeline

COMMITTED = Path(__file__).resolve().parents[2] / "data" / "picture.png"


def draw() -> Picture:
    """Draw a consumer of 2.3 that polls a topic of three partitions, each led by another broker."""
    lab = Lab(brokers=3, seed=7)
    lab.create_topic("t4", partitions=3, leaders=[0, 1, 2])
    lab.place_coordinator("test", broker=2)
    consumer = KafkaConsumer(
        lab, {"bootstrap.servers": "localhost:9092", "group.id": "test"}, version="2.3"
    )
    consumer.subscribe(["t4"])
    # Ten minutes are one more than connections.max.idle.ms: an idle connection is closed before.
    consumer.poll(timeout_ms=600_000)
    return timeline(lab)


def main(argv: Sequence[str]) -> int:
    """Draw into the file that `argv` names, else into data/picture.png, and print its path.
    Returns 0; 2 after one sentence where the file cannot be written."""
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} picture",
        description="Draw the picture of the README: the connections of a consumer in ten minutes.",
        example="connections.png",
    )
    parser.add_argument(
        "file", nargs="?", default=COMMITTED, help="the PNG to write (default: data/picture.png)"
    )
    file = Path(parser.parse_args(argv).file)
    if not file.parent.is_dir():
        print(f"There is no folder {file.parent} to write {file.name} into.", file=sys.stderr)
        return 2
    print(draw().save(file))
    return 0
