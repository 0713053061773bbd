"""Runs kafka-log-dirs (LogDirsCommand): prints the size and the lag of each broker's replicas.

The output is one JSON object. A partition's offsetLag is the number of the leader's offsets that
the replica lacks.
"""

from __future__ import annotations

import json
from typing import Any

from kafkalab.lab import Lab
from kafkalab.tools.cluster import Options, ToolCluster, Unusable, cluster_for

TOOL = "kafka-log-dirs"
LOG_DIR = "/tmp/kafka-logs"
"""The default of log.dirs. Each broker of the lab has one folder."""


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    options = Options(
        TOOL, "Describe the partitions on the brokers' disks.", "--describe --topic-list orders"
    )
    options.add_argument("--describe", action="store_true", help="the only thing this tool does")
    options.add_argument("--broker-list", help="broker ids, with commas; all when left out")
    options.add_argument("--topic-list", help="topics, with commas; all when left out")
    chosen = options.parse_args(argv)
    if not chosen.describe:
        raise Unusable('Missing required argument "[describe]"')
    cluster = cluster_for(chosen, lab)
    brokers = _brokers(cluster, chosen.broker_list)
    topics = None if chosen.topic_list is None else chosen.topic_list.split(",")
    shown = ",".join(map(str, brokers))
    described = [{"broker": id, "logDirs": [_log_dir(cluster, id, topics)]} for id in brokers]
    whole: dict[str, Any] = (
        {"version": 1, "brokers": described}
        if cluster.release.log_dirs_first
        else {"brokers": described}
    )
    return (
        "Querying brokers for log directories information\n"
        f"Received log directory information from brokers {shown}\n"
        f"{json.dumps(whole, separators=(',', ':'))}\n"
    )


def _brokers(cluster: ToolCluster, text: str | None) -> list[int]:
    alive = [id for id, broker in cluster.state["brokers"].items() if broker["alive"]]
    if text is None:
        return alive
    wanted = text.split(",")
    for id in wanted:
        if id not in map(str, cluster.state["brokers"]):
            raise Unusable(
                f"ERROR: The given brokers do not exist from --broker-list: {id}. Current existent "
                f"brokers: {','.join(map(str, cluster.state['brokers']))}"
            )
    return [int(id) for id in wanted if int(id) in alive]


def _log_dir(cluster: ToolCluster, broker: int, topics: list[str] | None) -> dict[str, Any]:
    partitions = []
    for name, place in sorted(cluster.state["partitions"].items()):
        own = place["logs"].get(broker)
        if broker not in place["replicas"] or (
            topics is not None and name.rpartition("-")[0] not in topics
        ):
            continue
        lag = (
            max(0, place["high_watermark"] - own["log_end_offset"])
            if own
            else place["high_watermark"]
        )
        partitions.append(
            {
                "partition": name,
                "size": own.get("size_bytes", 0) if own else 0,
                "offsetLag": lag,
                "isFuture": False,
            }
        )
    folder = f"{LOG_DIR}/broker-{broker}"
    if cluster.release.log_dirs_first:
        return {"logDir": folder, "error": None, "partitions": partitions}
    return {"partitions": partitions, "error": None, "logDir": folder}
