"""Runs kafka-console-consumer (ConsoleConsumer): reads a topic and prints a record a line.

--property (--formatter-property since 4.2) takes print.key, print.value, print.timestamp,
key.separator, line.separator and null.literal; in 4.x print.partition, print.offset and
print.headers, too. Records have no headers here. The real tool reads until somebody ends it. This
one needs --max-messages or --timeout-ms. Left out: --include, --formatter, deserializers,
print.epoch.
"""

from __future__ import annotations

import argparse
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.lab import Lab
from kafkalab.records import ConsumerRecord, TopicPartition
from kafkalab.tools.cluster import (
    Options,
    ToolCluster,
    Unusable,
    cluster_for,
    print_remark,
)
from kafkalab.tools.console_options import (
    add_properties,
    is_true,
    key_value_pairs,
    renamed_properties,
)

TOOL = "kafka-console-consumer"
WARNING = (
    "Option --property is deprecated and will be removed in a future version. Use "
    "--formatter-property instead."
)
TIMEOUT = (
    "ERROR Error processing message, terminating consumer process:  "
    "(kafka.tools.ConsoleConsumer$)\norg.apache.kafka.common.errors.TimeoutException"
)
LONGEST_MS = 3_600_000
"""An hour: after this the lab ends a reader that waits for --max-messages."""


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    chosen = _options().parse_args(argv)
    _check(chosen)
    cluster = cluster_for(chosen, lab)
    properties, renamed = renamed_properties(chosen, cluster.release, "formatter-property")
    if is_true(properties, "print.epoch"):
        raise Unusable("leader epochs of records are not kept here: leave out print.epoch")
    if chosen.topic not in cluster.state["topics"]:
        raise Unusable(
            f"there is no topic {chosen.topic!r} at that moment; the real tool would wait for it"
        )
    consumer = _consumer(cluster, chosen)
    try:
        records, timed_out = _read(cluster.lab, consumer, chosen)
    finally:
        consumer.close()
    if timed_out and cluster.release.console_says_timeout:
        print_remark(TIMEOUT)
    print_remark(f"Processed a total of {len(records)} messages")
    parts = cluster.release.console_parts
    topic = cluster.lab.cluster.topics[chosen.topic]
    stamped = topic.setting("message.timestamp.type", "CreateTime")
    warning = f"{WARNING}\n" if renamed and cluster.release.console_renames else ""
    return warning + "".join(_line(record, properties, parts, stamped) for record in records)


def _options() -> Options:
    options = Options(
        TOOL, "Read a topic and print its records.", "--topic orders --from-beginning"
    )
    options.add_argument("--topic", help="the topic to read")
    options.add_argument(
        "--from-beginning", action="store_true", help="begin at the first record, not at the end"
    )
    for name, text in (
        ("--group", "the consumer's group; a new one when left out"),
        ("--partition", "read only this partition"),
        ("--offset", "begin there: a number, earliest or latest; with --partition"),
        ("--max-messages", "stop after so many records"),
        ("--timeout-ms", "stop after so long without a record, in milliseconds"),
        ("--isolation-level", "read_committed, or read_uncommitted (the default)"),
    ):
        options.add_argument(name, help=text)
    add_properties(options, ("property", "formatter-property"), "printed line")
    add_properties(options, ("consumer-property", "command-property"), "consumer")
    return options


def _check(options: argparse.Namespace) -> None:
    """Refuse what the real tool refuses, in its words, and what would never end here."""
    if not options.topic:
        raise Unusable("Exactly one of --include/--topic is required. ")
    if options.offset is not None:
        if options.offset not in ("earliest", "latest") and not options.offset.isdecimal():
            raise Unusable(
                f"The provided offset value '{options.offset}' is incorrect. Valid values are "
                "'earliest', 'latest', or a non-negative long."
            )
        if options.partition is None:
            raise Unusable("The partition is required when offset is specified.")
        if options.from_beginning:
            raise Unusable("Options from-beginning and offset cannot be specified together.")
    if options.partition is not None and options.group is not None:
        raise Unusable("Options group and partition cannot be specified together.")
    for name in ("partition", "max_messages", "timeout_ms"):
        text = getattr(options, name)
        if text is not None and not text.isdecimal():
            raise Unusable(f"Cannot parse argument '{text}' of option {name.replace('_', '-')}")
    if options.max_messages is None and options.timeout_ms is None:
        raise Unusable(
            "the real tool reads until you press Ctrl-C; say when to end with --max-messages or "
            "--timeout-ms"
        )


def _consumer(cluster: ToolCluster, options: argparse.Namespace) -> KafkaConsumer:
    """A consumer that begins where the options say. Without --group it has a group that nobody
    else has, and commits nothing."""
    begin = "earliest" if options.from_beginning else "latest"
    alone = options.group is None
    name = cluster.lab.unused_name("console-consumer")
    config: dict[str, Any] = {
        "bootstrap.servers": cluster.addresses(),
        "client.id": "console-consumer",
        "group.id": name if alone else options.group,
        "auto.offset.reset": begin,
        "enable.auto.commit": not alone,
        "isolation.level": options.isolation_level or "read_uncommitted",
        **key_value_pairs(options.consumer_property + options.command_property),
    }
    consumer = KafkaConsumer(cluster.lab, config, version=cluster.version, name=name)
    if options.partition is None:
        consumer.subscribe([options.topic])
        return consumer
    place = TopicPartition(options.topic, int(options.partition))
    consumer.assign([place])
    where = options.offset or begin
    if where.isdecimal():
        consumer.seek(place, int(where))
    elif where == "earliest":
        consumer.seek_to_beginning([place])
    else:
        consumer.seek_to_end([place])
    return consumer


def _read(
    lab: Lab, consumer: KafkaConsumer, options: argparse.Namespace
) -> tuple[list[ConsumerRecord], bool]:
    """The records, and whether --timeout-ms ended the reading.

    What was polled and not printed is put back before the last commit (resetUnconsumedOffsets).
    """
    most = int(options.max_messages) if options.max_messages else None
    wait_ms = int(options.timeout_ms) if options.timeout_ms else LONGEST_MS
    read: list[ConsumerRecord] = []
    while most is None or len(read) < most:
        got = list(consumer.poll(timeout_ms=wait_ms))
        if not got:
            if options.timeout_ms is None:
                raise Unusable(f"the lab ends after an hour; {len(read)} of {most} messages came")
            return read, True
        taken = len(got) if most is None else min(len(got), most - len(read))
        read += got[:taken]
        first: dict[TopicPartition, int] = {}
        for record in got[taken:]:
            first.setdefault(TopicPartition(record.topic, record.partition), record.offset)
        for place, offset in first.items():
            consumer.seek(place, offset)
    return read, False


def _line(
    record: ConsumerRecord, properties: dict[str, str], parts: tuple[str, ...], stamped: str
) -> str:
    """A record as DefaultMessageFormatter prints it. stamped: the topic's kind of timestamps."""
    texts = {
        "timestamp": f"{stamped}:{record.timestamp_ms}",
        "partition": f"Partition:{record.partition}",
        "offset": f"Offset:{record.offset}",
        "headers": "NO_HEADERS",
        "key": _text(record.key, properties),
        "value": _text(record.value, properties),
    }
    shown = [
        texts[part]
        for part in (*parts, "key", "value")
        if is_true({"print.value": "true", **properties}, f"print.{part}")
    ]
    return properties.get("key.separator", "\t").join(shown) + properties.get(
        "line.separator", "\n"
    )


def _text(value: object, properties: dict[str, str]) -> str:
    if value is None:
        return properties.get("null.literal", "null")
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
