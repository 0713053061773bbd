"""Runs kafka-configs (ConfigCommand): shows and changes the settings that topics have of their own.

The tool of 2.3 writes topics' settings to ZooKeeper, so it takes --zookeeper. The tool of 4.x asks
the brokers. Left out: --all and the other kinds of entities (brokers, clients, users).
"""

from __future__ import annotations

import re

from kafkalab.broker.log.topic_config import SYNONYMS
from kafkalab.errors import InvalidConfigurationException
from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.lab import Lab
from kafkalab.tools.cluster import Options, ToolCluster, Unusable, cluster_for

TOOL = "kafka-configs"
CHANGE = re.compile(r"([^=,]+)=(?:\[([^\]]*)\]|([^,]*))(?:,|$)")
"""One of --add-config: key=value, or key=[value,value]."""
NO_DEFAULT = ("retention.ms", "segment.ms", "segment.jitter.ms")
"""Settings whose broker setting is unset by default, so that no synonym is printed for it."""


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    options = Options(
        TOOL,
        "Settings of topics: describe, alter.",
        "--describe --entity-type topics --entity-name orders",
    )
    options.add_argument("--describe", action="store_true", help="describe settings")
    options.add_argument("--alter", action="store_true", help="change settings")
    options.add_argument("--entity-type", help="topics; there is no other type here")
    options.add_argument("--entity-name", help="a topic; all topics when left out")
    options.add_argument("--add-config", help="key=value,key=[value,value]")
    options.add_argument("--delete-config", help="key,key")
    options.add_argument("--zookeeper", help="not needed, as --bootstrap-server")
    chosen = options.parse_args(argv)
    if chosen.describe == chosen.alter:
        raise Unusable("Command must include exactly one action: --describe, --alter.")
    if chosen.entity_type != "topics":
        raise Unusable("only topics have settings to show or change here: --entity-type topics")
    cluster = cluster_for(chosen, lab)
    if chosen.describe:
        names = [chosen.entity_name] if chosen.entity_name else _all(cluster)
        return "".join(_described(cluster, name) for name in names)
    if not chosen.entity_name:
        raise Unusable("An entity name must be specified with --alter of topics")
    if not chosen.add_config and not chosen.delete_config:
        raise Unusable(
            "At least one of --add-config or --delete-config must be specified with --alter"
        )
    return _altered(cluster, chosen.entity_name, chosen.add_config, chosen.delete_config)


def _all(cluster: ToolCluster) -> list[str]:
    return hash_map_order(cluster.state["topics"], java_string_hash)


def _own(cluster: ToolCluster, name: str) -> dict[str, str]:
    topic = cluster.lab.cluster.topics[name]
    return {key: value for key, value in topic.config.items() if value is not None}


def _described(cluster: ToolCluster, name: str) -> str:
    tools = cluster.release
    if name not in cluster.lab.cluster.topics:
        return tools.configs_unknown.format(topic=name)
    heading, own = tools.configs_heading.format(topic=name), _own(cluster, name)
    if not tools.configs_with_synonyms:
        order = hash_map_order(own, java_string_hash)  # java.util.Properties
        return heading + ",".join(f"{key}={own[key]}" for key in order) + "\n"
    return heading + "".join(_with_synonyms(key, own[key]) for key in sorted(own))


def _with_synonyms(key: str, value: str) -> str:
    synonyms = [f"DYNAMIC_TOPIC_CONFIG:{key}={value}"]
    if key in SYNONYMS and key not in NO_DEFAULT:
        synonyms.append("DEFAULT_CONFIG:{}={}".format(*SYNONYMS[key]))
    return f"  {key}={value} sensitive=false synonyms={{{', '.join(synonyms)}}}\n"


def _altered(cluster: ToolCluster, name: str, added: str | None, deleted: str | None) -> str:
    if name not in cluster.lab.cluster.topics:
        raise Unusable(f'Topic "{name}" does not exist.')
    gone = [key.strip() for key in (deleted or "").split(",") if key.strip()]
    unknown = [key for key in gone if key not in _own(cluster, name)]
    if unknown:
        raise Unusable(f"Invalid config(s): {','.join(unknown)}")
    changes: dict[str, str | None] = dict.fromkeys(gone)
    if added is not None:
        found = list(CHANGE.finditer(added))
        if sum(len(one[0]) for one in found) != len(added):
            raise Unusable(f"--add-config takes key=value,key=[value,value], not {added!r}")
        changes |= {one[1].strip(): one[3] if one[2] is None else one[2] for one in found}
    try:
        cluster.lab.alter_topic(name, changes)
    except InvalidConfigurationException as error:
        raise Unusable(str(error).split(". Known are")[0]) from None
    return cluster.release.configs_altered.format(topic=name)
