"""Runs kafka-console-producer (ConsoleProducer): sends each line that a user types as a record.

The lines come from stdin. --property (--reader-property since 4.2) takes parse.key, key.separator
and ignore.error; in 4.x null.marker, too. Left out: headers, --line-reader, --sync and the options
that set one setting of the producer; name the setting with --producer-property.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.lab import Lab
from kafkalab.records import ProducerRecord
from kafkalab.releases.broker_profile import Tools
from kafkalab.tools.cluster import Options, Unusable, cluster_for
from kafkalab.tools.console_options import (
    add_properties,
    is_true,
    key_value_pairs,
    renamed_properties,
)

TOOL = "kafka-console-producer"
WARNING = (
    "Warning: --property is deprecated and will be removed in a future version. Use "
    "--reader-property instead."
)


def run(argv: list[str], lab: Lab | None = None, stdin: str | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name.

    stdin: what the user types, a record a line; None: the standard input is read
    """
    chosen = _options().parse_args(argv)
    if not chosen.topic:
        raise Unusable('Missing required argument "[topic]"')
    cluster = cluster_for(chosen, lab)
    tools = cluster.release
    properties, renamed = renamed_properties(chosen, tools, "reader-property")
    given = key_value_pairs(chosen.producer_property + chosen.command_property)
    if is_true(properties, "parse.headers"):
        raise Unusable("records have no headers here: leave out parse.headers")
    lines = (sys.stdin.read() if stdin is None else stdin).splitlines()
    producer = KafkaProducer(
        cluster.lab,
        {
            "bootstrap.servers": cluster.addresses(),
            "client.id": "console-producer",
            "acks": tools.console_acks,
            "linger.ms": 1_000,
            **given,
        },
        version=cluster.version,
        name=cluster.lab.unused_name("console-producer"),
    )
    try:
        for record in _records(chosen.topic, lines, properties, tools):
            producer.send(record)
    finally:
        producer.close()
    warning = f"{WARNING}\n" if renamed and tools.console_renames else ""
    return warning + (">" * (len(lines) + 1) if tools.console_prompts else "")


def _options() -> Options:
    options = Options(TOOL, "Send the lines of the standard input as records.", "--topic orders")
    options.add_argument("--topic", help="the topic to write to")
    add_properties(options, ("property", "reader-property"), "reader of lines")
    add_properties(options, ("producer-property", "command-property"), "producer")
    options.add_argument("--broker-list", help="not needed, as --bootstrap-server")
    return options


def _records(
    topic: str, lines: list[str], properties: dict[str, str], tools: Tools
) -> Iterator[ProducerRecord]:
    """A record of each line (LineMessageReader). Raises Unusable for a line without its parts."""
    for number, line in enumerate(lines, 1):
        rest, key = line, None
        if is_true(properties, "parse.key"):
            text, found, value = rest.partition(properties.get("key.separator", "\t"))
            if found:
                key, rest = text, value
            elif not is_true(properties, "ignore.error"):
                raise _fault(tools.console_no_key.format(number=number, line=line))
        marker = properties.get("null.marker") if tools.console_null_marker else None
        yield ProducerRecord(
            topic,
            key=None if marker is not None and key == marker else key,
            value=None if marker is not None and rest == marker else rest,
        )


def _fault(text: str) -> Unusable:
    return Unusable(f"org.apache.kafka.common.KafkaException: {text}")
