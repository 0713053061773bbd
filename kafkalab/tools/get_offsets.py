"""Runs kafka-get-offsets (GetOffsetShell): prints partitions' first, last or timestamped offsets.

topic:partition:offset, one partition a line
"""

from __future__ import annotations

import argparse
import re

from kafkalab.clients.admin.kafka_admin_client import KafkaAdminClient
from kafkalab.clients.admin.values import OffsetSpec
from kafkalab.errors import IllegalArgumentException
from kafkalab.lab import Lab
from kafkalab.records import TopicPartition
from kafkalab.releases.broker_profile import Tools
from kafkalab.tools.cluster import (
    ADMIN_VERSION,
    Options,
    ToolCluster,
    Unusable,
    cluster_for,
)

TOOL = "kafka-get-offsets"
TIMES = {"latest": -1, "earliest": -2}
INTERNAL = ("__consumer_offsets", "__transaction_state")


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    options = Options(TOOL, "Print the offsets of partitions.", "--topic orders --time earliest")
    options.add_argument(
        "--topic", help="a topic, or a regular expression; all topics when left out"
    )
    options.add_argument("--partitions", help="partition numbers, with commas; all when left out")
    options.add_argument(
        "--time", default="latest", help="latest (-1), earliest (-2), or epoch milliseconds"
    )
    options.add_argument(
        "--exclude-internal-topics", action="store_true", help="leave Kafka's own topics out"
    )
    chosen = options.parse_args(_with_joined_time(argv))
    timestamp_ms = _time(chosen.time)
    numbers = _numbers(chosen.partitions)
    cluster = cluster_for(chosen, lab)
    partitions = _partitions(cluster, chosen, numbers)
    if not partitions:
        raise Unusable(cluster.release.no_topic.format(topic=chosen.topic))
    return _offsets(cluster.admin(), partitions, timestamp_ms, cluster.release)


def told(lab: Lab, topic: str, time: str | int = "latest") -> str:
    """What the tool prints of a topic, in a lab at hand.

    time: "latest", "earliest" or epoch milliseconds. The lab's brokers are asked, so its clock goes
    on. Raises IllegalArgumentException for an unknown topic and for another time.
    """
    try:
        timestamp_ms = _time(str(time))
    except Unusable as error:
        raise IllegalArgumentException(str(error)) from None
    words = lab.broker(min(lab.cluster.brokers)).machine.profile.tools
    found = lab.at(lab.now_ms)["topics"].get(topic)
    if found is None:
        raise IllegalArgumentException(words.no_topic.format(topic=topic))
    admin = KafkaAdminClient(lab, {}, version=ADMIN_VERSION, name=lab.unused_name("the tool"))
    try:
        partitions = [TopicPartition(topic, number) for number in range(found["partitions"])]
        return _offsets(admin, partitions, timestamp_ms, words)
    finally:
        admin.close()


def _offsets(
    admin: KafkaAdminClient, partitions: list[TopicPartition], timestamp_ms: int, words: Tools
) -> str:
    found = admin.list_offsets({tp: OffsetSpec(timestamp_ms) for tp in partitions}).all().get()
    return "".join(
        f"{tp.topic}:{tp.partition}:{found[tp].offset if found[tp].offset >= 0 else ''}\n"
        for tp in partitions
        if found[tp].offset >= 0 or words.offsets_unknown
    )


def _with_joined_time(argv: list[str]) -> list[str]:
    """Join `--time -2` to one argument, because argparse takes a negative number for an option."""
    joined: list[str] = []
    for word in argv:
        if joined and joined[-1] == "--time" and re.fullmatch(r"-\d+", word):
            joined[-1] = f"--time={word}"
        else:
            joined.append(word)
    return joined


def _time(text: str) -> int:
    found = TIMES.get(text)
    if found is not None:
        return found
    if not re.fullmatch(r"-[12]|\d{1,16}", text):
        raise Unusable(
            f"Malformed time argument {text}. Please use -1 or latest / -2 or earliest, or a "
            "specified long format timestamp"
        )
    return int(text)


def _numbers(text: str | None) -> list[int] | None:
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,9}(,\d{1,9})*", text):
        raise Unusable(
            "--partitions expects a comma separated list of numeric partition ids, but received: "
            f"{text}"
        )
    return [int(number) for number in text.split(",")]


def _partitions(
    cluster: ToolCluster, options: argparse.Namespace, numbers: list[int] | None
) -> list[TopicPartition]:
    try:
        wanted = re.compile(options.topic or ".*")
    except re.error as error:
        raise Unusable(f"{options.topic} is an invalid regex. ({error})") from None
    return [
        TopicPartition(name, number)
        for name, topic in sorted(cluster.state["topics"].items())
        if wanted.fullmatch(name) and not (options.exclude_internal_topics and name in INTERNAL)
        for number in sorted(
            range(topic["partitions"]), key=str if cluster.release.offsets_as_text else int
        )
        if numbers is None or number in numbers
    ]
