"""Runs `python -m kafkalab conformance DIR`: replays and marks every recorded scenario under a
folder."""

from __future__ import annotations

import fnmatch
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kafkalab.command_line import CommandParser, called_as
from kafkalab.lines.recorded_gaps import recorded_gaps
from kafkalab.proof.conformance import table
from kafkalab.proof.conformance.broker_log import SERVER_MARKS
from kafkalab.proof.conformance.marks import MARKS
from kafkalab.proof.conformance.seeds import SEEDS, Conformance
from kafkalab.proof.conformance.workers import conform_all

WIDTH = 68


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0; 1 when a mark fell below the table (with --check),
    2 when there is nothing to play."""
    options = _parser().parse_args(argv)
    folders = dict(scenarios(options.dir, options.only, options.versions))
    if not folders:
        print(f"no scenario.json below {options.dir} that fits", file=sys.stderr)
        return 2
    recorded_gaps()  # Processes that are forked have it then, and need not read it.
    results = []
    for result in conform_all(
        folders, lambda name: range(options.seeds), options.jobs, pace=options.pace
    ):
        results.append(result)
        # To stderr, so that it does not mix with the table.
        print(
            f"{len(results)} of {len(folders)}: {result.scenario} ({result.replays} replays)",
            file=sys.stderr,
        )
    results.sort(key=lambda result: result.scenario)
    for result in results:
        print(row_text(result))
        for line in server_texts(result, options.why):
            print("    " + line[:400])
        if options.why:
            for line in why_lines(result):
                print("    " + line[:400])
    print(summary_text(results))
    if options.json:
        Path(options.json).write_text(
            json.dumps(results_as_json(results), indent=1, ensure_ascii=False) + "\n",
            encoding="utf-8",
        )
    if options.update:
        kept = _still_recorded(table.TABLE)
        table.save({**kept, **table.table_of(results, kept)})
        servers = _still_recorded(table.SERVER_TABLE)
        for result in results:
            if result.servers:
                servers[result.scenario] = {
                    str(broker): table.server_row(found) for broker, found in result.servers.items()
                }
        table.save(servers, table.SERVER_TABLE)
        print(f"wrote {table.TABLE.name} and {table.SERVER_TABLE.name}")
    fallen = (
        [
            sentence
            for result in results
            for sentence in (
                *table.falls(result, table.load_table()),
                *table.server_falls(
                    result.scenario, result.servers, table.load_table(table.SERVER_TABLE)
                ),
            )
        ]
        if options.check
        else []
    )
    for sentence in fallen:
        print(sentence)
    return 1 if fallen else 0


def scenarios(
    root: Path, only: str | None = None, versions: Sequence[str] = ()
) -> Iterator[tuple[str, Path]]:
    """(name, folder) of each scenario.json at or below `root`; the name is the folder's path below
    it.

    `only` is a pattern (`*`, `?`) for the name or its last part; `versions` are minor versions of
    the client, as `3.9`.
    """
    for file in sorted(root.rglob("scenario.json")):
        folder = file.parent
        name = folder.relative_to(root).as_posix() if folder != root else folder.name
        if only and not (fnmatch.fnmatch(name, only) or fnmatch.fnmatch(folder.name, only)):
            continue
        if (
            versions
            and json.loads(file.read_text(encoding="utf-8"))["client_version"].rsplit(".", 1)[0]
            not in versions
        ):
            continue
        yield name, folder


def _still_recorded(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of a table whose recordings are still there."""
    rows = table.load_table(path).items()
    return {name: row for name, row in rows if (table.RECORDINGS / name).exists()}


def row_text(result: Conformance) -> str:
    """One scenario: its marks, and which clients are equal with which seed."""
    marks = "  ".join(f"{mark} {result.mean(mark):.2f}" for mark in MARKS)
    seeds = " ".join(
        f"{client}={found.seed if found.equal else '-'}" for client, found in result.clients.items()
    )
    return f"{result.scenario:{WIDTH}} {marks}  equal: {seeds}" + (
        f"  {result.error}" if result.error else ""
    )


def why_lines(result: Conformance) -> Iterator[str]:
    for client, found in result.clients.items():
        for difference in found.differences:
            yield f"{client}: {difference}"


def server_texts(result: Conformance, why: bool) -> Iterator[str]:
    """A line for each broker whose log was recorded: its marks, and what differs."""
    for broker, found in result.servers.items():
        marks = "  ".join(f"{name} {found.marks[name]:.2f}" for name in SERVER_MARKS)
        yield f"broker {broker}: {marks}"
        if why:
            yield from found.differences


def means(results: Sequence[Conformance]) -> dict[str, float]:
    """The mean over scenarios of each mark, and the share of clients that are equal."""
    clients = [client for result in results for client in result.clients.values()]
    return {
        "equal": sum(client.equal for client in clients) / len(clients),
        **{mark: sum(result.mean(mark) for result in results) / len(results) for mark in MARKS},
    }


def summary_text(results: Sequence[Conformance]) -> str:
    found = means(results)
    count = sum(len(result.clients) for result in results)
    marks = "  ".join(f"{mark} {found[mark]:.3f}" for mark in MARKS[2:])
    told = f"{len(results)} scenarios, {count} clients: equal {found['equal']:.1%}, means: {marks}"
    servers = [one for result in results for one in result.servers.values()]
    if not servers:
        return told
    means_of = "  ".join(
        f"{name} {sum(one.marks[name] for one in servers) / len(servers):.3f}"
        for name in SERVER_MARKS
    )
    return f"{told}\n{len(servers)} broker logs, means: {means_of}"


def results_as_json(results: Sequence[Conformance]) -> dict[str, Any]:
    return {
        "mean": means(results),
        "scenarios": {
            result.scenario: {
                "error": result.error,
                "servers": {broker: asdict(one) for broker, one in result.servers.items()},
                "clients": {client: asdict(found) for client, found in result.clients.items()},
            }
            for result in results
        },
    }


def _parser() -> CommandParser:
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} conformance",
        description="Replay and mark every recorded scenario under a folder.",
        example="data/recordings --only '*/3.9.2/*' --why",
    )
    parser.add_argument(
        "dir",
        type=Path,
        help="a folder with recordings: scenario.json with NAME.log or NAME.log.gz beside it",
    )
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        help="scenarios whose name fits, for example 'consumer_*' or '*/3.9.2/*'",
    )
    parser.add_argument(
        "--versions",
        metavar="LIST",
        type=lambda text: tuple(text.split(",")),
        default=(),
        help="client versions, for example 2.3,3.9",
    )
    parser.add_argument("--why", action="store_true", help="say what differs")
    parser.add_argument("--json", metavar="FILE", help="write all marks and differences")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="processes at a time; default: all cores"
    )
    parser.add_argument(
        "--seeds", type=int, default=len(SEEDS), help="how many seeds to try, from 0"
    )
    parser.add_argument(
        "--pace",
        action="store_true",
        help="mark replays whose work takes the time that recordings show; the table has those "
        "where it takes none, as in a lesson's lab",
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="write what was found into the table the tests hold us to",
    )
    parser.add_argument(
        "--check", action="store_true", help="end with 1 if a mark is lower than in the table"
    )
    return parser
