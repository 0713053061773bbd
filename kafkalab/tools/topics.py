"""Runs kafka-topics (TopicCommand): lists, describes, creates, alters and deletes topics.

--list and --describe read the state of the moment. --create, --delete and --alter send requests to
the brokers. Left out: --exclude-internal on delete, --replica-assignment, --config on alter,
authorization.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients.admin.values import NewPartitions, NewTopic
from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.lab import Lab
from kafkalab.tools.cluster import Options, ToolCluster, Unusable, cluster_for

TOOL = "kafka-topics"
ACTIONS = ("list", "describe", "create", "delete", "alter")
INTERNAL = ("__consumer_offsets", "__transaction_state")
NO_LEADER = "none"
FAILED = "Error while executing topic command : "
MAY_COLLIDE = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') "
    "could collide. To avoid issues it is best to use either, but not both.\n"
)


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    options = _options().parse_args(argv)
    chosen = [action for action in ACTIONS if getattr(options, action)]
    if len(chosen) != 1:
        raise Unusable(
            "Command must include exactly one action: --list, --describe, --create, --alter or "
            "--delete"
        )
    if chosen[0] in ("create", "delete", "alter") and not options.topic:
        raise Unusable('Missing required argument "[topic]"')
    if options.alter and options.partitions is None:
        raise Unusable('Missing required argument "[partitions]"')
    cluster = cluster_for(options, lab)
    return DOES[chosen[0]](cluster, options)


def _options() -> Options:
    options = Options(
        TOOL, "Topics: list, describe, create, delete, alter.", "--describe --topic orders"
    )
    for name, text in (
        ("--list", "list the topics"),
        ("--describe", "describe topics and their partitions"),
        ("--create", "create a topic"),
        ("--delete", "delete a topic"),
        ("--alter", "give a topic more partitions"),
        ("--exclude-internal", "leave Kafka's own topics out"),
        ("--under-replicated-partitions", "describe only partitions with a replica out of sync"),
        ("--unavailable-partitions", "describe only partitions without a leader"),
        ("--under-min-isr-partitions", "describe only partitions below min.insync.replicas"),
        ("--at-min-isr-partitions", "describe only partitions with exactly min.insync.replicas"),
        ("--topics-with-overrides", "describe only topics with settings of their own"),
        ("--if-exists", "do nothing where the topic is not there"),
        ("--if-not-exists", "do nothing where the topic is there"),
    ):
        options.add_argument(name, action="store_true", help=text)
    options.add_argument("--topic", help="a topic, or a regular expression")
    options.add_argument("--partitions", metavar="N", help="how many partitions")
    options.add_argument("--replication-factor", metavar="N", help="how many replicas of each")
    options.add_argument("--replica-assignment", metavar="0:1,1:0", help="brokers by partition")
    options.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting of the topic; may be given several times",
    )
    return options


def _chosen(cluster: ToolCluster, options: argparse.Namespace) -> list[str]:
    """The chosen topics, sorted by name: all, or those whose whole name matches the pattern."""
    pattern = options.topic.replace(",", "|").strip("\"'") if options.topic else ".*"
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise Unusable(f"{options.topic} is an invalid regex. ({error})") from None
    return [
        name
        for name in sorted(cluster.state["topics"])
        if wanted.fullmatch(name) and not (options.exclude_internal and name in INTERNAL)
    ]


def _existing(cluster: ToolCluster, options: argparse.Namespace) -> list[str]:
    names = _chosen(cluster, options)
    silent = options.describe and not cluster.release.topics_names_missing
    if options.topic and not names and not options.if_exists and not silent:
        raise Unusable(
            f"Error while executing topic command : Topic '{options.topic}' does not exist as "
            "expected"
        )
    return names


def _list(cluster: ToolCluster, options: argparse.Namespace) -> str:
    return "".join(f"{name}\n" for name in _chosen(cluster, options))


def _describe(cluster: ToolCluster, options: argparse.Namespace) -> str:
    names = hash_map_order(_existing(cluster, options), java_string_hash)
    out = ""
    for name in names:
        lines = [
            _partition_line(cluster, name, number, place)
            for number, place in _partitions(cluster, name)
            if _is_asked_for(place, cluster, name, options)
        ]
        some = (
            options.under_replicated_partitions
            or options.unavailable_partitions
            or options.under_min_isr_partitions
            or options.at_min_isr_partitions
        )
        config = _config(cluster, name)
        if options.topics_with_overrides:
            out += _topic_line(cluster, name, config) if config else ""
        elif some:
            out += "".join(lines)
        else:
            out += _topic_line(cluster, name, config) + "".join(lines)
    return out


def _config(cluster: ToolCluster, name: str) -> dict[str, Any]:
    """A topic's own settings.

    A 4.4 cluster sets min.insync.replicas for all topics, because eligible leader replicas need it
    (KIP-966).
    """
    topic = cluster.lab.cluster.topics.get(name)
    own = dict(topic.config) if topic else {}
    return (
        {"min.insync.replicas": _least_in_sync(cluster, name), **own}
        if cluster.release.sets_min_isr
        else own
    )


def _partitions(cluster: ToolCluster, name: str) -> list[tuple[int, Mapping[str, Any]]]:
    count = cluster.state["topics"][name]["partitions"]
    return [(number, cluster.state["partitions"][f"{name}-{number}"]) for number in range(count)]


def _is_asked_for(
    place: Mapping[str, Any], cluster: ToolCluster, name: str, options: argparse.Namespace
) -> bool:
    """Whether the partition passes the filters, such as --under-replicated-partitions.

    No filter: True.
    """
    least = _least_in_sync(cluster, name)
    troubles = {
        "under_replicated_partitions": len(place["isr"]) < len(place["replicas"]),
        "unavailable_partitions": not _is_led(place, cluster),
        "under_min_isr_partitions": len(place["isr"]) < least,
        "at_min_isr_partitions": len(place["isr"]) == least,
    }
    asked = [trouble for trouble in troubles if getattr(options, trouble)]
    return not asked or any(troubles[trouble] for trouble in asked)


def _least_in_sync(cluster: ToolCluster, name: str) -> int:
    topic = cluster.lab.cluster.topics.get(name)
    default = next(iter(cluster.lab.cluster.brokers))
    config = cluster.lab.broker(default).machine.config
    own = topic.config.get("min.insync.replicas") if topic else None
    return int(own if own is not None else getattr(config, "min_insync_replicas", 1))


def _is_led(place: Mapping[str, Any], cluster: ToolCluster) -> bool:
    leader = cluster.state["brokers"].get(place["leader"])
    return leader is not None and leader["alive"]


def _topic_line(cluster: ToolCluster, name: str, config: Mapping[str, str | None]) -> str:
    topic = cluster.state["topics"][name]
    factor = len(cluster.state["partitions"][f"{name}-0"]["replicas"])
    configs = ",".join(f"{key}={value}" for key, value in config.items())
    return cluster.release.topic_line.format(
        name=name,
        id=topic["topic_id"],
        partitions=topic["partitions"],
        replicas=factor,
        configs=configs,
    )


def _partition_line(cluster: ToolCluster, name: str, number: int, place: Mapping[str, Any]) -> str:
    leader = place["leader"] if _is_led(place, cluster) else NO_LEADER
    replicas, isr = (",".join(map(str, brokers)) for brokers in (place["replicas"], place["isr"]))
    line = (
        f"\tTopic: {name}\tPartition: {number}\tLeader: {leader}\tReplicas: {replicas}\tIsr: {isr}"
    )
    if cluster.release.tells_elr:
        elr, last_elr = (",".join(map(str, place[key])) for key in ("elr", "last_known_elr"))
        line += f"\tElr: {elr}\tLastKnownElr: {last_elr}"
    return line + "\n"


def _number(text: str | None, option: str) -> int | None:
    if text is None:
        return None
    if not re.fullmatch(r"-?\d{1,9}", text):
        raise Unusable(f"Cannot parse argument '{text}' of option {option}")
    return int(text)


def _create(cluster: ToolCluster, options: argparse.Namespace) -> str:
    configs = {}
    for text in options.config:
        key, equals, value = text.partition("=")
        if not equals:
            raise Unusable(
                'Invalid topic config: all configs to be added must be in the format "key=val", '
                f"not {text!r}"
            )
        configs[key] = value
    if options.if_not_exists and not cluster.release.topics_names_missing:
        raise Unusable('Option "[if-not-exists]" can\'t be used with option "[bootstrap-server]"')
    if options.topic in cluster.state["topics"]:
        if options.if_not_exists:
            return ""
        raise Unusable(FAILED + cluster.release.topics_exists.format(topic=options.topic))
    count = _number(options.partitions, "partitions")
    if cluster.release.topics_names_missing and count is not None and count < 1:
        raise Unusable(f"{FAILED}The partitions must be greater than 0")
    topic = NewTopic(
        options.topic,
        count,
        _number(options.replication_factor, "replication-factor"),
        replicas_assignments=_assignment(options.replica_assignment),
        configs=configs,
    )
    cluster.admin().create_topics([topic]).all().get()
    warning = MAY_COLLIDE if "." in options.topic or "_" in options.topic else ""
    return warning + cluster.release.says_created.format(topic=options.topic)


def _assignment(text: str | None) -> dict[int, list[int]] | None:
    """{0: [0, 1], 1: [1, 0]} of "0:1,1:0". Raises Unusable."""
    if text is None:
        return None
    if not re.fullmatch(r"\d{1,9}(:\d{1,9})*(,\d{1,9}(:\d{1,9})*)*", text):
        raise Unusable(f"--replica-assignment takes broker:broker,broker:broker, not {text!r}")
    return {
        number: [int(broker) for broker in brokers.split(":")]
        for number, brokers in enumerate(text.split(","))
    }


def _delete(cluster: ToolCluster, options: argparse.Namespace) -> str:
    names = _existing(cluster, options)
    cluster.admin().delete_topics(names).all().get()
    return ""


def _alter(cluster: ToolCluster, options: argparse.Namespace) -> str:
    names, count = _existing(cluster, options), _number(options.partitions, "partitions")
    assert count is not None, "without a count --alter is refused"
    cluster.admin().create_partitions(
        {name: NewPartitions.increase_to(count) for name in names}
    ).all().get()
    return ""


DOES: Mapping[str, Callable[[ToolCluster, argparse.Namespace], str]] = {
    "list": _list,
    "describe": _describe,
    "create": _create,
    "delete": _delete,
    "alter": _alter,
}
