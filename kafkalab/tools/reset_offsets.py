"""Carries out --reset-offsets of kafka-consumer-groups (ConsumerGroupCommand) for an empty group.

The scope names the partitions, and the scenario (the tool's word) gives the offset of each. Every
offset is limited to the log: one before the log start becomes the start, one after the log end the
end.
"""

from __future__ import annotations

import argparse
import datetime
import re
from collections.abc import Callable, Mapping

from kafkalab.clients.admin.kafka_admin_client import KafkaAdminClient
from kafkalab.clients.admin.values import OffsetSpec
from kafkalab.clients.network.hash_order import partitions_in_hash_order
from kafkalab.config.durations import duration_ms
from kafkalab.hashing import long_map_order
from kafkalab.reading.history.group_rows import partition_of
from kafkalab.records import OffsetAndMetadata, TopicPartition
from kafkalab.tools.cluster import ToolCluster, Unusable, print_remark
from kafkalab.tools.group_tables import reset_table

SCENARIOS = (
    "to_offset",
    "to_current",
    "to_datetime",
    "by_duration",
    "to_earliest",
    "to_latest",
    "shift_by",
)
NO_ACTION = (
    "WARN: No action will be performed as the --execute option is missing. In a future major "
    "release, the default behavior of this command will be to prompt the user before executing the "
    "reset rather than doing a dry run. You should add the --dry-run option "
    "explicitly if you are scripting this command and want to keep the current default behavior "
    "without prompting."
)
NEEDS_SCENARIO = (
    "Option '[reset-offsets]' requires one of the following scenarios: [[to-offset], [to-current], "
    "[to-datetime], [by-duration], [to-earliest], [to-latest], [shift-by]]"
)

DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:?\d\d)?")

Offsets = dict[TopicPartition, int]


def check_options(options: argparse.Namespace) -> None:
    """Refuse wrong options before the scenario is played."""
    if options.dry_run and options.execute:
        raise Unusable("Option [reset-offsets] only accepts one of [execute] and [dry-run]")
    chosen = [name for name in SCENARIOS if getattr(options, name) not in (None, False)]
    if len(chosen) != 1:
        raise Unusable(NEEDS_SCENARIO)
    for name in ("to_offset", "shift_by"):
        value = getattr(options, name)
        if value is not None and not re.fullmatch(r"-?\d+", value):
            raise Unusable(f"Cannot parse argument '{value}' of option {name.replace('_', '-')}")
    if options.to_datetime is not None:
        moment_ms(options.to_datetime)
    if options.by_duration is not None:
        duration_of(options.by_duration)
    if bool(options.topic) == options.all_topics:
        raise Unusable("One of the reset scopes should be defined: --all-topics, --topic.")


def reset(cluster: ToolCluster, options: argparse.Namespace) -> str:
    if not options.dry_run and not options.execute:
        print_remark(NO_ACTION)
    groups = cluster.state["groups"]
    names = sorted(groups) if options.all_groups else options.group
    out, new = "", []
    for name in names:
        state = groups[name]["state"] if name in groups else "Dead"
        if state not in ("Empty", "Dead"):
            out += (
                f"\nError: Assignments can only be reset if the group '{name}' is inactive, but "
                f"the current state is {state}.\n"
            )
            continue
        partitions = _scope(cluster, name, options)
        admin = cluster.admin()
        offsets = _prepared(cluster, admin, name, partitions, options)
        if options.execute:
            admin.alter_consumer_group_offsets(
                name, {tp: OffsetAndMetadata(offset) for tp, offset in offsets.items()}
            ).all().get()
        admin.close()
        new += [(name, tp.topic, tp.partition, offset) for tp, offset in offsets.items()]
    if options.export:
        with_group = len(names) > 1
        return (
            out
            + "".join(",".join(map(str, row if with_group else row[1:])) + "\n" for row in new)
            + "\n"
        )
    return out + reset_table(new)


def _scope(cluster: ToolCluster, group: str, options: argparse.Namespace) -> list[TopicPartition]:
    if options.all_topics:
        committed = cluster.state["groups"].get(group, {"offsets": {}})["offsets"]
        return partitions_in_hash_order(partition_of(text) for text in committed)
    named = [tp for text in options.topic for tp in partitions_named(cluster, text)]
    return named if cluster.release.resets_as_named else partitions_in_hash_order(named)


def partitions_named(cluster: ToolCluster, text: str) -> list[TopicPartition]:
    """The partitions of `t4` or `t4:0,2`. Raises Unusable for an unknown topic or partition."""
    topic, _, numbers = text.partition(":")
    found = cluster.state["topics"].get(topic)
    if found is None:
        raise Unusable(
            "Error: Executing consumer group command failed due to This server does not host this "
            f"topic-partition. (topic {topic})"
        )
    if not numbers:
        return [
            TopicPartition(topic, number) for number in long_map_order(range(found["partitions"]))
        ]
    if not re.fullmatch(r"\d+(,\d+)*", numbers):
        raise Unusable(f"--topic takes a topic or topic:partition,partition, not {text!r}")
    chosen = [int(number) for number in numbers.split(",")]
    missing = [number for number in chosen if number >= found["partitions"]]
    if missing:
        raise Unusable(f"topic {topic} has no partition {missing[0]}; it has {found['partitions']}")
    return [TopicPartition(topic, number) for number in chosen]


def _prepared(
    cluster: ToolCluster,
    admin: KafkaAdminClient,
    group: str,
    partitions: list[TopicPartition],
    options: argparse.Namespace,
) -> Offsets:
    """The new offset of each partition."""
    committed = {
        partition_of(text): kept["offset"]
        for text, kept in cluster.state["groups"].get(group, {"offsets": {}})["offsets"].items()
    }

    def ends(spec: OffsetSpec) -> Offsets:
        return (
            {
                tp: found.offset
                for tp, found in admin.list_offsets(dict.fromkeys(partitions, spec))
                .all()
                .get()
                .items()
            }
            if partitions
            else {}
        )

    def inside(wanted: Mapping[TopicPartition, int]) -> Offsets:
        first, last = ends(OffsetSpec.earliest()), ends(OffsetSpec.latest())
        return {tp: min(max(wanted[tp], first[tp]), last[tp]) for tp in partitions}

    def shifted() -> Offsets:
        for tp in partitions:
            if tp not in committed:
                raise Unusable(
                    f"Cannot shift offset for partition {tp} since there is no current committed "
                    "offset"
                )
        return inside({tp: committed[tp] + int(options.shift_by) for tp in partitions})

    def at(moment: int) -> Offsets:
        """The offset of the first record that is not older than `moment`, else the log end
        offset.
        """
        found, last = ends(OffsetSpec.for_timestamp(moment)), ends(OffsetSpec.latest())
        return {tp: found[tp] if found[tp] >= 0 else last[tp] for tp in partitions}

    def current() -> Offsets:
        last = ends(OffsetSpec.latest())
        return {tp: committed.get(tp, last[tp]) for tp in partitions}

    now_ms = cluster.lab.epoch_ms + cluster.at_ms
    ways: dict[str, Callable[[], Offsets]] = {
        "to_earliest": lambda: ends(OffsetSpec.earliest()),
        "to_latest": lambda: ends(OffsetSpec.latest()),
        "to_current": current,
        "to_offset": lambda: inside(dict.fromkeys(partitions, int(options.to_offset))),
        "shift_by": shifted,
        "to_datetime": lambda: at(moment_ms(options.to_datetime)),
        "by_duration": lambda: at(max(0, now_ms - duration_of(options.by_duration))),
    }
    chosen = next(name for name in SCENARIOS if getattr(options, name) not in (None, False))
    found = ways[chosen]()
    return {tp: found[tp] for tp in partitions}


def moment_ms(text: str) -> int:
    """Epoch milliseconds of `2026-11-21T01:58:27.000`. The default zone is UTC. Raises Unusable."""
    try:
        if not DATETIME.fullmatch(text):
            raise ValueError
        found = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise Unusable(f"--to-datetime takes YYYY-MM-DDThh:mm:ss.sss, not {text!r}") from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=datetime.UTC)
    return max(0, int(found.timestamp() * 1000))


def duration_of(text: str) -> int:
    """Milliseconds of `P1DT2H30M`. Raises Unusable."""
    found = duration_ms(text)
    if found is None:
        raise Unusable(f"--by-duration takes PnDTnHnMnS, not {text!r}")
    return found
