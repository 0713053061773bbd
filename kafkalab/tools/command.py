"""Runs the Kafka tool that a command names, such as `kafka-topics --list`."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from importlib import import_module

from kafkalab.errors import IllegalArgumentException, KafkaException
from kafkalab.lab import Lab
from kafkalab.tools.cluster import Unusable

TOOLS = (
    "kafka-consumer-groups kafka-share-groups kafka-topics kafka-configs kafka-console-producer "
    "kafka-console-consumer kafka-get-offsets kafka-log-dirs kafka-dump-log kafka-transactions"
).split()
FAILURES = (Unusable, ValueError, KafkaException, IllegalArgumentException)
"""What ends a tool with one sentence."""


def main(argv: Sequence[str]) -> int:
    """Run a tool in a terminal, by its name and its options, and print its output or one sentence.
    Returns the exit code, 0 or 2."""
    name, *options = argv
    try:
        print(_run_of(name)(options), end="")
    except FAILURES as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    return 0


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
    more = {"stdin": stdin} if name == "kafka-console-producer" else {}
    with redirect_stderr(io.StringIO()) as remarks:
        try:
            printed = _run_of(name)(options, lab, **more)
        except FAILURES as error:
            printed = f"{error}\n"
    return remarks.getvalue() + printed


def _run_of(name: str) -> Callable[..., str]:
    """The function of a tool: that of kafka-topics is `run` in topics.py."""
    module = import_module(f"kafkalab.tools.{name.removeprefix('kafka-').replace('-', '_')}")
    run: Callable[..., str] = module.run
    return run
