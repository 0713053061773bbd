"""Compiles each template of the catalogue for fast search: bytes to compare, and a regex for its
gaps.

All wordings come from kafkalab.lines.catalog. GAPS has the form of a placeholder's text and its
column in schema.py. A placeholder that is not in GAPS may be any text. So a new column for a gap is
a row of schema.COLUMNS and one of GAPS.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from string import Formatter

from kafkalab.logsets import schema

ANYTHING = "(?s:.*?)"
# Java prints `null` where there is none.
NODE = r"(?:(?P<host>[^ ]*):(?P<port>-?\d+) \(id: (?P<node_id>[-+]?\d+) rack: [^)]*\)|null)"
HEADER = (
    r"RequestHeader\(apiKey=(?P<api>\w+), apiVersion=(?P<api_version>-?\d+), clientId=.*?, "
    r"correlationId=(?P<correlation_id>-?\d+)[^)]*\)"
)
# Plain up to 2.2, `FetchPosition{offset=3, offsetEpoch=Optional[0],
# currentLeader=LeaderAndEpoch{…}}` since.
POSITION = r"(?:FetchPosition\{offset=)?(?P<position>-?\d+)(?:, (?s:.*?)\}\})?"
GENERATION = (
    r"(?:Generation\{generationId=|Optional\[)?(?P<generation>-?\d+)(?:, memberId='[^']*', "
    r"protocol='[^']*'\}|\])?"
)
REASON = r"(?P<reason>(?s:.*?))"
PARTITION = r"(?P<topic>[\w.\-]+)-(?P<partition>\d+)"
# `partition {partition} of topic {topic}`: there it is no topic-partition.
NUMBER_OF_PARTITION = r"(?:(?P<partition>-?\d+)|null)"
GAPS = {
    "node": NODE,
    "node_id": r"(?P<node_id>[-+]?\d+)",
    "header": HEADER,
    "api": r"(?P<api>[A-Z]\w*)",
    "api_version": r"(?P<api_version>-?\d+)",
    "correlation_id": r"(?P<correlation_id>-?\d+)",
    "host": r"(?P<host>[^ /]*)",
    "port": r"(?P<port>-?\d+)",
    "topic": r"(?P<topic>[\w.\-]+)",
    "partition": PARTITION,
    "offset": r"(?P<position>-?\d+)",
    "position": POSITION,
    "count": r"(?P<count>-?\d+)",
    "generation": GENERATION,
    "member_id": r"(?P<member_id>[^\s,]*)",
    "producer_id": r"(?P<producer_id>-?\d+)",
    "producer_epoch": r"(?P<producer_epoch>-?\d+)",
    "sequence": r"(?P<sequence>-?\d+)",
    "state_to": r"(?P<state>\w+)",
    "error": REASON,
    "errors": REASON,
    "cause": REASON,
    "reason": REASON,
    "broker_id": r"(?P<node_id>\d+)",  # A broker's own line names itself.
}
# Events in which a name has another meaning or another form.
OF_EVENT = {
    ("BATCH_REORDERED", "position"): ANYTHING,  # A place in a queue.
    ("RETRYING_APPEND", "partition"): NUMBER_OF_PARTITION,
}
# In the events of a KIP-848 member `epoch` is the member's, elsewhere the leader's.
MEMBER_EPOCHS = "MEMBER_"
CLIENTS = ("org.apache.kafka.clients.consumer.", "org.apache.kafka.clients.producer.")
DUMP, SETTINGS = "_CONFIG", r"\s*(?:[\w.\-]+ =[^\n]*(?:\n\s*|$))+"
KAFKA = "org.apache.kafka."
OF_KAFKA = re.compile(r"(?:org\.apache\.)?kafka\.(?:[a-z_]\w*\.)*[A-Z][\w$]*")
CUT = 20  # A class name of fewer letters is not cut.
# The columns that GAPS fill, in the order of schema.py, and those of them that are numbers.
FIELDS = tuple(
    name for name in schema.NAMES if any(f"(?P<{name}>" in form for form in GAPS.values())
)
WHOLE_NUMBERS, LARGE_NUMBERS = (
    {column.name for column in schema.COLUMNS if column.name in FIELDS and column.type == type_}
    for type_ in ("int", "bigint")
)


@dataclass(frozen=True)
class Pattern:
    """One template in a form for comparison.

    head, tail   its literal first and last bytes; whole: all of it as a regular expression (RE2)
    gaps         a regular expression with a group a column, up to the last gap that fills one; None
                 where none does
    to_the_end   whether `gaps` only matches a whole message, not the beginning of one
    lines        the lines of Java source that write it, in any version; levels: its levels
    of_broker    whether a broker writes it: many of its lines begin alike
    words        the texts between its gaps
    """

    event: str
    head: bytes
    tail: bytes
    whole: str
    gaps: str | None
    fields: tuple[str, ...] = ()
    to_the_end: bool = False
    lines: frozenset[int] = frozenset()
    levels: frozenset[str] = frozenset()
    of_broker: bool = False
    words: tuple[str, ...] = ()

    @property
    def exact(self) -> str:
        """Its whole text with the forms of its gaps. Each setting has a line of its own."""
        if self.event.endswith(DUMP) and self.tail == b"":
            return f"^{re.escape(self.head.decode())}{SETTINGS}$"
        return self.gaps if self.gaps and self.gaps.endswith("$") else self.whole

    @property
    def weight(self) -> int:
        """The number of literal bytes.

        Of two that match, the one with more literal bytes is right.
        """
        return len(self.whole.replace(ANYTHING, ""))


@lru_cache(maxsize=1)
def all_patterns() -> tuple[Pattern, ...]:
    """Every pattern, each once for its logger. A pattern's number is its index here."""
    return tuple(pattern for patterns in by_logger().values() for pattern in patterns)


@lru_cache(maxsize=1)
def by_logger() -> dict[str, tuple[Pattern, ...]]:
    """logger -> its patterns, those with most literal bytes first."""
    from kafkalab.lines.catalog import SERVER_CATALOG, every_entry

    wordings: dict[tuple[str, str, str], list] = {}
    places: dict[tuple[str, str], set[int]] = {}
    for entry in every_entry():
        for wording in entry.wordings:
            if wording.twin:
                # A second name of the same words, for the writer only: its place is the first's.
                places.setdefault((wording.logger, wording.template), set()).update(
                    wording.at.values()
                )
            else:
                wordings.setdefault((wording.logger, entry.name, wording.template), []).append(
                    wording
                )
    found: dict[str, list[Pattern]] = {}
    for (logger, event, template), alike in wordings.items():
        lines = frozenset(
            line
            for line in places.get((logger, template), set()).union(
                *(wording.at.values() for wording in alike)
            )
            if line
        )
        pattern = replace(
            compile_template(event, template),
            lines=lines,
            levels=frozenset(wording.level for wording in alike),
            of_broker=event in SERVER_CATALOG,
        )
        found.setdefault(logger, []).append(pattern)
    return {
        logger: tuple(sorted(patterns, key=lambda p: (-p.weight, p.event, p.whole)))
        for logger, patterns in found.items()
    }


@lru_cache(maxsize=1)
def classes_of_clients() -> tuple[str, ...]:
    """The classes of which only clients write lines."""
    return tuple(
        logger
        for logger, patterns in by_logger().items()
        if logger.startswith(CLIENTS) and not any(pattern.of_broker for pattern in patterns)
    )


@lru_cache(maxsize=1 << 16)
def patterns_of(logger: str | None) -> tuple[Pattern, ...]:
    """The patterns of a logger, also of a shortened name; of all loggers where the layout has
    none.
    """
    logger = logger and _unshaded(logger)
    if logger in by_logger():
        return by_logger()[logger]
    return tuple(
        pattern
        for full, patterns in by_logger().items()
        if logger is None or _shortens(logger, full)
        for pattern in patterns
    )


@lru_cache(maxsize=1 << 16)
def is_known(logger: str) -> bool:
    """Whether it is the name of a class of the catalogue, shortened or not."""
    logger = _unshaded(logger)
    return logger in by_logger() or any(_shortens(logger, known) for known in by_logger())


def is_kafkas(logger: str) -> bool:
    """As is_known, or by its packages the name of another class of Kafka's."""
    return is_known(logger) or bool(OF_KAFKA.fullmatch(logger))


def _unshaded(logger: str) -> str:
    """Kafka's name of a class that another library has in packages of its own, as Flink has."""
    own = logger[logger.rfind(f".{KAFKA}") + 1 :]
    return own if own in by_logger() else logger


@lru_cache(maxsize=1 << 16)
def in_full(logger: str) -> str:
    """The full class name of `o.a.k.c.NetworkClient`, `clients.NetworkClient` or `NetworkClient`.

    The catalogue must have just one such class.
    """
    logger = _unshaded(logger)
    full = (
        [known for known in by_logger() if _shortens(logger, known)]
        if logger and logger not in by_logger()
        else []
    )
    return full[0] if len(full) == 1 else logger


def _shortens(printed: str, full: str) -> bool:
    """Whether a layout may print `printed` for this class.

    `%c{1}` leaves packages out. `%c{1.}`, `%c{3.}` and logback's `%logger{36}` keep the first
    letters of packages. `%40.40c` cuts letters off in front, also of a name that is shortened
    already: `k.c.c.i.ConsumerRebalanceListenerInvoker`.
    """
    short, long = printed.split("."), full.split(".")
    if len(short) > len(long):
        return False
    if len(short) == 1:
        return short == long[-1:] or (len(printed) >= CUT and full.endswith(printed))
    packages = list(zip(short[:-1], long[-len(short) : -1], strict=True))
    return short[-1] == long[-1] and (
        # the first of the printed parts may have lost letters in front
        all(whole.startswith(part) for part, whole in packages[1:])
        and (packages[0][1].startswith(packages[0][0]) or packages[0][1].endswith(packages[0][0]))
    )


def literals_and_names(template: str) -> tuple[list[str], list[str]]:
    """The texts between the placeholders, and the placeholders.

    `{{` and `}}` are braces, as in str.format.
    """
    literals, names = [""], []
    for literal, name, *_ in Formatter().parse(template):
        literals[-1] += literal
        if name is not None:
            names.append(name)
            literals.append("")
    return literals, names


def compile_template(event: str, template: str) -> Pattern:
    """The Pattern of `Node {node_id} disconnected.`."""
    literals, names = literals_and_names(template)
    whole: list[str] = []
    gaps: list[str] = []
    fields: list[str] = []
    needed = 0
    for place, literal in enumerate(literals):
        whole.append(re.escape(literal))
        gaps.append(re.escape(literal))
        if place < len(names):
            gap = _gap(event, names[place], names)
            whole.append(_without_groups(gap, _groups(gap)))
            # `{api} request with header {header}`: the first one fills the column.
            gap = _without_groups(gap, fields)
            gaps.append(gap)
            if _groups(gap):
                fields += _groups(gap)
                # A reason ends where the text after it begins.
                needed = len(gaps) + (gap == REASON)
    to_the_end = needed == len(gaps)
    return Pattern(
        event=event,
        head=literals[0].encode(),
        tail=literals[-1].encode() if names else literals[0].encode(),
        whole="^" + "".join(whole) + "$",
        gaps="^" + "".join(gaps[:needed]) + ("$" if to_the_end else "") if fields else None,
        fields=tuple(fields),
        to_the_end=to_the_end,
        words=tuple(literals),
    )


def _gap(event: str, name: str, names: list[str]) -> str:
    if name == "epoch" and event.startswith(MEMBER_EPOCHS):
        return GENERATION
    if name == "partition" and "topic" in names and (event, name) not in OF_EVENT:
        return NUMBER_OF_PARTITION
    return OF_EVENT.get((event, name), GAPS.get(name, ANYTHING))


def _groups(pattern: str) -> list[str]:
    return re.findall(r"\?P<(\w+)>", pattern)


def _without_groups(pattern: str, names: list[str]) -> str:
    for name in names:
        pattern = pattern.replace(f"(?P<{name}>", "(?:")
    return pattern
