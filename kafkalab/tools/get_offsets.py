"""Runs kafka-get-offsets (GetOffsetShell): prints partitions' first, last or timestamped offsets.

topic:partition:offset, one partition a line
"""

from __future__ import annotations

import argparse
import re

from kafkalab.clients.admin.values import OffsetSpec
from kafkalab.records import TopicPartition
from kafkalab.tools.cluster import Options, PlayedCluster, Refusal, run_tool

TOOL = "kafka-get-offsets"
TIMES = {"latest": -1, "earliest": -2}
INTERNAL = ("__consumer_offsets", "__transaction_state")


def main(argv: list[str]) -> int:
    return run_tool(TOOL, lambda: _run(argv))


def _run(argv: list[str]) -> str:
    options = Options(TOOL, "The offsets of partitions.")
    options.add_argument(
        "--topic", help="a topic, or a regular expression; all topics when left out"
    )
    options.add_argument("--partitions", help="partition numbers, with commas; all when left out")
    options.add_argument(
        "--time", default="latest", help="latest (-1), earliest (-2), or epoch milliseconds"
    )
    options.add_argument("--exclude-internal-topics", action="store_true")
    chosen = options.parse_args(_with_joined_time(argv))
    timestamp_ms = _time(chosen.time)
    numbers = _numbers(chosen.partitions)
    cluster = PlayedCluster(chosen)
    partitions = _partitions(cluster, chosen, numbers)
    if not partitions:
        raise Refusal(cluster.release.no_topic.format(topic=chosen.topic))
    admin = cluster.admin()
    found = admin.list_offsets({tp: OffsetSpec(timestamp_ms) for tp in partitions}).all().get()
    return "".join(
        f"{tp.topic}:{tp.partition}:{found[tp].offset if found[tp].offset >= 0 else ''}\n"
        for tp in partitions
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
        raise Refusal(
            f"Malformed time argument {text}. Please use -1 or latest / -2 or earliest, or a "
            "specified long format timestamp"
        )
    return int(text)


def _numbers(text: str | None) -> list[int] | None:
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,9}(,\d{1,9})*", text):
        raise Refusal(
            "--partitions expects a comma separated list of numeric partition ids, but received: "
            f"{text}"
        )
    return [int(number) for number in text.split(",")]


def _partitions(
    cluster: PlayedCluster, options: argparse.Namespace, numbers: list[int] | None
) -> list[TopicPartition]:
    try:
        wanted = re.compile(options.topic or ".*")
    except re.error as error:
        raise Refusal(f"{options.topic} is an invalid regex. ({error})") from None
    return [
        TopicPartition(name, number)
        for name, topic in sorted(cluster.state["topics"].items())
        if wanted.fullmatch(name) and not (options.exclude_internal_topics and name in INTERNAL)
        for number in sorted(
            range(topic["partitions"]), key=str if cluster.release.offsets_as_text else int
        )
        if numbers is None or number in numbers
    ]
