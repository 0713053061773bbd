"""Runs kafka-share-groups (ShareGroupCommand): lists and describes share groups (KIP-932).

The lag of a partition is what lies behind the start offset, without the records of the window that
are done (KIP-1226). A partition of which nobody has acquired a record has no row. Simplified:
a real group tells the start offset of the moment before its last write (measured with 4.4.0), and
this one that of now. Left out: --reset-offsets, --delete-offsets, --delete.
"""

from __future__ import annotations

import argparse
from typing import Any

from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.lab import Lab
from kafkalab.reading.history.group_rows import partition_of
from kafkalab.tools.cluster import (
    Options,
    ToolCluster,
    Unusable,
    cluster_for,
    print_remark,
)
from kafkalab.tools.group_tables import Column, assigned, table

TOOL = "kafka-share-groups"
DONE = ("Acknowledged", "Archived")
GROUP = Column("GROUP", 15, True)
NOT_FOUND = (
    "Error: Executing share group command failed due to "
    "org.apache.kafka.common.errors.GroupIdNotFoundException: Group {group} not found."
)


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    options = _options().parse_args(argv)
    if options.list == options.describe:
        raise Unusable("say either --list or --describe; other actions are not simulated")
    if options.describe and not options.group and not options.all_groups:
        raise Unusable("Option [describe] takes one of these options: [all-groups], [group]")
    if options.members + options.offsets + options.state > 1:
        raise Unusable(
            "Option [describe] takes at most one of these options: [members], [offsets], [state]"
        )
    cluster = cluster_for(options, lab)
    if not cluster.release.tells_share_groups:
        raise Unusable("this broker is too old for share groups, which came with 4.0 (KIP-932)")
    return _list(cluster, options.state) if options.list else _describe(cluster, options)


def _options() -> Options:
    options = Options(TOOL, "Share groups: list, describe.", "--describe --group workers")
    for name, text in (
        ("--list", "list the groups"),
        ("--describe", "describe groups"),
        ("--all-groups", "every share group"),
        ("--members", "describe members"),
        ("--offsets", "describe start offsets and lag (the default)"),
        ("--state", "describe states, or list groups with them"),
        ("--verbose", "more columns"),
    ):
        options.add_argument(name, action="store_true", help=text)
    options.add_argument(
        "--group", action="append", default=[], help="a group; may be given several times"
    )
    return options


def _list(cluster: ToolCluster, with_state: bool) -> str:
    groups = cluster.lab.cluster.share_groups
    names = hash_map_order(groups, java_string_hash)
    if not with_state:
        return "".join(f"{name}\n" for name in names)
    rows = [(name, _state(groups[name])) for name in names]
    return table([GROUP, Column("STATE", 0)], rows).removeprefix("\n")


def _describe(cluster: ToolCluster, options: argparse.Namespace) -> str:
    groups = cluster.lab.cluster.share_groups
    shown = []
    for name in sorted(groups if options.all_groups else options.group):
        if name not in groups:
            raise Unusable(NOT_FOUND.format(group=name))
        group = groups[name]
        if (options.members or options.state) and not group.members:
            print_remark(f"\nShare group '{name}' has no active members.")
        if options.members:
            shown.append(_members(group, options.verbose) if group.members else "")
        elif options.state:
            shown.append(_states(cluster, group, options.verbose))
        elif rows := _offset_rows(cluster, name, options.verbose):
            epoch = [Column("LEADER-EPOCH", 13)] if options.verbose else []
            columns = [GROUP, Column("TOPIC", 15, True), Column("PARTITION", 10), *epoch]
            shown.append(table([*columns, Column("START-OFFSET", 13), Column("LAG", 0)], rows))
        else:
            print_remark(f"\nShare group '{name}' has no offset information.")
    return "".join(shown)


def _state(group: Any) -> str:
    return "Stable" if group.members else "Empty"


def _offset_rows(cluster: ToolCluster, name: str, verbose: bool) -> list[list[object]]:
    """A row for each partition: group, topic, number, (leader epoch,) start offset, lag."""
    windows = cluster.state.get("share_groups", {}).get(name, {"partitions": {}})["partitions"]
    rows = []
    for text in sorted(windows, key=partition_of):
        window, log = windows[text], cluster.state["partitions"][text]
        done = sum(record["state"] in DONE for record in window["records"].values())
        lag = log["high_watermark"] - window["start_offset"] - done
        epoch = [log["leader_epoch"]] if verbose else []
        rows.append([name, *partition_of(text), *epoch, window["start_offset"], lag])
    return rows


def _members(group: Any, verbose: bool) -> str:
    columns = [
        GROUP,
        Column("CONSUMER-ID", 15, True),
        Column("HOST", 15),
        Column("CLIENT-ID", 15, True),
        Column("#PARTITIONS", 12),
        *([Column("MEMBER-EPOCH", 13)] if verbose else []),
        Column("ASSIGNMENT", 0),
    ]
    rows = []
    for member in group.members.values():
        own = group.target.get(member.id, ())
        epoch = [member.epoch] if verbose else []
        row = [group.id, member.id, "/127.0.0.1", member.client_id, len(own), *epoch]
        rows.append([*row, assigned(own)])
    return table(columns, rows)


def _states(cluster: ToolCluster, group: Any, verbose: bool) -> str:
    coordinator = cluster.lab.coordinator_of(group.id)
    address = cluster.state["brokers"][coordinator]["address"]
    epochs = [Column("GROUP-EPOCH", 12), Column("ASSIGNMENT-EPOCH", 17)] if verbose else []
    columns = [GROUP, Column("COORDINATOR (ID)", 25, True), Column("STATE", 15), *epochs]
    shown = [group.epoch, group.target_epoch] if verbose else []
    row = [group.id, f"{address}  ({coordinator})", _state(group), *shown, len(group.members)]
    return table([*columns, Column("#MEMBERS", 0)], [row])
