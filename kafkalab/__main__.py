"""python -m kafkalab replay | conformance | answer | seeds | source-lines | real | picture |
kafka-topics | ..."""

from __future__ import annotations

import os
import sys

COMMANDS = {
    "replay": "play a recorded scenario on the simulator",
    "conformance": "compare the simulator with a folder of recordings",
    "answer": "say what the simulator's machines make of small cases in a file",
    "seeds": "hold many small stories full of faults against the laws",
    "source-lines": (
        "import the line numbers of the clients' Java sources from a folder of recordings"
    ),
    "real": "real Kafka beside the lab: setup, up, down, status, prove",
    "picture": "draw the picture of the README",
    "kafka-consumer-groups": "groups of a played scenario: list, describe, reset offsets",
    "kafka-topics": "topics of a played scenario",
    "kafka-configs": "settings of the topics of a played scenario",
    "kafka-console-producer": "send lines to a played scenario",
    "kafka-console-consumer": "the records of a played scenario",
    "kafka-get-offsets": "where partitions of a played scenario begin and end",
    "kafka-log-dirs": "what the partitions of a played scenario take on disk",
    "kafka-dump-log": "the batches of a partition of a played scenario",
    "kafka-transactions": "transactional ids of a played scenario",
}


def main(argv: list[str]) -> int:
    if not argv or argv[0] not in COMMANDS:
        print(
            "usage: python -m kafkalab COMMAND ...\n"
            + "".join(f"  {name:22} {what}\n" for name, what in COMMANDS.items()),
            end="",
            file=sys.stderr,
        )
        return 0 if argv and argv[0] in ("-h", "--help") else 2
    if argv[0] == "replay":
        from kafkalab.proof.replay import main as run
    elif argv[0] == "conformance":
        from kafkalab.proof.conformance import main as run
    elif argv[0] == "answer":
        from kafkalab.proof.cases import main as run
    elif argv[0] == "seeds":
        from kafkalab.proof.laws.command import main as run
    elif argv[0] == "source-lines":
        from kafkalab.lines.recorded_numbers import main as run
    elif argv[0] == "real":
        from kafkalab.real.readiness import WRONG_SYSTEM

        if os.name != "posix":
            print(WRONG_SYSTEM, file=sys.stderr)
            return 1
        from kafkalab.real.command import main as run
    elif argv[0].startswith("kafka-"):
        from kafkalab.tools.command import run_named

        return run_named(argv)
    else:
        from kafkalab.tools.readme_picture import main as run
    return run(argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
