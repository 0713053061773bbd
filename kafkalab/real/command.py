"""Runs `python -m kafkalab real`: setup, up, down, status, prove.

python -m kafkalab real setup --version 4.4.0   fetch the released jars, once
python -m kafkalab real up --brokers 3          a cluster for other programs, until Ctrl-C
python -m kafkalab real status                  what is here, and what runs
python -m kafkalab real down                    end every cluster of this user
python -m kafkalab real prove 02                run the claims of chapter 02 on both labs
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from kafkalab.command_line import CommandParser, called_as
from kafkalab.errors import IllegalArgumentException
from kafkalab.logsets.java import JavaMissing, find_java
from kafkalab.real import reaper
from kafkalab.real.home import real_home
from kafkalab.real.jar_fetch import digest_rows, fetch_jars, megabytes
from kafkalab.real.jar_sets import (
    TABLE,
    USUAL_CLIENTS,
    JarSet,
    NotSetUp,
    broker_set,
    client_set,
    known_sets,
)
from kafkalab.real.keeper import kept_folders, sweep
from kafkalab.real.real_lab import RealLab
from kafkalab.releases.lineage import BROKER_NAMES, CLIENT_NAMES, NEWEST_BROKER

DOWN_WITHIN_S = 30
PORTS = "ports"
"""A file of this name in a run's folder says where its brokers listen."""


def main(argv: Sequence[str]) -> int:
    """0 where it was done, 1 and one sentence where it could not be, 130 after Ctrl-C."""
    options = _parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except (NotSetUp, IllegalArgumentException) as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped; nothing runs any more", file=sys.stderr)
        return 130


def _parser() -> CommandParser:
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} real",
        description=f"Run real Kafka beside the lab. It keeps to one folder, {real_home()}.",
        example="setup",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(
        name: str, does: str, run: Callable[[argparse.Namespace], int], example: str = ""
    ) -> argparse.ArgumentParser:
        """A sub-command: its help is a sentence, as its description is."""
        sentence = f"{does[0].upper()}{does[1:]}."
        made = commands.add_parser(name, help=does, description=sentence, example=example)
        made.set_defaults(run=run)
        return made

    setup = command("setup", "fetch the released jars once", _set_up, "--version 4.4.0")
    setup.add_argument(
        "--version",
        action="append",
        metavar="V",
        help=f"a client release, such as 2.3 or 4.4.0, or all; again for more "
        f"({' and '.join(USUAL_CLIENTS)} when left out)",
    )
    setup.add_argument(
        "--broker",
        action="append",
        metavar="V",
        help=f"a broker release, {' or '.join(BROKER_NAMES)}, or all; again for more "
        f"({NEWEST_BROKER} when left out)",
    )
    up = command("up", "start a cluster and keep it until Ctrl-C", _up, "--brokers 3")
    up.add_argument("--brokers", type=int, default=1, help="how many, at most 3")
    up.add_argument(
        "--broker-version",
        default=NEWEST_BROKER,
        metavar="V",
        help=f"their release, {' or '.join(BROKER_NAMES)} ({NEWEST_BROKER} when left out)",
    )
    command("down", "end every cluster of this user", _down)
    command("status", "say what is here and what runs", _status)
    command("digests", "write jars.tsv again, to add a release", _digests)
    prove = command("prove", "run the claims of the chapters on both labs", _prove, "02")
    prove.add_argument("chapters", nargs="*", metavar="CHAPTER", help="such as 02; all without")
    prove.add_argument("--again", action="store_true", help="also what was run before")
    return parser


def _wanted_sets(clients: Sequence[str] | None, brokers: Sequence[str] | None) -> list[JarSet]:
    """The sets of these releases. Brokers of any release need the newest client, with which the lab
    itself asks them."""
    chosen = list(clients or USUAL_CLIENTS)
    served = list(brokers or [NEWEST_BROKER])
    if brokers:
        chosen.append(CLIENT_NAMES[-1])
    if "all" in chosen:
        chosen = list(CLIENT_NAMES)
    if "all" in served:
        served = list(BROKER_NAMES)
    return list(dict.fromkeys([*map(broker_set, served), *map(client_set, chosen)]))


def _set_up(options: argparse.Namespace) -> int:
    sets = _wanted_sets(options.version, options.broker)
    missing = [each for each in sets if not each.is_here]
    size = sum(each.bytes for each in missing)
    if missing:
        free = shutil.disk_usage(_nearest(real_home())).free
        print(f"{megabytes(size)} of released jars come into {real_home()}.")
        if free < 2 * size:
            raise NotSetUp(
                f"{real_home()} has only {megabytes(free)} free, and {megabytes(2 * size)} are "
                "needed for a while: set KAFKALAB_REAL to another disk."
            )
    show = _one_line()
    for each in sets:
        fetch_jars(each, show)
        show("")
        print(f"{each.name}: {len(each.jars)} jars, {megabytes(each.bytes)}, digests right")
    print("Ready: from kafkalab.real import Lab, KafkaProducer")
    return 0


def _digests(options: argparse.Namespace) -> int:
    """Write jars.tsv again, for who adds a release."""
    del options
    show = _one_line()
    rows = [row for each in known_sets() for row in digest_rows(each, show)]
    show("")
    TABLE.write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")
    print(f"{len(rows)} jars in {TABLE.name}")
    return 0


def _nearest(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next(each for each in (path, *path.parents) if each.exists())


def _one_line() -> Callable[[str], None]:
    """Shows progress: on a terminal in one line, elsewhere now and then."""
    last = [""]
    began = time.monotonic()
    told = [began]

    def show(text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)
        elif text and text != last[0] and time.monotonic() - told[0] > 5:
            told[0] = time.monotonic()
            print(text, file=sys.stderr, flush=True)
        last[0] = text

    return show


def _up(options: argparse.Namespace) -> int:
    show = _one_line()
    show("starting")
    with RealLab(
        brokers=options.brokers,
        version=CLIENT_NAMES[-1],
        broker_version=options.broker_version,
    ) as lab:
        show("")
        folder = lab.folder
        (folder / PORTS).write_text(lab.addresses, encoding="utf-8")
        print(f"{options.brokers} brokers run: bootstrap.servers={lab.addresses}", flush=True)
        print("Ctrl-C ends them, or `python -m kafkalab real down` in another window.", flush=True)
        while folder.exists():
            time.sleep(0.2)
    return 0


def _down(options: argparse.Namespace) -> int:
    del options
    folders = kept_folders()
    for folder in folders:
        (folder / reaper.END).touch()
    until = time.monotonic() + DOWN_WITHIN_S
    while any(folder.exists() for folder in folders) and time.monotonic() < until:
        time.sleep(0.1)
    left = len(sweep(older_than_s=0))
    print(f"{len(folders)} labs ended" + (f", and what {left} killed ones left" if left else ""))
    return 0


def _status(options: argparse.Namespace) -> int:
    del options
    try:
        java = find_java()
        print(f"Java {java.major} from {java.origin}: {java.home}")
    except JavaMissing as problem:
        print(problem)
    here = [each for each in known_sets() if each.is_here]
    size = megabytes(sum(each.bytes for each in here))
    names = ", ".join(each.name for each in here)
    print(f"{real_home()}: {size} of jars ({names})" if here else f"{real_home()}: no jars yet")
    if not here:
        print("`python -m kafkalab real setup` fetches them.")
    for folder in kept_folders():
        ports = folder / PORTS
        where = ports.read_text(encoding="utf-8") if ports.exists() else "a lab of a Python program"
        print(f"runs: {folder.name}, {where}")
    return 0


def _prove(options: argparse.Namespace) -> int:
    from kafkalab.real.proof.prove import prove

    return prove(options.chapters, again=options.again, show=_one_line())
