"""`python -m kafkalab line-gaps DIR`: imports how long real clients take between two lines.

DIR holds recorded scenarios: `scenario.json`, which names the client's release, and NAME.log or
NAME.log.gz beside it. The table that labs with `gaps` draw from is written again. Its
first line names this command.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from kafkalab.command_line import CommandParser, called_as
from kafkalab.lines import recorded_gaps
from kafkalab.lines.layout import Row, read
from kafkalab.lines.recorded_gaps import (
    LONGEST_MS,
    SHORT_MS,
    GapRow,
    Pair,
    gap_table_text,
    names_in,
)
from kafkalab.releases import lineage

SCENARIO = "scenario.json"
THREAD_STARTS = frozenset({"HEARTBEAT_THREAD_STARTED", "NETWORK_THREAD_STARTED", "SENDER_STARTING"})
APPLICATION = frozenset(
    {
        "AbstractConfig",
        "AppInfoParser",
        "AsyncKafkaConsumer",
        "ConsumerConfig",
        "KafkaProducer",
        "ProducerConfig",
        "ShareConsumerConfig",
        "ShareConsumerImpl",
    }
)
"""Classes whose lines the application's thread writes, where a client has a thread for the network
besides."""
NETWORK = frozenset(
    {
        "AbstractFetch",
        "ClientUtils",
        "ClusterConnectionStates",
        "CommitRequestManager",
        "ConsumerMembershipManager",
        "ConsumerNetworkThread",
        "CoordinatorRequestManager",
        "FetchSessionHandler",
        "Metadata",
        "NetworkClient",
        "NetworkClientDelegate",
        "RequestManagers",
        "RequestState",
        "Selector",
        "Sender",
        "ShareConsumeRequestManager",
        "ShareMembershipManager",
        "ShareSessionHandler",
    }
)
"""... and those of the other thread. A line of another class follows the line before it."""
HAS_NETWORK_THREAD = frozenset({"Sender", "ConsumerNetworkThread"})

Key = tuple[str, str, str, bool]


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0; 2 when there is nothing to read."""
    parser = CommandParser(
        prog=f"{called_as('kafkalab')} line-gaps",
        description="Import how long real clients take from one line to the next.",
        example="data/recordings",
    )
    parser.add_argument(
        "dirs",
        type=Path,
        nargs="+",
        metavar="dir",
        help="a folder with recordings: scenario.json with NAME.log or NAME.log.gz beside it",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(recorded_gaps.__file__).with_name(recorded_gaps.FILE),
        metavar="FILE",
        help="where to write the table; default: where a lab looks",
    )
    options = parser.parse_args(argv)
    rows = gaps_below(*options.dirs)
    if not rows:
        print(
            "no scenario.json with a log of a release of the lineage: is this the folder of "
            "recordings?",
            file=sys.stderr,
        )
        return 2
    options.out.write_text(gap_table_text(rows), encoding="utf-8", newline="\n")
    print(f"{len(rows):,} rows -> {options.out}")
    return 0


def gaps_below(*folders: Path) -> list[GapRow]:
    """The rows of the table, from each client's log below `folders`.

    A recording that two of them hold counts once: its broker, client and scenario name it.
    """
    scenarios = {file.parts[-4:]: file for folder in folders for file in folder.rglob(SCENARIO)}
    gaps = CountedGaps()
    for _, scenario in sorted(scenarios.items()):
        version = json.loads(scenario.read_text(encoding="utf-8"))["client_version"]
        release = ".".join(version.split(".")[:2])
        if release in lineage.CLIENT_NAMES:
            for log in sorted(scenario.parent.glob("*.log*")):
                if not log.name.startswith("broker-"):
                    gaps.add(list(read(log)), release)
    return gaps.rows()


class CountedGaps:
    """How often each gap was seen, log by log."""

    def __init__(self) -> None:
        self._seen: defaultdict[Key, Counter[int]] = defaultdict(Counter)

    def add(self, rows: Sequence[Row], release: str) -> None:
        """Counts the gaps of one client's log."""
        names = names_in(rows, release)
        known: set[Pair] = set()
        for earlier, later in sorted(_neighbours(rows, names)):
            pair = names[earlier], names[later]
            gap_ms = _rounded(max(rows[later].at_ms - rows[earlier].at_ms, 0))
            self._seen[release, *pair, pair in known][gap_ms] += 1
            known.add(pair)

    @classmethod
    def of(cls, several: Iterable[CountedGaps]) -> CountedGaps:
        """The sum of several counts."""
        found = cls()
        for one in several:
            for key, gaps in one._seen.items():
                found._seen[key].update(gaps)
        return found

    def rows(self) -> list[GapRow]:
        """The rows of the table, sorted."""
        return [
            GapRow(*key, tuple(sorted(gaps.items()))) for key, gaps in sorted(self._seen.items())
        ]


def _neighbours(rows: Sequence[Row], names: Sequence[str]) -> set[tuple[int, int]]:
    """The numbers of lines that follow each other: in the log, where one thread may have woken the
    other, and in each thread's own work. A new thread goes on where its starter is."""
    found = {(number, number + 1) for number in range(len(rows) - 1)}
    if not any(row.logger_name in HAS_NETWORK_THREAD for row in rows):
        return found
    last: dict[bool, int] = {}
    in_network = False
    for number, row in enumerate(rows):
        if row.logger_name in NETWORK or _asks_for_a_producer_id(row):
            in_network = True
        elif row.logger_name in APPLICATION:
            in_network = False
        if in_network in last:
            found.add((last[in_network], number))
        last[in_network] = number
        if names[number] in THREAD_STARTS:
            last[not in_network] = number
    return found


def _asks_for_a_producer_id(row: Row) -> bool:
    """The Sender of an idempotent producer does; of a transactional one, the application too."""
    prefix = row.message.partition("]")[0]
    return row.logger_name == "TransactionManager" and "transactionalId" not in prefix


def _rounded(gap_ms: int) -> int:
    """Two digits of a long gap are enough, and all waits are one."""
    if gap_ms > LONGEST_MS:
        return LONGEST_MS + 1
    step = 1 if gap_ms <= SHORT_MS else 5 if gap_ms <= 10 * SHORT_MS else 20
    return gap_ms - gap_ms % step
