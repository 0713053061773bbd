"""Reads a recording of a real Java client and plays its program on the simulator beside it.

    pair = recorded("2.3.1/2.3.0/fault_producer_leader_moves", seed=4)
    pair.beside("Sending PRODUCE", "disconnected")

The recordings are in the course's `data/recordings`, in folders named after the release of the
broker, the release of the client and what happened. A recording's `scenario.json` says what the
program did; `kafkalab.proof.replay` does the same steps in a lab. No file is written.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kafkalab.course_folder import course_folder
from kafkalab.errors import IllegalArgumentException
from kafkalab.lines.layout import Row, read, rows_of, time_text
from kafkalab.proof.replay import replay

if TYPE_CHECKING:
    import pandas

COLUMNS = ("time", "client", "level", "logger", "message")
RANDOM_ID = re.compile(r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""What a coordinator adds to a client's name to make a member id: another in each run."""
REQUEST_NUMBER = re.compile(r"(correlation id |correlationId=)\d+")
"""Requests are counted. One look-up more gives all later requests another number."""
NEAR = 3
"""How many near names the error about an unknown recording gives."""


@dataclass(frozen=True, repr=False)
class RecordedPair:
    """The lines of real Java clients (`real`) and those of the simulator (`played`).

    Both are DataFrames with the columns of `lab.lines()`: time, client, level, logger, message.
    """

    name: str
    real: pandas.DataFrame
    played: pandas.DataFrame

    def beside(self, *words: str, logger: str | None = None) -> pandas.DataFrame:
        """The messages that hold one of the words, each once, in time order: `real`, `played`.

        Equal messages of the two are in one row; the numbers of requests may differ. A message is
        shown without `[Consumer ...]` and without the random part of member ids. Where a recording
        has several clients, their names come first. Without words it shows all messages. `logger`
        takes the lines of one class only, such as "NetworkClient".

        Raises IllegalArgumentException for a word that no message holds.
        """
        from kafkalab.reading.line_table import LineTable

        sides = [_short(lines, logger) for lines in (self.real, self.played)]
        for word in words:
            if not isinstance(word, str) or not any(word in text for text in sides[0] + sides[1]):
                raise IllegalArgumentException(
                    f"no message of {self.name} holds {word!r}, neither of the real client nor of "
                    "the simulator; look at pair.real.message"
                )
        real, played = (
            [text for text in side if not words or any(word in text for word in words)]
            for side in sides
        )
        return LineTable(_rows(real, played), columns=["real", "played"])

    def __repr__(self) -> str:
        return f"{self.name}: {len(self.real)} real lines, {len(self.played)} played lines"


def recorded(path: str, seed: int = 1) -> RecordedPair:
    """The recording `path`, below data/recordings, and its program played with `seed`.

    path: release of the broker, release of the client, name:
    "2.3.1/2.3.0/fault_producer_leader_moves". Raises IllegalArgumentException for a path that has
    no recording, and for a seed that is no whole number.
    """
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise IllegalArgumentException(f"seed is a whole number, such as 1, not {seed!r}")
    root = course_folder() / "data" / "recordings"
    if not isinstance(path, str) or not (root / path / "scenario.json").is_file():
        raise IllegalArgumentException(_unknown(path, root))
    name = (root / path).relative_to(root).as_posix()
    real, played = _lines(root, name, seed)
    return RecordedPair(name, _frame(real), _frame(played))


ClientRow = tuple[str, Row]


@lru_cache(maxsize=16)  # A cell that is run again does not play again.
def _lines(root: Path, name: str, seed: int) -> tuple[tuple[ClientRow, ...], ...]:
    """(client, row) of each real line, and of each played line."""
    folder = root / name
    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    logs = replay(scenario, seed, real_pace=False)  # A lesson shows the lab's own lines.
    real = ((client, row) for client in logs for row in read(_log(folder, client)))
    played = ((client, row) for client, log in logs.items() for row in rows_of(log.splitlines()))
    return _in_time_order(real), _in_time_order(played)


def _log(folder: Path, client: str) -> Path:
    plain = folder / f"{client}.log"
    return plain if plain.is_file() else folder / f"{client}.log.gz"


def _in_time_order(rows: Iterable[ClientRow]) -> tuple[ClientRow, ...]:
    return tuple(sorted(rows, key=lambda each: each[1].at_ms))


def _frame(rows: Iterable[ClientRow]) -> pandas.DataFrame:
    from kafkalab.reading.line_table import LineTable

    cells = [
        (time_text(row.at_ms), client, row.level, row.logger, row.message) for client, row in rows
    ]
    return LineTable(cells, columns=list(COLUMNS))


def _short(lines: pandas.DataFrame, logger: str | None) -> list[str]:
    """Each message once, as `RecordedPair.beside` shows it."""
    many = lines.client.nunique() > 1
    found = {}
    for client, name, message in zip(lines.client, lines.logger, lines.message):
        if logger is None or name.rsplit(".", 1)[-1] == logger:
            text = RANDOM_ID.sub("-…", Row(0, "", message, name).text)
            found[f"{client}: {text}" if many else text] = True
    return list(found)


def _rows(real: list[str], played: list[str]) -> list[tuple[str, str]]:
    """Pairs of messages, equal ones in one row; "" where one side has no message for the other."""
    rows: list[tuple[str, str]] = []
    left, right = ([REQUEST_NUMBER.sub("", text) for text in side] for side in (real, played))
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    for what, l0, l1, r0, r1 in matcher.get_opcodes():
        if what == "equal":
            rows += zip(real[l0:l1], played[r0:r1])
        else:
            rows += [(text, "") for text in real[l0:l1]]
            rows += [("", text) for text in played[r0:r1]]
    return rows


def _unknown(path: object, root: Path) -> str:
    """One sentence about a path without a recording; it names near ones."""
    names = sorted(
        file.parent.relative_to(root).as_posix() for file in root.glob("*/*/*/scenario.json")
    )
    given = str(path)
    last = given.rsplit("/", 1)[-1]
    of_name = [name for name in names if name.rsplit("/", 1)[-1] == last]
    near = of_name or difflib.get_close_matches(given, names, n=NEAR, cutoff=0.5) or names
    return f"there is no recording {given!r}; there are, for example: {', '.join(near[:NEAR])}"
