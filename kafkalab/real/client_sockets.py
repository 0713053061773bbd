"""Lists the sockets of real clients: from their lines by the reader of log sets, and from the
kernel.

The lines tell of the past and of the reasons; the kernel (/proc, on Linux) tells only what is open
now.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from kafkalab.lines.layout import Row
from kafkalab.reading.sockets import Socket
from kafkalab.real.log_lines import ClientLog, rows_in

COMPLETED = re.compile(r"^Completed connection to node (\S+?)\.")
FOR_METADATA = re.compile(
    r"^Initialize connection to node \S+ \(id: (\S+) rack: .*?\) for sending metadata request"
)
ESTABLISHED = "01"
"""The state of a connection in /proc/net/tcp."""


def sockets_from_lines(files: Sequence[ClientLog], epoch_ms: int) -> list[Socket]:
    """Every connection that the clients' lines tell of, oldest first.

    Spark reads the lines (`logsets.connections`). `event_id` is only a number in this list.
    """
    from kafkalab.logsets import connections, read, session

    files = [file for file in files if file.path.exists()]
    if not files:
        return []
    by_stem = {file.path.stem: file for file in files}
    spark = session()
    found = connections(read(spark, [str(file.path) for file in files])).collect()
    told = {file.path.stem: list(rows_in(file)) for file in files}
    rows = sorted(found, key=lambda row: (row["opened_at"], row["node_id"]))
    made = []
    for number, row in enumerate(rows):
        stem = Path(row["file"]).stem
        opened_ms, closed_ms = _epoch_ms(row["opened_at"]), _epoch_ms(row["closed_at"])
        assert opened_ms is not None, "a socket without its opening is left out by the reader"
        connected_ms, purpose = _begin(told[stem], row["node_id"], opened_ms, closed_ms)
        made.append(
            Socket(
                by_stem[stem].client,
                row["node_id"],
                row["broker"],
                row["class"],
                purpose,
                opened_ms - epoch_ms,
                None if connected_ms is None or row["how"] == "failed" else connected_ms - epoch_ms,
                None if closed_ms is None else closed_ms - epoch_ms,
                row["how"],
                number,
            )
        )
    return made


def sockets_until(
    found: Iterable[Socket], at_ms: int, kills: Mapping[str, int] = MappingProxyType({})
) -> list[Socket]:
    """The sockets as they were at a time of the lab. The lines are read later than they were asked
    for: Spark may have to start first.

    kills: client -> when its process was killed, of which its lines tell nothing
    """
    shown = []
    for each in found:
        killed_ms = kills.get(each.client)
        if each.closed_at_ms is None and killed_ms is not None:
            each = replace(each, closed_at_ms=killed_ms, how="killed")
        if each.closed_at_ms is not None and each.closed_at_ms > at_ms:
            each = replace(each, closed_at_ms=None, how=None)
        if each.opened_at_ms <= at_ms:
            shown.append(each)
    return shown


def _begin(
    rows: Iterable[Row], node_id: str, opened_ms: int, closed_ms: int | None
) -> tuple[int | None, str]:
    """When a socket was connected, and what made the client open it: metadata or request."""
    purpose = "request"
    for row in rows:
        if closed_ms is not None and row.at_ms > closed_ms:
            break
        if row.at_ms < opened_ms - 1:
            continue
        text = row.text
        asked = FOR_METADATA.match(text)
        if asked and asked[1] == node_id and row.at_ms <= opened_ms:
            purpose = "metadata"
        done = COMPLETED.match(text)
        if done and done[1] == node_id and row.at_ms >= opened_ms:
            return row.at_ms, purpose
    return None, purpose


def _epoch_ms(moment: datetime.datetime | None) -> int | None:
    """Epoch milliseconds of a timestamp that Spark collected; its session's zone is UTC, and Python
    gets it in the machine's own zone."""
    return None if moment is None else round(moment.timestamp() * 1000)


def kernel_sockets(pid: int, ports: Mapping[int, int], proc: Path = Path("/proc")) -> Counter[int]:
    """broker -> the connections to it that the kernel holds open for a process now.

    ports: port -> broker. Raises FileNotFoundError where the machine has no /proc.
    """
    own = set()
    for handle in (proc / str(pid) / "fd").iterdir():
        try:
            target = str(handle.readlink())
        except OSError:  # it was closed in between
            continue
        if target.startswith("socket:["):
            own.add(target[8:-1])
    found: Counter[int] = Counter()
    for table in ("tcp", "tcp6"):
        path = proc / "net" / table
        for line in path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else ():
            words = line.split()
            port = int(words[2].rpartition(":")[2], 16)
            if words[3] == ESTABLISHED and words[9] in own and port in ports:
                found[ports[port]] += 1
    return found


def disagreement(sockets: Iterable[Socket], kernel: Mapping[int, int]) -> str | None:
    """One sentence where lines and kernel differ about how many connections a client has open;
    None where they agree."""
    told = sum(socket.closed_at_ms is None for socket in sockets)
    held = sum(kernel.values())
    if told == held:
        return None
    return (
        f"The lines tell of {told} open connections and the kernel holds {held}: a line may not be "
        "written yet, or one end has gone without a word."
    )
