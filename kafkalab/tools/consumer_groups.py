"""Runs kafka-consumer-groups: lists and describes groups, resets and deletes their offsets.

Kafka's classes are ConsumerGroupCommand and ConsumerGroupCommandOptions. --describe reads the state
of the moment. Resets and deletions send requests to the brokers, as the real tool does. Left out:
--validate-regex, --from-file, --command-config, --timeout.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.errors import KafkaException
from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.lab import Lab
from kafkalab.reading.history.group_rows import member_rows, offset_rows
from kafkalab.tools import reset_offsets
from kafkalab.tools.cluster import (
    Options,
    ToolCluster,
    Unusable,
    cluster_for,
    print_remark,
)
from kafkalab.tools.group_tables import MEMBERS, STATE, Column, offsets_table, table

TOOL = "kafka-consumer-groups"
ACTIONS = ("list", "describe", "delete", "reset_offsets", "delete_offsets")
REBALANCING = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling")
ASKED_FOR_NOTHING = object()


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    options = _options().parse_args(argv)
    _check(options)
    cluster = cluster_for(options, lab)
    return DOES[next(action for action in ACTIONS if getattr(options, action))](cluster, options)


def _options() -> Options:
    options = Options(
        TOOL,
        "Groups of consumers: list, describe, delete, reset their offsets.",
        "--describe --group shop",
    )
    for name, text in (
        ("--list", "list the groups"),
        ("--describe", "describe groups"),
        ("--delete", "forget groups without members"),
        ("--reset-offsets", "give a group other committed offsets"),
        ("--delete-offsets", "forget committed offsets"),
        ("--all-groups", "every group"),
        ("--members", "describe members"),
        ("--offsets", "describe offsets (the default)"),
        ("--verbose", "more columns"),
        ("--all-topics", "reset every topic the group committed"),
        ("--to-earliest", "to the log start"),
        ("--to-latest", "to the log end"),
        ("--to-current", "to what is committed"),
        ("--dry-run", "only show what would be"),
        ("--execute", "do it"),
        ("--export", "print the new offsets as CSV"),
    ):
        options.add_argument(name, action="store_true", help=text)
    options.add_argument(
        "--group", action="append", default=[], help="a group; may be given several times"
    )
    options.add_argument(
        "--topic",
        action="append",
        default=[],
        help="a topic, or topic:partition,partition; may be given several times",
    )
    options.add_argument(
        "--state",
        nargs="?",
        default=ASKED_FOR_NOTHING,
        metavar="STATES",
        help="describe states, or list groups in these states",
    )
    options.add_argument(
        "--type",
        nargs="?",
        default=ASKED_FOR_NOTHING,
        metavar="TYPES",
        help="list groups of these types",
    )
    options.add_argument("--to-offset", help="to this offset")
    options.add_argument("--shift-by", help="by so many, forward or back")
    options.add_argument("--to-datetime", help="to a time, YYYY-MM-DDThh:mm:ss.sss (UTC)")
    options.add_argument("--by-duration", help="to so long ago, PnDTnHnMnS")
    return options


def _check(options: argparse.Namespace) -> None:
    """Refuse what the real tool refuses before it connects. The messages are the real tool's."""
    chosen = [action for action in ACTIONS if getattr(options, action)]
    if len(chosen) != 1:
        raise Unusable(
            "Command must include exactly one action: --list, --describe, --delete, "
            "--reset-offsets, --delete-offsets"
        )
    if options.list:
        return
    if options.describe:
        if not options.group and not options.all_groups:
            raise Unusable("Option [describe] takes one of these options: [all-groups], [group]")
        if sum((options.members, options.offsets, options.state is not ASKED_FOR_NOTHING)) > 1:
            raise Unusable(
                "Option [describe] takes at most one of these options: [members], [offsets], "
                "[state]"
            )
        if options.state not in (ASKED_FOR_NOTHING, None):
            raise Unusable("Option [describe] does not take a value for [state]")
    elif not options.group and not (options.all_groups and not options.delete_offsets):
        action = chosen[0].replace("_", "-")
        raise Unusable(
            f"Option [{action}] takes "
            f"{'the option: [group]' if options.delete_offsets else 'one of these options: [all-groups], [group]'}"  # noqa: E501
        )
    if options.delete_offsets and not options.topic:
        raise Unusable("Option [delete-offsets] takes the following options: [topic], [group]")
    if options.reset_offsets:
        reset_offsets.check_options(options)


def _list(cluster: ToolCluster, options: argparse.Namespace) -> str:
    groups = cluster.state["groups"]
    with_state = options.state is not ASKED_FOR_NOTHING
    with_type = options.type is not ASKED_FOR_NOTHING
    if (with_state or with_type) and not cluster.release.lists_states:
        raise Unusable(
            "the tool of this broker's release lists no states or types: --state came with KIP-518 "
            "(2.6), --type with KIP-848 (3.7)"
        )
    states, types = _wanted(options.state), _wanted(options.type)
    names = [
        name
        for name in hash_map_order(groups, java_string_hash)
        if (not states or groups[name]["state"].lower() in states)
        and (not types or groups[name]["type"].lower() in types)
    ]
    if not with_state and not with_type:
        return "".join(f"{name}\n" for name in names)
    columns = [Column("GROUP", 25, True)]
    columns += [Column("TYPE", 20)] * with_type + [Column("STATE", 20)] * with_state
    rows = (
        [
            name,
            *([groups[name]["type"].capitalize()] * with_type),
            *([groups[name]["state"]] * with_state),
        ]
        for name in names
    )
    return table(columns, rows).removeprefix("\n")


def _wanted(given: Any) -> set[str]:
    return {part.strip().lower() for part in given.split(",")} if isinstance(given, str) else set()


def _describe(cluster: ToolCluster, options: argparse.Namespace) -> str:
    layout, groups = cluster.release, cluster.state["groups"]
    names = sorted(groups) if options.all_groups else sorted(options.group)
    shown = []
    for name in names:
        group = groups.get(name)
        if group is None:
            raise Unusable(layout.says_not_found.format(group=name))
        if said := remark(name, group):
            print_remark(said.removesuffix("\n"))
        if options.members:
            shown.append(MEMBERS[layout.members](name, member_rows(group), options.verbose))
        elif options.state is not ASKED_FOR_NOTHING:
            address = cluster.state["brokers"].get(group["coordinator"], {"address": ":-1"})[
                "address"
            ]
            shown.append(
                STATE[layout.state](
                    name, {**group, "strategy": _strategy(group)}, address, options.verbose
                )
            )
        else:
            rows = offset_rows(cluster.state, group, layout.by_number)
            if rows:
                shown.append(
                    offsets_table(name, rows, with_epoch=options.verbose and layout.tells_epoch)
                )
    return "".join(shown)


def described(lab: Lab, group: str, at_ms: int | None = None) -> str:
    """The output of `--describe --group` for a lab's group, in the layout of the tools of 4.x.

    The remark that the tool prints on stderr is on top. at_ms: the moment; default: now. Raises
    ValueError for a group that did not exist then.
    """
    state = lab.at(lab.now_ms if at_ms is None else at_ms)
    if group not in state["groups"]:
        raise ValueError(f"Error: Consumer group '{group}' does not exist.")
    return remark(group, state["groups"][group]) + offsets_table(
        group, offset_rows(state, state["groups"][group]), with_epoch=False
    )


def _strategy(group: Mapping[str, Any]) -> str:
    """The assignor of the group's generation, once its members have agreed on it."""
    agreed = group["state"] in ("Stable", "CompletingRebalance", "Assigning", "Reconciling")
    return (group["protocol"] or "") if agreed else ""


def remark(name: str, group: Mapping[str, Any]) -> str:
    """The text that the tool prints on stderr before a group's table; empty for a stable group."""
    if group["state"] == "Empty":
        return f"\nConsumer group '{name}' has no active members.\n"
    if group["state"] in REBALANCING:
        return f"\nWarning: Consumer group '{name}' is rebalancing.\n"
    return ""


def _delete(cluster: ToolCluster, options: argparse.Namespace) -> str:
    names = sorted(cluster.state["groups"]) if options.all_groups else options.group
    futures = cluster.admin().delete_consumer_groups(names).deleted_groups()
    failed, deleted = {}, []
    for name, future in futures.items():
        try:
            future.get()
            deleted.append(name)
        except KafkaException as error:
            failed[name] = error
    if not failed:
        quoted = ", ".join(f"'{name}'" for name in deleted)
        return f"Deletion of requested consumer groups ({quoted}) was successful.\n"
    cause = cluster.release.delete_cause
    return "\nError: Deletion of some consumer groups failed:\n" + "".join(
        f"* Group '{name}' could not be deleted due to: {cause.format(error=error.java_text())}\n"
        for name, error in failed.items()
    )


def _delete_offsets(cluster: ToolCluster, options: argparse.Namespace) -> str:
    group = options.group[0]
    if cluster.state["groups"].get(group) is None:
        raise Unusable(f"Error: The consumer group {group} does not exist.")
    partitions = [
        tp for text in options.topic for tp in reset_offsets.partitions_named(cluster, text)
    ]
    outcome = cluster.admin().delete_consumer_group_offsets(group, partitions)
    rows = []
    for tp in partitions:
        try:
            outcome.partition_result(tp).get()
            status = "Successful"
        except KafkaException as error:
            status = f"Error: {error}"
        rows.append((tp.topic, tp.partition, status))
    return f"Request succeeded for deleting offsets from group {group}.\n" + table(
        [Column("TOPIC", 15), Column("PARTITION", 10), Column("STATUS", 15)], rows
    )


DOES: Mapping[str, Callable[[ToolCluster, argparse.Namespace], str]] = {
    "list": _list,
    "describe": _describe,
    "delete": _delete,
    "reset_offsets": reset_offsets.reset,
    "delete_offsets": _delete_offsets,
}
