"""python -m kafkalab.logsets connections PATH [--json FILE] | read PATH | generate NAME --out DIR | java"""
import argparse
import json
import sys
from pathlib import Path

from kafkalab.logsets.java import JavaMissing, find_java


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 when done, 2 with one sentence on stderr when it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m kafkalab.logsets", description="Lines of Kafka clients, read with Spark.")
    commands = parser.add_subparsers(dest="command", required=True)
    connections = commands.add_parser("connections", help="one row for each socket the clients opened")
    connections.add_argument("path", help="a log, packed or not, or a folder of them")
    connections.add_argument("--json", metavar="FILE", help="write the rows there ('-' for stdout) instead of a table")
    read = commands.add_parser("read", help="what is in these files, and what could not be read")
    read.add_argument("path")
    generate = commands.add_parser("generate", help="make a log set, with its truth beside it")
    generate.add_argument("manifest", help="a name in data/manifests, or a .json file")
    generate.add_argument("--out", required=True, metavar="DIR")
    for command in (connections, read, generate):
        command.add_argument("--master", help="Spark's master URL (default: KAFKALAB_SPARK_MASTER, else local[*])")
    commands.add_parser("java", help="which Java Spark will start with")
    options = parser.parse_args(arguments)
    try:
        return {"connections": _connections, "read": _read, "generate": _generate, "java": _java}[options.command](options)
    except (JavaMissing, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2


def _connections(options) -> int:
    from pyspark.sql import functions as F

    from kafkalab.logsets.connections import COLUMNS, connections
    from kafkalab.logsets.read import files_of, load
    from kafkalab.logsets.session import session

    files_of(options.path)  # Before Spark takes its seconds to start: is there anything to read?
    # Only lines with a prefix of their own speak of sockets, so nobody has to look for the clients of the others.
    sockets = connections(load(session(options.master), options.path, COLUMNS))
    sockets = sockets.orderBy("file", "client_id", "opened_at", "node_id").withColumns(
        {name: F.date_format(name, "yyyy-MM-dd HH:mm:ss,SSS") for name in ("opened_at", "closed_at")}  # As lines print them.
    )
    if not options.json:
        sockets.show(1000, truncate=False)
        return 0
    rows = [row.asDict() for row in sockets.toLocalIterator()]
    text = json.dumps(rows, indent=1) + "\n"
    if options.json == "-":
        sys.stdout.write(text)
    else:
        Path(options.json).write_text(text, encoding="utf-8")
        print(f"{len(rows)} sockets -> {options.json}")
    return 0


def _read(options) -> int:
    from kafkalab.logsets.read import files_of, load, summary
    from kafkalab.logsets.session import session

    files_of(options.path)
    summary(load(session(options.master), options.path, ("file", "time", "event", "problem"))).show(1000, truncate=False)
    return 0


def _generate(options) -> int:
    from kafkalab.logsets.generate import generate, manifest
    from kafkalab.logsets.session import session

    plan = manifest(options.manifest)
    generate(session(options.master), plan, options.out)
    return 0


def _java(options) -> int:
    java = find_java()
    print(f"Java {java.major} from {java.origin}: {java.home}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
