"""Prints the reading path of the simulator and the files of its kernel, with their lengths.

`python -m kafkalab kernel` counts when it is asked, so that no page has to keep these numbers. The
kernel knows no wording and no release: `tests/test_architecture.py` holds it to that.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from kafkalab.command_line import CommandParser, called_as

PACKAGE = Path(__file__).resolve().parents[1]

READING = (
    "sim/scheduler.py",
    "sim/journal.py",
    "sim/network.py",
    "broker/effects.py",
    "broker/steps.py",
    "broker/log/partition_log.py",
    "broker/groups/classic/group_state.py",
    "broker/shell/broker.py",
    "clients/network/connection_states.py",
    "clients/network/network_client.py",
    "clients/consumer/classic/consumer_coordinator.py",
    "clients/consumer/kafka_consumer.py",
    "lab.py",
)
"""The path through the simulator: the kernel, a broker, a client, and the facade last."""

KERNEL = (
    "sim/apps.py",
    "sim/chain.py",
    "sim/garbage.py",
    "sim/invariants.py",
    "sim/journal.py",
    "sim/network.py",
    "sim/rng.py",
    "sim/scheduler.py",
    "sim/timer.py",
    "moves.py",
    "broker/effects.py",
    "broker/steps.py",
    "broker/log/disk.py",
    "broker/log/log_settings.py",
    "broker/log/partition_log.py",
    "broker/log/producer_state.py",
    "broker/log/segments.py",
    "broker/log/transaction_index.py",
    "broker/replication/follower_state.py",
    "broker/cluster/broker_control_state.py",
    "broker/groups/classic/group_state.py",
    "broker/groups/modern/consumer_group_state.py",
    "broker/groups/share/record_state.py",
    "broker/transactions/transaction_state.py",
    "clients/producer/transactions/transaction_manager_state.py",
)
"""What any simulated broker or client is built on."""


def kernel_files() -> list[Path]:
    """The files of the kernel, in the order above."""
    return [PACKAGE / name for name in KERNEL]


def row(path: Path, before: str = "") -> str:
    """One file: its lines, its name, and the first sentence of its docstring."""
    source = path.read_text(encoding="utf-8")
    said = " ".join((ast.get_docstring(ast.parse(source)) or "").split())
    sentence = said.partition(". ")[0].rstrip(".")
    name = path.relative_to(PACKAGE).as_posix()
    return f"{before}{length(path):5}  {name}: {sentence}."


def length(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def main(argv: Sequence[str]) -> int:
    """Print both tables; returns 0."""
    CommandParser(
        prog=f"{called_as('kafkalab')} kernel",
        description="Print the reading path of the simulator and the files of its kernel.",
        example="",
    ).parse_args(argv)
    path = [PACKAGE / name for name in READING]
    files = kernel_files()
    print(f"The reading path, {sum(map(length, path))} lines:\n")
    for number, file in enumerate(path, 1):
        print(row(file, f"{number:3}"))
    print(f"\nThe kernel, {len(files)} files and {sum(map(length, files))} lines:\n")
    for file in files:
        print(row(file))
    return 0
