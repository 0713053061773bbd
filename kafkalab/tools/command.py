"""Starts the Kafka tool that a command names, such as `python -m kafkalab kafka-topics ...`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

TOOLS: Mapping[str, str] = {
    "kafka-consumer-groups": "consumer_groups",
    "kafka-topics": "topics",
    "kafka-get-offsets": "get_offsets",
    "kafka-log-dirs": "log_dirs",
    "kafka-dump-log": "dump_log",
    "kafka-transactions": "transactions",
}
"""Command -> the module with its main(argv)."""


def run_named(argv: list[str]) -> int:
    """Run the tool that argv names first. Returns 0, or 2 after one sentence on stderr."""
    tool: Callable[[list[str]], int] = import_module(f"kafkalab.tools.{TOOLS[argv[0]]}").main
    return tool(argv[1:])
