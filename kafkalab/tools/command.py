"""Runs the Kafka tool that a command names, such as `kafka-topics --list`, on a lab at hand."""

from __future__ import annotations

import io
import shlex
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr
from importlib import import_module

from kafkalab.errors import IllegalArgumentException
from kafkalab.lab import Lab
from kafkalab.tools.cluster import FAILURES

TOOLS: Mapping[str, str] = {
    "kafka-consumer-groups": "consumer_groups",
    "kafka-share-groups": "share_groups",
    "kafka-topics": "topics",
    "kafka-configs": "configs",
    "kafka-console-producer": "console_producer",
    "kafka-console-consumer": "console_consumer",
    "kafka-get-offsets": "get_offsets",
    "kafka-log-dirs": "log_dirs",
    "kafka-dump-log": "dump_log",
    "kafka-transactions": "transactions",
}
"""Command -> the module with its main(argv) and its run(argv, lab)."""


def tool(lab: Lab, command: str, stdin: str = "") -> str:
    """What a terminal shows after a command to a lab's cluster, as it is now.

    command: such as "kafka-topics --describe --topic orders"; the name may end with .sh, and
    --bootstrap-server may be left out. stdin: what the user types, for kafka-console-producer.
    What the real tool prints on stderr comes first. A command that the tool refuses returns its
    sentence. Raises IllegalArgumentException for an unknown tool.
    """
    name, *options = shlex.split(command.replace("\\\n", " "))
    name = name.removesuffix(".sh")
    if name not in TOOLS:
        raise IllegalArgumentException(
            f"there is no tool {name!r}; choose one of {', '.join(TOOLS)}"
        )
    run: Callable[..., str] = import_module(f"kafkalab.tools.{TOOLS[name]}").run
    more = {"stdin": stdin} if name == "kafka-console-producer" else {}
    with redirect_stderr(io.StringIO()) as remarks:
        try:
            printed = run(options, lab, **more)
        except FAILURES as error:
            printed = f"{error}\n"
    return remarks.getvalue() + printed
