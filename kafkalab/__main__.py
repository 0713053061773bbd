"""Runs `kafkalab COMMAND`, which is the same as `python -m kafkalab COMMAND`."""

from __future__ import annotations

import sys
from importlib import import_module

from kafkalab.command_line import (
    CommandParser,
    called_as,
    command_on_the_line,
    with_version,
)
from kafkalab.extras import missing_extra

COMMANDS = {
    "logsets": "read, explain and generate logs of Kafka clients",
    "replay": "play a recorded scenario on the simulator",
    "conformance": "compare the simulator with a folder of recordings",
    "answer": "say what the simulator's machines make of small cases in a file",
    "seeds": "hold many small stories full of faults against the laws",
    "source-lines": (
        "import the line numbers of the clients' Java sources from a folder of recordings"
    ),
    "line-gaps": "import how long real clients take between two lines from a folder of recordings",
    "play": "a page on which the simulator plays in the browser",
    "real": "real Kafka beside the lab: setup, up, down, status, prove",
    "picture": "draw the picture of the README",
    "kernel": "the reading path of the simulator and the files of its kernel, with their lengths",
    "kafka-consumer-groups": "groups of a played scenario: list, describe, reset offsets",
    "kafka-share-groups": "share groups of a played scenario: list, describe",
    "kafka-topics": "topics of a played scenario",
    "kafka-configs": "settings of the topics of a played scenario",
    "kafka-console-producer": "send lines to a played scenario",
    "kafka-console-consumer": "the records of a played scenario",
    "kafka-get-offsets": "where partitions of a played scenario begin and end",
    "kafka-log-dirs": "what the partitions of a played scenario take on disk",
    "kafka-dump-log": "the batches of a partition of a played scenario",
    "kafka-transactions": "transactional ids of a played scenario",
}
HOMES = {
    "logsets": "logsets.__main__",
    "replay": "proof.replay",
    "conformance": "proof.conformance.command",
    "answer": "proof.cases.command",
    "seeds": "proof.laws.command",
    "source-lines": "lines.recorded_numbers",
    "line-gaps": "lines.gap_import",
    "play": "play.command",
    "real": "real.entry",
    "picture": "tools.readme_picture",
    "kernel": "tools.kernel",
}
"""Command -> the module with its main(argv). Kafka's own tools share one, which takes the tool's
name first."""
UNUSABLE, INTERRUPTED = 2, 130
UNIX_ONLY = ("fcntl",)


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code; 2 after one sentence for what cannot be used, 130
    after Ctrl-C."""
    words = sys.argv[1:] if argv is None else argv
    parser = _parser()
    wanted = command_on_the_line(COMMANDS) or parser.parse_args(words[:1]).command
    if wanted is None:
        parser.print_help(sys.stderr)
        return UNUSABLE
    try:
        home, name = (HOMES[wanted], []) if wanted in HOMES else ("tools.command", [wanted])
        code: int = import_module(f"kafkalab.{home}").main([*name, *words[1:]])
        return code
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    except ImportError as error:
        told: object = missing_extra(error)
        if error.name in UNIX_ONLY:
            told = (
                f"`{wanted}` needs Linux, macOS, or WSL2 on Windows: it holds its brokers with"
                f" Python's module {error.name}, which is not here."
            )
        if told is None:
            raise
        print(told, file=sys.stderr)
        return UNUSABLE


def _parser() -> CommandParser:
    parser = CommandParser(
        prog=called_as("kafkalab"),
        description="Play Kafka's clients and brokers, look at what they did, and read real logs.",
        example="logsets explain client.log --html page.html",
    )
    with_version(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, what in COMMANDS.items():
        # the module's own parser reads the words that follow
        commands.add_parser(name, help=what, add_help=False)
    return parser


if __name__ == "__main__":
    sys.exit(main())
