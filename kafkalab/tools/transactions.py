"""Runs kafka-transactions (TransactionsCommand): prints transactional ids and their states.

The tool came with 3.0 (KIP-664). `list` prints all of them, `describe --transactional-id ID` one.
Left out: find-hanging, describe-producers, abort.
"""

from __future__ import annotations

from collections.abc import Sequence

from kafkalab.hashing import coordinator_partition
from kafkalab.lab import Lab
from kafkalab.tools.cluster import Options, ToolCluster, Unusable, cluster_for

TOOL = "kafka-transactions"
STATE_TOPIC = "__transaction_state"


def run(argv: list[str], lab: Lab | None = None) -> str:
    """What the tool prints. lab: the cluster; None: the scenario that the options name."""
    options = Options(TOOL, "Transactional ids: list, describe.", "list")
    options.add_argument("command", nargs="?", help="list, or describe")
    options.add_argument("--transactional-id", metavar="ID", help="which one to describe")
    chosen = options.parse_args(argv)
    if chosen.command not in ("list", "describe"):
        raise Unusable(
            f"argument command: invalid choice: {chosen.command!r} (choose from list, describe)"
        )
    if chosen.command == "describe" and not chosen.transactional_id:
        raise Unusable("argument --transactional-id is required")
    cluster = cluster_for(chosen, lab)
    if not cluster.release.tells_transactions:
        raise Unusable(
            "this broker is too old for LIST_TRANSACTIONS, which came with 3.0 (KIP-664)"
        )
    if chosen.command == "list":
        rows = [
            (id, _coordinator(cluster, id), txn["producer_id"], txn["state"])
            for id, txn in sorted(cluster.state["transactions"].items())
        ]
        return _table(("TransactionalId", "Coordinator", "ProducerId", "TransactionState"), rows)
    return _described(cluster, chosen.transactional_id)


def _described(cluster: ToolCluster, id: str) -> str:
    txn = cluster.state["transactions"].get(id)
    if txn is None:
        raise Unusable(
            f"Failed to describe transaction state of transactional-id `{id}`: "
            f"DescribeTransactions request for transactionalId `{id}` failed because the ID could "
            "not be found."
        )
    headings = (
        "CoordinatorId TransactionalId ProducerId ProducerEpoch TransactionState "
        "TransactionTimeoutMs CurrentTransactionStartTimeMs TransactionDurationMs "
        "TopicPartitions"
    ).split()
    began = txn["started_at_ms"]
    times = (cluster.lab.epoch_ms + began, cluster.at_ms - began) if began >= 0 else (None, None)
    return _table(
        headings,
        [
            (
                _coordinator(cluster, id),
                id,
                txn["producer_id"],
                txn["epoch"],
                txn["state"],
                txn["timeout_ms"],
                *times,
                ",".join(txn["partitions"]),
            )
        ],
    )


def _coordinator(cluster: ToolCluster, id: str) -> int:
    topic = cluster.state["topics"].get(STATE_TOPIC)
    if topic is None:
        return -1
    leader: int = cluster.state["partitions"][
        f"{STATE_TOPIC}-{coordinator_partition(id, topic['partitions'])}"
    ]["leader"]
    return leader


def _table(headings: Sequence[str], rows: Sequence[tuple[object, ...]]) -> str:
    """A table as ToolsUtils.prettyPrintTable prints it: each column as wide as its widest value,
    then a tab.
    """
    lines = [
        headings,
        *([("None" if value is None else str(value)) for value in row] for row in rows),
    ]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headings))]
    return "".join(
        "".join(value.ljust(width) + "\t" for value, width in zip(line, widths)) + "\n"
        for line in lines
    )
