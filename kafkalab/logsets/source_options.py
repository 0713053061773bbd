"""Names the options of Spark's data source `kafkalab`: their defaults, and what they do.

The page of this package shows the same table, and a test holds it to this one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from kafkalab.logsets import question
from kafkalab.logsets.files import path_list

PERMISSIVE, DROPMALFORMED, FAILFAST = MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")
FILES, STREAMS, BOTH = "files", "streams", "both"


@dataclass(frozen=True)
class SourceOption:
    """An option. default: as one would write it; empty where there is none.

    read_by: whether files that stand, streams or both of them take it
    """

    name: str
    default: str
    read_by: str
    doc: str


OPTIONS = (
    SourceOption("path", "", BOTH, "A file, a folder, a pattern or an archive. `load` sets it."),
    SourceOption(
        "layout", "", BOTH, "log4j's pattern. Without it the first lines of each file show it."
    ),
    SourceOption(
        "mode", PERMISSIVE, FILES,
        f"{PERMISSIVE} keeps lines that cannot be read, with their `problem`. {DROPMALFORMED} "
        f"leaves them out. {FAILFAST} ends the query.",
    ),
    SourceOption(
        "ignoreMissingFiles", "false", FILES,
        "`true` leaves out a file that is removed or cut while it is read, and warns. Else the "
        "query ends.",
    ),
    SourceOption("events", "", FILES, "Keeps the lines of these entries of the catalogue: `A,B`."),
    SourceOption("level", "", FILES, "Keeps the lines of these levels: `WARN,ERROR`."),
    SourceOption("clientId", "", FILES, "Keeps the lines with one of these clients in front."),
    SourceOption("since", "", FILES, "Keeps the lines from this time on, in UTC."),
    SourceOption("until", "", FILES, "Keeps the lines before this time, in UTC."),
    SourceOption(
        "settleSeconds", "2", STREAMS,
        "A file's last record is complete after so many seconds without a change.",
    ),
)  # fmt: skip
DEFAULTS = {option.name: option.default for option in OPTIONS}
# Spark gives several paths as `paths`. `rows` is told by reader.py.
INTERNAL = ("paths", "rows")
# What Spark says of a table that is made: its properties, and its options with this before them.
OF_TABLE, TABLE_OPTION = ("owner", "provider"), "option."
HERE = "file:"


class OptionsGiven:
    """The options of one reading, checked. Raises ValueError with a sentence for a wrong one.

    of_table: whether a table is made with them
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self.of_table = all(name in given for name in OF_TABLE)
        self.given = _written({name.lower(): text for name, text in given.items()})
        known = {name.lower() for name in (*DEFAULTS, *INTERNAL)}
        if unknown := sorted(set(self.given) - known):
            raise ValueError(
                f'The source "kafkalab" has no option {unknown[0]!r}: it has {", ".join(DEFAULTS)}.'
            )
        if self._text("mode").upper() not in MODES:
            raise ValueError(f"There is no mode {self.mode!r}: there are {', '.join(MODES)}.")
        if self._text("ignoreMissingFiles").lower() not in ("true", "false"):
            raise ValueError(
                f"ignoreMissingFiles is true or false, not {self._text('ignoreMissingFiles')!r}."
            )

    def check_path(self) -> None:
        """Raises ValueError where no path is given."""
        if not self._paths():
            raise ValueError(
                'The source "kafkalab" needs a path: '
                'spark.read.format("kafkalab").load("client.log"). A table keeps its path only '
                "where it names no columns: CREATE TABLE lines USING kafkalab OPTIONS (path "
                "'client.log')."
            )

    def _paths(self) -> list[str]:
        # Spark gives several paths as a list in JSON
        return json.loads(self.given.get("paths", "[]")) or list(filter(None, [self._text("path")]))

    def _text(self, name: str) -> str:
        return self.given.get(name.lower(), DEFAULTS[name])

    @property
    def paths(self) -> str:
        """The paths, one a line."""
        self.check_path()
        return path_list(self._paths())

    @property
    def layout(self) -> str | None:
        return self._text("layout") or None

    @property
    def mode(self) -> str:
        return self._text("mode").upper()

    @property
    def ignores_missing(self) -> bool:
        return self._text("ignoreMissingFiles").lower() == "true"

    @property
    def reads_clients(self) -> bool:
        return self.given.get("rows") == "clients"

    @property
    def settle_s(self) -> float:
        text = self._text("settleSeconds")
        try:
            found = float(text)
        except ValueError:
            found = -1
        if not 0 <= found < float("inf"):
            raise ValueError(f"settleSeconds is a number of seconds, from 0 on, not {text!r}.")
        return found

    @property
    def asked(self) -> question.LineQuestion | None:
        """The question of a reading of files."""
        found = question.question_of(self.given)
        if found and self.mode != PERMISSIVE:
            raise ValueError(
                f"The mode {self.mode} looks at all lines, and a narrow question passes most "
                "over: leave one of the two out."
            )
        return found

    def check_stream(self) -> None:
        """Refuse what a stream cannot do."""
        if question.question_of(self.given):
            raise ValueError("A stream reads all lines: filter its frame instead.")
        if self.mode != PERMISSIVE:
            raise ValueError("A stream keeps every line: it has no mode but PERMISSIVE.")


def _written(given: dict[str, str]) -> dict[str, str]:
    """The options that a user wrote. For a table Spark adds properties, and makes paths URLs."""
    if all(name in given for name in OF_TABLE):
        path = {name: text for name, text in given.items() if name == "path"}
        written = {
            name.removeprefix(TABLE_OPTION): text
            for name, text in given.items()
            if name.startswith(TABLE_OPTION)
        }
        given = {**written, **path}
    place = given.get("path", "")
    if place.startswith(HERE) and not place.startswith(f"{HERE}//"):
        given = {**given, "path": unquote(place.removeprefix(HERE))}
    return given


def options_table() -> str:
    """The options as a table of Markdown."""
    rows = [
        f"| `{o.name}` | {o.default and f'`{o.default}`'} | {o.read_by} | {o.doc} |"
        for o in OPTIONS
    ]
    return "\n".join(["| option | default | of | does |", "|---|---|---|---|", *rows])
