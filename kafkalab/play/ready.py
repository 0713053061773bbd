"""Holds the ready stories of the page: one of each of eight chapters, by the chapter's number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class ReadyStory(NamedTuple):
    """A ready story: its name, the sentence that says what to look at, its settings."""

    title: str
    look: str
    settings: Mapping[str, Any]


READY: dict[str, ReadyStory] = {
    "02": ReadyStory(
        "A producer that sends nothing",
        "The program makes a producer and sends no record. It connects all the same.",
        {
            "client": "2.3",
            "broker": "2.3",
            "brokers": 2,
            "partitions": 2,
            "members": 0,
            "records": 0,
            "addresses": 2,
            "seconds": 600,
            "level": "DEBUG",
        },
    ),
    "03": ReadyStory(
        "One consumer, three classes of connections",
        "One member reads a topic of three partitions from three brokers. Count its connections.",
        {
            "client": "2.3",
            "broker": "2.3",
            "members": 1,
            "producers": 0,
            "seconds": 600,
            "level": "DEBUG",
        },
    ),
    "05": ReadyStory(
        "Acknowledged, and lost",
        "With acks=1 the leader alone answers. Its followers stand still when it crashes.",
        {
            "brokers": 4,
            "partitions": 1,
            "replicas": 3,
            "cluster": ["broker.session.timeout.ms=6000"],
            "members": 0,
            "records": 30,
            "every_ms": 100,
            "acks": "1",
            "addresses": 4,
            "producer": ["enable.idempotence=false", "linger.ms=0"],
            "faults": ["1 freeze 1 5", "1 freeze 2 5", "3.5 crash 0"],
            "seconds": 30,
        },
    ),
    "06": ReadyStory(
        "An answer is lost",
        "The answer to an order is lost, so the producer sends it again. One release writes it "
        "twice.",
        {
            "client": "2.8",
            "beside": "3.9",
            "brokers": 1,
            "partitions": 1,
            "members": 0,
            "records": 5,
            "producer": ["linger.ms=0"],
            "faults": ["0.9 lose-answer shop-1 0"],
            "seconds": 10,
        },
    ),
    "07": ReadyStory(
        "Members come, and partitions move",
        "Four members come one after another. Each time the group assigns its partitions again.",
        {"partitions": 8, "members": 4, "apart_s": 10, "seconds": 60},
    ),
    "08": ReadyStory(
        "A member is killed",
        "A killed member says nothing. Its partitions wait until its session is over.",
        {
            "partitions": 6,
            "members": 3,
            "consumer": ["session.timeout.ms=10000"],
            "faults": ["20 kill member-2"],
            "seconds": 50,
        },
    ),
    "10": ReadyStory(
        "A consumer that works too long",
        "A poll brings up to 500 records. The work on them takes longer than the poll interval.",
        {
            "partitions": 2,
            "poll_ms": "60000",
            "work_ms": 200,
            "records": 1000,
            "every_ms": 0,
            "seconds": 300,
        },
    ),
    "16": ReadyStory(
        "A group that is a queue",
        "Four members share the records of one partition. One of them is killed at work.",
        {
            "client": "4.4",
            "partitions": 1,
            "members": 4,
            "protocol": "share",
            "work_ms": 2000,
            "records": 16,
            "every_ms": 50,
            "consumer": ["max.poll.records=2"],
            "faults": ["8 kill member-2"],
            "seconds": 25,
        },
    ),
}
"""Chapter -> its ready story."""
SETTINGS = {chapter: story.settings for chapter, story in READY.items()}
"""Chapter -> the settings of its ready story."""
